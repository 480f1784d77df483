#!/usr/bin/env python3
"""Measures retrieval on held-out repositories. A query is the first sentence of a function's documentation; the candidates
are all functions of the held-out repositories in its language.

evaluate.py [--pool 1000] [--together] DATA_DIR NAME=MODEL ... prints MRR@10, NDCG@10 and recall@10 by language and their means
as Markdown, a table for each or all in one, for BM25 and for each model. A model is one of
  FILE.bin                          the daemon's file as it is, by reference.py; it is also measured together with BM25
  WEIGHTS.npz,VOCABULARY.json       what train.py wrote
  WORDS.npy,CODE.npy                vectors of all held-out pairs, as teacher.py wrote them
  FOLDER or FOLDER,TOKENS           a transformer with model.onnx
A smaller pool is a random part of the full one, of which at most half are right answers. It is for slow models.
"""
import argparse
import collections
import functools
import glob
import json
import math
import multiprocessing
import pathlib
import sys

import numpy as np
from model import Static
from prepare import lines
from transformer import Transformer
from words import words

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from reference import Model

ASKED, POOL = 400, 5000
# A language with fewer than FEW queries is shown, but does not count in the means; with fewer than HARDLY_ANY it is left out.
FEW, HARDLY_ANY = 60, 20
LEXICAL = 0.35
FIGURES = ("MRR@10", "NDCG@10", "recall@10")
MODELS = {}


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
    if not np.isfinite(scores).all():
        raise SystemExit("a text has no vector")
    own = scores[np.arange(len(answers)), answers][:, None]
    rank = (scores > own).sum(1) + ((scores == own).sum(1) - 1) / 2 + 1
    hit = rank <= 10
    return [float(value) for value in ((hit / rank).mean(), (hit / np.log2(rank + 1)).mean(), hit.mean())]


def questions(held, largest=POOL):
    """Returns by language the queries, a pool that begins with the right answers, and the rows of `held` of both."""
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
        if len(docs) < HARDLY_ANY:
            continue
        # A language with few queries draws nothing, so that the draws of the other languages do not depend on it.
        drawn = rng.permutation if len(docs) >= FEW else list
        docs = list(drawn(docs)[:ASKED])
        others = list(drawn(sorted(set(places.values()) - set(docs))))
        docs = docs[:largest // 2]
        others = others[:largest - len(docs)]
        out[language] = [held[at][3][:held[at][4]] for at in docs], [held[at][5] for at in docs + others], docs, docs + others
    return out


def opened(model):
    """Returns a function that scores each query against each candidate."""
    near = lambda vectors: lambda asked, pool, docs, places: vectors(asked, True) @ vectors(pool, False).T
    if model.endswith(".bin"):
        read = Model(model)
        read.pieces = functools.cache(read.pieces)
        return near(lambda texts, asks: np.stack([read.encode(text, asks) for text in texts]))
    first, *rest = model.split(",")
    if first.endswith(".npz"):
        return near(Static(first, *rest).vectors)
    if first.endswith(".npy"):
        said, code = (np.load(path).astype(np.float32) for path in (first, *rest))
        return lambda asked, pool, docs, places: said[docs] @ code[places].T
    return near(Transformer(first, *rest).vectors)


def measured(job):
    """Returns the figures of one model in one language."""
    (name, model), (language, asked, pool, docs, places) = job
    answers = np.arange(len(asked))
    lexical = None if model and not model.endswith(".bin") else bm25(asked, pool)
    if not model:
        return language, {name: figures(lexical, answers)}
    scores = MODELS[name](asked, pool, docs, places)
    row = {name: figures(scores, answers)}
    if lexical is not None:
        row[name + " + BM25"] = figures(mixed(lexical, scores, LEXICAL), answers)
    return language, row


def tables(languages, measures, together):
    """Prints Markdown: a row for each language, and the mean over languages with at least FEW queries."""
    columns = list(next(iter(measures.values())))
    counted = [row for language, row in measures.items() if len(languages[language][0]) >= FEW]
    means = {name: np.mean([row[name] for row in counted], 0) for name in columns}
    for shown in [range(len(FIGURES))] if together else [[at] for at in range(len(FIGURES))]:
        cells = lambda row: " | ".join(" ".join(f"{row[name][at]:.3f}" for at in shown) for name in columns)
        print(f"| {', '.join(FIGURES[at] for at in shown)} | asked / pool | {' | '.join(columns)} |")
        print("|---" * (len(columns) + 2) + "|")
        for language, row in measures.items():
            asked, pool = languages[language][:2]
            print(f"| {language} | {len(asked)} / {len(pool)} | {cells(row)} |")
        print(f"| **mean** |  | {cells(means)} |\n")
    for name in columns[1:]:
        below = [f"{language} ({FIGURES[at]})" for language, row in measures.items() for at in range(len(FIGURES)) if row[name][at] < row[columns[0]][at]]
        print(f"{name} is below {columns[0]} in: {', '.join(below) or 'none'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pool", type=int, default=POOL)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("data")
    parser.add_argument("models", nargs="+")
    chosen = parser.parse_args()
    held = [json.loads(line) for path in glob.glob(f"{chosen.data}/held.jsonl*") for line in lines(path)]
    models = [("BM25", "")] + [tuple(each.split("=", 1)) for each in chosen.models]
    languages = questions(held, chosen.pool)
    measures = {language: {} for language in languages}
    jobs = [(model, (language, *rest)) for model in models for language, rest in languages.items()]
    MODELS.update({name: opened(model) for name, model in models if model})
    with multiprocessing.get_context("fork").Pool() as pool:
        for language, row in pool.imap(measured, jobs):
            measures[language].update(row)
    tables(languages, measures, chosen.together)


if __name__ == "__main__":
    main()
