//! A private copy of a project, under git, with a second branch, that may be edited at will.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::process::Command;

/// Larger texts are not what people edit, and some are left out of the index.
const LARGEST_EDITED: u64 = 256 << 10;
/// The most files that differ between the branches.
const MAX_SWITCHED: usize = 1000;
/// The prefix of symbols that only the other branch has.
pub const SWITCHED: &str = "claudevil_switched_";

pub struct Project {
    pub root: PathBuf,
    pub files: usize,
    /// Number of files that differ between the branches: each defines one more symbol on the other one.
    pub switched: usize,
    /// Files that a definition can be appended to, relative to the root.
    editable: Vec<PathBuf>,
    random: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    Main,
    Other,
}

impl Branch {
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Other => "other",
        }
    }
}

impl Project {
    /// Copies the files that git would list for a folder, commits them, and makes the other branch.
    pub async fn copy(folder: &Path, scratch: &Path) -> Self {
        let root = scratch
            .join("user")
            .join(folder.file_name().unwrap_or(OsStr::new("project")));
        fs::create_dir_all(&root).expect("made");
        let mut files = 0;
        for path in listed(folder, scratch).await {
            files += usize::from(copy_file(&folder.join(&path), &root.join(&path)));
        }
        git(&root, &["init", "--quiet", "--initial-branch=main"]).await;
        // Ignored files too: they were tracked in the original.
        git(&root, &["add", "--all", "--force"]).await;
        git(&root, &["commit", "--quiet", "--message=main"]).await;

        let editable = editable(&root).await;
        let mut project = Self {
            root,
            files,
            switched: 0,
            editable,
            random: 0x9E37_79B9_7F4A_7C15,
        };
        project.switched = MAX_SWITCHED.min(files / 3).min(project.editable.len());
        git(
            &project.root,
            &["checkout", "--quiet", "-b", Branch::Other.name()],
        )
        .await;
        for number in 0..project.switched {
            let place = number * project.editable.len() / project.switched;
            project.append(&project.editable[place], &format!("{SWITCHED}{number}"));
        }
        git(
            &project.root,
            &[
                "commit",
                "--quiet",
                "--all",
                "--allow-empty",
                "--message=other",
            ],
        )
        .await;
        git(&project.root, &["checkout", "--quiet", Branch::Main.name()]).await;
        project
    }

    /// Switches to a branch. Returns how long git took.
    pub async fn switch(&self, to: Branch) -> Duration {
        let began = Instant::now();
        git(&self.root, &["checkout", "--quiet", to.name()]).await;
        began.elapsed()
    }

    /// Restores the files to their state at the first indexing.
    pub async fn restore(&self) {
        git(
            &self.root,
            &["checkout", "--quiet", "--force", Branch::Main.name()],
        )
        .await;
    }

    pub fn can_be_edited(&self) -> bool {
        !self.editable.is_empty()
    }

    /// Defines a symbol of this name at the end of some file.
    pub fn edit(&mut self, name: &str) -> PathBuf {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let place =
            usize::try_from(self.random % self.editable.len() as u64).expect("a place in a list");
        self.append(&self.editable[place], name);
        self.editable[place].clone()
    }

    fn append(&self, path: &Path, name: &str) {
        let text = definition(path, name).expect("only what can be edited is");
        let mut file = fs::OpenOptions::new()
            .append(true)
            .open(self.root.join(path))
            .expect("a file");
        file.write_all(text.as_bytes()).expect("written");
    }
}

/// Returns the files that git lists for a folder, whether it is a repository, lies in one, or neither.
pub async fn listed(folder: &Path, scratch: &Path) -> BTreeSet<PathBuf> {
    let of_repository = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let mut output = command(folder)
        .args(of_repository)
        .output()
        .await
        .expect("git runs");
    if !output.status.success() || output.stdout.is_empty() {
        let none = scratch.join("none.git");
        let made = command(scratch)
            .args(["init", "--quiet", "--bare"])
            .arg(&none)
            .status()
            .await;
        assert!(
            made.expect("git runs").success(),
            "git cannot make a repository"
        );
        let mut of_anything = command(folder);
        of_anything
            .arg("--git-dir")
            .arg(&none)
            .arg("--work-tree")
            .arg(folder);
        output = of_anything
            .args(["ls-files", "-z", "--others", "--exclude-standard"])
            .output()
            .await
            .expect("git runs");
    }
    output
        .stdout
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| OsStr::from_bytes(path).into())
        .collect()
}

