//! A plain scan of a tree, by which answers are judged: every file is read, every line compared.
//!
//! It understands only what the trees of the tests have: no links, and of ignore rules only `/folder/` in the `.gitignore` at
//! the top.

use std::fs;
use std::path::Path;

/// Returns the visible files below a folder, relative to it and sorted. Git's folder is left out, and so are hidden files.
pub fn files(root: &Path) -> Vec<String> {
    let rules = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
    let ignored: Vec<&str> = rules
        .lines()
        .map(|rule| rule.trim_matches('/'))
        .filter(|rule| !rule.is_empty())
        .collect();
    let mut files = vec![];
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))
            .expect("readable")
            .flatten()
        {
            let name = entry.file_name().into_string().expect("UTF-8");
            if name.starts_with('.') || (folder.is_empty() && ignored.contains(&name.as_str())) {
                continue;
            }
            let path = if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            };
            if entry.file_type().expect("a type").is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    files
}

/// Returns every line that contains a text, as path and line number from 1, in order.
pub fn lines_with(root: &Path, text: &str) -> Vec<(String, u64)> {
    let mut found = vec![];
    for path in files(root) {
        let content = fs::read_to_string(root.join(&path)).expect("readable");
        let matching = (1..)
            .zip(content.lines())
            .filter(|(_, line)| line.contains(text));
        found.extend(matching.map(|(number, _)| (path.clone(), number)));
    }
    found
}

/// Returns the files that define a function of this name.
pub fn definitions(root: &Path, name: &str) -> Vec<String> {
    let defines = |path: &String| {
        let content = fs::read_to_string(root.join(path)).expect("readable");
        content
            .lines()
            .filter_map(defined_function)
            .any(|own| own == name)
    };
    files(root).into_iter().filter(defines).collect()
}

/// Returns the function that a line begins to define: `pub fn name(…` → `name`.
pub fn defined_function(line: &str) -> Option<&str> {
    const KEYWORDS: [&str; 4] = ["pub fn ", "def ", "export function ", "func "];
    let rest = KEYWORDS
        .iter()
        .find_map(|keyword| line.strip_prefix(keyword))?;
    rest.split_once('(').map(|(name, _)| name)
}
