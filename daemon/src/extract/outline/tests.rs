//! Tests outline rules with small texts and hostile ones.

use std::time::{Duration, Instant};

use super::*;

fn outline(id: &str, source: &str) -> Vec<String> {
    let language = lang::by_name(id).unwrap();
    let text = Text::new(source);
    let mut captured = FileCaptures::default();
    capture(language, &text, &mut captured);
    let show = |one: &Definition<'_>| {
        let last = one.span.end.saturating_sub(1).max(one.span.start);
        format!(
            "{} {} {}-{}",
            one.kind.as_str(),
            one.name,
            text.line_at(one.span.start),
            text.line_at(last)
        )
    };
    captured.definitions.iter().map(show).collect()
}

#[test]
fn every_pattern_compiles_and_names_what_it_finds() {
    for language in lang::all() {
        let patterns =
            compile(language).unwrap_or_else(|problem| panic!("{}: {problem}", language.id));
        let Some(patterns) = patterns else { continue };
        for (rule, pattern) in language.outline.iter().zip(&patterns.rules) {
            let named = pattern
                .line
                .capture_names()
                .flatten()
                .any(|name| name == "name");
            assert_eq!(
                named,
                rule.kind.is_some(),
                "{}: {}",
                language.id,
                rule.pattern
            );
        }
        for embed in &language.embed {
            assert!(
                lang::by_name(embed.language).is_some(),
                "{}: {}",
                language.id,
                embed.language
            );
        }
    }
}

#[test]
fn ends() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "markdown",
            "# A\n\ntext\n\n## B\n\n# C\n",
            &["section A 1-5", "section B 5-5", "section C 7-7"],
        ),
        (
            "markdown",
            "# A\n```\n# no\n````\n# C",
            &["section A 1-4", "section C 5-5"],
        ),
        (
            "toml",
            "a = '''\\'''\n[b]\n",
            &["key a 1-1", "section b 2-2"],
        ),
        ("css", "a\n{\n}\nb { c: \"}\" }\n", &["rule b 4-4"]),
        (
            "json",
            "{\n \"a\": [\n  1\n ], \"b\": 2,\n \"c\": \"[\"\n}",
            &["key a 2-4", "key c 5-5"],
        ),
        (
            "yaml",
            "a:\n- b\n\n# c\nd: 1\n",
            &["key a 1-2", "key d 5-5"],
        ),
        (
            "protobuf",
            "service S {\n rpc R(A) returns (B) {\n }\n}\n",
            &["interface S 1-4", "method R 2-3"],
        ),
        (
            "sql",
            "create table t (\n a int, -- );\n b int\n);\n",
            &["table t 1-4", "field a 2-2", "field b 3-3"],
        ),
        (
            "make",
            "a: b\n\tc\n\nd = \\\n  e\n",
            &["rule a 1-2", "variable d 4-5"],
        ),
        (
            "html",
            "<style>\n.a { }\n</style>\n<p id=\"b\">\n</p>\n",
            &["key b 4-5", "rule .a 2-2"],
        ),
    ];
    for (id, source, expected) in cases {
        assert_eq!(outline(id, source), *expected, "{id}: {source}");
    }
}

#[test]
fn a_file_of_data_gives_so_many_symbols_and_no_more() {
    let keys: Vec<String> = (0..3 * MAX_SYMBOLS)
        .map(|number| format!("key{number}: {number}\n"))
        .collect();
    assert_eq!(outline("yaml", &keys.concat()).len(), MAX_SYMBOLS);
}

/// Pieces that open and never close, or that cause backtracking from every position.
#[test]
fn hostile_texts_take_linear_time() {
    let pieces = [
        "{",
        "}",
        "[(",
        "\"\\",
        "/*",
        "'''",
        "```\n",
        "<a id=\"",
        "<script>",
        "<!--\n",
        "a:\n",
        " a:\n",
        "- ",
        "# ",
        "x,",
        "a{",
        "((def a",
        "$$",
        "\\ü",
        "<h1>",
        "= ",
        "\t\t\t\t\t\t\t\t",
        "ü\n---\n",
        ";",
        "create table ",
        "resource \"a\" \"b\" {\n",
    ];
    for language in lang::all() {
        for piece in pieces {
            let began = Instant::now();
            outline(language.id, &piece.repeat(30_000 / piece.len()));
            // Linear time takes milliseconds; quadratic time would take many seconds.
            assert!(
                began.elapsed() < Duration::from_secs(5),
                "{}: {piece:?}",
                language.id
            );
        }
    }
}
