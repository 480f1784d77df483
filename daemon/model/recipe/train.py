#!/usr/bin/env python3
"""Trains the rows: train.py DATA_DIR OUT.npz [name=value ...]; needs a GPU, takes two minutes.

Symmetric InfoNCE and distillation in the batch from the teacher's vectors. A batch is made of groups of one repository, so
that the hard answers of a question are among the wrong ones; pairs about one place, or with the same words, are not each
other's wrong answers.
"""
import json
import sys
import time

import numpy as np
import torch
from torch.nn import functional
from words import Pieces

DEVICE = "cuda"
# The last line: the share of each kind of pair that is used.
CHOICES = dict(width=256, batch=8192, group=256, epochs=18, rate=1e-3, heat=0.05, teacher=1.0, teacher_heat=0.03, dropout=0.15, first=0.5, question=0.1, seed=1,
               doc=1.0, name=0.3, comment=0.6, path=0.6, head=1.0, commit=0.4)
# People ask; documentation tells. What questions begin with must weigh nothing.
QUESTIONS = ["how does", "how is", "where is", "where do we", "find the code that", "what handles", "which function", "how are", "code for", "the logic that", "how do i", "implementation of", "what does"]


def start(pieces, counts, width):
    """Rows that begin as the teacher's vectors of the pieces, in fewer dimensions; frequent pieces weigh less."""
    vectors = torch.tensor(pieces, device=DEVICE).float()
    vectors = vectors - vectors.mean(0)
    _, _, axes = torch.linalg.svd(vectors, full_matrices=False)
    rows = functional.normalize(vectors @ axes[:width].T, dim=1)
    share = torch.tensor(counts, device=DEVICE).float()
    share = share / share.sum()
    return rows * (1e-3 / (1e-3 + share)).sqrt()[:, None]


def main(data, out, *given):
    choice = CHOICES | {name: type(CHOICES[name])(value) for name, value in (each.split("=") for each in given)}
    torch.manual_seed(choice["seed"])
    rng = np.random.default_rng(choice["seed"])
    names = json.load(open(f"{data}/vocabulary.json"))["model"]["vocab"]
    pieces, size = Pieces(names), len(names)
    stored, taught = np.load(f"{data}/train.npz"), np.load(f"{data}/teacher.npz")
    kinds = stored["kind"]
    kept = rng.random(len(kinds)) < np.array([choice[kind] for kind in kinds])
    on = lambda name, kind=None: torch.tensor(stored[name][kept].astype(kind) if kind else stored[name][kept], device=DEVICE)
    asked, first, code = ((on(name, np.int32), on(name + "_weight")) for name in ("words", "first", "code"))
    same_words, same_place = on("same_words"), on("same_place")
    teach_words, teach_code = (torch.tensor(taught[name][kept], device=DEVICE) for name in ("words", "code"))
    counts = np.bincount(stored["code"][::4].ravel(), minlength=size + 1)[:size] + 5
    repository, language = stored["repository"][kept], stored["language"][kept]

    rows = torch.cat([start(taught["pieces"], counts, choice["width"]), torch.zeros(1, choice["width"], device=DEVICE)]).requires_grad_()
    ratio = torch.zeros(size + 1, device=DEVICE, requires_grad=True)
    questions = [[piece for word in each.split() for piece in pieces.of(word)][:6] for each in QUESTIONS]
    questions = torch.tensor([each + [size] * (6 - len(each)) for each in questions], device=DEVICE, dtype=torch.int32)

    total = len(repository)
    steps = total // choice["batch"] * choice["epochs"]
    optimizer = torch.optim.AdamW([{"params": [rows]}, {"params": [ratio], "lr": choice["rate"] * 3}], choice["rate"], weight_decay=1e-4)
    plan = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 100) * (0.05 + 0.95 * max(0, 1 - step / steps)))

    def vectors(ids, weights, asks):
        weights = weights.float()
        weights = weights * (torch.rand_like(weights) > choice["dropout"])
        if asks:
            weights = weights * functional.embedding(ids, ratio[:, None]).squeeze(-1).exp()
        return functional.normalize(functional.embedding_bag(ids, rows, mode="sum", per_sample_weights=weights), dim=1, eps=1e-6)

    began, step = time.time(), 0
    for epoch in range(choice["epochs"]):
        groups = []
        for one in np.unique(repository):
            here = rng.permutation(np.flatnonzero(repository == one))
            groups += [here[at:at + choice["group"]] for at in range(0, len(here), choice["group"])]
        rng.shuffle(groups)
        order = np.concatenate(groups)
        for at in range(0, total - choice["batch"] + 1, choice["batch"]):
            pick = torch.tensor(order[at:at + choice["batch"]], device=DEVICE)
            short = torch.rand(len(pick), device=DEVICE) < choice["first"]
            ids = torch.where(short[:, None], first[0][pick], asked[0][pick])
            weights = torch.where(short[:, None], first[1][pick], asked[1][pick])
            asks = questions[torch.randint(len(questions), (len(pick),), device=DEVICE)]
            asking = (torch.rand(len(pick), 1, device=DEVICE) < choice["question"]).half()
            ids, weights = torch.cat([ids, asks], 1), torch.cat([weights, asking * (asks < size)], 1)
            one, two = vectors(ids, weights, True), vectors(code[0][pick], code[1][pick], False)
            scores = one @ two.T / choice["heat"]
            target = torch.arange(len(pick), device=DEVICE)
            alike = (same_place[pick][:, None] == same_place[pick][None]) | (same_words[pick][:, None] == same_words[pick][None])
            alike.fill_diagonal_(False)
            scores = scores.masked_fill(alike, -1e4)
            loss = (functional.cross_entropy(scores, target) + functional.cross_entropy(scores.T, target)) / 2
            if choice["teacher"]:
                wise = (teach_words[pick].float() @ teach_code[pick].float().T / choice["teacher_heat"]).masked_fill(alike, -1e4)
                kl = functional.kl_div(functional.log_softmax(scores, 1), functional.softmax(wise, 1), reduction="batchmean")
                kl = kl + functional.kl_div(functional.log_softmax(scores.T, 1), functional.softmax(wise.T, 1), reduction="batchmean")
                loss = loss + choice["teacher"] * kl / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            plan.step()
            with torch.no_grad():
                rows[size] = 0
            step += 1
        if epoch % 4 == 3 or epoch == 0:
            print(f"epoch {epoch} loss {loss.item():.3f} {time.time() - began:.0f} s", flush=True)

    final = rows.detach()[:size].cpu().numpy()
    scale = np.maximum(np.abs(final).max(1), 1e-9) / 127
    np.savez(out, q8=np.round(final / scale[:, None]).astype(np.int8), scale=scale.astype(np.float32), qratio=np.exp(ratio.detach().cpu().numpy()[:size]).astype(np.float32))
    print("wrote", out, choice, f"{time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = True
    main(*sys.argv[1:])
