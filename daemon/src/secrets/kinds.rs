//! The table of credentials that are recognised by their own shape, or by the command, call or statement around them.
//!
//! To recognise one more kind, add a row here and an example to `tests/secrets/development`. Values that are recognised by
//! the *name* they are assigned to (`password = …`) are in `names.rs` and `assignments.rs`.

use std::ops::Range;

use super::blocks;
use super::values::{
    has_digit_and_letter, is_command_password, is_mixed, is_password_argument, is_random_key,
    is_unmistakable, is_url_password,
};

/// A row of the table.
pub struct Kind {
    pub name: &'static str,
    /// Literals that are searched for; the pattern is tried only at their matches. All are case-sensitive.
    pub anchors: &'static [&'static str],
    pub form: Form,
    /// Rejects values that merely have the shape: placeholders, words, variables.
    pub accepts: fn(&str) -> bool,
}

/// The position of the credential relative to its anchor. In a pattern, the first group that participates is the credential;
/// without one, it is the whole match.
#[derive(Clone, Copy)]
pub enum Form {
    /// The pattern starts at the anchor, which must not continue a word.
    Token(&'static str),
    /// The pattern starts at the anchor, whatever precedes it.
    From(&'static str),
    /// Like `Token`, but at least this many hexadecimal digits before the anchor belong to the credential.
    AfterHex(usize, &'static str),
    /// Like `Token`, but at least this many letters, digits, `_`, `-` and `~` before the anchor belong to the credential.
    AfterWord(usize, &'static str),
    /// The pattern is searched for in the line around the anchor.
    Line(&'static str),
    /// A structure of several lines that starts at the anchor.
    Block(fn(&str, usize) -> Vec<Range<usize>>),
}

const fn token(
    name: &'static str,
    anchors: &'static [&'static str],
    pattern: &'static str,
) -> Kind {
    Kind {
        name,
        anchors,
        form: Form::Token(pattern),
        accepts: |_| true,
    }
}

const fn kind(name: &'static str, anchors: &'static [&'static str], form: Form) -> Kind {
    Kind {
        name,
        anchors,
        form,
        accepts: |_| true,
    }
}

impl Kind {
    const fn if_value(self, accepts: fn(&str) -> bool) -> Self {
        Self { accepts, ..self }
    }
}

/// An argument of a shell: in quotes, or up to the next space. One that starts with `$` is a variable and does not match.
macro_rules! argument {
    () => {
        r#"(?:"([^"\n]{3,})"|'([^'\n]{3,})'|([^\s"'$|;&<>-][^\s"'|;&<>]{2,}))"#
    };
}
/// `user:password` as an argument of a shell.
macro_rules! login {
    () => {
        r#"(?:"[^\s":]*:([^"\n]{3,})"|'[^\s':]*:([^'\n]{3,})'|[^\s"':$]*:([^\s"'$|;&<>/][^\s"'|;&<>]{2,}))"#
    };
}
macro_rules! uuid {
    () => {
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    };
}

#[rustfmt::skip]
pub const KINDS: &[Kind] = &[
    // Clouds and hosting.
    token("AWS access key", &["AKIA", "ASIA", "ABIA", "ACCA"], r"A[KSBC]IA[0-9A-Z]{16}\b|ACCA[0-9A-Z]{16}\b"),
    token("Google API key", &["AIza"], r"AIza[0-9A-Za-z_-]{35}"),
    token("Google OAuth secret", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{24,}"),
    token("Google OAuth token", &["ya29.", "1//0"], r"ya29\.[A-Za-z0-9_-]{30,}|1//0[A-Za-z0-9_-]{40,}"),
    kind("Google service account key", &["private_key_id"], Form::From(r#"private_key_id\\?["'] *: *\\?["']([0-9a-f]{40})"#)),
    kind("Firebase key", &[":APA91b"], Form::AfterWord(8, r":APA91b[A-Za-z0-9_-]{100,}")),
    kind("Azure key", &["AccountKey=", "SharedAccessKey=", "sharedaccesskey="], Form::From(r"(?i)(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})")),
    kind("Azure shared access signature", &["&sig=", "?sig="], Form::From(r"[&?]sig=([A-Za-z0-9%+/]{40,}(?:%3D|=)?)")),
    kind("Azure client secret", &["8Q~", "7Q~"], Form::AfterWord(3, r"[78]Q~[A-Za-z0-9_~.-]{31,34}")),
    token("Alibaba access key", &["LTAI"], r"LTAI[A-Za-z0-9]{20,24}\b"),
    token("Yandex key", &["AQVN"], r"AQVN[A-Za-z0-9_-]{35,38}\b"),
    token("DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[por]_v1_[a-f0-9]{64}"),
    token("Heroku key", &["HRKU-"], r"HRKU-[0-9A-Za-z_-]{36,}"),
    token("Fly.io token", &["fo1_", "fm1_", "fm2_", "fm1r_", "fm1a_"], r"fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/=_-]{80,}"),
    token("Netlify token", &["nfp_", "nfc_"], r"nf[pc]_[A-Za-z0-9]{36,}"),
    token("Scalingo token", &["tk-us-"], r"tk-us-[A-Za-z0-9_-]{48}"),
    token("Cloudflare origin key", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    token("Neon key", &["napi_"], r"napi_[A-Za-z0-9]{50,}"),
    token("PlanetScale secret", &["pscale_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    token("Supabase token", &["sbp_", "sb_secret_"], r"sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{31,}"),
    token("Databricks token", &["dapi"], r"dapi[0-9a-f]{32}(?:-\d)?\b"),
    token("OpenShift token", &["sha256~"], r"sha256~[A-Za-z0-9_-]{43}"),
    token("Tailscale key", &["tskey-"], r"tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}"),
    token("Defined Networking key", &["dnkey-"], r"dnkey-[A-Z0-9]{26}-[A-Z0-9]{52}"),
    // Code hosting, builds and packages.
    token("GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,}"),
    token("GitLab token", &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "gloas-", "glft-", "glagent-", "glsoat-", "GR1348941"], r"gl(?:pat|dt|rt|ptt|cbt|oas|ft|agent|soat)-[A-Za-z0-9_.-]{20,}|GR1348941[A-Za-z0-9_-]{20}"),
    token("Atlassian token", &["ATATT3", "ATBB", "ATCTT3"], r"AT(?:ATT3|CTT3)[A-Za-z0-9_=-]{60,}|ATBB[A-Za-z0-9]{32}\b"),
    token("Buildkite token", &["bkua_"], r"bkua_[a-f0-9]{40}"),
    token("CircleCI token", &["CCIPAT_", "CCIPRJ_"], r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    token("Harness token", &["pat.", "sat."], r"[ps]at\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
    token("Octopus Deploy key", &["API-"], r"API-[A-Z0-9]{25,32}\b").if_value(has_digit_and_letter),
    token("Prefect key", &["pnu_", "pnb_"], r"pn[ub]_[A-Za-z0-9]{36}\b"),
    token("SonarQube token", &["squ_", "sqp_", "sqa_"], r"sq[upa]_[a-f0-9]{40}"),
    token("Sourcegraph token", &["sgp_"], r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}"),
    token("npm token", &["npm_"], r"npm_[A-Za-z0-9]{36}\b"),
    kind("npm token", &["_authToken"], Form::From(r#"_authToken["']?[ =:]+["']?([A-Za-z0-9_/+=-]{20,})"#)),
    token("PyPI token", &["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    token("RubyGems key", &["rubygems_"], r"rubygems_[0-9a-f]{48}"),
    token("crates.io token", &["cio"], r"cio[A-Za-z0-9]{32}\b").if_value(is_mixed),
    token("NuGet key", &["oy2"], r"oy2[a-z0-9]{43}\b"),
    token("Clojars token", &["CLOJARS_"], r"CLOJARS_[0-9a-z]{60}"),
    token("Artifactory key", &["AKCp", "cmVmdGtuO"], r"AKCp[A-Za-z0-9]{60,}|cmVmdGtuO[A-Za-z0-9]{50,}"),
    token("Docker token", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    kind("Docker registry login", &["\"auth\"", "\\\"auth\\\""], Form::From(r#"\\?"auth\\?"\s*:\s*\\?"([A-Za-z0-9+/]{12,}={0,2})\\?""#)),
    kind("Terraform Cloud token", &[".atlasv1."], Form::AfterWord(14, r"\.atlasv1\.[A-Za-z0-9_=-]{60,}")),
    token("Infracost key", &["ico-"], r"ico-[A-Za-z0-9]{32}\b"),
    token("Pulumi token", &["pul-"], r"pul-[0-9a-f]{40}\b"),
    token("Doppler token", &["dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim.", "dp.audit."], r"dp\.(?:pt|sa|ct|scim|audit|st(?:\.[a-z0-9_-]+)?)\.[A-Za-z0-9]{40,}"),
    token("Vault token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    token("1Password token", &["ops_eyJ"], r"ops_eyJ[A-Za-z0-9+/=_-]{100,}"),
    token("Age key", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    token("LaunchDarkly key", &["sdk-", "api-", "mob-"], concat!("(?:sdk|api|mob)-", uuid!(), r"\b")),
    // Messages and mail.
    token("Slack token", &["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], r"xox[abeoprs][.-][A-Za-z0-9.-]{10,}|xapp-\d-[A-Za-z0-9-]{20,}"),
    kind("Slack webhook", &["hooks.slack.com/"], Form::From(r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9]{8,}/[A-Za-z0-9]{8,}/[A-Za-z0-9]{16,})")),
    kind("Discord webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], Form::From(r"discord(?:app)?\.com/api/webhooks/\d{15,}/([A-Za-z0-9_-]{40,})")),
    kind("Microsoft Teams webhook", &[".webhook.office.com/"], Form::AfterWord(1, r"\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{60,}")),
    kind("Telegram token", &[":AA"], Form::AfterHex(8, r":AA[A-Za-z0-9_-]{32,33}")),
    kind("Twilio key", &["\"SK", "'SK", "=SK", " SK"], Form::From(r#"["'= ](SK[0-9a-f]{32})\b"#)),
    kind("Twilio token", &["\"AC", "'AC"], Form::From(r#"["']AC[0-9a-f]{32}["']\s*,\s*["']([0-9a-f]{32})["']"#)),
    token("SendGrid key", &["SG."], r"SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}"),
    token("Mailgun key", &["key-", "pubkey-"], r"(?:pub)?key-[0-9a-f]{32}\b"),
    kind("Mailchimp key", &["-us"], Form::AfterHex(32, r"-us\d{1,2}\b")),
    token("Brevo key", &["xkeysib-", "xsmtpsib-"], r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    token("Resend key", &["re_"], r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"),
    token("Facebook token", &["EAA"], r"EAACEdEose0cBA[0-9A-Za-z]{20,}|EAA[B-DM-Z][A-Za-z0-9]{90,300}\b").if_value(is_mixed),
    token("X bearer token", &["AAAAAAAAAAAAAAAAAAAAA"], r"A{21}[A-Za-z0-9%]{50,}").if_value(is_mixed),
    // Payment and commerce.
    token("Stripe key", &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"], r"[rs]k_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[A-Za-z0-9+/]{24,}"),
    token("Shopify token", &["shpat_", "shpss_", "shpca_", "shppa_"], r"shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}"),
    token("Square token", &["sq0atp-", "sq0csp-", "EAAA"], r"sq0(?:atp|csp)-[0-9A-Za-z_-]{22,}|EAAA[A-Za-z0-9_-]{56,62}\b").if_value(is_mixed),
    token("Flutterwave key", &["FLWSECK-", "FLWSECK_TEST-"], r"FLWSECK(?:_TEST)?-[0-9a-f]{12,32}-X"),
    token("Plaid token", &["access-sandbox-", "access-development-", "access-production-"], concat!("access-(?:sandbox|development|production)-", uuid!())),
    token("EasyPost key", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{54}"),
    token("Duffel token", &["duffel_live_", "duffel_test_"], r"duffel_(?:live|test)_[A-Za-z0-9_=-]{43}"),
    token("Shippo token", &["shippo_live_", "shippo_test_"], r"shippo_(?:live|test)_[a-fA-F0-9]{40}"),
    token("Paddle key", &["pdl_live_", "pdl_sdbx_"], r"pdl_(?:live|sdbx)_apikey_[a-z\d]{26}_[A-Za-z\d]{22}_[A-Za-z\d]{3}"),
    // Models and search.
    token("Anthropic key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{32,}"),
    token("OpenAI key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{32,}"),
    token("API key", &["sk-"], r"sk-(?:or-v1-)?[A-Za-z0-9]{32,}\b"),
    token("Hugging Face token", &["hf_", "api_org_"], r"(?:hf|api_org)_[A-Za-z0-9]{34,}\b"),
    token("Replicate token", &["r8_"], r"r8_[A-Za-z0-9]{37,}\b"),
    token("Groq key", &["gsk_"], r"gsk_[A-Za-z0-9]{48,}\b"),
    token("Perplexity key", &["pplx-"], r"pplx-[A-Za-z0-9]{48,}"),
    token("xAI key", &["xai-"], r"xai-[A-Za-z0-9]{70,}"),
    token("LangSmith key", &["lsv2_"], r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    token("Pinecone key", &["pcsk_"], r"pcsk_[A-Za-z0-9_]{50,}"),
    token("Tavily key", &["tvly-"], r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,}"),
    // Analytics, monitoring, documents and everything else.
    token("New Relic key", &["NRAK-", "NRII-"], r"NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9_-]{32}"),
    kind("New Relic key", &["NRAL"], Form::AfterHex(36, r"NRAL\b")),
    kind("Algolia key", &["algoliasearch("], Form::From(r#"algoliasearch\(\s*["'][A-Z0-9]{10}["']\s*,\s*["']([0-9a-f]{32})["']"#)),
    token("Grafana token", &["glsa_", "glc_"], r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,}"),
    token("Sentry token", &["sntrys_", "sntryu_"], r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    token("Dynatrace token", &["dt0c01."], r"dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    token("PostHog key", &["phx_"], r"phx_[A-Za-z0-9]{43,}"),
    token("Mapbox secret token", &["sk.eyJ"], r"sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}"),
    kind("MaxMind key", &["_mmk"], Form::AfterWord(36, r"_mmk\b")),
    token("Postman key", &["PMAK-"], r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    token("Figma token", &["figd_"], r"figd_[A-Za-z0-9_-]{36,}"),
    token("Linear key", &["lin_api_"], r"lin_api_[A-Za-z0-9]{40}"),
    token("Notion token", &["ntn_", "secret_"], r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b"),
    kind("Airtable token", &["pat"], Form::Block(blocks::airtable_token)),
    token("Contentful token", &["CFPAT-"], r"CFPAT-[A-Za-z0-9_-]{43}"),
    token("HubSpot token", &["pat-"], concat!("pat-(?:na|eu|ap)[0-9]-", uuid!())),
    token("Typeform token", &["tfp_"], r"tfp_[A-Za-z0-9_.=-]{50,}"),
    token("ReadMe key", &["rdme_"], r"rdme_[A-Za-z0-9]{60,}"),
    token("Frame.io token", &["fio-u-"], r"fio-u-[A-Za-z0-9_=-]{60,}"),
    token("Dropbox token", &["sl."], r"sl\.[A-Za-z0-9_=-]{130,}"),
    token("Adobe client secret", &["p8e-"], r"p8e-[A-Za-z0-9]{32}\b"),
    token("JSON web token", &["eyJ"], r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    // HTTP.
    kind("bearer token", &["Bearer ", "bearer "], Form::From(r"(?i)bearer ([A-Za-z0-9_~+/.-]*[0-9][A-Za-z0-9_~+/.-]{19,}=*)")).if_value(is_mixed),
    kind("basic credentials", &["Basic "], Form::From(r"Basic ([A-Za-z0-9+/]{16,}={0,2})(?:[^A-Za-z0-9+/=.-]|$)")).if_value(is_mixed),
    kind("authorization header", &["Authorization", "authorization"], Form::From(r#"[Aa]uthorization["']?\s*[:,\]=]+\s*["'`]?(?:[Tt]oken|[Kk]ey|ApiKey)[ =]([A-Za-z0-9_~+/.-]{16,}=*)"#)).if_value(is_mixed),
    kind("password in a URL", &["://"], Form::From(r#"://[^\s/:@'"<>{}$`]*:([^\s/'"<>`()]{3,120})@[A-Za-z0-9.\[-]"#)).if_value(is_url_password),
    kind("password in a URL", &["sql://", "postgres://", "amqp://", "amqps://", "mongodb://", "+srv://", "redis://", "rediss://", "ftp://"], Form::From(r#"[a-z+]+://[^\s/:@'"<>{}$`]*:([^\s'"<>`]{3,120})@[A-Za-z0-9.\[-]"#)).if_value(is_url_password),
    kind("password in a URL", &["@tcp("], Form::Line(r#"["'`= ][A-Za-z0-9_.-]+:([^\s'"`]{3,})@tcp\("#)).if_value(is_url_password),
    // Configuration of frameworks and servers.
    kind("Laravel key", &["base64:"], Form::From(r"base64:([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{22}==)")),
    kind("WireGuard key", &["PrivateKey", "PresharedKey"], Form::From(r"(?:PrivateKey|PresharedKey) ?= ?([A-Za-z0-9+/]{43}=)")),
    kind("signing key", &["\"Jwt", "jwt:"], Form::From(r#"(?:"Jwt[A-Za-z]*"|jwt)\s*:\s*\{?\s*"?[Kk]ey"?\s*:\s*"?([A-Za-z0-9+/=_-]{16,})"#)).if_value(is_mixed),
    kind("SonarQube token", &["sonar.login"], Form::From(r"sonar\.login ?= ?([a-f0-9]{40})")),
    kind("Erlang cookie", &["ERLANG_COOKIE"], Form::From(r#"ERLANG_COOKIE["']?[=:]\s*["']?([A-Za-z0-9_-]{8,})"#)).if_value(is_command_password),
    kind("private key", &["LS0tLS1CRUdJTi"], Form::Token(r"LS0tLS1CRUdJTi(?:BQUklW|BSU0Eg|BFQy|BEU0Eg|BPUEVO|BFTkNS)[A-Za-z0-9+/]{30,}={0,2}")),
    kind("private key", &["client-key-data", "tls.key", "ssh-privatekey"], Form::From(r#"(?:client-key-data|tls\.key|ssh-privatekey)\\?["']?[ \t]*:[ \t"'\\]*([A-Za-z0-9+/]{20,}={0,2})"#)),
    kind("Docker registry login", &["dockerconfigjson", "dockercfg"], Form::From(r#"docker(?:configjson|cfg)["']?[ \t]*:[ \t"']*([A-Za-z0-9+/]{20,}={0,2})"#)),
    kind("Kubernetes secret", &["kind: Secret"], Form::Block(blocks::kubernetes_secret)),
    kind("password in a table", &["| Password", "|Password", "| password", "|password"], Form::Block(blocks::markdown_table)),
    kind("Redis password", &["requirepass ", "masterauth "], Form::From(concat!(r"(?:requirepass|masterauth)[ \t]+", argument!(), r"(?:[ \t]*(?:\n|\r|$)| --)"))).if_value(is_command_password),
    // SQL.
    kind("SQL password", &["IDENTIFIED ", "identified "], Form::From(r#"(?i:identified\s+(?:with\s+\S+\s+)?(?:by|as)\s+(?:password\s+)?)(?:'([^'\n]{3,})'|"([^"\n]{3,})")|IDENTIFIED BY ([A-Za-z0-9_$#]{3,})(?:;|\s|$)"#)).if_value(is_command_password),
    kind("SQL password", &["PASSWORD '", "PASSWORD N'", "PASSWORD \"", "password '"], Form::From(r#"(?i)password\s+n?(?:'([^'\n]{3,})'|"([^"\n]{3,})")"#)).if_value(is_command_password),
    kind("SQL password", &["SET PASSWORD FOR ", "set password for "], Form::From(r#"(?i)set password for [^=\n]{1,80}= *(?:password\( *)?(?:'([^'\n]{3,})'|"([^"\n]{3,})")"#)).if_value(is_command_password),
    kind("PostgreSQL password file", &[":5432:"], Form::Line(r"^[^\s:]+:5432:[^\s:]+:[^\s:]+:([^\s:]{3,})$")).if_value(is_command_password),
    kind("SQL password", &["INSERT INTO", "insert into"], Form::Block(blocks::sql_insert)),
    // Commands.
    kind("password on a command line", &["sshpass "], Form::From(concat!(r"sshpass (?:-[a-oq-z]\S* )*-p ?", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["mysql", "mariadb"], Form::From(concat!(r"(?:mysql|mariadb)[a-z-]*\s(?:[^\n|;]{0,160}?\s)??-p", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["curl ", "wget ", "http -"], Form::From(concat!(r"(?:curl|wget|http) (?:[^\n|;]{0,240}?\s)??(?:-u|--user|--auth|-a|--proxy-user|-U)[ =]?", login!()))).if_value(is_command_password),
    kind("password on a command line", &["docker login", "podman login", "helm registry login"], Form::From(concat!(r"[a-z ]+ login (?:[^\n|;]{0,160}?\s)??-p ?", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["mongodump ", "mongorestore ", "mongoexport ", "mongoimport ", "mongosh ", "mongo "], Form::From(concat!(r"mongo[a-z]* (?:[^\n|;]{0,160}?\s)??-p ?", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["7z ", "7za "], Form::From(concat!(r"7za? [a-z] (?:[^\n|;]{0,80}?\s)??-p", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["redis-cli "], Form::From(concat!(r"redis-cli (?:[^\n|;]{0,160}?\s)??-a ", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["ldapsearch ", "ldapadd ", "ldapmodify ", "ldapwhoami "], Form::From(concat!(r"ldap[a-z]+ (?:[^\n|;]{0,200}?\s)??-w ", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["unzip ", "zip "], Form::From(concat!(r"zip (?:[^\n|;]{0,80}?\s)??-P ", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["-storepass ", "-keypass ", "-srcstorepass ", "-deststorepass "], Form::From(concat!(r"-[a-z]+pass ", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["-pass pass:", "-passin pass:", "-passout pass:"], Form::From(r#"-pass(?:in|out)? pass:([^\s"'$|;&]{3,})"#)).if_value(is_command_password),
    kind("password on a command line", &["openssl enc "], Form::From(concat!(r"openssl enc (?:[^\n|;]{0,160}?\s)??-k ", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["ConvertTo-SecureString "], Form::From(r#"ConvertTo-SecureString (?:-\S+ )*(?:"([^"\n$]{3,})"|'([^'\n]{3,})')"#)).if_value(is_command_password),
    kind("token on a command line", &["vault login "], Form::From(r"vault login (?:-\S+ )*(?:token=)?([A-Za-z0-9_.-]{20,})")).if_value(is_mixed),
    kind("password on a command line", &["htpasswd "], Form::From(concat!(r"htpasswd -[a-zA-Z]*b[a-zA-Z]* (?:\S+ )?\S+ ", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["rabbitmqctl "], Form::From(concat!(r"rabbitmqctl (?:add_user|change_password|authenticate_user) \S+ ", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["smbclient "], Form::From(r#"smbclient (?:[^\n|;]{0,120}?\s)??-U ?["']?[^\s"'%]+%([^\s"'$]{3,})"#)).if_value(is_command_password),
    kind("password on a command line", &["net use "], Form::From(concat!(r"net use [^\n]{0,120}?/user:\S+ ", argument!()))).if_value(is_command_password),
    kind("password on a command line", &["xfreerdp ", "xfreerdp3 ", "wfreerdp "], Form::From(r"freerdp3? [^\n]{0,120}?/p:([^\s$]{3,})")).if_value(is_command_password),
    kind("password on a command line", &["useradd ", "usermod "], Form::From(concat!(r"user(?:add|mod) (?:[^\n|;]{0,120}?\s)??(?:-p|--password)[ =]", argument!()))).if_value(is_command_password),
    kind("password on standard input", &["| chpasswd", "| sudo chpasswd", "|chpasswd"], Form::Line(r#"(?:echo|printf) (?:-\S+ )?["']?[A-Za-z0-9_.-]+:([^"'\n|$]{3,}?)["']? *\|"#)).if_value(is_command_password),
    kind("password on standard input", &["sudo -S", "--password-stdin", "--with-token"], Form::Line(r#"(?:echo|printf) (?:-\S+ |["']%s["'] )?(?:"([^"\n$]{3,})"|'([^'\n]{3,})'|([^\s"'$|]{3,})) *\|"#)).if_value(is_command_password),
    // Notes.
    kind("password in a sentence", &["ogin with ", "ogin as ", "ogin: ", "redentials: ", "og in with ", "og in as "], Form::From(r#"[a-z ]+:? `?[A-Za-z0-9_.@-]+`?(?:`? / `?|:|, password )`?([^\s`"',;]{6,})"#)).if_value(is_unmistakable),
    kind("password in a sentence", &["` / `"], Form::From(r"` / `([^\s`]{6,})`")).if_value(|value| is_unmistakable(value) && has_digit_and_letter(value)),
    kind("password in a sentence", &["` / `"], Form::Line(r"(?i)(?:user|login|password|credential|sign in|log in|account)[^\n]*` / `([^\s`]{6,})`")).if_value(is_command_password),
    kind("password in a sentence", &[" password: "], Form::Line(r#"^(?:[-*] )?[A-Z][A-Za-z-]*(?: [A-Za-z-]+){0,3} password: ([^\s`"',;]{6,})$"#)).if_value(is_unmistakable),
    kind("token in a sentence", &["oken for ", "ey for "], Form::From(r"(?:oken|ey) for [A-Za-z -]{1,40}: ?`?([A-Za-z0-9_-]{20,})")).if_value(is_mixed),
    // Calls that take a password or a key by its position.
    kind("password in a call", &["new mysqli(", "mysqli_connect(", "new PDO(", "getConnection(", "mysql_connect("], Form::From(r#"[A-Za-z_ ]+\(\s*(?:["'][^"'\n]*["']|[^"'(),\n]+)\s*,\s*(?:["'][^"'\n]*["']|[^"'(),\n]+)\s*,\s*(?:"([^"\n]+)"|'([^'\n]+)')"#)).if_value(is_password_argument),
    kind("password in a call", &["asicAuth(", "basic_auth", "asic_auth(", "auth=(", "NetworkCredential(", "Credentials.basic("], Form::From(r#"[A-Za-z_.=]*[( ]\s*(?:["'][^"'\n]*["']|[A-Za-z_][A-Za-z0-9_.]*)\s*,\s*(?:Some\(\s*)?(?:"([^"\n]+)"|'([^'\n]+)')"#)).if_value(is_password_argument),
    kind("password in a call", &["login(", "ogIn(", "signIn(", "sign_in(", "authenticate("], Form::From(r#"[A-Za-z_]+\(\s*["'][^"'\n]*["']\s*,\s*(?:"([^"\n]+)"|'([^'\n]+)')\s*\)"#)).if_value(is_unmistakable),
    kind("signing key in a call", &["jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode(", "createHmac(", "JWT.encode(", "JWT.decode("], Form::From(r#"[A-Za-z.]+\([^"'`\n]*(?:["'][A-Za-z0-9-]+["'])?[^"'`\n]*,\s*(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`)"#)).if_value(is_random_key),
    kind("signing key in a call", &["HMAC256(", "HMAC384(", "HMAC512(", "cookieParser(", "Fernet(", "hmac.new("], Form::From(r#"[A-Za-z0-9.]+\(\s*b?(?:"([^"\n]+)"|'([^'\n]+)')"#)).if_value(is_random_key),
];
