"""What somebody does who has never heard of claudevil: install it, set up every client, search, edit, search, uninstall.

Usage: new_user_check.py DIRECTORY_OF_THE_BINARIES [NODE JSONC_PARSER]

Everything happens in a home of its own, which has configurations of every client as people leave them. In the end each
file, folder and permission of that home is what it was. Then the same in a home that has nothing in it.
"""

import sys

sys.dont_write_bytecode = True

import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from report import Report
from workspace import exited, processes_with, write_project

REPOSITORY = Path(__file__).resolve().parent.parent.parent
STEP_LIMIT_S = 120
SESSION_LIMIT_S = 60
EXIT_LIMIT_S = 10

# A Node and the parser that editors read JSON with comments by, where there are any.
JSONC = []
READ = """
const faults = [];
const read = require(process.argv[1]).parse(require("fs").readFileSync(0, "utf8"), faults, { allowTrailingComma: true });
if (faults.length) throw new Error(JSON.stringify(faults));
process.stdout.write(JSON.stringify(read === undefined ? {} : read));
"""

# Per client: its file, what is in it, the section of its servers, and a comment that has to stay.
CLIENTS = {
    "claude-code": (".claude.json", '{\n  "numStartups": 7,\n  "mcpServers": {}\n}\n', "mcpServers", None),
    "claude-desktop": (
        ".config/Claude/claude_desktop_config.json",
        '{\n\t"mcpServers": {\n\t\t"other": {"command": "other", "args": ["x"]}\n\t}\n}',
        "mcpServers",
        None,
    ),
    "cursor": (".cursor/mcp.json", "", "mcpServers", None),
    "vscode": (
        ".config/Code/User/mcp.json",
        '{\r\n    // mine\r\n    "servers": {\r\n        "a": { "type": "stdio", "command": "a" } /* why */\r\n    },\r\n    "inputs": []\r\n}\r\n',
        "servers",
        "/* why */",
    ),
    "windsurf": (".codeium/windsurf/mcp_config.json", "{}", "mcpServers", None),
    "zed": (
        ".config/zed/settings.json",
        '// Zed settings\n{\n  "theme": "One Dark", // at night\n  "vim_mode": true,\n}\n',
        "context_servers",
        "// at night",
    ),
    "codex": (
        ".codex/config.toml",
        '# mine\nmodel = "large" # best\n\n[mcp_servers.other]\ncommand = "other"\n\n# the end\n',
        "mcp_servers",
        "# best",
    ),
    "gemini": (".gemini/settings.json", '{ "ui": { "theme": "dark" } }\n', "mcpServers", None),
    "opencode": (
        ".config/opencode/opencode.jsonc",
        '{\n  "$schema": "https://opencode.ai/config.json",\n  // none yet\n  "mcp": {\n  },\n}\n',
        "mcp",
        "// none yet",
    ),
    # Only its folder is there.
    "jetbrains": (".junie/mcp/mcp.json", None, "mcpServers", None),
}
PROJECT_FILES = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "zed": ".zed/settings.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": "opencode.json",
    "jetbrains": ".junie/mcp/mcp.json",
}


def main(binaries):
    report = Report()
    # A short prefix: the daemon's socket lies below it.
    base = Path(tempfile.mkdtemp(prefix="cv-")).resolve()
    try:
        NewUser(Path(binaries), base, report).everything()
        EmptyHome(Path(binaries), base, report).everything()
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return report.exit_code()


