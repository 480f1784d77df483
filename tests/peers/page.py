#!/usr/bin/env python3
"""Writes docs/comparison.md from the figures of `tests/peers/run` and the text in comparison.md beside this script.

    tests/peers/page.py docs/figures/peers.json docs/comparison.md [--check]

`--check` writes nothing, and fails if the page differs from the one that the figures give.
"""

import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
OURS = "claudevil"
# Figures of a project: key, label and format.
TIMES = (
    ("first_answer_s", "first answer about a project never seen"),
    ("index_s", "whole index"),
    ("index_cpu_s", "processor time for it"),
    ("peak_bytes", "most memory meanwhile"),
    ("disk_bytes", "on disk"),
    ("query_p50_s", "search, p50"),
    ("query_p95_s", "search, p95"),
    ("one_session_bytes", "memory with one session"),
    ("five_sessions_bytes", "memory with five"),
    ("edit_p50_s", "edit to visible, p50"),
    ("edit_worst_s", "edit to visible, worst"),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    page = written(json.loads(asked.figures.read_text(encoding="utf-8")))
    if not asked.check:
        asked.page.write_text(page, encoding="utf-8")
    elif asked.page.read_text(encoding="utf-8") != page:
        print(f"{asked.page} is not what {asked.figures} makes; run {sys.argv[0]}", file=sys.stderr)
        return 1
    return 0


def written(figures):
    parts = {
        "MEASURED": measured(figures),
        "TIMES": times(figures),
        "SEARCH": search(figures),
        "CALLERS": callers(figures),
        "BETTER": better(figures),
        "LEFT_OUT": left_out(figures),
    }
    text = (HERE / "comparison.md").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    return text


def measured(figures):
    machine = figures["machine"]
    versions = ", ".join(f"{name} {version}{commit(name, figures)}" for name, version in ordered(figures["versions"]).items())
    memory = round(machine["memory_bytes"] / 2**30)
    text = [
        f"Measured on {figures['date']} on {machine['cores']} cores ({machine['processor']}, {memory} GB, shared with other work), "
        f"by [tests/peers/run](../tests/peers/run): {versions}, each as it is after installation, with telemetry off. The programs ran in "
        f"turn, {figures['rounds']} cold starts each, and the best of each counts.",
        "",
    ]
    text += [f"- {name} {note}." for name, note in ordered(figures["notes"]).items() if note]
    return "\n".join(text)


def commit(name, figures):
    """The commit of ours, whose version says little before a release."""
    return f" (as of commit {figures['commit']})" if name == OURS else ""


def ordered(by_program):
    """Ours first, then by name."""
    return dict(sorted(by_program.items(), key=lambda item: (item[0] != OURS, item[0].lower())))


def table(head, rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def times(figures):
    text = []
    for name, project in sorted(figures["times"].items(), key=lambda item: item[1]["files"]):
        programs = ordered(project["programs"])
        rows = []
        for key, what in TIMES:
            values = {program: one.get(key) for program, one in programs.items()}
            best = min(filter(None, values.values()), default=None)
            cells = [bold(amount(key, value), value == best) if value else "" for value in values.values()]
            rows.append([what, *cells])
        language = project["language"].capitalize().replace("Typescript", "TypeScript")
        text += [f"**[{name}]({project['address']})**, {language}, {project['files']:,} files:", ""]
        text += [table(["", *programs], rows), ""]
        for program, one in programs.items():
            if one.get("failed"):
                text += [f"{program} failed here: {one['failed'].splitlines()[0]}", ""]
            elif one.get("edits_not_found"):
                text += [f"Edits that {program} did not find within 30 seconds: {one['edits_not_found']}.", ""]
    return "\n".join(text).rstrip()


def amount(key, value):
    if key.endswith("_bytes"):
        return f"{value / 1e6:.1f} MB" if value < 1e8 else f"{value / 1e6:,.0f} MB"
    if value < 0.01:
        return f"{value * 1e3:.1f} ms"
    return f"{value * 1e3:.0f} ms" if value < 1 else f"{value:.1f} s"


def bold(text, is_best):
    return f"**{text}**" if is_best else text


def search(figures):
    searched = figures["search"]
    if not searched:
        return "Not measured this time."
    programs = ordered(searched["programs"])
    categories = sorted({category for one in programs.values() for category in one["categories"]})
    rows = []
    for program, one in programs.items():
        values = [one["ndcg"], *(one["categories"].get(category) for category in categories)]
        columns = [[other["ndcg"], *(other["categories"][category] for category in categories)] for other in programs.values()]
        best = [max(column) for column in zip(*columns)]
        rows.append([program, *(bold(f"{value:.3f}", value == top) for value, top in zip(values, best))])
    intro = (
        f"{searched['queries']} public queries over {len(searched['repositories'])} repositories "
        f"({', '.join(searched['repositories'])}), in the form and by the measure of [benchmarks.md](benchmarks.md#order-of-results):"
    )
    return f"{intro}\n\n{table(['', 'NDCG@10', *categories], rows)}"


def callers(figures):
    rows = []
    for name, project in sorted(figures["callers"].items()):
        for program, one in ordered(project["programs"]).items():
            if "failed" in one:
                rows.append([f"{name}, {project['truth']}", program, "failed", "", "", "", "", ""])
                continue
            cells = [f"{one[part][key]:.3f}" for part, key in (("sure", "precision"), ("sure", "recall"), ("sure", "f1"))]
            cells += [f"{one['listed'][key]:.3f}" for key in ("precision", "recall")]
            rows.append([f"{name}, {project['truth']}", program, *cells, amount("p50_s", one["p50_s"])])
    head = ["project, truth", "program", "precision", "recall", "F1", "of all listed, precision", "recall", "p50"]
    return table(head, rows)


def better(figures):
    """Returns the figures in which another program is better than ours."""
    found = []
    for name, project in sorted(figures["times"].items(), key=lambda item: item[1]["files"]):
        for key, what in TIMES:
            values = {program: one[key] for program, one in project["programs"].items() if one.get(key)}
            best = min(values, key=values.get, default=OURS)
            if best != OURS and OURS in values:
                ours, theirs = amount(key, values[OURS]), amount(key, values[best])
                found.append(f"- {what}, {name}: {best} ({theirs}; claudevil: {ours}).")
    searched = figures["search"].get("programs", {})
    for program, one in ordered(searched).items():
        if program != OURS and one["ndcg"] > searched[OURS]["ndcg"]:
            found.append(f"- Order of results: {program} ({one['ndcg']:.3f}; claudevil: {searched[OURS]['ndcg']:.3f}).")
        for category, value in one["categories"].items():
            ours = searched[OURS]["categories"][category]
            if value > ours:
                found.append(f"- Order of results, {category} queries: {program} ({value:.3f}; claudevil: {ours:.3f}).")
    for name, project in sorted(figures["callers"].items()):
        known = {program: one["sure"]["f1"] for program, one in project["programs"].items() if "sure" in one}
        for program, f1 in ordered(known).items():
            if program != OURS and f1 > known[OURS]:
                found.append(f"- Callers in {name}: {program} (F1 {f1:.3f}; claudevil: {known[OURS]:.3f}).")
    return "\n".join(found) or "- In none of the figures above."


def left_out(figures):
    return "\n".join(f"- {name}: {why}." for name, why in ordered(figures["skipped"]).items())


if __name__ == "__main__":
    sys.exit(main())
