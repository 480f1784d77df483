//! Many short strings in one buffer, which is deserialized as one block.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strings {
    text: String,
    /// The end of each string in `text`; it begins where the previous one ends.
    ends: Vec<u32>,
}

impl Strings {
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, place: u32) -> &str {
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.text[start as usize..self.ends[place] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..).take(self.count()).map(|place| self.get(place))
    }

    /// Adds a string and returns its index. All strings together are no longer than the text of a file.
    pub fn push(&mut self, string: &str) -> u32 {
        self.text.push_str(string);
        self.ends
            .push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        u32::try_from(self.ends.len() - 1).unwrap_or(u32::MAX)
    }

    /// Returns whether every string can be read, which damaged bytes may violate.
    pub fn is_sound(&self) -> bool {
        self.ends.is_sorted()
            && self
                .ends
                .iter()
                .all(|end| self.text.is_char_boundary(*end as usize))
    }

    pub fn bytes(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_had_by_their_places() {
        let mut strings = Strings::default();
        let all = ["name", "", "größe", "x"];
        assert_eq!(all.map(|string| strings.push(string)), [0, 1, 2, 3]);
        assert_eq!([0, 1, 2, 3].map(|place| strings.get(place)), all);
        assert_eq!(
            (strings.count(), strings.iter().collect::<Vec<_>>()),
            (4, all.to_vec())
        );
        assert!(strings.is_sound());
    }

    #[test]
    fn places_that_cut_a_character_or_go_back_are_not_sound() {
        let of = |text: &str, ends: &[u32]| Strings {
            text: text.to_owned(),
            ends: ends.to_vec(),
        };
        assert!(of("aé", &[1, 3]).is_sound() && of("", &[]).is_sound());
        assert!(!of("aé", &[2]).is_sound());
        assert!(!of("ab", &[2, 1]).is_sound());
        assert!(!of("ab", &[3]).is_sound());
    }
}
