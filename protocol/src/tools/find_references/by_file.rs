//! The uses in one file as agents read them: its lines, each with a description of the uses on it.

use std::collections::BTreeMap;

use super::Reference;
use crate::text::{GAP, Line, cut_line, fence, truncate};

/// Length in characters above which a line is cut, unless context lines are asked for.
const LONGEST_LINE: usize = 160;

/// Properties that all or most uses in a file share, shown once above them.
#[derive(Default)]
pub struct FileCommon {
    pub confidence: String,
    pub is_test: bool,
}

/// The uses in one file that have the same level.
pub struct FileUses<'a> {
    uses: &'a [&'a Reference],
    common: FileCommon,
}

impl<'a> FileUses<'a> {
    pub fn new(uses: &'a [&'a Reference]) -> Self {
        let common = FileCommon {
            confidence: most_common_confidence(uses),
            is_test: uses.iter().all(|one| one.is_test),
        };
        Self { uses, common }
    }

    /// Returns what differs from the heading of the level: `test, 0.95 resolved: imported`.
    pub fn detail(&self, level_confidence: &str) -> Line {
        let test = self.common.is_test.then_some("test");
        let confidence = Some(self.common.confidence.as_str());
        let confidence = confidence.filter(|confidence| *confidence != level_confidence);
        let parts: Vec<&str> = test.into_iter().chain(confidence).collect();
        parts.join(", ").into()
    }

    /// Returns the lines with uses, and with context those around them, in a fence:
    /// `12: engine.run();  [call in main]`, `13- }`.
    pub fn source(&self, has_context: bool) -> String {
        let mut texts = BTreeMap::new();
        let mut descriptions = BTreeMap::<u32, Vec<(String, usize)>>::new();
        for one in self.uses {
            if let Some(context) = one.context.as_ref().filter(|_| has_context) {
                let lines = context.numbered();
                texts.extend(lines.map(|(number, line)| (number, cut_line(line))));
            }
            texts
                .entry(one.line)
                .or_insert_with(|| truncate(one.text.trim(), LONGEST_LINE));
            let in_line = descriptions.entry(one.line).or_default();
            let description = one.description_beside(&self.common).to_string();
            match in_line.iter_mut().find(|(known, _)| *known == description) {
                Some((_, times)) => *times += 1,
                None => in_line.push((description, 1)),
            }
        }
        let mut lines: Vec<String> = vec![];
        let mut before: Option<u32> = None;
        for (number, text) in texts {
            if has_context && before.is_some_and(|before| before.saturating_add(1) != number) {
                lines.push(GAP.to_owned());
            }
            before = Some(number);
            let Some(in_line) = descriptions.get(&number) else {
                lines.push(format!("{number}- {text}"));
                continue;
            };
            let in_line = in_line.iter().map(|(description, times)| match times {
                1 => description.clone(),
                times => format!("{description} ×{times}"),
            });
            let in_line = in_line.collect::<Vec<_>>().join("; ");
            lines.push(format!("{number}: {text}  [{in_line}]"));
        }
        let fence = fence(lines.iter().map(String::as_str));
        format!("{fence}\n{}\n{fence}", lines.join("\n"))
    }
}

/// Returns the most common confidence; the first of several that are equally common.
pub fn most_common_confidence(uses: &[&Reference]) -> String {
    let mut counts: Vec<(String, usize)> = vec![];
    for confidence in uses.iter().map(|one| one.confidence()) {
        match counts.iter_mut().find(|(known, _)| *known == confidence) {
            Some((_, times)) => *times += 1,
            None => counts.push((confidence, 1)),
        }
    }
    let most = counts.into_iter().rev().max_by_key(|(_, times)| *times);
    most.map(|(confidence, _)| confidence).unwrap_or_default()
}
