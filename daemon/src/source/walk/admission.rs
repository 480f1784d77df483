//! Which entries a walk takes up beyond what the ignore files of the tree say.
//!
//! The crate that reads ignore files opens them without any bound, so whatever is not a plain file of sensible size is
//! kept from it here: a folder with such a file is not entered.

use std::path::{Path, PathBuf};

use ignore::DirEntry;
use ignore::gitignore::Gitignore;

use super::{RULE_FILES, Rules, notes, relative};
use crate::source::git_dir::GitDir;
use crate::source::globs::Globs;
use crate::source::spot::is_beside;

const LARGEST_RULE_FILE: u64 = 1 << 20;
const PRODUCTS: &[&str] = &["target", "node_modules", "dist", "build", "vendor", ".next", "__pycache__"];

pub struct Admission {
    root: PathBuf,
    exclude: Globs,
    excluded_by_git: Gitignore,
    products_are_ignored: bool,
    /// Whether the ignore files of the folders above the root can be read.
    pub above_is_sound: bool,
}

impl Admission {
    pub fn new(root: &Path, rules: &Rules, git: Option<&GitDir>) -> Self {
        let is_sound = |above: &Path| !RULE_FILES.iter().any(|name| is_hostile(&above.join(name)));
        Self {
            root: root.to_owned(),
            exclude: rules.exclude.clone(),
            excluded_by_git: git.map_or_else(Gitignore::empty, |git| Gitignore::new(git.exclude()).0),
            products_are_ignored: !RULE_FILES.iter().any(|name| root.join(name).is_file()),
            above_is_sound: root.ancestors().skip(1).all(is_sound),
        }
    }

    pub fn admits_entry(&self, entry: &DirEntry) -> bool {
        self.admits(entry.path(), entry.file_type().is_some_and(|kind| kind.is_dir()))
    }

    /// Whether a file may be taken, or a folder entered, that lies in a folder that may be entered.
    pub fn admits(&self, path: &Path, is_folder: bool) -> bool {
        let Some(name) = path.file_name() else { return false };
        if name == ".git" || name.to_str().is_some_and(is_beside) {
            return false;
        }
        let is_compiled = || path.extension().is_some_and(|extension| extension == "pyc");
        if self.products_are_ignored
            && if is_folder { PRODUCTS.iter().any(|product| name == *product) } else { is_compiled() }
        {
            return false;
        }
        if is_folder
            && name == notes::EARLIER
            && relative(path, &self.root).is_some_and(|path| notes::is_earlier(&path))
        {
            return false;
        }
        let excluded = || relative(path, &self.root).is_some_and(|path| self.exclude.covers(&path));
        let by_git = || {
            let inside = path.strip_prefix(&self.root).unwrap_or(path);
            self.excluded_by_git.matched(inside, is_folder).is_ignore()
        };
        let hostile = || is_folder && RULE_FILES.iter().any(|name| is_hostile(&path.join(name)));
        !(!self.exclude.is_empty() && excluded() || !self.excluded_by_git.is_empty() && by_git() || hostile())
    }
}

/// The ignore file of the root itself that must not be opened.
pub fn hostile_at_the_top(root: &Path, git: Option<&GitDir>) -> Option<&'static str> {
    let by_git = git.is_some_and(|git| is_hostile(&git.exclude())).then_some(".git/info/exclude");
    RULE_FILES.into_iter().find(|name| is_hostile(&root.join(name))).or(by_git)
}

/// Whether an ignore file could hang or swamp whoever reads it: a pipe, a device, a symlink, or huge. Git does not follow
/// symlinks there either.
fn is_hostile(file: &Path) -> bool {
    std::fs::symlink_metadata(file).is_ok_and(|found| !found.is_file() || found.len() > LARGEST_RULE_FILE)
}
