#!/usr/bin/env python3
"""Trains the rows: train.py DATA_DIR VOCABULARY.json OUT.npz [name=value ...]; needs a GPU.

Symmetric InfoNCE and distillation in the batch from the teacher's vectors. A batch is made of groups of one repository, so
that it has hard negatives; pairs about the same place, or with the same words, are not each other's negatives. With
validate=1 some repositories are held out for validation, and the retrieval quality on them is printed.
"""
import json
import sys
import time
import zlib

import numpy as np
import torch
from torch.nn import functional
from words import ZONES, Pieces

DEVICE = "cuda"
# The last two lines: the parts that the model has, and the share of each kind of pair that is used.
CHOICES = dict(width=256, batch=8192, group=256, epochs=14, rate=1e-3, heat=0.05, teacher=1.0, teacher_heat=0.03, dropout=0.15, first=0.5, question=0.1, seed=1,
               validate=0, decay=1e-4, zones=1, early=1, phrases=0, low=64, docmlp=64,
               doc=1.0, name=0.3, comment=0.6, path=0.6, head=1.0, commit=0.4)
# People ask questions, and documentation makes statements, so the usual first words of questions have no weight.
QUESTIONS = ["how does", "how is", "where is", "where do we", "find the code that", "what handles", "which function", "how are", "code for", "the logic that", "how do i", "implementation of", "what does"]


class Stored:
    """The pairs, on the device."""

    def __init__(self, data, vocabulary):
        self.pieces = Pieces(json.load(open(vocabulary))["model"]["vocab"], json.load(open(f"{data}/phrases.json")))
        load = lambda name: np.load(f"{data}/train_{name}.npy")
        on = lambda name, kind=None: torch.tensor(load(name).astype(kind) if kind else load(name), device=DEVICE)
        self.words, self.first, self.code = ((on(name, np.int32), on(name + "_weight"), on(name + "_zone")) for name in ("words", "first", "code"))
        self.same_words, self.same_place = on("same_words"), on("same_place")
        teacher = lambda name: np.load(f"{data}/teacher_{name}.npy")
        self.teach_words, self.teach_code = (torch.tensor(teacher(name), device=DEVICE) for name in ("words", "code"))
        self.start = teacher("pieces")
        self.kinds, self.repository, self.language = load("kind"), load("repository"), load("language")
        self.counts = np.bincount(load("code")[::4].ravel(), minlength=self.pieces.size + 1)[:self.pieces.size] + 5
        self.groups = np.unique(self.repository, return_inverse=True)[1]
        # One repository in twelve is for validation.
        names = np.unique(self.repository)
        apart = {name for name in names if zlib.crc32(name.encode()) % 12 == 5}
        self.apart = np.isin(self.repository, list(apart))


