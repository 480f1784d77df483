//! Recent reports, so that a cursor can continue a list without the text of the report being sent again.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The most reports that are kept: at 32,000 characters each, they take a few megabytes at most.
const MAX_REPORTS: usize = 64;

static RECENT: Mutex<VecDeque<(String, String)>> = Mutex::new(VecDeque::new());

/// Keeps a report, and returns its id: a hash of its text.
pub fn remember(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let id = hash[..16].to_owned();
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    recent.retain(|(known, _)| *known != id);
    recent.truncate(MAX_REPORTS - 1);
    recent.push_front((id.clone(), text.to_owned()));
    id
}

/// Returns the text of a recent report.
pub fn recall(id: &str) -> Option<String> {
    let recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = recent.iter().find(|(known, _)| known == id);
    found.map(|(_, text)| text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_recalled_by_its_id() {
        let id = remember("Fails\n\nwith a trace");
        assert_eq!(recall(&id).as_deref(), Some("Fails\n\nwith a trace"));
        assert_eq!(recall("0123456789abcdef"), None);
    }
}
