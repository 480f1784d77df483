//! Compares a printed message with the string literals of a text: the source of `cycle in a.toml` is `"cycle in {path}"`.
//!
//! A literal whose words outside placeholders are all in a message, in their order, is the source of it, even if most of the
//! message are values without quotes. Nothing here knows a language: quotes and placeholders are alike in nearly all of them.

use super::stop_words::is_stop_word;
use crate::store::text::words;

/// A literal with fewer words says too little by itself.
const FEWEST_WORDS: usize = 3;
/// The same for a literal with placeholders, as only messages have.
const FEWEST_WITH_VALUES: usize = 2;
/// The most letters before the quote of a literal: `rb'…'`. A word has more before its apostrophe.
const LONGEST_PREFIX: usize = 2;

/// Returns the share of the words of a message, in lower case, that a text has in literals that are parts of the message.
pub fn share_in_literals(message: &[String], text: &str) -> f32 {
    let mut covered = vec![false; message.len()];
    for literal in literals(text) {
        let template = Template::parse(literal);
        if template.is_distinctive() {
            for found in template.find(message).into_iter().flatten() {
                covered[found].fill(true);
            }
        }
    }
    let count = covered.iter().filter(|word| **word).count();
    #[expect(clippy::cast_precision_loss, reason = "a few words")]
    let share = count as f32 / message.len().max(1) as f32;
    share
}

/// Returns the texts in quotes, without the quotes. A quote that is not closed on its line is none, except of kinds that extend
/// over lines.
fn literals(text: &str) -> Vec<&str> {
    let mut found = vec![];
    let mut at = 0;
    // The number of letters directly before.
    let mut letters = 0;
    while let Some(sign) = text[at..].chars().next() {
        let is_apostrophe = sign == '\'' && letters > LONGEST_PREFIX;
        let literal = if matches!(sign, '"' | '\'' | '`') && !is_apostrophe {
            literal_at(text, at, sign)
        } else {
            None
        };
        let end = match literal {
            Some((inside, end)) => {
                found.push(inside);
                end
            }
            None => at + sign.len_utf8(),
        };
        letters = if sign.is_alphanumeric() {
            letters + 1
        } else {
            0
        };
        at = end;
    }
    found
}

/// Returns the literal that a quote begins, and the byte after it.
fn literal_at(text: &str, at: usize, quote: char) -> Option<(&str, usize)> {
    let triple = quote.to_string().repeat(3);
    let (close, is_long) = if text[at..].starts_with(&triple) {
        (triple.as_str(), true)
    } else {
        (&triple[..1], quote == '`')
    };
    let start = at + close.len();
    let mut signs = text[start..].char_indices();
    while let Some((offset, sign)) = signs.next() {
        if sign == '\\' {
            signs.next();
        } else if text[start + offset..].starts_with(close) {
            let end = start + offset;
            return Some((&text[start..end], end + close.len()));
        } else if sign == '\n' && !is_long {
            return None;
        }
    }
    None
}

/// A literal in its parts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Template {
    /// The words between the placeholders, in lower case.
    runs: Vec<Vec<String>>,
    has_placeholders: bool,
}

impl Template {
    fn parse(literal: &str) -> Self {
        let mut template = Self::default();
        let mut run = String::new();
        let mut rest = literal;
        while let Some(sign) = rest.chars().next() {
            if let Some(length) = placeholder_length(rest) {
                template.has_placeholders = true;
                template.add_run(&run);
                run.clear();
                rest = &rest[length..];
            } else if sign == '\\' {
                // An escaped letter is no part of the next word: `\n`.
                run.push(' ');
                let escaped = rest[1..].chars().next().map_or(0, char::len_utf8);
                rest = &rest[1 + escaped..];
            } else {
                run.push(sign);
                rest = &rest[sign.len_utf8()..];
            }
        }
        template.add_run(&run);
        template
    }

    fn add_run(&mut self, run: &str) {
        let run: Vec<String> = words(run).map(|(_, word)| word.to_lowercase()).collect();
        if !run.is_empty() {
            self.runs.push(run);
        }
    }

    /// Returns whether the words say enough to recognise a message by them.
    fn is_distinctive(&self) -> bool {
        let fewest = if self.has_placeholders {
            FEWEST_WITH_VALUES
        } else {
            FEWEST_WORDS
        };
        let mut all = self.runs.iter().flatten();
        self.runs.iter().map(Vec::len).sum::<usize>() >= fewest
            && all.any(|word| !is_stop_word(word))
    }

    /// Returns where the runs are in a message, if all of them are, in their order.
    fn find(&self, message: &[String]) -> Option<Vec<std::ops::Range<usize>>> {
        let mut from = 0;
        let mut found = Vec::with_capacity(self.runs.len());
        for run in &self.runs {
            let start = message[from..]
                .windows(run.len())
                .position(|words| words == run)?;
            from += start + run.len();
            found.push(from - run.len()..from);
        }
        Some(found)
    }
}

