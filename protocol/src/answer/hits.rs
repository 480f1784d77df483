//! Found places with their lines, as `search` and `find_similar` show them.

use crate::text::{fence, one_line, place, signature};
use crate::tools::search::{SearchHit, Why};

/// Between lines that are not neighbours.
pub const GAP: &str = "⋮";

/// A longer line is cut: what is shown is to be read.
pub const LONGEST_LINE: usize = 1000;

/// The numbered lines of a hit.
pub fn numbered(hit: &SearchHit) -> Vec<(u32, String)> {
    if hit.snippet.is_empty() && hit.snippet_lines.is_empty() {
        return vec![];
    }
    // Whoever gave no numbers meant the lines from the first.
    let numbers = hit
        .snippet_lines
        .iter()
        .copied()
        .chain(hit.start_line + count(&hit.snippet_lines)..);
    numbers
        .zip(hit.snippet.split('\n').map(shortened))
        .collect()
}

fn count(lines: &[u32]) -> u32 {
    u32::try_from(lines.len()).unwrap_or(u32::MAX)
}

/// A line as it is shown.
pub fn shortened(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Where a hit is: with its root, where several were asked.
pub fn whereabouts(hit: &SearchHit) -> String {
    let place = place(&hit.path, hit.start_line, hit.end_line);
    match &hit.root {
        Some(root) => format!("[{}] {place}", one_line(root)),
        None => place,
    }
}

/// `public method Counter::count`, as much of it as is known.
pub fn identity(hit: &SearchHit) -> String {
    let visibility = hit
        .visibility
        .filter(|_| hit.definition)
        .map(|visibility| visibility.as_str().to_owned());
    let kind = hit.kind.map(|kind| kind.as_str().to_owned());
    let symbol = hit.symbol.as_deref().map(one_line);
    [visibility, kind, symbol]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The signature of a definition, unless the lines below show it.
pub fn signature_beside(hit: &SearchHit) -> Option<String> {
    let written = signature(hit.signature.as_deref().filter(|text| !text.is_empty())?);
    let shown = hit.snippet.split_whitespace().collect::<Vec<_>>().join(" ");
    (hit.definition && !shown.contains(&written)).then_some(written)
}

/// `bytes 120-480, chunk 2, because the name is the same; 3 of 4 words`.
pub fn because(why: &Why) -> String {
    let mut parts = vec![format!("bytes {}-{}", why.start_byte, why.end_byte)];
    parts.extend(why.chunk.map(|chunk| format!("chunk {chunk}")));
    if !why.reasons.is_empty() {
        parts.push(format!("because {}", one_line(&why.reasons.join("; "))));
    }
    parts.join(", ")
}

/// Ranked hits: the definitions that were asked for under a heading of their own, each hit with its lines in a fence.
pub fn ranked(hits: &[SearchHit]) -> Vec<String> {
    let definitions = hits.iter().take_while(|hit| hit.definition).count();
    let mut lines = vec![];
    for (index, hit) in hits.iter().enumerate() {
        if index == 0 && definitions > 0 {
            lines.push(
                if definitions == 1 {
                    "Definition found"
                } else {
                    "Definitions found"
                }
                .to_owned(),
            );
        } else if index == definitions && definitions > 0 {
            lines.push("Other matches".to_owned());
        }
        // The path of the hit above need not be said again, unless a heading stands between.
        let above = index
            .checked_sub(1)
            .filter(|_| index != definitions)
            .map(|above| &hits[above]);
        let is_same_file =
            above.is_some_and(|above| above.path == hit.path && above.root == hit.root);
        lines.push(head(hit, is_same_file));
        lines.extend(signature_beside(hit).map(|signature| format!("  {signature}")));
        lines.extend(hit.why.as_ref().map(|why| format!("  {}", because(why))));
        lines.extend(snippet(hit));
    }
    lines
}

fn head(hit: &SearchHit, is_same_file: bool) -> String {
    let place = if is_same_file {
        place("", hit.start_line, hit.end_line)
    } else {
        whereabouts(hit)
    };
    let mut parts = vec![place];
    parts.extend(Some(identity(hit)).filter(|identity| !identity.is_empty()));
    if !hit.definition {
        parts.push(format!("[{:.3}]", hit.score));
    }
    parts.join("  ")
}

fn snippet(hit: &SearchHit) -> Vec<String> {
    fenced(&numbered(hit))
}

/// Numbered lines in a fence, with a mark where some are left out.
pub fn fenced(numbered: &[(u32, String)]) -> Vec<String> {
    if numbered.is_empty() {
        return vec![];
    }
    let fence = fence(numbered.iter().map(|(_, line)| line.as_str()));
    let mut lines = vec![fence.clone()];
    let mut before = None;
    for (number, line) in numbered {
        if before.is_some_and(|before: u32| before.saturating_add(1) != *number) {
            lines.push(GAP.to_owned());
        }
        lines.push(format!("{number}\t{line}"));
        before = Some(*number);
    }
    lines.push(fence);
    lines
}
