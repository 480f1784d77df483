"""The programs that are compared: how each is started, indexes, and is asked.

A program runs with a home of its own in a copy of a project. Answers are converted to one form, so that everything
else treats all programs alike. Where a program has several tools for a question, the one is asked that its own
documentation recommends for it.
"""

import dataclasses
import json
import os
import pathlib
import re
import subprocess

from session import Failure, Session

# Seconds that one call may take.
LIMIT_S = 600
# Results of a search that are asked for.
RESULTS = 10
MAX_CALLERS = 200
# Variables without which registries and certificates are not found.
PASSED_ON = ("PATH", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE")


@dataclasses.dataclass(frozen=True)
class Hit:
    path: str
    start: int | None = None
    end: int | None = None


@dataclasses.dataclass(frozen=True)
class Caller:
    """A function that calls another, in the form that `tests/precise` judges."""

    path: str
    line: int
    name: str
    # Lines of the calls, if the program reports them.
    calls: tuple = ()
    # The program does not mark it as a guess.
    is_sure: bool = True


class Unsupported(Exception):
    """A question for which a program has no tool."""


class Program:
    """One program in one copy of a project."""

    name = ""
    # Answers come while the index is being made.
    answers_early = False
    # Languages that it analyses by itself, without tools that the comparison does not install; all by default.
    languages = None
    has_index = True
    has_search = True
    has_callers = True
    # The reason why it is installed only if the person who runs the comparison confirms that the licence allows it.
    restriction = None
    # The folder in its home for files that it downloads once per user.
    downloads = None
    notes = ""

    def __init__(self, installation, home, project):
        self.installation = installation
        self.home = home
        self.project = project
        home.mkdir(parents=True, exist_ok=True)
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self.variables = passed | {
            "HOME": str(home),
            "DO_NOT_TRACK": "1",
            **self.settings(),
        }
        self.log = home / "stderr.log"
        self.prepare()

    def prepare(self):
        """Puts files into the home that a user would already have."""

    def settings(self):
        return {}

    def command(self):
        raise NotImplementedError

    def start(self):
        return Session(self.command(), str(self.project), self.variables, self.log, LIMIT_S)

    def index(self, session):
        """Makes the index, and returns once it is complete."""

    def search(self, session, query):
        raise Unsupported

    def ask(self, session, question):
        """Returns whether anything is found for a question, by default by its search."""
        return bool(self.search(session, question))

    def callers(self, session, symbol):
        raise Unsupported

    def finds(self, session, name):
        """Whether a function of this name, which was just written, is found."""
        raise Unsupported

    def after_edit(self, session, path):
        """Tells the program about an edit, if it does not notice edits by itself."""

    def run(self, *command):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.project,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
        if done.returncode:
            raise Failure(f"{command[0]}: {(done.stderr or done.stdout).strip()[-300:]}")
        return done.stdout

    def relative(self, path):
        path = str(path)
        return os.path.relpath(path, self.project) if os.path.isabs(path) else path


class Claudevil(Program):
    name = "claudevil"
    answers_early = True

    def settings(self):
        return {"CLAUDEVIL_HOME": str(self.home / "s")}

    def command(self):
        return [self.installation / "claudevil-mcp", "--toolsets", "all"]

    def index(self, session):
        session.call("reindex", wait=True)
        while True:
            status = json.loads(self.run(self.installation / "claudevil", "status", str(self.project), "--json"))
            index = status["roots"][0].get("index") or {}
            # Vectors come after the rest.
            if index.get("vectors") == index.get("chunks"):
                return

    def search(self, session, query):
        found = json.loads(session.call("search", query=query, limit=RESULTS, format="json"))["results"]
        return [Hit(one["path"], one.get("start_line"), one.get("end_line")) for one in found]

    def callers(self, session, symbol):
        arguments = {"path": symbol["path"], "line": symbol["line"], "depth": 1}
        arguments |= {"limit": MAX_CALLERS, "max_tokens": 10000, "format": "json"}
        found, cursor = [], {}
        while True:
            page = json.loads(session.call("find_callers", **arguments, **cursor))
            found += page["callers"]
            if not page.get("cursor"):
                break
            cursor = {"cursor": page["cursor"]}
        return [
            Caller(one["path"], one["line"], one["name"], tuple(one["call_lines"]), one["resolution"] == "resolved")
            for one in found
        ]

    def finds(self, session, name):
        try:
            found = json.loads(session.call("find_symbol", name=name, format="json"))["symbols"]
        except Failure:
            return False
        return any(one["name"] == name for one in found)


class CodeGraph(Program):
    name = "CodeGraph"
    FILE = re.compile(r"^\*\*`(.+?)`\*\* — ", re.MULTILINE)
    LINE = re.compile(r"^(\d+)\t", re.MULTILINE)
    CALLER = re.compile(r"^- (\S+) \((\w+)\) - (.+?):(\d+)", re.MULTILINE)
    DEFINITION = re.compile(r"^\*\*\S+\*\* \(\w+\) — (.+?):(\d+)$", re.MULTILINE)

    def settings(self):
        return {"CODEGRAPH_TELEMETRY": "0", "CODEGRAPH_MCP_TOOLS": "explore,search,callers"}

    def command(self):
        return [self.installation / "node_modules/.bin/codegraph", "serve", "--mcp"]

    def start(self):
        if not (self.project / ".codegraph").exists():
            self.run(self.installation / "node_modules/.bin/codegraph", "init", self.project)
        return super().start()

    def search(self, session, query):
        text = session.call("codegraph_explore", query=query)
        parts = self.FILE.split(text)
        hits = []
        for path, source in zip(parts[1::2], parts[2::2]):
            lines = list(map(int, self.LINE.findall(source)))
            hits.append(Hit(path, min(lines), max(lines)) if lines else Hit(path))
        return hits[:RESULTS]

    def callers(self, session, symbol):
        arguments = {"symbol": symbol["name"], "file": symbol["path"], "limit": MAX_CALLERS}
        text = session.call("codegraph_callers", **arguments)
        # Definitions of the same name have a list each.
        parts = self.DEFINITION.split(text)
        lists = {(path, int(line)): part for path, line, part in zip(parts[1::3], parts[2::3], parts[3::3])}
        if lists:
            same = [place for place in lists if place[0] == symbol["path"]]
            nearest = min(same, key=lambda place: abs(place[1] - symbol["line"]), default=None)
            text = lists.get(nearest, "")
        return [
            Caller(path, int(line), name)
            for name, kind, path, line in self.CALLER.findall(text)
            if kind not in ("file", "module")
        ]

    def finds(self, session, name):
        return f"**{name}**" in session.call("codegraph_search", query=name)


class JCodeMunch(Program):
    name = "jCodeMunch"
    restriction = "its licence is free for noncommercial use only"
    notes = "is told of every edit by `index_file`, as its hook does"

    def settings(self):
        return {"JCODEMUNCH_SHARE_SAVINGS": "0"}

    def command(self):
        return [self.installation / "bin/jcodemunch-mcp"]

    def order(self, session, action, **arguments):
        return json.loads(session.call("order", action=action, args=arguments, allow_state_change=True))

    def index(self, session):
        self.repository = self.order(session, "index_folder", path=str(self.project))["repo"]
        self.outlines = {}

    def symbols(self, session, query):
        arguments = {"repo": self.repository, "query": query, "max_results": RESULTS, "format": "json"}
        return self.order(session, "search_symbols", **arguments).get("results", [])

    def search(self, session, query):
        return [Hit(one["file"], one["line"], one.get("end_line") or one["line"]) for one in self.symbols(session, query)]

    def callers(self, session, symbol):
        path = symbol["path"]
        if path not in self.outlines:
            arguments = {"repo": self.repository, "file_path": path, "format": "json"}
            self.outlines[path] = list(flattened(self.order(session, "get_file_outline", **arguments)))
        same = [one for one in self.outlines[path] if one["name"] == symbol["name"]]
        if not same:
            return []
        nearest = min(same, key=lambda one: abs(one["line"] - symbol["line"]))
        arguments = {"repo": self.repository, "symbol_id": nearest["id"], "direction": "callers", "depth": 1}
        found = self.order(session, "get_call_hierarchy", **arguments, format="json").get("callers", [])
        return [
            Caller(one["file"], one["line"], one["name"], is_sure=one["resolution"] != "text_matched") for one in found
        ]

    def finds(self, session, name):
        return any(one["name"] == name for one in self.symbols(session, name))

    def after_edit(self, session, path):
        self.order(session, "index_file", path=str(path))


def flattened(value):
    """The symbols of an outline, however deep they lie."""
    if isinstance(value, dict):
        if {"id", "name", "line"} <= value.keys():
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from flattened(one)


class Serena(Program):
    name = "Serena"
    languages = ("python", "typescript")
    has_search = False
    downloads = "language_servers"
    notes = "has no search for questions; every session starts language servers of its own"

    def settings(self):
        path = f"{self.installation / 'bin'}{os.pathsep}{os.environ['PATH']}"
        caches = {"UV_CACHE_DIR": "uv", "PYRIGHT_PYTHON_CACHE_DIR": "pyright", "npm_config_cache": "npm"}
        return {"PATH": path} | {name: str(self.installation / folder) for name, folder in caches.items()}

    def command(self):
        command = [self.installation / "bin/serena", "start-mcp-server", "--project", self.project]
        # Its default is one tool that executes Python; each operation is a tool of its own here.
        command += ["--agent-interface", "tools", "--context", "ide-assistant"]
        return [*command, "--enable-web-dashboard", "false", "--enable-gui-log-window", "false"]

    def prepare(self):
        # Language servers, which it installs once for a user.
        servers = self.installation / "language_servers"
        if servers.exists():
            (self.home / ".serena").mkdir()
            (self.home / ".serena/language_servers").symlink_to(servers)

    def index(self, session):
        self.found(session, "main", None)

    def ask(self, session, question):
        self.found(session, question.split()[-1], None)
        return True

    def found(self, session, name, path):
        within = {"relative_path": path} if path else {}
        return json.loads(session.call("find_symbol", name_path_pattern=name, **within))

    def callers(self, session, symbol):
        same = self.found(session, symbol["name"], symbol["path"])
        if not same:
            return []
        line = symbol["line"] - 1
        nearest = min(same, key=lambda one: abs(one["body_location"]["start_line"] - line))
        arguments = {"name_path": nearest["name_path"], "relative_path": symbol["path"]}
        answer = json.loads(session.call("find_referencing_symbols", **arguments, max_answer_chars=2_000_000))
        callers = []
        for path, kinds in answer.items():
            for one in (one for several in kinds.values() for one in several):
                start = one.get("body_location", {}).get("start_line")
                used = re.search(r"^\s*> *(\d+):", one.get("content_around_reference", ""), re.MULTILINE)
                calls = (int(used[1]) + 1,) if used else ()
                callers.append(Caller(path, (start if start is not None else -1) + 1, one["name_path"].split("/")[-1], calls))
        return callers

    def finds(self, session, name):
        return bool(self.found(session, name, None))


class Semble(Program):
    name = "Semble"
    has_callers = False

    def settings(self):
        model = self.installation / "stand-in-model"
        return {"SEMBLE_CACHE_LOCATION": str(self.home / "cache")} | (
            {"SEMBLE_MODEL_NAME": str(model), "HF_HUB_OFFLINE": "1"} if model.exists() else {}
        )

    def command(self):
        if (self.installation / "stand-in-model").exists():
            return [self.installation / "bin/python", pathlib.Path(__file__).with_name("semble_words.py")]
        return [self.installation / "bin/semble"]

    def index(self, session):
        self.found(session, "main")

    def found(self, session, query):
        whole = {"max_snippet_lines": None}
        text = session.call("search", query=query, repo=str(self.project), top_k=RESULTS, **whole)
        try:
            return json.loads(text).get("results", [])
        except ValueError:
            raise Failure(text[:300])

    def search(self, session, query):
        return [Hit(self.relative(one["file_path"]), one["start_line"], one["end_line"]) for one in self.found(session, query)]

    def finds(self, session, name):
        return any(name in one.get("content", "") for one in self.found(session, name))


class Probe(Program):
    name = "Probe"
    has_index = False
    has_callers = False
    notes = "has no index and no process that stays: every question is a run of its command"

    def start(self):
        return NoSession()

    def found(self, query):
        words = ["search", query, self.project, "--format", "json", "--max-results", RESULTS]
        return json.loads(self.run(self.installation / "probe", *words) or "{}").get("results", [])

    def search(self, session, query):
        return [Hit(self.relative(one["file"]), *one["lines"]) for one in self.found(query)]

    def finds(self, session, name):
        return any(name in one.get("code", "") for one in self.found(name))


class NoSession:
    """Stands for the session with a program that is run once per question."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


PROGRAMS = (Claudevil, CodeGraph, JCodeMunch, Semble, Serena, Probe)
