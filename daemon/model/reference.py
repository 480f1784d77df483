#!/usr/bin/env python3
"""The static model in a few lines, and the expected vectors that the daemon's encoder is compared with.

reference.py MODEL.bin FIXTURE.jsonl > NEW.jsonl      recomputes the vectors of a fixture's texts
reference.py MODEL.bin --against CLAUDEVILD FOLDER    compares the daemon's vectors of 4,000 pieces of a folder's files

Both need numpy.
"""
import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

CAMEL = re.compile(r"([a-z0-9])([A-Z])")
ACRONYM = re.compile(r"([A-Z]+)([A-Z][a-z])")
WORD = re.compile(r"[a-z]+|[0-9]+")
# The ends of the zones, counted in words. A piece is in the zone of its first occurrence.
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


def compare(model, claudevild, folder, most=4000, lines=20):
    """Prints the cosines between the daemon's vectors and the reference."""
    texts = []
    for path in sorted(path for path in Path(folder).rglob("*.*") if path.is_file() and ".git" not in path.parts):
        rows = path.read_bytes().decode("utf-8", "replace").splitlines()
        texts += ["\n".join(rows[at:at + lines]) for at in range(0, len(rows), lines)]
    # Taken evenly from all files, not from the first ones.
    texts = texts[::max(1, len(texts) // most)][:most]
    done = subprocess.run([claudevild, "model", "embed"], input=json.dumps(texts), capture_output=True, text=True, check=True)
    cosines = []
    for text, made in zip(texts, json.loads(done.stdout)["vectors"], strict=True):
        expected, made = model.encode(text, False), np.frombuffer(bytes.fromhex(made), "<f4")
        lengths = np.linalg.norm(expected) * np.linalg.norm(made)
        cosines.append(float(expected @ made / lengths) if lengths else float(not expected.any() and not made.any()))
    print(f"{len(cosines)} pieces: the least cosine is {min(cosines):.7f}, the mean {np.mean(cosines):.7f}")


if __name__ == "__main__":
    model = Model(sys.argv[1])
    if sys.argv[2] == "--against":
        sys.exit(compare(model, *sys.argv[3:5]))
    for line in open(sys.argv[2]):
        case = json.loads(line)
        # Stored in ten-thousandths.
        case["vector"] = [round(float(value) * 10_000) for value in model.encode(case["text"], case["query"])]
        print(json.dumps(case, separators=(",", ":")))
