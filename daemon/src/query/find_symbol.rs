//! `find_symbol`: definitions by name, from strict to lenient.

mod by_text;

use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::symbol::not_found;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_symbol::{
    FindSymbol, FoundSymbol, SymbolCursor, SymbolList, SymbolMatch,
};

use super::indexed::{self, Indexed};
use super::naming::Asked;
use super::still_there::{Seen, StillThere};
use super::{Context, several};
use crate::extract::facts::Symbol;
use crate::index::snapshot::IndexedFile;
use crate::lang::Language;
use crate::source::beneath::RootDir;
use crate::source::globs::Globs;

/// The root of a question to all.
const EVERYWHERE: &str = "*";
const NEAREST: usize = 5;

/// What a call asks for, understood.
struct Wanted<'a> {
    params: &'a FindSymbol,
    asked: Asked,
    language: Option<&'static Language>,
    after: Option<SymbolCursor>,
    /// Several roots are asked: each symbol says which it is of.
    is_of_many: bool,
}

/// A page of what was found.
struct Page {
    matched: SymbolMatch,
    symbols: Vec<FoundSymbol>,
    total: u64,
    remaining: u64,
    /// Files on it that have changed since they were indexed.
    stale: Vec<String>,
}

type Candidate<'a> = (&'a Arc<IndexedFile>, &'a Symbol);

pub fn find_symbol(context: &Context, params: &FindSymbol) -> Result<SymbolList, ToolError> {
    let wanted = Wanted {
        params,
        asked: Asked::new(&params.name)?,
        language: indexed::language(params.language.as_deref())?,
        after: params.cursor.as_deref().map(cursor).transpose()?,
        is_of_many: several::asks_all(context),
    };
    let places = context.roots.resolve_all(context.call)?;
    let (mut roots, away) = several::open(context, places, |place| {
        let indexed = Indexed::at(context, place)?;
        if several::asks_all(context) {
            RootDir::open(indexed.root.path.as_ref(), &indexed.root.name)?;
        }
        Ok(indexed)
    })?;
    let mut page = wanted.page(context, &roots)?;
    let is_partial = roots
        .iter()
        .any(|indexed| indexed.freshness.partial.is_some());
    if page.is_none() && is_partial && !wanted.is_of_many {
        // What is there so far is shown at once; that nothing is there can only be said of the whole.
        roots = roots
            .into_iter()
            .map(|indexed| indexed.once_whole(context))
            .collect::<Result<_, _>>()?;
        page = wanted.page(context, &roots)?;
    }
    let Some(Page {
        matched,
        symbols,
        total,
        remaining,
        stale,
    }) = page
    else {
        return Err(wanted.nothing(context, &roots));
    };
    let mut freshness = Freshness::default();
    for indexed in &roots {
        several::merge(&mut freshness, &indexed.freshness, wanted.name_of(indexed));
    }
    several::note_away(&mut freshness, &away);
    let stale: Vec<String> = stale
        .into_iter()
        .filter(|path| !freshness.stale.contains(path))
        .collect();
    let (root, root_name, folder) = match &roots[..] {
        [only] if !wanted.is_of_many => (
            only.root.path.clone(),
            only.root.name.clone(),
            only.folder.clone(),
        ),
        _ => (EVERYWHERE.to_owned(), "all roots".to_owned(), None),
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
        language: wanted.language.map(|language| language.id.to_owned()),
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

impl Wanted<'_> {
    /// By the strictest comparison that finds any; none if nothing is found.
    fn page(&self, context: &Context, roots: &[Indexed]) -> Result<Option<Page>, ToolError> {
        let mut candidates: Vec<(&Indexed, Vec<Candidate<'_>>)> = vec![];
        for indexed in roots {
            candidates.push((indexed, self.candidates(indexed)?));
            context.cancel.check()?;
        }
        let mut files: Vec<StillThere<'_>> = roots
            .iter()
            .map(|indexed| StillThere::new(context, indexed))
            .collect();
        for matching in self.ladder() {
            let mut found: Vec<(usize, FoundSymbol)> = vec![];
            for (of, (indexed, candidates)) in candidates.iter().enumerate() {
                found.extend(candidates.iter().filter_map(|(file, symbol)| {
                    let score = self.asked.score(file, symbol, *matching)?;
                    Some((of, describe(file, symbol, score, self.name_of(indexed))))
                }));
            }
            found.sort_by_cached_key(|(_, symbol)| SymbolCursor::new(symbol));
            let page = self.cut(*matching, found, |of, path| files[of].look(path));
            if page.total > 0 {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }

    fn ladder(&self) -> &'static [SymbolMatch] {
        match self.params.matching.unwrap_or_default() {
            SymbolMatch::Auto => &SymbolMatch::LADDER[..],
            SymbolMatch::Exact => &[SymbolMatch::Exact],
            SymbolMatch::Prefix => &[SymbolMatch::Prefix],
            SymbolMatch::Substring => &[SymbolMatch::Substring],
            SymbolMatch::Fuzzy => &[SymbolMatch::Fuzzy],
        }
    }

    fn candidates<'a>(&self, indexed: &'a Indexed) -> Result<Vec<Candidate<'a>>, ToolError> {
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
                indexed::is_in(file, self.language)
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

    /// A page of all that matches, in order. Only what would be shown is looked at; what is gone counts for nothing.
    fn cut(
        &self,
        matched: SymbolMatch,
        found: Vec<(usize, FoundSymbol)>,
        mut look: impl FnMut(usize, &str) -> Seen,
    ) -> Page {
        let mut page = Page {
            matched,
            symbols: vec![],
            total: found.len() as u64,
            remaining: 0,
            stale: vec![],
        };
        for (of, symbol) in found {
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
            let seen = look(of, &symbol.path);
            if seen == Seen::Gone {
                page.total -= 1;
                continue;
            }
            let path = SymbolCursor::new(&symbol).path;
            if seen == Seen::Changed && !page.stale.contains(&path) {
                page.stale.push(path);
            }
            page.symbols.push(symbol);
        }
        page
    }

    /// The root's name, where several are asked.
    fn name_of<'a>(&self, indexed: &'a Indexed) -> Option<&'a str> {
        self.is_of_many.then_some(indexed.root.name.as_str())
    }

    fn nothing(&self, context: &Context, roots: &[Indexed]) -> ToolError {
        let nothing_in = |indexed: &Indexed| {
            let candidates = self.candidates(indexed).unwrap_or_default();
            self.asked.not_found(indexed, &candidates)
        };
        match roots {
            [indexed] if !self.is_of_many && indexed.freshness.partial.is_some() => {
                let error = nothing_in(indexed);
                by_text::instead(context, indexed, self.asked.name(), error)
            }
            [indexed] if !self.is_of_many => nothing_in(indexed),
            _ => {
                let mut near: Vec<String> = roots
                    .iter()
                    .flat_map(|one| nothing_in(one).candidates)
                    .collect();
                near.sort_unstable();
                near.dedup();
                near.truncate(NEAREST);
                not_found(&self.params.name, EVERYWHERE, near)
            }
        }
    }
}

