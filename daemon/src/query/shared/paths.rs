//! Paths that callers give: makes them relative to the root, and suggests the nearest ones for a path that does not exist.

use std::collections::HashSet;

use claudevil_protocol::text::Line;
use claudevil_protocol::{ErrorCode, ToolError};

use super::similarity::name_similarity;

const NEAREST_PATHS: usize = 3;
/// File names less similar than this are different names.
const LEAST_SIMILARITY: f64 = 0.8;

/// Makes a path relative to a root; an absolute path has to be inside the root.
pub fn relative_path(root: &str, path: &str) -> Result<String, ToolError> {
    let inside = match path.strip_prefix(root) {
        Some(inside) if inside.is_empty() || inside.starts_with('/') => inside,
        _ if path.starts_with('/') => {
            return Err(ToolError::new(
                ErrorCode::PathOutsideRoot,
                format!("{path} is outside the root {root}"),
            )
            .with_hint(
                Line::new().words("give a path inside the root, or `root` for another project"),
            ));
        }
        _ => path,
    };
    let mut parts: Vec<&str> = vec![];
    for part in inside.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_some() => {}
            ".." => {
                return Err(ToolError::new(
                    ErrorCode::PathOutsideRoot,
                    format!("{path} is outside the root"),
                ));
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// Returns the files and folders whose paths are most similar to one, the most similar first.
pub fn nearest_paths<'a>(files: impl Iterator<Item = &'a str>, path: &str) -> Vec<String> {
    let file_name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let (name, whole) = (file_name(path), path.to_lowercase());
    let mut near: Vec<(f64, &str)> = vec![];
    let mut compared: HashSet<&str> = HashSet::new();
    for file in files {
        // A name without a dot may be that of a folder.
        let folders = file
            .match_indices('/')
            .map(|(at, _)| &file[..at])
            .filter(|_| !name.contains('.'));
        for path in folders.chain([file]) {
            let by_name = name_similarity(&name, &file_name(path));
            if by_name < LEAST_SIMILARITY || !compared.insert(path) {
                continue;
            }
            let by_path = strsim::normalized_damerau_levenshtein(&whole, &path.to_lowercase());
            near.push((by_name + by_path, path));
        }
    }
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    near.into_iter()
        .take(NEAREST_PATHS)
        .map(|(_, path)| path.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_path_leads_to_the_intended_one() {
        let files = [
            "README.md",
            "src/requests/api.py",
            "src/requests/sessions.py",
            "tests/test_sessions.py",
        ];
        let nearest = |path: &str| nearest_paths(files.into_iter(), path);
        assert_eq!(
            nearest("src/requests/sesions.py")[0],
            "src/requests/sessions.py"
        );
        assert_eq!(
            nearest("src/reqests/sessions.py")[0],
            "src/requests/sessions.py"
        );
        assert_eq!(nearest("src/request")[0], "src/requests");
        assert_eq!(nearest("sessions.py")[0], "src/requests/sessions.py");
        assert!(nearest("Makefile").is_empty());
    }
}
