//! Values that are given to something whose name says that it is secret.
//!
//! The name alone proves little: code is full of passwords that are variables, calls and types. So the value must be a
//! literal, and look like one that nobody would write as a name or a placeholder. In which ways a name is given a value
//! is told by the few bytes behind it, since every `token` of every text comes here.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Secret;
use super::surroundings::{Surroundings, Value};
use super::values::{Claim, is_bare_secret, is_secret, is_secret_argument};

const KIND: &str = "secret value";
/// Longer values are data.
const LONGEST: usize = 512;
/// What stands between a name and its value is shorter.
const LONGEST_TYPE: usize = 80;

/// Words of names, in the cases in which people write them. With more of them the search leaves its fastest way.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        "_pwd|_PWD|;pwd|;PWD|Pwd|_pass|_PASS|\
         password|Password|PASSWORD|passwd|PASSWD|Passwd|passphrase|PASSPHRASE|Passphrase|\
         secret|Secret|SECRET|token|Token|TOKEN|api_key|API_KEY|apikey|apiKey|ApiKey|APIKEY|api-key|Api-Key|API-Key|\
         access_key|ACCESS_KEY|accessKey|AccessKey|access-key|private_key|PRIVATE_KEY|privateKey|auth_key|AUTH_KEY|\
         authKey|account_key|ACCOUNT_KEY|accountKey|encryption_key|ENCRYPTION_KEY|encryptionKey|signing_key|SIGNING_KEY|\
         credential|CREDENTIAL",
    )
    .ok()
});
/// What may follow the word in the name. The longest comes first.
static END_OF_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?i:word|wd|phrase)?(?:[_-]?(?i:access[_-]?key|id[_-]key|key[_-]base|key|base|value|string|hash)(?:[_-]?\d)?|_?\d{1,2}|s|S)?",
    )
    .ok()
});
static SETTING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?:export\s+)?[A-Z][A-Z0-9_]*\s*=\s*\S").ok());

/// Whether a line sets a variable, as in a file of settings for a shell.
pub fn is_setting(line: &str) -> bool {
    SETTING.as_ref().is_some_and(|setting| setting.is_match(line))
}

pub fn find(text: &str) -> Vec<Secret> {
    let (Some(words), Some(end_of_name)) = (WORDS.as_ref(), END_OF_NAME.as_ref()) else { return vec![] };
    let mut found = vec![];
    let mut from = 0;
    while let Some(word) = words.find_at(text, from) {
        from = word.end();
        let end = from + end_of_name.find(window(text, from, LONGEST_TYPE)).map_or(0, |end| end.end());
        let name = Name { text, start: word.start(), end, claim: claim(word.as_str()) };
        let value = if word.as_str().starts_with(';') { name.of_connection() } else { name.value() };
        if let Some(range) = value {
            from = range.end.max(from);
            found.push(Secret { range, kind: KIND });
        }
    }
    found
}

/// `pass…` and `pwd` are passwords, a private key is none.
fn claim(word: &str) -> Claim {
    let is_password = |word: &str| word.starts_with(['p', 'P']) && !word[1..].starts_with(['r', 'R']);
    if is_password(word.trim_start_matches(['_', ';'])) { Claim::Password } else { Claim::Key }
}

/// Whether a value is a secret.
type Judge = fn(&str, Claim) -> bool;

/// A part of a name that speaks of a secret, with all that follows in the name.
struct Name<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    claim: Claim,
}

