//! The text of `explore`: the symbols with their source, then how they hang together and what comes next.

use crate::answer::freshness;
use crate::answer::graph::text::{at, excerpt, listed};
use crate::text::NextCall;
use crate::text::quantity::{count, grouped};
use crate::text::tokens::MOST_TOKENS;
use crate::text::{one_line, place, signature};
use crate::tools::Tool;
use crate::tools::explore::{
    Connection, Exploration, Explore, ExploredDependent, ExploredSymbol, ReadNext,
};

/// A longer question is shown by its beginning.
const LONGEST_QUESTION: usize = 120;

pub fn write(found: &Exploration) -> String {
    let mut lines = vec![head(found)];
    lines.extend(freshness::lines(&found.freshness));
    for symbol in &found.symbols {
        lines.push(symbol_line(symbol));
        match &symbol.source {
            Some(source) if !source.lines.is_empty() => lines.extend(excerpt(source)),
            _ if symbol.signature.is_empty() => {}
            _ => lines.push(format!("  {}", signature(&symbol.signature))),
        }
    }
    lines.extend(section(
        "how they connect",
        found.connections.iter().map(connection_line),
        0,
    ));
    lines.extend(section(
        "who depends on them",
        found.dependents.iter().map(dependent_line),
        found.total_dependents,
    ));
    lines.extend(section(
        "tests that reach them",
        found.tests.iter().map(dependent_line),
        found.total_tests,
    ));
    lines.extend(section(
        "read next",
        found.read_next.iter().map(read_next_line),
        0,
    ));
    lines.extend(found.advice.as_deref().map(one_line));
    lines.extend(next(found));
    lines.join("\n")
}

pub fn head(found: &Exploration) -> String {
    let question = one_line(&found.question);
    let question = match question.char_indices().nth(LONGEST_QUESTION) {
        Some((end, _)) => format!("{}…", &question[..end]),
        None => question,
    };
    let symbols = match found.symbols.len() as u64 {
        0 => "no symbols".to_owned(),
        shown if shown < found.total => {
            format!("{} of {}", grouped(shown), count(found.total, "symbol"))
        }
        shown => count(shown, "symbol"),
    };
    let folder = found
        .folder
        .as_ref()
        .map_or_else(String::new, |folder| format!("/{}", one_line(folder)));
    let language = found
        .language
        .as_ref()
        .map_or_else(String::new, |language| format!(" of {language}"));
    let glob = found
        .path
        .as_ref()
        .map_or_else(String::new, |glob| format!(" under {}", one_line(glob)));
    format!(
        "{symbols} for \"{question}\"{language} in {}{folder}{glob}",
        found.root_name
    )
}

/// Where it is, what, and why it is here.
pub fn symbol_line(symbol: &ExploredSymbol) -> String {
    let line = listed(&symbol.symbol());
    if symbol.why.is_empty() {
        line
    } else {
        format!("{line}  ({})", one_line(&symbol.why))
    }
}

pub fn connection_line(one: &Connection) -> String {
    let line = format!(
        "{} {} {}",
        one_line(&one.from),
        one.kind.as_str(),
        one_line(&one.to)
    );
    match one.resolution.doubt() {
        Some(doubt) => format!("{line}  {doubt}"),
        None => line,
    }
}

pub fn dependent_line(one: &ExploredDependent) -> String {
    let line = format!(
        "{}  {} -> {}",
        at(&one.symbol()),
        one_line(&one.qualified),
        one_line(&one.of)
    );
    match one.resolution.doubt() {
        Some(doubt) => format!("{line}  {doubt}"),
        None => line,
    }
}

pub fn read_next_line(one: &ReadNext) -> String {
    let place = place(&one.path, one.start_line, one.end_line);
    let symbol = one
        .symbol
        .as_ref()
        .map_or_else(String::new, |symbol| format!("  {}", one_line(symbol)));
    format!("{place}{symbol}  ({})", one_line(&one.why))
}

fn section(title: &str, lines: impl ExactSizeIterator<Item = String>, total: u64) -> Vec<String> {
    let shown = lines.len() as u64;
    if shown == 0 {
        return vec![];
    }
    let of = if total > shown {
        format!(" ({} of {})", grouped(shown), grouped(total))
    } else {
        String::new()
    };
    std::iter::once(format!("{title}{of}"))
        .chain(lines.map(|line| format!("  {line}")))
        .collect()
}

