"""Scores answers against those of a language server.

References are compared by path and line, callers by path and the line of their name, or by the lines of their calls.
Not judged are answers in files that the server was not asked about, and lines that declare the symbol: a declaration is
a reference only to some.
"""

import collections
import dataclasses
import json
import pathlib
import re

import claudevil
import editor
from truth import git

HIGH = 0.8
# The part of the answers that each row of the table counts.
REFERENCE_VIEWS = {
    "all": lambda one: True,
    "no mentions": lambda one: one.role != "mention",
    "medium": lambda one: one.confidence >= editor.MEDIUM,
    "high": lambda one: one.confidence >= HIGH,
    "resolved": lambda one: one.resolution == "resolved",
}
# Callers have no confidence: they get that of the references on the lines of their calls.
CALLER_VIEWS = {
    "all": lambda one, trusted: True,
    "medium": lambda one, trusted: not trusted.isdisjoint((one.path, line) for line in one.calls),
    "resolved": lambda one, trusted: one.resolution == "resolved",
}
# The results that an editor gets, which shows no confidence.
EDITOR_VIEW = "in an editor"
# The view that compares kinds and finds the worst symbols.
MAIN_VIEW = "medium"
# A caller may begin a few lines above its name, with attributes or a template's parameters.
NEAR_LINES = 5
# Callers that are no symbols: code of a file outside all functions.
NO_SYMBOL = {"file", "module"}
MAX_LINES = 8
WORD = re.compile(r"\w+")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The right, false and missing answers for one symbol."""

    right: frozenset
    false: frozenset
    missing: frozenset

    @property
    def precision(self):
        return ratio(len(self.right), len(self.right) + len(self.false))

    @property
    def recall(self):
        return ratio(len(self.right), len(self.right) + len(self.missing))

    @property
    def f1(self):
        return f1_of(len(self.right), len(self.false), len(self.missing))


def ratio(part, whole):
    """None where there is nothing to be right about."""
    return part / whole if whole else None


def f1_of(right, false, missing):
    """1 if nothing was to be found and nothing was."""
    return ratio(2 * right, 2 * right + false + missing) if right + false + missing else 1.0


def judge_references(symbol, found, files):
    """Compares lines of answers with lines of the truth."""
    true = {(path, line) for path, line, _ in symbol["references"]}
    declared = {(path, line) for path, line, _ in symbol["declarations"]} - true
    given = {(one.path, one.line) for one in found if one.path in files} - declared
    return Outcome(frozenset(given & true), frozenset(given - true), frozenset(true - given))


def judge_callers(symbol, found, files):
    """Pairs callers: those on the same line, then those of the same name nearby, then those that make the same call.

    The last is for servers that name a closure where others name the function around it. Functions that only mention the
    symbol are not judged, nor are calls for which the server knows a use and names no caller: in the body of a test that a
    macro makes, or outside all functions.
    """
    known = {
        (path, line): (last_name(name), is_call, set(calls))
        for path, line, name, kind, is_call, calls in symbol["callers"]
        if kind not in NO_SYMBOL
    }
    given = {(one.path, one.line): one for one in found if one.path in files}
    pairs = {place: place for place in given if place in known}
    for place in sorted(set(given) - set(pairs)):
        waiting = set(known) - set(pairs.values())
        name = last_name(given[place].name)
        near = [true for true in sorted(waiting) if known[true][0] == name and is_near(true, place)]
        if near:
            pairs[place] = near[0]
    right = set(pairs.values())
    for place, one in given.items():
        same = {true for true in known if true[0] == place[0] and known[true][2].intersection(one.calls)}
        if same:
            pairs.setdefault(place, place)
            right |= same
    used = {(path, line) for path, line, _ in symbol["references"]}
    others = set(given) - set(pairs)
    false = {place for place in others if used.isdisjoint((place[0], line) for line in given[place].calls)}
    calling = {place for place, (_, is_call, _) in known.items() if is_call}
    return Outcome(frozenset(calling & right), frozenset(false), frozenset(calling - right))


def is_near(one, other):
    return one[0] == other[0] and abs(one[1] - other[1]) <= NEAR_LINES


def last_name(name):
    """Returns the last part of a name: `Get` of `DBImpl::Get`, `Use` of `(*Mux).Use` and `Mux.Use(handlers)`."""
    words = re.findall(r"\w+", re.sub(r"(?<=\w)[(<].*", "", name))
    return words[-1] if words else name


def figures(outcomes):
    """Precision, recall and F1: of all lines together, and of symbols in the mean."""
    counts = [sum(len(getattr(one, part)) for one in outcomes) for part in ("right", "false", "missing")]
    right, false, missing = counts
    return {
        "micro": (ratio(right, right + false), ratio(right, right + missing), f1_of(*counts)),
        "macro": tuple(mean([getattr(one, part) for one in outcomes]) for part in ("precision", "recall", "f1")),
        "counts": counts,
    }


def mean(values):
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


@dataclasses.dataclass
class Asked:
    """A symbol of the truth and what claudevil said of it."""

    symbol: dict
    references: claudevil.Answer
    callers: claudevil.Answer | None

    def outcome(self, view, files):
        found = self.references.found
        shown = editor.shown_references(found) if view == EDITOR_VIEW else filter(REFERENCE_VIEWS[view], found)
        return judge_references(self.symbol, shown, files)

    def caller_outcome(self, view, files):
        found = self.callers.found
        if view == EDITOR_VIEW:
            return judge_callers(self.symbol, editor.shown_callers(found, self.references.found), files)
        trusted = {(one.path, one.line) for one in filter(REFERENCE_VIEWS[MAIN_VIEW], self.references.found)}
        return judge_callers(self.symbol, [one for one in found if CALLER_VIEWS[view](one, trusted)], files)


def ask_all(session, symbols):
    for symbol in symbols:
        place = session.address(symbol)
        callers = session.callers(*place) if symbol["callers"] is not None else None
        yield Asked(symbol, session.references(*place), callers)


def run(asked):
    truth = json.loads(asked.truth.read_text())
    root = (asked.repo or pathlib.Path(truth["repo"])).resolve()
    if git(root, "rev-parse", "HEAD").strip() != truth["commit"]:
        print(f"warning: the truth is of commit {truth['commit']}, the checkout is not")
    symbols = [symbol for symbol in truth["symbols"] if asked.kind in (None, symbol["kind"])]
    with claudevil.Claudevil(asked.bin, root) as session:
        session.index()
        answers = list(ask_all(session, symbols))
        if asked.through == "lsp":
            with editor.Editor(session) as other:
                shown = list(ask_all(other, symbols))
    files = frozenset(truth["files"])
    source = Source(root)
    print(f"{root.name}, {truth['server']}: {len(symbols)} symbols in {len(files)} files")
    rows = {"the name alone": figures(by_name(symbols, files, source))} | table(answers, files)
    print(written(rows))
    print(notes(answers, files, session.seconds))
    for text in misses(answers, files, source, asked.misses):
        print(text)
    if asked.json:
        stored = {"figures": rows, "answers": list(map(dataclasses.asdict, answers))}
        asked.json.write_text(json.dumps(stored, indent=1))
    if asked.through == "lsp":
        return compare_with_editor(answers, shown, files, other.seconds)
    return 0


def compare_with_editor(answers, shown, files, seconds):
    """Prints the same table for answers of the language server, and where they differ from those of the tools."""
    print("\nthrough the language server")
    print(written(editor_table(shown, files)))
    print(notes(shown, files, seconds))
    is_meant = [one.references.symbol in (None, one.symbol["name"]) for one in answers]
    if not all(is_meant):
        # A line in a function means the function to a tool, and a name in it to an editor.
        print(f"not compared: {is_meant.count(False)} constants of functions, which tools cannot be asked about")
    pairs = [pair for pair, meant in zip(zip(answers, shown), is_meant) if meant]
    differing = list(differences(pairs))
    print(f"symbols of which an editor is told something else: {len(differing)}")
    for text in differing[:MAX_LINES]:
        print(text)
    return int(bool(differing))


def differences(pairs):
    """Yields a line for each symbol whose references or callers differ between the tools and the language server."""
    for one, other in pairs:
        found = one.references.found
        pairs = [(places(editor.shown_references(found)), places(other.references.found))]
        if one.callers and not one.callers.cut:
            pairs.append((call_places(editor.shown_callers(one.callers.found, found)), call_places(other.callers.found)))
        for what, (given, told) in zip(("references", "callers"), pairs):
            if given != told:
                lacks, adds = (", ".join(f"{path}:{line}" for path, line in sorted(some)[:MAX_LINES]) or "none"
                               for some in (given - told, told - given))
                yield f"  {place(one.symbol)} {one.symbol['name']}, {what}: lacks {lacks}; adds {adds}"


def by_name(symbols, files, source):
    """Returns the figures of an answer that lists every line with the word: the baseline."""
    places = {symbol["name"]: [] for symbol in symbols}
    for path in files:
        for number, line in enumerate(source.lines(path), 1):
            for name in places.keys() & set(WORD.findall(line)):
                places[name].append(claudevil.Reference(path, number, "mention", 0.0, "name_only", "the word"))
    return [judge_references(symbol, places[symbol["name"]], files) for symbol in symbols]


def places(references):
    return {(one.path, one.line) for one in references}


def call_places(callers):
    """The lines of calls: a caller outside all functions is a file to an editor, and a line to a tool."""
    return {(one.path, line) for one in callers for line in one.calls}


def editor_table(answers, files):
    """Figures of what an editor is given."""
    rows = {f"references, {EDITOR_VIEW}": figures([one.outcome(EDITOR_VIEW, files) for one in answers])}
    if whole := [one for one in answers if one.callers and not one.callers.cut]:
        rows[f"callers, {EDITOR_VIEW}"] = figures([one.caller_outcome(EDITOR_VIEW, files) for one in whole])
    return rows


def table(answers, files):
    """Figures by the name of their row."""
    rows = {}
    for view in REFERENCE_VIEWS:
        rows[f"references, {view}"] = figures([one.outcome(view, files) for one in answers])
    for kind in sorted({one.symbol["kind"] for one in answers}):
        outcomes = [one.outcome(MAIN_VIEW, files) for one in answers if one.symbol["kind"] == kind]
        rows[f"  {MAIN_VIEW}, of a {kind}"] = figures(outcomes)
    # A truncated answer says nothing about what it leaves out.
    whole = [one for one in answers if one.callers and not one.callers.cut]
    for view in CALLER_VIEWS if whole else []:
        rows[f"callers, {view}"] = figures([one.caller_outcome(view, files) for one in whole])
    return rows | editor_table(answers, files)


def written(rows):
    lines = [f"{'':28} {'micro':^17} {'macro':^17} {'':>20}"]
    lines.append(f"{'':28} {'P     R     F1':^17} {'P     R     F1':^17} {'right':>6} {'false':>6} {'missing':>7}")
    for name, row in rows.items():
        shares = " ".join(f"{'-' if value is None else f'{value:.3f}':>5}" for value in (*row["micro"], *row["macro"]))
        lines.append(f"{name:28} {shares} {row['counts'][0]:6} {row['counts'][1]:6} {row['counts'][2]:7}")
    return "\n".join(lines)


def notes(answers, files, seconds):
    """What the table leaves out."""
    both = [answer for one in answers for answer in (one.references, one.callers) if answer]
    errors = collections.Counter(answer.error for answer in both if answer.error)
    others = [one for one in answers if one.references.symbol not in (None, one.symbol["name"])]
    elsewhere = sum(found.path not in files for one in answers for found in one.references.found)
    cut = sum(answer.cut for answer in both)
    lines = [f"not judged: {elsewhere} references in files that the server was not asked about"]
    if errors:
        lines.append(f"errors, counted as empty answers: {dict(errors)}")
        lines += sorted({f"  {answer.message.splitlines()[0]}" for answer in both if answer.error})[:MAX_LINES]
    if others:
        examples = ", ".join(f"{place(one.symbol)} → {one.references.symbol}" for one in others[:3])
        lines.append(f"taken for another symbol: {len(others)} ({examples})")
    if cut:
        lines.append(f"cut answers without a next page: {cut}; callers among them are left out")
    if reasons := missing_by_reason(answers, files):
        lines.append(f"missing at {MAIN_VIEW}, by what was said of them: {dict(reasons.most_common())}")
    for tool, times in seconds.items():
        lines.append(f"{tool}: {len(times)} calls, median {sorted(times)[len(times) // 2] * 1000:.1f} ms")
    return "\n".join(lines)


def missing_by_reason(answers, files):
    """How many lines are missing in the main view: not said at all, or said with too little confidence."""
    reasons = collections.Counter()
    for one in answers:
        said = {(found.path, found.line): found.reason for found in one.references.found}
        reasons.update(said.get(place, "nothing") for place in one.outcome(MAIN_VIEW, files).missing)
    return reasons


def misses(answers, files, source, most):
    """The symbols with most wrong and missing lines, and these lines; then the same of callers."""

    def why(one):
        return f"{one.confidence} {one.role} {one.resolution}: {one.reason}"

    def why_calls(one):
        return f"{one.name}, {one.resolution}: {one.reason}"

    judged = [(one.symbol, one.outcome(MAIN_VIEW, files), one.references.found, why) for one in answers]
    yield from worst(judged, "reference", source, most)
    judged = [
        (one.symbol, one.caller_outcome(MAIN_VIEW, files), one.callers.found, why_calls)
        for one in answers
        if one.callers and not one.callers.cut
    ]
    yield from worst(judged, "caller", source, most)


def worst(judged, what, source, most):
    for symbol, outcome, found, why in sorted(judged, key=lambda one: -len(one[1].false) - len(one[1].missing))[:most]:
        if not outcome.false and not outcome.missing:
            return
        counts = f"{len(outcome.right)} right, {len(outcome.false)} false, {len(outcome.missing)} missing"
        lines = [f"\n{place(symbol)} {symbol['kind']} {symbol['name']}, {what}s: {counts}"]
        said = {(one.path, one.line): f"  [{why(one)}]" for one in found}
        for sign, places in (("+", outcome.false), ("-", outcome.missing)):
            for path, line in sorted(places)[:MAX_LINES]:
                lines.append(f"  {sign} {path}:{line}: {source.line(path, line)}{said.get((path, line), '')}")
            if len(places) > MAX_LINES:
                lines.append(f"  {sign} and {len(places) - MAX_LINES} more")
        yield "\n".join(lines)


def place(symbol):
    return f"{symbol['path']}:{symbol['line']}"


class Source:
    """Lines of files, to be printed."""

    def __init__(self, root):
        self.root = root
        self.texts = {}

    def lines(self, path):
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text(encoding="utf-8", errors="replace").split("\n")
        return self.texts[path]

    def line(self, path, number):
        lines = self.lines(path)
        return lines[number - 1].strip()[:100] if number <= len(lines) else ""
