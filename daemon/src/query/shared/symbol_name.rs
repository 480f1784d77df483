//! Names of symbols as callers write them, plain or qualified, and how well a symbol matches one.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::symbol::{self, SymbolKind};
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::find_symbol::SymbolMatch;
use claudevil_protocol::{ErrorCode, ToolError};

use super::containers::{is_word, own_containers, score_containers};
use super::loaded_root::LoadedRoot;
use super::similarity::{NameComparison, name_similarity};
use crate::extract::facts::Symbol;
use crate::graph::{Graph, SymbolId};
use crate::index::path_words::PathConvention;
use crate::index::snapshot::IndexedFile;
use crate::lang::conventions::OPERATOR;

const NEAREST: usize = 5;
/// Names less similar than this are different names.
const LEAST_SIMILARITY: f64 = 0.72;
/// The factor of symbols in built and third-party code, which come after their source.
const COPY_FACTOR: f64 = 0.5;
/// The factor of symbols in test files: they come after symbols of that name in the source, fields included, and before names
/// in another case.
const TEST_FACTOR: f64 = 0.93;
/// Less similar names are not even suggested: more than half of the letters differ.
const LEAST_SUGGESTED: f64 = 0.65;

/// A name that a caller asks for, parsed: `Parser::next` is `next` in `Parser`.
pub struct SymbolName {
    /// Outermost first.
    containers: Vec<String>,
    name: String,
    lower: String,
    /// As it was given.
    whole: String,
    /// The number of parameters, in a language that writes it behind the name: `put_header/3`.
    arity: Option<usize>,
}

