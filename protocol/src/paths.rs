//! The paths of claudevil's files, from the user's home alone.
//!
//! The same user gets the same paths from every terminal, editor and service, whatever XDG variables they have or
//! lack; `CLAUDEVIL_HOME` moves all of it below one directory.

use std::path::{Path, PathBuf};

use crate::environment;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    user_home: PathBuf,
    config: PathBuf,
    data: PathBuf,
    state: PathBuf,
    run: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum PathsError {
    #[error("the home directory of this user is unknown: set HOME")]
    NoHome,
    /// A relative path would mean another place to the daemon, which has another working directory than its clients.
    #[error("the home directory of this user, {}, is not an absolute path: correct HOME", .0.display())]
    RelativeHome(PathBuf),
    #[error("{}={} is not an absolute path", environment::HOME_OVERRIDE, .0.display())]
    RelativeOverride(PathBuf),
}

impl Paths {
    /// Returns the paths of the user who runs this process.
    pub fn discover() -> Result<Self, PathsError> {
        let base = directories::BaseDirs::new().ok_or(PathsError::NoHome)?;
        Self::for_user(
            base.home_dir(),
            base.data_local_dir(),
            environment::path(environment::HOME_OVERRIDE),
        )
    }

    fn for_user(
        home: &Path,
        data: &Path,
        gathered_in: Option<PathBuf>,
    ) -> Result<Self, PathsError> {
        match gathered_in {
            _ if home.is_relative() => Err(PathsError::RelativeHome(home.to_owned())),
            Some(dir) if dir.is_relative() => Err(PathsError::RelativeOverride(dir)),
            Some(dir) => Ok(Self::gathered(home, &dir)),
            None => Ok(Self::usual(home, data)),
        }
    }

    #[cfg(target_os = "linux")]
    fn usual(home: &Path, _data: &Path) -> Self {
        let state = home.join(".local/state/claudevil");
        Self {
            user_home: home.to_owned(),
            config: home.join(".config/claudevil"),
            data: home.join(".local/share/claudevil"),
            run: state.join("run"),
            state,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn usual(home: &Path, data: &Path) -> Self {
        Self::gathered(home, &data.join("claudevil"))
    }

    /// Returns paths that all lie below one directory.
    pub fn gathered(user_home: &Path, dir: &Path) -> Self {
        Self {
            user_home: user_home.to_owned(),
            config: dir.join("config"),
            data: dir.join("data"),
            state: dir.join("state"),
            run: dir.join("run"),
        }
    }

    pub fn user_home(&self) -> &Path {
        &self.user_home
    }

    pub fn config(&self) -> &Path {
        &self.config
    }

    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    pub fn state(&self) -> &Path {
        &self.state
    }

    pub fn logs(&self) -> PathBuf {
        self.state.join("logs")
    }

    /// Returns the file for the standard error of a daemon that exits before it can log.
    pub fn start_errors(&self) -> PathBuf {
        self.state.join("start-errors.txt")
    }

    /// Returns the directory of sockets and locks.
    pub fn run(&self) -> &Path {
        &self.run
    }

    /// Returns the lock that the daemon holds from before it binds until it exits.
    pub fn daemon_lock(&self) -> PathBuf {
        self.run.join("daemon.lock")
    }

    /// Returns the lock that a client holds while it decides whether to start a daemon, and starts it.
    pub fn start_lock(&self) -> PathBuf {
        self.run.join("start.lock")
    }

    /// Returns the record of the last failed starts.
    pub fn failed_starts(&self) -> PathBuf {
        self.run.join("failed-starts.json")
    }

    /// Returns the directory that all of them are in, if they are gathered in one.
    pub fn gathered_in(&self) -> Option<&Path> {
        let around = self.config.parent()?;
        self.own_directories()
            .iter()
            .all(|dir| dir.parent() == Some(around))
            .then_some(around)
    }

    /// Returns every directory that belongs to claudevil alone.
    pub fn own_directories(&self) -> [&Path; 4] {
        [&self.config, &self.data, &self.state, &self.run]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathered_paths_stay_below_their_directory() {
        let paths = Paths::gathered(Path::new("/home/ada"), Path::new("/srv/cv"));
        assert!(
            paths
                .own_directories()
                .iter()
                .all(|dir| dir.starts_with("/srv/cv"))
        );
        assert!(paths.config_file().starts_with("/srv/cv"));
        assert_eq!(paths.gathered_in(), Some(Path::new("/srv/cv")));
    }

    #[test]
    fn no_path_depends_on_the_working_directory() {
        let of = |home: &str, dir: Option<&str>| {
            let found = Paths::for_user(Path::new(home), Path::new(home), dir.map(PathBuf::from));
            found
                .map(|paths| paths.own_directories().map(Path::to_owned))
                .map_err(|error| error.to_string())
        };
        let absolute = if cfg!(windows) {
            "C:\\ada"
        } else {
            "/home/ada"
        };
        for dir in [None, Some(absolute)] {
            assert!(
                of("relative", dir)
                    .is_err_and(|why| why.contains("relative, is not an absolute path"))
            );
            assert!(of(absolute, dir).is_ok_and(|dirs| dirs.iter().all(|dir| dir.is_absolute())));
        }
        assert!(
            of(absolute, Some("relative"))
                .is_err_and(|why| why.starts_with("CLAUDEVIL_HOME=relative"))
        );
    }
}
