#!/usr/bin/env python3
"""Puts mined pairs together: gather.py MINED_DIR OUT_DIR [LINES_NEVER_TO_LEARN.npy]

Near-duplicates go (hashed lines: two sketches of three lines each), one language cannot drown the others, and whole
repositories are held out (HELD). Writes train.jsonl and held.jsonl: [repository, kind, language, words, length of the
first sentence, code, group].
"""
import collections
import glob
import json
import os
import random
import sys
import zlib

import numpy as np

MOST = 120_000
# The same words for many pieces of code say nothing about any of them.
SAME_WORDS = 4
HELD = """
BurntSushi/ripgrep quickwit-oss/tantivy caddyserver/caddy tornadoweb/tornado scrapy/scrapy Leaflet/Leaflet TanStack/query recharts/recharts
google/guice square/okio coil-kt/coil InsertKoinIO/koin twitter/finagle memcached/memcached jqlang/jq google/leveldb gabime/spdlog App-vNext/Polly serilog/serilog
onevcat/Kingfisher composer/composer puma/puma oban-bg/oban absinthe-graphql/absinthe jaspervdj/hakyll ekmett/lens luarocks/luarocks lunarmodules/Penlight
mitchellh/libxev zigimg/zigimg sdkman/sdkman-cli asdf-vm/asdf tj/git-extras dart-lang/http imaNNeo/fl_chart mirage/ocaml-cohttp ocaml-ppx/ocamlformat
fastify/fastify vitejs/vite doctrine/dbal asciidoctor/asciidoctor
""".split()


def sketches(code):
    hashes = sorted({zlib.crc32(line.strip().encode()) for line in code.split("\n")[1:] if len(line.strip()) > 8})
    if len(hashes) < 4:
        return [hash(code)]
    return [hash(tuple(hashes[:3])), hash(tuple(hashes[-3:]))]


def never(path):
    """Hashes (crc32, .npy) of the longer lines of code that may not be learnt."""
    return set(np.load(path).tolist()) if path else set()


def main(mined, out, forbidden=None):
    forbidden = never(forbidden)
    rng = random.Random(7)
    seen, said = collections.defaultdict(set), collections.Counter()
    dropped = collections.Counter()
    kept = collections.defaultdict(list)
    held = []
    files = sorted(glob.glob(f"{mined}/*.jsonl"))
    # Held-out repositories first, so that what they share with others is dropped from the others.
    name_of = lambda file: os.path.basename(file)[:-6].replace("+", "/", 1)
    files.sort(key=lambda file: name_of(file) not in HELD)
    for file in files:
        repo = name_of(file)
        for line in open(file):
            kind, language, words, first, code, group = json.loads(line)
            keys = sketches(code)
            if any(key in seen[kind] for key in keys):
                dropped["near-duplicate"] += 1
                continue
            said[words.lower()] += 1
            if said[words.lower()] > SAME_WORDS:
                dropped["same words"] += 1
                continue
            if forbidden:
                long = [zlib.crc32(line.strip().encode()) for line in code.split("\n") if len(line.strip()) >= 40]
                if len(long) >= 2 and sum(each in forbidden for each in long) * 2 > len(long):
                    dropped["never to learn"] += 1
                    continue
            seen[kind].update(keys)
            row = [repo, kind, language, words, first, code, group]
            (held if repo in HELD else kept[language]).append(row)
    train = []
    for language, rows in kept.items():
        rng.shuffle(rows)
        train += rows[:MOST]
    # One repository's pairs lie together: they compress well, and batches are built from them.
    train.sort(key=lambda row: (row[0], row[6]))
    for name, rows in (("train", train), ("held", held)):
        with open(f"{out}/{name}.jsonl", "w") as file:
            file.writelines(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    table = collections.defaultdict(collections.Counter)
    for row in train:
        table[row[2]][row[1]] += 1
    for language, counts in sorted(table.items()):
        print(language, sum(counts.values()), dict(counts))
    print(len(train), "to train on,", len(held), "held out; dropped:", dict(dropped), "of", len({row[0] for row in train}), "repositories")


if __name__ == "__main__":
    main(*sys.argv[1:])
