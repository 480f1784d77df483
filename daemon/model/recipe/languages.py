"""Patterns of the definitions and comments of each language, line by line. Code must be well formatted: a block ends where
the indentation returns to that of its first line."""
import re

# The beginning of line comments; the beginning and end of block comments; how a block ends; how a definition looks.
SLASHES = ("//", ("/*", "*/"))
HASH = ("#", None)
CALL_WORDS = r"(?!(?:if|for|while|switch|return|else|do|case|catch|throw|new|await|yield|using|lock|foreach|synchronized|try|assert|import|package|typedef|goto|delete|not|and|or)\b)"
TYPES = r"(?:class|struct|interface|trait|enum|record|object|protocol|extension|actor|mixin|union|module|impl)"
MODS = r"(?:(?:pub(?:\([^)]*\))?|public|private|protected|internal|open|final|abstract|sealed|static|data|inner|override|export|default|declare|case|implicit|lazy|inline|suspend|async|unsafe|const|extern(?: \"C\")?|partial|readonly|virtual|base|indirect|fileprivate|mutating|value|annotation|expect|actual|operator|infix|tailrec|external|nonisolated|convenience|required|class|new|abstract|native|synchronized|transparent|given)\s+)*"
ANNOTATED = r"(?:@[\w.]+(?:\([^)]*\))?\s+)*"
C_LIKE = rf"^\s*{ANNOTATED}{CALL_WORDS}(?=[^;\"]{{3,250}}$)(?:[\w:<>,\[\]?.~]+[\s*&]+)+((?:[\w~]+::)*~?\w+)\s*\([^;]*$"

DEFS = {
    "rust": [rf"^\s*{MODS}fn\s+(\w+)", rf"^\s*{MODS}(?:struct|enum|trait|union|mod|macro_rules!)\s+(\w+)", r"^\s*impl(?:<.*?>)?\s+(?:.*?\bfor\s+)?(\w+)"],
    "go": [r"^func\s+(?:\([^)]*\)\s*)?(\w+)", r"^type\s+(\w+)\s+(?:struct|interface|func)"],
    "python": [r"^\s*(?:async\s+)?def\s+(\w+)", r"^\s*class\s+(\w+)"],
    "javascript": [r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)", r"^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(\w+)",
                   r"^\s*(?:export\s+)?(?:const|let|var)\s+(\w+)(?:\s*:[^=]+)?\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)[^=]*=>|\w+\s*=>|\([^)]*$)",
                   r"^\s*(?:[\w.]+\.)?(\w+)\s*[:=]\s*(?:async\s+)?function\b",
                   rf"^\s+(?:(?:public|private|protected|static|async|readonly|override|get|set|abstract)\s+)*{CALL_WORDS}(?!(?:function|super|describe|it|test|expect)\b)\*?#?(\w+)\s*(?:<[^>]*>)?\([^;]*\)?[^;]*\{{\s*$"],
    "java": [rf"^\s*{ANNOTATED}{MODS}{TYPES}\s+(\w+)", C_LIKE],
    "kotlin": [rf"^\s*{ANNOTATED}{MODS}fun\s+(?:<[^>]*>\s*)?(?:[\w<>?, ]+\.)?(\w+)", rf"^\s*{ANNOTATED}{MODS}(?:enum\s+|fun\s+)?{TYPES}\s+(\w+)"],
    "scala": [rf"^\s*{ANNOTATED}{MODS}def\s+(\w+)", rf"^\s*{ANNOTATED}{MODS}{TYPES}\s+(\w+)"],
    "c": [C_LIKE, r"^(?:typedef\s+)?(?:struct|enum|union)\s+(\w+)\s*\{?\s*$"],
    "cpp": [C_LIKE, r"^\s*(?:class|struct|enum(?:\s+class)?|union)\s+(?:[A-Z_]+\s+)?(\w+)[^;]*$"],
    "csharp": [rf"^\s*{MODS}{TYPES}\s+(\w+)", C_LIKE],
    "swift": [rf"^\s*{ANNOTATED}{MODS}func\s+(\w+)", rf"^\s*{ANNOTATED}{MODS}{TYPES}\s+(\w+)"],
    "php": [rf"^\s*{MODS}function\s+&?(\w+)", rf"^\s*{MODS}{TYPES}\s+(\w+)"],
    "ruby": [r"^\s*def\s+(?:self\.)?(\w+[?!]?)", r"^\s*(?:class|module)\s+([\w:]+)"],
    "elixir": [r"^\s*def(?:p|macro|macrop|guard|delegate)?\s+(\w+[?!]?)", r"^\s*defmodule\s+([\w.]+)"],
    "haskell": [r"^(\w[\w']*)\s*::", r"^(?:data|newtype|class|type)\s+(?:.*=>\s*)?(\w+)", r"^(?:instance)\s+(?:.*=>\s*)?(\w+\s+\w+)"],
    "lua": [r"^\s*(?:local\s+)?function\s+(?:[\w.:]+[.:])?(\w+)", r"^\s*(?:local\s+)?(?:[\w.]+\.)?(\w+)\s*=\s*function\b"],
    "zig": [r"^\s*(?:pub\s+)?(?:inline\s+|export\s+|extern\s+)?fn\s+(\w+)", r"^\s*(?:pub\s+)?const\s+(\w+)\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union)"],
    "bash": [r"^\s*(?:function\s+)?([\w:.-]+)\s*\(\)", r"^\s*function\s+([\w:.-]+)"],
    "dart": [rf"^\s*{MODS}(?:class|mixin|extension|enum)\s+(\w+)", C_LIKE, r"^\s*(?:[\w<>?]+\s+)?get\s+(\w+)"],
    "ocaml": [r"^\s*let\s+(?:rec\s+)?(?:%\w+\s+)?(\w[\w']*)", r"^\s*(?:module|class)\s+(?:type\s+)?(\w+)", r"^\s*and\s+(\w[\w']*)"],
}
DEFS["typescript"] = DEFS["tsx"] = DEFS["javascript"] + [r"^\s*(?:export\s+)?(?:declare\s+)?(?:interface|enum|namespace)\s+(\w+)", r"^\s*(?:export\s+)?type\s+(\w+).*=\s*\{?\s*$"]
DEFS = {language: [re.compile(each) for each in patterns] for language, patterns in DEFS.items()}

