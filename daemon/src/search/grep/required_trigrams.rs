//! Computes the trigrams that a text must have for a pattern to match in it.
//!
//! Adjacent literals of an expression are joined, alternatives are multiplied out while they are few, and everything else may
//! match any text. So a text without a match may pass the filter, but none with a match is rejected. A letter that matches in
//! either case is a unit of its own, because the filter of a file has its trigrams both as they are and in lower case.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::extract::trigrams::{FilterPosition, Trigrams};

/// The most strings that alternatives are multiplied out to.
const MAX_STRINGS: usize = 32;
const MAX_BYTES: usize = 4096;
/// The most characters of a class that are alternatives of their own: `[a-f]`.
const MAX_CLASS: usize = 20;
/// The most trigrams of one string; more would reject few other texts.
const MAX_TRIGRAMS: usize = 32;
const MAX_REPEATED: u32 = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequiredTrigrams {
    Nothing,
    Trigram(FilterPosition),
    All(Vec<RequiredTrigrams>),
    Any(Vec<RequiredTrigrams>),
}

/// A byte; or an ASCII letter in any case, as the lower-case one with the bit [`ANY_CASE`].
type Unit = u16;
const ANY_CASE: Unit = 0x100;

type Strings = BTreeSet<Vec<Unit>>;

/// The strings that a part of an expression can match.
enum StringSet {
    Exactly(Strings),
    /// Strings that contain these trigrams, and perhaps others.
    Containing(RequiredTrigrams),
}

impl RequiredTrigrams {
    pub fn new(hir: &Hir) -> Self {
        strings_of(hir).required()
    }

    pub fn may_be_in(&self, filter: &Trigrams) -> bool {
        match self {
            Self::Nothing => true,
            Self::Trigram(position) => filter.may_have(*position),
            Self::All(parts) => parts.iter().all(|part| part.may_be_in(filter)),
            Self::Any(parts) => parts.iter().any(|part| part.may_be_in(filter)),
        }
    }

    fn all(mut parts: Vec<Self>) -> Self {
        parts.retain(|part| *part != Self::Nothing);
        match parts.len() {
            0 => Self::Nothing,
            1 => parts.remove(0),
            _ => Self::All(parts),
        }
    }

    fn any(mut parts: Vec<Self>) -> Self {
        if parts.contains(&Self::Nothing) {
            return Self::Nothing;
        }
        if parts.len() == 1 {
            parts.remove(0)
        } else {
            Self::Any(parts)
        }
    }

    fn string(string: &[Unit]) -> Self {
        let mut positions: Vec<FilterPosition> = string.windows(3).flat_map(positions).collect();
        positions.sort_unstable();
        positions.dedup();
        positions.truncate(MAX_TRIGRAMS);
        Self::all(positions.into_iter().map(Self::Trigram).collect())
    }

    fn one_of(strings: &Strings) -> Self {
        Self::any(strings.iter().map(|string| Self::string(string)).collect())
    }
}

impl StringSet {
    fn anything() -> Self {
        Self::Containing(RequiredTrigrams::Nothing)
    }

    fn empty() -> Self {
        Self::Exactly(BTreeSet::from([vec![]]))
    }

    fn required(self) -> RequiredTrigrams {
        match self {
            Self::Exactly(strings) => RequiredTrigrams::one_of(&strings),
            Self::Containing(required) => required,
        }
    }
}

fn strings_of(hir: &Hir) -> StringSet {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => StringSet::empty(),
        HirKind::Literal(literal) => StringSet::Exactly(BTreeSet::from([literal
            .0
            .iter()
            .map(|byte| Unit::from(*byte))
            .collect()])),
        HirKind::Class(class) => {
            class_strings(class).map_or_else(StringSet::anything, StringSet::Exactly)
        }
        HirKind::Capture(capture) => strings_of(&capture.sub),
        HirKind::Repetition(_) => concatenated(std::slice::from_ref(hir)),
        HirKind::Concat(parts) => concatenated(parts),
        HirKind::Alternation(parts) => alternatives(parts.iter().map(strings_of).collect()),
    }
}

