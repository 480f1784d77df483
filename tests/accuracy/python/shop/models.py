"""Orders, their lines and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

CURRENCY = "EUR"  # ⟦ def models.CURRENCY ⟧


class Status(Enum):  # ⟦ def Status ⟧
    OPEN = "open"  # ⟦ def Status.OPEN ⟧
    PAID = "paid"  # ⟦ def Status.PAID ⟧
    CANCELLED = "cancelled"  # ⟦ def Status.CANCELLED ⟧

    def is_final(self) -> bool:  # ⟦ def Status.is_final ⟧
        return self is not Status.OPEN  # ⟦ ref Status read ; ref Status.OPEN read ⟧


@dataclass(frozen=True)
class Money:  # ⟦ def Money ⟧
    cents: int  # ⟦ def Money.cents ⟧

    def add(self, other: Money) -> Money:  # ⟦ def Money.add ; ref Money type ⟧
        return Money(self.cents + other.cents)  # ⟦ call Money from Money.add ; ref Money.cents read ⟧

    def times(self, factor: int) -> Money:  # ⟦ def Money.times ; ref Money type ⟧
        return Money(self.cents * factor)  # ⟦ call Money from Money.times ; ref Money.cents read ⟧

    def format(self) -> str:  # ⟦ def Money.format ⟧
        # The format is the one the printed invoices use.
        return "{}.{:02d} {}".format(self.cents // 100, self.cents % 100, CURRENCY)  # ⟦ ref Money.cents read ; ref models.CURRENCY read ⟧

    @classmethod
    def zero(cls) -> Money:  # ⟦ def Money.zero ; ref Money type ⟧
        return cls(0)  # ⟦ call Money from Money.zero ⟧

    @classmethod
    def whole(cls, euros: int) -> Money:  # ⟦ def Money.whole ; ref Money type ⟧
        return cls(cents=euros * 100)  # ⟦ call Money from Money.whole ; ref Money.cents write ⟧

    def negated(self) -> Money:  # ⟦ def Money.negated ; ref Money type ⟧
        return self.__class__(-self.cents)  # ⟦ call Money from Money.negated ; ref Money.cents read ⟧

    def absolute(self) -> Money:  # ⟦ def Money.absolute ; ref Money type ⟧
        return type(self)(min(self.cents, -self.cents)).negated()  # ⟦ call Money from Money.absolute ; ref Money.cents read ; call Money.negated from Money.absolute ⟧

    @staticmethod
    def parse(text: str) -> Money:  # ⟦ def Money.parse ; ref Money type ⟧
        euros, _, cents = text.partition(".")
        return Money(int(euros) * 100 + int(cents or 0))  # ⟦ call Money from Money.parse ⟧


class Line:  # ⟦ def Line ⟧
    def __init__(self, sku: str, quantity: int, price: Money) -> None:  # ⟦ def Line.__init__ ; ref Money type ⟧
        self.sku = sku
        self.quantity = quantity  # ⟦ def Line.quantity ⟧
        self.price = price  # ⟦ def Line.price ⟧

    def total(self) -> Money:  # ⟦ def Line.total ; ref Money type ⟧
        return self.price.times(self.quantity)  # ⟦ call Money.times from Line.total ; ref Line.price read ; ref Line.quantity read ⟧

    @property
    def dozens(self) -> int:  # ⟦ def Line.dozens ⟧
        return self.quantity // 12  # ⟦ ref Line.quantity read ⟧

    @dozens.setter  # ⟦ ref Line.dozens ⟧
    def dozens(self, count: int) -> None:  # ⟦ may Line.dozens ⟧
        self.quantity = count * 12  # ⟦ ref Line.quantity write ⟧

    @classmethod
    def of(cls, sku: str, quantity: int) -> Line:  # ⟦ def Line.of ; ref Line type ⟧
        return Line(sku, quantity=quantity, price=Money.whole(1))  # ⟦ call Line from Line.of ; ref Money read ; call Money.whole from Line.of ⟧


class Order:  # ⟦ def Order ⟧
    """An order; `total` is what the customer pays before discounts."""

    def __init__(self, number: str) -> None:  # ⟦ def Order.__init__ ⟧
        self.number = number  # ⟦ def Order.number ⟧
        self.lines: list[Line] = []  # ⟦ def Order.lines ; ref Line type ⟧
        self.status = Status.OPEN  # ⟦ def Order.status ; ref Status read ; ref Status.OPEN read ⟧

    def add(self, line: Line) -> Order:  # ⟦ def Order.add ; ref Line type ; ref Order type ⟧
        self.lines.append(line)  # ⟦ ref Order.lines read ⟧
        return self

    def total(self) -> Money:  # ⟦ def Order.total ; ref Money type ⟧
        total = Money.zero()  # ⟦ ref Money read ; call Money.zero from Order.total ⟧
        for line in self.lines:  # ⟦ ref Order.lines read ⟧
            total = total.add(line.total())  # ⟦ call Money.add from Order.total ; call Line.total from Order.total ⟧
        return total

    def cancel(self) -> None:  # ⟦ def Order.cancel ⟧
        if self.status.is_final():  # ⟦ ref Order.status read ; call Status.is_final from Order.cancel ⟧
            raise ValueError("cannot cancel " + self.number)  # ⟦ ref Order.number read ⟧
        self.status = Status.CANCELLED  # ⟦ ref Order.status write ; ref Status read ; ref Status.CANCELLED read ⟧
