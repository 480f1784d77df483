//! `find_symbol`: definitions by name, from strict to lenient.

use std::sync::Arc;

use claudevil_protocol::model::Params;
use claudevil_protocol::model::find_symbol::{FindSymbol, FoundSymbol, SymbolList, SymbolMatch, SymbolPlace};
use claudevil_protocol::model::freshness::Freshness;
use claudevil_protocol::model::symbol::SymbolKind;
use claudevil_protocol::text::freshness;
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use super::indexed::{self, Indexed};
use crate::extract::facts::Symbol;
use crate::index::snapshot::IndexedFile;
use crate::source::globs::Globs;

const NEAREST: usize = 5;
/// Below this a name is another name.
const FUZZY_FLOOR: f64 = 0.72;

pub fn find_symbol(context: &Context, params: &FindSymbol) -> Result<SymbolList, ToolError> {
    let language = indexed::language(params.language.as_deref())?;
    let globs = params.path.as_deref().map(|path| Globs::new(&[path])).transpose()?;
    let after = params.cursor.as_deref().map(cursor).transpose()?;
    let asked = Asked::new(&params.name)?;
    let indexed = Indexed::of(context)?;
    let candidates: Vec<(&Arc<IndexedFile>, &Symbol)> = indexed
        .snapshot
        .beneath(indexed.folder.as_deref().unwrap_or_default())
        .iter()
        .filter(|file| indexed::is_in(file, language) && globs.as_ref().is_none_or(|globs| globs.matches(&file.path)))
        .flat_map(|file| file.outline.symbols.iter().map(move |symbol| (file, symbol)))
        .filter(|(_, symbol)| params.kind.is_none_or(|kind| symbol.kind == kind))
        .collect();
    context.cancel.check()?;
    let ladder = match params.matching.unwrap_or_default() {
        SymbolMatch::Auto => &SymbolMatch::LADDER[..],
        SymbolMatch::Exact => &[SymbolMatch::Exact],
        SymbolMatch::Prefix => &[SymbolMatch::Prefix],
        SymbolMatch::Substring => &[SymbolMatch::Substring],
        SymbolMatch::Fuzzy => &[SymbolMatch::Fuzzy],
    };
    let found = ladder.iter().find_map(|matching| {
        let found: Vec<FoundSymbol> = candidates
            .iter()
            .filter_map(|(file, symbol)| Some(describe(file, symbol, asked.score(file, symbol, *matching)?)))
            .collect();
        (!found.is_empty()).then_some((*matching, found))
    });
    let Some((matched, mut symbols)) = found else { return Err(not_found(&indexed, &asked, params, &candidates)) };
    symbols.sort_by_cached_key(SymbolPlace::of);
    let total = symbols.len() as u64;
    if let Some(after) = after {
        symbols.retain(|symbol| SymbolPlace::of(symbol) > after);
    }
    let shown = symbols.len().min(params.limit() as usize);
    let remaining = (symbols.len() - shown) as u64;
    symbols.truncate(shown);
    let cursor = symbols.last().filter(|_| remaining > 0).map(|last| SymbolPlace::of(last).encode());
    Ok(SymbolList {
        root: indexed.root.path,
        root_name: indexed.root.name,
        folder: indexed.folder,
        max_tokens: params.shared().max_tokens,
        freshness: indexed.freshness,
        name: params.name.clone(),
        matched,
        kind: params.kind,
        language: language.map(|language| language.id.to_owned()),
        path: params.path.clone(),
        total,
        symbols,
        remaining,
        truncated: remaining > 0,
        cursor,
        limit: params.limit(),
    })
}

fn cursor(text: &str) -> Result<SymbolPlace, ToolError> {
    SymbolPlace::decode(text).ok_or_else(|| {
        ToolError::invalid_argument(format!("cursor `{text}` is not one of this tool"))
            .with_hint("pass the cursor of the last answer, or none to begin anew")
    })
}

/// A name that was asked for, taken apart.
pub struct Asked {
    /// What it is in, outermost first.
    containers: Vec<String>,
    name: String,
    lower: String,
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
        Ok(Self { containers: parts, lower: name.to_lowercase(), name })
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

    fn exact(&self, symbol: &Symbol) -> Option<f64> {
        if *symbol.name == *self.name {
            return Some(1.0);
        }
        symbol.name.eq_ignore_ascii_case(&self.name).then_some(0.9)
    }

    fn partly(&self, symbol: &Symbol, matches: impl Fn(&str, &str) -> bool) -> Option<f64> {
        let lower = symbol.name.to_lowercase();
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
        for container in file.containers(symbol) {
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
    if short * 2 < long { 0.0 } else { strsim::jaro_winkler(one, other).min(strsim::normalized_damerau_levenshtein(one, other) + 0.15) }
}

fn describe(file: &IndexedFile, symbol: &Symbol, score: f64) -> FoundSymbol {
    FoundSymbol {
        name: symbol.name.to_string(),
        qualified: file.qualified(symbol),
        kind: symbol.kind,
        path: file.path.clone(),
        start_line: symbol.start_line,
        end_line: symbol.end_line,
        language: file.language.map_or_else(String::new, |language| language.id.to_owned()),
        visibility: symbol.visibility,
        signature: symbol.signature.to_string(),
        container: file.containers(symbol).next().map(str::to_owned),
        score: (score * 1000.0).round() / 1000.0,
    }
}

fn not_found(
    indexed: &Indexed,
    asked: &Asked,
    params: &FindSymbol,
    candidates: &[(&Arc<IndexedFile>, &Symbol)],
) -> ToolError {
    let mut near: Vec<(f64, &str)> = candidates
        .iter()
        .map(|(_, symbol)| (likeness(&asked.lower, &symbol.name.to_lowercase()), &*symbol.name))
        .filter(|(likeness, _)| *likeness > 0.5)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    near.dedup_by_key(|(_, name)| *name);
    let names: Vec<&str> = near.into_iter().take(NEAREST).map(|(_, name)| name).collect();
    let mut message = format!("no symbol `{}` in {}", params.name, indexed.root.name);
    if let Some(partial) = &indexed.freshness.partial {
        message += &format!(" so far ({} of {} files indexed)", partial.done, partial.total);
    }
    // Nowhere is an answer too, and may be as old as any other.
    for line in freshness::lines(&Freshness { partial: None, ..indexed.freshness.clone() }) {
        message += &format!("; {line}");
    }
    let hint = if names.is_empty() {
        "try match \"substring\", or another root".to_owned()
    } else {
        format!("nearest names: {}", names.join(", "))
    };
    ToolError::new(ErrorCode::SymbolNotFound, message).with_hint(hint)
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
            assert_eq!((parsed.containers, parsed.name.as_str()), (containers.iter().map(ToString::to_string).collect(), name));
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
