//! Which runs of three bytes a text must have before a pattern can match in it.
//!
//! An expression is read as far as it names letters: what follows one another is joined, choices are multiplied out while
//! they are few, and whatever is doubtful stands for any text. So a text may be let through that does not match, but none
//! that does is kept back. A letter that may be of either case is a sign of its own, because the filters that this is asked
//! of know runs as they are and in small letters.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::extract::trigrams::{FilterPosition, Trigrams};

/// More strings than this are not multiplied out.
const MOST_STRINGS: usize = 32;
const MOST_BYTES: usize = 4096;
/// Of one class.
const MOST_SIGNS: usize = 20;
/// Of one string; further ones would tell little more.
const MOST_RUNS: usize = 32;
const MOST_REPEATED: u32 = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Required {
    Nothing,
    Run(FilterPosition),
    All(Vec<Required>),
    Any(Vec<Required>),
}

/// A byte, or a letter of ASCII in [`EITHER`] case, then as a small one.
type Sign = u16;
const EITHER: Sign = 0x100;

type Strings = BTreeSet<Vec<Sign>>;

/// What is known of the strings that a part of an expression matches.
enum Known {
    /// They are these.
    Exactly(Strings),
    /// They have this in them.
    Having(Required),
}

impl Required {
    pub fn of(hir: &Hir) -> Self {
        known(hir).required()
    }

    pub fn may_be_in(&self, filter: &Trigrams) -> bool {
        match self {
            Self::Nothing => true,
            Self::Run(place) => filter.may_have(*place),
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

    fn string(string: &[Sign]) -> Self {
        let mut places: Vec<FilterPosition> = string.windows(3).flat_map(places).collect();
        places.sort_unstable();
        places.dedup();
        places.truncate(MOST_RUNS);
        Self::all(places.into_iter().map(Self::Run).collect())
    }

    fn one_of(strings: &Strings) -> Self {
        Self::any(strings.iter().map(|string| Self::string(string)).collect())
    }
}

impl Known {
    fn anything() -> Self {
        Self::Having(Required::Nothing)
    }

    fn empty() -> Self {
        Self::Exactly(BTreeSet::from([vec![]]))
    }

    fn required(self) -> Required {
        match self {
            Self::Exactly(strings) => Required::one_of(&strings),
            Self::Having(required) => required,
        }
    }
}

fn known(hir: &Hir) -> Known {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Known::empty(),
        HirKind::Literal(literal) => Known::Exactly(BTreeSet::from([literal
            .0
            .iter()
            .map(|byte| Sign::from(*byte))
            .collect()])),
        HirKind::Class(class) => signs(class).map_or_else(Known::anything, Known::Exactly),
        HirKind::Capture(capture) => known(&capture.sub),
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Concat(parts) => {
            let mut chain = Chain::default();
            for part in parts {
                match part.kind() {
                    HirKind::Repetition(repetition) => chain.repeat(repetition),
                    _ => chain.push(known(part)),
                }
            }
            chain.finish()
        }
        HirKind::Alternation(parts) => chosen(parts.iter().map(known).collect()),
    }
}

/// Where a run stands in a filter, as it is and in small letters.
fn places(run: &[Sign]) -> Vec<FilterPosition> {
    let bytes = [run[0], run[1], run[2]].map(|sign| sign.to_le_bytes()[0]);
    let small = FilterPosition::new(bytes.map(|byte| byte.to_ascii_lowercase()));
    if run.iter().any(|sign| sign & EITHER != 0) {
        vec![small]
    } else {
        vec![FilterPosition::new(bytes), small]
    }
}

/// All strings of a class, if they are few.
fn signs(class: &Class) -> Option<Strings> {
    let mut strings: Strings = match class {
        Class::Unicode(class) => {
            let signs = class
                .iter()
                .flat_map(|range| range.start()..=range.end())
                .take(MOST_SIGNS + 1);
            signs
                .map(|sign| sign.to_string().bytes().map(Sign::from).collect())
                .collect()
        }
        Class::Bytes(class) => {
            let bytes = class
                .iter()
                .flat_map(|range| range.start()..=range.end())
                .take(MOST_SIGNS + 1);
            bytes.map(|byte| vec![Sign::from(byte)]).collect()
        }
    };
    if strings.len() > MOST_SIGNS {
        return None;
    }
    for small in (b'a'..=b'z').map(Sign::from) {
        let capital = small - Sign::from(b'a' - b'A');
        if strings.contains([small].as_slice()) && strings.remove([capital].as_slice()) {
            strings.remove([small].as_slice());
            strings.insert(vec![small | EITHER]);
        }
    }
    Some(strings)
}

fn repeated(repetition: &Repetition) -> Known {
    let mut chain = Chain::default();
    chain.repeat(repetition);
    chain.finish()
}

fn chosen(choices: Vec<Known>) -> Known {
    let mut together = BTreeSet::new();
    let all_exact = choices.iter().all(|choice| match choice {
        Known::Exactly(strings) => {
            together.extend(strings.iter().cloned());
            together.len() <= MOST_STRINGS
        }
        Known::Having(_) => false,
    });
    if all_exact {
        return Known::Exactly(together);
    }
    Known::Having(Required::any(
        choices.into_iter().map(Known::required).collect(),
    ))
}

/// Whether the strings that begin with the one and end with the other are few and short.
fn is_little(heads: &Strings, tails: &Strings) -> bool {
    let longest = |strings: &Strings| strings.iter().map(Vec::len).max().unwrap_or_default();
    let count = heads.len() * tails.len();
    count <= MOST_STRINGS && count * (longest(heads) + longest(tails)) <= MOST_BYTES
}

/// Parts that follow one another.
struct Chain {
    /// What is needed of what came before `strings`.
    needs: Vec<Required>,
    /// The strings since the last part of which little is known.
    strings: Strings,
    /// Whether `strings` are all that was seen.
    is_whole: bool,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            needs: vec![],
            strings: BTreeSet::from([vec![]]),
            is_whole: true,
        }
    }
}

