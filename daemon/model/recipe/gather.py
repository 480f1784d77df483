#!/usr/bin/env python3
"""Puts mined pairs together: gather.py MINED OUT_DIR [LINES_NEVER_TO_LEARN.npy]

MINED is a folder of files that mine.py wrote, or one zstd file with all of them, each after a line "@@ NAME".
Near-duplicates are dropped (by hashed lines: two sketches of three lines each), the pairs of each language are limited, and
whole repositories are held out (HELD). Writes train*.jsonl and held.jsonl: [repository, kind, language, words, length of the
first sentence, code, group]. Uses all processors.
"""
import collections
import glob
import io
import json
import multiprocessing
import os
import random
import sys
import zlib

import numpy as np

MOST = 150_000
# A text that is paired with more pieces of code than this describes none of them.
SAME_WORDS = 4
HELD = """
BurntSushi/ripgrep quickwit-oss/tantivy caddyserver/caddy tornadoweb/tornado scrapy/scrapy Leaflet/Leaflet TanStack/query recharts/recharts
google/guice square/okio coil-kt/coil InsertKoinIO/koin twitter/finagle memcached/memcached jqlang/jq google/leveldb gabime/spdlog App-vNext/Polly serilog/serilog
onevcat/Kingfisher composer/composer puma/puma oban-bg/oban absinthe-graphql/absinthe jaspervdj/hakyll ekmett/lens luarocks/luarocks lunarmodules/Penlight
mitchellh/libxev zigimg/zigimg sdkman/sdkman-cli asdf-vm/asdf tj/git-extras dart-lang/http imaNNeo/fl_chart mirage/ocaml-cohttp ocaml-ppx/ocamlformat
fastify/fastify vitejs/vite doctrine/dbal asciidoctor/asciidoctor
""".split()
FORBIDDEN = set()


def mined(path):
    """Yields the name of each repository and its lines."""
    if os.path.isdir(path):
        for file in sorted(glob.glob(f"{path}/*.jsonl")):
            yield os.path.basename(file), open(file, encoding="utf8").read().splitlines()
        return
    import zstandard

    with open(path, "rb") as file:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(file), encoding="utf8", newline="\n")
        name, lines = None, []
        for line in text:
            if line.startswith("@@ "):
                if name:
                    yield name, lines
                name, lines = line[3:].strip(), []
            else:
                lines.append(line.rstrip("\n"))
        yield name, lines


def digest(numbers):
    return zlib.crc32(np.array(numbers, np.int64).tobytes()) << 32 | zlib.adler32(np.array(numbers, np.int64).tobytes())


def sketches(code):
    hashes = sorted({zlib.crc32(line.strip().encode()) for line in code.split("\n")[1:] if len(line.strip()) > 8})
    if len(hashes) < 4:
        return [zlib.crc32(code.encode()) << 20 | len(code)]
    return [digest(hashes[:3]), digest(hashes[-3:])]


def looked_at(lines):
    """Returns for each line its kind, language, sketches and words, and whether it must never be learnt."""
    out = []
    for line in lines:
        kind, language, words, _, code, _ = json.loads(line)
        long = [zlib.crc32(line.strip().encode()) for line in code.split("\n") if len(line.strip()) >= 40]
        never = len(long) >= 2 and sum(each in FORBIDDEN for each in long) * 2 > len(long)
        out.append((kind, language, sketches(code), words.lower(), never))
    return out


def main(path, out, forbidden=None):
    if forbidden:
        FORBIDDEN.update(np.load(forbidden).tolist())
    seen, said = collections.defaultdict(set), collections.Counter()
    dropped, kept, held = collections.Counter(), collections.defaultdict(list), []
    files = [(file.removesuffix(".jsonl").replace("+", "/", 1), lines) for file, lines in mined(path)]
    # Held-out repositories first, so that what they share with others is dropped from the others.
    files.sort(key=lambda file: file[0] not in HELD)
    with multiprocessing.get_context("fork").Pool() as pool:
        for (repository, lines), looks in zip(files, pool.imap(looked_at, [lines for _, lines in files])):
            for line, (kind, language, keys, words, never) in zip(lines, looks):
                if any(key in seen[kind] for key in keys):
                    dropped["near-duplicate"] += 1
                    continue
                said[words] += 1
                if said[words] > SAME_WORDS:
                    dropped["same words"] += 1
                    continue
                if never:
                    dropped["never to learn"] += 1
                    continue
                seen[kind].update(keys)
                row = (repository, kind, f"[{json.dumps(repository)}, {line[1:]}")
                if repository in HELD:
                    held.append(row)
                else:
                    kept[language].append(row)
    rng, table, used = random.Random(7), collections.defaultdict(collections.Counter), collections.Counter()
    train = []
    for language, rows in sorted(kept.items()):
        rng.shuffle(rows)
        train += rows[:MOST]
        table[language].update(kind for _, kind, _ in rows[:MOST])
    train.sort(key=lambda row: row[0])
    used.update(repository for repository, _, _ in train)
    each = len(train) // 8 + 1
    for name, rows in [(f"train{at}", train[at * each:(at + 1) * each]) for at in range(8)] + [("held", held)]:
        with open(f"{out}/{name}.jsonl", "w", encoding="utf8", newline="\n") as file:
            file.writelines(line + "\n" for _, _, line in rows)
    for language, counts in table.items():
        print(language, sum(counts.values()), dict(counts))
    json.dump({"kept": used, "languages": table, "held": collections.Counter(repository for repository, _, _ in held), "dropped": dropped}, open(f"{out}/gathered.json", "w"))
    print(len(train), "to train on,", len(held), "held out; dropped:", dict(dropped), "of", len(used), "repositories", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
