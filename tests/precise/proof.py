"""Checks that answers are those of a SCIP index while it is valid, and say so where it no longer is.

A copy of the repository is asked about twice with the index imported: as the indexer saw it, and after a line was added
at the top of some files. Everything that an answer then still reports as resolved by the index must be right.
"""

import argparse
import pathlib
import random
import shutil
import subprocess
import tempfile

import claudevil
import scip
import score

LEAST_F1 = 0.995
BY_INDEX = "resolved by "
COMMENTS = {".py": "#", ".rb": "#"}
# Folders that are not a part of what is compared.
NOT_COPIED = shutil.ignore_patterns(".git", "node_modules", "target", "*.scip")
MAX_SHOWN = 5


def run(asked):
    wanted = argparse.Namespace(
        index=asked.index, repo=asked.repo, prefix=asked.prefix, sample=asked.sample, seed=asked.seed
    )
    truth = scip.make(wanted)
    index = asked.index.resolve()
    with tempfile.TemporaryDirectory(prefix="proof-") as scratch:
        root = pathlib.Path(scratch) / asked.repo.resolve().name
        shutil.copytree(asked.repo, root, symlinks=True, ignore=NOT_COPIED)
        subprocess.run(["git", "init", "-q", root], check=True)
        if asked.prefix:
            index = moved(index, root / asked.prefix, pathlib.Path(scratch))
        with claudevil.Claudevil(asked.bin, root) as session:
            session.index()
            added = session.add_precise(index)
            before = list(score.ask_all(session, truth["symbols"]))
            edited = edit(root, truth["files"], asked)
            session.index()
            after_truth = [shifted(symbol, edited) for symbol in truth["symbols"]]
            after = list(score.ask_all(session, after_truth))
    files = frozenset(truth["files"])
    current = f"{added['current']} of {added['documents']} files"
    print(f"{asked.repo.resolve().name}, {truth['server']}: {len(before)} symbols, {current}")
    rows = {
        "as indexed, resolved": score.figures([one.outcome("resolved", files) for one in before]),
        "as indexed, callers": score.figures([one.caller_outcome("resolved", files) for one in before if one.callers]),
        "edited, resolved": score.figures([one.outcome("resolved", files) for one in after]),
        "edited, medium": score.figures([one.outcome("medium", files) for one in after]),
    }
    print(score.written(rows))
    wrong = list(wrong_by_index(before, files)) + list(wrong_by_index(after, files))
    print(f"{len(edited)} of {len(files)} files edited; {len(wrong)} references are wrong and said to be of the index")
    for why in wrong[:MAX_SHOWN]:
        print(f"  {why}")
    for text in score.misses(before, files, score.Source(asked.repo.resolve()), asked.misses):
        print(text)
    return int(bool(wrong) or rows["as indexed, resolved"]["micro"][2] < LEAST_F1)


def moved(index, project, scratch):
    """Copies an index and changes the project folder in it, to which its paths are relative."""

    def renamed(number, value):
        if number != scip.METADATA:
            return value
        kept = [scip.encode(*part) for part in scip.fields(value) if part[0] != scip.PROJECT_ROOT]
        return b"".join(kept) + scip.encode(scip.PROJECT_ROOT, f"file://{project}".encode())

    copy = scratch / index.name
    fields = scip.fields(index.read_bytes())
    copy.write_bytes(b"".join(scip.encode(number, renamed(number, value)) for number, value in fields))
    shutil.copystat(index, copy)
    return copy


def edit(root, files, asked):
    """Adds a line at the top of some files, and returns these."""
    count = max(1, round(len(files) * asked.edited))
    edited = set(random.Random(asked.seed).sample(sorted(files), count))
    for path in edited:
        mark = COMMENTS.get(pathlib.Path(path).suffix, "//")
        text = (root / path).read_bytes()
        (root / path).write_bytes(f"{mark} Edited.\n".encode() + text)
    return edited


def shifted(symbol, edited):
    """A symbol of the truth with the lines that it has after the edit."""

    def moved_by(path):
        return int(path in edited)

    def callers(one):
        path, line, name, kind, is_call, calls = one
        return path, line + moved_by(path), name, kind, is_call, [call + moved_by(path) for call in calls]

    places = {
        part: [[path, line + moved_by(path), column] for path, line, column in symbol[part]]
        for part in ("references", "declarations")
    }
    known = symbol["callers"]
    line = symbol["line"] + moved_by(symbol["path"])
    return symbol | places | {"line": line, "callers": known and [callers(one) for one in known]}


def wrong_by_index(answers, files):
    for one in answers:
        said = [found for found in one.references.found if found.reason.startswith(BY_INDEX)]
        for path, line in sorted(score.judge_references(one.symbol, said, files).false):
            yield f"{score.place(one.symbol)} {one.symbol['name']} at {path}:{line}"
