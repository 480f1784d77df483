//! Everything at once for a long time: edits, moves, branch switches, questions and kills over two projects.
//!
//! Every answer is checked against a plain scan of the tree, made while nothing changes it. An answer may say that it is not
//! complete, or be a typed error; any other has to be right. `CLAUDEVIL_SOAK_SECONDS` sets the duration, `CLAUDEVIL_SOAK_SEED`
//! the seed.

mod questions;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use claudevil_protocol::client::Client;
use claudevil_protocol::environment;
use claudevil_tests::asking::{Asker, root_status, sources, stop_and_dump};
use claudevil_tests::chance::Chance;
use claudevil_tests::embedding_server::Server;
use claudevil_tests::git::git;
use claudevil_tests::home::{Home, signal};
use claudevil_tests::mcp::Session;
use claudevil_tests::processes::{self, Memory};
use claudevil_tests::scan;
use claudevil_tests::tree::{Kind, Tree};
use libtest_mimic::Trial;
use rustix::process::Signal;
use serde_json::Value;

use self::questions::{Question, Tally};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "31_a_short_soak_leaves_the_index_right",
            Needs::Nothing,
            || soak(10, Judge::Answers),
        ),
        proof(
            "31_a_soak_of_twenty_minutes_leaves_index_and_memory_right",
            Needs::Patience,
            || soak(20 * 60, Judge::AnswersAndMemory),
        ),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Judge {
    Answers,
    AnswersAndMemory,
}

const FILES: usize = 400;
const LEAST_FILES: usize = FILES - FILES / 10;
const MAX_FILES: usize = FILES + FILES / 10;
/// The project that is a real repository.
const GIT: usize = 0;
const BRANCHES: usize = 6;
/// Time limit for processes of a killed daemon to end by themselves.
const ORPHAN_BOUND: Duration = Duration::from_secs(10);
/// Time limit to catch up, even on a machine that builds something else meanwhile.
const CATCH_UP: Duration = Duration::from_secs(120);
/// Vectors are stored at the latest a minute after the first of them came; a store that was killed repeatedly is restarted
/// after five minutes.
const STORING_BOUND: Duration = Duration::from_secs(420);
/// Maximum time that a store takes to write; some are killed before and some after.
const LONGEST_WRITE: Duration = Duration::from_secs(2);
/// Maximum number of attempts at a kill that has met no process so far.
const MAX_TRIES: usize = 10;
/// The vector store is written and closed when nothing has come for some seconds.
const QUIET_SPELL: Duration = Duration::from_secs(6);

async fn soak(seconds: u64, judge: Judge) {
    let seconds = number("CLAUDEVIL_SOAK_SECONDS")
        .filter(|_| judge == Judge::AnswersAndMemory)
        .unwrap_or(seconds);
    let seed = number("CLAUDEVIL_SOAK_SEED").unwrap_or(31);
    measured(&format!("seed {seed}, {seconds} s"));
    let half = Duration::from_secs(seconds) / 2;
    // Vectors of a model that is not built in are stored soon after they are made.
    let server = Server::start();
    let home = server.home();
    let mut soak = Soak::start(&home, seed).await;

    soak.run(half, Victims::All).await;
    soak.take_missing().await;
    // The present daemon stays from here on, so that its memory can be compared with itself once its caches are full.
    let mut memory = vec![];
    for _ in 0..3 {
        soak.run(half / 3, Victims::Children).await;
        memory.push(soak.memory_at_rest().await);
    }

    measured(&soak.tally.to_string());
    for step in BTreeSet::from(STEPS) {
        assert!(
            soak.tally.happened(step),
            "{step:?} never happened: {}",
            soak.tally
        );
    }
    for memory in &memory {
        measured(&format!(
            "resident {} MB, anonymous {} MB",
            memory.resident / 1024,
            memory.anonymous / 1024
        ));
    }
    soak.end().await;
    if judge == Judge::AnswersAndMemory {
        assert!(
            memory[2].resident <= memory[0].resident * 11 / 10,
            "memory has grown: {memory:?}"
        );
    }
}

fn number(variable: &str) -> Option<u64> {
    environment::variable(variable)?.to_str()?.parse().ok()
}

/// The processes that may be killed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Victims {
    All,
    /// Only those that the daemon starts.
    Children,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Edits,
    Move,
    SwitchBranch,
    KillDaemon,
    KillWorkers,
    KillVectors,
    Rest,
    OnlyAsk,
}

