"""Checks what is published: the plugin, and what `release` has made in a folder.

Usage: check_published.py FOLDER

The formats' own tools check more, and `check` runs those that it finds; this script needs none of them. Each
problem is one line; the exit code is 1 when there is any.
"""

import base64
import hashlib
import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKILLS = {"trace-call-path", "explore-architecture", "analyze-dependencies", "explore-type-hierarchy"}
PROGRAMS = ("claudevil", "claudevil-mcp", "claudevil-lsp", "claudevild")
PACKAGES = {"claudevil": PROGRAMS, "claudevil-vectors": ("claudevil-vectors",)}
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
    check_extension(expect, folder, version)
    check_archives(expect, folder, version)
    check_npm(expect, folder, version)
    check_wheels(expect, folder, version)
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
    languages = json.loads((plugin / ".lsp.json").read_text())["claudevil"]
    expect(languages["command"] == "claudevil-lsp", "plugin: the language server is found on PATH")
    listing = json.loads((plugin / ".claude-plugin/marketplace.json").read_text())
    expect({"name", "owner", "plugins"} <= listing.keys(), "marketplace: a key is missing")
    expect([one["name"] for one in listing["plugins"]] == ["claudevil"], "marketplace: its plugins")
    expect({path.name for path in (plugin / "skills").iterdir()} == SKILLS, "plugin: its skills")
    for name in SKILLS:
        text = (plugin / "skills" / name / "SKILL.md").read_text()
        head = re.match(r"---\nname: ([a-z-]{1,64})\ndescription: ([^\n]{50,1024})\n---\n\n", text)
        expect(head and head[1] == name, f"skill {name}: its head")
        expect(len(text) < 8000, f"skill {name}: too long to be read each time")
    agent = (plugin / "agents/code-explorer.md").read_text()
    head = re.match(r"---\nname: code-explorer\ndescription: ([^\n]{50,1024})\nmodel: inherit\n---\n\n", agent)
    expect(head, "agent: its head")
    hooks = json.loads((plugin / "hooks/hooks.json").read_text())["hooks"]
    expect(set(hooks) == {"SessionStart"}, f"hooks: {sorted(hooks)}")
    for hook in (hook for group in hooks["SessionStart"] for hook in group["hooks"]):
        expect(hook["command"].endswith("2>/dev/null || true"), "hooks: a failure is seen")
        expect(hook["timeout"] <= 5, "hooks: a session waits too long")


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
        programs = {name for name in names if name.startswith("server/")}
        needed = {f"server/claudevil-mcp{suffix}", f"server/claudevild{suffix}"}
        expect(programs == needed, f"bundle: its programs are {sorted(programs)}")
        expect("@" not in json.dumps(manifest), "bundle: a placeholder is left")


def check_extension(expect, folder, version):
    for path in folder.glob("*.vsix"):
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            manifest = json.loads(archive.read("extension/package.json"))
            listing = archive.read("extension.vsixmanifest").decode()
        expect(path.name == f"claudevil-{version}.vsix", f"extension: {path.name}")
        expect((manifest["name"], manifest["version"]) == ("claudevil", version), "extension: its name and version")
        expect(f'Version="{version}"' in listing, "extension: the version in its manifest")
        files = {"extension/dist/extension.js", "extension/package.json", "extension/readme.md", "extension/LICENSE.txt"}
        packed = {name for name in names if name.startswith("extension/")}
        expect(packed == files, f"extension: {sorted(packed ^ files)}")
        expect(manifest["main"] == "./dist/extension.js", "extension: its entry")
        options = manifest["contributes"]["configuration"]["properties"]
        expect(options["claudevil.completion"]["default"] is False, "extension: names are completed by default")


def check_archives(expect, folder, version):
    sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    for package, programs in PACKAGES.items():
        paths = [path for path in folder.glob(f"{package}-{version}-*") if path.suffix in (".gz", ".xz", ".zip")]
        expect(paths, f"archive: none of {package}")
        for path in paths:
            expect(sums.get(path.name) == digest(path), f"archive: no checksum of {path.name}")
            names = members(path)
            stem = path.name.removesuffix(".zip").removesuffix(".tar.gz").removesuffix(".tar.xz")
            suffix = ".exe" if path.suffix == ".zip" else ""
            for name in programs:
                expect(names.get(f"{stem}/bin/{name}{suffix}", 0) & 0o111, f"archive: no program {name} in {path.name}")
            has_installer = f"{stem}/install.sh" in names
            expect(has_installer == (package == "claudevil" and not suffix), f"archive: the installer in {path.name}")
    script = (folder / "install.sh").read_text()
    expect(not re.search(r"@[A-Z_0-9]+@", script), "installer: a placeholder is left")
    expect(f"version={version}\n" in script, "installer: version")


