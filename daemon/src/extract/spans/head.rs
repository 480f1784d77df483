//! The comments at the top of a file that are about all of it, and not about its first symbol.

use super::SpanFinder;
use crate::lang::Language;
use crate::lang::conventions::{begins_license, is_about_file};

impl SpanFinder<'_> {
    /// Returns the end of the comments at the top that are about the whole file: a shebang, `# frozen_string_literal: true`, a
    /// license.
    pub(super) fn find_head_end(&self, language: &Language) -> u32 {
        let facts = language.facts.as_ref();
        let own = || {
            facts
                .into_iter()
                .flat_map(|facts| facts.file_comments.iter().copied())
        };
        let prefix = facts.map_or("", |facts| facts.code_prefix.trim());
        let (mut head_end, mut reached) = (0, 0);
        // The sign before the last line of a license, and the number of that line.
        let mut license: Option<(&str, u32)> = None;
        for comment in &self.comments {
            let (text, line) = (
                self.text.slice(comment.start, comment.end).trim_end(),
                self.text.line_at(comment.start),
            );
            let before = self.text.slice(reached.min(comment.start), comment.start);
            let before = before.trim_start_matches('\u{feff}').trim();
            let is_shebang = before.starts_with("#!") && !before.contains('\n');
            if !(before.is_empty() || before == prefix || is_shebang) {
                break;
            }
            let is_line = !text.contains('\n') && !text.ends_with("*/");
            let mut parts = text.split(|sign: char| sign.is_alphanumeric() || sign.is_whitespace());
            let sign = parts.next().unwrap_or_default();
            let goes_on = license.is_some_and(|(known, last)| {
                let is_border = !text.contains(char::is_alphanumeric);
                last + 1 == line && is_line && (sign == known || is_border)
            });
            if begins_license(text) {
                license = is_line.then_some((sign, line));
            } else if goes_on {
                license = license.map(|(sign, _)| (sign, line));
            } else {
                license = None;
            }
            if license.is_some()
                || begins_license(text)
                || text.starts_with("#!")
                || is_about_file(text, own())
            {
                head_end = comment.end;
            }
            reached = comment.end;
        }
        head_end
    }
}
