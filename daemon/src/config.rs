//! Configuration: one file, overridden by `CLAUDEVIL_*` variables, with the source of every value.
//!
//! One daemon serves every session of a user, and has the environment of whichever session started it. Settings that
//! decide where text is sent are therefore read from the file alone: a variable of one session must not send away the
//! text of the projects of all others.
//!
//! A value that cannot be used stops the start with a message rather than being replaced in silence; a key that is
//! not known is a warning, so that a newer version's file still works.

mod sharing;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use claudevil_protocol::tools::index_status::Setting;
use toml::Value;
use tracing::level_filters::LevelFilter;

pub use self::sharing::SharingSettings;
use crate::embed;
use claudevil_child::program::VectorsProgram;

/// The default variable of the key. Clients pass on only variables with this prefix.
const KEY_VARIABLE: &str = "CLAUDEVIL_EMBEDDER_KEY";
/// The variable by which ONNX Runtime is commonly found.
const RUNTIME_VARIABLE: &str = "ORT_DYLIB_PATH";
/// The variables of a process that downloads a model.
const NETWORK: [&str; 13] = [
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HF_ENDPOINT",
    "HF_TOKEN",
];

/// Settings that decide where text is sent, to which program, and with which key. `embedder = "remote"` is another, and so
/// is the whole table `[vectors]`.
const FILE_ALONE: [&str; 5] = [
    "embedder_url",
    "embedder_model",
    "embedder_proxy",
    "embedder_key_variable",
    "vectors_program",
];
/// Variables of proxies, which are not used for requests with text.
const PROXIES: [&str; 6] = [
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
];

/// Sources of values besides the file.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub variables: BTreeMap<String, OsString>,
    /// Values of the command line, which take precedence.
    pub command_line: BTreeMap<String, String>,
}

