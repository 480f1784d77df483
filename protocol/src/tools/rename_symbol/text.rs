//! The text of `rename_symbol`: the diff, what was left out, and how to apply it.

use crate::answer::freshness;
use crate::answer::graph::text::{again, asked};
use crate::answer::hits::shortened;
use crate::text::quantity::{count, grouped};
use crate::text::tokens::MOST_TOKENS;
use crate::text::{fence, one_line};
use crate::tools::Tool;
use crate::tools::read_file::{CREDENTIALS, marked_lines};
use crate::tools::rename_symbol::{DiffHunk, FileEdits, LeftOut, RenameSymbol, Renaming};

pub fn write(renaming: &Renaming) -> String {
    let mut lines = vec![head(renaming)];
    lines.extend(freshness::lines(&renaming.freshness));
    lines.extend(credentials(renaming));
    let diff: Vec<_> = renaming
        .files
        .iter()
        .flat_map(diff_lines)
        .map(|line| shortened(&line))
        .collect();
    if !diff.is_empty() {
        let fence = fence(diff.iter().map(String::as_str));
        lines.push(format!("{fence}diff"));
        lines.extend(diff);
        lines.push(fence);
    }
    for (head, places) in left_out(renaming) {
        lines.push(head);
        lines.extend(places.into_iter().map(left_out_line));
    }
    lines.extend(next(renaming));
    lines.join("\n")
}

/// Names the lines of the diff that look as if they held credentials.
pub fn credentials(renaming: &Renaming) -> Option<String> {
    let marked = renaming
        .files
        .iter()
        .filter(|file| !file.secrets.is_empty());
    let files: Vec<_> = marked
        .map(|file| format!("{} {}", one_line(&file.path), marked_lines(&file.secrets)))
        .collect();
    (!files.is_empty()).then(|| format!("{CREDENTIALS}: {}", files.join("; ")))
}

/// What is left as it is, doubtful places apart from mere words, each with what to say of them.
pub fn left_out(renaming: &Renaming) -> Vec<(String, Vec<&LeftOut>)> {
    let (doubtful, words): (Vec<_>, Vec<_>) = renaming
        .left_out
        .iter()
        .partition(|place| place.is_doubtful);
    let total_words = renaming
        .total_left_out
        .saturating_sub(renaming.total_doubtful);
    let stops = renaming.include_low_confidence.is_none() && !renaming.applied;
    let stop = if stops { ", which stops an apply" } else { "" };
    let head = |stop: &str, total: u64, (noun, what): (&str, &str), shown: usize| {
        let of = if shown as u64 == total {
            String::new()
        } else {
            format!("; {} shown", grouped(shown as u64))
        };
        (total > 0).then(|| format!("left as they are{stop}: {}{what}{of}", count(total, noun)))
    };
    let first = head(
        stop,
        renaming.total_doubtful,
        ("doubtful place", ""),
        doubtful.len(),
    );
    let second = head(
        "",
        total_words,
        ("word", " in comments, strings and prose"),
        words.len(),
    );
    let first = first.map(|head| (head, doubtful));
    first
        .into_iter()
        .chain(second.map(|head| (head, words)))
        .collect()
}

/// What changes where, and whether it has.
pub fn head(renaming: &Renaming) -> String {
    let (edits, files) = (
        count(renaming.total_edits, "edit"),
        count(renaming.total_files, "file"),
    );
    let what = asked(&renaming.symbol);
    let (new, root) = (one_line(&renaming.new_name), &renaming.root_name);
    let done = if renaming.applied {
        "applied"
    } else {
        "a dry run, nothing changed yet"
    };
    format!("rename {what} to {new} in {root}: {edits} in {files}; {done}")
}

/// One file as a unified diff.
pub fn diff_lines(file: &FileEdits) -> Vec<String> {
    let path = one_line(&file.path);
    let new_path = file
        .new_path
        .as_deref()
        .map_or_else(|| path.clone(), one_line);
    let mut lines = vec![];
    if file.new_path.is_some() {
        // As git writes it, so that git reads it back.
        lines.push(format!("diff --git a/{path} b/{new_path}"));
        lines.extend([
            format!("rename from {path}"),
            format!("rename to {new_path}"),
        ]);
    }
    if !file.hunks.is_empty() {
        lines.extend([format!("--- a/{path}"), format!("+++ b/{new_path}")]);
    }
    for hunk in &file.hunks {
        lines.push(hunk_head(hunk));
        lines.extend(hunk.lines.iter().cloned());
    }
    lines
}

fn hunk_head(hunk: &DiffHunk) -> String {
    format!(
        "@@ -{},{} +{},{} @@",
        hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
    )
}

pub fn left_out_line(place: &LeftOut) -> String {
    format!(
        "  {}:{}  {:.2} {}",
        one_line(&place.path),
        place.line,
        place.confidence,
        one_line(&place.reason)
    )
}

