"""Makes checkouts for whoever asks, and keeps one at hand."""

from typing import Generic, Optional, Protocol, TypeVar

from .checkout import Checkout  # ⟦ ref Checkout import ⟧
from .models import Order  # ⟦ ref Order import ⟧

T = TypeVar("T", bound="Counter")  # ⟦ def counter.T ; may Counter ⟧


class MakesCheckout(Protocol):  # ⟦ def MakesCheckout ⟧
    def __call__(
        self,
        name_of_the_person_at_the_counter: str,
        number_of_the_counter_in_the_shop: int = 1,
        opens_before_noon_on_every_working_day: bool = True,
        closes_after_midnight_on_every_holiday: bool = False,
        takes_cards_of_every_bank_in_the_country: bool = True,
        gives_change_in_coins_and_notes_of_the_country: bool = True,
    ) -> Checkout: ...  # ⟦ ref Checkout type ⟧


class Counter:  # ⟦ def Counter ⟧
    def __init__(self: T, make: MakesCheckout) -> None:  # ⟦ def Counter.__init__ ; ref counter.T ; ref MakesCheckout type ⟧
        self.checkout = make("ada")  # ⟦ def Counter.checkout ⟧

    def serve(self, order: Order) -> str:  # ⟦ def Counter.serve ; ref Order type ⟧
        return self.checkout.pay(order)  # ⟦ ref Counter.checkout read ; call Checkout.pay from Counter.serve ⟧


def serve_once(make: MakesCheckout, order: Order) -> str:  # ⟦ def serve_once ; ref MakesCheckout type ; ref Order type ⟧
    checkout = make("bob")
    return checkout.pay(order)  # ⟦ call Checkout.pay from serve_once ⟧


U = TypeVar("U", bound="Till")  # ⟦ def counter.U ; may Till ⟧


class Till:  # ⟦ def Till ⟧
    async def __aenter__(self: U) -> U:  # ⟦ def Till.__aenter__ ; ref counter.U ⟧
        return self

    async def __aexit__(self, *reason: object) -> None:  # ⟦ def Till.__aexit__ ⟧
        self.lock()  # ⟦ call Till.lock from Till.__aexit__ ⟧

    def lock(self) -> None:  # ⟦ def Till.lock ⟧
        pass


async def close(till: Optional[Till]) -> None:  # ⟦ def counter.close ; ref Till type ⟧
    first = Till() if till is None else till  # ⟦ call Till from counter.close ⟧
    first.lock()  # ⟦ call Till.lock from counter.close ⟧
    async with Till() as second:  # ⟦ call Till from counter.close ; runs Till.__aenter__ from counter.close ; runs Till.__aexit__ from counter.close ⟧
        second.lock()  # ⟦ call Till.lock from counter.close ⟧


V = TypeVar("V")  # ⟦ def counter.V ⟧


class Tray(Generic[V]):  # ⟦ def Tray ; ref counter.V ⟧
    def __init__(self, held: V) -> None:  # ⟦ def Tray.__init__ ; ref counter.V type ⟧
        self.held = held  # ⟦ def Tray.held ⟧

    def take(self) -> V:  # ⟦ def Tray.take ; ref counter.V type ⟧
        return self.held  # ⟦ ref Tray.held read ⟧
