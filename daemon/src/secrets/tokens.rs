//! Tokens that say by their own shape whose they are.
//!
//! A row names the literals by which a token is found and the pattern that it must then meet. To know one more token
//! is to add a row here and an example to the tests.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::values::is_placeholder;
use super::{Secret, is_token_byte};

/// Nothing below is longer.
const LONGEST: usize = 4096;

pub struct Row {
    pub kind: &'static str,
    /// Where to look.
    literals: &'static [&'static str],
    before: Before,
    /// From the literal on; a group `value` is the secret, where it is not all of it.
    pattern: &'static str,
    /// Whether a value of the right shape is none that stands for one.
    check: fn(&str) -> bool,
}

/// What stands before the literal.
#[derive(Clone, Copy)]
enum Before {
    /// No part of a word.
    Border,
    Anything,
    /// At least so many hexadecimal digits, which belong to the token.
    Hex(usize),
    /// At least so many letters, digits and signs, which belong to the token.
    Token(usize),
}

const fn row(kind: &'static str, literals: &'static [&'static str], pattern: &'static str) -> Row {
    Row { kind, literals, before: Before::Border, pattern, check: |_| true }
}

impl Row {
    const fn after(self, before: Before) -> Self {
        Self { before, ..self }
    }

    const fn checked(self, check: fn(&str) -> bool) -> Self {
        Self { check, ..self }
    }
}

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    row("AWS access key", &["AKIA", "ASIA", "ABIA", "ACCA"], r"A[KSBC]IA[0-9A-Z]{16}\b|ACCA[0-9A-Z]{16}\b"),
    row("GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,}"),
    row("GitLab token", &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "gloas-", "glft-", "glagent-", "glsoat-", "GR1348941"], r"gl(?:pat|dt|rt|ptt|cbt|oas|ft|agent|soat)-[A-Za-z0-9_.-]{20,}|GR1348941[A-Za-z0-9_-]{20}"),
    row("Slack token", &["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], r"xox[abeoprs][.-][A-Za-z0-9.-]{10,}|xapp-\d-[A-Za-z0-9-]{20,}"),
    row("Slack webhook", &["hooks.slack.com/"], r"hooks\.slack\.com/(?:services|workflows|triggers)/(?<value>[A-Za-z0-9]{8,}/[A-Za-z0-9]{8,}/[A-Za-z0-9]{16,})").after(Before::Anything),
    row("Discord webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], r"discord(?:app)?\.com/api/webhooks/\d{15,}/(?<value>[A-Za-z0-9_-]{40,})").after(Before::Anything),
    row("Google API key", &["AIza"], r"AIza[0-9A-Za-z_-]{35}"),
    row("Google OAuth secret", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{24,}"),
    row("Google OAuth token", &["ya29."], r"ya29\.[A-Za-z0-9_-]{30,}"),
    row("Azure key", &["AccountKey=", "SharedAccessKey=", "sharedaccesskey="], r"(?i)(?:AccountKey|SharedAccessKey)=(?<value>[A-Za-z0-9+/]{40,}={0,2})"),
    row("Azure shared access signature", &["&sig=", "?sig="], r"[&?]sig=(?<value>[A-Za-z0-9%+/]{40,}(?:%3D|=)?)").after(Before::Anything),
    row("Azure client secret", &["8Q~"], r"8Q~[A-Za-z0-9_~.-]{34}").after(Before::Token(3)),
    row("Stripe key", &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"], r"[rs]k_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[A-Za-z0-9+/]{24,}"),
    row("Twilio key", &["\"SK", "'SK", "=SK"], r#"["'=](?<value>SK[0-9a-f]{32})\b"#).after(Before::Anything),
    row("SendGrid key", &["SG."], r"SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}"),
    row("Mailgun key", &["key-"], r"key-[0-9a-f]{32}\b"),
    row("Mailchimp key", &["-us"], r"-us\d{1,2}\b").after(Before::Hex(32)),
    row("npm token", &["npm_", "_authToken="], r"npm_[A-Za-z0-9]{36}\b|_authToken=(?<value>[A-Za-z0-9_/+=-]{20,})"),
    row("PyPI token", &["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    row("Docker token", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    row("Heroku key", &["HRKU-"], r"HRKU-[0-9A-Za-z_-]{36,}"),
    row("DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[por]_v1_[a-f0-9]{64}"),
    row("Anthropic key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{32,}"),
    row("OpenAI key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{32,}"),
    row("API key", &["sk-"], r"sk-(?:or-v1-)?[A-Za-z0-9]{32,}\b"),
    row("Hugging Face token", &["hf_", "api_org_"], r"(?:hf|api_org)_[A-Za-z0-9]{34,}\b"),
    row("Replicate token", &["r8_"], r"r8_[A-Za-z0-9]{37,}\b"),
    row("Groq key", &["gsk_"], r"gsk_[A-Za-z0-9]{48,}\b"),
    row("JSON web token", &["eyJ"], r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    row("Shopify token", &["shpat_", "shpss_", "shpca_", "shppa_"], r"shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}"),
    row("Square token", &["sq0atp-", "sq0csp-", "sq0idp-", "EAAA"], r"sq0(?:atp|csp)-[0-9A-Za-z_-]{22,}|EAAA[A-Za-z0-9_-]{56,}"),
    row("Telegram token", &[":AA"], r":AA[A-Za-z0-9_-]{32,33}").after(Before::Hex(8)),
    row("Atlassian token", &["ATATT3", "ATBB", "ATCTT3"], r"AT(?:ATT3|CTT3)[A-Za-z0-9_=-]{60,}|ATBB[A-Za-z0-9]{32}\b"),
    row("Databricks token", &["dapi"], r"dapi[0-9a-f]{32}(?:-\d)?\b"),
    row("New Relic key", &["NRAK-"], r"NRAK-[A-Z0-9]{27}"),
    row("Grafana token", &["glsa_", "glc_"], r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,}"),
    row("Sentry token", &["sntrys_", "sntryu_"], r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    row("PlanetScale secret", &["pscale_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    row("Doppler token", &["dp.pt.", "dp.st.", "dp.sa."], r"dp\.(?:pt|sa|st\.[a-z0-9_-]+)\.[A-Za-z0-9]{40,}"),
    row("Vault token", &["hvs.", "hvb."], r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    row("Terraform Cloud token", &[".atlasv1."], r"\.atlasv1\.[A-Za-z0-9_=-]{60,}").after(Before::Token(14)),
    row("Pulumi token", &["pul-"], r"pul-[0-9a-f]{40}\b"),
    row("RubyGems key", &["rubygems_"], r"rubygems_[0-9a-f]{48}"),
    row("Postman key", &["PMAK-"], r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    row("Figma token", &["figd_"], r"figd_[A-Za-z0-9_-]{36,}"),
    row("Linear key", &["lin_api_"], r"lin_api_[A-Za-z0-9]{40}"),
    row("Notion token", &["ntn_", "secret_"], r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b"),
    row("Supabase token", &["sbp_"], r"sbp_[0-9a-f]{40}"),
    row("Tailscale key", &["tskey-"], r"tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}"),
    row("Netlify token", &["nfp_"], r"nfp_[A-Za-z0-9]{36,}"),
    row("Dynatrace token", &["dt0c01."], r"dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    row("Age key", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    row("Alibaba access key", &["LTAI"], r"LTAI[A-Za-z0-9]{20,24}\b"),
    row("Facebook token", &["EAACEdEose0cBA"], r"EAACEdEose0cBA[0-9A-Za-z]+"),
    row("bearer token", &["Bearer ", "bearer "], r"(?i)bearer (?<value>[A-Za-z0-9_~+/.-]*[0-9][A-Za-z0-9_~+/.-]{19,}=*)").checked(is_mixed),
    row("basic credentials", &["Basic "], r"Basic (?<value>[A-Za-z0-9+/]{16,}={0,2})(?:[^A-Za-z0-9+/=.-]|$)").checked(is_mixed),
    row("private key", &["LS0tLS1CRUdJTi"], r"LS0tLS1CRUdJTi(?:BQUklW|BSU0Eg|BFQy|BEU0Eg|BPUEVO|BFTkNS)[A-Za-z0-9+/]{30,}={0,2}"),
    row("private key", &["client-key-data"], r#"client-key-data["']?[ \t]*:[ \t"']*(?<value>[A-Za-z0-9+/]{20,}={0,2})"#).after(Before::Anything),
    row("password in a URL", &["://"], r"://[^\s/:@'\x22<>{}$]*:(?<value>(?:[^\s/:@$\{<'\x22%*\[(]|%[0-9A-Fa-f]{2}){3,})@[A-Za-z0-9.\[-]").after(Before::Anything).checked(|value| !is_placeholder(value)),
];

/// So many literals are searched for at once: with more, the search leaves its fastest way.
const AT_ONCE: usize = 40;

struct Rules {
    anchors: Vec<Anchors>,
    /// By row. Made when first needed: most texts have none of the literals, and to make all takes longer than many texts.
    patterns: Vec<OnceLock<Option<Regex>>>,
}

impl Rules {
    fn pattern(&self, row: usize) -> Option<&Regex> {
        self.patterns[row].get_or_init(|| Regex::new(&format!("^(?:{})", ROWS[row].pattern)).ok()).as_ref()
    }
}

struct Anchors {
    /// With the rows that they belong to.
    literals: Vec<(&'static str, usize)>,
    any: Regex,
}

static RULES: LazyLock<Option<Rules>> = LazyLock::new(|| {
    let mut literals: Vec<(&str, usize)> = ROWS
        .iter()
        .enumerate()
        .flat_map(|(row, one)| one.literals.iter().map(move |literal| (*literal, row)))
        .collect();
    // Of two literals at one place the longer is meant.
    literals.sort_by_key(|(literal, _)| std::cmp::Reverse(literal.len()));
    let anchors = literals.chunks(AT_ONCE).map(|literals| {
        let alternatives: Vec<String> = literals.iter().map(|(literal, _)| regex::escape(literal)).collect();
        Regex::new(&alternatives.join("|")).map(|any| Anchors { literals: literals.to_vec(), any })
    });
    let patterns = ROWS.iter().map(|_| OnceLock::new()).collect();
    Some(Rules { anchors: anchors.collect::<Result<_, _>>().ok()?, patterns })
});

pub fn find(text: &str) -> Vec<Secret> {
    let Some(rules) = RULES.as_ref() else { return vec![] };
    let mut found = vec![];
    for Anchors { literals, any } in &rules.anchors {
        let mut from = 0;
        while let Some(anchor) = any.find_at(text, from) {
            from = anchor.end();
            let known = literals.iter().find(|(literal, _)| *literal == anchor.as_str());
            let secret = known.and_then(|(literal, row)| judge(text, anchor.start(), literal, *row, rules));
            if let Some(secret) = secret {
                from = secret.range.end.max(from);
                found.push(secret);
            }
        }
    }
    found
}

fn judge(text: &str, at: usize, literal: &str, row: usize, rules: &Rules) -> Option<Secret> {
    let bytes = text.as_bytes();
    let back = |part: fn(u8) -> bool| bytes[..at].iter().rev().take(64).take_while(|byte| part(**byte)).count();
    let start = match ROWS[row].before {
        // A literal may begin with a sign that is a border itself.
        Before::Border if !literal.starts_with(|sign: char| sign.is_ascii_alphanumeric()) => at,
        Before::Border if at > 0 && is_token_byte(bytes[at - 1]) => return None,
        Before::Border | Before::Anything => at,
        Before::Hex(least) => at - Some(back(|byte| byte.is_ascii_hexdigit())).filter(|back| *back >= least)?,
        Before::Token(least) => {
            at - Some(back(|byte| is_token_byte(byte) || byte == b'~')).filter(|back| *back >= least)?
        }
    };
    let limit = text.floor_char_boundary((at + LONGEST).min(text.len()));
    let groups = rules.pattern(row)?.captures(&text[at..limit])?;
    let mut range = match groups.name("value") {
        Some(value) if !(ROWS[row].check)(value.as_str()) => return None,
        Some(value) => at + value.start()..at + value.end(),
        None => start..at + groups.get(0)?.end(),
    };
    if range.end == limit {
        // What is longer than anything known goes on as it began.
        let is_part = |byte: &&u8| is_token_byte(**byte) || matches!(**byte, b'+' | b'/' | b'=');
        range.end += bytes[limit..].iter().take_while(is_part).count();
    }
    Some(Secret { range, kind: ROWS[row].kind })
}

/// Letters of both cases and digits: no word of a language.
fn is_mixed(value: &str) -> bool {
    let has = |part: fn(&u8) -> bool| value.as_bytes().iter().any(part);
    has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && (has(u8::is_ascii_uppercase) || value.len() >= 32)
}
