//! Results of `search`, in every mode, over the real binaries.

mod budget;
mod find_similar;
mod fresh;
mod languages;
mod lines;
mod pages;
mod strange;
mod terminal;
mod unseen;
mod words;

use std::path::Path;

use claudevil_tests::home::{Home, put, repository};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

pub fn trials() -> Vec<Trial> {
    [
        words::trials(),
        find_similar::trials(),
        languages::trials(),
        lines::trials(),
        pages::trials(),
        budget::trials(),
        fresh::trials(),
        unseen::trials(),
        strange::trials(),
        terminal::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Starts a session that asks about a project, once it is indexed and has its vectors.
async fn asking(home: &Home, root: &Path) -> Questions {
    let mut questions = Questions::start(home, root).await;
    questions.embedded().await;
    questions
}

/// Returns the answer to a search, which must succeed.
async fn search(questions: &mut Questions, question: Value) -> Value {
    let shown = question.to_string();
    questions
        .ask("search", question)
        .await
        .unwrap_or_else(|error| panic!("{shown}: {error}"))
}

/// Returns an answer that had enough time: on a busy machine a search for every line may not finish.
async fn whole(questions: &mut Questions, question: &Value) -> Value {
    for _ in 0..50 {
        let answer = search(questions, question.clone()).await;
        if answer["coverage"].is_null() || answer["coverage"]["unsearched"] == 0 {
            return answer;
        }
    }
    panic!("{question}: never whole");
}

/// Returns every result of a search, page by page.
async fn all(questions: &mut Questions, mut question: Value) -> Vec<Value> {
    let mut results = vec![];
    loop {
        let answer = whole(questions, &question).await;
        let page = answer["results"].as_array().expect("a list");
        assert_eq!(answer["offset"], results.len(), "{question}");
        results.extend(page.iter().cloned());
        let is_last = answer["cursor"].is_null();
        assert_eq!(is_last, answer["remaining"] == 0, "{question}: {answer}");
        if is_last {
            assert_eq!(answer["total"], results.len(), "{question}");
            return results;
        }
        assert!(
            !page.is_empty(),
            "{question}: a page without results leads on"
        );
        question["cursor"] = answer["cursor"].clone();
    }
}

/// Returns the files of a search's results, each once, sorted by name.
async fn files(questions: &mut Questions, question: Value) -> Vec<String> {
    let mut files: Vec<String> = all(questions, question).await.iter().map(path).collect();
    files.sort_unstable();
    files.dedup();
    files
}

fn path(result: &Value) -> String {
    result["path"].as_str().expect("a path").to_owned()
}

/// Returns the paths of the results of an answer, in their order.
fn paths(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().expect("a list");
    results.iter().map(path).collect()
}

fn keyword(query: &str) -> Value {
    json!({ "query": query, "mode": "keyword", "limit": 100, "max_tokens": 10000 })
}
