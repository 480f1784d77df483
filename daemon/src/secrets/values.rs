//! Whether a value that something secret is given looks like a secret, and not like a name, a path or a placeholder.

/// How much a name says by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A password is whatever its owner likes.
    Password,
    /// Keys and tokens are made by machines, and look so.
    Key,
}

pub fn is_secret(value: &str, claim: Claim) -> bool {
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
        Claim::Password if is_place(value) => false,
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

/// Whether a value without quotes is one, as it would stand in a file of settings or on a command line.
pub fn is_bare_secret(value: &str, claim: Claim) -> bool {
    let plain = !value.contains(['(', ')', '[', ']', '{', '}', ';', ',', '<', '>', '"', '\'', '`', '|', '&', '\\'])
        && !value.starts_with(['$', '%', '*', '!', '@', '/', '.', '-', '~', ':'])
        && !value.contains("::")
        && !value.contains("->");
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let literal = digits > 0 && letters > 0 && (claim == Claim::Password || value.len() >= 16) && !is_path(value);
    plain && literal && !is_kind(value) && is_secret(value, claim)
}

/// Whether a value that stands beside others, as in a list of arguments, is one: no name with a number behind it.
pub fn is_secret_argument(value: &str, claim: Claim) -> bool {
    let stem = value.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let is_numbered = value.len() - stem.len() <= 2
        && stem.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.'));
    value.len() >= 8 && !speaks_of_secrets(value) && !is_numbered && is_secret(value, claim)
}

/// `sha256` and `int64` say what kind of thing a value is.
fn is_kind(value: &str) -> bool {
    const KINDS: [&str; 15] = [
        "sha", "md", "base", "bcrypt", "argon2id", "argon", "pbkdf", "aes", "hs", "rs", "int", "uint", "varchar",
        "utf", "v",
    ];
    let lower = value.to_ascii_lowercase();
    let is_number = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    KINDS.iter().any(|kind| lower.strip_prefix(kind).is_some_and(is_number))
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

/// A working directory is called `pwd` too.
fn is_place(value: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start))
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
