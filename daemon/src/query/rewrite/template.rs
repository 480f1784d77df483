//! Writes the replacement of a match: its holes filled, in the layout of the file.

use std::ops::Range;

use crate::extract::code_pattern::{HoleKind, HoleText, StructureMatch, named_holes};
use crate::extract::spans::ByteSpan;
use crate::lang::Language;
use crate::query::shared::layout::{Layout, leading_space, normalize};

/// A file whose matches are replaced.
pub struct SourceFile<'a> {
    pub text: &'a str,
    pub language: &'static Language,
    /// Strings over several lines, whose lines are not indented again.
    pub strings: &'a [ByteSpan],
}

/// The code that replaces matches.
pub struct Replacement<'a> {
    /// With holes, and normalized.
    text: String,
    /// Strings over several lines in it.
    strings: Vec<Range<usize>>,
    pub source: &'a str,
}

impl<'a> Replacement<'a> {
    pub fn new(source: &'a str) -> Self {
        Self {
            text: normalize(source),
            strings: vec![],
            source,
        }
    }

    /// Finds the strings of several lines, by reading the code in the place of a match with a name in each hole.
    pub fn find_strings<E>(
        &mut self,
        file: &SourceFile<'_>,
        one: &StructureMatch,
        read: impl FnOnce(&str) -> Result<Vec<ByteSpan>, E>,
    ) -> Result<(), E> {
        if !self.text.contains('\n') {
            return Ok(());
        }
        let (start, end) = (one.span.0 as usize, one.span.1 as usize);
        let mut code = self.text.clone();
        for (range, _) in named_holes(file.language, &self.text) {
            code.replace_range(range.clone(), &"x".repeat(range.len()));
        }
        let whole = format!("{}{code}{}", &file.text[..start], &file.text[end..]);
        let strings = read(&whole)?.into_iter();
        let strings = strings.filter_map(|(from, to)| {
            let from = (from as usize).checked_sub(start)?;
            Some(from..to as usize - start)
        });
        self.strings = strings.collect();
        Ok(())
    }
}

/// Parentheses that make code read as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parentheses {
    pub around_all: bool,
    /// The indices of holes, in the order of the replacement.
    pub around_holes: Vec<usize>,
}

/// The code for a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenCode {
    pub text: String,
    /// The end without separators of the match that are kept.
    pub code_end: usize,
    /// The holes of the replacement.
    pub holes: Vec<FilledHole>,
}

/// A hole with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledHole {
    pub range: Range<usize>,
    pub kind: HoleKind,
    /// The place of the text in the file.
    pub source: ByteSpan,
}

impl WrittenCode {
    /// Returns whether nothing stands for the match.
    pub fn is_removal(&self) -> bool {
        self.text.trim().is_empty()
    }
}

