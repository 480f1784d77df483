//! What stands before a name: whether a value without quotes may follow it, and where that would end.

/// Bytes of a line that are looked at before a name.
const NEAR: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// The name begins its line, or a comment: what follows it is a value if that ends the line.
    Setting,
    /// An option, or a variable for a command or an image: the value is the next word.
    Option,
    /// In a URL or at the beginning of a string.
    Within,
    /// Behind other pairs of a connection string: the value ends with the next semicolon.
    Connection,
    /// Anything else, where no value is without quotes.
    Code,
}

/// Whether anything but a sign is between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Adjoining,
    Apart,
}

impl Surroundings {
    /// Of the name that has a word at a place.
    pub fn of(text: &str, at: usize, value: Value) -> Self {
        let from = text.floor_char_boundary(at.saturating_sub(NEAR));
        let line = text[from..at].rsplit('\n').next().unwrap_or_default();
        let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.');
        let before = line.trim_end_matches(is_of_name);
        let head = &line[before.len()..];
        if head.starts_with("--") || head.starts_with("-D") || takes_options(before) {
            Self::Option
        } else if value == Value::Adjoining && before.ends_with(['?', '&', '"', '\'', '`']) {
            Self::Within
        } else if begins_setting(before) {
            Self::Setting
        } else if before.trim_end().ends_with(';') && names_a_place(before) {
            Self::Connection
        } else {
            Self::Code
        }
    }
}

fn takes_options(before: &str) -> bool {
    const STARTS: [&str; 2] = ["ENV ", "ARG "];
    const ENDS: [&str; 8] =
        ["-e ", "--env ", "--env=", "--build-arg ", "--set ", "--set-string ", "--from-literal ", "--from-literal="];
    let start = before.trim_start();
    let end = before.trim_end_matches(['"', '\'']);
    STARTS.iter().any(|one| start.starts_with(one)) || ENDS.iter().any(|one| end.ends_with(one))
}

/// Whether nothing but what may stand before a key of a settings file does, or a comment begins.
fn begins_setting(before: &str) -> bool {
    const COMMENTS: [&str; 4] = ["#", "//", "/*", "<!--"];
    const LINES: [&str; 8] = ["", "export", "-", "set", "SET", "*", ";", "--"];
    let before = before.trim();
    LINES.contains(&before.trim_end_matches(['"', '\'']).trim_end())
        || COMMENTS.iter().any(|sign| before.ends_with(sign))
}

/// Whether pairs say where something is that one may be connected to.
fn names_a_place(before: &str) -> bool {
    const KEYS: [&str; 13] = [
        "server=",
        "source=",
        "host=",
        "uid=",
        "user id=",
        "user=",
        "username=",
        "database=",
        "catalog=",
        "dbname=",
        "port=",
        "accountname=",
        "endpoint=",
    ];
    let lower = before.to_ascii_lowercase();
    KEYS.iter().any(|key| lower.contains(key))
}