class Model(torch.nn.Module):
    def __init__(self, stored, choice):
        super().__init__()
        self.choice, size, width = choice, stored.pieces.size, choice["width"]
        self.size, self.count = size, stored.pieces.count
        vectors = torch.tensor(stored.start, device=DEVICE).float()
        vectors = vectors - vectors.mean(0)
        _, _, axes = torch.linalg.svd(vectors, full_matrices=False)
        rows = functional.normalize(vectors @ axes[:width].T, dim=1)
        share = torch.tensor(stored.counts, device=DEVICE).float()
        share = share / share.sum()
        # Rows are initialised from the teacher's vectors, in fewer dimensions; frequent pieces weigh less, and phrases little at first.
        rows = rows * (1e-3 / (1e-3 + share)).sqrt()[:, None]
        rows[self.count:] *= 0.3
        self.rows = torch.nn.Parameter(torch.cat([rows, torch.zeros(1, width, device=DEVICE)]))
        self.ratio = torch.nn.Parameter(torch.zeros(size + 1, device=DEVICE))
        self.early = torch.nn.Parameter(torch.zeros(size + 1, device=DEVICE))
        self.zones = torch.nn.Parameter(torch.zeros(len(ZONES) + 1, device=DEVICE))
        if choice["low"]:
            self.low = torch.nn.Parameter(torch.zeros(size + 1, choice["low"], device=DEVICE))
            self.lift = torch.nn.Parameter(torch.randn(choice["low"], width, device=DEVICE) / choice["low"] ** .5)
        mlp = lambda hidden: torch.nn.Sequential(torch.nn.Linear(width, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, width)).to(DEVICE)
        if choice["docmlp"]:
            self.docmlp = mlp(choice["docmlp"])
            torch.nn.init.zeros_(self.docmlp[2].weight)
            torch.nn.init.zeros_(self.docmlp[2].bias)

    def groups(self):
        rate = self.choice["rate"]
        small = [value for name, value in self.named_parameters() if name in ("ratio", "early", "zones")]
        nets = [value for name, value in self.named_parameters() if name.split(".")[0] in ("docmlp", "lift")]
        tables = [value for name, value in self.named_parameters() if name in ("rows", "low")]
        return [{"params": tables}, {"params": small, "lr": rate * 3, "weight_decay": 0.0}] + ([{"params": nets, "lr": rate * .7, "weight_decay": 0.01}] if nets else [])

    def vectors(self, ids, weights, zones, asks):
        choice = self.choice
        weights = weights.float()
        if not choice["phrases"]:
            weights = weights * (ids < self.count)
        if self.training:
            weights = weights * (torch.rand_like(weights) > choice["dropout"])
        pick = lambda table: functional.embedding(ids, table[:, None]).squeeze(-1)
        if asks:
            weights = weights * pick(self.ratio).exp()
        else:
            if choice["zones"]:
                weights = weights * self.zones[zones.int()].exp()
            if choice["early"]:
                weights = weights * torch.where(zones == 0, pick(self.early), 0.0).exp()
        sums = functional.embedding_bag(ids, self.rows, mode="sum", per_sample_weights=weights)
        if asks and choice["low"]:
            sums = sums + functional.embedding_bag(ids, self.low, mode="sum", per_sample_weights=weights) @ self.lift
        out = functional.normalize(sums, dim=1, eps=1e-6)
        if not asks and choice["docmlp"]:
            out = functional.normalize(out + self.docmlp(out), dim=1, eps=1e-6)
        return out


def validate(model, stored):
    """Returns MRR@10 on the validation repositories: the mean over languages."""
    model.eval()
    places = np.flatnonzero(stored.apart & np.isin(stored.kinds, ["doc", "name"]))
    found = {}
    with torch.no_grad():
        for language in np.unique(stored.language[places]):
            here = places[stored.language[places] == language]
            docs = here[stored.kinds[here] == "doc"]
            if len(docs) < 60:
                continue
            docs = np.random.default_rng(5).permutation(docs)[:1500]
            others = np.setdiff1d(here, docs)
            taken = set(stored.same_place[torch.tensor(docs, device=DEVICE)].tolist())
            others = others[[one not in taken for one in stored.same_place[torch.tensor(others, device=DEVICE)].tolist()]] if len(others) else others
            pool = np.concatenate([docs, np.random.default_rng(6).permutation(others)[:5000 - len(docs)]]).astype(np.int64)
            on = lambda table, rows: [part[torch.tensor(rows, device=DEVICE)] for part in table]
            scores = model.vectors(*on(stored.first, docs), True) @ model.vectors(*on(stored.code, pool), False).T
            own = scores.diagonal()[:, None]
            rank = (scores > own).sum(1) + ((scores == own).sum(1) - 1) / 2 + 1
            found[str(language)] = float(torch.where(rank <= 10, 1 / rank, 0).mean())
    model.train()
    return sum(found.values()) / max(1, len(found)), found


