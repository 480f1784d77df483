//! Conditional compilation: `#if`, `#else`, `#endif`. Grammars expect these lines around whole declarations and statements,
//! but they may occur anywhere, even between an `if` and its `else`, where the parser would end the class. So a text with
//! errors is parsed once more with one branch of each condition and without the lines of the conditions, and the better tree
//! is taken. Only the parser reads that copy: names and positions are those of the original text.

use crate::lang::directives::{self, Directive};

/// The most lines of a branch that may be left out. A longer one is more than a part of a statement, and an error in it would
/// hide all of its code.
const LONGEST_BRANCH: usize = 50;

/// A line of conditional compilation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Opens a condition with its first branch; `negated` is true for `#if !X` and `#if false`.
    Open {
        negated: bool,
    },
    /// Begins the next branch: `#elif`, `#else`.
    Turn {
        negated: bool,
    },
    Close,
}

/// Returns the text with one branch of each condition and without the lines of conditions, every remaining byte at its
/// position. None if it has no conditions. The first branch that is not negated is taken.
pub fn select_branches(bytes: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(bytes, b"#")?;
    let steps = steps(bytes);
    select(bytes, &steps, &|_| true)
}

/// Returns the text like [`select_branches`], but with all branches of the conditions that have balanced brackets: the grammar
/// accepts these.
pub fn select_unbalanced_branches(bytes: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(bytes, b"#")?;
    let steps = steps(bytes);
    let unbalanced = find_unbalanced(bytes, &steps);
    select(bytes, &steps, &|condition| {
        unbalanced.get(condition) == Some(&true)
    })
}

/// Returns whether all lines of a span were left out of a copy, and some of them are code.
pub fn is_left_out(bytes: &[u8], copy: &[u8], (start, end): (u32, u32)) -> bool {
    let (start, end) = (start as usize, end as usize);
    let is_end = |byte: &u8| *byte == b'\n';
    let begin = bytes[..start]
        .iter()
        .rposition(is_end)
        .map_or(0, |at| at + 1);
    let rest = bytes[end..].iter().position(is_end);
    let end = rest.map_or(bytes.len(), |length| end + length);
    let is_code = |line: &[u8]| !line.trim_ascii().is_empty() && step(line).is_none();
    bytes.len() == copy.len()
        && copy[begin..end].trim_ascii().is_empty()
        && bytes[begin..end].split(is_end).any(is_code)
}

fn steps(bytes: &[u8]) -> Vec<Option<Step>> {
    bytes.split(|byte| *byte == b'\n').map(step).collect()
}

/// Selects branches of some of the conditions, which are counted in the order in which they are opened.
fn select(
    bytes: &[u8],
    steps: &[Option<Step>],
    is_selected: &dyn Fn(usize) -> bool,
) -> Option<Vec<u8>> {
    let choices = choices(steps);
    let mut conditions = 0..choices.len();
    let mut left = Vec::with_capacity(bytes.len());
    let mut any = false;
    // For each open condition, the branch that is taken and the branch of the current line; none if all branches are.
    let mut open: Vec<Option<(usize, usize)>> = vec![];
    let is_left = |open: &[Option<(usize, usize)>]| {
        let mut selected = open.iter().flatten();
        selected.all(|(taken, at)| taken == at)
    };
    // The end of a condition that is not opened belongs to none of them.
    let is_stray_kept = !is_selected(choices.len());
    for (line, step) in bytes.split_inclusive(|byte| *byte == b'\n').zip(steps) {
        let is_kept = match step {
            Some(Step::Open { .. }) => {
                let condition = conditions.next()?;
                let selected = is_selected(condition).then(|| (choices[condition], 0));
                open.push(selected);
                selected.is_none() && is_left(&open)
            }
            Some(Step::Turn { .. }) => {
                if let Some(Some((_, at))) = open.last_mut() {
                    *at += 1;
                }
                match open.last() {
                    Some(condition) => condition.is_none() && is_left(&open),
                    None => is_stray_kept,
                }
            }
            Some(Step::Close) => match open.pop() {
                Some(condition) => condition.is_none() && is_left(&open),
                None => is_stray_kept,
            },
            None => is_left(&open),
        };
        any |= step.is_some() && !is_kept;
        if is_kept {
            left.extend_from_slice(line);
        } else {
            left.extend(line.iter().map(|byte| {
                if matches!(byte, b'\n' | b'\r') {
                    *byte
                } else {
                    b' '
                }
            }));
        }
    }
    any.then_some(left)
}

