//! Plans over real files: one active at most, whatever the files say, and no edit of anybody's is lost.

use std::fs;

use super::*;

struct Room {
    _scratch: tempfile::TempDir,
    root: RootDir,
    memory: Memory,
    changes: Changes,
    cancel: CancelToken,
}

impl Room {
    fn new() -> Self {
        let scratch = tempfile::tempdir().expect("a directory");
        let top = fs::canonicalize(scratch.path()).expect("real");
        fs::create_dir_all(top.join("tree")).expect("made");
        fs::create_dir_all(top.join("data")).expect("made");
        let root = RootDir::open(&top.join("tree"), "tree").expect("opened");
        let changes = Changes::new(&top.join("data"));
        Self {
            _scratch: scratch,
            root,
            memory: Memory::default(),
            changes,
            cancel: CancelToken::default(),
        }
    }

    fn desk(&self, seconds: i64) -> Desk<'_> {
        Desk {
            memory: &self.memory,
            changes: &self.changes,
            root: &self.root,
            root_id: 1,
            cancel: &self.cancel,
            head: Some(Head {
                commit: None,
                branch: Some("main".to_owned()),
            }),
            now: 1_794_757_512_000 + seconds * 1000,
        }
    }

    fn states(&self) -> Vec<(String, &'static str)> {
        let shown = all(&self.root);
        shown
            .plans
            .iter()
            .map(|plan| (plan.entry.title.clone(), plan.entry.status.as_str()))
            .collect()
    }

    fn put(&self, name: &str, text: &str) {
        let folder = self.root.path().join(plans_path());
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join(name), text).expect("written");
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.root.path().join(plans_path()).join(name)).expect("read")
    }
}

fn states(of: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    of.iter()
        .map(|(title, status)| ((*title).to_owned(), *status))
        .collect()
}

#[test]
fn a_plan_lives_from_save_to_complete() {
    let room = Room::new();
    assert!(all(&room.root).plans.is_empty());
    assert!(room.desk(0).complete(None).is_err());
    assert_eq!(
        room.desk(0)
            .save("The lexer", "- [ ] a")
            .expect("saved")
            .outcome,
        PlanOutcome::Created
    );
    assert_eq!(
        room.desk(1).save("Docs", "- [ ] b").expect("saved").outcome,
        PlanOutcome::Created
    );
    assert_eq!(
        room.states(),
        states(&[("The lexer", "active"), ("Docs", "open")]),
        "the first is active"
    );
    assert_eq!(
        room.desk(2).activate("docs").expect("activated").outcome,
        PlanOutcome::Activated
    );
    assert_eq!(
        room.desk(3).activate("docs").expect("activated").outcome,
        PlanOutcome::Unchanged
    );
    assert_eq!(
        room.states(),
        states(&[("Docs", "active"), ("The lexer", "open")])
    );
    assert_eq!(
        room.desk(4).complete(None).expect("completed").title,
        "Docs"
    );
    assert_eq!(
        room.desk(4)
            .complete(Some("Docs"))
            .expect("completed")
            .outcome,
        PlanOutcome::Unchanged
    );
    assert_eq!(
        room.states(),
        states(&[("The lexer", "open"), ("Docs", "completed")])
    );
    assert_eq!(
        room.desk(5)
            .activate("lex")
            .expect("by a part of its title")
            .title,
        "The lexer"
    );
    let wrong = room
        .desk(6)
        .activate("nonsense")
        .err()
        .expect("no such plan");
    assert_eq!(wrong.candidates, ["The lexer", "Docs"]);
}

