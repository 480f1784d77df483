"""Headless Chromium, found on this machine or unpacked into the cache, and driven through a pipe.

The pipe speaks the DevTools protocol: JSON objects that end with a zero byte, read from file descriptor 3 and written
to 4. Nothing is installed system-wide: packages of Debian are downloaded and unpacked into a folder of the cache.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))

from tools import Unavailable, complete, execute, installation, is_complete

NAMES = ("chromium", "chromium-browser", "google-chrome")
LIMIT_S = 60
KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


def locate():
    """The browser, and the folders of the libraries that were unpacked with it, if any."""
    chosen = os.environ.get("CLAUDEVIL_TEST_CHROMIUM")
    if chosen:
        return Path(chosen), None
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found), None
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise Unavailable(f"no {' or '.join(NAMES)} on PATH, and no {tool} to unpack one")
    with installation("chromium", (), "debian", HERE) as directory:
        browser = directory / "usr/lib/chromium/chromium"
        if not is_complete(directory):
            unpack(directory)
            execute("chromium", ["env", f"LD_LIBRARY_PATH={libraries(directory)}", browser, "--version"])
            complete(directory)
        return browser, libraries(directory)


def libraries(directory):
    """The folders of shared libraries below one, as the linker reads them."""
    return ":".join(sorted({str(library.parent) for library in directory.glob("**/*-linux-gnu/**/*.so*")}))


def unpack(directory):
    """Chromium and the packages that it needs and this machine lacks."""
    listed = subprocess.run(
        ["apt-get", "install", "--quiet=2", "--no-install-recommends", "--print-uris", "chromium"],
        capture_output=True,
        text=True,
    )
    packages = [line.split()[1].split("_")[0] for line in listed.stdout.splitlines() if line.startswith("'")]
    if listed.returncode != 0 or "chromium" not in packages:
        raise Unavailable(f"apt-get knows no chromium: {listed.stderr.strip() or 'no package'}")
    archives = directory / "archives"
    archives.mkdir()
    execute("apt-get download", ["apt-get", "download", "--quiet=2", *packages], cwd=archives)
    for archive in sorted(archives.glob("*.deb")):
        execute("dpkg-deb", ["dpkg-deb", "--extract", archive, directory])
    shutil.rmtree(archives)


class Browser:
    """One window. `errors` are exceptions, refused content and messages of errors; `addresses` what was asked for."""

    def __init__(self, width=1280, height=800):
        self.size = (width, height)
        self.errors, self.addresses = [], []
        self.calls, self.waiting, self.buffer = 0, {}, b""

    def __enter__(self):
        program, library_path = locate()
        self.profile = tempfile.TemporaryDirectory(prefix="claudevil-page-", ignore_cleanup_errors=True)
        theirs_in, self.writer = os.pipe()
        self.reader, theirs_out = os.pipe()
        options = [
            "--headless=new",
            "--remote-debugging-pipe",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--force-prefers-reduced-motion",
            "--hide-scrollbars",
            f"--user-data-dir={self.profile.name}",
        ]
        if os.geteuid() == 0:
            # Its sandbox refuses root; the page is ours.
            options.append("--no-sandbox")
        environment = {**os.environ, "HOME": self.profile.name}
        if library_path:
            environment["LD_LIBRARY_PATH"] = library_path
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "sh", str(program), *options, "about:blank"],
            env=environment,
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.resize(*self.size)
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(timeout=LIMIT_S)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.writer)
        os.close(self.reader)
        self.profile.cleanup()

    def call(self, method, **parameters):
        self.calls += 1
        number = self.calls
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        self.wait(lambda: number in self.waiting, method)
        answer = self.waiting.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, is_done, what):
        until = time.monotonic() + LIMIT_S
        while not is_done():
            ready, _, _ = select.select([self.reader], [], [], max(0, until - time.monotonic()))
            piece = os.read(self.reader, 1 << 20) if ready else b""
            if not piece:
                raise RuntimeError(f"{what}: the browser {'has ended' if ready else f'took more than {LIMIT_S} s'}")
            *messages, self.buffer = (self.buffer + piece).split(b"\0")
            for message in messages:
                self.take(json.loads(message))

    def take(self, message):
        if "id" in message:
            self.waiting[message["id"]] = message
            return
        parameters = message["params"]
        match message["method"]:
            case "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description") or details["text"])
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.errors.append(parameters["entry"]["text"])
            case "Network.requestWillBeSent":
                self.addresses.append(parameters["request"]["url"])
            case "Page.loadEventFired":
                self.is_loaded = True

    def open(self, file, fragment=""):
        self.errors, self.addresses, self.is_loaded = [], [], False
        # A page that only differs in its fragment would not be loaded again.
        self.call("Page.navigate", url="about:blank")
        self.wait(lambda: self.is_loaded, "about:blank")
        self.errors, self.addresses, self.is_loaded = [], [], False
        self.call("Page.navigate", url=Path(file).resolve().as_uri() + fragment)
        self.wait(lambda: self.is_loaded, f"loading {file}")

    def resize(self, width, height, scale=1):
        self.size = (width, height)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def emulate(self, theme="light", media=""):
        self.call(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[
                {"name": "prefers-color-scheme", "value": theme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ],
        )

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", script))
        return answer["result"].get("value")

    def until(self, script):
        """Waits until an expression is true: the page draws in frames, and cards come a moment later."""
        waiting = f"""new Promise((done) => {{
            const until = performance.now() + 10000;
            const look = () => ({script}) || performance.now() > until ? done(Boolean({script})) : requestAnimationFrame(look);
            look();
        }})"""
        assert self.run(waiting), f"not within 10 s: {script}"

    def middle(self, selector):
        x, y = self.run(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        return x, y

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector):
        self.mouse("mouseMoved", *self.middle(selector))

    def click(self, selector):
        x, y = self.middle(selector)
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def drag(self, start, end):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        for part in (0.3, 0.7, 1):
            x, y = (one + (other - one) * part for one, other in zip(start, end))
            self.mouse("mouseMoved", x, y, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)

    def press(self, key):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"keyCode": KEYS.get(key, ord(key[0].upper()))}
        event = {"key": key, "windowsVirtualKeyCode": code["keyCode"]}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        for letter in text:
            self.press(letter)

    def screenshot(self, file):
        Path(file).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, landscape=True)["data"])