impl SymbolName {
    pub fn parse(text: &str) -> Result<Self, ToolError> {
        let (plain, arity) = split_arity(text.trim().trim_end_matches("()"));
        let plain = with_dots(plain);
        let (around, key) = split_computed_key(&plain);
        let (around, operator) = split_operator(around);
        let parts = around.split(|sign: char| !is_word(sign));
        let parts = parts.chain([operator, key]).filter(|part| !part.is_empty());
        let mut parts: Vec<String> = parts.map(str::to_owned).collect();
        let name = parts.pop().filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| {
            ToolError::invalid_argument("name is empty: give the name of a symbol")
        })?;
        Ok(Self {
            containers: parts,
            lower: name.to_lowercase(),
            name,
            whole: text.to_owned(),
            arity,
        })
    }

    /// Returns the last part: `next` of `Parser::next`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether a symbol may have the number of parameters that the name ends with: `put_header/3`.
    pub fn has_arity(&self, graph: &Graph<'_>, at: SymbolId) -> bool {
        let entities = graph.entities();
        self.arity
            .is_none_or(|count| entities.accepts_arguments(at, count))
    }

    /// Returns whether it names no containers.
    pub fn is_bare(&self) -> bool {
        self.containers.is_empty()
    }

    /// Returns whether the containers of a symbol are exactly those of the name.
    pub fn has_all_containers(&self, file: &IndexedFile, symbol: &Symbol) -> bool {
        let own = own_containers(file, symbol);
        own.len() == self.containers.len()
            && own
                .iter()
                .zip(self.containers.iter().rev())
                .all(|(own, one)| own == one)
    }

    /// Returns whether the last container of the name is the one directly around a symbol, or there is none around it.
    pub fn is_directly_in(&self, file: &IndexedFile, symbol: &Symbol) -> bool {
        let Some(wanted) = self.containers.last() else {
            return true;
        };
        let words = |text: &str| {
            let mut words = text.split(|sign| !is_word(sign));
            words.any(|word| word.eq_ignore_ascii_case(wanted))
        };
        let own = symbol.name.rsplit_once(['.', '\\']);
        let container = own
            .map(|(own, _)| own)
            .or_else(|| file.containers(symbol).next());
        container.is_none_or(words)
    }

    /// Returns how well a symbol matches, if it does at all.
    pub fn score(&self, file: &IndexedFile, symbol: &Symbol, matching: SymbolMatch) -> Option<f64> {
        let own = match matching {
            SymbolMatch::Exact | SymbolMatch::Auto => self
                .score_exact(symbol)
                .or_else(|| self.score_without_sigil(file, symbol))?,
            SymbolMatch::Prefix => self.score_part(symbol, |own, name| own.starts_with(name))?,
            SymbolMatch::Substring => self.score_part(symbol, |own, name| own.contains(name))?,
            SymbolMatch::Fuzzy => self.score_fuzzy(symbol)?,
        };
        let by_containers = score_containers(&self.containers, file, symbol)
            .or_else(|| self.score_import_path(file, symbol))?;
        let conventions = file.path_words().conventions;
        let by_origin = if conventions.contains(PathConvention::Copy) {
            COPY_FACTOR
        } else if conventions.contains(PathConvention::Test) {
            TEST_FACTOR
        } else {
            1.0
        };
        Some(own * by_containers * priority(symbol.kind) * by_origin)
    }

    /// Returns the most similar names, the most similar first; qualified if this one is.
    pub fn nearest<'a>(
        &self,
        symbols: impl Iterator<Item = (&'a IndexedFile, &'a Symbol)>,
    ) -> Vec<String> {
        let comparison = NameComparison::new(&self.lower);
        let mut compared = HashSet::new();
        let mut near: Vec<(f64, Cow<'a, str>)> = symbols
            // Without containers, symbols with the same name make a single suggestion.
            .filter(|(_, symbol)| !self.containers.is_empty() || compared.insert(&*symbol.name))
            .filter_map(|(file, symbol)| {
                let lower = symbol.name.to_lowercase();
                let by_name = comparison.similarity_above(&lower, LEAST_SUGGESTED)?;
                Some(match self.containers.last() {
                    None => (by_name, Cow::Borrowed(&*symbol.name)),
                    Some(container) => {
                        let container = container.to_lowercase();
                        let by_container = own_containers(file, symbol)
                            .iter()
                            .map(|own| name_similarity(&container, &own.to_lowercase()))
                            .fold(0.0, f64::max);
                        (by_name + by_container, Cow::Owned(file.qualified(symbol)))
                    }
                })
            })
            .collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        near.dedup_by(|one, other| one.1 == other.1);
        near.into_iter()
            .take(NEAREST)
            .map(|(_, name)| name.into_owned())
            .collect()
    }

    pub fn not_found(
        &self,
        indexed: &LoadedRoot,
        candidates: &[(&Arc<IndexedFile>, &Symbol)],
    ) -> ToolError {
        let files = indexed.files_called(&self.whole);
        let mut error = if files.is_empty() {
            let nearest = candidates.iter().map(|(file, symbol)| (&***file, *symbol));
            symbol::not_found(&self.whole, &indexed.root.name, self.nearest(nearest))
        } else {
            not_found_but_files(&self.whole, &indexed.root.name, files)
        };
        if let Some(partial) = &indexed.freshness.partial {
            let so_far = match partial.total {
                0 => " so far: no files are indexed yet".to_owned(),
                total => format!(" so far: {} of {total} files are indexed", partial.done),
            };
            error.message = error.message.text(so_far);
        }
        let unindexed = indexed.snapshot.unindexed_files(None);
        if unindexed > 0 {
            let files = Line::from("; ").count(unindexed, "unindexed file");
            error.message = error.message.line(files.text(" not searched"));
        }
        // An error carries the same warnings as any answer.
        let others = Freshness {
            partial: None,
            ..indexed.freshness.clone()
        };
        for line in others.warnings() {
            error.message = error.message.text("; ").line(line);
        }
        indexed.unless_partial(error)
    }

    /// Scores a name behind an import path, which begins outside the root: `example.org/shop/v2/store.(*Store).Open`.
    fn score_import_path(&self, file: &IndexedFile, symbol: &Symbol) -> Option<f64> {
        let most = self.containers.len().checked_sub(2)?;
        let inside = (1..=most).filter(|_| self.whole.contains('/'));
        let mut scores =
            inside.filter_map(|from| score_containers(&self.containers[from..], file, symbol));
        scores.next().map(|score| score * 0.9)
    }

    fn score_exact(&self, symbol: &Symbol) -> Option<f64> {
        if *symbol.name == *self.name {
            return Some(1.0);
        }
        // A name that is a whole path is found by its last part too: `Shop.Store`.
        if symbol.name.ends_with(&*self.name) && last_part(&symbol.name) == self.name {
            return Some(0.99);
        }
        symbol.name.eq_ignore_ascii_case(&self.name).then_some(0.9)
    }

    /// Scores a variable that is written with a sign which is not part of its name: `Dispatcher::$listeners`.
    fn score_without_sigil(&self, file: &IndexedFile, symbol: &Symbol) -> Option<f64> {
        let sigil = file.language?.facts.as_ref()?.naming.variable_sigil?;
        let bare = self.name.strip_prefix(sigil)?;
        (*symbol.name == *bare).then_some(0.98)
    }

    fn score_part(&self, symbol: &Symbol, matches: impl Fn(&str, &str) -> bool) -> Option<f64> {
        let lower = symbol.name.to_lowercase();
        #[expect(clippy::cast_precision_loss, reason = "lengths of names")]
        let share = self.lower.len() as f64 / lower.len().max(1) as f64;
        matches(&lower, &self.lower).then_some(0.5 + 0.4 * share)
    }

    fn score_fuzzy(&self, symbol: &Symbol) -> Option<f64> {
        let similarity = name_similarity(&self.lower, &symbol.name.to_lowercase());
        (similarity >= LEAST_SIMILARITY).then_some(similarity * 0.8)
    }
}

