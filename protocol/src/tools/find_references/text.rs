//! The text of `find_references`: by level, then by file, each line with what it is to the symbol. Why a place is taken for
//! a reference is said once for a level, or for a file, and again only where it is something else.

use std::collections::BTreeMap;

use crate::answer::freshness;
use crate::answer::graph::UseRole;
use crate::answer::graph::text::{again_all, asked_all, confidence, listed};
use crate::answer::hits::{GAP, shortened};
use crate::text::quantity::{count, grouped};
use crate::text::{fence, leading, one_line};
use crate::tools::Tool;
use crate::tools::find_references::{
    ConfidenceLevel, FileReferences, FindReferences, Reference, References,
};

/// A longer line is cut where lines are listed one by one.
const LONGEST_LINE: usize = 160;

pub fn write(list: &References) -> String {
    let mut lines = vec![head(list)];
    lines.extend(freshness::lines(&list.freshness));
    if list.include_definition {
        let shown = list
            .definitions
            .iter()
            .map(|symbol| format!("defined at {}", listed(symbol)));
        lines.extend(shown);
    }
    for level in ConfidenceLevel::ALL {
        let of_level: Vec<_> = list
            .references
            .iter()
            .filter(|reference| reference.level == *level)
            .collect();
        if of_level.is_empty() {
            continue;
        }
        let why = most_common(&of_level);
        let counted = grouped(list.counts.at(*level));
        let otherwise = if of_level.iter().all(|one| sureness(one) == why) {
            ""
        } else {
            ", unless said otherwise"
        };
        lines.push(format!(
            "{} confidence ({counted}), {why}{otherwise}",
            level.as_str()
        ));
        for file in of_level.chunk_by(|one, other| one.path == other.path) {
            let common = Common {
                why: most_common(file),
                is_test: file.iter().all(|one| one.is_test),
            };
            lines.push(file_head(&file[0].path, &common, &why));
            let shown = shown_lines(file, list.context_lines > 0, &common);
            let fence = fence(shown.iter().map(String::as_str));
            lines.push(fence.clone());
            lines.extend(shown);
            lines.push(fence);
        }
    }
    lines.extend(files(list));
    lines.extend(more_mentions(list));
    if list.remaining > 0 {
        lines.push(next(list));
    }
    lines.join("\n")
}

