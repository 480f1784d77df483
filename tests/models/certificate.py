"""Certificates of our own for servers on this machine."""

import shutil

from tools import Unavailable, execute


def make_certificate(folder):
    """An authority, and a certificate for this machine that it signed, with its key."""
    openssl = shutil.which("openssl")
    if not openssl:
        raise Unavailable("openssl is not installed")
    request = [openssl, "req", "-x509", "-days", "2", "-newkey", "rsa:2048", "-nodes"]
    authority = ["-subj", "/CN=claudevil test", "-keyout", "authority.key", "-out", "authority.pem"]
    execute("openssl", [*request, *authority], cwd=folder)
    signed = ["-CA", "authority.pem", "-CAkey", "authority.key", "-addext", "basicConstraints=CA:FALSE"]
    server = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "server.key"]
    execute("openssl", [*request, *signed, *server, "-out", "server.pem"], cwd=folder)
    return folder / "authority.pem", (folder / "server.pem", folder / "server.key")
