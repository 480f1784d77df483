//! A rename is right, or it is refused with the uncertain places, however a name is written there.

use std::fs;

use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::rename_case::RenameOutcome::{Done, DoneOrStopped, Refused, Stopped};
use super::rename_case::{Case, Files};
use super::rename_namesakes::NAMESAKES;
use super::{asking, home, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    let cases = CASES.iter().chain(NAMESAKES).map(|case| {
        proof(&format!("rename_{}", case.what), Needs::Nothing, || {
            checked(case)
        })
    });
    let others = [
        proof("rename_lists_words_and_leaves_them", Needs::Nothing, words),
        proof(
            "rename_changes_or_leaves_doubtful_places_as_it_is_told",
            Needs::Nothing,
            told,
        ),
        proof(
            "rename_takes_words_that_are_reserved_elsewhere",
            Needs::Nothing,
            contextual,
        ),
        proof(
            "rename_refuses_what_would_not_be_read_or_seen",
            Needs::Nothing,
            refused,
        ),
    ];
    cases.chain(others).collect()
}

const CASES: &[Case] = &[
    Case {
        what: "reaches_the_fields_that_implement_a_property_in_typescript",
        files: &[(
            "shape.ts",
            "export interface Shape { width: number; draw(): void }\n\
             export class Box implements Shape { width = 1; draw() { this.width = 2; } }\n\
             export class Line implements Shape { constructor(public width: number) {} draw() { return this.width; } }\n\
             export class Apart { width = 1 }\n\
             export function area(shape: Shape, box: Box) { return shape.width * box.width; }\n\
             export type Width = Shape[\"width\"];\n",
        )],
        symbol: "Shape.width",
        new_name: "breadth",
        expected: Done(&[(
            "shape.ts",
            "export interface Shape { breadth: number; draw(): void }\n\
             export class Box implements Shape { breadth = 1; draw() { this.breadth = 2; } }\n\
             export class Line implements Shape { constructor(public breadth: number) {} draw() { return this.breadth; } }\n\
             export class Apart { width = 1 }\n\
             export function area(shape: Shape, box: Box) { return shape.breadth * box.breadth; }\n\
             export type Width = Shape[\"breadth\"];\n",
        )]),
    },
    Case {
        what: "reaches_placeholders_and_patterns_in_rust",
        files: &[(
            "src/lib.rs",
            "pub const LIMIT: usize = 1;\n\
             pub fn run(x: Option<usize>) -> String {\n\
             \x20   match x { Some(LIMIT) => format!(\"{LIMIT} of {{LIMIT}}\"), _ => String::new() }\n\
             }\n",
        )],
        symbol: "LIMIT",
        new_name: "MOST",
        expected: Done(&[(
            "src/lib.rs",
            "pub const MOST: usize = 1;\n\
             pub fn run(x: Option<usize>) -> String {\n\
             \x20   match x { Some(MOST) => format!(\"{MOST} of {{LIMIT}}\"), _ => String::new() }\n\
             }\n",
        )]),
    },
    Case {
        what: "writes_out_fields_that_were_written_once_in_rust",
        files: &[(
            "src/lib.rs",
            "pub struct Cfg { pub width: u32, pub height: u32 }\n\
             impl Cfg {\n\
             \x20   pub fn new(width: u32, height: u32) -> Self { Cfg { width, height } }\n\
             \x20   pub fn of(width: u32) -> Self { Self { width, height: width } }\n\
             \x20   pub fn area(&self) -> u32 { let Cfg { width, height: h } = self; width * h }\n\
             \x20   pub fn wide(&self) -> bool { let Cfg { width: w, .. } = self; if *w > 1 { true } else { self.width > 2 } }\n\
             }\n\
             pub struct Other { pub width: u32 }\n\
             pub fn other(width: u32) -> Other { Other { width } }\n",
        )],
        symbol: "Cfg::width",
        new_name: "w2",
        expected: Done(&[(
            "src/lib.rs",
            "pub struct Cfg { pub w2: u32, pub height: u32 }\n\
             impl Cfg {\n\
             \x20   pub fn new(width: u32, height: u32) -> Self { Cfg { w2: width, height } }\n\
             \x20   pub fn of(width: u32) -> Self { Self { w2: width, height: width } }\n\
             \x20   pub fn area(&self) -> u32 { let Cfg { w2: width, height: h } = self; width * h }\n\
             \x20   pub fn wide(&self) -> bool { let Cfg { w2: w, .. } = self; if *w > 1 { true } else { self.w2 > 2 } }\n\
             }\n\
             pub struct Other { pub width: u32 }\n\
             pub fn other(width: u32) -> Other { Other { width } }\n",
        )]),
    },
    Case {
        what: "keeps_the_field_when_only_its_value_is_called_otherwise",
        files: &[(
            "src/lib.rs",
            "pub struct Table { pub helper: fn() -> u32 }\npub fn helper() -> u32 { 1 }\n\
             pub fn table() -> Table { Table { helper } }\n",
        )],
        symbol: "lib.helper",
        new_name: "assist",
        expected: Done(&[(
            "src/lib.rs",
            "pub struct Table { pub helper: fn() -> u32 }\npub fn assist() -> u32 { 1 }\n\
             pub fn table() -> Table { Table { helper: assist } }\n",
        )]),
    },
    Case {
        what: "does_not_pass_over_what_is_handed_to_a_macro",
        files: &[(
            "src/lib.rs",
            "pub struct Cfg { pub width: u32 }\npub fn show(c: &Cfg) {\n    println!(\"{}\", c.width);\n}\n",
        )],
        symbol: "Cfg::width",
        new_name: "w",
        expected: DoneOrStopped(
            &[(
                "src/lib.rs",
                "pub struct Cfg { pub w: u32 }\npub fn show(c: &Cfg) {\n    println!(\"{}\", c.w);\n}\n",
            )],
            &["src/lib.rs:3"],
        ),
    },
    Case {
        what: "moves_the_file_of_a_module_in_rust",
        files: &[
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\nversion = \"0.1.0\"\n",
            ),
            (
                "src/lib.rs",
                "pub mod shapes;\nmod other;\nuse shapes::Point;\npub fn at() -> Point { shapes::make() }\n",
            ),
            (
                "src/other.rs",
                "use crate::shapes::make;\npub fn other() { make(); }\n",
            ),
            (
                "src/shapes.rs",
                "pub struct Point;\npub fn make() -> Point { Point }\n",
            ),
        ],
        symbol: "shapes",
        new_name: "figures",
        expected: Done(&[
            (
                "src/lib.rs",
                "pub mod figures;\nmod other;\nuse figures::Point;\npub fn at() -> Point { figures::make() }\n",
            ),
            (
                "src/other.rs",
                "use crate::figures::make;\npub fn other() { make(); }\n",
            ),
            ("src/shapes.rs", ""),
            (
                "src/figures.rs",
                "pub struct Point;\npub fn make() -> Point { Point }\n",
            ),
        ]),
    },
    Case {
        what: "moves_the_file_of_a_public_class",
        files: &[
            (
                "src/com/acme/Account.java",
                "package com.acme;\n\npublic class Account {\n    public Account() {}\n    static Account of() { return new Account(); }\n}\n",
            ),
            (
                "src/com/acme/Bank.java",
                "package com.acme;\n\npublic class Bank {\n    Account open() { return Account.of(); }\n}\n",
            ),
        ],
        symbol: "Account",
        new_name: "Ledger",
        expected: Done(&[
            ("src/com/acme/Account.java", ""),
            (
                "src/com/acme/Ledger.java",
                "package com.acme;\n\npublic class Ledger {\n    public Ledger() {}\n    static Ledger of() { return new Ledger(); }\n}\n",
            ),
            (
                "src/com/acme/Bank.java",
                "package com.acme;\n\npublic class Bank {\n    Ledger open() { return Ledger.of(); }\n}\n",
            ),
        ]),
    },
    Case {
        what: "writes_out_properties_where_their_type_is_said",
        files: &[(
            "a.ts",
            "export interface Opts { size: number }\n\
             export function mk(size: number): Opts { return { size }; }\n\
             export const read = ({ size }: Opts) => size;\n\
             export function twice(size: number) { const o: Opts = { size }; return o.size; }\n",
        )],
        symbol: "Opts.size",
        new_name: "width",
        expected: Done(&[(
            "a.ts",
            "export interface Opts { width: number }\n\
             export function mk(size: number): Opts { return { width: size }; }\n\
             export const read = ({ width: size }: Opts) => size;\n\
             export function twice(size: number) { const o: Opts = { width: size }; return o.width; }\n",
        )]),
    },
    Case {
        what: "asks_about_properties_of_which_nobody_says_the_type",
        files: &[
            ("a.ts", "export interface Opts { size: number }\n"),
            (
                "b.ts",
                "import { Opts } from './a';\nexport function f(o: Opts, g: any) {\n    const { size } = g();\n    return size;\n}\n",
            ),
        ],
        symbol: "Opts.size",
        new_name: "width",
        expected: Stopped(&["b.ts:3"]),
    },
    Case {
        what: "leaves_keys_that_are_called_like_a_variable",
        files: &[(
            "a.js",
            "const size = 3;\nfunction f(o) { return o; }\nf({ size: 4, other: size });\nf({ size });\n",
        )],
        symbol: "a.size",
        new_name: "width",
        expected: Done(&[(
            "a.js",
            "const width = 3;\nfunction f(o) { return o; }\nf({ size: 4, other: width });\nf({ size: width });\n",
        )]),
    },
    Case {
        what: "changes_what_a_module_gives_away_together_with_who_takes_it",
        files: &[
            (
                "a.js",
                "function helper(x) { return x; }\nmodule.exports = { helper };\n",
            ),
            (
                "b.js",
                "const { helper } = require('./a');\nconst a = require('./a');\nconsole.log(helper(3), a.helper(4));\n",
            ),
        ],
        symbol: "a.helper",
        new_name: "assist",
        expected: Done(&[
            (
                "a.js",
                "function assist(x) { return x; }\nmodule.exports = { assist };\n",
            ),
            (
                "b.js",
                "const { assist } = require('./a');\nconst a = require('./a');\nconsole.log(assist(3), a.assist(4));\n",
            ),
        ]),
    },
    Case {
        what: "changes_a_property_and_its_setter",
        files: &[(
            "m.py",
            "class Conf:\n    @property\n    def area(self):\n        return 1\n\n    @area.setter\n    def area(self, v):\n        pass\n\n\nc = \
             Conf()\nc.area = 4\nprint(c.area)\n",
        )],
        symbol: "m.py:3",
        new_name: "extent",
        expected: Done(&[(
            "m.py",
            "class Conf:\n    @property\n    def extent(self):\n        return 1\n\n    @extent.setter\n    def extent(self, v):\n        pass\n\n\nc = \
             Conf()\nc.extent = 4\nprint(c.extent)\n",
        )]),
    },
    Case {
        what: "changes_what_an_accessor_keeps_its_value_in",
        files: &[(
            "a.rb",
            "class Cart\n  attr_accessor :total\n\n  def initialize\n    @total = 0\n  end\n\n  def bump\n    @total += 1\n    self.total += 2\n  end\nend\n",
        )],
        symbol: "Cart::total",
        new_name: "sum",
        expected: Done(&[(
            "a.rb",
            "class Cart\n  attr_accessor :sum\n\n  def initialize\n    @sum = 0\n  end\n\n  def bump\n    @sum += 1\n    self.sum += 2\n  end\nend\n",
        )]),
    },
    Case {
        what: "does_not_pass_over_the_body_of_a_define",
        files: &[
            (
                "t.h",
                "#define SCALE(p) helper((p)->x)\nint helper(int v);\n",
            ),
            (
                "t.c",
                "#include \"t.h\"\nint helper(int v) { return v; }\nint run(void) { return helper(1); }\n",
            ),
        ],
        symbol: "helper",
        new_name: "assist",
        expected: DoneOrStopped(
            &[
                (
                    "t.h",
                    "#define SCALE(p) assist((p)->x)\nint assist(int v);\n",
                ),
                (
                    "t.c",
                    "#include \"t.h\"\nint assist(int v) { return v; }\nint run(void) { return assist(1); }\n",
                ),
            ],
            &["t.h:1"],
        ),
    },
    Case {
        what: "does_not_pass_over_fields_of_an_embedded_type",
        files: &[
            ("go.mod", "module example.com/g\n\ngo 1.22\n"),
            (
                "pkg/p.go",
                "package pkg\n\ntype Base struct{ ID int }\n\ntype Derived struct {\n\tBase\n\tExtra int\n}\n",
            ),
            (
                "app/m.go",
                "package main\n\nimport p \"example.com/g/pkg\"\n\nfunc main() {\n\td := p.Derived{Base: p.Base{ID: 1}}\n\t_ = d.Base.ID\n}\n",
            ),
        ],
        symbol: "Base",
        new_name: "Core",
        expected: DoneOrStopped(
            &[
                (
                    "pkg/p.go",
                    "package pkg\n\ntype Core struct{ ID int }\n\ntype Derived struct {\n\tCore\n\tExtra int\n}\n",
                ),
                (
                    "app/m.go",
                    "package main\n\nimport p \"example.com/g/pkg\"\n\nfunc main() {\n\td := p.Derived{Core: p.Core{ID: 1}}\n\t_ = d.Core.ID\n}\n",
                ),
            ],
            &["app/m.go:6", "app/m.go:7"],
        ),
    },
    Case {
        what: "does_not_pass_over_calls_of_which_only_the_name_is_known",
        files: &[
            (
                "one.py",
                "class Cow:\n    def graze(self):\n        return 1\n",
            ),
            (
                "herd.py",
                "def graze_all(herd):\n    for beast in herd:\n        beast.graze()\n",
            ),
        ],
        symbol: "Cow.graze",
        new_name: "nibble",
        expected: Stopped(&["herd.py:3"]),
    },
    Case {
        what: "takes_a_chain_over_several_lines_for_no_function_of_the_name",
        files: &[(
            "src/lib.rs",
            "pub fn name() -> u32 { 1 }\npub fn run(b: other::Builder) -> u32 {\n    b.first()\n        .name()\n        .last() + name()\n}\n",
        )],
        symbol: "lib.name",
        new_name: "label",
        expected: DoneOrStopped(
            &[(
                "src/lib.rs",
                "pub fn label() -> u32 { 1 }\npub fn run(b: other::Builder) -> u32 {\n    b.first()\n        .name()\n        .last() + label()\n}\n",
            )],
            &["src/lib.rs:4"],
        ),
    },
    Case {
        what: "refuses_a_method_that_implements_something_foreign",
        files: &[(
            "src/lib.rs",
            "use std::fmt;\npub struct A;\nimpl fmt::Display for A {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(\"a\") }\n}\n",
        )],
        symbol: "A::fmt",
        new_name: "show",
        expected: Refused("src/lib.rs:4"),
    },
    Case {
        what: "refuses_to_hide_a_function_from_another_package",
        files: &[
            ("go.mod", "module example.com/g\n\ngo 1.22\n"),
            (
                "pkg/p.go",
                "package pkg\n\nfunc Helper() int { return 1 }\n",
            ),
            (
                "app/m.go",
                "package main\n\nimport \"example.com/g/pkg\"\n\nfunc main() { pkg.Helper() }\n",
            ),
        ],
        symbol: "Helper",
        new_name: "helper",
        expected: Refused("app/m.go:5"),
    },
    Case {
        what: "refuses_a_name_that_the_file_uses_for_something_else",
        files: &[(
            "a.py",
            "def helper(x):\n    return x\n\n\ndef show(x):\n    print(x)\n    return helper(x)\n",
        )],
        symbol: "helper",
        new_name: "print",
        expected: Refused("a.py:6"),
    },
];

