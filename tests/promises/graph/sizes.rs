//! A deep dive costs about what its depth says.

use claudevil_protocol::text::tokens::estimate;
use claudevil_tests::accuracy::truth::Truth;
use claudevil_tests::binaries::workspace;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, home, project, repository};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    let name = |depth: &str, tokens: u32| format!("deep_dive_{depth}_costs_about_{tokens}_tokens");
    // Bodies of small projects are too short for a full dive, and what is used everywhere has a long overview.
    vec![
        proof(&name("overview", 200), Needs::Nothing, || small_projects("overview", 200)),
        proof(&name("context", 600), Needs::Nothing, || our_own_code("context", 600)),
        proof(&name("full", 1500), Needs::Nothing, || our_own_code("full", 1500)),
    ]
}

/// The mean may be off by this.
const FACTOR: f64 = 1.5;

/// Functions, types and a trait that others use, of `protocol/src`.
const OWN: [&str; 12] = [
    "check_range",
    "check_length",
    "estimate",
    "shares",
    "one_line",
    "Client",
    "ToolError",
    "SymbolAsked",
    "Excerpt",
    "Freshness",
    "Endpoint",
    "Paths",
];

async fn small_projects(depth: &str, expected: u32) {
    let home = home();
    let mut costs: Vec<usize> = vec![];
    for language in ["python", "java", "go", "rust", "typescript"] {
        let (root, truth) = project(&home, language);
        let mut questions = asking(&home, &root).await;
        for id in typical(&truth) {
            let (path, line) = &truth.definitions[&id];
            let asked = json!({ "symbol": truth.name(&id), "path": path, "line": line, "depth": depth });
            costs.push(cost(&mut questions, asked).await);
        }
    }
    judge(depth, costs, expected);
}

async fn our_own_code(depth: &str, expected: u32) {
    let home = home();
    let root = repository(&home, "own", &[]);
    Truth::take(&workspace().join("protocol"), &root);
    let mut questions = asking(&home, &root).await;
    let mut costs = vec![];
    for symbol in OWN {
        costs.push(cost(&mut questions, json!({ "symbol": symbol, "depth": depth })).await);
    }
    judge(depth, costs, expected);
}

async fn cost(questions: &mut Questions, asked: Value) -> usize {
    let shown = asked.to_string();
    let (text, is_error) = questions.session().call("deep_dive", asked).await;
    assert!(!is_error, "{shown}: {text}");
    estimate(&text)
}

fn judge(depth: &str, mut costs: Vec<usize>, expected: u32) {
    costs.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
    let mean = costs.iter().sum::<usize>() as f64 / costs.len() as f64;
    measured(&format!(
        "{depth} of {} symbols: {mean:.0} tokens in the mean, {} in the middle, {} to {}",
        costs.len(),
        costs[costs.len() / 2],
        costs[0],
        costs[costs.len() - 1]
    ));
    let expected = f64::from(expected);
    assert!(mean >= expected / FACTOR && mean <= expected * FACTOR, "{depth}: {mean:.0} tokens, not about {expected}");
}

/// What somebody would ask about: used from several places, and with something to follow itself; types with members.
fn typical(truth: &Truth) -> Vec<String> {
    let uses = |id: &String| truth.references.get(id).map_or(0, std::collections::BTreeSet::len);
    let members = |id: &String| truth.definitions.keys().filter(|other| other.starts_with(&format!("{id}."))).count();
    let is_typical = |id: &&String| uses(id) >= 2 && (truth.callees(id).len() >= 2 || members(id) >= 3);
    truth.definitions.keys().filter(is_typical).cloned().collect()
}