/// Returns the positions of a trigram in a filter, as it is and in lower case.
fn positions(trigram: &[Unit]) -> Vec<FilterPosition> {
    let bytes = [trigram[0], trigram[1], trigram[2]].map(|unit| unit.to_le_bytes()[0]);
    let lower = FilterPosition::new(bytes.map(|byte| byte.to_ascii_lowercase()));
    if trigram.iter().any(|unit| unit & ANY_CASE != 0) {
        vec![lower]
    } else {
        vec![FilterPosition::new(bytes), lower]
    }
}

/// Returns all strings of a class, if they are few.
fn class_strings(class: &Class) -> Option<Strings> {
    let mut strings: Strings = match class {
        Class::Unicode(class) => {
            let characters = class
                .iter()
                .flat_map(|range| range.start()..=range.end())
                .take(MAX_CLASS + 1);
            characters
                .map(|character| character.to_string().bytes().map(Unit::from).collect())
                .collect()
        }
        Class::Bytes(class) => {
            let bytes = class
                .iter()
                .flat_map(|range| range.start()..=range.end())
                .take(MAX_CLASS + 1);
            bytes.map(|byte| vec![Unit::from(byte)]).collect()
        }
    };
    if strings.len() > MAX_CLASS {
        return None;
    }
    for lower in (b'a'..=b'z').map(Unit::from) {
        let upper = lower - Unit::from(b'a' - b'A');
        if strings.contains([lower].as_slice()) && strings.remove([upper].as_slice()) {
            strings.remove([lower].as_slice());
            strings.insert(vec![lower | ANY_CASE]);
        }
    }
    Some(strings)
}

fn concatenated(parts: &[Hir]) -> StringSet {
    let mut concatenation = Concatenation::default();
    for part in parts {
        match part.kind() {
            HirKind::Repetition(repetition) => concatenation.repeat(repetition),
            _ => concatenation.push(strings_of(part)),
        }
    }
    concatenation.finish()
}

fn alternatives(choices: Vec<StringSet>) -> StringSet {
    let mut together = BTreeSet::new();
    let all_exact = choices.iter().all(|choice| match choice {
        StringSet::Exactly(strings) => {
            together.extend(strings.iter().cloned());
            together.len() <= MAX_STRINGS
        }
        StringSet::Containing(_) => false,
    });
    if all_exact {
        return StringSet::Exactly(together);
    }
    StringSet::Containing(RequiredTrigrams::any(
        choices.into_iter().map(StringSet::required).collect(),
    ))
}

/// Returns whether all combinations of a head and a tail are few and short.
fn are_few(heads: &Strings, tails: &Strings) -> bool {
    let longest = |strings: &Strings| strings.iter().map(Vec::len).max().unwrap_or_default();
    let count = heads.len() * tails.len();
    count <= MAX_STRINGS && count * (longest(heads) + longest(tails)) <= MAX_BYTES
}

/// Parts that follow one another.
struct Concatenation {
    /// The requirements of the parts before `strings`.
    required: Vec<RequiredTrigrams>,
    /// The strings of the parts since the last one without exact strings.
    strings: Strings,
    /// Says whether `strings` begin with the first part.
    is_whole: bool,
}

impl Default for Concatenation {
    fn default() -> Self {
        Self {
            required: vec![],
            strings: BTreeSet::from([vec![]]),
            is_whole: true,
        }
    }
}

impl Concatenation {
    fn push(&mut self, part: StringSet) {
        match part {
            StringSet::Exactly(next) if are_few(&self.strings, &next) => {
                let joined = self
                    .strings
                    .iter()
                    .flat_map(|head| next.iter().map(move |tail| [&**head, tail].concat()));
                self.strings = joined.collect();
            }
            StringSet::Exactly(next) => {
                self.cut();
                self.strings = next;
            }
            StringSet::Containing(required) => {
                self.cut();
                self.required.push(required);
            }
        }
    }

