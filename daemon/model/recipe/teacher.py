#!/usr/bin/env python3
"""The teacher: all-MiniLM-L6-v2 (Apache-2.0), as it is or taught with the same pairs: teacher.py DATA_DIR MINILM_DIR [STEPS]

MINILM_DIR has minilm.npz (the weights), config.json and tokenizer.json. Writes teacher.npz beside the data: vectors of
all words and code of train, and of every piece of the vocabulary (what the rows begin as), plus held.
Needs a GPU.
"""
import glob
import json
import sys
import time

import numpy as np
import torch
from prepare import lines
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

DEVICE = "cuda"
LENGTH = {"words": 64, "code": 160}


class Teacher(torch.nn.Module):
    def __init__(self, folder):
        super().__init__()
        config = BertConfig(**json.load(open(f"{folder}/config.json")))
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
        self.bert = BertModel(config, add_pooling_layer=False)
        weights = {name: torch.tensor(value).float() if value.dtype == np.float16 else torch.tensor(value) for name, value in np.load(f"{folder}/minilm.npz").items()}
        missing = self.bert.load_state_dict(weights, strict=False)
        print("teacher lacks", [name for name in missing.missing_keys if "position_ids" not in name], flush=True)

    def forward(self, ids, mask):
        hidden = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        mask = mask.unsqueeze(-1).to(hidden.dtype)
        return torch.nn.functional.normalize(((hidden * mask).sum(1) / mask.sum(1)).float(), dim=-1)


def tokenised(tokenizer, texts, length):
    tokenizer.enable_truncation(length)
    tokenizer.no_padding()
    ids = np.zeros((len(texts), length), np.int16)
    sizes = np.zeros(len(texts), np.int16)
    for start in range(0, len(texts), 50_000):
        for at, each in enumerate(tokenizer.encode_batch(texts[start:start + 50_000]), start):
            ids[at, :len(each.ids)], sizes[at] = each.ids, len(each.ids)
    return torch.tensor(ids), torch.tensor(sizes)


def batch(table, rows):
    ids, sizes = table
    size = sizes[rows]
    longest = int(size.max())
    return ids[rows, :longest].to(DEVICE).int(), (torch.arange(longest)[None] < size[:, None]).to(DEVICE).int()


def vectors(model, table, chunk=2048):
    order = torch.argsort(table[1].int())
    out = torch.empty(len(order), 384, dtype=torch.float16)
    with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16):
        for start in range(0, len(order), chunk):
            rows = order[start:start + chunk]
            out[rows] = model(*batch(table, rows)).half().cpu()
    return out.numpy()


def teach(model, asked, code, repository, steps, size=1024, rate=5e-5):
    """Symmetric InfoNCE with batches of four repositories, so that the others of a repository are the hard ones."""
    optimizer = torch.optim.AdamW(model.parameters(), rate, weight_decay=0.01)
    plan = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 50) * max(0.02, 1 - step / steps))
    rng = np.random.default_rng(3)
    groups = []
    for one in np.unique(repository):
        here = rng.permutation(np.flatnonzero(repository == one))
        groups += [here[at:at + 128] for at in range(0, len(here), 128)]
    began = time.time()
    for step in range(steps):
        rows = np.concatenate([groups[at] for at in rng.choice(len(groups), min(size // 128, len(groups)), replace=False)])
        rows = torch.tensor(rows)
        with torch.autocast(DEVICE, torch.bfloat16):
            one, two = model(*batch(asked, rows)), model(*batch(code, rows))
        scores = one @ two.T / 0.05
        target = torch.arange(len(rows), device=DEVICE)
        loss = (torch.nn.functional.cross_entropy(scores, target) + torch.nn.functional.cross_entropy(scores.T, target)) / 2
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        plan.step()
        if step % 100 == 0 or step == steps - 1:
            print(f"teacher step {step} loss {loss.item():.3f} {time.time() - began:.0f} s", flush=True)


def main(data, folder, steps="0"):
    steps = int(steps)
    began = time.time()
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    read = lambda name: [json.loads(line) for path in sorted(glob.glob(f"{data}/{name}*.jsonl*")) for line in lines(path)]
    train, held = read("train"), read("held")
    asked = tokenised(tokenizer, [row[3] for row in train], LENGTH["words"])
    code = tokenised(tokenizer, [row[5] for row in train], LENGTH["code"])
    print(f"tokenised {time.time() - began:.0f} s", flush=True)
    model = Teacher(folder).to(DEVICE)
    repository = np.unique([row[0] for row in train], return_inverse=True)[1]
    held_words = tokenised(tokenizer, [row[3][:row[4]] for row in held], LENGTH["words"])
    held_code = tokenised(tokenizer, [row[5] for row in held], LENGTH["code"])
    model.eval()
    names = json.load(open(f"{data}/vocabulary.json"))["model"]["vocab"]
    pieces = tokenised(tokenizer, [name.removeprefix("##") for name in sorted(names, key=names.get)], 16)
    # Rows begin as the plain teacher's vectors: the taught one is no better at single words.
    plain = {"pieces": vectors(model, pieces), "plain_words": vectors(model, held_words), "plain_code": vectors(model, held_code)}
    if steps:
        model.train()
        teach(model, asked, code, repository, steps)
    model.eval()
    np.savez(f"{data}/teacher.npz", words=vectors(model, asked), code=vectors(model, code),
             held_words=vectors(model, held_words), held_code=vectors(model, held_code), **plain)
    print(f"teacher done {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
