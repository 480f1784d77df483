#!/usr/bin/env python3
"""Makes a vocabulary and the arrays that are trained on: prepare.py DATA_DIR [VOCABULARY.json]

Reads train*.jsonl(.xz) and held.jsonl(.xz); writes vocabulary.json and {train,held}.npz beside them. Uses all processors.
"""
import collections
import glob
import json
import lzma
import multiprocessing
import random
import sys

import numpy as np
from words import PLACES, Pieces, words

SIZE = 30_000
PIECES = None


def lines(path):
    opened = lzma.open if path.endswith(".xz") else open
    with opened(path, "rt", encoding="utf8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def counted(rows):
    counts = collections.Counter()
    for row in rows:
        counts.update(set(words(row[5])) | set(words(row[3])))
    return {word: count for word, count in counts.items() if len(word) <= 24}


def vocabulary(rows, pool):
    """WordPiece over words by how many texts they are in; languages count alike, and a word needs several repositories."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    by_language = collections.defaultdict(list)
    for row in rows:
        by_language[row[2]].append(row)
    total, spread = collections.Counter(), collections.Counter()
    for each in by_language.values():
        some = random.Random(1).sample(each, min(len(each), 60_000))
        for counts in pool.map(counted, [some[at::16] for at in range(16)]):
            for word, count in counts.items():
                total[word] += count * 60_000 / len(some)
    by_repository = collections.defaultdict(list)
    for row in rows:
        by_repository[row[0]].append(row)
    for counts in pool.map(counted, by_repository.values(), chunksize=4):
        spread.update(counts.keys())
    kept = {word: int(count) for word, count in total.items() if count >= 8 and spread[word] >= 3}
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    signs = list("abcdefghijklmnopqrstuvwxyz0123456789")
    trainer = trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=[], initial_alphabet=signs, show_progress=False, continuing_subword_prefix="##")
    # The trainer counts words of texts; a word is said as often as the root of its count, so that rare ones have a chance.
    tokenizer.train_from_iterator((" ".join([word] * max(1, round(count ** .75 / 4))) for word, count in kept.items()), trainer)
    names = [name for name in tokenizer.get_vocab() if name.removeprefix("##").isascii()]
    names = sorted({*names, *signs, *("##" + sign for sign in signs)} - {"[UNK]"})
    return {name: at for at, name in enumerate(names)}


def tabled(rows):
    return (PIECES.table([row[3] for row in rows], PLACES["words"]), PIECES.table([row[3][:row[4]] for row in rows], PLACES["words"]),
            PIECES.table([row[5] for row in rows], PLACES["code"]))


def main(data, chosen=None):
    global PIECES
    train = [json.loads(line) for path in sorted(glob.glob(f"{data}/train*.jsonl*")) for line in lines(path)]
    held = [json.loads(line) for path in glob.glob(f"{data}/held.jsonl*") for line in lines(path)]
    with multiprocessing.Pool() as pool:
        names = json.load(open(chosen))["model"]["vocab"] if chosen else vocabulary(train, pool)
    json.dump({"model": {"vocab": names}}, open(f"{data}/vocabulary.json", "w"))
    PIECES = Pieces(names)
    with multiprocessing.Pool() as pool:
        for name, rows in (("train", train), ("held", held)):
            parts = pool.map(tabled, [rows[at:at + 5000] for at in range(0, len(rows), 5000)])
            join = lambda which, side: np.concatenate([part[which][side] for part in parts])
            numbers = lambda place: np.unique([row[place] for row in rows], return_inverse=True)[1].astype(np.int32)
            same = lambda texts: np.array([hash(text) for text in texts], np.int64)
            np.savez(f"{data}/{name}.npz", words=join(0, 0), words_weight=join(0, 1), first=join(1, 0), first_weight=join(1, 1), code=join(2, 0), code_weight=join(2, 1),
                     repository=numbers(0), kind=np.array([row[1] for row in rows]), language=np.array([row[2] for row in rows]),
                     same_words=same([row[3].lower() for row in rows]), same_place=same([row[0] + row[6] for row in rows]))
            print(name, len(rows), "pairs;", len(names), "pieces; places filled:", round(float((join(2, 1) > 0).mean()), 3), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
