#!/usr/bin/env python3
"""Rounds the numbers of a model to fewer levels, so that it packs into fewer bytes: coarsen.py LEVELS MODEL.bin OUT.bin

The format does not change. LEVELS is the number of levels on each side of zero. Needs numpy and blake3.
"""
import struct
import sys

import blake3
import numpy as np

HEADER = "<8sIIIIfIII16s"


def rounded(codes, scales, levels):
    """Returns codes from -levels to levels, and the scale of each row."""
    values = codes.astype(np.float64)
    most = np.maximum(np.abs(values).max(1), 1)
    return np.round(values * (levels / most)[:, None]).astype("i1"), (scales * most / levels).astype("<f4")


def main(levels, model, out):
    levels, data = int(levels), open(model, "rb").read()
    head = struct.unpack_from(HEADER, data)
    _, _, width, count, _, _, zones, more, hidden, _ = head
    at = struct.calcsize(HEADER)

    def take(kind, *shape):
        nonlocal at
        taken = np.frombuffer(data, kind, int(np.prod(shape)), at).reshape(shape)
        at += taken.nbytes
        return taken

    rows, scales = take("i1", count, width + hidden), take("<f4", count)
    weights = take("<f4", 2 * count + zones)
    differing, differing_scales = take("i1", count, more), take("<f4", count)
    lift, fold, rest = take("<f4", more, width), take("<f4", 1), data[at:]

    new_rows, new_scales = rounded(rows[:, :width], scales, levels)
    # A row's projection into the layer is multiplied by the row's scale and by one factor for all rows.
    into = rows[:, width:] * (scales / new_scales)[:, None]
    step = np.quantile(np.abs(into).max(1), 0.999) / levels
    into = np.clip(np.round(into / step), -levels, levels).astype("i1")
    new_differing, new_differing_scales = rounded(differing, differing_scales, levels)

    body = b"".join([
        np.concatenate([new_rows, into], 1).tobytes(), new_scales.tobytes(), weights.tobytes(),
        new_differing.tobytes(), new_differing_scales.tobytes(), lift.tobytes(), (fold * step).astype("<f4").tobytes(), rest,
    ])
    with open(out, "wb") as file:
        file.write(struct.pack(HEADER, *head[:-1], blake3.blake3(body).digest()[:16]) + body)


if __name__ == "__main__":
    main(*sys.argv[1:])
