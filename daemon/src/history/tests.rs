//! Tests on small repositories that git itself makes.

use std::process::Command;

use tempfile::TempDir;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

struct World {
    scratch: TempDir,
    root: PathBuf,
    /// The time of the last commit, in seconds.
    seconds: i64,
}

impl World {
    fn new() -> Option<Self> {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(scratch.path()).expect("real").join("shop");
        fs::create_dir(&root).expect("made");
        let world = Self {
            scratch,
            root,
            seconds: 1_700_000_000,
        };
        // Without git, the tests are skipped.
        let has_git = Command::new("git").arg("--version").output().is_ok();
        has_git.then(|| {
            world.git(&["init", "--quiet", "--initial-branch=main"]);
            world
        })
    }

    fn git(&self, arguments: &[&str]) {
        let date = format!("{} +0000", self.seconds);
        let output = Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(arguments)
            .current_dir(&self.root)
            .env("HOME", self.scratch.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    fn commit(&mut self, message: &str, files: &[(&str, &str)]) {
        for (path, text) in files {
            let file = self.root.join(path);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, text).expect("written");
        }
        self.seconds += 3600;
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    fn histories(&self) -> Histories {
        Histories::new(self.scratch.path().join("data"))
    }

    fn read(&self, histories: &Histories) -> Arc<History> {
        let cancel = CancelToken::default();
        let read = histories.current(1, &self.root, PATIENCE, &cancel);
        wait_for_reader(histories);
        read.expect("a history")
    }
}

/// Waits until no thread is reading commits. On a busy machine, a thread reads the commits that a query had no time for, and
/// publishes them a moment before it ends.
fn wait_for_reader(histories: &Histories) {
    let history = Arc::clone(&lock(&histories.open)[&1]);
    let (_state, waited) = history
        .changed
        .wait_timeout_while(lock(&history.state), PATIENCE, |state| state.is_reading)
        .expect("no panic");
    assert!(!waited.timed_out(), "the history is still being read");
}

fn subjects(history: &History) -> Vec<&str> {
    history
        .commits
        .iter()
        .map(|commit| commit.subject())
        .collect()
}

fn timeline<'a>(entries: &[TimelineEntry<'a>]) -> Vec<&'a str> {
    entries.iter().map(|(commit, _)| commit.subject()).collect()
}

const JOB: &str = "pub struct Job;\n\nimpl Job {\n    pub fn run(&self) -> u8 {\n        1\n    }\n\n    pub fn stop(&self) {\n    }\n}\n";

#[test]
fn timelines_follow_symbols_and_moved_files() {
    let Some(mut world) = World::new() else {
        return;
    };
    world.commit(
        "Add jobs",
        &[("src/job.rs", JOB), ("README.md", "# Shop\n")],
    );
    world.commit("Run twice", &[("src/job.rs", &JOB.replace("1\n", "2\n"))]);
    world.commit("Write more", &[("README.md", "# Shop\n\nIt sells.\n")]);
    fs::create_dir(world.root.join("src/work")).expect("made");
    world.git(&["mv", "src/job.rs", "src/work/job.rs"]);
    world.commit("Move jobs", &[]);
    let moved = JOB
        .replace("1\n", "2\n")
        .replace("&self) {\n", "&self) {\n        return;\n");
    world.commit("Stop early", &[("src/work/job.rs", &moved)]);

    let history = world.read(&world.histories());
    let path = "src/work/job.rs";
    assert_eq!(
        timeline(&history.file_timeline(path)),
        ["Stop early", "Move jobs", "Run twice", "Add jobs"]
    );
    let symbol = |name, container| timeline(&history.symbol_timeline(path, name, container));
    assert_eq!(symbol("run", Some("Job")), ["Run twice", "Add jobs"]);
    assert_eq!(symbol("stop", Some("Job")), ["Stop early", "Add jobs"]);
    assert_eq!(symbol("Job", None), ["Stop early", "Run twice", "Add jobs"]);
    assert!(symbol("run", Some("Task")).is_empty());
    assert_eq!(
        timeline(&history.folder_timeline("src/work")),
        ["Stop early", "Move jobs"]
    );
    assert_eq!(history.strings.get(history.commits[0].author), "Ada");
}