class NewUser:
    def __init__(self, binaries, base, report):
        self.binaries = binaries
        self.report = report
        self.home = base / "home"
        self.project = base / "project"
        write_project(self.project)
        (self.home / ".junie").mkdir(parents=True)
        for path, text, _, _ in CLIENTS.values():
            if text is not None:
                file = self.home / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode())
        (self.home / ".codex/config.toml").chmod(0o600)
        # A configuration that is kept elsewhere.
        real = self.home / "dotfiles/zed.json"
        real.parent.mkdir()
        link = self.home / ".config/zed/settings.json"
        link.rename(real)
        link.symlink_to("../../dotfiles/zed.json")
        self.before = snapshot(self.home)
        self.project_before = snapshot(self.project)

    def everything(self):
        check = self.report.check
        with check("new user: install"):
            done = self.run([REPOSITORY / "packaging/install.sh", "--bin-dir-from", self.binaries])
            assert "claudevil setup" in done.stdout, done.stdout
        with check("new user: shells take the completions, and man the manuals"):
            self.check_generated()
        with check("new user: doctor finds nothing broken"):
            self.claudevil("doctor")
        with check("new user: the first search starts the daemon, adds the project and answers"):
            assert not self.processes(), self.processes()
            found = self.claudevil("search", "-F", "the marker of", cwd=self.project)
            assert "src/main.rs:2:" in found.stdout, found
            known = json.loads(self.claudevil("--json", "roots", "list").stdout)["roots"]
            assert [root["path"] for root in known] == [str(self.project)], known
            # What it writes meanwhile must not be taken for what setup changes.
            self.claudevil("daemon", "stop")
        with check("new user: every client is found without being named"):
            found = self.setup("--dry-run")
            assert [one["client"] for one in found["clients"]] == list(CLIENTS), found
            assert not found["applied"] and self.configurations() == self.configurations_before(), found
        with check("new user: setup of every client"):
            changed = self.setup()
            assert all(one["change"] == "add" for one in changed["clients"]), changed
            for one in changed["clients"]:
                existed = CLIENTS[one["client"]][1] is not None
                assert bool(one.get("backup")) == existed, one
        with check("new user: comments and other entries stay"):
            self.check_what_stays()
        with check("new user: a second setup changes nothing"):
            was = snapshot(self.home)
            again = self.setup()
            assert all(one["change"] == "none" for one in again["clients"]), again
            assert snapshot(self.home) == was
        for client in CLIENTS:
            with check(f"new user: {client} starts what its configuration says"):
                anyio.run(self.check_server, self.server(client))
        with check("new user: a search, an edit, and a search again; the status says what was answered"):
            self.check_search()
        with check("new user: setup --remove of some leaves the others"):
            removed = self.setup("--remove", "cursor", "codex")
            assert [one["client"] for one in removed["clients"]] == ["cursor", "codex"], removed
            has_entry = {client for client, (path, *_) in CLIENTS.items() if "claudevil" in self.text(path)}
            assert has_entry == CLIENTS.keys() - {"cursor", "codex"}, has_entry
        with check("new user: setup --remove leaves every file as it was"):
            self.setup("--remove")
            assert self.configurations() == self.configurations_before(), self.configurations()
        with check("new user: setup in a project, and out of it again"):
            self.check_project()
        with check("new user: a broken configuration is left alone"):
            self.check_broken()
        with check("new user: uninstall leaves nothing behind"):
            self.setup()
            removed = self.claudevil("--json", "uninstall", "--yes")
            removed = json.loads(removed.stdout)
            assert removed["left"] == [], removed
            assert str(self.home / ".local/bin/claudevil") in removed["removed"], removed
            difference = different(snapshot(self.home), self.before)
            assert not difference, f"differs: {difference}"
            assert snapshot(self.project) != self.project_before, "the edit is the person's and stays"
            survivors = [pid for pid in self.processes() if not exited(pid, EXIT_LIMIT_S)]
            assert not survivors, f"still running: {survivors}"

    def check_generated(self):
        share = self.home / ".local/share"
        completions = {
            "bash": share / "bash-completion/completions/claudevil",
            "zsh": share / "zsh/site-functions/_claudevil",
            "fish": share / "fish/vendor_completions.d/claudevil.fish",
        }
        for shell, script in completions.items():
            assert "setup" in script.read_text(), script
            if shutil.which(shell, path=os.defpath):
                self.run([shell, "-n", script])
        pages = sorted((share / "man/man1").iterdir())
        assert {"claudevil.1", "claudevil-mcp.1", "claudevil-setup.1"} <= {page.name for page in pages}, pages
        for page in pages if shutil.which("man", path=os.defpath) else []:
            shown = self.run(["man", "--warnings", "-l", page])
            assert "SYNOPSIS" in shown.stdout and not shown.stderr, shown

    def check_what_stays(self):
        for client, (path, text, section, comment) in CLIENTS.items():
            now = (self.home / path).read_bytes().decode()
            assert comment is None or comment in now, f"{client}: {comment} is gone from {now}"
            if text:
                before, after = parsed(path, text), parsed(path, now)
                after[section].pop("claudevil")
                assert after[section] == before.get(section, {}), f"{client}: {after}"
                rest = {key: value for key, value in before.items() if key != section}
                assert rest == {key: value for key, value in after.items() if key != section}, f"{client}: {after}"
        assert (self.home / ".config/zed/settings.json").is_symlink(), "the link became a file"
        assert (self.home / ".codex/config.toml").stat().st_mode & 0o777 == 0o600, "other permissions"
        newlines = (self.home / ".config/Code/User/mcp.json").read_bytes()
        assert newlines.count(b"\n") == newlines.count(b"\r\n"), newlines

    def server(self, client):
        """What the client would start, read by that format's parser."""
        path, _, section, _ = CLIENTS[client]
        entry = parsed(path, (self.home / path).read_bytes().decode())[section]["claudevil"]
        if isinstance(entry["command"], list):
            command, arguments = entry["command"][0], entry["command"][1:]
            assert entry["type"] == "local" and entry["enabled"] is True, entry
        else:
            command, arguments = entry["command"], entry["args"]
        assert Path(command).is_absolute(), f"clients see no PATH of a shell: {command}"
        environment = {**self.environment(), **entry.get("env", {}), **entry.get("environment", {})}
        return StdioServerParameters(command=command, args=arguments, env=environment, cwd=self.project)

    async def check_server(self, server):
        with anyio.fail_after(SESSION_LIMIT_S), open(os.devnull, "w") as errors:
            async with Client(stdio_client(server, errors), mode="legacy") as client:
                session = client.session
                names = {tool.name for tool in (await session.list_tools()).tools}
                assert {"search", "read_file"} <= names, names
                prompts = {prompt.name for prompt in (await session.list_prompts()).prompts}
                assert "trace-call-path" in prompts, prompts
                result = await session.call_tool("read_file", {"path": "src/main.rs"})
                assert not result.is_error and "the marker" in result.content[0].text, result

    def check_search(self):
        found = self.claudevil("search", "-F", "the marker of", cwd=self.project)
        assert "src/main.rs:2:" in found.stdout, found
        source = self.project / "src/main.rs"
        source.write_text(source.read_text() + "\nfn walrus_feeding() {}\n")
        found = self.claudevil("search", "walrus_feeding", cwd=self.project)
        assert "src/main.rs:5" in found.stdout and "fn walrus_feeding()" in found.stdout, found
        status = self.claudevil("status", cwd=self.project)
        assert re.search(r"answered \d+ questions in \S+ \S+ with about ", status.stdout), status

    def check_project(self):
        before = snapshot(self.project)
        changed = self.setup("--project", cwd=self.project)
        paths = {one["client"]: one["path"] for one in changed["clients"]}
        assert paths == {client: str(self.project / path) for client, path in PROJECT_FILES.items()}, paths
        text = (self.project / ".mcp.json").read_text()
        assert json.loads(text)["mcpServers"]["claudevil"]["command"] == "claudevil-mcp", "a place on this machine"
        self.setup("--project", "--remove", cwd=self.project)
        assert snapshot(self.project) == before, different(snapshot(self.project), before)

    def check_broken(self):
        file = self.home / ".gemini/settings.json"
        good = file.read_bytes()
        file.write_text('{ "mcpServers": { ')
        done = self.claudevil("--json", "setup", "gemini", exit_code=1)
        one = json.loads(done.stdout)["clients"][0]
        assert one["change"] == "refused" and "not JSON" in one["error"], one
        assert file.read_text() == '{ "mcpServers": { '
        file.write_bytes(good)

    def text(self, path):
        file = self.home / path
        return file.read_bytes().decode() if file.exists() else ""

    def configurations(self):
        files = {path: self.home / path for path, *_ in CLIENTS.values()}
        return {path: file.read_bytes() for path, file in files.items() if file.exists()}

    def configurations_before(self):
        return {path: text.encode() for path, text, *_ in CLIENTS.values() if text is not None}

    def setup(self, *arguments, cwd=None):
        return json.loads(self.claudevil("--json", "setup", *arguments, cwd=cwd).stdout)

    def claudevil(self, *arguments, cwd=None, exit_code=0):
        return self.run([self.home / ".local/bin/claudevil", *arguments], cwd, exit_code)

    def run(self, command, cwd=None, exit_code=0):
        done = subprocess.run(
            [str(word) for word in command],
            env=self.environment(),
            cwd=cwd or self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=STEP_LIMIT_S,
        )
        assert done.returncode == exit_code, f"{command}: exit code {done.returncode}: {done.stdout} {done.stderr}"
        return done

    def environment(self):
        """What clients give: HOME, LOGNAME, PATH, SHELL, TERM, USER."""
        user = os.environ.get("USER", "somebody")
        known = {"HOME": str(self.home), "LOGNAME": user, "USER": user, "SHELL": "/bin/sh", "TERM": "dumb"}
        return {**known, "PATH": os.defpath}

    def processes(self):
        return processes_with(f"HOME={self.home}")


