#!/usr/bin/env python3
"""Writes a trained static model in the format that the daemon embeds: convert.py WEIGHTS.npz VOCABULARY.json OUT.bin

Needs numpy and blake3. README.md beside this file describes the format.
"""
import json
import re
import struct
import sys

import blake3
import numpy as np

MAGIC = b"cvstatic"
VERSION = 2
POWER = 0.35
# Words consist of letters or of digits alone, so no other piece can occur.
PIECE = re.compile(rb"(##)?([a-z]+|[0-9]+)")


def rounded(rows):
    scale = np.maximum(np.abs(rows).max(1), 1e-9) / 127
    return np.round(rows / scale[:, None]).astype("i1"), scale


def main(weights, vocabulary, out):
    stored = np.load(weights)
    pieces = {piece.encode(): row for piece, row in json.load(open(vocabulary))["model"]["vocab"].items()}
    sorted_pieces = sorted(piece for piece in pieces if PIECE.fullmatch(piece))
    order = [pieces[piece] for piece in sorted_pieces]
    rows = stored["q8"][order].astype("i1")
    offsets = np.cumsum([0] + [len(piece) for piece in sorted_pieces]).astype("<u4")
    letters = b"".join(sorted_pieces)
    more, more_scale = rounded(stored["low"][order])
    zones, lift, first, second = stored["zones"], stored["lift"], stored["docmlp_0_weight"], stored["docmlp_2_weight"]
    # The projection into the layer is linear, so each row is stored with its projection, and both are summed together.
    scale = stored["scale"][order]
    into = rows.astype(np.float32) @ first.T
    fold = np.quantile(np.abs(into).max(1), 0.999) / 127
    rows = np.concatenate([rows, np.clip(np.round(into / fold), -127, 127).astype("i1")], 1)

    floats = lambda value: np.ascontiguousarray(value, "<f4").tobytes()
    body = b"".join([
        rows.tobytes(), floats(scale), floats(stored["qratio"][order]), floats(stored["early"][order]), floats(zones),
        more.tobytes(), floats(more_scale), floats(lift),
        floats(fold), floats(stored["docmlp_0_bias"]), floats(second.T), floats(stored["docmlp_2_bias"]),
        offsets.tobytes(), letters,
    ])
    checksum = blake3.blake3(body).digest()[:16]
    numbers = struct.pack("<IIIIfIII", VERSION, lift.shape[1], len(order), len(letters), POWER, len(zones), len(lift), len(first))
    with open(out, "wb") as file:
        file.write(MAGIC + numbers + checksum + body)


if __name__ == "__main__":
    main(*sys.argv[1:])