fn cursor(text: &str) -> Result<SymbolCursor, ToolError> {
    SymbolCursor::decode(text).ok_or_else(|| {
        ToolError::invalid_argument(format!("cursor `{text}` is not one of this tool")).with_hint(
            Line::new().words("pass the `cursor` of the last answer, or none to start over"),
        )
    })
}

fn describe(file: &IndexedFile, symbol: &Symbol, score: f64, root: Option<&str>) -> FoundSymbol {
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
    fn a_page_has_only_what_is_still_there() {
        let params = FindSymbol {
            name: "run".to_owned(),
            limit: Some(3),
            ..FindSymbol::default()
        };
        let asked = || Asked::new("run").expect("a name");
        let wanted = Wanted {
            params: &params,
            asked: asked(),
            language: None,
            after: None,
            is_of_many: false,
        };
        let mut looked = 0;
        let page = wanted.cut(
            SymbolMatch::Exact,
            (0..9).map(found).collect(),
            |_, path| {
                looked += 1;
                match path {
                    "src/file_0.rs" | "src/file_2.rs" => Seen::Gone,
                    "src/file_3.rs" => Seen::Changed,
                    _ => Seen::AsIndexed,
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
            (page.total, page.remaining, page.stale, looked),
            (7, 4, vec!["src/file_3.rs".to_owned()], 5)
        );
        let page = wanted.cut(SymbolMatch::Exact, (0..9).map(found).collect(), |_, _| {
            Seen::Gone
        });
        assert_eq!((page.total, page.symbols.len()), (0, 0));
    }
}
