//! Values that are given to something whose name says that it is secret.
//!
//! The name alone proves little: code is full of passwords that are variables, calls and types. So the value must be a
//! literal, and look like one that nobody would write as a name or a placeholder.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Secret;

const KIND: &str = "secret value";
/// Longer values are data.
const LONGEST: usize = 512;

/// How much a name says by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// A password is whatever its owner likes.
    Password,
    /// Keys and tokens are made by machines, and look so.
    Key,
}

/// Words of names, in the cases in which people write them.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        "_password|_PASSWORD|_passwd|_PASSWD|_passphrase|_PASSPHRASE|_pwd|_PWD|_pass|_PASS|\
         password|Password|PASSWORD|passwd|PASSWD|Passwd|passphrase|PASSPHRASE|Passphrase|\
         secret|Secret|SECRET|token|Token|TOKEN|api_key|API_KEY|apikey|apiKey|ApiKey|APIKEY|api-key|Api-Key|API-Key|\
         access_key|ACCESS_KEY|accessKey|AccessKey|access-key|private_key|PRIVATE_KEY|privateKey|auth_key|AUTH_KEY|\
         authKey|account_key|ACCOUNT_KEY|accountKey|encryption_key|ENCRYPTION_KEY|encryptionKey|signing_key|SIGNING_KEY|\
         credential|CREDENTIAL",
    )
    .ok()
});
/// What may follow the word in the name, and then the assignment.
static ASSIGNMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"^(?:s|S|_?\d{1,2}|[_-]?(?i:access[_-]?key|key|id[_-]key|key[_-]base|base|value|string|hash)(?:[_-]?\d)?)?["'\]]{0,2}[ \t]{0,20}(?:=>|:=|[=:])[ \t]{0,20}"#,
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
    let (Some(words), Some(assignment)) = (WORDS.as_ref(), ASSIGNMENT.as_ref()) else { return vec![] };
    let mut found = vec![];
    let mut from = 0;
    while let Some(word) = words.find_at(text, from) {
        from = word.end();
        let near = text.floor_char_boundary((from + 80).min(text.len()));
        let Some(assigned) = assignment.find(&text[from..near]) else { continue };
        let value = from + assigned.end();
        let claim = match word.as_str().trim_start_matches('_').to_ascii_lowercase().as_str() {
            "password" | "passwd" | "passphrase" | "pwd" | "pass" => Claim::Password,
            _ => Claim::Key,
        };
        let begins_line = || name_begins_line(text, word.start());
        let range = quoted(text, value, claim).or_else(|| bare(text, value, claim).filter(|_| begins_line()));
        if let Some(range) = range {
            from = range.end;
            found.push(Secret { range, kind: KIND });
        }
    }
    found
}

fn quoted(text: &str, at: usize, claim: Claim) -> Option<Range<usize>> {
    let rest = &text[at..text.floor_char_boundary((at + LONGEST).min(text.len()))];
    // Prefixes of literals, and quotes that are escaped in JSON within a string.
    let prefix = rest.find(['"', '\'', '`']).filter(|prefix| *prefix <= 2)?;
    if !rest[..prefix].bytes().all(|byte| matches!(byte, b'b' | b'r' | b'f' | b'u' | b'@' | b'\\' | b'L')) {
        return None;
    }
    let quote = rest[prefix..].chars().next()?;
    let inner = &rest[prefix + 1..];
    let end = inner.find([quote, '\n'])?;
    let value = inner[..end].trim_end_matches('\\');
    let closed = inner[end..].starts_with(quote);
    // `"a" + b` is put together from parts, which are none by themselves.
    (closed && is_secret(value, claim)).then(|| at + prefix + 1..at + prefix + 1 + value.len())
}

