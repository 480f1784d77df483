//! `find_symbol`: definitions by name, from strict to lenient.

mod text_matches;

use std::sync::Arc;

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::scope::ALL_ROOTS;
use claudevil_protocol::answer::symbol;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_symbol::{
    FindSymbol, FoundSymbol, SymbolCursor, SymbolList, SymbolMatch,
};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use super::shared::all_roots;
use super::shared::file_check::{FileChecker, FileState};
use super::shared::languages::{is_in_language, parse_language};
use super::shared::loaded_root::{LoadedRoot, ask_again};
use super::shared::paging::decode_cursor;
use super::shared::symbol_name::SymbolName;
use crate::extract::facts::Symbol;
use crate::index::snapshot::IndexedFile;
use crate::lang::Language;
use crate::source::beneath::RootDir;
use crate::source::globs::Globs;

const NEAREST: usize = 5;

/// The parameters of a call, parsed.
struct Lookup<'a> {
    params: &'a FindSymbol,
    name: SymbolName,
    language: Option<&'static Language>,
    after: Option<SymbolCursor>,
    /// True if all roots are searched; each symbol is then listed with its root.
    asks_all_roots: bool,
}

struct Page {
    matched: SymbolMatch,
    symbols: Vec<FoundSymbol>,
    total: u64,
    remaining: u64,
    /// Files on the page that have changed since they were indexed.
    stale: Vec<String>,
}

type Candidate<'a> = (&'a Arc<IndexedFile>, &'a Symbol);

pub fn find_symbol(context: &Context, params: &FindSymbol) -> Result<SymbolList, ToolError> {
    let lookup = Lookup {
        params,
        name: SymbolName::parse(&params.name)?,
        language: parse_language(params.language.as_deref())?,
        after: decode_cursor(params.cursor.as_deref(), SymbolCursor::decode)?,
        asks_all_roots: all_roots::asks_all(context),
    };
    let places = context.roots.resolve_all(context.call)?;
    let (mut roots, unavailable) = all_roots::open_each(context, places, |place| {
        let indexed = LoadedRoot::open_at(context, place)?;
        if all_roots::asks_all(context) {
            RootDir::open(indexed.root.path.as_ref(), &indexed.root.name)?;
        }
        Ok(indexed)
    })?;
    let mut page = lookup.page(context, &roots)?;
    let is_partial = roots
        .iter()
        .any(|indexed| indexed.freshness.partial.is_some());
    if page.is_none() && is_partial && !lookup.asks_all_roots {
        // Matches found so far are returned at once; an empty result has to wait for a complete index.
        roots = roots
            .into_iter()
            .map(|indexed| indexed.wait_until_complete(context))
            .collect::<Result<_, _>>()?;
        page = lookup.page(context, &roots)?;
    }
    let mut freshness = Freshness::default();
    for indexed in &roots {
        all_roots::merge_freshness(
            &mut freshness,
            &indexed.freshness,
            lookup.shown_root(indexed),
        );
    }
    all_roots::note_unavailable(&mut freshness, &unavailable);
    let Some(Page {
        matched,
        symbols,
        total,
        remaining,
        stale,
    }) = page
    else {
        return Err(lookup.not_found(context, &roots, &freshness));
    };
    let stale: Vec<String> = stale
        .into_iter()
        .filter(|path| !freshness.stale.contains(path))
        .collect();
    let (root, root_name, folder) = match &roots[..] {
        [only] if !lookup.asks_all_roots => (
            only.root.path.clone(),
            only.root.name.clone(),
            only.folder.clone(),
        ),
        _ => (ALL_ROOTS.to_owned(), "all roots".to_owned(), None),
    };
    Ok(SymbolList {
        root,
        root_name,
        folder,
        max_tokens: params.common().max_tokens,
        freshness: freshness.with_stale(stale),
        name: params.name.clone(),
        matched,
        kind: params.kind,
        language: lookup.language.map(|language| language.id.to_owned()),
        path: params.path.clone(),
        total,
        cursor: symbols
            .last()
            .filter(|_| remaining > 0)
            .map(|last| SymbolCursor::new(last).encode()),
        symbols,
        remaining,
        truncated: remaining > 0,
        limit: params.limit(),
    })
}

