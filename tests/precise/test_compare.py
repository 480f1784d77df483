"""What is right, false and missing, and how a server's and claudevil's answers are read; no server is needed.

    python3 -m unittest discover tests/precise
"""

import io
import json
import pathlib
import random
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import account
import claudevil
import compare
import editor
import lsp
import proof
import scip
import score
import servers
import truth

FILES = frozenset(["a.py", "b.py"])


def reference(path, line, confidence=0.9, resolution="resolved", role="call"):
    item = {"path": path, "line": line, "column": 1, "role": role, "confidence": confidence, "resolution": resolution}
    return claudevil.Reference.of(item)


def caller(path, line, name, resolution="resolved", calls=()):
    item = {"path": path, "line": line, "name": name, "resolution": resolution, "depth": 1, "call_lines": list(calls)}
    return claudevil.Caller.of(item)


def symbol(references=(), callers=None, declarations=(), kind="function"):
    return {
        "path": "a.py",
        "line": 1,
        "name": "run",
        "kind": kind,
        "references": [[path, line, 1] for path, line in references],
        "declarations": [["a.py", 1, 5], *([path, line, 1] for path, line in declarations)],
        "callers": callers,
    }


class Judging(unittest.TestCase):
    def test_lines_are_right_false_or_missing(self):
        true = symbol([("a.py", 3), ("b.py", 4), ("b.py", 9)], declarations=[("b.py", 7)])
        said = [
            reference("a.py", 3),
            reference("a.py", 3, role="read"),  # twice on a line is once
            reference("b.py", 5),
            reference("a.py", 1),  # where it is defined
            reference("b.py", 7),  # where it is declared
            reference("README.md", 2),  # nobody asked the server
        ]
        outcome = score.judge_references(true, said, FILES)
        self.assertEqual(outcome.right, {("a.py", 3)})
        self.assertEqual(outcome.false, {("b.py", 5)})
        self.assertEqual(outcome.missing, {("b.py", 4), ("b.py", 9)})
        self.assertEqual((outcome.precision, outcome.recall, outcome.f1), (1 / 2, 1 / 3, 2 / 5))

    def test_a_line_that_declares_and_uses_counts(self):
        true = symbol([("b.py", 7)], declarations=[("b.py", 7)])
        self.assertEqual(score.judge_references(true, [], FILES).missing, {("b.py", 7)})

    def test_views_take_a_part_of_the_answers(self):
        said = [
            reference("a.py", 3),
            reference("a.py", 4, confidence=0.5, resolution="ambiguous"),
            reference("a.py", 5, confidence=0.3, resolution="name_only"),
            reference("a.py", 6, confidence=0.2, resolution="name_only", role="mention"),
        ]
        taken = {view: [one.line for one in filter(wanted, said)] for view, wanted in score.REFERENCE_VIEWS.items()}
        expected = {"all": [3, 4, 5, 6], "no mentions": [3, 4, 5], "medium": [3, 4], "high": [3], "resolved": [3]}
        self.assertEqual(taken, expected)

    def test_callers_are_as_sure_as_the_references_on_their_lines(self):
        found = claudevil.Answer([reference("a.py", 3), reference("a.py", 4, confidence=0.45)])
        said = [caller("a.py", 1, "sure", resolution="ambiguous", calls=[3, 4]), caller("a.py", 2, "unsure", calls=[4])]
        asked = score.Asked(symbol(callers=[]), found, claudevil.Answer(said))
        self.assertEqual(asked.caller_outcome("medium", FILES).false, {("a.py", 1)})
        self.assertEqual(len(asked.caller_outcome("all", FILES).false), 2)

    def test_callers_are_paired_by_line_and_then_by_name_nearby(self):
        true = symbol(
            callers=[
                ["a.py", 10, "one", "function", True, [11]],
                ["a.py", 20, "(*Mux).Use", "method", True, [21]],
                ["b.py", 30, "gone", "function", True, [31]],
                ["b.py", 1, "b.py", "module", True, [90]],
                ["b.py", 50, "shown", "function", False, [51]],
                ["b.py", 60, "hidden", "function", False, [61]],
            ]
        )
        said = [caller("a.py", 10, "one"), caller("a.py", 18, "Mux.Use"), caller("b.py", 80, "gone")]
        said.append(caller("b.py", 50, "shown"))
        outcome = score.judge_callers(true, said, FILES)
        self.assertEqual(outcome.right, {("a.py", 10), ("a.py", 20)})
        self.assertEqual(outcome.false, {("b.py", 80)})
        self.assertEqual(outcome.missing, {("b.py", 30)})

    def test_callers_are_paired_by_the_calls_that_they_make(self):
        closures = [["a.py", line, "closure", "function", True, [line + 1, line + 2]] for line in (12, 22)]
        function = ["a.py", 20, "function", "function", True, [21]]
        true = symbol([("a.py", 13), ("b.py", 40)], callers=[*closures, function])
        around = caller("a.py", 10, "around", calls=[14])
        also_itself = caller("a.py", 20, "function", calls=[21, 23])
        in_a_macro = caller("b.py", 39, "TEST", calls=[40, 41])  # the server knows the use, and nobody who makes it
        wrong = caller("b.py", 13, "wrong", calls=[14])  # another file
        outcome = score.judge_callers(true, [around, also_itself, in_a_macro, wrong], FILES)
        self.assertEqual(outcome.right, {("a.py", 12), ("a.py", 20), ("a.py", 22)})
        self.assertEqual(outcome.false, {("b.py", 13)})
        self.assertEqual(outcome.missing, frozenset())

    def test_last_names(self):
        names = {"DBImpl::Get": "Get", "(*Mux).Use": "Use", "Mux.Use(a, b)": "Use", "run": "run", "max<int>": "max"}
        self.assertEqual({name: score.last_name(name) for name in names}, names)

    def test_figures_of_lines_and_of_symbols(self):
        def outcome(*counts):
            return score.Outcome(*(frozenset(range(count)) for count in counts))

        found = score.figures([outcome(8, 2, 0), outcome(0, 0, 2), outcome(0, 0, 0)])
        self.assertEqual(found["counts"], [8, 2, 2])
        self.assertEqual(found["micro"], (0.8, 0.8, 0.8))
        precision, recall, f1 = found["macro"]
        self.assertEqual((precision, recall), (0.8, 0.5))
        self.assertAlmostEqual(f1, (16 / 18 + 0 + 1) / 3)


