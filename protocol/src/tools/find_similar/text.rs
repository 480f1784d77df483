//! The text of `find_similar`.

use crate::answer::freshness;
use crate::answer::hits::ranked;
use crate::text::NextCall;
use crate::text::quantity::{count, elapsed, grouped};
use crate::text::{one_line, place};
use crate::tools::Tool;
use crate::tools::find_similar::{FindSimilar, SimilarBy, SimilarCode};

/// Longer code is not repeated in the call that shows more: whoever gave it has it.
const LONGEST_REPEATED: usize = 200;

/// All known projects.
const EVERYWHERE: &str = "*";

pub fn write(list: &SimilarCode) -> String {
    let mut lines = vec![head(list)];
    lines.extend(freshness::lines(&list.freshness));
    lines.extend(ranked(&list.results));
    if list.remaining > 0 {
        lines.push(next(list));
    }
    lines.join("\n")
}

/// What was asked and how much was found.
pub fn head(list: &SimilarCode) -> String {
    let given = match (&list.path, list.line) {
        (Some(path), Some(line)) => place(path, line, line),
        _ => "the given code".to_owned(),
    };
    let found = if list.total == 0 {
        "nothing".to_owned()
    } else {
        count(list.total, "place")
    };
    let language = list
        .language
        .as_ref()
        .map_or_else(String::new, |language| format!(" of {language}"));
    let folder = list
        .folder
        .as_ref()
        .map_or_else(String::new, |folder| format!("/{}", one_line(folder)));
    let scope = if list.root == EVERYWHERE {
        "all projects".to_owned()
    } else {
        format!("{}{folder}", list.root_name)
    };
    let measure = match list.measure {
        SimilarBy::Meaning => "by meaning",
        SimilarBy::Words => "by words in common",
    };
    let head = format!(
        "{found} like {given}{language} in {scope} ({measure}, {})",
        elapsed(list.elapsed_ms)
    );
    let shown = list.results.len() as u64;
    if list.offset > 0 && shown > 0 {
        format!(
            "{head}; {}-{} shown",
            grouped(list.offset + 1),
            grouped(list.offset + shown)
        )
    } else if list.remaining > 0 {
        format!("{head}; {} shown", grouped(shown))
    } else {
        head
    }
}

fn next(list: &SimilarCode) -> String {
    let root = match &list.folder {
        _ if list.root == EVERYWHERE => EVERYWHERE.to_owned(),
        Some(folder) => format!("{}/{folder}", list.root),
        None => list.root_name.clone(),
    };
    let code = list.code.as_deref().filter(|_| list.path.is_none());
    let repeated = code.filter(|code| code.chars().count() <= LONGEST_REPEATED);
    let call = NextCall::new(FindSimilar::NAME)
        .with_some("code", repeated)
        .with_some("path", list.path.as_deref())
        .with_some("line", list.line)
        .with_some("language", list.language.as_deref())
        .with_some(
            "limit",
            (list.limit != FindSimilar::DEFAULT_LIMIT).then_some(list.limit),
        )
        .with_budget(list.max_tokens)
        .with("root", root)
        .with_some("cursor", list.cursor.as_deref());
    let same = if code.is_some() && repeated.is_none() {
        " and the same `code`"
    } else {
        ""
    };
    format!("{} more: {call}{same}", grouped(list.remaining))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use crate::answer::symbol::SymbolKind;
    use crate::text::tokens::DEFAULT_TOKENS;
    use crate::tools::search::SearchHit;

    fn alike() -> SimilarCode {
        let hit = SearchHit {
            path: "src/tally.rs".to_owned(),
            start_line: 7,
            end_line: 9,
            symbol: Some("tally".to_owned()),
            kind: Some(SymbolKind::Function),
            score: 0.91,
            snippet: "fn tally() -> usize {\n    0\n}".to_owned(),
            snippet_lines: vec![7, 8, 9],
            ..SearchHit::default()
        };
        let mut list = SimilarCode {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            path: Some("src/count.rs".to_owned()),
            line: Some(12),
            results: vec![hit],
            total: 4,
            remaining: 3,
            limit: 1,
            elapsed_ms: 12.3,
            ..SimilarCode::default()
        };
        list.set_cursor();
        list
    }

    #[test]
    fn places_are_shown_with_their_lines() {
        insta::assert_snapshot!(alike().text().to_string(), @r#"
        4 places like src/count.rs:12 in engine (by meaning, 12 ms); 1 shown
        src/tally.rs:7-9  function tally  [0.910]
        ```
        7	fn tally() -> usize {
        8	    0
        9	}
        ```
        3 more: find_similar {"path":"src/count.rs","line":12,"limit":1,"root":"engine","cursor":"1:7:src/tally.rs"}
        "#);
    }

    #[test]
    fn long_code_is_not_repeated() {
        let mut list = alike();
        (list.path, list.line, list.measure) = (None, None, SimilarBy::Words);
        list.code = Some("fn tally() {}".to_owned());
        assert!(
            list.text()
                .to_string()
                .contains(r#"find_similar {"code":"fn tally() {}","limit":1"#),
            "{}",
            list.text().to_string()
        );
        list.code = Some("x".repeat(5000));
        let text = list.text().to_string();
        assert!(text.starts_with(
            "4 places like the given code in engine (by words in common, 12 ms); 1 shown"
        ));
        assert!(
            text.len() < 400 && text.ends_with("and the same `code`"),
            "{text}"
        );
    }

    #[test]
    fn nothing_alike_is_an_answer() {
        let list = SimilarCode {
            results: vec![],
            total: 0,
            remaining: 0,
            ..alike()
        };
        assert_eq!(
            list.text().to_string(),
            "nothing like src/count.rs:12 in engine (by meaning, 12 ms)"
        );
    }
}
