//! Questions whose right answers a plain scan knows, asked by a session, at a terminal and by a client of the daemon.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};

use claudevil_protocol::call::{Origin, Project};
use claudevil_protocol::client::{CallOptions, Client};
use claudevil_protocol::tools::list_files::ListFiles;
use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use claudevil_tests::scan;
use serde_json::{Value, json};

use super::Step;

/// A question, and its right answer at the moment it was made up.
#[derive(Debug)]
pub struct Question {
    root: PathBuf,
    subject: Subject,
}

#[derive(Debug)]
enum Subject {
    Symbol {
        name: String,
        files: Vec<String>,
    },
    Lines {
        text: String,
        lines: Vec<(String, u64)>,
    },
    Read {
        path: String,
        text: String,
    },
    Files {
        extension: String,
        files: Vec<String>,
    },
    /// No scan knows the best answer: there only has to be one.
    Explore {
        question: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answer is right.
    Whole,
    /// The answer says that it may lack something.
    Marked,
    /// A typed error that says that there is no answer now.
    Refused,
}

#[derive(Debug, Default)]
pub struct Tally {
    pub whole: usize,
    pub marked: usize,
    pub refused: usize,
    pub steps: BTreeMap<Step, usize>,
    pub killed: BTreeMap<Step, usize>,
}

impl Tally {
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Whole => self.whole += 1,
            Verdict::Marked => self.marked += 1,
            Verdict::Refused => self.refused += 1,
        }
    }

    /// Returns whether a step was taken, and met a process if it is one that kills.
    pub fn happened(&self, step: Step) -> bool {
        let counted = if step.kills() {
            &self.killed
        } else {
            &self.steps
        };
        counted.get(&step).is_some_and(|count| *count > 0)
    }
}

impl Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            whole,
            marked,
            refused,
            steps,
            killed,
        } = self;
        let killed: BTreeMap<_, _> = killed.iter().filter(|(_, count)| **count > 0).collect();
        write!(
            formatter,
            "{whole} answers complete and right, {marked} marked, {refused} refused; steps {steps:?}; killed {killed:?}"
        )
    }
}

impl Question {
    pub fn symbol(root: &Path, name: &str) -> Self {
        let files = scan::definitions(root, name);
        Self {
            root: root.to_owned(),
            subject: Subject::Symbol {
                name: name.to_owned(),
                files,
            },
        }
    }

    pub fn lines(root: &Path, text: &str) -> Self {
        let lines = scan::lines_with(root, text);
        Self {
            root: root.to_owned(),
            subject: Subject::Lines {
                text: text.to_owned(),
                lines,
            },
        }
    }

    pub fn read(root: &Path, path: &str) -> Self {
        let text = fs::read_to_string(root.join(path)).expect("readable");
        Self {
            root: root.to_owned(),
            subject: Subject::Read {
                path: path.to_owned(),
                text,
            },
        }
    }

    pub fn files(root: &Path, extension: &str) -> Self {
        let suffix = format!(".{extension}");
        let files = scan::files(root)
            .into_iter()
            .filter(|path| path.ends_with(&suffix))
            .collect();
        Self {
            root: root.to_owned(),
            subject: Subject::Files {
                extension: extension.to_owned(),
                files,
            },
        }
    }

    pub fn explore(root: &Path, question: &str) -> Self {
        Self {
            root: root.to_owned(),
            subject: Subject::Explore {
                question: question.to_owned(),
            },
        }
    }

    /// Asks in the session of the question's project.
    pub async fn ask_session(&self, session: &mut Session) -> Verdict {
        let (tool, arguments) = match &self.subject {
            Subject::Symbol { name, .. } => {
                ("find_symbol", json!({ "name": name, "match": "exact" }))
            }
            Subject::Lines { text, .. } => (
                "search",
                json!({ "query": text, "mode": "literal", "limit": 100, "max_tokens": 10000 }),
            ),
            Subject::Read { path, .. } => {
                ("read_file", json!({ "path": path, "max_tokens": 10000 }))
            }
            Subject::Files { extension, .. } => {
                ("list_files", json!({ "pattern": format!("*.{extension}") }))
            }
            Subject::Explore { question } => ("explore", json!({ "question": question })),
        };
        let mut arguments = arguments;
        arguments["format"] = json!("json");
        let (text, is_error) = session.call(tool, arguments).await;
        if is_error {
            return self.judge_error(&text);
        }
        let answer: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{self:?}: {error}: {text}"));
        self.judge(&answer)
    }

