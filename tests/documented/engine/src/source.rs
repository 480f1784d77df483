//! Where sums come from.

use std::fs;

/// Gives one sum after another.
pub trait Source {
    /// The next sum, until there is none.
    fn next_line(&mut self) -> Option<String>;
}

/// The lines of a file.
pub struct FileSource {
    lines: Vec<String>,
}

impl FileSource {
    pub fn new(path: &str) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        Self { lines: text.lines().rev().map(str::to_owned).collect() }
    }
}

impl Source for FileSource {
    fn next_line(&mut self) -> Option<String> {
        self.lines.pop()
    }
}

/// One sum, in the words of a command line.
pub struct Words {
    line: Option<String>,
}

impl Words {
    pub fn new(words: &[String]) -> Self {
        Self { line: (!words.is_empty()).then(|| words.join(" ")) }
    }
}

impl Source for Words {
    fn next_line(&mut self) -> Option<String> {
        self.line.take()
    }
}