def train(stored, given, out=None):
    choice = CHOICES | given
    torch.manual_seed(choice["seed"])
    rng = np.random.default_rng(choice["seed"])
    pieces = stored.pieces
    kept = rng.random(len(stored.kinds)) < np.array([choice[kind] for kind in stored.kinds])
    if choice["validate"]:
        kept &= ~stored.apart
    kept = np.flatnonzero(kept)
    repository = stored.groups[kept]
    by_repository = np.split(kept[np.argsort(repository, kind="stable")], np.cumsum(np.bincount(repository))[:-1])
    model = Model(stored, choice)
    questions = [[piece for word in each.split() for piece in pieces.of(word)][:6] for each in QUESTIONS]
    questions = torch.tensor([each + [pieces.size] * (6 - len(each)) for each in questions], device=DEVICE, dtype=torch.int32)
    total = len(kept)
    steps = total // choice["batch"] * choice["epochs"]
    optimizer = torch.optim.AdamW(model.groups(), choice["rate"], weight_decay=choice["decay"], fused=True)
    plan = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 100) * (0.03 + 0.97 * max(0, 1 - step / steps)))
    began, step = time.time(), 0
    for epoch in range(choice["epochs"]):
        groups = []
        for here in by_repository:
            here = rng.permutation(here)
            groups += [here[at:at + choice["group"]] for at in range(0, len(here), choice["group"])]
        rng.shuffle(groups)
        order = torch.tensor(np.concatenate(groups), device=DEVICE)
        for at in range(0, total - choice["batch"] + 1, choice["batch"]):
            pick = order[at:at + choice["batch"]]
            short = torch.rand(len(pick), device=DEVICE)[:, None] < choice["first"]
            ids, weights, _ = (torch.where(short, one[pick], two[pick]) for one, two in zip(stored.first, stored.words))
            asks = questions[torch.randint(len(questions), (len(pick),), device=DEVICE)]
            asking = (torch.rand(len(pick), 1, device=DEVICE) < choice["question"]).half()
            ids, weights = torch.cat([ids[:, :-8], asks], 1), torch.cat([weights[:, :-8], asking * (asks < pieces.size)], 1)
            one, two = model.vectors(ids, weights, None, True), model.vectors(*(part[pick] for part in stored.code), False)
            scores = one @ two.T / choice["heat"]
            target = torch.arange(len(pick), device=DEVICE)
            place, said = stored.same_place[pick], stored.same_words[pick]
            alike = (place[:, None] == place[None]) | (said[:, None] == said[None])
            alike.fill_diagonal_(False)
            scores = scores.masked_fill(alike, -1e4)
            logs, logs_back = functional.log_softmax(scores, 1), functional.log_softmax(scores.T, 1)
            loss = -(logs.diagonal().mean() + logs_back.diagonal().mean()) / 2
            if choice["teacher"]:
                wise = ((stored.teach_words[pick] @ stored.teach_code[pick].T).float() / choice["teacher_heat"]).masked_fill(alike, -1e4)
                # Cross entropy, which differs from the divergence only by a term that does not depend on the rows.
                far = -(functional.softmax(wise, 1) * logs).sum(1).mean() - (functional.softmax(wise.T, 1) * logs_back).sum(1).mean()
                loss = loss + choice["teacher"] * far / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            plan.step()
            with torch.no_grad():
                model.rows[pieces.size] = 0
            step += 1
        if epoch % 4 == 3 or epoch == 0:
            print(f"  epoch {epoch} loss {loss.item():.3f} {time.time() - began:.0f} s", flush=True)
    figure, languages = validate(model, stored)
    print(f"{figure:.4f} {given} {step} steps {time.time() - began:.0f} s zones {[round(z, 2) for z in model.zones.exp().tolist()]}", flush=True)
    if out:
        export(model, out)
    return figure, languages, model


def export(model, out):
    size = model.size if model.choice["phrases"] else model.count
    final = model.rows.detach()[:size].cpu().numpy()
    scale = np.maximum(np.abs(final).max(1), 1e-9) / 127
    exp = lambda value: np.exp(value.detach().cpu().numpy()[:size]).astype(np.float32)
    more = {name.replace(".", "_"): value.detach().cpu().numpy() for name, value in model.named_parameters() if name.split(".")[0] in ("low", "lift", "docmlp")}
    np.savez(out, q8=np.round(final / scale[:, None]).astype(np.int8), scale=scale.astype(np.float32), qratio=exp(model.ratio),
             early=exp(model.early), zones=np.exp(model.zones.detach().cpu().numpy()).astype(np.float32), **more)


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = True
    data, vocabulary, out = sys.argv[1:4]
    given = {name: type(CHOICES[name])(value) for name, value in (each.split("=") for each in sys.argv[4:])}
    train(Stored(data, vocabulary), given, out)
