//! Which files a root has: git's ignore rules, ours, and the root's own includes and excludes.
//!
//! Symlinks are not followed. Where no ignore file speaks, folders that hold products rather than sources are left
//! out. Nested repositories are part of the root. What git tracks is never ignored, whatever a rule says.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ignore::gitignore::Gitignore;
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::beneath::RootDir;
use super::cancel::Cancel;
use super::globs::Globs;
use super::tracked;
use crate::clock;

/// Like `.gitignore`, for claudevil alone.
pub const OWN_IGNORE_FILE: &str = ".claudevilignore";

/// That of the largest repositories in the open has half of this.
const LARGEST_GIT_INDEX: u64 = 256 << 20;
const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", OWN_IGNORE_FILE];
const LARGEST_RULE_FILE: u64 = 1 << 20;
const PRODUCTS: &[&str] = &["target", "node_modules", "dist", "build", "vendor", ".next", "__pycache__"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// Relative to the root, with `/` between its parts.
    pub path: String,
    pub size: u64,
    /// Milliseconds since 1970.
    pub modified: i64,
}

#[derive(Debug, Default)]
pub struct Walked {
    /// In no particular order.
    pub files: Vec<WalkedFile>,
    /// What could not be read, or not be named in UTF-8.
    pub unreadable: Vec<String>,
}

pub struct Rules {
    pub include: Globs,
    pub exclude: Globs,
}

/// Walks a root. `seen` is told now and then how many files there are so far.
pub fn walk(root: &Path, rules: &Rules, cancel: &Cancel, seen: &(dyn Fn(u64) + Sync)) -> Walked {
    // Git's own parts of the ignore rules are read without any bound by whoever walks, so what is not a plain file of
    // sensible size is not let through to it.
    if let Some(bad) = RULE_FILES.iter().chain(&[".git/info/exclude"]).find(|name| is_hostile(&root.join(name))) {
        return Walked { files: vec![], unreadable: vec![format!("{bad} (not a plain file of at most 1 MB)")] };
    }
    let above_is_sound =
        !root.ancestors().skip(1).any(|above| RULE_FILES.iter().any(|name| is_hostile(&above.join(name))));
    let excluded_by_git = Gitignore::new(root.join(".git/info/exclude")).0;
    let walked = Mutex::new(Walked::default());
    let products_are_ignored = !has_ignore_file(root);
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .parents(above_is_sound)
        // Below the root a `.git` may be a file that leads anywhere; the root's own is looked at here.
        .git_exclude(false)
        .require_git(false)
        .follow_links(false)
        .add_custom_ignore_filename(OWN_IGNORE_FILE)
        .threads(std::thread::available_parallelism().map_or(2, |cores| cores.get().min(4)));
    let exclude = rules.exclude.clone();
    let top = root.to_owned();
    builder.filter_entry(move |entry| {
        let name = entry.file_name();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_compiled = || entry.path().extension().is_some_and(|extension| extension == "pyc");
        let product = products_are_ignored
            && if is_folder { PRODUCTS.iter().any(|product| name == *product) } else { is_compiled() };
        let excluded = || relative(entry.path(), &top).is_some_and(|path| exclude.covers(&path));
        let by_git = || excluded_by_git.matched(entry.path().strip_prefix(&top).unwrap_or(&top), is_folder).is_ignore();
        let hostile = || is_folder && RULE_FILES.iter().any(|name| is_hostile(&entry.path().join(name)));
        name != ".git" && (entry.depth() == 0 || !(product || excluded() || by_git() || hostile()))
    });
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            if cancel.is_cancelled() {
                return WalkState::Quit;
            }
            let outcome = match &entry {
                Ok(entry) => look(entry, root, rules),
                Err(error) => Err(without_prefix(&error.to_string(), root)),
            };
            let mut walked = walked.lock().unwrap_or_else(PoisonError::into_inner);
            match outcome {
                Ok(Some(file)) => {
                    walked.files.push(file);
                    if walked.files.len().is_multiple_of(1000) {
                        seen(walked.files.len() as u64);
                    }
                }
                Ok(None) => {}
                Err(unreadable) => walked.unreadable.push(unreadable),
            }
            WalkState::Continue
        })
    });
    let mut walked = walked.into_inner().unwrap_or_else(PoisonError::into_inner);
    let tracked = tracked_but_ignored(root, rules, &walked.files);
    walked.files.extend(tracked);
    walked
}

/// What an ignore rule names and git tracks all the same.
fn tracked_but_ignored(root: &Path, rules: &Rules, walked: &[WalkedFile]) -> Vec<WalkedFile> {
    let Ok(dir) = RootDir::open(root, "") else { return vec![] };
    let Some(tracked) = dir.read(".git/index", LARGEST_GIT_INDEX).as_deref().and_then(tracked::files) else {
        return vec![];
    };
    let walked: HashSet<&str> = walked.iter().map(|file| file.path.as_str()).collect();
    let (own_rules, _) = Gitignore::new(root.join(OWN_IGNORE_FILE));
    tracked
        .into_iter()
        .filter(|path| !walked.contains(path.as_str()) && !rules.exclude.covers(path))
        .filter(|path| rules.include.is_empty() || rules.include.covers(path))
        .filter(|path| !own_rules.matched_path_or_any_parents(path, false).is_ignore())
        .filter_map(|path| {
            let (size, modified) = dir.stat(&path)?;
            Some(WalkedFile { path, size, modified })
        })
        .collect()
}

