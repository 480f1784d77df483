//! `call_path` finds the shortest chains, and none if there is none.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::tools::call_path::{CallChain, CallPath};
use claudevil_tests::accuracy::truth::{SourceLine, Truth};
use claudevil_tests::chance::Chance;
use claudevil_tests::relevance::asking::{Ranking, Root};
use libtest_mimic::Trial;

use super::{home, project};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    let one = |language: &'static str| {
        proof(
            &format!("call_path_is_the_shortest_in_{language}"),
            Needs::Nothing,
            move || shortest(language),
        )
    };
    ["python", "go", "rust", "typescript", "java"]
        .map(one)
        .into()
}

/// Maximum number of pairs without a chain, of which there are thousands.
const MAX_WITHOUT: usize = 120;

type Calls = BTreeMap<String, BTreeSet<String>>;

async fn shortest(language: &str) {
    let home = home();
    let (path, truth) = project(&home, language);
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let root = Root::new(&client, &path);
    root.add().await;
    root.ready(Ranking::Lexical).await;

    let sure = calls(&truth);
    let possible = with_doubts(&truth, &sure);
    let ends = ends(&truth, &sure);
    let (mut with, mut without) = (vec![], vec![]);
    for from in &ends {
        let (steps, possible) = (distances(&sure, from), distances(&possible, from));
        // Pairs that uncertain calls would join in fewer steps are left out.
        for to in ends
            .iter()
            .filter(|to| *to != from && steps.get(*to) == possible.get(*to))
        {
            match steps.get(to) {
                Some(steps) => with.push((from, to, *steps)),
                None => without.push((from, to)),
            }
        }
    }
    let mut chance = Chance::new(5);
    while without.len() > MAX_WITHOUT {
        without.swap_remove(chance.below(without.len()));
    }
    assert!(with.len() >= 20, "only {} pairs have a chain", with.len());
    let (mut wrong, mut missing, mut doubtful) = (vec![], vec![], 0);
    let pairs = with
        .iter()
        .map(|(from, to, steps)| (*from, *to, Some(*steps)));
    for (from, to, expected) in pairs.chain(without.iter().map(|(from, to)| (*from, *to, None))) {
        let params = CallPath {
            from: place(&truth.definitions[from]),
            to: place(&truth.definitions[to]),
            max_depth: Some(CallPath::DEEPEST),
            ..CallPath::default()
        };
        let answer = root
            .ask(params)
            .await
            .unwrap_or_else(|error| panic!("{from} {to}: {}", error.text()));
        let found = answer
            .chains
            .iter()
            .map(|chain| chain.steps.len() - 1)
            .min();
        if found == expected {
            continue;
        }
        let is_sure = |chain: &CallChain| {
            chain.steps.iter().all(|step| {
                step.resolution
                    .is_none_or(|resolution| resolution == Resolution::Resolved)
            })
        };
        let words = format!(
            "{from} to {to}: {found:?} steps instead of {expected:?}: {}",
            answer.chains.first().map(in_words).unwrap_or_default()
        );
        if found.is_none() || (expected.is_some() && found > expected) {
            missing.push(words);
        } else if answer.chains.iter().any(is_sure) {
            wrong.push(words);
        } else {
            // The answer says itself that a step may mean something else.
            doubtful += 1;
        }
    }
    measured(&format!(
        "{language}: {} pairs with a chain and {} without: {} chains that are none or too short, {} not found, {doubtful} \
         doubtful by their own words",
        with.len(),
        without.len(),
        wrong.len(),
        missing.len()
    ));
    assert!(
        wrong.is_empty(),
        "chains that are none:\n{}",
        wrong.join("\n")
    );
    assert!(
        missing.is_empty(),
        "chains not found:\n{}",
        missing.join("\n")
    );
}

fn in_words(chain: &CallChain) -> String {
    let steps = chain.steps.iter();
    let words = steps.map(|step| {
        format!(
            "{} ({:?} {:?})",
            step.qualified, step.resolution, step.reason
        )
    });
    words.collect::<Vec<_>>().join(" → ")
}

/// Returns the certain calls.
fn calls(truth: &Truth) -> Calls {
    let mut calls = Calls::new();
    for (callee, callers) in &truth.callers {
        for caller in callers.iter().filter(|caller| *caller != "-") {
            calls
                .entry(caller.clone())
                .or_default()
                .insert(callee.clone());
        }
    }
    calls
}

/// Returns the same calls with every possible one: from anything in a file with a line that may reach something, and from a
/// type to its constructor, which the truth has only as a caller.
fn with_doubts(truth: &Truth, sure: &Calls) -> Calls {
    let mut calls = sure.clone();
    for (callee, places) in &truth.possible {
        for (path, _) in places {
            let here = truth
                .definitions
                .iter()
                .filter(|(_, (other, _))| other == path);
            for (caller, _) in here {
                calls
                    .entry(caller.clone())
                    .or_default()
                    .insert(callee.clone());
            }
        }
    }
    for id in truth.definitions.keys() {
        let Some((owner, name)) = id.rsplit_once('.') else {
            continue;
        };
        if matches!(name, "__init__" | "constructor") || owner.rsplit('.').next() == Some(name) {
            calls
                .entry(owner.to_owned())
                .or_default()
                .insert(id.clone());
        }
    }
    calls
}

/// Returns the things that call or are called, and are alone on their line, so that the line identifies them.
fn ends(truth: &Truth, sure: &Calls) -> Vec<String> {
    let mut lines: BTreeMap<&SourceLine, usize> = BTreeMap::new();
    for place in truth.definitions.values() {
        *lines.entry(place).or_default() += 1;
    }
    let callees = truth
        .callers
        .keys()
        .filter(|id| !truth.callers[*id].is_empty());
    let all: BTreeSet<&String> = sure.keys().chain(callees).collect();
    all.into_iter()
        .filter(|id| lines[&truth.definitions[*id]] == 1)
        .cloned()
        .collect()
}

fn distances(calls: &Calls, from: &str) -> BTreeMap<String, usize> {
    let mut steps = BTreeMap::from([(from.to_owned(), 0)]);
    let mut next = VecDeque::from([from.to_owned()]);
    while let Some(one) = next.pop_front() {
        let nearer = steps[&one];
        for callee in calls.get(&one).into_iter().flatten() {
            if !steps.contains_key(callee) {
                steps.insert(callee.clone(), nearer + 1);
                next.push_back(callee.clone());
            }
        }
    }
    steps
}

fn place((path, line): &SourceLine) -> String {
    format!("{path}:{line}")
}