/// Returns the error for a name that is no symbol's but that of files.
fn not_found_but_files(name: &str, root_name: &str, files: Vec<String>) -> ToolError {
    let call = NextCall::new("map_code")
        .with("path", files[0].as_str())
        .with("root", root_name);
    let message = match &files[..] {
        [only] if only == name => format!("`{name}` is a file of {root_name}, not a symbol"),
        _ => format!("no symbol `{name}` in {root_name}, but files of that name"),
    };
    ToolError::new(ErrorCode::SymbolNotFound, message)
        .with_candidates(files)
        .with_hint(Line::from(call).text(" lists its symbols"))
}

/// Splits off the number of parameters, which is not part of a name: `put_header/3` → `put_header` and 3.
fn split_arity(name: &str) -> (&str, Option<usize>) {
    let is_number = |text: &str| text.bytes().all(|sign| sign.is_ascii_digit());
    let parts = name.rsplit_once('/').filter(|(_, arity)| is_number(arity));
    match parts.and_then(|(name, arity)| Some((name, arity.parse().ok()?))) {
        Some((name, arity)) => (name, Some(arity)),
        None => (name, None),
    }
}

/// Splits a computed key off its containers: `[Symbol.iterator]` of `List.[Symbol.iterator]`.
fn split_computed_key(name: &str) -> (&str, &str) {
    let is_key = |at: &usize| {
        let before = &name[..*at];
        let has_name = name[*at..].contains(|sign: char| sign.is_alphanumeric());
        has_name && (before.is_empty() || before.ends_with(['.', ':', '#']))
    };
    let start = name.find('[').filter(|_| name.ends_with(']'));
    match start.filter(is_key) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    }
}

/// Splits an operator off its containers: `<=>`, `+` of `Point.+`, `operator+` of `Point::operator+`.
fn split_operator(name: &str) -> (&str, &str) {
    let is_letter = |sign: char| sign.is_alphanumeric() || sign == '_';
    let signs = name.trim_start_matches(|sign| is_letter(sign) || ".:#\\".contains(sign));
    let start = match name.rfind(OPERATOR) {
        Some(start) if name[start + OPERATOR.len()..] == *signs => start,
        _ => name.len() - signs.len(),
    };
    let ends_name = start == 0 || name[..start].ends_with(['.', ':', '#', '\\']);
    if signs.is_empty() || signs.contains(is_letter) || !ends_name {
        return (name, "");
    }
    name.split_at(start)
}

/// Replaces `#` between names by a dot: `Session#send` → `Session.send`. In `#send` it is part of the name.
fn with_dots(name: &str) -> String {
    let is_letter =
        |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
    let is_between = |at: usize| {
        is_letter(name[..at].chars().next_back()) && is_letter(name[at + 1..].chars().next())
    };
    name.char_indices()
        .map(|(at, sign)| {
            if sign == '#' && is_between(at) {
                '.'
            } else {
                sign
            }
        })
        .collect()
}

/// Returns the last part of a name that is a path: `Store` of `Shop.Store`.
pub fn last_part(name: &str) -> &str {
    name.rsplit(['.', '\\'])
        .next()
        .filter(|last| !last.is_empty())
        .unwrap_or(name)
}

