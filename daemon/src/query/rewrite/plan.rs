//! Chooses the matches of a file that can be rewritten without a loss, and writes code that is read as it was written.
//!
//! A worker parses the new text. Where a part of a replacement is not a node of its own there, `h(1, c) ** 2` → `1 + c ** 2`,
//! parentheses are put around it; if they do not help, or if the code around it is read differently, the match stays as it is.

use std::ops::Range;

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::rewrite::KeptReason;

use super::template::{Parentheses, Replacement, SourceFile, WrittenCode};
use crate::extract::code_pattern::{
    HoleKind, MatchReading, PassedKind, ReadBack, RewrittenText, StructureMatch, WrittenHole,
    WrittenMatch, named_holes,
};
use crate::extract::spans::ByteSpan;
use crate::query::shared::splice::{Splice, Splices};

/// After so many parses of a file, matches that are still read differently are left out with those inside them.
const MOST_PARSES: usize = 8;
/// The most matches of a file that are tried one by one.
const MOST_ALONE: usize = 32;
/// The most checks that look for the matches whose new code must not be in a file.
const MOST_CHECKS: usize = 64;

/// The matches of a file, and what becomes of them.
#[derive(Default)]
pub struct FilePlan {
    pub splices: Splices,
    pub edits: usize,
    /// Matches that stay as they are, by their place in the list of matches.
    pub kept: Vec<(usize, KeptReason)>,
    /// Matches with something like a credential.
    pub secret: u64,
    /// Matches inside of those that change, which are still there afterwards.
    pub nested: u64,
    /// All of the new code, if it has syntax errors and no part of it could be kept.
    pub broken: Option<Splices>,
}

/// The state of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    Rewritten(Parentheses),
    Kept(KeptReason),
    Secret,
}

/// Reads new texts.
pub trait TextReader {
    /// Parses a text with the matches in it.
    fn read(&mut self, text: &str, rewritten: &RewrittenText) -> Result<ReadBack, ToolError>;
    /// Returns the strings over several lines of a text.
    fn strings(&mut self, text: &str) -> Result<Vec<ByteSpan>, ToolError>;
    /// Returns whether the new code brings no errors, and changes no symbol outside it.
    fn accepts(&mut self, splices: &Splices) -> Result<bool, ToolError>;
}

/// Plans the rewrite of a file.
pub fn plan(
    file: &SourceFile<'_>,
    matches: &[StructureMatch],
    secrets: &[ByteSpan],
    replacement: &str,
    reader: &mut impl TextReader,
) -> Result<FilePlan, ToolError> {
    let mut choices: Vec<Choice> = matches
        .iter()
        .map(|one| first_choice(one, secrets))
        .collect();
    let mut replacement = Replacement::new(replacement);
    if let Some(one) = matches.first() {
        replacement.find_strings(file, one, |text| reader.strings(text))?;
    }
    let mut writer = Writer {
        file,
        matches,
        replacement: &replacement,
        reader,
    };
    let mut attempt = writer.attempt(&choices, None)?;
    let mut broken = None;
    let failing: Vec<usize> = attempt.failing().map(|(one, _)| one.place).collect();
    if !failing.is_empty() {
        if attempt.read.has_errors {
            broken = Some(attempt.splices.clone());
        }
        let mut together = choices.clone();
        attempt = writer.settle(&mut together, None)?;
        let is_kept = |at: &usize| matches!(together[*at], Choice::Kept(_));
        if failing.iter().any(is_kept) {
            // A syntax error or a swallowed statement may change how the code behind it is read.
            for at in failing.into_iter().take(MOST_ALONE) {
                writer.settle(&mut choices, Some(at))?;
            }
            attempt = writer.settle(&mut choices, None)?;
        } else {
            choices = together;
        }
    }
    let mut checks = 0;
    while !attempt.written.is_empty() && !writer.reader.accepts(&attempt.splices)? {
        let places: Vec<usize> = attempt.written.iter().map(|one| one.place).collect();
        for at in writer.refused(&attempt, &places, &mut checks)? {
            choices[at] = Choice::Kept(KeptReason::ReadDifferently);
        }
        attempt = writer.settle(&mut choices, None)?;
    }
    let mut plan = describe(file, matches, &choices, replacement.source);
    plan.edits = attempt.written.len();
    plan.splices = attempt.splices;
    plan.broken = broken.filter(|_| plan.edits == 0);
    Ok(plan)
}

struct Writer<'a, R> {
    file: &'a SourceFile<'a>,
    matches: &'a [StructureMatch],
    replacement: &'a Replacement<'a>,
    reader: &'a mut R,
}