impl Name<'_> {
    /// Where the secret is that the name is given.
    fn value(&self) -> Option<Range<usize>> {
        let rest = window(self.text, self.end, LONGEST_TYPE);
        let behind = rest.trim_start_matches(['"', '\'', ']', '\\']);
        let closing = rest.len() - behind.len();
        if closing > 3 {
            return None;
        }
        let is_quoted = rest[..closing].contains(['"', '\'']);
        let sign = behind.trim_start_matches([' ', '\t']);
        let gap = behind.len() - sign.len();
        let at = self.end + closing + gap;
        let mut signs = sign.bytes();
        match (signs.next()?, signs.next()) {
            (b'=', Some(b'>')) | (b':', Some(b'=')) => self.assigned(at + 2),
            (b':', Some(b':')) => None,
            (b':', _) => self.assigned(at + 1).or_else(|| self.typed(at + 1, Type::Annotated)),
            (b'=', _) => self.assigned(at + 1),
            (b',', _) if is_quoted => self.argument(at + 1),
            (b'v', Some(b'a')) if is_quoted && gap > 0 => self.attribute(at),
            (b'[', _) if closing == 0 => self.typed(at, Type::Array),
            (b'{', _) if closing == 0 => self.property(at),
            (b'(', _) if closing + gap == 0 => self.called(at + 1),
            (b'>', _) if closing + gap == 0 => self.element(at + 1),
            _ if closing == 0 && gap > 0 => self.typed(at, Type::Word).or_else(|| self.option(at)),
            _ => None,
        }
    }

    /// Of a word that says something else outside of connection strings. It begins with their semicolon.
    fn of_connection(&self) -> Option<Range<usize>> {
        let at = self.end + 1;
        let name = Self { start: self.start + 1, ..*self };
        let is_one = || name.surroundings(at) == Surroundings::Connection;
        (self.text[self.end..].starts_with('=') && is_one()).then(|| name.bare(at))?
    }

    fn assigned(&self, at: usize) -> Option<Range<usize>> {
        let at = behind_space(self.text, at);
        let quoted = literal(self.text, at).filter(|range| is_secret(&self.text[range.clone()], self.claim));
        quoted.or_else(|| self.bare(at))
    }

    /// A value without quotes, where such may stand.
    fn bare(&self, at: usize) -> Option<Range<usize>> {
        let rest = window(self.text, at, LONGEST);
        // Nearly all are words of code, which is seen sooner than what stands before the name.
        let has_digit = rest.bytes().take_while(|byte| !byte.is_ascii_whitespace()).any(|byte| byte.is_ascii_digit());
        if !has_digit && !self.text[..self.start].trim_end_matches(' ').ends_with(';') {
            return None;
        }
        let (value, is_one): (&str, Judge) = match self.surroundings(at) {
            Surroundings::Setting => (self.setting(rest, at)?, is_bare_secret),
            Surroundings::Option | Surroundings::Within => (word(rest), is_bare_secret),
            Surroundings::Connection => (rest.split([';', '"', '\'', '`', '\n']).next()?.trim_end(), is_secret),
            Surroundings::Code => return None,
        };
        is_one(value, self.claim).then(|| at..at + value.len())
    }

    fn surroundings(&self, at: usize) -> Surroundings {
        let value = if at == self.end + 1 { Value::Adjoining } else { Value::Apart };
        Surroundings::of(self.text, self.start, value)
    }

    /// Alone on the rest of its line, or the first word of it, where a shell sets a variable for one command.
    fn setting<'a>(&self, rest: &'a str, at: usize) -> Option<&'a str> {
        let line = rest.lines().next()?;
        let value = line.split([' ', '\t']).next()?;
        let behind = line[value.len()..].trim_start();
        let is_variable = || {
            let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
            at == self.end + 1 && self.text[self.start..self.end].bytes().all(is_capital)
        };
        (behind.is_empty() || behind.starts_with('#') || is_variable()).then_some(value)
    }

    /// `--password hunter2`, `ENV DB_PASSWORD hunter2`.
    fn option(&self, at: usize) -> Option<Range<usize>> {
        let value = word(window(self.text, at, LONGEST));
        let is_one = is_bare_secret(value, self.claim);
        (is_one && self.surroundings(at) == Surroundings::Option).then(|| at..at + value.len())
    }

    /// With a type between the name and the value.
    fn typed(&self, at: usize, of: Type) -> Option<Range<usize>> {
        let rest = window(self.text, at, LONGEST_TYPE);
        let kind = &rest[..rest.find(['=', '\n'])?];
        let is_type = !kind.trim().is_empty() && kind.trim_end().bytes().all(|byte| of.has(byte));
        (is_type && self.text[at + kind.len()..].starts_with('=')).then_some(())?;
        self.literal(at + kind.len() + 1)
    }

    /// `Password { get; set; } = "…"`.
    fn property(&self, at: usize) -> Option<Range<usize>> {
        let rest = window(self.text, at, LONGEST_TYPE);
        let accessors = rest.strip_prefix('{')?.trim_start();
        (accessors.starts_with("get") || accessors.starts_with("set")).then_some(())?;
        let close = rest.find(['}', '\n'])?;
        let behind = rest[close..].strip_prefix('}')?;
        let gap = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        behind[gap..].starts_with('=').then(|| self.literal(at + close + 1 + gap + 1))?
    }

    fn literal(&self, at: usize) -> Option<Range<usize>> {
        let range = literal(self.text, behind_space(self.text, at))?;
        is_secret(&self.text[range.clone()], self.claim).then_some(range)
    }

    /// `setPassword("…")` gives one, `getPassword("…")` asks by a name.
    fn called(&self, at: usize) -> Option<Range<usize>> {
        const GIVING: [&str; 9] = ["set", "with", "use", "add", "put", "default", "login", "hash", "encode"];
        let before = &self.text.as_bytes()[..self.start];
        let length = before.iter().rev().take(40).take_while(|byte| is_name_byte(**byte)).count();
        let head = self.text[self.start - length..self.start].to_ascii_lowercase();
        (head.is_empty() || GIVING.iter().any(|verb| head.starts_with(verb))).then_some(())?;
        let range = self.literal(at)?;
        // Behind the quote.
        let next = window(self.text, range.end + 1, 8).trim_start();
        next.starts_with([')', ',', '.']).then_some(range)
    }

    /// `define('DB_PASSWORD', '…')`, `headers.set("X-Api-Key", "…")`.
    fn argument(&self, at: usize) -> Option<Range<usize>> {
        const GIVING: [&str; 9] = ["set", "put", "add", "append", "define", "header", "default", "env", "get"];
        let from = self.text.floor_char_boundary(self.start.saturating_sub(100));
        let before = self.text[from..self.start]
            .trim_end_matches(|sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.'));
        let callee = before.strip_suffix(['"', '\''])?.trim_end().strip_suffix('(')?;
        let length = callee.bytes().rev().take(40).take_while(|byte| is_name_byte(*byte)).count();
        let callee = callee[callee.len() - length..].to_ascii_lowercase();
        GIVING.iter().any(|verb| callee.contains(verb)).then_some(())?;
        let range = literal(self.text, behind_space(self.text, at))?;
        is_secret_argument(&self.text[range.clone()], self.claim).then_some(range)
    }

    /// `<add key="ApiKey" value="…"/>`.
    fn attribute(&self, at: usize) -> Option<Range<usize>> {
        let rest = window(self.text, at, 20);
        let behind = rest.strip_prefix("value")?.trim_start().strip_prefix('=')?;
        self.literal(at + rest.len() - behind.len())
    }

    /// `<password>…</password>`.
    fn element(&self, at: usize) -> Option<Range<usize>> {
        let before = &self.text.as_bytes()[..self.start];
        let length = before.iter().rev().take(60).take_while(|byte| is_name_byte(**byte) || **byte == b':').count();
        (before[..self.start - length].last() == Some(&b'<')).then_some(())?;
        let rest = window(self.text, at, LONGEST);
        let inner = &rest[..rest.find('<')?];
        rest[inner.len()..].starts_with("</").then_some(())?;
        let value = inner.trim();
        let start = at + (inner.len() - inner.trim_start().len());
        is_secret(value, self.claim).then(|| start..start + value.len())
    }
}

