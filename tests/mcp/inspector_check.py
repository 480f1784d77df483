"""Checks claudevil-mcp with the command line of the official MCP inspector, in both eras of the protocol.

Usage: inspector_check.py DIRECTORY_OF_THE_BINARIES NODE INSPECTOR — the last two are provided by `run`.
"""

import sys

sys.dont_write_bytecode = True

import json
import subprocess
import time

from report import Report
from workspace import CORE_TOOLS, EXTRA_TOOLS, IGNORED_PATH, LISTED_PATHS, Workspace

ERAS = ("legacy", "modern")
RUN_LIMIT_S = 60
FIRST_INDEX_LIMIT_S = 30

# Exit codes of the inspector: a result with isError, and findings of severity "error" under --strict.
TOOL_ERROR = 5
SCHEMA_UNPORTABLE = 6


def main(binaries, node, inspector):
    report = Report()
    for era in ERAS:
        label = f"inspector {era}"
        with Workspace(binaries, report, label) as workspace:
            Inspector(workspace, node, inspector, era).check(report, label)
    return report.exit_code()


class Inspector:
    def __init__(self, workspace, node, inspector, era):
        self.workspace = workspace
        self.command = [node, inspector, "--cli", "--protocol-era", era, "--format", "json"]

    def check(self, report, label):
        with report.check(f"{label}: tools/list --strict"):
            self.strict_list([], CORE_TOOLS)
        with report.check(f"{label}: tools/list --strict --toolsets all"):
            self.strict_list(["--toolsets", "all"], CORE_TOOLS | EXTRA_TOOLS)
        with report.check(f"{label}: tools/list --strict --toolsets all --structured"):
            self.strict_list(["--toolsets", "all", "--structured"], CORE_TOOLS | EXTRA_TOOLS)
        with report.check(f"{label}: tools/call with typed data and links"):
            result = self.call("find_symbol", {"name": "main"}, arguments=["--structured", "--resource-links"])
            assert result["structuredContent"]["symbols"][0]["path"] == "src/main.rs", f"got {result}"
            assert result["content"][1]["type"] == "resource_link", f"got {result}"
        with report.check(f"{label}: tools/call list_files"):
            self.list_files()
        with report.check(f"{label}: tools/call read_file"):
            result = self.call("read_file", {"path": "src/main.rs"})
            assert "fn main()" in text_of(result), f"got {result}"
        with report.check(f"{label}: tools/call index_status"):
            assert text_of(self.call("index_status", {})).strip(), "the text is empty"
        with report.check(f"{label}: tools/call with a tool error"):
            result = self.call("read_file", {"path": "src/missing.rs"}, exit_code=TOOL_ERROR)
            assert result.get("isError") is True, f"got {result}"
            assert "file_not_found" in text_of(result), f"got {result}"
        with report.check(f"{label}: tools/call manage_roots"):
            result = self.call("manage_roots", {"action": "list"}, arguments=["--toolsets", "all"])
            assert text_of(result).strip(), "the text is empty"

    def strict_list(self, arguments, expected):
        envelope = self.run(["--method", "tools/list", "--strict"], arguments, (0, SCHEMA_UNPORTABLE))
        # Its warnings count here as well: each is a client that drops a constraint or refuses the tool.
        findings = envelope.get("schemaFindings", [])
        assert not findings, "; ".join(
            f"{tool['toolName']}.{finding['schema']}.{finding['path']}: {finding['severity']} {finding['rule']}"
            for tool in findings
            for finding in tool["findings"]
        )
        names = {tool["name"] for tool in envelope["result"]["tools"]}
        assert expected <= names, f"missing: {sorted(expected - names)}"

    def list_files(self):
        deadline = time.monotonic() + FIRST_INDEX_LIMIT_S
        while True:
            listing = json.loads(text_of(self.call("list_files", {"format": "json"}, arguments=["--toolsets", "all"])))
            paths = {file["path"] for file in listing["files"]}
            # The first answers may come while the project is being indexed.
            if set(LISTED_PATHS) <= paths or time.monotonic() > deadline:
                break
        assert set(LISTED_PATHS) <= paths, f"listed: {sorted(paths)}"
        assert IGNORED_PATH not in paths, f"{IGNORED_PATH} is ignored, but listed"

    def call(self, tool, values, exit_code=0, arguments=()):
        options = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(values)]
        return self.run(options, arguments, (exit_code,))["result"]

    def run(self, options, arguments, exit_codes):
        environment = self.workspace.environment()
        state = environment.pop("CLAUDEVIL_HOME")
        # The inspector hands its own HOME, PATH and so on to the server, and only those; the state goes by option.
        options = [*options, "-e", f"CLAUDEVIL_HOME={state}", "--cwd", str(self.workspace.project)]
        done = subprocess.run(
            [*self.command, *options, "--", self.workspace.shim, *arguments],
            # No secret is involved, and a keychain would be asked for none.
            env={**environment, "MCP_INSPECTOR_SECRET_STORE": "memory"},
            cwd=self.workspace.base,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=RUN_LIMIT_S,
        )
        seen = f"exit code {done.returncode}: {done.stderr[-500:]} {done.stdout[-200:]}"
        assert done.returncode in exit_codes, seen
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise AssertionError(f"no result, {seen}")


def text_of(result):
    return "".join(item["text"] for item in result["content"] if item["type"] == "text")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
