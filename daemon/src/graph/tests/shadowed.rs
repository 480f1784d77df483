//! Names that are shadowed, and that still have their outer meaning before their scope begins.

use super::meant;

/// Checks the targets of names in one text of a language.
fn means(language: &str, text: &str, expected: &[&str]) {
    let found = meant(language, &[("a", text)]);
    assert_eq!(found, expected, "{language}: {text}");
}

#[test]
fn a_name_is_bound_behind_its_own_initializer() {
    let (size, local) = ("size", "local");
    let go = "package a
func size(n int) int { return n }
func h() int { if size := «size»(2); «size» > 1 { return «size» }; return «size»(1) }
func k() {
	for _, size := range []int{«size»(1)} { _ = «size» }
	switch size := «size»(3); «size» { case 1: _ = «size» }
	var size = «size»(4); _ = «size»
}
";
    let is_bound = [
        size, local, local, size, size, local, size, local, local, size, local,
    ];
    means("go", go, &is_bound);
    let rust = "fn size(n: u32) -> u32 { n }
fn h() -> u32 { let size = «size»(1); «size» + 2 }
fn k() -> u32 {
    if let Some(size) = Some(«size»(2)) { return «size»; }
    for size in 0..«size»(3) { let _ = «size»; }
    while let Some(size) = Some(«size»(4)) { return «size»; }
    let Some(size) = Some(«size»(5)) else { return «size»(6) };
    «size»
}
";
    let is_bound = [
        size, local, size, local, size, local, size, local, size, size, local,
    ];
    means("rust", rust, &is_bound);
    let lua = "local function size(n) return n end
local function h() local size = «size»(1); return «size» + 2 end
for size = 1, «size»(2) do print(«size») end
for _, size in pairs(«size»(3)) do print(«size») end
";
    means("lua", lua, &[size, local, size, local, size, local]);
    let python = "def size(n):
    return n
def j():
    a = [size for size in range(«size»(2))]
    f = lambda size=«size»(1): «size»
    return «size»(3)
";
    means("python", python, &[size, size, local, size]);
    let kotlin = "fun size(n: Int) = n
fun j() {
  for (size in 0..«size»(2)) { println(«size») }
  val m = «size»(4).let { size -> «size» + 1 }
}
";
    means("kotlin", kotlin, &[size, local, size, local]);
    let swift = "func size(_ n: Int) -> Int { n }
func j() {
  for size in 0..<«size»(2) { print(«size») }
  if let size = opt(«size»(4)) { print(«size») }
}
";
    means("swift", swift, &[size, local, size, local]);
    let script = "function size(n) { return n }
function j() { try { «size»(1) } catch (size) { «size» } }
";
    means("javascript", script, &[size, local]);
    let cpp = "struct node { int val; };
int b(struct «node» *node) { return «node»->val; }
void c(all node) { for (auto node : «node») { «node».run(); } }
";
    means("cpp", cpp, &["node", local, local, local]);
}

