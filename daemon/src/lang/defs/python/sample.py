#!/usr/bin/env python3
"""What the module is for.

Second paragraph.
"""
from __future__ import annotations

import os, sys as system
import os.path
import xml.etree.ElementTree as ET
from collections import (
    OrderedDict,
    defaultdict as dd,
)
from . import sibling
from .. import cousin as kin
from ..pkg.mod import helper
from typing import *

if TYPE_CHECKING:
    from .lazy import Lazy

__all__ = ["Shape", 'area']
__all__ += ["Colour"]
__version__: Final = "1.0"
LIMIT: int = 10
_hidden = 3
first, *others = helper(LIMIT)
one = two = 0
Name: TypeAlias = "dict[str, Shape]"
type Pair[T] = tuple[T, T]
square = lambda x: x * x if x else 0

try:
    import fast
    HAS_FAST = True
except ImportError:
    HAS_FAST = False


class Colour(enum.Enum):
    """Colours there are."""

    RED = 1
    GREEN, BLUE = 2, 3

    @property
    def label(self) -> str:
        return self.name.lower()


# A thing with an area.
# It may be moved.
@final
@dataclass(frozen=True)
class Shape(Base[T], geo.Located, Generic[T], metaclass=Meta):
    r"""A shape."""

    sides: int
    name: str = field(default_factory=str)
    _cache = {}
    x = y = None

    class Inner:
        depth = 1

    def __init__(self, sides: int, *args: Any, name="none", **kwargs):
        super().__init__()
        self.sides = sides
        self.origin: Point = Point(0, y=0)
        if name:
            self.late = name
        self.a, other.b = 1, 2

    # Its size.
    @property
    def size(self) -> float:
        '''How large it is.'''
        return self._size

    @size.setter
    def size(self, value: "Length") -> None:
        self._size = value

    @staticmethod
    def make(kind: Kind | None = None, /, *, deep: dict[str, list[Other]] = {}) -> Optional[geo.Shape]:
        match kind:
            case Circle(r=0) | None:
                return None
            case [head, *tail] if head:
                return tail
            case {"k": value, **rest}:
                return rest
            case Kind.SQUARE as found:
                return found
            case _:
                return default

    async def __aenter__(self):
        async with open(self.path) as handle, Lock() as lock:
            async for line in handle:
                yield line
        await self.close()

    def __private(self): ...


class Größe(Shape, sibling.Mixin): pass


@overload
def area(of: int) -> int: ...
@overload
def area(of: str) -> str: ...
@app.route("/area", methods=["GET"])
def area(of):
	"""Tabs are fine."""
	global LIMIT
	LIMIT = 3
	total: float = 0.0
	LOCAL = 1

	def add(n):
		nonlocal total
		total += n
		return lambda m, *r, k=1: m + n

	class Local(Shape):
		pass

	for i, (a, b) in enumerate(of):
		while a and b or i:
			add(a)
		else:
			break
	try:
		print(f"{a!r:>{width}} {helper(b)}")
	except (OSError, ValueError) as error:
		raise RuntimeError("no") from error
	finally:
		del of[0]
	if (n := len(of)) > 10:
		pass
	elif n:
		return {k: v for k, v in of.items() if k}
	of.x[0].y = [z for row in of for z in row]
	of.count += 1
	return n if n else None


if __name__ == "__main__":
    result = area("x")
    system.exit(result)


(LOW, high) = bounds()


class Place:
    (north, south) = 1, -1

    def __init__(self, deep, *names):  # where it is
        # Nothing is known yet.
        self.lat, self.lon = 0, 0
        (self.zone, other) = deep
        if deep:
            self.depth = Depth(deep)
        else:
            self.flat = True
        for name in names:
            if name:
                self.named = name
        with open(deep) as handle:
            self.handle = handle
