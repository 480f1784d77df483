"""Asks claudevil over MCP, and is the one place that knows the names of its fields.

Nothing of the user's is read or written: the daemon runs with a home of its own, which is removed.
"""

import collections
import dataclasses
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

REFERENCES = "find_references"
CALLERS = "find_callers"
# Arguments of every call: as much as one answer may hold.
WHOLE = {"format": "json", "limit": 200, "max_tokens": 10000}
# Maximum wait for a project to be indexed, in seconds.
PATIENCE = 120


@dataclasses.dataclass(frozen=True)
class Reference:
    path: str
    line: int
    role: str
    confidence: float
    resolution: str
    reason: str

    @classmethod
    def of(cls, item):
        return cls(
            path=item["path"],
            line=item["line"],
            role=item["role"],
            confidence=item["confidence"],
            resolution=item["resolution"],
            reason=item.get("reason", ""),
        )


@dataclasses.dataclass(frozen=True)
class Caller:
    path: str
    line: int
    name: str
    resolution: str
    # Lines of the calls.
    calls: tuple
    reason: str

    @classmethod
    def of(cls, item):
        return cls(
            path=item["path"],
            line=item["line"],
            name=item["name"],
            resolution=item["resolution"],
            calls=tuple(item["call_lines"]),
            reason=item.get("reason", ""),
        )


@dataclasses.dataclass
class Answer:
    """The results, or the code of the error."""

    found: list = dataclasses.field(default_factory=list)
    error: str | None = None
    message: str = ""
    # The name of the symbol that the answer is about.
    symbol: str | None = None
    # There is more, and no way to get it.
    cut: bool = False


class Refused(Exception):
    """An answer that says what is wrong, beginning with a code."""

    @property
    def code(self):
        return str(self).partition(":")[0]


class Claudevil:
    """One session about one project."""

    def __init__(self, binaries, root):
        self.binaries = pathlib.Path(binaries).resolve()
        self.root = root
        self.numbers = itertools.count(1)
        # Seconds of every call, by tool.
        self.seconds = collections.defaultdict(list)

    def __enter__(self):
        # A short prefix: the path of the daemon's socket lies below it, and has to fit about 100 bytes.
        self.home = tempfile.mkdtemp(prefix="cv-")
        self.variables = {"HOME": self.home, "CLAUDEVIL_HOME": f"{self.home}/state", "PATH": os.defpath}
        self.process = subprocess.Popen(
            [self.binaries / "claudevil-mcp", "--toolsets", "all"],
            cwd=self.root,
            env=self.variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        who = {"name": "precise", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who})
        self.send({"method": "notifications/initialized"})
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=10)
        subprocess.run(
            [self.binaries / "claudevil", "daemon", "stop"], cwd=self.root, env=self.variables, capture_output=True
        )
        shutil.rmtree(self.home, ignore_errors=True)

    def index(self):
        self.call("reindex", {"wait": True})

    def add_precise(self, index):
        """Imports a SCIP index, and returns what is said of it."""
        added = self.call("manage_precise", {"action": "add", "file": str(index), "format": "json"})
        return json.loads(added)["subject"]

    def command(self, *words):
        """The answer of a command with `--json`, which is never cut; empty where it failed."""
        run = subprocess.run(
            [self.binaries / "claudevil", *words], cwd=self.root, env=self.variables, capture_output=True, text=True
        )
        return json.loads(run.stdout or "{}")

    @staticmethod
    def address(symbol):
        """Tools take a symbol by the line of its name."""
        return symbol["path"], symbol["line"]

    def references(self, path, line):
        return self.answer(REFERENCES, {"path": path, "line": line}, "references", Reference)

    def callers(self, path, line):
        return self.answer(CALLERS, {"path": path, "line": line, "depth": 1}, "callers", Caller)

    def answer(self, tool, arguments, field, kind):
        """All pages of an answer."""
        answer = Answer()
        try:
            page = json.loads(self.call(tool, WHOLE | arguments))
            answer.symbol = symbol_name(page)
            answer.found += map(kind.of, page[field])
            while page.get("cursor"):
                page = json.loads(self.call(tool, WHOLE | arguments | {"cursor": page["cursor"]}))
                answer.found += map(kind.of, page[field])
            answer.cut = bool(page.get("truncated"))
        except Refused as refusal:
            answer.error, answer.message = refusal.code, str(refusal)
        return answer

    def call(self, tool, arguments):
        until = time.monotonic() + PATIENCE
        while True:
            started = time.monotonic()
            result = self.request("tools/call", {"name": tool, "arguments": arguments})
            self.seconds[tool].append(time.monotonic() - started)
            text = "".join(part.get("text", "") for part in result["content"])
            if not result.get("isError"):
                return text
            if not text.startswith("indexing") or time.monotonic() > until:
                raise Refused(text)
            time.sleep(0.2)

    def request(self, method, params):
        number = next(self.numbers)
        self.send({"id": number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise Refused(f"protocol: {message['error'].get('message')}")
                return message["result"]
        raise OSError(f"claudevil-mcp ended instead of answering {method}")

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()


def symbol_name(page):
    symbol = page.get("symbol")
    return symbol.get("name") if isinstance(symbol, dict) else symbol
