//! Chooses the matches of a file that can be rewritten without a loss, and writes code that is read as it was written.
//!
//! A worker parses the new text. Where a part of a replacement is not a node of its own there, `h(1, c) ** 2` → `1 + c ** 2`,
//! parentheses are put around it; if they do not help, the match stays as it is.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::rewrite::KeptReason;

use super::template::{Parentheses, SourceFile, WrittenCode};
use crate::extract::code_pattern::{
    HoleKind, MatchReading, PassedKind, ReadBack, StructureMatch, WrittenHole, WrittenMatch,
    named_holes,
};
use crate::extract::spans::ByteSpan;
use crate::query::shared::splice::{Splice, Splices};

/// After so many parses of a file, matches that are still read differently are left out with those inside them.
const MOST_PARSES: usize = 8;
/// The most matches of a file that are tried one by one.
const MOST_ALONE: usize = 32;

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

/// Plans the rewrite of a file. `read` parses a new text with the matches in it.
pub fn plan(
    file: &SourceFile<'_>,
    matches: &[StructureMatch],
    secrets: &[ByteSpan],
    replacement: &str,
    read: impl FnMut(&str, &[WrittenMatch]) -> Result<ReadBack, ToolError>,
) -> Result<FilePlan, ToolError> {
    let mut choices: Vec<Choice> = matches
        .iter()
        .map(|one| first_choice(one, secrets))
        .collect();
    let mut writer = Writer {
        file,
        matches,
        replacement,
        read,
    };
    let mut attempt = writer.attempt(&choices, None)?;
    let mut broken = None;
    let failing: Vec<usize> = attempt.failing().map(|(at, ..)| at).collect();
    if !failing.is_empty() {
        if attempt.read.has_errors {
            broken = Some(attempt.splices.clone());
            // A syntax error may change how code far behind it is read.
            for at in failing.into_iter().take(MOST_ALONE) {
                writer.settle(&mut choices, Some(at))?;
            }
        }
        attempt = writer.settle(&mut choices, None)?;
    }
    let mut plan = describe(file, matches, &choices, replacement);
    plan.edits = attempt.written.len();
    plan.splices = attempt.splices;
    plan.broken = broken.filter(|_| plan.edits == 0);
    Ok(plan)
}

struct Writer<'a, R> {
    file: &'a SourceFile<'a>,
    matches: &'a [StructureMatch],
    replacement: &'a str,
    read: R,
}

/// A new text, and how it is read.
struct Attempt {
    /// The code for each match that is written.
    written: Vec<(usize, WrittenCode)>,
    splices: Splices,
    read: ReadBack,
}

impl Attempt {
    fn failing(&self) -> impl Iterator<Item = (usize, &WrittenCode, &MatchReading)> {
        let written = self.written.iter().zip(&self.read.readings);
        let failing = written.filter(|(_, reading)| !reading.is_as_written());
        failing.map(|((at, code), reading)| (*at, code, reading))
    }
}

