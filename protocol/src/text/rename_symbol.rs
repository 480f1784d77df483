//! The text of `rename_symbol`: the diff, what was left out, and how to apply it.

use super::graph::{again, asked};
use super::hits::shortened;
use super::quantity::{count, grouped};
use super::{fence, freshness, one_line};
use crate::model::rename_symbol::{DiffHunk, FileEdits, LeftOut, RenameSymbol, Renaming};
use crate::model::{MOST_TOKENS, Params};

pub fn write(renaming: &Renaming) -> String {
    let mut lines = vec![head(renaming)];
    lines.extend(freshness::lines(&renaming.freshness));
    let diff: Vec<_> = renaming.files.iter().flat_map(diff_lines).map(|line| shortened(&line)).collect();
    if !diff.is_empty() {
        let fence = fence(diff.iter().map(String::as_str));
        lines.push(format!("{fence}diff"));
        lines.extend(diff);
        lines.push(fence);
    }
    if renaming.total_left_out > 0 {
        let shown = renaming.left_out.len() as u64;
        let of = if shown == renaming.total_left_out { String::new() } else { format!("; {} shown", grouped(shown)) };
        lines.push(format!("left as they are: {}{of}", count(renaming.total_left_out, "doubtful place")));
        lines.extend(renaming.left_out.iter().map(left_out_line));
    }
    lines.extend(next(renaming));
    lines.join("\n")
}

/// What changes where, and whether it has.
pub fn head(renaming: &Renaming) -> String {
    let (edits, files) = (count(renaming.total_edits, "edit"), count(renaming.total_files, "file"));
    let what = asked(&renaming.symbol);
    let (new, root) = (one_line(&renaming.new_name), &renaming.root_name);
    let done = if renaming.applied { "applied" } else { "a dry run, nothing changed yet" };
    format!("rename {what} to {new} in {root}: {edits} in {files}; {done}")
}

/// One file as a unified diff.
pub fn diff_lines(file: &FileEdits) -> Vec<String> {
    let path = one_line(&file.path);
    let mut lines = vec![format!("--- a/{path}"), format!("+++ b/{path}")];
    for hunk in &file.hunks {
        lines.push(hunk_head(hunk));
        lines.extend(hunk.lines.iter().cloned());
    }
    lines
}

fn hunk_head(hunk: &DiffHunk) -> String {
    format!("@@ -{},{} +{},{} @@", hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines)
}

pub fn left_out_line(place: &LeftOut) -> String {
    format!("  {}:{}  {:.2} {}", one_line(&place.path), place.line, place.confidence, one_line(&place.reason))
}

fn next(renaming: &Renaming) -> Option<String> {
    let call = again(RenameSymbol::TOOL, &renaming.symbol)
        .with("new_name", renaming.new_name.as_str())
        .with_some("include_low_confidence", renaming.include_low_confidence.then_some(true));
    let root = renaming.root_name.as_str();
    match (renaming.applied, renaming.truncated && renaming.max_tokens < MOST_TOKENS) {
        (true, _) => None,
        (false, true) => {
            Some(format!("cut to fit; the whole diff: {}", call.with_budget(MOST_TOKENS).with("root", root)))
        }
        (false, false) => Some(format!("to apply: {}", call.with("dry_run", false).with("root", root))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::freshness::Freshness;
    use crate::model::{Answer, DEFAULT_TOKENS, Format};
    use crate::text::graph::samples::run;
    use crate::text::{render, tokens};

    fn file(path: &str) -> FileEdits {
        let lines = [" fn main() {", "-    engine.run();", "+    engine.start();", " }"];
        let hunk = DiffHunk {
            old_start: 11,
            old_lines: 3,
            new_start: 11,
            new_lines: 3,
            lines: lines.iter().map(|&line| line.to_owned()).collect(),
        };
        FileEdits { path: path.to_owned(), edits: 1, total_hunks: 1, hunks: vec![hunk] }
    }

    fn renaming(files: Vec<FileEdits>) -> Renaming {
        Renaming {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            symbol: run(),
            new_name: "start".to_owned(),
            include_low_confidence: false,
            applied: false,
            total_files: files.len() as u64,
            total_edits: files.len() as u64,
            files,
            left_out: vec![LeftOut {
                path: "README.md".to_owned(),
                line: 7,
                column: 3,
                confidence: 0.35,
                reason: "in prose".to_owned(),
                text: "`run` does it".to_owned(),
            }],
            total_left_out: 1,
            truncated: false,
        }
    }

    #[test]
    fn a_dry_run_shows_the_diff_and_how_to_apply_it() {
        insta::assert_snapshot!(renaming(vec![file("src/main.rs")]).text(), @r#"
        rename method Engine::run (src/engine.rs:12-40) to start in engine: 1 edit in 1 file; a dry run, nothing changed yet
        ```diff
        --- a/src/main.rs
        +++ b/src/main.rs
        @@ -11,3 +11,3 @@
         fn main() {
        -    engine.run();
        +    engine.start();
         }
        ```
        left as they are: 1 doubtful place
          README.md:7  0.35 in prose
        to apply: rename_symbol {"path":"src/engine.rs","line":12,"new_name":"start","dry_run":false,"root":"engine"}
        "#);
        let applied =
            Renaming { applied: true, left_out: vec![], total_left_out: 0, ..renaming(vec![file("src/main.rs")]) };
        insta::assert_snapshot!(applied.text().lines().next().expect("a line"), @"rename method Engine::run (src/engine.rs:12-40) to start in engine: 1 edit in 1 file; applied");
        assert!(applied.text().ends_with("```"), "nothing is left to do");
    }

    #[test]
    fn a_long_diff_is_cut_between_hunks() {
        let many = renaming((0..100).map(|index| file(&format!("src/file_{index}.rs"))).collect());
        let text = render(&many, Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500);
        assert!(tokens::estimate(&render(&many, Format::Json, 500)) <= 500);
        assert!(text.contains("100 edits in 100 files") && text.contains("README.md:7"), "{text}");
        insta::assert_snapshot!(text.lines().last().expect("a line"), @r#"cut to fit; the whole diff: rename_symbol {"path":"src/engine.rs","line":12,"new_name":"start","max_tokens":10000,"root":"engine"}"#);
    }
}
