"""Checks that every occurrence of a name is accounted for, in the files of any repository.

The account of `find_references` must list exactly the places that a plain scan of the indexed files finds: each once, as
a use, a definition, something else that has the name, or unknown.
"""

import collections
import random
import re

import claudevil

# Lines that define something, in the languages of most repositories.
DEFINITION = re.compile(
    r"^\s*(?:(?:export|default|pub(?:\([\w: ]+\))?|async|abstract|public|private|protected|static|final|declare)\s+)*"
    r"(?:def|class|fn|func(?:\s*\([^)]*\))?|function\*?|struct|enum|trait|interface|type|const)\s+([^\W\d]\w{2,})"
)
PARTS = ["uses", "definitions", "other_symbols", "locals", "external", "text", "unknown", "not_examined"]
# Maximum share of occurrences that are `unknown`.
MAX_UNKNOWN = 0.05
MAX_SHOWN = 5
# The most places that the daemon lists.
MAX_PLACES = 20_000


def run(asked):
    root = asked.repo.resolve()
    with claudevil.Claudevil(asked.bin, root) as session:
        session.index()
        texts = read_texts(root, session.command("files", "--json")["files"])
        symbols = definitions(texts)
        sample = random.Random(asked.seed).sample(symbols, min(asked.sample, len(symbols)))
        sums, wrong, skipped = collections.Counter(), [], collections.Counter()
        for path, line, name in sorted(sample):
            answer = session.command("refs", f"{path}:{line}", "-m", "low", "-n", "200", "--json")
            account = answer.get("accounting")
            if not account or answer["symbol"]["name"] != name:
                skipped["taken for another symbol"] += 1
            elif account["unread_files"] or account["total"] >= MAX_PLACES:
                skipped["in too many files"] += 1
            else:
                sums.update({part: account[part] for part in ["total", *PARTS]})
                sums["symbols"] += 1
                wrong += [f"{path}:{line} {name}: {why}" for why in differences(texts, name, answer)]
    share = sums["unknown"] / max(sums["total"], 1)
    print(f"{root.name}: {sums['symbols']} symbols, {sums['total']} occurrences in {len(texts)} files")
    print(", ".join(f"{part.replace('_', ' ')} {sums[part]}" for part in PARTS), f"({share:.1%} unknown)")
    print("not judged:", dict(skipped) or "nothing")
    print(f"{len(wrong)} accounts differ from the scan")
    for why in wrong[:MAX_SHOWN]:
        print(f"  {why}")
    return int(bool(wrong) or share > MAX_UNKNOWN or not sums["symbols"])


def read_texts(root, files):
    """The texts of files that are indexed, without byte order marks."""
    indexed = [one["path"] for one in files if one.get("chunks")]
    return {path: (root / path).read_text(encoding="utf-8-sig", errors="replace") for path in indexed}


def definitions(texts):
    """Returns path, line and name of definitions that begin a line; one line for each name in a file."""
    found = {}
    for path, text in texts.items():
        for number, line in enumerate(text.split("\n"), 1):
            if match := DEFINITION.match(line):
                found.setdefault((path, match[1]), number)
    return [(path, line, name) for (path, name), line in found.items()]


def scan(texts, name):
    """Returns the places of a name as a whole word; separately those next to a `$`, which some languages have in names."""
    alone, beside = set(), set()
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for path, text in texts.items():
        if name not in text:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for match in pattern.finditer(line):
                place = path, number, len(line[: match.start()].encode()) + 1
                around = line[max(match.start() - 1, 0) : match.start()] + line[match.end() : match.end() + 1]
                (beside if "$" in around else alone).add(place)
    return alone, beside


def differences(texts, name, answer):
    account = answer["accounting"]
    if sum(account[part] for part in PARTS) != account["total"]:
        yield f"its parts are not its total: {account}"
    listed = [(one["path"], one["line"], one["column"]) for one in account["places"]]
    alone, beside = scan(texts, name)
    if len(set(listed)) != len(listed) or len(listed) != account["total"]:
        yield "places are listed twice, or not at all"
    if missing := sorted(alone - set(listed)):
        yield f"not accounted for: {missing[:MAX_SHOWN]}"
    if more := sorted(set(listed) - alone - beside):
        yield f"not in the files: {more[:MAX_SHOWN]}"
    if not answer["remaining"]:
        shown = {(one["path"], one["line"]) for one in answer["references"]}
        uses = {(one["path"], one["line"]) for one in account["places"] if one["kind"] == "use"}
        if unlisted := sorted(uses - shown):
            yield f"counted as uses, and not listed: {unlisted[:MAX_SHOWN]}"
