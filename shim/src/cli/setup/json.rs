//! Entries in a JSON text, put in or taken out; every other byte stays as it is, comments included.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::config_text::{Section, StrippedText, Unreadable};
use super::entry::{Field, differing};

/// A byte order mark, which some editors on Windows put first.
const MARK: &str = "\u{feff}";

/// The JSON that editors accept: with comments, and commas after the last item.
const LENIENT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Adds an entry. Returns the text, and whether the section was there before.
pub fn put(
    text: &str,
    section: &str,
    name: &str,
    fields: &[Field],
) -> Result<(String, Section), Unreadable> {
    edit(text, |top| {
        let (servers, was_there) = match object(top, section)? {
            Some(servers) => (servers, Section::There),
            None => (top.object_value_or_set(section), Section::Made),
        };
        if let Some(entry) = object(&servers, name)? {
            let existing = entry.to_serde_value().unwrap_or_default();
            for field in differing(fields, &existing) {
                set(&entry, field.key, &field.value);
            }
        } else {
            let entry = fields
                .iter()
                .map(|field| (field.key.to_owned(), input(&field.value)))
                .collect();
            servers.append(name, CstInputValue::Object(entry));
        }
        Ok(was_there)
    })
}

/// Edits the object at the top of a text. Returns the text, and what the edit returns.
pub fn edit<T>(
    text: &str,
    edit: impl FnOnce(&CstObject) -> Result<T, Unreadable>,
) -> Result<(String, T), Unreadable> {
    let (mark, body) = marked(text);
    let root = parse(body)?;
    let is_blank = root.value().is_none();
    let done = edit(&top(&root)?)?;
    let mut edited = root.to_string();
    if is_blank && !edited.ends_with('\n') {
        edited.push('\n');
    }
    Ok((format!("{mark}{edited}"), done))
}

pub fn set(object: &CstObject, key: &str, value: &Value) {
    match object.get(key) {
        Some(property) => property.set_value(input(value)),
        None => drop(object.append(key, input(value))),
    }
}

/// Removes an entry. Returns `None` if it is not there.
pub fn take(
    text: &str,
    section: &str,
    name: &str,
    emptied: Section,
) -> Result<Option<StrippedText>, Unreadable> {
    let (mark, body) = marked(text);
    let root = parse(body)?;
    if root.value().is_none() {
        return Ok(None);
    }
    let top = top(&root)?;
    let Some(servers) = object(&top, section)? else {
        return Ok(None);
    };
    let Some(entry) = only(&servers, name)? else {
        return Ok(None);
    };
    entry.remove();
    if emptied == Section::Made && is_bare(&servers) {
        remove(&top, section);
    }
    Ok(Some(StrippedText {
        text: format!("{mark}{root}"),
        is_bare: is_bare(&top),
    }))
}

/// Returns the entry.
pub fn get(text: &str, section: &str, name: &str) -> Result<Option<Value>, Unreadable> {
    let root = parse(marked(text).1)?;
    if root.value().is_none() {
        return Ok(None);
    }
    let Some(servers) = object(&top(&root)?, section)? else {
        return Ok(None);
    };
    Ok(object(&servers, name)?.and_then(|entry| entry.to_serde_value()))
}

fn marked(text: &str) -> (&str, &str) {
    text.strip_prefix(MARK)
        .map_or(("", text), |body| (MARK, body))
}

fn parse(text: &str) -> Result<CstRootNode, Unreadable> {
    CstRootNode::parse(text, &LENIENT)
        .map_err(|error| Unreadable(format!("it is not JSON: {error}")))
}

fn top(root: &CstRootNode) -> Result<CstObject, Unreadable> {
    root.object_value_or_create()
        .ok_or_else(|| Unreadable("its top level is not an object".to_owned()))
}

/// Returns the object under a key. A value of another kind is a mistake, or a notation that we do not know.
pub fn object(parent: &CstObject, key: &str) -> Result<Option<CstObject>, Unreadable> {
    let Some(property) = only(parent, key)? else {
        return Ok(None);
    };
    let value = property.object_value();
    value
        .map(Some)
        .ok_or_else(|| Unreadable(format!("its `{key}` is not an object")))
}

/// Refuses a duplicate key: some programs use the first one, others the last.
pub fn only(parent: &CstObject, key: &str) -> Result<Option<CstObjectProp>, Unreadable> {
    let mut named = parent
        .properties()
        .into_iter()
        .filter(|one| one.decoded_name().as_deref() == Some(key));
    let first = named.next();
    if named.next().is_some() {
        return Err(Unreadable(format!("`{key}` appears twice")));
    }
    Ok(first)
}

/// Returns whether an object has neither properties nor comments.
pub fn is_bare(object: &CstObject) -> bool {
    object.properties().is_empty() && !object.children().iter().any(CstNode::is_comment)
}

pub fn remove(parent: &CstObject, key: &str) {
    parent.get(key).into_iter().for_each(CstObjectProp::remove);
}

pub fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields
                .iter()
                .map(|(key, value)| (key.clone(), input(value)))
                .collect(),
        ),
    }
}