/// A value without quotes, as files of settings have it: alone on the rest of its line.
fn bare(text: &str, at: usize, claim: Claim) -> Option<Range<usize>> {
    let line = &text[at..text.floor_char_boundary((at + LONGEST).min(text.len()))];
    let line = line.lines().next()?;
    let value = line.split([' ', '\t']).next()?;
    let rest = line[value.len()..].trim_start();
    let alone = rest.is_empty() || rest.starts_with('#');
    let plain = !value.contains(['(', ')', '[', ']', '{', '}', ';', ',', '<', '>', '"', '\'', '`', '|', '&', '\\'])
        && !value.starts_with(['$', '%', '*', '!', '@', '/', '.', '-', '~', ':'])
        && !value.contains("::")
        && !value.contains("->");
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let literal = digits > 0 && letters > 0 && (claim == Claim::Password || value.len() >= 16) && !is_path(value);
    (alone && plain && literal && is_secret(value, claim)).then(|| at..at + value.len())
}

/// Whether nothing but what may stand before a key of a settings file does.
fn name_begins_line(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(100));
    let line = text[from..at].rsplit('\n').next().unwrap_or_default();
    let line = line.trim_start();
    let line = line.strip_prefix("export ").or_else(|| line.strip_prefix("- ")).unwrap_or(line);
    line.trim_start()
        .trim_start_matches(['"', '\''])
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

fn is_secret(value: &str, claim: Claim) -> bool {
    let least = if claim == Claim::Password { 6 } else { 12 };
    if value.len() < least || !value.bytes().all(|byte| byte.is_ascii_graphic()) || is_placeholder(value) {
        return false;
    }
    let has = |part: fn(&u8) -> bool| value.as_bytes().iter().any(part);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let classes = usize::from(has(u8::is_ascii_lowercase))
        + usize::from(has(u8::is_ascii_uppercase))
        + usize::from(digits > 0)
        + usize::from(has(u8::is_ascii_punctuation));
    match claim {
        Claim::Password => {
            let phrase = value.len() >= 10 && !speaks_of_secrets(value) && !is_name(value);
            classes >= 2 && (digits > 0 || phrase)
        }
        Claim::Key => {
            let name = is_path(value) || speaks_of_secrets(value) && digits < 4;
            classes >= 2 && digits >= 2 && entropy(value) >= 3.0 && !name
        }
    }
}

/// `db.password` or `resetPassword` or `Password` are names.
fn speaks_of_secrets(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["password", "passwd", "secret", "token", "key", "credential", "auth"].iter().any(|word| lower.contains(word))
}

/// Words joined by dots or underscores, or in camel case; a phrase joined by `-` is how people make passwords.
fn is_name(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_' | b'/' | b':'))
}

fn is_path(value: &str) -> bool {
    value.starts_with(['/', '.', '~'])
        || value.contains("://")
        || value.contains('\\')
        || value.matches('/').count() > 3 && value.contains('.')
}

/// What stands where a secret will be, or says where it is.
pub fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 24] = [
        "example",
        "changeme",
        "change_me",
        "change-me",
        "placeholder",
        "your",
        "xxxx",
        "redacted",
        "dummy",
        "todo",
        "insert",
        "replace",
        "sample",
        "notreal",
        "fake",
        "secretref",
        "env.",
        "process.env",
        "arn:",
        "vault:",
        "op://",
        "ref+",
        "...",
        "base64:",
    ];
    const WHOLE: [&str; 12] = [
        "password",
        "passwd",
        "pass",
        "secret",
        "token",
        "user",
        "username",
        "undefined",
        "required",
        "optional",
        "string",
        "test",
    ];
    let lower = value.to_ascii_lowercase();
    let first = value.as_bytes().first();
    WORDS.iter().any(|word| lower.contains(word))
        || WHOLE.contains(&lower.as_str())
        || value.contains(['<', '>', '{', '}'])
        || value.contains("$(")
        || value.starts_with(['$', '%', '!', '&'])
        || value.contains("%s")
        || value.contains("%d")
        || value.bytes().all(|byte| Some(&byte) == first || matches!(byte, b'*' | b'x' | b'X' | b'.' | b'-'))
}

/// Bits by character.
#[expect(clippy::cast_precision_loss, reason = "values are short")]
fn entropy(value: &str) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in value.bytes() {
        counts[byte as usize] += 1;
    }
    let total = value.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| *count as f64 / total)
        .map(|share| -share * share.log2())
        .sum()
}
