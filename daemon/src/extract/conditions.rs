//! Conditional compilation: `#if`, `#else`, `#endif`. Grammars expect these lines around whole declarations and statements,
//! but they may occur anywhere, even between an `if` and its `else`, where the parser would end the class. So a text with
//! errors is parsed once more with one branch of each condition and without the lines of the conditions, and the better tree
//! is taken. Only the parser reads that copy: names and positions are those of the original text.

use crate::lang::directives::{self, Directive};

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
    let steps: Vec<Option<Step>> = bytes.split(|byte| *byte == b'\n').map(step).collect();
    let mut choices = choices(&steps).into_iter();
    let mut left = Vec::with_capacity(bytes.len());
    let mut any = false;
    // For each open condition, the branch that is taken and the branch of the current line.
    let mut open: Vec<(usize, usize)> = vec![];
    for (line, step) in bytes.split_inclusive(|byte| *byte == b'\n').zip(&steps) {
        match step {
            Some(Step::Open { .. }) => open.push((choices.next()?, 0)),
            Some(Step::Turn { .. }) => {
                if let Some((_, at)) = open.last_mut() {
                    *at += 1;
                }
            }
            Some(Step::Close) => {
                open.pop();
            }
            None => {}
        }
        any |= step.is_some();
        if step.is_none() && open.iter().all(|(taken, at)| taken == at) {
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
        Directive::IfDefined | Directive::Setting => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
