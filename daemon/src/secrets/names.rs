//! Finds names that denote a credential: `db_password`, `API_KEY`, `X-Auth-Token`.

use std::sync::LazyLock;

use regex::Regex;

use super::values::CredentialClass;

/// Words at the end of a name, each in its usual cases, with their claims.
#[rustfmt::skip]
const WORDS: &[(&[&str], CredentialClass)] = &[
    (&["API key", "api key", "Secret key", "secret key", "Access key", "access key"], CredentialClass::Key),
    // Includes `password`, `passwd`, `passphrase` and `passcode`, which `REST_OF_NAME` continues.
    (&["pass", "Pass", "PASS"], CredentialClass::Password),
    (&["_pwd", "_PWD", "pwd", "Pwd", "PWD", "_pw", "_PW", "pw =", "pw=", "pw:", "PW="], CredentialClass::Password),
    (&["psk", "PSK"], CredentialClass::Password),
    (&["secret", "Secret", "SECRET"], CredentialClass::Secret),
    (&["token", "Token", "TOKEN"], CredentialClass::Key),
    (&["credential", "Credential", "CREDENTIAL"], CredentialClass::Key),
    (&["apikey", "APIKEY", "Apikey"], CredentialClass::Key),
    (&["_SALT", "pepper"], CredentialClass::Key),
    // Only after one of `OWNERS`; after any other word the claim is `CredentialClass::Unknown`.
    (&["_key", "_KEY", "-key", "-KEY", "Key", ".key=", ".key ="], CredentialClass::Key),
];

/// Words before `key` that make it a secret: `api_key`, `masterKey`, `ENCRYPTION-KEY`.
#[rustfmt::skip]
pub const OWNERS: &[&str] = &[
    "api", "access", "private", "auth", "account", "encryption", "encrypt", "signing", "sign", "signature", "master", "app", "secret",
    "session", "service", "license", "licence", "admin", "client", "consumer", "shared", "hmac", "jwt", "ssh", "deploy",
    "nonce", "storage", "subscription", "webhook", "crypto", "cipher", "aes", "host", "security", "cookie", "token",
];

/// Words that end in `pass` and have nothing to do with passwords.
#[rustfmt::skip]
const OTHER_PASSES: &[&str] = &[
    "bypass", "compass", "trespass", "encompass", "surpass", "overpass", "underpass", "keepass", "lastpass", "subpass", "multipass",
    "renderpass", "onepass", "_pass_", "pass_pass", "fastpass",
];

/// Continuations of a word of `WORDS` within the name, the longest first.
static REST_OF_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?i:words?|wds?|phrase|code)?(?:[_-]?(?i:access[_-]?key|key[_-]base|key[_-]fallbacks|keys?|base|value|string|hash|salt|token|secret|password|confirmation|confirm|repeat)(?:[_-]?\d)?|_?\d{1,2}|s|S)?",
    )
    .ok()
});
static ANCHORS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words: Vec<String> = WORDS
        .iter()
        .flat_map(|(words, _)| words.iter().map(|word| regex::escape(word)))
        .collect();
    Regex::new(&words.join("|")).ok()
});

/// A name, from its word of `WORDS` to its end.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    pub start: usize,
    pub end: usize,
    pub claim: CredentialClass,
}

/// Returns the next name at or after a position.
pub fn next(text: &str, mut from: usize) -> Option<Name<'_>> {
    let anchors = ANCHORS.as_ref()?;
    loop {
        let word = anchors.find_at(text, from)?;
        from = word.end();
        if let Some(name) = name_at(text, word.start(), word.as_str()) {
            return Some(name);
        }
    }
}

fn name_at<'a>(text: &'a str, start: usize, word: &str) -> Option<Name<'a>> {
    let (_, claim) = WORDS.iter().find(|(words, _)| words.contains(&word))?;
    // `pw =` includes the punctuation that must follow the name.
    let end = start + word.trim_end_matches([' ', '=', ':']).len();
    let rest = &text[end..text.floor_char_boundary((end + 40).min(text.len()))];
    let goes_on = rest
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let length = if goes_on {
        REST_OF_NAME
            .as_ref()?
            .find(rest)
            .map_or(0, |found| found.end())
    } else {
        0
    };
    let end = end + length;
    // Most matches are parts of other identifiers, which this cheap check rejects first.
    let next = text.as_bytes().get(end)?;
    if next.is_ascii_alphanumeric() || *next == b'_' || *next == b'-' {
        return None;
    }
    let is_name = match word.trim_end_matches([' ', '=', ':']) {
        "pass" | "PASS" if length == 0 => !is_other_pass(text, end),
        "pw" | "PW" | "psk" | "PSK" => {
            !text[..start].ends_with(|letter: char| letter.is_ascii_alphanumeric())
        }
        _ => true,
    };
    let is_any_key = matches!(
        word.trim_end_matches([' ', '=']),
        "_key" | "_KEY" | "-key" | "-KEY" | "Key" | ".key"
    );
    let claim = if is_any_key && !has_owner(text, start) {
        CredentialClass::Unknown
    } else {
        *claim
    };
    is_name.then_some(Name {
        text,
        start,
        end,
        claim,
    })
}

fn has_owner(text: &str, start: usize) -> bool {
    let before = &text.as_bytes()[..start];
    // `API Key`, `X-Api-Key`.
    let before = before
        .strip_suffix(b" ")
        .or_else(|| before.strip_suffix(b"-"))
        .unwrap_or(before);
    let length = before
        .iter()
        .rev()
        .take(14)
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let word = before[before.len() - length..].to_ascii_lowercase();
    OWNERS.iter().any(|owner| word.ends_with(owner.as_bytes()))
}

fn is_other_pass(text: &str, end: usize) -> bool {
    let from = text.floor_char_boundary(end.saturating_sub(12));
    let word = text[from..end].to_ascii_lowercase();
    OTHER_PASSES.iter().any(|other| word.ends_with(other))
}