    /// Asks as a script does; only for lines.
    pub async fn ask_terminal(&self, home: &Home) -> Verdict {
        let Subject::Lines { text, .. } = &self.subject else {
            panic!("{self:?} is not asked at a terminal")
        };
        let root = self.root.to_str().expect("UTF-8");
        let answer = home
            .json(&[
                "search",
                "--literal",
                "--limit",
                "100",
                "--root",
                root,
                text,
            ])
            .await;
        match answer.get("error") {
            Some(error) => {
                let word = |field: &str| error[field].as_str().unwrap_or_default();
                self.judge_error(&format!("{}: {}", word("code"), word("message")))
            }
            None => self.judge(&answer),
        }
    }

    /// Asks as a client of the daemon, without a program in between; only for files.
    pub async fn ask_client(&self, client: &Client) -> Verdict {
        let Subject::Files { extension, files } = &self.subject else {
            panic!("{self:?} is not asked by a client")
        };
        let project = Some(Project {
            root: self.root.display().to_string(),
            origin: Origin::Argument,
        });
        let params = ListFiles {
            pattern: Some(format!("*.{extension}")),
            limit: Some(10_000),
            ..ListFiles::default()
        };
        match client
            .ask(
                CallOptions {
                    project,
                    progress: None,
                },
                params,
            )
            .await
        {
            Ok(answer) => {
                let freshness = &answer.freshness;
                let is_marked = freshness.partial.is_some()
                    || freshness.stale_total > 0
                    || freshness.note.is_some();
                let found: Vec<String> = answer.files.into_iter().map(|file| file.path).collect();
                self.compare(&found, files, is_marked)
            }
            Err(error) => self.judge_error(&error.to_string()),
        }
    }

    fn judge(&self, answer: &Value) -> Verdict {
        let freshness = &answer["freshness"];
        let is_marked = !freshness["partial"].is_null()
            || !freshness["note"].is_null()
            || freshness["stale_total"]
                .as_u64()
                .is_some_and(|total| total > 0)
            || answer["coverage"]["unsearched"]
                .as_u64()
                .is_some_and(|files| files > 0);
        let list = |field: &str| answer[field].as_array().cloned().unwrap_or_default();
        let path = |item: &Value| item["path"].as_str().unwrap_or_default().to_owned();
        match &self.subject {
            Subject::Symbol { files, .. } => {
                let mut found: Vec<String> = list("symbols").iter().map(path).collect();
                found.sort_unstable();
                self.compare(&found, files, is_marked)
            }
            Subject::Lines { lines, .. } => {
                let line =
                    |hit: &Value| (path(hit), hit["start_line"].as_u64().unwrap_or_default());
                let mut found: Vec<(String, u64)> = list("results").iter().map(line).collect();
                found.sort_unstable();
                self.compare(&found, lines, is_marked)
            }
            Subject::Read { text, .. } => {
                let found: Vec<String> = list("lines")
                    .iter()
                    .map(|line| line.as_str().unwrap_or_default().to_owned())
                    .collect();
                let expected: Vec<String> = text.lines().map(str::to_owned).collect();
                self.compare(&found, &expected, is_marked)
            }
            Subject::Files { files, .. } => {
                let found: Vec<String> = list("files").iter().map(path).collect();
                self.compare(&found, files, is_marked)
            }
            Subject::Explore { .. } => {
                if is_marked {
                    Verdict::Marked
                } else {
                    Verdict::Whole
                }
            }
        }
    }

    fn compare<T: PartialEq + fmt::Debug>(
        &self,
        found: &[T],
        expected: &[T],
        is_marked: bool,
    ) -> Verdict {
        if is_marked {
            return Verdict::Marked;
        }
        assert_eq!(
            found, expected,
            "a wrong answer that says nothing of it: {self:?}"
        );
        Verdict::Whole
    }

    /// Judges an error as a tool writes it: its code, a colon, and what happened.
    fn judge_error(&self, words: &str) -> Verdict {
        const REFUSALS: [&str; 5] = [
            "indexing",
            "busy",
            "cancelled",
            "draining",
            "daemon_unreachable",
        ];
        const MARKS: [&str; 4] = [
            " so far",
            "may be missing",
            "the index is out of date",
            "stale: ",
        ];
        let code = words.split(':').next().unwrap_or_default();
        if REFUSALS.contains(&code) {
            return Verdict::Refused;
        }
        if MARKS.iter().any(|mark| words.contains(mark)) {
            return Verdict::Marked;
        }
        let is_right = match &self.subject {
            Subject::Symbol { files, .. } => code == "symbol_not_found" && files.is_empty(),
            _ => false,
        };
        assert!(is_right, "{self:?}: {words}");
        Verdict::Whole
    }
}
