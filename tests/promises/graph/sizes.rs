//! A deep dive costs about what its depth says.

use claudevil_protocol::text::tokens::estimate;
use claudevil_tests::accuracy::truth::Truth;
use libtest_mimic::Trial;
use serde_json::json;

use super::{asking, home, project};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    let one = |(depth, tokens): (&'static str, f64)| {
        proof(&format!("deep_dive_{depth}_costs_about_{tokens}_tokens"), Needs::Nothing, move || costs(depth, tokens))
    };
    [("overview", 200.0), ("context", 600.0), ("full", 1500.0)].map(one).into()
}

/// The mean may be off by this.
const FACTOR: f64 = 1.5;

async fn costs(depth: &str, expected: f64) {
    let home = home();
    let mut costs: Vec<usize> = vec![];
    for language in ["python", "java", "go", "rust", "typescript"] {
        let (root, truth) = project(&home, language);
        let mut questions = asking(&home, &root).await;
        for id in typical(&truth) {
            let (path, line) = &truth.definitions[&id];
            let asked = json!({ "symbol": truth.name(&id), "path": path, "line": line, "depth": depth });
            let (text, is_error) = questions.session().call("deep_dive", asked).await;
            assert!(!is_error, "{id}: {text}");
            costs.push(estimate(&text));
        }
    }
    costs.sort_unstable();
    let mean = costs.iter().sum::<usize>() as f64 / costs.len() as f64;
    let middle = costs[costs.len() / 2];
    measured(&format!(
        "{depth} of {} symbols: {mean:.0} tokens in the mean, {middle} in the middle, {} to {}",
        costs.len(),
        costs[0],
        costs[costs.len() - 1]
    ));
    assert!(mean >= expected / FACTOR && mean <= expected * FACTOR, "{depth}: {mean:.0} tokens, not about {expected}");
}

/// What somebody would ask about: used from several places, and with something to follow itself; types with members.
fn typical(truth: &Truth) -> Vec<String> {
    let uses = |id: &String| truth.references.get(id).map_or(0, std::collections::BTreeSet::len);
    let members = |id: &String| truth.definitions.keys().filter(|other| other.starts_with(&format!("{id}."))).count();
    let is_typical = |id: &&String| uses(id) >= 2 && (truth.callees(id).len() >= 2 || members(id) >= 3);
    truth.definitions.keys().filter(is_typical).cloned().collect()
}