impl Step {
    fn kills(self) -> bool {
        matches!(
            self,
            Self::KillDaemon | Self::KillWorkers | Self::KillVectors
        )
    }
}

/// Steps by frequency: ordinary work is more frequent than rare events.
const STEPS: [Step; 24] = [
    Step::Edits,
    Step::Edits,
    Step::Edits,
    Step::Edits,
    Step::Edits,
    Step::Edits,
    Step::Edits,
    Step::Edits,
    Step::Edits,
    Step::Edits,
    Step::Move,
    Step::Move,
    Step::Move,
    Step::SwitchBranch,
    Step::SwitchBranch,
    Step::KillWorkers,
    Step::KillWorkers,
    Step::KillVectors,
    Step::KillVectors,
    Step::KillDaemon,
    Step::Rest,
    Step::OnlyAsk,
    Step::OnlyAsk,
    Step::OnlyAsk,
];

struct Project {
    tree: Tree,
    session: Session,
    /// Names whose location changed last: the likeliest to be answered wrongly.
    recent: Vec<String>,
}

struct Soak<'a> {
    home: &'a Home,
    chance: Chance,
    projects: [Project; 2],
    branches: usize,
    client: Client,
    tally: Tally,
}

impl<'a> Soak<'a> {
    async fn start(home: &'a Home, seed: u64) -> Self {
        let mut projects = vec![];
        for (name, seed) in [("engine", seed), ("website", seed + 1)] {
            let root = home.scratch().join("user").join(name);
            let tree = Tree::new(&root, seed, FILES);
            if projects.len() == GIT {
                std::fs::remove_dir_all(root.join(".git")).expect("removed");
                git(&root, &["init", "--quiet", "--initial-branch", "branch0"]).await;
                git(&root, &["add", "--all"]).await;
                git(&root, &["commit", "--quiet", "--message", "all"]).await;
            }
            let path = root.to_str().expect("UTF-8");
            let session =
                Session::start(home, home.scratch(), &["--toolsets", "all", "--root", path]).await;
            projects.push(Project {
                tree,
                session,
                recent: vec![],
            });
        }
        let projects: [Project; 2] = projects.try_into().ok().expect("there are two");
        let chance = Chance::new(seed + 2);
        let mut soak = Self {
            home,
            chance,
            projects,
            branches: 1,
            client: home.client(),
            tally: Tally::default(),
        };
        soak.settle().await;
        soak
    }

    async fn run(&mut self, duration: Duration, victims: Victims) {
        let until = Instant::now() + duration;
        while Instant::now() < until {
            let step = *self.chance.one_of(&STEPS);
            if step == Step::KillDaemon && victims == Victims::Children {
                continue;
            }
            self.take(step).await;
        }
    }

