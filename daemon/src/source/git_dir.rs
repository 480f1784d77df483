//! Finds the git folder of a root.
//!
//! It is `.git`, or in a worktree or submodule the folder that the file `.git` names. Such a folder is trusted only where
//! git itself would have put it, because a stranger's `.git` may name any path: that of a worktree names the root in turn,
//! that of a submodule is in the repository around the root. Nothing is run or written.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::beneath::RootDir;

/// The largest index in bytes: twice that of the largest public repositories.
pub const LARGEST_INDEX: u64 = 256 << 20;
const LONGEST_POINTER: u64 = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitDir {
    /// The folder of this working tree alone: `HEAD`, `index`.
    pub own: PathBuf,
    /// The folder of all working trees of the repository: `info/exclude`.
    pub shared: PathBuf,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// `None` on a branch without commits.
    pub commit: Option<String>,
    /// `None` if no branch is checked out.
    pub branch: Option<String>,
}

impl GitDir {
    pub fn find(root: &Path) -> Option<Self> {
        let dot_git = root.join(".git");
        let found = fs::symlink_metadata(&dot_git).ok()?;
        if found.is_dir() {
            return has_no_common_dir(&dot_git).then(|| Self {
                own: dot_git.clone(),
                shared: dot_git,
            });
        }
        let named = read_pointer(root, ".git")?;
        let own = fs::canonicalize(root.join(named.strip_prefix("gitdir:")?.trim())).ok()?;
        if is_worktree(&own, &dot_git) {
            let shared =
                fs::canonicalize(own.join(read_pointer(&own, "commondir")?.trim())).ok()?;
            let is_registered = own.parent().and_then(Path::parent) == Some(&shared);
            return is_registered.then_some(Self { own, shared });
        }
        (is_submodule(&own, root) && has_no_common_dir(&own)).then(|| Self {
            shared: own.clone(),
            own,
        })
    }

    pub fn info(&self) -> PathBuf {
        self.shared.join("info")
    }

    pub fn exclude(&self) -> PathBuf {
        self.info().join("exclude")
    }

    /// Returns the folders that are watched for changes of `HEAD`, the index and `exclude`.
    pub fn watched(&self) -> [PathBuf; 2] {
        [self.own.clone(), self.info()]
    }

    /// Returns the commit and branch that are checked out.
    pub fn head(&self) -> Option<Head> {
        let head = read_pointer(&self.own, "HEAD")?;
        let Some(reference) = head.trim().strip_prefix("ref:").map(str::trim) else {
            return Some(Head {
                commit: parse_commit(&head),
                branch: None,
            });
        };
        let is_valid = reference
            .split('/')
            .all(|part| !part.is_empty() && part != "..");
        let loose = || read_pointer(&self.shared, reference).and_then(|text| parse_commit(&text));
        let packed = || {
            let text = read(&self.shared, "packed-refs", LARGEST_INDEX)?;
            let text = String::from_utf8(text).ok()?;
            text.lines().find_map(|line| {
                line.strip_suffix(reference)?
                    .strip_suffix(' ')
                    .and_then(parse_commit)
            })
        };
        let commit = is_valid.then(|| loose().or_else(packed)).flatten();
        Some(Head {
            commit,
            branch: Some(reference.trim_start_matches("refs/heads/").to_owned()),
        })
    }

    pub fn index(&self) -> Option<Vec<u8>> {
        read(&self.own, "index", LARGEST_INDEX)
    }
}

/// Returns whether a git folder has no `commondir`. Only that of a worktree may have one: in others it leads to a
/// stranger's repository.
fn has_no_common_dir(own: &Path) -> bool {
    fs::symlink_metadata(own.join("commondir")).is_err()
}

fn is_worktree(own: &Path, dot_git: &Path) -> bool {
    let among_worktrees = own
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|name| name == "worktrees");
    let names = |back: String| fs::canonicalize(own.join(back.trim())).ok();
    among_worktrees && read_pointer(own, "gitdir").and_then(names) == fs::canonicalize(dot_git).ok()
}

