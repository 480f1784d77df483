//! Parses and matches one line of an ignore file, exactly as git does.
//!
//! Lines are not compiled into regular expressions: those take a hundred times the memory of the text, which a stranger's
//! ignore file could exhaust. A pattern without wildcards is a key to look up, and one with wildcards is a list of tokens
//! that is matched in a bounded number of steps.

/// The most steps of a match. Ordinary patterns need some hundreds.
const MAX_STEPS: usize = 8192;
/// The longest pattern, since no path is longer.
const LONGEST: usize = 4096;

#[derive(Debug, PartialEq, Eq)]
pub struct Pattern {
    /// `!pattern`: a match is not ignored.
    pub negated: bool,
    /// `pattern/`.
    pub only_folders: bool,
    pub shape: Shape,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Shape {
    /// `name`: the name of a file or folder at any depth.
    Name(Box<[u8]>),
    /// `*.log`: the end of such a name.
    Suffix(Box<[u8]>),
    /// `/a/b`: a path relative to the folder of the ignore file.
    Path(Box<[u8]>),
    Glob(Glob),
}

/// A pattern with wildcards.
#[derive(Debug, PartialEq, Eq)]
pub struct Glob {
    subject: Subject,
    /// A matching text begins with these bytes.
    prefix: Box<[u8]>,
    tokens: Box<[Token]>,
}

/// The text that a glob is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// The last part of a path.
    Name,
    /// The path relative to the folder of the ignore file.
    Path,
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Byte(u8),
    /// `?`: any byte but `/`.
    AnyByte,
    /// `[a-z]`.
    Class(Box<ByteSet>),
    /// `*`: any bytes but `/`.
    Star,
    /// `**` at the end: any bytes.
    DeepStar,
    /// `**/`: any number of folders.
    Folders,
}

/// A set of bytes, one bit each.
type ByteSet = [u64; 4];

impl Pattern {
    /// Returns `None` for comments, empty lines and patterns that match nothing.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let line = line.split(|byte| *byte == 0).next().unwrap_or_default();
        if line.starts_with(b"#") {
            return None;
        }
        let line = without_trailing_spaces(line.strip_suffix(b"\r").unwrap_or(line));
        let (negated, line) = line
            .strip_prefix(b"!")
            .map_or((false, line), |rest| (true, rest));
        let (only_folders, text) = line
            .strip_suffix(b"/")
            .map_or((false, line), |rest| (true, rest));
        if text.is_empty() || text.len() > LONGEST {
            return None;
        }
        // `**/name` is `name`.
        let text = text
            .strip_prefix(b"**/")
            .filter(|rest| !rest.is_empty() && !rest.contains(&b'/'))
            .unwrap_or(text);
        let plain = text.iter().position(|byte| is_special(*byte));
        let shape = if text.contains(&b'/') {
            let start = usize::from(text.starts_with(b"/"));
            match plain {
                None => Shape::Path(text[start..].into()),
                // Git compares the part before the first wildcard by itself: `a**/b` is `a` followed by `**/b`.
                Some(plain) => {
                    let tokens = tokens(&text[plain..], Subject::Path)?;
                    Shape::Glob(Glob {
                        subject: Subject::Path,
                        prefix: text[start..plain].into(),
                        tokens,
                    })
                }
            }
        } else if plain.is_none() {
            Shape::Name(text.into())
        } else if text[0] == b'*' && !text[1..].iter().any(|byte| is_special(*byte)) {
            Shape::Suffix(text[1..].into())
        } else {
            let tokens = tokens(text, Subject::Name)?;
            Shape::Glob(Glob {
                subject: Subject::Name,
                prefix: [].into(),
                tokens,
            })
        };
        Some(Self {
            negated,
            only_folders,
            shape,
        })
    }
}

impl Glob {
    /// `path` is relative to the folder of the ignore file, `name` is its last part.
    pub fn matches(&self, path: &[u8], name: &[u8]) -> bool {
        let text = match self.subject {
            Subject::Name => name,
            Subject::Path => path,
        };
        text.strip_prefix(&*self.prefix)
            .is_some_and(|rest| matches(&self.tokens, rest))
    }
}