async fn rename(questions: &mut Questions, asked: Value) -> Result<Value, String> {
    let mut asked = asked;
    asked["max_tokens"] = json!(10000);
    // A location means a symbol too.
    if let Some((path, line)) = asked["symbol"]
        .as_str()
        .and_then(|symbol| symbol.split_once(".py:"))
    {
        let (path, line) = (format!("{path}.py"), line.parse::<u32>().expect("a line"));
        (asked["path"], asked["line"]) = (json!(path), json!(line));
        asked.as_object_mut().expect("an object").remove("symbol");
    }
    questions.ask("rename_symbol", asked).await
}

fn texts(root: &std::path::Path, files: Files) -> Vec<(String, String)> {
    files
        .iter()
        .map(|(path, _)| {
            (
                (*path).to_owned(),
                fs::read_to_string(root.join(path)).unwrap_or_default(),
            )
        })
        .collect()
}

fn owned(files: Files) -> Vec<(String, String)> {
    files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

async fn checked(case: &'static Case) {
    let home = home();
    let root = repository(&home, "project", case.files);
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "symbol": case.symbol, "new_name": case.new_name });
    let shown = rename(&mut questions, asked.clone()).await;
    assert_eq!(
        texts(&root, case.files),
        owned(case.files),
        "only looking changes nothing"
    );
    let mut apply = asked;
    apply["dry_run"] = json!(false);
    let done = rename(&mut questions, apply).await;
    let is_stopped = |places: &[&str]| {
        let error = done
            .as_ref()
            .err()
            .filter(|error| error.starts_with("ambiguous_symbol: "));
        let is_told = error.is_some_and(|error| places.iter().all(|place| error.contains(place)));
        let doubtful = |place: &Value| place["is_doubtful"] == true;
        let listed = shown.as_ref().is_ok_and(|shown| {
            shown["left_out"]
                .as_array()
                .is_some_and(|all| all.iter().any(doubtful))
        });
        is_told && listed && texts(&root, case.files) == owned(case.files)
    };
    let is_done = |files: Files| done.is_ok() && texts(&root, files) == owned(files);
    let found = texts(&root, case.files);
    match &case.expected {
        Done(files) => {
            assert!(done.is_ok(), "{done:?}\n{shown:?}");
            assert_eq!(texts(&root, files), owned(files), "{shown:?}");
        }
        Stopped(places) => assert!(is_stopped(places), "{done:?}\n{shown:?}"),
        DoneOrStopped(files, places) => assert!(
            is_done(files) || is_stopped(places),
            "{done:?}\n{shown:?}\n{found:?}"
        ),
        Refused(place) => {
            for answer in [&shown, &done] {
                let error = answer.as_ref().expect_err("refused");
                assert!(
                    error.starts_with("invalid_argument: ") && error.contains(place),
                    "{error}"
                );
            }
            assert_eq!(found, owned(case.files));
        }
    }
}

