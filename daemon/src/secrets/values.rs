//! Decides whether a text is a credential rather than a name, a path, a placeholder or a sentence.

/// The kind of credential that a name claims its value to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialClass {
    /// `password`: chosen by people, so nearly any text may be one.
    Password,
    /// `secret`: generated, or a phrase.
    Secret,
    /// `token`, `api_key`: generated, and random in appearance.
    Key,
    /// `sort_key`: mostly no credential. Only unmistakable values count.
    Unknown,
}

/// The notation of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// In quotes, or where the syntax only allows a literal: `ENV X=…`, `sshpass -p …`.
    Literal,
    /// Without quotes, where an identifier would be possible, too.
    Bare,
}

/// Words of messages, forms and types that occur in place of a password.
#[rustfmt::skip]
const NOT_PASSWORDS: &[&str] = &[
    "string", "str", "text", "number", "integer", "boolean", "bool", "bytes", "null", "none", "nil", "undefined", "true",
    "false", "any", "object", "array", "varchar", "char", "unknown", "optional", "required", "nullable", "hidden", "visible",
    "confirmed", "hashed", "encrypted", "encrypt", "plain", "plaintext", "cleartext", "masked", "filtered", "disabled",
    "enabled", "invalid", "incorrect", "wrong", "valid", "missing", "empty", "default", "custom", "random", "generated",
    "generate", "login", "signin", "signup", "username", "user", "users", "admin", "root", "email", "input", "field",
    "label", "value", "name", "type", "prompt", "stdin", "file", "static", "basic", "digest", "bcrypt", "argon", "scrypt",
    "scram", "ldap", "kerberos", "oauth", "saml", "interactive", "postgres", "mysql", "localhost", "database", "test", "testing",
    "foobar", "hello", "world", "unused", "ignored", "blank", "external", "internal", "manual", "automatic", "accessor",
    "write-only", "read-only", "self", "this", "function", "return", "const", "public", "private", "protected", "inherit",
    "bearer", "cookie", "header", "session", "refresh", "access", "identifier", "comma", "colon", "semicolon", "keyword",
    "operator", "punctuation", "whitespace", "newline", "comment", "variable", "obscure", "obscured", "redacted", "removed",
];

/// Words for "password" in other languages: a value that contains one is a translated label.
#[rustfmt::skip]
const TRANSLATIONS: &[&str] = &[
    "passwor", "passwd", "passphrase", "passcode", "kennwort", "contraseña", "contrasenya", "mot de passe", "senha", "palavra",
    "wachtwoord", "hasło", "haslo", "пароль", "парол", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호", "lösenord",
    "adgangskode", "passord", "heslo", "jelszó", "parola", "şifre", "sifre", "salasana", "slaptažodis", "parool", "κωδικ",
    "סיסמ", "كلمة", "رمز عبور", "รหัสผ่าน", "mật khẩu", "kata sandi", "lozinka", "geslo", "пaрола", "गुप्त", "pasahitz", "pasvorto",
];

/// Words of messages and labels, which do not occur in passphrases.
#[rustfmt::skip]
const MESSAGE_WORDS: &[&str] = &[
    "is", "are", "was", "be", "must", "should", "can", "cannot", "will", "your", "my", "this", "that", "these", "not", "no", "if",
    "when", "without", "it", "its", "please", "enter", "least", "new", "old", "current", "confirm", "again", "field", "forgot",
    "forgotten", "reset", "change", "set", "show", "hide", "sign", "log", "invalid", "incorrect", "wrong", "required", "optional",
    "too", "characters", "minimum", "length", "user", "does", "do", "has", "have", "than", "only", "used", "use", "for", "choose",
];
/// Words that a passphrase may contain once; a sentence has several.
const SMALL_WORDS: &[&str] = &[
    "the", "a", "an", "to", "of", "or", "and", "with", "by", "from", "at", "in", "on", "as", "de",
    "la", "le", "der", "die", "das",
];

