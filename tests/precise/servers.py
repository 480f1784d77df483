"""The language servers, and how each of them wants to be asked."""

import copy
import dataclasses


@dataclasses.dataclass(frozen=True)
class Server:
    command: tuple
    # The command that prints its version.
    version: tuple
    # File extensions, with the language ids of the protocol.
    languages: dict
    settings: dict = dataclasses.field(default_factory=dict)
    # The section of the settings that is also sent with `initialize`.
    options_section: str | None = None
    options: dict = dataclasses.field(default_factory=dict)
    # Seconds within which it begins to report progress, if it does at all.
    begins_within: int = 10
    # It knows only the projects of open files.
    open_all: bool = False
    # Opening a file costs it more than keeping it open.
    keep_open: bool = False
    # Declarations without a body are symbols to it; only those with one are taken.
    needs_body: bool = False
    # It treats a name that a module exports and the same name imported elsewhere as two symbols: `exports.open = open`.
    passes_on: bool = False


SERVERS = {
    "pyright": Server(
        command=("pyright-langserver", "--stdio"),
        version=("pyright", "--version"),
        languages={".py": "python"},
        settings={"python": {"analysis": {"diagnosticMode": "openFilesOnly", "typeCheckingMode": "off"}}},
    ),
    "gopls": Server(
        command=("gopls", "serve"),
        version=("gopls", "version"),
        languages={".go": "go"},
        settings={"gopls": {"semanticTokens": False, "vulncheck": "Off"}},
        options_section="gopls",
    ),
    "typescript": Server(
        command=("typescript-language-server", "--stdio"),
        version=("tsc", "--version"),
        languages={".ts": "typescript", ".tsx": "typescriptreact", ".mts": "typescript", ".cts": "typescript"},
        options={"disableAutomaticTypingAcquisition": True, "maxTsServerMemory": 6144},
        open_all=True,
    ),
    "javascript": Server(
        command=("typescript-language-server", "--stdio"),
        version=("tsc", "--version"),
        languages={".js": "javascript", ".jsx": "javascriptreact", ".mjs": "javascript", ".cjs": "javascript"},
        options={"disableAutomaticTypingAcquisition": True, "maxTsServerMemory": 6144},
        open_all=True,
        passes_on=True,
    ),
    "clangd": Server(
        command=("clangd", "--background-index", "--clang-tidy=false", "-j=2", "--limit-references=0"),
        version=("clangd", "--version"),
        languages={
            ".c": "c",
            ".h": "cpp",
            ".cc": "cpp",
            ".cpp": "cpp",
            ".cxx": "cpp",
            ".hh": "cpp",
            ".hpp": "cpp",
        },
        begins_within=20,
        keep_open=True,
        needs_body=True,
    ),
    "rust-analyzer": Server(
        command=("rust-analyzer",),
        version=("rust-analyzer", "--version"),
        languages={".rs": "rust"},
        settings={"rust-analyzer": {"checkOnSave": False, "cachePriming": {"enable": True}}},
        options_section="rust-analyzer",
        begins_within=60,
    ),
    # It answers references without a licence, and has no call hierarchy.
    "intelephense": Server(
        command=("intelephense", "--stdio"),
        version=("intelephense", "--version"),
        languages={".php": "php"},
        begins_within=20,
    ),
}


def configured(server, changes):
    """Settings and options of a server, with changes such as `python.pythonPath=/venv/bin/python` applied."""
    settings = copy.deepcopy(server.settings)
    for change in changes:
        name, _, value = change.partition("=")
        *parents, last = name.split(".")
        part = settings
        for parent in parents:
            part = part.setdefault(parent, {})
        part[last] = {"true": True, "false": False}.get(value, value)
    options = dict(server.options)
    if server.options_section:
        options |= settings.get(server.options_section, {})
    return settings, options
