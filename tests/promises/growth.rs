//! The daemon's memory settles: answers and edits leave nothing behind that grows, and caches are freed at rest.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_tests::chance::Chance;
use claudevil_tests::home::Home;
use claudevil_tests::processes::{self, Memory};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "15_memory_settles_over_200_queries_and_50_edits",
            Needs::Nothing,
            || settles(SMALL),
        ),
        proof(
            "15_memory_settles_over_2000_queries_and_500_edits",
            Needs::Patience,
            || settles(LARGE),
        ),
        proof("15_memory_is_given_back_at_rest", Needs::Nothing, rests),
    ]
}

#[derive(Clone, Copy)]
struct Load {
    files: usize,
    queries: usize,
    /// Maximum growth in the second half, in percent.
    most_growth: u64,
    /// Maximum growth since the first question, in percent.
    most_in_all: u64,
}

const SMALL: Load = Load {
    files: 150,
    queries: 200,
    most_growth: 25,
    most_in_all: 30,
};
const LARGE: Load = Load {
    files: 3000,
    queries: 2000,
    most_growth: 5,
    most_in_all: 45,
};
/// Number of queries after each edit.
const QUERIES_PER_EDIT: usize = 4;
/// Number of samples of memory, evenly spread.
const SAMPLES: usize = 20;

const VERBS: &str = "read write parse load store merge split encode decode open close resolve schedule cancel retry flush \
    compact verify render collect balance evict replicate publish";
const NOUNS: &str = "request response token session segment cache ledger packet frame snapshot cursor buffer index query \
    worker channel document schema account invoice message config registry cluster replica timer socket \
    bundle template policy route cookie";

/// Every file calls this function.
const COMMON: &str = "observe_everything";

/// Files of twelve functions each whose names, comments and calls are made of a small vocabulary, so that a question
/// about any two words has many candidates.
struct Project<'a> {
    root: &'a Path,
    chance: Chance,
    verbs: Vec<&'static str>,
    nouns: Vec<&'static str>,
}

impl<'a> Project<'a> {
    fn new(root: &'a Path, files: usize) -> Self {
        let (verbs, nouns) = (VERBS.split(' ').collect(), NOUNS.split(' ').collect());
        let mut project = Self {
            root,
            chance: Chance::new(17),
            verbs,
            nouns,
        };
        fs::write(
            root.join("observe.rs"),
            format!("pub fn {COMMON}(input: &str) {{\n    drop(input.len());\n}}\n"),
        )
        .expect("written");
        for number in 0..files {
            project.write(number);
        }
        project
    }

    fn name(&mut self) -> String {
        let (verb, noun) = (
            *self.chance.one_of(&self.verbs),
            *self.chance.one_of(&self.nouns),
        );
        format!("{verb}_{noun}_{}", self.chance.below(500))
    }

    fn question(&mut self) -> String {
        let (verb, noun) = (
            *self.chance.one_of(&self.verbs),
            *self.chance.one_of(&self.nouns),
        );
        format!(
            "how does it {verb} the {noun} of a {}",
            self.chance.one_of(&self.nouns)
        )
    }

