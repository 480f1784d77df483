//! Languages that callers name, and the languages of files that are not indexed.

use std::io::Read;

use claudevil_protocol::ToolError;

use crate::index::snapshot::IndexedFile;
use crate::lang::{self, Detection, Language};
use crate::source::beneath::RootDir;

/// Enough of a file to read the interpreter that it names.
const SHEBANG_BYTES: u64 = 256;
/// Larger files are not read: their extension decides.
const LARGEST_READ: u64 = 2 << 20;

/// Parses the language that a call names.
pub fn parse_language(name: Option<&str>) -> Result<Option<&'static Language>, ToolError> {
    let parse = |name: &str| {
        lang::by_name(name).ok_or_else(|| {
            let near = lang::nearest(name);
            let near = if near.is_empty() {
                lang::all().iter().map(|one| one.id).collect()
            } else {
                near
            };
            ToolError::invalid_argument(format!("`{name}` is not a known language"))
                .with_hint(format!("try {}", near.join(", ")))
        })
    };
    name.map(parse).transpose()
}

/// Returns whether a file is in a language, if one is given.
pub fn is_in_language(file: &IndexedFile, language: Option<&Language>) -> bool {
    language.is_none_or(|language| file.language.is_some_and(|own| own.id == language.id))
}

/// Detects the language of a file by its name, and by its content where several share an extension (`.h`) or the name has
/// none (`#!/bin/sh`).
pub fn detect_language(dir: &RootDir, path: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match lang::by_path(name) {
        Detection::Known(language) if language.line_detection.is_empty() => Some(language),
        Detection::Known(language) => {
            let text = dir.read(path, LARGEST_READ);
            Some(text.map_or(language, |text| lang::by_lines(language, &text)))
        }
        Detection::Unknown => None,
        Detection::NeedsShebang => {
            let mut start = vec![];
            dir.open_file(path)
                .ok()?
                .file
                .take(SHEBANG_BYTES)
                .read_to_end(&mut start)
                .ok()?;
            lang::by_shebang(&start)
        }
    }
}