fn next(renaming: &Renaming) -> Option<String> {
    let call =
        || again(RenameSymbol::NAME, &renaming.symbol).with("new_name", renaming.new_name.as_str());
    let said = renaming.include_low_confidence;
    let root = renaming.root_name.as_str();
    if renaming.applied {
        return None;
    }
    if renaming.truncated && renaming.max_tokens < MOST_TOKENS {
        let call = call()
            .with_some("include_low_confidence", said)
            .with_budget(MOST_TOKENS)
            .with("root", root);
        return Some(format!("cut to fit; the whole diff: {call}"));
    }
    let apply = |said: Option<bool>| {
        call()
            .with_some("include_low_confidence", said)
            .with("dry_run", false)
            .with("root", root)
    };
    if renaming.total_doubtful > 0 && said.is_none() {
        return Some(format!(
            "to apply, and change doubtful places too (false leaves them): {}",
            apply(Some(true))
        ));
    }
    Some(format!("to apply: {}", apply(said)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::graph::text::samples::run;
    use crate::answer::render::render;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;
    use crate::tools::read_file::SecretMark;

    fn file(path: &str) -> FileEdits {
        let lines = [
            " fn main() {",
            "-    engine.run();",
            "+    engine.start();",
            " }",
        ];
        let hunk = DiffHunk {
            old_start: 11,
            old_lines: 3,
            new_start: 11,
            new_lines: 3,
            lines: lines.iter().map(|&line| line.to_owned()).collect(),
        };
        FileEdits {
            path: path.to_owned(),
            new_path: None,
            edits: 1,
            total_hunks: 1,
            hunks: vec![hunk],
            secrets: vec![],
        }
    }

    fn renaming(files: Vec<FileEdits>) -> Renaming {
        Renaming {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            symbol: run(),
            new_name: "start".to_owned(),
            include_low_confidence: None,
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
                is_doubtful: false,
            }],
            total_left_out: 1,
            total_doubtful: 0,
            truncated: false,
        }
    }

    #[test]
    fn a_dry_run_shows_the_diff_and_how_to_apply_it() {
        insta::assert_snapshot!(renaming(vec![file("src/main.rs")]).text().to_string(), @r#"
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
        left as they are: 1 word in comments, strings and prose
          README.md:7  0.35 in prose
        to apply: rename_symbol {"path":"src/engine.rs","line":12,"new_name":"start","dry_run":false,"root":"engine"}
        "#);
        let applied = Renaming {
            applied: true,
            left_out: vec![],
            total_left_out: 0,
            ..renaming(vec![file("src/main.rs")])
        };
        insta::assert_snapshot!(applied.text().to_string().lines().next().expect("a line"), @"rename method Engine::run (src/engine.rs:12-40) to start in engine: 1 edit in 1 file; applied");
        assert!(
            applied.text().to_string().ends_with("```"),
            "nothing is left to do"
        );
    }

    #[test]
    fn doubtful_places_come_first_with_what_to_say_of_them() {
        let mut doubtful = renaming(vec![file("src/main.rs")]);
        let place = LeftOut {
            path: "src/app.rs".to_owned(),
            line: 3,
            confidence: 0.4,
            reason: "the only member of that name".to_owned(),
            is_doubtful: true,
            ..doubtful.left_out[0].clone()
        };
        doubtful.left_out.insert(0, place);
        (doubtful.total_left_out, doubtful.total_doubtful) = (2, 1);
        let text = doubtful.text().to_string();
        insta::assert_snapshot!(text.split_once("```\nleft").expect("an end").1, @r#"
         as they are, which stops an apply: 1 doubtful place
          src/app.rs:3  0.40 the only member of that name
        left as they are: 1 word in comments, strings and prose
          README.md:7  0.35 in prose
        to apply, and change doubtful places too (false leaves them): rename_symbol {"path":"src/engine.rs","line":12,"new_name":"start","include_low_confidence":true,"dry_run":false,"root":"engine"}
        "#);
        doubtful.include_low_confidence = Some(false);
        assert!(
            doubtful.text().to_string().contains("1 doubtful place\n"),
            "{}",
            doubtful.text().to_string()
        );
        assert!(
            doubtful
                .text()
                .to_string()
                .ends_with(r#""include_low_confidence":false,"dry_run":false,"root":"engine"}"#)
        );
    }

    #[test]
    fn credentials_in_the_diff_are_marked() {
        let mut marked = file("src/main.rs");
        marked.secrets.push(SecretMark {
            line: 12,
            kind: "password".to_owned(),
        });
        let text = renaming(vec![marked]).text().to_string();
        assert!(
            text.contains("\nlooks like credentials, shown as on disk: src/main.rs line 12 (password)\n```diff"),
            "{text}"
        );
    }

    #[test]
    fn a_file_that_moves_is_shown_as_git_shows_it() {
        let moved = FileEdits {
            new_path: Some("src/app.rs".to_owned()),
            ..file("src/main.rs")
        };
        insta::assert_snapshot!(diff_lines(&moved)[..5].join("\n"), @r"
        diff --git a/src/main.rs b/src/app.rs
        rename from src/main.rs
        rename to src/app.rs
        --- a/src/main.rs
        +++ b/src/app.rs
        ");
        let only = FileEdits {
            hunks: vec![],
            total_hunks: 0,
            edits: 0,
            ..moved
        };
        assert_eq!(diff_lines(&only).len(), 3);
        let mut cut = renaming(vec![only, file("src/b.rs")]);
        cut.keep(1);
        assert_eq!(
            cut.files[0].path, "src/main.rs",
            "that it moves takes no place of a hunk"
        );
    }

    #[test]
    fn a_long_diff_is_cut_between_hunks() {
        let many = renaming(
            (0..100)
                .map(|index| file(&format!("src/file_{index}.rs")))
                .collect(),
        );
        let text = render(&many, Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500);
        assert!(tokens::estimate(&render(&many, Format::Json, 500)) <= 500);
        assert!(
            text.contains("100 edits in 100 files") && text.contains("README.md:7"),
            "{text}"
        );
        insta::assert_snapshot!(text.lines().last().expect("a line"), @r#"cut to fit; the whole diff: rename_symbol {"path":"src/engine.rs","line":12,"new_name":"start","max_tokens":10000,"root":"engine"}"#);
    }
}
