//! The symbols of a root that nothing uses.
//!
//! Every use in every file is resolved, except uses of names whose symbols are all known to be used by then, so most symbols
//! cost one resolution. The result is a preselection, to be confirmed by the references of each symbol.

use std::collections::HashMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};

use super::{Graph, Outcome, Resolution, SymbolId, Targets, Use};
use crate::extract::facts::{Relation, Role};
use crate::extract::type_expr::is_word;
use crate::index::root_paths::folder;
use crate::lang::families::Feature;
use crate::lang::{ImplicitScope, ModuleSystem};
use crate::source::cancel::CancelToken;

/// The most uses of one name that are resolved. Symbols with more of them are not examined.
const MAX_RESOLVED: u32 = 400;

/// The strongest evidence that a symbol is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Usage {
    #[default]
    Unused,
    /// Uses match by name only.
    ByName,
    /// Only tests use it.
    ByTests,
    Used,
    /// Too many uses have its name.
    NotExamined,
}

/// Symbols that share a name.
#[derive(Default)]
struct Namesakes {
    /// Their indices in the table.
    places: Vec<usize>,
    resolved: u32,
}

impl<'a> Graph<'a> {
    /// Finds the strongest evidence that each symbol is used, in the order of the symbols. Uses of a symbol by itself do not
    /// count.
    pub fn find_usage(
        &self,
        symbols: impl Iterator<Item = SymbolId>,
        cancel: &CancelToken,
    ) -> Result<Vec<(SymbolId, Usage)>, ToolError> {
        let mut table: Vec<(SymbolId, Usage)> = symbols.map(|at| (at, Usage::Unused)).collect();
        let mut names: HashMap<&'a str, Namesakes> = HashMap::new();
        for (place, (at, _)) in table.iter().enumerate() {
            let namesakes = names.entry(&self.symbol(*at).name).or_default();
            namesakes.places.push(place);
        }
        let count = u32::try_from(self.snapshot.files.len()).unwrap_or(u32::MAX);
        // Tests come last, so that names that other code uses need not be resolved there.
        let (tests, code): (Vec<u32>, Vec<u32>) =
            (0..count).partition(|file| self.tests().is_test_file(*file));
        for file in code.into_iter().chain(tests) {
            cancel.check()?;
            if self.has_uses(file) && !self.file(file).outline.chunks.is_empty() {
                self.add_uses(file, &mut names, &mut table, cancel)?;
            }
        }
        Ok(table)
    }

    fn add_uses(
        &self,
        file: u32,
        names: &mut HashMap<&'a str, Namesakes>,
        table: &mut [(SymbolId, Usage)],
        cancel: &CancelToken,
    ) -> Result<(), ToolError> {
        let uses = self.uses(file);
        for (number, row) in uses.rows().iter().enumerate() {
            if number % 256 == 0 {
                cancel.check()?;
            }
            let Some(namesakes) = names.get_mut(uses.name(row)) else {
                continue;
            };
            let can_use = |(at, usage): &(SymbolId, Usage)| {
                *usage < Usage::Used
                    && self.same_language_family(at.file, file)
                    && self.scopes().can_use(*at, file)
            };
            if row.role.binds() || !namesakes.places.iter().any(|at| can_use(&table[*at])) {
                continue;
            }
            namesakes.resolved += 1;
            if namesakes.resolved > MAX_RESOLVED {
                for place in &namesakes.places {
                    let usage = &mut table[*place].1;
                    if *usage < Usage::Used {
                        *usage = Usage::NotExamined;
                    }
                }
                continue;
            }
            let outcome = self.resolver().resolve(file, &uses, row);
            let (targets, usage) = match &outcome {
                Outcome::Targets(targets) => (Some(targets), self.usage_by(file, row, targets)),
                Outcome::Unknown => (None, Usage::ByName),
                Outcome::Local | Outcome::Foreign => continue,
            };
            for place in &namesakes.places {
                let (at, known) = &mut table[*place];
                let is_target = targets.is_none_or(|targets| {
                    let mut symbols = targets.symbols.iter();
                    symbols.any(|one| self.is_same_name(*one, *at))
                });
                if usage > *known && is_target && !self.is_own_use(*at, file, row) {
                    *known = usage;
                }
            }
        }
        Ok(())
    }

