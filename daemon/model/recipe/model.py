"""The encoder of a stored model, in numpy: figures are measured with it."""
import json

import numpy as np
from words import POWER, Pieces


class Static:
    def __init__(self, weights, vocabulary, phrases=None):
        stored = np.load(weights)
        self.rows = stored["q8"].astype(np.float32) * stored["scale"][:, None]
        self.asked = stored["qratio"]
        self.early = stored["early"] if "early" in stored else np.ones(len(self.rows), np.float32)
        self.zones = stored["zones"] if "zones" in stored else np.ones(5, np.float32)
        self.more = {name: stored[name] for name in stored if name.split("_")[0] in ("low", "lift", "docmlp")}
        names = json.load(open(vocabulary))["model"]["vocab"]
        has_phrases = phrases and len(self.rows) > len(names)
        self.pieces = Pieces(names, json.load(open(phrases)) if has_phrases else ())

    def net(self, name, vector):
        hidden = np.maximum(self.more[f"{name}_0_weight"] @ vector + self.more[f"{name}_0_bias"], 0)
        vector = vector + self.more[f"{name}_2_weight"] @ hidden + self.more[f"{name}_2_bias"]
        return vector / max(np.linalg.norm(vector), 1e-9)

    def vectors(self, texts, asks):
        out = np.zeros((len(texts), self.rows.shape[1]), np.float32)
        for at, text in enumerate(texts):
            counted = self.pieces.counts(text)
            if not counted:
                continue
            ids = np.fromiter(counted, int)
            weight = np.array([seen[0] for seen in counted.values()], float) ** POWER
            zone = np.array([seen[1] for seen in counted.values()])
            weight = weight * self.asked[ids] if asks else weight * self.zones[zone] * np.where(zone == 0, self.early[ids], 1)
            vector = weight @ self.rows[ids]
            if asks and "low" in self.more:
                vector = vector + weight @ self.more["low"][ids] @ self.more["lift"]
            vector = vector / max(np.linalg.norm(vector), 1e-9)
            if not asks and "docmlp_0_weight" in self.more:
                vector = self.net("docmlp", vector)
            out[at] = vector
        return out