/// Returns whether a value that is assigned to a name with this claim is a credential.
pub fn is_credential(value: &str, claim: CredentialClass, notation: Notation) -> bool {
    if !is_printable(value) || is_path_start(value) || is_type(value) {
        return false;
    }
    if is_generated_key(value) {
        return true;
    }
    if claim == CredentialClass::Unknown || is_placeholder(value) {
        return false;
    }
    let shape = Shape::new(value);
    if notation == Notation::Bare
        && !(is_plain_word(value) && shape.digits > 0 && shape.letters > 0 && !is_type(value))
    {
        return false;
    }
    match claim {
        CredentialClass::Password => is_password(value, &shape),
        CredentialClass::Secret => {
            is_key(value, &shape, notation)
                || notation == Notation::Literal && is_secret_phrase(value, &shape)
        }
        CredentialClass::Key => is_key(value, &shape, notation),
        CredentialClass::Unknown => false,
    }
}

/// Returns whether an argument of a command, or a literal in a statement that only takes passwords, is one.
pub fn is_command_password(value: &str) -> bool {
    let is_capitals = value
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let is_word = NOT_PASSWORDS.contains(&value.to_ascii_lowercase().as_str());
    value.len() >= 4
        && is_printable(value)
        && !is_capitals
        && !is_word
        && !is_path_start(value)
        && !value.contains("$(")
        && !value.contains("${")
        && !is_placeholder(value)
        && !has_credential_word(value)
        && !is_sentence(value)
}

/// Returns whether an argument of a call that takes a password by its position is one.
pub fn is_password_argument(value: &str) -> bool {
    is_credential(value, CredentialClass::Password, Notation::Literal)
        && !has_credential_word(value)
}

/// Returns whether an argument next to the name of a credential is one, and not a name with a number: `password2`.
pub fn is_named_argument(value: &str, claim: CredentialClass) -> bool {
    let stem = value.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_numbered = value.len() - stem.len() <= 2
        && stem
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.'))
        && stem.bytes().all(|byte| !byte.is_ascii_uppercase());
    value.len() >= 8
        && !has_credential_word(value)
        && !is_numbered
        && is_credential(value, claim, Notation::Literal)
}

/// Returns whether a value in a sentence after "password is" can only be a password; plain words are not.
pub fn is_unmistakable(value: &str) -> bool {
    let shape = Shape::new(value);
    let has_inner_sign = value.bytes().any(|byte| {
        matches!(
            byte,
            b'!' | b'#' | b'$' | b'&' | b'*' | b'+' | b'@' | b'^' | b'_'
        )
    });
    value.len() >= 6
        && is_plain_word(value)
        && (shape.digits > 0 || has_inner_sign && shape.upper > 0)
        && shape.letters >= 3
        && !is_type(value)
        && !has_credential_word(value)
        && is_credential(value, CredentialClass::Password, Notation::Literal)
}

/// Returns whether a word in a sentence after "token" can only be a token.
pub fn is_unmistakable_key(value: &str) -> bool {
    value.len() >= 20
        && is_mixed(value)
        && is_credential(value, CredentialClass::Key, Notation::Bare)
}

/// Returns whether an argument of a call is a hard-coded signing key.
pub fn is_random_key(value: &str) -> bool {
    is_credential(value, CredentialClass::Secret, Notation::Literal) && value.len() >= 8
}

/// Returns whether the part of a URL between `user:` and `@` is a password.
pub fn is_url_password(value: &str) -> bool {
    let port = value.bytes().take_while(u8::is_ascii_digit).count();
    let is_port = port > 0 && (port == value.len() || value.as_bytes()[port] == b'/');
    let is_pattern = value.contains(['*', '(', '[', '{', '\\', ','])
        || value.contains("$(")
        || value.contains("//");
    !is_port && !is_pattern && !is_placeholder(value) && !value.ends_with(':')
}

/// Returns whether a value mixes letters and digits as no word of a language does.
pub fn is_mixed(value: &str) -> bool {
    let shape = Shape::new(value);
    shape.digits > 0 && shape.lower > 0 && (shape.upper > 0 || value.len() >= 32)
}

pub fn has_digit_and_letter(value: &str) -> bool {
    let shape = Shape::new(value);
    shape.digits > 0 && shape.letters > 0
}

