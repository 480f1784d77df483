//! Supertypes that are named by paths or in nested modules, and classes that combine mixins.

use claudevil_protocol::answer::graph::Resolution;

use super::*;
use crate::source::cancel::CancelToken;

/// Returns the subtypes of the type with each of these qualified names, in the file with its number, by their qualified names.
fn subtypes(language: &str, texts: &[(&str, &str)], types: &[(u32, &str)]) -> Vec<Vec<String>> {
    let files = Files::new(language, texts);
    let graph = Graph::new(&files.snapshot, &files);
    let qualified = |at: SymbolId| graph.file(at.file).qualified(graph.symbol(at));
    let subtypes_of = |(file, name): &(u32, &str)| {
        let mut all = (0..).zip(&graph.file(*file).outline.symbols);
        let is_it = |symbol: u32| {
            qualified(SymbolId {
                file: *file,
                symbol,
            }) == *name
        };
        let (symbol, _) = all.find(|(symbol, _)| is_it(*symbol)).expect(name);
        let at = SymbolId {
            file: *file,
            symbol,
        };
        let below = graph.members().subtypes(at);
        let mut below: Vec<String> = below.iter().map(|(at, _)| qualified(*at)).collect();
        below.sort();
        below
    };
    types.iter().map(subtypes_of).collect()
}

#[test]
fn a_superclass_is_the_one_of_the_nearest_module() {
    let texts = [
        (
            "a.rb",
            "module Shop\n  module Parser\n    class Base; end\n  end\nend\n",
        ),
        (
            "b.rb",
            "module Shop\n  module Formatter\n    class Base; end\n  end\nend\n",
        ),
        (
            "c.rb",
            "module Shop\n  class Base; end\n  module Parser\n    class Json < Base; end\n  end\nend\n",
        ),
        (
            "d.rb",
            "module Shop\n  module Formatter\n    class Xml < Base; end\n    class Yml < Shop::Parser::Base; end\n    class Csv < Parser::Base; end\n  end\nend\n",
        ),
        (
            "e.rb",
            "module Shop\n  module Auth\n    class Base < Shop::Formatter::Base; end\n    class Key < Base; end\n    class Token < ::Base; end\n  end\n  class Other < Elsewhere::Base; end\n  module Log\n    class Line < Base; end\n  end\nend\n",
        ),
        ("f.rb", "class Lost < Base; end\n"),
    ];
    let names = [
        (0, "Shop::Parser::Base"),
        (1, "Shop::Formatter::Base"),
        (2, "Shop::Base"),
        (4, "Shop::Auth::Base"),
    ];
    let expected = [
        vec![
            "Shop::Formatter::Csv",
            "Shop::Formatter::Yml",
            "Shop::Parser::Json",
        ],
        vec!["Shop::Auth::Base", "Shop::Formatter::Xml"],
        vec!["Shop::Log::Line"],
        vec!["Shop::Auth::Key"],
    ];
    assert_eq!(subtypes("ruby", &texts, &names), expected);
}

#[test]
fn a_constant_is_looked_up_as_ruby_does() {
    let texts = [
        (
            "a.rb",
            "module Shop\n  LIMIT = 1\n  class Item; end\n  module Names\n    ALL = []\n  end\nend\nLIMIT = 2\n",
        ),
        (
            "b.rb",
            "module Shop\n  class Cart\n    include Names\n    def run = [«LIMIT», «Item».new, «ALL», «Names»::«ALL»]\n  end\nend\nclass Guest\n  def run = [«LIMIT», «Item».new, Shop::«Item».new]\nend\nclass Api::V1::Base; end\nclass Api::V1::Users < Api::V1::Base; end\n",
        ),
    ];
    let expected = [
        "a.rb:Shop::LIMIT",
        "a.rb:Shop::Item",
        "a.rb:Shop::Names::ALL",
        "a.rb:Shop::Names",
        "a.rb:Shop::Names::ALL",
        "a.rb:LIMIT",
        "?a.rb:Shop::Item",
        "a.rb:Shop::Item",
    ];
    assert_eq!(meant("ruby", &texts), expected);
    assert_eq!(
        subtypes("ruby", &texts, &[(1, "Api::V1::Base")]),
        [["Api::V1::Users"]]
    );
}

