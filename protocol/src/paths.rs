//! Where claudevil keeps things, from the user's home alone.
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
    #[error("{}={} is not an absolute path", environment::HOME_OVERRIDE, .0.display())]
    RelativeOverride(PathBuf),
}

impl Paths {
    /// The paths of the user who runs this process.
    pub fn discover() -> Result<Self, PathsError> {
        let base = directories::BaseDirs::new().ok_or(PathsError::NoHome)?;
        match environment::path(environment::HOME_OVERRIDE) {
            Some(dir) if dir.is_relative() => Err(PathsError::RelativeOverride(dir)),
            Some(dir) => Ok(Self::gathered(base.home_dir(), &dir)),
            None => Ok(Self::of_user(&base)),
        }
    }

    #[cfg(target_os = "linux")]
    fn of_user(base: &directories::BaseDirs) -> Self {
        let home = base.home_dir();
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
    fn of_user(base: &directories::BaseDirs) -> Self {
        Self::gathered(base.home_dir(), &base.data_local_dir().join("claudevil"))
    }

    /// Everything below one directory.
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

    /// What a daemon that dies before it can log has said.
    pub fn start_errors(&self) -> PathBuf {
        self.state.join("start-errors.txt")
    }

    /// Sockets and locks.
    pub fn run(&self) -> &Path {
        &self.run
    }

    /// Held by the daemon from before it binds until it exits.
    pub fn daemon_lock(&self) -> PathBuf {
        self.run.join("daemon.lock")
    }

    /// Held by a client while it decides whether to start a daemon, and starts it.
    pub fn start_lock(&self) -> PathBuf {
        self.run.join("start.lock")
    }

    /// When the last starts failed, and why.
    pub fn failed_starts(&self) -> PathBuf {
        self.run.join("failed-starts.json")
    }

    /// Every directory that belongs to claudevil alone.
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
        assert!(paths.own_directories().iter().all(|dir| dir.starts_with("/srv/cv")));
        assert!(paths.config_file().starts_with("/srv/cv"));
    }
}