async fn words() {
    let home = home();
    let files = [
        (
            "field.py",
            "def meadow():\n    \"\"\"The meadow itself.\"\"\"\n    return 1\n\n\n# a meadow\nprint(meadow(), 'meadow')\n",
        ),
        ("README.md", "# Fields\n\nThe `meadow` grows.\n"),
        ("other.js", "function meadow() { return 1; }\n"),
    ];
    let root = repository(&home, "fields", &files);
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "path": "field.py", "line": 1, "new_name": "pasture", "dry_run": false });
    let done = rename(&mut questions, asked)
        .await
        .expect("words stop nothing");
    let left: Vec<(String, u64, String)> = done["left_out"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|place| {
            assert_eq!(place["is_doubtful"], false, "{place}");
            let word = |name: &str| place[name].as_str().expect("a word").to_owned();
            (
                word("path"),
                place["line"].as_u64().expect("a line"),
                word("reason"),
            )
        })
        .collect();
    for (path, line, reason) in [
        ("field.py", 2, "a word in a string"),
        ("field.py", 6, "a word in a comment"),
        ("field.py", 7, "a word in a string"),
        ("README.md", 3, "text match only"),
        ("other.js", 1, "text match in another language"),
    ] {
        assert!(
            left.contains(&(path.to_owned(), line, reason.to_owned())),
            "{path}:{line} {reason}: {left:?}"
        );
    }
    assert_eq!(
        (&done["total_doubtful"], &done["total_left_out"]),
        (&json!(0), &json!(5)),
        "{done}"
    );
}

