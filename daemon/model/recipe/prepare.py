#!/usr/bin/env python3
"""Makes the arrays that are trained on: prepare.py DATA_DIR MINILM_DIR VOCABULARY.json

Reads train*.jsonl.xz and held.jsonl.xz; writes {train,held}.npz and phrases.json beside them. Uses all processors.
"""
import collections
import glob
import json
import lzma
import multiprocessing
import os
import sys
import time

import numpy as np
from words import PLACES, Pieces

os.environ["TOKENIZERS_PARALLELISM"] = "false"
PHRASES = 16_384
LENGTH = {"words": 48, "code": 144}
PIECES = TOKENIZER = None


def lines(path):
    opened = lzma.open if path.endswith(".xz") else open
    with opened(path, "rt", encoding="utf8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def neighbours(some):
    said, coded, spread = collections.Counter(), collections.Counter(), collections.defaultdict(set)
    for line in some:
        row = json.loads(line)
        if row[1] != "doc" and row[1] != "comment":
            continue
        for pair in PIECES.pairs(row[3]):
            said[pair] += 1
            spread[pair].add(hash(row[0]) & 0xFFFF)
        coded.update(PIECES.pairs(row[5]))
    return {pair: count for pair, count in said.items() if coded[pair]}, {pair: coded[pair] for pair in said if coded[pair]}, {pair: spread[pair] for pair in said if coded[pair]}


def phrases(pool, parts):
    """Neighbours that both words and code have, in several repositories."""
    said, coded, spread = collections.Counter(), collections.Counter(), collections.defaultdict(set)
    for one, two, three in pool.imap_unordered(neighbours, parts[::3]):
        said.update(one)
        coded.update(two)
        for pair, repositories in three.items():
            spread[pair] |= repositories
    good = [pair for pair in said if said[pair] >= 5 and coded[pair] >= 8 and len(spread[pair]) >= 4]
    good.sort(key=lambda pair: (-said[pair] * coded[pair], pair))
    return sorted(good[:PHRASES])


def ids(texts, length):
    TOKENIZER.enable_truncation(length)
    TOKENIZER.no_padding()
    out, sizes = np.zeros((len(texts), length), np.int16), np.zeros(len(texts), np.int16)
    for at, each in enumerate(TOKENIZER.encode_batch(texts)):
        out[at, :len(each.ids)], sizes[at] = each.ids, len(each.ids)
    return out, sizes


def tabled(some):
    rows = [json.loads(line) for line in some]
    asked, first, code = [row[3] for row in rows], [row[3][:row[4]] for row in rows], [row[5] for row in rows]
    same = lambda texts: np.array([hash(text) for text in texts], np.int64)
    out = {}
    for name, texts in (("words", asked), ("first", first), ("code", code)):
        kind = "code" if name == "code" else "words"
        out[name], out[name + "_weight"], out[name + "_zone"] = PIECES.table(texts, PLACES[kind])
        out[name + "_ids"], out[name + "_size"] = ids(texts, LENGTH[kind])
    out["repository"], out["kind"], out["language"] = (np.array([row[at] for row in rows], f"U{size}") for at, size in ((0, 60), (1, 8), (2, 12)))
    out["same_words"], out["same_place"] = same([text.lower() for text in asked]), same([row[0] + row[6] for row in rows])
    return out


def begin(names, found, folder):
    global PIECES, TOKENIZER
    PIECES = Pieces(names, found)
    if folder:
        from tokenizers import Tokenizer
        TOKENIZER = Tokenizer.from_file(f"{folder}/tokenizer.json")


def main(data, folder, vocabulary):
    began = time.time()
    names = json.load(open(vocabulary))["model"]["vocab"]
    files = sorted(glob.glob(f"{data}/train*.jsonl*"))
    with multiprocessing.Pool(min(8, len(files) + 1)) as pool:
        read = pool.map(lines, files + glob.glob(f"{data}/held.jsonl*"))
    train, held = [line for each in read[:-1] for line in each], read[-1]
    cut = lambda all_lines: [all_lines[at:at + 4000] for at in range(0, len(all_lines), 4000)]
    print(f"read {len(train)} and {len(held)} {time.time() - began:.0f} s", flush=True)
    with multiprocessing.Pool(initializer=begin, initargs=(names, (), None)) as pool:
        found = phrases(pool, cut(train))
    json.dump(found, open(f"{data}/phrases.json", "w"))
    print(f"{len(found)} phrases {time.time() - began:.0f} s", flush=True)
    with multiprocessing.Pool(initializer=begin, initargs=(names, found, folder)) as pool:
        for name, rows in (("train", train), ("held", held)):
            parts = list(pool.imap(tabled, cut(rows)))
            for key in parts[0]:
                np.save(f"{data}/{name}_{key}.npy", np.concatenate([part[key] for part in parts]))
            print(name, len(rows), f"pairs {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
