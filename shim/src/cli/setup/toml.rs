//! One entry in a TOML text, put in or taken out; every other byte stays as it is, comments included.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike};

use super::config_text::{Section, StrippedText, Unreadable};
use super::entry::{Field, differing};

/// Adds an entry. Returns the text, and whether the section was there before.
pub fn put(
    text: &str,
    section: &str,
    name: &str,
    fields: &[Field],
) -> Result<(String, Section), Unreadable> {
    let mut document = parse(text)?;
    let was_there = if document.contains_key(section) {
        Section::There
    } else {
        Section::Made
    };
    let existing = get(text, section, name)?;
    let is_inline = document.get(section).is_some_and(Item::is_inline_table);
    if existing.is_none() && !is_inline {
        return Ok((append_table(text, section, name, fields), was_there));
    }
    let existing = existing.unwrap_or_default();
    let servers = table(document.as_table_mut(), section)?;
    let Some(servers) = servers else {
        return Ok((text.to_owned(), was_there));
    };
    if !servers.contains_key(name) {
        servers.insert(name, Item::Value(InlineTable::new().into()));
    }
    if let Some(entry) = table(servers, name)? {
        for field in differing(fields, &existing) {
            set(entry, field.key, &field.value);
        }
    }
    Ok((restore_newlines(text, &document), was_there))
}

/// Removes an entry. Returns `None` if it is not there.
pub fn take(
    text: &str,
    section: &str,
    name: &str,
    emptied: Section,
) -> Result<Option<StrippedText>, Unreadable> {
    let mut document = parse(text)?;
    let Some(servers) = table(document.as_table_mut(), section)? else {
        return Ok(None);
    };
    let Some(entry) = servers.remove(name) else {
        return Ok(None);
    };
    let is_empty = servers.is_empty();
    if is_empty && emptied == Section::Made {
        document.remove(section);
    }
    // Comments between the last entry and ours are not about ours, which was added after them.
    let before = entry
        .as_table()
        .and_then(|table| table.decor().prefix()?.as_str())
        .unwrap_or_default();
    if let Some(kept) = before.rfind('#').map(|at| line_end(before, at)) {
        let trailing = document.trailing().as_str().unwrap_or_default();
        let trailing = format!("{}{trailing}", &before[..kept]);
        document.set_trailing(trailing);
    }
    let text = restore_newlines(text, &document);
    let is_bare = text.trim().is_empty();
    Ok(Some(StrippedText { text, is_bare }))
}

/// Returns the entry.
pub fn get(text: &str, section: &str, name: &str) -> Result<Option<Value>, Unreadable> {
    let mut document = parse(text)?;
    let Some(servers) = table(document.as_table_mut(), section)? else {
        return Ok(None);
    };
    let Some(entry) = table(servers, name)? else {
        return Ok(None);
    };
    let fields = entry.iter().map(|(key, item)| (key.to_owned(), json(item)));
    Ok(Some(Value::Object(fields.collect())))
}

/// Appends a table, which may stand at the end of any text, so that nothing before it has to change.
fn append_table(text: &str, section: &str, name: &str, fields: &[Field]) -> String {
    let newline = newline(text);
    let mut added = text.to_owned();
    if !added.is_empty() && !added.ends_with('\n') {
        added.push_str(newline);
    }
    if !added.trim().is_empty() {
        added.push_str(newline);
    }
    added.push_str(&format!("[{section}.{name}]{newline}"));
    for field in fields {
        added.push_str(&format!(
            "{} = {}{newline}",
            field.key,
            value(&field.value).to_string().trim()
        ));
    }
    added
}

fn parse(text: &str) -> Result<DocumentMut, Unreadable> {
    text.parse()
        .map_err(|error| Unreadable(format!("it is not TOML: {}", first_line(&error))))
}

/// Returns the first line of the library's message; its other lines draw the location.
fn first_line(error: &toml_edit::TomlError) -> String {
    let drawn = error.to_string();
    let place = drawn
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches("TOML parse error at ");
    format!("{place}: {}", error.message())
}

fn table<'a>(
    parent: &'a mut dyn TableLike,
    key: &str,
) -> Result<Option<&'a mut dyn TableLike>, Unreadable> {
    let Some(item) = parent.get_mut(key) else {
        return Ok(None);
    };
    let table = item.as_table_like_mut();
    table
        .map(Some)
        .ok_or_else(|| Unreadable(format!("its `{key}` is not a table")))
}

/// Replaces a value where it stands, so that comments beside it stay.
fn set(entry: &mut dyn TableLike, key: &str, new: &Value) {
    let mut new = value(new);
    if let Some(old) = entry.get_mut(key).and_then(Item::as_value_mut) {
        *new.decor_mut() = old.decor().clone();
        *old = new;
    } else {
        entry.insert(key, Item::Value(new));
    }
}

/// Restores the line ends of a text: the library writes line feeds alone.
fn restore_newlines(text: &str, document: &DocumentMut) -> String {
    let edited = document.to_string();
    if newline(text) == "\r\n" {
        edited.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        edited
    }
}

fn newline(text: &str) -> &'static str {
    let feeds = text.matches('\n').count();
    if feeds > 0 && feeds == text.matches("\r\n").count() {
        "\r\n"
    } else {
        "\n"
    }
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

fn value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Null => "".into(),
        Value::Bool(value) => (*value).into(),
        Value::Number(value) => value.as_i64().unwrap_or_default().into(),
        Value::String(value) => value.as_str().into(),
        Value::Array(items) => items.iter().map(self::value).collect::<Array>().into(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| (key.as_str(), self::value(value)));
            fields.collect::<InlineTable>().into()
        }
    }
}

/// Converts the values that entries are compared by: texts, lists and tables of them.
fn json(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return Value::Object(
            table
                .iter()
                .map(|(key, item)| (key.to_owned(), json(item)))
                .collect(),
        );
    }
    match item.as_value() {
        Some(toml_edit::Value::String(text)) => Value::String(text.value().clone()),
        Some(toml_edit::Value::Boolean(is)) => Value::Bool(*is.value()),
        Some(toml_edit::Value::Integer(number)) => Value::from(*number.value()),
        Some(toml_edit::Value::Array(items)) => Value::Array(
            items
                .iter()
                .map(|one| json(&Item::Value(one.clone())))
                .collect(),
        ),
        Some(other) => Value::String(other.to_string()),
        None => Value::Null,
    }
}
