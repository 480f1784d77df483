//! The text of `index_status`.

use crate::answer::freshness;
use crate::answer::index_summary::{IndexSummary, IndexedCommit, LanguageCount, SkippedFiles};
use crate::text::one_line;
use crate::text::quantity::{bytes, count, duration, grouped};
use crate::tools::index_status::{Details, Part, RootStatus, Savings, Status};

pub fn write(status: &Status) -> String {
    let mut text = format!(
        "{}; {}",
        status.health.as_str(),
        count(status.total_roots, "root")
    );
    let mut push = |line: String| {
        text.push('\n');
        text.push_str(&line);
    };
    for root in &status.roots {
        push(root_line(root));
        if root.is_session || status.roots.len() == 1 {
            for line in root_lines(root, status.now) {
                push(format!("  {line}"));
            }
        }
    }
    for part in &status.parts {
        push(part_line(part));
    }
    let daemon = &status.daemon;
    push(format!(
        "daemon {} pid {}: {}, {} in flight",
        daemon.build,
        daemon.pid,
        count(u64::from(daemon.connections), "connection"),
        count(u64::from(daemon.calls_in_flight), "call")
    ));
    if let Some(details) = &status.details {
        for line in details_lines(status, details) {
            push(line);
        }
    }
    let left_out = status.total_roots.saturating_sub(status.roots.len() as u64);
    if status.truncated && left_out > 0 {
        push(format!(
            "{left_out} more roots: index_status {{\"root\":\"NAME\"}} shows one, or raise max_tokens"
        ));
    }
    text
}

fn root_line(root: &RootStatus) -> String {
    let mark = if root.is_session {
        " (this session)"
    } else {
        ""
    };
    let mut line = format!(
        "{}{mark}  {}  {}",
        root.name,
        one_line(&root.path),
        root.state.as_str()
    );
    if let Some(why) = &root.unavailable {
        line = format!("{line}: {}", one_line(why));
    }
    if let Some(index) = &root.index {
        line = format!(
            "{line}  {}, {}",
            count(index.files, "file"),
            count(index.symbols, "symbol")
        );
    }
    match &root.watch_reason {
        Some(why) => format!("{line}  watch: {} ({})", root.watch.as_str(), one_line(why)),
        None => format!("{line}  watch: {}", root.watch.as_str()),
    }
}

/// What else is known of a root, a line each.
pub fn root_lines(root: &RootStatus, now: i64) -> Vec<String> {
    let mut lines: Vec<_> = root.progress.iter().map(freshness::progress).collect();
    lines.extend(
        root.trouble
            .iter()
            .map(|why| format!("behind: {}", one_line(why))),
    );
    lines.extend(freshness::unused_rules(&root.unused_rules));
    lines.extend(root.index.iter().flat_map(|index| index_lines(index, now)));
    lines.extend(
        root.savings
            .as_ref()
            .map(|savings| savings_line(savings, now)),
    );
    lines
}

/// `answered 12 questions with about 4,300 tokens; the files shown have 61,000 (92 % less), in 3 days`.
pub fn savings_line(savings: &Savings, now: i64) -> String {
    let (calls, tokens) = (count(savings.calls, "question"), grouped(savings.tokens));
    let less = savings
        .percent_less()
        .map(|less| format!(" ({less} % less)"))
        .unwrap_or_default();
    // Answers about projects, or that found nothing, show no file.
    let whole = match savings.whole_tokens {
        0 => String::new(),
        whole => format!("; the files shown have {}{less}", grouped(whole)),
    };
    format!(
        "answered {calls} with about {tokens} tokens{whole}, in {}",
        duration(now - savings.since)
    )
}

