"""Asks a precise language server about symbols that are taken evenly from the files of a repository.

Lines and columns in the stored truth begin with 1, columns count UTF-16 units; paths are relative to the repository.
"""

import fnmatch
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

import lsp
import servers

# The protocol's numbers of kinds. What is not here is not taken: fields, variables, constructors, parameters.
KINDS = {5: "class", 10: "class", 11: "class", 23: "class", 6: "method", 12: "function", 14: "constant"}
CALLABLE = {"function", "method"}
FUNCTION = 12
# What is declared rather than used where its name stands: classes, methods, constructors, functions.
DECLARED = {5, 6, 9, 10, 11, 12, 23}
# The line of a `typedef`, or the end of one that goes over several lines.
TYPEDEF = re.compile(r"\s*(typedef\b|\})")
# Modules and types. A constant in something else is a local variable to most; a method in something else belongs to a
# mere value, and is related to others by its name and the shape of the value.
CONTAINERS = {2, 3, 4, 5, 10, 11, 19, 23}
KIND_NAMES = {1: "file", 2: "module", 3: "module", 4: "module", 6: "method", 9: "constructor", 12: "function"}
SHORTEST_NAME = 3
# Where an operator of C++ is used, its name is not; where a class is called, some servers do not see its constructor.
NOT_TAKEN = {"operator", "__init__", "__new__"}
READY_LIMIT_S = 1500
ARGUMENTS = re.compile(r"\s*(::)?\s*(<[^()]*>|\[[^()]*\])?\s*[(`]")
IDENTIFIER = re.compile(r"[^\W\d]\w*")
# A name that only stands for another module is not a symbol of its own.
IMPORT = re.compile(r"=\s*require\(['\"]")
# A pattern that takes names out of an object, one on each line.
PATTERN = re.compile(r"\b(const|let|var)\s*\{\s*$")
PATTERN_NAME = re.compile(r"\s*\w+,?\s*$")
# A line of CommonJS on which one name stands for another: `exports.open = open`, `const open = require("./a").open`.
PASSES_ON = re.compile(r"\bexports\b.*=|=\s*require\(")
# The variable that such a line declares, under whatever name.
TAKEN_AS = re.compile(r"\b(?:const|let|var)\s+(?P<name>[\w$]+)\s*=\s*require\(")
MAX_LINES = 100


def make(asked):
    """The truth of one repository, ready to be stored."""
    server = servers.SERVERS[asked.server]
    root = asked.repo.resolve()
    files = source_files(root, server, asked.only, asked.skip)
    if asked.built:
        files = only_built(files, root, json.loads(asked.built.read_text()))
    settings, options = servers.configured(server, asked.set)
    command = [*(asked.command.split() if asked.command else server.command), *asked.argument]
    command[0] = shutil.which(command[0]) or command[0]
    started = time.monotonic()
    with open(asked.log, "wb") as log, lsp.Client(command, root, settings, options, log) as client:
        asking = Asking(client, server, files)
        asking.prepare()
        ready = time.monotonic()
        chance = random.Random(asked.seed)
        candidates = asking.candidates(chance.sample(sorted(files), min(asked.files, len(files))))
        listed = time.monotonic()
        tell(f"{len(files)} files, {sum(map(len, candidates.values()))} candidates")
        symbols = asking.sample(candidates, asked.sample, chance)
        done = time.monotonic()
    return {
        "server": asked.server,
        "version": version(server),
        "repo": str(root),
        "commit": git(root, "rev-parse", "HEAD").strip(),
        "seed": asked.seed,
        "seconds": {
            "ready": round(ready - started, 1),
            "candidates": round(listed - ready, 1),
            "questions": round(done - listed, 1),
        },
        "candidates": sum(map(len, candidates.values())),
        "files": sorted(files),
        "symbols": symbols,
    }


def source_files(root, server, only, skip):
    """Tracked files in the server's languages, as {path: language}."""
    found = {}
    for path in git(root, "ls-files", "-z").split("\0"):
        language = server.languages.get(pathlib.PurePosixPath(path).suffix)
        wanted = not only or any(fnmatch.fnmatch(path, glob) for glob in only)
        if language and wanted and not any(fnmatch.fnmatch(path, glob) for glob in skip):
            if (root / path).is_file() and not (root / path).is_symlink():
                found[path] = language
    return found


def only_built(files, root, commands):
    """Returns headers, and the sources in the compilation database: clangd knows nothing about others."""
    built = {pathlib.Path(one["directory"], one["file"]).resolve() for one in commands}
    return {
        path: language
        for path, language in files.items()
        if pathlib.PurePosixPath(path).suffix.startswith(".h") or (root / path).resolve() in built
    }


