//! Names that are written in different ways and refer to the same symbol.

use super::{Files, each_use, lines_meant, meant};
use crate::graph::{Graph, Outcome, Resolution};

#[test]
fn groups_of_imports_need_no_path() {
    let lib = "
mod lang;
pub struct Fault;
pub struct Hit;
";
    // In two pieces, so that the check of our own imports does not read it as one.
    let inner = concat!(
        "use crate",
        "::{lang, {«Fault», Hit as Match, {Hit}}};\nfn run() -> Result<«Match», «Fault»> { Ok(«Hit») }\n"
    );
    let manifest = "[package]\nname = \"one\"\n";
    assert_eq!(
        meant(
            "rust",
            &[
                ("Cargo.toml", manifest),
                ("src/lang.rs", inner),
                ("src/lib.rs", lib)
            ]
        ),
        [
            "src/lib.rs:Fault",
            "src/lib.rs:Hit",
            "src/lib.rs:Fault",
            "src/lib.rs:Hit"
        ]
    );
}

#[test]
fn a_name_from_the_top_of_all_namespaces() {
    let handler = "<?php
namespace Log\\Handler;
class Udp { public function send() {} public static function open() {} const PORT = 1; }
class Failure extends \\Exception { public function again() {} }
";
    let top = "<?php
class Plain { public function go() {} }
";
    let used = "<?php
namespace App\\Handler;
class Udp {}
class Base extends \\Log\\Handler\\«Failure» {}
class Sender {
    private \\Log\\Handler\\«Udp» $own;
    public function run(\\Log\\Handler\\«Udp» $one, ?\\«Plain» $plain): \\Log\\Handler\\«Udp» {
        $made = new \\Log\\Handler\\«Udp»();
        $made->«send»();
        $one->«send»();
        $plain->«go»();
        $this->own->«send»();
        (new \\«Plain»())->«go»();
        \\Log\\Handler\\«Udp»::«open»();
        $port = \\Log\\Handler\\«Udp»::«PORT»;
        if ($port instanceof \\Log\\Handler\\«Udp») { return $port; }
        try { } catch (\\Log\\Handler\\«Failure» | \\RuntimeException $e) { $e->«again»(); }
        return new «Udp»();
    }
}
";
    let udp = "a.php:Udp";
    let failure = "a.php:Failure";
    assert_eq!(
        meant(
            "php",
            &[("a.php", handler), ("b.php", top), ("c.php", used)]
        ),
        [
            failure,
            udp,
            udp,
            "b.php:Plain",
            udp,
            udp,
            "a.php:Udp::send",
            "a.php:Udp::send",
            "b.php:Plain::go",
            "a.php:Udp::send",
            "b.php:Plain",
            "b.php:Plain::go",
            udp,
            "a.php:Udp::open",
            udp,
            "a.php:Udp::PORT",
            udp,
            failure,
            "a.php:Failure::again",
            "Udp",
        ]
    );
}

#[test]
fn a_property_is_what_it_is_said_or_given_to_be() {
    let jar = "<?php
namespace Web;
class Jar { public function find() {} public function jarOnly() {} }
class Box { public function find() {} }
";
    let used = "<?php
namespace Web;
class Client {
    /** @var Jar */
    private $jar;
    /** The one that is used. @var \\Web\\Box|null */
    protected static $box;
    public $made;
    private $given;
    var $unknown;
    private readonly Jar $typed;
    private $list = [];
    /**
     * @var array<string, Box> By their names.
     */
    private $boxes = [];
    public function __construct(private Jar $promoted, protected readonly ?Box $other, Box $given) {
        $this->made = new Jar();
        $this->given = $given;
    }
    public function run() {
        $this->jar->«find»();
        self::$box->«find»();
        $this->made->«find»();
        $this->unknown->«jarOnly»();
        $this->typed->«find»();
        $this->promoted->«find»();
        $this->other->«find»();
        $this->given->«find»();
        $this->boxes['a']->«find»();
    }
}
";
    assert_eq!(
        meant("php", &[("a.php", jar), ("b.php", used)]),
        [
            "a.php:Jar::find",
            "a.php:Box::find",
            "a.php:Jar::find",
            "?a.php:Jar::jarOnly",
            "a.php:Jar::find",
            "a.php:Jar::find",
            "a.php:Box::find",
            "a.php:Box::find",
            "a.php:Box::find",
        ]
    );
}

