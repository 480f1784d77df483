//! Places in files with their lines, as `search` and `find_similar` find them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graph::ListCursor;
use super::symbol::{SymbolKind, Visibility};
use crate::text::{Line, SourceLines, Text, cut_line, signature, truncate};

/// The most columns of a hit: a minified file has all of its matches on a few lines.
pub const MAX_COLUMNS: usize = 50;

/// A line is not cut below this many characters.
const SHORTEST_LINE: usize = 20;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchHit {
    /// The root's name, where several were asked.
    pub root: Option<String>,
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The bytes of the line, from 1, at which matches begin, 50 at most. Only of an exhaustive search.
    pub columns: Option<Vec<u32>>,
    /// The symbol that it is, or is in, with its containers.
    pub symbol: Option<String>,
    pub kind: Option<SymbolKind>,
    pub language: Option<String>,
    /// 0 to 1, with three decimals.
    pub score: f64,
    /// The lines that matter, joined; their numbers are in `snippet_lines`.
    pub snippet: String,
    pub snippet_lines: Vec<u32>,
    /// Defines exactly what was asked for.
    pub definition: bool,
    /// Set for a definition.
    pub visibility: Option<Visibility>,
    /// Set for a definition.
    pub signature: Option<String>,
    /// Set for a detailed answer.
    pub why: Option<MatchDetail>,
}

/// The bytes that matched, and the reasons for their rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchDetail {
    pub start_byte: u64,
    /// Exclusive.
    pub end_byte: u64,
    /// Number of the chunk in its file, from 0.
    pub chunk: Option<u32>,
    pub reasons: Vec<String>,
}

impl ListCursor {
    /// Encodes the cursor after a hit, where `shown` counts that hit and all before it.
    pub fn after(last: &SearchHit, shown: u64) -> String {
        let root = last
            .root
            .as_ref()
            .map_or_else(String::new, |root| format!("{root}/"));
        let path = format!("{root}{}", last.path);
        Self {
            shown,
            line: last.start_line,
            path,
        }
        .encode()
    }

    /// Prefixes a cursor with the id of the report that the list is for.
    pub fn with_report(cursor: &str, id: &str) -> String {
        format!("{id}~{cursor}")
    }

    /// Returns the id of the report that a cursor is for, and the rest of the cursor.
    pub fn report(text: &str) -> Option<(&str, &str)> {
        let (id, cursor) = text.split_once('~')?;
        let is_id = id.len() == 16 && id.bytes().all(|letter| letter.is_ascii_hexdigit());
        is_id.then_some((id, cursor))
    }
}

impl SearchHit {
    /// Keeps half of the lines, those around the match or the line with most of the words; then cuts that line in half. Returns
    /// false if it is too short for that.
    pub fn shorten(&mut self, words: &[String]) -> bool {
        let lines: Vec<&str> = self.snippet.split('\n').collect();
        if let [line] = lines[..] {
            let half = line.chars().count() / 2;
            let signature = self
                .signature
                .as_ref()
                .map_or(0, |signature| signature.chars().count() / 2);
            if half < SHORTEST_LINE && signature < SHORTEST_LINE {
                return false;
            }
            self.snippet = halved(line, half);
            self.signature = self.signature.take().map(|text| halved(&text, signature));
            return true;
        }
        let number = |at: usize| self.snippet_lines.get(at).copied();
        let worth = |at: &usize| {
            let lower = lines[*at].to_lowercase();
            let found = words
                .iter()
                .filter(|word| lower.contains(word.as_str()))
                .count();
            (
                found,
                words.is_empty() && number(*at) == Some(self.start_line),
                std::cmp::Reverse(*at),
            )
        };
        let best = (0..lines.len()).max_by_key(worth).unwrap_or(0);
        let kept = lines.len().div_ceil(2);
        let from = best.saturating_sub(kept / 2).min(lines.len() - kept);
        self.snippet = lines[from..from + kept].join("\n");
        self.snippet_lines = self
            .snippet_lines
            .iter()
            .copied()
            .skip(from)
            .take(kept)
            .collect();
        true
    }

