//! Describes a ranked chunk as a hit: its symbol, its lines and a snippet.

use claudevil_protocol::answer::hits::{MatchDetail, SearchHit};

use crate::extract::facts::Symbol;
use crate::index::snapshot::Snapshot;
use crate::search::chunk_symbol::symbol_at_best_line;
use crate::search::rank::{Evidence, FileEvidence, RankedChunk, ReportEvidence};
use crate::search::snippet::{ScoredLines, Snippet, WordMatcher};
use crate::search::text_cache::TextCache;

/// Builds the hits of one root from its ranked chunks.
pub struct HitBuilder<'a> {
    pub snapshot: &'a Snapshot,
    pub texts: &'a TextCache<'a>,
    pub sought: &'a WordMatcher<'a>,
    pub context_lines: Option<u32>,
    pub is_detailed: bool,
    /// The name of the root, if hits are shown with it.
    pub root: Option<&'a str>,
}

impl HitBuilder<'_> {
    /// Describes a chunk, and returns whether its text is as indexed; none if its file is gone or cannot be shown.
    pub fn build(&self, ranked: &RankedChunk) -> Option<(SearchHit, bool)> {
        let file = self.snapshot.files.get(ranked.file)?;
        let chunk = file.outline.chunks.get(ranked.chunk)?;
        let text = self.texts.file(ranked.file)?;
        let symbols = &file.outline.symbols;
        let own = ranked.symbol.and_then(|symbol| symbols.get(symbol));
        let (start_line, end_line) = match own.filter(|_| ranked.is_whole_symbol) {
            Some(own) => (own.start_line, own.end_line),
            None => (chunk.start_line, chunk.end_line),
        };
        let lines = ScoredLines::new(&text, start_line, end_line, self.sought);
        let symbol: Option<&Symbol> =
            own.or_else(|| symbol_at_best_line(symbols, chunk, lines.best()));
        let head = symbol.map(|symbol| symbol.name_line);
        let Snippet {
            text: lines,
            lines: numbers,
        } = lines.snippet(head, self.context_lines);
        let why = self.is_detailed.then(|| MatchDetail {
            start_byte: chunk.start_byte.into(),
            end_byte: chunk.end_byte.into(),
            chunk: u32::try_from(ranked.chunk).ok(),
            reasons: reasons(&ranked.evidence, &ranked.file_evidence),
        });
        let hit = SearchHit {
            root: self.root.map(str::to_owned),
            path: file.path.clone(),
            start_line,
            end_line,
            columns: None,
            symbol: symbol.map(|symbol| file.qualified(symbol)),
            kind: symbol.map(|symbol| symbol.kind),
            language: file.language.map(|language| language.id.to_owned()),
            score: 0.0,
            snippet: lines,
            snippet_lines: numbers,
            definition: ranked.is_definition(),
            visibility: own
                .filter(|_| ranked.is_definition())
                .and_then(|own| own.visibility),
            signature: own
                .filter(|_| ranked.is_definition())
                .map(|own| own.signature.to_string()),
            why,
        };
        Some((hit, text.is_as_indexed))
    }
}

/// Lists the evidence that is not negligible, for a detailed answer.
fn reasons(evidence: &Evidence, file: &FileEvidence) -> Vec<String> {
    let Evidence {
        body,
        coverage,
        doc,
        name,
        exact,
        meaning,
        path,
        report,
        mentioned_location,
        location,
    } = *evidence;
    let FileEvidence {
        several_chunks,
        path: of_path,
        name: file_name,
        exact: file_exact,
        meaning: file_meaning,
        overall,
        names_meaning,
        centrality,
        report: of_report,
    } = *file;
    let ReportEvidence {
        whole,
        title,
        prose,
        code,
        title_stem,
        prose_stem,
        chunk,
        mentioned,
        traced,
        title_names,
        prose_names,
        code_names,
        message,
    } = of_report;
    let mut all = vec![
        ("location", location),
        ("name", exact),
        ("part of a name", name),
        ("words", body),
        ("share of the words", coverage),
        ("documentation", doc),
        ("path", path),
        ("meaning", meaning),
    ];
    if of_report != ReportEvidence::default() {
        all.extend([
            ("words of the report", report),
            ("place in the report", mentioned_location),
            ("file: words of the report", whole),
            ("file: words of the title", title),
            ("file: words of the prose", prose),
            ("file: words of the code", code),
            ("file: stem in the title", title_stem),
            ("file: stem in the prose", prose_stem),
            ("file: best chunk", chunk),
            ("file: path in the report", mentioned),
            ("file: stack frame", traced),
            ("file: names of the title", title_names),
            ("file: names of the prose", prose_names),
            ("file: names of the code", code_names),
            ("file: error message", message),
            ("file: several chunks", several_chunks),
            ("file: stem", of_path.stem),
            ("file: whole stem", of_path.whole_stem),
            ("file: path", of_path.path),
            ("file: part of a name", file_name),
            ("file: name", file_exact),
            ("file: nearest chunk", file_meaning),
            ("file: meaning", overall),
            ("file: meaning of names", names_meaning),
            ("file: centrality", centrality),
        ]);
    }
    all.into_iter()
        .filter(|(_, much)| *much >= 0.005)
        .map(|(what, much)| format!("{what} {much:.2}"))
        .collect()
}
