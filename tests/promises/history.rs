//! The history of a project: commits by words, timelines of symbols and files, and the gaps that an answer states.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claudevil_tests::git::git;
use claudevil_tests::home::{Home, put};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    let needs = || Needs::Program("git", "needs git");
    vec![
        proof("history_of_a_symbol_is_told", needs(), symbol),
        proof("history_is_found_by_words", needs(), words),
        proof("history_has_a_commit_that_was_just_made", needs(), fresh),
        proof(
            "history_is_that_of_the_branch_after_a_rewrite",
            needs(),
            rewritten,
        ),
        proof("history_of_a_shallow_clone_says_so", needs(), shallow),
        proof("history_has_no_secrets_and_no_addresses", needs(), secrets),
        proof(
            "history_without_a_repository_says_so",
            Needs::Nothing,
            no_git,
        ),
        proof("history_is_in_other_answers", needs(), other_answers),
        proof("history_is_a_command", needs(), command),
    ]
}

const LEXER: &str = "pub struct Lexer;\n\nimpl Lexer {\n    pub fn next(&self) -> u8 {\n        1\n    }\n\n    pub fn peek(&self) \
                     -> u8 {\n        self.next()\n    }\n}\n";

async fn commit(root: &Path, message: &str, files: &[(&str, &str)]) {
    for (path, text) in files {
        put(root, path, text.as_bytes());
    }
    git(root, &["add", "--all"]).await;
    git(root, &["commit", "--quiet", "-m", message]).await;
}

/// Makes a project with three commits.
async fn project(home: &Home) -> PathBuf {
    let root = home.scratch().join("user").join("engine");
    fs::create_dir_all(&root).expect("made");
    git(&root, &["init", "--quiet", "--initial-branch=main"]).await;
    commit(
        &root,
        "Add the lexer",
        &[("src/lexer.rs", LEXER), ("README.md", "# Engine\n")],
    )
    .await;
    let changed = LEXER.replace("        1\n", "        2\n");
    let message = "Skip white space\n\nThe parser stumbled over tabulators.";
    commit(&root, message, &[("src/lexer.rs", &changed)]).await;
    commit(
        &root,
        "Describe the engine",
        &[("README.md", "# Engine\n\nIt runs.\n")],
    )
    .await;
    root
}

async fn asking(home: &Home, root: &Path) -> Questions {
    let mut questions = Questions::start(home, root).await;
    questions.settled().await;
    questions
}

async fn ask(questions: &mut Questions, arguments: Value) -> Value {
    let answer = questions.ask("history", arguments).await;
    answer.unwrap_or_else(|error| panic!("{error}"))
}

fn subjects(answer: &Value) -> Vec<&str> {
    let commits = answer["commits"].as_array().expect("commits").iter();
    commits
        .map(|commit| commit["subject"].as_str().expect("a subject"))
        .collect()
}

async fn symbol() {
    let home = Home::new();
    let root = project(&home).await;
    let mut questions = asking(&home, &root).await;
    let next = ask(&mut questions, json!({ "symbol": "Lexer::next" })).await;
    assert_eq!(
        subjects(&next),
        ["Skip white space", "Add the lexer"],
        "{next}"
    );
    assert_eq!(next["commits"][0]["author"], "tests");
    assert_eq!(
        next["commits"][0]["body"],
        "The parser stumbled over tabulators."
    );
    assert_eq!(
        next["commits"][0]["files"][0]["symbols"],
        json!(["Lexer.next"])
    );
    let peek = ask(&mut questions, json!({ "symbol": "Lexer::peek" })).await;
    assert_eq!(subjects(&peek), ["Add the lexer"], "{peek}");
    let file = ask(&mut questions, json!({ "path": "README.md" })).await;
    assert_eq!(subjects(&file), ["Describe the engine", "Add the lexer"]);
    let folder = ask(&mut questions, json!({ "path": "src", "limit": 1 })).await;
    assert_eq!(subjects(&folder), ["Skip white space"]);
    assert_eq!(
        (&folder["total"], &folder["remaining"]),
        (&json!(2), &json!(1))
    );
    // The symbol is gone from the tree but not from the history.
    commit(
        &root,
        "Drop peek",
        &[(
            "src/lexer.rs",
            &LEXER[..LEXER.find("\n    pub fn peek").expect("there")],
        )],
    )
    .await;
    let gone = ask(&mut questions, json!({ "symbol": "peek" })).await;
    assert_eq!(subjects(&gone), ["Drop peek", "Add the lexer"], "{gone}");
}

