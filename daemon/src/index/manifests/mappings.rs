//! Import paths that compiler settings map to files: `paths` and `baseUrl` of a `tsconfig.json` and of the settings that it
//! extends.

use std::cmp::Reverse;
use std::rc::Rc;

use serde_json::Value;

use super::super::root_paths::{folder, normal};

/// The most files that are read for one settings file, because settings can extend each other in circles.
const MAX_FILES: usize = 16;

/// Patterns with at most one `*`, each with its targets.
type Paths = Vec<(String, Vec<String>)>;

#[derive(Debug, Default)]
pub struct Mapping {
    /// The folder whose imports are mapped.
    pub folder: String,
    /// The most specific first.
    paths: Paths,
}

/// Reads a file of the root.
type TextReader<'a> = &'a dyn Fn(&str) -> Option<Rc<str>>;
/// Returns the path of a file that is named by its package: `@shop/settings/base`.
type InPackage<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads the mappings of a settings file, and of the projects that it references.
pub fn read_mappings(
    path: &str,
    text: &str,
    read: TextReader<'_>,
    in_package: InPackage<'_>,
) -> Vec<Mapping> {
    let mut left = MAX_FILES;
    let Some(parsed) = relaxed_json(text) else {
        return vec![];
    };
    let options = Options::read(path, &parsed, read, in_package, &mut left);
    let mut mappings = vec![options.mapping(folder(path))];
    for part in one_or_many(parsed.get("references")).filter_map(|part| part.get("path")?.as_str())
    {
        // A reference to a folder means the `tsconfig.json` in it, which is read as a manifest of its own.
        let Some(part) = normal(folder(path), part).filter(|part| is_json(part)) else {
            continue;
        };
        let parsed = spend_budget(&mut left)
            .and_then(|()| read(&part))
            .and_then(|text| relaxed_json(&text));
        if let Some(parsed) = parsed {
            let options = Options::read(&part, &parsed, read, in_package, &mut left);
            mappings.push(options.mapping(folder(&part)));
        }
    }
    mappings.retain(|mapping| !mapping.paths.is_empty());
    mappings
}

/// The options that map imports. `paths` has the folder that its targets are relative to.
#[derive(Default)]
struct Options {
    base: Option<String>,
    paths: Option<(String, Paths)>,
}

impl Options {
    fn read(
        path: &str,
        parsed: &Value,
        read: TextReader<'_>,
        in_package: InPackage<'_>,
        left: &mut usize,
    ) -> Self {
        let own = folder(path);
        let mut options = Self::default();
        // Later entries of `extends` override earlier ones, and the file's own options override all of them.
        for extended in one_or_many(parsed.get("extends")).filter_map(Value::as_str) {
            let is_path = extended.starts_with('.') || extended.starts_with('/');
            let file = if is_path {
                normal(own, extended)
            } else {
                in_package(extended)
            };
            let Some(file) = file else { continue };
            let file = if is_json(&file) {
                file
            } else {
                format!("{file}.json")
            };
            let parsed = spend_budget(left)
                .and_then(|()| read(&file))
                .and_then(|text| relaxed_json(&text));
            if let Some(parsed) = parsed {
                options = Self::read(&file, &parsed, read, in_package, left).or(options);
            }
        }
        Self::own_options(own, parsed).or(options)
    }

    fn own_options(folder: &str, parsed: &Value) -> Self {
        let Some(options) = parsed.get("compilerOptions") else {
            return Self::default();
        };
        let texts = |value: &Value| {
            one_or_many(Some(value))
                .filter_map(|text| text.as_str().map(str::to_owned))
                .collect()
        };
        let paths = options.get("paths").and_then(Value::as_object);
        let paths = paths.map(|paths| {
            paths
                .iter()
                .map(|(pattern, to)| (pattern.clone(), texts(to)))
                .collect()
        });
        Self {
            base: options
                .get("baseUrl")
                .and_then(Value::as_str)
                .and_then(|base| normal(folder, base)),
            paths: paths.map(|paths| (folder.to_owned(), paths)),
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            base: self.base.or(other.base),
            paths: self.paths.or(other.paths),
        }
    }

    fn mapping(self, folder: &str) -> Mapping {
        let (from, paths) = self.paths.unwrap_or_default();
        let from = self.base.as_ref().unwrap_or(&from);
        let targets = |to: Vec<String>| {
            to.iter()
                .filter_map(|target| normal(from, target))
                .collect()
        };
        let mut paths: Paths = paths
            .into_iter()
            .map(|(pattern, to)| (pattern, targets(to)))
            .collect();
        paths.sort_by_key(|(pattern, _)| (pattern.contains('*'), Reverse(pattern.find('*'))));
        if self.base.is_some() {
            paths.push(("*".to_owned(), targets(vec!["*".to_owned()])));
        }
        Mapping {
            folder: folder.to_owned(),
            paths,
        }
    }
}