    /// Returns whether two symbols are one entity, or one name that is defined under several conditions: `get = None` in one
    /// branch and `def get()` in the other, `open` of `open_linux.go` and of `open_windows.go`.
    fn is_same_name(&self, one: SymbolId, other: SymbolId) -> bool {
        let shares_folder = |at: SymbolId| {
            let rules = self.rules(at.file);
            rules.is_some_and(|rules| rules.implicit_scope == ImplicitScope::Folder)
        };
        let is_near = one.file == other.file
            || shares_folder(one)
                && folder(&self.file(one.file).path) == folder(&self.file(other.file).path);
        let (first, second) = (self.symbol(one), self.symbol(other));
        let is_alternative = is_near
            && (&first.name, &first.scope) == (&second.name, &second.scope)
            && (first.parent == second.parent && one.file == other.file
                || first.parent.is_none() && second.parent.is_none());
        is_alternative || self.entities().are_same(one, other)
    }

    fn usage_by(&self, file: u32, row: &Use, targets: &Targets) -> Usage {
        if targets.by_name || targets.resolution == Resolution::NameOnly {
            return Usage::ByName;
        }
        let tests = self.tests();
        let is_test = |symbol| tests.is_test(SymbolId { file, symbol });
        if tests.is_test_file(file) || row.symbol.is_some_and(is_test) {
            Usage::ByTests
        } else {
            Usage::Used
        }
    }

    /// Returns whether code can use a symbol without its name, by an operator or implicitly: `a + b`, `store(1)`, an implicit
    /// argument. Such uses are not found.
    pub fn is_used_without_name(&self, at: SymbolId) -> bool {
        let (file, symbol) = (self.file(at.file), self.symbol(at));
        let Some(facts) = file.language.and_then(|language| language.facts.as_ref()) else {
            return false;
        };
        let family = facts.names.family;
        let is_implemented = |name: &str| {
            let is_it = |one: &Relation| {
                *one.target == *name && Some(&one.subject) == symbol.scope.as_ref()
            };
            file.outline.relations.iter().any(is_it)
        };
        let is_operator = || !facts.names.named_operators && !symbol.name.contains(is_word);
        let is_called = || {
            family.is_called_by_syntax(&symbol.name)
                || family
                    .operator_trait(&symbol.name)
                    .is_some_and(is_implemented)
        };
        facts.naming.has_implicit_modifier(&symbol.signature)
            || symbol.kind.is_callable() && (is_operator() || is_called())
    }

    /// Returns whether a use is a part of the symbol itself: recursion, a method of the type, the head of `impl Store {`.
    pub fn is_own_use(&self, of: SymbolId, file: u32, row: &Use) -> bool {
        let is_part =
            |at: SymbolId| self.entities().are_same(at, of) || self.members().owner(at) == Some(of);
        if self.enclosing(file, row.symbol).any(is_part) {
            return true;
        }
        let has_blocks = self
            .rules(file)
            .is_some_and(|rules| rules.has(Feature::ImplBlocks));
        let kind = self.symbol(of).kind;
        row.symbol.is_none() && row.role == Role::Type && has_blocks && kind != SymbolKind::Trait
    }

    /// Returns whether a use without a target in the root may refer to a symbol after all: as a member of a value whose type is
    /// not fully known, or as a name in a module that the symbol's path names (`index::read` of `index/enabled.rs`).
    pub fn may_refer_to(&self, of: SymbolId, file: u32, row: &Use) -> bool {
        let uses = self.uses(file);
        let can_use = self.same_language_family(of.file, file) && self.scopes().can_use(of, file);
        if row.role.binds() || !can_use || self.is_own_use(of, file, row) {
            return false;
        }
        let Some(qualifier) = uses.qualifier(row) else {
            // A variable is bound only after its value, `size := size(text)`. A name may also be assigned in one branch and
            // defined in another.
            let mut binds = uses
                .named(&self.symbol(of).name)
                .filter(|one| one.role.binds());
            return binds.any(|one| {
                row.role == Role::Call && one.line == row.line
                    || of.file == file && one.symbol == self.symbol(of).parent
            });
        };
        let is_lost = || {
            let outcome = self.resolver().resolve(file, &uses, row);
            matches!(outcome, Outcome::Foreign | Outcome::Unknown)
        };
        if self.members().owner(of).is_some() {
            return is_lost();
        }
        let module = qualifier.rsplit(|sign: char| !is_word(sign)).next();
        let path = &self.file(of.file).path;
        let mut parts = path.split('/').map(|part| part.split('.').next());
        parts.any(|part| part == module) && is_lost()
    }

