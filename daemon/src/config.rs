//! Configuration: one file, overridden by `CLAUDEVIL_*` variables, with the source of every value.
//!
//! One daemon serves every session of a user, and has the environment of whichever session started it. Settings that
//! decide where text is sent are therefore read from the file alone: a variable of one session must not send away the
//! text of the projects of all others.
//!
//! A value that cannot be used stops the start with a message rather than being replaced in silence; a key that is
//! not known is a warning, so that a newer version's file still works.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use claudevil_protocol::tools::index_status::Setting;
use toml::Value;
use tracing::level_filters::LevelFilter;

use crate::embed;
use claudevil_child::program::VectorsProgram;

/// Clients hand on to the daemon only what begins like this.
const KEY_VARIABLE: &str = "CLAUDEVIL_EMBEDDER_KEY";
/// By which everything that uses ONNX Runtime looks for it.
const RUNTIME_VARIABLE: &str = "ORT_DYLIB_PATH";
/// What a process that downloads a model has to know.
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

/// Settings that decide where text is sent, to which program, and with which secret. `embedder = "remote"` is another.
const FILE_ALONE: [&str; 5] = [
    "embedder_url",
    "embedder_model",
    "embedder_proxy",
    "embedder_key_variable",
    "vectors_program",
];
/// Proxies that many programs use, and requests with text do not.
const PROXIES: [&str; 6] = [
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
];

/// Sources of values beside the file.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub variables: BTreeMap<String, OsString>,
    /// Values that a person typed, which count first.
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
    /// Days of logs that are kept.
    pub log_days: usize,
    /// How long to stay with nobody connected. `None`: for ever.
    pub idle_exit: Option<Duration>,
    /// How long calls under way may take to finish when the daemon leaves.
    pub drain: Duration,
    pub max_connections: usize,
    /// Calls that run at once, of all connections together.
    pub max_calls: usize,
    pub index: IndexSettings,
    pub embedder: embed::Settings,
    /// Every value in force and where it comes from.
    pub settings: Vec<Setting>,
    /// Variables that are set and do not count, each with the reason. They are among the warnings too.
    pub ignored: Vec<String>,
    /// Keys that are not known, and variables that do not count.
    pub warnings: Vec<String>,
}

/// What the indexer goes by.
#[derive(Clone, Debug)]
pub struct IndexSettings {
    /// Larger files are left out.
    pub largest_file: u64,
    pub workers: usize,
    /// A root that nobody asked about for this long is unloaded.
    pub unload_after: Duration,
    /// What all warm roots may take together.
    pub memory: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{file} cannot be read: {error}")]
    Unreadable { file: String, error: std::io::Error },
    #[error("{file} is not valid TOML: {message}")]
    Malformed { file: String, message: String },
    #[error("{key} = {value} ({source_name}): it takes {expected}")]
    Invalid {
        key: &'static str,
        value: String,
        source_name: String,
        expected: &'static str,
    },
}

impl Config {
    /// `data` is where models and libraries lie that we got ourselves.
    pub fn load(file: &Path, data: &Path, sources: &Sources) -> Result<Self, ConfigError> {
        let file_name = file.display().to_string();
        let mut reader = Reader {
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
        let unknown = reader.file.keys().filter(|key| !known.contains(key));
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

fn embedder(reader: &mut Reader<'_>, data: &Path) -> Result<embed::Settings, ConfigError> {
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
    let url = reader.take(
        "embedder_url",
        "",
        "an address that begins with http:// or https://",
        |text| {
            let is_one =
                text.is_empty() || text.starts_with("http://") || text.starts_with("https://");
            is_one.then(|| text.to_owned())
        },
    )?;
    let model = reader.text("embedder_model", "")?.trim().to_owned();
    let proxy = reader.take(
        "embedder_proxy",
        "",
        "an address that begins with http:// or https://",
        |text| {
            let is_one = text.starts_with("http://") || text.starts_with("https://");
            (is_one || text.is_empty()).then(|| (!text.is_empty()).then(|| text.to_owned()))
        },
    )?;
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
    // The key itself is no setting: it is never in a file of ours, and never shown.
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
        program: VectorsProgram { set: program },
        threads,
        network,
        shows_progress: false,
    })
}

fn runtime_paths(
    reader: &mut Reader<'_>,
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

/// None where nothing is set.
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

/// The variables of the daemon, of which those count that are asked for by name.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where the daemon's environment is read"
)]
pub fn variables() -> BTreeMap<String, OsString> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .collect()
}