#[test]
fn a_named_argument_of_a_format_string_is_no_variable() {
    let text = "fn run(n: u32) -> u32 { n }
fn h() { println!(\"{«run»} {}\", «run»(1)); println!(\"{«run»} {}\", 2, run = «run»(3)); }
";
    means("rust", text, &["run", "run", "no use", "run"]);
}

#[test]
fn a_named_argument_is_a_parameter_and_no_function_of_its_name() {
    for (language, text) in [
        (
            "kotlin",
            "fun size(n: Int) = n\nfun k(size: Int) {}\nfun j() { k(«size» = «size»(3)) }\n",
        ),
        (
            "swift",
            "func size(_ n: Int) -> Int { n }\nfunc k(size: Int) {}\nfunc j() { k(«size»: «size»(3)) }\n",
        ),
        (
            "dart",
            "int size(int n) => n;\nvoid k({int size = 1}) {}\nvoid j() { k(«size»: «size»(3)); }\n",
        ),
        (
            "scala",
            "def size(n: Int) = n\ndef k(size: Int) = 1\ndef j() = k(«size» = «size»(3))\n",
        ),
        (
            "php",
            "<?php\nfunction size($n) {}\nfunction k($size) {}\nk(«size»: «size»(3));\n",
        ),
        (
            "csharp",
            "class C { int size(int n) => n; void k(int size) {} void j() { k(«size»: «size»(3)); } }\n",
        ),
    ] {
        let found = meant(language, &[("a", text)]);
        assert_eq!(found[0], "local", "{language}: {found:?}");
        assert!(found[1].ends_with("size"), "{language}: {found:?}");
    }
    let tuple = "func size() -> Int { 1 }\nfunc j() { let t = («size»: 1, b: 2) }\n";
    means("swift", tuple, &["foreign"]);
    let record = "int size() => 1;\nvoid j() { var r = («size»: 1, b: 2); }\n";
    means("dart", record, &["foreign"]);
}

#[test]
fn a_named_argument_is_the_field_that_it_sets() {
    for (language, text, expected) in [
        (
            "kotlin",
            "data class B(val size: Int)\nclass C(size: Int) { val size = size }\n\
             fun j() { B(«size» = 1); C(«size» = 2) }\n",
            ["B.size", "local"],
        ),
        (
            "dart",
            "class B { int size; B({this.size}); }\nclass C { int size; C({int size}) : size = 1; }\n\
             void j() { B(«size»: 1); C(«size»: 2); }\n",
            ["B.size", "local"],
        ),
        (
            "php",
            "<?php\nclass B { function __construct(public int $size) {} }\n\
             class C { public int $size; function __construct(int $size) {} }\n\
             new B(«size»: 1); new C(«size»: 2);\n",
            ["B::size", "local"],
        ),
        (
            "swift",
            "struct B { var size: Int }\nclass C { var size: Int; init(size: Int) {} }\n\
             func j() { B(«size»: 1); C(«size»: 2) }\n",
            ["B.size", "local"],
        ),
        (
            "scala",
            "case class B(size: Int)\nclass C(size: Int)\n\
             def j() = { B(«size» = 1); new C(«size» = 2) }\n",
            ["B.size", "local"],
        ),
        (
            "csharp",
            "record B(int Size);\nclass C { int Size; C(int Size) {} }\n\
             class D { void J() { new B(«Size»: 1); new C(«Size»: 2); } }\n",
            ["B.Size", "local"],
        ),
    ] {
        means(language, text, &expected);
    }
}

#[test]
fn a_type_is_found_where_the_file_has_a_function_of_its_name() {
    let found = meant(
        "c",
        &[
            (
                "a.c",
                "#include \"a.h\"\nint walk(struct «node» *n);\nint node(void) { return sizeof(struct «node»); }\n",
            ),
            ("a.h", "struct node { int val; };\n"),
        ],
    );
    assert_eq!(found, ["a.h:node", "a.h:node"]);
}

#[test]
fn an_attribute_may_lack_its_suffix() {
    let text = "class RouteAttribute : System.Attribute {}\nclass Table {}\nclass TableAttribute {}\n\
                [«Route»] class D {}\n[Other, «Route»(1)] class E {}\n[«RouteAttribute»] class F {}\n\
                [«Table»] class G { «Table» t; }\n";
    let route = "RouteAttribute";
    means(
        "csharp",
        text,
        &[route, route, route, "TableAttribute", "Table"],
    );
}

#[test]
fn an_argument_of_an_annotation_is_a_member_of_its_type() {
    let java = "@interface Route { int size(); }
class A { int size = 2; @Route(«size» = 3) int m() { return «size»; } @Override(«size» = 1) void n() {} }
";
    means("java", java, &["Route.size", "A.size", "foreign"]);
    let csharp = "class RouteAttribute : System.Attribute { public int Size { get; set; } }
class A { int Size = 2; [Route(«Size» = 3)] int M() { return «Size»; } [Other(«Size» = 1)] void N() {} }
";
    means(
        "csharp",
        csharp,
        &["RouteAttribute.Size", "A.Size", "foreign"],
    );
}

#[test]
fn an_argument_of_an_unknown_function_is_a_field_and_no_method() {
    let text = "case class B(size: Int)
object A { def size(n: Int) = n; def c = B(3).copy(«size» = 4); def d = other(«none» = 1); def none = 1 }
";
    means("scala", text, &["?B.size", "foreign"]);
}

#[test]
fn a_parameter_of_a_class_is_meant_in_the_member_of_its_name() {
    let text = "class C(size: Int) { val size = «size»\n fun go() = «size» }\n";
    means("kotlin", text, &["local", "C.size"]);
}

#[test]
fn a_name_of_the_global_namespace_is_no_variable() {
    let text =
        "int run(int n) { return n; }\nint i() { int run = 2; return «run» + ::«run»(3); }\n";
    means("cpp", text, &["local", "run"]);
}

#[test]
fn a_static_member_is_apart_from_one_of_objects() {
    let text = "class A {
  open() {}
  static open() {}
}
class B extends A {
  run() { super.«open»(); A.«open»(); new A().«open»(); }
  static go() { super.«open»(); }
}
";
    let lines = super::lines_meant("typescript", text);
    assert_eq!(lines, [[2], [3], [2], [3]]);
}

#[test]
fn a_class_inherits_under_an_alias() {
    let found = meant(
        "typescript",
        &[
            (
                "a.ts",
                "export class A { open() {} close() { this.«only»() } }\n",
            ),
            (
                "b.ts",
                "import { A as Base } from './a';\nclass B extends Base { only() { this.«open»() } }\n",
            ),
        ],
    );
    assert_eq!(found, ["b.ts:B.only", "a.ts:A.open"]);
}
