//! The values in lists and maps: `handlers["open"]`, `handlers["open"] = open`.

use std::rc::Rc;

use super::statements::{
    PatternStep, bracketed, items, normalized_key, split_at, statement_length,
};
use super::{FlowValue, MAX_VALUES, union};
use crate::extract::facts::Role;
use crate::graph::scope::Meaning;
use crate::graph::{Flows, Position};

/// The most uses of a container that are searched for writes.
const MAX_WRITES: usize = 200;

/// A value that is put into a container: `handlers["open"] = open`.
struct ItemWrite {
    /// For each key on the path from the container to the item, the constants that it may be, or no constants if it is
    /// unknown. There are no keys if a whole container is merged into this one: `handlers.update(more)`.
    keys: Vec<Vec<String>>,
    value: String,
    here: Position,
}

impl Flows<'_, '_> {
    /// Returns the items of values at the last of these keys. `name` is the variable to which all of the keys are applied.
    pub(super) fn index_values(
        self,
        here: Position,
        values: &[FlowValue],
        name: Option<&str>,
        keys: &[&str],
    ) -> Vec<FlowValue> {
        let Some(last) = keys.last() else {
            return vec![];
        };
        let known = self.key_values(here, last);
        let literal = || {
            union(
                values
                    .iter()
                    .map(|value| self.items_at(value, last, &known)),
            )
        };
        let Some(name) = name else {
            return literal();
        };
        let paths: Vec<Vec<String>> = keys.iter().map(|key| self.key_values(here, key)).collect();
        let mut writes = self.item_writes(here, name);
        writes.retain(|write| is_path(&write.keys, &paths));
        let Some(text) = self.source_text(here.file) else {
            return literal();
        };
        // The last unconditional write of the same key before the position replaces earlier items.
        let is_one_item = |keys: &[Vec<String>]| keys.iter().all(|key| key.len() == 1);
        let is_certain = |write: &ItemWrite| {
            !write.keys.is_empty()
                && is_one_item(&write.keys)
                && is_one_item(&paths)
                && (write.here.file, write.here.symbol) == (here.file, here.symbol)
                && write.here.line < here.line
                && text.indent(write.here.line) <= text.indent(here.line)
        };
        let replaced = writes.iter().rposition(is_certain);
        let from = replaced.unwrap_or(0);
        let written = union(writes[from..].iter().map(|write| {
            let value = self.evaluate(write.here, &write.value);
            if write.keys.is_empty() {
                union(value.iter().map(|value| self.items_at(value, last, &known)))
            } else {
                value
            }
        }));
        if replaced.is_some() {
            return written;
        }
        union([literal(), written].into_iter())
    }

    /// Returns the items of a literal with one of these keys; all items if the key is not known.
    fn items_at(self, of: &FlowValue, key: &str, known: &[String]) -> Vec<FlowValue> {
        let FlowValue::Literal(text, here) = of else {
            return vec![];
        };
        let all = items(text);
        if let [from, to] = split_at(key, ':')[..]
            && let (Ok(from), Ok(to)) = (from.trim().parse::<usize>(), to.trim().parse::<usize>())
        {
            let some = all.iter().take(to).skip(from).map(|item| item.value);
            let list: Rc<str> = format!("[{}]", some.collect::<Vec<_>>().join(", ")).into();
            return vec![FlowValue::Literal(list, *here)];
        }
        let is_meant = |place: usize, own: Option<&str>| {
            known.is_empty()
                || known.iter().any(|key| match own {
                    Some(own) => normalized_key(own) == *key,
                    None => key.parse() == Ok(place),
                })
        };
        let meant = (0..)
            .zip(&all)
            .filter(|(place, item)| is_meant(*place, item.key));
        union(meant.map(|(_, item)| self.evaluate(*here, item.value)))
    }

    /// Returns the possible constant values of a key; empty if the key is unknown.
    fn key_values(self, here: Position, key: &str) -> Vec<String> {
        let constants = self
            .evaluate(here, key)
            .into_iter()
            .map(|value| match value {
                FlowValue::Literal(text, _) if !text.starts_with(['[', '{']) => {
                    Some(normalized_key(&text))
                }
                _ => None,
            });
        let constants = constants.collect::<Option<Vec<_>>>().unwrap_or_default();
        if constants.len() < MAX_VALUES {
            constants
        } else {
            vec![]
        }
    }