/// Returns the factor of a kind: among symbols of one name, types and functions come before their parts.
fn priority(kind: SymbolKind) -> f64 {
    match kind {
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant | SymbolKind::Variable => {
            0.98
        }
        SymbolKind::Key | SymbolKind::Section => 0.95,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn names_are_parsed_as_languages_write_them() {
        for (asked, containers, name) in [
            ("process", vec![], "process"),
            ("Processor::process", vec!["Processor"], "process"),
            ("pkg.Type.method()", vec!["pkg", "Type"], "method"),
            ("Foo#bar", vec!["Foo"], "bar"),
            ("Foo.#bar", vec!["Foo"], "#bar"),
            ("Plug.Conn.put/3", vec!["Plug", "Conn"], "put"),
            ("App\\Cookie\\Jar", vec!["App", "Cookie"], "Jar"),
            ("a->b", vec!["a"], "b"),
            ("<=>", vec![], "<=>"),
            ("Point.+", vec!["Point"], "+"),
            ("geo::Point::operator==", vec!["geo", "Point"], "operator=="),
            ("Point.empty?", vec!["Point"], "empty?"),
            ("List.[Symbol.iterator]", vec!["List"], "[Symbol.iterator]"),
            ("[close]", vec![], "[close]"),
            ("A.~>", vec!["A"], "~>"),
            ("operator==", vec![], "operator=="),
            ("a::K::operator[]", vec!["a", "K"], "operator[]"),
            ("operator", vec![], "operator"),
            ("Filter.operator", vec!["Filter"], "operator"),
            ("größe", vec![], "größe"),
        ] {
            let parsed = SymbolName::parse(asked).expect(asked);
            assert_eq!(
                (parsed.containers, parsed.name.as_str()),
                (containers.iter().map(ToString::to_string).collect(), name)
            );
        }
        assert!(SymbolName::parse("  ").is_err());
    }

    #[test]
    fn a_sign_before_a_variable_is_not_part_of_its_name() {
        let text = "<?php\nclass Dispatcher {\n  protected $listeners = [];\n}\n";
        let files = Files::new("php", &[("a.php", text)]);
        for (name, expected) in [
            ("Dispatcher::$listeners", true),
            ("Dispatcher::listeners", true),
            ("Dispatcher::$listener", false),
        ] {
            let wanted = SymbolName::parse(name).expect(name);
            let mut all = files.snapshot.symbols();
            let is_found =
                all.any(|(file, own)| wanted.score(file, own, SymbolMatch::Exact).is_some());
            assert_eq!(is_found, expected, "{name}");
        }
    }

    #[test]
    fn a_qualifier_is_the_container_directly_around_a_symbol() {
        let text = "namespace a::b {\nunion U { int a; float b; };\nint z;\n}\nint y;\n";
        let files = Files::new("cpp", &[("a.cpp", text)]);
        for (name, expected) in [
            ("U::b", true),
            ("a::b::U::b", true),
            ("a::b", false),
            ("b::z", true),
            ("a::b::z", true),
            ("a::y", true),
        ] {
            let wanted = SymbolName::parse(name).expect(name);
            let mut symbols = files.snapshot.symbols();
            let (file, symbol) = symbols
                .find(|(_, symbol)| *symbol.name == *wanted.name())
                .expect(name);
            assert_eq!(wanted.is_directly_in(file, symbol), expected, "{name}");
        }
    }

    #[test]
    fn the_source_comes_before_tests_and_tests_before_copies() {
        let run = "package a\n\nfunc Run() {}\n";
        let files = [
            ("a/run_test.go", run),
            ("dist/run.go", run),
            (
                "z/field.go",
                "package z\n\ntype Job struct {\n\tRun bool\n}\n",
            ),
            ("z/run.go", run),
        ];
        let files = Files::new("go", &files);
        let wanted = SymbolName::parse("Run").expect("a name");
        let scored = files.snapshot.symbols().filter_map(|(file, symbol)| {
            let score = wanted.score(file, symbol, SymbolMatch::Exact)?;
            Some((score, file.path.as_str()))
        });
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0));
        let paths: Vec<&str> = scored.iter().map(|(_, path)| *path).collect();
        let expected = ["z/run.go", "z/field.go", "a/run_test.go", "dist/run.go"];
        assert_eq!(paths, expected);
    }

    #[test]
    fn a_package_has_the_name_that_its_files_declare() {
        let mux = "package chi\n\ntype Mux struct{}\n\nfunc (mx *Mux) Handle() {}\n";
        let other = "package other\n\ntype Mux struct{}\n\nfunc (mx *Mux) Handle() {}\n";
        let files = Files::new(
            "go",
            &[
                ("deep/v5/mux.go", mux),
                ("mux.go", mux),
                ("other/mux.go", other),
            ],
        );
        for (name, expected) in [
            (
                "chi.Mux",
                vec![("deep/v5/mux.go", "Mux"), ("mux.go", "Mux")],
            ),
            (
                "chi.Mux.Handle",
                vec![("deep/v5/mux.go", "Handle"), ("mux.go", "Handle")],
            ),
            ("deep.chi.Mux", vec![("deep/v5/mux.go", "Mux")]),
            ("v5.Mux", vec![("deep/v5/mux.go", "Mux")]),
            ("other.Mux.Handle", vec![("other/mux.go", "Handle")]),
            ("nothing.Mux", vec![]),
        ] {
            let wanted = SymbolName::parse(name).expect(name);
            let scored = files.snapshot.symbols().filter_map(|(file, symbol)| {
                let score = wanted.score(file, symbol, SymbolMatch::Exact)?;
                Some((score, (file.path.as_str(), &*symbol.name)))
            });
            let scored: Vec<_> = scored.collect();
            let most = scored.iter().map(|(score, _)| *score).fold(0.0, f64::max);
            let best: Vec<_> = scored
                .into_iter()
                .filter(|(score, _)| *score >= most)
                .map(|(_, found)| found)
                .collect();
            assert_eq!(best, expected, "{name}");
        }
    }

    #[test]
    fn a_namespace_at_the_head_of_a_file_is_a_part_of_the_name() {
        let jar =
            "<?php\nnamespace Acme\\Cookie;\n\nclass Jar {\n    public function add() {}\n}\n";
        let other =
            "<?php\nnamespace Acme\\Other;\n\nclass Jar {\n    public function add() {}\n}\n";
        let files = Files::new("php", &[("lib/One.php", jar), ("lib/Two.php", other)]);
        for (name, expected) in [
            ("Acme\\Cookie\\Jar", vec!["lib/One.php"]),
            ("\\Acme\\Cookie\\Jar::add", vec!["lib/One.php"]),
            ("Acme\\Other\\Jar", vec!["lib/Two.php"]),
            ("Acme\\None\\Jar", vec![]),
        ] {
            let wanted = SymbolName::parse(name).expect(name);
            let fits = |file: &IndexedFile, symbol: &Symbol| {
                wanted.score(file, symbol, SymbolMatch::Exact).is_some()
            };
            let found = files
                .snapshot
                .symbols()
                .filter(|(file, symbol)| fits(file, symbol));
            assert_eq!(
                found
                    .map(|(file, _)| file.path.as_str())
                    .collect::<Vec<_>>(),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn a_misspelled_container_leads_to_the_intended_symbol() {
        let text = "class Session:\n    def send(self): pass\n\nclass Adapter:\n    def send(self): pass\n\ndef send(): pass\n";
        let files = Files::new("python", &[("a.py", text)]);
        let wanted = SymbolName::parse("Sesion.send").expect("a name");
        let nearest = wanted.nearest(
            files
                .snapshot
                .symbols()
                .map(|(file, symbol)| (&**file, symbol)),
        );
        assert_eq!(
            nearest.first().map(String::as_str),
            Some("Session.send"),
            "{nearest:?}"
        );
        let plain = SymbolName::parse("sned").expect("a name");
        let nearest = plain.nearest(
            files
                .snapshot
                .symbols()
                .map(|(file, symbol)| (&**file, symbol)),
        );
        assert_eq!(nearest, ["send"]);
    }

    #[test]
    fn misspelled_names_are_similar_and_other_names_are_not() {
        assert!(name_similarity("find_symbl", "find_symbol") > LEAST_SIMILARITY);
        assert!(name_similarity("pasre", "parse") > LEAST_SIMILARITY);
        assert!(name_similarity("parse", "render") < LEAST_SIMILARITY);
        assert!(name_similarity("get", "get_all_the_things") < LEAST_SIMILARITY);
    }
}
