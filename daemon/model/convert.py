#!/usr/bin/env python3
"""Writes a trained static model in the form that the daemon embeds: convert.py WEIGHTS.npz VOCABULARY.json OUT.bin

Needs numpy and blake3. README.md beside this file describes the form.
"""
import json
import re
import struct
import sys

import blake3
import numpy as np

MAGIC = b"cvstatic"
VERSION = 1
POWER = 0.35
# Words are letters or digits alone, so no other piece is ever met.
PIECE = re.compile(rb"(##)?([a-z]+|[0-9]+)")


def main(weights, vocabulary, out):
    stored = np.load(weights)
    pieces = {piece.encode(): row for piece, row in json.load(open(vocabulary))["model"]["vocab"].items()}
    sorted_pieces = sorted(piece for piece in pieces if PIECE.fullmatch(piece))
    order = [pieces[piece] for piece in sorted_pieces]
    rows = stored["q8"][order].astype("i1")
    offsets = np.cumsum([0] + [len(piece) for piece in sorted_pieces]).astype("<u4")
    letters = b"".join(sorted_pieces)

    body = b"".join([
        rows.tobytes(),
        stored["scale"][order].astype("<f4").tobytes(),
        stored["qratio"][order].astype("<f4").tobytes(),
        offsets.tobytes(),
        letters,
    ])
    checksum = blake3.blake3(body).digest()[:16]
    numbers = struct.pack("<IIIIfI", VERSION, rows.shape[1], len(order), len(letters), POWER, 0)
    with open(out, "wb") as file:
        file.write(MAGIC + numbers + checksum + body)


if __name__ == "__main__":
    main(*sys.argv[1:])