    /// Writes a file with new content.
    fn write(&mut self, number: usize) {
        let mut text = format!("pub fn begin(input: &str) {{\n    {COMMON}(input);\n}}\n\n");
        for _ in 0..12 {
            let (name, called, other) = (self.name(), self.name(), self.name());
            let about = self.question();
            text += &format!(
                "/// Shows {about}, and what `{other}` is for.\npub fn {name}(input: &str) -> usize {{\n    \
                 let first = {called}(input);\n    let second = {other}(input);\n    \
                 if first > second {{ first - second }} else {{ second }}\n}}\n\n"
            );
        }
        let path = self.root.join(format!(
            "area{}/part{}/file{number}.rs",
            number % 12,
            number % 60
        ));
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn query(&mut self, number: usize) -> (&'static str, Value) {
        match number % 5 {
            0 | 2 => ("explore", json!({ "question": self.question() })),
            1 => ("search", json!({ "query": self.question() })),
            3 => (
                "search",
                json!({ "query": self.name(), "mode": "literal", "limit": 100 }),
            ),
            _ => (
                "search",
                json!({ "query": self.chance.one_of(&self.nouns), "mode": "keyword" }),
            ),
        }
    }
}

async fn settles(load: Load) {
    let home = Home::new();
    let root = home.project("engine");
    let mut project = Project::new(&root, load.files);
    let mut questions = Questions::start(&home, &root).await;
    questions.embedded().await;
    // The uses of names in all files are cached between questions: that cache is full from now on.
    questions
        .ask("find_references", json!({ "symbol": COMMON }))
        .await
        .expect("references");
    let daemon = home.daemon().expect("a daemon");
    let mut samples = vec![processes::memory(daemon)];
    for number in 0..load.queries {
        if number % QUERIES_PER_EDIT == 0 {
            let file = project.chance.below(load.files);
            project.write(file);
        }
        let (tool, arguments) = project.query(number);
        let shown = arguments.to_string();
        questions
            .ask(tool, arguments)
            .await
            .unwrap_or_else(|error| panic!("{tool} {shown}: {error}"));
        if (number + 1) % (load.queries / SAMPLES) == 0 {
            samples.push(processes::memory(daemon));
        }
    }
    assert_eq!(home.daemon(), Some(daemon), "the daemon never fell");
    let shown: Vec<String> = samples
        .iter()
        .map(|at| format!("{}/{}", at.resident / 1024, at.anonymous / 1024))
        .collect();
    measured(&format!(
        "MB resident/anonymous over {} queries: {}",
        load.queries,
        shown.join(" ")
    ));
    let (middle, end) = (
        median(&samples[SAMPLES / 2 - 2..=SAMPLES / 2 + 1]),
        median(&samples[SAMPLES - 3..]),
    );
    let most = middle + middle * load.most_growth / 100;
    assert!(
        end <= most,
        "{middle} KB after half of the queries, {end} KB after all"
    );
    let first = samples[0].resident;
    assert!(
        end <= first + first * load.most_in_all / 100,
        "{first} KB before the first query, {end} KB after the last"
    );
}

/// Files whose uses of names take many megabytes in the caches.
const FILES_AT_REST: usize = 800;
const REST_PATIENCE: Duration = Duration::from_secs(60);

async fn rests() {
    let home = Home::new().with("CLAUDEVIL_REST_SECONDS", "3");
    let root = home.project("engine");
    let mut project = Project::new(&root, FILES_AT_REST);
    let mut questions = Questions::start(&home, &root).await;
    questions.embedded().await;
    let references = json!({ "symbol": COMMON });
    let before = questions
        .ask("find_references", references.clone())
        .await
        .expect("references");
    for number in 0..40 {
        let (tool, arguments) = project.query(number);
        questions.ask(tool, arguments).await.expect("an answer");
    }
    let daemon = home.daemon().expect("a daemon");
    let busy = processes::memory(daemon).anonymous;
    let began = Instant::now();
    let resting = loop {
        let now = processes::memory(daemon).anonymous;
        if now <= busy * 4 / 5 {
            break now;
        }
        assert!(
            began.elapsed() < REST_PATIENCE,
            "{busy} KB after the questions, {now} KB at rest"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    measured(&format!(
        "MB anonymous: {} after the questions, {} at rest",
        busy / 1024,
        resting / 1024
    ));
    // The root is still loaded, with its whole index.
    let status = questions.ask("index_status", json!({})).await.expect("it");
    assert_eq!(status["roots"][0]["watch"], "events", "{status}");
    let after = questions
        .ask("find_references", references)
        .await
        .expect("references");
    assert_eq!(before["total"], after["total"]);
}

/// Returns the median of the samples: a single one may fall into the middle of a commit.
fn median(samples: &[Memory]) -> u64 {
    let mut sorted: Vec<u64> = samples.iter().map(|sample| sample.resident).collect();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}
