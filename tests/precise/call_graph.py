"""Compares call edges with the call graphs that lie beside small Python programs, as PyCG's benchmark has them.

A folder with a `callgraph.json` is a case: it maps the name of each module, function and method to the names of those
that it calls (`main`, `main.Store.open`, `main.make.<lambda1>`). The counting rules:

- An edge counts if both of its ends are defined in the case and the second is a function. Calls of built-in and external
  functions are not judged, nor are imports, which some graphs have as calls of modules.
- A case is complete if no edge of its graph is missing from the answers, and sound if the answers have no other edge.
- The edges are the direct callers that `find_callers` names for each function and method. Those that are known by the
  name alone do not count; those that are ambiguous by a value that may be one of several do.
- Two kinds of edges are in some graphs and not in others, and are not judged where they are missing: calls that may lead
  to an overriding method (`self.draw()` in a class whose subclasses have a `draw` of their own), and reads of properties.
- Making an object calls the `__init__` that is run for it. A lambda is found if a name is assigned to it; one without a
  name is part of the function around it in claudevil's answers, so that its edges are missing.
"""

import ast
import collections
import json
import pathlib
import shutil
import tempfile

import claudevil

GRAPH = "callgraph.json"
# Parts of the reasons of edges that have nothing but a name, and of those to overriding methods.
BY_NAME = ("share this name",)
BY_DISPATCH = "by dispatch"


class Definitions(ast.NodeVisitor):
    """The modules, functions and lambdas of a case: their names, by path and line, and the lines to ask about."""

    def __init__(self, root):
        self.modules = {}
        self.at_line = {}
        self.targets = {}
        for path in sorted(root.rglob("*.py")):
            self.path = path.relative_to(root).as_posix()
            parts = self.path.removesuffix(".py").split("/")
            self.scope = parts[:-1] if parts[-1] == "__init__" and parts[1:] else parts
            self.modules[self.path] = ".".join(self.scope)
            self.lambdas = collections.Counter()
            self.visit(ast.parse(path.read_text()))

    @property
    def names(self):
        return {*self.modules.values(), *self.targets}

    def visit_inside(self, node, name):
        self.scope = [*self.scope, name]
        self.generic_visit(node)
        self.scope = self.scope[:-1]

    def visit_ClassDef(self, node):
        self.visit_inside(node, node.name)

    def visit_FunctionDef(self, node):
        self.add(node.name, node)
        self.visit_inside(node, node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        scope = ".".join(self.scope)
        self.lambdas[scope] += 1
        name = f"<lambda{self.lambdas[scope]}>"
        self.add(name, node)
        self.visit_inside(node, name)

    def add(self, name, node):
        name = ".".join([*self.scope, name])
        self.at_line[self.path, node.lineno] = name
        self.targets.setdefault(name, []).append((self.path, node.lineno))


def run(asked):
    cases = sorted(path.parent for path in asked.graphs.resolve().rglob(GRAPH))
    if not cases:
        raise SystemExit(f"no {GRAPH} in {asked.graphs}")
    with tempfile.TemporaryDirectory(prefix="cv-cases-") as folder:
        copies = [copy(case, pathlib.Path(folder) / f"{number}") for number, case in enumerate(cases)]
        with claudevil.Claudevil(asked.bin, copies[0]) as session:
            outcomes = {case: judge(session, root) for case, root in zip(cases, copies)}
    report(asked.graphs.resolve(), outcomes, asked.misses)
    return 0


def copy(case, to):
    """Copies a case to a folder that belongs to no other project."""
    shutil.copytree(case, to)
    (to / ".git").mkdir()
    return to


def judge(session, root):
    """Returns the edges inside a case that are right, false and missing."""
    session.root = root
    session.command("roots", "add", str(root), "--json")
    session.command("reindex", "--wait", "--json")
    defined = Definitions(root)
    truth = json.loads((root / GRAPH).read_text())
    true = {(caller, callee) for caller, callees in truth.items() for callee in callees}
    true = {(caller, callee) for caller, callee in true if caller in defined.names and callee in defined.targets}
    given, unjudged = set(), set()
    for callee, places in defined.targets.items():
        for edge, is_judged in edges(session, defined, callee, places):
            (given if is_judged else unjudged).add(edge)
    given |= unjudged & true
    return given & true, given - true, true - given


def edges(session, defined, callee, places):
    for path, line in places:
        answer = session.command("callers", f"{path}:{line}", "--depth", "1", "-n", "200", "--json")
        if answer.get("symbol", {}).get("line") != line:
            continue
        for item in answer["callers"]:
            caller = claudevil.Caller.of(item)
            top = defined.modules.get(caller.path)
            name = top if item["kind"] == "module" else defined.at_line.get((caller.path, caller.line), top)
            if caller.resolution != "name_only" and not any(words in caller.reason for words in BY_NAME):
                is_judged = BY_DISPATCH not in caller.reason and answer["symbol"]["kind"] != "property"
                yield (name, callee), is_judged


def report(root, outcomes, misses):
    groups = collections.defaultdict(list)
    for case, outcome in outcomes.items():
        groups[case.relative_to(root).parts[0]].append(outcome)
    print("| group | cases | complete | sound | precision | recall |\n|---|---|---|---|---|---|")
    for name, group in [*groups.items(), ("all", list(outcomes.values()))]:
        complete = sum(not missing for _, _, missing in group)
        sound = sum(not false for _, false, _ in group)
        right, false, missing = (sum(len(one[part]) for one in group) for part in range(3))
        precision, recall = (right / max(right + other, 1) for other in (false, missing))
        print(f"| {name} | {len(group)} | {complete} | {sound} | {precision:.3f} | {recall:.3f} |")
    wrong = [(case, outcome) for case, outcome in outcomes.items() if outcome[1] or outcome[2]]
    for case, (_, false, missing) in wrong[:misses]:
        print(case.relative_to(root))
        for sign, some in (("+", false), ("-", missing)):
            for caller, callee in sorted(some):
                print(f"  {sign} {caller} -> {callee}")
