//! Text that the tools about the graph share: a symbol, its location, and the confidence of a relation.

use crate::answer::graph::{Excerpt, Resolution, SymbolInfo};
use crate::text::NextCall;
use crate::text::quantity::grouped;
use crate::text::{Line, SourceLines, Text, cut_line, one_line, signature};

impl SymbolInfo {
    /// Returns e.g. `method Engine::run`.
    pub fn title(&self) -> Line {
        Line::from(format!("{} ", self.kind.as_str())).name(&self.qualified)
    }

    /// Returns e.g. `method Engine::run (src/engine.rs:12-40)`, for the summary of an answer about it.
    pub fn title_and_location(&self) -> Line {
        self.title().text(" (").line(self.location()).text(")")
    }

    /// Returns the same for all overloads of a name: `method Mapper.read, 9 overloads (src/Mapper.java)`.
    pub fn title_of_overloads(&self, overloads: u32) -> Line {
        if overloads < 2 {
            return self.title_and_location();
        }
        self.title()
            .text(", ")
            .count(u64::from(overloads), "overload")
            .text(" (")
            .path(&self.path)
            .text(")")
    }

    /// Returns e.g. `src/engine.rs:12-40`.
    pub fn location(&self) -> Line {
        Line::new().location(&self.path, self.start_line, self.end_line)
    }

    /// Returns e.g. `src/engine.rs:12-40  public method Engine::run`, as an item of a list.
    pub fn list_item(&self) -> Line {
        let visibility = self.visibility.map_or_else(String::new, |visibility| {
            format!("{} ", visibility.as_str())
        });
        self.location()
            .text(format!("  {visibility}"))
            .line(self.title())
    }

    /// Returns the signature on one line, to be shown below the item; None without a signature.
    pub fn signature_below(&self) -> Option<Line> {
        (!self.signature.is_empty()).then(|| Line::new().code(&signature(&self.signature)))
    }

    /// Adds the symbol to a list, with its signature below.
    pub fn list(&self, text: &mut Text, detail: impl Into<Line>) {
        text.described_item(self.list_item(), detail);
        if let Some(signature) = self.signature_below() {
            text.below(signature);
        }
    }
}

impl Excerpt {
    pub fn source(&self) -> SourceLines {
        SourceLines::new(
            self.numbered()
                .map(|(number, line)| (number, cut_line(line))),
        )
    }
}

/// Returns the first of some line numbers of a file, each a link: `12, 15 and 7 more`.
pub fn line_numbers(path: &str, lines: &[u32]) -> Line {
    const SHOWN: usize = 5;
    let numbers = lines.iter().take(SHOWN);
    let numbers = numbers.map(|line| Line::new().link(line.to_string(), path, *line));
    let numbers = Line::join(numbers, ", ");
    match lines.len().saturating_sub(SHOWN) {
        0 => numbers,
        more => numbers.text(" and ").number(more as u64).text(" more"),
    }
}

/// Describes a relation's certainty: its word, the number of candidates, and the reason.
pub fn confidence(resolution: Resolution, candidates: Option<u32>, reason: &str) -> String {
    let word = match (resolution, candidates) {
        (Resolution::Resolved, _) => "resolved".to_owned(),
        (Resolution::Likely, _) => "likely".to_owned(),
        (Resolution::Ambiguous, Some(candidates)) => {
            format!("ambiguous among {}", grouped(u64::from(candidates)))
        }
        (Resolution::Ambiguous, None) => "ambiguous".to_owned(),
        (Resolution::NameOnly, _) => "name only".to_owned(),
    };
    if reason.is_empty() {
        word
    } else {
        format!("{word}: {}", one_line(reason))
    }
}

/// Returns e.g. `call in Engine::run`, or `call` without a symbol around it.
pub fn usage_in(usage: &str, enclosing: Option<&str>) -> Line {
    match enclosing {
        Some(enclosing) => Line::from(format!("{} ", one_line(usage))).name(enclosing),
        None => one_line(usage.trim_end_matches(" in").trim_end_matches(" of")).into(),
    }
}

