//! The notes about a change that a tool has made: texts that other programs wrote into the files meanwhile, and whether `undo`
//! can take it back.

use claudevil_protocol::answer::freshness::Freshness;

use crate::change::{AppliedChange, ConflictCopy};

/// Adds notes about a change.
pub fn note_applied(freshness: &mut Freshness, applied: &AppliedChange) {
    note_conflict_copies(freshness, &applied.copies);
    if let Some(reason) = &applied.not_undoable {
        freshness.add_note(format!(
            "`undo` cannot take this change back, nor those before it: {reason}"
        ));
    }
}

/// Adds a note about the copies of texts that someone else wrote into files during a change and that the change replaced.
pub fn note_conflict_copies(freshness: &mut Freshness, copies: &[ConflictCopy]) {
    if copies.is_empty() {
        return;
    }
    let copies: Vec<String> = copies
        .iter()
        .map(|copy| format!("{} ({})", copy.path, copy.at.display()))
        .collect();
    freshness.add_note(format!(
        "these files were edited by someone else at the same time; their versions were saved to: {}",
        copies.join(", ")
    ));
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_note_says_where_the_text_of_somebody_else_is() {
        let mut freshness = Freshness::default();
        note_conflict_copies(&mut freshness, &[]);
        assert_eq!(freshness, Freshness::default());
        let copy = ConflictCopy {
            path: "src/a.rs".to_owned(),
            at: PathBuf::from("/copies/1"),
        };
        note_conflict_copies(&mut freshness, &[copy]);
        let note = freshness.note.expect("a note").to_string();
        assert!(note.ends_with("src/a.rs (/copies/1)"), "{note}");
        let mut freshness = Freshness::default();
        let applied = AppliedChange {
            copies: vec![],
            not_undoable: Some("no space".to_owned()),
        };
        note_applied(&mut freshness, &applied);
        let note = freshness.note.expect("a note").to_string();
        assert!(
            note.contains("undo") && note.ends_with("no space"),
            "{note}"
        );
    }
}
