"""From a basket to a paid order."""

from . import events, storage
from .models import Order, Status  # ⟦ ref Order import ; ref Status import ⟧
from .pricing import Discount, total as discounted  # ⟦ ref Discount import ; ref pricing.total import ⟧
from .storage import Store, open_journal  # ⟦ ref Store import ; ref journal.open import ⟧


class Checkout:  # ⟦ def Checkout ⟧
    def __init__(self, store: Store) -> None:  # ⟦ def Checkout.__init__ ; ref Store type ⟧
        self.store = store  # ⟦ def Checkout.store ⟧
        self.discounts: list[Discount] = []  # ⟦ def Checkout.discounts ; ref Discount type ⟧

    def offer(self, discount: Discount) -> "Checkout":  # ⟦ def Checkout.offer ; ref Discount type ; ref Checkout type ⟧
        self.discounts.append(discount)  # ⟦ ref Checkout.discounts read ⟧
        return self

    def pay(self, order: Order) -> str:  # ⟦ def Checkout.pay ; ref Order type ⟧
        order.status = Status.PAID  # ⟦ ref Order.status write ; ref Status read ; ref Status.PAID read ⟧
        self.store.save(order)  # ⟦ ref Checkout.store read ; call Store.save from Checkout.pay ; may MemoryStore.save, JournalStore.save ⟧
        events.emit("paid", order)  # ⟦ call events.emit from Checkout.pay ⟧
        return discounted(order, self.discounts).format()  # ⟦ call pricing.total from Checkout.pay ; ref Checkout.discounts read ; call Money.format from Checkout.pay ⟧

    def cancel(self, number: str) -> bool:  # ⟦ def Checkout.cancel ⟧
        order = self.store.load(number)  # ⟦ ref Checkout.store read ; call Store.load from Checkout.cancel ; may MemoryStore.load, JournalStore.load ⟧
        if order is None:
            return False
        order.cancel()  # ⟦ call Order.cancel from Checkout.cancel ⟧
        return events.emit("cancelled", order) > 0  # ⟦ call events.emit from Checkout.cancel ⟧


def in_memory() -> Checkout:  # ⟦ def in_memory ; ref Checkout type ⟧
    return Checkout(storage.open())  # ⟦ call Checkout from in_memory ; call memory.open from in_memory ⟧


def on_disk(path: str) -> Checkout:  # ⟦ def on_disk ; ref Checkout type ⟧
    return Checkout(open_journal(path))  # ⟦ call Checkout from on_disk ; call journal.open from on_disk ⟧


def read_catalog(path: str) -> list[str]:  # ⟦ def read_catalog ⟧
    with open(path) as file:
        return [row.strip() for row in file]


def replay(entry, checkout) -> None:  # ⟦ def replay ⟧
    if entry.total():  # ⟦ may Order.total, Line.total ⟧
        checkout.pay(entry)  # ⟦ may Checkout.pay ⟧


def depth(total: int) -> int:  # ⟦ def depth ⟧
    return 0 if total <= 0 else 1 + depth(total // 2)  # ⟦ call depth from depth ⟧
