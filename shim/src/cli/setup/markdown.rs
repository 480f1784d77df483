//! Our lines in a file of instructions for a client's model, between two markers.
//!
//! Everything outside of the markers is a person's, and stays as it is.

use super::text::{StrippedText, Unreadable};

const BEGIN: &str = "<!-- claudevil:begin -->";
const END: &str = "<!-- claudevil:end -->";

/// The lines for the model. They name the command line too: sub-agents often have no MCP tools.
const LINES: &[&str] = &[
    "To find and understand code, ask claudevil before grep or reading whole files; its index is always up to date:",
    "- Start with the MCP tool `explore`; in a shell, and in sub-agents without MCP tools, run `claudevil explore QUESTION`.",
    "- `search` (`claudevil search WORDS`, `-F TEXT`, `-E REGEX`) finds code by meaning, words, text or pattern.",
    "- Before changing or removing a symbol: `find_references` (`claudevil refs NAME`), `impact_analysis` (`claudevil impact`).",
];

/// Puts our lines into a text, in place of those that are there, else at its end. A new file begins with `head`.
pub fn put(text: &str, head: &str) -> Result<String, Unreadable> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = std::iter::once(&BEGIN)
        .chain(LINES)
        .chain([&END])
        .copied()
        .collect::<Vec<_>>()
        .join(newline);
    Ok(match find(text)? {
        Some((start, end)) => format!("{}{block}{}", &text[..start], &text[end..]),
        None if text.is_empty() => format!("{head}{block}\n"),
        None => {
            let end = if text.ends_with('\n') { "" } else { newline };
            format!("{text}{end}{newline}{block}{newline}")
        }
    })
}

/// Removes our lines, and the empty line before them.
pub fn take(text: &str, head: &str) -> Result<Option<StrippedText>, Unreadable> {
    let Some((start, end)) = find(text)? else {
        return Ok(None);
    };
    let (mut before, mut after) = (&text[..start], &text[end..]);
    after = strip_newline(after).unwrap_or(after);
    let is_last = after.trim().is_empty();
    if is_last && before != head {
        let without = before.strip_suffix("\r\n").or(before.strip_suffix('\n'));
        before = without
            .filter(|text| text.ends_with('\n'))
            .unwrap_or(before);
    }
    let text = format!("{before}{after}");
    let is_bare = [head.trim(), ""].contains(&text.trim());
    Ok(Some(StrippedText { text, is_bare }))
}

/// Returns whether our lines are in a text.
pub fn is_there(text: &str) -> Result<bool, Unreadable> {
    Ok(find(text)?.is_some())
}

/// Returns where the block begins and ends.
fn find(text: &str) -> Result<Option<(usize, usize)>, Unreadable> {
    let (Some(start), end) = (text.find(BEGIN), text.find(END)) else {
        return Ok(None);
    };
    match end {
        Some(end) if end > start && text.matches(BEGIN).count() == 1 => {
            Ok(Some((start, end + END.len())))
        }
        _ => Err(Unreadable(format!(
            "its `{BEGIN}` has no `{END}` of its own"
        ))),
    }
}

fn strip_newline(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n").or(text.strip_prefix('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_person_stays_as_it_is() {
        for before in [
            "# Mine\n\nUse tabs.\n",
            "# Mine\r\n\r\nUse tabs.\r\n",
            "a\n\n\n",
            "---\nalwaysApply: true\n---\n",
        ] {
            let after = put(before, "").expect("written");
            assert!(after.starts_with(before), "{after}");
            assert_eq!(put(&after, ""), Ok(after.clone()), "twice is once");
            let taken = take(&after, "").expect("readable").expect("there");
            assert_eq!(taken.text, before);
            assert!(!taken.is_bare);
            let edited = format!("{after}More.\n");
            let taken = take(&edited, "").expect("readable").expect("there");
            assert_eq!(
                taken.text,
                format!("{before}\nMore.\n").replace("\r\n\nM", "\r\n\r\nM")
            );
        }
    }

    #[test]
    fn a_new_file_has_the_head_that_its_client_wants() {
        let head = "---\nalwaysApply: true\n---\n\n";
        let text = put("", head).expect("written");
        assert!(text.starts_with(head) && text.ends_with("<!-- claudevil:end -->\n"));
        assert!(take(&text, head).expect("readable").expect("there").is_bare);
    }

    #[test]
    fn the_block_is_short_and_replaced_when_it_changes() {
        assert!(LINES.len() + 2 <= 6);
        let old = format!("a\n{BEGIN}\nof old\n{END}\nb\n");
        let new = put(&old, "").expect("written");
        assert!(!new.contains("of old") && new.starts_with("a\n") && new.ends_with("\nb\n"));
        assert_eq!(take("nothing of ours", ""), Ok(None));
        assert!(put(&format!("a\n{BEGIN}\nb\n"), "").is_err(), "no end");
        assert!(
            put(&format!("{END}\n{BEGIN}\n"), "").is_err(),
            "the wrong way round"
        );
    }
}
