"""A small client of the language server protocol, over the pipes of a server that it starts.

It knows no language: servers.py has what differs between servers. Lines and columns are those of the protocol, counted
from 0 and in UTF-16 units; truth.py converts them to ours.
"""

import itertools
import json
import pathlib
import subprocess
import threading
import time
import urllib.parse

# Error codes after which a request is repeated: the server noticed a change, or was not ready.
ASK_AGAIN = {-32801, -32802, -32800}
ANSWER_LIMIT_S = 300
# A server that reports progress counts as idle after this many seconds without progress.
QUIET_S = 4

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {"configuration": True, "workspaceFolders": True},
    "textDocument": {
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "references": {},
        "callHierarchy": {},
        "synchronization": {},
    },
    "experimental": {"serverStatusNotification": True},
}


class ServerError(Exception):
    """The error that a server returns instead of a result."""

    def __init__(self, error):
        super().__init__(error.get("message", "no message"))
        self.code = error.get("code")


class Client:
    """One running server. Requests are made one after the other."""

    def __init__(self, command, root, settings, options, log, variables=None):
        self.root = pathlib.Path(root)
        self.settings = settings
        self.process = subprocess.Popen(
            command, cwd=root, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        )
        self.numbers = itertools.count(1)
        self.answers = {}
        # When the last byte of the last answer arrived. Reading its JSON takes a while longer.
        self.answered_at = None
        self.news = threading.Condition()
        self.ended = False
        self.working = set()
        self.last_progress = None
        self.quiescent = None
        threading.Thread(target=self._read, daemon=True).start()
        self._initialize(options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.request("shutdown", None, limit=10)
            self.notify("exit", None)
            self.process.wait(timeout=10)
        except (ServerError, OSError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def _initialize(self, options):
        uri = uri_of(self.root)
        self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": self.root.name}],
                "capabilities": CAPABILITIES,
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        self.notify("workspace/didChangeConfiguration", {"settings": self.settings})

    def request(self, method, params, limit=ANSWER_LIMIT_S):
        """Returns the result. Repeats the request, up to 20 times, while the error is one of ASK_AGAIN."""
        for attempt in itertools.count():
            try:
                return self._request_once(method, params, limit)
            except ServerError as error:
                if error.code not in ASK_AGAIN or attempt == 20:
                    raise
                time.sleep(0.5)

    def _request_once(self, method, params, limit):
        number = next(self.numbers)
        self._send({"id": number, "method": method, "params": params})
        with self.news:
            if not self.news.wait_for(lambda: number in self.answers or self.ended, limit):
                raise TimeoutError(f"no answer to {method} within {limit} s")
            if number not in self.answers:
                raise OSError(f"the server ended instead of answering {method}")
            message = self.answers.pop(number)
        if "error" in message:
            raise ServerError(message["error"])
        return message.get("result")

    def notify(self, method, params):
        self._send({"method": method, "params": params})

    def open(self, path, language):
        text = text_of(self.root / path)
        document = {"uri": uri_of(self.root / path), "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return text

    def close(self, path):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(self.root / path)}})

    def wait_ready(self, begins_within, limit):
        """Waits until the server says so (`quiescent`), or until no progress is under way and none comes any more."""
        started = time.monotonic()
        with self.news:
            while time.monotonic() - started < limit and not self.ended:
                now = time.monotonic()
                if self.quiescent is not None:
                    done = self.quiescent and not self.working
                elif self.last_progress is None:
                    done = now - started > begins_within
                else:
                    done = not self.working and now - self.last_progress > QUIET_S
                if done:
                    return
                self.news.wait(0.5)
        raise TimeoutError(f"not ready after {limit} s; still: {sorted(map(str, self.working))}")

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _read(self):
        try:
            while (body := read_body(self.process.stdout)) is not None:
                arrived = time.monotonic()
                self._take(json.loads(body), arrived)
        finally:
            with self.news:
                self.ended = True
                self.news.notify_all()

    def _take(self, message, arrived):
        method = message.get("method")
        if method and "id" in message:
            self._send({"id": message["id"], "result": self._answer(method, message.get("params") or {})})
            return
        with self.news:
            if method == "$/progress":
                self._note_progress(message["params"])
            elif method == "experimental/serverStatus":
                self.quiescent = message["params"]["quiescent"]
            elif method is None:
                self.answers[message["id"]] = message
                self.answered_at = arrived
            self.news.notify_all()

    def _note_progress(self, params):
        self.last_progress = time.monotonic()
        kind = params.get("value", {}).get("kind")
        if kind == "begin":
            self.working.add(params["token"])
        elif kind == "end":
            self.working.discard(params["token"])

    def _answer(self, method, params):
        """Answers a request that a server makes to an editor."""
        if method == "workspace/configuration":
            return [section(self.settings, item.get("section")) for item in params["items"]]
        if method == "workspace/workspaceFolders":
            return [{"uri": uri_of(self.root), "name": self.root.name}]
        return None


def read_body(stream):
    """Returns the JSON of the next message, in bytes. None at the end of the stream."""
    length = 0
    while (line := stream.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not line:
        return None
    return stream.read(length)


def section(settings, name):
    """Returns the part of nested settings that a dotted name denotes."""
    for part in name.split(".") if name else []:
        settings = settings.get(part) if isinstance(settings, dict) else None
    return settings


def text_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")


def uri_of(path):
    return pathlib.Path(path).as_uri()


def path_of(uri, root):
    """The path beneath the root, or None outside it."""
    path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else None
