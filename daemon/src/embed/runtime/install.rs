//! Installs ONNX Runtime: downloads its wheel from PyPI, verifies the checksum, and extracts the library.
//!
//! Nothing is executed, and only the one file is kept. It is written under another name and renamed, so that there is a whole
//! library or none.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use claudevil_protocol::text::quantity;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use super::{OLDEST, check, is_library, numbers, wheel};

/// The base URL of PyPI's JSON API.
pub const PYPI: &str = "https://pypi.org/pypi";
const CONNECT_PATIENCE: Duration = Duration::from_secs(15);
const PATIENCE: Duration = Duration::from_secs(1800);
/// The largest description of a package; usually a megabyte.
const LARGEST_LIST: u64 = 64 << 20;
const LARGEST_WHEEL: u64 = 512 << 20;

/// The installed library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledRuntime {
    pub path: PathBuf,
    pub version: String,
}

/// PyPI's description of a package.
#[derive(Deserialize)]
struct Package {
    info: Info,
    urls: Vec<Wheel>,
}

#[derive(Deserialize)]
struct Info {
    version: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Wheel {
    filename: String,
    url: String,
    size: u64,
    #[serde(default)]
    yanked: bool,
    digests: Digests,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Digests {
    sha256: String,
}

/// Installs the newest version, or a given one. `progress` is called with the bytes so far and the total.
pub fn from_pypi(
    index: &str,
    version: Option<&str>,
    folder: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<InstalledRuntime, String> {
    let package = match version {
        Some(version) => format!("{index}/onnxruntime/{version}/json"),
        None => format!("{index}/onnxruntime/json"),
    };
    // Proxies come from the environment, and certificates from this machine.
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .timeout_connect(Some(CONNECT_PATIENCE));
    let agent = config.timeout_global(Some(PATIENCE)).build().new_agent();
    let offline = |url: &str, error: &dyn std::fmt::Display| {
        format!(
            "{url} cannot be read: {error}; without a network, get the wheel elsewhere and give it by --from FILE.whl"
        )
    };
    let mut answer = agent
        .get(&package)
        .call()
        .map_err(|error| offline(&package, &error))?;
    let body = answer
        .body_mut()
        .with_config()
        .limit(LARGEST_LIST)
        .read_to_vec();
    let body = body.map_err(|error| offline(&package, &error))?;
    let described: Package =
        serde_json::from_slice(&body).map_err(|error| offline(&package, &error))?;
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let chosen = choose(&described.urls, system, processor).ok_or_else(|| {
        format!("PyPI has no wheel of onnxruntime {} for {system} on {processor}; set embedder_runtime to a library of your own", described.info.version)
    })?;
    if chosen.size > LARGEST_WHEEL {
        return Err(format!(
            "{} is larger than the limit of {}",
            chosen.filename,
            quantity::bytes(LARGEST_WHEEL)
        ));
    }
    let url = resolve_url(&package, &chosen.url);
    let mut answer = agent
        .get(&url)
        .call()
        .map_err(|error| offline(&url, &error))?;
    let mut reader = answer
        .body_mut()
        .with_config()
        .limit(LARGEST_WHEEL)
        .reader();
    let mut bytes = vec![];
    let mut some = vec![0; 1 << 18];
    loop {
        let read = reader
            .read(&mut some)
            .map_err(|error| offline(&url, &error))?;
        if read == 0 {
            break;
        }
        bytes.extend_from_slice(&some[..read]);
        progress(bytes.len() as u64, chosen.size);
    }
    let sum: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if !sum.eq_ignore_ascii_case(&chosen.digests.sha256) {
        return Err(format!(
            "{} is not what PyPI says it is (sha256 {sum}): nothing was installed",
            chosen.filename
        ));
    }
    install(&bytes, &chosen.filename, folder)
}

/// Installs from a wheel on this machine.
pub fn from_file(path: &Path, folder: &Path) -> Result<InstalledRuntime, String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a wheel that the user named, not a root's files"
    )]
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    install(&bytes, &name, folder)
}

