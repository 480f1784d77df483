from __future__ import annotations

from typing import Generic, Optional, Protocol, TypeVar

from ..models import Order  # ⟦ ref Order import ⟧

T = TypeVar("T")


class Store(Protocol):  # ⟦ def Store ⟧
    def save(self, order: Order) -> None: ...  # ⟦ def Store.save ; ref Order type ⟧

    def load(self, number: str) -> Optional[Order]: ...  # ⟦ def Store.load ; ref Order type ⟧


class Cache(Generic[T]):  # ⟦ def Cache ⟧
    """Keeps the last few things that were loaded."""

    def __init__(self, limit: int) -> None:  # ⟦ def Cache.__init__ ⟧
        self.limit = limit  # ⟦ def Cache.limit ⟧
        self.entries: dict[str, T] = {}  # ⟦ def Cache.entries ⟧

    def get(self, key: str) -> Optional[T]:  # ⟦ def Cache.get ⟧
        return self.entries.get(key)  # ⟦ ref Cache.entries read ⟧

    def put(self, key: str, value: T) -> None:  # ⟦ def Cache.put ⟧
        if len(self.entries) >= self.limit:  # ⟦ ref Cache.entries read ; ref Cache.limit read ⟧
            self.evict()  # ⟦ call Cache.evict from Cache.put ⟧
        self.entries[key] = value  # ⟦ ref Cache.entries ⟧

    def evict(self) -> None:  # ⟦ def Cache.evict ⟧
        oldest = next(iter(self.entries))  # ⟦ ref Cache.entries read ⟧
        del self.entries[oldest]  # ⟦ ref Cache.entries ⟧