fn herd(home: &Home) -> std::path::PathBuf {
    let files = [
        (
            "one.py",
            "class Cow:\n    def graze(self):\n        return 1\n",
        ),
        (
            "herd.py",
            "def graze_all(herd):\n    for beast in herd:\n        beast.graze()\n",
        ),
    ];
    repository(home, "fields", &files)
}

async fn told() {
    for (said, after) in [(true, "beast.nibble()"), (false, "beast.graze()")] {
        let home = home();
        let root = herd(&home);
        let mut questions = asking(&home, &root).await;
        let asked = json!({
            "symbol": "Cow.graze", "new_name": "nibble", "dry_run": false, "include_low_confidence": said
        });
        let done = rename(&mut questions, asked)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(done["total_doubtful"], json!(u8::from(!said)), "{done}");
        assert!(
            fs::read_to_string(root.join("one.py"))
                .expect("there")
                .contains("def nibble")
        );
        assert!(
            fs::read_to_string(root.join("herd.py"))
                .expect("there")
                .contains(after),
            "{said}"
        );
    }
}

const SMALL: Files = &[
    ("a.rs", "pub fn helper(x: u32) -> u32 { x + 1 }\n"),
    ("b.py", "def helper(x):\n    return x + 1\n"),
    (
        "c.ts",
        "export function helper(x: number): number { return x + 1; }\n",
    ),
    ("d.js", "function helper(x) { return x + 1; }\n"),
    ("e.sh", "#!/bin/bash\nhelper() { echo hi; }\nhelper\n"),
    (
        "f.hs",
        "module F where\nhelper :: Int -> Int\nhelper x = x + 1\n",
    ),
    (
        "g.rb",
        "class Cart\n  def helper\n    true\n  end\n\n  def check\n    helper\n  end\nend\n",
    ),
    (
        "h.go",
        "package h\n\nfunc Helper(x int) int { return x + 1 }\n",
    ),
    (
        "i.java",
        "package p;\nclass I { int helper() { return 1; } int use() { return helper(); } }\n",
    ),
    ("j.ml", "let helper x = x + 1\nlet use y = helper y\n"),
];

