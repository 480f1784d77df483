"""Programs under their pinned versions, installed once into a cache directory: here the clients.

An installation is named after a digest of its pins, so that a change of the pins makes a new one and two checkouts
can share the cache. It counts only once the mark inside it says that it is complete.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON_PINS = ("requirements.txt",)
NODE_PINS = (".npmrc", "package.json", "package-lock.json")
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
MARK = "complete"
INSTALL_LIMIT_S = 900


class Unavailable(Exception):
    """The reason why a client is missing."""


def python_tools():
    """The interpreter of the virtual environment."""
    with installation("python", PYTHON_PINS, sys.version) as directory:
        interpreter = directory / "bin/python"
        if not is_complete(directory):
            execute("venv", [sys.executable, "-m", "venv", directory])
            install = [interpreter, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
            execute("pip install", [*install, "--retries", "1", "--requirement", HERE / "requirements.txt"])
            execute("the client", [interpreter, "-c", "import mcp"])
            complete(directory)
        return interpreter


def node_tools():
    """The Node of the pins, and the inspector that needs it."""
    with installation("node", NODE_PINS, platform.system()) as directory:
        if not is_complete(directory):
            npm = shutil.which("npm")
            if npm is None:
                raise Unavailable("npm is not installed")
            for name in NODE_PINS:
                shutil.copy(HERE / name, directory)
            # No package of the lock file needs its install script here, so none is trusted with one.
            install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
            execute("npm ci", install, cwd=directory)
            execute("the inspector", [node_of(directory), directory / INSPECTOR, "--cli", "--version"])
            complete(directory)
        return node_of(directory), directory / INSPECTOR


def jsonc_tools():
    """The Node of the pins and the editors' own parser of JSON with comments; nothing where they cannot be installed."""
    try:
        node, inspector = node_tools()
    except Unavailable:
        return []
    modules = next(folder for folder in inspector.parents if folder.name == "node_modules")
    return [node, modules / "jsonc-parser"]


def node_of(directory):
    # npm has installed the one of the optional packages that is made for this machine.
    for node in directory.glob("node_modules/node-*/bin/node"):
        return node
    raise Unavailable(f"no pinned Node is made for {platform.system()} on {platform.machine()}")


@contextmanager
def installation(name, pins, flavour, here=HERE):
    """The directory of an installation, empty unless it is complete, while nobody else works on it."""
    digest = hashlib.sha256(f"{flavour} {platform.machine()}".encode())
    for pin in pins:
        digest.update((here / pin).read_bytes())
    directory = cache() / f"{name}-{digest.hexdigest()[:16]}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = open(directory.with_suffix(".lock"), "w")
    except OSError as error:
        raise Unavailable(f"no cache directory: {error}")
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_complete(directory):
            shutil.rmtree(directory)
            directory.mkdir()
        yield directory


def cache():
    chosen = os.environ.get("CLAUDEVIL_TEST_CACHE")
    if chosen:
        return Path(chosen).resolve()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "claudevil-tests"


def is_complete(directory):
    return (directory / MARK).exists()


def complete(directory):
    (directory / MARK).touch()


def execute(what, command, cwd=None):
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=INSTALL_LIMIT_S,
        )
    except OSError as error:
        raise Unavailable(f"{what} failed: {error}")
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{what} took more than {INSTALL_LIMIT_S} s")
    if done.returncode != 0:
        raise Unavailable(f"{what} failed: {reason(done.stdout)}")


def reason(output):
    # Both installers say first what went wrong and then, at length, what to do about it.
    lines = [line for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR:", "npm error"))]
    return " / ".join(errors[:5] or lines[-3:])