fn next(found: &Exploration) -> Option<String> {
    if !found.truncated {
        return None;
    }
    let root = match &found.folder {
        Some(folder) => format!("{}/{folder}", found.root),
        None => found.root_name.clone(),
    };
    if found.max_tokens >= MOST_TOKENS {
        let cut = found.symbols.iter().find(|symbol| {
            symbol
                .source
                .as_ref()
                .is_some_and(|source| !source.is_whole)
        })?;
        let call = NextCall::new("read_file")
            .with("path", cut.path.as_str())
            .with("start_line", cut.start_line)
            .with("end_line", cut.end_line)
            .with("root", root);
        return Some(format!("cut to fit; the rest of a symbol: {call}"));
    }
    let call = NextCall::new(Explore::NAME)
        .with("question", found.question.as_str())
        .with_some("path", found.path.as_deref())
        .with_some("language", found.language.as_deref())
        .with_budget(MOST_TOKENS)
        .with("root", root);
    Some(format!("cut to fit; more: {call}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::graph::text::samples::{run, symbol};
    use crate::answer::graph::{Excerpt, Resolution};
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;
    use crate::tools::explore::ConnectionKind;

    fn explored(qualified: &str, lines: u32) -> ExploredSymbol {
        let text: Vec<_> = (0..lines)
            .map(|line| format!("    let value_{line} = tokens.count();"))
            .collect();
        ExploredSymbol {
            why: "2 of 2 words".to_owned(),
            source: Some(Excerpt::whole(10, text.iter().map(String::as_str))),
            ..ExploredSymbol::of(symbol(
                qualified,
                SymbolKind::Function,
                "src/count.rs",
                (10, 9 + lines),
            ))
        }
    }

    fn found(symbols: Vec<ExploredSymbol>) -> Exploration {
        let dependent = |of: &str, symbol| ExploredDependent {
            of: of.to_owned(),
            resolution: Resolution::Resolved,
            ..ExploredDependent::of(symbol)
        };
        Exploration {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            question: "how are tokens counted".to_owned(),
            total: symbols.len() as u64,
            symbols,
            connections: vec![Connection {
                from: "count".to_owned(),
                to: "estimate".to_owned(),
                kind: ConnectionKind::Calls,
                resolution: Resolution::Ambiguous,
            }],
            dependents: vec![dependent("count", run())],
            total_dependents: 7,
            tests: vec![dependent(
                "count",
                symbol("counts", SymbolKind::Function, "tests/count.rs", (3, 9)),
            )],
            total_tests: 1,
            read_next: vec![ReadNext {
                path: "src/words.rs".to_owned(),
                start_line: 1,
                end_line: 40,
                symbol: Some("split".to_owned()),
                why: "called by count".to_owned(),
            }],
            ..Exploration::default()
        }
    }

    #[test]
    fn symbols_have_their_source_and_what_is_around_them() {
        insta::assert_snapshot!(found(vec![explored("count", 3), explored("estimate", 2)]).text().to_string(), @r#"
        2 symbols for "how are tokens counted" in engine
        src/count.rs:10-12  public function count  (2 of 2 words)
        ```
        10	    let value_0 = tokens.count();
        11	    let value_1 = tokens.count();
        12	    let value_2 = tokens.count();
        ```
        src/count.rs:10-11  public function estimate  (2 of 2 words)
        ```
        10	    let value_0 = tokens.count();
        11	    let value_1 = tokens.count();
        ```
        how they connect
          count calls estimate  ambiguous
        who depends on them (1 of 7)
          src/engine.rs:12-40  Engine::run -> count
        tests that reach them
          tests/count.rs:3-9  counts -> count
        read next
          src/words.rs:1-40  split  (called by count)
        "#);
    }

    #[test]
    fn long_sources_give_way_before_what_is_around_them() {
        let many = found(vec![
            explored("count", 300),
            explored("estimate", 300),
            explored("split", 300),
        ]);
        for budget in [500, 1000, 4000] {
            let text = render(&many, Format::Text, budget);
            assert!(tokens::estimate(&text) <= budget as usize, "{text}");
            assert!(tokens::estimate(&render(&many, Format::Json, budget)) <= budget as usize);
            for needed in [
                "function count",
                "function split",
                "count calls estimate",
                "tests/count.rs",
                "more: explore {",
            ] {
                assert!(text.contains(needed), "{needed}: {text}");
            }
        }
        let widest = Exploration {
            max_tokens: MOST_TOKENS,
            ..many
        };
        let text = render(&widest, Format::Text, 4000);
        insta::assert_snapshot!(text.lines().last().expect("a line"), @r#"cut to fit; the rest of a symbol: read_file {"path":"src/count.rs","start_line":10,"end_line":309,"root":"engine"}"#);
    }

    #[test]
    fn nothing_found_says_what_to_try() {
        let advice = Some("ask in other words, or search mode literal".to_owned());
        let none = Exploration {
            question: "x".to_owned(),
            language: Some("rust".to_owned()),
            path: Some("src/**".to_owned()),
            root_name: "engine".to_owned(),
            advice,
            ..Exploration::default()
        };
        insta::assert_snapshot!(none.text().to_string(), @r#"
        no symbols for "x" of rust in engine under src/**
        ask in other words, or search mode literal
        "#);
    }
}