impl Lookup<'_> {
    /// Returns a page by the strictest comparison that matches any symbol; none if nothing is found.
    fn page(&self, context: &Context, roots: &[LoadedRoot]) -> Result<Option<Page>, ToolError> {
        let mut candidates: Vec<(&LoadedRoot, Vec<Candidate<'_>>)> = vec![];
        for indexed in roots {
            candidates.push((indexed, self.candidates(indexed)?));
            context.cancel.check()?;
        }
        let mut checkers: Vec<FileChecker<'_>> = roots
            .iter()
            .map(|indexed| FileChecker::new(context, indexed))
            .collect();
        for matching in self.match_ladder() {
            let mut found: Vec<(usize, FoundSymbol)> = vec![];
            for (number, (indexed, candidates)) in candidates.iter().enumerate() {
                found.extend(candidates.iter().filter_map(|(file, symbol)| {
                    let score = self.name.score(file, symbol, *matching)?;
                    Some((
                        number,
                        describe_match(file, symbol, score, self.shown_root(indexed)),
                    ))
                }));
            }
            found.sort_by_cached_key(|(_, symbol)| SymbolCursor::new(symbol));
            let page = self.cut(*matching, found, |root, path| checkers[root].check(path));
            if page.total > 0 {
                return Ok(Some(page));
            }
            // The name of a file is not a part of a symbol's: `store.go` is not the `goto` in `store`.
            let is_file =
                |indexed: &LoadedRoot| !indexed.files_called(&self.params.name).is_empty();
            if *matching == SymbolMatch::Exact && roots.iter().any(is_file) {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn match_ladder(&self) -> &'static [SymbolMatch] {
        match self.params.matching.unwrap_or_default() {
            SymbolMatch::Auto => &SymbolMatch::LADDER[..],
            SymbolMatch::Exact => &[SymbolMatch::Exact],
            SymbolMatch::Prefix => &[SymbolMatch::Prefix],
            SymbolMatch::Substring => &[SymbolMatch::Substring],
            SymbolMatch::Fuzzy => &[SymbolMatch::Fuzzy],
        }
    }

    fn candidates<'a>(&self, indexed: &'a LoadedRoot) -> Result<Vec<Candidate<'a>>, ToolError> {
        let globs = self
            .params
            .path
            .as_deref()
            .map(|path| Globs::within(&indexed.root.path, &[path]))
            .transpose()?;
        let files = indexed
            .snapshot
            .beneath(indexed.folder.as_deref().unwrap_or_default())
            .iter()
            .filter(|file| {
                is_in_language(file, self.language)
                    && globs.as_ref().is_none_or(|globs| globs.matches(&file.path))
            });
        let symbols = files.flat_map(|file| {
            file.outline
                .symbols
                .iter()
                .map(move |symbol| (file, symbol))
        });
        Ok(symbols
            .filter(|(_, symbol)| self.params.kind.is_none_or(|kind| symbol.kind == kind))
            .collect())
    }

    /// Cuts the page out of all matches, in order. Only files on the page are checked; symbols of files that are gone are
    /// left out and not counted.
    fn cut(
        &self,
        matched: SymbolMatch,
        found: Vec<(usize, FoundSymbol)>,
        mut check: impl FnMut(usize, &str) -> FileState,
    ) -> Page {
        let mut page = Page {
            matched,
            symbols: vec![],
            total: found.len() as u64,
            remaining: 0,
            stale: vec![],
        };
        for (root, symbol) in found {
            if self
                .after
                .as_ref()
                .is_some_and(|after| SymbolCursor::new(&symbol) <= *after)
            {
                continue;
            }
            if page.symbols.len() == self.params.limit() as usize {
                page.remaining += 1;
                continue;
            }
            let state = check(root, &symbol.path);
            if state == FileState::Gone {
                page.total -= 1;
                continue;
            }
            let path = SymbolCursor::new(&symbol).path;
            if state == FileState::Changed && !page.stale.contains(&path) {
                page.stale.push(path);
            }
            page.symbols.push(symbol);
        }
        page
    }

    /// Returns the name of a root, if symbols are listed with their roots.
    fn shown_root<'a>(&self, indexed: &'a LoadedRoot) -> Option<&'a str> {
        self.asks_all_roots.then_some(indexed.root.name.as_str())
    }

    /// Returns the error for a name that is not found; `freshness` is that of all roots together.
    fn not_found(
        &self,
        context: &Context,
        roots: &[LoadedRoot],
        freshness: &Freshness,
    ) -> ToolError {
        let not_found_in = |indexed: &LoadedRoot| {
            let candidates = self.candidates(indexed).unwrap_or_default();
            self.name.not_found(indexed, &candidates)
        };
        match roots {
            [indexed] if !self.asks_all_roots && indexed.freshness.partial.is_some() => {
                let error = not_found_in(indexed);
                text_matches::suggest_lines(context, indexed, self.name.name(), error)
            }
            [indexed] if !self.asks_all_roots => not_found_in(indexed),
            _ => {
                let mut near: Vec<String> = roots
                    .iter()
                    .flat_map(|one| not_found_in(one).candidates)
                    .collect();
                near.sort_unstable();
                near.dedup();
                near.truncate(NEAREST);
                let error = symbol::not_found(&self.params.name, ALL_ROOTS, near);
                let unfinished = roots
                    .iter()
                    .filter(|indexed| indexed.freshness.is_unfinished());
                let unfinished: Vec<&str> = unfinished
                    .map(|indexed| indexed.root.name.as_str())
                    .collect();
                with_gaps(error, freshness, &unfinished)
            }
        }
    }
}

