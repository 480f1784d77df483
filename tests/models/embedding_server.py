"""An embedding server that speaks OpenAI's `/v1/embeddings`, counts what it is asked, and has faults."""

import hashlib
import http.server
import json
import ssl
import threading
import time

import tiny_model

DIMENSIONS = 64
# What a server with a GPU takes, roughly: so long for each request, and for each text.
REQUEST_S = 0.02
TEXT_S = 0.0005


def vector(text):
    """A direction of its own for each text; one for all that are about the animal."""
    about = tiny_model.HIDDEN if tiny_model.HIDDEN in text or tiny_model.ASKED in text else text
    digest = hashlib.sha512(about.encode()).digest()
    return [byte - 127.5 for byte in digest[:DIMENSIONS]]


class Answer:
    """An answer that a fault may change."""

    def __init__(self, texts):
        self.status, self.headers = 200, {}
        self.vectors = [vector(text) for text in texts]
        self.cut = False

    def refuse(self, status, said, **headers):
        self.status, self.said = status, said
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def body(self):
        if self.status != 200:
            return json.dumps({"error": {"message": self.said}}).encode()
        rows = [{"index": at, "embedding": row} for at, row in enumerate(self.vectors)]
        return json.dumps({"object": "list", "data": rows}).encode()


class EmbeddingServer:
    def __init__(self, certificate=None):
        self.fault = None
        self.lock = threading.Lock()
        # The time and the number of texts of each request.
        self.requests = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
                with server.lock:
                    server.requests.append((time.monotonic(), len(texts)))
                    number, fault = len(server.requests), server.fault
                time.sleep(REQUEST_S + TEXT_S * len(texts))
                answer = Answer(texts)
                if fault:
                    fault(answer, texts, number)
                body = answer.body()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if answer.cut else body)
                self.close_connection = answer.cut

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"{'https' if certificate else 'http'}://localhost:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reset(self):
        """The requests since the last time."""
        with self.lock:
            seen, self.requests = self.requests, []
        return seen

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
