#!/usr/bin/env python3
"""Compares the cyclomatic complexity of functions with that of lizard (PyPI).

    python3 -m venv venv && venv/bin/pip install lizard
    venv/bin/python tests/complexity/check.py --binaries target/release DIR...

DIR are checkouts of public code. Functions are paired by file and name, and by their first line where a file has several
with the same name (which leaves out some: to lizard a function begins after its annotations). One that only one of the
two knows is counted and left out. They disagree about what belongs to a function: claudevil counts closures and branches of
the preprocessor for the function around them, and lizard in most languages does not. The functions of each language are
taken evenly from all files.
Fails if in any language fewer than 95 in 100 agree within one, or if there are fewer functions than asked for.

Nothing of the user's is read or written: the daemon runs with a home of its own, which is removed.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import lizard

LANGUAGES = {
    "C": [".c"],
    "C++": [".cc", ".cpp", ".cxx"],
    "Go": [".go"],
    "Java": [".java"],
    "JavaScript": [".js"],
    "Python": [".py"],
}
# A file's list of functions is cut after the most complex ones: a longer file would be compared by those alone.
MAX_FUNCTIONS = 200
# Maximum wait for a project, in seconds.
PATIENCE = 120


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", type=pathlib.Path, required=True, help="folder with claudevil and claudevild")
    parser.add_argument("--functions", type=int, default=500, help="how many to compare in all [default: 500]")
    parser.add_argument("--share", type=float, default=0.95, help="how many must agree within one [default: 0.95]")
    parser.add_argument("--show", action="store_true", help="name every function that differs by more than one")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    return parser.parse_args()


class Claudevil:
    """The command line, with a home of its own."""

    def __init__(self, binaries, home):
        self.program = binaries.resolve() / "claudevil"
        self.variables = {"HOME": home, "XDG_RUNTIME_DIR": home, "PATH": f"{binaries.resolve()}:{os.environ['PATH']}"}

    def run(self, *words):
        """The answer, once there is one."""
        until = time.monotonic() + PATIENCE
        while True:
            done = subprocess.run([self.program, "--json", *words], env=self.variables, capture_output=True, text=True)
            answer = json.loads(done.stdout) if done.stdout.strip().startswith("{") else {}
            if answer.get("error", {}).get("code") != "indexing" or time.monotonic() > until:
                return answer
            time.sleep(0.2)

    def functions(self, root, path):
        """Name, first line, complexity."""
        words = ["complexity", str(path), "--root", str(root), "--limit", str(MAX_FUNCTIONS)]
        answer = self.run(*words)
        # A file that is left out of the index has none.
        if "error" in answer or answer["cyclomatic"]["functions"] > len(answer["functions"]):
            return []
        return [(short(one["name"]), one["start_line"], one["cyclomatic"]) for one in answer["functions"]]


def of_lizard(file):
    found = lizard.analyze_file(str(file))
    return [(short(one.name), one.start_line, one.cyclomatic_complexity) for one in found.function_list]


def short(name):
    return name.replace("::", ".").rsplit(".", 1)[-1]


def paired(ours, theirs):
    """Name, first line, and both complexities of the functions that both know."""
    counts = [collections.Counter(name for name, _, _ in functions) for functions in (ours, theirs)]
    by_name = {name: complexity for name, _, complexity in theirs}
    by_line = {(name, line): complexity for name, line, complexity in theirs}
    for name, line, own in sorted(ours, key=lambda one: one[1]):
        if all(count[name] == 1 for count in counts):
            yield name, line, own, by_name[name]
        elif (name, line) in by_line:
            yield name, line, own, by_line[name, line]


def main():
    asked = arguments()
    wanted = -(-asked.functions // len(LANGUAGES))
    files = collections.defaultdict(list)
    for folder in asked.folders:
        root = folder.resolve()
        for language, endings in LANGUAGES.items():
            below = sorted(file for file in root.rglob("*") if file.suffix in endings and file.is_file())
            files[language] += [(root, file) for file in below]
    failed = False
    with tempfile.TemporaryDirectory(prefix="claudevil-complexity-") as home:
        claudevil = Claudevil(asked.binaries, home)
        try:
            for folder in asked.folders:
                claudevil.run("reindex", "--root", str(folder.resolve()))
            for language in LANGUAGES:
                failed |= not compare(claudevil, language, files[language], wanted, asked)
        finally:
            claudevil.run("daemon", "stop")
    sys.exit(failed)


def compare(claudevil, language, files, wanted, asked):
    """Prints what agrees in one language; whether it is enough."""
    apart = collections.Counter()
    alone = collections.Counter()
    different = []
    # Evenly from all files, and no more of one than a few.
    step = max(1, len(files) // max(1, wanted // 2))
    order = [file for start in range(step) for file in files[start::step]]
    for root, file in order:
        if sum(apart.values()) >= wanted:
            break
        try:
            theirs = of_lizard(file)
        except (RecursionError, UnicodeDecodeError):
            continue
        ours = claudevil.functions(root, file.relative_to(root)) if theirs else []
        both = list(paired(ours, theirs))
        if ours:
            alone["claudevil"] += len(ours) - len(both)
            alone["lizard"] += len(theirs) - len(both)
        for name, line, own, other in both[: max(4, wanted // 10)]:
            apart[own - other] += 1
            if abs(own - other) > 1:
                different.append(f"{file.relative_to(root)}:{line} {name}: {own}, lizard {other}")
    total = sum(apart.values())
    close = sum(count for difference, count in apart.items() if abs(difference) <= 1)
    share = close / total if total else 0.0
    enough = share >= asked.share and total >= wanted
    print(
        f"{language}: {total} functions, {apart[0]} the same, {close} within one ({share:.1%}), "
        f"only claudevil's {alone['claudevil']}, only lizard's {alone['lizard']}{'' if enough else '  FAILED'}"
    )
    for line in different if asked.show else []:
        print(f"  {line}")
    return enough


if __name__ == "__main__":
    main()
