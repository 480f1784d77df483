"""A transformer's files in miniature, written by hand: ONNX's protobuf, and a tokenizer of whole words.

The graph looks up a row for each word, multiplies it by a matrix and leaves the mean to whoever runs it. Its rows are
random except for two words with the same vector, which no other model relates: a search that finds one by the other has
used it.
"""

import json
import random
import struct
from pathlib import Path

HIDDEN = "quokka"
ASKED = "marsupials"
DIMENSIONS = 64
WORDS = ["[PAD]", "[UNK]", HIDDEN, ASKED, "pub", "fn", "input", "u32", "where", "do", "smile", "the", "grooms", "fur"]
WORDS += [f"handles_{number}" for number in range(60)] + [str(number) for number in range(60)]

FLOAT, INT64 = 1, 7


def write(folder, seed=1, depth=0):
    """Writes the model into a folder. With a depth of 144 it takes as many multiplications as a BERT of base size."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(graph(seed, depth))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
    return folder


def tokenizer():
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: at for at, word in enumerate(WORDS)}, "unk_token": "[UNK]"},
    }


def graph(seed, depth=0):
    chance = random.Random(seed)
    rows = [[chance.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in WORDS]
    same = [40.0 if at == 0 else 0.0 for at in range(DIMENSIONS)]
    rows[WORDS.index(HIDDEN)] = rows[WORDS.index(ASKED)] = same
    matrix = [[chance.gauss(0, 0.125) for _ in range(DIMENSIONS)] for _ in range(DIMENSIONS)]
    nodes = [
        node("Gather", ["rows", "input_ids"], ["looked_up"]),
        node("MatMul", ["looked_up", "matrix"], ["turned"]),
    ]
    tensors = [tensor("rows", rows), tensor("matrix", matrix)]
    last = "turned"
    if depth:
        width = 768
        spread = width**-0.5
        deep = [[chance.gauss(0, spread) for _ in range(width)] for _ in range(width)]
        # Little of it is left in the end, so that the same words are near each other as before.
        up = [[chance.gauss(0, 0.125) for _ in range(width)] for _ in range(DIMENSIONS)]
        down = [[chance.gauss(0, spread / 100) for _ in range(DIMENSIONS)] for _ in range(width)]
        tensors += [tensor("deep", deep), tensor("up", up), tensor("down", down)]
        nodes.append(node("MatMul", ["looked_up", "up"], ["deep_0"]))
        nodes += [node("MatMul", [f"deep_{at}", "deep"], [f"deep_{at + 1}"]) for at in range(depth)]
        nodes.append(node("MatMul", [f"deep_{depth}", "down"], ["came_down"]))
        nodes.append(node("Add", ["turned", "came_down"], ["both"]))
        last = "both"
    nodes.append(node("Add", ["looked_up", last], ["last_hidden_state"]))
    inputs = [value(name, INT64, ["batch", "words"]) for name in ("input_ids", "attention_mask")]
    body = b"".join(message(1, one) for one in nodes)
    body += text(2, "tiny")
    body += b"".join(message(5, one) for one in tensors)
    body += b"".join(message(11, one) for one in inputs)
    body += message(12, value("last_hidden_state", FLOAT, ["batch", "words", DIMENSIONS]))
    return number(1, 8) + message(7, body) + message(8, number(2, 17))


def node(kind, inputs, outputs):
    return b"".join(text(1, one) for one in inputs) + b"".join(text(2, one) for one in outputs) + text(4, kind)


def tensor(name, rows):
    flat = [one for row in rows for one in row]
    sizes = number(1, len(rows)) + number(1, len(rows[0]))
    return sizes + number(2, FLOAT) + text(8, name) + message(9, struct.pack(f"<{len(flat)}f", *flat))


def value(name, kind, sizes):
    shape = b"".join(message(1, number(1, size) if isinstance(size, int) else text(2, size)) for size in sizes)
    return text(1, name) + message(2, message(1, number(1, kind) + message(2, shape)))


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return message(field, value.encode())


def message(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])
