"""Processor time and memory of everything that a program starts, daemons that detach themselves included.

A program has a home of its own, so that its processes are recognised by their environment, and those without one by their
parents. This process adopts the orphans among them, so that no processor time is lost: that of a process is
its own while it lives, and its parent's once it is waited for.
"""

import ctypes
import os
import pathlib
import resource
import signal
import threading
import time

ADOPT_ORPHANS = 36
TICKS = os.sysconf("SC_CLK_TCK")
# Seconds between two samples of memory.
PAUSE = 0.1
STOP_LIMIT_S = 10


def adopt_orphans():
    if ctypes.CDLL(None, use_errno=True).prctl(ADOPT_ORPHANS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot adopt orphans")


def belonging(home):
    """The processes of the program with this home."""
    needle = os.fsencode(str(home))
    found, parents = set(), {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        pid = int(entry.name)
        try:
            if needle in (entry / "environ").read_bytes():
                found.add(pid)
        except OSError:
            continue
        if stat := fields(pid):
            parents[pid] = int(stat[1])
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def fields(pid):
    """Returns the fields of `/proc/PID/stat` from the state on. The name before it may contain any character."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None


def resident(pid):
    """Returns the memory of a process in bytes; shared memory is divided among the processes that share it."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def reap(children):
    """Waits for orphans that have ended; `children` are waited for by whoever started them."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) not in children:
            stat = fields(entry.name)
            if stat and stat[0] == "Z" and int(stat[1]) == os.getpid():
                try:
                    os.waitpid(int(entry.name), os.WNOHANG)
                except ChildProcessError:
                    continue


class Usage:
    """Processor time since the start, and the most memory at one moment."""

    def __init__(self, home):
        self.home = home
        self.before = self.seconds()
        self.most = 0
        self.ended = threading.Event()
        self.watcher = threading.Thread(target=self.watch, daemon=True)

    def __enter__(self):
        self.watcher.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.watcher.join()

    def watch(self):
        while not self.ended.wait(PAUSE):
            self.most = max(self.most, self.memory())

    def memory(self):
        return sum(map(resident, belonging(self.home)))

    def cpu(self):
        return self.seconds() - self.before

    def seconds(self):
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        living = 0
        for pid in belonging(self.home):
            if stat := fields(pid):
                # User and system time, of the process and of the children that it has waited for.
                living += sum(map(int, stat[11:15]))
        return ended.ru_utime + ended.ru_stime + living / TICKS


def end_all(home, children=frozenset()):
    """Ends the processes that a measurement has left behind."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + STOP_LIMIT_S
        while left := [pid for pid in belonging(home) if (fields(pid) or "Z")[0] != "Z"]:
            for pid in left:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    continue
            if time.monotonic() > until:
                break
            time.sleep(0.1)
            reap(children)
    reap(children)
