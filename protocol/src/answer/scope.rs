//! The projects that an answer is about: one of them, a folder of it, or all.

use crate::text::Line;

/// The value of `root` that asks all known projects.
pub const ALL_ROOTS: &str = "*";

#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The absolute path of the root, or [`ALL_ROOTS`].
    pub root: &'a str,
    pub root_name: &'a str,
    /// The folder of the root that was asked about. None for the whole root.
    pub folder: Option<&'a str>,
}

impl Scope<'_> {
    /// Returns e.g. `engine`, `engine/src` or `all projects`.
    pub fn name(&self) -> Line {
        let name = Line::new().name(self.root_name);
        match self.folder {
            _ if self.root == ALL_ROOTS => "all projects".into(),
            Some(folder) => name.text("/").path(folder),
            None => name,
        }
    }

    /// Returns the argument `root` that asks about the same again.
    pub fn argument(&self) -> String {
        match self.folder {
            _ if self.root == ALL_ROOTS => ALL_ROOTS.to_owned(),
            Some(folder) => format!("{}/{folder}", self.root),
            None => self.root_name.to_owned(),
        }
    }
}

/// Implements `scope` for an answer with the fields `root`, `root_name` and `folder`.
macro_rules! with_scope {
    ($answer:ident) => {
        impl $answer {
            fn scope(&self) -> $crate::answer::scope::Scope<'_> {
                $crate::answer::scope::Scope {
                    root: &self.root,
                    root_name: &self.root_name,
                    folder: self.folder.as_deref(),
                }
            }
        }
    };
}
pub(crate) use with_scope;
