//! The text of `analyze_complexity`.

use crate::answer::freshness;
use crate::text::NextCall;
use crate::text::quantity::{count, grouped};
use crate::text::tokens::MOST_TOKENS;
use crate::text::{one_line, place};
use crate::tools::Tool;
use crate::tools::analyze_complexity::{
    AnalyzeComplexity, Complexity, Cyclomatic, FunctionComplexity, LanguageComplexity, LineCounts,
    Scope,
};

pub fn write(answer: &Complexity) -> String {
    let mut lines = vec![head(answer)];
    lines.extend(freshness::lines(&answer.freshness));
    lines.push(format!("lines: {}", line_counts(&answer.lines)));
    if !answer.symbols.is_empty() {
        lines.push(format!("symbols: {}", symbols(answer)));
    }
    lines.push(format!("calls: {}", grouped(answer.calls)));
    lines.push(format!("cyclomatic: {}", cyclomatic(&answer.cyclomatic)));
    if answer.languages.len() > 1 {
        lines.extend(answer.languages.iter().map(language));
    }
    if !answer.functions.is_empty() {
        lines.push(
            if answer.scope == Scope::File {
                "functions:"
            } else {
                "hot spots:"
            }
            .to_owned(),
        );
        lines.extend(answer.functions.iter().map(function));
    }
    lines.extend(next(answer).map(|call| format!("{} more: {call}", functions(answer.remaining))));
    lines.join("\n")
}

fn head(answer: &Complexity) -> String {
    let place = match answer.scope {
        Scope::Root => answer.root_name.clone(),
        Scope::Folder | Scope::File => {
            format!("{} in {}", one_line(&answer.path), answer.root_name)
        }
    };
    match answer.scope {
        Scope::File => format!("complexity of {place}"),
        Scope::Root | Scope::Folder => {
            format!("complexity of {place}: {}", count(answer.files, "file"))
        }
    }
}

/// `2,400: 1,900 code, 220 comment, 280 blank; 2,120 not empty`.
pub fn line_counts(lines: &LineCounts) -> String {
    let [total, code, comment, blank, non_empty] = [
        lines.total,
        lines.code,
        lines.comment,
        lines.blank,
        lines.non_empty,
    ]
    .map(grouped);
    format!("{total}: {code} code, {comment} comment, {blank} blank; {non_empty} not empty")
}

/// `120 functions, 40 methods`.
pub fn symbols(answer: &Complexity) -> String {
    let counts: Vec<_> = answer
        .symbols
        .iter()
        .map(|one| count(one.count, one.kind.as_str()))
        .collect();
    counts.join(", ")
}

/// `610 in 160 functions, mean 3.81, highest 41`.
pub fn cyclomatic(sum: &Cyclomatic) -> String {
    if sum.functions == 0 {
        return "no functions".to_owned();
    }
    format!(
        "{} in {}, mean {:.2}, highest {}",
        grouped(sum.total),
        functions(sum.functions),
        sum.mean,
        sum.max
    )
}

fn functions(number: u64) -> String {
    count(number, "function")
}

fn language(one: &LanguageComplexity) -> String {
    let (files, code) = (count(one.files, "file"), grouped(one.lines.code));
    format!(
        "{}: {files}, {code} code, cyclomatic {}",
        one.language,
        cyclomatic(&one.cyclomatic)
    )
}

fn function(one: &FunctionComplexity) -> String {
    let place = place(&one.path, one.start_line, one.end_line);
    let calls = count(u64::from(one.calls), "call");
    format!(
        "{}  {place}  {} {}  {calls}",
        one.cyclomatic,
        one.kind.as_str(),
        one_line(&one.name)
    )
}

/// More functions, with the largest limit and budget; beyond these, those of the file that has the worst.
fn next(answer: &Complexity) -> Option<NextCall> {
    let is_widest =
        answer.limit == AnalyzeComplexity::HIGHEST_LIMIT && answer.max_tokens == MOST_TOKENS;
    let worst = answer
        .functions
        .first()
        .filter(|_| is_widest)
        .map_or(&answer.path, |worst| &worst.path);
    if answer.remaining == 0 || (is_widest && *worst == answer.path) {
        return None;
    }
    let call = NextCall::new(AnalyzeComplexity::NAME)
        .with_some("path", (!worst.is_empty()).then(|| worst.clone()))
        .with("root", answer.root_name.as_str())
        .with("limit", AnalyzeComplexity::HIGHEST_LIMIT)
        .with_budget(MOST_TOKENS);
    Some(call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;
    use crate::tools::analyze_complexity::KindCount;

    fn answer(functions: u32) -> Complexity {
        let function = |index: u32| FunctionComplexity {
            name: format!("Engine::step_{index}"),
            kind: SymbolKind::Method,
            path: "src/engine.rs".to_owned(),
            start_line: 10 * index,
            end_line: 10 * index + 8,
            cyclomatic: functions - index,
            calls: 3,
        };
        let cyclomatic = Cyclomatic::of((0..functions).map(|index| functions - index));
        let language = |language: &str, code| LanguageComplexity {
            language: language.to_owned(),
            files: 1,
            lines: LineCounts::new(code, 10, 5),
            calls: 3,
            cyclomatic,
        };
        Complexity {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            path: "src".to_owned(),
            scope: Scope::Folder,
            files: 2,
            lines: LineCounts::new(1900, 220, 280),
            symbols: vec![
                KindCount {
                    kind: SymbolKind::Method,
                    count: 40,
                },
                KindCount {
                    kind: SymbolKind::Class,
                    count: 2,
                },
            ],
            calls: 3210,
            cyclomatic,
            languages: vec![language("rust", 1800), language("c", 100)],
            functions: (0..functions).map(function).collect(),
            remaining: 0,
            truncated: false,
            limit: 20,
        }
    }

    #[test]
    fn a_folder_has_sums_and_hot_spots() {
        insta::assert_snapshot!(answer(2).text().to_string(), @r"
        complexity of src in engine: 2 files
        lines: 2,400: 1,900 code, 220 comment, 280 blank; 2,120 not empty
        symbols: 40 methods, 2 classes
        calls: 3,210
        cyclomatic: 3 in 2 functions, mean 1.50, highest 2
        rust: 1 file, 1,800 code, cyclomatic 3 in 2 functions, mean 1.50, highest 2
        c: 1 file, 100 code, cyclomatic 3 in 2 functions, mean 1.50, highest 2
        hot spots:
        2  src/engine.rs:0-8  method Engine::step_0  3 calls
        1  src/engine.rs:10-18  method Engine::step_1  3 calls
        ");
    }

    #[test]
    fn the_most_complex_survive_the_cut() {
        let text = render(&answer(100), Format::Text, 500);
        assert!(
            tokens::estimate(&text) <= 500 && text.contains("\n100  src/engine.rs:0-8  "),
            "{text}"
        );
        let shown = text
            .lines()
            .filter(|line| line.contains("Engine::step_"))
            .count();
        let more = format!("{} functions more: analyze_complexity ", 100 - shown);
        assert!(
            text.lines()
                .last()
                .is_some_and(|last| last.starts_with(&more)),
            "{text}"
        );
    }

    #[test]
    fn a_file_without_functions_has_its_lines() {
        let mut file = answer(0);
        (file.scope, file.path) = (Scope::File, "notes.md".to_owned());
        (file.languages, file.symbols) = (vec![], vec![]);
        insta::assert_snapshot!(file.text().to_string(), @r"
        complexity of notes.md in engine
        lines: 2,400: 1,900 code, 220 comment, 280 blank; 2,120 not empty
        calls: 3,210
        cyclomatic: no functions
        ");
    }
}
