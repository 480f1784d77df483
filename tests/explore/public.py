#!/usr/bin/env python3
"""Checks that `explore` shows the files that a person would open for a question, over public repositories.

    public.py --repos DIR --bin target/release [--table tests/explore/public.md]

public.jsonl has the questions: each names a repository, the revision at which it was read, and the files that a person
opens to answer it. They were written from the code, without looking at the results, and are not changed when the results
are bad. DIR has a git checkout for each repository, in a folder of its name and at that revision.

A daemon with a home of its own indexes one checkout after the other. Answers are those that an agent gets, cut to the
budget. They are compared with a plain search: the first files that it finds.

The exit code is 1 where too few of the files are in the answers, and 2 where a checkout is missing or another revision.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# Minimum share of a question's files in its answer: the mean over all questions.
FLOOR = 0.8
# What an agent gets unless it asks for more. The command line's own default is higher.
TOKENS = 2000
# Number of files of a search that count.
SEARCHED = 10
# Time limit for an index, and the pause between two polls, in seconds.
PATIENCE = 900
PAUSE = 0.5


@dataclasses.dataclass
class Answered:
    """The positions of a question's files in its answer."""

    question: dict
    shown: list
    named: list
    missing: list
    # Those among the first files of a search.
    searched: list
    # Number of files that the answer mentions.
    spoken: int

    def share(self, files):
        return len(files) / len(self.question["files"])


class Claudevil:
    """The command line, with a daemon and a home of its own, which is removed."""

    def __init__(self, binaries):
        self.command = binaries.resolve() / "claudevil"

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            # A short prefix: the path of the daemon's socket lies below it, and has to fit about 100 bytes.
            self.home = stack.enter_context(tempfile.TemporaryDirectory(prefix="cv-", ignore_cleanup_errors=True))
            self.variables = {"HOME": self.home, "CLAUDEVIL_HOME": f"{self.home}/state", "PATH": os.defpath}
            self.run("daemon", "start")
            stack.callback(self.run, "daemon", "stop")
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def run(self, *words):
        done = subprocess.run([self.command, *words], cwd=self.home, env=self.variables, capture_output=True, text=True)
        # 1 is an answer too: nothing was found.
        if done.returncode not in (0, 1):
            raise OSError(f"claudevil {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def json(self, *words):
        return json.loads(self.run(*words, "--json"))

    def index(self, root):
        """Waits until a project is indexed and has all of its vectors."""
        self.run("reindex", "--wait", "--root", root)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            known = self.json("status", root)["roots"][0]
            if known["state"] == "ready" and known["index"]["vectors"] == known["index"]["chunks"]:
                return
            time.sleep(PAUSE)
        raise TimeoutError(f"{root} is not indexed after {PATIENCE} s")

    def answer(self, root, question):
        words = question["question"]
        asked = ("explore", "--root", root, "--max-tokens", str(TOKENS), words)
        found = self.json(*asked)
        # The text is cut to the budget, and the JSON is complete: only files in both count.
        lines = self.run(*asked).splitlines()
        shown = printed(lines, "", {one["path"] for one in found["symbols"]})
        beside = {one["path"] for one in found["read_next"] + found["dependents"]}
        named = printed(lines, "  ", beside) - shown
        results = self.json("search", "--root", root, "-n", "100", words)["results"]
        first = list(dict.fromkeys(one["path"] for one in results))[:SEARCHED]
        files = question["files"]
        return Answered(
            question=question,
            shown=[file for file in files if file in shown],
            named=[file for file in files if file in named],
            missing=[file for file in files if file not in shown | named],
            searched=[file for file in files if file in first],
            spoken=len(shown | named),
        )


def printed(lines, indent, paths):
    """Those of the paths that have a row with a place in them: `PATH:LINE`."""
    return {path for path in paths if any(re.match(rf"{indent}{re.escape(path)}:\d", line) for line in lines)}


def read_questions(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def checkouts_at_fault(questions, repositories):
    """Checkouts that are missing or at another revision."""
    for name, revision in {one["repository"]: one["revision"] for one in questions}.items():
        words = ["git", "-C", repositories / name, "rev-parse", "HEAD"]
        found = subprocess.run(words, capture_output=True, text=True).stdout.strip()
        if found != revision:
            yield f"{repositories / name} is at {found or 'no revision'}, not at {revision}"


def missing_files(questions, repositories):
    for one in questions:
        for file in one["files"]:
            if not (repositories / one["repository"] / file).is_file():
                yield f"{one['question']}: there is no {file}"


def ask_all(questions, repositories, binaries, ask):
    """What `ask` says of each question, after its repository has been indexed."""
    by_repository = collections.defaultdict(list)
    for question in questions:
        by_repository[question["repository"]].append(question)
    with Claudevil(binaries) as claudevil:
        for name, ones in by_repository.items():
            root = str((repositories / name).resolve())
            claudevil.index(root)
            print(name, file=sys.stderr, flush=True)
            yield from (ask(claudevil, root, question) for question in ones)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def share_in_answers(answers):
    return mean(one.share(one.shown + one.named) for one in answers)


def table(answers):
    shown = mean(one.share(one.shown) for one in answers)
    searched = mean(one.share(one.searched) for one in answers)
    spoken = mean(one.spoken for one in answers)
    repositories = {one.question["repository"]: one.question for one in answers}
    text = [
        "# What explore shows of what a person would open, in public code",
        "",
        f"{len(answers)} questions over {len(repositories)} repositories, by `public.py`. Of the expected files "
        f"{share_in_answers(answers):.3f} are in the answers (at least {FLOOR}), and {shown:.3f} are shown; an answer "
        f"speaks of {spoken:.1f} files. Beside it: {searched:.3f} are among the first {SEARCHED} files of a plain search.",
        "",
        "A file is *shown* where a symbol of it is, and *named* where it is only said to depend or to come next. Those "
        "in *not by search* are not among these first files.",
        "",
        "| repository | question | shown | named | missing | not by search |",
        "|---|---|---|---|---|---|",
    ]
    for one in answers:
        unsearched = [file for file in one.question["files"] if file not in one.searched]
        cells = [one.question["repository"], one.question["question"]]
        cells += [", ".join(map(short, files)) for files in (one.shown, one.named, one.missing, unsearched)]
        text.append(f"| {' | '.join(cells)} |")
    text += ["", "Paths are shortened to their last two parts. The revisions:", ""]
    text += [f"- [{name}]({one['address']}) {one['revision']}" for name, one in repositories.items()]
    return "\n".join(text) + "\n"


def short(path):
    return "/".join(path.split("/")[-2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=pathlib.Path, required=True, help="folder of the checkouts")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of claudevil and claudevild")
    parser.add_argument("--questions", type=pathlib.Path, default=HERE / "public.jsonl")
    parser.add_argument("--table", type=pathlib.Path, default=HERE / "public.md", help="what is written")
    asked = parser.parse_args()
    questions = read_questions(asked.questions)
    if wrong := [*checkouts_at_fault(questions, asked.repos), *missing_files(questions, asked.repos)]:
        print("\n".join(wrong), file=sys.stderr)
        return 2
    answers = list(ask_all(questions, asked.repos, asked.bin, Claudevil.answer))
    asked.table.write_text(table(answers), encoding="utf-8")
    share = share_in_answers(answers)
    print(f"{share:.3f} of the files are in the answers, at least {FLOOR} have to be")
    return 0 if share >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
