//! Large changes: a branch switch, and edits by the thousand. Neither time nor disk nor memory runs away.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_tests::asking::{Asker, NameLocation, Trust, assert_like_fresh};
use claudevil_tests::git::git;
use claudevil_tests::home::{BOUND, Home};
use claudevil_tests::processes;
use claudevil_tests::tree::{Kind, Tree};
use libtest_mimic::Trial;

use crate::{Needs, measured, percentile, proof, slack};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("11_a_switch_of_300_files_converges", Needs::Nothing, || {
            branch_switch(300)
        }),
        proof(
            "11_a_switch_of_10000_files_converges",
            Needs::Patience,
            || branch_switch(10_000),
        ),
        proof("15_disk_use_stays_within_bounds", Needs::Patience, disk_use),
        proof("15_memory_stays_flat", Needs::Patience, memory),
    ]
}

/// Switches between two branches that have the same files and no line in common.
async fn branch_switch(files: usize) {
    let home = Home::new();
    let root = home.scratch().join("user/engine");
    let tree = Tree::new(&root, 11, 0);
    fs::remove_dir_all(root.join(".git")).expect("removed");
    git(&root, &["init", "--quiet", "--initial-branch", "one"]).await;
    for branch in ["one", "two"] {
        if branch == "two" {
            git(&root, &["checkout", "--quiet", "-b", "two"]).await;
        }
        for number in 0..files {
            let folder = root.join(format!("area{}/part{}", number % 10, number % 100));
            fs::create_dir_all(&folder).expect("made");
            let text = format!(
                "pub fn {}() -> u32 {{\n    {number}\n}}\n",
                name(branch, number)
            );
            fs::write(folder.join(format!("file{number}.rs")), text).expect("written");
        }
        git(&root, &["add", "--all"]).await;
        git(&root, &["commit", "--quiet", "--message", branch]).await;
    }
    let mut asker = Asker::start(&home, &tree).await;
    asker.wait_for("ready", Duration::from_secs(300)).await;

    let started = Instant::now();
    let (mut took, mut converged) = (vec![], None);
    let place = root.clone();
    let switch = tokio::spawn(async move {
        git(&place, &["checkout", "--quiet", "one"]).await;
        started.elapsed()
    });
    while converged.is_none() {
        let is_switched = switch.is_finished();
        // The last files first: some of the others may be indexed long before.
        let number = files - 1 - took.len() % files;
        let since = Instant::now();
        let told = asker.symbol(&name("one", number)).await;
        took.push(since.elapsed());
        if told.trust == Trust::Whole && is_switched {
            assert!(
                matches!(told.found, NameLocation::At(_)),
                "file {number} was missed, and nothing said: {told:?}"
            );
            converged = Some(started.elapsed());
        }
        assert!(
            started.elapsed() < BOUND,
            "{files} files converge within {BOUND:?}: {told:?}"
        );
    }
    let switched = switch.await.expect("git ends");
    measured(&format!(
        "{files} files: git took {switched:?}, the index {converged:?}; {} questions meanwhile, p50 {:?}, p95 {:?}",
        took.len(),
        percentile(&took, 50),
        percentile(&took, 95)
    ));
    assert!(
        percentile(&took, 95) < slack(Duration::from_millis(500)),
        "p95 {:?}",
        percentile(&took, 95)
    );
    for number in (0..files).step_by(files / 50) {
        assert!(
            matches!(
                asker.symbol(&name("one", number)).await.found,
                NameLocation::At(_)
            ),
            "{number}"
        );
        assert_eq!(
            asker.symbol(&name("two", number)).await.found,
            NameLocation::Nowhere,
            "{number}"
        );
    }
}

fn name(branch: &str, number: usize) -> String {
    format!("branch_{branch}_{number}")
}

/// Makes ten thousand edits, a hundred at a time.
async fn disk_use() {
    let home = Home::new();
    let mut tree = Tree::new(&home.scratch().join("user/engine"), 15, 2000);
    let mut asker = Asker::start(&home, &tree).await;
    asker.ready().await;
    for _ in 0..100 {
        let edits: Vec<_> = (0..100).map(|_| tree.edit()).collect();
        let last = edits
            .last()
            .and_then(|edit| edit.names.first())
            .expect("a name")
            .clone();
        asker.converges(&tree, &last, BOUND).await;
    }
    asker.ready().await;
    let fresh = Home::new();
    Asker::start(&fresh, &tree).await.ready().await;
    let (used, least) = (
        bytes_in(home.paths().data()),
        bytes_in(fresh.paths().data()),
    );
    measured(&format!(
        "{} files after 10,000 edits take {used} bytes; a fresh index takes {least}",
        tree.len()
    ));
    assert!(
        used <= least * 3,
        "{used} bytes after 10,000 edits, {least} in a fresh index"
    );
    assert_like_fresh(&home, &tree).await;
}

/// Makes two thousand edits, each seen by a question. The memory after the first quarter is the bound for the rest.
async fn memory() {
    let home = Home::new();
    let mut tree = Tree::new(&home.scratch().join("user/engine"), 150, 300);
    let mut asker = Asker::start(&home, &tree).await;
    asker.ready().await;
    let mut settled = 0;
    for number in 0..2000 {
        let kind = if number % 2 == 0 {
            Kind::Write
        } else {
            Kind::SaveAtomically
        };
        let edit = tree.edit_as(kind).expect("there are files");
        asker.symbol(&edit.names[0]).await;
        if number == 500 {
            settled = kilobytes(&home);
        }
    }
    let end = kilobytes(&home);
    measured(&format!(
        "{settled} KB after 500 edits, {end} KB after 2,000"
    ));
    assert!(
        end <= settled + settled / 5,
        "{settled} KB after 500 edits, {end} KB after 2,000"
    );
    assert_like_fresh(&home, &tree).await;
}

fn kilobytes(home: &Home) -> u64 {
    processes::memory(home.daemon().expect("a daemon")).resident
}

/// Returns the size of the files, as the system counts it.
fn bytes_in(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => bytes_in(&entry.path()),
            Ok(found) => found.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}