async fn words() {
    let home = Home::new();
    let root = project(&home).await;
    let mut questions = asking(&home, &root).await;
    let found = ask(&mut questions, json!({ "query": "tabulator" })).await;
    assert_eq!(subjects(&found), ["Skip white space"], "{found}");
    let found = ask(&mut questions, json!({ "query": "describing an engine" })).await;
    assert_eq!(subjects(&found)[0], "Describe the engine", "{found}");
    let all = ask(&mut questions, json!({})).await;
    assert_eq!(subjects(&all).len(), 3);
    assert_eq!((&all["searched"], &all["gaps"]), (&json!(3), &json!([])));
    let later = ask(&mut questions, json!({ "since": "2100-01-01" })).await;
    assert!(subjects(&later).is_empty());
}

async fn fresh() {
    let home = Home::new();
    let root = project(&home).await;
    let mut questions = asking(&home, &root).await;
    ask(&mut questions, json!({})).await;
    for round in 0..5 {
        let message = format!("Round {round}");
        commit(
            &root,
            &message,
            &[("src/round.rs", &format!("fn r{round}() {{}}\n"))],
        )
        .await;
        let began = Instant::now();
        let newest = ask(&mut questions, json!({ "limit": 1 })).await;
        // A debug build beside other proofs takes several times as long as a release build alone.
        assert!(began.elapsed() < Duration::from_secs(2));
        assert_eq!(subjects(&newest), [message.as_str()], "{newest}");
    }
}

async fn rewritten() {
    let home = Home::new();
    let root = project(&home).await;
    let mut questions = asking(&home, &root).await;
    assert_eq!(subjects(&ask(&mut questions, json!({})).await).len(), 3);
    git(
        &root,
        &["commit", "--quiet", "--amend", "-m", "Praise the engine"],
    )
    .await;
    let all = ask(&mut questions, json!({})).await;
    assert_eq!(
        subjects(&all),
        ["Praise the engine", "Skip white space", "Add the lexer"]
    );
    git(&root, &["reset", "--quiet", "--hard", "HEAD~2"]).await;
    // A damaged history is read again.
    drop(questions);
    home.kill_daemon().await;
    let stored = stored(&home);
    let mut bytes = fs::read(&stored).expect("a stored history");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&stored, bytes).expect("written");
    let mut questions = asking(&home, &root).await;
    assert_eq!(
        subjects(&ask(&mut questions, json!({})).await),
        ["Add the lexer"]
    );
}

/// Returns the file with the history of the only root.
fn stored(home: &Home) -> PathBuf {
    let roots = home.paths().data().join("roots");
    let entries = fs::read_dir(roots).expect("roots").flatten();
    let mut files = entries.map(|entry| entry.path().join("history"));
    files.find(|file| file.exists()).expect("a stored history")
}

async fn shallow() {
    let home = Home::new();
    let root = project(&home).await;
    let clone = root.with_file_name("clone");
    let source = format!("file://{}", root.display());
    let name = clone.display().to_string();
    git(&root, &["clone", "--quiet", "--depth", "1", &source, &name]).await;
    let mut questions = asking(&home, &clone).await;
    let all = ask(&mut questions, json!({})).await;
    assert_eq!(subjects(&all), ["Describe the engine"]);
    assert_eq!(all["gaps"], json!(["shallow"]));
}

