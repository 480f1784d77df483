//! The corpus of planted credentials, through the real binaries: what is stored, what is answered, what is marked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use claudevil_tests::binaries::workspace;
use claudevil_tests::home::Home;
use claudevil_tests::planted::{self, Part, PlantedFile, Recall};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::secrets::{gather, holds, stop_and_dump_words};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "23_planted_credentials_are_neither_stored_nor_shown",
            Needs::Nothing,
            neither_stored_nor_shown,
        ),
        proof(
            "23_rules_find_every_part_of_the_corpus",
            Needs::Nothing,
            rules_find_every_part,
        ),
        proof(
            "23_a_rename_marks_credentials_as_read_file_does",
            Needs::Nothing,
            a_rename_marks_credentials,
        ),
    ]
}

/// The share of credentials that must be found.
const LEAST_RECALL: f64 = 0.98;

/// A planted credential and the texts by which it would be recognised anywhere.
struct Needle {
    /// The location, for messages.
    place: String,
    path: String,
    line: u64,
    /// In lower case, as words are stored.
    texts: Vec<String>,
}

async fn neither_stored_nor_shown() {
    let home = Home::new();
    let project = home.project("engine");
    let needles = plant(&project);
    let mut leaks: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut questions = Questions::start(&home, &project).await;
    questions.embedded().await;

    for needle in &needles {
        let longest = needle
            .texts
            .iter()
            .max_by_key(|text| text.len())
            .expect("a text");
        let query: String = longest.chars().take(200).collect();
        let query = json!({ "query": query, "mode": "literal", "limit": 1, "max_tokens": 10000 });
        let answer = questions.ask("search", query).await.expect("an answer");
        if answer["total"] != 0 {
            leaks
                .entry(needle.place.clone())
                .or_default()
                .insert("search finds it".to_owned());
        }
    }
    for question in [
        "the password of the database",
        "api key or token",
        "connect",
        "secret settings",
    ] {
        for (tool, key) in [("search", "query"), ("explore", "question")] {
            // An error, such as that nothing was found, shows nothing either.
            let answer = questions
                .ask(tool, json!({ key: question, "max_tokens": 10000 }))
                .await;
            note(
                &mut leaks,
                &needles,
                tool,
                &answer.map_or_else(|error| error, |answer| answer.to_string()),
            );
        }
    }
    let paths: BTreeSet<&str> = needles.iter().map(|needle| needle.path.as_str()).collect();
    for path in paths {
        let marked = marked_lines(&mut questions, path).await;
        for needle in needles
            .iter()
            .filter(|needle| needle.path == path && !marked.contains(&needle.line))
        {
            leaks
                .entry(needle.place.clone())
                .or_default()
                .insert("read_file does not mark it".to_owned());
        }
    }

    let mut stored = vec![("words".to_owned(), stop_and_dump_words(&home).await)];
    // A control: an ordinary word of the corpus is where the others are looked for.
    assert!(
        holds(&stored[0].1, b"passwordpolicy") || holds(&stored[0].1, b"tokenendpoint"),
        "the control"
    );
    gather(&home.claudevil_home(), &mut stored);
    for needle in &needles {
        let is_in = |bytes: &[u8]| {
            needle
                .texts
                .iter()
                .any(|text| holds(bytes, text.as_bytes()))
        };
        for (place, _) in stored.iter().filter(|(_, bytes)| is_in(bytes)) {
            let store = Path::new(place)
                .file_name()
                .map_or(place.clone(), |name| name.to_string_lossy().into_owned());
            leaks.entry(needle.place.clone()).or_default().insert(store);
        }
    }

    crate::measured(&format!(
        "{} of {} planted credentials leak: {leaks:#?}",
        leaks.len(),
        needles.len()
    ));
    assert!(
        share(needles.len() - leaks.len(), needles.len()) >= LEAST_RECALL,
        "{} leak",
        leaks.len()
    );
}

