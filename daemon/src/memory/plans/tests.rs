//! Plans over real files: one active at most, whatever the files say, and nobody's edit is lost.

use std::fs;

use super::*;

struct Fixture {
    _scratch: tempfile::TempDir,
    root: RootDir,
    memory: Memory,
    changes: Changes,
    cancel: CancelToken,
}

impl Fixture {
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

    fn editor(&self, seconds: i64) -> PlanEditor<'_> {
        PlanEditor {
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
        let list = PlanList::read(&self.root);
        list.plans
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

fn states(plans: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    plans
        .iter()
        .map(|(title, status)| ((*title).to_owned(), *status))
        .collect()
}

#[test]
fn a_plan_lives_from_save_to_complete() {
    let fixture = Fixture::new();
    assert!(PlanList::read(&fixture.root).plans.is_empty());
    assert!(fixture.editor(0).complete(None).is_err());
    assert_eq!(
        fixture
            .editor(0)
            .save("The lexer", "- [ ] a")
            .expect("saved")
            .outcome,
        PlanOutcome::Created
    );
    assert_eq!(
        fixture
            .editor(1)
            .save("Docs", "- [ ] b")
            .expect("saved")
            .outcome,
        PlanOutcome::Created
    );
    assert_eq!(
        fixture.states(),
        states(&[("The lexer", "active"), ("Docs", "open")]),
        "the first is active"
    );
    assert_eq!(
        fixture
            .editor(2)
            .activate("docs")
            .expect("activated")
            .outcome,
        PlanOutcome::Activated
    );
    assert_eq!(
        fixture
            .editor(3)
            .activate("docs")
            .expect("activated")
            .outcome,
        PlanOutcome::Unchanged
    );
    assert_eq!(
        fixture.states(),
        states(&[("Docs", "active"), ("The lexer", "open")])
    );
    assert_eq!(
        fixture.editor(4).complete(None).expect("completed").title,
        "Docs"
    );
    assert_eq!(
        fixture
            .editor(4)
            .complete(Some("Docs"))
            .expect("completed")
            .outcome,
        PlanOutcome::Unchanged
    );
    assert_eq!(
        fixture.states(),
        states(&[("The lexer", "open"), ("Docs", "completed")])
    );
    assert_eq!(
        fixture
            .editor(5)
            .activate("lex")
            .expect("by a part of its title")
            .title,
        "The lexer"
    );
    let wrong = fixture
        .editor(6)
        .activate("nonsense")
        .err()
        .expect("no such plan");
    assert_eq!(wrong.candidates, ["The lexer", "Docs"]);
}

#[test]
fn a_save_keeps_the_previous_version() {
    let fixture = Fixture::new();
    fixture.editor(0).save("Docs", "- [ ] one").expect("saved");
    assert_eq!(
        fixture
            .editor(1)
            .save("docs", "- [ ] one\n")
            .expect("saved")
            .outcome,
        PlanOutcome::Unchanged
    );
    let by_hand = fixture
        .text("docs.md")
        .replace("- [ ] one", "- [x] one")
        .replace("status:", "owner: ada\nstatus:");
    fixture.put("docs.md", &by_hand);
    let done = fixture
        .editor(2)
        .save(" Docs ", "- [ ] two")
        .expect("saved");
    assert_eq!(done.outcome, PlanOutcome::Updated);
    let earlier =
        fs::read_to_string(fixture.root.path().join(done.replaced.expect("kept"))).expect("read");
    assert_eq!(earlier, by_hand);
    let now = fixture.text("docs.md");
    assert!(
        now.contains("owner: ada\nstatus: active") && now.ends_with("\n- [ ] two\n"),
        "{now}"
    );
    // A copy of another plan, `docs.2.md`.
    fixture.put(&format!("{EARLIER}/docs.2.2026-01-01-000000.md"), "other");
    for number in 0..i64::try_from(MAX_EARLIER).expect("few") + 5 {
        fixture
            .editor(3 + number)
            .save("Docs", &format!("- [ ] {number}"))
            .expect("saved");
    }
    let folder = fixture.root.path().join(plans_path()).join(EARLIER);
    assert_eq!(
        fs::read_dir(folder).expect("listed").count(),
        MAX_EARLIER + 1
    );
}

#[test]
fn at_most_one_is_active_whatever_the_files_say() {
    let fixture = Fixture::new();
    fixture.put(
        "a.md",
        "---\ntitle: A\nstatus: active\nactivated: 2026-11-15T10:00:00Z\n---\na",
    );
    fixture.put(
        "b.md",
        "---\ntitle: B\nstatus: Active\nactivated: 2026-11-15T11:00:00Z\n---\nb",
    );
    fixture.put("c.md", "# C\nby hand");
    fixture.put("d.md", "---\nstatus: someday\n---\n");
    fixture.put("e.md", "\0");
    let list = PlanList::read(&fixture.root);
    assert_eq!(
        list.active().map(|plan| plan.entry.title.as_str()),
        Some("B")
    );
    assert_eq!(list.skipped.len(), 1);
    let remarks: Vec<_> = list
        .plans
        .iter()
        .filter(|plan| plan.entry.remark.is_some())
        .map(|plan| plan.name.as_str())
        .collect();
    assert_eq!(remarks.len(), 2, "{remarks:?}");
    assert_eq!(
        fixture.editor(0).activate("C").expect("activated").outcome,
        PlanOutcome::Activated
    );
    assert!(
        fixture.text("a.md").contains("status: open")
            && fixture.text("b.md").contains("status: open")
    );
    assert_eq!(
        fixture.text("c.md"),
        "---\nstatus: active\nactivated: 2026-11-15T15:45:12Z\n---\n# C\nby hand"
    );
    assert_eq!(
        fixture
            .states()
            .iter()
            .filter(|(_, status)| *status == "active")
            .count(),
        1
    );
}

#[test]
fn sessions_that_change_plans_at_once_lose_nothing() {
    let fixture = Fixture::new();
    std::thread::scope(|scope| {
        for session in 0..8 {
            let fixture = &fixture;
            scope.spawn(move || {
                for number in 0..6 {
                    let title = format!("Plan {session} {number}");
                    fixture
                        .editor(number)
                        .save(&title, "- [ ] a")
                        .expect("saved");
                    fixture.editor(number).activate(&title).expect("activated");
                }
            });
        }
    });
    let states = fixture.states();
    assert_eq!(states.len(), 48);
    assert_eq!(
        states
            .iter()
            .filter(|(_, status)| *status == "active")
            .count(),
        1
    );
    let says = |number: usize| {
        fixture
            .text(&format!("plan-{}-{}.md", number / 6, number % 6))
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
    let fixture = Fixture::new();
    for title in ["日本", "中国", "fix: parser", "fix parser", "../up"] {
        assert_eq!(
            fixture.editor(0).save(title, "x").expect("saved").outcome,
            PlanOutcome::Created,
            "{title}"
        );
    }
    assert_eq!(PlanList::read(&fixture.root).plans.len(), 5);
    assert!(fixture.text("plan.md").contains("日本") && fixture.text("plan-2.md").contains("中国"));
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let done = fixture
        .editor(1)
        .save("Deploy", &format!("use {token}"))
        .expect("saved");
    assert_eq!(done.redacted, 1);
    assert!(fixture.text("deploy.md").ends_with("use [redacted]\n"));
}

#[test]
fn a_plan_without_a_free_name_is_refused_as_that() {
    let fixture = Fixture::new();
    fixture.put("docs.md", "---\ntitle: other\n---\nx");
    for number in 2..100 {
        fixture.put(&format!("docs-{number}.md"), "---\ntitle: other\n---\nx");
    }
    let refused = fixture.editor(0).save("Docs", "x").err().expect("refused");
    assert!(
        refused.text().contains("no free name"),
        "{}",
        refused.text()
    );
}
