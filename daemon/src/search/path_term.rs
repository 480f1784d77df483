//! The value of `path:` in a keyword query: a part of a path, or a glob.

use claudevil_protocol::ToolError;

use crate::source::globs::Globs;

pub enum PathTerm {
    /// In lower case.
    Part(String),
    /// Over paths in lower case.
    Glob(Globs),
}

impl PathTerm {
    pub fn new(text: &str) -> Result<Self, ToolError> {
        let lower = text.to_lowercase();
        if lower.contains(['*', '?']) {
            Globs::new(&[lower]).map(Self::Glob)
        } else {
            Ok(Self::Part(lower))
        }
    }

    pub fn matches(&self, path: &str) -> bool {
        match self {
            Self::Part(part) => path.contains(part) || path.to_lowercase().contains(part),
            Self::Glob(globs) => globs.matches(&path.to_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_term_is_a_part_or_a_glob() {
        for (term, path, matched) in [
            ("src", "a/Src/x.rs", true),
            ("SRC", "a/src/x.rs", true),
            ("*.py", "tools/Ferry.PY", true),
            ("*.py", "tools/ferry.pyc", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/deep/a.rs", false),
            ("src/**", "src/deep/a.rs", true),
            ("file?.rs", "a/file1.rs", true),
        ] {
            assert_eq!(
                PathTerm::new(term).expect(term).matches(path),
                matched,
                "{term} over {path}"
            );
        }
        assert!(PathTerm::new("*[a").is_err());
    }
}
