"""Installs the compared programs into one directory, each in a folder of its own, and nothing anywhere else.

What is there already is used. What cannot be had is left out, with the reason.
"""

import json
import platform
import shutil
import subprocess
import sys
import tarfile

PACKAGES = {
    "CodeGraph": ("npm", "@colbymchenry/codegraph", "node_modules/@colbymchenry/codegraph/package.json"),
    "jCodeMunch": ("pip", "jcodemunch-mcp", "bin/jcodemunch-mcp"),
    "Semble": ("pip", "semble[mcp]", "bin/semble"),
    "Serena": ("pip", "serena-agent", "bin/serena"),
}
PROBE = "@probelabs/probe"
LIMIT_S = 900
# Makes a model whose vectors mean nothing: Semble does not start without one.
STAND_IN_MODEL = """
import sys
import numpy, tokenizers
from model2vec import StaticModel
try:
    from semble.index.dense import load_model
    load_model()
except Exception:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[PAD]": 0, "[UNK]": 1}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    vectors = numpy.random.default_rng(1).normal(size=(2, 256)).astype(numpy.float32)
    StaticModel(vectors, tokenizer).save_pretrained(sys.argv[1])
"""


# Programs that belong here and were not run, and why.
LEFT_OUT = {
    "codebase-memory-mcp": (
        "its packages on npm and PyPI download the program itself from elsewhere when they are installed, and the sources "
        "that could be had lack SQLite, its vectors and 58 of its grammars"
    ),
    "GitNexus": "its licence (PolyForm Noncommercial) is free for noncommercial use only",
    "sverklo": "the package that its page names was not in the registry of npm that could be reached",
    "Julie": "no package of it was found on npm or PyPI",
    "Shebe": "no package of it was found on npm or PyPI",
    "rust-code-mcp": "no package of it was found on npm or PyPI",
}


class Unavailable(Exception):
    """The reason why a program is left out."""


def install(name, directory, binaries):
    """Where a program is, and its version; `binaries` is the folder of ours."""
    if name == "claudevil":
        return binaries, version_of(binaries / "claudevil", "--version")
    folder = directory / name
    if name == "Probe":
        return probe(folder)
    installer, package, program = PACKAGES[name]
    if not (folder / program).exists():
        folder.mkdir(parents=True, exist_ok=True)
        {"npm": npm, "pip": pip}[installer](folder, package)
    if name == "Semble" and not (folder / "model-checked").exists():
        execute([folder / "bin/python", "-c", STAND_IN_MODEL, folder / "stand-in-model"])
        (folder / "model-checked").touch()
    if name == "Serena" and not (folder / "bin/uvx").exists():
        # Its language server for Python is started by uv.
        pip(folder, "uv")
    if installer == "npm":
        return folder, json.loads((folder / program).read_text())["version"]
    return folder, pip_version(folder, package.partition("[")[0])


def note(name, where):
    """What has to be known of an installation besides its version."""
    if name == "Semble" and (where / "stand-in-model").exists():
        return "ranks by words alone: its model could not be downloaded, and one without meaning stands for it"
    return None


def npm(folder, package):
    if not shutil.which("npm"):
        raise Unavailable("npm is not installed")
    # None of them needs its install script.
    execute(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, package])


def pip(folder, package):
    if not (folder / "bin/python").exists():
        execute([sys.executable, "-m", "venv", folder])
    execute([folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package])


def probe(folder):
    """Its package carries the program; what its MCP server needs besides is not in the registry."""
    if not (folder / "probe").exists():
        folder.mkdir(parents=True, exist_ok=True)
        if not shutil.which("npm"):
            raise Unavailable("npm is not installed")
        execute(["npm", "pack", PROBE, "--pack-destination", folder])
        with tarfile.open(next(folder.glob("*.tgz"))) as package:
            package.extractall(folder, filter="data")
        wanted = f"package/bin/binaries/*{platform.machine()}-unknown-linux-musl.tar.gz"
        archive = next(folder.glob(wanted), None)
        if not archive:
            raise Unavailable(f"its package has no program for {platform.machine()}")
        with tarfile.open(archive) as inner:
            inner.extractall(folder, filter="data")
        next(path for path in folder.glob("probe-*/probe")).rename(folder / "probe")
    return folder, version_of(folder / "probe", "--version")


def version_of(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    return (done.stdout.split() or ["unknown"])[-1]


def pip_version(folder, package):
    show = [folder / "bin/python", "-m", "pip", "show", "--disable-pip-version-check", package]
    done = subprocess.run(show, capture_output=True, text=True)
    return next((line.split()[1] for line in done.stdout.splitlines() if line.startswith("Version:")), "unknown")


def execute(command):
    try:
        done = subprocess.run(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"its installation failed: {error}")
    if done.returncode:
        errors = [line for line in done.stdout.splitlines() if "error" in line.lower()] or done.stdout.splitlines()[-2:]
        raise Unavailable(f"its installation failed: {' / '.join(errors[:3])}")
