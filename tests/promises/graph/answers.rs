//! Answers put the most certain first, say everything once, and take a question as it is meant: overloads together, names as a
//! language writes them, and slightly wrong arguments as what was probably meant.

use std::fmt::Write as _;

use claudevil_tests::home::put;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::diffs::committed;
use super::{asking, home, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    let git = || Needs::Program("git", "needs git");
    vec![
        proof(
            "12_uses_come_before_words_and_words_are_few",
            Needs::Nothing,
            uses_before_words,
        ),
        proof(
            "12_a_long_line_does_not_keep_a_rename_from_its_answer",
            Needs::Nothing,
            long_line,
        ),
        proof("12_overloads_are_one_question", Needs::Nothing, overloads),
        proof(
            "12_names_are_taken_as_languages_write_them",
            Needs::Nothing,
            names,
        ),
        proof("12_a_version_in_a_file_of_data_is_no_risk", git(), data),
        proof(
            "12_what_is_a_little_wrong_leads_to_what_was_meant",
            git(),
            slips,
        ),
    ]
}

const ADAPTERS: &str = "class Adapter:\n    def send(self, request):\n        return request\n\n\n\
                        class Other:\n    def send(self, request):\n        return request\n";
const AUTH: &str = "def handle(r):\n    return r.connection.send(r)\n";

async fn uses_before_words() {
    let home = home();
    let prose: String = (0..40).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "You may send {number} letters.\n");
        text
    });
    let own: Vec<(String, &str)> = (0..20)
        .map(|number| {
            (
                format!("src/use_{number}.py"),
                "from .adapters import Other\n\nOther()\n",
            )
        })
        .collect();
    let mut files = vec![
        ("HISTORY.md", prose.as_str()),
        ("src/adapters.py", ADAPTERS),
        ("src/auth.py", AUTH),
    ];
    files.extend(own.iter().map(|(path, text)| (path.as_str(), *text)));
    let root = repository(&home, "mail", &files);
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "symbol": "Adapter.send" });
    let found = questions
        .ask("find_references", asked.clone())
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let places: Vec<_> = found["references"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    assert_eq!(places[0]["path"], "src/auth.py", "{found}");
    let sure: Vec<f64> = places
        .iter()
        .filter_map(|place| place["confidence"].as_f64())
        .collect();
    assert!(sure.is_sorted_by(|one, other| one >= other), "{sure:?}");
    let words = |list: &[&Value]| {
        list.iter()
            .filter(|place| place["role"] == "mention")
            .count()
    };
    assert_eq!(
        (words(&places), &found["more_mentions"]),
        (5, &json!(35)),
        "{found}"
    );
    let (text, _) = questions.session().call("find_references", asked).await;
    let last = text
        .lines()
        .find(|line| line.starts_with("… and"))
        .unwrap_or_default();
    assert!(
        last.starts_with(
            "… and 35 more mentions in prose, comments and strings: find_references {"
        ),
        "{text}"
    );
    let mentions = json!({ "symbol": "Adapter.send", "role": "mention" });
    let found = questions
        .ask("find_references", mentions)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (&found["total"], &found["more_mentions"]),
        (&json!(40), &json!(0)),
        "{found}"
    );
    // However many files there are, a list of few uses names few of them.
    let few = json!({ "symbol": "Other", "limit": 3 });
    let found = questions
        .ask("find_references", few)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found["files"].as_array().map(Vec::len), Some(3), "{found}");
    assert_eq!(found["total_files"], 20, "{found}");
}

