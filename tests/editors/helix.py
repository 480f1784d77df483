#!/usr/bin/env python3
"""Types into Helix in a terminal of its own, and reads what it wrote to the files of PROJECT: whoever goes to a
definition and types there changes the file of the definition.

The project is that of tests/editors/run: main.py calls feed, which barn.py defines.
"""

import fcntl
import os
import pathlib
import pty
import select
import struct
import subprocess
import sys
import termios
import time

ESCAPE = "\x1b"
CONFIGURATION = """
[language-server.claudevil]
command = "claudevil-lsp"

[[language]]
name = "python"
language-servers = ["claudevil"]
"""


class Helix:
    """Helix with one file open, driven by its keys."""

    def __init__(self, file):
        self.terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        environment = dict(os.environ, TERM="xterm-256color")
        self.process = subprocess.Popen(["hx", str(file)], stdin=end, stdout=end, stderr=end, env=environment,
                                        cwd=file.parent, start_new_session=True)
        os.close(end)
        self.screen = b""
        self.read(3)

    def read(self, seconds):
        """Takes what Helix draws: with nobody to read it, it would stop."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                try:
                    self.screen += os.read(self.terminal, 65536)
                except OSError:
                    return

    def keys(self, *words):
        for word in words:
            os.write(self.terminal, word.encode())
            self.read(0.3)

    def command(self, text):
        self.keys(ESCAPE, f":{text}", "\r")

    def close(self):
        self.command("quit-all!")
        self.read(1)
        self.process.kill()
        self.process.wait()


def until(holds, act, tries=20):
    """Acts until something holds: the server needs a moment to start."""
    for _ in range(tries):
        act()
        if holds():
            return True
        time.sleep(0.5)
    return False


def main():
    project = pathlib.Path(os.environ["PROJECT"])
    settings = pathlib.Path(os.environ["HOME"]) / ".config" / "helix"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "languages.toml").write_text(CONFIGURATION)
    code, barn = project / "main.py", project / "barn.py"
    original = {file: file.read_text() for file in (code, barn)}
    wrong = []
    helix = Helix(code)

    def go_to_definition():
        # Two empty lines are typed and not saved, so that the call stands where no file on disk has it.
        helix.command(f"open {code}")
        helix.command("reload!")
        helix.keys("gg", "O\r", ESCAPE, "gg", "/return", "\r", "w", "w", "gd")
        helix.read(1)
        helix.keys("O# defined here", ESCAPE)
        helix.command("write!")

    def at_definition():
        found = barn.read_text().startswith("# defined here\ndef feed")
        for file, text in original.items():
            file.write_text(text)
        helix.command("reload-all!")
        return found

    def rename():
        helix.command(f"open {code}")
        helix.command("reload-all!")
        helix.keys("gg", "/return", "\r", "w", "w", " r")
        helix.read(1)
        helix.keys("\x15", "serve", "\r")
        helix.read(1)
        helix.command("write-all!")

    def renamed():
        texts = [file.read_text() for file in (code, barn)]
        return all("serve" in text and "feed" not in text for text in texts)

    try:
        if not until(at_definition, go_to_definition, tries=6):
            wrong.append("definition")
        subprocess.run(["claudevil", "daemon", "stop"], stdout=subprocess.DEVNULL, check=True)
        if not until(renamed, rename, tries=3):
            wrong.append(f"rename: {code.read_text()!r}, {barn.read_text()!r}")
    finally:
        helix.close()
        for file, text in original.items():
            file.write_text(text)
    if wrong:
        tail = helix.screen[-1500:].decode(errors="replace")
        sys.exit(f"helix: wrong: {wrong}\n{tail!r}")
    print("helix: all answers are right")


main()
