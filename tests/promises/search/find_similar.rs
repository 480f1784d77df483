//! `find_similar`: code like some other code, by meaning, and by words where there are no vectors.

use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, path, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "find_similar_finds_what_is_alike_but_not_itself",
            Needs::Nothing,
            by_meaning,
        ),
        proof(
            "find_similar_goes_by_words_without_vectors",
            Needs::Nothing,
            by_words,
        ),
    ]
}

const FILES: &[(&str, &str)] = &[
    (
        "src/mail.py",
        "def send_mail(to, subject):\n    server = smtp.connect()\n    server.send(to, subject)\n",
    ),
    (
        "src/letter.py",
        "def send_letter(to, subject):\n    server = smtp.connect()\n    server.send_letter(to, subject)\n",
    ),
    (
        "src/matrix.py",
        "def multiply(left, right):\n    rows = len(left)\n    return [dot(left, right) for _ in range(rows)]\n",
    ),
];

async fn similar(questions: &mut Questions, question: Value) -> Result<Value, String> {
    questions.ask("find_similar", question).await
}

async fn by_meaning() {
    let home = Home::new();
    let root = repository(&home, "post", FILES);
    let mut questions = asking(&home, &root).await;
    let by_place = similar(&mut questions, json!({ "path": "src/mail.py", "line": 2 }))
        .await
        .expect("an answer");
    assert_eq!(by_place["measure"], "meaning");
    let found: Vec<String> = by_place["results"]
        .as_array()
        .expect("a list")
        .iter()
        .map(path)
        .collect();
    assert_eq!(
        found.first().map(String::as_str),
        Some("src/letter.py"),
        "{by_place}"
    );
    assert!(
        !found.contains(&"src/mail.py".to_owned()),
        "not itself: {found:?}"
    );
    let code = json!({ "code": "def send(to): smtp.connect().send(to)", "limit": 1 });
    let first = similar(&mut questions, code.clone())
        .await
        .expect("an answer");
    let score = first["results"][0]["score"].as_f64().expect("a score");
    assert!(
        (0.0..=1.0).contains(&score) && first["remaining"] != 0,
        "{first}"
    );
    let mut next = code;
    next["cursor"] = first["cursor"].clone();
    let second = similar(&mut questions, next).await.expect("an answer");
    assert_ne!(path(&first["results"][0]), path(&second["results"][0]));
    for wrong in [
        json!({}),
        json!({ "path": "src/mail.py" }),
        json!({ "path": "src/mail.py", "line": 99 }),
    ] {
        let error = similar(&mut questions, wrong).await.expect_err("wrong");
        assert!(error.starts_with("invalid_argument: "), "{error}");
    }
}

async fn by_words() {
    let home = Home::new().with("CLAUDEVIL_EMBEDDER", "none");
    let root = repository(&home, "post", FILES);
    let mut questions = Questions::start(&home, &root).await;
    questions
        .ask("reindex", json!({ "wait": true }))
        .await
        .expect("indexed");
    let answer = similar(&mut questions, json!({ "path": "src/mail.py", "line": 2 }))
        .await
        .expect("an answer");
    assert_eq!(
        (&answer["measure"], path(&answer["results"][0]).as_str()),
        (&json!("words"), "src/letter.py")
    );
}
