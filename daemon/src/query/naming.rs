//! Names of symbols as callers give them: plain or qualified, exact or nearly so.

use std::borrow::Cow;
use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::symbol::{self, SymbolKind};
use claudevil_protocol::tools::find_symbol::SymbolMatch;

use super::indexed::Indexed;
use crate::extract::facts::Symbol;
use crate::index::names::namespace_of;
use crate::index::path_words::Custom;
use crate::index::snapshot::IndexedFile;

const NEAREST: usize = 5;
/// Below this a name is another name.
const FUZZY_FLOOR: f64 = 0.72;
/// A copy comes after its source.
const COPY_FACTOR: f64 = 0.5;

/// A name that was asked for, taken apart.
pub struct Asked {
    /// What it is in, outermost first.
    containers: Vec<String>,
    name: String,
    lower: String,
    /// As it was given.
    whole: String,
}

impl Asked {
    pub fn new(asked: &str) -> Result<Self, ToolError> {
        let plain = without_arity(asked.trim().trim_end_matches("()"));
        // Between two names it stands for a member of the first; before one it is a part of it.
        let plain = member_signs(plain);
        // An operator is a name of its own.
        let mut parts: Vec<String> = if plain.chars().any(is_word) {
            plain
                .split(|sign: char| !is_word(sign))
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect()
        } else {
            vec![plain]
        };
        let name = parts.pop().filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| {
            ToolError::invalid_argument("name is empty: give the name of a symbol")
        })?;
        Ok(Self {
            containers: parts,
            lower: name.to_lowercase(),
            name,
            whole: asked.to_owned(),
        })
    }

    /// The last part.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a symbol has exactly what was said around it, and nothing more.
    pub fn is_all_of(&self, file: &IndexedFile, symbol: &Symbol) -> bool {
        let around = around(file, symbol);
        around.len() == self.containers.len()
            && around
                .iter()
                .zip(self.containers.iter().rev())
                .all(|(own, one)| own == one)
    }

    /// How well a symbol matches, if it does at all.
    pub fn score(&self, file: &IndexedFile, symbol: &Symbol, matching: SymbolMatch) -> Option<f64> {
        let own = match matching {
            SymbolMatch::Exact | SymbolMatch::Auto => self.exact(symbol)?,
            SymbolMatch::Prefix => self.partly(symbol, |name, asked| name.starts_with(asked))?,
            SymbolMatch::Substring => self.partly(symbol, |name, asked| name.contains(asked))?,
            SymbolMatch::Fuzzy => self.fuzzy(symbol)?,
        };
        let customs = file.path_words().customs;
        let copied = if customs.contains(Custom::Copy) {
            COPY_FACTOR
        } else {
            1.0
        };
        Some(own * self.fit(file, symbol)? * priority(symbol.kind) * copied)
    }

    /// The most similar names, the most similar first. Who says what it is in gets that too.
    pub fn nearest<'a>(
        &self,
        symbols: impl Iterator<Item = (&'a IndexedFile, &'a Symbol)>,
    ) -> Vec<String> {
        let mut near: Vec<(f64, Cow<'a, str>)> = symbols
            .filter_map(|(file, symbol)| {
                let alike = likeness(&self.lower, &symbol.name.to_lowercase());
                (alike > 0.5).then(|| match self.containers.last() {
                    None => (alike, Cow::Borrowed(&*symbol.name)),
                    Some(container) => {
                        let container = container.to_lowercase();
                        let own = around(file, symbol);
                        let most = own
                            .iter()
                            .map(|own| likeness(&container, &own.to_lowercase()))
                            .fold(0.0, f64::max);
                        (alike + most, Cow::Owned(file.qualified(symbol)))
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
        indexed: &Indexed,
        candidates: &[(&Arc<IndexedFile>, &Symbol)],
    ) -> ToolError {
        let nearest = self.nearest(candidates.iter().map(|(file, symbol)| (&***file, *symbol)));
        let mut error = symbol::not_found(&self.whole, &indexed.root.name, nearest);
        if let Some(partial) = &indexed.freshness.partial {
            let so_far = match partial.total {
                0 => " so far: no files are indexed yet".to_owned(),
                total => format!(" so far: {} of {total} files are indexed", partial.done),
            };
            error.message = error.message.text(so_far);
        }
        // Nowhere is an answer too, and may be as old as any other.
        let others = Freshness {
            partial: None,
            ..indexed.freshness.clone()
        };
        for line in others.warnings() {
            error.message = error.message.text("; ").line(line);
        }
        error
    }

    fn exact(&self, symbol: &Symbol) -> Option<f64> {
        if *symbol.name == *self.name {
            return Some(1.0);
        }
        // A name that is a whole path is asked for by its last part too.
        if last_of(&symbol.name) == self.name {
            return Some(0.99);
        }
        symbol.name.eq_ignore_ascii_case(&self.name).then_some(0.9)
    }

    fn partly(&self, symbol: &Symbol, matches: impl Fn(&str, &str) -> bool) -> Option<f64> {
        let lower = symbol.name.to_lowercase();
        #[expect(clippy::cast_precision_loss, reason = "lengths of names")]
        let share = self.lower.len() as f64 / lower.len().max(1) as f64;
        matches(&lower, &self.lower).then_some(0.5 + 0.4 * share)
    }

    fn fuzzy(&self, symbol: &Symbol) -> Option<f64> {
        let likeness = likeness(&self.lower, &symbol.name.to_lowercase());
        (likeness >= FUZZY_FLOOR).then_some(likeness * 0.8)
    }

    /// How what was named around it stands around it, if it does, in that order.
    fn fit(&self, file: &IndexedFile, symbol: &Symbol) -> Option<f64> {
        if self.containers.is_empty() {
            return Some(1.0);
        }
        let around = around(file, symbol);
        // A package or module is often only the folder or the file.
        let path: Vec<&str> = file
            .path
            .rsplit('/')
            .map(|part| part.split('.').next().unwrap_or(part))
            .collect();
        let wanted: Vec<&str> = self.containers.iter().rev().map(String::as_str).collect();
        let by_path = fit(&wanted, &around, &path);
        // One that says what it is called need not be called like its folder.
        let by_package = package(file).and_then(|package| {
            fit(
                &wanted,
                &around,
                &[&[package], path.get(2..).unwrap_or_default()].concat(),
            )
        });
        // A namespace that is said at the head of a file has none of its symbols in it.
        let namespace = namespace(file, symbol).unwrap_or_default();
        let spaces = namespace
            .rsplit(|sign| !is_word(sign))
            .filter(|part| !part.is_empty());
        let inside: Vec<&str> = around.iter().copied().chain(spaces).collect();
        let by_namespace = if inside.len() > around.len() {
            fit(&wanted, &inside, &path)
        } else {
            None
        };
        [by_path, by_package, by_namespace]
            .into_iter()
            .flatten()
            .reduce(f64::max)
    }
}

/// What stands around a symbol, innermost first, each part by itself.
fn around<'a>(file: &'a IndexedFile, symbol: &'a Symbol) -> Vec<&'a str> {
    let own = symbol.name.rsplit(['.', '\\']).skip(1);
    let containers = file
        .containers(symbol)
        .flat_map(|container| container.rsplit(|sign| !is_word(sign)));
    own.chain(containers)
        .filter(|part| !part.is_empty())
        .collect()
}

/// What a file says its symbols are in, without anything of it standing around them.
fn namespace(file: &IndexedFile, symbol: &Symbol) -> Option<String> {
    let place = file
        .outline
        .symbols
        .iter()
        .position(|one| std::ptr::eq(one, symbol))?;
    namespace_of(file, u32::try_from(place).ok())
}

/// `put_header/3` is `put_header`: how many arguments it takes is no part of its name.
fn without_arity(name: &str) -> &str {
    match name.rsplit_once('/') {
        Some((name, arity))
            if !arity.is_empty() && arity.bytes().all(|sign| sign.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    }
}

/// `Session#send` as `Session.send`.
fn member_signs(name: &str) -> String {
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

/// What a file says that its folder is called as a package.
fn package(file: &IndexedFile) -> Option<&str> {
    file.outline.package.as_deref()
}

/// All innermost first. As it is written before any other case, symbols before the path, without gaps before with some: a
/// name as an answer writes it means that one symbol, whatever files and folders are called.
fn fit(wanted: &[&str], around: &[&str], path: &[&str]) -> Option<f64> {
    let same = |one: &str, other: &str| one == other;
    fit_by(same, wanted, around, path)
        .or_else(|| Some(fit_by(str::eq_ignore_ascii_case, wanted, around, path)? * 0.9))
}

fn fit_by(
    is: impl Fn(&str, &str) -> bool,
    wanted: &[&str],
    around: &[&str],
    path: &[&str],
) -> Option<f64> {
    let begins = |all: &[&str], first: &[&str]| {
        all.len() >= first.len() && first.iter().zip(all).all(|(one, other)| is(one, other))
    };
    if begins(around, wanted) {
        return Some(1.0);
    }
    // The root of a crate is called like no folder.
    let wanted = wanted.strip_suffix(&["crate"]).unwrap_or(wanted);
    let outside = wanted
        .get(around.len()..)
        .filter(|_| begins(wanted, around));
    if outside.is_some_and(|outside| {
        (0..2).any(|from| path.get(from..).is_some_and(|path| begins(path, outside)))
    }) {
        return Some(0.97);
    }
    // Each behind the one before it.
    let has_all = |all: &[&str]| {
        let mut all = all.iter();
        wanted.iter().all(|one| all.any(|other| is(one, other)))
    };
    if has_all(around) {
        Some(0.94)
    } else {
        has_all(&[around, path].concat()).then_some(0.91)
    }
}

/// Whether a sign is a part of a name, whatever the language.
fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || "_$#@!?~".contains(sign)
}

/// The last part of a name that is a path.
fn last_of(name: &str) -> &str {
    name.rsplit(['.', '\\'])
        .next()
        .filter(|last| !last.is_empty())
        .unwrap_or(name)
}

/// Types and functions before their parts, among symbols of the same name.
fn priority(kind: SymbolKind) -> f64 {
    match kind {
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant | SymbolKind::Variable => {
            0.98
        }
        SymbolKind::Key | SymbolKind::Section => 0.95,
        _ => 1.0,
    }
}

/// How much two names are alike, from 0 to 1.
pub fn likeness(one: &str, other: &str) -> f64 {
    // Far apart in length is far apart: most candidates end here.
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    if short * 2 < long {
        0.0
    } else {
        strsim::jaro_winkler(one, other)
            .min(strsim::normalized_damerau_levenshtein(one, other) + 0.15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn names_are_taken_apart_as_languages_write_them() {
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
            ("größe", vec![], "größe"),
        ] {
            let parsed = Asked::new(asked).expect(asked);
            assert_eq!(
                (parsed.containers, parsed.name.as_str()),
                (containers.iter().map(ToString::to_string).collect(), name)
            );
        }
        assert!(Asked::new("  ").is_err());
    }

    #[test]
    fn a_qualified_name_means_what_is_written_like_it() {
        // Innermost first, and what is asked for.
        let best = |wanted: &[&str], all: &[(&[&str], &[&str])]| {
            let fits: Vec<_> = all
                .iter()
                .map(|(around, path)| fit(wanted, around, path).unwrap_or(0.0))
                .collect();
            let most = fits.iter().copied().fold(0.0, f64::max);
            (0..fits.len())
                .filter(|place| most > 0.0 && fits[*place] >= most)
                .collect::<Vec<_>>()
        };
        let store: &[&str] = &["store", "store"];
        let of_store: [(&[&str], &[&str]); 4] = [
            (&["Store"], store),
            (&["Mem"], store),
            (&[], store),
            (&[], &["main"]),
        ];
        // The interface, not everything in a folder of that name in another case.
        assert_eq!(best(&["Store"], &of_store), [0]);
        assert_eq!(
            best(&["store"], &of_store),
            [2],
            "what is directly in the file"
        );
        assert_eq!(best(&["Mem", "store"], &of_store), [1]);
        assert_eq!(
            best(&["mem"], &of_store),
            [1],
            "in another case where there is none in this one"
        );
        assert_eq!(best(&["Other"], &of_store), [0_usize; 0]);
        let shapes: [(&[&str], &[&str]); 2] = [
            (&["Shape", "geo"], &["shape"]),
            (&["Circle", "geo"], &["shape"]),
        ];
        assert_eq!(best(&["Shape"], &shapes), [0]);
        assert_eq!(best(&["Shape", "geo"], &shapes), [0]);
        let nested: [(&[&str], &[&str]); 2] = [(&["A"], &["x"]), (&["B", "A"], &["x"])];
        assert_eq!(best(&["A"], &nested), [0], "without gaps first");
        assert_eq!(best(&["B"], &nested), [1]);
        let crates: [(&[&str], &[&str]); 2] = [
            (&["Type"], &["inner", "src"]),
            (&["Type"], &["other", "src"]),
        ];
        assert_eq!(best(&["Type", "inner", "crate"], &crates), [0]);
        assert_eq!(best(&["Type", "crate"], &crates), [0, 1]);
    }

    #[test]
    fn a_package_is_called_what_its_files_say() {
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
            let asked = Asked::new(name).expect(name);
            let scored = files.snapshot.symbols().filter_map(|(file, symbol)| {
                let score = asked.score(file, symbol, SymbolMatch::Exact)?;
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
            let asked = Asked::new(name).expect(name);
            let fits = |file: &IndexedFile, symbol: &Symbol| {
                asked.score(file, symbol, SymbolMatch::Exact).is_some()
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
    fn a_slip_in_what_it_is_in_leads_to_what_was_meant() {
        let text = "class Session:\n    def send(self): pass\n\nclass Adapter:\n    def send(self): pass\n\ndef send(): pass\n";
        let files = Files::new("python", &[("a.py", text)]);
        let asked = Asked::new("Sesion.send").expect("a name");
        let nearest = asked.nearest(
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
        let plain = Asked::new("sned").expect("a name");
        let nearest = plain.nearest(
            files
                .snapshot
                .symbols()
                .map(|(file, symbol)| (&**file, symbol)),
        );
        assert_eq!(nearest, ["send"]);
    }

    #[test]
    fn likeness_forgives_slips_and_nothing_more() {
        assert!(likeness("find_symbl", "find_symbol") > FUZZY_FLOOR);
        assert!(likeness("pasre", "parse") > FUZZY_FLOOR);
        assert!(likeness("parse", "render") < FUZZY_FLOOR);
        assert!(likeness("get", "get_all_the_things") < FUZZY_FLOOR);
    }
}
