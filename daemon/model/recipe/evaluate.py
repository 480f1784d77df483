#!/usr/bin/env python3
"""How well held-out repositories are found: the first sentence of a function's documentation asks, all functions of the
held-out repositories of its language answer. evaluate.py DATA_DIR NAME=WEIGHTS.npz,VOCABULARY.json ... prints MRR@10, NDCG@10
and recall@10 by language for BM25, each model, each model with BM25, and the teacher if teacher.npz is there.
"""
import collections
import glob
import json
import math
import multiprocessing
import os
import sys

import numpy as np
from prepare import lines
from model import Static
from words import words

ASKED, POOL = 400, 5000
LEXICAL = 0.35
MODELS, TEACHER = {}, {}


def bm25(asked, pool, k=1.2, b=0.75):
    postings, sizes = collections.defaultdict(list), np.zeros(len(pool))
    for at, text in enumerate(pool):
        counts = collections.Counter(words(text))
        sizes[at] = sum(counts.values())
        for word, count in counts.items():
            postings[word].append((at, count))
    scores = np.zeros((len(asked), len(pool)), np.float32)
    norm = k * (1 - b + b * sizes / sizes.mean())
    for row, text in enumerate(asked):
        for word in set(words(text)):
            if word in postings:
                found = np.array(postings[word])
                idf = math.log(1 + (len(pool) - len(found) + .5) / (len(found) + .5))
                scores[row, found[:, 0]] += idf * found[:, 1] * (k + 1) / (found[:, 1] + norm[found[:, 0]])
    return scores


def mixed(one, two, share):
    scale = lambda scores: scores / np.maximum(scores.max(1, keepdims=True), 1e-9)
    return share * scale(np.maximum(one, 0)) + (1 - share) * scale(np.maximum(two, 0))


def figures(scores, answers):
    own = scores[np.arange(len(answers)), answers][:, None]
    rank = (scores > own).sum(1) + ((scores == own).sum(1) - 1) / 2 + 1
    hit = rank <= 10
    return np.array([(hit / rank).mean(), (hit / np.log2(rank + 1)).mean(), hit.mean()])


def questions(held):
    """By language: what is asked, the pool, where in the pool each answer is, and the rows of held of both."""
    by_language = collections.defaultdict(list)
    for at, row in enumerate(held):
        if row[1] in ("doc", "name"):
            by_language[row[2]].append((at, row))
    out = {}
    rng = np.random.default_rng(5)
    for language, rows in sorted(by_language.items()):
        places = {}
        for at, row in rows:
            if row[1] == "doc" or (row[0], row[6]) not in places:
                places[row[0], row[6]] = at
        docs = [at for at in places.values() if held[at][1] == "doc"]
        if len(docs) < 60:
            continue
        docs = list(rng.permutation(docs)[:ASKED])
        others = [at for at in rng.permutation(sorted(set(places.values()) - set(docs)))][:POOL - len(docs)]
        out[language] = [held[at][3][:held[at][4]] for at in docs], [held[at][5] for at in docs + others], docs, docs + others
    return out


def measured(job):
    language, asked, pool, docs, places = job
    answers = np.arange(len(asked))
    lexical = bm25(asked, pool)
    row = {"BM25": figures(lexical, answers)}
    for name, model in MODELS.items():
        scores = model.vectors(asked, True) @ model.vectors(pool, False).T
        row[name] = figures(scores, answers)
        row[name + " + BM25"] = figures(mixed(lexical, scores, LEXICAL), answers)
    for name, kind in (("MiniLM", "plain"), ("MiniLM taught", "held")):
        if f"{kind}_words" in TEACHER:
            row[name] = figures(TEACHER[kind + "_words"][docs].astype(np.float32) @ TEACHER[kind + "_code"][places].astype(np.float32).T, answers)
    return language, len(asked), len(pool), row


def main(data, *models):
    held = [json.loads(line) for path in glob.glob(f"{data}/held.jsonl*") for line in lines(path)]
    MODELS.update({name: Static(*files.split(",")) for name, files in (each.split("=") for each in models)})
    for name in ("plain_words", "plain_code", "held_words", "held_code"):
        if os.path.exists(f"{data}/teacher_{name}.npy"):
            TEACHER[name] = np.load(f"{data}/teacher_{name}.npy")
    with multiprocessing.get_context("fork").Pool() as pool:
        measures = pool.map(measured, [(language, *rest) for language, rest in questions(held).items()], chunksize=1)
    table = {language: rest for language, *rest in measures}
    columns = list(next(iter(table.values()))[2])
    print("| MRR@10 | asked / pool |", " | ".join(columns), "|")
    for language, (asked, pool, row) in table.items():
        print(f"| {language} | {asked} / {pool} |", " | ".join(f"{row[name][0]:.3f}" for name in columns), "|")
    for at, figure in enumerate(("MRR@10", "NDCG@10", "recall@10")):
        print(f"| mean {figure} | |", " | ".join(f"{np.mean([row[name][at] for _, _, row in table.values()]):.3f}" for name in columns), "|", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
