//! The corpus of planted credentials in `tests/secrets`, and how much of it is found.
//!
//! A credential stands in a file as `«kind|value»`. In a value, `{alnum 36}` is replaced by as many made-up letters and
//! digits, the same in every run: the corpus holds no text that looks like a real key, and no scanner reports it.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::chance::Chance;

const OPEN: char = '«';
const CLOSE: char = '»';

/// A part of the corpus: rules are written with the first and judged by the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Development,
    Judged,
    Blind,
}

impl Part {
    pub const ALL: [Self; 3] = [Self::Development, Self::Judged, Self::Blind];

    pub fn folder(self) -> &'static str {
        match self {
            Self::Development => "development",
            Self::Judged => "judged",
            Self::Blind => "blind",
        }
    }
}

/// A file of the corpus with every value written out.
#[derive(Clone, Debug)]
pub struct PlantedFile {
    pub name: String,
    pub text: String,
    pub credentials: Vec<Credential>,
}

#[derive(Clone, Debug)]
pub struct Credential {
    pub kind: String,
    /// Bytes of the file's text.
    pub range: Range<usize>,
}

/// The number of credentials of a kind, and of those that are covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recall {
    pub planted: usize,
    pub found: usize,
}

/// Reads a part of the corpus out of `tests/secrets`.
pub fn read(workspace: &Path, part: Part) -> Vec<PlantedFile> {
    let folder = workspace.join("tests/secrets").join(part.folder());
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let files = paths.iter().map(|path| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a plain name");
        expand(name, part, &fs::read_to_string(path).expect("text"))
    });
    files.collect()
}

/// Returns the ranges of a file that `claudevild measure secrets` has found.
pub fn covered(measured: &Value, name: &str) -> Vec<Range<usize>> {
    let found = measured["secrets"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|secret| secret["path"] == name);
    let end = |secret: &Value, key: &str| usize::try_from(secret[key].as_u64()?).ok();
    found
        .filter_map(|secret| Some(end(secret, "start")?..end(secret, "end")?))
        .collect()
}

impl PlantedFile {
    /// Returns the text without its credentials.
    pub fn ordinary_text(&self) -> String {
        let mut text = String::new();
        let mut from = 0;
        for credential in &self.credentials {
            text.push_str(&self.text[from..credential.range.start]);
            text.push('\n');
            from = credential.range.end;
        }
        text + &self.text[from..]
    }

    /// Returns the pieces of a credential's value that no store and no answer may hold: its lines, without the white space
    /// around them.
    pub fn values(&self, credential: &Credential) -> impl Iterator<Item = Range<usize>> {
        let mut start = credential.range.start;
        self.text[credential.range.clone()]
            .split_inclusive('\n')
            .filter_map(move |line| {
                let from = start + line.len() - line.trim_start().len();
                start += line.len();
                (!line.trim().is_empty()).then(|| from..from + line.trim().len())
            })
    }

    /// Adds what is found to the counts by kind. A credential is found if no byte of it is left.
    pub fn count(&self, covered: &[Range<usize>], by_kind: &mut BTreeMap<String, Recall>) {
        for credential in &self.credentials {
            let recall = by_kind.entry(credential.kind.clone()).or_default();
            recall.planted += 1;
            recall.found += usize::from(self.is_found(credential, covered));
        }
    }

    pub fn is_found(&self, credential: &Credential, covered: &[Range<usize>]) -> bool {
        self.values(credential).all(|value| {
            covered
                .iter()
                .any(|range| range.start <= value.start && value.end <= range.end)
        })
    }

    /// Returns the lines, counted from 1, on which something is covered although no credential is there.
    pub fn false_lines(&self, covered: &[Range<usize>]) -> Vec<usize> {
        let is_false = |range: &&Range<usize>| {
            // The borders of a key are blanked with it.
            let is_border = self.text[range.start..].starts_with("-----");
            !is_border
                && !self
                    .credentials
                    .iter()
                    .any(|one| one.range.start < range.end && range.start < one.range.end)
        };
        let mut lines: Vec<usize> = covered
            .iter()
            .filter(is_false)
            .map(|range| self.text[..range.start].matches('\n').count() + 1)
            .collect();
        lines.dedup();
        lines
    }
}