class Asking:
    """The questions to one server about one repository."""

    def __init__(self, client, server, files):
        self.client = client
        self.server = server
        self.files = files
        self.texts = {}
        # Where names are declared, and which of them are names of types.
        self.declared = set()
        self.types = set()

    def prepare(self):
        """Opens what has to be open and waits until everything is known."""
        for path in self.files if self.server.open_all else list(self.files)[:1]:
            self.open(path)
        self.client.wait_ready(self.server.begins_within, READY_LIMIT_S)

    def open(self, path):
        if path not in self.texts:
            self.texts[path] = self.client.open(path, self.files[path]).split("\n")
        return self.texts[path]

    def close(self, path):
        if not (self.server.open_all or self.server.keep_open) and self.texts.pop(path, None):
            self.client.close(path)

    def candidates(self, paths):
        """Per file the symbols that may be asked for: {path: [(line, column, name, kind)]}."""
        found = {}
        for path in paths:
            lines = self.open(path)
            try:
                symbols = self.client.request("textDocument/documentSymbol", {"textDocument": self.document(path)})
            except (lsp.ServerError, TimeoutError) as error:
                tell(f"{path}: {error}")
                symbols = []
            self.note_declarations(path, symbols or [], lines)
            one_per_line = {}
            for symbol in pick(symbols or [], lines, self.server.needs_body):
                one_per_line.setdefault(symbol[0], []).append(symbol)
            # Two symbols on a line cannot be told apart by path and line.
            found[path] = [alone for alone, *others in one_per_line.values() if not others]
            self.close(path)
        return found

    def note_declarations(self, path, symbols, lines):
        for symbol in symbols:
            start = symbol.get("selectionRange", symbol.get("range") or symbol["location"]["range"])["start"]
            place = path, start["line"] + 1, start["character"] + 1
            if symbol["kind"] in DECLARED:
                self.declared.add(place)
            if KINDS.get(symbol["kind"]) == "class":
                self.types.add((place, symbol["name"], bool(TYPEDEF.match(lines[start["line"]]))))
            self.note_declarations(path, symbol.get("children") or [], lines)

    def tags(self, path, line, column, name):
        """The names of a type that is a `struct` and a `typedef` of one name, which are two symbols to some."""
        alike = {(place, typedef) for place, own, typedef in self.types if own == name and place[0] == path}
        own = (path, line + 1, column + 1)
        return [place for place, _ in alike - {(own, True), (own, False)}] if any(typedef for _, typedef in alike) else []

    def sample(self, candidates, wanted, chance):
        """Goes around the files and takes one symbol of each that is used, until there are enough."""
        waiting = {path: chance.sample(found, len(found)) for path, found in candidates.items() if found}
        order = chance.sample(sorted(waiting), len(waiting))
        taken = []
        try:
            while len(taken) < wanted and any(waiting.values()):
                for path in order:
                    if len(taken) < wanted and (symbol := self.next_used(path, waiting[path])):
                        taken.append(symbol)
                        if len(taken) % 20 == 0:
                            tell(f"{len(taken)} of {wanted} symbols")
        except OSError as error:
            # What a server said before it broke is as true as ever.
            tell(f"{len(taken)} of {wanted} symbols, and no more: {error}")
        return sorted(taken, key=lambda one: (one["path"], one["line"]))

    def next_used(self, path, waiting):
        """The next symbol of a file that has references, if there is one."""
        try:
            while waiting:
                self.open(path)
                try:
                    if symbol := self.ask(path, *waiting.pop()):
                        return symbol
                except (lsp.ServerError, TimeoutError) as error:
                    tell(f"{path}: {error}")
            return None
        finally:
            self.close(path)

    def ask(self, path, line, column, name, kind):
        position = {"textDocument": self.document(path), "position": {"line": line, "character": column}}
        references = self.references(position, declarations=False)
        itself = (path, line + 1, column + 1)
        references.discard(itself)
        if not references:
            return None
        every = self.references(position, declarations=True)
        for _, other_line, other_column in self.tags(path, line, column, name) if kind == "class" else []:
            start = {"line": other_line - 1, "character": other_column - 1}
            other = {"textDocument": self.document(path), "position": start}
            references |= self.references(other, declarations=False)
            every |= self.references(other, declarations=True)
        # A constructor names its class, and a method overrides another, where they are declared: that is no use to most.
        every |= references & self.declared
        references -= self.declared
        if not references:
            return None
        if self.server.passes_on:
            references |= self.passed_on(name, references | every)
        called = self.called(position)
        # A constant that is a function: `const run = () => …`.
        if kind == "constant" and any(item["kind"] == FUNCTION and starts_at(item, line, column) for item in called):
            kind = "function"
        return {
            "path": path,
            "line": line + 1,
            "column": column + 1,
            "name": name,
            "kind": kind,
            "references": sorted(references),
            "declarations": sorted((every | {itself}) - references),
            # Without a hierarchy for a symbol, the server does not claim that nobody calls it.
            "callers": self.callers(called, name) if kind in CALLABLE and called else None,
        }

    def passed_on(self, name, known):
        """References to what the server holds to be other symbols, because a module gives or takes the name."""
        found, waiting, asked = set(known), sorted(known), set()
        while waiting and len(asked) < MAX_LINES:
            path, line, _ = waiting.pop()
            text = self.lines(path)[line - 1]
            if (path, line) in asked or not PASSES_ON.search(text):
                continue
            asked.add((path, line))
            starts = {place.start() for place in re.finditer(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text)}
            taken = TAKEN_AS.search(text)
            for character in sorted(starts | ({taken.start("name")} if taken else set())):
                start = {"line": line - 1, "character": character}
                position = {"textDocument": self.document(path), "position": start}
                new = self.references(position, declarations=True) - found
                found |= new
                waiting += sorted(new)
        return found - known

    def references(self, position, declarations):
        params = position | {"context": {"includeDeclaration": declarations}}
        found = self.client.request("textDocument/references", params) or []
        places = ((self.inside(one["uri"]), one["range"]["start"]) for one in found)
        return {(path, start["line"] + 1, start["character"] + 1) for path, start in places if path}

    def called(self, position):
        """What is called by the name at a position."""
        try:
            return self.client.request("textDocument/prepareCallHierarchy", position) or []
        except lsp.ServerError:
            # Some say so of everything that is not a function.
            return []

    def callers(self, called, name):
        """Returns the callers: path, line of the name, name, kind, whether there is a call, and the lines of the calls.

        Some servers count every function that mentions a function as its caller.
        """
        found = {}
        for item in called:
            for call in self.client.request("callHierarchy/incomingCalls", {"item": item}) or []:
                one = call["from"]
                path = self.inside(one["uri"])
                if path is None:
                    continue
                place = path, one["selectionRange"]["start"]["line"] + 1
                starts = [span["start"] for span in call["fromRanges"]]
                is_call = any(is_called(name, self.lines(path), start) for start in starts)
                lines = {start["line"] + 1 for start in starts}
                *same, called_before, before = found.get(
                    place, (*place, one["name"], KIND_NAMES.get(one["kind"], "other"), False, [])
                )
                found[place] = (*same, called_before or is_call, sorted(lines.union(before)))
        return sorted(found.values())

    def lines(self, path):
        return self.texts.get(path) or lsp.text_of(self.client.root / path).split("\n")

    def inside(self, uri):
        path = lsp.path_of(uri, self.client.root)
        return path if path in self.files else None

    def document(self, path):
        return {"uri": lsp.uri_of(self.client.root / path)}


