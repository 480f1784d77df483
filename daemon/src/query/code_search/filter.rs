//! The files that a search is limited to.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::search::{Search, SearchTarget};

use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::lang::Language;
use crate::query::shared::languages::{detect_language, is_in_language, parse_language};
use crate::source::beneath::RootDir;
use crate::source::globs::Globs;

pub struct Filter {
    pub language: Option<&'static Language>,
    pub kind: Option<SymbolKind>,
    pub target: SearchTarget,
    globs: Option<Globs>,
}

impl Filter {
    /// Parses the filter; `root` is the root that contains the glob, if the glob is absolute.
    pub fn new(params: &Search, root: Option<&str>) -> Result<Self, ToolError> {
        let globs = |path: &str| match root {
            Some(root) => Globs::within(root, &[path]),
            None => Globs::new(&[path]),
        };
        Ok(Self {
            language: parse_language(params.language.as_deref())?,
            kind: params.kind,
            target: params.target.unwrap_or_default(),
            globs: params.path.as_deref().map(globs).transpose()?,
        })
    }

    /// Returns whether the filter excludes anything.
    pub fn is_narrow(&self) -> bool {
        self.language.is_some()
            || self.globs.is_some()
            || self.kind.is_some()
            || self.target != SearchTarget::All
    }

    pub fn matches(&self, file: &IndexedFile, folder: Option<&str>) -> bool {
        self.matches_path(&file.path, folder)
            && is_in_language(file, self.language)
            && self.matches_language(file.language)
    }

    /// Returns whether a path is in the folder and matches the glob.
    pub fn matches_path(&self, path: &str, folder: Option<&str>) -> bool {
        is_beneath(path, folder) && self.globs.as_ref().is_none_or(|globs| globs.matches(path))
    }

    /// Like [`Self::matches`], for a file that is not indexed. Reads the content only if the language matters and the name does
    /// not determine it.
    pub fn matches_unindexed(&self, dir: &RootDir, path: &str, folder: Option<&str>) -> bool {
        if !self.matches_path(path, folder) {
            return false;
        }
        if self.language.is_none()
            && matches!(self.target, SearchTarget::All | SearchTarget::Definitions)
        {
            return true;
        }
        let language = detect_language(dir, path);
        self.language
            .is_none_or(|wanted| language.is_some_and(|own| own.id == wanted.id))
            && self.matches_language(language)
    }

    fn matches_language(&self, language: Option<&Language>) -> bool {
        match self.target {
            SearchTarget::All | SearchTarget::Definitions => true,
            SearchTarget::Code => language.is_some_and(|language| language.facts.is_some()),
            SearchTarget::Docs => {
                language.is_some_and(|language| language.prose || language.facts.is_some())
            }
        }
    }

    /// Returns one flag per file of a snapshot: whether the file matches. None if all files match.
    pub fn matching_files(&self, snapshot: &Snapshot, folder: Option<&str>) -> Option<Vec<bool>> {
        if folder.is_none() && !self.is_narrow() {
            return None;
        }
        Some(
            snapshot
                .files
                .iter()
                .map(|file| self.matches(file, folder))
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
