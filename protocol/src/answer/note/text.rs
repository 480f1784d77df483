//! What the texts of notes and plans share: where one lies, when it was written, at which commit, and its own text in a
//! fence.

use crate::answer::hits::shortened;
use crate::answer::note::{Note, SkippedNote};
use crate::text::NextCall;
use crate::text::quantity::grouped;
use crate::text::{fence, moment, one_line};
use crate::tools::Tool;
use crate::tools::read_file::ReadFile;

/// `main@1a2b3c4`, as much of it as is known.
pub fn checkout(branch: Option<&str>, commit: Option<&str>) -> Option<String> {
    let commit = commit.map(|commit| commit.chars().take(7).collect::<String>());
    match (branch.map(one_line), commit) {
        (Some(branch), Some(commit)) => Some(format!("{branch}@{}", one_line(&commit))),
        (Some(only), None) => Some(only),
        (None, Some(commit)) => Some(format!("@{}", one_line(&commit))),
        (None, None) => None,
    }
}

/// When, at which commit, and under which tags.
pub fn circumstances(note: &Note) -> String {
    let mut parts = vec![moment::minute(note.created)];
    parts.extend(checkout(note.branch.as_deref(), note.commit.as_deref()));
    if !note.tags.is_empty() {
        parts.push(
            note.tags
                .iter()
                .map(|tag| format!("#{}", one_line(tag)))
                .collect::<Vec<_>>()
                .join(" "),
        );
    }
    parts.join("  ")
}

/// What a note is about, a line each.
pub fn subjects(note: &Note) -> Vec<String> {
    let list = |label: &str, names: &[String]| {
        let names: Vec<_> = names.iter().map(|name| one_line(name)).collect();
        (!names.is_empty()).then(|| format!("  {label}: {}", names.join(", ")))
    };
    [list("symbols", &note.symbols), list("files", &note.files)]
        .into_iter()
        .flatten()
        .collect()
}

/// The text that somebody wrote, where it cannot be taken for words of ours.
pub fn fenced(text: &str) -> Vec<String> {
    let lines: Vec<_> = text.lines().map(shortened).collect();
    let fence = fence(lines.iter().map(String::as_str));
    let mut fenced = vec![fence.clone()];
    fenced.extend(lines);
    fenced.push(fence);
    fenced
}

/// The call that shows the whole of a file.
pub fn whole(path: &str, root: &str) -> String {
    format!(
        "  cut; all of it: {}",
        NextCall::new(ReadFile::NAME)
            .with("path", path)
            .with("root", root)
    )
}

pub fn remark(remark: Option<&str>) -> Option<String> {
    remark.map(|remark| format!("  note: {}", one_line(remark)))
}

/// What lies among the notes and is none that can be read.
pub fn skipped(total: u64, skipped: &[SkippedNote]) -> Option<String> {
    if total == 0 {
        return None;
    }
    let names: Vec<_> = skipped
        .iter()
        .map(|one| format!("{} ({})", one_line(&one.path), one_line(&one.reason)))
        .collect();
    let unnamed = total.saturating_sub(names.len() as u64);
    let more = if unnamed > 0 {
        format!(" and {} more", grouped(unnamed))
    } else {
        String::new()
    };
    Some(format!("skipped: {}{more}", names.join(", ")))
}
