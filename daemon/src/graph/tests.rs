//! Resolution of single names in small texts.

mod anonymous;
mod anonymous_types;
mod arity;
mod assigned_attributes;
mod blocks;
mod called_with_prefix;
mod closure_parameters;
mod closures;
mod collections;
mod constructors;
mod exports;
mod extensions;
mod flow;
mod framework_fixtures;
mod item_macros;
mod nested;
mod object_literals;
mod overloads;
mod platforms;
mod results;
mod rust_modules;
mod shadowed;
mod supertypes;
mod types;
mod written;

use std::rc::Rc;
use std::sync::Arc;

use super::*;
use crate::extract::{ChunkSizes, extract};
use crate::lang;
use crate::store::ledger::record::{FileRecord, FileState};

/// Files of a root, and the uses of names in them.
pub struct Files {
    pub snapshot: Snapshot,
    uses: Vec<Arc<Uses>>,
    texts: Vec<Rc<str>>,
}

impl Files {
    /// Extracts texts, which are sorted by path and all of one language except manifests.
    pub fn new(language: &str, texts: &[(&str, &str)]) -> Self {
        assert!(texts.is_sorted_by_key(|(path, _)| *path));
        let (mut files, mut uses) = (vec![], vec![]);
        for (number, (path, text)) in (0_u8..).zip(texts) {
            let manifest = ["toml", "json"]
                .into_iter()
                .find(|extension| path.rsplit('.').next() == Some(extension));
            let language = manifest.unwrap_or(language);
            let language = lang::by_name(language).expect("known");
            let facts = extract(Some(language), text, ChunkSizes::default());
            let state = FileState::Indexed(FactsKey([number; 16]));
            let record = FileRecord {
                size: 0,
                modified_nanos: 0,
                stamp: 0,
                hash: content_hash(text.as_bytes()),
                language: None,
                state,
            };
            files.push(Arc::new(IndexedFile::new(
                (*path).to_owned(),
                record,
                Some(language),
                Arc::new(facts.outline),
            )));
            uses.push(Arc::new(Uses::new(facts.occurrences)));
        }
        let texts = texts.iter().map(|(_, text)| Rc::from(*text)).collect();
        Self {
            snapshot: Snapshot::new(files, 0, None),
            uses,
            texts,
        }
    }
}

impl Source for Files {
    fn uses(&self, key: FactsKey) -> Option<Arc<Uses>> {
        self.uses.get(usize::from(key.0[0])).cloned()
    }

    fn read(&self, path: &str) -> Option<Rc<str>> {
        let place = self
            .snapshot
            .files
            .iter()
            .position(|file| file.path == path)?;
        Some(Rc::clone(&self.texts[place]))
    }
}

/// Returns the targets of the names between `«` and `»` in order: their qualified names, with the path of another file before
/// them, and with `?` before those that were found by name alone.
fn meant(language: &str, texts: &[(&str, &str)]) -> Vec<String> {
    let mut found = vec![];
    each_use(language, texts, |graph, file, outcome| {
        found.push(match outcome {
            Some(Outcome::Targets(targets)) => {
                let name = |at: &SymbolId| {
                    let name = graph.file(at.file).qualified(graph.symbol(*at));
                    if at.file == file {
                        name
                    } else {
                        format!("{}:{name}", graph.file(at.file).path)
                    }
                };
                let names: Vec<String> = targets.symbols.iter().map(name).collect();
                format!(
                    "{}{}",
                    if targets.by_name { "?" } else { "" },
                    names.join("|")
                )
            }
            Some(Outcome::Local) => "local".to_owned(),
            Some(Outcome::Foreign) => "foreign".to_owned(),
            Some(Outcome::Unknown) => "unknown".to_owned(),
            None => "no use".to_owned(),
        });
    });
    found
}

/// Returns the lines of the targets of the names between `«` and `»`, for targets with equal names.
fn lines_meant(language: &str, text: &str) -> Vec<Vec<u32>> {
    let mut found = vec![];
    each_use(language, &[("a", text)], |graph, _, outcome| {
        let Some(Outcome::Targets(targets)) = outcome else {
            panic!("{outcome:?}")
        };
        found.push(
            targets
                .symbols
                .iter()
                .map(|at| graph.symbol(*at).start_line)
                .collect(),
        );
    });
    found
}

