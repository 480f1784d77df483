#!/usr/bin/env python3
"""The teacher: all-MiniLM-L6-v2 (Apache-2.0), unchanged and fine-tuned on the same pairs: teacher.py DATA_DIR MINILM_DIR STEPS

MINILM_DIR has minilm.npz (the weights), config.json and tokenizer.json. Writes teacher_*.npy beside the data: vectors of
all words and code of train and held, and of every piece and phrase (the initial rows). Needs a GPU.
"""
import json
import sys
import time

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

DEVICE = "cuda"


class Teacher(torch.nn.Module):
    def __init__(self, folder):
        super().__init__()
        config = BertConfig(**json.load(open(f"{folder}/config.json")))
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
        config._attn_implementation = "sdpa"
        self.bert = BertModel(config, add_pooling_layer=False)
        weights = {name: torch.tensor(value).float() if value.dtype == np.float16 else torch.tensor(value) for name, value in np.load(f"{folder}/minilm.npz").items()}
        missing = self.bert.load_state_dict(weights, strict=False)
        print("teacher lacks", [name for name in missing.missing_keys if "position_ids" not in name], flush=True)

    def forward(self, ids, mask):
        hidden = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        mask = mask.unsqueeze(-1).to(hidden.dtype)
        return torch.nn.functional.normalize(((hidden * mask).sum(1) / mask.sum(1)).float(), dim=-1)


def batch(table, rows):
    ids, sizes = table
    size = sizes[rows].long()
    longest = int(size.max())
    return ids[rows, :longest].int(), (torch.arange(longest, device=DEVICE)[None] < size[:, None]).int()


def vectors(model, table, chunk=4096):
    order = torch.argsort(table[1].int())
    out = torch.empty(len(order), 384, dtype=torch.float16, device=DEVICE)
    with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16):
        for start in range(0, len(order), chunk):
            rows = order[start:start + chunk]
            out[rows] = model(*batch(table, rows)).half()
    return out.cpu().numpy()


def teach(model, asked, first, code, repository, kept, steps, size=1024, rate=6e-5):
    """Symmetric InfoNCE. A batch has eight groups, each of one repository, whose other pairs are hard negatives."""
    optimizer = torch.optim.AdamW(model.parameters(), rate, weight_decay=0.01, fused=True)
    plan = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 50) * max(0.02, 1 - step / steps))
    rng = np.random.default_rng(3)
    groups = []
    for one in np.unique(repository):
        here = rng.permutation(np.flatnonzero((repository == one) & kept))
        groups += [here[at:at + 128] for at in range(0, len(here), 128)]
    groups = [group for group in groups if len(group) >= 16]
    began = time.time()
    for step in range(steps):
        rows = np.concatenate([groups[at] for at in rng.choice(len(groups), min(size // 128, len(groups)), replace=False)])
        rows = torch.tensor(rows, device=DEVICE)
        with torch.autocast(DEVICE, torch.bfloat16):
            one, two = model(*batch(first if step % 2 else asked, rows)), model(*batch(code, rows))
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


def main(data, folder, vocabulary, steps):
    steps = int(steps)
    began = time.time()
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    load = lambda name: torch.tensor(np.load(f"{data}/{name}.npy"), device=DEVICE)
    table = lambda name: (load(name + "_ids"), load(name + "_size"))
    asked, first, code = table("train_words"), table("train_first"), table("train_code")
    held_words, held_code = table("held_first"), table("held_code")
    model = Teacher(folder).to(DEVICE)
    repository = np.unique(np.load(f"{data}/train_repository.npy"), return_inverse=True)[1]
    kinds = np.load(f"{data}/train_kind.npy")
    share = dict(doc=1.0, name=0.3, comment=0.6, path=0.4, head=1.0, commit=0.4)
    kept = np.random.default_rng(9).random(len(kinds)) < np.array([share[kind] for kind in kinds])
    model.eval()
    names = json.load(open(vocabulary))["model"]["vocab"]
    names = sorted(names, key=names.get)
    names += [names[pair // len(names)] + " " + names[pair % len(names)] for pair in json.load(open(f"{data}/phrases.json"))]
    ids, sizes = np.zeros((len(names), 16), np.int16), np.zeros(len(names), np.int16)
    tokenizer.enable_truncation(16)
    tokenizer.no_padding()
    for at, each in enumerate(tokenizer.encode_batch([name.removeprefix("##").replace(" ##", "") for name in names])):
        ids[at, :len(each.ids)], sizes[at] = each.ids, len(each.ids)
    # Rows are initialised from the plain teacher's vectors: the fine-tuned teacher is no better at single words.
    save = lambda name, value: np.save(f"{data}/teacher_{name}.npy", value)
    save("pieces", vectors(model, (torch.tensor(ids, device=DEVICE), torch.tensor(sizes, device=DEVICE))))
    save("plain_words", vectors(model, held_words))
    save("plain_code", vectors(model, held_code))
    print(f"plain {time.time() - began:.0f} s", flush=True)
    model.train()
    teach(model, asked, first, code, repository, kept, steps)
    model.eval()
    save("words", vectors(model, asked))
    save("code", vectors(model, code))
    save("held_words", vectors(model, held_words))
    save("held_code", vectors(model, held_code))
    print(f"teacher done {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
