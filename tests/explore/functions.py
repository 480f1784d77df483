#!/usr/bin/env python3
"""Checks that `explore` shows the function that answers a question, over public repositories.

    functions.py --repos DIR --bin target/release [--table tests/explore/functions.md]

functions.jsonl has the questions: each names a repository, the revision at which it was read, and the functions any one of
which answers the question. They were chosen by reading the code, before anything was asked. The weights of `explore` were
chosen on the questions of the set `development`; nobody looks at those of the other set. DIR has a git checkout for each
repository, in a folder of its name and at that revision.

A function is *shown* where the answer within an agent's budget has its line in a source, and *named* where the answer only
has its location. The exit code is 1 where too few are shown, and 2 where a checkout is missing or another revision.
"""

import argparse
import collections
import pathlib
import re
import sys

from public import TOKENS, ask_all, checkouts_at_fault, read_questions

HERE = pathlib.Path(__file__).resolve().parent
# Minimum share of the questions of each set that have a function shown.
FLOOR = 0.6
HEAD = re.compile(r"(\S+?):(\d+)(?:-(\d+))?\s")
SOURCE = re.compile(r"\s*(\d+)(?: |$)")
ROW = re.compile(r"\s+(\S+?):(\d+)(?:-(\d+))?")


def read_answer(text):
    """The lines of source by path, and the places that are only named."""
    shown, named, path = collections.defaultdict(set), [], None
    for line in text.splitlines():
        if head := HEAD.match(line):
            path = head[1]
        elif (source := SOURCE.match(line)) and path:
            shown[path].add(int(source[1]))
        elif row := ROW.match(line):
            named.append((row[1], int(row[2]), int(row[3] or row[2])))
    return shown, named


def judge(question, text):
    shown, named = read_answer(text)
    functions = question["functions"]
    if any(one["line"] in shown[one["path"]] for one in functions):
        return "shown"
    is_named = any(path == one["path"] and first <= one["line"] <= last for one in functions for path, first, last in named)
    return "named" if is_named else "missing"


def answer(claudevil, root, question):
    text = claudevil.run("explore", "--root", root, "--max-tokens", str(TOKENS), question["question"])
    return question, judge(question, text)


def shares(verdicts):
    """The share of the questions of each set whose function is shown."""
    by_set = collections.defaultdict(list)
    for question, verdict in verdicts:
        by_set[question["set"]].append(verdict)
    return {name: ones.count("shown") / len(ones) for name, ones in by_set.items()}


def table(verdicts):
    counts = collections.defaultdict(collections.Counter)
    for question, verdict in verdicts:
        counts[question["set"], question["repository"]][verdict] += 1
    text = ["# Whether explore shows the function that decides a question", ""]
    text += [f"- {name}: {share:.3f} shown (at least {FLOOR})" for name, share in shares(verdicts).items()]
    text += ["", "| set | repository | questions | shown | named | missing |", "|---|---|---|---|---|---|"]
    for (name, repository), count in counts.items():
        cells = [name, repository, count.total(), count["shown"], count["named"], count["missing"]]
        text.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=pathlib.Path, required=True, help="folder of the checkouts")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of claudevil and claudevild")
    parser.add_argument("--questions", type=pathlib.Path, default=HERE / "functions.jsonl")
    parser.add_argument("--table", type=pathlib.Path, default=HERE / "functions.md", help="what is written")
    asked = parser.parse_args()
    questions = read_questions(asked.questions)
    if wrong := list(checkouts_at_fault(questions, asked.repos)):
        print("\n".join(wrong), file=sys.stderr)
        return 2
    verdicts = list(ask_all(questions, asked.repos, asked.bin, answer))
    asked.table.write_text(table(verdicts), encoding="utf-8")
    print("\n".join(f"{name}: {share:.3f} shown" for name, share in shares(verdicts).items()))
    return 0 if min(shares(verdicts).values()) >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
