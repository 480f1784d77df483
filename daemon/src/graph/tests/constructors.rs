//! The constructors that a construction calls.

use std::collections::BTreeMap;

use claudevil_protocol::answer::symbol::SymbolKind;

use super::{Files, Graph, Resolution, SymbolId};
use crate::extract::facts::Role;
use crate::source::cancel::CancelToken;

/// Compares the calls of each constructor with the letters in comments. A capital after `// ` or `# ` names the constructor that
/// is declared in its line; the small letters in a line name the constructors that the line calls, with a `?` after those that are
/// not certain.
fn constructions(language: &str, sign: &str, texts: &[(&str, &str)]) {
    let files = Files::new(language, texts);
    let graph = Graph::new(&files.snapshot, &files);
    let (mut found, mut expected) = (BTreeMap::new(), BTreeMap::new());
    for (file, (_, text)) in (0_u32..).zip(texts) {
        for (line, code) in (1_u32..).zip(text.lines()) {
            let Some((_, said)) = code.split_once(sign) else {
                continue;
            };
            let calls: String = said.chars().filter(|sign| !sign.is_uppercase()).collect();
            if !calls.is_empty() {
                expected.insert((file, line), calls);
            }
            let Some(letter) = said.chars().find(|sign| sign.is_uppercase()) else {
                continue;
            };
            let symbols = &graph.file(file).outline.symbols;
            let is_it = |at: &SymbolId| {
                let symbol = &symbols[at.symbol as usize];
                symbol.kind == SymbolKind::Constructor && symbol.start_line == line
            };
            let count = u32::try_from(symbols.len()).expect("few");
            let mut all = (0..count).map(|symbol| SymbolId { file, symbol });
            let target = all.find(is_it).expect(code);
            let references = graph.references().to(target, &CancelToken::default());
            for one in references.expect("not cancelled").iter() {
                if one.row.role != Role::Call {
                    continue;
                }
                let letters: &mut String = found.entry((one.file, one.row.line)).or_default();
                letters.push(letter.to_ascii_lowercase());
                if one.resolution != Resolution::Resolved {
                    letters.push('?');
                }
            }
        }
    }
    assert_eq!(found, expected, "{language}");
}

#[test]
fn constructors_are_called_by_words_for_the_type_and_its_superclass() {
    constructions(
        "java",
        "// ",
        &[(
            "Base.java",
            "class Base {
  Base(int n) { } // A
  Base() { // B
    this(7); // a
  }
}
class D1 extends Base {
  D1() { // C
    super(1); // a
  }
}
class D2 extends Base { }
class Use {
  Base one = new Base(2); // a
  Base two = new Base() { }; // b
  Base three = new D2(); // b
  Base four = new D1(); // c
}
",
        )],
    );
    constructions(
        "csharp",
        "// ",
        &[(
            "a.cs",
            "namespace Acme;
public class Ex {
  static Ex() { }
  protected Ex(string m) { } // A
  protected Ex() : this(\"d\") { } // Ba
}
public class Sub : Ex {
  public Sub(string m) : base(m) { } // Ca
}
record Point(int X);
record Place(int Y) : Point(Y);
class Use {
  void Run() {
    new Sub(\"a\"); // c
    new Ex { }; // a?b?
    new Ex(); // b
  }
}
",
        )],
    );
    constructions(
        "kotlin",
        "// ",
        &[(
            "a.kt",
            "open class Base(val tag: String) {
  constructor(n: Int) : this(n.toString()) // A
  constructor(n: Int, m: Int) : this(n) // Ba
}
class Square(val side: Double) : Base(\"sq\")
class Rest : Base {
  constructor() : super(1, 2) // Cb
}
fun use() {
  Square(1.0)
  Base(3) // a
  Base(\"x\")
  Rest() // c
}
",
        )],
    );
    constructions(
        "typescript",
        "// ",
        &[(
            "a.ts",
            "class Base {
  constructor(n: number) {} // A
}
class D extends Base {
  constructor() { // B
    super(3); // a
  }
}
const d = new D(); // b
",
        )],
    );
    constructions(
        "scala",
        "// ",
        &[(
            "a.scala",
            "class Size(x: Double) {
  def this(a: Int, b: Int) = this(a.toDouble) // A
  def this(a: Int, b: Int, c: Int) = { // B
    this(a, b) // a
  }
  def run = this(1, 2)
}
class Large extends Size(1, 2) // a
",
        )],
    );
}

