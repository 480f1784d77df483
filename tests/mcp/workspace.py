"""A project to ask about, and the directories and environment of the server that is asked.

All of it lives in one temporary directory. Leaving the workspace stops the daemon that the server has started, and
reports what the server left behind.
"""

import getpass
import os
import select
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

BINARIES = ("claudevil", "claudevil-mcp", "claudevild", "claudevil-vectors")

# The toolset `core`, which is the default, and what only `--toolsets all` adds.
CORE_TOOLS = {
    "deep_dive",
    "explore",
    "find_implementations",
    "find_references",
    "find_symbol",
    "impact_analysis",
    "index_status",
    "map_code",
    "read_file",
    "search",
}
EXTRA_TOOLS = {
    "analyze_complexity",
    "call_path",
    "checkpoint",
    "find_callees",
    "find_callers",
    "find_definition",
    "find_similar",
    "get_call_graph",
    "get_dependencies",
    "list_files",
    "manage_precise",
    "manage_roots",
    "plan",
    "recall",
    "reindex",
    "rename_symbol",
}

MAIN_RS = 'fn main() {\n    println!("the marker of main.rs");\n}\n'
GREETING = "Grüße aus Köln: ÄÖÜ ß, 日本, 🦀👩‍👩‍👧\n"
GREETING_PATH = "docs/grüße.md"
BINARY_PATH = "logo.bin"
IGNORED_PATH = "ignored.txt"
LISTED_PATHS = ("README.md", GREETING_PATH, "src/main.rs")

STOP_LIMIT_S = 15
EXIT_LIMIT_S = 5


class Workspace:
    def __init__(self, binaries, report, label):
        self.binaries = Path(binaries)
        self.report = report
        self.label = label
        self.shim = str(self.binaries / "claudevil-mcp")

    def __enter__(self):
        # A short prefix: the daemon's socket lies below it, and the path of a socket has to fit about 100 bytes.
        self.base = Path(tempfile.mkdtemp(prefix="cv-")).resolve()
        self.home = self.base / "home"
        self.state = self.base / "state"
        self.project = self.base / "project"
        self.home.mkdir()
        self.state.mkdir()
        write_project(self.project)
        self.project_before = file_names(self.project)
        return self

    def __exit__(self, *_):
        try:
            self.stop_daemon()
            with self.report.check(f"{self.label}: state stays inside CLAUDEVIL_HOME"):
                assert not file_names(self.home), f"written to HOME: {sorted(file_names(self.home))}"
                added = file_names(self.project) - self.project_before
                assert not added, f"written to the project: {sorted(added)}"
        finally:
            shutil.rmtree(self.base, ignore_errors=True)

    def environment(self):
        """What editors pass on to a stdio server, and nothing else: no XDG_*, no CARGO_*."""
        user = getpass.getuser()
        return {
            "HOME": str(self.home),
            "LOGNAME": user,
            # Not this shell's PATH: an installed claudevil must not stand in for the one under test.
            "PATH": os.defpath,
            "SHELL": "/bin/sh",
            "TERM": "dumb",
            "USER": user,
            "CLAUDEVIL_HOME": str(self.state),
        }

    def stop_daemon(self):
        with self.report.check(f"{self.label}: `claudevil daemon stop` leaves no process"):
            try:
                stop = subprocess.run(
                    [str(self.binaries / "claudevil"), "daemon", "stop"],
                    env=self.environment(),
                    cwd=self.project,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=STOP_LIMIT_S,
                )
                assert stop.returncode == 0, f"exit code {stop.returncode}: {stop.stdout} {stop.stderr}"
            finally:
                survivors = [pid for pid in self.processes() if not exited(pid, EXIT_LIMIT_S)]
                for pid in survivors:
                    os.kill(pid, signal.SIGKILL)
            assert not survivors, f"still running {EXIT_LIMIT_S} s later, and killed: {survivors}"

    def processes(self):
        """The processes that serve this workspace, recognised by its state directory in their environment."""
        return processes_with(f"CLAUDEVIL_HOME={self.state}")


def write_project(project):
    (project / "src").mkdir(parents=True)
    (project / "docs").mkdir()
    (project / "src/main.rs").write_text(MAIN_RS)
    (project / "README.md").write_text("# A project\n\nIt is read by the checks.\n")
    (project / GREETING_PATH).write_text(GREETING, encoding="utf-8")
    (project / BINARY_PATH).write_bytes(bytes(range(256)) * 8)
    (project / ".gitignore").write_text(f"{IGNORED_PATH}\n")
    (project / IGNORED_PATH).write_text("not for anybody\n")
    # What makes a directory a repository, by hand: a `git init` would depend on the git and the settings found here.
    git = project / ".git"
    (git / "objects").mkdir(parents=True)
    (git / "refs/heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")


def file_names(directory):
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir()}


def processes_with(variable):
    """The processes that have a variable, written `NAME=value`, in their environment."""
    mark = variable.encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def exited(pid, limit_s):
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        readable, _, _ = select.select([process], [], [], limit_s)
        return bool(readable)
    finally:
        os.close(process)
