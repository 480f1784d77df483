//! Suggestions for a name that no language has, for error messages.
//!
//! Only suggests: no caller may take a suggestion for an answer.

use super::{Language, all};

const MOST_SUGGESTIONS: usize = 3;

/// A name this short begins too many words by chance: `r` does not explain `react`.
const SHORTEST_STEM: usize = 3;

/// The ids of the languages whose names are nearest to `name`, nearest first; none where nothing is near.
pub fn nearest(name: &str) -> Vec<&'static str> {
    let asked: Vec<char> = name.trim().to_lowercase().chars().collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(Nearness, &'static str)> = all()
        .iter()
        .filter_map(|language| Some((nearness_of(&asked, language)?, language.id)))
        .collect();
    found.sort_unstable();
    found.truncate(MOST_SUGGESTIONS);
    found.into_iter().map(|(_, id)| id).collect()
}

/// The difference between a name and one of a language, the likeliest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// The word is unfinished, by so many letters.
    Unfinished(usize),
    /// So many letters were added, dropped, changed or swapped.
    Misspelt(usize),
    /// The known name has an ending of so many letters. Last, since `javascrpt` is no ending to `java`.
    Extended(usize),
}

fn nearness_of(asked: &[char], language: &'static Language) -> Option<Nearness> {
    let names = [language.id, language.name]
        .into_iter()
        .chain(language.aliases.iter().copied());
    names
        .filter_map(|name| nearness(asked, &name.to_lowercase().chars().collect::<Vec<_>>()))
        .min()
}

fn nearness(asked: &[char], known: &[char]) -> Option<Nearness> {
    if known.starts_with(asked) {
        return Some(Nearness::Unfinished(known.len() - asked.len()));
    }
    // One slip in three letters; beyond that, any short word would be near to some other.
    // The lengths are compared first, so that a name of any length costs little.
    let tolerated = asked.len() / 3;
    if asked.len().abs_diff(known.len()) <= tolerated {
        let distance = edit_distance(asked, known);
        if distance <= tolerated {
            return Some(Nearness::Misspelt(distance));
        }
    }
    let extends = known.len() >= SHORTEST_STEM && asked.starts_with(known);
    extends.then(|| Nearness::Extended(asked.len() - known.len()))
}

/// The edit distance in which a swap of neighbours is one edit, as it is one slip of the fingers.
pub fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = last;
        last = row;
    }
    last[b.len()]
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
                (1..=MOST_SUGGESTIONS).contains(&ids.len()),
                "{asked}: {ids:?}"
            );
            ids.sort_unstable();
            assert!(ids.is_sorted_by(|a, b| a < b), "{asked}: {ids:?}");
        }
    }

    #[test]
    fn distances() {
        let cases = [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("kitten", "sitting", 3),
        ];
        for (a, b, expected) in cases {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            assert_eq!(edit_distance(&letters(a), &letters(b)), expected, "{a} {b}");
            assert_eq!(edit_distance(&letters(b), &letters(a)), expected, "{b} {a}");
        }
    }
}