impl SourceFile<'_> {
    pub fn write(
        &self,
        replacement: &Replacement<'_>,
        one: &StructureMatch,
        parentheses: &Parentheses,
    ) -> WrittenCode {
        let (start, end) = (one.span.0 as usize, one.span.1 as usize);
        let base = self.indentation(start);
        let layout = Layout::detect(self.text, &self.text[start..end]);
        let template = layout.place(&replacement.text, base, self.language, &replacement.strings);
        let mut written = WrittenCode::default();
        if parentheses.around_all {
            written.text.push('(');
        }
        let mut at = 0;
        for (number, (range, name)) in named_holes(self.language, &template)
            .into_iter()
            .enumerate()
        {
            written.text.push_str(&template[at..range.start]);
            at = range.end;
            let hole = one.holes.iter().find(|hole| *hole.name == *name);
            let Some(hole) = hole.filter(|hole| hole.span.0 < hole.span.1) else {
                if is_blank_line(&written.text, &template[at..]) {
                    let line = written.text.trim_end_matches([' ', '\t']);
                    let line = line.strip_suffix('\n').unwrap_or(line);
                    let end = line.strip_suffix('\r').unwrap_or(line).len();
                    written.text.truncate(end);
                }
                let end = written.text.len();
                written.holes.push(FilledHole {
                    range: end..end,
                    kind: HoleKind::Many,
                    source: (0, 0),
                });
                continue;
            };
            let text = self.moved(hole, base, &written.text);
            let is_grouped = parentheses.around_holes.contains(&number);
            if is_grouped {
                written.text.push('(');
            }
            let start = written.text.len();
            written.text.push_str(&text);
            written.holes.push(FilledHole {
                range: start..written.text.len(),
                kind: hole.kind,
                source: hole.span,
            });
            let rest = template[at..].split('\n').next().unwrap_or_default();
            if hole.ends_in_comment && !rest.trim().is_empty() {
                // What follows is no part of the comment.
                let place = indent_of_last_line(&written.text, start, base).to_owned();
                written.text.push_str(layout.line_end);
                written.text.push_str(&place);
                at += rest.len() - rest.trim_start().len();
            }
            if is_grouped {
                written.text.push(')');
            }
        }
        written.text.push_str(&template[at..]);
        if parentheses.around_all {
            written.text.push(')');
        }
        written.code_end = written.text.len();
        let separators = &self.text[one.code_end as usize..end];
        if !written.text.is_empty() && !written.text.ends_with(separators.trim()) {
            written.text.push_str(separators);
        }
        written
    }

    /// Returns the range of a match that is removed: with a `;` behind it, and its line if nothing else is on that.
    pub fn removed_range(&self, one: &StructureMatch) -> Range<usize> {
        let (start, mut end) = (one.span.0 as usize, one.span.1 as usize);
        let skip_blanks = |at: usize| {
            let rest = &self.text[at..];
            at + rest.len() - rest.trim_start_matches([' ', '\t']).len()
        };
        let separator = skip_blanks(end);
        if self.text[separator..].starts_with(';') && !self.text[..end].ends_with(';') {
            end = separator + 1;
        }
        let next = skip_blanks(end);
        let rest = &self.text[next..];
        if !rest.is_empty() && !rest.starts_with(['\n', '\r']) {
            return start..next;
        }
        let line = self.line_start(start);
        let before = &self.text[line..start];
        let kept = before.trim_end_matches([' ', '\t']);
        if !kept.is_empty() {
            return line + kept.len()..end;
        }
        match rest.find('\n') {
            Some(length) => line..next + length + 1,
            // The line before becomes the last one, and has no line end either.
            None => self.text[..line].trim_end_matches(['\n', '\r']).len()..self.text.len(),
        }
    }

    /// Returns the text of a hole with the indentation of the place that it moves to. `before` is the code in front of it.
    fn moved(&self, hole: &HoleText, base: &str, before: &str) -> String {
        let (from, to) = (hole.span.0 as usize, hole.span.1 as usize);
        let text = &self.text[from..to];
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_first_line = !before.contains('\n');
        let new = if is_first_line {
            base
        } else {
            leading_space(line)
        };
        let begins_line = !is_first_line && line.len() == new.len();
        let old_line = self.line_start(from);
        let began_line = self.text[old_line..from].trim().is_empty();
        let old = if began_line && !begins_line {
            base
        } else {
            self.indentation(from)
        };
        let mut moved = String::with_capacity(text.len());
        let mut at = from;
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                moved.push('\n');
            }
            let is_in = |string: &ByteSpan| string.0 as usize <= at && at < string.1 as usize;
            let is_fixed = number == 0 || line.trim().is_empty() || self.strings.iter().any(is_in);
            match line.strip_prefix(old) {
                Some(deeper) if !is_fixed => {
                    moved.push_str(new);
                    moved.push_str(deeper);
                }
                _ => moved.push_str(line),
            }
            at += line.len() + 1;
        }
        moved
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// Returns the indentation of a line.
    fn indentation(&self, at: usize) -> &str {
        leading_space(&self.text[self.line_start(at)..])
    }
}

/// Returns the indentation of the line at a place; `base` is that of the first line, which does not have it.
fn indent_of_last_line<'a>(text: &'a str, at: usize, base: &'a str) -> &'a str {
    match text[..at].rfind('\n') {
        Some(end) => leading_space(&text[end + 1..at]),
        None => base,
    }
}

