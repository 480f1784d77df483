//! Credentials in multi-line structures: a Kubernetes manifest, a Markdown table, an SQL insert.

use std::ops::Range;

use super::context::is_setting_line;
use super::scan::skip_yaml_properties;
use super::values::{is_command_password, is_password_argument};

/// The most bytes of a structure that are searched.
const LONGEST: usize = 16 * 1024;

/// Returns the values below `data:` and `stringData:` of a manifest of `kind: Secret`, whatever their names.
pub fn kubernetes_secret(text: &str, at: usize) -> Vec<Range<usize>> {
    const PUBLIC: [&str; 6] = [
        "tls.crt",
        "ca.crt",
        "username",
        "user",
        "namespace",
        "service-ca.crt",
    ];
    let near = text.floor_char_boundary(at.saturating_sub(80));
    let is_line_start = text[near..at]
        .rsplit('\n')
        .next()
        .is_some_and(|before| before.trim().is_empty());
    if !is_line_start
        || text[at..]
            .lines()
            .next()
            .is_none_or(|line| line.trim_end() != "kind: Secret")
    {
        return vec![];
    }
    // A manifest extends from `---` to `---`; `kind` may stand anywhere in it.
    let window_start = text.floor_char_boundary(at.saturating_sub(2048));
    let window_end = text.floor_char_boundary((at + LONGEST).min(text.len()));
    let start = text[window_start..at]
        .rfind("\n---")
        .map_or(window_start, |start| window_start + start + 1);
    let rest = &text[at..window_end];
    let end = [rest.find("\n---"), rest.find("\nkind:")]
        .into_iter()
        .flatten()
        .min()
        .map_or(window_end, |end| at + end);
    let mut values = vec![];
    // The indentation of `data:` while its entries are read, and the indentation of the entries.
    let mut section: Option<usize> = None;
    let mut entries: Option<usize> = None;
    // Says whether the lines below an entry are its value: `key: |`.
    let mut is_block = false;
    let mut line_start = start;
    for line in text[start..end].split_inclusive('\n') {
        let from = line_start;
        line_start += line.len();
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        if inner.trim_end().is_empty() {
            continue;
        }
        if section.is_none_or(|outer| indent <= outer) {
            let is_section = matches!(inner.trim_end(), "data:" | "stringData:");
            (section, entries, is_block) = (is_section.then_some(indent), None, false);
            continue;
        }
        if *entries.get_or_insert(indent) != indent {
            let code = inner.trim_end();
            if is_block && !code.contains("{{") && !is_entry(code) {
                values.push(from + indent..from + indent + code.len());
            }
            continue;
        }
        is_block = false;
        let Some((key, rest)) = inner.split_once(':') else {
            continue;
        };
        let value = rest.trim();
        let quoted = value.trim_matches(['"', '\'']);
        let is_literal = quoted.len() >= 4
            && !quoted.contains("{{")
            && !quoted.starts_with(['|', '>', '<', '$', '#']);
        if PUBLIC.contains(&key.trim_matches(['"', '\''])) || key.contains(' ') {
            continue;
        }
        is_block = value[skip_yaml_properties(value, 0)..].starts_with(['|', '>']);
        if is_literal && !is_block {
            let offset = from + indent + key.len() + 1 + (rest.len() - rest.trim_start().len());
            let offset = offset + usize::from(value.starts_with(['"', '\'']));
            values.push(offset..offset + quoted.len());
        }
    }
    values
}

/// Returns whether a line is an entry of a configuration, whose value is judged by its name: `host: db`, but not `ada:tulip`.
fn is_entry(line: &str) -> bool {
    let is_pair = || {
        let value = line.split_once(':').map(|(_, value)| value);
        value.is_some_and(|value| value.starts_with(|sign: char| !sign.is_whitespace()))
    };
    // The `=` at the end may be the padding of a value in base64, a comma may be that of JSON.
    let entry = line.trim_end_matches(['=', ',']);
    let is_punctuation = !entry.contains(char::is_alphanumeric);
    is_punctuation || is_setting_line(entry).is_none_or(|is_setting| is_setting && !is_pair())
}