fn is_submodule(own: &Path, root: &Path) -> bool {
    let Ok(root) = fs::canonicalize(root) else {
        return false;
    };
    let is_modules = |around: &Path| {
        let modules: Vec<_> = own
            .strip_prefix(around)
            .into_iter()
            .flat_map(Path::components)
            .take(3)
            .collect();
        matches!(modules[..], [Component::Normal(git), Component::Normal(modules), _]
            if git == ".git" && modules == "modules")
    };
    root.ancestors().skip(1).any(is_modules)
}

fn parse_commit(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hash =
        matches!(text.len(), 40 | 64) && text.bytes().all(|sign| sign.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

/// Reads a small regular file.
fn read_pointer(folder: &Path, name: &str) -> Option<String> {
    if !fs::symlink_metadata(folder.join(name)).ok()?.is_file() {
        return None;
    }
    String::from_utf8(read(folder, name, LONGEST_POINTER)?).ok()
}

/// Reads a file of a git folder, unless it is larger than `most`.
pub fn read(folder: &Path, name: &str, most: u64) -> Option<Vec<u8>> {
    RootDir::open(folder, "").ok()?.read(name, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn a_git_folder_is_trusted_only_where_git_puts_it() {
        let scratch = tempfile::tempdir().expect("a directory");
        let top = fs::canonicalize(scratch.path()).expect("real");
        let at = |path: &str| top.join(path);

        put(&at("main/.git/HEAD"), "");
        put(
            &at("main/.git/worktrees/topic/gitdir"),
            &format!("{}\n", at("topic/.git").display()),
        );
        put(&at("main/.git/worktrees/topic/commondir"), "../..\n");
        put(
            &at("topic/.git"),
            &format!("gitdir: {}\n", at("main/.git/worktrees/topic").display()),
        );
        // Another folder that claims the worktree's.
        put(
            &at("thief/.git"),
            &format!("gitdir: {}\n", at("main/.git/worktrees/topic").display()),
        );
        put(&at("main/.git/modules/lib/HEAD"), "");
        put(
            &at("main/third/lib/.git"),
            "gitdir: ../../.git/modules/lib\n",
        );
        put(&at("elsewhere/.git"), "gitdir: ../main/.git/modules/lib\n");
        put(&at("pointing/.git"), "gitdir: /etc\n");
        put(&at("endless/.git"), &"x".repeat(5000));
        // Git folders that name another repository as their own.
        put(
            &at("borrowing/.git/commondir"),
            &at("main/.git").display().to_string(),
        );
        put(
            &at("around/.git/modules/lib/commondir"),
            &at("main/.git").display().to_string(),
        );
        put(&at("around/lib/.git"), "gitdir: ../.git/modules/lib\n");
        put(
            &at("forged/worktrees/topic/gitdir"),
            &format!("{}\n", at("forger/.git").display()),
        );
        put(
            &at("forged/worktrees/topic/commondir"),
            &at("main/.git").display().to_string(),
        );
        put(&at("forger/.git"), "gitdir: ../forged/worktrees/topic\n");
        put(
            &at("main/.git/deep/worktrees/topic/gitdir"),
            &format!("{}\n", at("deep/.git").display()),
        );
        put(
            &at("main/.git/deep/worktrees/topic/commondir"),
            "../../..\n",
        );
        put(
            &at("deep/.git"),
            "gitdir: ../main/.git/deep/worktrees/topic\n",
        );
        fs::create_dir_all(at("plain")).expect("made");

        let git = |own: &str, shared: &str| {
            Some(GitDir {
                own: at(own),
                shared: at(shared),
            })
        };
        for (root, expected) in [
            ("main", git("main/.git", "main/.git")),
            ("topic", git("main/.git/worktrees/topic", "main/.git")),
            (
                "main/third/lib",
                git("main/.git/modules/lib", "main/.git/modules/lib"),
            ),
            ("thief", None),
            ("elsewhere", None),
            ("pointing", None),
            ("endless", None),
            ("borrowing", None),
            ("around/lib", None),
            ("forger", None),
            ("deep", None),
            ("plain", None),
        ] {
            assert_eq!(GitDir::find(&at(root)), expected, "{root}");
        }
    }
}
