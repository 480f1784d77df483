import os


class Before:
    def works(self):
        return os.getcwd()


def broken(a, b):
    value = a + * b
    return helper(value))


class After(Before):
    """Still here."""

    def works(self):
        if self.x:
            return helper(self)


def last():
    return After()
