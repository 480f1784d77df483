//! Decides which files and folders a walk takes: by ignore rules, by the root's own globs, and by names that are never
//! part of a root.
//!
//! Ignore files are read beneath the root and within bounds (`rule_file.rs`). One that cannot be used is reported and
//! ignored, and the others still apply.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::gitconfig_excludes_path;

use super::folder_rules::{FolderRules, Location, RuleKind, UnusedFiles, Verdict};
use super::rule_file::{self, Links};
use super::{Rules, folders_above, notes, relative};
use crate::source::beneath::RootDir;
use crate::source::file_slot::is_temporary;
use crate::source::git_dir::GitDir;
use crate::source::globs::Globs;

/// Folders of build products.
const PRODUCTS: &[&str] = &[
    "target",
    "node_modules",
    "dist",
    "build",
    "vendor",
    ".next",
    "__pycache__",
];

pub struct Admission {
    pub dir: RootDir,
    /// The rules of the root's own folder.
    pub rules: Arc<FolderRules>,
    pub unused: UnusedFiles,
    exclude: Globs,
    products_are_ignored: bool,
}

impl Admission {
    /// Returns `None` if the root cannot be opened.
    pub fn open(root: &Path, rules: &Rules, git: Option<&GitDir>) -> Option<Self> {
        let dir = RootDir::open(root, "").ok()?;
        let above = Arc::<FolderRules>::default();
        let exclude = rules.exclude.clone();
        let mut admission = Self {
            dir,
            rules: above,
            unused: UnusedFiles::default(),
            exclude,
            products_are_ignored: false,
        };
        admission.read_git_excludes(git);
        admission.read_above(root);
        let own = admission.enter(&admission.rules, "", |_| true);
        admission.products_are_ignored = Arc::ptr_eq(&own, &admission.rules);
        admission.rules = own;
        Some(admission)
    }

    /// Reads the global ignore file and `.git/info/exclude`. Both may be symlinks, as in git: neither is in the working tree.
    fn read_git_excludes(&mut self, git: Option<&GitDir>) {
        let global = gitconfig_excludes_path().map(|path| (path.display().to_string(), path));
        let exclude = git.map(|git| (".git/info/exclude".to_owned(), git.exclude()));
        for (shown, path) in [global, exclude].into_iter().flatten() {
            self.rules = self.rules.enter(Location::Inside(0), &self.unused, |kind| {
                let bytes = if kind == RuleKind::Git {
                    rule_file::read_outside(&path, Links::Follow)
                } else {
                    Ok(None)
                };
                (shown.clone(), bytes)
            });
        }
    }

    /// Reads the ignore files of the folders above the root; git's own only within the repository around the root.
    fn read_above(&mut self, root: &Path) {
        let has_git = |folder: &&Path| std::fs::symlink_metadata(folder.join(".git")).is_ok();
        let repository = root.ancestors().find(has_git);
        let above: Vec<&Path> = root.ancestors().skip(1).collect();
        for folder in above.into_iter().rev() {
            let Some(way) = relative(root, folder) else {
                continue;
            };
            let is_in_repository = repository.is_some_and(|top| folder.starts_with(top));
            self.rules =
                self.rules
                    .enter(Location::Above(format!("{way}/")), &self.unused, |kind| {
                        let path = folder.join(kind.file_name());
                        let is_used = kind != RuleKind::Git || is_in_repository;
                        let bytes = if is_used {
                            rule_file::read_outside(&path, Links::Refuse)
                        } else {
                            Ok(None)
                        };
                        (path.display().to_string(), bytes)
                    });
        }
    }

    /// Returns the rules in a folder: those of the folder above and its own. `has` says which ignore files may exist.
    pub fn enter(
        &self,
        above: &Arc<FolderRules>,
        folder: &str,
        has: impl Fn(RuleKind) -> bool,
    ) -> Arc<FolderRules> {
        above.enter(Location::Inside(folder.len()), &self.unused, |kind| {
            let path = join(folder, kind.file_name());
            let bytes = if has(kind) {
                rule_file::read_beneath(&self.dir, &path)
            } else {
                Ok(None)
            };
            (path, bytes)
        })
    }

    /// Returns the verdict about a path in a folder that is taken and has these rules.
    pub fn verdict(&self, rules: &FolderRules, path: &str, is_folder: bool) -> Verdict {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name == ".git" || is_temporary(name) || self.exclude.covers(path) {
            return Verdict::Excluded;
        }
        let is_product = || {
            if is_folder {
                PRODUCTS.contains(&name)
            } else {
                Path::new(name).extension().is_some_and(|own| own == "pyc")
            }
        };
        let is_earlier = || is_folder && name == notes::EARLIER && notes::is_earlier_plans(path);
        let verdict = rules.verdict(path, is_folder);
        if verdict == Verdict::Taken && (self.products_are_ignored && is_product() || is_earlier())
        {
            return Verdict::OnlyIfTracked;
        }
        verdict
    }
}

/// Judges single paths, and caches the verdicts about folders.
pub struct PathJudge<'a> {
    admission: &'a Admission,
    folders: HashMap<String, (Verdict, Arc<FolderRules>)>,
}

impl<'a> PathJudge<'a> {
    pub fn new(admission: &'a Admission) -> Self {
        let top = (
            String::new(),
            (Verdict::Taken, Arc::clone(&admission.rules)),
        );
        Self {
            admission,
            folders: HashMap::from([top]),
        }
    }

    pub fn dir(&self) -> &'a RootDir {
        &self.admission.dir
    }

    /// Returns the verdict about a file by its own path and all folders above it.
    pub fn file(&mut self, path: &str) -> Verdict {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (above, rules) = self.folder(folder);
        if above == Verdict::Excluded {
            above
        } else {
            above.max(self.admission.verdict(&rules, path, false))
        }
    }

    /// Returns the verdict about a folder by its own path and all folders above it, and the rules that apply in it.
    pub fn folder(&mut self, path: &str) -> (Verdict, Arc<FolderRules>) {
        if let Some((verdict, rules)) = self.folders.get(path) {
            return (*verdict, Arc::clone(rules));
        }
        let (mut verdict, mut rules) = (Verdict::Taken, Arc::clone(&self.admission.rules));
        for folder in folders_above(path).chain([path]) {
            (verdict, rules) = self.enter(folder, verdict, &rules);
            // Nothing in it is taken, so its ignore files are not read.
            if verdict == Verdict::Excluded {
                break;
            }
        }
        (verdict, rules)
    }

    fn enter(
        &mut self,
        folder: &str,
        above: Verdict,
        rules: &Arc<FolderRules>,
    ) -> (Verdict, Arc<FolderRules>) {
        if let Some((verdict, rules)) = self.folders.get(folder) {
            return (*verdict, Arc::clone(rules));
        }
        let is_folder = self
            .admission
            .dir
            .metadata(folder)
            .is_ok_and(|found| found.is_dir());
        let own = if is_folder {
            self.admission.verdict(rules, folder, true)
        } else {
            Verdict::Excluded
        };
        let verdict = above.max(own);
        let inside = match verdict {
            Verdict::Excluded => Arc::clone(rules),
            Verdict::Taken | Verdict::OnlyIfTracked => {
                self.admission.enter(rules, folder, |_| true)
            }
        };
        self.folders
            .insert(folder.to_owned(), (verdict, Arc::clone(&inside)));
        (verdict, inside)
    }
}

/// Joins a name to the path of a folder; `""` is the root.
pub fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