#[test]
fn a_supertype_is_the_one_that_its_path_names() {
    for (language, texts, names, expected) in [
        (
            "typescript",
            [
                ("a.ts", "export class Base {}\n"),
                ("b.ts", "export class Base {}\n"),
                (
                    "c.ts",
                    "import * as b from './b';\nimport * as out from 'out';\nclass One extends b.Base {}\nclass Base extends b.Base {}\nclass Two extends out.Base {}\n",
                ),
            ],
            [(0, "Base"), (1, "Base"), (2, "Base")],
            [&[][..], &["Base", "One"], &[]],
        ),
        (
            "python",
            [
                ("a.py", "class Base: pass\n"),
                ("b.py", "class Base: pass\n"),
                (
                    "c.py",
                    "import b\nimport out\nclass One(b.Base): pass\nclass Base(b.Base): pass\nclass Two(out.Base): pass\n",
                ),
            ],
            [(0, "Base"), (1, "Base"), (2, "Base")],
            [&[], &["Base", "One"], &[]],
        ),
        (
            "cpp",
            [
                ("a.h", "namespace a { class Base {}; }\n"),
                ("b.h", "namespace b { class Base {}; }\n"),
                (
                    "c.cc",
                    "#include \"a.h\"\n#include \"b.h\"\nclass One : public b::Base {};\nnamespace c { class Base : public ::a::Base {}; }\n",
                ),
            ],
            [(0, "a::Base"), (1, "b::Base"), (2, "c::Base")],
            [&["c::Base"], &["One"], &[]],
        ),
        (
            "csharp",
            [
                ("a.cs", "namespace A { class Base {} }\n"),
                ("b.cs", "namespace B { class Base {} }\n"),
                (
                    "c.cs",
                    "namespace C { class One : B.Base {} class Two : global::A.Base {} class Base : A.Base {} class Three : Out.Base {} }\n",
                ),
            ],
            [(0, "A.Base"), (1, "B.Base"), (2, "C.Base")],
            [&["C.Base", "C.Two"], &["C.One"], &[]],
        ),
        (
            "php",
            [
                ("a.php", "<?php\nnamespace A { class Base {} }\n"),
                ("b.php", "<?php\nnamespace B { class Base {} }\n"),
                (
                    "c.php",
                    "<?php\nnamespace C { class One extends \\B\\Base {} class Base extends \\A\\Base {} class Three extends \\Base {} class Four extends Out\\Base {} }\n",
                ),
            ],
            [(0, "A::Base"), (1, "B::Base"), (2, "C::Base")],
            [&["C::Base"], &["C::One"], &[]],
        ),
        (
            "java",
            [
                ("a/Base.java", "package a;\npublic class Base {}\n"),
                ("b/Base.java", "package b;\npublic class Base {}\n"),
                (
                    "c/One.java",
                    "package c;\nclass One extends b.Base {}\nclass Base extends a.Base {}\nclass Two extends out.Base {}\n",
                ),
            ],
            [(0, "Base"), (1, "Base"), (2, "Base")],
            [&["Base"], &["One"], &[]],
        ),
        (
            "go",
            [
                ("a/a.go", "package a\n\ntype Base struct{}\n"),
                ("b/b.go", "package b\n\ntype Base struct{}\n"),
                (
                    "c/c.go",
                    "package c\n\nimport (\n\t\"example.com/m/b\"\n\t\"out.com/x/out\"\n)\n\ntype One struct {\n\tb.Base\n}\n\ntype Base struct {\n\tout.Base\n}\n",
                ),
            ],
            [(0, "Base"), (1, "Base"), (2, "Base")],
            [&[], &["One"], &[]],
        ),
    ] {
        let manifest = ("go.mod", "module example.com/m\n");
        let all: Vec<(&str, &str)> = texts
            .into_iter()
            .chain((language == "go").then_some(manifest))
            .collect();
        assert_eq!(subtypes(language, &all, &names), expected, "{language}");
    }
}

