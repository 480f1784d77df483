//! The risk of a change, from the number and kind of its effects.

use std::collections::HashSet;

use claudevil_protocol::answer::symbol::Visibility;
use claudevil_protocol::tools::impact_analysis::{ChangeKind, Risk};

use super::effects::Effects;
use crate::graph::{Graph, SymbolId};

/// Numbers of changes that break callers.
pub struct BreakingChanges {
    pub removed: usize,
    pub signatures: usize,
}

/// Returns the risk and the reasons for it.
pub fn assess_risk(
    graph: &Graph<'_>,
    changed: &[(SymbolId, ChangeKind)],
    breaking: &BreakingChanges,
    effects: &Effects,
) -> (Risk, Vec<String>) {
    if changed.is_empty() && breaking.removed == 0 {
        return (Risk::Low, vec!["no symbol changed".to_owned()]);
    }
    let usages = effects.total_usages;
    let mut reasons = vec![];
    let mut points = 0_u32;
    let paths = effects
        .files
        .iter()
        .chain(effects.dependents.iter().map(|one| &one.path));
    let folders: HashSet<&str> = paths
        .map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder))
        .collect();
    let public = changed
        .iter()
        .filter(|(at, _)| graph.symbol(*at).visibility == Some(Visibility::Public))
        .count();
    if usages > 20 {
        points += 2;
        reasons.push(format!("{usages} places use it"));
    } else if usages > 5 {
        points += 1;
        reasons.push(format!("{usages} places use it"));
    }
    if breaking.removed > 0 && usages > 0 {
        points += 1;
        reasons.push("removed symbols may still be used".to_owned());
    }
    if breaking.signatures > 0 {
        points += u32::from(usages > 0);
        let plural = if breaking.signatures == 1 {
            "signature"
        } else {
            "signatures"
        };
        reasons.push(format!("{} {plural} changed", breaking.signatures));
    }
    if folders.len() > 3 {
        points += 1;
        reasons.push(format!("uses are spread over {} folders", folders.len()));
    }
    if public > 0 && usages > 0 {
        points += 1;
        reasons.push("it is public: others may use it too".to_owned());
    }
    if !effects.overrides.is_empty() {
        points += 1;
        reasons.push(format!(
            "{} implement or override it",
            effects.overrides.len()
        ));
    }
    let tests = effects
        .tests
        .iter()
        .filter(|test| test.distance.is_some())
        .count();
    if tests == 0 {
        points += 1;
        reasons.push("no test is known to reach it".to_owned());
    } else {
        let (tests, verb) = if tests == 1 {
            ("1 test".to_owned(), "reaches")
        } else {
            (format!("{tests} tests"), "reach")
        };
        reasons.push(format!("{tests} {verb} it"));
    }
    let risk = match points {
        0..=1 => Risk::Low,
        2..=3 => Risk::Medium,
        _ => Risk::High,
    };
    (risk, reasons)
}
