"""A project whose chunks a model tells apart, in a home of its own, with the real binaries."""

import json
import subprocess
import time
from pathlib import Path

import tiny_model

LIMIT_S = 120
QUESTION = f"where do {tiny_model.ASKED} smile"


class Place:
    """A home, a project, a daemon."""

    def __init__(self, scratch, binaries):
        self.scratch, self.binaries = scratch, binaries
        self.home = scratch / "home"
        self.project = self.home / "zoo"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git/HEAD").write_text("ref: refs/heads/main\n")
        for number in range(60):
            text = f"pub fn handles_{number}(input: u32) {{\n    input {number}\n}}\n"
            (self.project / f"plain_{number}.rs").write_text(text)
        hidden = f"// grooms the {tiny_model.HIDDEN} fur\npub fn groom() {{}}\n"
        (self.project / "hidden.rs").write_text(hidden)
        self.variables = {}

    def environment(self):
        return {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "CLAUDEVIL_HOME": str(self.scratch / "cv"),
            **self.variables,
        }

    def serve_in_foreground(self):
        """Starts the daemon as a service does, with every variable."""
        return subprocess.Popen(
            [str(self.binaries / "claudevild"), "run"],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def run(self, *words, program="claudevil", stdin=None):
        return subprocess.run(
            [str(self.binaries / program), *[str(word) for word in words]],
            env=self.environment(),
            cwd=self.project,
            input=stdin,
            stdin=None if stdin is not None else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )

    def json(self, *words, **options):
        done = self.run("--json", *words, **options)
        assert done.returncode == 0, f"{words}: {done.stdout} {done.stderr}"
        return json.loads(done.stdout)

    def error(self, *words):
        done = self.run("--json", *words)
        assert done.returncode != 0, f"{words} went well: {done.stdout}"
        return json.loads(done.stdout)["error"]["message"]

    def model_says(self, *wanted):
        """What the status says of the model, once it says all of this."""
        started = time.monotonic()
        while True:
            parts = self.json("status", self.project)["parts"]
            said = " ".join(part["detail"] for part in parts if part["name"] == "model")
            if all(words in said for words in wanted):
                return said
            assert time.monotonic() - started < LIMIT_S, f"waited for {wanted} in vain: {said}"

    def chunks(self):
        """How many there are, once the project is indexed."""
        started = time.monotonic()
        while True:
            root = self.json("status", self.project)["roots"][0]
            if root["state"] == "ready" and root.get("index"):
                return root["index"]["chunks"]
            assert time.monotonic() - started < LIMIT_S, root

    def nearest(self):
        # The exit code also says that nothing was found.
        found = json.loads(self.run("--json", "search", "--mode", "semantic", QUESTION).stdout)
        return found["results"][0]["path"] if found["results"] else None

    def finds(self, path):
        """Waits until this is what the chosen model alone finds. The built-in one serves whoever asks before both have
        their vectors in memory, or while the process of the chosen one is on its way."""
        started = time.monotonic()
        while (found := self.nearest()) != path:
            assert time.monotonic() - started < LIMIT_S, f"{found} was found: {self.model_says()}"

    def serves(self):
        """Whether something is found by meaning, by whichever model."""
        return bool(self.json("search", "--mode", "semantic", "handles input")["results"])

    def processes(self):
        """The processes that run a transformer for this home's daemon."""
        daemon = self.json("daemon", "status")["pid"]
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[1]
            except (OSError, IndexError):
                continue
            if words[1:2] == [b"embed"] and parent == str(daemon):
                found.append(int(entry.name))
        return found

    def stop(self):
        self.run("daemon", "stop")
