//! The text of `find_symbol`.

use crate::answer::freshness;
use crate::answer::symbol::SymbolKind;
use crate::text::NextCall;
use crate::text::quantity::{count, grouped};
use crate::text::{one_line, place, signature};
use crate::tools::Tool;
use crate::tools::find_symbol::{FindSymbol, FoundSymbol, SymbolList, SymbolMatch};

/// The root of a question to all.
const EVERYWHERE: &str = "*";

pub fn write(list: &SymbolList) -> String {
    let mut lines = vec![head(list)];
    lines.extend(freshness::lines(&list.freshness));
    for symbol in &list.symbols {
        lines.push(line(symbol));
        if !symbol.signature.is_empty() {
            lines.push(format!("  {}", signature(&symbol.signature)));
        }
    }
    if list.remaining > 0 {
        lines.push(next(list));
    }
    lines.join("\n")
}

fn head(list: &SymbolList) -> String {
    let what = list.kind.map_or("symbol", SymbolKind::as_str);
    let how = match list.matched {
        SymbolMatch::Auto | SymbolMatch::Exact => "named",
        SymbolMatch::Prefix => "beginning with",
        SymbolMatch::Substring => "containing",
        SymbolMatch::Fuzzy => "similar to",
    };
    let mut head = format!("{} {how} {}", kinds(list.total, what), one_line(&list.name));
    if let Some(language) = &list.language {
        head = format!("{head} of {language}");
    }
    let folder = list
        .folder
        .as_ref()
        .map_or_else(String::new, |folder| format!("/{}", one_line(folder)));
    head = format!("{head} in {}{folder}", list.root_name);
    if let Some(glob) = &list.path {
        head = format!("{head} under {}", one_line(glob));
    }
    let shown = list.symbols.len() as u64;
    let before = list.total.saturating_sub(list.remaining + shown);
    if before > 0 {
        format!(
            "{head}; {}-{} shown",
            grouped(before + 1),
            grouped(before + shown)
        )
    } else if list.remaining > 0 {
        format!("{head}; {} shown", grouped(shown))
    } else {
        head
    }
}

/// Words that take more than an `s`.
pub fn kinds(number: u64, kind: &str) -> String {
    match kind.strip_suffix("ty") {
        Some(stem) if number != 1 => format!("{} {stem}ties", grouped(number)),
        _ if number != 1 && (kind.ends_with('s') || kind.ends_with("sh")) => {
            format!("{} {kind}es", grouped(number))
        }
        _ => count(number, kind),
    }
}

fn line(symbol: &FoundSymbol) -> String {
    let root = symbol
        .root
        .as_ref()
        .map_or_else(String::new, |root| format!("[{}] ", one_line(root)));
    let place = place(&symbol.path, symbol.start_line, symbol.end_line);
    let visibility = symbol.visibility.map_or_else(String::new, |visibility| {
        format!("{} ", visibility.as_str())
    });
    format!(
        "{root}{place}  {visibility}{} {}",
        symbol.kind.as_str(),
        one_line(&symbol.qualified)
    )
}

fn next(list: &SymbolList) -> String {
    let root = match &list.folder {
        _ if list.root == EVERYWHERE => EVERYWHERE.to_owned(),
        Some(folder) => format!("{}/{folder}", list.root),
        None => list.root_name.clone(),
    };
    let call = NextCall::new(FindSymbol::NAME)
        .with("name", list.name.as_str())
        .with("match", list.matched.as_str())
        .with_some("kind", list.kind.map(SymbolKind::as_str))
        .with_some("language", list.language.as_deref())
        .with_some("path", list.path.as_deref())
        .with_some(
            "limit",
            (list.limit != FindSymbol::DEFAULT_LIMIT).then_some(list.limit),
        )
        .with_budget(list.max_tokens)
        .with("root", root)
        .with_some("cursor", list.cursor.as_deref());
    format!("{} more: {call}", grouped(list.remaining))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::{Freshness, IndexPhase, IndexProgress};
    use crate::answer::render::render;
    use crate::answer::symbol::Visibility;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;

    fn list(symbols: u32) -> SymbolList {
        let symbol = |index: u32| FoundSymbol {
            root: None,
            name: "process".to_owned(),
            qualified: "Processor::process".to_owned(),
            kind: SymbolKind::Method,
            path: format!("src/processor_{index}.rs"),
            start_line: 12 + index,
            end_line: 40 + index,
            language: "rust".to_owned(),
            visibility: Some(Visibility::Public),
            signature: "pub fn process(\n    &mut self,\n    input: &str,\n) -> Result<Output>"
                .to_owned(),
            container: Some("Processor".to_owned()),
            score: 1.0,
        };
        SymbolList {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            folder: None,
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            name: "process".to_owned(),
            matched: SymbolMatch::Exact,
            kind: None,
            language: None,
            path: None,
            total: u64::from(symbols),
            symbols: (0..symbols).map(symbol).collect(),
            remaining: 0,
            truncated: false,
            cursor: None,
            limit: 20,
        }
    }

    #[test]
    fn a_definition_has_its_place_and_signature() {
        let mut list = list(1);
        list.symbols[0].end_line = 12;
        let (phase, rate, eta_seconds) = (IndexPhase::Extracting, 0.0, None);
        list.freshness.partial = Some(IndexProgress {
            phase,
            done: 1234,
            total: 6611,
            rate,
            eta_seconds,
        });
        insta::assert_snapshot!(list.text().to_string(), @r"
        1 symbol named process in engine
        partial: 1,234 of 6,611 files indexed
        src/processor_0.rs:12  public method Processor::process
          pub fn process( &mut self, input: &str, ) -> Result<Output>
        ");
    }

    #[test]
    fn many_are_cut_between_symbols_and_go_on() {
        let mut many = list(90);
        (many.kind, many.matched) = (Some(SymbolKind::Method), SymbolMatch::Substring);
        let text = render(&many, Format::Text, 160);
        assert!(tokens::estimate(&text) <= 160);
        insta::assert_snapshot!(text, @r#"
        90 methods containing process in engine; 2 shown
        src/processor_0.rs:12-40  public method Processor::process
          pub fn process( &mut self, input: &str, ) -> Result<Output>
        src/processor_1.rs:13-41  public method Processor::process
          pub fn process( &mut self, input: &str, ) -> Result<Output>
        88 more: find_symbol {"name":"process","match":"substring","kind":"method","root":"engine","cursor":"1000:13:process:src/processor_1.rs"}
        "#);
    }

    #[test]
    fn kinds_have_their_plurals() {
        let plural = |kind: SymbolKind| kinds(2, kind.as_str());
        assert_eq!(plural(SymbolKind::Property), "2 properties");
        assert_eq!(plural(SymbolKind::Class), "2 classes");
        assert_eq!(plural(SymbolKind::Alias), "2 aliases");
        assert_eq!(
            [plural(SymbolKind::Key), kinds(1, "property")],
            ["2 keys", "1 property"]
        );
    }
}