impl Mapping {
    pub fn targets(&self, text: &str) -> Option<Vec<String>> {
        let found: Vec<String> = self
            .paths
            .iter()
            .filter_map(|(pattern, targets)| {
                let rest = match pattern.split_once('*') {
                    Some((before, after)) => text.strip_prefix(before)?.strip_suffix(after)?,
                    None => (text == pattern).then_some("")?,
                };
                Some(
                    targets
                        .iter()
                        .filter_map(move |target| normal("", &target.replacen('*', rest, 1))),
                )
            })
            .flatten()
            .collect();
        (!found.is_empty()).then_some(found)
    }
}

/// Returns the elements of a list, or a single value that is given in place of a list.
fn one_or_many(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    let list = value.and_then(Value::as_array);
    let one = value.filter(|_| list.is_none());
    list.into_iter().flatten().chain(one)
}

fn is_json(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| extension == "json")
}

fn spend_budget(left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    Some(())
}

/// Parses JSON with comments and trailing commas, as in `tsconfig.json`.
pub fn relaxed_json(text: &str) -> Option<Value> {
    if let Ok(parsed) = serde_json::from_str(text) {
        return Some(parsed);
    }
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut in_string = false;
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                in_string = !in_string;
                kept.push(letter);
            }
            '\\' if in_string => {
                kept.push(letter);
                kept.extend(letters.next());
            }
            '/' if !in_string && letters.peek() == Some(&'/') => {
                while letters.next_if(|next| *next != '\n').is_some() {}
            }
            '/' if !in_string && letters.peek() == Some(&'*') => {
                let mut before = ' ';
                letters.next();
                for next in letters.by_ref() {
                    if before == '*' && next == '/' {
                        break;
                    }
                    before = next;
                }
            }
            '}' | ']' if !in_string => {
                if kept.trim_end().ends_with(',') {
                    kept.truncate(kept.trim_end().len() - 1);
                }
                kept.push(letter);
            }
            letter => kept.push(letter),
        }
    }
    serde_json::from_str(&kept).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands_for(files: &[(&str, &str)], text: &str) -> Option<Vec<String>> {
        let read = |path: &str| {
            files
                .iter()
                .find(|(own, _)| *own == path)
                .map(|(_, text)| Rc::from(*text))
        };
        let in_package = |text: &str| {
            text.strip_prefix("@shop/")
                .map(|rest| format!("packages/{rest}"))
        };
        let (path, own) = files[0];
        read_mappings(path, own, &read, &in_package)
            .iter()
            .find_map(|mapping| mapping.targets(text))
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "it is compared with what may be none"
    )]
    fn paths(found: &[&str]) -> Option<Vec<String>> {
        Some(found.iter().map(|path| (*path).to_owned()).collect())
    }

    #[test]
    fn settings_may_have_comments_and_commas_too_many() {
        let own = "{ // settings\n \"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"],},},}";
        assert_eq!(
            stands_for(&[("tsconfig.json", own)], "@/b/c"),
            paths(&["src/b/c"])
        );
        assert_eq!(stands_for(&[("tsconfig.json", own)], "react"), None);
    }

    #[test]
    fn extended_paths_are_relative_to_the_file_that_declares_them() {
        let base = r#"{"compilerOptions": {"paths": {"@a/*": ["./a/src/*"], "@a/x": ["./x.ts"]}}}"#;
        let files = [
            ("a/b/tsconfig.json", r#"{"extends": "../../tsconfig.base"}"#),
            ("tsconfig.base.json", base),
        ];
        assert_eq!(stands_for(&files, "@a/deep/y"), paths(&["a/src/deep/y"]));
        assert_eq!(
            stands_for(&files, "@a/x"),
            paths(&["x.ts", "a/src/x"]),
            "the whole before a part of it"
        );

        let own = r#"{"extends": ["./none.json", "../base.json"], "compilerOptions": {"baseUrl": "src"}}"#;
        let files = [("a/tsconfig.json", own), ("base.json", base)];
        assert_eq!(
            stands_for(&files, "@a/y"),
            paths(&["a/src/a/src/y", "a/src/@a/y"])
        );

        let own = r#"{"extends": "@shop/settings/base", "compilerOptions": {"paths": {}}}"#;
        let files = [
            ("a/tsconfig.json", own),
            ("packages/settings/base.json", base),
        ];
        assert_eq!(
            stands_for(&files, "@a/y"),
            None,
            "paths of its own, though none"
        );
        let files = [
            ("a/tsconfig.json", r#"{"extends": "@shop/settings/base"}"#),
            ("packages/settings/base.json", base),
        ];
        assert_eq!(
            stands_for(&files, "@a/y"),
            paths(&["packages/settings/a/src/y"])
        );
    }

    #[test]
    fn settings_of_parts_hold_and_circles_end() {
        let part =
            r#"{"extends": "./tsconfig.json", "compilerOptions": {"paths": {"~/*": ["./app/*"]}}}"#;
        let own = r#"{"extends": "./part.json", "references": [{"path": "./part.json"}, {"path": "./lib"}]}"#;
        let files = [("tsconfig.json", own), ("part.json", part)];
        assert_eq!(stands_for(&files, "~/x"), paths(&["app/x"]));
    }
}
