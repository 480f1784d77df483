"""Texts as the encoder sees them: words, pieces, phrases, and how often and how early each occurs. The same as in the daemon."""
import re

import numpy as np

CAMEL = re.compile(r"([a-z0-9])([A-Z])")
ACRONYM = re.compile(r"([A-Z]+)([A-Z][a-z])")
WORD = re.compile(r"[a-z]+|[0-9]+")
POWER = 0.35
PLACES = {"words": 56, "code": 152}
# The ends of the zones, counted in words. A piece is in the zone of its first occurrence.
ZONES = (8, 16, 32, 64)


def words(text):
    return WORD.findall(ACRONYM.sub(r"\1 \2", CAMEL.sub(r"\1 \2", text)).lower())


def zone(word):
    return sum(word >= end for end in ZONES)


class Pieces:
    def __init__(self, vocabulary, phrases=()):
        self.vocabulary, self.known = vocabulary, {}
        self.count = len(vocabulary)
        # Each phrase, which is two consecutive pieces, has a row of its own.
        self.phrases = {pair: self.count + at for at, pair in enumerate(phrases)}
        self.size = self.count + len(self.phrases)

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

    def pairs(self, text):
        """Returns the pairs of neighbouring pieces, each once."""
        found, last = set(), None
        for word in words(text):
            for piece in self.of(word):
                if last is not None:
                    found.add(last * self.count + piece)
                last = piece
        return found

    def counts(self, text):
        """Returns for each row how often it occurs, and the zone of its first occurrence."""
        counted, last = {}, None
        for at, word in enumerate(words(text)):
            for piece in self.of(word):
                seen = counted.get(piece)
                if seen:
                    seen[0] += 1
                else:
                    counted[piece] = [1, zone(at)]
                if last is not None and self.phrases:
                    phrase = self.phrases.get(last * self.count + piece)
                    if phrase is not None:
                        seen = counted.get(phrase)
                        if seen:
                            seen[0] += 1
                        else:
                            counted[phrase] = [1, zone(at)]
                last = piece
        return counted

    def table(self, texts, places):
        """Rows, weights and zones, one line a text; what is past the last place is left out."""
        rows = np.full((len(texts), places), self.size, np.uint16)
        weights = np.zeros((len(texts), places), np.float16)
        zones = np.zeros((len(texts), places), np.uint8)
        for at, text in enumerate(texts):
            counted = list(self.counts(text).items())[:places]
            if counted:
                rows[at, :len(counted)] = [piece for piece, _ in counted]
                weights[at, :len(counted)] = np.power([float(seen[0]) for _, seen in counted], POWER)
                zones[at, :len(counted)] = [seen[1] for _, seen in counted]
        return rows, weights, zones
