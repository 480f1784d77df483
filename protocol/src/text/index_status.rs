//! The text of `index_status`.

use super::one_line;
use super::quantity::{bytes, count, duration};
use crate::model::index_status::{Details, Part, RootStatus, Status};

pub fn write(status: &Status) -> String {
    let mut text = format!("{}; {}", status.health.as_str(), count(status.total_roots, "root"));
    let mut push = |line: String| {
        text.push('\n');
        text.push_str(&line);
    };
    for root in &status.roots {
        push(root_line(root, status.now));
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
        push(format!("{left_out} more roots: index_status {{\"root\":\"NAME\"}} shows one, or raise max_tokens"));
    }
    text
}

fn root_line(root: &RootStatus, now: i64) -> String {
    let mark = if root.is_session { " (this session)" } else { "" };
    let head = format!("{}{mark}  {}", root.name, one_line(&root.path));
    if let Some(why) = &root.unavailable {
        return format!("{head}  unavailable: {why}");
    }
    let Some(walk) = &root.walk else {
        return format!("{head}  not walked yet: ask with its name");
    };
    let languages: Vec<_> =
        walk.languages.iter().take(5).map(|one| format!("{} {}", one.language, one.files)).collect();
    let mut line = format!("{head}  {}, {}", count(walk.files, "file"), bytes(walk.bytes));
    if !languages.is_empty() {
        line = format!("{line}  {}", languages.join(", "));
    }
    if let Some(changed) = walk.last_change {
        line = format!("{line}  changed {} ago", duration(now - changed));
    }
    if walk.unreadable > 0 {
        line = format!("{line}  {} not readable", walk.unreadable);
    }
    if now - walk.at > 1000 {
        line = format!("{line}  as of {} ago", duration(now - walk.at));
    }
    format!("{line}  watch: {}", root.watch.as_str())
}

fn part_line(part: &Part) -> String {
    let millis = part.latency_micros / 1000;
    let latency = if millis > 0 { format!("{millis} ms") } else { format!("{} µs", part.latency_micros) };
    format!("{}: {} ({latency}) {}", part.name, part.health.as_str(), part.detail)
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
        details.settings.iter().map(|setting| format!("{} = {} ({})", setting.key, setting.value, setting.source)),
    );
    lines.extend(details.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines
}
