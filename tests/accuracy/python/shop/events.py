"""Who wants to hear of what happens, and who keeps a diary of it."""

from functools import wraps
from typing import Callable

from .models import Order  # ⟦ ref Order import ⟧

Listener = Callable[[Order], None]  # ⟦ def Listener ; ref Order type ⟧

_listeners: dict[str, list[Listener]] = {}  # ⟦ def events._listeners ; ref Listener type ⟧


def on(topic: str) -> Callable[[Listener], Listener]:  # ⟦ def events.on ; ref Listener type ⟧
    def register(listener: Listener) -> Listener:  # ⟦ def on.register ; ref Listener type ⟧
        _listeners.setdefault(topic, []).append(listener)  # ⟦ ref events._listeners read ⟧
        return listener

    return register  # ⟦ ref on.register read ⟧


def emit(topic: str, order: Order) -> int:  # ⟦ def events.emit ; ref Order type ⟧
    listeners = _listeners.get(topic, [])  # ⟦ ref events._listeners read ⟧
    for listener in listeners:
        listener(order)
    return len(listeners)


def logged(function):  # ⟦ def logged ⟧
    @wraps(function)
    def wrapper(*args, **kwargs):  # ⟦ def logged.wrapper ⟧
        print("enter", function.__name__)
        return function(*args, **kwargs)

    return wrapper  # ⟦ ref logged.wrapper read ⟧


@on("paid")  # ⟦ call events.on from - ⟧
def send_receipt(order: Order) -> None:  # ⟦ def send_receipt ; ref Order type ⟧
    print("receipt for", order.number)  # ⟦ ref Order.number read ⟧


@on("cancelled")  # ⟦ call events.on from - ⟧
@logged  # ⟦ ref logged ⟧
def send_apology(order: Order) -> None:  # ⟦ def send_apology ; ref Order type ⟧
    print("sorry about", order.number)  # ⟦ ref Order.number read ⟧