class Reporting(unittest.TestCase):
    def setUp(self):
        references = claudevil.Answer([reference("a.py", 3), reference("b.py", 5)], symbol="run")
        callers = claudevil.Answer([caller("a.py", 10, "one")], symbol="run")
        true = symbol([("a.py", 3), ("b.py", 4)], callers=[["a.py", 10, "one", "function", True, [11]]])
        lost = claudevil.Answer(error="symbol_not_found", message="symbol_not_found: no symbol there")
        self.answers = [
            score.Asked(true, references, callers),
            score.Asked(symbol([("a.py", 2)], kind="class"), lost, None),
        ]

    def test_the_table_has_a_row_for_every_view_and_kind(self):
        rows = score.table(self.answers, FILES)
        self.assertEqual(rows["references, all"]["counts"], [1, 1, 2])
        self.assertEqual(rows["  medium, of a class"]["micro"], (None, 0.0, 0.0))
        self.assertEqual(rows["callers, all"]["micro"], (1.0, 1.0, 1.0))
        self.assertIn("callers, resolved            1.000 1.000 1.000", score.written(rows))

    def test_an_editor_is_given_what_is_sure(self):
        doubtful = [reference("a.py", 3, confidence=0.45), reference("a.py", 4, confidence=0.2, role="mention")]
        self.assertEqual(editor.shown_references(doubtful), doubtful[:1])
        sure = reference("a.py", 5, confidence=0.55)
        self.assertEqual(editor.shown_references([*doubtful, sure]), [sure])
        callers = [caller("a.py", 1, "one", "ambiguous", [3]), caller("a.py", 2, "two", "ambiguous", [5]), caller("a.py", 8, "f")]
        self.assertEqual(editor.shown_callers(callers, [*doubtful, sure]), callers[1:])

    def test_answers_to_an_editor_that_differ_are_listed(self):
        same = [score.Asked(one.symbol, one.references, one.callers) for one in self.answers]
        self.assertEqual(list(score.differences(self.answers, same)), [])
        same[0].references = claudevil.Answer([reference("b.py", 5)])
        [shown] = score.differences(self.answers, same)
        self.assertIn("a.py:1 run, references: lacks a.py:3; adds none", shown)
        self.assertEqual(score.editor_table(self.answers, FILES)["callers, in an editor"]["counts"], [1, 0, 0])

    def test_lines_that_have_the_word(self):
        source = score.Source(None)
        source.texts = {"a.py": ["def run():", "    return runs", "run()"], "b.py": ["# to run", "", ""]}
        [outcome] = score.by_name([symbol([("a.py", 3), ("b.py", 3)])], FILES, source)
        self.assertEqual(outcome.right, {("a.py", 3)})
        self.assertEqual((outcome.false, outcome.missing), ({("b.py", 1)}, {("b.py", 3)}))

    def test_cut_callers_do_not_count(self):
        self.answers[0].callers.cut = True
        self.assertNotIn("callers, all", score.table(self.answers, FILES))
        self.assertIn("cut answers without a next page: 1", score.notes(self.answers, FILES, {}))

    def test_errors_are_shown(self):
        self.assertIn("{'symbol_not_found': 1}", score.notes(self.answers, FILES, {"find_references": [0.5]}))

    def test_the_worst_symbols_come_with_their_lines(self):
        source = score.Source(pathlib.Path(__file__).parent)
        self.answers[0].symbol |= {"references": [["test_compare.py", 1, 1]], "callers": []}
        self.answers[0].references.found = [reference("compare.py", 1)]
        self.answers[0].callers.found = [caller("compare.py", 2, "one", resolution="ambiguous", calls=[1])]
        shown = list(score.misses(self.answers, frozenset(["test_compare.py", "compare.py"]), source, 1))
        self.assertEqual(len(shown), 2)
        self.assertIn("+ compare.py:1: #!/usr/bin/env python3  [0.9 call resolved: ]", shown[0])
        self.assertIn('- test_compare.py:1: """What is right', shown[0])
        self.assertIn("+ compare.py:2: \"\"\"Compares", shown[1])
        self.assertIn("[one, ambiguous: ]", shown[1])