#[test]
fn interpolated_names_are_uses() {
    for (language, text, expected) in [
        (
            "kotlin",
            "val part = 1\nclass Box(val size: Int) { fun of(): Int = size }\nfun run(box: Box) {\n    println(\"a $«part» b ${«part» + 1}\")\n    println(\"${box.«size»} ${box.«of»()}\")\n    println(\"\"\"$«part» ${box.«size»}\"\"\")\n}\n",
            vec!["part", "part", "Box.size", "Box.of", "part", "Box.size"],
        ),
        (
            "swift",
            "let part = 1\nclass Box { var size = 1\n func of() -> Int { return size } }\nfunc run(box: Box) {\n    print(\"a \\(«part») \\(box.«size») \\(box.«of»())\")\n    print(\"\"\"\n    \\(«part») \\(box.«size»)\n    \"\"\")\n    print(#\"\\#(«part»)\"#)\n}\n",
            vec!["part", "Box.size", "Box.of", "part", "Box.size", "part"],
        ),
        (
            "csharp",
            "class Box {\n    const int Binding = 1;\n    public int Size;\n    public int Of() { return 1; }\n    string Run(Box box) {\n        var a = $\"a {«Binding»} {box.«Size»:D2} {box.«Of»(),5}\";\n        var b = $@\"{«Binding»} {box.«Size»}\";\n        return $\"\"\"{box.«Of»()}\"\"\" + a + b;\n    }\n}\n",
            vec![
                "Box.Binding",
                "Box.Size",
                "Box.Of",
                "Box.Binding",
                "Box.Size",
                "Box.Of",
            ],
        ),
        (
            "python",
            "PART = 1\nclass Box:\n    size: int = 1\n    def of(self): ...\n\ndef run(box: Box):\n    print(f\"a {«PART»} {box.«size»:>{«PART»}} {box.«of»()!r}\")\n    print(rf'''{«PART»=} {box.«size»}''')\n",
            vec!["PART", "Box.size", "PART", "Box.of", "PART", "Box.size"],
        ),
        (
            "javascript",
            "const part = 1;\nclass Box { size = 1; of() {} }\nfunction run() {\n    const box = new Box();\n    return `a ${«part»} ${box.«size»} ${box.«of»()} ${`${«part»}`}` + String.raw`${«part»}`;\n}\n",
            vec!["part", "Box.size", "Box.of", "part", "part"],
        ),
        (
            "typescript",
            "const part = 1;\nclass Box { size = 1; of() {} }\ntype Name = `${«Box»[\"size\"]}`;\nfunction run(box: Box) {\n    return `a ${«part»} ${box.«size»} ${box.«of»()} ${`${«part»}`}`;\n}\n",
            vec!["Box", "part", "Box.size", "Box.of", "part"],
        ),
        (
            "ruby",
            "PART = 1\nclass Box\n  attr_reader :size\n  def of; end\n  def run\n    box = Box.new\n    puts \"a #{«PART»} #{box.«of»} #{«of»}\"\n    puts `#{«PART»}`, /#{«PART»}/, :\"#{«PART»}\", %W[#{«PART»}]\n    puts <<~TEXT\n      #{«PART»} #{box.«of»}\n    TEXT\n  end\nend\n",
            vec![
                "PART", "Box::of", "Box::of", "PART", "PART", "PART", "PART", "PART", "Box::of",
            ],
        ),
        (
            "php",
            "<?php\nclass Box { public $size; public function of() {}\n  public function run(Box $box) {\n    $a = \"a {$this->«size»} {$box->«of»()} $box->«size» ${box}\";\n    return <<<TEXT\n    {$box->«of»()} $box->«size»\n    TEXT;\n  }\n}\n",
            vec!["Box::size", "Box::of", "Box::size", "Box::of", "Box::size"],
        ),
        (
            "scala",
            "object Main {\n  val part = 1\n  class Box(val size: Int) { def of: Int = size }\n  def run(box: Box): Unit = {\n    println(s\"a $«part» ${«part» + 1} ${box.«size»} ${box.«of»}\")\n    println(f\"\"\"$«part»%d ${box.«size»}%d\"\"\")\n  }\n}\n",
            vec![
                "Main.part",
                "Main.part",
                "Main.Box.size",
                "Main.Box.of",
                "Main.part",
                "Main.Box.size",
            ],
        ),
        (
            "dart",
            "const part = 1;\nclass Box { int size = 1; int of() => 1; }\nvoid run(Box box) {\n  print('a $«part» ${«part» + 1} ${box.«size»} ${box.«of»()}');\n  print(\"\"\"$«part» ${box.«size»}\"\"\");\n}\n",
            vec!["part", "part", "Box.size", "Box.of", "part", "Box.size"],
        ),
        (
            "elixir",
            "defmodule Box do\n  def of(), do: 1\n  def run() do\n    \"a #{«of»()} #{Box.«of»()}\" <> ~s(#{«of»()}) <> \"\"\"\n    #{«of»()}\n    \"\"\"\n  end\nend\n",
            vec!["Box.of", "Box.of", "Box.of", "Box.of"],
        ),
        (
            "bash",
            "part=1\nof() { echo; }\nrun() {\n  echo \"a $«part» ${«part»} $(«of»)\"\n  cat <<TEXT\n$«part» $(«of»)\nTEXT\n}\n",
            vec!["part", "part", "of", "part", "of"],
        ),
    ] {
        assert_eq!(meant(language, &[("a", text)]), expected, "{language}");
    }
}