COMMENTS = {language: SLASHES for language in DEFS}
COMMENTS |= {"python": HASH, "ruby": HASH, "elixir": HASH, "bash": HASH, "lua": ("--", ("--[[", "]]")), "haskell": ("--", ("{-", "-}")), "ocaml": (None, ("(*", "*)")), "zig": ("//", None)}

EXTENSIONS = {
    "rs": "rust", "go": "go", "py": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript", "ts": "typescript", "mts": "typescript",
    "tsx": "tsx", "java": "java", "kt": "kotlin", "kts": "kotlin", "scala": "scala", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp",
    "hh": "cpp", "cs": "csharp", "swift": "swift", "php": "php", "rb": "ruby", "ex": "elixir", "exs": "elixir", "hs": "haskell", "lua": "lua", "zig": "zig",
    "sh": "bash", "bash": "bash", "zsh": "bash", "dart": "dart", "ml": "ocaml",
}

# A line with the indentation of the first one that still belongs to the block.
GOES_ON = re.compile(r"^(?:[)\]{]|where\b|->|throws\b|then\b|do\b|=|\||:|extends\b|implements\b|with\b|noexcept|override|const\b|in\b)")
ENDS = re.compile(r"^(?:\}|end\b|fi\b|done\b)")
LABEL = re.compile(r"^(?:#|\w+:\s*$|public:|private:|protected:)")
ATTRIBUTE = re.compile(r"^(?:#\[|@|\[\w|template\s*<|__attribute__|#!\[|pub use)")


def indent(line):
    return len(line) - len(line.lstrip(" \t"))


def block_end(lines, start, language, most=45):
    """Returns the line after the last one of the block that begins at `start`."""
    depth, end, stop = indent(lines[start]), start + 1, min(len(lines), start + most)
    first = lines[start].split("::")[0].strip() + " " if language == "haskell" else None
    while end < stop:
        line = lines[end].strip()
        if line and indent(lines[end]) <= depth:
            if language == "python":
                if not line.startswith(")"):
                    break
            elif language == "haskell":
                if not line.startswith(first):
                    break
            elif language == "ocaml":
                if not line.startswith((")", "end", "|", "fun", "in", "with", "}")):
                    break
            elif ENDS.match(line):
                end += 1
                break
            elif not GOES_ON.match(line) and not (language in ("c", "cpp", "csharp") and LABEL.match(line)):
                break
        end += 1
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end