impl Sources {
    /// Reads the environment of this process.
    pub fn environment() -> Self {
        Self {
            variables: variables(),
            command_line: BTreeMap::new(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Config {
    pub log_level: LevelFilter,
    /// The number of days that logs are kept.
    pub log_days: usize,
    /// The time without a client after which the daemon exits; none for never.
    pub idle_exit: Option<Duration>,
    /// The longest wait for running calls when the daemon exits.
    pub drain: Duration,
    pub max_connections: usize,
    /// The most calls of all connections that run at once.
    pub max_calls: usize,
    pub index: IndexSettings,
    pub embedder: embed::Settings,
    /// Every value with its source.
    pub settings: Vec<Setting>,
    /// Variables that are set and ignored, each with the reason. They are among the warnings too.
    pub ignored: Vec<String>,
    /// Unknown keys, and ignored variables.
    pub warnings: Vec<String>,
}

/// The settings of the indexer.
#[derive(Clone, Debug)]
pub struct IndexSettings {
    /// The largest file that is indexed, in bytes.
    pub largest_file: u64,
    pub workers: usize,
    /// The idle time after which memory that can be filled again is given back.
    pub rest_after: Duration,
    /// The idle time after which a root is unloaded.
    pub unload_after: Duration,
    /// The most bytes of all warm roots together.
    pub memory: usize,
    /// The vectors that a team shares.
    pub sharing: Option<SharingSettings>,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{file} cannot be read: {error}")]
    Unreadable { file: String, error: std::io::Error },
    #[error("{file} is not valid TOML: {message}")]
    Malformed { file: String, message: String },
    #[error("{key} = {value}{}: expected {expected}", in_parentheses(.source_name.as_deref()))]
    Invalid {
        key: &'static str,
        value: String,
        /// None for a value of the command line, which whoever typed it knows.
        source_name: Option<String>,
        expected: &'static str,
    },
}

fn in_parentheses(source: Option<&str>) -> String {
    source.map_or_else(String::new, |source| format!(" ({source})"))
}

impl Config {
    /// `data` is the directory of downloaded models and libraries.
    pub fn load(file: &Path, data: &Path, sources: &Sources) -> Result<Self, ConfigError> {
        let file_name = file.display().to_string();
        let mut reader = SettingReader {
            file: read(file)?,
            file_name,
            sources,
            settings: vec![],
            ignored: vec![],
        };
        let config = Self {
            log_level: reader.take(
                "log_level",
                "info",
                "off, error, warn, info, debug or trace",
                |text| text.parse().ok(),
            )?,
            log_days: reader.take("log_days", "7", "1 to 365", number(1..=365))?,
            idle_exit: reader
                .take(
                    "idle_exit_seconds",
                    "1800",
                    "0 (never) to 31536000",
                    number(0..=31_536_000),
                )
                .map(|seconds| (seconds > 0).then(|| Duration::from_secs(seconds as u64)))?,
            drain: reader
                .take("drain_seconds", "30", "0 to 30", number(0..=30))
                .map(|seconds| Duration::from_secs(seconds as u64))?,
            max_connections: reader.take(
                "max_connections",
                "256",
                "1 to 10000",
                number(1..=10_000),
            )?,
            max_calls: reader.take("max_calls", "64", "1 to 1000", number(1..=1000))?,
            index: IndexSettings {
                largest_file: reader.take(
                    "max_file_kb",
                    "2048",
                    "1 to 65536",
                    number(1..=65_536),
                )? as u64
                    * 1024,
                workers: reader.take("workers", &cores(), "1 to 64", number(1..=64))?,
                rest_after: reader
                    .take(
                        "rest_seconds",
                        "60",
                        "1 to 31536000",
                        number(1..=31_536_000),
                    )
                    .map(|seconds| Duration::from_secs(seconds as u64))?,
                unload_after: reader
                    .take(
                        "unload_seconds",
                        "900",
                        "1 to 31536000",
                        number(1..=31_536_000),
                    )
                    .map(|seconds| Duration::from_secs(seconds as u64))?,
                memory: reader.take("memory_mb", "1024", "1 to 1048576", number(1..=1_048_576))?
                    << 20,
                sharing: sharing::sharing(&mut reader)?,
            },
            embedder: embedder(&mut reader, data)?,
            settings: vec![],
            ignored: vec![],
            warnings: vec![],
        };
        let known: Vec<_> = reader
            .settings
            .iter()
            .map(|setting| setting.key.clone())
            .collect();
        let unknown = keys(&reader.file);
        let unknown = unknown.iter().filter(|key| !known.contains(key));
        let unknown = unknown.map(|key| {
            format!(
                "{}: `{key}` is not a known key; known are {}",
                reader.file_name,
                known.join(", ")
            )
        });
        let warnings = unknown.chain(reader.ignored.iter().cloned()).collect();
        Ok(Self {
            settings: reader.settings,
            ignored: reader.ignored,
            warnings,
            ..config
        })
    }
}

fn embedder(reader: &mut SettingReader<'_>, data: &Path) -> Result<embed::Settings, ConfigError> {
    let choice = reader.take(
        "embedder",
        "static",
        embed::Choice::EXPECTED,
        embed::Choice::parse,
    )?;
    let runtime = runtime_paths(reader, data)?;
    let program = reader.take(
        "vectors_program",
        "",
        "the absolute path of claudevil-vectors",
        absolute_path,
    )?;
    let threads = reader.take(
        "embedder_threads",
        &half_the_cores(),
        "1 to 64",
        number(1..=64),
    )?;
    let url = reader.address("embedder_url")?.unwrap_or_default();
    let model = reader.text("embedder_model", "")?.trim().to_owned();
    let proxy = reader.address("embedder_proxy")?;
    hide_credentials(&mut reader.settings, &["embedder_url", "embedder_proxy"]);
    let key_variable = reader.take(
        "embedder_key_variable",
        KEY_VARIABLE,
        "the name of a variable",
        |text| {
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            (!text.is_empty() && text.chars().all(is_name)).then(|| text.to_owned())
        },
    )?;
    let batch = reader.take("embedder_batch", "32", "1 to 2048", number(1..=2048))?;
    let patience = reader.take(
        "embedder_timeout_seconds",
        "30",
        "1 to 600",
        number(1..=600),
    )?;
    let query = reader.text("embedder_query_prefix", "")?;
    let document = reader.text("embedder_document_prefix", "")?;
    // The key itself is no setting: it is in no file of ours, and never shown.
    let key = reader
        .sources
        .variables
        .get(&key_variable)
        .and_then(|key| embed::Key::new(&key.to_string_lossy()));
    let prefixes = embed::Prefixes { query, document };
    let patience = Duration::from_secs(patience as u64);
    let remote = embed::RemoteSettings {
        url,
        model,
        proxy,
        key,
        key_variable,
        batch,
        patience,
        prefixes,
    };
    if choice == embed::Choice::Remote && remote.proxy.is_none() && !remote.is_local() {
        reader.ignore_proxies();
    }
    let variables = &reader.sources.variables;
    let network = NETWORK
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), variables.get(*name)?.clone())));
    let (models, network) = (data.join("models"), network.collect());
    Ok(embed::Settings {
        choice,
        remote,
        models,
        runtime,
        program: program.map(VectorsProgram::at).unwrap_or_default(),
        threads,
        network,
        shows_progress: false,
    })
}