    /// Takes the steps that have not been drawn, so that a short soak has every kind too.
    async fn take_missing(&mut self) {
        for step in BTreeSet::from(STEPS) {
            for _ in 0..MAX_TRIES {
                if !self.tally.happened(step) {
                    self.take(step).await;
                }
            }
        }
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Edits | Step::KillWorkers => self.edit(),
            Step::Move => self.move_files(),
            Step::SwitchBranch => self.switch_branch().await,
            // Not a wait for an event, but pacing: people pause, and the daemon does other work then.
            Step::Rest => tokio::time::sleep(QUIET_SPELL).await,
            Step::KillVectors => {
                self.edit();
                self.write_file();
                self.until_vectors_are_stored().await;
            }
            Step::KillDaemon | Step::OnlyAsk => {}
        }
        let home = self.home;
        let daemon = home.daemon().expect("the last answer came from one");
        // Not a wait for an event: the kill comes at another moment each time.
        let longest = match step {
            Step::KillVectors => LONGEST_WRITE,
            _ => Duration::from_millis(60),
        };
        let moment = longest * u32::try_from(self.chance.below(100)).expect("small") / 100;
        let kill = async {
            tokio::time::sleep(moment).await;
            let children = processes::children(daemon);
            let (victims, orphans) = match step {
                Step::KillDaemon => (vec![daemon], children),
                Step::KillWorkers => (running(&children, "worker"), vec![]),
                Step::KillVectors => (running(&children, "store"), vec![]),
                _ => (vec![], vec![]),
            };
            for pid in &victims {
                signal(*pid, Signal::KILL);
            }
            (victims.len(), orphans)
        };
        let questions = [
            self.question(0),
            self.question(1),
            self.lines(),
            self.files(),
        ];
        let [first, second] = &mut self.projects;
        let ((killed, orphans), one, two, terminal, remote) = tokio::join!(
            kill,
            questions[0].ask_session(&mut first.session),
            questions[1].ask_session(&mut second.session),
            questions[2].ask_terminal(home),
            questions[3].ask_client(&self.client),
        );
        for verdict in [one, two, terminal, remote] {
            self.tally.add(verdict);
        }
        *self.tally.steps.entry(step).or_default() += 1;
        *self.tally.killed.entry(step).or_default() += killed;
        for orphan in orphans {
            assert!(
                processes::ends(orphan, ORPHAN_BOUND).await,
                "process {orphan} outlives its daemon"
            );
        }
        if step == Step::KillDaemon {
            // The next step needs a daemon, and the question of the terminal may have been the last of the old one.
            self.status(0).await;
        }
    }

    /// Asks for the status until the process is there that stores vectors.
    async fn until_vectors_are_stored(&mut self) {
        let started = Instant::now();
        while running(
            &processes::children(self.home.daemon().expect("a daemon")),
            "store",
        )
        .is_empty()
        {
            assert!(
                started.elapsed() < STORING_BOUND,
                "no vectors are stored within {STORING_BOUND:?}"
            );
            self.status(0).await;
        }
    }

    /// Writes new text, which needs new vectors: random edits may all be deletions.
    fn write_file(&mut self) {
        let project = &mut self.projects[GIT];
        let edit = project.tree.edit_as(Kind::Write).expect("there are files");
        project.recent.extend(edit.names);
    }

    /// Makes a few edits of any kind in one of the trees, whose size stays about the same.
    fn edit(&mut self) {
        let which = self.chance.below(2);
        let project = &mut self.projects[which];
        project.recent.clear();
        for _ in 0..=self.chance.below(12) {
            let wished = match project.tree.len() {
                ..LEAST_FILES => Some(Kind::Create),
                MAX_FILES.. => Some(Kind::Delete),
                _ => None,
            };
            // Tracked files are never ignored in git, which the scan does not know.
            let excluded: &[Kind] = if which == GIT { &[Kind::Ignore] } else { &[] };
            let edit = wished.and_then(|kind| project.tree.edit_as(kind));
            project.recent.extend(
                edit.unwrap_or_else(|| project.tree.edit_other_than(excluded))
                    .names,
            );
        }
    }

    fn move_files(&mut self) {
        let which = self.chance.below(2);
        let project = &mut self.projects[which];
        let kind = *self.chance.one_of(&[Kind::Rename, Kind::RenameFolder]);
        if let Some(edit) = project.tree.edit_as(kind) {
            project.recent = edit.names;
        }
    }

    /// Commits all changes, then switches to a new branch or back to an old one.
    async fn switch_branch(&mut self) {
        let root = self.projects[GIT].tree.root.clone();
        git(&root, &["add", "--all"]).await;
        git(
            &root,
            &["commit", "--quiet", "--allow-empty", "--message", "work"],
        )
        .await;
        let number = self.chance.below(BRANCHES);
        let branch = format!("branch{number}");
        if number < self.branches {
            git(&root, &["checkout", "--quiet", &branch]).await;
        } else {
            let branch = format!("branch{}", self.branches);
            git(&root, &["checkout", "--quiet", "-b", &branch]).await;
            self.branches += 1;
        }
        let project = &mut self.projects[GIT];
        project.tree.read_again();
        project.recent.clear();
    }

    /// Returns a question for the session of a project.
    fn question(&mut self, which: usize) -> Question {
        let (name, path) = (self.name(which), self.path(which));
        let root = &self.projects[which].tree.root;
        match self.chance.below(5) {
            0 => Question::read(root, &path),
            1 => Question::explore(root, "how is a value looked at"),
            2 => Question::lines(root, &name),
            _ => Question::symbol(root, &name),
        }
    }

    fn lines(&mut self) -> Question {
        let which = self.chance.below(2);
        let name = self.name(which);
        Question::lines(&self.projects[which].tree.root, &name)
    }

    fn files(&mut self) -> Question {
        let which = self.chance.below(2);
        let extension = self.chance.one_of(&["rs", "py", "ts", "go"]);
        Question::files(&self.projects[which].tree.root, extension)
    }

    /// Returns a name that an edit touched, if there is one; it may be gone.
    fn name(&mut self, which: usize) -> String {
        let project = &self.projects[which];
        if !project.recent.is_empty() {
            return self.chance.one_of(&project.recent).clone();
        }
        let names: Vec<&String> = project
            .tree
            .visible()
            .flat_map(|(_, names)| names)
            .collect();
        (*self.chance.one_of(&names)).clone()
    }

    fn path(&mut self, which: usize) -> String {
        let paths: Vec<&str> = self.projects[which]
            .tree
            .visible()
            .map(|(path, _)| path)
            .collect();
        (*self.chance.one_of(&paths)).to_owned()
    }

    async fn status(&mut self, which: usize) -> Value {
        let project = &mut self.projects[which];
        let root = project.tree.root.to_str().expect("UTF-8");
        root_status(&mut project.session, root).await
    }

    /// Waits until both projects are indexed and every chunk has its vector. The status itself waits for news a while.
    async fn settle(&mut self) {
        for which in 0..2 {
            let started = Instant::now();
            loop {
                let status = self.status(which).await;
                let is_embedded = status["index"]["vectors"] == status["index"]["chunks"];
                if status["state"] == "ready" && is_embedded {
                    break;
                }
                assert!(
                    started.elapsed() < CATCH_UP,
                    "not settled after {CATCH_UP:?}: {status}"
                );
                claudevil_tests::pause().await;
            }
        }
    }

    /// Returns the daemon's memory with trees of their original size, and no work left.
    async fn memory_at_rest(&mut self) -> Memory {
        for project in &mut self.projects {
            while project.tree.len() != FILES {
                let kind = if project.tree.len() < FILES {
                    Kind::Create
                } else {
                    Kind::Delete
                };
                let edit = project.tree.edit_as(kind).expect("there are files");
                project.recent = edit.names;
            }
        }
        self.settle().await;
        processes::memory(self.home.daemon().expect("a daemon"))
    }

    /// Checks that no process is left, and that the stores equal those of a fresh index of the same trees.
    async fn end(mut self) {
        self.settle().await;
        let daemon = self.home.daemon().expect("a daemon");
        let children = processes::children(daemon);
        let [first, second] = self.projects;
        for session in [first.session, second.session] {
            assert!(session.close().await.success(), "a shim ends well");
        }
        let stored = stop_and_dump(self.home).await;
        for pid in children.into_iter().chain([daemon]) {
            assert!(
                processes::ends(pid, ORPHAN_BOUND).await,
                "process {pid} outlives its daemon"
            );
        }
        for name in ["claudevild", "claudevil-mcp", "claudevil"] {
            assert_eq!(
                self.home.processes(name),
                [0_u32; 0],
                "{name} was left behind"
            );
        }
        let fresh = Home::new();
        for tree in [&first.tree, &second.tree] {
            Asker::start(&fresh, tree)
                .await
                .wait_for("ready", CATCH_UP)
                .await;
        }
        let (stored, fresh) = (sections(&stored), sections(&stop_and_dump(&fresh).await));
        assert_eq!(stored.len(), 2);
        for ((stored, fresh), tree) in stored.iter().zip(&fresh).zip([&first.tree, &second.tree]) {
            assert_eq!(
                sources(fresh),
                scan::files(&tree.root),
                "a fresh index has the files of the tree"
            );
            let differing = stored
                .lines()
                .zip(fresh.lines())
                .filter(|(one, other)| one != other);
            let first: Vec<(&str, &str)> = differing.take(5).collect();
            assert!(
                stored == fresh,
                "the index differs from a fresh one; the first lines: {first:#?}"
            );
        }
        let answers = self.tally.whole + self.tally.marked + self.tally.refused;
        assert!(
            self.tally.whole * 2 > answers,
            "most answers were not complete: {}",
            self.tally
        );
    }
}

/// Returns those of some processes that run a subcommand.
fn running(pids: &[u32], subcommand: &str) -> Vec<u32> {
    pids.iter()
        .copied()
        .filter(|pid| processes::runs(*pid, subcommand))
        .collect()
}

/// Returns the parts of a dump, each about one root, in the order of their paths.
fn sections(dump: &str) -> Vec<String> {
    let mut sections: Vec<String> = dump
        .split("root /")
        .skip(1)
        .map(|section| format!("root /{section}"))
        .collect();
    sections.sort_unstable();
    sections
}
