//! The text before a name, which decides whether an unquoted value may follow and where it ends.

/// The most bytes of a line that are examined before a name.
const NEAR: usize = 200;
/// The number of lines before and after a setting that are examined.
const NEIGHBOURS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// `password: …`: the name begins its line or a comment. The value extends to the end of the line.
    Setting,
    /// `export PASSWORD=…`: the name begins its line and is written like a shell variable. The value is a literal.
    Variable,
    /// `--password …`, `-e PASSWORD=…`, `ENV PASSWORD=…`: the value is the next word.
    Option,
    /// `?token=…`, `"X-Api-Key: …"`: in a URL or at the beginning of a string.
    String,
    /// `;Password=…`, ` password=… dbname=`: among other pairs of a connection string.
    Connection,
    /// `{ user: ada, password: … }`: in a flow mapping of YAML.
    Mapping,
    /// Anything else; an unquoted value is code.
    Code,
}

/// The space between the `=` or `:` and the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    None,
    Space,
}

impl Context {
    /// Returns the context of the name whose word starts at `start` and ends at `end`.
    pub fn new(text: &str, start: usize, end: usize, gap: Gap) -> Self {
        let from = text.floor_char_boundary(start.saturating_sub(NEAR));
        let line = text[from..start].rsplit('\n').next().unwrap_or_default();
        let is_of_name =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let before = line.trim_end_matches(is_of_name);
        let head = &line[before.len()..];
        let is_shouted = || {
            let is_capital =
                |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
            head.bytes().chain(text[start..end].bytes()).all(is_capital)
        };
        let is_parameter = || before.ends_with(['?', '&', '"', '\'', '`']) && gap == Gap::None;
        let is_quoted = || {
            before.ends_with(['"', '\''])
                && !before[..before.len() - 1].trim_end().is_empty()
                && !before
                    .trim_end_matches(['"', '\''])
                    .ends_with(['-', ',', '{', '[', '('])
        };
        let is_first_pair = || {
            gap == Gap::None
                && before.ends_with([' ', ','])
                && is_in_string(before)
                && (names_a_server(before) || before.ends_with(','))
        };
        let is_later_pair = || before.trim_end().ends_with(';') && names_a_server(before);
        if head.starts_with("--") || head.starts_with("-D") || takes_options(before) {
            Self::Option
        } else if is_parameter() || is_quoted() {
            Self::String
        } else if gap == Gap::None && begins_variable(before) && is_shouted() {
            Self::Variable
        } else if begins_setting(before) {
            Self::Setting
        } else if is_first_pair() || is_later_pair() {
            Self::Connection
        } else if gap == Gap::Space
            && before.ends_with(['{', ' '])
            && before.trim_end().ends_with(['{', ','])
            && before.contains('{')
        {
            Self::Mapping
        } else {
            Self::Code
        }
    }
}

/// Returns whether most lines around a line are settings (`key = value`, `key: value`, sections) rather than code.
pub fn is_among_settings(text: &str, at: usize) -> bool {
    let near = 120 * NEIGHBOURS;
    let start = text.floor_char_boundary(at.saturating_sub(near));
    let end = text.floor_char_boundary((at + near).min(text.len()));
    // The window may cut the first and the last line in two.
    let before = text[start..at]
        .rsplit('\n')
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .take(NEIGHBOURS);
    let behind = text[at..end]
        .split('\n')
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .take(NEIGHBOURS);
    let (mut settings, mut others) = (0, 0);
    for line in before.chain(behind) {
        match is_setting_line(line.trim()) {
            Some(true) => settings += 1,
            Some(false) => others += 1,
            None => {}
        }
    }
    others == 0 || settings > others
}

/// Returns whether a line is a setting; none for comments, which may stand anywhere.
pub fn is_setting_line(line: &str) -> Option<bool> {
    if line.starts_with(['#', ';']) || line.starts_with("//") || line.starts_with("--") {
        return None;
    }
    if line.starts_with('[') && line.ends_with(']') || line.starts_with("- ") {
        return Some(true);
    }
    if line.ends_with([';', '{', '(', ')', '}', ',', '\\']) {
        return Some(false);
    }
    let key = line
        .trim_start_matches("export ")
        .trim_start_matches(['"', '\'']);
    let length = key
        .bytes()
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')
        })
        .count();
    let rest = key[length..].trim_start_matches(['"', '\'']).trim_start();
    let is_call = rest[..].contains(['(', '{']) && !rest.contains("{{") && !rest.contains("${");
    Some(
        length > 0
            && (rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with(':'))
            && !is_call,
    )
}

fn takes_options(before: &str) -> bool {
    const STARTS: [&str; 2] = ["ENV ", "ARG "];
    const ENDS: [&str; 9] = [
        "-e ",
        "--env ",
        "--env=",
        "--build-arg ",
        "--set ",
        "--set-string ",
        "--from-literal ",
        "--from-literal=",
        "-E ",
    ];
    let start = before.trim_start();
    let end = before.trim_end_matches(['"', '\'']);
    STARTS.iter().any(|one| start.starts_with(one)) || ENDS.iter().any(|one| end.ends_with(one))
}

fn begins_variable(before: &str) -> bool {
    const LINES: [&str; 10] = [
        "",
        "export",
        "-",
        "set",
        "SET",
        "local",
        "declare",
        "readonly",
        "declare -r",
        "declare -x",
    ];
    LINES.contains(&before.trim().trim_end_matches(['"', '\'']).trim_end())
}

/// Returns whether a name begins a comment, or only text precedes it that may precede a key in a settings file: `export`, `- `.
fn begins_setting(before: &str) -> bool {
    const COMMENTS: [&str; 4] = ["#", "//", "/*", "<!--"];
    #[rustfmt::skip]
    const LINES: [&str; 14] = ["", "export", "-", "set", "SET", "*", ";", "--", "- **", "**", "local", "readonly", "declare", "typeset"];
    let before = before.trim();
    LINES.contains(&before.trim_end_matches(['"', '\'']).trim_end())
        || COMMENTS.iter().any(|sign| before.ends_with(sign))
}

/// Returns whether the text ends inside a string.
fn is_in_string(before: &str) -> bool {
    before.matches('"').count() % 2 == 1 || before.matches('\'').count() % 2 == 1
}

/// Returns whether the pairs of a connection string name a server, a user or a database.
fn names_a_server(before: &str) -> bool {
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
