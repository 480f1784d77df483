#!/usr/bin/env python3
"""The static model in a few lines, and the vectors that the daemon's encoder is held against.

reference.py MODEL.bin FIXTURE.jsonl > NEW.jsonl   makes the vectors of a fixture's texts anew; needs numpy
"""
import json
import re
import struct
import sys

import numpy as np

CAMEL = re.compile(r"([a-z0-9])([A-Z])")
ACRONYM = re.compile(r"([A-Z]+)([A-Z][a-z])")
WORD = re.compile(r"[a-z]+|[0-9]+")
# A piece is in the first of these that it is met before, counted in words.
ZONES = (8, 16, 32, 64)


class Model:
    def __init__(self, path):
        data = open(path, "rb").read()
        magic, version, width, count, letters, self.power, zones, more, hidden, _ = struct.unpack_from("<8sIIIIfIII16s", data)
        assert (magic, version, zones) == (b"cvstatic", 2, len(ZONES) + 1)
        at = 56

        def take(kind, *shape):
            nonlocal at
            taken = np.frombuffer(data, kind, int(np.prod(shape)), at).reshape(shape)
            at += taken.nbytes
            return taken

        rows = take("i1", count, width + hidden).astype(np.float32) * take("<f4", count)[:, None]
        self.rows, self.into = rows[:, :width], rows[:, width:]
        self.query_weight, self.early, self.zones = take("<f4", count), take("<f4", count), take("<f4", zones)
        self.query_rows = take("i1", count, more).astype(np.float32) * take("<f4", count)[:, None] @ take("<f4", more, width)
        self.into = self.into * take("<f4", 1)
        self.net = take("<f4", hidden), take("<f4", hidden, width), take("<f4", width)
        offsets = take("<u4", count + 1)
        names = data[at:].decode()
        assert len(names) == letters
        self.vocabulary = {names[offsets[row]:offsets[row + 1]]: row for row in range(count)}

    def pieces(self, word):
        """Greedy longest match; a word that is not covered has no pieces."""
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                if piece in self.vocabulary:
                    found.append(self.vocabulary[piece])
                    start = end
                    break
            else:
                return []
        return found

    def encode(self, text, is_query):
        counts, zones = {}, {}
        for at, word in enumerate(WORD.findall(ACRONYM.sub(r"\1 \2", CAMEL.sub(r"\1 \2", text)).lower())):
            for piece in self.pieces(word):
                counts[piece] = counts.get(piece, 0) + 1
                zones.setdefault(piece, sum(at >= end for end in ZONES))
        if not counts:
            return np.zeros(self.rows.shape[1], np.float32)
        rows, zone = list(counts), np.array(list(zones.values()))
        weight = np.array(list(counts.values()), np.float32) ** self.power
        unit = lambda vector: vector / np.linalg.norm(vector)
        if is_query:
            return unit((weight * self.query_weight[rows]) @ (self.rows[rows] + self.query_rows[rows]))
        weight = weight * self.zones[zone] * np.where(zone == 0, self.early[rows], 1)
        vector = weight @ self.rows[rows]
        length = np.linalg.norm(vector)
        into_bias, back, back_bias = self.net
        hidden = np.maximum(weight @ self.into[rows] / length + into_bias, 0)
        return unit(vector / length + hidden @ back + back_bias)


if __name__ == "__main__":
    model = Model(sys.argv[1])
    for line in open(sys.argv[2]):
        case = json.loads(line)
        # In ten-thousandths.
        case["vector"] = [round(float(value) * 10_000) for value in model.encode(case["text"], case["query"])]
        print(json.dumps(case, separators=(",", ":")))
