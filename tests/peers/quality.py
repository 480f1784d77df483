"""How good answers are: the order of search results, and the callers of functions."""

import collections
import dataclasses
import math
import pathlib
import re
import sys
import time

from measure import quantile
from programs import RESULTS
from session import Failure

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "precise"))

import score  # noqa: E402


# Number of symbols of a truth file whose callers are asked for.
SYMBOLS = 80


def is_same_path(found, target):
    return found == target or found.endswith("/" + target) or target.endswith("/" + found)


def rank(hits, target):
    """The place of the first hit that overlaps a target, or none."""
    for place, hit in enumerate(hits, 1):
        if is_same_path(hit.path, target["path"]):
            if "start" not in target or hit.start is None:
                return place
            if hit.end >= target["start"] and hit.start <= target["end"]:
                return place
    return None


def ndcg(hits, targets):
    """Returns NDCG@10 as `bench relevance` computes it."""
    ranks = {rank(hits[:RESULTS], target) for target in targets} - {None}
    best = sum(1 / math.log2(place + 1) for place in range(1, min(RESULTS, len(targets)) + 1))
    return sum(1 / math.log2(place + 1) for place in ranks) / best


def searched(program, session, queries):
    """NDCG@10 of each query, and its category."""
    rows = []
    for query in queries:
        hits = program.search(session, query["query"])
        rows.append({"category": query["category"], "ndcg": ndcg(hits, query["targets"])})
    return rows


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def headline(rows):
    """The mean over the queries of a repository, then over the repositories of a language, then over languages."""
    by_language = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        by_language[row["language"]][row["repo"]].append(row["ndcg"])
    return mean(mean(map(mean, repositories.values())) for repositories in by_language.values())


def judged_callers(program, session, truth):
    """Returns precision and recall of callers (of all, and of those not marked as guesses), and the time of a call."""
    files = frozenset(truth["files"])
    sure, listed, seconds, failures = [], [], [], 0
    known = [symbol for symbol in truth["symbols"] if symbol["callers"]]
    for symbol in known[:: max(1, len(known) // SYMBOLS)][:SYMBOLS]:
        started = time.monotonic()
        try:
            found = program.callers(session, symbol)
        except (Failure, ValueError, KeyError):
            found, failures = [], failures + 1
        seconds.append(time.monotonic() - started)
        found = [with_calls(one, symbol["name"], program.project) for one in found]
        sure.append(score.judge_callers(symbol, [one for one in found if one.is_sure], files))
        listed.append(score.judge_callers(symbol, found, files))
    figures = {"symbols": len(sure), "failures": failures}
    for name, outcomes in (("sure", sure), ("listed", listed)):
        figures[name] = dict(zip(("precision", "recall", "f1"), score.figures(outcomes)["micro"]))
    return figures | {"p50_s": quantile(seconds, 0.5), "p95_s": quantile(seconds, 0.95)}


def with_calls(caller, name, project):
    """Returns a caller with the lines of its calls: searched by name in its body if the program does not report them."""
    if caller.calls:
        return caller
    try:
        lines = (project / caller.path).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return caller
    word = re.compile(rf"\b{re.escape(name)}\b")
    calls = [number for number in range(*body(lines, caller.line)) if word.search(lines[number - 1])]
    return dataclasses.replace(caller, calls=tuple(calls))


def body(lines, first):
    """Returns the lines of a function by indentation: up to the next line that is not deeper and is no closing bracket."""
    if not 0 < first <= len(lines):
        return first, first
    depth = indentation(lines[first - 1])
    for number in range(first + 1, len(lines) + 1):
        line = lines[number - 1]
        if line.strip() and indentation(line) <= depth and line.strip()[0] not in ")}]":
            return first, number
    return first, len(lines) + 1


def indentation(line):
    return len(line) - len(line.lstrip())
