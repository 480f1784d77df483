import io
from typing import Optional

from ..models import Line, Money, Order  # ⟦ ref Line import ; ref Money import ; ref Order import ⟧
from .base import Store  # ⟦ ref Store import ⟧


class JournalStore(Store):  # ⟦ def JournalStore ; impl JournalStore of Store ; ref Store type ⟧
    def __init__(self, path: str) -> None:  # ⟦ def JournalStore.__init__ ⟧
        self.path = path  # ⟦ def JournalStore.path ⟧

    def save(self, order: Order) -> None:  # ⟦ def JournalStore.save ; impl JournalStore.save of Store.save ; ref Order type ⟧
        with io.open(self.path, "a") as file:  # ⟦ ref JournalStore.path read ⟧
            for line in order.lines:  # ⟦ ref Order.lines read ⟧
                file.write(encode(order, line))  # ⟦ call journal.encode from JournalStore.save ⟧

    def load(self, number: str) -> Optional[Order]:  # ⟦ def JournalStore.load ; impl JournalStore.load of Store.load ; ref Order type ⟧
        order = Order(number)  # ⟦ call Order from JournalStore.load ⟧
        with io.open(self.path) as file:  # ⟦ ref JournalStore.path read ⟧
            for row in file:
                owner, line = decode(row)  # ⟦ call journal.decode from JournalStore.load ⟧
                if owner == number and line.quantity:  # ⟦ ref Line.quantity read ⟧
                    order.add(line)  # ⟦ call Order.add from JournalStore.load ⟧
        return order if order.lines else None  # ⟦ ref Order.lines read ⟧


def encode(order: Order, line: Line) -> str:  # ⟦ def journal.encode ; ref Order type ; ref Line type ⟧
    return f"{order.number};{line.sku};{line.quantity};{line.price.cents}\n"  # ⟦ ref Order.number read ; ref Line.quantity read ; ref Line.price read ; ref Money.cents read ⟧


def decode(row: str) -> tuple[str, Line]:  # ⟦ def journal.decode ; ref Line type ⟧
    number, sku, quantity, price = row.encode().decode().strip().split(";")
    return number, Line(sku, int(quantity), Money(int(price)))  # ⟦ call Line from journal.decode ; call Money from journal.decode ⟧


def open(path: str) -> JournalStore:  # ⟦ def journal.open ; ref JournalStore type ⟧
    return JournalStore(path)  # ⟦ call JournalStore from journal.open ⟧