/// Go exports what begins with a capital.
fn helper_in(path: &str) -> &'static str {
    if path == "h.go" { "Helper" } else { "helper" }
}

async fn contextual() {
    let home = home();
    let root = repository(&home, "small", SMALL);
    let mut questions = asking(&home, &root).await;
    let mut wrong = vec![];
    for (path, line, names) in [
        ("a.rs", 1, "path item block literal expr union default"),
        ("b.py", 1, "match type print"),
        ("c.ts", 1, "get set of from type async"),
        ("d.js", 1, "$h get of"),
        ("e.sh", 2, "run-thing"),
        ("f.hs", 3, "go'"),
        ("g.rb", 2, "empty? save!"),
        ("h.go", 3, "Any helper"),
        ("i.java", 2, "record open with to module"),
    ] {
        for name in names.split(' ') {
            let asked =
                json!({ "symbol": helper_in(path), "path": path, "line": line, "new_name": name });
            if let Err(error) = rename(&mut questions, asked).await {
                wrong.push(format!("{path} {name}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn refused() {
    let home = home();
    let root = repository(&home, "small", SMALL);
    let mut questions = asking(&home, &root).await;
    let mut wrong = vec![];
    for (path, line, names) in [
        ("a.rs", 1, "fn self Self crate match 1a a-b _"),
        ("b.py", 1, "class None lambda a-b go'"),
        ("c.ts", 1, "class new typeof a-b"),
        ("d.js", 1, "function let null"),
        ("e.sh", 2, "done case"),
        ("f.hs", 3, "where let Go"),
        ("g.rb", 2, "end Empty a-b"),
        ("h.go", 3, "nil func true iota"),
        ("i.java", 2, "class int null"),
        ("j.ml", 1, "let rec Helper"),
    ] {
        for name in names.split(' ') {
            let asked =
                json!({ "symbol": helper_in(path), "path": path, "line": line, "new_name": name });
            match rename(&mut questions, asked).await {
                Err(error) if error.starts_with("invalid_argument: ") => {}
                other => wrong.push(format!("{path} {name}: {other:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