/// Returns for each condition whether a branch opens a bracket that it does not close, or closes one that it does not open. One
/// with alternatives counts only if all of them are short.
fn find_unbalanced(bytes: &[u8], steps: &[Option<Step>]) -> Vec<bool> {
    let mut conditions: Vec<Condition> = vec![];
    // The indices of the open conditions.
    let mut open: Vec<usize> = vec![];
    let mut counter = BracketCounter::default();
    let lines = bytes.split(|byte| *byte == b'\n').zip(steps);
    for (number, (line, step)) in lines.enumerate() {
        let (opened, least) = counter.count(line);
        match step {
            Some(Step::Open { .. }) => {
                open.push(conditions.len());
                conditions.push(Condition {
                    begin: number,
                    ..Condition::default()
                });
            }
            Some(Step::Turn { .. }) => {
                if let Some(at) = open.last() {
                    conditions[*at].end_branch(number);
                    conditions[*at].has_alternatives = true;
                }
            }
            Some(Step::Close) => {
                if let Some(at) = open.pop() {
                    conditions[at].end_branch(number);
                }
            }
            None => {
                if let Some(at) = open.last() {
                    let condition = &mut conditions[*at];
                    condition.is_unbalanced |= condition.brackets + least < 0;
                    condition.brackets += opened;
                }
            }
        }
    }
    let is_selected =
        |one: &Condition| one.is_unbalanced && !(one.has_alternatives && one.has_long_branch);
    conditions.iter().map(is_selected).collect()
}

/// The brackets of the branches of a condition.
#[derive(Default)]
struct Condition {
    /// The line of the directive before the current branch.
    begin: usize,
    /// The number of brackets that the current branch has opened.
    brackets: i32,
    is_unbalanced: bool,
    has_alternatives: bool,
    has_long_branch: bool,
}

impl Condition {
    /// Ends a branch at the line of the next directive.
    fn end_branch(&mut self, line: usize) {
        self.is_unbalanced |= self.brackets != 0;
        self.has_long_branch |= line - self.begin > LONGEST_BRANCH + 1;
        (self.begin, self.brackets) = (line, 0);
    }
}

/// Counts the brackets of lines, outside strings and comments.
#[derive(Default)]
struct BracketCounter {
    is_in_comment: bool,
}

impl BracketCounter {
    /// Returns the number of brackets that the next line opens, less those that it closes; and the least that this is within the
    /// line, which is negative if the line closes a bracket that it does not open: `} else {`.
    fn count(&mut self, line: &[u8]) -> (i32, i32) {
        let (mut opened, mut least) = (0, 0);
        let mut quote = None;
        let mut at = 0;
        while let Some(byte) = line.get(at) {
            let next = line.get(at + 1);
            match (quote, byte) {
                _ if self.is_in_comment && *byte == b'*' && next == Some(&b'/') => {
                    self.is_in_comment = false;
                    at += 1;
                }
                _ if self.is_in_comment => {}
                (Some(_), b'\\') => at += 1,
                (Some(open), byte) if open == *byte => quote = None,
                (None, b'"' | b'\'') => quote = Some(*byte),
                (None, b'/') if next == Some(&b'/') => break,
                (None, b'/') if next == Some(&b'*') => {
                    self.is_in_comment = true;
                    at += 1;
                }
                (None, b'{' | b'(') => opened += 1,
                (None, b'}' | b')') => {
                    opened -= 1;
                    least = least.min(opened);
                }
                _ => {}
            }
            at += 1;
        }
        (opened, least)
    }
}

/// Returns the branch that is taken for each condition, in the order in which they are opened.
fn choices(steps: &[Option<Step>]) -> Vec<usize> {
    let mut branches: Vec<Vec<bool>> = vec![];
    let mut open: Vec<usize> = vec![];
    for step in steps.iter().flatten() {
        match step {
            Step::Open { negated } => {
                open.push(branches.len());
                branches.push(vec![*negated]);
            }
            Step::Turn { negated } => {
                if let Some(at) = open.last() {
                    branches[*at].push(*negated);
                }
            }
            Step::Close => {
                open.pop();
            }
        }
    }
    branches
        .iter()
        .map(|negated| negated.iter().position(|negated| !negated).unwrap_or(0))
        .collect()
}

