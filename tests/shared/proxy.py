"""A proxy in front of an object store: counts what goes through it, and injects faults.

Writes that must not replace anything (`If-None-Match: *`) go through one at a time, since not every test server checks
and writes in one step as the real ones do.
"""

import http.client
import http.server
import ssl
import threading
import time
from collections import Counter

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "host", "content-length", "expect"}


class Proxy:
    def __init__(self, port, certificate=None):
        self.target = port
        self.fault = None
        self.requests = Counter()
        self.sent = self.received = 0
        self.commit = threading.Lock()
        self.counting = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                proxy.handle(self)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reset(self):
        """What went through since the last time: requests by method, bytes up, bytes down."""
        with self.counting:
            seen = dict(self.requests), self.sent, self.received
            self.requests.clear()
            self.sent = self.received = 0
        return seen

    def handle(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        with self.counting:
            number = sum(self.requests.values())
            self.requests[request.command] += 1
            self.sent += len(body)
        fault = self.fault
        is_commit = request.headers.get("If-None-Match") == "*"
        answer = fault.before(request, number, is_commit) if fault else None
        if answer is None:
            if is_commit:
                with self.commit:
                    answer = self.forward(request, body)
            else:
                answer = self.forward(request, body)
            if fault:
                answer = fault.after(request, is_commit, answer)
        status, headers, body, cut = answer
        with self.counting:
            self.received += len(body)
        request.send_response(status)
        for name, value in headers:
            if name.lower() not in HOP_BY_HOP:
                request.send_header(name, value)
        length = next((value for name, value in headers if name.lower() == "content-length"), len(body))
        request.send_header("Content-Length", length if request.command == "HEAD" else len(body))
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(body[:cut] if cut is not None else body)
        if cut is not None:
            request.wfile.flush()
            request.close_connection = True
            request.connection.close()

    def forward(self, request, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.target, timeout=60)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        headers["Host"] = f"127.0.0.1:{self.target}"
        headers["Content-Length"] = str(len(body))
        connection.request(request.command, request.path, body=body, headers=headers)
        reply = connection.getresponse()
        answer = reply.status, reply.getheaders(), reply.read(), None
        connection.close()
        return answer


class Fault:
    """Passes everything on; others change a part."""

    def before(self, request, number, is_commit):
        return None

    def after(self, request, is_commit, answer):
        return answer


class Status(Fault):
    """Answers some requests with a status instead: every one, or each of a number."""

    def __init__(self, status, every=1, kind=None):
        self.status, self.every, self.kind = status, every, kind

    def before(self, request, number, is_commit):
        if number % self.every or (self.kind and request.command != self.kind):
            return None
        return self.status, [("Content-Type", "application/xml")], b"<Error><Code>Injected</Code></Error>", None


class Slow(Fault):
    def __init__(self, seconds):
        self.seconds = seconds

    def before(self, request, number, is_commit):
        time.sleep(self.seconds)


class CutOff(Fault):
    """Ends every second answer with content in its middle."""

    def __init__(self):
        self.seen = 0

    def after(self, request, is_commit, answer):
        status, headers, body, _ = answer
        self.seen += 1
        if request.command == "GET" and len(body) > 1 and self.seen % 2:
            return status, headers, body, len(body) // 2
        return answer


class Garbled(Fault):
    """Changes bytes in what comes from data files."""

    def after(self, request, is_commit, answer):
        status, headers, body, cut = answer
        if request.command == "GET" and "/data/" in request.path and len(body) > 200:
            body = bytearray(body)
            for at in range(50, len(body), 97):
                body[at] ^= 0x5A
            body = bytes(body)
        return status, headers, body, cut


class Conflict(Fault):
    """Refuses a number of commits with a conflict, although nobody else has committed."""

    def __init__(self, times):
        self.left = times

    def before(self, request, number, is_commit):
        if is_commit and self.left > 0:
            self.left -= 1
            return 412, [("Content-Type", "application/xml")], b"<Error><Code>PreconditionFailed</Code></Error>", None
        return None


class LostAnswer(Fault):
    """Lets a commit through once and says that it failed."""

    def __init__(self):
        self.left = 1

    def after(self, request, is_commit, answer):
        if is_commit and self.left > 0:
            self.left -= 1
            return 500, [], b"", None
        return answer