async fn long_line() {
    let home = home();
    // Nine places on one very long line, all of which each place would carry.
    let words = format!("{}flush_cache ", "word ".repeat(26_000));
    let long = format!("{{\"pages\": \"{}\"}}\n", words.repeat(9));
    let code = "def flush_cache():\n    pass\n\n\nflush_cache()\n";
    let root = repository(
        &home,
        "store",
        &[("docs/pages.json", &long), ("store.py", code)],
    );
    let mut questions = asking(&home, &root).await;
    for (tool, asked) in [
        (
            "rename_symbol",
            json!({ "symbol": "flush_cache", "new_name": "flush_all" }),
        ),
        (
            "find_references",
            json!({ "symbol": "flush_cache", "min_confidence": "low" }),
        ),
    ] {
        let found = questions
            .ask(tool, asked)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let list = if tool == "rename_symbol" {
            &found["left_out"]
        } else {
            &found["references"]
        };
        let texts: Vec<&str> = list
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one["text"].as_str())
            .collect();
        let cut: Vec<_> = texts.iter().filter(|text| text.starts_with('…')).collect();
        assert!(
            !cut.is_empty()
                && cut
                    .iter()
                    .all(|text| text.contains("flush_cache") && text.len() < 400),
            "{tool}: {texts:?}"
        );
    }
}

const MAPPER: &str = "package shop;\n\npublic class Mapper {\n    public Tree readTree(String text) { return null; }\n    \
                      public Tree readTree(Reader from) { return null; }\n    \
                      public Tree readTree(byte[] bytes, int length) { return null; }\n}\n";
const READS: &str = "package shop;\n\nclass Reads {\n    void run(Mapper mapper) {\n        mapper.readTree(\"a\");\n        \
                     mapper.readTree(other());\n        mapper.readTree(new byte[1], 1);\n    }\n}\n";
const MAPPER_TEST: &str = "package shop;\n\nclass Helper {\n    static class Mapper {\n        \
                           Tree readTree(String text) { return null; }\n    }\n}\n";

async fn overloads() {
    let home = home();
    let root = repository(
        &home,
        "mapper",
        &[
            ("src/main/java/shop/Mapper.java", MAPPER),
            ("src/main/java/shop/Reads.java", READS),
            ("src/test/java/shop/HelperTest.java", MAPPER_TEST),
        ],
    );
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "symbol": "Mapper.readTree" });
    let found = questions
        .ask("find_references", asked.clone())
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (&found["overloads"], &found["counts"]["high"]),
        (&json!(3), &json!(3)),
        "{found}"
    );
    let callers = questions
        .ask("find_callers", asked.clone())
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        callers["callers"][0]["call_lines"],
        json!([5, 6, 7]),
        "{callers}"
    );
    assert_eq!(
        (&callers["total"], &callers["callers"][0]["resolution"]),
        (&json!(1), &json!("resolved")),
        "{callers}"
    );
    questions
        .ask("find_callees", asked.clone())
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let impact = questions
        .ask("impact_analysis", asked.clone())
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (&impact["total_usages"], &impact["total_changed"]),
        (&json!(3), &json!(1)),
        "{impact}"
    );
    let (text, _) = questions
        .session()
        .call(
            "find_references",
            json!({ "symbol": "readTree", "limit": 1 }),
        )
        .await;
    assert!(
        text.contains("method Mapper.readTree, 3 overloads (src/main/java/shop/Mapper.java)"),
        "{text}"
    );
    let next = text.lines().last().unwrap_or_default();
    assert!(
        next.contains(r#""symbol":"Mapper.readTree","path":"src/main/java/shop/Mapper.java""#),
        "{text}"
    );
    // One overload is identified by its location alone, and a file chooses among equal names.
    let one = json!({ "path": "src/main/java/shop/Mapper.java", "line": 4 });
    let found = questions
        .ask("find_references", one)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found["overloads"], 0, "{found}");
    let in_test =
        json!({ "symbol": "Helper.Mapper.readTree", "path": "src/test/java/shop/HelperTest.java" });
    let found = questions
        .ask("find_references", in_test)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        found["symbol"]["path"], "src/test/java/shop/HelperTest.java",
        "{found}"
    );
}

