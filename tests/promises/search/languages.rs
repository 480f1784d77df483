//! The language of keyword queries: each of its words, with what it must find and what it must not.

use claudevil_tests::home::Home;
use libtest_mimic::Trial;
use serde_json::json;

use super::{asking, files, keyword, put, repository, search};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "search_keyword_operators_find_what_they_say",
            Needs::Nothing,
            operators,
        ),
        proof(
            "search_keyword_reaches_all_of_a_long_symbol",
            Needs::Nothing,
            long_symbols,
        ),
        proof(
            "search_keyword_mistakes_are_named",
            Needs::Nothing,
            mistakes,
        ),
    ]
}

const ANT: &str = "ant.rs";
const BEE: &str = "bee.py";
const CAT: &str = "cat.md";
const DOG: &str = "deep/dog.go";
const EEL: &str = "deep/eel_token.txt";

const FILES: &[(&str, &str)] = &[
    // Both words, adjacent.
    (
        ANT,
        "/// A token counter for whales.\npub struct Harbour;\n\nimpl Harbour {\n    pub fn moor(&self) {}\n}\n",
    ),
    // Both words, apart; and another one.
    (
        BEE,
        "def gather(counter):\n    \"\"\"The counter meets a token, and a koala.\"\"\"\n    return counter\n",
    ),
    // One of the words, and text with special characters.
    (
        CAT,
        "# Roads\n\nOnly a token here. See /users/{id}/posts and std::vector, a:b:c, http://x/y, foo->bar.\n",
    ),
    // The other word.
    (
        DOG,
        "package dog\n\n// Fetch brings the counter, in tokenless peace. x != y\nfunc Fetch() int {\n\treturn 1\n}\n",
    ),
    // Neither word, except in its name.
    (EEL, "plain words of an eel, with fn main() { in it\n"),
];

async fn operators() {
    let home = Home::new();
    let root = repository(&home, "zoo", FILES);
    let mut questions = asking(&home, &root).await;
    let table: &[(&str, &[&str])] = &[
        // Adjacent words: any will do, in the text, the path or a name.
        ("token counter", &[ANT, BEE, CAT, DOG, EEL]),
        ("TOKEN", &[ANT, BEE, CAT, EEL]),
        ("nowhere", &[]),
        // Phrases: whole words in this order, adjacent, whatever separates them.
        ("\"token counter\"", &[ANT]),
        ("\"counter token\"", &[]),
        ("\"Token  Counter\"", &[ANT]),
        ("\"token count\"", &[]),
        ("\"a token", &[ANT, BEE, CAT]),
        ("\"meets a token, and\"", &[BEE]),
        // Operators.
        ("token AND counter", &[ANT, BEE]),
        ("token OR counter", &[ANT, BEE, CAT, DOG, EEL]),
        ("token NOT counter", &[CAT, EEL]),
        ("token AND NOT counter", &[CAT, EEL]),
        ("token -counter", &[CAT, EEL]),
        ("+token counter", &[ANT, BEE, CAT, EEL]),
        ("+token +counter", &[ANT, BEE]),
        ("+koala token -whales", &[BEE]),
        ("token and counter", &[ANT, BEE, CAT, DOG, EEL]),
        // NOT binds tighter than AND, AND tighter than OR; adjacent words are joined by AND if there is an operator.
        ("koala OR token AND whales", &[ANT, BEE]),
        ("(koala OR token) AND whales", &[ANT]),
        ("koala OR token whales", &[ANT, BEE]),
        ("(koala token) OR whales", &[ANT, BEE]),
        ("token AND NOT koala OR fetch", &[ANT, CAT, DOG, EEL]),
        ("token AND NOT (koala OR whales)", &[CAT, EEL]),
        ("NOT koala AND counter", &[ANT, DOG]),
        // Fields and their aliases.
        ("content:token", &[ANT, BEE, CAT]),
        ("content:\"token counter\"", &[ANT]),
        ("file_path:token", &[EEL]),
        ("path:deep", &[DOG, EEL]),
        ("file:.go", &[DOG]),
        ("file_path:deep/dog", &[DOG]),
        ("symbol:moor", &[ANT]),
        ("name:gather", &[BEE]),
        ("def:Fetch", &[DOG]),
        ("symbol:harbour", &[ANT]),
        ("symbol:Harbour::moor", &[ANT]),
        ("symbol:Fetch::moor", &[]),
        ("symbol:token", &[]),
        ("symbol:(moor OR gather)", &[ANT, BEE]),
        ("content:(token AND counter)", &[ANT, BEE]),
        ("lang:rust", &[ANT]),
        ("language:python", &[BEE]),
        ("lang:rs OR lang:py", &[ANT, BEE]),
        ("token lang:markdown", &[CAT]),
        ("kind:method", &[ANT]),
        ("kind:function AND counter", &[BEE, DOG]),
        ("token -lang:rust -path:deep", &[BEE, CAT]),
        // Punctuation is no part of a word.
        ("koala,", &[BEE]),
        ("koala?", &[BEE]),
        ("koala.", &[BEE]),
        ("[koala]", &[BEE]),
        ("(koala);", &[BEE]),
        ("token, AND counter?", &[ANT, BEE]),
        // Paths by globs.
        ("file_path:*.py", &[BEE]),
        ("path:deep/*", &[DOG, EEL]),
        ("token -file_path:*.{rs,md}", &[BEE, EEL]),
        // Text that is not an operator is searched for.
        ("/users/{id}/posts", &[CAT]),
        ("std::vector", &[CAT]),
        ("a:b:c", &[CAT]),
        ("http://x/y", &[CAT]),
        ("foo->bar", &[CAT]),
        ("\"foo->bar\"", &[CAT]),
        ("\"x != y\"", &[DOG]),
        ("\"fn main() {\"", &[EEL]),
        ("\"main() (\"", &[]),
    ];
    for (query, expected) in table {
        assert_eq!(
            files(&mut questions, keyword(query)).await,
            *expected,
            "{query}"
        );
    }
    // A query with clear operators needs no mode; one without is ranked by more than words.
    for (query, mode) in [
        ("token AND counter", "keyword"),
        ("symbol:moor", "keyword"),
        ("\"token counter\"", "keyword"),
        ("token and counter", "auto"),
        ("std::vector", "auto"),
        ("AND", "auto"),
    ] {
        let answer = search(&mut questions, json!({ "query": query })).await;
        assert_eq!(answer["mode"], mode, "{query}");
    }
}