fn install(bytes: &[u8], filename: &str, folder: &Path) -> Result<InstalledRuntime, String> {
    let is_wanted = |path: &str| {
        path.rsplit_once('/')
            .is_some_and(|(place, name)| place.ends_with("capi") && is_library(name))
    };
    let (name, library) =
        wheel::extract(bytes, is_wanted).map_err(|why| format!("{filename}: {why}"))?;
    let name = name.rsplit('/').next().unwrap_or_default();
    let version = filename.split('-').nth(1).unwrap_or_default().to_owned();
    let found = numbers(&version);
    if found.len() > 1 && (found[0], found[1]) < OLDEST {
        return Err(format!(
            "{filename} is too old: {}.{} or newer is needed",
            OLDEST.0, OLDEST.1
        ));
    }
    let write = || -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let (target, unfinished) = (
            folder.join(name),
            folder.join(format!(".{}.new", std::process::id())),
        );
        let mut file = std::fs::File::create(&unfinished)?;
        file.write_all(&library)?;
        file.sync_all()?;
        check(&unfinished).map_err(std::io::Error::other)?;
        std::fs::rename(&unfinished, &target)?;
        Ok(target)
    };
    let path = write().map_err(|error| format!("{}: {error}", folder.display()))?;
    remove_others(folder, &path);
    Ok(InstalledRuntime { path, version })
}

