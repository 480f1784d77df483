#!/usr/bin/env python3
"""Makes a vocabulary from gathered pairs: vocabulary.py DATA_DIR OUT.json; uses all processors."""
import collections
import glob
import json
import multiprocessing
import random
import sys

from prepare import lines
from words import words

SIZE = 30_000


def counted(rows):
    counts = collections.Counter()
    for row in rows:
        counts.update(set(words(row[5])) | set(words(row[3])))
    return {word: count for word, count in counts.items() if len(word) <= 24}


def vocabulary(rows, pool):
    """Trains WordPiece on words, weighted by their number of texts. Languages count alike; words need several repositories."""
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
    # The trainer counts the words of texts. Frequent words are repeated less than in proportion, so that rare ones have a chance.
    tokenizer.train_from_iterator((" ".join([word] * max(1, round(count ** .75 / 4))) for word, count in kept.items()), trainer)
    names = [name for name in tokenizer.get_vocab() if name.removeprefix("##").isascii()]
    names = sorted({*names, *signs, *("##" + sign for sign in signs)} - {"[UNK]"})
    return {name: at for at, name in enumerate(names)}


def main(data, out):
    rows = [json.loads(line) for path in sorted(glob.glob(f"{data}/train*.jsonl*")) for line in lines(path)]
    with multiprocessing.Pool() as pool:
        json.dump({"model": {"vocab": vocabulary(rows, pool)}}, open(out, "w"))


if __name__ == "__main__":
    main(*sys.argv[1:])
