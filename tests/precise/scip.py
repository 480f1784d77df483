"""The truth of a SCIP index: what a compiler's indexer (scip-typescript, scip-python, `rust-analyzer scip`) wrote.

The file is a protobuf message, of which only the few fields are read that say where symbols are defined and used:
https://github.com/sourcegraph/scip/blob/main/scip.proto
"""

import collections
import dataclasses
import random
import re

from truth import IDENTIFIER, IMPORT, NOT_TAKEN, SHORTEST_NAME, git, identifier_at, is_called

# Numbers of fields.
DOCUMENTS, METADATA, TOOL, TOOL_NAME, TOOL_VERSION, PROJECT_ROOT = 2, 1, 2, 1, 2, 3
PATH, OCCURRENCES = 1, 2
RANGE, SYMBOL, ROLES, ENCLOSING_RANGE = 1, 2, 3, 7
DEFINITION = 1
# Words that stand for a symbol which they do not name.
RECEIVERS = {"self", "Self", "this", "super", "cls", "constructor", None}
# The last descriptor of a symbol, with what stands before it: `src/store.ts/Store#open().`
DESCRIPTOR = re.compile(r"^(?P<before>.*?)(?P<name>[\w$]+|`[^`]+`)(?P<suffix>#|\(\+?\w*\)\.|\.|!)$")


@dataclasses.dataclass(frozen=True)
class Occurrence:
    path: str
    line: int
    column: int
    is_definition: bool
    # First and last line of the body, where an indexer says it.
    body: tuple | None


def fields(message):
    """Numbers and values of a message: integers, or bytes."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        if key & 7 == 0:
            value, at = varint(message, at)
        elif key & 7 == 2:
            length, at = varint(message, at)
            value, at = message[at : at + length], at + length
        else:
            width = {1: 8, 5: 4}[key & 7]
            value, at = message[at : at + width], at + width
        yield key >> 3, value


def varint(message, at):
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def encode(number, value):
    """A field that holds an integer, or bytes."""
    if isinstance(value, int):
        return varint_of(number << 3) + varint_of(value)
    return varint_of(number << 3 | 2) + varint_of(len(value)) + value


def varint_of(value):
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + varint_of(rest) if rest else bytes([low])


def numbers(packed):
    at, found = 0, []
    while at < len(packed):
        value, at = varint(packed, at)
        found.append(value)
    return found


def read(index):
    """Returns the name of the indexer, and the occurrences by symbol."""
    occurrences = collections.defaultdict(set)
    tool = {}
    for number, value in fields(index):
        if number == METADATA:
            tool = dict(fields(dict(fields(value)).get(TOOL, b"")))
        elif number == DOCUMENTS:
            parts = list(fields(value))
            path = dict(parts)[PATH].decode()
            for one in (dict(fields(part)) for number, part in parts if number == OCCURRENCES):
                start = numbers(one[RANGE])
                body = numbers(one[ENCLOSING_RANGE]) if ENCLOSING_RANGE in one else None
                is_definition = bool(one.get(ROLES, 0) & DEFINITION)
                span = body and (body[0] + 1, body[-2] + 1 if len(body) == 4 else body[0] + 1)
                found = Occurrence(path, start[0] + 1, start[1] + 1, is_definition, span)
                occurrences[one[SYMBOL].decode()].add(found)
    return " ".join(tool.get(part, b"").decode() for part in (TOOL_NAME, TOOL_VERSION)), occurrences


def kind_of(symbol):
    """The name and kind of a symbol that may be asked for: no local one, field, parameter or type parameter."""
    found = None if symbol.startswith("local ") else DESCRIPTOR.match(symbol)
    if not found:
        return None
    # A key of an object that has no name: `typeLiteral3:size.`
    is_member = found["before"].endswith(("#", ":"))
    kind = {"#": "class", "!": "macro", ".": None if is_member else "constant"}
    return found["name"].strip("`"), kind.get(found["suffix"], "method" if is_member else "function")


def make(asked):
    """The truth of one repository, ready to be stored."""
    root = asked.repo.resolve()
    tool, occurrences = read(asked.index.read_bytes())
    prefix = f"{asked.prefix.strip('/')}/" if asked.prefix else ""
    tracked = set(git(root, "ls-files", "-z").split("\0"))
    files = sorted({prefix + one.path for all_of in occurrences.values() for one in all_of} & tracked)
    texts = {path: (root / path).read_text(encoding="utf-8", errors="replace").split("\n") for path in files}
    bodies = collections.defaultdict(list)
    by_line = collections.defaultdict(list)
    for symbol, found in occurrences.items():
        kind = kind_of(symbol)
        found = {dataclasses.replace(one, path=prefix + one.path) for one in found if prefix + one.path in texts}
        found = sorted(found, key=position)
        definitions = [one for one in found if one.is_definition]
        if not kind or not kind[1] or not definitions:
            continue
        name = kind[0]
        for one in definitions:
            if one.body and kind[1] in ("function", "method"):
                bodies[one.path].append((*one.body, one.line, name))
        first = definitions[0]
        by_line[first.path, first.line].append((name == word_at(texts, first), name, kind[1], definitions, found))
    symbols = []
    for (path, line), several in sorted(by_line.items()):
        named = [one for one in several if one[0]]
        # Two symbols on a line cannot be told apart by path and line.
        if len(named) != 1:
            continue
        _, name, kind, definitions, found = named[0]
        others = [one for one in found if one not in definitions]
        uses = [one for one in others if word_at(texts, one) not in RECEIVERS]
        # An answer that counts them among the references is not wrong either.
        receivers = [one for one in others if one not in uses]
        is_taken = len(name) >= SHORTEST_NAME and IDENTIFIER.fullmatch(name) and name not in NOT_TAKEN
        if is_taken and uses and not IMPORT.search(texts[path][line - 1]):
            symbols.append(
                {
                    "path": path,
                    "line": line,
                    "column": definitions[0].column,
                    "name": name,
                    "kind": kind,
                    "references": [list(position(one)) for one in uses],
                    "declarations": [list(position(one)) for one in definitions + receivers],
                    "callers": callers(uses, texts, bodies) if kind in ("function", "method") and bodies else None,
                }
            )
    sample = random.Random(asked.seed).sample(symbols, min(asked.sample, len(symbols)))
    return {
        "server": tool,
        "version": tool,
        "repo": str(root),
        "commit": git(root, "rev-parse", "HEAD").strip(),
        "seed": asked.seed,
        "seconds": {},
        "candidates": len(symbols),
        "files": files,
        "symbols": sorted(sample, key=lambda one: (one["path"], one["line"])),
    }


def position(one):
    return one.path, one.line, one.column


def word_at(texts, one):
    return identifier_at(texts[one.path], one.line - 1, one.column - 1)


def callers(uses, texts, bodies):
    """The innermost functions around the uses, as `truth.Asking.callers` has them."""
    found = {}
    for use in uses:
        around = [body for body in bodies[use.path] if body[0] <= use.line <= body[1]]
        if not around:
            continue
        _, _, line, caller = max(around, key=lambda body: (body[0], -body[1]))
        is_call = is_called(word_at(texts, use), texts[use.path], {"line": use.line - 1, "character": use.column - 1})
        *same, called_before, lines = found.get((use.path, line), (use.path, line, caller, "function", False, []))
        found[use.path, line] = (*same, called_before or is_call, sorted({*lines, use.line}))
    return sorted(found.values())