/// Backtracks only to the latest wildcard: whatever an earlier one could match more, the latest can match too.
fn matches(tokens: &[Token], text: &[u8]) -> bool {
    let (mut token, mut at) = (0, 0);
    // The positions to backtrack to: a token, and the first byte at which it has not been tried.
    let mut star: Option<(usize, usize)> = None;
    let mut deep: Option<(usize, usize)> = None;
    for _ in 0..MAX_STEPS {
        let is_match = match (tokens.get(token), text.get(at)) {
            (None, None) => return true,
            (Some(Token::DeepStar), _) if token + 1 == tokens.len() => return true,
            (Some(Token::Star), _) => {
                star = Some((token + 1, at));
                token += 1;
                continue;
            }
            (Some(Token::DeepStar | Token::Folders), _) => {
                (deep, star) = (Some((token, at)), None);
                token += 1;
                continue;
            }
            (Some(Token::Byte(wanted)), Some(byte)) => wanted == byte,
            (Some(Token::AnyByte), Some(byte)) => *byte != b'/',
            (Some(Token::Class(set)), Some(byte)) => contains(set, *byte),
            (Some(_), None) | (None, Some(_)) => false,
        };
        if is_match {
            (token, at) = (token + 1, at + 1);
            continue;
        }
        if let Some((next, from)) = star
            && text.get(from).is_some_and(|byte| *byte != b'/')
        {
            star = Some((next, from + 1));
            (token, at) = (next, from + 1);
            continue;
        }
        let Some((wildcard, from)) = deep else {
            return false;
        };
        let skipped = match tokens[wildcard] {
            Token::Folders => text[from..].iter().position(|byte| *byte == b'/'),
            _ => (from < text.len()).then_some(0),
        };
        let Some(skipped) = skipped else { return false };
        let from = from + skipped + 1;
        (deep, star) = (Some((wildcard, from)), None);
        (token, at) = (wildcard + 1, from);
    }
    false
}

/// Returns `None` for a pattern that matches nothing, such as one that ends in a backslash.
fn tokens(pattern: &[u8], subject: Subject) -> Option<Box<[Token]>> {
    let mut tokens = vec![];
    let mut at = 0;
    while let Some(byte) = pattern.get(at) {
        at += 1;
        tokens.push(match byte {
            b'\\' => {
                at += 1;
                Token::Byte(*pattern.get(at - 1)?)
            }
            b'?' => Token::AnyByte,
            b'[' => {
                let (set, end) = class(pattern, at)?;
                at = end;
                Token::Class(Box::new(set))
            }
            b'*' => {
                let start = at - 1;
                at += pattern[at..]
                    .iter()
                    .take_while(|byte| **byte == b'*')
                    .count();
                let is_part = start == 0 || pattern[start - 1] == b'/';
                let is_deep = subject == Subject::Path && is_part && at - start > 1;
                match &pattern[at..] {
                    [b'/', ..] if is_deep => {
                        at += 1;
                        Token::Folders
                    }
                    [] | [b'\\', b'/', ..] if is_deep => Token::DeepStar,
                    _ => Token::Star,
                }
            }
            other => Token::Byte(*other),
        });
    }
    Some(tokens.into())
}

/// Parses a class after its `[`. Returns the bytes that it matches, and the position after it.
fn class(pattern: &[u8], mut at: usize) -> Option<(ByteSet, usize)> {
    let mut set = ByteSet::default();
    let negated = matches!(pattern.get(at)?, b'!' | b'^');
    at += usize::from(negated);
    let mut previous = None;
    // The first byte is a member even if it is `]`.
    for first in [true].into_iter().chain(std::iter::repeat(false)) {
        match *pattern.get(at)? {
            b']' if !first => break,
            b'\\' => {
                at += 1;
                let byte = *pattern.get(at)?;
                insert(&mut set, byte);
                previous = Some(byte);
            }
            b'-' if previous.is_some() && pattern.get(at + 1).is_some_and(|next| *next != b']') => {
                at += 1;
                if pattern[at] == b'\\' {
                    at += 1;
                }
                let (low, high) = (previous.take()?, *pattern.get(at)?);
                (low..=high).for_each(|byte| insert(&mut set, byte));
            }
            b'[' if pattern.get(at + 1) == Some(&b':') => {
                let length = pattern[at + 2..].iter().position(|byte| *byte == b']')?;
                if let Some(name) = pattern[at + 2..at + 2 + length].strip_suffix(b":") {
                    let is_member = named_class(name)?;
                    (0..=u8::MAX)
                        .filter(is_member)
                        .for_each(|byte| insert(&mut set, byte));
                    at += 2 + length;
                    previous = None;
                } else {
                    insert(&mut set, b'[');
                    previous = Some(b'[');
                }
            }
            byte => {
                insert(&mut set, byte);
                previous = Some(byte);
            }
        }
        at += 1;
    }
    if negated {
        set = set.map(|bits| !bits);
    }
    set[usize::from(b'/' >> 6)] &= !(1 << (b'/' & 63));
    Some((set, at + 1))
}

