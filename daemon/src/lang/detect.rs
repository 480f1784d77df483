//! Detects the language of a file by its name, or by its first line if the name is not enough.
//!
//! It never opens a file and uses nothing of the content but the `#!` line, so the same name and first line always give the
//! same language.

use super::Language;
use super::registry::{self, Table};

/// The language of a file by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    Known(&'static Language),
    /// The name has no extension, as with many scripts: [`by_shebang`] may find the language.
    NeedsShebang,
    /// The name has an extension that no language claims.
    Unknown,
}

/// Detects the language of a file by its name, which is given without folders.
///
/// Whole names precede extensions, so that `CMakeLists.txt` is not plain text. Long extensions precede short ones. Prefixes
/// come last: `Dockerfile.md` is Markdown, but `Dockerfile.dev` is a Dockerfile.
pub fn by_path(file_name: &str) -> Detection {
    let by_extension = || {
        extensions(file_name).find_map(|ext| registry::find_ignoring_case(Table::Extension, ext))
    };
    let found = registry::find(Table::Filename, file_name)
        .or_else(by_extension)
        .or_else(|| registry::find_prefix(Table::FilenamePrefix, file_name));
    match found {
        Some(language) => Detection::Known(language),
        None if extensions(file_name).next().is_some() => Detection::Unknown,
        None => Detection::NeedsShebang,
    }
}

/// Detects the language of a script by its first line; anything after the first line feed is ignored.
pub fn by_shebang(first_line: &[u8]) -> Option<&'static Language> {
    let line = first_line.split(|byte| *byte == b'\n').next()?;
    let command = str::from_utf8(line).ok()?.strip_prefix("#!")?;
    let mut words = command.split_ascii_whitespace();
    let program = base_name(words.next()?);
    let interpreter = if program == "env" {
        base_name(run_by_env(words)?)
    } else {
        program
    };

    // The whole name first: the digit in `d8` is not a version.
    let find = |name| registry::find_ignoring_case(Table::Shebang, name);
    find(interpreter).or_else(|| find(without_version(interpreter)))
}

/// Returns the possible extensions of a name, the longest first: `d.ts` and `ts` for `a.d.ts`.
fn extensions(file_name: &str) -> impl Iterator<Item = &str> {
    // A leading dot hides a file; it does not begin an extension.
    let visible = file_name.trim_start_matches('.');
    visible
        .match_indices('.')
        .map(|(dot, _)| &visible[dot + 1..])
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Returns the program that `env` runs with these words: the first one after its options and assignments.
fn run_by_env<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    while let Some(word) = words.next() {
        // `-S` may have the program attached to it.
        let attached = word
            .strip_prefix("--split-string=")
            .or_else(|| word.strip_prefix("-S"));
        if let Some(program) = attached.filter(|rest| !rest.is_empty()) {
            return Some(program);
        }
        if ["-u", "--unset", "-C", "--chdir"].contains(&word) {
            // The next word belongs to the option.
            words.next();
        } else if !word.starts_with('-') && !word.contains('=') {
            return Some(word);
        }
    }
    None
}

/// Strips the version from the name of an interpreter: `python3.11` → `python`, `ruby-3.2` → `ruby`.
fn without_version(interpreter: &str) -> &str {
    interpreter
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
        .trim_end_matches('-')
}

#[cfg(test)]
mod tests;
