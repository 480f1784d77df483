//! Splits words into pieces, greedily by the longest piece that fits, with a double-array trie.
//!
//! The child of a node by a letter is at the node's base plus the letter, if that entry names the node as its parent: one read
//! per letter.

use super::words::{LETTERS, Letter, letter_code};

/// The prefix of a piece inside a word.
const CONTINUED: &[u8] = b"##";
/// The roots of the trie: for the beginning of a word, and for the rest.
const START: u32 = 0;
const INSIDE: u32 = 1;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    base: u32,
    /// The piece that ends here.
    piece: u32,
}

const FREE: Node = Node {
    parent: NONE,
    base: 0,
    piece: NONE,
};

pub struct WordPieces {
    nodes: Vec<Node>,
}

impl WordPieces {
    /// Builds the trie of pieces, which are sorted by their bytes and numbered in that order. Pieces with characters besides
    /// lower-case letters and digits are left out.
    pub fn new<'a>(sorted: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut roots: [Vec<(Vec<Letter>, u32)>; 2] = [vec![], vec![]];
        for (piece, number) in sorted.zip(0..) {
            let (root, letters) = match piece.strip_prefix(CONTINUED) {
                Some(letters) => (INSIDE, letters),
                None => (START, piece),
            };
            if let Some(codes) = letters
                .iter()
                .map(|letter| letter_code(*letter))
                .collect::<Option<Vec<_>>>()
            {
                roots[root as usize].push((codes, number));
            }
        }
        let mut made = Self {
            nodes: vec![FREE; 2],
        };
        // The roots are no node's children.
        let mut low = 2;
        for (root, pieces) in (0..).zip(&mut roots) {
            // Digits have larger codes than letters, and smaller bytes.
            pieces.sort_unstable();
            made.add(root, pieces, 0, &mut low);
        }
        made.nodes.extend([FREE; LETTERS]);
        made
    }

    /// Adds pieces that share their first `depth` letters below a node.
    fn add(&mut self, node: u32, pieces: &[(Vec<Letter>, u32)], depth: usize, low: &mut usize) {
        let pieces = match pieces.split_first() {
            Some(((codes, number), rest)) if codes.len() == depth => {
                self.nodes[node as usize].piece = *number;
                rest
            }
            _ => pieces,
        };
        let groups: Vec<_> = pieces
            .chunk_by(|one, two| one.0[depth] == two.0[depth])
            .collect();
        let codes: Vec<usize> = groups
            .iter()
            .map(|group| usize::from(group[0].0[depth]))
            .collect();
        let Some(first) = codes.first() else { return };
        while self.nodes.get(*low).is_some_and(|node| node.parent != NONE) {
            *low += 1;
        }
        let is_free = |place: usize| {
            self.nodes.get(place).is_none_or(|node| node.parent == NONE) && place > 1
        };
        let fits = |base: &usize| codes.iter().all(|code| is_free(base + code));
        // Past the end everything is free.
        let base = (low.saturating_sub(*first)..self.nodes.len())
            .find(fits)
            .unwrap_or(self.nodes.len());
        let most = base + LETTERS;
        if self.nodes.len() < most {
            self.nodes.resize(most, FREE);
        }
        self.nodes[node as usize].base = u32::try_from(base).unwrap_or(NONE);
        for code in &codes {
            self.nodes[base + code].parent = node;
        }
        for (group, code) in groups.iter().zip(&codes) {
            self.add(
                u32::try_from(base + code).unwrap_or(NONE),
                group,
                depth + 1,
                low,
            );
        }
    }

    /// Writes the pieces of a word to `found`; none if they do not cover it.
    pub fn split(&self, word: &[Letter], found: &mut Vec<u32>) {
        found.clear();
        let mut from = 0;
        while from < word.len() {
            let mut node = if from == 0 { START } else { INSIDE };
            let mut base = self.nodes[node as usize].base;
            let mut longest = None;
            for (length, code) in (1..).zip(&word[from..]) {
                let place = base + u32::from(*code);
                let Some(next) = self
                    .nodes
                    .get(place as usize)
                    .filter(|next| next.parent == node)
                else {
                    break;
                };
                (node, base) = (place, next.base);
                if next.piece != NONE {
                    longest = Some((length, next.piece));
                }
            }
            let Some((length, piece)) = longest else {
                found.clear();
                return;
            };
            found.push(piece);
            from += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(pieces: &[&str], word: &str) -> Vec<String> {
        let made = WordPieces::new(pieces.iter().map(|piece| piece.as_bytes()));
        let codes: Vec<_> = word.bytes().filter_map(letter_code).collect();
        let mut found = vec![];
        made.split(&codes, &mut found);
        found
            .iter()
            .map(|piece| pieces[*piece as usize].to_owned())
            .collect()
    }

    #[test]
    fn words_are_split_by_the_longest_piece() {
        let pieces = [
            "##1", "##a", "##able", "##ing", "##s", "1", "10", "100", "a", "read", "reading", "res",
        ];
        let cases = [
            ("read", "read"),
            ("readable", "read ##able"),
            ("readings", "reading ##s"),
            ("reada", "read ##a"),
            ("1001", "100 ##1"),
            ("101", "10 ##1"),
            // Greedy, so `re` is not tried once `res` has been taken; what cannot be covered has no pieces.
            ("resq", ""),
            ("q", ""),
            ("", ""),
        ];
        for (word, expected) in cases {
            assert_eq!(covered(&pieces, word).join(" "), expected, "{word}");
        }
    }

    #[test]
    fn without_pieces_no_word_is_covered() {
        assert!(covered(&[], "word").is_empty());
        assert!(covered(&["[UNK]", "##"], "word").is_empty());
    }
}
