from typing import Optional

from ..models import Order  # ⟦ ref Order import ⟧
from .base import Cache, Store  # ⟦ ref Cache import ; ref Store import ⟧


class MemoryStore(Store):  # ⟦ def MemoryStore ; impl MemoryStore of Store ; ref Store type ⟧
    def __init__(self) -> None:  # ⟦ def MemoryStore.__init__ ⟧
        self.cache: Cache[Order] = Cache(100)  # ⟦ def MemoryStore.cache ; ref Cache type ; call Cache from MemoryStore.__init__ ; ref Order type ⟧

    def save(self, order: Order) -> None:  # ⟦ def MemoryStore.save ; impl MemoryStore.save of Store.save ; ref Order type ⟧
        self.cache.put(order.number, order)  # ⟦ ref MemoryStore.cache read ; call Cache.put from MemoryStore.save ; ref Order.number read ⟧

    def load(self, number: str) -> Optional[Order]:  # ⟦ def MemoryStore.load ; impl MemoryStore.load of Store.load ; ref Order type ⟧
        return self.cache.get(number)  # ⟦ ref MemoryStore.cache read ; call Cache.get from MemoryStore.load ⟧

    def cancel(self, number: str) -> None:  # ⟦ def MemoryStore.cancel ⟧
        self.cache.get(number).cancel()  # ⟦ ref MemoryStore.cache read ; call Cache.get from MemoryStore.cancel ; call Order.cancel from MemoryStore.cancel ⟧
        order = self.cache.get(number)  # ⟦ ref MemoryStore.cache read ; call Cache.get from MemoryStore.cancel ⟧
        order.total()  # ⟦ call Order.total from MemoryStore.cancel ⟧


def open() -> MemoryStore:  # ⟦ def memory.open ; ref MemoryStore type ⟧
    return MemoryStore()  # ⟦ call MemoryStore from memory.open ⟧
