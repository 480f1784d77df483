"""Texts as the encoder sees them: words, pieces, and how often each occurs. The same as in the daemon."""
import re

import numpy as np

CAMEL = re.compile(r"([a-z0-9])([A-Z])")
ACRONYM = re.compile(r"([A-Z]+)([A-Z][a-z])")
WORD = re.compile(r"[a-z]+|[0-9]+")
POWER = 0.35
PLACES = {"words": 40, "code": 112}


def words(text):
    return WORD.findall(ACRONYM.sub(r"\1 \2", CAMEL.sub(r"\1 \2", text)).lower())


class Pieces:
    def __init__(self, vocabulary):
        self.vocabulary, self.known = vocabulary, {}

    def of(self, word):
        """Greedy longest match; a word that is not covered has no pieces."""
        found = self.known.get(word)
        if found is not None:
            return found
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                if piece in self.vocabulary:
                    found.append(self.vocabulary[piece])
                    start = end
                    break
            else:
                found = []
                break
        self.known[word] = found
        return found

    def counts(self, text):
        counted = {}
        for word in words(text):
            for piece in self.of(word):
                counted[piece] = counted.get(piece, 0) + 1
        return counted

    def table(self, texts, places):
        """Distinct pieces and their weights, one row a text; what is past the last place is left out."""
        rows = np.full((len(texts), places), len(self.vocabulary), np.uint16)
        weights = np.zeros((len(texts), places), np.float16)
        for at, text in enumerate(texts):
            counted = list(self.counts(text).items())[:places]
            if counted:
                rows[at, :len(counted)] = [piece for piece, _ in counted]
                weights[at, :len(counted)] = np.power([count for _, count in counted], POWER)
        return rows, weights