class Session(claudevil.Claudevil):
    """Answers pages that are made up."""

    def __init__(self, *pages):
        super().__init__(".", ".")
        self.pages = list(pages)
        self.asked = []

    def request(self, method, params):
        self.asked.append(params["arguments"])
        return self.pages.pop(0)


def page(**fields):
    return {"content": [{"type": "text", "text": json.dumps(fields)}]}


class Asking(unittest.TestCase):
    def test_all_pages_are_read(self):
        one, other = ({**vars(reference("a.py", line)), "column": 1} for line in (1, 2))
        session = Session(
            page(symbol={"name": "run"}, references=[one], truncated=True, cursor="next"),
            page(symbol={"name": "run"}, references=[other], truncated=False),
        )
        answer = session.references("a.py", 7)
        self.assertEqual([found.line for found in answer.found], [1, 2])
        self.assertEqual((answer.symbol, answer.error, answer.cut), ("run", None, False))
        self.assertEqual(session.asked[1], {**session.asked[0], "cursor": "next"})

    def test_an_error_is_an_empty_answer(self):
        text = "symbol_not_found: nothing at a.py:7\nnext: find_symbol"
        session = Session({"isError": True, "content": [{"type": "text", "text": text}]})
        answer = session.callers("a.py", 7)
        self.assertEqual((answer.found, answer.error), ([], "symbol_not_found"))


def found_symbol(name, kind, line, column, children=()):
    start = {"line": line, "character": column}
    span = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 99}}
    return {"name": name, "kind": kind, "range": span, "selectionRange": {"start": start}, "children": list(children)}


