"""`claudevil-vectors share` over its pipes, as the daemon speaks to it: blocks of bincode."""

import hashlib
import struct
import subprocess
import threading

DIMENSIONS = 384
MODEL = "onnx:measured@1-0123456789ab"
SECRET = "0123456789abcdef" * 4


class Failed(Exception):
    """What the process says went wrong."""


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def option(value):
    return b"\0" if value is None else b"\1" + text(value)


def chunk(number):
    return hashlib.sha256(f"chunk {number}".encode()).digest()[:16]


def vector(number):
    """The codes of a chunk: 384 bytes that look like any others."""
    codes = b"".join(hashlib.sha256(f"{number} {part}".encode()).digest() for part in range(DIMENSIONS // 32))
    return codes


class ShareProcess:
    def __init__(self, binaries, location, environment, access=1, endpoint=None, account=None, secret=SECRET):
        self.process = subprocess.Popen(
            [str(binaries / "claudevil-vectors"), "share"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.lock = threading.Lock()
        self.receive()
        store = text(location) + text(secret) + struct.pack("<I", access)
        self.send(store + option(endpoint) + option(None) + option(account))

    def send(self, block):
        self.process.stdin.write(struct.pack("<I", len(block)) + block)
        self.process.stdin.flush()

    def receive(self):
        (length,) = struct.unpack("<I", self.exactly(4))
        return self.exactly(length)

    def exactly(self, length):
        data = self.process.stdout.read(length)
        if len(data) < length:
            raise Failed("the process ended")
        return data

    def ask(self, kind, body):
        space = text(MODEL) + struct.pack("<Q", DIMENSIONS)
        with self.lock:
            self.send(struct.pack("<I", kind) + space + body)
            reply = self.receive()
        (answer,) = struct.unpack_from("<I", reply)
        if answer == 4:
            raise Failed(reply[12:].decode())
        return reply[4:]

    def fetch(self, numbers):
        """The vectors that are there, by number, and how many rows were refused."""
        by_chunk = {chunk(number): number for number in numbers}
        body = struct.pack("<Q", len(by_chunk)) + b"".join(by_chunk)
        reply = self.ask(0, body)
        (count,) = struct.unpack_from("<Q", reply)
        at, found = 8, {}
        for _ in range(count):
            (length,) = struct.unpack_from("<Q", reply, at + 16)
            found[by_chunk[reply[at : at + 16]]] = reply[at + 24 : at + 24 + length]
            at += 24 + length
        (refused,) = struct.unpack_from("<Q", reply, at)
        return found, refused

    def locate(self, numbers):
        """The numbers of those that are there, in the order of the table."""
        by_chunk = {chunk(number): number for number in numbers}
        reply = self.ask(4, struct.pack("<Q", len(by_chunk)) + b"".join(by_chunk))
        return [by_chunk[reply[at : at + 16]] for at in range(8, len(reply), 16)]

    def append(self, numbers):
        rows = [chunk(number) + struct.pack("<Q", DIMENSIONS) + vector(number) for number in numbers]
        (added,) = struct.unpack("<Q", self.ask(1, struct.pack("<Q", len(rows)) + b"".join(rows)))
        return added

    def describe(self):
        return dict(zip(("vectors", "files", "version", "unreadable"), struct.unpack("<4Q", self.ask(2, b""))))

    def collect(self, live, days):
        body = struct.pack("<Q", len(live)) + b"".join(chunk(number) for number in live) + struct.pack("<I", days)
        return dict(zip(("removed", "before", "after", "freed"), struct.unpack("<4Q", self.ask(3, body))))

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()
