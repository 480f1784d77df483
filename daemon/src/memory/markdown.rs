//! Markdown with front matter: written plainly, read leniently.
//!
//! Only the part of YAML that notes need is understood: one key and value per line, lists in brackets or one item per line,
//! quotes. Other lines are passed over with a remark, and preserved when a file is rewritten.

/// The most lines of a front matter. A longer one is taken for text that begins with a horizontal rule.
const MAX_LINES: usize = 200;
const RULE: &str = "---";

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Document<'a> {
    fields: Vec<(String, Vec<String>)>,
    /// The text after the front matter.
    pub body: &'a str,
    /// The first problem of the front matter.
    pub remark: Option<String>,
}

impl<'a> Document<'a> {
    pub fn read(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Some((front, body)) = split(text) else {
            let remark = starts_with_rule(text)
                .then(|| "its front matter has no end, so all of it is text".to_owned());
            return Self {
                fields: vec![],
                body: text,
                remark,
            };
        };
        let mut document = Self {
            body,
            ..Self::default()
        };
        let inner = front.lines().count() - 1;
        for (number, line) in front.lines().enumerate().take(inner).skip(1) {
            if !document.read_line(line) && document.remark.is_none() {
                document.remark = Some(format!(
                    "line {} of its front matter was not understood",
                    number + 1
                ));
            }
        }
        document
    }

    /// Returns the value of a field that has one.
    pub fn one(&self, key: &str) -> Option<&str> {
        self.many(key)
            .first()
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns the values of a field that may have several.
    pub fn many(&self, key: &str) -> &[String] {
        self.fields
            .iter()
            .find(|(known, _)| known == key)
            .map_or(&[], |(_, values)| values)
    }

    /// Reads a line of the front matter; false if it cannot be understood.
    fn read_line(&mut self, line: &str) -> bool {
        let line = line.trim_end();
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return true;
        }
        if let Some(item) = trimmed.strip_prefix("- ") {
            let Some((_, values)) = self.fields.last_mut() else {
                return false;
            };
            values.push(unquote(item));
            return true;
        }
        match split_field(line) {
            Some((key, value)) => {
                self.fields.push((key.to_lowercase(), values(value.trim())));
                true
            }
            None => false,
        }
    }
}

/// Returns the text of a file with these fields and this body. Empty lists are left out.
pub fn write(fields: &[(&str, Vec<String>)], body: &str) -> String {
    let lines: String = fields
        .iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(key, values)| field(key, values))
        .collect();
    format!("{RULE}\n{lines}{RULE}\n\n{}\n", body.trim())
}

/// The name of a field and its new value; none removes the field.
pub type FieldChange = (&'static str, Option<String>);

/// Returns a file with changed fields and, if given, another body. The rest of the front matter stays as it is.
pub fn rewrite(text: &str, changes: &[FieldChange], body: Option<&str>) -> String {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (front, old_body) = split(bare).unwrap_or(("", bare));
    let mut lines: Vec<String> = front.lines().skip(1).map(str::to_owned).collect();
    lines.pop();
    for (key, value) in changes {
        let at = lines.iter().position(|line| {
            split_field(line).is_some_and(|(known, _)| known.eq_ignore_ascii_case(key))
        });
        let written = value.as_ref().map(|value| {
            field(key, std::slice::from_ref(value))
                .trim_end()
                .to_owned()
        });
        match (at, written) {
            (Some(at), Some(written)) => lines[at] = written,
            (Some(at), None) => drop(lines.remove(at)),
            (None, Some(written)) => lines.push(written),
            (None, None) => {}
        }
    }
    // A file that is kept keeps its line ends; a new body has plain ones.
    let first = bare.split_inclusive('\n').next().unwrap_or_default();
    let end = if body.is_none() && first.ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let front: String = lines.iter().map(|line| format!("{line}{end}")).collect();
    match body {
        Some(body) => format!("{RULE}{end}{front}{RULE}{end}{end}{}{end}", body.trim()),
        None => format!("{RULE}{end}{front}{RULE}{end}{old_body}"),
    }
}

fn starts_with_rule(text: &str) -> bool {
    text.lines()
        .next()
        .is_some_and(|first| first.trim_end() == RULE)
}

/// Splits a text into its front matter, with both its rules, and its body.
fn split(text: &str) -> Option<(&str, &str)> {
    if !starts_with_rule(text) {
        return None;
    }
    let mut end = 0;
    for (number, line) in text.split_inclusive('\n').enumerate().take(MAX_LINES) {
        end += line.len();
        if number > 0 && matches!(line.trim_end(), RULE | "...") {
            return Some(text.split_at(end));
        }
    }
    None
}

/// Splits a line `key: value`.
fn split_field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let is_value = value.is_empty() || value.starts_with([' ', '\t']);
    (!key.is_empty() && key.chars().all(is_key) && is_value).then_some((key, value))
}

/// Returns the values of a field: `parser`, `[parser, lexer]`. Empty for `tags:`, whose items may be on the next lines.
fn values(text: &str) -> Vec<String> {
    if text.is_empty() {
        return vec![];
    }
    match text
        .strip_prefix('[')
        .map(|list| list.trim_end().strip_suffix(']').unwrap_or(list))
    {
        Some(list) => items(list),
        None => vec![unquote(text)],
    }
}

/// Splits a list at the commas that are not in quotes.
fn items(list: &str) -> Vec<String> {
    let mut items = vec![];
    let (mut start, mut quote, mut escaped) = (0, None, false);
    for (at, letter) in list.char_indices() {
        match (quote, letter) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), letter) if open == letter && !escaped => quote = None,
            (None, '"' | '\'') if list[start..at].trim().is_empty() => quote = Some(letter),
            (None, ',') => {
                items.push(unquote(&list[start..at]));
                start = at + 1;
            }
            _ => {}
        }
        escaped = false;
    }
    items.push(unquote(&list[start..]));
    items.retain(|item| !item.is_empty());
    items
}