    /// Returns the visibility of a symbol, limited by the visibility of what contains it.
    pub fn effective_visibility(&self, at: SymbolId) -> Visibility {
        let symbol = self.symbol(at);
        let file = self.file(at.file);
        let rules = self.rules(at.file);
        let package = file.outline.package.as_deref();
        let is_program = rules
            .zip(package)
            .is_some_and(|(rules, package)| !rules.family.is_importable_package(package));
        let is_internal = rules.is_some_and(|rules| {
            let mut folders = file.path.split('/');
            folders.any(|folder| rules.family.is_internal_folder(folder))
        });
        if is_program || is_internal {
            return symbol
                .visibility
                .unwrap_or(Visibility::Internal)
                .max(Visibility::Internal);
        }
        let around = self.members().owner(at).or_else(|| self.parent(at));
        // A name that is not exported is private to its file: `function open() {}` in JavaScript.
        let stays = || rules.is_some_and(|rules| rules.modules == ModuleSystem::Relative);
        let own = symbol.visibility.unwrap_or_else(|| match around {
            None if stays() => Visibility::Private,
            _ => Visibility::Public,
        });
        match around.filter(|around| *around != at) {
            Some(around) => self
                .deeper(|| Some(self.effective_visibility(around)))
                .unwrap_or(Visibility::Public)
                .max(own),
            None => own,
        }
    }

    /// Returns whether a method may be called by dispatch: it overrides or implements a method or is overridden, or its owner
    /// is an interface or a trait.
    pub fn may_be_dispatched(&self, at: SymbolId) -> bool {
        let symbol = self.symbol(at);
        let Some(owner) = self.members().owner(at) else {
            return false;
        };
        if !matches!(
            symbol.kind,
            SymbolKind::Method | SymbolKind::Property | SymbolKind::Function
        ) {
            return false;
        }
        let is_abstract = matches!(
            self.symbol(owner).kind,
            SymbolKind::Interface | SymbolKind::Trait
        );
        let is_structural = self
            .rules(at.file)
            .is_some_and(|rules| rules.has(Feature::StructuralInterfaces));
        is_abstract
            || is_structural
                && (symbol.visibility == Some(Visibility::Public) || self.is_in_interface(at))
            || !self.members().overridden(at).is_empty()
            || !self.members().overriding(at).is_empty()
    }