def check_npm(expect, folder, version):
    for package, programs in PACKAGES.items():
        with tarfile.open(folder / f"{package}-{version}.tgz") as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
            expect("scripts" not in manifest, f"npm: {package} runs something when it is installed")
            for path in manifest.get("bin", {}).values():
                expect(archive.getmember(f"package/{path}").mode & 0o111, f"npm: {path} is not executable")
        expect((manifest["name"], manifest["version"]) == (package, version), f"npm: {manifest['name']}")
        if package == "claudevil":
            registry = json.loads((folder / "server.json").read_text())["name"]
            expect(manifest["mcpName"] == registry, "npm: the registry's name")
            expect(set(manifest["bin"]) == {"claudevil", "claudevil-mcp", "claudevil-lsp"}, "npm: commands")
        expect(manifest["optionalDependencies"], f"npm: {package} has no platforms")
        for platform, needed in manifest["optionalDependencies"].items():
            path = folder / f"{platform[1:].replace('/', '-')}-{version}.tgz"
            with tarfile.open(path) as archive:
                inner = json.load(archive.extractfile("package/package.json"))
            expect((inner["name"], inner["version"]) == (platform, needed), f"npm: {path.name} is {inner['name']}")
            expect("scripts" not in inner and inner["os"] and inner["cpu"], f"npm: {platform}")
            suffix = ".exe" if inner["os"] == ["win32"] else ""
            for name in programs:
                mode = members(path).get(f"package/bin/{name}{suffix}", 0)
                expect(mode & 0o111, f"npm: no program {name} in {platform}")


def check_wheels(expect, folder, version):
    for package, programs in PACKAGES.items():
        base = f"{package.replace('-', '_')}-{version}"
        paths = sorted(folder.glob(f"{base}-*.whl"))
        expect(paths, f"wheel: none of {package}")
        for path in paths:
            with zipfile.ZipFile(path) as archive:
                rows = [row.split(",") for row in archive.read(f"{base}.dist-info/RECORD").decode().splitlines()]
                expect({row[0] for row in rows} == set(archive.namelist()), f"wheel: the record of {path.name}")
                for name, recorded, size in rows[:-1]:
                    content = archive.read(name)
                    made = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                    expect((recorded, size) == (f"sha256={made}", str(len(content))), f"wheel: {name} in {path.name}")
                tag = re.search(r"^Tag: (.+)$", archive.read(f"{base}.dist-info/WHEEL").decode(), re.MULTILINE)[1]
                metadata = archive.read(f"{base}.dist-info/METADATA").decode()
            expect(path.name == f"{base}-{tag}.whl", f"wheel: {path.name} says {tag}")
            expect(f"Name: {package}\nVersion: {version}\n" in metadata, f"wheel: metadata of {path.name}")
            expect(not re.search(r"@[A-Z]+@", metadata), "wheel: a placeholder is left")
            suffix = ".exe" if "win" in tag.split("-")[-1].split("_")[0] else ""
            for name in programs:
                mode = members(path).get(f"{base}.data/scripts/{name}{suffix}", 0)
                expect(mode & 0o111, f"wheel: no program {name} in {path.name}")


def members(path):
    """The files in an archive, with their permissions."""
    if path.suffix in (".zip", ".whl"):
        with zipfile.ZipFile(path) as archive:
            return {one.filename: one.external_attr >> 16 for one in archive.infolist()}
    with tarfile.open(path) as archive:
        return {one.name: one.mode for one in archive.getmembers()}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_registry(expect, folder, version):
    entry = json.loads((folder / "server.json").read_text())
    expect(re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"]), f"registry: name {entry['name']}")
    expect(1 <= len(entry["description"]) <= 100, "registry: the description has at most 100 characters")
    expect(entry["version"] == version and SEMANTIC_VERSION.fullmatch(version), "registry: version")
    expect(entry["$schema"].endswith("/2025-12-11/server.schema.json"), "registry: schema")
    expect(entry["packages"], "registry: no packages")
    kinds = {package["registryType"] for package in entry["packages"]}
    expect(kinds == {"npm", "pypi", "mcpb"}, f"registry: packages of {sorted(kinds)}")
    for package in entry["packages"]:
        expect(package["transport"] == {"type": "stdio"} and package["version"] == version, "registry: package")
        if package["registryType"] == "mcpb":
            expect(re.fullmatch(r"https://\S+\.mcpb", package["identifier"]), f"registry: {package['identifier']}")
            expect(re.fullmatch(r"[a-f0-9]{64}", package["fileSha256"]), "registry: checksum")
        else:
            expect(package["identifier"] == "claudevil", f"registry: {package['identifier']}")
            arguments = [one["value"] for one in package["packageArguments"]]
            expect(arguments == ["mcp"], f"registry: {arguments} starts no server")


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
