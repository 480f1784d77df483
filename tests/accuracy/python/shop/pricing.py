"""Discounts. Each one is an object that may be asked for its share of an order."""

from abc import ABC, abstractmethod

from .models import Money, Order  # ⟦ ref Money import ; ref Order import ⟧


class Discount(ABC):  # ⟦ def Discount ⟧
    label = "discount"  # ⟦ def Discount.label ⟧

    @abstractmethod
    def amount(self, order: Order) -> Money:  # ⟦ def Discount.amount ; ref Order type ; ref Money type ⟧
        """What is taken off."""

    def describe(self, order: Order) -> str:  # ⟦ def Discount.describe ; ref Order type ⟧
        return f"{self.label}: {self.amount(order).format()}"  # ⟦ ref Discount.label read ; call Discount.amount from Discount.describe ; call Money.format from Discount.describe ; may Percentage.label, Percentage.amount, Voucher.amount ⟧


class Percentage(Discount):  # ⟦ def Percentage ; impl Percentage of Discount ; ref Discount type ⟧
    label = "percentage"  # ⟦ def Percentage.label ; impl Percentage.label of Discount.label ⟧

    def __init__(self, percent: int) -> None:  # ⟦ def Percentage.__init__ ⟧
        self.percent = percent  # ⟦ def Percentage.percent ⟧

    def amount(self, order: Order) -> Money:  # ⟦ def Percentage.amount ; impl Percentage.amount of Discount.amount ; ref Order type ; ref Money type ⟧
        return Money(order.total().cents * self.percent // 100)  # ⟦ call Money from Percentage.amount ; call Order.total from Percentage.amount ; ref Money.cents read ; ref Percentage.percent read ⟧


class Voucher(Discount):  # ⟦ def Voucher ; impl Voucher of Discount ; ref Discount type ⟧
    def __init__(self, code: str, value: Money) -> None:  # ⟦ def Voucher.__init__ ; ref Money type ⟧
        self.code = code
        self.value = value  # ⟦ def Voucher.value ⟧

    def amount(self, order: Order) -> Money:  # ⟦ def Voucher.amount ; impl Voucher.amount of Discount.amount ; ref Order type ; ref Money type ⟧
        return self.value if self.value.cents < order.total().cents else order.total()  # ⟦ ref Voucher.value read ; ref Money.cents read ; call Order.total from Voucher.amount ⟧

    def describe(self, order: Order) -> str:  # ⟦ def Voucher.describe ; impl Voucher.describe of Discount.describe ; ref Order type ⟧
        return self.code + ", " + super().describe(order)  # ⟦ call Discount.describe from Voucher.describe ⟧


def best(discounts: list[Discount], order: Order) -> Discount:  # ⟦ def pricing.best ; ref Discount type ; ref Order type ⟧
    def share(discount: Discount) -> int:  # ⟦ def best.share ; ref Discount type ⟧
        return discount.amount(order).cents  # ⟦ call Discount.amount from best.share ; ref Money.cents read ; may Percentage.amount, Voucher.amount ⟧

    return max(discounts, key=share)  # ⟦ ref best.share read ⟧


def total(order: Order, discounts: list[Discount]) -> Money:  # ⟦ def pricing.total ; ref Order type ; ref Discount type ; ref Money type ⟧
    """The total of the order with its best discount taken off."""
    full = order.total()  # ⟦ call Order.total from pricing.total ⟧
    if not discounts:
        return full
    off = best(discounts, order).amount(order)  # ⟦ call pricing.best from pricing.total ; call Discount.amount from pricing.total ; may Percentage.amount, Voucher.amount ⟧
    return Money(full.cents - off.cents)  # ⟦ call Money from pricing.total ; ref Money.cents read ⟧
