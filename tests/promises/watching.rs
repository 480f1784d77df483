//! Changes that the system does not report are found all the same: lost events, folders that were not watched yet.

use std::fs;
use std::time::{Duration, Instant};

use claudevil_tests::asking::{Asker, Trust, assert_like_fresh, expected};
use claudevil_tests::home::{Home, signal};
use claudevil_tests::tree::{Kind, Tree};
use libtest_mimic::Trial;
use rustix::process::Signal;

use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "09_nothing_is_lost_when_reports_overflow",
            Needs::Nothing,
            overflow,
        ),
        proof("09_new_folders_are_walked", Needs::Nothing, nested_folders),
    ]
}

const CATCH_UP: Duration = Duration::from_secs(20);

async fn overflow() {
    let home = Home::new().with("CLAUDEVIL_LOG_LEVEL", "debug");
    let mut tree = Tree::new(&home.scratch().join("user/engine"), 9, 100);
    let noise = tree.root.join("notes.txt");
    fs::write(&noise, "nothing\n").expect("written");
    let mut asker = Asker::start(&home, &tree).await;
    asker.ready().await;
    let bound = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").expect("a limit");
    let bound: usize = bound.trim().parse().expect("a number");

    let daemon = home.daemon().expect("a daemon");
    signal(daemon, Signal::STOP);
    // The system merges equal events in a row, so two files take turns. Each write causes at least two events.
    let other = tree.root.join("other.txt");
    for number in 0..bound / 2 + 100 {
        fs::write(if number % 2 == 0 { &noise } else { &other }, "something\n").expect("written");
    }
    let edits: Vec<_> = (0..60).map(|_| tree.edit()).collect();
    signal(daemon, Signal::CONT);

    let started = Instant::now();
    for edit in &edits {
        for name in [&edit.names[0], &edit.names[edit.names.len() - 1]] {
            asker.converges(&tree, name, CATCH_UP).await;
        }
    }
    measured(&format!(
        "an overflow of {bound} reports was made good within {:?}",
        started.elapsed()
    ));
    // Afterwards edits are seen as before.
    for kind in [Kind::Write, Kind::CreateInNewFolders, Kind::Delete] {
        let edit = tree.edit_as(kind).expect("there are files");
        asker.converges(&tree, &edit.names[0], CATCH_UP).await;
    }
    fs::remove_file(&noise).expect("removed");
    fs::remove_file(&other).expect("removed");
    asker.ready().await;
    assert_like_fresh(&home, &tree).await;
    assert!(
        home.log().contains("reason=Overflow"),
        "the queue did overflow"
    );
}

/// 500 nested folders, with four files in each right after it was made, ten times as fast as events arrive.
async fn nested_folders() {
    let home = Home::new();
    let mut tree = Tree::new(&home.scratch().join("user/engine"), 90, 50);
    let mut asker = Asker::start(&home, &tree).await;
    asker.ready().await;
    let mut made = vec![];
    for number in 0..200 {
        let folder = format!(
            "new{}/a{}/b{}/c{number}",
            number % 10,
            number % 50,
            number % 100
        );
        made.extend((0..4).map(|_| tree.create(&folder)));
    }
    let started = Instant::now();
    let last = name_in(&tree, &made[made.len() - 1]);
    asker.converges(&tree, &last, CATCH_UP).await;
    measured(&format!(
        "800 files in 200 new folders: the last was seen within {:?}",
        started.elapsed()
    ));
    // Some files are asked for; the comparison below has them all.
    for path in made.iter().step_by(20) {
        let name = name_in(&tree, path);
        let told = asker.symbol(&name).await;
        match told.trust {
            Trust::Whole => assert_eq!(told.found, expected(&tree, &name), "{path} was missed"),
            Trust::Marked(_) => asker.converges(&tree, &name, CATCH_UP).await,
        }
    }
    assert_like_fresh(&home, &tree).await;
}

fn name_in(tree: &Tree, path: &str) -> String {
    let (_, names) = tree
        .visible()
        .find(|(own, _)| *own == path)
        .expect("it is of the tree");
    names[0].clone()
}