async fn names() {
    let home = home();
    let jar = "<?php\nnamespace Acme\\Cookie;\n\nclass Jar {\n    public function add() {}\n}\n";
    let item = "namespace Clean.Domain.Entities;\n\npublic class Item\n{\n    public int Id;\n}\n";
    let conn =
        "defmodule Plug.Conn do\n  def put_header(conn, key, value) do\n    conn\n  end\nend\n";
    let session = "class Session:\n    def send(self):\n        pass\n\n\nclass Adapter:\n    def send(self):\n        pass\n";
    let root = repository(
        &home,
        "names",
        &[
            ("lib/One.php", jar),
            ("src/Item.cs", item),
            ("lib/conn.ex", conn),
            ("sessions.py", session),
        ],
    );
    let mut questions = asking(&home, &root).await;
    for (name, path) in [
        ("Acme\\Cookie\\Jar", "lib/One.php"),
        ("Clean.Domain.Entities.Item", "src/Item.cs"),
        ("Plug.Conn.put_header/3", "lib/conn.ex"),
        ("Session#send", "sessions.py"),
    ] {
        let found = questions
            .ask("find_references", json!({ "symbol": name }))
            .await;
        let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found["symbol"]["path"], path, "{found}");
    }
    let error = questions
        .ask("find_callers", json!({ "symbol": "Sesion.send" }))
        .await
        .expect_err("no such class");
    assert!(error.contains("\ncandidates: Session.send"), "{error}");
}

async fn data() {
    let home = home();
    let versions = |version: &str| {
        format!(
            "<Project>\n  <ItemGroup>\n    <PackageVersion Include=\"Acme.Json\" Version=\"{version}\" />\n  </ItemGroup>\n</Project>\n"
        )
    };
    let settings = |port: u32| format!("server:\n  port: {port}\n  name: shop\n");
    let mut files = vec![
        ("Packages.props".to_owned(), versions("1.0")),
        ("app.yml".to_owned(), settings(1)),
    ];
    for number in 0..30 {
        files.push((
            format!("env/{number}.yml"),
            format!("other:\n  - port\n  - {number}\n"),
        ));
    }
    let all: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let root = committed(&home, "data", &all);
    put(&root, "Packages.props", versions("1.1").as_bytes());
    put(&root, "app.yml", settings(2).as_bytes());
    let mut questions = asking(&home, &root).await;
    let impact = questions
        .ask("impact_analysis", json!({ "diff": "working" }))
        .await;
    let impact = impact.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (&impact["risk"], &impact["total_usages"]),
        (&json!("low"), &json!(0)),
        "{impact}"
    );
    assert_eq!(
        impact["total_name_only"], 30,
        "they are said to have the name and no more: {impact}"
    );
}

async fn slips() {
    let home = home();
    let root = committed(
        &home,
        "slips",
        &[("src/requests/sessions.py", "class Session:\n    pass\n")],
    );
    let mut questions = asking(&home, &root).await;
    let path = "src/requests/sesions.py";
    for (tool, asked) in [
        ("read_file", json!({ "path": path })),
        ("map_code", json!({ "path": path })),
        ("get_dependencies", json!({ "path": path })),
        ("find_similar", json!({ "path": path, "line": 1 })),
        ("find_callers", json!({ "path": path, "line": 1 })),
    ] {
        let error = questions.ask(tool, asked).await.expect_err("no such file");
        assert!(
            error.contains("\ncandidates: src/requests/sessions.py\n"),
            "{tool}: {error}"
        );
    }
    let nowhere = json!({ "query": "session", "path": "src/reqests/**" });
    let found = questions
        .ask("search", nowhere)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let advice = found["advice"].as_str().unwrap_or_default();
    assert!(
        advice.contains("no file matches `path` src/reqests/**"),
        "{found}"
    );
    let error = questions
        .ask("impact_analysis", json!({ "diff": "HEAD~1..HEAD" }))
        .await
        .expect_err("one commit");
    assert!(
        error.contains("unknown revision `HEAD~1`: `HEAD` is there, and its history has no `~1`"),
        "{error}"
    );
    let error = questions
        .ask("impact_analysis", json!({ "diff": "mian..HEAD" }))
        .await
        .expect_err("no such branch");
    assert!(
        error.contains("unknown revision `mian`: no branch, tag or commit of that name"),
        "{error}"
    );
}