impl Chain {
    fn push(&mut self, part: Known) {
        match part {
            Known::Exactly(next) if is_little(&self.strings, &next) => {
                let joined = self
                    .strings
                    .iter()
                    .flat_map(|head| next.iter().map(move |tail| [&**head, tail].concat()));
                self.strings = joined.collect();
            }
            Known::Exactly(next) => {
                self.cut();
                self.strings = next;
            }
            Known::Having(required) => {
                self.cut();
                self.needs.push(required);
            }
        }
    }

    fn repeat(&mut self, repetition: &Repetition) {
        let sub = known(&repetition.sub);
        match (repetition.min, repetition.max, sub) {
            (0, Some(1), Known::Exactly(mut strings)) => {
                strings.insert(vec![]);
                self.push(Known::Exactly(strings));
            }
            (0, _, _) => self.push(Known::anything()),
            (min, max, Known::Exactly(strings)) => {
                for _ in 0..min.min(MOST_REPEATED) {
                    self.push(Known::Exactly(strings.clone()));
                }
                // Where there may be more, the last of them still stands before what follows.
                if max != Some(min) || min > MOST_REPEATED {
                    self.cut();
                    self.strings = strings;
                }
            }
            (_, _, having) => self.push(having),
        }
    }

    fn cut(&mut self) {
        self.is_whole = false;
        let strings = std::mem::replace(&mut self.strings, BTreeSet::from([vec![]]));
        self.needs.push(Required::one_of(&strings));
    }

    fn finish(mut self) -> Known {
        if self.is_whole {
            return Known::Exactly(self.strings);
        }
        self.cut();
        Known::Having(Required::all(self.needs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::Random;

    fn required(expression: &str) -> Required {
        let mut parser = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .multi_line(true)
            .crlf(true)
            .build();
        Required::of(&parser.parse(expression).expect("valid"))
    }

    #[test]
    fn a_filter_never_hides_a_match() {
        let mut chance = Random(1);
        let mut matched = 0;
        for round in 0..3000 {
            let expression = chance.pattern(1 + round % 3);
            let text = chance.text(1 + round % 40);
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
    fn most_texts_without_a_match_are_told() {
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
            // Nothing can be told of these.
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