/// A long function is cut into chunks; a field that names it means all of them.
async fn long_symbols() {
    let home = Home::new();
    let mut text = String::from("pub fn endless(mut value: u64) -> u64 {\n");
    for number in 0..400 {
        text += &format!(
            "    value = value.wrapping_mul({number}).rotate_left({});\n",
            number % 60
        );
    }
    text += "    let walrus = value;\n    walrus\n}\n\npub fn brief() -> u64 {\n    let walrus = 1;\n    walrus\n}\n";
    let root = repository(&home, "zoo", &[("src/long.rs", &text)]);
    put(&root, "src/other.rs", b"pub struct Walrus;\n");
    let mut questions = asking(&home, &root).await;
    for query in [
        "walrus AND symbol:endless",
        "walrus symbol:endless",
        "content:walrus AND kind:function",
    ] {
        let answer = search(&mut questions, keyword(query)).await;
        let results = answer["results"].as_array().expect("a list");
        let has_it = |result: &serde_json::Value| {
            result["snippet"]
                .as_str()
                .is_some_and(|text| text.contains("walrus"))
        };
        assert!(results.iter().any(has_it), "{query}: {answer}");
        assert!(
            results.iter().all(|result| result["path"] == "src/long.rs"),
            "{query}: {answer}"
        );
    }
}

async fn mistakes() {
    let home = Home::new();
    let root = repository(&home, "zoo", FILES);
    let mut questions = asking(&home, &root).await;
    // The query, the position of its mistake, and words of the error.
    for (query, at, words) in [
        ("foo AND", "character 5", "foo"),
        ("lang:", "character 1", ""),
        ("symbl:foo", "character 1", "symbol:foo"),
        ("(foo OR bar", "character 1", "(foo OR bar)"),
        ("NOT foo", "character 1", ""),
        ("-foo", "character 1", ""),
        ("token AND lang:rusty", "character 16", "rust"),
        ("kind:methd", "character 6", "method"),
        ("lang:klingon", "character 6", "languages are "),
        ("file_path:*[a", "character 11", "not a valid glob"),
    ] {
        let error = questions
            .ask("search", keyword(query))
            .await
            .expect_err(query);
        assert!(error.starts_with("invalid_query: "), "{query}: {error}");
        assert!(
            error.contains(at) && error.contains(words),
            "{query}: {error}"
        );
    }
    for (question, words) in [
        (
            json!({ "query": "a(b", "mode": "regex" }),
            "invalid_query: the expression is not valid at character 2",
        ),
        (
            json!({ "query": "ü[z-a]", "mode": "regex" }),
            "invalid_query: the expression is not valid at character 3",
        ),
        (
            json!({ "query": "(?:a{1000}){1000}", "mode": "regex" }),
            "invalid_query: the expression is too large",
        ),
        (
            json!({ "query": "token", "cursor": "nonsense" }),
            "`nonsense` is not a cursor of this tool",
        ),
        (json!({ "query": "token", "language": "rusty" }), "rust"),
        (json!({ "query": "token", "kind": "methd" }), "method"),
        (json!({ "query": "token", "mode": "fuzzy" }), "literal"),
        (
            json!({ "query": "token", "target": "tests" }),
            "definitions",
        ),
        (
            json!({ "query": "token", "path": "[" }),
            "invalid_argument: ",
        ),
        (
            json!({ "query": "" }),
            "invalid_argument: query has 0 characters",
        ),
        (json!({ "query": "token", "limit": 101 }), "1 to 100"),
        (
            json!({ "query": "token", "context_lines": 101 }),
            "0 to 100",
        ),
        (
            json!({ "query": "token", "root": "nobody" }),
            "root_not_found: ",
        ),
    ] {
        let shown = question.to_string();
        let error = questions.ask("search", question).await.expect_err(&shown);
        assert!(error.contains(words), "{shown}: {error}");
        assert!(!error.starts_with("internal"), "{shown}: {error}");
    }
}