    /// Returns whether an interface declares a method of the same name.
    fn is_in_interface(&self, at: SymbolId) -> bool {
        let is_abstract = |owner: SymbolId| self.symbol(owner).kind == SymbolKind::Interface;
        let mut namesakes = self.named(&self.symbol(at).name);
        namesakes.any(|one| {
            self.same_language_family(one.file, at.file)
                && self.members().owner(one).is_some_and(is_abstract)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    fn usage(language: &str, files: &[(&str, &str)]) -> Vec<(String, Usage)> {
        let files = Files::new(language, files);
        let graph = Graph::new(&files.snapshot, &files);
        let symbols = (0..)
            .zip(&files.snapshot.files)
            .flat_map(|(file, indexed)| {
                let count = u32::try_from(indexed.outline.symbols.len()).expect("few");
                (0..count).map(move |symbol| SymbolId { file, symbol })
            });
        let table = graph
            .find_usage(symbols, &CancelToken::default())
            .expect("not cancelled");
        table
            .iter()
            .map(|(at, usage)| (graph.symbol(*at).name.to_string(), *usage))
            .collect()
    }

    #[test]
    fn a_symbol_is_used_by_others_and_not_by_itself() {
        let code = "fn used() {}\nfn again() { again() }\nfn main() { used(); again_2() }\nstruct Lone;\n\
                    impl Lone {\n    fn make() -> Lone { Lone }\n}\n";
        let found = usage("rust", &[("src/main.rs", code)]);
        let of = |name: &str| found.iter().find(|(own, _)| own == name).expect(name).1;
        assert_eq!(of("used"), Usage::Used);
        assert_eq!(of("again"), Usage::Unused);
        assert_eq!(of("Lone"), Usage::Unused);
    }

    #[test]
    fn a_use_of_another_symbol_with_the_name_does_not_count() {
        let found = usage(
            "go",
            &[
                ("a/a.go", "package a\n\nfunc load() {}\n"),
                (
                    "b/b.go",
                    "package b\n\nfunc load() {}\n\nfunc Run() { load() }\n",
                ),
                (
                    "b/b_test.go",
                    "package b\n\nfunc help() {}\n\nfunc TestRun() { Run() }\n",
                ),
                (
                    "c/c_linux.go",
                    "package c\n\nfunc turn() {}\n\nfunc Go() { turn() }\n",
                ),
                ("c/c_other.go", "package c\n\nfunc turn() {}\n"),
            ],
        );
        let of = |name: &str| -> Vec<Usage> {
            let own = found.iter().filter(|(own, _)| own == name);
            own.map(|(_, usage)| *usage).collect()
        };
        assert_eq!(of("load"), [Usage::Unused, Usage::Used]);
        assert_eq!(of("Run"), [Usage::ByTests]);
        assert_eq!(of("help"), [Usage::Unused]);
        // Only one of them is built for each platform.
        assert_eq!(of("turn"), [Usage::Used, Usage::Used]);
    }

    #[test]
    fn a_used_symbol_stays_used_when_its_name_is_too_common() {
        let head = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n\
                    def use(a: A, x):\n    a.run()\n";
        let code = format!(
            "{head}{}",
            "    x.run()\n".repeat(MAX_RESOLVED as usize + 1)
        );
        let found = usage("python", &[("a.py", &code)]);
        let own = found.iter().filter(|(name, _)| name == "run");
        let own: Vec<Usage> = own.map(|(_, usage)| *usage).collect();
        assert_eq!(own, [Usage::Used, Usage::NotExamined]);
    }

    #[test]
    fn operators_and_implicit_values_are_used_without_their_names() {
        for (language, code, expected) in [
            (
                "kotlin",
                "class V {\n operator fun plus(o: V) = o\n fun minus(o: V) = o\n}\n",
                &["plus"][..],
            ),
            (
                "csharp",
                "class V {\n public static V operator +(V a, V b) => a;\n ~V() {}\n int Plus() => 1;\n}\n",
                &["+", "~V"],
            ),
            (
                "swift",
                "struct V {\n static func == (a: V, b: V) -> Bool { true }\n subscript(i: Int) -> Int { 1 }\n func callAsFunction() {}\n func run() {}\n}\nclass W { deinit {} }\n",
                &["==", "subscript", "callAsFunction", "deinit"],
            ),
            (
                "scala",
                "object V {\n def apply(a: Int) = a\n def run(implicit a: Int) = a\n implicit val order: Int = 1\n private implicit def make: V = null\n}\n",
                &["apply", "order", "make"],
            ),
            (
                "dart",
                "class V {\n V operator +(V o) => o;\n int call() => 1;\n int run() => 1;\n}\n",
                &["+", "call"],
            ),
            (
                "python",
                "class V:\n    def __add__(self, o): pass\n    def __init__(self): pass\n    def __iter__(self): pass\n",
                &["__add__"],
            ),
            (
                "ruby",
                "class V\n  def +(o) = o\n  def run = 1\nend\n",
                &["+"],
            ),
            (
                "cpp",
                "struct V {\n V operator+(V o) { return o; }\n int operators() { return 1; }\n operator bool() const { return true; }\n ~V() {}\n};\n",
                &["operator+", "operator bool", "~V"],
            ),
            (
                "rust",
                "struct V;\nimpl Add for V {\n fn add(self, o: V) -> V { o }\n}\nimpl V {\n fn sub(self, o: V) -> V { o }\n}\n",
                &["add"],
            ),
            (
                "haskell",
                "module V where\n(+++) :: Int -> Int -> Int\na +++ b = a\n",
                &[],
            ),
        ] {
            let files = Files::new(language, &[("a", code)]);
            let graph = Graph::new(&files.snapshot, &files);
            let symbols = &files.snapshot.files[0].outline.symbols;
            let found = (0..).zip(symbols);
            let found = found.filter(|(symbol, _)| {
                let symbol = *symbol;
                graph.is_used_without_name(SymbolId { file: 0, symbol })
            });
            let found: Vec<&str> = found.map(|(_, symbol)| &*symbol.name).collect();
            assert_eq!(found, expected, "{language}");
        }
    }

    #[test]
    fn a_name_of_two_branches_may_be_meant_in_both() {
        let code = "try:\n    get = None\nexcept E:\n    def get(a):\n        return a\n\n\ndef run():\n    return get(1)\n";
        let files = Files::new("python", &[("a.py", code)]);
        let graph = Graph::new(&files.snapshot, &files);
        let get = graph.named("get").next().expect("defined");
        let uses = graph.uses(0);
        let call = uses.named("get").find(|row| row.role == Role::Call);
        assert!(graph.may_refer_to(get, 0, call.expect("a call")));
        let run = graph.named("run").next().expect("defined");
        assert!(!graph.may_refer_to(run, 0, call.expect("a call")));
    }

    #[test]
    fn a_class_that_a_class_attribute_of_its_name_holds_is_used() {
        let code = "class View: ...\nclass Router:\n    View = View\n";
        let found = usage("python", &[("a.py", code)]);
        assert_eq!(found[0], ("View".to_owned(), Usage::Used));
    }

    #[test]
    fn a_public_method_of_a_private_type_is_private() {
        let code = "struct Store;\nimpl Store {\n    pub fn open() {}\n}\npub struct Shop;\nimpl Shop {\n    pub fn open() {}\n}\n";
        let files = Files::new("rust", &[("src/lib.rs", code)]);
        let graph = Graph::new(&files.snapshot, &files);
        let open: Vec<Visibility> = graph
            .named("open")
            .map(|at| graph.effective_visibility(at))
            .collect();
        assert_eq!(open, [Visibility::Private, Visibility::Public]);
    }
}
