//! Globs over paths relative to a root, read as people write them.
//!
//! A glob without `/` matches a name anywhere; one with `/` is anchored at the root; one that names a folder matches
//! everything in it.

use claudevil_protocol::ToolError;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

#[derive(Clone, Debug, Default)]
pub struct Globs {
    all: GlobSet,
    /// The globs that end in a plain name, which may be that of a folder.
    named: GlobSet,
}

/// Makes an absolute glob relative to the root; `None` if it is not inside.
pub fn relative<'a>(root: &str, glob: &'a str) -> Option<&'a str> {
    let inside = glob.strip_prefix(root.trim_end_matches('/'))?;
    match inside.trim_end_matches('/') {
        "" => Some("**"),
        _ => inside.starts_with('/').then_some(inside),
    }
}

/// Returns the folders above a path, the outermost first, without the root.
pub fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

impl Globs {
    /// Compiles globs for the paths of a root, which may be absolute.
    pub fn within<T: AsRef<str>>(root: &str, globs: &[T]) -> Result<Self, ToolError> {
        let inside = globs
            .iter()
            .map(|glob| relative(root, glob.as_ref()).unwrap_or(glob.as_ref()));
        Self::new(&inside.collect::<Vec<_>>())
    }

    pub fn new<T: AsRef<str>>(globs: &[T]) -> Result<Self, ToolError> {
        let (mut all, mut named) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for glob in globs.iter().map(AsRef::as_ref) {
            let trimmed = glob.trim_start_matches("./").trim_end_matches('/');
            let anchored = match trimmed.strip_prefix('/') {
                Some(rest) => rest.to_owned(),
                // The root itself.
                None if matches!(glob, "." | "./") => "**".to_owned(),
                None if trimmed.contains('/') => trimmed.to_owned(),
                None => format!("**/{trimmed}"),
            };
            let glob = GlobBuilder::new(&anchored).literal_separator(true).build().map_err(|error| {
                ToolError::invalid_argument(format!("`{glob}` is not a valid glob: {}", error.kind()))
                    .with_hint("`*` is any part of a name, `**` any folders, `{a,b}` either; `[` needs `]`")
            })?;
            let last = anchored.rsplit('/').next().unwrap_or_default();
            if !last.contains(['*', '?', '[', '{']) {
                named.add(glob.clone());
            }
            all.add(glob);
        }
        let build = |set: GlobSetBuilder| {
            set.build().map_err(|error| {
                ToolError::invalid_argument(format!("the globs are too large: {error}"))
            })
        };
        Ok(Self {
            all: build(all)?,
            named: build(named)?,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns whether the path matches, or is in a folder that a glob names: `src` matches `src/main.rs`, `s*` does not.
    pub fn matches(&self, path: &str) -> bool {
        self.all.is_match(path) || folders_above(path).any(|folder| self.named.is_match(folder))
    }

    /// Returns whether the path or a folder above it matches.
    pub fn covers(&self, path: &str) -> bool {
        !self.is_empty()
            && (self.all.is_match(path)
                || folders_above(path).any(|folder| self.all.is_match(folder)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_people_write_them() {
        for (glob, path, covered) in [
            ("*.rs", "src/deep/main.rs", true),
            ("*.rs", "src/main.rs.bak", false),
            ("src/*.rs", "src/main.rs", true),
            ("src/*.rs", "src/deep/main.rs", false),
            ("src/**/*.rs", "src/main.rs", true),
            ("vendor", "third/vendor/lib.c", true),
            ("/vendor", "third/vendor/lib.c", false),
            ("vendor/", "vendor/lib.c", true),
            ("./src", "src/main.rs", true),
            ("*.{js,ts}", "web/app.ts", true),
            ("src/main.rs", "src/main.rs", true),
        ] {
            assert_eq!(
                Globs::new(&[glob]).expect(glob).covers(path),
                covered,
                "{glob} over {path}"
            );
        }
        for (glob, path, matched) in [
            ("src/*", "src/main.rs", true),
            ("src/*", "src/deep/main.rs", false),
            ("src/**", "src/deep/main.rs", true),
            ("src", "src/deep/main.rs", true),
            ("src/deep/", "src/deep/main.rs", true),
            ("s*", "src/main.rs", false),
            (".", "src/main.rs", true),
            ("./", "main.rs", true),
        ] {
            assert_eq!(
                Globs::new(&[glob]).expect(glob).matches(path),
                matched,
                "{glob} over {path}"
            );
        }
        for (glob, path, matched) in [
            ("/home/ada/engine/src/**", "src/deep/main.rs", true),
            ("/home/ada/engine/src/**", "docs/src/main.rs", false),
            ("/home/ada/engine/src", "src/main.rs", true),
            ("/home/ada/engine/*.rs", "main.rs", true),
            ("/home/ada/engine/*.rs", "src/main.rs", false),
            ("/home/ada/engine", "src/main.rs", true),
            ("/home/ada/engine/", "src/main.rs", true),
            ("/home/ada/engine2/*.rs", "main.rs", false),
            ("/src/*.rs", "src/main.rs", true),
            ("*.rs", "src/main.rs", true),
        ] {
            let globs = Globs::within("/home/ada/engine", &[glob]).expect(glob);
            assert_eq!(globs.matches(path), matched, "{glob} over {path}");
        }
        assert!(Globs::new(&["src/[a"]).is_err());
        assert!(!Globs::default().covers("anything"));
    }
}