/// Counts of characters by class.
struct Shape {
    digits: usize,
    lower: usize,
    upper: usize,
    signs: usize,
    letters: usize,
    spaces: usize,
}

impl Shape {
    fn new(value: &str) -> Self {
        let mut shape = Self {
            digits: 0,
            lower: 0,
            upper: 0,
            signs: 0,
            letters: 0,
            spaces: 0,
        };
        for letter in value.chars() {
            match letter {
                '0'..='9' => shape.digits += 1,
                ' ' => shape.spaces += 1,
                letter if letter.is_uppercase() => shape.upper += 1,
                letter if letter.is_alphabetic() => shape.lower += 1,
                _ => shape.signs += 1,
            }
        }
        shape.letters = shape.lower + shape.upper;
        shape
    }

    fn classes(&self) -> usize {
        [self.digits, self.lower, self.upper, self.signs]
            .iter()
            .filter(|count| **count > 0)
            .count()
    }
}

fn is_password(value: &str, shape: &Shape) -> bool {
    if value.chars().count() < 6
        || TRANSLATIONS
            .iter()
            .any(|word| value.to_lowercase().contains(word))
    {
        return false;
    }
    if shape.spaces > 0 {
        return is_phrase(value);
    }
    // `required|string|min:8` is a validation rule.
    let is_rule = value.contains('|') && value.split('|').any(|part| NOT_PASSWORDS.contains(&part));
    if shape.digits > 0 {
        return !is_rule && (shape.classes() >= 2 || value.len() <= 20);
    }
    let is_identifier =
        value.contains(['_', '/', ':', '.', '\\', '|', '(', '=']) && shape.upper == 0;
    let is_label = shape.signs == 0
        && value.chars().skip(1).all(char::is_lowercase)
        && value.starts_with(char::is_uppercase);
    let is_capitals = shape.lower == 0;
    let is_word = NOT_PASSWORDS.contains(&value.to_lowercase().as_str());
    value.len() >= 8
        && !is_identifier
        && !is_label
        && !is_capitals
        && !is_word
        && !has_credential_word(value)
        && !value.ends_with([':', '?', '.'])
        && !is_dotted_name(value)
}

fn is_key(value: &str, shape: &Shape, notation: Notation) -> bool {
    let least = if notation == Notation::Bare { 16 } else { 12 };
    let is_name = is_path(value) || has_credential_word(value) && shape.digits < 4;
    value.len() >= least
        && shape.spaces == 0
        && shape.classes() >= 2
        && shape.digits >= 2
        && value.is_ascii()
        && entropy(value) >= 3.0
        && !is_name
}

/// Returns whether a value is a secret that a person made up: `keyboard cat`, `plumtreeharbor`.
fn is_secret_phrase(value: &str, shape: &Shape) -> bool {
    if shape.spaces > 0 {
        return is_phrase(value) && shape.upper == 0 && value.split(' ').count() >= 2;
    }
    let is_plain = shape.signs == 0
        && shape.lower > 0
        && !value.starts_with(|letter: char| letter.is_uppercase());
    value.len() >= 12
        && is_plain
        && !has_credential_word(value)
        && !NOT_PASSWORDS.contains(&value.to_lowercase().as_str())
}

/// Returns whether a value is a passphrase: several words that form no sentence, label or message.
fn is_phrase(value: &str) -> bool {
    let words: Vec<&str> = value.split(' ').collect();
    let has_sign = value.contains([
        '<', '>', '(', ')', '=', ',', ';', ':', '|', '"', '\'', '`', '%',
    ]);
    (2..=8).contains(&words.len())
        && words.iter().all(|word| !word.is_empty())
        && value.len() >= 8
        && !value.ends_with(['.', '?', ':', '…'])
        && !has_sign
        && !is_sentence(value)
        && !has_credential_word(value)
}

fn is_sentence(value: &str) -> bool {
    if !value.contains(' ') {
        return false;
    }
    let words: Vec<String> = value.split(' ').map(str::to_lowercase).collect();
    let small = words
        .iter()
        .filter(|word| SMALL_WORDS.contains(&word.as_str()))
        .count();
    let is_capitalised = value.starts_with(char::is_uppercase);
    words
        .iter()
        .any(|word| MESSAGE_WORDS.contains(&word.as_str()))
        || small > 1
        || small == 1 && is_capitalised
}

