//! The truth of a project, taken from the marks in its lines, and the project without them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

/// A line of a file.
pub type SourceLine = (String, u32);

#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// The definition of each thing.
    pub definitions: BTreeMap<String, SourceLine>,
    names: BTreeMap<String, String>,
    /// The lines that refer to each thing, calls among them.
    pub references: BTreeMap<String, BTreeSet<SourceLine>>,
    /// The callers of each thing; `-` for the top of a file.
    pub callers: BTreeMap<String, BTreeSet<String>>,
    /// The lines that may or may not reach each thing at run time.
    pub possible: BTreeMap<String, BTreeSet<SourceLine>>,
    /// The things that directly implement, extend or override each thing.
    pub implementors: BTreeMap<String, BTreeSet<String>>,
}

/// Signs that open a comment, before a mark.
const COMMENTS: [&str; 8] = ["//", "#", "--", "/*", "(*", ";", "%", "<!--"];

impl Truth {
    /// Copies a project without its marks, and reads them.
    pub fn take(project: &Path, to: &Path) -> Self {
        let mut truth = Self::default();
        truth.copy(project, project, to);
        truth.check();
        truth
    }

    fn copy(&mut self, project: &Path, folder: &Path, to: &Path) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                self.copy(project, &path, to);
                continue;
            }
            let name = path
                .strip_prefix(project)
                .expect("inside")
                .to_str()
                .expect("UTF-8")
                .to_owned();
            let marked = fs::read_to_string(&path).expect("a text");
            let bare: String = (1..)
                .zip(marked.lines())
                .map(|(line, text)| self.line(&name, line, text))
                .collect();
            let copy = to.join(&name);
            fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
            fs::write(copy, bare).expect("written");
        }
    }

    /// Records the mark of a line, and returns the line without it.
    fn line(&mut self, path: &str, line: u32, text: &str) -> String {
        let Some((before, mark)) = text.split_once('⟦') else {
            return format!("{text}\n");
        };
        let bare = before.trim_end();
        let bare = COMMENTS
            .iter()
            .find_map(|sign| bare.strip_suffix(sign))
            .unwrap_or(bare);
        for item in mark.split('⟧').next().unwrap_or_default().split(';') {
            self.item(item.trim(), &(path.to_owned(), line));
        }
        format!("{}\n", bare.trim_end())
    }

    fn item(&mut self, item: &str, place: &SourceLine) {
        let words: Vec<&str> = item.split_whitespace().collect();
        match words[..] {
            ["def", id, ref rest @ ..] => {
                let name = rest.iter().find_map(|word| word.strip_prefix("name="));
                self.names.insert(
                    id.to_owned(),
                    name.unwrap_or(id.rsplit('.').next().unwrap_or(id))
                        .to_owned(),
                );
                let before = self.definitions.insert(id.to_owned(), place.clone());
                assert!(before.is_none(), "{place:?}: {id} is defined twice");
            }
            ["ref", id, ..] => drop(
                self.references
                    .entry(id.to_owned())
                    .or_default()
                    .replace(place.clone()),
            ),
            ["call", id, "from", caller] => {
                self.references
                    .entry(id.to_owned())
                    .or_default()
                    .insert(place.clone());
                self.callers
                    .entry(id.to_owned())
                    .or_default()
                    .insert(caller.to_owned());
            }
            ["runs", id, "from", caller] => {
                self.callers
                    .entry(id.to_owned())
                    .or_default()
                    .insert(caller.to_owned());
            }
            ["may", ..] => {
                for id in item["may".len()..].split(',') {
                    self.possible
                        .entry(id.trim().to_owned())
                        .or_default()
                        .insert(place.clone());
                }
            }
            ["impl", id, "of", base] => {
                self.implementors
                    .entry(base.to_owned())
                    .or_default()
                    .insert(id.to_owned());
            }
            [] => {}
            _ => panic!("{place:?}: `{item}` says nothing"),
        }
    }

    fn check(&self) {
        let all = self
            .references
            .keys()
            .chain(self.callers.keys())
            .chain(self.possible.keys())
            .chain(self.implementors.keys());
        let callers = self.callers.values().flatten().filter(|id| *id != "-");
        for id in all
            .chain(callers)
            .chain(self.implementors.values().flatten())
        {
            assert!(self.definitions.contains_key(id), "{id} is nowhere defined");
        }
    }

    /// Returns the name of a thing as the code has it.
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.names.get(id).map_or(id, String::as_str)
    }

    /// Returns whether a line may reach a thing at run time.
    pub fn may(&self, id: &str, place: &SourceLine) -> bool {
        self.possible
            .get(id)
            .is_some_and(|places| places.contains(place))
    }

    /// Returns whether lines begin with a use of a thing with this name, and neither define such a thing nor may belong to one.
    pub fn is_use(&self, name: &str, path: &str, mut lines: RangeInclusive<u32>) -> bool {
        let named = || self.definitions.keys().filter(|id| self.name(id) == name);
        let first = (path.to_owned(), *lines.start());
        let uses = |id: &String| {
            self.references
                .get(id)
                .is_some_and(|places| places.contains(&first))
        };
        let makes = |line: u32| {
            let place = (path.to_owned(), line);
            named().any(|id| self.definitions[id] == place || self.may(id, &place))
        };
        named().any(uses) && !lines.any(makes)
    }

    /// Returns all things that implement a thing, directly or through others.
    pub fn all_implementors(&self, id: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        let mut next: Vec<&String> = self.implementors.get(id).into_iter().flatten().collect();
        while let Some(one) = next.pop() {
            if all.insert(one.clone()) {
                next.extend(self.implementors.get(one).into_iter().flatten());
            }
        }
        all
    }

    /// Returns the things that a thing calls, by the callers of all others.
    pub fn callees(&self, id: &str) -> BTreeSet<String> {
        self.callers
            .iter()
            .filter(|(_, callers)| callers.contains(id))
            .map(|(callee, _)| callee.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_and_taken_away() {
        let mut truth = Truth::default();
        let bare = truth.line(
            "a.py",
            3,
            "    open()  # ⟦ call store.open from main ; may a, b ⟧",
        );
        assert_eq!(bare, "    open()\n");
        assert_eq!(
            truth.line("a.ml", 4, "let x = 1 (* ⟦ def x ⟧ *)"),
            "let x = 1\n"
        );
        assert!(truth.references["store.open"].contains(&("a.py".to_owned(), 3)));
        assert!(truth.callers["store.open"].contains("main"));
        assert!(truth.possible.contains_key("a") && truth.possible.contains_key("b"));
        assert_eq!(truth.definitions["x"], ("a.ml".to_owned(), 4));
        assert_eq!(truth.line("a.c", 1, "x // plain"), "x // plain\n");
        truth.line("a.py", 9, "def open():  # ⟦ def store.open ⟧");
        assert!(truth.is_use("open", "a.py", 3..=3) && !truth.is_use("open", "a.py", 9..=9));
        assert!(!truth.is_use("open", "a.py", 3..=9) && !truth.is_use("open", "a.py", 4..=5));
    }
}
