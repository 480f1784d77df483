//! Tells from the path of a stack frame whose code it is.
//!
//! A trace goes through installed packages and standard libraries, whose files often have names of the project's:
//! `node_modules/send/lib/utils.js`. The project itself may be installed like that, too.

/// The provenance of a file by its path on the machine that made a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance<'p> {
    /// No folder of the path says that it is another's.
    Unknown,
    Package(InstalledPackage<'p>),
    StandardLibrary,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstalledPackage<'p> {
    /// The name without its version and scope: `query-core` of `node_modules/@tanstack/query-core`.
    pub name: &'p str,
    /// The number of parts of the path that are inside of the package.
    pub parts_inside: usize,
    /// The number of parts from the folder of packages on.
    pub parts_installed: usize,
}

impl<'p> Provenance<'p> {
    pub fn from_path(path: &'p str) -> Self {
        let parts: Vec<&str> = path_parts(path).collect();
        // The file itself is no folder.
        let folders = parts.len().saturating_sub(1);
        for (at, part) in parts[..folders].iter().enumerate().rev() {
            let before = at.checked_sub(1).map(|before| parts[before]);
            let rest = &parts[at + 1..];
            // The number of parts before the name of the package, and of those between it and its files.
            let (scope, revision) = match (*part, before) {
                ("node_modules", _) => (usize::from(rest[0].starts_with('@')), 0),
                ("checkouts", Some("git")) => (0, 1),
                ("site-packages" | "dist-packages" | "gems" | "checkouts", _) => (0, 0),
                ("mod", Some("pkg")) => {
                    let named = rest.iter().position(|part| part.contains('@'));
                    (named.unwrap_or_default(), 0)
                }
                // `vendor/github.com/owner/name`, `vendor/owner/name`
                ("vendor", _) if rest[0].contains('.') => (2, 0),
                ("vendor", _) | ("src", Some("registry")) => (1, 0),
                ("ruby", Some("lib")) | ("rustc", _) => return Self::StandardLibrary,
                (part, Some("lib" | "lib64")) if is_versioned(part, "python") => {
                    return Self::StandardLibrary;
                }
                _ => continue,
            };
            let scope = scope.min(rest.len() - 1);
            return Self::Package(InstalledPackage {
                name: without_version(rest[scope]),
                parts_inside: (rest.len() - scope - 1).saturating_sub(revision),
                parts_installed: rest.len() + 1,
            });
        }
        let is_of_system = SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder));
        if is_of_system {
            Self::StandardLibrary
        } else {
            Self::Unknown
        }
    }
}

impl InstalledPackage<'_> {
    /// Returns whether a folder or a project may be that of the package: `express-main` for `express`.
    pub fn is_in(&self, folder: &str) -> bool {
        let plain = |name: &str| name.to_lowercase().replace('_', "-");
        let (own, folder) = (plain(self.name), plain(folder));
        let is_version = |rest: &str| {
            let version = rest.trim_start_matches(['-', '@']).trim_start_matches('v');
            let is_branch = matches!(version, "main" | "master" | "develop");
            version.len() < rest.len()
                && (is_branch || version.starts_with(|first: char| first.is_ascii_digit()))
        };
        let rest = folder.strip_prefix(&own);
        rest.is_some_and(|rest| rest.is_empty() || is_version(rest))
    }
}

/// Returns the parts of a path that name folders or a file.
pub fn path_parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/')
        .filter(|part| !matches!(*part, "" | "." | ".."))
}

/// Folders of libraries and headers that come with the system or a compiler.
const SYSTEM_FOLDERS: [&str; 6] = [
    "/usr/lib/",
    "/usr/lib64/",
    "/usr/include/",
    "/usr/local/lib/",
    "/usr/local/include/",
    "/usr/local/go/",
];

/// Returns a name without the version after it: `sidekiq-8.0.1`, `hugo@v0.140.0`, `clap-70ff13de0b1a7ad6`.
fn without_version(name: &str) -> &str {
    let name = name.split('@').next().unwrap_or(name);
    match name.rsplit_once('-') {
        Some((stem, version)) if version.starts_with(|first: char| first.is_ascii_digit()) => stem,
        _ => name,
    }
}

fn is_versioned(part: &str, name: &str) -> bool {
    part.strip_prefix(name)
        .is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_known_by_the_folders_above_them() {
        for (path, name, parts_inside) in [
            ("/srv/app/node_modules/send/lib/utils.js", "send", 2),
            (
                "node_modules/@tanstack/query-core/src/query.ts",
                "query-core",
                2,
            ),
            (
                "/usr/lib/python3.12/site-packages/httpx/_client.py",
                "httpx",
                1,
            ),
            (
                "/usr/local/lib/ruby/3.3.0/gems/logger-1.6/lib/logger.rb",
                "logger",
                2,
            ),
            (
                "/home/me/.cargo/registry/src/index.crates.io-6f17/clap_builder-4.5.2/src/arg.rs",
                "clap_builder",
                2,
            ),
            (
                "/go/pkg/mod/github.com/gohugoio/hugo@v0.140.0/hugolib/page.go",
                "hugo",
                2,
            ),
            ("/app/vendor/symfony/console/Helper/Table.php", "console", 2),
            ("/app/vendor/github.com/a/b/c.go", "b", 1),
            (
                "/home/me/.cargo/git/checkouts/clap-70ff13de0b1a7ad6/a2b3c4d/src/lib.rs",
                "clap",
                2,
            ),
            ("lib/vendor/one.js", "one.js", 0),
        ] {
            let Provenance::Package(found) = Provenance::from_path(path) else {
                panic!("{path}");
            };
            assert_eq!(
                (found.name, found.parts_inside),
                (name, parts_inside),
                "{path}"
            );
        }
        for path in [
            "/usr/lib/python3.12/json/decoder.py",
            "/home/me/.pyenv/versions/3.12/lib/python3.12/http/client.py",
            "/rustc/9fc6b434/library/std/src/panicking.rs",
            "/usr/local/go/src/net/http/server.go",
        ] {
            assert_eq!(
                Provenance::from_path(path),
                Provenance::StandardLibrary,
                "{path}"
            );
        }
        for path in [
            "src/vendor.rs",
            "/app/src/gems.rb",
            "lib/utils.js",
            "../a/b.py",
        ] {
            assert_eq!(Provenance::from_path(path), Provenance::Unknown, "{path}");
        }
    }

    #[test]
    fn a_copy_of_a_repository_may_have_a_version_in_its_name() {
        let Provenance::Package(package) = Provenance::from_path("node_modules/send/index.js")
        else {
            panic!("a package");
        };
        assert!(package.is_in("send") && package.is_in("send-main") && package.is_in("Send"));
        for other in ["sendgrid", "send-email", "express"] {
            assert!(!package.is_in(other), "{other}");
        }
    }
}