#[test]
fn what_a_save_replaces_is_kept() {
    let room = Room::new();
    room.desk(0).save("Docs", "- [ ] one").expect("saved");
    assert_eq!(
        room.desk(1)
            .save("docs", "- [ ] one\n")
            .expect("saved")
            .outcome,
        PlanOutcome::Unchanged
    );
    let by_hand = room
        .text("docs.md")
        .replace("- [ ] one", "- [x] one")
        .replace("status:", "owner: ada\nstatus:");
    room.put("docs.md", &by_hand);
    let done = room.desk(2).save(" Docs ", "- [ ] two").expect("saved");
    assert_eq!(done.outcome, PlanOutcome::Updated);
    let earlier =
        fs::read_to_string(room.root.path().join(done.replaced.expect("kept"))).expect("read");
    assert_eq!(earlier, by_hand);
    let now = room.text("docs.md");
    assert!(
        now.contains("owner: ada\nstatus: active") && now.ends_with("\n- [ ] two\n"),
        "{now}"
    );
    for number in 0..i64::try_from(MOST_EARLIER).expect("few") + 5 {
        room.desk(3 + number)
            .save("Docs", &format!("- [ ] {number}"))
            .expect("saved");
    }
    let folder = room.root.path().join(plans_path()).join(EARLIER);
    assert_eq!(fs::read_dir(folder).expect("listed").count(), MOST_EARLIER);
}

#[test]
fn at_most_one_is_active_whatever_the_files_say() {
    let room = Room::new();
    room.put(
        "a.md",
        "---\ntitle: A\nstatus: active\nactivated: 2026-11-15T10:00:00Z\n---\na",
    );
    room.put(
        "b.md",
        "---\ntitle: B\nstatus: Active\nactivated: 2026-11-15T11:00:00Z\n---\nb",
    );
    room.put("c.md", "# C\nby hand");
    room.put("d.md", "---\nstatus: someday\n---\n");
    room.put("e.md", "\0");
    let shown = all(&room.root);
    assert_eq!(
        shown.active().map(|plan| plan.entry.title.as_str()),
        Some("B")
    );
    assert_eq!(shown.skipped.len(), 1);
    let remarks: Vec<_> = shown
        .plans
        .iter()
        .filter(|plan| plan.entry.remark.is_some())
        .map(|plan| plan.name.as_str())
        .collect();
    assert_eq!(remarks.len(), 2, "{remarks:?}");
    assert_eq!(
        room.desk(0).activate("C").expect("activated").outcome,
        PlanOutcome::Activated
    );
    assert!(
        room.text("a.md").contains("status: open") && room.text("b.md").contains("status: open")
    );
    assert_eq!(
        room.text("c.md"),
        "---\nstatus: active\nactivated: 2026-11-15T15:45:12Z\n---\n# C\nby hand"
    );
    assert_eq!(
        room.states()
            .iter()
            .filter(|(_, status)| *status == "active")
            .count(),
        1
    );
}

#[test]
fn sessions_that_change_plans_at_once_lose_nothing() {
    let room = Room::new();
    std::thread::scope(|scope| {
        for session in 0..8 {
            let room = &room;
            scope.spawn(move || {
                for number in 0..6 {
                    let title = format!("Plan {session} {number}");
                    room.desk(number).save(&title, "- [ ] a").expect("saved");
                    room.desk(number).activate(&title).expect("activated");
                }
            });
        }
    });
    let states = room.states();
    assert_eq!(states.len(), 48);
    assert_eq!(
        states
            .iter()
            .filter(|(_, status)| *status == "active")
            .count(),
        1
    );
    let says = |number: usize| {
        room.text(&format!("plan-{}-{}.md", number / 6, number % 6))
            .contains("status: active")
    };
    assert_eq!(
        (0..48).filter(|number| says(*number)).count(),
        1,
        "the files say so themselves"
    );
}

#[test]
fn titles_that_make_no_name_of_a_file_are_told_apart() {
    let room = Room::new();
    for title in ["日本", "中国", "fix: parser", "fix parser", "../up"] {
        assert_eq!(
            room.desk(0).save(title, "x").expect("saved").outcome,
            PlanOutcome::Created,
            "{title}"
        );
    }
    assert_eq!(all(&room.root).plans.len(), 5);
    assert!(room.text("plan.md").contains("日本") && room.text("plan-2.md").contains("中国"));
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let done = room
        .desk(1)
        .save("Deploy", &format!("use {token}"))
        .expect("saved");
    assert_eq!(done.redacted, 1);
    assert!(room.text("deploy.md").ends_with("use [redacted]\n"));
}
