//! What an answer may lack, in the lines behind its first.

use crate::answer::freshness::{Freshness, IndexPhase, IndexProgress};
use crate::text::one_line;
use crate::text::quantity::{count, duration, grouped};
use crate::tools::index_status::MOST_UNUSED_RULES;

/// A line each for what is missing, old, or else to be known.
pub fn lines(freshness: &Freshness) -> Vec<String> {
    let mut lines = vec![];
    if let Some(progress) = &freshness.partial {
        lines.push(format!("partial: {}", indexed(progress)));
    }
    if freshness.stale_total > 0 {
        let names: Vec<_> = freshness.stale.iter().map(|path| one_line(path)).collect();
        let unnamed = freshness.stale_total.saturating_sub(names.len() as u64);
        let more = if unnamed > 0 {
            format!(" and {} more", grouped(unnamed))
        } else {
            String::new()
        };
        lines.push(format!("stale: {}{more}", names.join(", ")));
    }
    if let Some(note) = &freshness.note {
        lines.push(format!("note: {}", one_line(note)));
    }
    lines
}

/// `1 ignore file is not used, so what it names is not ignored: .gitignore (a symbolic link)`.
pub fn unused_rules(files: &[String]) -> Option<String> {
    const SHOWN: usize = 5;
    let one = files.len() == 1;
    let (are, they) = if one {
        ("is", "it names")
    } else {
        ("are", "they name")
    };
    let mut named = files
        .iter()
        .take(SHOWN)
        .map(|file| one_line(file))
        .collect::<Vec<_>>()
        .join(", ");
    if files.len() > SHOWN {
        named = format!("{named} and {} more", grouped((files.len() - SHOWN) as u64));
    }
    let or_more = if files.len() < MOST_UNUSED_RULES {
        ""
    } else {
        "at least "
    };
    let files = format!("{or_more}{}", count(files.len() as u64, "ignore file"));
    (!named.is_empty())
        .then(|| format!("{files} {are} not used, so what {they} is not ignored: {named}"))
}

/// `1,234 of 6,611 files indexed, about 40 s left`.
fn indexed(progress: &IndexProgress) -> String {
    let missing = progress.total.saturating_sub(progress.done);
    match progress.phase {
        IndexPhase::Embedding if progress.done == 0 => return "ranked without vectors".to_owned(),
        IndexPhase::Embedding => {
            return format!("ranked without the vectors of {}", count(missing, "file"));
        }
        // Before all files are counted there is no total.
        _ if progress.total == 0 => return "scanning files".to_owned(),
        _ => {}
    }
    let indexed = format!(
        "{} of {} files indexed",
        grouped(progress.done),
        grouped(progress.total)
    );
    match eta(progress) {
        Some(left) => format!("{indexed}, {left}"),
        None => indexed,
    }
}

/// `extracting 1,234 of 6,611 files, 210 a second, about 25 s left`.
pub fn progress(progress: &IndexProgress) -> String {
    if progress.total == 0 {
        return format!("{} files", progress.phase.as_str());
    }
    let (phase, done, total) = (
        progress.phase.as_str(),
        grouped(progress.done),
        grouped(progress.total),
    );
    let mut text = format!("{phase} {done} of {total} files");
    if progress.rate > 0.0 {
        text = format!("{text}, {} a second", rate(progress.rate));
    }
    match eta(progress) {
        Some(left) => format!("{text}, {left}"),
        None => text,
    }
}

/// A number of files a second, with decimals only where they say something.
pub fn rate(rate: f64) -> String {
    if rate < 10.0 {
        format!("{rate:.1}")
    } else {
        format!("{rate:.0}")
    }
}

fn eta(progress: &IndexProgress) -> Option<String> {
    let seconds = i64::try_from(progress.eta_seconds?)
        .unwrap_or(i64::MAX / 1000)
        .min(i64::MAX / 1000);
    Some(format!("about {} left", duration(seconds * 1000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignore_files_that_are_not_used_are_named() {
        assert_eq!(unused_rules(&[]), None);
        let files: Vec<_> = (0..7)
            .map(|number| format!("{number}/.gitignore (larger than 1 MB)"))
            .collect();
        let one = "1 ignore file is not used, so what it names is not ignored: 0/.gitignore (larger than 1 MB)";
        assert_eq!(unused_rules(&files[..1]).as_deref(), Some(one));
        let many = unused_rules(&files).expect("some");
        assert!(
            many.starts_with("7 ignore files are not used, so what they name is not ignored: 0/"),
            "{many}"
        );
        assert!(
            many.ends_with("4/.gitignore (larger than 1 MB) and 2 more"),
            "{many}"
        );
    }

    #[test]
    fn what_is_missing_is_said_in_a_line_each() {
        let partial = IndexProgress {
            phase: IndexPhase::Extracting,
            done: 1234,
            total: 6611,
            rate: 210.4,
            eta_seconds: Some(25),
        };
        insta::assert_snapshot!(progress(&partial), @"extracting 1,234 of 6,611 files, 210 a second, about 25 s left");
        let begun = IndexProgress {
            phase: IndexPhase::Scanning,
            done: 0,
            total: 0,
            rate: 0.0,
            eta_seconds: None,
        };
        assert_eq!(progress(&begun), "scanning files");
        let begun = Freshness {
            partial: Some(begun),
            ..Freshness::default()
        };
        assert_eq!(lines(&begun), ["partial: scanning files"]);
        let freshness = Freshness {
            partial: Some(partial),
            ..Freshness::default()
        }
        .with_stale((0..12).map(|number| format!("src/file_{number}.rs")));
        let freshness = Freshness {
            note: Some("text search only".to_owned()),
            ..freshness
        };
        insta::assert_snapshot!(lines(&freshness).join("\n"), @r"
        partial: 1,234 of 6,611 files indexed, about 25 s left
        stale: src/file_0.rs, src/file_1.rs, src/file_2.rs, src/file_3.rs, src/file_4.rs, src/file_5.rs, src/file_6.rs, src/file_7.rs, src/file_8.rs, src/file_9.rs and 2 more
        note: text search only
        ");
        assert!(lines(&Freshness::default()).is_empty());
        let without = |done| {
            let partial = IndexProgress {
                phase: IndexPhase::Embedding,
                done,
                total: 40,
                rate: 0.0,
                eta_seconds: None,
            };
            lines(&Freshness {
                partial: Some(partial),
                ..Freshness::default()
            })
        };
        assert_eq!(without(0), ["partial: ranked without vectors"]);
        assert_eq!(
            without(39),
            ["partial: ranked without the vectors of 1 file"]
        );
        let begun = IndexProgress {
            phase: IndexPhase::Scanning,
            done: 0,
            total: 0,
            rate: 0.0,
            eta_seconds: None,
        };
        let freshness = Freshness {
            partial: Some(begun),
            ..Freshness::default()
        };
        assert_eq!(lines(&freshness), ["partial: scanning files"]);
    }
}
