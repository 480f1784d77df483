//! The note about texts that other programs wrote into files while a tool changed them.

use claudevil_protocol::answer::freshness::Freshness;

use crate::change::ConflictCopy;

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
    }
}
