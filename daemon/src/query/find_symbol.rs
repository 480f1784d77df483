//! `find_symbol`: definitions by name, from strict to lenient.

use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::Params;
use claudevil_protocol::model::find_symbol::{FindSymbol, FoundSymbol, SymbolList, SymbolMatch, SymbolPlace};

use super::Context;
use super::indexed::{self, Indexed};
use super::naming::Asked;
use crate::extract::facts::Symbol;
use crate::index::snapshot::IndexedFile;
use crate::source::globs::Globs;

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
    let Some((matched, mut symbols)) = found else { return Err(asked.not_found(&indexed, &candidates)) };
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
