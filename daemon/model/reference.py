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


class Model:
    def __init__(self, path):
        data = open(path, "rb").read()
        magic, version, width, count, letters, self.power, _, _ = struct.unpack_from("<8sIIIIfI16s", data)
        assert (magic, version) == (b"cvstatic", 1)
        at = 48

        def take(kind, length):
            nonlocal at
            taken = np.frombuffer(data, kind, length, at)
            at += taken.nbytes
            return taken

        rows = take("i1", width * count).reshape(count, width)
        self.rows = rows.astype(np.float32) * take("<f4", count)[:, None]
        self.query_weight = take("<f4", count)
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
        words = WORD.findall(ACRONYM.sub(r"\1 \2", CAMEL.sub(r"\1 \2", text)).lower())
        rows, counts = np.unique([piece for word in words for piece in self.pieces(word)], return_counts=True)
        if not len(rows):
            return np.zeros(self.rows.shape[1], np.float32)
        weight = counts.astype(np.float32) ** self.power
        if is_query:
            weight = weight * self.query_weight[rows]
        vector = weight @ self.rows[rows]
        return vector / np.linalg.norm(vector)


if __name__ == "__main__":
    model = Model(sys.argv[1])
    for line in open(sys.argv[2]):
        case = json.loads(line)
        # In ten-thousandths.
        case["vector"] = [round(float(value) * 10_000) for value in model.encode(case["text"], case["query"])]
        print(json.dumps(case, separators=(",", ":")))