/// What a type may be made of.
#[derive(Clone, Copy)]
enum Type {
    /// Behind a colon.
    Annotated,
    /// One word, as in Go.
    Word,
    /// `[]`, `[32]`.
    Array,
}

impl Type {
    fn has(self, byte: u8) -> bool {
        let of_names = byte.is_ascii_alphanumeric() || byte == b'_';
        match self {
            Self::Annotated => of_names || b" \t&*'.:<>[]?|".contains(&byte),
            Self::Word => of_names || matches!(byte, b'*' | b'.' | b'[' | b']'),
            Self::Array => of_names || matches!(byte, b'[' | b']'),
        }
    }
}

/// The inside of the string that stands at a place, perhaps handed to what makes another type of it.
fn literal(text: &str, mut at: usize) -> Option<Range<usize>> {
    const MAKERS: [&str; 9] = [
        "String::from(",
        "SecretString::from(",
        "SecretString::new(",
        "Secret::new(",
        "SecretStr(",
        "Some(",
        "Buffer.from(",
        "new String(",
        "[]byte(",
    ];
    for _ in 0..2 {
        let rest = window(text, at, 40);
        let Some(maker) = MAKERS.iter().find(|maker| rest.starts_with(**maker)) else { break };
        at += maker.len();
    }
    let rest = window(text, at, LONGEST);
    // Prefixes of literals, and quotes that are escaped in JSON within a string.
    let prefix = rest.find(['"', '\'', '`']).filter(|prefix| *prefix <= 2)?;
    if !rest[..prefix].bytes().all(|byte| matches!(byte, b'b' | b'r' | b'f' | b'u' | b'@' | b'\\' | b'L' | b'#')) {
        return None;
    }
    let quote = rest[prefix..].chars().next()?;
    let inner = &rest[prefix + 1..];
    let end = inner.find([quote, '\n'])?;
    let value = inner[..end].trim_end_matches('\\');
    let closed = inner[end..].starts_with(quote);
    // `"a" + b` is put together from parts, which are none by themselves.
    closed.then(|| at + prefix + 1..at + prefix + 1 + value.len())
}

/// As a shell and a URL end a word.
fn word(text: &str) -> &str {
    let end = text.find(|sign: char| {
        sign.is_whitespace() || matches!(sign, '"' | '\'' | '`' | ';' | '&' | '|' | ')' | '<' | '>' | '\\' | ',')
    });
    &text[..end.unwrap_or(text.len())]
}

fn behind_space(text: &str, at: usize) -> usize {
    let spaces = text.as_bytes()[at..].iter().take(20).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    at + spaces
}

fn window(text: &str, at: usize, length: usize) -> &str {
    let at = text.ceil_char_boundary(at.min(text.len()));
    &text[at..text.floor_char_boundary((at + length).min(text.len()))]
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
