//! The text of `checkpoint`: where the note lies now.

use crate::answer::note::text::{circumstances, subjects};
use crate::text::one_line;
use crate::text::quantity::count;
use crate::tools::checkpoint::Saved;

pub fn write(saved: &Saved) -> String {
    let note = &saved.note;
    let mut lines = vec![format!(
        "saved in {}: {}  {}",
        saved.root_name,
        one_line(&note.path),
        circumstances(note)
    )];
    lines.extend(subjects(note));
    lines.extend(redacted(saved.redacted));
    lines.join("\n")
}

/// That something was left out, and why.
pub fn redacted(secrets: u64) -> Option<String> {
    let were = if secrets == 1 { "was" } else { "were" };
    (secrets > 0).then(|| {
        format!(
            "{} {were} left out, marked [redacted]",
            count(secrets, "secret")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use crate::answer::note::Note;

    #[test]
    fn a_saved_note_says_where_it_is_and_what_was_left_out() {
        let saved = Saved {
            root_name: "engine".to_owned(),
            note: Note {
                path: ".claudevil/memories/2026-11-15-154512-the-lexer-a1b2.md".to_owned(),
                created: 1_794_757_512_000,
                commit: Some("1a2b3c4d5e6f".to_owned()),
                branch: Some("main".to_owned()),
                tags: vec!["parser".to_owned(), "decision".to_owned()],
                symbols: vec!["Parser::next".to_owned()],
                ..Note::default()
            },
            redacted: 1,
            ..Saved::default()
        };
        insta::assert_snapshot!(saved.text().to_string(), @r"
        saved in engine: .claudevil/memories/2026-11-15-154512-the-lexer-a1b2.md  2026-11-15 15:45  main@1a2b3c4  #parser #decision
          symbols: Parser::next
        1 secret was left out, marked [redacted]
        ");
    }
}
