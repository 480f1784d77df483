"""A session with an MCP server over its standard streams."""

import itertools
import json
import os
import queue
import subprocess
import threading
import time

PROTOCOL = "2025-06-18"
END_LIMIT_S = 5


class Failure(Exception):
    """A call that was refused, or a server that ended or fell silent."""


class Session:
    def __init__(self, command, folder, variables, log, limit):
        self.limit = limit
        self.numbers = itertools.count(1)
        self.folder = folder
        self.arrived = queue.Queue()
        with open(log, "a") as complaints:
            self.process = subprocess.Popen(
                [str(word) for word in command],
                cwd=folder,
                env=variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
                encoding="utf-8",
            )
        threading.Thread(target=self.read, daemon=True).start()
        who = {"name": "peers", "version": "1"}
        capabilities = {"roots": {"listChanged": False}}
        offer = {"protocolVersion": PROTOCOL, "capabilities": capabilities, "clientInfo": who}
        self.request("initialize", offer)
        self.send({"method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=END_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def read(self):
        for line in self.process.stdout:
            self.arrived.put(line)
        self.arrived.put(None)

    def call(self, tool, **arguments):
        """The text of an answer."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise Failure(text.strip()[:300])
        return text

    def request(self, method, params):
        number = next(self.numbers)
        self.send({"id": number, "method": method, "params": params})
        until = time.monotonic() + self.limit
        while True:
            try:
                line = self.arrived.get(timeout=max(0, until - time.monotonic()))
            except queue.Empty:
                raise Failure(f"no answer to {method} within {self.limit} s")
            if line is None:
                raise Failure(f"the server ended instead of answering {method}")
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if "method" in message:
                self.answer(message)
            elif message.get("id") == number:
                if "error" in message:
                    raise Failure(str(message["error"].get("message"))[:300])
                return message["result"]

    def answer(self, message):
        """Answers a server's request for the client's roots: the folder of the project."""
        if "id" in message:
            roots = [{"uri": f"file://{self.folder}", "name": os.path.basename(self.folder)}]
            result = {"roots": roots} if message["method"] == "roots/list" else {}
            self.send({"id": message["id"], "result": result})

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Failure(f"the server ended: {error}")