/// A match with its new code.
struct NewCode {
    /// Its place in the list of matches.
    place: usize,
    /// The bytes that it replaces.
    range: Range<usize>,
    code: WrittenCode,
}

impl NewCode {
    fn splice(&self) -> Splice {
        Splice {
            range: self.range.clone(),
            text: self.code.text.clone(),
        }
    }
}

/// A new text, and how it is read.
struct Attempt {
    written: Vec<NewCode>,
    splices: Splices,
    read: ReadBack,
}

impl Attempt {
    fn failing(&self) -> impl Iterator<Item = (&NewCode, &MatchReading)> {
        let written = self.written.iter().zip(&self.read.readings);
        written.filter(|(_, reading)| !reading.is_as_written())
    }
}

impl<R: TextReader> Writer<'_, R> {
    /// Writes the outermost matches, or a single one, and parses the text.
    fn attempt(&mut self, choices: &[Choice], only: Option<usize>) -> Result<Attempt, ToolError> {
        let mut reached = 0;
        let outer = outermost(self.matches, choices).into_iter();
        let outer = outer.filter(|(at, _)| only.is_none_or(|only| only == *at));
        let written = outer.map(|(place, parentheses)| {
            let one = &self.matches[place];
            let code = self.file.write(self.replacement, one, parentheses);
            let (range, code) = if code.is_removal() {
                (self.file.removed_range(one), WrittenCode::default())
            } else {
                (one.span.0 as usize..one.span.1 as usize, code)
            };
            // Two that are removed may have the same white space between them.
            let range = range.start.max(reached)..range.end;
            reached = range.end;
            NewCode { place, range, code }
        });
        let written: Vec<NewCode> = written.collect();
        let splices = Splices::new(written.iter().map(NewCode::splice).collect());
        let splices = splices.unwrap_or_default();
        let read = if written.is_empty() {
            ReadBack::default()
        } else {
            let rewritten = RewrittenText {
                before: self.file.text.to_owned(),
                matches: places(self.matches, &splices, &written),
            };
            self.reader
                .read(&splices.apply(self.file.text), &rewritten)?
        };
        Ok(Attempt {
            written,
            splices,
            read,
        })
    }

    /// Adds parentheses, or leaves matches out, until all are read as written.
    fn settle(
        &mut self,
        choices: &mut [Choice],
        only: Option<usize>,
    ) -> Result<Attempt, ToolError> {
        let mut parses = 0;
        loop {
            let attempt = self.attempt(choices, only)?;
            parses += 1;
            let mut is_done = true;
            for (one, reading) in attempt.failing() {
                is_done = false;
                let at = one.place;
                choices[at] = next_choice(&choices[at], &one.code, reading, self.file);
                if parses >= MOST_PARSES {
                    leave_out(self.matches, at, choices);
                }
            }
            if is_done {
                return Ok(attempt);
            }
        }
    }

    /// Returns those of some matches whose new code is not accepted. Halves them until each is alone; after too many checks, all of
    /// a part are returned.
    fn refused(
        &mut self,
        attempt: &Attempt,
        places: &[usize],
        checks: &mut usize,
    ) -> Result<Vec<usize>, ToolError> {
        if places.len() == 1 || *checks >= MOST_CHECKS {
            return Ok(places.to_vec());
        }
        let mut refused = vec![];
        let (one, other) = places.split_at(places.len() / 2);
        for half in [one, other] {
            if !self.accepts(attempt, half, checks)? {
                refused.extend(self.refused(attempt, half, checks)?);
            }
        }
        // Halves may be refused only together.
        Ok(if refused.is_empty() {
            places.to_vec()
        } else {
            refused
        })
    }

    fn accepts(
        &mut self,
        attempt: &Attempt,
        places: &[usize],
        checks: &mut usize,
    ) -> Result<bool, ToolError> {
        let written = attempt.written.iter();
        let part = written.filter(|one| places.contains(&one.place));
        let splices = Splices::new(part.map(NewCode::splice).collect()).unwrap_or_default();
        *checks += 1;
        self.reader.accepts(&splices)
    }
}

fn first_choice(one: &StructureMatch, secrets: &[ByteSpan]) -> Choice {
    let (start, end) = one.span;
    let is_secret = |secret: &ByteSpan| secret.0 < end && start < secret.1;
    if secrets.iter().any(is_secret) {
        return Choice::Secret;
    }
    let has = |kind| one.passed.iter().any(|passed| passed.kind == kind);
    if has(PassedKind::Token) {
        Choice::Kept(KeptReason::MoreThanPattern)
    } else if has(PassedKind::Comment) {
        Choice::Kept(KeptReason::Comment)
    } else {
        Choice::Rewritten(Parentheses::default())
    }
}

