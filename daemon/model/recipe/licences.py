"""Recognises the licence that a text grants. Only permissive ones are accepted; a folder with any other is not mined."""
import re

GRANTS = [
    ("Apache-2.0", r"apache license,?\s+\(?version 2\.0"),
    ("MIT", r"permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("BSD", r"redistribution and use in source and binary forms"),
    ("ISC", r"permission to use, copy, modify, and(?:/or)? distribute this software for any purpose with or without fee"),
    ("Zlib", r"provided ['\"‘]?as-is['\"’]?, without any express or implied warranty.*altered source versions"),
    ("Unlicense", r"this is free and unencumbered software released into the public domain"),
    ("MIT", r"\bitself is mit-licensed"),
]
GRANTS = [(name, re.compile(pattern, re.S)) for name, pattern in GRANTS]
CLOSED = re.compile(
    r"gnu (?:lesser |affero |library )?general public|mozilla public|business source license|elastic license|server side public"
    r"|commons clause|eclipse public|european union public|common development and distribution|creative commons|functional source"
    r"|open software license|microsoft public license|cecill|sustainable use"
)
NAME = re.compile(r"(?:^|/)(?:un)?(?:licen[cs]e|copying|copyright)(?!.*(?:binary|third))[^/]*$|(?:^|/)licen[cs]es/[^/]*$", re.I)
CODE = re.compile(r"\.(?:rs|go|py|js|ts|tsx|java|kt|scala|c|h|cc|cpp|cs|swift|php|rb|ex|exs|hs|lua|zig|sh|dart|ml|html|json|png|svg|yml|yaml)$", re.I)


def of(text):
    """Returns the name of the licence, "closed" for one that is not permissive, and None for a text that is not a licence."""
    text = re.sub(r"[\s*#/]+", " ", text.lower()).strip()
    # Apache's text may be followed by the licences of bundled parts, whose folders are skipped or have a licence of their own.
    own = text[:3000] if text.startswith("apache license") else text
    if CLOSED.search(own):
        return "closed"
    text = own
    names = [name for name, pattern in GRANTS if pattern.search(text)]
    return " or ".join(dict.fromkeys(names)) or None


def folders(found):
    """Returns the licences of each folder that has any, from {path: licence}. Those in LICENSES/ belong to the folder
    around it, if that has none itself."""
    said, listed = {}, {}
    for path, licence in found.items():
        folder = path.rpartition("/")[0]
        aside = folder.rpartition("/")[2].lower() in ("licenses", "licences", "license")
        if licence:
            (listed if aside else said).setdefault(folder.rpartition("/")[0] if aside else folder, set()).add(licence)
    return listed | said


def permitted(path, said):
    """Returns the licences of the nearest folder above a file that has any, if all of them are permissive."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        if folder in said:
            return () if "closed" in said[folder] else said[folder]
    return ()
