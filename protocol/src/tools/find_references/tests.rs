//! Filters and positions of `find_references`, and its text for agents.

use std::collections::BTreeMap;

use super::*;
use crate::answer::Format;
use crate::answer::graph::text::samples::run;
use crate::answer::render::render;
use crate::text::tokens::{self, DEFAULT_TOKENS};

#[test]
fn places_survive_their_text_form_and_sort_surest_first() {
    let place = |doubt, path: &str, line, column| ReferenceCursor {
        doubt,
        path: path.to_owned(),
        line,
        column,
    };
    let sure = place(5, "a:b/ü c.rs", 7, 3);
    for one in [sure.clone(), place(80, "a.rs", 1, 1)] {
        assert_eq!(ReferenceCursor::decode(&one.encode()), Some(one));
    }
    for nonsense in ["", "5", "low:1:1:a.rs", "5:x:1:a.rs", "5:1:1"] {
        assert_eq!(ReferenceCursor::decode(nonsense), None, "{nonsense}");
    }
    assert!(sure < place(55, "a.rs", 1, 1));
    assert!(
        place(55, "z.rs", 1, 1) < place(80, "a.rs", 1, 1),
        "within a level too"
    );
    assert!(place(80, "a.rs", 9, 1) < place(80, "b.rs", 1, 1));
}

#[test]
fn levels_have_their_bounds() {
    let levels = [1.0, 0.8, 0.79, 0.5, 0.49, 0.0]
        .map(|confidence| ConfidenceLevel::from_confidence(confidence).as_str());
    assert_eq!(levels, ["high", "high", "medium", "medium", "low", "low"]);
}

#[test]
fn filters_have_their_ranges() {
    let right = FindReferences {
        symbol: Some("run".to_owned()),
        ..FindReferences::default()
    };
    assert!(right.validate().is_ok() && right.role().is_none());
    let any = FindReferences {
        role: Some(RoleFilter::Any),
        ..right.clone()
    };
    assert_eq!(any.role(), None);
    let calls = FindReferences {
        role: Some(RoleFilter::Call),
        ..right.clone()
    };
    assert_eq!(calls.role(), Some(UseRole::Call));
    for wrong in [
        FindReferences {
            limit: Some(201),
            ..right.clone()
        },
        FindReferences {
            context_lines: Some(101),
            ..right.clone()
        },
        FindReferences {
            symbol: None,
            ..right.clone()
        },
        FindReferences {
            max_tokens: Some(10),
            ..right
        },
    ] {
        assert!(wrong.validate().is_err(), "{wrong:?}");
    }
}

fn reference(path: &str, line: u32, confidence: f64) -> Reference {
    Reference {
        path: path.to_owned(),
        line,
        column: 9,
        role: UseRole::Call,
        usage: "call in".to_owned(),
        confidence,
        level: ConfidenceLevel::from_confidence(confidence),
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
        more_by_name: 0,
        accounting: None,
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
fn further_lines_of_text_are_asked_for_by_the_name() {
    let lines = References {
        definitions: vec![],
        remaining: 3,
        cursor: Some("70:1:9:a".to_owned()),
        ..list(vec![reference("a", 1, 0.3)])
    };
    let text = lines.text().to_string();
    let next =
        r#"3 more: find_references {"symbol":"Engine::run","root":"engine","cursor":"70:1:9:a"}"#;
    assert_eq!(text.lines().last(), Some(next));
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
fn shared_reasons_are_shown_once_and_others_beside_their_lines() {
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
    insta::assert_snapshot!(References { defined_in: Some("src/engine.rs".to_owned()), ..list(vec![]) }.text().to_string(), @"no references to method Engine::run (src/engine.rs:12-40) in engine outside src/engine.rs");
}

#[test]
fn a_symbol_on_the_command_line_is_a_name_or_a_line_of_a_file() {
    let read = |given: &str| {
        let mut params = FindReferences {
            symbol: Some(given.to_owned()),
            context_file: Some("src/b.rs".to_owned()),
            ..FindReferences::default()
        };
        params.read_command_line(&|path| format!("/here/{path}"));
        params
    };
    let line = read("src/a.rs:12");
    assert_eq!(line.path.as_deref(), Some("/here/src/a.rs"));
    assert_eq!((line.line, line.symbol.as_deref()), (Some(12), None));
    assert_eq!(line.context_file.as_deref(), Some("/here/src/b.rs"));
    let name = read("Engine::run");
    assert_eq!(name.symbol.as_deref(), Some("Engine::run"));
    assert_eq!((name.path, name.line), (None, None));
}
