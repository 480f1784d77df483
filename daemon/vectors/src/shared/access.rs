//! Access to a store: LanceDB's options for its address, and the credentials of its provider.
//!
//! S3 credentials are found by the provider's own rules: `~/.aws`, the profile in the daemon's environment, the machine's
//! role. For storage accounts Azure has only one such rule: the section `[storage]` of the Azure CLI's own file, which is
//! read here. Nothing is taken from a project, and nothing is written.

use std::collections::HashMap;
use std::path::Path;

use claudevil_child::vectors::sharing::SharedStore;

use super::error::SharedError;

/// Options of LanceDB's HTTP clients: a store that does not answer costs seconds, and the daemon tries again later.
const PATIENCE: [(&str, &str); 5] = [
    ("connect_timeout", "5s"),
    ("timeout", "30s"),
    ("client_max_retries", "2"),
    ("client_retry_timeout", "20"),
    ("download_retry_count", "2"),
];

/// The variable that names a section of the Azure CLI's file; AWS has one of its own.
pub(super) const AZURE_PROFILE: &str = "CLAUDEVIL_AZURE_PROFILE";

/// Returns the options for a store.
pub(super) fn options(
    store: &SharedStore,
    home: Option<&Path>,
    azure_profile: Option<&str>,
) -> Result<HashMap<String, String>, SharedError> {
    let mut options = HashMap::new();
    let mut set = |key: &str, value: &str| options.insert(key.to_owned(), value.to_owned());
    let scheme = store.location.split_once("://").map(|(scheme, _)| scheme);
    let Some(scheme) = scheme else {
        if !Path::new(&store.location).is_dir() {
            return Err(SharedError::unusable(format!(
                "{} is not there (is the share mounted?)",
                store.location
            )));
        }
        return Ok(options);
    };
    for (key, value) in PATIENCE {
        set(key, value);
    }
    if let Some(endpoint) = &store.endpoint {
        let is_plain = endpoint.starts_with("http://");
        set("allow_http", if is_plain { "true" } else { "false" });
    }
    match scheme {
        "s3" => {
            if let Some(endpoint) = &store.endpoint {
                set("aws_endpoint", endpoint);
            }
            // A server that is not Amazon's accepts any region, and cannot be asked for one.
            match (&store.region, &store.endpoint) {
                (Some(region), _) => _ = set("aws_region", region),
                (None, Some(_)) => _ = set("aws_region", "us-east-1"),
                (None, None) => {}
            }
        }
        "az" => {
            if let Some(home) = home {
                let section = azure_profile.unwrap_or("storage");
                for (key, value) in azure_settings(&home.join(".azure/config"), section) {
                    set(key, &value);
                }
            }
            if let Some(account) = &store.account {
                set("azure_storage_account_name", account);
            }
            if let Some(endpoint) = &store.endpoint {
                set("azure_storage_endpoint", endpoint);
            }
        }
        other => {
            return Err(SharedError::unusable(format!(
                "{other}:// is not supported by this build: s3://, az:// or a folder"
            )));
        }
    }
    Ok(options)
}

/// Reads a section of the Azure CLI's file: `account`, `key` and `sas_token`, or a `connection_string`.
#[expect(clippy::disallowed_methods, reason = "the provider's own file")]
fn azure_settings(file: &Path, section: &str) -> Vec<(&'static str, String)> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return vec![];
    };
    let header = format!("[{section}]");
    let lines = text.lines().map(str::trim);
    let lines = lines.skip_while(|line| *line != header).skip(1);
    let pairs = lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='));
    let mut found = vec![];
    for (key, value) in pairs {
        let value = value.trim();
        match key.trim() {
            "connection_string" => {
                let parts = value.split(';').filter_map(|part| part.split_once('='));
                found.extend(parts.filter_map(|(key, value)| setting(key, value)));
            }
            key => found.extend(setting(key, value)),
        }
    }
    found
}

fn setting(key: &str, value: &str) -> Option<(&'static str, String)> {
    let key = match key {
        "account" | "AccountName" => "azure_storage_account_name",
        "key" | "AccountKey" => "azure_storage_account_key",
        "sas_token" | "SharedAccessSignature" => "azure_storage_sas_token",
        _ => return None,
    };
    Some((key, value.to_owned()))
}

#[cfg(test)]
mod tests {
    use claudevil_child::vectors::sharing::Access;

    use super::*;

    fn store(location: &str) -> SharedStore {
        SharedStore {
            location: location.to_owned(),
            secret: "s".repeat(32),
            access: Access::Read,
            endpoint: None,
            region: None,
            account: None,
        }
    }

    #[test]
    fn azure_credentials_come_from_the_section_of_the_clis_own_file() {
        let home = tempfile::tempdir().expect("a directory");
        let folder = home.path().join(".azure");
        std::fs::create_dir(&folder).expect("made");
        let text = "[cloud]\nkey = wrong\n[storage]\naccount = ours\nkey = a2V5PT0=\n\n[team]\n\
                    connection_string = AccountName=theirs;AccountKey=dGVhbQ==;EndpointSuffix=x\n";
        std::fs::write(folder.join("config"), text).expect("written");
        let read = |profile| {
            let options = options(&store("az://c/p"), Some(home.path()), profile).expect("options");
            let get = |key: &str| options.get(key).cloned().unwrap_or_default();
            (
                get("azure_storage_account_name"),
                get("azure_storage_account_key"),
            )
        };
        assert_eq!(read(None), ("ours".to_owned(), "a2V5PT0=".to_owned()));
        assert_eq!(
            read(Some("team")),
            ("theirs".to_owned(), "dGVhbQ==".to_owned())
        );
        assert_eq!(read(Some("nobody")), (String::new(), String::new()));
    }

    #[test]
    fn a_folder_that_is_not_mounted_and_an_unknown_provider_are_refused() {
        let missing = options(&store("/nonexistent/share"), None, None);
        assert!(
            missing
                .expect_err("missing")
                .message
                .contains("is the share mounted")
        );
        let unknown = options(&store("gs://bucket"), None, None);
        assert!(unknown.expect_err("unknown").message.contains("gs://"));
        let plain = SharedStore {
            endpoint: Some("http://127.0.0.1:9000".to_owned()),
            ..store("s3://bucket/team")
        };
        let options = options(&plain, None, None).expect("options");
        assert_eq!(options["allow_http"], "true");
        assert_eq!(options["aws_region"], "us-east-1");
    }
}
