//! The settings of vectors that a team shares: the table `[vectors]` of the file.
//!
//! They decide where vectors go and with whose credentials, so they are read from the file alone. Credentials themselves
//! are no setting: they are in the provider's own files. Variables with credentials are passed on where the daemon has
//! them, which is where a service's unit sets them: clients give a daemon that they start none.

use std::ffi::OsString;
use std::path::Path;

use claudevil_child::vectors::sharing::{Access, SharedStore};

use super::{ConfigError, SettingReader};

/// The shortest secret: shorter ones can be guessed by whoever reads the store.
const SHORTEST_SECRET: usize = 32;
/// Variables of the process that reads and writes the store, with and without a profile.
const ALWAYS: [&str; 4] = ["HOME", "USERPROFILE", "SSL_CERT_FILE", "SSL_CERT_DIR"];
const CREDENTIALS: [&str; 20] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_REGION",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_TENANT_ID",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_AUTHORITY_HOST",
];

/// The store that a team shares, and the environment of the process that uses it.
#[derive(Clone, Debug)]
pub struct SharingSettings {
    pub store: SharedStore,
    pub environment: Vec<(String, OsString)>,
}

pub(super) fn sharing(
    reader: &mut SettingReader<'_>,
) -> Result<Option<SharingSettings>, ConfigError> {
    let location = reader.take(
        "vectors.shared",
        "",
        "s3://BUCKET/PREFIX, az://CONTAINER/PREFIX or the absolute path of a folder (gs:// is not supported yet)",
        |text| {
            let text = text.trim_end_matches('/');
            let rest = text.strip_prefix("s3://").or(text.strip_prefix("az://"));
            let is_one = text.is_empty()
                || rest.is_some_and(|rest| !rest.is_empty())
                || Path::new(text).is_absolute();
            is_one.then(|| text.to_owned())
        },
    )?;
    let is_set = !location.is_empty();
    let secret = reader.take(
        "vectors.secret",
        "",
        "32 characters or more, the same for the whole team: `openssl rand -hex 32` makes one",
        |text| (!is_set || text.len() >= SHORTEST_SECRET).then(|| text.to_owned()),
    );
    reader.hide("vectors.secret");
    let secret = secret.map_err(without_value)?;
    let read_only = reader.take("vectors.read_only", "false", "true or false", |text| {
        text.parse().ok()
    })?;
    let mut text = |key| {
        reader.take(key, "", "a text", |text| {
            Some((!text.is_empty()).then(|| text.to_owned()))
        })
    };
    let (profile, region, account) = (
        text("vectors.profile")?,
        text("vectors.region")?,
        text("vectors.account")?,
    );
    let endpoint = reader.address("vectors.endpoint")?;
    let variables = &reader.sources.variables;
    // A profile that is named is meant, whatever else there is.
    let credentials = CREDENTIALS.iter().filter(|_| profile.is_none());
    let mut environment: Vec<(String, OsString)> = ALWAYS
        .iter()
        .chain(credentials)
        .filter_map(|name| Some(((*name).to_owned(), variables.get(*name)?.clone())))
        .collect();
    for name in ["AWS_PROFILE", "CLAUDEVIL_AZURE_PROFILE"] {
        environment.extend(
            profile
                .iter()
                .map(|profile| (name.to_owned(), profile.into())),
        );
    }
    let access = if read_only {
        Access::Read
    } else {
        Access::ReadAndWrite
    };
    Ok(is_set.then_some(SharingSettings {
        store: SharedStore {
            location,
            secret,
            access,
            endpoint,
            region,
            account,
        },
        environment,
    }))
}

/// Removes the value from an error, which is shown and logged.
fn without_value(error: ConfigError) -> ConfigError {
    match error {
        ConfigError::Invalid {
            key,
            source_name,
            expected,
            ..
        } => ConfigError::Invalid {
            key,
            value: "****".to_owned(),
            source_name,
            expected,
        },
        other => other,
    }
}