/// What was asked and how much was found.
pub fn head(list: &References) -> String {
    let found = match (list.total, list.role) {
        (0, None) => "no references".to_owned(),
        (0, Some(role)) => format!("no references ({})", role.as_str()),
        (total, None) => count(total, "reference"),
        (total, Some(role)) => format!("{} ({})", count(total, "reference"), role.as_str()),
    };
    let mut head = format!(
        "{found} to {} in {}",
        asked_all(&list.symbol, list.overloads),
        list.root_name
    );
    if let Some(path) = &list.defined_in {
        head = format!("{head} outside of {}", one_line(path));
    }
    if list.total > 0 {
        let levels = ConfidenceLevel::ALL
            .iter()
            .filter(|level| list.counts.at(**level) > 0);
        let levels: Vec<_> = levels
            .map(|level| format!("{} {}", grouped(list.counts.at(*level)), level.as_str()))
            .collect();
        head = format!("{head}: {}", levels.join(", "));
    }
    let shown = list.references.len() as u64;
    let before = list.total.saturating_sub(list.remaining + shown);
    if before > 0 && shown > 0 {
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

/// What holds for most places of a file, and is said at its head.
struct Common {
    why: String,
    is_test: bool,
}

/// What is said of most of these, the first of equals.
fn most_common(references: &[&Reference]) -> String {
    let mut counted: Vec<(String, usize)> = vec![];
    for why in references.iter().map(|one| sureness(one)) {
        match counted.iter_mut().find(|(known, _)| *known == why) {
            Some((_, times)) => *times += 1,
            None => counted.push((why, 1)),
        }
    }
    counted
        .into_iter()
        .rev()
        .max_by_key(|(_, times)| *times)
        .map(|(why, _)| why)
        .unwrap_or_default()
}

/// `src/main.rs  test, 0.95 resolved: imported`, with what is not said of the whole level.
fn file_head(path: &str, common: &Common, of_level: &str) -> String {
    let mut parts = vec![];
    parts.extend(common.is_test.then_some("test"));
    parts.extend((common.why != of_level).then_some(common.why.as_str()));
    format!("{}  {}", leading(path), parts.join(", "))
        .trim_end()
        .to_owned()
}

/// The lines of one file: those with references, and with context those around them.
fn shown_lines(references: &[&Reference], has_context: bool, common: &Common) -> Vec<String> {
    let mut texts = BTreeMap::new();
    let mut uses = BTreeMap::<u32, Vec<(String, usize)>>::new();
    for reference in references {
        if let Some(context) = reference.context.as_ref().filter(|_| has_context) {
            texts.extend(
                context
                    .numbered()
                    .map(|(number, line)| (number, shortened(line))),
            );
        }
        texts
            .entry(reference.line)
            .or_insert_with(|| cut(reference.text.trim()));
        let of_line = uses.entry(reference.line).or_default();
        let said = beside(reference, common);
        match of_line.iter_mut().find(|(known, _)| *known == said) {
            Some((_, times)) => *times += 1,
            None => of_line.push((said, 1)),
        }
    }
    let mut lines = vec![];
    let mut before = None;
    for (number, text) in texts {
        if has_context && before.is_some_and(|before: u32| before.saturating_add(1) != number) {
            lines.push(GAP.to_owned());
        }
        before = Some(number);
        lines.push(match uses.get(&number) {
            Some(uses) => {
                let uses = uses.iter().map(|(said, times)| match times {
                    1 => said.clone(),
                    times => format!("{said} ×{times}"),
                });
                format!(
                    "{number}: {text}  [{}]",
                    uses.collect::<Vec<_>>().join("; ")
                )
            }
            None => format!("{number}- {text}"),
        });
    }
    lines
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// `call in setup, test, 0.95 resolved: imported`.
pub fn described(reference: &Reference) -> String {
    beside(
        reference,
        &Common {
            why: String::new(),
            is_test: false,
        },
    )
}

/// The same without what its file says of all.
fn beside(reference: &Reference, common: &Common) -> String {
    let mut parts = vec![usage(&reference.usage, reference.enclosing.as_deref())];
    if reference.is_test && !common.is_test {
        parts.push("test".to_owned());
    }
    let why = sureness(reference);
    if why != common.why {
        parts.push(why);
    }
    parts.join(", ")
}

/// `0.95 resolved: imported`.
fn sureness(reference: &Reference) -> String {
    let words = confidence(
        reference.resolution,
        reference.candidates,
        &reference.reason,
    );
    format!("{:.2} {words}", reference.confidence)
}

/// `call in Engine::run`, or without a symbol around it `call`.
pub fn usage(usage: &str, enclosing: Option<&str>) -> String {
    match enclosing {
        Some(enclosing) => one_line(&format!("{usage} {enclosing}")),
        None => one_line(usage.trim_end_matches(" in").trim_end_matches(" of")),
    }
}

/// How many words are not listed, and how to see them.
fn more_mentions(list: &References) -> Option<String> {
    (list.more_mentions > 0).then(|| {
        let call = again_all(FindReferences::NAME, &list.symbol, list.overloads)
            .with("role", UseRole::Mention.as_str())
            .with("root", list.root_name.as_str());
        format!("… and {}: {call}", unlisted(list.more_mentions))
    })
}

/// `60 more mentions in prose, comments and strings`.
pub fn unlisted(mentions: u64) -> String {
    format!(
        "{} in prose, comments and strings",
        count(mentions, "more mention")
    )
}

fn files(list: &References) -> Vec<String> {
    if list.files.is_empty() {
        return vec![];
    }
    let mut lines = vec![format!("files to update ({})", grouped(list.total_files))];
    lines.extend(
        list.files
            .iter()
            .map(|file| format!("  {}", file_line(file))),
    );
    let more = list.total_files.saturating_sub(list.files.len() as u64);
    if more > 0 {
        lines.push(format!("  and {} more", count(more, "file")));
    }
    lines
}

pub fn file_line(file: &FileReferences) -> String {
    format!("{}  {}", one_line(&file.path), grouped(file.references))
}

fn next(list: &References) -> String {
    let least = list.min_confidence;
    let call = again_all(FindReferences::NAME, &list.symbol, list.overloads)
        .with_some("role", list.role.map(UseRole::as_str))
        .with_some(
            "include_definition",
            list.include_definition.then_some(true),
        )
        .with_some("defined_in", list.defined_in.as_deref())
        .with_some(
            "context_lines",
            (list.context_lines > 0).then_some(list.context_lines),
        )
        .with_some(
            "min_confidence",
            (least != ConfidenceLevel::Low).then(|| least.as_str()),
        )
        .with_some(
            "limit",
            (list.limit != FindReferences::DEFAULT_LIMIT).then_some(list.limit),
        )
        .with_budget(list.max_tokens)
        .with("root", list.root_name.as_str())
        .with_some("cursor", list.cursor.as_deref());
    format!("{} more: {call}", grouped(list.remaining))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::graph::text::samples::run;
    use crate::answer::graph::{Excerpt, Resolution};
    use crate::answer::render::render;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;
    use crate::tools::find_references::ConfidenceCounts;

    fn reference(path: &str, line: u32, confidence: f64) -> Reference {
        Reference {
            path: path.to_owned(),
            line,
            column: 9,
            role: UseRole::Call,
            usage: "call in".to_owned(),
            confidence,
            level: ConfidenceLevel::of(confidence),
            resolution: Resolution::Resolved,
            reason: "method of the receiver's type".to_owned(),
            candidates: None,
            enclosing: Some("main".to_owned()),
            text: "    let total = engine.run();".to_owned(),
            context: None,
            is_test: false,
        }
    }

    fn list(references: Vec<Reference>) -> References {
        let counted = |level| {
            references
                .iter()
                .filter(|reference| reference.level == level)
                .count() as u64
        };
        let mut files = BTreeMap::<String, u64>::new();
        for reference in &references {
            *files.entry(reference.path.clone()).or_default() += 1;
        }
        let mut files: Vec<_> = files
            .into_iter()
            .map(|(path, references)| FileReferences { path, references })
            .collect();
        References::sort_files(&mut files);
        References {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            symbol: run(),
            definitions: vec![run()],
            role: None,
            include_definition: false,
            defined_in: None,
            context_lines: 0,
            min_confidence: ConfidenceLevel::Low,
            counts: ConfidenceCounts {
                high: counted(ConfidenceLevel::High),
                medium: counted(ConfidenceLevel::Medium),
                low: counted(ConfidenceLevel::Low),
            },
            total: references.len() as u64,
            more_mentions: 0,
            total_files: files.len() as u64,
            files,
            references,
            remaining: 0,
            truncated: false,
            cursor: None,
            limit: 50,
            overloads: 0,
        }
    }

    #[test]
    fn references_come_by_level_and_end_with_the_files_to_update() {
        let ambiguous = Reference {
            resolution: Resolution::Ambiguous,
            candidates: Some(3),
            reason: "the receiver's type is not known".to_owned(),
            is_test: true,
            ..reference("tests/run.rs", 9, 0.6)
        };
        let mention = Reference {
            role: UseRole::Mention,
            usage: "mention in".to_owned(),
            resolution: Resolution::NameOnly,
            reason: "in a comment".to_owned(),
            enclosing: None,
            text: "// `run` ``` does it".to_owned(),
            ..reference("README.md", 3, 0.2)
        };
        let returned = Reference {
            usage: "argument of".to_owned(),
            column: 30,
            ..reference("src/main.rs", 12, 0.92)
        };
        let list = list(vec![
            reference("src/main.rs", 12, 0.95),
            returned,
            reference("src/main.rs", 20, 0.95),
            ambiguous,
            mention,
        ]);
        insta::assert_snapshot!(list.text().to_string(), @r"
        5 references to method Engine::run (src/engine.rs:12-40) in engine: 3 high, 1 medium, 1 low
        high confidence (3), 0.95 resolved: method of the receiver's type, unless said otherwise
        src/main.rs
        ```
        12: let total = engine.run();  [call in main; argument of main, 0.92 resolved: method of the receiver's type]
        20: let total = engine.run();  [call in main]
        ```
        medium confidence (1), 0.60 ambiguous among 3: the receiver's type is not known
        tests/run.rs  test
        ```
        9: let total = engine.run();  [call in main]
        ```
        low confidence (1), 0.20 name only: in a comment
        README.md
        ````
        3: // `run` ``` does it  [mention]
        ````
        files to update (3)
          src/main.rs  3
          README.md  1
          tests/run.rs  1
        ");
    }

    #[test]
    fn context_is_shown_once_and_a_definition_where_it_is_wanted() {
        let around = |start, lines: [&str; 3]| Some(Excerpt::whole(start, lines));
        let first = Reference {
            context: around(11, ["fn main() {", "    a.run();", "    b();"]),
            ..reference("src/main.rs", 12, 0.9)
        };
        let second = Reference {
            context: around(13, ["    b();", "    c.run();", "}"]),
            ..reference("src/main.rs", 14, 0.9)
        };
        let third = Reference {
            context: around(40, ["{", "    d.run();", "}"]),
            ..reference("src/main.rs", 41, 0.9)
        };
        let list = References {
            context_lines: 1,
            include_definition: true,
            role: Some(UseRole::Call),
            ..list(vec![first, second, third])
        };
        insta::assert_snapshot!(list.text().to_string(), @r"
        3 references (call) to method Engine::run (src/engine.rs:12-40) in engine: 3 high
        defined at src/engine.rs:12-40  public method Engine::run
        high confidence (3), 0.90 resolved: method of the receiver's type
        src/main.rs
        ```
        11- fn main() {
        12:     a.run();  [call in main]
        13-     b();
        14:     c.run();  [call in main]
        15- }
        ⋮
        40- {
        41:     d.run();  [call in main]
        42- }
        ```
        files to update (1)
          src/main.rs  3
        ");
    }

    #[test]
    fn many_are_cut_between_references_and_go_on() {
        let many = list(
            (0..200)
                .map(|index| reference(&format!("src/file_{index:03}.rs"), index, 0.95))
                .collect(),
        );
        for budget in [500, 1000, 4000] {
            let text = render(&many, Format::Text, budget);
            assert!(
                tokens::estimate(&text) <= budget as usize,
                "{}",
                tokens::estimate(&text)
            );
        }
        let text = render(&many, Format::Text, 500);
        insta::assert_snapshot!(text.lines().last().expect("a line"), @r#"194 more: find_references {"path":"src/engine.rs","line":12,"root":"engine","cursor":"5:5:9:src/file_005.rs"}"#);
        assert!(render(&many, Format::Json, 800).contains("\"truncated\":true"));
        let page = References {
            total: 260,
            remaining: 60,
            ..many
        };
        assert!(
            page.text()
                .to_string()
                .lines()
                .next()
                .expect("a line")
                .ends_with("200 high; 200 shown"),
            "{}",
            page.text().to_string()
        );
    }

    #[test]
    fn a_reference_costs_no_more_than_seventy_tokens() {
        let few = list(
            (0..20)
                .map(|index| reference(&format!("src/some/folder/file_{index:03}.rs"), index, 0.95))
                .collect(),
        );
        let cost = tokens::estimate(&few.text().to_string()) / 20;
        assert!(cost <= 70, "{cost}");
    }

    #[test]
    fn what_is_the_same_is_said_once_and_what_differs_beside_it() {
        let inherited = |line| Reference {
            reason: "inherited".to_owned(),
            ..reference("src/other.rs", line, 0.95)
        };
        let twice = Reference {
            column: 30,
            ..reference("src/main.rs", 12, 0.95)
        };
        let all = vec![
            reference("src/main.rs", 12, 0.95),
            twice,
            inherited(3),
            inherited(4),
            reference("src/z.rs", 1, 0.95),
        ];
        let list = References {
            more_mentions: 60,
            files: vec![],
            ..list(all)
        };
        insta::assert_snapshot!(list.text().to_string(), @r#"
        5 references to method Engine::run (src/engine.rs:12-40) in engine: 5 high
        high confidence (5), 0.95 resolved: method of the receiver's type, unless said otherwise
        src/main.rs
        ```
        12: let total = engine.run();  [call in main ×2]
        ```
        src/other.rs  0.95 resolved: inherited
        ```
        3: let total = engine.run();  [call in main]
        4: let total = engine.run();  [call in main]
        ```
        src/z.rs
        ```
        1: let total = engine.run();  [call in main]
        ```
        … and 60 more mentions in prose, comments and strings: find_references {"path":"src/engine.rs","line":12,"role":"mention","root":"engine"}
        "#);
    }

    #[test]
    fn nothing_found_is_said() {
        insta::assert_snapshot!(References { defined_in: Some("src/engine.rs".to_owned()), ..list(vec![]) }.text().to_string(), @"no references to method Engine::run (src/engine.rs:12-40) in engine outside of src/engine.rs");
    }
}
