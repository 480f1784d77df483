//! Reads one commit from git: its message, and the files and symbols that it changed.

use std::collections::{BTreeSet, HashMap};

use super::record::{
    Commit, FileChange, FileChangeKind, StringId, StringTable, clean_author, clean_message,
};
use crate::lang::line_definitions::names_around;
use crate::lang::{self, Detection};
use crate::source::cancel::CancelToken;
use crate::source::git::{
    Blob, ChangedFile, ChangedFiles, CommitId, CommitInfo, GitError, Repository, hunks, is_binary,
};

/// The most files of a commit that are kept.
const MAX_FILES: usize = 500;
/// In a commit with more files than this, such as a reformatting, no symbols are looked for.
const MAX_COMPARED: usize = 60;
/// Larger files are rarely written by hand.
const LARGEST_FILE: u64 = 256 << 10;
const MAX_SYMBOLS: usize = 64;

/// Reads a commit that is in the repository.
pub fn read_commit(
    repository: &Repository,
    id: CommitId,
    info: &CommitInfo,
    strings: &mut StringTable,
    cancel: &CancelToken,
) -> Result<Commit, GitError> {
    let mut commit = Commit {
        id,
        parents: info.parents.clone(),
        seconds: info.seconds,
        author: strings.add(&clean_author(&info.author)),
        message: clean_message(&info.message),
        ..Commit::default()
    };
    let parent = match info.parents[..] {
        [] => None,
        [parent] => {
            let found = repository.commit_info(parent)?;
            // A shallow clone lacks the parent.
            commit.lacks_parent = found.is_none();
            found
        }
        // A merge is stored without changes, because the commits that it merges have their own.
        _ => return Ok(commit),
    };
    if commit.lacks_parent {
        return Ok(commit);
    }
    let changed = match repository.changed_files(parent.as_ref(), info, MAX_FILES, cancel) {
        Err(GitError::Cancelled) => return Err(GitError::Cancelled),
        // A partial clone may lack trees. The message is kept all the same.
        Err(_) => ChangedFiles {
            is_cut: true,
            ..ChangedFiles::default()
        },
        Ok(changed) => changed,
    };
    commit.has_more_files = changed.is_cut;
    let is_compared = changed.files.len() <= MAX_COMPARED && !changed.is_cut;
    let moves = moved_files(&changed.files);
    let mut files = Vec::with_capacity(changed.files.len());
    for file in &changed.files {
        if cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        let old = moves.get(&*file.path).copied();
        if file.new.is_none() && moves.values().any(|moved| moved.path == file.path) {
            continue;
        }
        let old_blob = old.map_or(file.old, |old| old.old);
        let symbols = if is_compared {
            changed_symbols(repository, &file.path, old_blob, file.new, cancel)?
        } else {
            BTreeSet::new()
        };
        let symbols = symbols.iter().take(MAX_SYMBOLS);
        files.push(FileChange {
            path: strings.add(&file.path),
            kind: match (old, file.old, file.new) {
                (Some(_), ..) => FileChangeKind::Moved,
                (None, None, _) => FileChangeKind::Added,
                (None, Some(_), Some(_)) => FileChangeKind::Modified,
                (None, Some(_), None) => FileChangeKind::Deleted,
            },
            old_path: old.map(|old| strings.add(&old.path)),
            symbols: symbols
                .map(|name| strings.add(name))
                .collect::<Box<[StringId]>>(),
        });
    }
    commit.files = files.into();
    Ok(commit)
}

/// Returns the files that a commit moved, by their new paths. An added file was moved from a deleted one with the same content,
/// or else from the only deleted one with its file name, if no other added file has that name.
fn moved_files(files: &[ChangedFile]) -> HashMap<&str, &ChangedFile> {
    let deleted: Vec<&ChangedFile> = files.iter().filter(|file| file.new.is_none()).collect();
    let mut moves: HashMap<&str, &ChangedFile> = HashMap::new();
    if deleted.is_empty() {
        return moves;
    }
    let added: Vec<&ChangedFile> = files.iter().filter(|file| file.old.is_none()).collect();
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    let mut by_content: HashMap<Blob, Vec<&ChangedFile>> = HashMap::new();
    for file in &deleted {
        if let Some(blob) = file.old {
            by_content.entry(blob).or_default().push(file);
        }
    }
    for file in &added {
        let same = file.new.and_then(|blob| by_content.get(&blob));
        let same = same.into_iter().flatten();
        if let Some(old) = same.copied().find(|old| !taken.contains(&*old.path)) {
            taken.insert(&old.path);
            moves.insert(&file.path, old);
        }
    }
    let mut by_name: HashMap<&str, [Vec<&ChangedFile>; 2]> = HashMap::new();
    for file in deleted.iter().filter(|file| !taken.contains(&*file.path)) {
        by_name.entry(file_name(&file.path)).or_default()[0].push(file);
    }
    for file in added.iter().filter(|file| !moves.contains_key(&*file.path)) {
        by_name.entry(file_name(&file.path)).or_default()[1].push(file);
    }
    for [old, new] in by_name.into_values() {
        if let ([old], [new]) = (&old[..], &new[..]) {
            moves.insert(&new.path, old);
        }
    }
    moves
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the definitions with changed lines: those in the new text, and those in the old text around deleted lines.
fn changed_symbols(
    repository: &Repository,
    path: &str,
    old: Option<Blob>,
    new: Option<Blob>,
    cancel: &CancelToken,
) -> Result<BTreeSet<String>, GitError> {
    let has_definitions = matches!(lang::by_path(file_name(path)), Detection::Known(language) if language.facts.is_some());
    if !has_definitions || old == new {
        return Ok(BTreeSet::new());
    }
    let read = |blob: Option<Blob>| match blob {
        Some(blob) => repository.blob(blob, LARGEST_FILE),
        None => Some(vec![]),
    };
    let (Some(old), Some(new)) = (read(old), read(new)) else {
        return Ok(BTreeSet::new());
    };
    if is_binary(&old) || is_binary(&new) {
        return Ok(BTreeSet::new());
    }
    let hunks = hunks(&old, &new, cancel).ok_or(GitError::Cancelled)?;
    let names = |text: &[u8], lines: &mut dyn Iterator<Item = u32>| {
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return BTreeSet::new();
        }
        names_around(&String::from_utf8_lossy(text), lines)
    };
    let mut symbols = names(
        &new,
        &mut hunks.iter().flat_map(|hunk| hunk.new.first..=hunk.new.last),
    );
    let gone = hunks.iter().filter(|hunk| hunk.new.is_empty());
    symbols.extend(names(
        &old,
        &mut gone.flat_map(|hunk| hunk.old.first..=hunk.old.last),
    ));
    Ok(symbols)
}