fn expand(name: &str, part: Part, source: &str) -> PlantedFile {
    let seed = name
        .bytes()
        .chain(part.folder().bytes())
        .fold(7, |seed: u64, byte| {
            seed.wrapping_mul(1_099_511_628_211) ^ u64::from(byte)
        });
    let mut chance = Chance::new(seed);
    let (mut text, mut credentials) = (String::new(), vec![]);
    let mut rest = source;
    while let Some((before, inner)) = rest.split_once(OPEN) {
        text.push_str(&written_out(before, &mut chance));
        let (credential, behind) = inner.split_once(CLOSE).expect("a mark is closed");
        let (kind, value) = credential.split_once('|').expect("a mark names its kind");
        let start = text.len();
        text.push_str(&written_out(value, &mut chance));
        credentials.push(Credential {
            kind: kind.to_owned(),
            range: start..text.len(),
        });
        rest = behind;
    }
    text.push_str(&written_out(rest, &mut chance));
    PlantedFile {
        name: name.to_owned(),
        text,
        credentials,
    }
}

/// Replaces `{alnum 36}` and its like; braces around anything else stay.
fn written_out(source: &str, chance: &mut Chance) -> String {
    let mut text = String::new();
    let mut rest = source;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        let made = rest
            .find('}')
            .and_then(|close| Some((close, made_up(&rest[1..close], chance)?)));
        let Some((close, value)) = made else {
            text.push('{');
            rest = &rest[1..];
            continue;
        };
        text.push_str(&value);
        rest = &rest[close + 1..];
    }
    text + rest
}

/// Returns the characters that `alnum 36` asks for. They end with up to three fixed ones of different classes, as in real keys.
fn made_up(asked: &str, chance: &mut Chance) -> Option<String> {
    let (alphabet, length) = asked.split_once(' ')?;
    let (letters, last): (&[u8], &str) = match alphabet {
        "alnum" => (
            b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789",
            "q7Z",
        ),
        "letters" => (b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ", "qZw"),
        "lower" => (b"abcdefghijklmnopqrstuvwxyz234567", "q7z"),
        "upper" => (b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789", "Q7Z"),
        "base64" => (
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
            "q7Z",
        ),
        "hex" => (b"0123456789abcdef", "a7f"),
        "digits" => (b"0123456789", "407"),
        _ => return None,
    };
    let length: usize = length.parse().ok()?;
    let made: String = (0..length)
        .map(|_| char::from(*chance.one_of(letters)))
        .collect();
    let kept = length.saturating_sub(last.len());
    Some(format!("{}{}", &made[..kept], &last[..length - kept]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binaries::workspace;

    #[test]
    fn the_corpus_is_as_large_as_it_says() {
        let mut by_kind = BTreeMap::new();
        for part in Part::ALL {
            for file in read(workspace(), part) {
                file.count(&[], &mut by_kind);
            }
        }
        let planted: usize = by_kind.values().map(|recall| recall.planted).sum();
        assert!(
            planted >= 300 && by_kind.len() >= 40,
            "{planted} credentials of {} kinds",
            by_kind.len()
        );
    }

    #[test]
    fn values_are_written_out_the_same_every_time() {
        let file = expand("a", Part::Judged, "x {y} «k|{hex 8}\n  b» z");
        let again = expand("a", Part::Judged, "x {y} «k|{hex 8}\n  b» z");
        assert_eq!(file.text, again.text);
        assert_eq!(
            (&file.text[..6], file.text.len()),
            ("x {y} ", 6 + 8 + 4 + 2)
        );
        assert_eq!(
            file.values(&file.credentials[0]).collect::<Vec<_>>(),
            [6..14, 17..18]
        );
        assert_eq!(file.false_lines(&[0..1, 6..14]), [1]);
        let is_found =
            |range: Range<usize>| file.is_found(&file.credentials[0], std::slice::from_ref(&range));
        assert!(!is_found(6..14) && is_found(6..18));
    }
}
