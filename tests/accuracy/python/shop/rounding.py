"""Functions that are kept in variables, lists, maps and objects, and called from there."""

from .stock import shelves  # ⟦ ref stock.shelves import ⟧


def round_up(cents):  # ⟦ def round_up ⟧
    return cents + 1


def round_down(cents):  # ⟦ def round_down ⟧
    return cents - 1


def round_even(cents):  # ⟦ def round_even ⟧
    return cents // 2 * 2


def choose(upwards):  # ⟦ def choose ⟧
    if upwards:
        return round_up  # ⟦ ref round_up read ⟧
    return round_even  # ⟦ ref round_even read ⟧


def settle(rule, cents):  # ⟦ def settle ⟧
    return rule(cents)  # ⟦ runs round_down from settle ⟧


def settle_named(cents, *, rule=round_even):  # ⟦ def settle_named ; ref round_even read ⟧
    return rule(cents)  # ⟦ runs round_even from settle_named ; runs round_up from settle_named ⟧


def use_all(cents):  # ⟦ def use_all ⟧
    chosen = choose(True)  # ⟦ call choose from use_all ⟧
    first, (second, third) = round_up, (round_down, round_even)  # ⟦ ref round_up read ; ref round_down read ; ref round_even read ⟧
    total = chosen(cents)  # ⟦ runs round_up from use_all ; runs round_even from use_all ⟧
    total += second(cents)  # ⟦ runs round_down from use_all ⟧
    total += settle(round_down, cents)  # ⟦ call settle from use_all ; ref round_down read ⟧
    total += settle_named(cents, rule=first)  # ⟦ call settle_named from use_all ⟧
    return total + third(cents)  # ⟦ runs round_even from use_all ⟧


RULES = {"down": round_down, "even": round_even}  # ⟦ def RULES ; ref round_down read ; ref round_even read ⟧


def by_name(cents):  # ⟦ def by_name ⟧
    return RULES["even"](cents)  # ⟦ ref RULES read ; runs round_even from by_name ⟧


def by_result(cents):  # ⟦ def by_result ⟧
    return choose(False)(cents)  # ⟦ call choose from by_result ; runs round_up from by_result ; runs round_even from by_result ⟧


def twice(rule):  # ⟦ def twice ⟧
    def again(cents):  # ⟦ def again ⟧
        return rule(rule(cents))  # ⟦ runs round_far from again ⟧

    return again  # ⟦ ref again read ⟧


@twice  # ⟦ call twice from - ⟧
def round_far(cents):  # ⟦ def round_far ⟧
    return cents + 10


def use_far(cents):  # ⟦ def use_far ⟧
    return round_far(cents)  # ⟦ call round_far from use_far ; runs again from use_far ⟧


class Register:  # ⟦ def Register ⟧
    def __init__(self, shelf):  # ⟦ def Register.__init__ name=__init__ ⟧
        self.rule = self.round  # ⟦ def Register.rule ; ref Register.round read ⟧
        self.shelf = shelf  # ⟦ def Register.shelf ⟧

    def round(self, cents):  # ⟦ def Register.round ⟧
        return cents

    def close(self, cents):  # ⟦ def Register.close ⟧
        self.shelf.refill()  # ⟦ ref Register.shelf read ; call Shelf.refill from Register.close ⟧
        return self.rule(cents)  # ⟦ ref Register.rule read ; runs Register.round from Register.close ⟧


class Refused(Exception):  # ⟦ def Refused ⟧
    pass


def audit():  # ⟦ def audit ⟧
    found = []
    for shelf in shelves():  # ⟦ call stock.shelves from audit ⟧
        found.append(shelf.refill())  # ⟦ call Shelf.refill from audit ⟧
        Register(shelf).close(1)  # ⟦ call Register from audit ; call Register.close from audit ⟧
    if not found:
        raise Refused  # ⟦ call Refused from audit ⟧
    return found
