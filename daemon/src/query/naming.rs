//! Names of symbols as callers give them: plain or qualified, exact or nearly so.

use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::find_symbol::SymbolMatch;
use claudevil_protocol::model::freshness::Freshness;
use claudevil_protocol::model::symbol::{self, SymbolKind};
use claudevil_protocol::text::freshness;

use super::indexed::Indexed;
use crate::extract::facts::Symbol;
use crate::index::snapshot::IndexedFile;

const NEAREST: usize = 5;
const CANDIDATES: usize = 10;
/// Below this a name is another name.
const FUZZY_FLOOR: f64 = 0.72;

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
        let plain = asked.trim().trim_end_matches("()");
        // An operator is a name of its own.
        let is_word = |sign: char| sign.is_alphanumeric() || "_$#@!?~".contains(sign);
        let mut parts: Vec<String> = if plain.chars().any(is_word) {
            plain.split(|sign: char| !is_word(sign)).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        } else {
            vec![plain.to_owned()]
        };
        let name = parts.pop().filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| ToolError::invalid_argument("name is empty: give the name of a symbol"))?;
        Ok(Self { containers: parts, lower: name.to_lowercase(), name, whole: asked.to_owned() })
    }

    /// The last part.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How well a symbol matches, if it does at all.
    pub fn score(&self, file: &IndexedFile, symbol: &Symbol, matching: SymbolMatch) -> Option<f64> {
        let own = match matching {
            SymbolMatch::Exact | SymbolMatch::Auto => self.exact(symbol)?,
            SymbolMatch::Prefix => self.partly(symbol, |name, asked| name.starts_with(asked))?,
            SymbolMatch::Substring => self.partly(symbol, |name, asked| name.contains(asked))?,
            SymbolMatch::Fuzzy => self.fuzzy(symbol)?,
        };
        self.is_within(file, symbol).then_some(own * priority(symbol.kind))
    }

    /// The one definition of this name, in one file or anywhere.
    pub fn only<'a>(
        &self,
        indexed: &'a Indexed,
        path: Option<&str>,
    ) -> Result<(&'a Arc<IndexedFile>, &'a Symbol), ToolError> {
        let folder = indexed.folder.as_deref().unwrap_or_default();
        let all: Vec<(&Arc<IndexedFile>, &Symbol)> = match path {
            Some(path) => {
                let file = indexed.file(path)?;
                file.outline.symbols.iter().map(|symbol| (file, symbol)).collect()
            }
            None => indexed
                .snapshot
                .beneath(folder)
                .iter()
                .flat_map(|file| file.outline.symbols.iter().map(move |symbol| (file, symbol)))
                .collect(),
        };
        let mut found: Vec<(f64, &Arc<IndexedFile>, &Symbol)> = all
            .iter()
            .filter_map(|(file, symbol)| Some((self.score(file, symbol, SymbolMatch::Exact)?, *file, *symbol)))
            .collect();
        let best = found.iter().map(|(score, ..)| *score).fold(0.0, f64::max);
        found.retain(|(score, ..)| *score >= best);
        match found[..] {
            [(_, file, symbol)] => Ok((file, symbol)),
            [] => Err(self.not_found(indexed, &all)),
            _ => {
                let shown = found.iter().take(CANDIDATES).map(|(_, file, symbol)| {
                    format!("{} ({}:{})", file.qualified(symbol), file.path, symbol.start_line)
                });
                Err(symbol::ambiguous(&self.whole, &indexed.root.name, shown.collect()))
            }
        }
    }

    pub fn not_found(&self, indexed: &Indexed, candidates: &[(&Arc<IndexedFile>, &Symbol)]) -> ToolError {
        let mut near: Vec<(f64, &str)> = candidates
            .iter()
            .map(|(_, symbol)| (likeness(&self.lower, &symbol.name.to_lowercase()), &*symbol.name))
            .filter(|(likeness, _)| *likeness > 0.5)
            .collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
        near.dedup_by_key(|(_, name)| *name);
        let nearest = near.into_iter().take(NEAREST).map(|(_, name)| name.to_owned()).collect();
        let mut error = symbol::not_found(&self.whole, &indexed.root.name, nearest);
        if let Some(partial) = &indexed.freshness.partial {
            error.message += &format!(" so far: {} of {} files are indexed", partial.done, partial.total);
        }
        // Nowhere is an answer too, and may be as old as any other.
        for line in freshness::lines(&Freshness { partial: None, ..indexed.freshness.clone() }) {
            error.message += &format!("; {line}");
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

    /// Whether what was named around it is around it, in that order.
    fn is_within(&self, file: &IndexedFile, symbol: &Symbol) -> bool {
        let mut wanted = self.containers.iter().rev().peekable();
        for container in symbol.name.rsplit(['.', '\\']).skip(1).chain(file.containers(symbol)) {
            if wanted.peek().is_some_and(|wanted| container.eq_ignore_ascii_case(wanted)) {
                wanted.next();
            }
        }
        // A package or module is often only the folder or the file.
        for part in file.path.rsplit('/') {
            let stem = part.split('.').next().unwrap_or(part);
            if wanted.peek().is_some_and(|wanted| stem.eq_ignore_ascii_case(wanted) || *wanted == "crate") {
                wanted.next();
            }
        }
        wanted.peek().is_none()
    }
}

/// The last part of a name that is a path.
fn last_of(name: &str) -> &str {
    name.rsplit(['.', '\\']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}

/// Types and functions before their parts, among symbols of the same name.
fn priority(kind: SymbolKind) -> f64 {
    match kind {
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant | SymbolKind::Variable => 0.98,
        SymbolKind::Key | SymbolKind::Section => 0.95,
        _ => 1.0,
    }
}

fn likeness(one: &str, other: &str) -> f64 {
    // Far apart in length is far apart: most candidates end here.
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    if short * 2 < long {
        0.0
    } else {
        strsim::jaro_winkler(one, other).min(strsim::normalized_damerau_levenshtein(one, other) + 0.15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_as_languages_write_them() {
        for (asked, containers, name) in [
            ("process", vec![], "process"),
            ("Processor::process", vec!["Processor"], "process"),
            ("pkg.Type.method()", vec!["pkg", "Type"], "method"),
            ("Foo#bar", vec![], "Foo#bar"),
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
    fn likeness_forgives_slips_and_nothing_more() {
        assert!(likeness("find_symbl", "find_symbol") > FUZZY_FLOOR);
        assert!(likeness("pasre", "parse") > FUZZY_FLOOR);
        assert!(likeness("parse", "render") < FUZZY_FLOOR);
        assert!(likeness("get", "get_all_the_things") < FUZZY_FLOOR);
    }
}