class EmptyHome(NewUser):
    """Somebody who has never started any of the clients: every folder is of claudevil's making, and has to go."""

    def __init__(self, binaries, base, report):
        self.binaries = binaries
        self.report = report
        self.home = base / "empty"
        self.home.mkdir()
        self.project = base / "project"

    def everything(self):
        with self.report.check("new user: a home that was empty is empty again"):
            self.run([REPOSITORY / "packaging/install.sh", "--bin-dir-from", self.binaries])
            self.claudevil("search", "-F", "the marker of", cwd=self.project)
            changed = self.setup(*CLIENTS)
            assert [one["change"] for one in changed["clients"]] == ["add"] * len(CLIENTS), changed
            if sys.platform == "linux":
                self.claudevil("service", "install", "--no-start")
            removed = json.loads(self.claudevil("--json", "uninstall", "--yes").stdout)
            assert removed["left"] == [], removed
            assert not snapshot(self.home), f"left behind: {sorted(snapshot(self.home))}"
            survivors = [pid for pid in self.processes() if not exited(pid, EXIT_LIMIT_S)]
            assert not survivors, f"still running: {survivors}"


def parsed(path, text):
    if path.endswith(".toml"):
        return tomllib.loads(text)
    plain = json.loads(without_comments(text))
    if JSONC and text.strip():
        node, parser = JSONC
        done = subprocess.run([node, "-e", READ, parser], input=text, capture_output=True, text=True, timeout=STEP_LIMIT_S)
        assert done.returncode == 0 and json.loads(done.stdout) == plain, f"{path}: {done.stdout} {done.stderr}"
    return plain


def without_comments(text):
    """JSON as editors take it, as JSON: comments and commas after the last item become blanks."""
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    text = token.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
    token = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
    return token.sub(lambda found: found[0] if found[0].startswith('"') else " ", text) if text.strip() else "{}"


def snapshot(folder):
    """Every path below a folder, with what it is."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            seen[name] = ("link", os.readlink(path))
        elif path.is_dir():
            seen[name] = ("folder",)
        else:
            seen[name] = ("file", path.stat().st_mode & 0o777, path.read_bytes())
    return seen


def different(one, other):
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    JSONC += sys.argv[2:]
    sys.exit(main(sys.argv[1]))