    /// Returns the writes into the container that a name refers to, in the order of the text.
    fn item_writes(self, here: Position, name: &str) -> Vec<ItemWrite> {
        let meaning = self.scopes().resolve(here, name);
        let file = match &meaning {
            Meaning::Symbols(found, _) => found.first().map_or(here.file, |at| at.file),
            _ => here.file,
        };
        let uses = self.uses(file);
        let Some(text) = self.source_text(file) else {
            return vec![];
        };
        let reads = uses.named(name).filter(|row| row.role == Role::Read);
        let writes = reads.take(MAX_WRITES).filter_map(|row| {
            let at = Position::from_use(file, row);
            let offset = text.offset(row.line, row.column)? + name.len();
            let behind = text.text.get(offset..)?;
            let (keys, value) = self.written_item(file, behind)?;
            let is_same = || match (&meaning, self.scopes().resolve(at, name)) {
                (Meaning::Local(_, one), Meaning::Local(_, other)) => one == &other,
                (Meaning::Symbols(one, _), Meaning::Symbols(other, _)) => one == &other,
                _ => false,
            };
            if !is_same() {
                return None;
            }
            let keys = keys.iter().map(|key| self.key_values(at, key));
            Some(ItemWrite {
                keys: keys.collect(),
                value: value.to_owned(),
                here: at,
            })
        });
        writes.collect()
    }

    /// Parses the keys and the value after the name of a container: `["open"] = open`, `.update({…})`.
    fn written_item(self, file: u32, mut text: &str) -> Option<(Vec<&str>, &str)> {
        if let Some(called) = text.strip_prefix('.') {
            let open = called.find('(')?;
            let methods = self.rules(file)?.family.merging_methods();
            let (inside, _) = bracketed(&called[open..])?;
            return methods
                .contains(&&called[..open])
                .then_some((vec![], inside));
        }
        let mut keys = vec![];
        while let Some((key, behind)) = bracketed(text).filter(|_| text.starts_with('[')) {
            keys.push(key);
            text = behind;
        }
        let value = text.trim_start_matches(' ').strip_prefix('=')?;
        if keys.is_empty() || value.starts_with('=') {
            return None;
        }
        Some((keys, &value[..statement_length(value, self.comments(file))]))
    }

    /// Returns the result of a method that returns items of a literal, and the text after the call: `handlers.get(key)`.
    pub(super) fn container_call<'t>(
        self,
        here: Position,
        values: &[FlowValue],
        method: &str,
        behind: &'t str,
    ) -> Option<(Vec<FlowValue>, &'t str)> {
        let rules = self.rules(here.file)?;
        let is_literal = |value: &FlowValue| matches!(value, FlowValue::Literal(..));
        if !rules.unwrapping_methods.contains(&method) || !values.iter().any(is_literal) {
            return None;
        }
        let (arguments, behind) = bracketed(behind).filter(|_| behind.starts_with('('))?;
        let key = split_at(arguments, ',').first().copied();
        let found = match key {
            Some(key) => self.index_values(here, values, None, &[key]),
            None => values.to_vec(),
        };
        Some((found, behind))
    }

    /// Returns the part of a value that a step of a pattern selects.
    pub(super) fn part(self, of: &FlowValue, step: PatternStep) -> Vec<FlowValue> {
        if step == PatternStep::Iteration {
            return self.iterate(of);
        }
        let FlowValue::Literal(text, here) = of else {
            return vec![];
        };
        let all = items(text);
        let item = |place: Option<usize>| {
            let item = place.and_then(|place| all.get(place));
            item.map_or(vec![], |item| self.evaluate(*here, item.value))
        };
        match step {
            PatternStep::Item(place) => item(Some(place)),
            PatternStep::ItemFromEnd(after) => item(all.len().checked_sub(after + 1)),
            PatternStep::Rest(before, after) => {
                let end = all.len().saturating_sub(after);
                let some = all.iter().take(end).skip(before).map(|item| item.value);
                let list: Rc<str> = format!("[{}]", some.collect::<Vec<_>>().join(", ")).into();
                vec![FlowValue::Literal(list, *here)]
            }
            PatternStep::Iteration => vec![],
        }
    }

    /// Returns the values over which an iteration runs.
    fn iterate(self, over: &FlowValue) -> Vec<FlowValue> {
        match over {
            FlowValue::Literal(text, here) => union(
                items(text)
                    .iter()
                    .map(|item| self.evaluate(*here, item.value)),
            ),
            FlowValue::Generator(at) => self.yielded_values(*at),
            FlowValue::Instance(at) => {
                let methods = self.iteration_methods(*at);
                union(methods.iter().map(|method| {
                    let results = self.results(*method, None);
                    let given = |value: &FlowValue| match value {
                        FlowValue::Generator(at) => self.yielded_values(*at),
                        // The object is its own iterator.
                        FlowValue::Instance(_) => vec![],
                        value => vec![value.clone()],
                    };
                    union(results.iter().map(given))
                }))
            }
            _ => vec![],
        }
    }
}

/// Returns whether a write at these keys may change the item at a path. An unknown key matches every key.
fn is_path(keys: &[Vec<String>], paths: &[Vec<String>]) -> bool {
    let fits = |(key, path): (&Vec<String>, &Vec<String>)| {
        key.is_empty() || path.is_empty() || key.iter().any(|key| path.contains(key))
    };
    keys.is_empty() && paths.len() == 1
        || keys.len() == paths.len() && keys.iter().zip(paths).all(fits)
}