/// Deletes other libraries. A process that uses one keeps it open.
#[expect(
    clippy::disallowed_methods,
    reason = "our own data, not a root's files"
)]
fn remove_others(folder: &Path, kept: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path != kept {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Resolves a URL that may be relative, as those of mirrors are.
fn resolve_url(from: &str, to: &str) -> String {
    if to.contains("://") {
        return to.to_owned();
    }
    let path = from
        .find("://")
        .and_then(|at| from[at + 3..].find('/').map(|slash| at + 3 + slash));
    let (origin, path) = from.split_at(path.unwrap_or(from.len()));
    if to.starts_with('/') {
        return format!("{origin}{to}");
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in to.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("{origin}/{}", parts.join("/").trim_start_matches('/'))
}

/// Returns a wheel for a system, for any version of Python.
fn choose<'a>(wheels: &'a [Wheel], system: &str, processor: &str) -> Option<&'a Wheel> {
    let fits = |platform: &str| match (system, processor) {
        ("linux", "x86_64") => platform.starts_with("manylinux") && platform.ends_with("_x86_64"),
        ("linux", "aarch64") => platform.starts_with("manylinux") && platform.ends_with("_aarch64"),
        ("macos", "aarch64") => {
            platform.starts_with("macosx")
                && (platform.ends_with("_arm64") || platform.ends_with("_universal2"))
        }
        ("macos", "x86_64") => {
            platform.starts_with("macosx")
                && (platform.ends_with("_x86_64") || platform.ends_with("_universal2"))
        }
        ("windows", "x86_64") => platform == "win_amd64",
        ("windows", "aarch64") => platform == "win_arm64",
        _ => false,
    };
    let platform = |wheel: &Wheel| {
        wheel
            .filename
            .strip_suffix(".whl")?
            .rsplit('-')
            .next()
            .map(str::to_owned)
    };
    let fitting = wheels
        .iter()
        .filter(|wheel| !wheel.yanked && platform(wheel).is_some_and(|platform| fits(&platform)));
    fitting.min_by(|one, other| one.filename.cmp(&other.filename))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wheel(filename: &str, yanked: bool) -> Wheel {
        let digests = Digests {
            sha256: String::new(),
        };
        Wheel {
            filename: filename.to_owned(),
            url: String::new(),
            size: 1,
            yanked,
            digests,
        }
    }

    #[test]
    fn the_wheel_is_that_of_the_system_and_processor() {
        let wheels: Vec<Wheel> = [
            "onnxruntime-1.31.1-cp312-cp312-win_amd64.whl",
            "onnxruntime-1.31.1-cp312-cp312-win_arm64.whl",
            "onnxruntime-1.31.1-cp312-cp312-manylinux_2_28_aarch64.whl",
            "onnxruntime-1.31.1-cp311-cp311-manylinux_2_28_x86_64.whl",
            "onnxruntime-1.31.1-cp312-cp312-macosx_14_0_arm64.whl",
            "onnxruntime-1.31.1.tar.gz",
        ]
        .map(|name| wheel(name, false))
        .into();
        let of = |system, processor| {
            choose(&wheels, system, processor).map(|wheel| wheel.filename.as_str())
        };
        for (system, processor, end) in [
            ("linux", "x86_64", "manylinux_2_28_x86_64.whl"),
            ("linux", "aarch64", "manylinux_2_28_aarch64.whl"),
            ("macos", "aarch64", "macosx_14_0_arm64.whl"),
            ("windows", "x86_64", "win_amd64.whl"),
            ("windows", "aarch64", "win_arm64.whl"),
        ] {
            assert!(
                of(system, processor).is_some_and(|name| name.ends_with(end)),
                "{system} {processor}"
            );
        }
        assert_eq!(
            (of("macos", "x86_64"), of("freebsd", "x86_64")),
            (None, None)
        );
        assert_eq!(
            choose(
                &[wheel("onnxruntime-1.31.1-cp312-cp312-win_amd64.whl", true)],
                "windows",
                "x86_64"
            ),
            None
        );
    }

    #[test]
    fn relative_urls_are_resolved() {
        let from = "https://pypi.org/pypi/onnxruntime/json";
        for (to, expected) in [
            ("https://files.example/a.whl", "https://files.example/a.whl"),
            ("../../packages/a.whl", "https://pypi.org/packages/a.whl"),
            ("/packages/a.whl", "https://pypi.org/packages/a.whl"),
            ("a.whl", "https://pypi.org/pypi/onnxruntime/a.whl"),
            ("../../../../a.whl", "https://pypi.org/a.whl"),
        ] {
            assert_eq!(resolve_url(from, to), expected);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_wheel_from_elsewhere_is_installed_whole_or_not_at_all() {
        use std::fs;
        let scratch = tempfile::tempdir().expect("a directory");
        let folder = scratch.path().join("runtime");
        // This test is a program of this system.
        #[expect(clippy::disallowed_methods, reason = "a file of the test's")]
        let mut program = fs::File::open(std::env::current_exe().expect("a program"))
            .expect("opened")
            .take(4096);
        let mut library = vec![];
        program.read_to_end(&mut library).expect("read");
        let brought = |name: &str, inside: &str, library: &[u8]| {
            let path = scratch.path().join(name);
            fs::write(
                &path,
                wheel::tests::zip(
                    &[("onnxruntime/LICENSE", b"MIT"), (inside, library)],
                    zip::CompressionMethod::Deflated,
                ),
            )
            .expect("written");
            from_file(&path, &folder)
        };
        let inside = "onnxruntime/capi/libonnxruntime.so.1.25.0";
        let first =
            brought("onnxruntime-1.25.0-cp312-cp312-x.whl", inside, &library).expect("installed");
        assert_eq!(
            (first.version.as_str(), &first.path),
            ("1.25.0", &folder.join("libonnxruntime.so.1.25.0"))
        );
        let why =
            brought("onnxruntime-1.20.0-cp312-cp312-x.whl", inside, &library).expect_err("too old");
        assert!(why.contains("too old: 1.24"), "{why}");
        assert!(
            brought("onnxruntime-1.26.0-x.whl", "onnxruntime/other.so", &library).is_err(),
            "no library"
        );
        assert!(
            brought("onnxruntime-1.26.0-x.whl", inside, b"a text").is_err(),
            "no library either"
        );
        assert_eq!(
            super::super::installed(&folder),
            Some(first.path.clone()),
            "what was there is still there"
        );
        let inside = "onnxruntime/capi/libonnxruntime.so.1.26.0";
        let second =
            brought("onnxruntime-1.26.0-cp312-cp312-x.whl", inside, &library).expect("installed");
        assert_eq!(super::super::installed(&folder), Some(second.path));
        assert!(!first.path.exists(), "one is enough");
    }
}
