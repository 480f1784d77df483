#!/usr/bin/env python3
"""Checks which version of the GNU C library programs need.

Usage: packaging/glibc.py FLOOR FILE...

Prints the version that each file needs, by the symbol versions that `readelf` lists, and fails if one needs a newer
library than FLOOR (`2.28`), or a feature of the loader that came later: packed relocations need 2.36.
"""

import os
import re
import subprocess
import sys

# Markers among the symbol versions that stand for features of the loader.
MARKERS = {"GLIBC_ABI_DT_RELR": (2, 36)}


def needed(path):
    """The oldest C library that loads a program, as (2, 28)."""
    command = ["readelf", "--wide", "--dynamic", "--version-info", str(path)]
    listed = subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, check=True).stdout
    versions = [tuple(map(int, found.split("."))) for found in re.findall(r"\bName: GLIBC_(\d+(?:\.\d+)+)", listed)]
    versions += [version for marker, version in MARKERS.items() if marker in listed]
    if re.search(r"\(RELR\)", listed):
        versions.append(MARKERS["GLIBC_ABI_DT_RELR"])
    if not versions:
        raise ValueError(f"{path} names no version of the GNU C library")
    return max(version[:2] for version in versions)


def main(floor, paths):
    limit = tuple(map(int, floor.split(".")))
    too_new = 0
    for path in paths:
        version = needed(path)
        too_new += version > limit
        print(f"{path}: glibc {version[0]}.{version[1]}{'' if version <= limit else f', which is newer than {floor}'}")
    return 1 if too_new else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