/// Returns the members of a named class: `[:alpha:]`.
fn named_class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

fn insert(set: &mut ByteSet, byte: u8) {
    set[usize::from(byte >> 6)] |= 1 << (byte & 63);
}

fn contains(set: &ByteSet, byte: u8) -> bool {
    set[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

/// Returns a line without the spaces at its end, except those that follow a backslash.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut bytes = line.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b' ' => {}
            b'\\' => end = bytes.next().map_or(line.len(), |(at, _)| at + 1),
            _ => end = at + 1,
        }
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_match(line: &str, path: &str) -> bool {
        let Some(pattern) = Pattern::parse(line.as_bytes()) else {
            return false;
        };
        let name = path.rsplit('/').next().unwrap_or(path).as_bytes();
        match pattern.shape {
            Shape::Name(own) => &*own == name,
            Shape::Suffix(end) => name.ends_with(&end),
            Shape::Path(own) => &*own == path.as_bytes(),
            Shape::Glob(glob) => glob.matches(path.as_bytes(), name),
        }
    }

    #[test]
    fn a_pattern_matches_as_in_git() {
        for (line, taken, not_taken) in [
            ("*.log", &["a.log", "x/.log"][..], &["a.logs", "log"][..]),
            ("a*b", &["ab", "x/axxb"], &["abc", "a/b"]),
            ("a*b*c*", &["abc", "abbbcb", "axbxcx"], &["ac", "acb"]),
            ("/a/*/c", &["a/b/c"], &["a/c", "a/b/b/c", "x/a/b/c"]),
            (
                "a/**/c",
                &["a/c", "a/b/c", "a/b/b/c"],
                &["a", "ac", "x/a/c", "a/xc"],
            ),
            (
                "**/b/**/d",
                &["b/d", "a/b/d", "a/b/c/d", "b/b/c/d/d"],
                &["d", "a/b/c/de"],
            ),
            ("a/**", &["a/b", "a/b/c"], &["a", "b/a/c"]),
            ("a**/b", &["a/b", "axx/b", "ab"], &["axx/y/x"]),
            ("x/[a-c]?", &["x/az", "x/c-"], &["x/dz", "x/a", "x/a/"]),
            ("[[:digit:]x]", &["3", "a/x"], &["d", ":"]),
            ("[!a]", &["b"], &["a", "ab"]),
            ("[]-]", &["]", "-"], &["a"]),
            ("{a,b}", &["{a,b}"], &["a", "b"]),
            (r"\!a\*", &["!a*"], &["!ab"]),
            ("a ", &["a"], &["a "]),
            (r"a\ ", &["a "], &["a"]),
            ("[a", &[], &["a", "[a"]),
            ("a\\", &[], &["a", "a\\"]),
        ] {
            for path in taken {
                assert!(is_match(line, path), "{line} takes {path}");
            }
            for path in not_taken {
                assert!(!is_match(line, path), "{line} does not take {path}");
            }
        }
    }

    #[test]
    fn comments_negation_and_folder_marks_are_parsed() {
        for nothing in ["", "#a", "/", "!", "   ", "a\\"] {
            assert_eq!(Pattern::parse(nothing.as_bytes()), None, "{nothing:?}");
        }
        let pattern = Pattern::parse(b"!/out/\r").expect("a pattern");
        assert!(pattern.negated && pattern.only_folders);
        assert_eq!(pattern.shape, Shape::Path(b"out".as_slice().into()));
    }

    #[test]
    fn a_hostile_pattern_ends() {
        let stars = "**/a*a?a/".repeat(400) + "b";
        let path = "aaaaaaaaaaaaaaaa/".repeat(200) + "c";
        assert!(!is_match(&stars, &path));
        assert!(!is_match(&("*a".repeat(100) + "b*"), &"a".repeat(255)));
        assert!(!is_match(&("*?".repeat(100) + "[b]*"), &"a".repeat(255)));
    }
}