#[test]
fn a_commit_of_very_many_files_changed_the_symbols_that_no_other_did() {
    let Some(mut world) = World::new() else {
        return;
    };
    let others: Vec<String> = (0..70).map(|number| format!("n{number}.txt")).collect();
    let mut files = vec![("src/job.rs", JOB)];
    files.extend(others.iter().map(|path| (path.as_str(), "text\n")));
    world.commit("Add everything", &files);
    world.commit("Run twice", &[("src/job.rs", &JOB.replace("1\n", "2\n"))]);
    let history = world.read(&world.histories());
    let symbol = |name| timeline(&history.symbol_timeline("src/job.rs", name, Some("Job")));
    assert_eq!(symbol("stop"), ["Add everything"]);
    assert_eq!(symbol("run"), ["Run twice"]);
}

#[test]
fn text_added_after_a_definition_does_not_change_it() {
    let Some(mut world) = World::new() else {
        return;
    };
    let text = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
    world.commit("Add two", &[("a.py", text)]);
    let three = "\n\ndef three():\n    return 3\n";
    world.commit("Add three", &[("a.py", &format!("{text}{three}"))]);
    let history = world.read(&world.histories());
    let symbol = |name| timeline(&history.symbol_timeline("a.py", name, None));
    assert_eq!(symbol("two"), ["Add two"]);
    assert_eq!(symbol("three"), ["Add three"]);
}

#[test]
fn commits_that_were_freed_are_read_again() {
    let Some(mut world) = World::new() else {
        return;
    };
    world.commit("Add jobs", &[("src/job.rs", JOB)]);
    let histories = world.histories();
    assert_eq!(subjects(&world.read(&histories)), ["Add jobs"]);
    let set_reading = |is_reading| {
        let open = lock(&histories.open);
        lock(&open[&1].state).is_reading = is_reading;
    };
    set_reading(true);
    assert!(!histories.release(), "more commits are being read");
    set_reading(false);
    assert!(histories.release());
    assert!(!histories.release(), "nothing is left");
    let records = || {
        let open = lock(&histories.open);
        lock(&open[&1].state).records.by_id.len()
    };
    assert_eq!(records(), 0);
    assert_eq!(subjects(&world.read(&histories)), ["Add jobs"]);
    assert_eq!(records(), 1);
    histories.release();
    world.commit("Write more", &[("README.md", "# Shop\n")]);
    assert_eq!(
        subjects(&world.read(&histories)),
        ["Write more", "Add jobs"]
    );
    // Without its file, everything is read from git.
    histories.release();
    fs::remove_file(world.scratch.path().join("data/1/history")).expect("removed");
    assert_eq!(
        subjects(&world.read(&histories)),
        ["Write more", "Add jobs"]
    );
}

#[test]
fn files_that_change_together_are_told() {
    let Some(mut world) = World::new() else {
        return;
    };
    for round in 0..4 {
        let text = format!("{round}\n");
        world.commit("both", &[("a.rs", &text), ("b.rs", &text)]);
    }
    world.commit("one", &[("a.rs", "x\n"), ("c.rs", "x\n")]);
    let history = world.read(&world.histories());
    let expected = CoChange {
        path: "b.rs".to_owned(),
        with: "a.rs".to_owned(),
        together: 4,
        commits: 5,
    };
    assert_eq!(history.co_changes(&["a.rs"]), [expected]);
    assert!(history.co_changes(&["a.rs", "b.rs"]).is_empty());
    let timeline = history.file_timeline("a.rs");
    assert_eq!(timeline.len(), 5);
    assert_eq!(timeline[0].0.seconds, world.seconds);
}

#[test]
fn a_new_commit_and_a_rewritten_history_are_seen_at_once() {
    let Some(mut world) = World::new() else {
        return;
    };
    let histories = world.histories();
    assert!(subjects(&world.read(&histories)).is_empty());
    world.commit("one", &[("a.rs", "1\n")]);
    world.commit("two", &[("a.rs", "2\n")]);
    assert_eq!(subjects(&world.read(&histories)), ["two", "one"]);
    world.commit("three", &[("a.rs", "3\n")]);
    let history = world.read(&histories);
    assert_eq!(subjects(&history), ["three", "two", "one"]);
    assert!(!history.is_behind && history.unread == 0);

    world.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    world.commit("other two", &[("b.rs", "2\n")]);
    assert_eq!(subjects(&world.read(&histories)), ["other two", "one"]);
    // Another daemon loads the stored commits.
    histories.unload(1);
    assert_eq!(
        subjects(&world.read(&world.histories())),
        ["other two", "one"]
    );
    world.git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    assert_eq!(subjects(&world.read(&histories)), ["one"]);
}