/// Returns the matches to rewrite that are not inside others.
fn outermost<'a>(
    matches: &[StructureMatch],
    choices: &'a [Choice],
) -> Vec<(usize, &'a Parentheses)> {
    let mut reached = 0;
    let mut outer = vec![];
    for (at, one) in matches.iter().enumerate() {
        if let Choice::Rewritten(parentheses) = &choices[at]
            && one.span.0 >= reached
        {
            reached = one.span.1;
            outer.push((at, parentheses));
        }
    }
    outer
}

/// Returns the places of the new code.
fn places(matches: &[StructureMatch], splices: &Splices, written: &[NewCode]) -> Vec<WrittenMatch> {
    let places = splices.new_ranges().into_iter().zip(written);
    let places = places.map(|(range, one)| {
        let start = range.start;
        let holes = one.code.holes.iter().map(|hole| WrittenHole {
            old: hole.source,
            span: byte_span(start + hole.range.start, start + hole.range.end),
            kind: hole.kind,
        });
        WrittenMatch {
            old: byte_span(one.range.start, one.range.end),
            span: byte_span(start, range.end),
            code_end: byte_span(start, start + one.code.code_end).1,
            holes: holes.collect(),
            had_errors: matches[one.place].has_errors,
        }
    });
    places.collect()
}

fn byte_span(start: usize, end: usize) -> ByteSpan {
    let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
    (offset(start), offset(end))
}

/// Adds the parentheses that may be missing; without any to add, the match stays as it is.
fn next_choice(
    choice: &Choice,
    code: &WrittenCode,
    reading: &MatchReading,
    file: &SourceFile<'_>,
) -> Choice {
    let facts = file.language.facts.as_ref();
    if let Choice::Rewritten(parentheses) = choice
        && facts.is_some_and(|facts| facts.parentheses_group)
        && !code.is_removal()
    {
        let mut parentheses = parentheses.clone();
        if reading.is_operand && !parentheses.around_all {
            parentheses.around_all = true;
            return Choice::Rewritten(parentheses);
        }
        let is_new = |hole: &&usize| {
            code.holes[**hole].kind != HoleKind::Many && !parentheses.around_holes.contains(hole)
        };
        let holes: Vec<usize> = reading.split.iter().filter(is_new).copied().collect();
        if !holes.is_empty() {
            parentheses.around_holes.extend(holes);
            return Choice::Rewritten(parentheses);
        }
        if !reading.is_whole && !parentheses.around_all {
            parentheses.around_all = true;
            return Choice::Rewritten(parentheses);
        }
    }
    Choice::Kept(KeptReason::ReadDifferently)
}

/// Leaves out a match with those inside it.
fn leave_out(matches: &[StructureMatch], at: usize, choices: &mut [Choice]) {
    let span = matches[at].span;
    for (one, choice) in matches.iter().zip(choices) {
        if span.0 <= one.span.0 && one.span.1 <= span.1 && matches!(choice, Choice::Rewritten(_)) {
            *choice = Choice::Kept(KeptReason::ReadDifferently);
        }
    }
}

fn describe(
    file: &SourceFile<'_>,
    matches: &[StructureMatch],
    choices: &[Choice],
    replacement: &str,
) -> FilePlan {
    let names = named_holes(file.language, replacement);
    let outer = outermost(matches, choices);
    let mut plan = FilePlan::default();
    for (at, choice) in choices.iter().enumerate() {
        let span = matches[at].span;
        let is_in = |around: ByteSpan| around.0 <= span.0 && span.1 <= around.1;
        let around = outer
            .iter()
            .find(|(outer, _)| *outer != at && is_in(matches[*outer].span));
        match (choice, around) {
            (Choice::Secret, _) => plan.secret += 1,
            (Choice::Kept(reason), _) => plan.kept.push((at, *reason)),
            (Choice::Rewritten(_), Some((outer, _))) => {
                let mut holes = matches[*outer].holes.iter();
                let remains = holes.any(|hole| {
                    is_in(hole.span) && names.iter().any(|(_, name)| **name == *hole.name)
                });
                plan.nested += u64::from(remains);
            }
            (Choice::Rewritten(_), None) => {}
        }
    }
    plan
}

#[cfg(test)]
mod tests;
