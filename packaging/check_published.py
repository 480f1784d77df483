"""Checks what is published: the plugin, and what `release` has made in a folder.

Usage: check_published.py FOLDER

The formats' own tools say more, and `check` runs those that it finds; this is what can be told without them. Each
problem is one line; the exit code is 1 when there is any.
"""

import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKILLS = {"trace-call-path", "explore-architecture", "analyze-dependencies", "explore-type-hierarchy"}
SEMANTIC_VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?")


def main(folder):
    problems = []

    def expect(is_so, problem):
        if not is_so:
            problems.append(problem)

    manifest = (HERE.parent / "Cargo.toml").read_text()
    version = re.search(r'^\[workspace\.package\]\nversion = "([^"]+)"', manifest, re.MULTILINE)[1]
    check_plugin(expect, version)
    check_bundle(expect, folder, version)
    check_vectors(expect, folder, version)
    check_registry(expect, folder, version)
    check_formula(expect, folder, version)
    if problems:
        print("\n".join(problems))
    return 1 if problems else 0


def check_plugin(expect, version):
    plugin = HERE / "plugin"
    manifest = json.loads((plugin / ".claude-plugin/plugin.json").read_text())
    known = {"name", "version", "description", "author", "license", "keywords"}
    expect(set(manifest) <= known, f"plugin: unknown keys {set(manifest) - known}")
    expect(manifest["name"] == "claudevil", "plugin: its name is the prefix of its skills")
    expect(manifest["version"] == version, f"plugin: version {manifest['version']} is not {version}")
    servers = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]
    expect(servers.keys() == {"claudevil"}, f"plugin: servers {list(servers)}")
    expect(servers["claudevil"]["command"] == "claudevil-mcp", "plugin: the server is found on PATH")
    listing = json.loads((plugin / ".claude-plugin/marketplace.json").read_text())
    expect({"name", "owner", "plugins"} <= listing.keys(), "marketplace: a key is missing")
    expect([one["name"] for one in listing["plugins"]] == ["claudevil"], "marketplace: its plugins")
    expect({path.name for path in (plugin / "skills").iterdir()} == SKILLS, "plugin: its skills")
    for name in SKILLS:
        text = (plugin / "skills" / name / "SKILL.md").read_text()
        head = re.match(r"---\nname: ([a-z-]{1,64})\ndescription: ([^\n]{50,1024})\n---\n\n", text)
        expect(head and head[1] == name, f"skill {name}: its head")
        expect(len(text) < 8000, f"skill {name}: too long to be read each time")


def check_bundle(expect, folder, version):
    bundles = sorted(folder.glob("*.mcpb"))
    expect(bundles, "bundle: none")
    for path in bundles:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            manifest = json.loads(archive.read("manifest.json"))
            entry = manifest["server"]["entry_point"]
            expect(entry in names, f"bundle: {entry} is not in it")
            mode = archive.getinfo(entry).external_attr >> 16 if entry in names else 0
            expect(mode & 0o111, f"bundle: {entry} is not executable")
        needed = {"manifest_version", "name", "version", "description", "author", "server"}
        expect(needed <= manifest.keys(), f"bundle: {needed - manifest.keys()} is missing")
        expect(manifest["version"] == version and manifest["manifest_version"] == "0.3", "bundle: its versions")
        expect(manifest["server"]["type"] == "binary", "bundle: its type")
        expect(manifest["server"]["mcp_config"]["command"] == "${__dirname}/" + entry, "bundle: its command")
        suffix = ".exe" if entry.endswith(".exe") else ""
        needed = {f"server/{name}{suffix}" for name in ("claudevil", "claudevil-mcp", "claudevild")}
        expect(needed <= names, f"bundle: {needed - names} is missing")
        expect("@" not in json.dumps(manifest), "bundle: a placeholder is left")


def check_vectors(expect, folder, version):
    archives = sorted(folder.glob(f"claudevil-vectors-{version}-*.tar.xz"))
    expect(archives, "vectors: no archive")
    for path in archives:
        with tarfile.open(path) as archive:
            programs = [one for one in archive.getmembers() if one.name.startswith("claudevil-vectors")]
        expect(len(programs) == 1 and programs[0].mode & 0o111, f"vectors: {path.name} has no program")


def check_registry(expect, folder, version):
    entry = json.loads((folder / "server.json").read_text())
    expect(re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"]), f"registry: name {entry['name']}")
    expect(1 <= len(entry["description"]) <= 100, "registry: the description has at most 100 characters")
    expect(entry["version"] == version and SEMANTIC_VERSION.fullmatch(version), "registry: version")
    expect(entry["$schema"].endswith("/2025-12-11/server.schema.json"), "registry: schema")
    expect(entry["packages"], "registry: no packages")
    for package in entry["packages"]:
        expect(package["registryType"] == "mcpb" and package["transport"] == {"type": "stdio"}, "registry: package")
        expect(re.fullmatch(r"https://\S+\.mcpb", package["identifier"]), f"registry: {package['identifier']}")
        expect(re.fullmatch(r"[a-f0-9]{64}", package["fileSha256"]), "registry: checksum")


def check_formula(expect, folder, version):
    text = (folder / "claudevil.rb").read_text()
    expect(not re.search(r"@[A-Z_0-9]+@", text), "formula: a placeholder is left")
    expect(f"claudevil-{version}.tar.gz" in text, "formula: version")
    expect(re.search(r'sha256 "[a-f0-9]{64}"', text), "formula: checksum")
    opened = len(re.findall(r"^\s*(class|def|test do)\b", text, re.MULTILINE))
    expect(opened == len(re.findall(r"^\s*end$", text, re.MULTILINE)), "formula: unbalanced")
    for package in re.findall(r'path: "([\w/]+)"', text):
        expect((HERE.parent / package / "Cargo.toml").exists(), f"formula: no package {package}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
