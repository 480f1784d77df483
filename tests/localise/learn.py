"""Learns the weights of reports from a run of `bench localise --limit 100 --run FILE`: pairwise logistic regression.

usage: learn.py DEV.jsonl [HELD_OUT.jsonl]
Needs numpy and scikit-learn. Prints weights by the names that a detailed answer gives its reasons, and how often the right
file is among the first 1, 3, 5 and 10: as it was ranked, leaving out one repository at a time, and with all weights.
"""

import json
import re
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression

# Tests, examples and prose have a factor of their own.
LOWERED = re.compile(
    r"(^|/)(tests?|specs?|testing|__tests__|examples?|docs?|benchmarks?|changelogs?|fixtures?)(/|\.|$)|(^|/)test_|_test\."
    r"|\.test\.|_spec\.|\.(md|rst|txt|json|ya?ml|toml|cfg|lock|html|css|csv)$",
    re.I,
)
STRENGTH = 0.3


def read(path):
    """Returns for each report its repository, the evidence of each file's best chunk, and which files are right."""
    reports = []
    for line in open(path):
        report = json.loads(line)
        files = {}
        for hit in report["hits"]:
            if hit["path"] not in files and not LOWERED.search(hit["path"]):
                reasons = (reason.rsplit(" ", 1) for reason in hit["reasons"] or [])
                files[hit["path"]] = {name: float(much) for name, much in reasons}
        right = [path in report["files"] for path in files]
        reports.append((report["repo"], list(files.values()), np.array(right, bool)))
    return reports


def matrix(rows, names):
    return np.array([[row.get(name, 0.0) for name in names] for row in rows]).reshape(len(rows), len(names))


def learn(reports, names):
    differences, weights = [], []
    for _, rows, right in reports:
        if right.any() and not right.all():
            all_rows = matrix(rows, names)
            pairs = all_rows[right][:, None, :] - all_rows[~right][None, :, :]
            pairs = pairs.reshape(-1, len(names))
            differences.append(pairs)
            weights.append(np.full(len(pairs), 1 / len(pairs)))
    pairs, weights = np.concatenate(differences), np.concatenate(weights)
    model = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=500)
    labels = np.r_[np.ones(len(pairs)), np.zeros(len(pairs))]
    model.fit(np.r_[pairs, -pairs], labels, sample_weight=np.r_[weights, weights])
    return model.coef_[0]


def first_ranks(reports, names, weights):
    ranks = []
    for _, rows, right in reports:
        order = range(len(rows)) if weights is None else np.argsort(-(matrix(rows, names) @ weights), kind="stable")
        ranks.append(next((rank for rank, at in enumerate(order, 1) if right[at]), 999))
    return ranks


def show(what, ranks):
    print(what, *("@%d %.1f" % (most, 100 * np.mean(np.array(ranks) <= most)) for most in (1, 3, 5, 10)))


dev = read(sys.argv[1])
names = sorted({name for _, rows, _ in dev for row in rows for name in row})
show("as ranked:            ", first_ranks(dev, names, None))
left_out = []
for repo in sorted({repo for repo, _, _ in dev}):
    others = learn([one for one in dev if one[0] != repo], names)
    left_out += first_ranks([one for one in dev if one[0] == repo], names, others)
show("one repository left out:", left_out)
weights = learn(dev, names)
show("learnt on all:        ", first_ranks(dev, names, weights))
for other in sys.argv[2:]:
    show(other + ", as ranked:", first_ranks(read(other), names, None))
    show(other + ", learnt:   ", first_ranks(read(other), names, weights))
for name, weight in zip(names, weights):
    print("%7.3f  %s" % (weight, name))
