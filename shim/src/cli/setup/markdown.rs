//! Our lines in a file of instructions for a client's model.

use super::block::{self, Markers};
use super::config_text::{StrippedText, Unreadable};

const MARKERS: Markers = Markers {
    begin: "<!-- claudevil:begin -->",
    end: "<!-- claudevil:end -->",
};

/// The lines for the model. They name the command line too: sub-agents often have no MCP tools.
const LINES: &[&str] = &[
    "To find and understand code, ask claudevil before grep or reading whole files; its index is always up to date:",
    "- Start with the MCP tool `explore`; in a shell, and in sub-agents without MCP tools, run `claudevil explore QUESTION`.",
    "- `search` (`claudevil search --blocks WORDS`, `-F TEXT`, `-E REGEX`) finds code by meaning, words, text or pattern.",
    "- Before changing or removing a symbol: `find_references` (`claudevil refs NAME`), `impact_analysis` (`claudevil impact`).",
];

/// Puts our lines into a text. A new file begins with `head`.
pub fn put(text: &str, head: &str) -> Result<String, Unreadable> {
    block::put(MARKERS, text, head, LINES)
}

pub fn take(text: &str, head: &str) -> Result<Option<StrippedText>, Unreadable> {
    block::take(MARKERS, text, head)
}

pub fn is_there(text: &str) -> Result<bool, Unreadable> {
    block::is_there(MARKERS, text)
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
        let Markers { begin, end } = MARKERS;
        let old = format!("a\n{begin}\nof old\n{end}\nb\n");
        let new = put(&old, "").expect("written");
        assert!(!new.contains("of old") && new.starts_with("a\n") && new.ends_with("\nb\n"));
        assert_eq!(take("nothing of ours", ""), Ok(None));
        assert!(put(&format!("a\n{begin}\nb\n"), "").is_err(), "no end");
        assert!(
            put(&format!("{end}\n{begin}\n"), "").is_err(),
            "the wrong way round"
        );
    }
}
