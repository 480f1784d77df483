//! Splits a text into the words of the static model: runs of lower-case letters, or of digits.
//!
//! `camelCase` and `ACRONYMWords` are split, and capitals lowered; all other characters are separators. It is one pass over the
//! bytes, for any text. **Invariant:** the split is part of the model, so a change of it is another model.

/// The code of a letter or digit: 1 to 26, and 27 to 36.
pub type Letter = u8;
pub const LETTERS: usize = 37;

/// Returns the code of a lower-case letter or a digit.
pub const fn letter_code(byte: u8) -> Option<Letter> {
    match byte {
        b'a'..=b'z' => Some(byte - b'a' + 1),
        b'0'..=b'9' => Some(byte - b'0' + 27),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Other,
    Small,
    Capital,
    Digit,
    /// Begins a character that may have a Latin letter as its lower-case form.
    Wide,
}

#[derive(Clone, Copy)]
struct Byte {
    kind: Kind,
    letter: Letter,
}

static BYTES: [Byte; 256] = {
    let mut table = [Byte {
        kind: Kind::Other,
        letter: 0,
    }; 256];
    let mut byte = 0_u8;
    loop {
        let kind = match byte {
            b'a'..=b'z' => Kind::Small,
            b'A'..=b'Z' => Kind::Capital,
            b'0'..=b'9' => Kind::Digit,
            0xc4 | 0xe2 => Kind::Wide,
            _ => Kind::Other,
        };
        let letter = match letter_code(byte.to_ascii_lowercase()) {
            Some(letter) => letter,
            None => 0,
        };
        table[byte as usize] = Byte { kind, letter };
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

/// The Kelvin sign, whose lower-case form is a plain `k`.
const KELVIN: &[u8] = "\u{212a}".as_bytes();
/// The capital i with a dot, whose lower-case form is a plain `i` and a dot that separates.
const DOTTED_I: &[u8] = "\u{130}".as_bytes();

/// Calls `found` with each word in order. `word` is a buffer.
pub fn each(text: &str, word: &mut Vec<Letter>, mut found: impl FnMut(&[Letter])) {
    let bytes = text.as_bytes();
    word.clear();
    let mut before = Kind::Other;
    // The number of capitals at the end of the word.
    let mut capitals = 0_usize;
    let mut flush = |word: &mut Vec<Letter>| {
        if !word.is_empty() {
            found(word);
            word.clear();
        }
    };
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let Byte { kind, letter: own } = BYTES[usize::from(*byte)];
        at += 1;
        match kind {
            Kind::Small => {
                if before == Kind::Digit {
                    flush(word);
                } else if capitals > 1 {
                    // The last capital begins this word.
                    let last = word.pop();
                    flush(word);
                    word.extend(last);
                }
                word.push(own);
                // Fast path: most letters are lower-case ones that follow another, and never begin a word.
                let rest = &bytes[at..];
                let run = rest
                    .iter()
                    .position(|byte| !byte.is_ascii_lowercase())
                    .unwrap_or(rest.len());
                word.extend(rest[..run].iter().map(|byte| byte - b'a' + 1));
                at += run;
                capitals = 0;
            }
            Kind::Capital => {
                if before != Kind::Capital && before != Kind::Wide {
                    flush(word);
                }
                word.push(own);
                capitals += 1;
            }
            Kind::Digit => {
                if before != Kind::Digit {
                    flush(word);
                }
                word.push(own);
                capitals = 0;
            }
            Kind::Wide if bytes[at - 1..].starts_with(KELVIN) => {
                if before == Kind::Digit {
                    flush(word);
                }
                word.push(letter_code(b'k').unwrap_or_default());
                at += KELVIN.len() - 1;
                capitals = 0;
            }
            Kind::Wide if bytes[at - 1..].starts_with(DOTTED_I) => {
                if before == Kind::Digit {
                    flush(word);
                }
                word.push(letter_code(b'i').unwrap_or_default());
                flush(word);
                at += DOTTED_I.len() - 1;
                capitals = 0;
            }
            Kind::Other | Kind::Wide => {
                flush(word);
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| BYTES[usize::from(**byte)].kind == Kind::Other)
                    .count();
                capitals = 0;
                before = Kind::Other;
                continue;
            }
        }
        before = kind;
    }
    flush(word);
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn all(text: &str) -> Vec<String> {
        let mut words = vec![];
        let letter = |code: &Letter| {
            char::from(if *code < 27 {
                code - 1 + b'a'
            } else {
                code - 27 + b'0'
            })
        };
        each(text, &mut vec![], |word| {
            words.push(word.iter().map(letter).collect());
        });
        words
    }

    #[test]
    fn words_are_split_as_the_model_was_trained() {
        let cases = [
            ("", ""),
            ("camelCase", "camel case"),
            ("ACRONYMWords", "acronym words"),
            ("HTTPServer2Go", "http server 2 go"),
            ("snake_case SCREAMING_CASE", "snake case screaming case"),
            ("utf8 UTF8 a1B2", "utf 8 utf 8 a 1 b 2"),
            ("X Xy XY XYz XYZ", "x xy xy x yz xyz"),
            ("fooBARBaz fooBAR", "foo bar baz foo bar"),
            ("don't stop—it’s naïve", "don t stop it s na ve"),
            ("ÄÖü Straße 日本語abc", "stra e abc"),
            // Both have a Latin letter as their small form; neither is a capital to a splitter of ASCII.
            (
                "5\u{212a} a\u{212a}b \u{212a}A \u{212a}ABc",
                "5 k akb ka ka bc",
            ),
            ("\u{130}stanbul x\u{130}y 1\u{130}", "i stanbul xi y 1 i"),
            ("\u{2014}\u{2126}\u{12b}A\u{0}b", "a b"),
        ];
        for (text, words) in cases {
            assert_eq!(all(text).join(" "), words, "{text:?}");
        }
    }
}