/// Returns whether a value is a generated key with many kinds of punctuation, in which `%s` and other signs of placeholders are
/// chance.
fn is_generated_key(value: &str) -> bool {
    if value.len() < 30
        || value.contains([' ', '"'])
        || value.contains("${")
        || value.contains("{{")
        || value.contains("://")
    {
        return false;
    }
    let mut signs: Vec<u8> = value.bytes().filter(u8::is_ascii_punctuation).collect();
    signs.sort_unstable();
    signs.dedup();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    signs.len() >= 6 && digits >= 3 && entropy(value) >= 4.2
}

/// Returns whether a value has no control characters and no white space at its ends.
fn is_printable(value: &str) -> bool {
    value.trim().len() == value.len() && !value.is_empty() && !value.chars().any(char::is_control)
}

/// Returns whether a value has no punctuation of an expression, as an unquoted value must not.
fn is_plain_word(value: &str) -> bool {
    !value.contains([
        '(', ')', '[', ']', '{', '}', ';', ',', '<', '>', '"', '\'', '`', '|', '\\', ' ',
    ]) && !value.starts_with(['$', '%', '*', '!', '@', '/', '.', '-', '~', ':', '&'])
        && !value.contains("::")
        && !value.contains("->")
        && !is_path(value)
}

/// Returns whether a value names an algorithm or a type: `sha256`, `int64`.
fn is_type(value: &str) -> bool {
    const TYPES: [&str; 18] = [
        "sha", "md", "base", "bcrypt", "argon2id", "argon", "pbkdf", "aes", "hs", "rs", "int",
        "uint", "varchar", "utf", "v", "es", "rfc", "oauth",
    ];
    let lower = value.to_ascii_lowercase();
    let is_number = |rest: &str| {
        rest.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    TYPES
        .iter()
        .any(|name| lower.strip_prefix(name).is_some_and(is_number))
}

/// Returns whether a value contains a word for a credential, and so is a name: `db.password`, `resetPassword`.
fn has_credential_word(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    // `keyboard cat` and `old-lighthouse-key` contain `key` but are phrases.
    let is_phrase = lower.contains("keyboard")
        || lower.contains("monkey")
        || lower.split(['-', ' ']).count() >= 3;
    has(&[
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "credential",
        "username",
    ]) || has(&["key", "auth"]) && !is_phrase
}

/// Returns whether a value is lowercase words joined by dots: `settings.database.value`.
fn is_dotted_name(value: &str) -> bool {
    value.contains('.')
        && value.split('.').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        })
}

/// Returns whether a value is a path: `pwd` also names the working directory.
fn is_path_start(value: &str) -> bool {
    ["/", "./", "../", "~/", "C:\\", "file:"]
        .iter()
        .any(|start| value.starts_with(start))
}

fn is_path(value: &str) -> bool {
    value.starts_with(['/', '.', '~'])
        || value.contains("://")
        || value.contains('\\')
        || value.matches('/').count() > 3 && value.contains('.')
}

/// Returns whether a value is a placeholder for a credential, or a reference to one.
pub fn is_placeholder(value: &str) -> bool {
    const PARTS: [&str; 24] = [
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
        "****",
    ];
    const WHOLE: [&str; 14] = [
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
        "pwd",
        "pw",
    ];
    let lower = value.to_ascii_lowercase();
    let first = value.chars().next();
    PARTS.iter().any(|word| lower.contains(word))
        || WHOLE.contains(&lower.as_str())
        || value.contains(['<', '>', '{', '}'])
        || value.contains("$(")
        || value.starts_with(['$', '%', '!', '&'])
        || value.contains("%s")
        || value.contains("%d")
        || value
            .chars()
            .all(|letter| Some(letter) == first || matches!(letter, '*' | 'x' | 'X' | '.' | '-'))
}

/// Returns the Shannon entropy in bits per byte.
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