/// Returns the cells of the column `Password` of a Markdown table.
pub fn markdown_table(text: &str, at: usize) -> Vec<Range<usize>> {
    let limit = text.floor_char_boundary((at + LONGEST).min(text.len()));
    let near = text.floor_char_boundary(at.saturating_sub(500));
    let start = match text[near..at].rfind('\n') {
        Some(end) => near + end + 1,
        None if near == 0 => 0,
        None => return vec![],
    };
    let mut lines = text[start..limit].split_inclusive('\n');
    let Some(head) = lines.next() else {
        return vec![];
    };
    let Some(rule) = lines
        .next()
        .filter(|rule| rule.trim_start().starts_with('|') && rule.contains("--"))
    else {
        return vec![];
    };
    let is_password = |cell: &str| cell.trim().eq_ignore_ascii_case("password");
    let Some(column) = head.split('|').position(is_password) else {
        return vec![];
    };
    let mut values = vec![];
    let mut line_start = start + head.len() + rule.len();
    for line in lines {
        // Another table may follow immediately.
        if !line.trim_start().starts_with('|')
            || line.split('|').nth(column).is_some_and(is_password)
        {
            break;
        }
        let before: usize = line
            .split('|')
            .take(column)
            .map(|cell| cell.len() + 1)
            .sum();
        if let Some(cell) = line.split('|').nth(column) {
            let value = cell.trim().trim_matches('`');
            let offset = line_start + before + cell.find(value).unwrap_or_default();
            if is_command_password(value) {
                values.push(offset..offset + value.len());
            }
        }
        line_start += line.len();
    }
    values
}

/// Returns the values of the columns with names of credentials:
/// `INSERT INTO users (name, password) VALUES ('ada', '…')`.
pub fn sql_insert(text: &str, at: usize) -> Vec<Range<usize>> {
    let limit = text.floor_char_boundary((at + 2048).min(text.len()));
    let statement = &text[at..limit];
    let Some(open) = statement.find('(') else {
        return vec![];
    };
    let Some(close) = statement[open..].find(')').map(|close| open + close) else {
        return vec![];
    };
    let is_password = |column: &str| {
        let column = column
            .trim()
            .trim_matches(['`', '"', '[', ']'])
            .to_ascii_lowercase();
        ["password", "passwd", "pwd", "secret", "api_key", "token"]
            .iter()
            .any(|name| column.ends_with(name))
    };
    let columns = statement[open + 1..close].split(',');
    let columns: Vec<bool> = columns.map(is_password).collect();
    if statement[..close].contains(';') || !columns.contains(&true) {
        return vec![];
    }
    let mut values = vec![];
    // `INSERT INTO users (name, password) SELECT LOWER('Ada'), '…'` has its values without parentheses around them.
    let source = statement[close + 1..].trim_start();
    let is_select = source
        .get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("select"));
    // The column is that of the outermost parentheses: `(1, MD5('…'), '…')`.
    let (mut column, mut depth, mut has_values) = (0, u32::from(is_select), false);
    let (mut from, mut quote) = (0, None);
    // The quote of the literal around the statement.
    let outer = text.as_bytes()[..at].last().copied();
    let mut offset = close;
    while let Some(byte) = statement.as_bytes().get(offset + 1).copied() {
        offset += 1;
        match (quote, byte) {
            (None, b';') => break,
            (None, b'(') => {
                depth += 1;
                if depth == 1 {
                    column = 0;
                }
            }
            (None, b')') => {
                depth = depth.saturating_sub(1);
                has_values |= depth == 0;
            }
            (None, b',') if depth <= 1 => column += 1,
            // The end of the literal around the statement, which may go on in another: `"INSERT …" + "…"`.
            (None, b'\'' | b'"')
                if Some(byte) == outer && statement.as_bytes()[offset - 1] != b'\\'
                    || has_values && depth == 0 =>
            {
                let rest = &statement[offset + 1..];
                let is_joint = |sign: char| sign.is_whitespace() || "+.&\\".contains(sign);
                let next = rest.trim_start_matches(is_joint);
                if !next.starts_with(char::from(byte)) {
                    break;
                }
                offset += rest.len() - next.len() + 1;
            }
            (None, b'\'' | b'"') => (quote, from) = (Some(byte), offset + 1),
            (Some(open), byte) if open == byte => {
                let is_credential = columns.get(column) == Some(&true);
                // The quote may be escaped: `\'tulip\'`.
                let value = statement[from..offset].trim_end_matches('\\');
                if is_credential && is_password_argument(value) {
                    values.push(at + from..at + from + value.len());
                }
                quote = None;
            }
            _ => {}
        }
    }
    values
}

/// Returns an Airtable token: `pat` and 14 characters, a dot, and 64 hexadecimal digits. The dot is checked first, since many
/// words start with `pat`.
pub fn airtable_token(text: &str, at: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_token = bytes.get(at + 17) == Some(&b'.')
        && (at == 0 || !super::is_token_byte(bytes[at - 1]))
        && bytes[at..at + 17].iter().all(u8::is_ascii_alphanumeric)
        && bytes
            .get(at + 18..at + 82)
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    if is_token {
        std::iter::once(at..at + 82).collect()
    } else {
        vec![]
    }
}