fn unquote(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('"')
        && let Ok(inner) = serde_json::from_str::<String>(text)
    {
        return inner;
    }
    let single = text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    single.map_or_else(
        || text.trim_matches('"').to_owned(),
        |inner| inner.replace("''", "'"),
    )
}

fn field(key: &str, values: &[String]) -> String {
    match values {
        [one] if !LISTS.contains(&key) => format!("{key}: {}\n", quote(one, false)),
        many => {
            let items: Vec<_> = many.iter().map(|item| quote(item, true)).collect();
            format!("{key}: [{}]\n", items.join(", "))
        }
    }
}

/// Fields that are written as lists even with one item.
const LISTS: [&str; 3] = ["tags", "symbols", "files"];

/// Quotes a text, unless every YAML parser reads it as the same string without quotes.
fn quote(text: &str, in_list: bool) -> String {
    let is_plain = |letter: char| {
        letter.is_ascii_alphanumeric()
            || "_-./".contains(letter)
            || !in_list && " :".contains(letter)
    };
    let is_keyword = ["true", "false", "null", "yes", "no", "on", "off"]
        .contains(&text.to_ascii_lowercase().as_str());
    let plain = text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(is_plain)
        && !text.contains(": ")
        && !text.ends_with([' ', ':'])
        && !(text.parse::<f64>().is_ok() || is_keyword);
    if plain {
        text.to_owned()
    } else {
        serde_json::Value::from(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(items: &[&str]) -> Vec<String> {
        items.iter().map(|&item| item.to_owned()).collect()
    }

    #[test]
    fn written_fields_are_read_back() {
        let symbols = owned(&[
            "Parser::next",
            "Map<K, V>::get",
            "it's \"quoted\"",
            "größe",
            "true",
            "42",
        ]);
        let fields = [
            ("created", owned(&["2026-11-15T15:45:12Z"])),
            ("title", owned(&["Fix: the \"lexer\" [now]"])),
            ("tags", owned(&["parser"])),
            ("symbols", symbols.clone()),
            ("files", vec![]),
        ];
        let text = write(&fields, "\n# The lexer\n---\nkeeps its place\n\n");
        assert!(
            text.starts_with("---\ncreated: 2026-11-15T15:45:12Z\n") && !text.contains("files"),
            "{text}"
        );
        let document = Document::read(&text);
        assert_eq!(document.remark, None);
        assert_eq!(document.one("created"), Some("2026-11-15T15:45:12Z"));
        assert_eq!(document.one("title"), Some("Fix: the \"lexer\" [now]"));
        assert_eq!(document.many("tags"), owned(&["parser"]));
        assert_eq!(document.many("symbols"), symbols);
        assert_eq!(document.body.trim(), "# The lexer\n---\nkeeps its place");
    }

    #[test]
    fn front_matter_by_hand_is_read_leniently() {
        let windows = Document::read(
            "\u{feff}---\r\nTags:\r\n  - a\r\n  - 'b c'\r\n# mine\r\ncreated: \"2026-11-15\"\r\n---\r\ntext\r\n",
        );
        assert_eq!(windows.many("tags"), owned(&["a", "b c"]));
        assert_eq!(
            (
                windows.one("created"),
                windows.body.trim(),
                windows.remark.as_ref()
            ),
            (Some("2026-11-15"), "text", None)
        );
        let odd = Document::read("---\ntags: [a, b\nwhat is this\n---\ntext");
        assert_eq!(odd.many("tags"), owned(&["a", "b"]));
        assert_eq!(
            odd.remark.as_deref(),
            Some("line 3 of its front matter was not understood")
        );
        let endless = Document::read("---\ntags: [a]\n\ntext");
        assert_eq!(endless.body, "---\ntags: [a]\n\ntext");
        assert!(endless.remark.is_some());
        assert_eq!(Document::read("plain text").body, "plain text");
        for text in [
            "",
            "---",
            "---\n",
            "---\n---",
            "---\n- a\n---\n",
            "---\n:\n: x\n---\nb",
            "---\nk: [\"a\\\"\n---\n",
        ] {
            let _ = Document::read(text);
            let _ = rewrite(text, &[("status", Some("open".to_owned()))], None);
        }
    }

    #[test]
    fn a_rewrite_preserves_other_fields() {
        let text = "---\n# by hand\ntitle: Docs\nstatus: open\nowner:   ada\ncompleted: x\n---\n\n- [ ] a  \n";
        let changes = [
            ("status", Some("active".to_owned())),
            ("completed", None),
            ("activated", Some("now".to_owned())),
        ];
        assert_eq!(
            rewrite(text, &changes, None),
            "---\n# by hand\ntitle: Docs\nstatus: active\nowner:   ada\nactivated: now\n---\n\n- [ ] a  \n"
        );
        assert_eq!(
            rewrite(text, &[], Some("new\n\n")),
            "---\n# by hand\ntitle: Docs\nstatus: open\nowner:   ada\ncompleted: x\n---\n\nnew\n"
        );
        assert_eq!(
            rewrite("only text\n", &changes[..1], None),
            "---\nstatus: active\n---\nonly text\n"
        );
        assert_eq!(
            rewrite(
                "---\r\nstatus: open\r\nowner: ada\r\n---\r\na\r\n",
                &changes,
                None
            ),
            "---\r\nstatus: active\r\nowner: ada\r\nactivated: now\r\n---\r\na\r\n"
        );
    }
}
