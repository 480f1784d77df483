//! The globs of `claudevil search -g`, relative to the folder in which they are typed.

use std::path::Path;

use claudevil_protocol::ToolError;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::project::{self, anchored};

/// Files to leave out, by globs over their paths inside the project and over whole paths.
#[derive(Debug, Default)]
pub struct ExcludedFiles {
    inside: GlobSet,
    absolute: GlobSet,
}

impl ExcludedFiles {
    pub fn is_empty(&self) -> bool {
        self.inside.is_empty() && self.absolute.is_empty()
    }

    pub fn contains(&self, root: &str, path: &str) -> bool {
        self.inside.is_match(path)
            || (!self.absolute.is_empty() && self.absolute.is_match(Path::new(root).join(path)))
    }
}

/// Returns the glob of files to search; `here` is the folder that globs may be relative to.
pub fn included(globs: &[String], here: Option<&Path>) -> Option<String> {
    let globs = globs.iter().filter(|glob| !glob.starts_with('!'));
    let globs: Vec<_> = globs.map(String::as_str).collect();
    match globs.as_slice() {
        [] => None,
        [one] => {
            let moved = here.and_then(|here| project::glob_from(here, one));
            Some(moved.unwrap_or_else(|| (*one).to_owned()))
        }
        several => Some(project::join_globs(here, several)),
    }
}

/// Returns the files that globs with `!` before them leave out.
pub fn excluded(globs: &[String], here: Option<&Path>) -> Result<ExcludedFiles, ToolError> {
    let (mut inside, mut absolute) = (GlobSetBuilder::new(), GlobSetBuilder::new());
    for glob in globs.iter().filter_map(|glob| glob.strip_prefix('!')) {
        let (set, whole) = match here.and_then(|here| project::glob_from(here, glob)) {
            Some(moved) => (&mut absolute, moved.trim_end_matches('/').to_owned()),
            None => (&mut inside, anchored(glob)),
        };
        // A folder stands for all that is in it.
        for glob in [format!("{whole}/**"), whole] {
            let compiled = GlobBuilder::new(&glob).literal_separator(true).build();
            set.add(compiled.map_err(|error| not_a_glob(&error))?);
        }
    }
    Ok(ExcludedFiles {
        inside: inside.build().map_err(|error| not_a_glob(&error))?,
        absolute: absolute.build().map_err(|error| not_a_glob(&error))?,
    })
}

fn not_a_glob(error: &globset::Error) -> ToolError {
    ToolError::invalid_argument(format!("not a valid glob: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn globs_choose_and_leave_out() {
        let typed = globs("src/** *.rs !tests !**/gen_*.rs");
        assert_eq!(included(&typed, None), Some("{src/**,**/*.rs}".to_owned()));
        let excluded_files = excluded(&typed, None).expect("globs");
        for (path, is_excluded) in [
            ("src/a.rs", false),
            ("tests/a.rs", true),
            ("src/tests/deep/a.rs", true),
            ("src/gen_a.rs", true),
        ] {
            assert_eq!(
                excluded_files.contains("/engine", path),
                is_excluded,
                "{path}"
            );
        }
        assert!(excluded(&globs("!["), None).is_err());
    }

    #[test]
    fn globs_to_leave_out_are_relative_to_the_folder_in_which_they_exist() {
        let scratch = tempfile::tempdir().expect("a folder");
        let root = std::fs::canonicalize(scratch.path()).expect("real");
        let here = root.join("packages/api");
        for folder in [root.join(".git"), here.join("tests")] {
            std::fs::create_dir_all(folder).expect("made");
        }
        let left_out = excluded(&globs("!tests/** !docs/**"), Some(&here)).expect("globs");
        let root = root.to_str().expect("UTF-8");
        for (path, is_excluded) in [
            ("packages/api/tests/a.rs", true),
            ("tests/a.rs", false),
            ("docs/a.md", true),
            ("packages/api/docs/a.md", false),
        ] {
            assert_eq!(left_out.contains(root, path), is_excluded, "{path}");
        }
    }
}