class Taking(unittest.TestCase):
    LINES = ['const 𝒳𝒳 = 1, LIMIT = 2; {', "func (m *Mux) Use() {", "it('works', () => {", "int declared(void);"]
    LINES += ["bool operator==(Slice a, Slice b) {", "    def __init__(self):  # {"]

    def test_columns_are_utf16(self):
        self.assertEqual(truth.identifier_at(self.LINES, 0, 16), "LIMIT")
        self.assertIsNone(truth.identifier_at(self.LINES, 9, 0))

    def test_what_is_called_has_arguments(self):
        for text in ["run(1)", "run ()", "x.run::<u8>(1)", "run[int](x)", "run<T>(x)", "await run(", "run`text`"]:
            self.assertTrue(truth.is_called("run", [text], {"line": 0, "character": 0}), text)
        for text in ["go(run)", "run", "runs(1)", "x = run, other(1)"]:
            self.assertFalse(truth.is_called("run", [text], {"line": 0, "character": 0}), text)

    def test_symbols_that_may_be_asked_for(self):
        constant, method, function, variable = 14, 6, 12, 13
        symbols = [
            found_symbol("LIMIT", constant, 0, 16),
            found_symbol("outer", function, 0, 99, [found_symbol("LIMIT", constant, 0, 16)]),
            found_symbol("value", constant, 0, 99, [found_symbol("Use", method, 1, 14)]),
            found_symbol("LIMIT", variable, 0, 16),
            found_symbol("(*Mux).Use", method, 1, 14),
            found_symbol("it('works') callback", function, 2, 11),
            found_symbol("declared", function, 3, 4),
            found_symbol("operator==", method, 4, 5),
            found_symbol("__init__", method, 5, 8),
        ]
        taken = [name for _, _, name, _ in truth.pick(symbols, self.LINES, needs_body=True)]
        self.assertEqual(taken, ["LIMIT", "Use"])
        taken = [name for _, _, name, _ in truth.pick(symbols, self.LINES, needs_body=False)]
        self.assertEqual(taken, ["LIMIT", "Use", "declared"])

    @unittest.mock.patch("truth.tell")
    def test_files_take_turns(self, _):
        asking = truth.Asking(None, servers.SERVERS["pyright"], {"a.py": "python", "b.py": "python"})
        asking.open = asking.close = lambda path: None
        asking.ask = lambda path, line, *_: {"path": path, "line": line} if line % 2 else None
        lines = {"a.py": range(100), "b.py": [5]}
        candidates = {path: [(line, 0, "name", "function") for line in found] for path, found in lines.items()}
        taken = asking.sample(candidates, 10, random.Random(1))
        self.assertEqual([one["path"] for one in taken], ["a.py"] * 9 + ["b.py"])
        self.assertEqual(taken, asking.sample(candidates, 10, random.Random(1)))
        self.assertEqual(len(asking.sample(candidates, 99, random.Random(1))), 51)

    @unittest.mock.patch("truth.tell")
    def test_a_server_that_ends_is_believed_until_then(self, _):
        asking = truth.Asking(None, servers.SERVERS["pyright"], {"a.py": "python"})
        said = [{"path": "a.py", "line": 1}, OSError("the server ended")]
        asking.next_used = unittest.mock.Mock(side_effect=said)
        self.assertEqual(asking.sample({"a.py": [1, 2, 3]}, 3, random.Random(1)), said[:1])


def message(*parts):
    """A protobuf message of numbers, texts and messages by the numbers of their fields."""
    written = b""
    for number, value in parts:
        if isinstance(value, int):
            written += bytes([number << 3, value])
        else:
            value = value.encode() if isinstance(value, str) else value
            written += bytes([number << 3 | 2, len(value)]) + value
    return written


class Scip(unittest.TestCase):
    def test_occurrences_are_read_by_symbol(self):
        definition = message((1, bytes([4, 9, 12])), (2, "m `a.py`/run()."), (3, 1), (7, bytes([4, 0, 6, 3])))
        use = message((1, bytes([7, 2, 5])), (2, "m `a.py`/run()."))
        tool = message((2, message((1, "scip-python"), (2, "1.0"))))
        index = message((1, tool), (2, message((1, "a.py"), (2, definition), (2, use))))
        name, occurrences = scip.read(index)
        self.assertEqual(name, "scip-python 1.0")
        found = sorted(occurrences["m `a.py`/run()."], key=scip.position)
        self.assertEqual([scip.position(one) for one in found], [("a.py", 5, 10), ("a.py", 8, 3)])
        self.assertEqual([(one.is_definition, one.body) for one in found], [(True, (5, 7)), (False, None)])

    def test_kinds_are_told_by_the_last_descriptor(self):
        for symbol, kind in [
            ("m `a.ts`/Store#open().", ("open", "method")),
            ("m `a.ts`/open().", ("open", "function")),
            ("m `a.ts`/Store#", ("Store", "class")),
            ("m `a.ts`/LIMIT.", ("LIMIT", "constant")),
            ("m `a.ts`/Store#size.", ("size", None)),
            ("m `a.ts`/typeLiteral3:size.", ("size", None)),
            ("m `a.ts`/open().(path)", None),
            ("local 4", None),
        ]:
            self.assertEqual(scip.kind_of(symbol), kind, symbol)

    def test_missing_lines_are_counted_by_what_was_said(self):
        true = symbol([("a.py", 3), ("a.py", 4), ("a.py", 5)])
        said = [reference("a.py", 3), reference("a.py", 4, confidence=0.3)]
        answer = score.Asked(true, claudevil.Answer(found=said), None)
        self.assertEqual(score.missing_by_reason([answer], FILES), {"": 1, "nothing": 1})