fn step(line: &[u8]) -> Option<Step> {
    match directives::on_line(line)? {
        Directive::If { negated } => Some(Step::Open { negated }),
        Directive::ElseIf { negated } => Some(Step::Turn { negated }),
        Directive::Else => Some(Step::Turn { negated: false }),
        Directive::EndIf => Some(Step::Close),
        Directive::Setting => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conditions_with_unbalanced_branches_are_selected() {
        for (source, expected) in [
            ("#ifdef X\na();\n#else\nb();\n#endif\n", None),
            (
                "#ifdef X\nif (a) {\n#else\nif (b) {\n#endif\n}\n",
                Some("        \nif (a) {\n     \n        \n      \n}\n"),
            ),
            (
                "#ifdef X\n#if Y\na(\"{\"); // {\n#endif\nelse {\n#endif\nb();\n#ifdef X\n}\n#endif\n",
                Some(
                    "        \n#if Y\na(\"{\"); // {\n#endif\nelse {\n      \nb();\n        \n}\n      \n",
                ),
            ),
            (
                "#ifndef X\na {\n#else\n#if Y\nb();\n#endif\nc {\n#endif\n",
                Some("         \n   \n     \n#if Y\nb();\n#endif\nc {\n      \n"),
            ),
            (
                "a {\n#ifdef X\n} else {\n#endif\n}\n",
                Some("a {\n        \n} else {\n      \n}\n"),
            ),
            (
                "#if 0\na(\n#else\nb(\n#endif\n);\n",
                Some("     \n  \n     \nb(\n      \n);\n"),
            ),
            // Brackets and quotes in comments over several lines do not count.
            (
                "#ifdef X\n/* a (\n * 1) don't\n * 2) b */ c(');');\n#else\nd();\n#endif\n",
                None,
            ),
        ] {
            let left = select_unbalanced_branches(source.as_bytes())
                .map(|text| String::from_utf8(text).expect("ASCII"));
            assert_eq!(left.as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn errors_of_code_that_is_left_out_are_told_from_those_of_the_lines_around_it() {
        let (source, copy) = ("a\n#if X\n b c\n#endif\n", "a\n     \n    \n      \n");
        for (word, expected) in [
            ("c", true),
            ("b c\n#endif", true),
            ("#if", false),
            ("a", false),
        ] {
            let start = source.find(word).expect("in the text");
            let number = |at: usize| u32::try_from(at).expect("small");
            let span = (number(start), number(start + word.len()));
            let is_left_out = is_left_out(source.as_bytes(), copy.as_bytes(), span);
            assert_eq!(is_left_out, expected, "{word}");
        }
    }

    #[test]
    fn code_with_errors_in_a_branch_does_not_hide_the_branch() {
        let text = "class A {\n#if X\n  void New() {}\n#else\n  void Old() { a b c d; }\n  void Other() {}\n#endif\n}\n";
        let language = crate::lang::by_name("csharp");
        let facts = crate::extract::extract(language, text, crate::extract::ChunkSizes::default());
        let symbols = facts.outline.symbols.iter();
        let names: Vec<&str> = symbols.map(|one| &*one.name).collect();
        assert_eq!(names, ["A", "New", "Old", "Other"]);
    }

    #[test]
    fn a_condition_with_a_long_branch_is_left_whole() {
        for (lines, is_whole) in [(LONGEST_BRANCH - 1, false), (LONGEST_BRANCH, true)] {
            let code = "c();\n".repeat(lines);
            let source = format!("#ifdef X\na {{\n{code}#else\nb {{\n#endif\n}}\n");
            let left = select_unbalanced_branches(source.as_bytes());
            assert_eq!(left.is_none(), is_whole, "{lines}");
        }
    }

    #[test]
    fn one_branch_of_each_condition_is_left_in_its_place() {
        for (source, expected) in [
            ("a\nb\n", None),
            ("#region a\nb\n#endregion\n", None),
            ("a\n#if X\nb\n#endif\nc", Some("a\n     \nb\n      \nc")),
            (
                "#if X\nb\n#else\nc\n#endif\n",
                Some("     \nb\n     \n \n      \n"),
            ),
            (
                "#if !X\nb\n#else\nc\n#endif\n",
                Some("      \n \n     \nc\n      \n"),
            ),
            ("#if !X\nb\n#endif\n", Some("      \nb\n      \n")),
            (
                "#if !X\nb\n#elif Y\nc\n#else\nd\n#endif\n",
                Some("      \n \n       \nc\n     \n \n      \n"),
            ),
            (
                "# if false\r\nb\r\n#endif",
                Some("          \r\nb\r\n      "),
            ),
            (
                "#if X\n#if !Y\na\n#else\nb\n#endif\n#else\n#if Z\nc\n#endif\nd\n#endif\ne",
                {
                    Some(
                        "     \n      \n \n     \nb\n      \n     \n     \n \n      \n \n      \ne",
                    )
                },
            ),
            // Unbalanced conditions.
            ("#endif\n#else\na\n", Some("      \n     \na\n")),
            ("#if X\nü", Some("     \nü")),
            ("#if X\na\n#else\nü\n", Some("     \na\n     \n  \n")),
        ] {
            let left = select_branches(source.as_bytes())
                .map(|left| String::from_utf8(left).expect("whole signs"));
            assert_eq!(left.as_deref(), expected, "{source}");
        }
    }
}