def pick(symbols, lines, needs_body, around=()):
    """Those of a file's symbols that may be asked for, however deep."""
    for symbol in symbols:
        # The flat form, of servers that know no other.
        span = symbol.get("range") or symbol["location"]["range"]
        start = symbol.get("selectionRange", span)["start"]
        kind = KINDS.get(symbol["kind"])
        name = identifier_at(lines, start["line"], start["character"])
        outside = {"constant": around, "method": around[-1:]}.get(kind, ())
        local = not CONTAINERS.issuperset(outside)
        bodiless = needs_body and kind != "constant" and not has_body(lines, span)
        # A name that the symbol does not have: a callback, a macro that made it, a string as a key.
        fits = name and len(name) >= SHORTEST_NAME and name in IDENTIFIER.findall(symbol["name"])
        imported = kind == "constant" and (IMPORT.search(lines[start["line"]]) or is_taken_out(lines, start["line"]))
        if kind and fits and name not in NOT_TAKEN and not local and not bodiless and not imported:
            yield start["line"], start["character"], name, kind
        yield from pick(symbol.get("children") or [], lines, needs_body, (*around, symbol["kind"]))


def is_taken_out(lines, line):
    """A line is a name in a pattern: the second one of `const {`, `  open,`, `} = require("./store")`."""
    first = next((number for number in range(line, -1, -1) if not PATTERN_NAME.match(lines[number])), 0)
    return first < line and bool(PATTERN.search(lines[first]))


def starts_at(item, line, column):
    return item["selectionRange"]["start"] == {"line": line, "character": column}


def is_called(name, lines, start):
    """Returns whether arguments follow the name at a place, after type arguments if it has any."""
    text = rest_of(lines, start["line"], start["character"]) + " ".join(lines[start["line"] + 1 : start["line"] + 3])
    found = re.search(rf"\b{re.escape(name)}\b", text)
    return bool(found and ARGUMENTS.match(text, found.end()))


def identifier_at(lines, line, column):
    found = IDENTIFIER.match(rest_of(lines, line, column))
    return found.group() if found else None


def rest_of(lines, line, column):
    """Returns the text after a column, which counts UTF-16 units."""
    text = lines[line] if line < len(lines) else ""
    return text.encode("utf-16-le")[2 * column :].decode("utf-16-le", errors="replace")


def has_body(lines, span):
    return any("{" in line for line in lines[span["start"]["line"] : span["end"]["line"] + 1])


def version(server):
    try:
        return subprocess.run(server.version, capture_output=True, text=True).stdout.strip().partition("\n")[0]
    except OSError:
        return "unknown"


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, text=True).stdout


def tell(words):
    print(words, file=sys.stderr, flush=True)