#[test]
fn a_name_of_several_namespaces_is_the_one_of_the_enclosing_namespace() {
    let texts = [
        ("a.h", "namespace a { class Base {}; }\n"),
        ("b.h", "namespace b { class Base {}; }\n"),
        (
            "c.cc",
            "namespace a { namespace inner { class One : public Base {}; } }\n",
        ),
        ("d.cc", "class Two : public Base {};\n"),
    ];
    let found = subtypes("cpp", &texts, &[(0, "a::Base"), (1, "b::Base")]);
    assert_eq!(found, [vec!["a::inner::One"], vec![]]);
}

/// Returns the resolutions of the names between `«` and `»`.
fn resolutions(language: &str, texts: &[(&str, &str)]) -> Vec<Option<Resolution>> {
    let mut found = vec![];
    each_use(language, texts, |_, _, outcome| {
        found.push(match outcome {
            Some(Outcome::Targets(targets)) => Some(targets.resolution),
            _ => None,
        });
    });
    found
}

#[test]
fn a_module_calls_methods_of_the_classes_that_include_it() {
    let texts = [
        (
            "a.rb",
            "module Shop\n  module Parameters\n    def requires = «new_scope»\n    def run = «requires»\n  end\nend\n",
        ),
        (
            "b.rb",
            "module Shop\n  class Scope\n    include Parameters\n    def new_scope; end\n  end\nend\n",
        ),
        (
            "c_spec.rb",
            "describe 'it' do\n  let(:it) do\n    Class.new do\n      def new_scope; end\n      def call = «new_scope»\n    end\n  end\nend\n",
        ),
    ];
    let expected = [
        "b.rb:Shop::Scope::new_scope",
        "Shop::Parameters::requires",
        "new_scope",
    ];
    assert_eq!(meant("ruby", &texts), expected);
    let expected = [
        Resolution::Ambiguous,
        Resolution::Resolved,
        Resolution::Resolved,
    ];
    assert_eq!(resolutions("ruby", &texts), expected.map(Some));
}

#[test]
fn a_bare_call_in_a_module_is_uncertain_if_a_class_has_a_method_with_the_name() {
    let texts = [
        ("a.rb", "def save_all; end\ndef load_all; end\n"),
        (
            "b.rb",
            "module Storable\n  def run\n    «save_all»\n    «load_all»\n  end\nend\n",
        ),
        (
            "c.rb",
            "class Order\n  def save_all; end\n  def put = «load_all»\nend\nmodule Names\n  def list_all; end\nend\n",
        ),
        ("d.rb", "class Guest\n  def run = «list_all»\nend\n"),
    ];
    let expected = [
        "?a.rb:save_all|c.rb:Order::save_all",
        "a.rb:load_all",
        "a.rb:load_all",
        "?c.rb:Names::list_all",
    ];
    assert_eq!(meant("ruby", &texts), expected);
    let expected = [
        Resolution::Ambiguous,
        Resolution::Resolved,
        Resolution::Resolved,
        Resolution::Likely,
    ];
    assert_eq!(resolutions("ruby", &texts), expected.map(Some));
}