#[test]
fn constructors_of_cpp_are_called_by_initializers() {
    constructions(
        "cpp",
        "// ",
        &[(
            "a.cpp",
            "struct Base {
  Base(int size) {} // A
  Base() : Base(1) {} // Ba
};
template <typename T> struct Box {
  Box(T given) {} // C
};
struct Tower : Base, Box<int> {
  Tower(int size) : Base(size), Box<int>(2), size(size) {} // Dac
  int size;
};
Tower* run() { return new Tower(1); } // d
",
        )],
    );
}

#[test]
fn records_are_constructed_by_their_compact_constructor() {
    constructions(
        "java",
        "// ",
        &[(
            "Square.java",
            "record Square(double side) {
  Square { check(side); } // A
  Square() { // B
    this(1); // a
  }
  static void check(double d) {}
  static Square unit() { return new Square(); } // b
  static Square of(double d) { return new Square(d); } // a
}
",
        )],
    );
}

#[test]
fn labels_of_arguments_tell_constructors_apart() {
    constructions(
        "swift",
        "// ",
        &[(
            "a.swift",
            "class Animal {
  required init() {} // A
  init(loud: Bool, times: Int = 1) {} // B
}
final class Dog: Animal {
  init(named: String) { super.init() } // Ca
  required init() { super.init(loud: true) } // Db
}
let a = Dog(named: \"x\") // c
let b = Dog() // d
let c = Animal(loud: true) // b
let d = Animal(loud: true, times: 2) // b
",
        )],
    );
}

#[test]
fn a_constructor_with_a_name_is_called_by_that_name() {
    constructions(
        "dart",
        "// ",
        &[(
            "a.dart",
            "class Square {
  const Square(double side); // A
  Square.named({required double side}); // B
  Square.twice(double s) : this(s * 2); // Ca
  Square.other() : this.named(side: 2); // Db
}
class Small extends Square {
  Small() : super(1); // Ea
  Small.one() : super.twice(1); // Fc
}
void run() {
  Square(2); // a
  Square.named(side: 3); // b
  Small(); // e
  Small.one(); // f
}
",
        )],
    );
}

/// Returns the lines of all uses of the symbol that is declared in a line of the first file, with the numbers of their files.
fn uses_of(language: &str, texts: &[(&str, &str)], name: &str, line: u32) -> Vec<(u32, u32)> {
    let files = Files::new(language, texts);
    let graph = Graph::new(&files.snapshot, &files);
    let is_it = |at: &SymbolId| at.file == 0 && graph.symbol(*at).start_line == line;
    let target = graph.named(name).find(is_it).expect("declared");
    let references = graph.references().to(target, &CancelToken::default());
    let references = references.expect("not cancelled");
    let sure = references
        .iter()
        .filter(|one| one.resolution == Resolution::Resolved);
    sure.map(|one| (one.file, one.row.line)).collect()
}

#[test]
fn a_static_import_uses_the_class() {
    let texts = [
        (
            "core/Scope.java",
            "package shop.core;\npublic class Scope {\n  public static final int OPEN = 1;\n  public enum Kind { ONE }\n}\n",
        ),
        (
            "use/Use.java",
            "package use;
import static shop.core.Scope.OPEN;
import static shop.core.Scope.*;
import static shop.core.Scope.Kind.ONE;
import shop.core.Scope.Kind;
class Use { shop.core.Scope scope = null; }
",
        ),
    ];
    assert_eq!(
        uses_of("java", &texts, "Scope", 2),
        [(1, 2), (1, 3), (1, 4), (1, 5), (1, 6)]
    );
    assert_eq!(uses_of("java", &texts, "Kind", 4), [(1, 4), (1, 5)]);
}

#[test]
fn types_of_one_name_differ_in_their_type_parameters() {
    let texts = [
        (
            "a.cs",
            "namespace Acme.Core;
public class Box { public int Size; public static int Open() { return 1; } }
public class Box<T> { public T Item; public int Size; }
public class IntBox : Box<int> { }
public class PlainBox : Box { }
",
        ),
        (
            "b.cs",
            "using Acme.Core;
class Use {
  Box plain = new Box();
  Box<int> boxed = new Box<int>();
  global::Acme.Core.Box other = new global::Acme.Core.Box();
  void Run(IntBox given) {
    plain.Size = Box.Open();
    boxed.Size = 1;
    given.Size = 2;
  }
}
",
        ),
    ];
    assert_eq!(
        uses_of("csharp", &texts, "Box", 2),
        [(0, 5), (1, 3), (1, 3), (1, 5), (1, 5), (1, 7)]
    );
    assert_eq!(
        uses_of("csharp", &texts, "Box", 3),
        [(0, 4), (1, 4), (1, 4)]
    );
    assert_eq!(uses_of("csharp", &texts, "Size", 2), [(1, 7)]);
    assert_eq!(uses_of("csharp", &texts, "Size", 3), [(1, 8), (1, 9)]);
}

