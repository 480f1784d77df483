"""Asks claudevil over the Language Server Protocol, with the interface of a session over MCP.

An editor shows no confidence, so it gets only results that claudevil is sure enough of.
"""

import collections
import itertools
import time

import claudevil
import lsp

# Minimum confidence of the references that are shown.
MEDIUM = 0.5


class Editor:
    """A language server beside a session over MCP: the same daemon, with the same index."""

    def __init__(self, session):
        self.session = session
        # Seconds of every request, by method.
        self.seconds = collections.defaultdict(list)

    def __enter__(self):
        command = [self.session.binaries / "claudevil-lsp"]
        self.client = lsp.Client(command, self.session.root, {}, {}, None, self.session.variables)
        return self

    def __exit__(self, *end):
        self.client.__exit__(*end)

    @staticmethod
    def address(symbol):
        """Editors ask by the position of a name."""
        return symbol["path"], symbol["line"], symbol["column"]

    def references(self, *at):
        answer = claudevil.Answer()
        asked = {**self.position(*at), "context": {"includeDeclaration": False}}
        found = self.ask("textDocument/references", asked, answer)
        for one in found:
            path, line = self.place(one["uri"], one["range"])
            answer.found.append(claudevil.Reference(path, line, "use", 1.0, "resolved", ""))
        return answer

    def callers(self, *at):
        answer = claudevil.Answer()
        items = self.ask("textDocument/prepareCallHierarchy", self.position(*at), answer)
        calls = (self.ask("callHierarchy/incomingCalls", {"item": item}, answer) for item in items)
        for one in itertools.chain.from_iterable(calls):
            path, line = self.place(one["from"]["uri"], one["from"]["selectionRange"])
            lines = tuple(sorted({1 + found["start"]["line"] for found in one["fromRanges"]}))
            answer.found.append(claudevil.Caller(path, line, one["from"]["name"], "resolved", lines, ""))
        return answer

    def ask(self, method, params, answer):
        """The result, or nothing and the error in the answer."""
        started = time.monotonic()
        try:
            return self.client.request(method, params) or []
        except lsp.ServerError as error:
            answer.error, answer.message = str(error.code), str(error)
            return []
        finally:
            self.seconds[method].append(time.monotonic() - started)

    def place(self, uri, at):
        return lsp.path_of(uri, self.session.root), 1 + at["start"]["line"]

    def position(self, path, line, column):
        document = {"uri": lsp.uri_of(self.session.root / path)}
        return {"textDocument": document, "position": {"line": line - 1, "character": column - 1}}


def shown_references(found):
    """Returns those of the references listed by a tool that an editor gets."""
    sure = [one for one in found if one.confidence >= MEDIUM]
    return sure or [one for one in found if one.role != "mention"]


def shown_callers(found, references):
    """Returns those of the callers listed by a tool that an editor gets: resolved ones, and those with surer calls."""
    sure = {(one.path, one.line) for one in references if one.confidence >= MEDIUM}
    return [
        one
        for one in found
        if one.resolution == "resolved" or not sure.isdisjoint((one.path, line) for line in one.calls)
    ]
