//! Which files a question is about.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::search::{Search, SearchTarget};

use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::lang::Language;
use crate::query::indexed;
use crate::query::list_files::language_of;
use crate::source::beneath::RootDir;
use crate::source::globs::Globs;

pub struct Filter {
    pub language: Option<&'static Language>,
    pub kind: Option<SymbolKind>,
    pub target: SearchTarget,
    globs: Option<Globs>,
}

impl Filter {
    /// Of a question about the root at a path, where it is about one.
    pub fn new(params: &Search, root: Option<&str>) -> Result<Self, ToolError> {
        let globs = |path: &str| match root {
            Some(root) => Globs::within(root, &[path]),
            None => Globs::new(&[path]),
        };
        Ok(Self {
            language: indexed::language(params.language.as_deref())?,
            kind: params.kind,
            target: params.target.unwrap_or_default(),
            globs: params.path.as_deref().map(globs).transpose()?,
        })
    }

    /// Whether anything is left out by it.
    pub fn is_narrow(&self) -> bool {
        self.language.is_some()
            || self.globs.is_some()
            || self.kind.is_some()
            || self.target != SearchTarget::All
    }

    pub fn takes(&self, file: &IndexedFile, folder: Option<&str>) -> bool {
        self.is_at(&file.path, folder)
            && indexed::is_in(file, self.language)
            && self.takes_language(file.language)
    }

    /// Whether a path is where the question looks, whatever the file is.
    pub fn is_at(&self, path: &str, folder: Option<&str>) -> bool {
        is_beneath(path, folder) && self.globs.as_ref().is_none_or(|globs| globs.matches(path))
    }

    /// Returns whether the question is about a file that is not indexed. Its first lines are read if its language
    /// matters and its name does not tell it.
    pub fn takes_unindexed(&self, dir: &RootDir, path: &str, folder: Option<&str>) -> bool {
        if !self.is_at(path, folder) {
            return false;
        }
        if self.language.is_none()
            && matches!(self.target, SearchTarget::All | SearchTarget::Definitions)
        {
            return true;
        }
        let language = language_of(dir, path);
        self.language
            .is_none_or(|wanted| language.is_some_and(|own| own.id == wanted.id))
            && self.takes_language(language)
    }

    fn takes_language(&self, language: Option<&Language>) -> bool {
        match self.target {
            SearchTarget::All | SearchTarget::Definitions => true,
            SearchTarget::Code => language.is_some_and(|language| language.facts.is_some()),
            SearchTarget::Docs => {
                language.is_some_and(|language| language.prose || language.facts.is_some())
            }
        }
    }

    /// By place of the file; none if all are taken.
    pub fn wanted(&self, snapshot: &Snapshot, folder: Option<&str>) -> Option<Vec<bool>> {
        if folder.is_none() && !self.is_narrow() {
            return None;
        }
        Some(
            snapshot
                .files
                .iter()
                .map(|file| self.takes(file, folder))
                .collect(),
        )
    }
}

fn is_beneath(path: &str, folder: Option<&str>) -> bool {
    folder.is_none_or(|folder| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
    })
}