/// Addresses may hold a name and a password, which a status must not show.
fn hide_credentials(settings: &mut [Setting], keys: &[&str]) {
    for setting in settings
        .iter_mut()
        .filter(|setting| keys.contains(&setting.key.as_str()))
    {
        if let Some((scheme, rest)) = setting.value.split_once("://")
            && let Some((_, host)) = rest.split_once('@')
        {
            setting.value = format!("{scheme}://****@{host}");
        }
    }
}

struct Reader<'a> {
    file: toml::Table,
    file_name: String,
    sources: &'a Sources,
    settings: Vec<Setting>,
    ignored: Vec<String>,
}

impl Reader<'_> {
    fn take<T>(
        &mut self,
        key: &'static str,
        default: &str,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let (value, source) = if let Some(value) = self.sources.command_line.get(key) {
            (value.clone(), "the command line".to_owned())
        } else if let Some(found) = self.variable(key) {
            found
        } else if let Some(value) = self.file.get(key) {
            (plain(value), self.file_name.clone())
        } else {
            (default.to_owned(), "default".to_owned())
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
            source,
        });
        Ok(parsed)
    }

    /// The value that the environment has for a key, and the name of its variable. One that may come from the file alone
    /// is noted and does not count.
    fn variable(&mut self, key: &str) -> Option<(String, String)> {
        let name = format!("CLAUDEVIL_{}", key.to_uppercase());
        let value = self
            .sources
            .variables
            .get(&name)?
            .to_string_lossy()
            .into_owned();
        let is_for_file_alone =
            FILE_ALONE.contains(&key) || (key == "embedder" && value.trim() == "remote");
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

    /// Any text, with the spaces around it.
    fn text(&mut self, key: &'static str, default: &str) -> Result<String, ConfigError> {
        self.take(key, default, "a text", |_| Some(()))?;
        Ok(self
            .settings
            .last()
            .map(|setting| setting.value.clone())
            .unwrap_or_default())
    }
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
mod tests {
    use super::*;
    use crate::embed::RemoteSettings;

    fn load(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let scratch = tempfile::tempdir().expect("a directory");
        let file = scratch.path().join("config.toml");
        fs::write(&file, text).expect("written");
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).into()))
            .collect();
        Config::load(
            &file,
            scratch.path(),
            &Sources {
                variables,
                ..Sources::default()
            },
        )
    }

    fn setting<'a>(config: &'a Config, key: &str) -> &'a Setting {
        config
            .settings
            .iter()
            .find(|setting| setting.key == key)
            .expect("a setting")
    }

    #[test]
    fn variables_win_over_the_file_and_the_file_over_defaults() {
        let config = load(
            "max_calls = 8\nlog_days = 3\n",
            &[("CLAUDEVIL_LOG_DAYS", "5")],
        )
        .expect("valid");
        assert_eq!(
            (config.max_calls, config.log_days, config.max_connections),
            (8, 5, 256)
        );
        assert_eq!(setting(&config, "log_days").source, "CLAUDEVIL_LOG_DAYS");
        assert!(
            setting(&config, "max_calls")
                .source
                .ends_with("config.toml")
        );
        assert_eq!(setting(&config, "max_connections").source, "default");
    }

    #[test]
    fn a_bad_value_names_its_key_source_and_range() {
        let error = load("max_calls = 0\n", &[])
            .expect_err("out of range")
            .to_string();
        assert!(
            error.contains("max_calls = 0") && error.contains("1 to 1000"),
            "{error}"
        );
        let error = load("\nmax_calls = \n", &[])
            .expect_err("malformed")
            .to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn the_model_is_one_of_those_that_are_known() {
        let chosen = |text: &str| load(text, &[]).expect("valid").embedder.choice;
        assert_eq!(chosen(""), embed::Choice::Static);
        assert_eq!(chosen("embedder = \"none\"\n"), embed::Choice::None);
        assert_eq!(chosen("embedder = \"remote\"\n"), embed::Choice::Remote);
        let named = embed::Choice::Named("all-minilm-l6-v2".to_owned());
        assert_eq!(chosen("embedder = \"all-minilm-l6-v2\"\n"), named);
        let error = load("", &[("CLAUDEVIL_EMBEDDER", "large")])
            .expect_err("unknown")
            .to_string();
        assert!(
            error.contains("embedder = large") && error.contains(embed::Choice::EXPECTED),
            "{error}"
        );
    }

    #[test]
    fn a_key_is_taken_from_the_named_variable_and_shown_nowhere() {
        let text = "embedder_key_variable = \"MY_KEY\"\nembedder_query_prefix = \"query: \"\n";
        let config = load(
            text,
            &[("MY_KEY", "s3cret"), ("CLAUDEVIL_EMBEDDER_KEY", "another")],
        )
        .expect("valid");
        let remote = &config.embedder.remote;
        assert_eq!(remote.key.as_ref().map(embed::Key::reveal), Some("s3cret"));
        assert_eq!(remote.prefixes.query, "query: ");
        assert!(!format!("{config:?}").contains("s3cret"));
        assert!(
            load("embedder_key = \"s3cret\"\n", &[])
                .expect("valid")
                .warnings[0]
                .contains("not a known key")
        );
        let error = load("embedder_url = \"ftp://a\"\n", &[])
            .expect_err("no address")
            .to_string();
        assert!(error.contains("embedder_url = ftp://a"), "{error}");
    }

    #[test]
    fn no_variable_decides_where_text_is_sent() {
        let variables = [
            ("CLAUDEVIL_EMBEDDER", "remote"),
            ("CLAUDEVIL_EMBEDDER_URL", "http://elsewhere.example/v1"),
            ("CLAUDEVIL_EMBEDDER_MODEL", "theirs"),
            ("CLAUDEVIL_EMBEDDER_PROXY", "http://elsewhere.example:3128"),
            ("CLAUDEVIL_EMBEDDER_KEY_VARIABLE", "AWS_SECRET_ACCESS_KEY"),
            ("AWS_SECRET_ACCESS_KEY", "s3cret"),
        ];
        let config = load("", &variables).expect("valid");
        assert_eq!(config.embedder.choice, embed::Choice::Static);
        assert_eq!(config.ignored.len(), 5, "{:?}", config.ignored);
        assert_eq!(config.ignored, config.warnings);
        assert!(
            config.ignored[0]
                .starts_with("CLAUDEVIL_EMBEDDER is set in the environment and ignored")
        );
        let text = "embedder = \"remote\"\nembedder_url = \"http://ours.example/v1\"\nembedder_model = \"ours\"\n";
        let RemoteSettings {
            url,
            model,
            proxy,
            key,
            ..
        } = load(text, &variables).expect("valid").embedder.remote;
        assert_eq!(
            (url.as_str(), model.as_str(), proxy, key),
            ("http://ours.example/v1", "ours", None, None)
        );
        // What keeps text here may come from anywhere.
        assert_eq!(
            load(text, &[("CLAUDEVIL_EMBEDDER", "none")])
                .expect("valid")
                .embedder
                .choice,
            embed::Choice::None
        );
    }

    #[test]
    fn proxies_of_the_environment_are_named_where_they_would_have_been_used() {
        let proxy = [("HTTPS_PROXY", "http://proxy.example:3128")];
        assert!(load("", &proxy).expect("valid").ignored.is_empty());
        let remote = |rest: &str| {
            format!("embedder = \"remote\"\nembedder_url = \"https://ours.example/v1\"\n{rest}")
        };
        let config = load(&remote(""), &proxy).expect("valid");
        assert!(
            config.ignored[0].starts_with("HTTPS_PROXY: not used"),
            "{:?}",
            config.ignored
        );
        let config = load(
            &remote("embedder_proxy = \"http://ada:s3cret@proxy.example\"\n"),
            &proxy,
        )
        .expect("valid");
        assert_eq!(
            config.embedder.remote.proxy.as_deref(),
            Some("http://ada:s3cret@proxy.example")
        );
        assert!(config.ignored.is_empty());
        assert_eq!(
            setting(&config, "embedder_proxy").value,
            "http://****@proxy.example"
        );
        assert!(load(&remote("embedder_proxy = \"proxy.example\"\n"), &[]).is_err());
    }

    #[test]
    fn an_unknown_key_is_a_warning() {
        let config = load("max_cals = 8\n", &[]).expect("valid");
        assert!(config.warnings[0].contains("`max_cals` is not a known key"));
    }

    #[test]
    fn no_idle_exit_is_written_as_zero() {
        assert_eq!(
            load("idle_exit_seconds = 0\n", &[])
                .expect("valid")
                .idle_exit,
            None
        );
    }
}