#[test]
fn a_class_and_its_companion_object_are_one() {
    let texts = [
        (
            "Square.scala",
            "package acme
class Square(val side: Double)
object Square extends Parsing {
  def parse(s: String): Square = new Square(1.0)
}
trait Parsing {
  def read(s: String): Int = 1
}
",
        ),
        (
            "Use.scala",
            "package other
import acme.Square
object Use {
  def one = Square.parse(\"2\")
  def two = Square.read(\"2\")
}
",
        ),
    ];
    assert_eq!(uses_of("scala", &texts, "parse", 4), [(1, 4)]);
    assert_eq!(uses_of("scala", &texts, "read", 7), [(1, 5)]);
    assert_eq!(
        uses_of("scala", &texts, "Square", 2),
        [(0, 4), (0, 4), (1, 2), (1, 4), (1, 5)]
    );
}

#[test]
fn names_of_cpp_are_found_through_inline_namespaces_and_macros() {
    let texts = [
        (
            "a.hpp",
            "#define DEFINE_TYPE(Type, ...) friend void save(const Type& t) {}
#define BEGIN_NS namespace acme { inline namespace v1 {
#define TEMPLATE template <typename T>
namespace acme { inline namespace v1 {
enum class Color { Red, Green };
}}
template <typename T> struct Box { Box(T) {} T get() { return val; } T val; };
BEGIN_NS
TEMPLATE
class table // comment
    : public base<T>
{
  public:
    void push(int x) { count = x; }
    int count = 0;
};
",
        ),
        (
            "b.cpp",
            "#include \"a.hpp\"
using acme::Color;
struct Tower : Box<int> { using Box<int>::Box; };
struct person {
  int age;
  DEFINE_TYPE(person, age)
};
class other {
  public:
    DEFINE_TYPE(other, age);
    int age;
};
int main() {
  Box<int> b(1);
  b.get();
  table<int> t;
  t.push(1);
  return Color::Red == Color::Green;
}
",
        ),
    ];
    assert_eq!(
        uses_of("cpp", &texts, "Color", 5),
        [(1, 2), (1, 18), (1, 18)]
    );
    assert_eq!(uses_of("cpp", &texts, "DEFINE_TYPE", 1), [(1, 6), (1, 10)]);
    assert_eq!(uses_of("cpp", &texts, "Box", 7), [(1, 3), (1, 3), (1, 14)]);
    assert_eq!(uses_of("cpp", &texts, "get", 7), [(1, 15)]);
    assert_eq!(uses_of("cpp", &texts, "push", 14), [(1, 17)]);
}

#[test]
fn prefixed_types_of_dart_are_supertypes() {
    let texts = [
        (
            "lib/base.dart",
            "class Client { void send() {} }\nmixin Mixed {}\nclass Box<T> {}\n",
        ),
        (
            "lib/use.dart",
            "import 'base.dart' as b;
class One extends b.Client {}
class Two extends b.Client with b.Mixed {}
class Three extends b.Box<int> implements b.Client, b.Mixed {}
extension Sending on b.Client { void twice() {} }
void run(b.Client client) { client.twice(); }
",
        ),
    ];
    assert_eq!(
        uses_of("dart", &texts, "Client", 1),
        [(1, 2), (1, 3), (1, 4), (1, 5), (1, 6)]
    );
    assert_eq!(uses_of("dart", &texts, "Mixed", 2), [(1, 3), (1, 4)]);
    assert_eq!(uses_of("dart", &texts, "Box", 3), [(1, 4)]);
    let files = Files::new("dart", &texts);
    let graph = Graph::new(&files.snapshot, &files);
    let below = |name: &str| {
        let at = graph.named(name).next().expect("declared");
        let mut below: Vec<&str> = (graph.members().subtypes(at).iter())
            .map(|(at, _)| &*graph.symbol(*at).name)
            .collect();
        below.sort_unstable();
        below
    };
    assert_eq!(below("Client"), ["One", "Three", "Two"]);
    assert_eq!(below("Mixed"), ["Three", "Two"]);
    assert_eq!(below("Box"), ["Three"]);
}
