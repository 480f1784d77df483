#!/usr/bin/env python3
"""Tries each part of the model on top of those that helped, on validation repositories: sweep.py DATA_DIR VOCABULARY.json"""
import sys

import torch
import train

PARTS = [dict(zones=1), dict(early=1), dict(phrases=1), dict(low=64), dict(docmlp=64)]
# A part that improves the figure by less is left out.
WORTH = 0.0015

if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = True
    stored = train.Stored(*sys.argv[1:3])
    best = dict(validate=1, epochs=4, zones=0, early=0, phrases=0, low=0, docmlp=0)
    top = train.train(stored, best)[0]
    for part in PARTS:
        figure = train.train(stored, best | part)[0]
        if figure > top + WORTH:
            best, top = best | part, figure
    print(f"{top:.4f} {best}")