class Protocol(unittest.TestCase):
    def test_messages_are_read_by_their_length(self):
        stream = io.BytesIO(b'Content-Length: 8\r\nContent-Type: x\r\n\r\n{"id":1}Content-Length: 2\r\n\r\n{}')
        self.assertEqual([lsp.read_body(stream) for _ in range(3)], [b'{"id":1}', b"{}", None])

    def test_settings_are_found_by_their_section(self):
        settings, options = servers.configured(servers.SERVERS["rust-analyzer"], ["rust-analyzer.cargo.offline=true"])
        self.assertEqual(lsp.section(settings, "rust-analyzer.cargo"), {"offline": True})
        self.assertIsNone(lsp.section(settings, "python.analysis"))
        self.assertEqual(options["cargo"], {"offline": True})

    def test_paths_outside_of_the_root_have_none(self):
        self.assertEqual(lsp.path_of("file:///r/a%20b.py", pathlib.Path("/r")), "a b.py")
        self.assertIsNone(lsp.path_of("file:///usr/lib/x.py", pathlib.Path("/r")))

    def test_the_command_line(self):
        asked = compare.arguments(["truth", "--server", "gopls", "--repo", "r", "--out", "o"])
        self.assertEqual((asked.sample, asked.seed), (200, 1))

class PassingOn(unittest.TestCase):
    def test_names_of_a_pattern_are_no_constants_of_their_own(self):
        lines = ["const {", "  open,", "  close", "} = require('./store')", "const (", "  first", ")"]
        self.assertEqual([number for number in range(len(lines)) if truth.is_taken_out(lines, number)], [1, 2])

    def test_a_struct_and_its_typedef_are_one(self):
        def symbol(kind, name, line, column):
            start = {"line": line, "character": column}
            return {"kind": kind, "name": name, "range": {"start": start}, "selectionRange": {"start": start}}

        asking = truth.Asking(None, servers.SERVERS["clangd"], {"a.h": "cpp"})
        lines = ["struct Store {", "} ;", "typedef struct Store Store;", "struct Shop {};", "struct Shop {};"]
        symbols = [symbol(23, "Store", 0, 7), symbol(5, "Store", 2, 21), symbol(23, "Shop", 3, 7), symbol(9, "Shop", 4, 7)]
        asking.note_declarations("a.h", symbols, lines)
        self.assertEqual(asking.tags("a.h", 0, 7, "Store"), [("a.h", 3, 22)])
        self.assertEqual(asking.tags("a.h", 2, 21, "Store"), [("a.h", 1, 8)])
        self.assertEqual(asking.tags("a.h", 3, 7, "Shop"), [])
        self.assertIn(("a.h", 5, 8), asking.declared)

    def test_names_that_modules_give_and_take_are_followed(self):
        lines = {
            "a.js": ["exports.open = open;", "function open() {}"],
            "b.js": ["const start = require('./a').open;", "start();"],
        }
        known = {("a.js", 1, 16), ("a.js", 2, 10)}
        by_place = {
            ("a.js", 0, 8): {("a.js", 1, 9), ("b.js", 1, 30)},
            ("b.js", 0, 6): {("b.js", 1, 7), ("b.js", 2, 1)},
        }

        def references(position, declarations):
            start = position["position"]
            return by_place.get((position["textDocument"], start["line"], start["character"]), set())

        asking = object.__new__(truth.Asking)
        asking.lines, asking.document, asking.references = lines.get, str, references
        self.assertEqual(asking.passed_on("open", known), set().union(*by_place.values()))


