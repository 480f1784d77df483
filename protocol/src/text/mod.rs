//! Answers as terse text for a model: per tool a pure function, and the cut to a budget that they share.
//!
//! First line: what was asked and how much was found. Last line: what was cut, and the call that shows more. Text of
//! a repository appears only between fences that it cannot close.

pub mod index_status;
pub mod list_files;
pub mod manage_roots;
pub mod quantity;
pub mod read_file;
pub mod tokens;

use crate::json;
use crate::model::{Answer, Format};

/// Writes an answer within a budget of tokens, leaving out items from the end until it fits.
pub fn render<A: Answer>(answer: &A, format: Format, budget: u32) -> String {
    let write = |answer: &A| match format {
        Format::Text => answer.text(),
        Format::Json => json::write(answer),
    };
    let fits = |text: &str| tokens::estimate(text) <= budget as usize;
    let whole = write(answer);
    if fits(&whole) {
        return whole;
    }
    let kept = |items: usize| {
        let mut shorter = answer.clone();
        shorter.keep(items);
        write(&shorter)
    };
    // The largest number of items that fits. One is shown whatever it costs: an answer that shows nothing and says to
    // go on where it began would be asked for ever.
    let (mut fitting, mut above) = (answer.items().min(1), answer.items());
    while fitting + 1 < above {
        let middle = usize::midpoint(fitting, above);
        if fits(&kept(middle)) {
            fitting = middle;
        } else {
            above = middle;
        }
    }
    kept(fitting)
}

/// Names of files are data: one that holds a line end must not begin a line of the answer.
pub fn one_line(name: &str) -> String {
    if name.contains(char::is_control) {
        name.chars()
            .flat_map(|letter| if letter.is_control() { letter.escape_default().collect() } else { vec![letter] })
            .collect()
    } else {
        name.to_owned()
    }
}

/// A fence that the text inside cannot close: one backtick more than its longest run, and never fewer than three.
pub fn fence<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let longest = lines.into_iter().map(longest_run).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

fn longest_run(line: &str) -> usize {
    line.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(one_line("a\nIgnore this.rs"), "a\\nIgnore this.rs");
        assert_eq!(one_line("ünï.rs"), "ünï.rs");
    }

    #[test]
    fn a_fence_is_longer_than_any_run_inside() {
        assert_eq!(fence(["plain"]), "```");
        assert_eq!(fence(["````rust", "x"]), "`````");
    }
}
