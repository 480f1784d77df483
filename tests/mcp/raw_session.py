"""A session spoken by hand over pipes.

A client library hides how a server behaves at the edges: every byte of its standard output, how it ends, and whether
what it has started in the background keeps its pipes open.
"""

import json
import queue
import subprocess
import threading
import time

ANSWER_LIMIT_S = 20
PIPE_LIMIT_S = 2


class RawSession:
    def __init__(self, command, cwd, env, answer_limit_s=ANSWER_LIMIT_S):
        self.answer_limit_s = answer_limit_s
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.lines = []
        self.arrived = queue.Queue()
        self.errors = []
        self.readers = {
            "stdout": threading.Thread(target=self._read_stdout, daemon=True),
            "stderr": threading.Thread(target=self._read_stderr, daemon=True),
        }
        for reader in self.readers.values():
            reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, number, method, params):
        self.send({"id": number, "method": method, "params": params})
        deadline = time.monotonic() + self.answer_limit_s
        while True:
            try:
                line = self.arrived.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no answer to {method} within {self.answer_limit_s} s; stderr: {self.stderr_tail()}")
            if line is None:
                raise AssertionError(f"stdout was closed instead of answering {method}; stderr: {self.stderr_tail()}")
            message = as_protocol(line)
            if message.get("id") == number and "method" not in message:
                assert "result" in message, f"{method} was answered with {message.get('error')}"
                return message["result"]

    def shake_hands(self, client):
        offer = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
        self.request(1, "initialize", offer)
        self.send({"method": "notifications/initialized"})

    def close(self, limit_s):
        """Closes stdin and checks that the server ends by itself in time, taking its ends of the pipes along."""
        self.process.stdin.close()
        started = time.monotonic()
        try:
            self.process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running {limit_s} s after its stdin was closed; stderr: {self.stderr_tail()}")
        deadline = time.monotonic() + PIPE_LIMIT_S
        for name, reader in self.readers.items():
            reader.join(timeout=max(0, deadline - time.monotonic()))
            assert not reader.is_alive(), f"the server has ended, but another process holds its {name} open"
        return time.monotonic() - started

    def stderr_tail(self):
        return b"".join(self.errors)[-400:].decode(errors="replace") or "empty"

    def _read_stdout(self):
        for line in self.process.stdout:
            self.lines.append(line)
            self.arrived.put(line)
        self.arrived.put(None)

    def _read_stderr(self):
        for line in self.process.stderr:
            self.errors.append(line)


def as_protocol(line):
    """The JSON-RPC message of a line of output; anything else there breaks clients."""
    assert line.endswith(b"\n"), f"the last line of stdout is cut: {line!r}"
    try:
        message = json.loads(line.decode("utf-8"))
    except ValueError:
        raise AssertionError(f"not JSON on stdout: {line[:200]!r}")
    valid = (
        isinstance(message, dict)
        and message.get("jsonrpc") == "2.0"
        and ("method" in message or ("id" in message and ("result" in message) != ("error" in message)))
    )
    assert valid, f"not a JSON-RPC message on stdout: {line[:200]!r}"
    return message
