//! Whether `explore` shows what a person would open for a question, over small public projects.
//!
//! A question is written without a look at what is found for it, and stays as it is when it fares badly.
//! `UPDATE_TABLE=1` writes the table anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use claudevil_protocol::environment;
use claudevil_protocol::model::explore::Explore;
use claudevil_protocol::model::{Format, Params};
use claudevil_protocol::text;
use claudevil_tests::accuracy::truth::Truth;
use claudevil_tests::binaries::workspace;
use claudevil_tests::home::Home;
use claudevil_tests::relevance::asking::{Ranking, Root};
use serde_json::Value;

/// So large a share of the files is in the answers, in the mean over the questions.
const FLOOR: f64 = 0.8;
const QUESTIONS: usize = 40;

struct Question {
    project: String,
    text: String,
    files: Vec<String>,
}

/// Where the files of a question are in its answer.
struct Answered {
    shown: Vec<String>,
    only_named: Vec<String>,
    missing: Vec<String>,
}

impl Answered {
    #[expect(clippy::cast_precision_loss, reason = "counts of files")]
    fn share(&self) -> f64 {
        let found = self.shown.len() + self.only_named.len();
        found as f64 / (found + self.missing.len()) as f64
    }
}

#[test]
fn an_exploration_has_the_files_that_a_person_opens() {
    let questions = questions();
    assert_eq!(questions.len(), QUESTIONS);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let answers = runtime.block_on(asked(&questions));
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    let mean = answers.iter().map(Answered::share).sum::<f64>() / answers.len() as f64;
    let table = table(&questions, &answers, mean);
    println!("{table}");
    if environment::variable("UPDATE_TABLE").is_some() {
        fs::write(workspace().join("tests/explore/table.md"), &table).expect("written");
    }
    assert!(mean >= FLOOR, "{mean:.3} of the files are in the answers, less than {FLOOR}");
}

fn questions() -> Vec<Question> {
    let text = fs::read_to_string(workspace().join("tests/explore/questions.jsonl")).expect("the questions");
    let word = |value: &Value| value.as_str().expect("a text").to_owned();
    let read = |line: &str| {
        let question: Value = serde_json::from_str(line).expect("JSON");
        let files = question["files"].as_array().expect("files").iter().map(word).collect();
        Question { project: word(&question["project"]), text: word(&question["question"]), files }
    };
    text.lines().map(read).collect()
}

async fn asked(questions: &[Question]) -> Vec<Answered> {
    let home = Home::new();
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let mut copies: BTreeMap<&str, PathBuf> = BTreeMap::new();
    let mut answers = vec![];
    for question in questions {
        let is_new = !copies.contains_key(question.project.as_str());
        let copy = copies.entry(&question.project).or_insert_with(|| {
            let copy = home.scratch().join("user").join(question.project.replace('/', "-"));
            // Without its marks, where it has some.
            Truth::take(&workspace().join("tests").join(&question.project), &copy);
            copy
        });
        let root = Root::new(&client, copy);
        if is_new {
            root.add().await;
            root.ready(Ranking::Whole).await;
        }
        answers.push(answer(&root, question, copy).await);
    }
    answers
}

async fn answer(root: &Root<'_>, question: &Question, copy: &Path) -> Answered {
    let params = Explore { question: question.text.clone(), ..Explore::default() };
    let budget = params.shared().max_tokens;
    let found = root.ask(params).await.unwrap_or_else(|error| panic!("{}: {}", question.text, error.text()));
    // As an agent gets to see it: what does not fit the budget is not there.
    let found = text::fit(&found, Format::Text, budget);
    let mut answered = Answered { shown: vec![], only_named: vec![], missing: vec![] };
    for file in &question.files {
        let is_it = |path: &str| path == file || path.ends_with(&format!("/{file}"));
        let is_known = fs::exists(copy.join(file)).expect("known") || found_below(copy, file);
        assert!(is_known, "{}: there is no {file}", question.text);
        if found.symbols.iter().any(|one| is_it(&one.path)) {
            answered.shown.push(file.clone());
        } else if found.read_next.iter().any(|one| is_it(&one.path))
            || found.dependents.iter().any(|one| is_it(&one.path))
        {
            answered.only_named.push(file.clone());
        } else {
            answered.missing.push(file.clone());
        }
    }
    answered
}

fn found_below(folder: &Path, file: &str) -> bool {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    entries.into_iter().any(|path| {
        if path.is_dir() { found_below(&path, file) } else { path.to_string_lossy().ends_with(&format!("/{file}")) }
    })
}

fn table(questions: &[Question], answers: &[Answered], mean: f64) -> String {
    let mut text = format!(
        "# What explore shows of what a person would open\n\n\
         {QUESTIONS} questions; {mean:.3} of the expected files are in the answers, the floor is {FLOOR}. \
         A file is *shown* where a symbol of it is, and *named* where it is only said to depend or to come next.\n\n\
         | project | question | shown | named | missing |\n|---|---|---|---|---|\n"
    );
    for (question, answer) in questions.iter().zip(answers) {
        let project = question.project.rsplit('/').next().unwrap_or_default();
        let (shown, named, missing) = (answer.shown.join(", "), answer.only_named.join(", "), answer.missing.join(", "));
        let _ = writeln!(text, "| {project} | {} | {shown} | {named} | {missing} |", question.text);
    }
    text
}
