"""The result lines of the checks.

Every part of the check is a process of its own that writes these lines to its standard output; `run` passes them on
and counts them, so their beginnings are the interface between the two.
"""

from contextlib import contextmanager

OK = "ok "
FAILED = "FAILED "
SKIPPED = "skipped: "

DETAIL_LIMIT = 800


class Report:
    def __init__(self):
        self.failures = 0

    @contextmanager
    def check(self, name):
        """Reports the block as one check. Its failure ends the block, never the checks after it."""
        try:
            yield
        except Exception as error:
            self.failed(name, describe(error))
        else:
            emit(OK + name)

    def failed(self, name, details):
        self.failures += 1
        emit(f"{FAILED}{name}: {one_line(details)}")

    def exit_code(self):
        return 1 if self.failures else 0


def emit(line):
    # Flushed at once, so that the output of a part that is killed shows how far it got.
    print(line, flush=True)


def describe(error):
    # A client's task group wraps what went wrong in one group or more; the groups themselves say nothing.
    while getattr(error, "exceptions", None):
        error = error.exceptions[0]
    text = str(error)
    return text if isinstance(error, AssertionError) and text else f"{type(error).__name__}: {text}"


def one_line(text):
    flat = " ".join(str(text).split())
    return flat if len(flat) <= DETAIL_LIMIT else flat[:DETAIL_LIMIT] + " …"
