#!/usr/bin/env python3
"""Compares the matches of patterns with those of ast-grep, on any folder of code.

usage: compare.py CLAUDEVIL AST_GREP DIR [PATTERNS]

CLAUDEVIL is a binary of `claudevil`, AST_GREP one of ast-grep (PyPI: ast-grep-cli). PATTERNS has a language, a tab and a
pattern per line; the default is `patterns.tsv` beside this file. Prints a line per pattern with the number of matches
that both find, that only one of them finds, and examples of those. Files that claudevil does not index (generated,
minified, too large) are left out of the comparison.
"""

import json
import subprocess
import sys
from pathlib import Path


def ours(claudevil, folder, language, pattern):
    found, cursor = set(), None
    while True:
        command = [claudevil, "ast", pattern, "--language", language, "-n", "200", "--json", "--root", str(folder)]
        command += ["--cursor", cursor] if cursor else []
        run = subprocess.run(command, capture_output=True, text=True)
        if not run.stdout.strip():
            return None, run.stderr.strip()
        answer = json.loads(run.stdout)
        if "hits" not in answer:
            return None, run.stdout.strip()
        found |= {(hit["path"], hit["start_byte"]) for hit in answer["hits"]}
        cursor = answer.get("cursor")
        if not cursor:
            return found, ""


def theirs(ast_grep, folder, language, pattern):
    command = [ast_grep, "run", "--pattern", pattern, "--lang", language, "--json=compact", "--no-ignore", "hidden", "."]
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    try:
        matches = json.loads(run.stdout or "[]")
    except json.JSONDecodeError:
        return set(), run.stderr.strip()
    return {(match["file"].removeprefix("./"), match["range"]["byteOffset"]["start"]) for match in matches}, ""


def indexed(claudevil, folder):
    found, cursor = set(), None
    while True:
        command = [claudevil, "files", "--json", "-n", "500", "--root", str(folder)]
        command += ["--cursor", cursor] if cursor else []
        answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
        found |= {file["path"] for file in answer["files"] if file.get("chunks")}
        cursor = answer.get("cursor")
        if not cursor:
            return found


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    claudevil, ast_grep, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve()
    patterns = Path(sys.argv[4]) if len(sys.argv) == 5 else Path(__file__).with_name("patterns.tsv")
    # The list of files is complete only once all are indexed.
    subprocess.run([claudevil, "reindex", "--wait", "--root", str(folder)], check=True, capture_output=True)
    known = indexed(claudevil, folder)
    same = differing = 0
    for line in patterns.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        language, pattern = line.split("\t", 1)
        found, error = ours(claudevil, folder, language, pattern)
        other, other_error = theirs(ast_grep, folder, language, pattern)
        other = {one for one in other if one[0] in known}
        if found is None:
            print(f"REFUSED  {language}\t{pattern}\tast-grep finds {len(other)}: {error[:160]}")
            differing += bool(other)
            continue
        only_ours, only_theirs = found - other, other - found
        is_same = not only_ours and not only_theirs
        same, differing = same + is_same, differing + (not is_same)
        print(
            f"{'same' if is_same else 'DIFFERS'}\t{language}\t{pattern}\tboth {len(found & other)}"
            f"\tonly ours {len(only_ours)} {sorted(only_ours)[:2] or ''}"
            f"\tonly theirs {len(only_theirs)} {sorted(only_theirs)[:2] or ''} {other_error[:80]}"
        )
    print(f"{same} patterns with the same matches, {differing} with others")


main()