/// Returns whether nothing would be on a line but an empty hole.
fn is_blank_line(before: &str, behind: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let rest = behind.split('\n').next().unwrap_or_default();
    before.contains('\n') && line.trim().is_empty() && rest.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::code_pattern::{PatternSpec, PreparedPattern};
    use crate::lang;

    /// Returns the code that the first match becomes.
    fn write(language: &str, pattern: &str, replacement: &str, text: &str) -> String {
        let language = lang::by_name(language).expect("a language");
        let spec = PatternSpec {
            pattern: pattern.to_owned(),
            most: 9,
            ..PatternSpec::default()
        };
        let pattern = PreparedPattern::new(language, &spec).expect("a pattern");
        let found = pattern.find(text).matches;
        let one = found.first().expect("a match");
        let strings =
            |text: &str| Ok::<_, ()>(crate::extract::spans::spans(language, text).strings);
        let file = SourceFile {
            text,
            language,
            strings: &strings(text).expect("strings"),
        };
        let mut replacement = Replacement::new(replacement);
        let read = replacement.find_strings(&file, one, strings);
        read.expect("strings");
        let written = file.write(&replacement, one, &Parentheses::default());
        let (start, end) = (one.span.0 as usize, one.span.1 as usize);
        format!("{}{}{}", &text[..start], written.text, &text[end..])
    }

    #[test]
    fn lines_of_holes_move_with_their_first_line() {
        let pattern = "for $I in $X:\n    $$$B";
        let replacement = "for $I in $X:\n    if ok($I):\n        $$$B";
        let text = "for a in b:\n    c()\n\n    d(\"\"\"\n  e\"\"\")\n";
        let expected = "for a in b:\n    if ok(a):\n        c()\n\n        d(\"\"\"\n  e\"\"\")\n";
        assert_eq!(write("python", pattern, replacement, text), expected);
        let text = "if x:\n\tfor a in b:\n\t\tc()\n\t\td()\n";
        let expected = "if x:\n\tfor a in b:\n\t\tif ok(a):\n\t\t\tc()\n\t\t\td()\n";
        assert_eq!(write("python", pattern, replacement, text), expected);
        let text = "function f() {\r\n    g(\r\n        a,\r\n    );\r\n}\r\n";
        let expected = "function f() {\r\n    {\r\n        g(\r\n            a,\r\n        );\r\n    }\r\n}\r\n";
        let found = write(
            "javascript",
            "g($A);",
            "{\n    g(\n        $A,\n    );\n}",
            text,
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn strings_of_the_replacement_stay_as_they_are() {
        let text = "def a():\n    return f(1)\n";
        let replacement = "g(\"\"\"a\nb $X\n\"\"\",\n  $X)";
        let expected = "def a():\n    return g(\"\"\"a\nb 1\n\"\"\",\n      1)\n";
        assert_eq!(write("python", "f($X)", replacement, text), expected);
    }

    #[test]
    fn code_behind_a_hole_is_no_part_of_its_last_comment() {
        let text = "  if (a) {\n    b(); // c\n  }\n";
        let found = write(
            "javascript",
            "if ($C) { $$$B }",
            "while ($C) { $$$B }",
            text,
        );
        assert_eq!(found, "  while (a) { b(); // c\n  }\n");
    }

    #[test]
    fn an_empty_hole_leaves_no_blank_line() {
        let found = write(
            "javascript",
            "if ($C) { $$$B }",
            "if ($C) {\n    $$$B\n}",
            "if (a) { }",
        );
        assert_eq!(found, "if (a) {\n}");
    }

    #[test]
    fn separators_and_line_ends_behind_a_match_are_kept() {
        for (language, pattern, replacement, text, expected) in [
            (
                "javascript",
                "const $X = $Y",
                "let $X = $Y",
                "const a = 1;\n(b)",
                "let a = 1;\n(b)",
            ),
            (
                "javascript",
                "const $X = $Y",
                "let $X = $Y;",
                "const a = 1;\n",
                "let a = 1;\n",
            ),
            (
                "c",
                "#define $A $B",
                "#define $A ($B)",
                "#define MAX 10\n#define MIN 2\n",
                "#define MAX (10)\n#define MIN 2\n",
            ),
            (
                "php",
                "filter($X)",
                "filter($_POST[$X])",
                "<?php filter($a);",
                "<?php filter($_POST[$a]);",
            ),
        ] {
            assert_eq!(write(language, pattern, replacement, text), expected);
        }
    }
}