fn runtime_paths(
    reader: &mut SettingReader<'_>,
    data: &Path,
) -> Result<embed::runtime::LibraryPaths, ConfigError> {
    let set = reader.take(
        "embedder_runtime",
        "",
        "the absolute path of ONNX Runtime's library",
        absolute_path,
    )?;
    let variables = &reader.sources.variables;
    let variable = variables
        .get(RUNTIME_VARIABLE)
        .filter(|path| !path.is_empty())
        .map(Into::into);
    Ok(embed::runtime::LibraryPaths {
        set,
        variable,
        installed: embed::runtime::LibraryPaths::folder(data),
    })
}

/// Parses an absolute path, or an empty text.
#[expect(
    clippy::option_option,
    reason = "the outer one is a value that cannot be used"
)]
fn absolute_path(text: &str) -> Option<Option<PathBuf>> {
    let is_path = text.is_empty() || Path::new(text).is_absolute();
    is_path.then(|| (!text.is_empty()).then(|| text.into()))
}

fn half_the_cores() -> String {
    std::thread::available_parallelism()
        .map_or(1, |cores| (cores.get() / 2).clamp(1, 8))
        .to_string()
}

fn cores() -> String {
    std::thread::available_parallelism()
        .map_or(2, |cores| cores.get().min(8))
        .to_string()
}

/// Returns the environment of this process.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where the daemon's environment is read"
)]
pub fn variables() -> BTreeMap<String, OsString> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .collect()
}

/// Hides the user and password in URLs, which a status must not show.
fn hide_credentials(settings: &mut [Setting], keys: &[&str]) {
    for setting in settings
        .iter_mut()
        .filter(|setting| keys.contains(&setting.key.as_str()))
    {
        setting.value = embed::hide_credentials(&setting.value);
    }
}

/// Reads settings from all sources, and records where each value comes from.
struct SettingReader<'a> {
    file: toml::Table,
    file_name: String,
    sources: &'a Sources,
    settings: Vec<Setting>,
    ignored: Vec<String>,
}