#[test]
fn a_mixin_reaches_the_classes_that_it_is_combined_with() {
    let texts = [
        (
            "a.py",
            "class View:\n    def start(self): ...\n    def handle(self): ...\n    def run(self):\n        self.«handle»()\n",
        ),
        (
            "b.py",
            "class Mixin:\n    def start(self):\n        super().«start»()\n        super().«unknown»()\n        self.«run»()\n    def handle(self): ...\n",
        ),
        (
            "c.py",
            "from a import View\nfrom b import Mixin\nclass Both(Mixin, View):\n    def go(self):\n        super().«handle»()\n",
        ),
    ];
    let expected = [
        "View.handle",
        "a.py:View.start",
        "foreign",
        "a.py:View.run",
        "b.py:Mixin.handle",
    ];
    assert_eq!(meant("python", &texts), expected);
    let expected = [
        Some(Resolution::Resolved),
        Some(Resolution::Ambiguous),
        None,
        Some(Resolution::Ambiguous),
        Some(Resolution::Resolved),
    ];
    assert_eq!(resolutions("python", &texts), expected);
    let bare = texts.map(|(path, text)| (path, text.replace(['«', '»'], "")));
    let bare: Vec<(&str, &str)> = bare.iter().map(|(path, text)| (*path, &**text)).collect();
    let files = Files::new("python", &bare);
    let graph = Graph::new(&files.snapshot, &files);
    let handle = graph.named("handle").find(|at| at.file == 1);
    let handle = handle.expect("in the mixin");
    assert!(graph.may_be_dispatched(handle));
    let found = graph
        .references()
        .to(handle, &CancelToken::default())
        .expect("not cancelled");
    let places: Vec<_> = found
        .iter()
        .map(|one| (one.file, one.row.line, one.by_dispatch))
        .collect();
    assert_eq!(places, [(0, 5, true), (2, 5, false)]);

    let traits = "<?php
class Base { function boot() {} }
trait Journal { function boot() { parent::«boot»(); } }
class Store extends Base { use Journal; }
";
    assert_eq!(meant("php", &[("a.php", traits)]), ["Base::boot"]);
}

#[test]
fn a_value_in_a_class_body_is_what_its_name_means_before_it_is_bound() {
    let text = "
class RootView: ...
class date: ...
def pick(): ...
LIMIT = 5

class Router:
    RootView = «RootView»
    LIMIT = «LIMIT»
    size = «LIMIT»
    date: «date» = None
    def go(self, pick=«pick», size=«LIMIT», view: «RootView» = «RootView»):
        return «pick»(), «LIMIT», self.«RootView»

def run(pick=«pick»):
    return «pick»
";
    let expected = [
        "RootView",
        "LIMIT",
        "Router.LIMIT",
        "date",
        "pick",
        "Router.LIMIT",
        "RootView",
        "Router.RootView",
        "local",
        "LIMIT",
        "Router.RootView",
        "pick",
        "local",
    ];
    assert_eq!(meant("python", &[("a.py", text)]), expected);
}

#[test]
fn types_of_one_name_in_many_files_keep_their_own_subtypes() {
    let text = |number: usize| {
        let derived = (0..3).map(|at| format!("class Case{at}(Base):\n    pass\n"));
        let derived: String = derived.collect();
        match number % 3 {
            // Derived from the class of another file.
            0 => format!("from m01 import Base\n{derived}"),
            _ => format!("class Base:\n    pass\n{derived}"),
        }
    };
    let texts: Vec<(String, String)> = (0..30)
        .map(|number| (format!("m{number:02}.py"), text(number)))
        .collect();
    let texts: Vec<(&str, &str)> = (texts.iter())
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let files = Files::new("python", &texts);
    let graph = Graph::new(&files.snapshot, &files);
    for at in graph.named("Base") {
        let below = graph.members().all_subtypes(at);
        let own = below.iter().filter(|one| one.at.file == at.file).count();
        let elsewhere = if graph.file(at.file).path == "m01.py" {
            30
        } else {
            0
        };
        let path = &graph.file(at.file).path;
        assert_eq!((own, below.len() - own), (3, elsewhere), "{path}");
        for one in below.iter() {
            let above = graph.members().supertypes(one.at);
            assert_eq!(
                above.iter().map(|(above, _)| *above).collect::<Vec<_>>(),
                [at]
            );
        }
    }
}