impl<R: FnMut(&str, &[WrittenMatch]) -> Result<ReadBack, ToolError>> Writer<'_, R> {
    /// Writes the outermost matches, or a single one, and parses the text.
    fn attempt(&mut self, choices: &[Choice], only: Option<usize>) -> Result<Attempt, ToolError> {
        let outer = outermost(self.matches, choices).into_iter();
        let outer = outer.filter(|(at, _)| only.is_none_or(|only| only == *at));
        let written = outer.map(|(at, parentheses)| {
            let one = &self.matches[at];
            (at, self.file.write(self.replacement, one, parentheses))
        });
        let written: Vec<(usize, WrittenCode)> = written.collect();
        // The outermost matches do not overlap.
        let splices = written.iter().map(|(at, code)| Splice {
            range: self.matches[*at].span.0 as usize..self.matches[*at].span.1 as usize,
            text: code.text.clone(),
        });
        let splices = Splices::new(splices.collect()).unwrap_or_default();
        let read = if written.is_empty() {
            ReadBack::default()
        } else {
            let places = places(self.matches, &splices, &written);
            (self.read)(&splices.apply(self.file.text), &places)?
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
            for (at, code, reading) in attempt.failing() {
                is_done = false;
                choices[at] = next_choice(&choices[at], code, reading, self.file);
                if parses >= MOST_PARSES {
                    leave_out(self.matches, at, choices);
                }
            }
            if is_done {
                return Ok(attempt);
            }
        }
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
fn places(
    matches: &[StructureMatch],
    splices: &Splices,
    written: &[(usize, WrittenCode)],
) -> Vec<WrittenMatch> {
    let places = splices.new_ranges().into_iter().zip(written);
    let places = places.map(|(range, (at, code))| {
        let start = range.start;
        let holes = code.holes.iter().map(|(hole, kind)| WrittenHole {
            span: byte_span(start + hole.start, start + hole.end),
            kind: *kind,
        });
        WrittenMatch {
            span: byte_span(start, range.end),
            code_end: byte_span(start, start + code.code_end).1,
            holes: holes.collect(),
            around: matches[*at].around,
            had_errors: matches[*at].has_errors,
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
    {
        let mut parentheses = parentheses.clone();
        let is_new = |hole: &&usize| {
            code.holes[**hole].1 != HoleKind::Many && !parentheses.around_holes.contains(hole)
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
mod tests {
    use super::*;
    use crate::extract::code_pattern::{PatternSpec, PreparedPattern, read_back};
    use crate::lang;

    /// Rewrites a text, and returns it with the plan.
    fn rewrite(language: &str, pattern: &str, replacement: &str, text: &str) -> (String, FilePlan) {
        let language = lang::by_name(language).expect("a language");
        let spec = PatternSpec {
            pattern: pattern.to_owned(),
            most: 99,
            ..PatternSpec::default()
        };
        let prepared = PreparedPattern::new(language, &spec);
        let prepared = prepared.unwrap_or_else(|problem| panic!("{problem:?}"));
        let file = SourceFile {
            text,
            language,
            strings: &[],
        };
        let matches = prepared.find(text).matches;
        assert_ne!(matches, [], "{pattern} in {text}");
        let plan = plan(&file, &matches, &[], replacement, |text, written| {
            Ok(read_back(language, text, written).expect("a tree"))
        });
        let plan = plan.expect("a plan");
        (plan.splices.apply(text), plan)
    }

    fn reasons(plan: &FilePlan) -> Vec<KeptReason> {
        plan.kept.iter().map(|(_, reason)| *reason).collect()
    }

    #[test]
    fn parentheses_are_added_where_operators_would_bind_a_part() {
        for (language, pattern, replacement, text, expected) in [
            (
                "python",
                "h($A, $B)",
                "$A + $B",
                "h(1, c) ** 2\n",
                "(1 + c) ** 2\n",
            ),
            (
                "python",
                "h($A, $B)",
                "$A + $B",
                "x = h(1, c)\n",
                "x = 1 + c\n",
            ),
            (
                "python",
                "h($A, $B)",
                "$A < $B",
                "x < h(1, c)\n",
                "x < (1 < c)\n",
            ),
            (
                "python",
                "$X + $Y",
                "$X * $Y",
                "(a, b + c)\n",
                "(a, b * c)\n",
            ),
            (
                "javascript",
                "$X + $Y",
                "$X * $Y",
                "a + b + c;",
                "(a + b) * c;",
            ),
            (
                "javascript",
                "h($X)",
                "$X => $X",
                "h(a) + 1;",
                "(a => a) + 1;",
            ),
            (
                "python",
                "ident($X)",
                "$X",
                "x = ident(a\n    + b)\n",
                "x = (a\n    + b)\n",
            ),
            (
                "rust",
                "assert_eq!($A, $B)",
                "assert!($A == $B)",
                "fn f() { assert_eq!(a.b, c || d); assert_eq!(a, b); }",
                "fn f() { assert!((a.b) == (c || d)); assert!(a == b); }",
            ),
            (
                "rust",
                "h($A, $B)",
                "assert_eq!($A, $B)",
                "fn f() { h(a + b, c); }",
                "fn f() { assert_eq!(a + b, c); }",
            ),
            (
                "go",
                "h($X)",
                "\"$X\"",
                "package a\nvar b = h(c)\n",
                "package a\nvar b = \"c\"\n",
            ),
        ] {
            let (found, plan) = rewrite(language, pattern, replacement, text);
            assert_eq!((found.as_str(), plan.kept), (expected, vec![]), "{text}");
        }
    }

    #[test]
    fn a_match_that_would_be_read_differently_stays() {
        for (language, pattern, replacement, text) in [
            ("javascript", "h($X);", "$X", "h(x);\n(function () {})()\n"),
            ("python", "h($X)", "a($X)\nb($X)", "if c: h(1)\n"),
            ("javascript", "h($X);", "a($X); b($X);", "if (c) h(1);"),
            (
                "javascript",
                "h($X);",
                "if (b) $X;",
                "if (a) h(c); else d();",
            ),
            ("bash", "f $X", "g $X; h $X", "f a | b\n"),
        ] {
            let (found, plan) = rewrite(language, pattern, replacement, text);
            let kept = reasons(&plan);
            assert_eq!(
                (found.as_str(), kept),
                (text, vec![KeptReason::ReadDifferently])
            );
        }
        let text = "f(h(1));\nif (c) h(1);\nh(2);\n";
        let (found, plan) = rewrite("javascript", "h($X);", "a($X); b($X);", text);
        assert_eq!(found, "f(h(1));\nif (c) h(1);\na(2); b(2);\n");
        assert_eq!((plan.edits, plan.kept.len()), (1, 1));
    }

    #[test]
    fn a_match_that_breaks_the_syntax_does_not_keep_others_from_being_rewritten() {
        let text = "x = h('it`s');\ny = h(b);\nz = h(c) + 1;\n";
        let (found, plan) = rewrite("javascript", "h($X)", "`$X`", text);
        assert_eq!(found, "x = h('it`s');\ny = `b`;\nz = `c` + 1;\n");
        assert_eq!(reasons(&plan), [KeptReason::ReadDifferently]);
    }

    #[test]
    fn a_match_with_more_than_the_pattern_stays() {
        for (language, pattern, text) in [
            ("python", "yield $X", "def f():\n    yield from x\n"),
            ("javascript", "yield $X", "function* f() { yield* x }"),
            (
                "python",
                "def $F($$$A):\n    $$$B",
                "async def f(a):\n    b()\n",
            ),
            ("cpp", "delete $X", "void f() { delete[] p; }"),
            ("rust", "|| $X", "fn f() { g(move || a); }"),
            (
                "typescript",
                "import { $$$A } from $B",
                "import type { a } from \"b\"",
            ),
            ("swift", "try $X", "let a = try? b()"),
            ("ocaml", "let $X = $Y", "let rec a = b"),
            (
                "javascript",
                "for ($A of $B) { $$$C }",
                "for await (const a of b) { c() }",
            ),
        ] {
            let (found, plan) = rewrite(language, pattern, "x", text);
            let kept = reasons(&plan);
            assert_eq!(
                (found.as_str(), kept),
                (text, vec![KeptReason::MoreThanPattern])
            );
        }
        let (_, plan) = rewrite("python", "g($A, $B)", "g($B, $A)", "g(a, # b\n  c,)\n");
        assert_eq!(reasons(&plan), [KeptReason::Comment]);
        let (found, _) = rewrite("python", "g($$$A)", "h($$$A)", "g(a, # b\n  c,)\n");
        assert_eq!(found, "h(a, # b\n  c)\n");
    }

    #[test]
    fn matches_inside_rewritten_ones_are_counted() {
        let (found, plan) = rewrite("python", "f($X)", "g($X)", "f(f(f(1)))\n");
        assert_eq!(
            (found.as_str(), plan.edits, plan.nested),
            ("g(f(f(1)))\n", 1, 2)
        );
        let (_, plan) = rewrite("python", "f($X)", "g()", "f(f(f(1)))\n");
        assert_eq!((plan.edits, plan.nested), (1, 0));
        // An outer match that stays does not keep the inner one from being rewritten.
        let text = "async def f():\n    def g():\n        pass\n";
        let (found, _) = rewrite(
            "python",
            "def $F():\n    $$$B",
            "def $F(a):\n    $$$B",
            text,
        );
        assert_eq!(found, text.replace("g()", "g(a)"));
    }

    #[test]
    fn code_that_does_not_parse_is_reported() {
        let text = "fn f() { a.unwrap(); }";
        let (_, plan) = rewrite("rust", "$X.unwrap()", "$X.(", text);
        assert!(plan.edits == 0 && plan.broken.is_some());
    }
}