/// Adds to an error about all roots what was not searched.
fn with_gaps(mut error: ToolError, freshness: &Freshness, unfinished: &[&str]) -> ToolError {
    let others = Freshness {
        partial: None,
        ..freshness.clone()
    };
    for line in others.warnings() {
        error.message = error.message.text("; ").line(line);
    }
    if unfinished.is_empty() {
        return error;
    }
    let names = unfinished.join(", ");
    ToolError {
        code: ErrorCode::Indexing,
        message: error
            .message
            .text(format!("; still being indexed: {names}")),
        ..error
    }
    .with_hint(ask_again())
}

fn describe_match(
    file: &IndexedFile,
    symbol: &Symbol,
    score: f64,
    root: Option<&str>,
) -> FoundSymbol {
    FoundSymbol {
        root: root.map(str::to_owned),
        name: symbol.name.to_string(),
        qualified: file.qualified(symbol),
        kind: symbol.kind,
        path: file.path.clone(),
        start_line: symbol.start_line,
        end_line: symbol.end_line,
        language: file
            .language
            .map_or_else(String::new, |language| language.id.to_owned()),
        visibility: symbol.visibility,
        signature: symbol.signature.to_string(),
        container: file.containers(symbol).next().map(str::to_owned),
        score: (score * 1000.0).round() / 1000.0,
    }
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::answer::symbol::SymbolKind;

    use super::*;

    fn found(file: u32) -> (usize, FoundSymbol) {
        let symbol = FoundSymbol {
            root: None,
            name: "run".to_owned(),
            qualified: "run".to_owned(),
            kind: SymbolKind::Function,
            path: format!("src/file_{file}.rs"),
            start_line: 1,
            end_line: 2,
            language: "rust".to_owned(),
            visibility: None,
            signature: String::new(),
            container: None,
            score: 1.0,
        };
        (0, symbol)
    }

    #[test]
    fn an_error_about_all_roots_names_those_that_were_not_searched() {
        let error = |unavailable: &[String], unfinished: &[&str]| {
            let mut freshness = Freshness::default();
            all_roots::note_unavailable(&mut freshness, unavailable);
            let error = symbol::not_found("run", ALL_ROOTS, vec![]);
            let error = with_gaps(error, &freshness, unfinished);
            (error.code, error.message.to_string())
        };
        let (code, message) = error(&[], &[]);
        assert_eq!(code, ErrorCode::SymbolNotFound);
        assert_eq!(message, "no symbol `run` in any project");
        let (code, message) = error(&["away".to_owned()], &[]);
        assert_eq!(code, ErrorCode::SymbolNotFound);
        assert!(message.ends_with("cannot be opened: away"), "{message}");
        let (code, message) = error(&["away".to_owned()], &["new", "other"]);
        assert_eq!(code, ErrorCode::Indexing);
        assert!(
            message.contains("away") && message.ends_with("still being indexed: new, other"),
            "{message}"
        );
    }

    #[test]
    fn a_page_leaves_out_files_that_are_gone() {
        let params = FindSymbol {
            name: "run".to_owned(),
            limit: Some(3),
            ..FindSymbol::default()
        };
        let lookup = Lookup {
            params: &params,
            name: SymbolName::parse("run").expect("a name"),
            language: None,
            after: None,
            asks_all_roots: false,
        };
        let mut checked = 0;
        let page = lookup.cut(
            SymbolMatch::Exact,
            (0..9).map(found).collect(),
            |_, path| {
                checked += 1;
                match path {
                    "src/file_0.rs" | "src/file_2.rs" => FileState::Gone,
                    "src/file_3.rs" => FileState::Changed,
                    _ => FileState::AsIndexed,
                }
            },
        );
        let paths: Vec<&str> = page
            .symbols
            .iter()
            .map(|symbol| symbol.path.as_str())
            .collect();
        assert_eq!(paths, ["src/file_1.rs", "src/file_3.rs", "src/file_4.rs"]);
        assert_eq!(
            (page.total, page.remaining, page.stale, checked),
            (7, 4, vec!["src/file_3.rs".to_owned()], 5)
        );
        let page = lookup.cut(SymbolMatch::Exact, (0..9).map(found).collect(), |_, _| {
            FileState::Gone
        });
        assert_eq!((page.total, page.symbols.len()), (0, 0));
    }
}
