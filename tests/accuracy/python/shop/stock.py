"""Shelves that are counted one by one."""


class Shelf:  # ⟦ def Shelf ⟧
    def __init__(self, size):  # ⟦ def Shelf.__init__ name=__init__ ⟧
        self.size = size  # ⟦ def Shelf.size ⟧

    def refill(self):  # ⟦ def Shelf.refill ⟧
        return self.size  # ⟦ ref Shelf.size read ⟧


class Rack:  # ⟦ def Rack ⟧
    def __init__(self):  # ⟦ def Rack.__init__ name=__init__ ⟧
        self.shelf = Shelf(5)  # ⟦ def Rack.shelf ; call Shelf from Rack.__init__ ⟧
        self.given = False  # ⟦ def Rack.given ⟧

    def __iter__(self):  # ⟦ def Rack.__iter__ name=__iter__ ⟧
        return self

    def __next__(self):  # ⟦ def Rack.__next__ name=__next__ ⟧
        if self.given:  # ⟦ ref Rack.given read ⟧
            raise StopIteration
        self.given = True  # ⟦ ref Rack.given write ⟧
        return self.shelf  # ⟦ ref Rack.shelf read ⟧


def shelves():  # ⟦ def stock.shelves ⟧
    yield Shelf(3)  # ⟦ call Shelf from stock.shelves ⟧


def count():  # ⟦ def count ⟧
    total = 0
    for _ in Rack():  # ⟦ call Rack from count ; runs Rack.__iter__ from count ; runs Rack.__next__ from count ⟧
        total += 1
    return total
