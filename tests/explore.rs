//! Checks that `explore` shows what a person would open for a question, over small public projects.
//!
//! Questions are written without looking at their results, and are not changed when the results are bad.
//! `UPDATE_TABLE=1` rewrites the table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use claudevil_protocol::answer::Format;
use claudevil_protocol::answer::render::fit;
use claudevil_protocol::environment;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::explore::Explore;
use claudevil_tests::accuracy::truth::Truth;
use claudevil_tests::binaries::workspace;
use claudevil_tests::home::Home;
use claudevil_tests::relevance::asking::{Ranking, Root};
use serde_json::Value;

/// Minimum share of a question's files that its answer mentions: the mean over all questions.
const FLOOR: f64 = 0.8;
/// Minimum share of them that are shown with a symbol and its source, not only named.
const FLOOR_SHOWN: f64 = 0.75;
const QUESTIONS: usize = 40;

struct Question {
    project: String,
    text: String,
    files: Vec<String>,
}

/// The positions of a question's files in its answer.
struct FileCoverage {
    shown: Vec<String>,
    only_named: Vec<String>,
    missing: Vec<String>,
    /// The number of files that the answer mentions, and of all files.
    files: (usize, u64),
}

#[expect(clippy::cast_precision_loss, reason = "counts of files")]
impl FileCoverage {
    fn share(&self) -> f64 {
        1.0 - self.missing.len() as f64 / self.all() as f64
    }

    fn share_shown(&self) -> f64 {
        self.shown.len() as f64 / self.all() as f64
    }

    fn share_of_project(&self) -> f64 {
        self.files.0 as f64 / self.files.1 as f64
    }

    fn all(&self) -> usize {
        self.shown.len() + self.only_named.len() + self.missing.len()
    }
}

/// The mean over all questions.
#[expect(clippy::cast_precision_loss, reason = "a count")]
fn mean(answers: &[FileCoverage], of: fn(&FileCoverage) -> f64) -> f64 {
    answers.iter().map(of).sum::<f64>() / answers.len() as f64
}

#[test]
fn an_exploration_has_the_files_that_a_person_opens() {
    let questions = questions();
    assert_eq!(questions.len(), QUESTIONS);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let answers = runtime.block_on(asked(&questions));
    let (share, shown) = (
        mean(&answers, FileCoverage::share),
        mean(&answers, FileCoverage::share_shown),
    );
    let table = table(&questions, &answers);
    println!("{table}");
    if environment::variable("UPDATE_TABLE").is_some() {
        fs::write(workspace().join("tests/explore/table.md"), &table).expect("written");
    }
    assert!(
        share >= FLOOR,
        "{share:.3} of the files are in the answers, less than {FLOOR}"
    );
    assert!(
        shown >= FLOOR_SHOWN,
        "{shown:.3} of the files are shown, less than {FLOOR_SHOWN}"
    );
}

fn questions() -> Vec<Question> {
    let text = fs::read_to_string(workspace().join("tests/explore/questions.jsonl"))
        .expect("the questions");
    let word = |value: &Value| value.as_str().expect("a text").to_owned();
    let read = |line: &str| {
        let question: Value = serde_json::from_str(line).expect("JSON");
        let files = question["files"]
            .as_array()
            .expect("files")
            .iter()
            .map(word)
            .collect();
        Question {
            project: word(&question["project"]),
            text: word(&question["question"]),
            files,
        }
    };
    text.lines().map(read).collect()
}

async fn asked(questions: &[Question]) -> Vec<FileCoverage> {
    let home = Home::new();
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let mut copies: BTreeMap<&str, (PathBuf, u64)> = BTreeMap::new();
    let mut answers = vec![];
    for question in questions {
        if !copies.contains_key(question.project.as_str()) {
            let copy = home
                .scratch()
                .join("user")
                .join(question.project.replace('/', "-"));
            // A project may have marks, which the copy lacks.
            Truth::take(&workspace().join("tests").join(&question.project), &copy);
            let root = Root::new(&client, &copy);
            root.add().await;
            let status = root.ready(Ranking::Whole).await;
            let files = status.index.map_or(1, |index| index.files);
            copies.insert(&question.project, (copy, files));
        }
        let (copy, files) = &copies[question.project.as_str()];
        answers.push(answer(&Root::new(&client, copy), question, copy, *files).await);
    }
    answers
}

async fn answer(root: &Root<'_>, question: &Question, copy: &Path, files: u64) -> FileCoverage {
    let params = Explore {
        question: question.text.clone(),
        ..Explore::default()
    };
    let budget = params.common().max_tokens;
    let found = root
        .ask(params)
        .await
        .unwrap_or_else(|error| panic!("{}: {}", question.text, error.text()));
    // As an agent sees it: without what does not fit the budget.
    let found = fit(&found, Format::Text, budget);
    let mut spoken: Vec<&str> = found.symbols.iter().map(|one| one.path.as_str()).collect();
    spoken.extend(found.read_next.iter().map(|one| one.path.as_str()));
    spoken.extend(found.dependents.iter().map(|one| one.path.as_str()));
    spoken.sort_unstable();
    spoken.dedup();
    let mut answered = FileCoverage {
        shown: vec![],
        only_named: vec![],
        missing: vec![],
        files: (spoken.len(), files),
    };
    for file in &question.files {
        let is_it = |path: &str| path == file || path.ends_with(&format!("/{file}"));
        let is_known = fs::exists(copy.join(file)).expect("known") || found_below(copy, file);
        assert!(is_known, "{}: there is no {file}", question.text);
        if found.symbols.iter().any(|one| is_it(&one.path)) {
            answered.shown.push(file.clone());
        } else if spoken.iter().any(|path| is_it(path)) {
            answered.only_named.push(file.clone());
        } else {
            answered.missing.push(file.clone());
        }
    }
    answered
}

fn found_below(folder: &Path, file: &str) -> bool {
    let entries = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path());
    entries.into_iter().any(|path| {
        if path.is_dir() {
            found_below(&path, file)
        } else {
            path.to_string_lossy().ends_with(&format!("/{file}"))
        }
    })
}

fn table(questions: &[Question], answers: &[FileCoverage]) -> String {
    let mut text = format!(
        "# What explore shows of what a person would open\n\n\
         {QUESTIONS} questions. Of the expected files {:.3} are in the answers (at least {FLOOR}), and {:.3} are shown (at \
         least {FLOOR_SHOWN}); an answer speaks of {:.3} of its project's files.\n\n\
         A file is *shown* where a symbol of it is, and *named* where it is only said to depend or to come next.\n\n\
         | project | question | shown | named | missing |\n|---|---|---|---|---|\n",
        mean(answers, FileCoverage::share),
        mean(answers, FileCoverage::share_shown),
        mean(answers, FileCoverage::share_of_project)
    );
    for (question, answer) in questions.iter().zip(answers) {
        let project = question.project.rsplit('/').next().unwrap_or_default();
        let (shown, named, missing) = (
            answer.shown.join(", "),
            answer.only_named.join(", "),
            answer.missing.join(", "),
        );
        let _ = writeln!(
            text,
            "| {project} | {} | {shown} | {named} | {missing} |",
            question.text
        );
    }
    text
}
