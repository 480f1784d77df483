//! A home for one test: everything claudevil keeps lies below it, and its daemon ends with it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use claudevil_protocol::client::{Client, Launch};
use claudevil_protocol::lock;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::start::LockHolder;
use tokio::process::Command;

use crate::binaries;

/// No call of a healthy daemon takes nearly this long, even on a busy machine.
pub const BOUND: Duration = Duration::from_secs(60);

pub struct Home {
    /// None where it is kept.
    scratch: Option<tempfile::TempDir>,
    home: PathBuf,
    variables: Vec<(OsString, OsString)>,
    /// The command that runs every binary.
    wrapper: Vec<OsString>,
}

impl Home {
    pub fn new() -> Self {
        let scratch = tempfile::tempdir().expect("a directory");
        // Canonical, as the daemon reports paths.
        let home = fs::canonicalize(scratch.path()).expect("a real path");
        fs::create_dir_all(home.join("user")).expect("made");
        Self {
            scratch: Some(scratch),
            home,
            variables: vec![],
            wrapper: vec![],
        }
    }

    /// Returns a home in a folder that is kept, so that its index is there the next time. Makes the folder if it is missing.
    pub fn kept(folder: &Path) -> Self {
        fs::create_dir_all(folder.join("user")).expect("made");
        let home = fs::canonicalize(folder).expect("a real path");
        Self {
            scratch: None,
            home,
            variables: vec![],
            wrapper: vec![],
        }
    }

    /// Sets a variable for every process of this home.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Runs every binary by a command that runs its arguments, such as `strace`.
    #[must_use]
    pub fn run_by<T: Into<OsString>>(mut self, wrapper: impl IntoIterator<Item = T>) -> Self {
        self.wrapper = wrapper.into_iter().map(Into::into).collect();
        self
    }

    pub fn scratch(&self) -> &Path {
        &self.home
    }

    /// Returns the folder of claudevil's own files.
    pub fn claudevil_home(&self) -> PathBuf {
        self.home.join("cv")
    }

    pub fn paths(&self) -> Paths {
        Paths::gathered(&self.home.join("user"), &self.claudevil_home())
    }

    /// Makes a project with a few files.
    pub fn project(&self, name: &str) -> PathBuf {
        let root = self.home.join("user").join(name);
        for (path, text) in [
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".gitignore", "ignored.txt\n"),
            ("ignored.txt", "never listed\n"),
            ("README.md", "# A project\n"),
            ("src/main.rs", "fn main() {\n    println!(\"hello\");\n}\n"),
            ("src/lib.rs", "pub fn answer() -> u32 {\n    42\n}\n"),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        root
    }

    /// Returns a command that runs a binary with the few variables that editors pass on.
    pub fn command(&self, binary: &str) -> Command {
        let binary = binaries::path(binary).into_os_string();
        let mut words = self.wrapper.iter().chain([&binary]);
        let mut command = Command::new(words.next().expect("there is the binary at least"));
        command.args(words);
        self.prepare(&mut command);
        command
    }

    fn prepare(&self, command: &mut Command) {
        command
            .env_clear()
            .env("HOME", self.home.join("user"))
            .env("PATH", "/usr/bin:/bin")
            .env("CLAUDEVIL_HOME", self.claudevil_home())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.home)
            .kill_on_drop(true);
    }

    /// Returns a command that runs a line of the shell, with the binaries on its path.
    pub fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        self.prepare(&mut command);
        let folder = binaries::path("claudevil")
            .parent()
            .expect("a folder")
            .display()
            .to_string();
        command
            .env("PATH", format!("{folder}:/usr/bin:/bin"))
            .args(["-c", line]);
        command
    }

    /// Runs `claudevil` to its end.
    pub async fn claudevil(&self, arguments: &[&str]) -> Output {
        let run = self.command("claudevil").args(arguments).output();
        tokio::time::timeout(BOUND, run)
            .await
            .expect("it ends")
            .expect("it runs")
    }

    /// Returns the answer of `claudevil --json …`.
    pub async fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let output = self.claudevil(&[&["--json"], arguments].concat()).await;
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// Returns a client of this home's daemon that never starts one.
    pub fn client(&self) -> Client {
        Client::new(self.paths(), Launch::Never)
    }

    /// Returns the pid of the daemon that holds the lock.
    pub fn daemon(&self) -> Option<u32> {
        let lock = self.paths().daemon_lock();
        let is_free = !lock.exists() || lock::try_lock(&lock).expect("a lock").is_some();
        if is_free {
            None
        } else {
            lock::holder::<LockHolder>(&lock).map(|holder| holder.pid)
        }
    }

    /// Returns what the daemon has logged.
    pub fn log(&self) -> String {
        let logs = fs::read_dir(self.paths().logs()).expect("logs").flatten();
        logs.map(|log| fs::read_to_string(log.path()).expect("readable"))
            .collect()
    }

    pub fn daemons(&self) -> Vec<u32> {
        self.processes("claudevild")
    }

    /// Returns all processes of a name that live in this home.
    #[cfg(target_os = "linux")]
    pub fn processes(&self, name: &str) -> Vec<u32> {
        let mark = format!("CLAUDEVIL_HOME={}", self.claudevil_home().display()).into_bytes();
        let processes = fs::read_dir("/proc").expect("proc").flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| {
            let found = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            found.trim() == name
                && environment
                    .split(|byte| *byte == 0)
                    .any(|variable| variable == mark)
        })
        .collect()
    }

    /// Kills the daemon at once and waits until its lock is free. One that was being started meanwhile is killed too.
    #[cfg(unix)]
    pub async fn kill_daemon(&self) {
        let path = self.paths().daemon_lock();
        let until = Instant::now() + BOUND;
        while let Some(pid) = self.daemon() {
            assert!(Instant::now() < until, "the daemon ends");
            signal(pid, rustix::process::Signal::KILL);
            if lock::lock(&path, Duration::from_secs(1))
                .await
                .expect("a lock")
                .is_some()
            {
                return;
            }
        }
    }

    /// Waits until no daemon holds the lock.
    pub async fn gone(&self) {
        let path = self.paths().daemon_lock();
        if path.exists() {
            lock::lock(&path, BOUND)
                .await
                .expect("a lock")
                .expect("the daemon ends");
        }
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(pid) = self.daemon() {
            signal(pid, rustix::process::Signal::KILL);
        }
        let _ = &self.scratch;
    }
}

/// Returns the number of calls that the daemon of a client works on.
pub async fn calls_in_flight(client: &Client) -> u32 {
    let daemon = client.daemon_info().await.expect("an answer");
    daemon.calls_in_flight
}

#[cfg(unix)]
pub fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .expect("a process");
    // It may have ended by itself.
    let _ = rustix::process::kill_process(pid, signal);
}

/// Makes a repository of these files.
pub fn repository(home: &Home, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = home.scratch().join("user").join(name);
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    for (path, text) in files {
        put(&root, path, text.as_bytes());
    }
    root
}

/// Writes a file, with the folders around it.
pub fn put(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, bytes).expect("written");
}
