//! A process that ends before any step of a change, without a chance to tidy up, leaves all files changed or none.
//!
//! Each step is tried in a process of its own: this test, started again with the step in a variable.

use std::process::Command;

use super::*;

const STEP: &str = "CLAUDEVIL_TEST_KILL_BEFORE";
const SCRATCH: &str = "CLAUDEVIL_TEST_KILL_IN";
const NAME: &str =
    "change::tests::killed_process::a_process_that_is_killed_before_any_step_leaves_all_or_none";
const FILES: usize = 3;

#[test]
fn a_process_that_is_killed_before_any_step_leaves_all_or_none() {
    if let (Ok(step), Ok(scratch)) = (std::env::var(STEP), std::env::var(SCRATCH)) {
        return apply_until(step.parse().expect("a number"), Path::new(&scratch));
    }
    let mut outcomes = [0; 2];
    for step in 1.. {
        let world = World::new(FILES);
        let child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", NAME])
            .env(STEP, step.to_string())
            .env(SCRATCH, world.scratch.path())
            .output()
            .expect("started");
        let is_killed = !child.status.success();
        world.recover(SwapMethod::Exchange, &|_| Ok(()));
        let changed = world.changed();
        assert!(
            changed == 0 || changed == FILES,
            "before step {step}: {changed}"
        );
        assert!(world.is_tidy(), "before step {step}");
        let root = RootDir::open(&world.root, "root").expect("opened");
        let record = world.changes.last_record(&root);
        assert_eq!(
            record.is_some(),
            changed > 0,
            "before step {step}: what was changed can be taken back, and nothing else"
        );
        if !is_killed {
            assert_eq!(changed, FILES);
            break;
        }
        outcomes[usize::from(changed > 0)] += 1;
    }
    assert!(
        outcomes.into_iter().all(|count| count > FILES),
        "{outcomes:?}"
    );
}

/// Makes the change in a folder that is there already, and ends the process before a step.
fn apply_until(step: usize, scratch: &Path) {
    let root = fs::canonicalize(scratch).expect("real").join("root");
    let changes = Changes::new(&scratch.join("data"));
    let files: Vec<FileChange> = (0..FILES)
        .map(|at| FileChange {
            path: name(at),
            before: before(at).into_bytes(),
            after: after(at).into_bytes(),
            new_name: None,
        })
        .collect();
    let made = changes.apply_undoable_with(
        &RootDir::open(&root, "root").expect("opened"),
        "edit_symbol",
        &files,
        &CancelToken::default(),
        Hooks {
            method: SwapMethod::Exchange,
            before_step: &at_step(step, |_| std::process::abort()),
        },
    );
    made.expect("changed");
}
