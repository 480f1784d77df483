//! Recognises files that contain mainly secrets, by their names.

/// Whole names, in lower case.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    ".env", ".envrc", ".flaskenv", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".mylogin.cnf",
    ".htpasswd", ".htdigest", ".git-credentials", ".dockercfg", ".boto", ".s3cfg", ".terraformrc", "terraform.rc",
    ".vault-token", ".vault_pass", "vault_pass.txt", ".yarnrc.secret", "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk",
    "id_ed25519", "id_ed25519_sk", "credentials.json", "client_secret.json", "client_secrets.json",
    "service-account.json", "service_account.json", "serviceaccount.json", "application_default_credentials.json",
    "master.key", "credentials.yml.enc", "accesstokens.json", "azureprofile.json", "kubeconfig", "rclone.conf",
    "wp-config.php", ".remote-sync.json", "secring.gpg", ".secrets", "secrets.yml", "secrets.yaml", "secrets.json",
    "secrets.toml", "secrets.ini", "secrets.properties", "secrets.txt",
];

/// Ends of names, in lower case.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    ".pem", ".key", ".p8", ".ppk", ".pvk", ".kdb", ".kdbx", ".keychain", ".keychain-db", ".agilekeychain", ".opvault",
    ".psafe3", ".tfstate", ".tfstate.backup", ".tfvars", ".tfvars.json", ".ovpn", ".gpg-key", ".secring", ".kubeconfig",
    ".mobileprovision", ".env", "_rsa", "_ed25519", "_ecdsa", "_dsa", ".asc.key", ".age-key",
];

/// Ends of names of key stores, in lower case. These contain a private key even if the rest of the name is harmless:
/// `public.pfx`.
const STORES: &[&str] = &[
    ".p12",
    ".pfx",
    ".pkcs12",
    ".jks",
    ".jceks",
    ".bks",
    ".keystore",
];

/// Ends of paths below a home directory, in lower case.
#[rustfmt::skip]
const PATHS: &[&str] = &[
    ".aws/credentials", ".aws/config", ".kube/config", ".docker/config.json", ".config/gh/hosts.yml", ".config/hub",
    ".config/gcloud/credentials.db", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
    ".m2/settings-security.xml", ".azure/accesstokens.json", ".config/op/config", "etc/shadow",
];

/// Ends of names of files that contain placeholders or are meant to be public.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    ".example", ".sample", ".template", ".dist", ".tmpl", ".tpl", ".pub", ".defaults", ".schema", ".crt", ".cer",
    ".csr", "-example", "-sample", "-template", "_example", "_sample", "_template",
];
const SAMPLE_STARTS: &[&str] = &["example.", "sample.", "template."];
/// Beginnings of names of public keys and certificates.
const PUBLIC_STARTS: &[&str] = &[
    "public.",
    "cert.",
    "ca.pem",
    "ca-cert",
    "cacert",
    "fullchain",
    "chain.",
];

/// Returns whether a file is never indexed, because its name says that it contains secrets.
pub fn is_secret_file(path: &str) -> bool {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    if STORES
        .iter()
        .any(|end| name.len() > end.len() && name.ends_with(end))
    {
        return true;
    }
    let is_sample = is_sample(name) || SAMPLE_STARTS.iter().any(|start| name.starts_with(start));
    // An environment file may have any name: `public.env`.
    let is_environment = name.starts_with(".env.") || has_extension(name, "env");
    if is_sample || !is_environment && is_public(name) {
        return false;
    }
    NAMES.contains(&name) && !(name.starts_with("secrets.") && is_template(&path))
        || name.starts_with(".env.")
        || ENDS
            .iter()
            .any(|end| name.len() > end.len() && name.ends_with(end))
        || PATHS.iter().any(|end| {
            path.strip_suffix(end)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
}

/// Returns whether a name is that of an environment file, such as `.env` or `.env.local`, and not of a sample.
pub fn is_environment_file(name: &str) -> bool {
    !is_sample(name) && (name == ".env" || name.starts_with(".env.") || name == ".envrc")
}

/// Returns whether a file has placeholders in place of values. A local one has those of a person: `.env.example.local`.
fn is_sample(name: &str) -> bool {
    HARMLESS.iter().any(|end| name.ends_with(end))
        || (name.contains(".example.") || name.contains(".sample."))
            && !has_extension(name, "local")
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, end)| end == extension)
}

/// Returns whether a file is a template of a Helm chart, which has placeholders in place of values.
fn is_template(path: &str) -> bool {
    path.rsplit('/').nth(1) == Some("templates")
}

/// Returns whether a file is a public key or a certificate.
fn is_public(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let has_word = stem.split(['-', '_', '.']).any(|word| {
        matches!(
            word,
            "public" | "pub" | "cert" | "certificate" | "crt" | "chain" | "fullchain"
        )
    });
    has_word || PUBLIC_STARTS.iter().any(|start| name.starts_with(start))
}

/// Returns whether a line of an environment file sets a variable.
pub fn is_setting(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
    line.split_once('=').is_some_and(|(name, value)| {
        let name = name.trim_end();
        let is_capital =
            |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        name.starts_with(|letter: char| letter.is_ascii_uppercase())
            && name.bytes().all(is_capital)
            && !value.trim().is_empty()
    })
}