#[test]
fn a_merge_has_the_commits_of_both_sides_and_no_changes_of_its_own() {
    let Some(mut world) = World::new() else {
        return;
    };
    world.commit("base", &[("a.rs", "1\n")]);
    world.git(&["checkout", "--quiet", "-b", "side"]);
    world.commit("side", &[("b.rs", "1\n")]);
    world.git(&["checkout", "--quiet", "main"]);
    world.commit("main", &[("a.rs", "2\n")]);
    world.seconds += 3600;
    world.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "side"]);
    let history = world.read(&world.histories());
    assert_eq!(subjects(&history), ["merge", "main", "side", "base"]);
    assert!(history.commits[0].files.is_empty());
    assert_eq!(timeline(&history.file_timeline("b.rs")), ["side"]);
}

#[test]
fn a_shallow_clone_says_so_and_grows() {
    let Some(mut world) = World::new() else {
        return;
    };
    for round in 0..4 {
        world.commit(
            &format!("round {round}"),
            &[("a.rs", &format!("{round}\n"))],
        );
    }
    let source = format!("file://{}", world.root.display());
    let clone = world.root.with_file_name("clone");
    let name = clone.display().to_string();
    world.git(&["clone", "--quiet", "--depth", "2", &source, &name]);
    world.root = clone;
    let histories = world.histories();
    let history = world.read(&histories);
    assert_eq!(subjects(&history), ["round 3", "round 2"]);
    assert!(history.is_shallow && !history.is_limited);
    assert_eq!(timeline(&history.file_timeline("a.rs")), ["round 3"]);
    world.git(&["fetch", "--quiet", "--unshallow"]);
    world.commit("later", &[("a.rs", "later\n")]);
    let history = world.read(&histories);
    assert_eq!(history.commits.len(), 5);
    assert!(!history.is_shallow);
    assert_eq!(history.file_timeline("a.rs").len(), 5);
}

#[test]
fn a_commit_of_the_far_future_hides_no_others() {
    let Some(mut world) = World::new() else {
        return;
    };
    world.seconds = crate::clock::now() / 1000 - 24 * 60 * 60;
    world.commit("one", &[("a.rs", "1\n")]);
    world.seconds += 20 * 365 * 24 * 60 * 60;
    world.commit("two", &[("a.rs", "2\n")]);
    let history = world.read(&world.histories());
    assert_eq!(subjects(&history), ["two", "one"]);
    assert!(!history.is_limited);
}

#[test]
fn a_folder_of_a_repository_has_its_own_commits_alone() {
    let Some(mut world) = World::new() else {
        return;
    };
    world.commit("inside", &[("shop/a.rs", "1\n"), ("b.rs", "1\n")]);
    world.commit("outside", &[("b.rs", "2\n")]);
    world.root.push("shop");
    let history = world.read(&world.histories());
    assert_eq!(subjects(&history), ["inside"]);
    assert_eq!(timeline(&history.file_timeline("a.rs")), ["inside"]);
    assert!(history.file_timeline("b.rs").is_empty());
}

#[test]
fn a_folder_without_a_repository_is_an_error() {
    let scratch = tempfile::tempdir().expect("a directory");
    let root = fs::canonicalize(scratch.path()).expect("real");
    let histories = Histories::new(root.join("data"));
    let cancel = CancelToken::default();
    let read = || histories.current(1, &root, PATIENCE, &cancel).map(drop);
    assert!(matches!(read(), Err(GitError::NoRepository(_))));
    fs::write(root.join(".git"), "gitdir: /etc\n").expect("written");
    assert!(matches!(read(), Err(GitError::Refused { .. })));
}

#[test]
fn a_history_that_is_no_longer_wanted_is_not_read() {
    let Some(mut world) = World::new() else {
        return;
    };
    world.commit("one", &[("a.rs", "1\n")]);
    let root = Arc::new(RootHistory::new(
        world.root.clone(),
        world.scratch.path().join("data/1/history"),
    ));
    root.stop();
    let mut writer = lock(&root.writer);
    let updated = root.update(&mut writer, usize::MAX, &CancelToken::default());
    assert!(matches!(updated, Err(GitError::Cancelled)));
    assert!(!root.file.exists());
}