/// Returns the length of the placeholder at the start of a text: `{name}`, `${a.b()}`, `#{name}`, `\(name)`, `$name`, `%s`, `%-5.2f`,
/// `%(name)s`. One that is not closed extends to the end.
fn placeholder_length(text: &str) -> Option<usize> {
    let after = |prefix: &str| text.strip_prefix(prefix);
    let enclosed = |open: &str, close: char| {
        let rest = after(open)?;
        Some(open.len() + rest.find(close).map_or(rest.len(), |end| end + 1))
    };
    if let Some(length) = braced_length(text.trim_start_matches(['$', '#'])) {
        let sigils = text.len() - text.trim_start_matches(['$', '#']).len();
        return Some(sigils + length);
    }
    if after("\\(").is_some() {
        return enclosed("\\(", ')');
    }
    if let Some(name) = after("$") {
        let is_name = |sign: char| sign.is_alphanumeric() || sign == '_';
        let length = name.find(|sign| !is_name(sign)).unwrap_or(name.len());
        return (length > 0).then_some(1 + length);
    }
    let directive = after("%")?;
    let named = enclosed("%(", ')').unwrap_or(1);
    let is_flag = |sign: char| sign.is_ascii_digit() || "-+#.*lhzjtLq".contains(sign);
    let flags = text[named..].find(|sign| !is_flag(sign))?;
    let conversion = text[named + flags..].chars().next()?;
    let is_directive = conversion.is_ascii_alphabetic() && !directive.starts_with('%');
    is_directive.then_some(named + flags + 1)
}

/// Returns the length of an expression in braces at the start of a text.
fn braced_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, sign) in text.char_indices() {
        match sign {
            '{' => depth += 1,
            _ if depth == 0 => return None,
            '}' if depth == 1 => return Some(at + 1),
            '}' => depth -= 1,
            _ => {}
        }
    }
    (depth > 0).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_enclose_literals_and_apostrophes_do_not() {
        for (text, expected) in [
            (
                "raise E(f\"no {x!r}\", f'b') # don't",
                vec!["no {x!r}", "b"],
            ),
            ("say(\"a \\\"b\\\" c\")", vec!["a \\\"b\\\" c"]),
            ("`one\ntwo` + '''x\n'y' z'''", vec!["one\ntwo", "x\n'y' z"]),
            ("a \" b\n\"c\"", vec!["c"]),
            ("fn f<'a>(x: &'a str) -> u8", vec!["a>(x: &"]),
        ] {
            assert_eq!(literals(text), expected, "{text}");
        }
    }

    #[test]
    fn placeholders_separate_the_words_of_a_template() {
        for (literal, expected) in [
            ("no {x!r} in {y}", vec!["no", "in"]),
            ("no ${f({a: 1})} in #{y}", vec!["no", "in"]),
            ("no \\(x) in $path.", vec!["no", "in"]),
            ("no %s in %(y)s: %-5.2f%% done", vec!["no", "in", "done"]),
            ("two words\\nof \\\"three\\\"", vec!["two words of three"]),
            ("open {", vec!["open"]),
            ("} closed } {x", vec!["closed"]),
        ] {
            let runs = Template::parse(literal).runs;
            let runs: Vec<String> = runs.iter().map(|run| run.join(" ")).collect();
            assert_eq!(runs, expected, "{literal}");
        }
    }

    #[test]
    fn a_literal_that_is_a_part_of_a_message_is_its_source() {
        let share = |message: &str, text: &str| {
            let message: Vec<String> = words(message)
                .map(|(_, word)| word.to_lowercase())
                .collect();
            share_in_literals(&message, text)
        };
        for (message, text, expected) in [
            (
                "cycle found in inheriting: dark",
                "anyhow!(\"Cycle found in inheriting: {}\", name)",
                0.8,
            ),
            (
                "setting variables: permission denied",
                "Errorf(\"setting variables: %v\", err)",
                0.5,
            ),
            (
                "setting variables: permission denied",
                "\"setting variables\"",
                0.0,
            ),
            (
                "invalid prop onClick of type function",
                "`Invalid prop '${key}' of type 'function'`",
                5.0 / 6.0,
            ),
            // A literal with other words has another message.
            (
                "cycle found in inheriting: dark",
                "\"No cycle found in inheriting {}\"",
                0.0,
            ),
            ("of the in a", "\"of the in\"", 0.0),
            // A message of several literals.
            (
                "only on methods with a body, not on GET",
                "\"only on methods \" + \"with a body\" + kind",
                6.0 / 9.0,
            ),
        ] {
            let share = share(message, text);
            assert!((share - expected).abs() < 0.01, "{message}: {share}");
        }
    }
}