/// Returns whether the file could be copied: it is neither gone nor a repository in the repository.
fn copy_file(from: &Path, to: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(from) else {
        return false;
    };
    if !found.is_file() && !found.is_symlink() {
        return false;
    }
    fs::create_dir_all(to.parent().expect("a folder")).expect("made");
    if found.is_symlink() {
        let target = fs::read_link(from).expect("a link");
        std::os::unix::fs::symlink(target, to).expect("made");
    } else {
        fs::copy(from, to).expect("copied");
    }
    true
}

async fn editable(root: &Path) -> Vec<PathBuf> {
    let tracked = command(root)
        .args(["ls-files", "-z"])
        .output()
        .await
        .expect("git runs")
        .stdout;
    let paths = tracked
        .split(|byte| *byte == 0)
        .map(|path| PathBuf::from(OsStr::from_bytes(path)));
    paths
        .filter(|path| definition(path, "").is_some() && is_written_by_people(&root.join(path)))
        .collect()
}

fn is_written_by_people(path: &Path) -> bool {
    let is_fitting =
        |found: &fs::Metadata| found.is_file() && (1..=LARGEST_EDITED).contains(&found.len());
    let Some(text) = fs::symlink_metadata(path)
        .ok()
        .filter(is_fitting)
        .and_then(|_| fs::read_to_string(path).ok())
    else {
        return false;
    };
    let head: String = text
        .lines()
        .take(30)
        .collect::<Vec<_>>()
        .join("\n")
        .to_lowercase();
    let is_generated = ["generated", "do not edit", "minified"]
        .iter()
        .any(|word| head.contains(word));
    // Text after the end of a script's code is no code.
    let has_end = text.contains("?>") || text.contains("__END__") || text.contains('\0');
    !is_generated && !has_end && text.lines().all(|line| line.len() < 1000)
}

/// Returns a definition of this name, in the language of the path's extension.
fn definition(path: &Path, name: &str) -> Option<String> {
    let full = path.to_str()?;
    if full.ends_with(".d.ts") || full.contains(".min.") || full.contains("testdata/") {
        return None;
    }
    let text = match path.extension()?.to_str()? {
        "rs" => format!("pub fn {name}() {{}}"),
        "go" | "swift" => format!("func {name}() {{}}"),
        "py" => format!("def {name}():\n    pass"),
        "js" | "mjs" | "jsx" | "ts" | "tsx" | "php" => format!("function {name}() {{}}"),
        "java" | "cs" => format!("class {name} {{}}"),
        "c" | "cc" | "cpp" => format!("void {name}(void) {{}}"),
        "rb" => format!("def {name}\nend"),
        "kt" => format!("fun {name}() {{}}"),
        "scala" => format!("object {name}"),
        "lua" => format!("function {name}() end"),
        "dart" => format!("void {name}() {{}}"),
        "sh" => format!("{name}() {{ :; }}"),
        "zig" => format!("fn {name}() void {{}}"),
        "ml" => format!("let {name} () = ()"),
        _ => return None,
    };
    Some(format!("\n{text}\n"))
}

async fn git(root: &Path, arguments: &[&str]) {
    let output = command(root)
        .args(arguments)
        .output()
        .await
        .expect("git runs");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Returns a git command without the settings of the user.
fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for setting in [
        "user.name=bench",
        "user.email=bench@localhost",
        "gc.auto=0",
        "safe.directory=*",
        "core.autocrlf=false",
    ] {
        command.args(["-c", setting]);
    }
    command
}