#[test]
fn values_of_unknown_type_may_be_types_of_the_root() {
    let jar = "<?php
namespace Cookie;
interface Jar { public function extract($a); }
class Memory implements Jar { public function extract($a) {} public function count() {} }
class Other { public function count() {} } class More { public function count() {} }
class Even { public function count() {} } class Last { public function count() {} }
";
    let used = "<?php
namespace App;
function run(array $options, \\DateTime $when) {
    $jar = $options['cookies'];
    $jar->«extract»(1);
    unserialize('x')->«extract»(2);
    unserialize('x')->«count»();
    $when->«extract»(3);
}
";
    let jars = "?a.php:Jar::extract|a.php:Memory::extract";
    assert_eq!(
        meant("php", &[("a.php", jar), ("b.php", used)]),
        [jars, jars, "foreign", "foreign"]
    );
    let python = "
import os, pickle
class Session:
    def send(self): pass
class Redirects:
    def follow(self):
        self.«dispatch»()
class Full(Redirects):
    def dispatch(self): pass
def run(path):
    pickle.loads(path).«send»()
    os.path.«send»()
";
    assert_eq!(
        meant("python", &[("a.py", python)]),
        ["Full.dispatch", "?Session.send", "foreign"]
    );
}

#[test]
fn a_call_means_the_one_that_takes_its_arguments() {
    let java = "
class Validate {
    static void isTrue(boolean a) {}
    static void isTrue(boolean a, Object... more) {}
    static void isTrue(boolean a, String text, long value) {}
    void run(int a, int b) {
        «isTrue»(a < b);
        «isTrue»(a <= b, \"x, y\");
        «isTrue»(a <= b, \"x\", 2L);
        «isTrue»(a <= b, 1, 2, 3, 4);
    }
}
";
    assert_eq!(lines_meant("java", java), [[3], [4], [5], [4]]);
    // The number of arguments makes a match by name alone no more certain.
    let kotlin = "
class Source {
    fun remove(at: Int) {}
    fun remove(all: Int, too: Int) {}
}
fun run() { other { it.«remove»(1) } }
";
    assert_eq!(meant("kotlin", &[("a.kt", kotlin)]), ["?Source.remove"]);
}

#[test]
fn modules_that_are_called_like_folders_of_tests() {
    let lib = "pub mod routing;\npub struct Body;\n";
    let own = concat!("use crate", "::«Body»;\nfn one() -> «Body» { Body }\n");
    let apart = concat!("use crate", "::«Body»;\n");
    let manifest = "[package]\nname = \"one\"\n";
    let files = [
        ("Cargo.toml", manifest),
        ("src/lib.rs", lib),
        ("src/routing/mod.rs", "mod tests;\n"),
        ("src/routing/tests/mod.rs", own),
        ("tests/all.rs", apart),
    ];
    assert_eq!(
        meant("rust", &files),
        ["src/lib.rs:Body", "src/lib.rs:Body", "?src/lib.rs:Body"]
    );
}

#[test]
fn types_that_a_call_is_applied_to_hide_nothing() {
    let text = "
interface Request { json(): any; }
class Context { req: Request; json() {} text() {} }
const one = async (c: Context) => {
  const body = await c.req.«json»<{ name: string }>();
  c.«text»<string>('x');
  return c.text((await c.req.«json»<{ name: string }>())['name']);
};
";
    assert_eq!(
        meant("typescript", &[("a.ts", text)]),
        ["Request.json", "Context.text", "Request.json"]
    );
    let text = "
struct One;
impl One { fn run(&self) {} fn pick<T>(&self) -> One { One } }
struct Two;
impl Two { fn run(&self) {} }
fn f(one: &One) { one.pick::<Vec<Two>>().«run»(); }
";
    assert_eq!(meant("rust", &[("a.rs", text)]), ["One::run"]);
}

#[test]
fn a_derived_trait_does_not_resolve_to_a_struct() {
    let text = "
pub struct Debug;
pub trait Shown {}
#[derive(«Debug», Clone, «Shown»)]
struct Flag { own: «Debug» }
";
    assert_eq!(
        meant("rust", &[("src/lib.rs", text)]),
        ["foreign", "Shown", "Debug"]
    );
}

#[test]
fn namespaces_that_a_whole_project_imports() {
    let base = "namespace Clean.Common;\npublic class Entity { public void Save() {} }\n";
    let all = "global using Clean.Common;\nglobal using System;\n";
    let used = "namespace Clean.Entities;\npublic class Item : «Entity» { void Run(«Entity» one) { one.«Save»(); } }\n";
    let files = [
        ("Domain/Common/Entity.cs", base),
        ("Domain/Entities/Item.cs", used),
        ("Domain/GlobalUsings.cs", all),
        ("Other/Item.cs", used),
    ];
    let [entity, save] = [
        "Domain/Common/Entity.cs:Entity",
        "Domain/Common/Entity.cs:Entity.Save",
    ];
    assert_eq!(
        meant("csharp", &files),
        [entity, entity, save, "unknown", "unknown", "foreign"]
    );
}

#[test]
fn functions_that_are_written_as_members_of_others() {
    let written =
        "package sync\nfun Context.info(): Int = 1\ninternal fun Helper.log(id: String) {}\n";
    let helper =
        "package help\ninterface Helper { fun plain() }\nval local = outside<Helper> { }\n";
    let used = "package work
import android.Context
import help.local
import sync.«info»
import sync.log
class Worker(val context: Context) {
    fun run() { context.«info»(); local.current.«log»(\"x\") }
}
";
    assert_eq!(
        meant(
            "kotlin",
            &[("a.kt", written), ("b.kt", helper), ("c.kt", used)]
        ),
        ["a.kt:Context.info", "a.kt:Context.info", "a.kt:Helper.log"]
    );
}

#[test]
fn a_file_of_others_is_no_class_of_its_name() {
    let files = Files::new(
        "cpp",
        &[
            ("a.cc", "#include <string>\n#include \"own.h\"\n"),
            ("own.h", "class string {};\n"),
            ("z.cc", "class string {};\n"),
        ],
    );
    let graph = Graph::new(&files.snapshot, &files);
    let imports = &files.snapshot.files[0].outline.imports;
    let found: Vec<Vec<u32>> = imports
        .iter()
        .map(|import| graph.dependencies().files_imported_by(0, import))
        .collect();
    assert_eq!(found, [vec![], vec![1]]);
}

#[test]
fn a_module_imports_what_the_module_around_it_imports() {
    let files = [
        (
            "src/context.rs",
            "pub struct Context;\nimpl Context { pub fn new() -> Self { Self } }\n",
        ),
        ("src/main.rs", "mod context;\nmod modules;\n"),
        (
            "src/modules/mod.rs",
            "mod zig;\nuse super::context::Context;\n",
        ),
        (
            "src/modules/zig.rs",
            "use super::Context;\nfn run() { «Context»::«new»(); }\n",
        ),
    ];
    let expected = ["src/context.rs:Context", "src/context.rs:Context::new"];
    assert_eq!(meant("rust", &files), expected);
}

#[test]
fn a_constant_in_a_pattern_is_no_variable() {
    let text = "
const A_FILE: &str = \"a\";
fn run(x: Option<&str>, y: Option<&str>) {
    match x { Some(«A_FILE») => 1, _ => 2 };
    if let Some(«A_FILE») = y {}
}
";
    assert_eq!(meant("rust", &[("a.rs", text)]), ["A_FILE", "A_FILE"]);
}

#[test]
fn the_placeholders_of_a_format_string_are_uses() {
    let text = r#"
const LIMIT: usize = 1;
fn run(width: usize) {
    println!("{«LIMIT»} {{LIMIT}} {:>«width»$} {0} {}", 1);
    log(format!("{«LIMIT»:?}"), vec!["{LIMIT}"]);
    assert!(true, "{}", format!("{«LIMIT»:02}"));
}
"#;
    let expected = ["LIMIT", "local", "LIMIT", "LIMIT"];
    assert_eq!(meant("rust", &[("a.rs", text)]), expected);
}

#[test]
fn imports_by_the_name_of_a_manifest_lead_to_its_files() {
    let import = "package bench\n\nimport \"example.com/shop/raft\"\n\nfunc run() { raft.New() }\n";
    let files = [
        ("api.go", "package raft\n\nfunc New() {}\n"),
        ("bench/bench.go", import),
        ("go.mod", "module example.com/shop/raft\n"),
    ];
    assert_eq!(dependents_of("api.go", "go", &files), ["bench/bench.go"]);
    let files = [
        ("app/src/main.rs", "use shop_core::Store;\n"),
        ("core/Cargo.toml", "[package]\nname = \"shop-core\"\n"),
        ("core/src/lib.rs", "mod store;\npub use store::Store;\n"),
        ("core/src/store.rs", "pub struct Store;\n"),
    ];
    let found = dependents_of("core/src/lib.rs", "rust", &files);
    assert_eq!(found, ["app/src/main.rs"]);
}

fn dependents_of(path: &str, language: &str, texts: &[(&str, &str)]) -> Vec<String> {
    let files = Files::new(language, texts);
    let graph = Graph::new(&files.snapshot, &files);
    let target = graph.file_number(path).expect("a file");
    let found = graph.dependencies().dependents(target).into_iter();
    found
        .map(|(file, _)| graph.file(file).path.clone())
        .collect()
}

#[test]
fn implementations_for_foreign_types_are_found() {
    let text = "
use std::fmt;
pub trait Serializer {}
pub trait Other {}
struct Own;
impl Serializer for Own {}
impl<'a> Serializer for &mut fmt::Formatter<'a> {}
impl Other for Vec<u8> {}
";
    let files = Files::new("rust", &[("src/lib.rs", text)]);
    let graph = Graph::new(&files.snapshot, &files);
    let at = graph.named("Serializer").next().expect("there");
    let outside: Vec<&str> = graph
        .members()
        .foreign_implementations(at)
        .into_iter()
        .map(|(_, said)| &*said.subject)
        .collect();
    assert_eq!(
        (graph.members().subtypes(at).len(), outside),
        (1, vec!["Formatter"])
    );
}

#[test]
fn the_only_member_of_a_distinctive_name_is_likely() {
    let text = "
class Tokens:
    def next_by(self): pass
    def next(self): pass
def run(tokens):
    tokens.«next_by»()
    tokens.«next»()
";
    let mut found = vec![];
    each_use("python", &[("a.py", text)], |_, _, outcome| {
        if let Some(Outcome::Targets(targets)) = outcome {
            found.push(targets.resolution);
        }
    });
    assert_eq!(found, [Resolution::Likely, Resolution::NameOnly]);
}

#[test]
fn a_member_of_a_foreign_supertype_is_foreign() {
    let text = "
from program import Program
class Fab(Program):
    def print_version(self):
        super(Fab, self).«print_version»()
";
    assert_eq!(meant("python", &[("a.py", text)]), ["foreign"]);
}

#[test]
fn a_type_is_fully_known_whatever_its_namesakes_inherit() {
    let other =
        "import { Base } from 'lib';\nclass Store extends Base {}\nclass Log { close() {} }\n";
    let own = "class Store { open() {} }\nfunction run(store: Store) { store.«close»(); }\n";
    assert_eq!(
        meant("typescript", &[("a.ts", other), ("b.ts", own)]),
        ["foreign"]
    );
}

#[test]
fn a_property_without_a_type_has_that_of_what_it_returns() {
    let text = "
class Pairs:
    def add(self): pass
class Query:
    def __init__(self):
        self._pairs = Pairs()
    @property
    def pairs(self):
        return self._pairs
    @property
    def unknown(self):
        log()
    def add(self):
        self.pairs.«add»()
        self.unknown.«add»()
";
    let several = "?Pairs.add|Query.add";
    assert_eq!(meant("python", &[("a.py", text)]), ["Pairs.add", several]);
}

#[test]
fn functions_of_included_files_are_seen_though_they_are_static() {
    let header = "static inline int length(const char *s) { return 1; }\n";
    let source = "static int other(void) { return 1; }\n";
    let user = "#include \"a.h\"\nint run(void) { return «length»(0) + «other»(); }\n";
    assert_eq!(
        meant("c", &[("a.c", source), ("a.h", header), ("b.c", user)]),
        ["a.h:length", "unknown"]
    );
}

#[test]
fn a_type_and_its_alias_of_one_name_are_one() {
    let text = "
typedef struct store { int size; } store;
typedef struct log log;
struct log { int size; };
int run(«store» *a, struct «store» *b, «log» *c) { return a->«size» + c->«size»; }
";
    assert_eq!(
        meant("c", &[("a.c", text)]),
        ["store", "store", "log", "store.size", "log.size"]
    );
}

#[test]
fn a_function_that_takes_a_name_from_outside_makes_no_local_one() {
    let code = "count = 0\n\ndef add():\n    global count\n    «count» = «count» + 1\n\n\
                def outer():\n    count = 1\n    def inner():\n        nonlocal count\n        «count» = 2\n\n\
                def other():\n    count = 3\n    return «count»\n";
    let found = meant("python", &[("a.py", code)]);
    assert_eq!(found, ["count", "count", "local", "local"]);
}

#[test]
fn a_type_in_quotes_is_used_outside_of_annotations() {
    let code = "import typing\nfrom typing import Callable, Union\n\nEither = Union[\"«Store»\", str]\n\
                T = typing.TypeVar(\"T\", bound=\"«Store»\")\nHandler = Callable[[\"«Store»\"], \"«Store» | None\"]\n\n\
                class Store: ...\n\ndef f(names):\n    names[\"«Store»\"]\n";
    let found = meant("python", &[("a.py", code)]);
    assert_eq!(found[..4], ["Store"; 4]);
    assert_eq!(found[4..], ["no use"]);
}

#[test]
fn a_named_list_has_methods_of_its_own() {
    let code = "package a\n\ntype node struct{ left nodes }\n\nfunc (n *node) find() {}\nfunc (n *node) only() {}\n\n\
                type nodes []*node\n\nfunc (all nodes) find() {}\nfunc (all nodes) sort() {}\n\n\
                func f(n *node, all nodes, byName map[string]nodes) {\n\
                \tall.«find»()\n\tall.«sort»()\n\tall[0].«find»()\n\tn.left.«sort»()\n\tn.«find»()\n\
                \tfor _, one := range all {\n\t\tone.«only»()\n\t}\n\tbyName[\"a\"].«sort»()\n}\n";
    let found = meant("go", &[("a/a.go", code)]);
    assert_eq!(
        found,
        [
            "nodes.find",
            "nodes.sort",
            "nodes.find|node.find",
            "nodes.sort",
            "node.find",
            "node.only",
            "nodes.sort"
        ]
    );
}

#[test]
fn a_static_in_a_macro_is_defined() {
    let code = "thread_local! {\n    static STORE: u32 = 1;\n}\nlazy_static! {\n    static ref SHOP: u32 = 1;\n}\n\n\
                fn f() {\n    «STORE».with(|store| store);\n    «SHOP»;\n}\n";
    assert_eq!(meant("rust", &[("src/lib.rs", code)]), ["STORE", "SHOP"]);
}

#[test]
fn a_variable_is_of_what_the_arms_of_a_match_make() {
    let code = "struct One;\nimpl One {\n    fn new(a: u32) -> One { One }\n    fn run(&self) {}\n}\n\
                struct Two;\nimpl Two {\n    fn run(&self) {}\n}\n\
                fn f(path: Option<u32>) {\n    let made = match path {\n        Some(path) => One::new(path),\n        None => return,\n    };\n\
                \x20   made.«run»();\n    let other = if path.is_some() { One::new(1) } else { return };\n    other.«run»();\n}\n";
    assert_eq!(
        meant("rust", &[("src/lib.rs", code)]),
        ["One::run", "One::run"]
    );
}

#[test]
fn a_library_namespace_has_nothing_of_the_project() {
    let own = "
namespace mine {
template <class T> class array { public: int size(); };
template <class T> void sort(T one);
namespace views { void join(int a); }
}
";
    let used = "
#include <array>
#include \"own.h\"
std::«array»<int, 3> all;
void run() {
  std::«sort»(all);
  std::views::«join»(1);
  mine::«sort»(all);
  mine::views::«join»(1);
}
";
    let expected = [
        "foreign",
        "foreign",
        "foreign",
        "own.h:mine::sort",
        "own.h:mine::views::join",
    ];
    assert_eq!(meant("cpp", &[("own.h", own), ("used.cc", used)]), expected);
}