    /// Returns the lines with their numbers.
    pub fn numbered(&self) -> Vec<(u32, String)> {
        if self.snippet.is_empty() && self.snippet_lines.is_empty() {
            return vec![];
        }
        // Without numbers, the lines are numbered from `start_line`.
        let numbered = u32::try_from(self.snippet_lines.len()).unwrap_or(u32::MAX);
        let numbers = self.snippet_lines.iter().copied();
        numbers
            .chain(self.start_line + numbered..)
            .zip(self.snippet.split('\n').map(cut_line))
            .collect()
    }

    /// Returns e.g. `[engine] ` if several projects were searched.
    pub fn root_prefix(&self) -> Line {
        match &self.root {
            Some(root) => Line::from("[").name(root).text("] "),
            None => Line::new(),
        }
    }

    /// Returns e.g. `src/count.rs:12-21  public method Counter::count`, as far as it is known. The path is left out below a hit
    /// in the same file.
    fn item(&self, above: Option<&Self>) -> Line {
        let is_same_file =
            above.is_some_and(|above| above.path == self.path && above.root == self.root);
        let location = if is_same_file {
            Line::new().location("", self.start_line, self.end_line)
        } else {
            self.root_prefix()
                .location(&self.path, self.start_line, self.end_line)
        };
        let visibility = self.visibility.filter(|_| self.definition);
        let words = [
            visibility.map(|visibility| Line::from(visibility.as_str())),
            self.kind.map(|kind| Line::from(kind.as_str())),
            self.symbol.as_ref().map(|symbol| Line::new().name(symbol)),
        ];
        let title = Line::join(words.into_iter().flatten(), " ");
        if title.is_empty() {
            location
        } else {
            location.text("  ").line(title)
        }
    }

    /// Returns the signature of a definition, unless its lines show it.
    fn signature_below(&self) -> Option<Line> {
        let written = signature(self.signature.as_deref().filter(|text| !text.is_empty())?);
        let shown = self.snippet.split_whitespace();
        let shown = shown.collect::<Vec<_>>().join(" ");
        (self.definition && !shown.contains(&written)).then(|| Line::new().code(&written))
    }
}

impl MatchDetail {
    /// Returns e.g. `bytes 120-480, chunk 2, because the name is the same; 3 of 4 words`.
    fn line(&self) -> Line {
        let mut line = Line::from(format!("bytes {}-{}", self.start_byte, self.end_byte));
        if let Some(chunk) = self.chunk {
            line = line.text(format!(", chunk {chunk}"));
        }
        if !self.reasons.is_empty() {
            line = line.text(", because ").code(&self.reasons.join("; "));
        }
        line
    }
}

/// Adds ranked hits: the definitions that were asked for under a heading of their own, each hit with its lines.
pub fn write_ranked(text: &mut Text, hits: &[SearchHit], highlight: &[String]) {
    let definitions = hits.iter().take_while(|hit| hit.definition).count();
    for (index, hit) in hits.iter().enumerate() {
        match definitions {
            0 => {}
            1 if index == 0 => text.heading("Definition found"),
            _ if index == 0 => text.heading("Definitions found"),
            _ if index == definitions => text.heading("Other matches"),
            _ => {}
        }
        // The path is repeated after a heading.
        let above = index.checked_sub(1).filter(|_| index != definitions);
        let item = hit.item(above.map(|above| &hits[above]));
        if hit.definition {
            text.item(item);
        } else {
            text.described_item(item, format!("[{:.3}]", hit.score));
        }
        if let Some(signature) = hit.signature_below() {
            text.below(signature);
        }
        if let Some(detail) = &hit.why {
            text.below(detail.line());
        }
        text.source(SourceLines {
            highlight: highlight.to_vec(),
            ..SourceLines::new(hit.numbered())
        });
    }
}

/// Returns the first characters of a line, if it is long enough to be cut.
fn halved(text: &str, most: usize) -> String {
    let most = most.max(SHORTEST_LINE);
    if text.trim_end_matches('…').chars().count() > most {
        truncate(text, most)
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_survive_their_text_form() {
        for (shown, line, path) in [(0, 1, "a.rs"), (20, 400, "engine/a:b/ü c.rs")] {
            let cursor = ListCursor {
                shown,
                line,
                path: path.to_owned(),
            };
            assert_eq!(ListCursor::decode(&cursor.encode()), Some(cursor));
        }
        for nonsense in ["", "10", "10:x:a.rs", "-1:1:a.rs", "3:4"] {
            assert_eq!(ListCursor::decode(nonsense), None, "{nonsense}");
        }
    }
}