impl SettingReader<'_> {
    fn take<T>(
        &mut self,
        key: &'static str,
        default: &str,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let (value, source) = if let Some(value) = self.sources.command_line.get(key) {
            (value.clone(), None)
        } else if let Some((value, variable)) = self.variable(key) {
            (value, Some(variable))
        } else if let Some(value) = value_of(&self.file, key) {
            (plain(value), Some(self.file_name.clone()))
        } else {
            (default.to_owned(), Some("default".to_owned()))
        };
        let parsed = parse(value.trim()).ok_or_else(|| ConfigError::Invalid {
            key,
            value: value.clone(),
            source_name: source.clone(),
            expected,
        })?;
        self.settings.push(Setting {
            key: key.to_owned(),
            value,
            source: source.unwrap_or_else(|| "the command line".to_owned()),
        });
        Ok(parsed)
    }

    /// Returns the value of a key in the environment, with the name of its variable. A value that may come from the file alone
    /// is recorded as ignored.
    fn variable(&mut self, key: &str) -> Option<(String, String)> {
        let name = format!("CLAUDEVIL_{}", key.to_uppercase().replace('.', "_"));
        let value = self
            .sources
            .variables
            .get(&name)?
            .to_string_lossy()
            .into_owned();
        let is_for_file_alone = FILE_ALONE.contains(&key)
            || key.starts_with("vectors.")
            || (key == "embedder" && value.trim() == "remote");
        if !is_for_file_alone {
            return Some((value, name));
        }
        if !value.is_empty() {
            let file = &self.file_name;
            self.ignored.push(format!(
                "{name} is set in the environment and ignored: where text is sent is read from `{key}` in {file} alone"
            ));
        }
        None
    }

    /// Hides the value of a setting, which a status must not show.
    fn hide(&mut self, key: &str) {
        let shown = self.settings.iter_mut();
        for setting in shown.filter(|setting| setting.key == key && !setting.value.is_empty()) {
            "****".clone_into(&mut setting.value);
        }
    }

    fn ignore_proxies(&mut self) {
        let is_set = |name: &&&str| {
            self.sources
                .variables
                .get(**name)
                .is_some_and(|value| !value.is_empty())
        };
        let names: Vec<_> = PROXIES.iter().filter(is_set).copied().collect();
        if !names.is_empty() {
            let (names, file) = (names.join(", "), &self.file_name);
            self.ignored.push(format!(
                "{names}: not used for the embedding server; set `embedder_proxy` in {file} if it is reached by a proxy"
            ));
        }
    }

    /// Reads any text, with the spaces around it.
    fn text(&mut self, key: &'static str, default: &str) -> Result<String, ConfigError> {
        self.take(key, default, "a text", |_| Some(()))?;
        Ok(self
            .settings
            .last()
            .map(|setting| setting.value.clone())
            .unwrap_or_default())
    }

    /// Reads an HTTP address, if one is set.
    fn address(&mut self, key: &'static str) -> Result<Option<String>, ConfigError> {
        let expected = "an address that begins with http:// or https://";
        let parse = |text: &str| {
            let is_address = text.starts_with("http://") || text.starts_with("https://");
            (is_address || text.is_empty()).then(|| text.to_owned())
        };
        let address = self.take(key, "", expected, parse)?;
        Ok(Some(address).filter(|address| !address.is_empty()))
    }
}

/// Returns the value of a key, which may be in a table: `vectors.shared`.
fn value_of<'a>(file: &'a toml::Table, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        Some((table, key)) => file.get(table)?.as_table()?.get(key),
        None => file.get(key),
    }
}

/// Returns the keys of a file; those in a table with its name: `vectors.shared`.
fn keys(file: &toml::Table) -> Vec<String> {
    let one = |(key, value): (&String, &Value)| match value.as_table() {
        Some(table) => table.keys().map(|inner| format!("{key}.{inner}")).collect(),
        None => vec![key.clone()],
    };
    file.iter().flat_map(one).collect()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn number(range: std::ops::RangeInclusive<usize>) -> impl Fn(&str) -> Option<usize> {
    move |text| text.parse().ok().filter(|number| range.contains(number))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the daemon's own file, not a root's"
)]
fn read(file: &Path) -> Result<toml::Table, ConfigError> {
    match fs::read_to_string(file) {
        Ok(text) => text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| {
                1 + text[..span.start.min(text.len())].matches('\n').count()
            });
            ConfigError::Malformed {
                file: file.display().to_string(),
                message: format!("line {line}: {}", error.message()),
            }
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(toml::Table::new()),
        Err(error) => Err(ConfigError::Unreadable {
            file: file.display().to_string(),
            error,
        }),
    }
}

#[cfg(test)]
mod tests;