fn index_lines(index: &IndexSummary, now: i64) -> Vec<String> {
    let mut sizes = format!(
        "{}, {}",
        count(index.chunks, "chunk"),
        count(index.vectors, "vector")
    );
    if index.chunks > 0 {
        let each = bytes(index.bytes_per_chunk);
        sizes = format!(
            "{sizes}; {:.1} chunks a file, {each} a chunk",
            index.chunks_per_file
        );
    }
    let mut lines = vec![format!(
        "{sizes}; {} of source, {} on disk",
        bytes(index.source_bytes),
        bytes(index.bytes_on_disk)
    )];
    lines.extend(languages(&index.languages));
    let mut times = vec![];
    times.extend(index.commit.as_ref().map(commit));
    times.push(format!(
        "indexed {} ago",
        duration(now - index.last_indexed)
    ));
    times.extend(
        index
            .last_change
            .map(|at| format!("changed {} ago", duration(now - at))),
    );
    times.push(format!("created {} ago", duration(now - index.created)));
    lines.push(times.join(", "));
    lines.extend(skipped(&index.skipped));
    let mut marks = vec![];
    if index.redacted_secrets > 0 {
        marks.push(format!(
            "{} left out",
            count(index.redacted_secrets, "secret")
        ));
    }
    if index.parse_errors > 0 {
        marks.push(format!(
            "{} parsed with errors",
            count(index.parse_errors, "file")
        ));
    }
    lines.extend((!marks.is_empty()).then(|| marks.join(", ")));
    lines
}

fn languages(languages: &[LanguageCount]) -> Option<String> {
    const SHOWN: usize = 8;
    let named = languages
        .iter()
        .take(SHOWN)
        .map(|one| format!("{} {}", one.language, grouped(one.files)));
    let mut text = named.collect::<Vec<_>>().join(", ");
    if languages.len() > SHOWN {
        text = format!(
            "{text} and {} more",
            count((languages.len() - SHOWN) as u64, "language")
        );
    }
    (!text.is_empty()).then_some(text)
}

fn commit(commit: &IndexedCommit) -> String {
    let hash: String = commit.hash.chars().take(10).collect();
    match &commit.branch {
        Some(branch) => format!("commit {hash} ({})", one_line(branch)),
        None => format!("commit {hash}"),
    }
}

/// `skipped 40: binary 30, too large 10; e.g. a.bin (binary)`.
fn skipped(skipped: &SkippedFiles) -> Option<String> {
    const SHOWN: usize = 5;
    if skipped.total == 0 {
        return None;
    }
    let reasons = skipped
        .reasons
        .iter()
        .map(|one| format!("{} {}", one.reason.as_str(), grouped(one.files)));
    let text = format!(
        "skipped {}: {}",
        grouped(skipped.total),
        reasons.collect::<Vec<_>>().join(", ")
    );
    let examples: Vec<_> = skipped
        .examples
        .iter()
        .take(SHOWN)
        .map(|one| format!("{} ({})", one_line(&one.path), one.reason.as_str()))
        .collect();
    Some(if examples.is_empty() {
        text
    } else {
        format!("{text}; e.g. {}", examples.join(", "))
    })
}

fn part_line(part: &Part) -> String {
    let millis = part.latency_micros / 1000;
    let latency = if millis > 0 {
        format!("{millis} ms")
    } else {
        format!("{} µs", part.latency_micros)
    };
    format!(
        "{}: {} ({latency}) {}",
        part.name,
        part.health.as_str(),
        part.detail
    )
    .trim_end()
    .to_owned()
}

fn details_lines(status: &Status, details: &Details) -> Vec<String> {
    let daemon = &status.daemon;
    let mut lines = vec![
        format!(
            "versions: protocol {}-{}, index format {}, {}",
            daemon.oldest_protocol, daemon.newest_protocol, details.index_format, details.compiler
        ),
        format!("socket: {}", daemon.address),
        format!("logs: {}", daemon.log_directory),
    ];
    let mut usage = format!("disk: {} used", bytes(details.bytes_on_disk));
    if let Some(free) = details.free_bytes {
        usage = format!("{usage}, {} free", bytes(free));
    }
    if let Some(memory) = details.memory_bytes {
        usage = format!("{usage}; memory: {}", bytes(memory));
    }
    lines.push(usage);
    lines.push(format!("tools: {}", details.tools.join(" ")));
    lines.extend(
        details
            .settings
            .iter()
            .map(|setting| format!("{} = {} ({})", setting.key, setting.value, setting.source)),
    );
    lines.extend(
        details
            .warnings
            .iter()
            .map(|warning| format!("warning: {warning}")),
    );
    lines
}

#[cfg(test)]
mod tests;
