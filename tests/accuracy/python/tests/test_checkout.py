from shop import Line, Money, Order, Status, price_of  # ⟦ ref Line import ; ref Money import ; ref Order import ; ref Status import ; ref pricing.total import ⟧
from shop.checkout import in_memory  # ⟦ ref in_memory import ⟧
from shop.pricing import Percentage, Voucher  # ⟦ ref Percentage import ; ref Voucher import ⟧
import shop.checkout as desk
import shop.storage.memory


def basket() -> Order:  # ⟦ def basket ; ref Order type ⟧
    return Order("A-1").add(Line("tea", 2, Money(350))).add(Line("cup", 1, Money.parse("8.00")))  # ⟦ call Order from basket ; call Order.add from basket ; call Line from basket ; call Money from basket ; call Money.parse from basket ⟧


def test_pay():  # ⟦ def test_pay ⟧
    checkout = in_memory()  # ⟦ call in_memory from test_pay ⟧
    checkout.offer(Percentage(10)).offer(Voucher("TEA", Money(100)))  # ⟦ call Checkout.offer from test_pay ; call Percentage from test_pay ; call Voucher from test_pay ; call Money from test_pay ⟧
    order = basket()  # ⟦ call basket from test_pay ⟧
    assert checkout.pay(order) == "13.50 EUR"  # ⟦ call Checkout.pay from test_pay ⟧
    assert order.status is Status.PAID  # ⟦ ref Order.status read ; ref Status read ; ref Status.PAID read ⟧


def test_price():  # ⟦ def test_price ⟧
    assert price_of(basket(), []).cents == 1500  # ⟦ call pricing.total from test_price ; call basket from test_price ; ref Money.cents read ⟧
    assert basket().total().format() == "15.00 EUR"  # ⟦ call basket from test_price ; call Order.total from test_price ; call Money.format from test_price ⟧


def test_dozens():  # ⟦ def test_dozens ⟧
    line = Line.of("egg", 24)  # ⟦ ref Line read ; call Line.of from test_dozens ⟧
    line.dozens = line.dozens + 1  # ⟦ ref Line.dozens write ⟧
    assert line.quantity == 36  # ⟦ ref Line.quantity read ⟧


def test_store():  # ⟦ def test_store ⟧
    store = shop.storage.memory.open()  # ⟦ call memory.open from test_store ⟧
    store.save(basket())  # ⟦ call MemoryStore.save from test_store ; call basket from test_store ⟧
    assert store.load("A-1").lines  # ⟦ call MemoryStore.load from test_store ; ref Order.lines read ⟧
    assert store.load("total") is None  # ⟦ call MemoryStore.load from test_store ⟧


def test_cancel():  # ⟦ def test_cancel ⟧
    checkout = desk.in_memory()  # ⟦ call in_memory from test_cancel ⟧
    order = basket()  # ⟦ call basket from test_cancel ⟧
    checkout.store.save(order)  # ⟦ ref Checkout.store read ; call Store.save from test_cancel ; may MemoryStore.save, JournalStore.save ⟧
    cancel = checkout.cancel  # ⟦ ref Checkout.cancel read ⟧
    assert cancel("A-1")  # ⟦ may Checkout.cancel ⟧
    assert not desk.depth(0)  # ⟦ call depth from test_cancel ⟧
