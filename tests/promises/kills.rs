//! A daemon that is killed at any moment loses nothing: its successor's index is that of the tree.

use std::time::{Duration, Instant};

use claudevil_tests::asking::{Asker, Trust, assert_like_fresh, expected};
use claudevil_tests::chance::Chance;
use claudevil_tests::home::Home;
use claudevil_tests::tree::Tree;
use libtest_mimic::Trial;

use crate::{Needs, measured, percentile, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("03_an_index_survives_five_kills", Needs::Nothing, || {
            index_survives_kills(5)
        }),
        proof(
            "03_an_index_survives_two_hundred_kills",
            Needs::Patience,
            || index_survives_kills(200),
        ),
    ]
}

async fn index_survives_kills(kills: usize) {
    let home = Home::new();
    let mut tree = Tree::new(&home.scratch().join("user/engine"), 3, 700);
    let mut chance = Chance::new(kills as u64);
    let mut asker = Asker::start(&home, &tree).await;
    let mut took = vec![];
    for round in 0..kills {
        // The first kills fall into the first indexing, the others into the catching up or the edits of each round.
        let edits = if round < 3 { 0 } else { 1 + chance.below(40) };
        let until = tokio::time::Instant::now()
            + Duration::from_millis(u64::try_from(chance.below(400)).expect("small"));
        asker.status().await;
        for _ in 0..edits {
            let edit = tree.edit();
            if chance.below(4) == 0 {
                let name = &edit.names[0];
                let told = asker.symbol(name).await;
                assert!(
                    told.trust != Trust::Whole || told.found == expected(&tree, name),
                    "{round}: {edit:?}: {told:?}"
                );
            }
        }
        // Not a wait for an event: the kill comes at another moment each time.
        tokio::time::sleep_until(until).await;
        home.kill_daemon().await;
        let killed = Instant::now();
        asker.status().await;
        took.push(killed.elapsed());
    }
    let caught_up = Instant::now();
    asker.ready().await;
    measured(&format!(
        "{kills} kills: the next answer came after p50 {:?}, at most {:?}; {} files caught up within {:?}",
        percentile(&took, 50),
        percentile(&took, 100),
        tree.len(),
        caught_up.elapsed()
    ));
    assert!(percentile(&took, 50) < Duration::from_secs(2), "{took:?}");
    assert_like_fresh(&home, &tree).await;
}