fn each_use(
    language: &str,
    texts: &[(&str, &str)],
    mut told: impl FnMut(&Graph<'_>, u32, Option<Outcome>),
) {
    let bare: Vec<(&str, String)> = texts
        .iter()
        .map(|(path, text)| (*path, text.replace(['«', '»'], "")))
        .collect();
    let bare: Vec<(&str, &str)> = bare.iter().map(|(path, text)| (*path, &**text)).collect();
    let files = Files::new(language, &bare);
    let graph = Graph::new(&files.snapshot, &files);
    for (file, (_, text)) in (0_u32..).zip(texts) {
        for (at, _) in text.match_indices('«') {
            let before = text[..at].replace(['«', '»'], "");
            let line = u32::try_from(before.matches('\n').count() + 1).expect("few");
            let column = u32::try_from(before.len() - before.rfind('\n').map_or(0, |end| end + 1))
                .expect("few");
            let uses = graph.uses(file);
            let row = uses
                .rows()
                .iter()
                .find(|row| (row.line, row.column) == (line, column));
            told(
                &graph,
                file,
                row.map(|row| graph.resolver().resolve(file, &uses, row)),
            );
        }
    }
}

#[test]
fn a_test_that_a_macro_makes_is_inside_its_fixture() {
    let text = "
class Snapshot {};
class SetTest : public testing::Test {
 protected:
  bool Overlaps(int x);
  void Add(int x);
  int size_;
};
class OtherTest { bool Overlaps(int x); };
TEST_F(SetTest, Overlaps) { «Add»(«size_»); ASSERT_TRUE(«Overlaps»(1)); }
TEST_F(SetTest, Snapshot) { «Snapshot» one; }
TEST(SetTest, Plain) { «Add»(1); }
";
    let expected = [
        "SetTest::Add",
        "SetTest::size_",
        "SetTest::Overlaps",
        "Snapshot",
        "?SetTest::Add",
    ];
    assert_eq!(meant("cpp", &[("a.cc", text)]), expected);
}

#[test]
fn tests_are_called_as_their_macros_say() {
    let files = Files::new(
        "cpp",
        &[(
            "a.cc",
            "TEST_F(SetTest, Add) { }\nTEST(Alone) { }\nint TEST(int a, int b) { }\n",
        )],
    );
    let file = &files.snapshot.files[0];
    let names: Vec<String> = file
        .outline
        .symbols
        .iter()
        .map(|symbol| file.qualified(symbol))
        .collect();
    assert_eq!(names, ["SetTest::Add", "TEST", "TEST"]);
}

#[test]
fn a_class_in_a_template_is_not_another_of_its_name() {
    let iterator = "namespace db { class Iterator { public: virtual int key() const = 0; }; }\n";
    let list = "
namespace db {
class Comparator {};
template <typename Key, class Comparator>
class SkipList {
 public:
  class Iterator { public: Iterator(const SkipList* list); const Key& key() const; };
  explicit SkipList(«Comparator» compare);
};
template <typename Key, class Comparator>
inline SkipList<Key, «Comparator»>::«Iterator»::Iterator(const SkipList* list) {}
template <typename Key, class Comparator>
inline const Key& SkipList<Key, «Comparator»>::«Iterator»::key() const { return 1; }
inline int first(«Iterator»* one, const «Comparator»& compare) { return one->«key»(); }
}
";
    assert_eq!(
        meant("cpp", &[("iterator.h", iterator), ("list.h", list)]),
        [
            "local",
            "local",
            "db::SkipList::Iterator",
            "local",
            "db::SkipList::Iterator",
            "iterator.h:db::Iterator",
            "db::Comparator",
            "iterator.h:db::Iterator::key",
        ]
    );
}

#[test]
fn type_parameters_shadow_types() {
    for (language, text) in [
        (
            "java",
            "class Order {}\nclass Box<Order> { «Order» one; }\n",
        ),
        (
            "csharp",
            "class Order {}\nclass Box<Order> { «Order» one; }\n",
        ),
        (
            "typescript",
            "class Order {}\nclass Box<Order> { one: «Order»; }\n",
        ),
        (
            "rust",
            "struct Order {}\nstruct Box<Order> { one: «Order» }\n",
        ),
        (
            "kotlin",
            "class Order\nclass Box<Order>(val one: «Order»)\n",
        ),
        (
            "swift",
            "class Order {}\nclass Box<Order> { var one: «Order» }\n",
        ),
        (
            "scala",
            "class Order\nclass Box[Order] { val one: «Order» = x }\n",
        ),
        (
            "cpp",
            "class Order {};\ntemplate <class Order> class Box { «Order» one; };\n",
        ),
    ] {
        assert_eq!(meant(language, &[("a", text)]), ["local"], "{language}");
    }
    let special = "class Order {};\ntemplate <> class Box<Order> { «Order» one; };\n";
    assert_eq!(meant("cpp", &[("a", special)]), ["Order"]);
}

#[test]
fn a_cast_says_a_type() {
    let text = "
struct Shape { int area(); };
struct Circle : Shape { int radius(); };
struct Other { int radius(); };
int run(Shape* shape, void* any) {
  auto* known = dynamic_cast<Circle*>(shape);
  return static_cast<Circle*>(shape)->«radius»() + known->«radius»() + reinterpret_cast<Other*>(any)->«radius»();
}
";
    assert_eq!(
        meant("cpp", &[("a.cc", text)]),
        ["Circle::radius", "Circle::radius", "Other::radius"]
    );
}

#[test]
fn a_variable_may_be_called_like_the_namespace_of_its_type() {
    let text = "
namespace log { class Writer { public: int AddRecord(int x); }; }
class Other { int AddRecord(int x); };
void run(int file) {
  log::Writer log(file);
  log.«AddRecord»(1);
}
";
    assert_eq!(meant("cpp", &[("a.cc", text)]), ["log::Writer::AddRecord"]);
    let text = "
namespace log { class Reader { public: int Read(int x); }; }
class Other { int Read(int x); };
void run(int log) {
  log::«Reader» reader(log);
  reader.«Read»(«log»);
}
";
    assert_eq!(
        meant("cpp", &[("a.cc", text)]),
        ["log::Reader", "log::Reader::Read", "local"]
    );
}

#[test]
fn an_argument_by_name_is_a_parameter_or_a_field() {
    let text = "
from dataclasses import dataclass

class App:
    def __init__(self, debug=False, routes=None, **more):
        self.routes_ = routes

    @property
    def routes(self): ...

    def lifespan(self): ...

@dataclass
class Point:
    x: int

    @property
    def y(self): ...

def make(x): ...

App(«routes»=[], «lifespan»=1)
Point(«x»=1, «y»=2)
make(«x»=1)
";
    assert_eq!(
        meant("python", &[("a.py", text)]),
        ["local", "local", "Point.x", "foreign", "local"]
    );
}

#[test]
fn fields_of_enum_variants_are_not_methods() {
    let text = "
enum Error { WithDepth { depth: usize }, Plain(usize) }
impl Error {
    fn depth(&self) -> usize {
        match self {
            Error::WithDepth { depth: it, .. } => *it,
            Error::Plain(it) => *it,
        }
    }
}
fn deep(error: &Error) {
    let Error::WithDepth { «depth»: it, .. } = error else { return };
    let made = Error::WithDepth { «depth»: 1 };
    made.«depth»();
}
";
    assert_eq!(
        meant("rust", &[("a.rs", text)]),
        [
            "Error::WithDepth::depth",
            "Error::WithDepth::depth",
            "Error::depth"
        ]
    );
}

#[test]
fn the_innermost_function_that_binds_a_name_is_meant() {
    let text = "
class Socket:
    def accept(self): ...

class Session:
    def accept(self): ...

def test():
    def app():
        socket = Socket()
        socket.«accept»()

    with Session() as socket:
        socket.«accept»()
";
    assert_eq!(
        meant("python", &[("a.py", text)]),
        ["Socket.accept", "Session.accept"]
    );
}

#[test]
fn a_macro_of_the_same_crate_is_meant() {
    let manifest = |name: &str| format!("[package]\nname = \"{name}\"\n");
    let (one, other) = (manifest("one"), manifest("other"));
    let define = "macro_rules! check { () => {} }\n";
    let used = "fn run() {\n    «check»!();\n    show!(«check»: 1);\n}\n";
    let files = [
        ("one/Cargo.toml", &*one),
        ("one/src/lib.rs", "mod macros;\nmod run;\n"),
        ("one/src/macros.rs", define),
        ("one/src/run.rs", used),
        ("other/Cargo.toml", &*other),
        ("other/src/lib.rs", define),
    ];
    assert_eq!(
        meant("rust", &files),
        ["one/src/macros.rs:check", "unknown"]
    );
}

#[test]
fn names_reexported_from_built_files_resolve_by_name() {
    let texts = [
        ("helpers.ts", "export * from './dist/helpers'\n"),
        (
            "source.ts",
            "export function toArray(one: unknown) {}\nexport class Box { toList() {} }\n",
        ),
        (
            "use.ts",
            "import { «toArray», «toList» } from './helpers'\nimport { «other» } from 'elsewhere'\n«toArray»(«other»)\n",
        ),
    ];
    assert_eq!(
        meant("typescript", &texts),
        [
            "?source.ts:toArray",
            "foreign",
            "foreign",
            "?source.ts:toArray",
            "foreign"
        ]
    );
}

#[test]
fn names_bound_by_a_macro_are_unknown_rather_than_foreign() {
    let text = "
struct Dir;
impl Dir { fn create(&self) {} }
rgtest!(misc, |dir, mut cmd| { dir.«create»(); std::fs::«create»(); });
";
    assert_eq!(
        meant("rust", &[("lib.rs", text)]),
        ["?Dir::create", "foreign"]
    );
}

#[test]
fn a_closure_in_a_macro_binds_its_typed_parameters() {
    let text = "
struct Dir;
impl Dir { fn create(&self) {} }
rgtest!(misc, |dir: Dir, mut cmd: Cmd| { dir.«create»(); std::fs::«create»(); });
";
    assert_eq!(
        meant("rust", &[("lib.rs", text)]),
        ["Dir::create", "foreign"]
    );
}
