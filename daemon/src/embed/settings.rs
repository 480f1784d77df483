//! The settings of embedders: the choice of a model, and what it needs.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use claudevil_child::program::VectorsProgram;
use claudevil_child::transformer::{NAMES, Prefixes, Source};

use super::onnx::OnnxSettings;
use super::runtime::LibraryPaths;

/// The value of `embedder`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The built-in model.
    #[default]
    Static,
    /// No vectors: search by words alone.
    None,
    /// The built-in model, and a transformer by name.
    Named(String),
    /// The built-in model, and a transformer in a folder.
    Directory(PathBuf),
    /// The built-in model, and that of a server.
    Remote,
}

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub choice: Choice,
    pub remote: RemoteSettings,
    /// The folder for downloaded models.
    pub models: PathBuf,
    pub runtime: LibraryPaths,
    /// The program that stores vectors and runs transformers.
    pub program: VectorsProgram,
    /// The threads of a transformer.
    pub threads: usize,
    /// Environment variables for network access.
    pub network: Vec<(String, OsString)>,
    /// Print the progress of a download.
    pub shows_progress: bool,
}

#[derive(Clone, Debug, Default)]
pub struct RemoteSettings {
    /// The base URL of the API: `http://127.0.0.1:11434/v1`.
    pub url: String,
    /// The name of the model on the server.
    pub model: String,
    /// The proxy for requests, unless the server is on this machine.
    pub proxy: Option<String>,
    pub key: Option<Key>,
    /// The environment variable of the key.
    pub key_variable: String,
    /// Texts in one request.
    pub batch: usize,
    /// The longest time for one request.
    pub patience: Duration,
    pub prefixes: Prefixes,
}

/// An API key. Its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim().to_owned();
        (!key.is_empty()).then_some(Self(key))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }
}

impl Choice {
    /// The values that `parse` accepts, for error messages.
    pub const EXPECTED: &'static str = "static, none, remote, a name of `claudevil model list`, or the absolute path of a \
                                        folder with model.onnx and tokenizer.json";

    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "static" => Some(Self::Static),
            "none" => Some(Self::None),
            "remote" => Some(Self::Remote),
            folder if Path::new(folder).is_absolute() => Some(Self::Directory(folder.into())),
            name => NAMES
                .iter()
                .find(|known| known.eq_ignore_ascii_case(name))
                .map(|known| Self::Named((*known).to_owned())),
        }
    }
}

impl Settings {
    pub fn onnx(&self, source: Source) -> OnnxSettings {
        OnnxSettings {
            source,
            models: self.models.clone(),
            runtime: self.runtime.clone(),
            program: self.program.clone(),
            threads: self.threads.max(1),
            prefixes: self.remote.prefixes.clone(),
            network: self.network.clone(),
            shows_progress: self.shows_progress,
        }
    }
}

impl RemoteSettings {
    /// Returns a message about a setting that is missing.
    pub fn problem(&self) -> Option<&'static str> {
        if self.url.is_empty() {
            Some(
                "`embedder_url` is not set: give the address of the server, e.g. http://127.0.0.1:11434/v1",
            )
        } else if self.model.is_empty() {
            Some("`embedder_model` is not set: give the name of the model, as the server calls it")
        } else {
            None
        }
    }

    /// Returns the server that texts are sent to, without its password, and with a remark if the connection is not encrypted.
    pub fn destination(&self) -> String {
        let address = hide_credentials(&self.url);
        let safety = if address.starts_with("https:") || self.is_local() {
            ""
        } else {
            ", not encrypted"
        };
        format!("{address}{safety}")
    }

    /// Returns whether the server is on this machine.
    pub fn is_local(&self) -> bool {
        let rest = self
            .url
            .split_once("://")
            .map_or(self.url.as_str(), |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        name == "localhost"
            || name
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

/// Returns a URL without its user and password, which no message may show: `http://****@host/v1`.
pub fn hide_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..end];
    // `ada:pa/ss@host`: a password that should have been escaped. The part before the slash is not a port.
    let has_port = || {
        authority.rsplit_once(':').is_none_or(|(_, port)| {
            port.ends_with(']') || port.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let at = authority
        .rfind('@')
        .or_else(|| rest.rfind('@').filter(|_| !has_port()));
    match at {
        Some(at) => format!("{scheme}://****{}", &rest[at..]),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_a_url_are_hidden() {
        for (url, shown) in [
            ("http://ada:s3cret@host:80/v1", "http://****@host:80/v1"),
            ("http://ada:s3@cret@host", "http://****@host"),
            ("http://ada:s3/cret@host/v1", "http://****@host/v1"),
            ("http://[::1]:80/v1/a@b", "http://[::1]:80/v1/a@b"),
            ("https://host/v1/a@b", "https://host/v1/a@b"),
            ("", ""),
        ] {
            assert_eq!(hide_credentials(url), shown);
        }
        let remote = RemoteSettings {
            url: "https://ada:s3cret@host/v1".to_owned(),
            ..RemoteSettings::default()
        };
        assert_eq!(remote.destination(), "https://****@host/v1");
    }

    #[test]
    fn a_server_is_local_by_its_address_alone() {
        let at = |url: &str| RemoteSettings {
            url: url.to_owned(),
            ..RemoteSettings::default()
        };
        for local in [
            "http://127.0.0.1:11434/v1",
            "http://localhost/v1",
            "http://[::1]:80/v1",
            "http://127.8.0.1",
        ] {
            assert!(at(local).is_local(), "{local}");
            assert!(!at(local).destination().contains("not encrypted"));
        }
        for away in [
            "http://127.0.0.1.example.com/v1",
            "https://api.example.com",
            "http://localhost@example.com/v1",
        ] {
            assert!(!at(away).is_local(), "{away}");
        }
        assert!(
            at("http://example.com/v1")
                .destination()
                .ends_with("not encrypted")
        );
    }

    #[test]
    fn a_choice_is_a_word_a_name_or_a_folder() {
        assert_eq!(
            Choice::parse("BGE-small-en-v1.5"),
            Some(Choice::Named("bge-small-en-v1.5".to_owned()))
        );
        assert_eq!(Choice::parse("remote"), Some(Choice::Remote));
        #[cfg(unix)]
        assert_eq!(
            Choice::parse("/models/mine"),
            Some(Choice::Directory("/models/mine".into()))
        );
        for wrong in ["", "large", "models/mine", "./mine", "~/mine"] {
            assert_eq!(Choice::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let key = Key::new(" s3cret\n").expect("a key");
        assert_eq!(key.reveal(), "s3cret");
        let settings = RemoteSettings {
            key: Some(key),
            ..RemoteSettings::default()
        };
        assert!(!format!("{settings:?}").contains("s3cret"));
        assert_eq!(Key::new("  "), None);
    }
}
