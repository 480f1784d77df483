"""Times, processor time, memory and disk of a program in a copy of a project."""

import os
import pathlib
import shutil
import statistics
import subprocess
import time

import processes
from programs import LIMIT_S
from session import Failure

EDITS = 10
# Maximum wait for an edit to be found, and the pause between two queries for it, in seconds.
EDIT_LIMIT_S = 30
EDIT_PAUSE_S = 0.005
SESSIONS = 5
# Seconds until a program has come to rest.
REST_S = 3
# A function in each language, whose name is a number away from the others.
FUNCTIONS = {
    "python": ("peers_edit_{}", "\n\ndef {name}():\n    return {number}\n"),
    "typescript": ("peersEdit{}", "\nexport function {name}() {{\n  return {number};\n}}\n"),
    "go": ("peersEdit{}", "\nfunc {name}() int {{\n\treturn {number}\n}}\n"),
}


def copy(source, target):
    """Copies the files that git tracks into a repository with one commit, so that the history affects no program."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z"], capture_output=True, text=True, check=True)
    for path in filter(None, listed.stdout.split("\0")):
        if (source / path).is_file():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / path, target / path, follow_symlinks=False)
    git = ["git", "-C", target, "-c", "user.name=peers", "-c", "user.email=peers@localhost"]
    for words in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "--message", "as it is"]):
        subprocess.run([*git, *words], check=True)


def commit(folder):
    """The commit of the repository around a folder, short."""
    asked = subprocess.run(["git", "-C", folder, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True)
    return asked.stdout.strip()


def size(*folders):
    total = 0
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                try:
                    total += os.lstat(os.path.join(place, name)).st_blocks * 512
                except OSError:
                    continue
    return total


def cold(program, question):
    """Returns the figures of a first start, and the session, which stays open."""
    before = size(program.home, program.project)
    with processes.Usage(program.home) as usage:
        started = time.monotonic()
        session = program.start()
        first = until_answered(program, session, question, started) if program.answers_early else None
        program.index(session)
        indexed = time.monotonic() - started
        first = first or until_answered(program, session, question, started)
        # Processor seconds, summed over all processors that it used.
        cpu = usage.cpu()
    figures = {"first_answer_s": first}
    if program.has_index:
        figures |= {"index_s": indexed, "index_cpu_s": cpu, "peak_bytes": usage.most}
        figures["disk_bytes"] = size(program.home, program.project) - before
    return figures, session


def until_answered(program, session, question, started):
    while not program.ask(session, question):
        if time.monotonic() - started > LIMIT_S:
            raise Failure(f"nothing was found within {LIMIT_S} s")
    return time.monotonic() - started


def latency(program, session, questions):
    """Measures each question once, after a first round that does not count: the latency in a warm session."""
    seconds = []
    for counts in (False, True):
        for question in questions:
            started = time.monotonic()
            program.search(session, question)
            if counts:
                seconds.append(time.monotonic() - started)
    return {"query_p50_s": quantile(seconds, 0.5), "query_p95_s": quantile(seconds, 0.95)}


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def sessions(program, session, question):
    """Memory with one session, and with five in the same project that have asked once each."""
    if not program.has_index:
        return {}
    usage = processes.Usage(program.home)
    time.sleep(REST_S)
    one = usage.memory()
    others = []
    try:
        for _ in range(SESSIONS - 1):
            others.append(program.start())
            program.ask(others[-1], question)
        time.sleep(REST_S)
        return {"one_session_bytes": one, "five_sessions_bytes": usage.memory()}
    finally:
        for other in others:
            other.__exit__()


def edits(program, session, project, language):
    """Seconds from a write until the new function is found, and how many were not found in time."""
    form, text = FUNCTIONS[language]
    file = program.project / project["edited"]
    seconds, never = [], 0
    for number in range(1, EDITS + 1):
        name = form.format(number)
        written = file.read_text(encoding="utf-8") + text.format(name=name, number=number)
        file.write_text(written, encoding="utf-8")
        started = time.monotonic()
        program.after_edit(session, file)
        while not program.finds(session, name):
            if time.monotonic() - started > EDIT_LIMIT_S:
                never += 1
                break
            time.sleep(EDIT_PAUSE_S)
        else:
            seconds.append(time.monotonic() - started)
        if never == 2:
            break
    median = statistics.median(seconds) if seconds else None
    worst = max(seconds, default=None)
    return {"edit_p50_s": median, "edit_worst_s": worst, "edits_not_found": never}


def better(one, other):
    """Returns the lower figures of two rounds: other programs on the machine only ever make a measurement worse."""
    return {key: min(filter(None, (one.get(key), other.get(key))), default=None) for key in one | other}


def machine():
    model = "unknown"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(": ")[2]
            break
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {"processor": model, "cores": os.cpu_count(), "memory_bytes": memory}
