//! Suggests lines that have a name as a word, while too little is indexed to find its definition.

use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::text::{Line, NextCall};

use crate::query::Context;
use crate::query::shared::loaded_root::LoadedRoot;
use crate::search::grep::{self, GrepRequest, PageStart, Pattern, SearchableFile};
use crate::search::scan::{FileListing, TreeFile};
use crate::source::beneath::RootDir;
use crate::source::walk::Rules;
use crate::threads::Parallelism;

/// Time for the search through the files.
const TIME: Duration = Duration::from_millis(300);
const SHOWN: usize = 10;

/// Adds lines that have the word to an error, if there are any.
pub fn suggest_lines(
    context: &Context,
    indexed: &LoadedRoot,
    name: &str,
    error: ToolError,
) -> ToolError {
    let lines = find_lines(context, indexed, name).unwrap_or_default();
    if lines.is_empty() {
        return error;
    }
    let ToolError { code, message, .. } = error;
    let call = NextCall::new("search")
        .with("query", name)
        .with("mode", "literal")
        .with("root", &indexed.root.name);
    ToolError::new(code, message.text("; lines that contain the word:"))
        .with_candidates(lines)
        .with_hint(Line::from(call).text(" shows them; ask again in a moment for definitions"))
}

/// Returns a regular expression for a name as a whole word. Next to a character that is no part of a word it needs no `\b`: `empty?`, `$x`.
fn word_pattern(name: &str) -> String {
    let border = |sign: Option<char>| match sign {
        Some(sign) if sign.is_alphanumeric() || sign == '_' => r"\b",
        _ => "",
    };
    let (first, last) = (
        border(name.chars().next()),
        border(name.chars().next_back()),
    );
    format!("{first}{}{last}", regex::escape(name))
}

/// Returns the first lines as `path:line`.
fn find_lines(
    context: &Context,
    indexed: &LoadedRoot,
    name: &str,
) -> Result<Vec<String>, ToolError> {
    let root = &indexed.root;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    let pattern = Pattern::regex(&word_pattern(name))?;
    let until = Instant::now() + TIME;
    let rules = Rules::new(&root.include, &root.exclude)?;
    let listing = FileListing::new(root.path.as_ref(), &rules, until, context.cancel)?;
    let request = GrepRequest {
        pattern: &pattern,
        from: PageStart::AfterMatches(0),
        limit: SHOWN,
        largest_file: context.indexes.shared().settings.largest_file,
        until,
        cancel: context.cancel,
        only: None,
        share: Parallelism::One,
    };
    let folder = indexed
        .folder
        .as_deref()
        .map(|folder| format!("{folder}/"))
        .unwrap_or_default();
    let is_in_folder = |file: &TreeFile| file.path().starts_with(&folder);
    let found = grep::grep(
        &dir,
        &listing.join(&indexed.snapshot),
        &is_in_folder,
        &request,
    )?;
    Ok(found
        .hits
        .iter()
        .map(|hit| format!("{}:{}", hit.file.path(), hit.line))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_signs_are_found_as_words() {
        for (name, text, is_found) in [
            ("run", "x.run()", true),
            ("run", "rerun()", false),
            ("run", "runs()", false),
            ("empty?", "list.empty? && x", true),
            ("empty?", "list.nonempty?", false),
            ("$x", "let y = $x;", true),
            ("$x", "$xs", false),
            ("operator==", "bool operator==(A)", true),
            ("größe", "die größe", true),
        ] {
            let pattern = regex::Regex::new(&word_pattern(name)).expect(name);
            assert_eq!(pattern.is_match(text), is_found, "{name} in {text}");
        }
    }
}
