//! Counts tokens, so that a long file can be told from a short one.

use crate::lexer::Lexer;

/// How many tokens were seen so far.
#[derive(Default)]
pub struct Counter {
    tokens: usize,
    lines: usize,
}

impl Counter {
    /// Adds the tokens of a line.
    pub fn add(&mut self, line: &str) {
        self.tokens += count_tokens(line);
        self.lines += 1;
    }

    pub fn total(&self) -> usize {
        self.tokens
    }

    /// The mean of all lines; nothing where there are none.
    pub fn per_line(&self) -> Option<usize> {
        self.tokens.checked_div(self.lines)
    }
}

/// How many tokens a text has.
pub fn count_tokens(text: &str) -> usize {
    Lexer::new(text).count()
}
