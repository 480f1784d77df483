//! The pieces that words are made of: a word is covered from its beginning, each time by the longest piece that fits.
//!
//! A trie in two arrays folded into one: the child of a node by a sign lies at the node's base plus the sign, if the
//! place says that the node is its parent. One read per letter, and no more room than the nodes take.

use super::words::{SIGNS, Sign, sign};

/// What a piece inside a word begins with.
const CONTINUED: &[u8] = b"##";
/// Where a word begins, and where it goes on.
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

pub struct Pieces {
    nodes: Vec<Node>,
}

impl Pieces {
    /// Of pieces sorted by their bytes, each known by its place. Those that no word can have are left out.
    pub fn new<'a>(sorted: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut roots: [Vec<(Vec<Sign>, u32)>; 2] = [vec![], vec![]];
        for (piece, number) in sorted.zip(0..) {
            let (root, letters) = match piece.strip_prefix(CONTINUED) {
                Some(letters) => (INSIDE, letters),
                None => (START, piece),
            };
            if let Some(signs) = letters
                .iter()
                .map(|letter| sign(*letter))
                .collect::<Option<Vec<_>>>()
            {
                roots[root as usize].push((signs, number));
            }
        }
        let mut made = Self {
            nodes: vec![FREE; 2],
        };
        // A root is nobody's child.
        let mut low = 2;
        for (root, pieces) in (0..).zip(&mut roots) {
            // Digits have larger signs than letters, and smaller bytes.
            pieces.sort_unstable();
            made.add(root, pieces, 0, &mut low);
        }
        made.nodes.extend([FREE; SIGNS]);
        made
    }

    /// Adds what comes after the first `depth` signs, which all these have in common.
    fn add(&mut self, node: u32, pieces: &[(Vec<Sign>, u32)], depth: usize, low: &mut usize) {
        let pieces = match pieces.split_first() {
            Some(((signs, number), rest)) if signs.len() == depth => {
                self.nodes[node as usize].piece = *number;
                rest
            }
            _ => pieces,
        };
        let groups: Vec<_> = pieces
            .chunk_by(|one, two| one.0[depth] == two.0[depth])
            .collect();
        let signs: Vec<usize> = groups
            .iter()
            .map(|group| usize::from(group[0].0[depth]))
            .collect();
        let Some(first) = signs.first() else { return };
        while self.nodes.get(*low).is_some_and(|node| node.parent != NONE) {
            *low += 1;
        }
        let is_free = |place: usize| {
            self.nodes.get(place).is_none_or(|node| node.parent == NONE) && place > 1
        };
        let fits = |base: &usize| signs.iter().all(|sign| is_free(base + sign));
        // Past the end everything is free.
        let base = (low.saturating_sub(*first)..self.nodes.len())
            .find(fits)
            .unwrap_or(self.nodes.len());
        let most = base + SIGNS;
        if self.nodes.len() < most {
            self.nodes.resize(most, FREE);
        }
        self.nodes[node as usize].base = u32::try_from(base).unwrap_or(NONE);
        for sign in &signs {
            self.nodes[base + sign].parent = node;
        }
        for (group, sign) in groups.iter().zip(&signs) {
            self.add(
                u32::try_from(base + sign).unwrap_or(NONE),
                group,
                depth + 1,
                low,
            );
        }
    }

    /// The pieces of a word, in `found`; none if they do not cover it.
    pub fn cover(&self, word: &[Sign], found: &mut Vec<u32>) {
        found.clear();
        let mut from = 0;
        while from < word.len() {
            let mut node = if from == 0 { START } else { INSIDE };
            let mut base = self.nodes[node as usize].base;
            let mut longest = None;
            for (length, sign) in (1..).zip(&word[from..]) {
                let place = base + u32::from(*sign);
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
        let made = Pieces::new(pieces.iter().map(|piece| piece.as_bytes()));
        let signs: Vec<_> = word.bytes().filter_map(sign).collect();
        let mut found = vec![];
        made.cover(&signs, &mut found);
        found
            .iter()
            .map(|piece| pieces[*piece as usize].to_owned())
            .collect()
    }

    #[test]
    fn the_longest_piece_comes_first() {
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
    fn without_pieces_nothing_is_covered() {
        assert!(covered(&[], "word").is_empty());
        assert!(covered(&["[UNK]", "##"], "word").is_empty());
    }
}
