//! Suggestions for a name that no language has, for error messages.
//!
//! A suggestion is only shown to people: no caller may act on it.

use super::{Language, all};

const MAX_SUGGESTIONS: usize = 3;

/// A shorter name is the beginning of too many words by chance: `r` of `react`.
const SHORTEST_STEM: usize = 3;

/// Returns the ids of the languages whose names are nearest to `name`, nearest first; empty if none is near.
pub fn nearest(name: &str) -> Vec<&'static str> {
    let asked = name.trim().to_lowercase();
    if asked.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(Nearness, &'static str)> = all()
        .iter()
        .filter_map(|language| Some((nearness_of(&asked, language)?, language.id)))
        .collect();
    found.sort_unstable();
    found.truncate(MAX_SUGGESTIONS);
    found.into_iter().map(|(_, id)| id).collect()
}

/// The difference between a given name and one of a language, most likely first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// The given name lacks this many letters at its end.
    Unfinished(usize),
    /// This many letters were added, dropped, changed or swapped.
    Misspelt(usize),
    /// The given name has this many letters after a known one. The last variant, because `javascrpt` is a misspelt
    /// `javascript` and not `java` with a suffix.
    Extended(usize),
}

fn nearness_of(asked: &str, language: &'static Language) -> Option<Nearness> {
    let names = [language.id, language.name]
        .into_iter()
        .chain(language.aliases.iter().copied());
    names
        .filter_map(|name| nearness(asked, &name.to_lowercase()))
        .min()
}

fn nearness(asked: &str, known: &str) -> Option<Nearness> {
    if known.starts_with(asked) {
        return Some(Nearness::Unfinished(known.len() - asked.len()));
    }
    // One typo per three letters is tolerated; with more, any short word would be near some other word. The lengths are
    // compared first, so that a name of any length costs little.
    let tolerated = asked.len() / 3;
    if asked.len().abs_diff(known.len()) <= tolerated {
        // A swap of two adjacent letters counts as one edit, because it is one typo.
        let distance = strsim::osa_distance(asked, known);
        if distance <= tolerated {
            return Some(Nearness::Misspelt(distance));
        }
    }
    let extends = known.len() >= SHORTEST_STEM && asked.starts_with(known);
    extends.then(|| Nearness::Extended(asked.len() - known.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_meaning_comes_first() {
        let cases = [
            ("pyhton", "python"),
            ("Pyton", "python"),
            ("jvaa", "java"),
            ("java8", "java"),
            ("javascrpt", "javascript"),
            ("typescirpt", "typescript"),
            ("type", "typescript"),
            ("rustlang", "rust"),
            ("ruts", "rust"),
            ("kotlim", "kotlin"),
            ("objective", "objc"),
            ("terrafrom", "hcl"),
            ("c##", "csharp"),
            ("dockerfiles", "dockerfile"),
        ];
        for (asked, id) in cases {
            assert_eq!(
                nearest(asked).first(),
                Some(&id),
                "{asked}: {:?}",
                nearest(asked)
            );
        }
    }

    #[test]
    fn nothing_near_means_no_suggestion() {
        for asked in ["", "  ", "cobol", "fortran", "react", "qqqqqqqq"] {
            assert_eq!(nearest(asked), Vec::<&str>::new(), "{asked}");
        }
    }

    #[test]
    fn suggestions_are_few_and_distinct() {
        for asked in ["p", "s", "ja", "clo", "ju"] {
            let mut ids = nearest(asked);
            assert!(
                (1..=MAX_SUGGESTIONS).contains(&ids.len()),
                "{asked}: {ids:?}"
            );
            ids.sort_unstable();
            assert!(ids.is_sorted_by(|a, b| a < b), "{asked}: {ids:?}");
        }
    }
}