/// Whether an ignore file could hang or swamp whoever reads it: a pipe, a device, a symlink, or huge. Git does not follow
/// symlinks there either.
fn is_hostile(file: &Path) -> bool {
    std::fs::symlink_metadata(file).is_ok_and(|found| !found.is_file() || found.len() > LARGEST_RULE_FILE)
}

/// Why a root's folder cannot be used right now.
#[expect(clippy::disallowed_methods, reason = "only whether it can be listed")]
pub fn unavailable(root: &Path) -> Option<String> {
    std::fs::read_dir(root).err().map(|error| error.to_string())
}

/// The file behind an entry, nothing for what is not a file of the root, or what cannot be read.
fn look(entry: &DirEntry, root: &Path, rules: &Rules) -> Result<Option<WalkedFile>, String> {
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return Ok(None);
    }
    let Some(path) = relative(entry.path(), root) else {
        return Err(format!("{} (its name is not UTF-8)", entry.path().strip_prefix(root).unwrap_or(root).display()));
    };
    if !rules.include.is_empty() && !rules.include.covers(&path) {
        return Ok(None);
    }
    // A file that has gone since it was listed is not missing from anything.
    let Ok(found) = entry.metadata() else { return Ok(None) };
    let modified = found.modified().map_or(0, clock::millis);
    Ok(Some(WalkedFile { path, size: found.len(), modified }))
}

fn relative(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?.to_str()?;
    Some(if cfg!(windows) { inside.replace('\\', "/") } else { inside.to_owned() })
}

fn has_ignore_file(root: &Path) -> bool {
    RULE_FILES.iter().any(|name| root.join(name).is_file())
}

fn without_prefix(message: &str, root: &Path) -> String {
    message.replace(&format!("{}/", root.display()), "")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn listed(root: &Path, rules: &Rules) -> Vec<String> {
        let mut paths: Vec<_> =
            walk(root, rules, &Cancel::default(), &|_| {}).files.into_iter().map(|file| file.path).collect();
        paths.sort();
        paths
    }

    fn rules(include: &[&str], exclude: &[&str]) -> Rules {
        Rules { include: Globs::new(include).expect("globs"), exclude: Globs::new(exclude).expect("globs") }
    }

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let scratch = tempfile::tempdir().expect("a directory");
        for (path, text) in files {
            let path = scratch.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        scratch
    }

    #[test]
    fn ignore_rules_of_every_level_apply() {
        let tree = tree(&[
            (".gitignore", "*.log\n/out/\n"),
            (".git/config", "[core]\n"),
            (".git/info/exclude", "private.txt\n"),
            (".claudevilignore", "huge/\n"),
            (".github/ci.yml", "on: push\n"),
            ("a.log", ""),
            ("out/a.rs", ""),
            ("private.txt", ""),
            ("huge/a.rs", ""),
            ("src/a.rs", ""),
            ("src/.gitignore", "generated.rs\n!keep.log\n"),
            ("src/generated.rs", ""),
            ("src/keep.log", ""),
            ("nested/.git/HEAD", "ref: refs/heads/main\n"),
            ("nested/b.rs", ""),
            ("target/kept.rs", ""),
        ]);
        assert_eq!(
            listed(tree.path(), &rules(&[], &[])),
            [
                ".claudevilignore",
                ".github/ci.yml",
                ".gitignore",
                "nested/b.rs",
                "src/.gitignore",
                "src/a.rs",
                "src/keep.log",
                "target/kept.rs"
            ]
        );
    }

    #[test]
    fn products_are_left_out_where_no_ignore_file_speaks() {
        let tree = tree(&[("src/a.rs", ""), ("a.pyc", ""), ("target/a.rs", ""), ("web/node_modules/b.js", "")]);
        assert_eq!(listed(tree.path(), &rules(&[], &[])), ["src/a.rs"]);
    }

    #[test]
    fn a_root_can_be_narrowed() {
        let tree = tree(&[("src/a.rs", ""), ("src/a.gen.rs", ""), ("docs/a.md", ""), ("other/x.rs", "")]);
        assert_eq!(listed(tree.path(), &rules(&["src", "*.md"], &["*.gen.rs"])), ["docs/a.md", "src/a.rs"]);
    }

    #[cfg(unix)]
    #[test]
    fn ignore_files_that_are_not_files_do_not_hang_the_walk() {
        let tree = tree(&[("a.rs", ""), ("sub/b.rs", ""), ("sub2/c.rs", "")]);
        let pipe = tree.path().join("sub/.gitignore");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .expect("a pipe");
        std::os::unix::fs::symlink("/dev/zero", tree.path().join("sub2/.ignore")).expect("linked");
        assert_eq!(listed(tree.path(), &rules(&[], &[])), ["a.rs"]);
        fs::rename(&pipe, tree.path().join(".gitignore")).expect("moved");
        let walked = walk(tree.path(), &rules(&[], &[]), &Cancel::default(), &|_| {});
        assert!(walked.files.is_empty() && walked.unreadable[0].contains(".gitignore"), "{walked:?}");
    }

    #[cfg(unix)]
    #[test]
    fn symlinks_are_not_followed() {
        let tree = tree(&[("src/a.rs", "")]);
        std::os::unix::fs::symlink("..", tree.path().join("src/loop")).expect("linked");
        std::os::unix::fs::symlink("/etc/hostname", tree.path().join("outside")).expect("linked");
        assert_eq!(listed(tree.path(), &rules(&[], &[])), ["src/a.rs"]);
    }
}
