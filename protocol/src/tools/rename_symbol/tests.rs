//! The parameters and text of `rename_symbol`.

use super::*;
use crate::answer::Format;
use crate::answer::diff::{DiffHunk, SecretMark};
use crate::answer::graph::text::samples::run;
use crate::answer::render::render;
use crate::text::tokens::{self, DEFAULT_TOKENS};

#[test]
fn a_new_name_is_one_name() {
    let named = |name: Option<&str>| RenameSymbol {
        symbol: Some("run".to_owned()),
        new_name: name.map(str::to_owned),
        ..RenameSymbol::default()
    };
    for right in [
        "start",
        "größe",
        "empty?",
        "save!",
        "$el",
        "operator+",
        "kebab-name",
        "go'",
    ] {
        assert!(named(Some(right)).validate().is_ok(), "{right}");
    }
    for wrong in [
        None,
        Some(""),
        Some("a b"),
        Some("a\nb"),
        Some("a/b"),
        Some("f("),
        Some("x;"),
    ] {
        assert!(named(wrong).validate().is_err(), "{wrong:?}");
    }
    assert!(
        named(Some("start")).dry_run(),
        "nothing is changed unless it is said"
    );
}

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
        include: None,
        exclude: None,
        preview: "5f0c9a".to_owned(),
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
            number: None,
        }],
        total_left_out: 1,
        total_doubtful: 0,
        total_undecided: 0,
        accounting: None,
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
        text: "job.run()".to_owned(),
        is_doubtful: true,
        number: Some(1),
        ..doubtful.left_out[0].clone()
    };
    doubtful.left_out.insert(0, place);
    (doubtful.total_left_out, doubtful.total_doubtful) = (2, 1);
    doubtful.total_undecided = 1;
    let text = doubtful.text().to_string();
    insta::assert_snapshot!(text.split_once("```\nleft").expect("an end").1, @r#"
     as they are, which stops an apply: 1 doubtful place
      1  src/app.rs:3  0.40 the only member of that name
          job.run()
    left as they are: 1 word in comments, strings and prose
      README.md:7  0.35 in prose
    to apply, and change doubtful places too (false leaves them; to choose some, give their numbers as `include`, and `preview` 5f0c9a): rename_symbol {"path":"src/engine.rs","line":12,"new_name":"start","include_low_confidence":true,"dry_run":false,"root":"engine"}
    "#);
    (doubtful.include_low_confidence, doubtful.total_undecided) = (Some(false), 0);
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
        text.contains(
            "\nlooks like credentials, shown as on disk: src/main.rs line 12 (password)\n```diff"
        ),
        "{text}"
    );
}

#[test]
fn a_file_that_moves_is_shown_as_git_shows_it() {
    let moved = FileEdits {
        new_path: Some("src/app.rs".to_owned()),
        ..file("src/main.rs")
    };
    insta::assert_snapshot!(moved.diff()[..5].join("\n"), @r"
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
    assert_eq!(only.diff().len(), 3);
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

#[test]
fn places_are_decided_by_their_numbers_first() {
    let params = |include: Option<&[u32]>, exclude: Option<&[u32]>, rest| RenameSymbol {
        symbol: Some("run".to_owned()),
        new_name: Some("start".to_owned()),
        include: include.map(<[u32]>::to_vec),
        exclude: exclude.map(<[u32]>::to_vec),
        include_low_confidence: rest,
        preview: Some("5f0c9a".to_owned()),
        ..RenameSymbol::default()
    };
    let decisions = |params: RenameSymbol| [1, 2, 3].map(|number| params.decision(number));
    let (yes, no) = (Some(true), Some(false));
    for (include, exclude, rest, expected) in [
        (None, None, None, [None; 3]),
        (Some(&[1][..]), None, None, [yes, no, no]),
        (None, Some(&[1][..]), None, [no, yes, yes]),
        (Some(&[1][..]), Some(&[2][..]), None, [yes, no, None]),
        (Some(&[1][..]), Some(&[2][..]), yes, [yes, no, yes]),
        (Some(&[][..]), None, None, [no; 3]),
        (None, None, no, [no; 3]),
    ] {
        assert_eq!(decisions(params(include, exclude, rest)), expected);
    }
    assert!(params(Some(&[1]), Some(&[2]), None).validate().is_ok());
    assert!(params(Some(&[1]), Some(&[1]), None).validate().is_err());
    let without = RenameSymbol {
        preview: None,
        ..params(Some(&[1]), None, None)
    };
    assert!(without.validate().is_err(), "numbers are of a preview");
}

#[test]
fn the_call_that_applies_has_the_decisions() {
    let decided = Renaming {
        include: Some(vec![1, 3]),
        ..renaming(vec![file("src/main.rs")])
    };
    let text = decided.text().to_string();
    assert!(
        text.ends_with(r#""include":[1,3],"preview":"5f0c9a","dry_run":false,"root":"engine"}"#),
        "{text}"
    );
}
