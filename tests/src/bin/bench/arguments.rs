//! Arguments that several measurements take: the folder of a project, and numbers above zero.

use std::path::PathBuf;

/// Returns the absolute path of a folder; none if there is no such folder.
pub fn folder(argument: &str) -> Option<PathBuf> {
    std::fs::canonicalize(argument)
        .ok()
        .filter(|folder| folder.is_dir())
}

/// Returns the number in an argument; none if it is missing, zero or not a number.
pub fn positive(argument: Option<&String>) -> Option<usize> {
    argument?.parse().ok().filter(|number| *number > 0)
}