class Account(unittest.TestCase):
    TEXTS = {"a.py": "def feed():\n    pass\n\nfeed(); $feed; feeder\n", "b.py": "# ä feed\n"}

    def test_definitions_are_lines_that_begin_one(self):
        lines = {
            "a.rs": "pub(crate) fn size() {}\nlet size = 1;\nimpl Box {}",
            "b.ts": "export default class Barn {}\nexport const LIMIT = 1",
            "c.go": "func (b *Barn) Feed() {}",
        }
        expected = [("a.rs", 1, "size"), ("b.ts", 1, "Barn"), ("b.ts", 2, "LIMIT"), ("c.go", 1, "Feed")]
        self.assertEqual(account.definitions(lines), expected)

    def test_a_scan_finds_whole_words_by_byte(self):
        alone, beside = account.scan(self.TEXTS, "feed")
        self.assertEqual(alone, {("a.py", 1, 5), ("a.py", 4, 1), ("b.py", 1, 6)})
        self.assertEqual(beside, {("a.py", 4, 10)})

    def answer(self, places):
        found = [dict(zip(["path", "line", "column", "kind"], place)) for place in places]
        kinds = {"use": "uses", "definition": "definitions", "text": "text"}
        counted = dict.fromkeys(account.PARTS, 0)
        for one in found:
            counted[kinds[one["kind"]]] += 1
        references = [one for one in found if one["kind"] == "use"]
        whole = counted | {"total": len(found), "places": found}
        return {"remaining": 0, "references": references, "accounting": whole}

    def test_an_account_without_a_place_differs(self):
        places = [("a.py", 1, 5, "definition"), ("a.py", 4, 1, "use"), ("b.py", 1, 6, "text")]
        self.assertEqual(list(account.differences(self.TEXTS, "feed", self.answer(places))), [])
        for wrong in (places[:2], [*places, ("b.py", 9, 1, "text")], [*places, places[0]]):
            self.assertTrue(list(account.differences(self.TEXTS, "feed", self.answer(wrong))))
        unlisted = self.answer(places) | {"references": []}
        self.assertTrue(list(account.differences(self.TEXTS, "feed", unlisted)))


class Proof(unittest.TestCase):
    def test_edited_files_move_the_truth(self):
        symbol = {
            "path": "a.py",
            "line": 3,
            "references": [["a.py", 5, 1], ["b.py", 7, 2]],
            "declarations": [["a.py", 3, 5]],
            "callers": [("a.py", 4, "run", "function", True, [5])],
        }
        moved = proof.shifted(symbol, {"a.py"})
        self.assertEqual(moved["references"], [["a.py", 6, 1], ["b.py", 7, 2]])
        self.assertEqual((moved["line"], moved["declarations"]), (4, [["a.py", 4, 5]]))
        self.assertEqual(moved["callers"], [("a.py", 5, "run", "function", True, [6])])
        self.assertEqual(proof.shifted(symbol, set()), symbol)

    def test_an_index_is_moved_to_another_folder(self):
        metadata = scip.encode(1, 0) + scip.encode(scip.PROJECT_ROOT, b"file:///old")
        with tempfile.TemporaryDirectory() as scratch:
            index = pathlib.Path(scratch) / "a.scip"
            index.write_bytes(scip.encode(scip.METADATA, metadata) + scip.encode(scip.DOCUMENTS, b"rest"))
            folder = pathlib.Path(scratch) / "copy"
            folder.mkdir()
            copy = proof.moved(index, pathlib.Path("/new"), folder)
            fields = dict(scip.fields(copy.read_bytes()))
        self.assertEqual(dict(scip.fields(fields[scip.METADATA]))[scip.PROJECT_ROOT], b"file:///new")
        self.assertEqual(fields[scip.DOCUMENTS], b"rest")

    def test_only_what_the_index_is_said_to_know_is_held_against_it(self):
        def reference(line, reason):
            return claudevil.Reference("a.py", line, "call", 0.95, "resolved", reason)

        symbol = {"path": "a.py", "line": 1, "name": "feed", "references": [["a.py", 5, 1]], "declarations": []}
        by_index = "resolved by scip-python"
        found = [reference(5, by_index), reference(6, "imported"), reference(7, by_index)]
        asked = score.Asked(symbol, claudevil.Answer(found), None)
        self.assertEqual(list(proof.wrong_by_index([asked], {"a.py"})), ["a.py:1 feed at a.py:7"])


if __name__ == "__main__":
    unittest.main()
