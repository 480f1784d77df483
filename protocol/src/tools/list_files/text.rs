//! The text of `list_files`.

use crate::answer::freshness;
use crate::text::NextCall;
use crate::text::quantity::{bytes, count, grouped};
use crate::text::{leading, one_line};
use crate::tools::Tool;
use crate::tools::list_files::{FileEntry, FileList, FileSort, ListFiles, PatternType};

pub fn write(list: &FileList) -> String {
    let mut text = head(list);
    for note in freshness::lines(&list.freshness) {
        text.push('\n');
        text.push_str(&note);
    }
    for file in &list.files {
        text.push('\n');
        text.push_str(&line(file));
    }
    if list.unreadable_total > 0 {
        let names: Vec<_> = list.unreadable.iter().map(|name| one_line(name)).collect();
        let count = grouped(list.unreadable_total);
        text.push_str(&format!(
            "\n{count} not readable, so files may be missing: {}",
            names.join(", ")
        ));
    }
    if list.remaining > 0 {
        text.push('\n');
        text.push_str(&next(list));
    }
    text
}

fn head(list: &FileList) -> String {
    let mut head = count(list.total, "file");
    if let Some(language) = &list.language {
        head = format!("{head} of {language}");
    }
    if let Some(pattern) = &list.pattern {
        let verb = if list.total == 1 { "matches" } else { "match" };
        head = format!("{head} {verb} {}", one_line(pattern));
    }
    let place = list
        .folder
        .as_ref()
        .map_or_else(String::new, |folder| format!("/{}", one_line(folder)));
    head = format!("{head} in {}{place}", list.root_name);
    if list.total == 0 {
        return format!("{head} (ignored files are not listed){}", advice(list));
    }
    let shown = list.files.len() as u64;
    let before = list.total.saturating_sub(list.remaining + shown);
    if before > 0 {
        head = format!(
            "{head}; {}-{} shown",
            grouped(before + 1),
            grouped(before + shown)
        );
    } else if shown != list.total {
        head = format!("{head}; {} shown", grouped(shown));
    }
    match list.sort {
        FileSort::Path => head,
        FileSort::Size => format!("{head}, largest first"),
        FileSort::Recent => format!("{head}, newest first"),
    }
}

/// What may have been meant by a pattern that matches nothing.
fn advice(list: &FileList) -> String {
    let Some(pattern) = list
        .pattern
        .as_ref()
        .filter(|_| list.pattern_type == PatternType::Glob)
    else {
        return String::new();
    };
    let call = NextCall::new(ListFiles::NAME);
    let call = if pattern.contains(['^', '$', '\\']) {
        call.with("pattern", pattern.as_str())
            .with("pattern_type", "regex")
    } else if !pattern.contains(['*', '?', '[', '{']) {
        call.with("pattern", format!("*{pattern}*"))
    } else {
        return String::new();
    };
    format!("; perhaps {call}")
}

fn line(file: &FileEntry) -> String {
    let mut line = leading(&file.path);
    if let Some(language) = &file.language {
        line = format!("{line}  {language}");
    }
    if let Some(lines) = file.lines {
        line = format!("{line}  {}", count(lines, "line"));
    }
    if let Some(chunks) = file.chunks {
        line = format!("{line}  {}", count(u64::from(chunks), "chunk"));
    }
    format!("{line}  {}", bytes(file.size))
}

fn next(list: &FileList) -> String {
    let call = NextCall::new(ListFiles::NAME)
        .with_some("pattern", list.pattern.as_deref())
        .with_some(
            "pattern_type",
            (list.pattern_type == PatternType::Regex).then_some("regex"),
        )
        .with_some("language", list.language.as_deref())
        .with_some(
            "sort",
            (list.sort != FileSort::Path).then(|| list.sort.as_str()),
        )
        .with_some(
            "limit",
            (list.limit != ListFiles::DEFAULT_LIMIT).then_some(list.limit),
        )
        .with_budget(list.max_tokens)
        .with("root", asked_root(list))
        .with_some("cursor", list.cursor.as_deref());
    format!("{} more: {call}", grouped(list.remaining))
}

/// The root as it has to be named to get the same part of it again.
fn asked_root(list: &FileList) -> String {
    match &list.folder {
        Some(folder) => format!("{}/{folder}", list.root),
        None => list.root_name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::render::render;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;

    fn list(files: usize) -> FileList {
        let entry = |index: usize| FileEntry {
            path: format!("src/module_{index:03}.rs"),
            language: Some("rust".to_owned()),
            lines: Some(120),
            chunks: None,
            size: 4123,
            modified: 0,
        };
        FileList {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            folder: None,
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            pattern: Some("*.rs".to_owned()),
            pattern_type: PatternType::Glob,
            language: None,
            sort: FileSort::Path,
            total: files as u64,
            files: (0..files).map(entry).collect(),
            remaining: 0,
            truncated: false,
            cursor: None,
            limit: 100,
            unreadable_total: 0,
            unreadable: vec![],
        }
    }

    #[test]
    fn a_short_list_is_shown_whole() {
        let mut short = list(2);
        short.files[0].chunks = Some(5);
        short.freshness = Freshness::default().with_stale(["src/module_001.rs".to_owned()]);
        insta::assert_snapshot!(short.text().to_string(), @r"
        2 files match *.rs in engine
        stale: src/module_001.rs
        src/module_000.rs  rust  120 lines  5 chunks  4.1 KB
        src/module_001.rs  rust  120 lines  4.1 KB
        ");
    }

    #[test]
    fn a_long_list_is_cut_between_files_and_says_how_to_go_on() {
        let text = render(&list(300), Format::Text, 120);
        assert!(tokens::estimate(&text) <= 120);
        insta::assert_snapshot!(text, @r#"
        300 files match *.rs in engine; 4 shown
        src/module_000.rs  rust  120 lines  4.1 KB
        src/module_001.rs  rust  120 lines  4.1 KB
        src/module_002.rs  rust  120 lines  4.1 KB
        src/module_003.rs  rust  120 lines  4.1 KB
        296 more: list_files {"pattern":"*.rs","root":"engine","cursor":"path:src/module_003.rs"}
        "#);
    }

    #[test]
    fn json_obeys_the_budget_too() {
        let text = render(&list(300), Format::Json, 400);
        assert!(tokens::estimate(&text) <= 400);
        let value: serde_json::Value = serde_json::from_str(&text).expect("json");
        let shown = value["files"].as_array().expect("files").len() as u64;
        assert!(shown > 2);
        assert_eq!(value["remaining"], 300 - shown);
        assert_eq!(value["truncated"], true);
    }

    #[test]
    fn an_empty_list_says_so() {
        insta::assert_snapshot!(list(0).text().to_string(), @"0 files match *.rs in engine (ignored files are not listed)");
    }
}
