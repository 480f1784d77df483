//! Counts the blank lines, comments and lines of code in a text.

use super::captures::Span;
use super::facts::LineCounts;
use super::text::{Text, offset};

pub fn count(text: &Text<'_>, comments: &[Span]) -> LineCounts {
    let total = text.line_count();
    let is_blank = |line: u32| text.line(line).trim_ascii_start().trim_start().is_empty();
    let blank = (1..=total).filter(|line| is_blank(*line)).count();
    let mut commented = vec![false; total as usize + 2];
    for comment in comments {
        let end = comment.start + offset(text.slice(comment.start, comment.end).trim_end().len());
        let first = text.line_at(comment.start);
        let last = text.line_at(end.saturating_sub(1).max(comment.start));
        // A line with code and a comment counts as code.
        let from = if text.begins_line(comment.start) {
            first
        } else {
            first + 1
        };
        let to = if text.ends_line(end) {
            last
        } else {
            last.saturating_sub(1)
        };
        for line in from..=to.min(total) {
            commented[line as usize] = true;
        }
    }
    let comment = (1..=total)
        .filter(|line| commented[*line as usize] && !is_blank(*line))
        .count();
    LineCounts {
        total,
        blank: offset(blank),
        comment: offset(comment),
    }
}