    fn repeat(&mut self, repetition: &Repetition) {
        let sub = strings_of(&repetition.sub);
        match (repetition.min, repetition.max, sub) {
            (0, Some(1), StringSet::Exactly(mut strings)) => {
                strings.insert(vec![]);
                self.push(StringSet::Exactly(strings));
            }
            (0, _, _) => self.push(StringSet::anything()),
            (min, max, StringSet::Exactly(strings)) => {
                for _ in 0..min.min(MAX_REPEATED) {
                    self.push(StringSet::Exactly(strings.clone()));
                }
                // If there may be more repetitions, the last one still precedes the next part.
                if max != Some(min) || min > MAX_REPEATED {
                    self.cut();
                    self.strings = strings;
                }
            }
            (_, _, containing) => self.push(containing),
        }
    }

    fn cut(&mut self) {
        self.is_whole = false;
        let strings = std::mem::replace(&mut self.strings, BTreeSet::from([vec![]]));
        self.required.push(RequiredTrigrams::one_of(&strings));
    }

    fn finish(mut self) -> StringSet {
        if self.is_whole {
            return StringSet::Exactly(self.strings);
        }
        self.cut();
        StringSet::Containing(RequiredTrigrams::all(self.required))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::Random;

    fn required(expression: &str) -> RequiredTrigrams {
        let mut parser = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .multi_line(true)
            .crlf(true)
            .build();
        RequiredTrigrams::new(&parser.parse(expression).expect("valid"))
    }

    #[test]
    fn a_filter_never_hides_a_match() {
        let mut random = Random(1);
        let mut matched = 0;
        for round in 0..3000 {
            let expression = random.pattern(1 + round % 3);
            let text = random.text(1 + round % 40);
            let regex = regex::bytes::RegexBuilder::new(&expression)
                .multi_line(true)
                .crlf(true)
                .build()
                .expect("valid");
            if regex.is_match(text.as_bytes()) {
                matched += 1;
                assert!(
                    required(&expression).may_be_in(&Trigrams::new(&text)),
                    "{expression:?} in {text:?}"
                );
            }
        }
        assert!(matched > 800, "{matched}");
    }

    #[test]
    fn most_texts_without_a_match_are_rejected() {
        let text =
            Trigrams::new("fn main() { let listener = bind(address); serve(listener); } // Größe");
        for (expression, may_be) in [
            ("listener", true),
            ("LISTENER", false),
            ("(?i)LISTENER", true),
            ("(?i)größe", true),
            ("größenwahn", false),
            ("list.*serve", true),
            ("list.*Quartzite", false),
            ("bind|connect", true),
            ("accept|connect", false),
            (r"\b(let|const)\s+listener\b", true),
            (r"\b(let|const)\s+speaker\b", false),
            ("serv(e|ing|ice)", true),
            ("(prin)+t", false),
            ("(?:xyz)?main", true),
            ("(?:xyz)+main", false),
            ("(?:main|xyz)(?:qqq|rrr)", false),
            ("[lm]ain", true),
            ("[zy]ain", false),
            // These require no trigram.
            ("..", true),
            (r"\w+\s", true),
            ("zz", true),
            ("(zzz)*", true),
        ] {
            assert_eq!(
                required(expression).may_be_in(&text),
                may_be,
                "{expression}"
            );
        }
    }

    #[test]
    fn nested_repetitions_stay_small() {
        let expression = (0..40).fold("ab".to_owned(), |inner, _| format!("(?:{inner}){{4}}"));
        assert!(required(&expression).may_be_in(&Trigrams::new(&"ab".repeat(100))));
        assert!(!required(&expression).may_be_in(&Trigrams::new(&"ac".repeat(100))));
    }
}