/// Returns e.g. `12, 15 and 7 more`.
pub fn numbers(lines: &[u32]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<_> = lines.iter().take(SHOWN).map(u32::to_string).collect();
    let more = lines.len().saturating_sub(SHOWN) as u64;
    let more = if more > 0 {
        format!(" and {} more", grouped(more))
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

/// The part of a list that is shown.
#[derive(Clone, Copy)]
pub struct Counts {
    pub total: u64,
    /// Items after those shown.
    pub remaining: u64,
    pub shown: u64,
}

impl Counts {
    /// Returns e.g. `; 21-40 shown`, or nothing if the whole list is shown.
    pub fn page_suffix(self) -> String {
        let before = self.total.saturating_sub(self.remaining + self.shown);
        match (before, self.remaining) {
            (0, 0) => String::new(),
            (0, _) => format!("; {} shown", grouped(self.shown)),
            _ if self.shown == 0 => "; no more".to_owned(),
            _ => format!(
                "; {}-{} shown",
                grouped(before + 1),
                grouped(before + self.shown)
            ),
        }
    }
}

/// Returns the call for the next page of a list.
pub fn next_page_call(
    call: NextCall,
    max_tokens: u32,
    root: &str,
    cursor: Option<&str>,
) -> NextCall {
    call.with_budget(max_tokens)
        .with("root", root)
        .with_some("cursor", cursor)
}

/// Returns e.g. `12 more: find_callers {…}`. None at the end of a list.
pub fn next_page(remaining: u64, call: NextCall) -> Option<Line> {
    let line = Line::new().number(remaining).text(" more: ").call(call);
    (remaining > 0).then_some(line)
}

/// Returns a call about the same symbol, by its location, which is unambiguous.
pub fn same_symbol_call(tool: &'static str, symbol: &SymbolInfo) -> NextCall {
    NextCall::new(tool)
        .with("path", symbol.path.as_str())
        .with("line", symbol.line)
}

/// Returns a call about all overloads of a symbol, by their name: a location would mean only one of them.
pub fn all_overloads_call(tool: &'static str, symbol: &SymbolInfo, overloads: u32) -> NextCall {
    if overloads < 2 {
        return same_symbol_call(tool, symbol);
    }
    NextCall::new(tool)
        .with("symbol", symbol.qualified.as_str())
        .with("path", symbol.path.as_str())
}

#[cfg(test)]
pub mod samples {
    use super::*;
    use crate::answer::symbol::{SymbolKind, Visibility};

    /// Makes a symbol for tests: `qualified` in `path`, of some lines.
    pub fn symbol(qualified: &str, kind: SymbolKind, path: &str, lines: (u32, u32)) -> SymbolInfo {
        let name = qualified
            .rsplit("::")
            .next()
            .unwrap_or(qualified)
            .to_owned();
        SymbolInfo {
            signature: if kind.is_callable() {
                format!("pub fn {name}(&self) -> u32")
            } else {
                String::new()
            },
            name,
            qualified: qualified.to_owned(),
            kind,
            path: path.to_owned(),
            start_line: lines.0,
            end_line: lines.1,
            line: lines.0,
            visibility: Some(Visibility::Public),
            language: "rust".to_owned(),
            is_test: false,
        }
    }

    pub fn run() -> SymbolInfo {
        symbol("Engine::run", SymbolKind::Method, "src/engine.rs", (12, 40))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_confidence_is_shown_in_words() {
        assert_eq!(confidence(Resolution::Resolved, None, ""), "resolved");
        assert_eq!(
            confidence(Resolution::Resolved, Some(3), "imported"),
            "resolved: imported"
        );
        assert_eq!(
            confidence(Resolution::Ambiguous, Some(1200), "no type"),
            "ambiguous among 1,200: no type"
        );
        assert_eq!(
            confidence(Resolution::NameOnly, None, "a\nb"),
            "name only: a\\nb"
        );
        let suffix = |total, remaining, shown| {
            Counts {
                total,
                remaining,
                shown,
            }
            .page_suffix()
        };
        assert_eq!(
            [suffix(3, 0, 3), suffix(30, 10, 20), suffix(30, 0, 10)],
            ["", "; 20 shown", "; 21-30 shown"]
        );
        assert_eq!(numbers(&[1, 2, 3, 4, 5, 6, 7]), "1, 2, 3, 4, 5 and 2 more");
        assert_eq!(
            line_numbers("a.rs", &[1, 2, 3, 4, 5, 6, 7]),
            "1, 2, 3, 4, 5 and 2 more"
        );
    }
}