async fn secrets() {
    let home = Home::new();
    let root = project(&home).await;
    let token = ["ghp_", "R2dQx7Lw9ZkT4mVn8YcB1sHj6FpA3uEe5GoK"].concat();
    let message = format!(
        "Rotate the token\u{1b}[2J\n\nIt was {token}.\n\nSigned-off-by: Ann <ann@example.com>"
    );
    commit(&root, &message, &[("a.txt", "a\n")]).await;
    let mut questions = asking(&home, &root).await;
    let found = ask(&mut questions, json!({ "query": "rotate" })).await;
    assert_eq!(found["commits"][0]["body"], "It was [secret].", "{found}");
    let by_token = ask(&mut questions, json!({ "query": token })).await;
    assert!(subjects(&by_token).is_empty(), "{by_token}");
    let output = home
        .claudevil(&["log", "rotate", "--root", root.to_str().expect("UTF-8")])
        .await;
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        shown.contains("Rotate the token") && !shown.contains(&token),
        "{shown}"
    );
    assert!(
        !shown.contains('\u{1b}') && !shown.contains("example.com"),
        "{shown}"
    );
}

async fn no_git() {
    let home = Home::new();
    let root = home.scratch().join("user").join("plain");
    put(&root, "src/a.rs", b"fn a() {}\n");
    let mut questions = asking(&home, &root).await;
    let none = ask(&mut questions, json!({})).await;
    assert_eq!(none["gaps"], json!(["no_repository"]), "{none}");
    put(&root, ".git", b"gitdir: /etc\n");
    let refused = ask(&mut questions, json!({ "query": "a" })).await;
    let why = refused["gaps"][0]["unreadable"]
        .as_str()
        .unwrap_or_default();
    assert!(
        why.contains("points to a location that git would not use"),
        "{refused}"
    );
    assert!(
        questions
            .ask("deep_dive", json!({ "symbol": "a" }))
            .await
            .is_ok()
    );
}

async fn other_answers() {
    let home = Home::new();
    let root = project(&home).await;
    for round in 0..3 {
        let text = format!("fn step() {{\n    // {round}\n}}\n");
        let files = [("src/step.rs", &*text), ("src/walk.rs", &*text)];
        commit(&root, &format!("Step {round}"), &files).await;
    }
    let mut questions = asking(&home, &root).await;
    ask(&mut questions, json!({})).await;
    let dive = questions
        .ask("deep_dive", json!({ "symbol": "Lexer::next" }))
        .await;
    let dive = dive.unwrap_or_else(|error| panic!("{error}"));
    let of = |list: &Value| -> Vec<String> {
        let items = list.as_array().expect("a list").iter();
        items
            .map(|one| one["subject"].as_str().expect("a subject").to_owned())
            .collect()
    };
    assert_eq!(
        of(&dive["commits"]),
        ["Skip white space", "Add the lexer"],
        "{dive}"
    );
    put(&root, "src/step.rs", b"fn step() {\n    // now\n}\n");
    let impact = questions
        .ask("impact_analysis", json!({ "diff": "working" }))
        .await;
    let impact = impact.unwrap_or_else(|error| panic!("{error}"));
    let together =
        json!([{ "path": "src/walk.rs", "with": "src/step.rs", "together": 3, "commits": 3 }]);
    assert_eq!(impact["together"], together, "{impact}");
    let explored = questions
        .ask(
            "explore",
            json!({ "question": "how does the lexer skip white space" }),
        )
        .await;
    let explored = explored.unwrap_or_else(|error| panic!("{error}"));
    assert!(
        of(&explored["commits"]).contains(&"Skip white space".to_owned()),
        "{explored}"
    );
}

async fn command() {
    let home = Home::new();
    let root = project(&home).await;
    let root = root.to_str().expect("UTF-8");
    let shown = |output: std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let log = shown(
        home.claudevil(&["log", "white", "space", "--root", root])
            .await,
    );
    assert!(
        log.contains("\"Skip white space\"") && !log.contains("Describe"),
        "{log}"
    );
    let log = shown(
        home.claudevil(&["log", "--symbol", "Lexer::next", "--root", root])
            .await,
    );
    assert_eq!(log.matches("src/lexer.rs").count(), 2, "{log}");
    let none = home.claudevil(&["log", "zebra", "--root", root]).await;
    assert_eq!(none.status.code(), Some(1), "{none:?}");
}