async fn rules_find_every_part() {
    let (mut kinds, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for part in Part::ALL {
        let scratch = tempfile::tempdir().expect("a folder");
        let files = planted::read(workspace(), part);
        for file in &files {
            fs::write(scratch.path().join(&file.name), &file.text).expect("written");
        }
        let home = Home::new();
        let output = home
            .command("claudevild")
            .args(["measure", "secrets"])
            .arg(scratch.path())
            .output()
            .await;
        let output = output.expect("it runs");
        let measured: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        kinds.extend(
            measured["kinds"]
                .as_array()
                .expect("a list")
                .iter()
                .map(ToString::to_string),
        );
        seen.extend(
            measured["secrets"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|secret| secret["kind"].to_string()),
        );
        let mut by_kind: BTreeMap<String, Recall> = BTreeMap::new();
        let mut false_lines = 0;
        for file in &files {
            let covered = planted::covered(&measured, &file.name);
            file.count(&covered, &mut by_kind);
            false_lines += file.false_lines(&covered).len();
        }
        let (planted, found) = by_kind.values().fold((0, 0), |(planted, found), recall| {
            (planted + recall.planted, found + recall.found)
        });
        crate::measured(&format!(
            "{part:?}: {found} of {planted} credentials of {} kinds, {false_lines} false lines",
            by_kind.len()
        ));
        assert!(
            share(found, planted) >= LEAST_RECALL,
            "{part:?}: {found} of {planted}: {by_kind:#?}"
        );
        assert!(
            false_lines <= 2,
            "{part:?}: {false_lines} lines are blanked that hold no credential"
        );
    }
    let unseen: Vec<_> = kinds.difference(&seen).collect();
    assert!(
        unseen.is_empty(),
        "kinds without an example in the corpus: {unseen:?}"
    );
}

async fn a_rename_marks_credentials() {
    let home = Home::new();
    let project = home.project("engine");
    let text =
        "def connect():\n    password = \"Marzipan-Tuba-7\"\n    return password\n\n\nconnect()\n";
    fs::write(project.join("client.py"), text).expect("written");
    let mut questions = Questions::start(&home, &project).await;
    questions.until_found("connect", &["client.py"]).await;
    let read = questions
        .ask("read_file", json!({ "path": "client.py" }))
        .await
        .expect("the file");
    let rename = json!({ "symbol": "connect", "new_name": "open_line" });
    let renaming = questions
        .ask("rename_symbol", rename)
        .await
        .expect("a diff");
    assert_eq!(
        read["secrets"],
        json!([{ "line": 2, "kind": "password" }]),
        "{read}"
    );
    assert_eq!(
        renaming["files"][0]["secrets"], read["secrets"],
        "{renaming}"
    );
    let rename = json!({ "symbol": "connect", "new_name": "open_line", "dry_run": false });
    questions
        .ask("rename_symbol", rename)
        .await
        .expect("it is applied");
    let changed = fs::read_to_string(project.join("client.py")).expect("readable");
    assert_eq!(
        changed,
        text.replace("connect", "open_line"),
        "what is on disk keeps its credential"
    );
}

/// Plants all parts into a project.
fn plant(project: &Path) -> Vec<Needle> {
    let parts = Part::ALL.map(|part| (part, planted::read(workspace(), part)));
    // Text outside the marks is indexed, and is no leak.
    let ordinary: String = parts
        .iter()
        .flat_map(|(_, files)| files)
        .map(PlantedFile::ordinary_text)
        .collect();
    let ordinary = ordinary.to_lowercase();
    let mut needles = vec![];
    for (part, files) in &parts {
        fs::create_dir_all(project.join(part.folder())).expect("made");
        for file in files {
            let path = format!("{}/{}", part.folder(), file.name);
            fs::write(project.join(&path), &file.text).expect("written");
            for credential in &file.credentials {
                let texts = file
                    .values(credential)
                    .map(|range| telling_part(&file.text[range], &ordinary))
                    .collect();
                let line = file.text[..credential.range.start].matches('\n').count() as u64 + 1;
                let place = format!("{path}:{line} ({})", credential.kind);
                needles.push(Needle {
                    place,
                    path: path.clone(),
                    line,
                    texts,
                });
            }
        }
    }
    needles
}

/// Returns the longest word of a value, or the whole value if that word is too short or also an ordinary word.
fn telling_part(value: &str, ordinary: &str) -> String {
    let value = value.to_lowercase();
    let words = value.split(|letter: char| !letter.is_alphanumeric());
    let longest = words.max_by_key(|word| word.len()).unwrap_or_default();
    if longest.len() >= 7 && !ordinary.contains(longest) {
        longest.to_owned()
    } else {
        value
    }
}

fn note(
    leaks: &mut BTreeMap<String, BTreeSet<String>>,
    needles: &[Needle],
    tool: &str,
    shown: &str,
) {
    let shown = shown.to_lowercase();
    for needle in needles {
        if needle.texts.iter().any(|text| shown.contains(text)) {
            leaks
                .entry(needle.place.clone())
                .or_default()
                .insert(format!("answer of {tool}"));
        }
    }
}

/// Returns the lines that `read_file` marks in a file.
async fn marked_lines(questions: &mut Questions, path: &str) -> BTreeSet<u64> {
    let mut marked = BTreeSet::new();
    let mut next = Some(1);
    while let Some(line) = next {
        let page = json!({ "path": path, "start_line": line, "max_tokens": 10000 });
        let page = questions.ask("read_file", page).await.expect("a page");
        let marks = page["secrets"].as_array().expect("a list");
        marked.extend(marks.iter().filter_map(|mark| mark["line"].as_u64()));
        // A key is marked on its first and last line.
        let keys = marks
            .iter()
            .filter(|mark| mark["kind"] == "private key")
            .filter_map(|mark| mark["line"].as_u64());
        marked.extend(keys.flat_map(|line| [line + 1, line + 2]));
        next = page["next_line"].as_u64();
    }
    marked
}

#[expect(clippy::cast_precision_loss, reason = "there are a few hundred")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
