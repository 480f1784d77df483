#!/usr/bin/env python3
"""Compares references and callers with those of a precise language server for the same symbols.

    compare.py truth --server pyright --repo DIR --out truth.json
    compare.py scip --index index.scip --repo DIR --out truth.json
    compare.py score --truth truth.json --bin target/release [--misses 10] [--through lsp]
    compare.py account --repo DIR --bin target/release
    compare.py proof --index index.scip --repo DIR --bin target/release
    compare.py calls --graphs DIR --bin target/release

The first step is slow and done once: it takes symbols (functions, methods, classes, constants) evenly from the files
of a checkout and stores what the server knows of each. The second asks claudevil the same and prints how well it does.
Only files that the server was asked about count: it says nothing of documentation, other languages, or parts not built.
With `--through lsp` the language server is asked too, and has to say what the tools say.

Servers count callers differently, and each difference is taken out of the comparison, on both sides:
- Some count every function that mentions a symbol as a caller. Only those that mention it with arguments must be found.
- Some name a closure that calls, others the function around it. Callers that make the same call are the same.
- Code outside all functions has a file or a module as its caller, or nothing. It is not judged.
- clangd knows the uses in a body that a macro makes, as `TEST` does, and names no caller there. It is not judged.
- Without a call hierarchy for a symbol, as clangd and TypeScript have none for some, its callers are not judged.
A name that is declared somewhere is not used there: some count a method that another overrides, or the constructors of a
class, among the references. To clangd a `struct` and a `typedef` with the same name are two symbols, which are joined.
Operators are left out, because their name is not written where they are used, and so are constructors: to pyright
`Response()` is a use of the class, to others a call of the constructor.

`account` needs no truth: it checks that the account of each name has every place that a scan of the files finds, and
that few of them are unknown. `proof` imports a SCIP index, and checks that answers are the index's while its files are
unchanged, and that none is wrong in its name after some were edited. `calls` compares call edges with the graphs that lie
beside small programs (see call_graph.py).

The servers are found in PATH (`--command` names another): pyright and typescript-language-server of npm, gopls, clangd,
rust-analyzer. clangd needs a compile_commands.json (`--argument=--compile-commands-dir=DIR`) and says nothing of
sources that are not in it (`--built DIR/compile_commands.json`). Python finds a project's dependencies by
`--set python.pythonPath=VENV/bin/python`.
"""

import argparse
import json
import pathlib
import sys

import account
import call_graph
import proof
import scip
import score
import servers
import truth


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)

    step = steps.add_parser("truth", help="asks a language server and stores what it says")
    step.add_argument("--server", choices=servers.SERVERS, required=True)
    step.add_argument("--repo", type=pathlib.Path, required=True, help="a git checkout")
    step.add_argument("--out", type=pathlib.Path, required=True)
    step.add_argument("--sample", type=int, default=200, help="how many symbols [default: 200]")
    step.add_argument("--seed", type=int, default=1, help="which symbols [default: 1]")
    step.add_argument("--files", type=int, default=10_000, help="take symbols from so many files [default: all]")
    step.add_argument("--only", action="append", default=[], metavar="GLOB", help="files that are asked about")
    step.add_argument("--skip", action="append", default=[], metavar="GLOB", help="files that are not")
    step.add_argument("--built", type=pathlib.Path, metavar="JSON", help="leave out sources that this does not compile")
    step.add_argument("--command", help="the server's command, if not the usual one")
    step.add_argument("--argument", action="append", default=[], help="one more argument of the server")
    step.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the server")
    step.add_argument("--log", default="/dev/null", help="where the server's complaints go")

    step = steps.add_parser("scip", help="takes the truth from a SCIP index instead")
    step.add_argument("--index", type=pathlib.Path, required=True)
    step.add_argument("--repo", type=pathlib.Path, required=True, help="the git checkout that was indexed")
    step.add_argument("--prefix", default="", metavar="DIR", help="folder of the checkout that the index is of")
    step.add_argument("--out", type=pathlib.Path, required=True)
    step.add_argument("--sample", type=int, default=200, help="how many symbols [default: 200]")
    step.add_argument("--seed", type=int, default=1, help="which symbols [default: 1]")

    step = steps.add_parser("score", help="asks claudevil and compares")
    step.add_argument("--truth", type=pathlib.Path, required=True)
    step.add_argument("--repo", type=pathlib.Path, help="the checkout, if it lies elsewhere now")
    step.add_argument("--bin", type=pathlib.Path, required=True, help="folder of claudevil-mcp and claudevild")
    step.add_argument("--misses", type=int, default=0, metavar="N", help="show the N worst, by both")
    step.add_argument("--kind", choices=["function", "method", "class", "constant"], help="only symbols of this kind")
    step.add_argument("--json", type=pathlib.Path, help="store the figures and the answers here")
    step.add_argument("--through", choices=["mcp", "lsp"], default="mcp", help="ask the language server too [default: mcp]")

    step = steps.add_parser("account", help="checks that every occurrence of names is accounted for")
    step.add_argument("--repo", type=pathlib.Path, required=True)
    step.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the binaries")
    step.add_argument("--sample", type=int, default=200, help="how many names [default: 200]")
    step.add_argument("--seed", type=int, default=1, help="which names [default: 1]")

    step = steps.add_parser("proof", help="checks that answers are those of an imported SCIP index")
    step.add_argument("--index", type=pathlib.Path, required=True)
    step.add_argument("--repo", type=pathlib.Path, required=True, help="the git checkout that was indexed")
    step.add_argument("--prefix", default="", metavar="DIR", help="folder of the checkout that the index is of")
    step.add_argument("--bin", type=pathlib.Path, required=True, help="folder of claudevil-mcp and claudevild")
    step.add_argument("--sample", type=int, default=200, help="how many symbols [default: 200]")
    step.add_argument("--seed", type=int, default=1, help="which symbols and files [default: 1]")
    step.add_argument("--edited", type=float, default=0.1, help="share of files that are edited [default: 0.1]")
    step.add_argument("--misses", type=int, default=0, metavar="N", help="show the N worst, by both")

    step = steps.add_parser("calls", help="compares call edges with the graphs of small programs")
    step.add_argument("--graphs", type=pathlib.Path, required=True, help="a folder of cases, each with a callgraph.json")
    step.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the binaries")
    step.add_argument("--misses", type=int, default=0, metavar="N", help="show the edges of N cases that are wrong")
    return parser.parse_args(words)


def main():
    asked = arguments()
    checks = {"score": score.run, "account": account.run, "proof": proof.run, "calls": call_graph.run}
    if check := checks.get(asked.step):
        sys.exit(check(asked))
    made = (scip if asked.step == "scip" else truth).make(asked)
    asked.out.write_text(json.dumps(made, indent=1))
    references = sum(len(symbol["references"]) for symbol in made["symbols"])
    callers = sum(len(symbol["callers"] or []) for symbol in made["symbols"])
    print(f"{asked.out}: {len(made['symbols'])} symbols, {references} references, {callers} callers")
    print(f"{made['server']} took {made['seconds'] or 'its time elsewhere'}")


if __name__ == "__main__":
    main()
