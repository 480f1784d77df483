//! Finds the project that a folder belongs to.

use std::path::{Component, Path, PathBuf};

use claudevil_protocol::call::{Origin, Project};
use claudevil_protocol::environment;

/// Folders at the top of a repository.
const MARKS: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// Returns the project of a process without further hints: the session's variable, the option, the working directory.
pub fn process_project(option: Option<&Path>, home: &Path) -> Option<Project> {
    let named = |root: PathBuf, origin| {
        Some(Project {
            root: root.to_str()?.to_owned(),
            origin,
        })
    };
    if let Some(dir) = environment::path(environment::SESSION_PROJECT) {
        return named(dir, Origin::SessionVariable);
    }
    if let Some(dir) = option {
        return named(absolute_unless_name(dir), Origin::Option);
    }
    let here = std::env::current_dir().ok()?;
    named(enclosing_repository(&here, home), Origin::WorkingDirectory)
}

/// Makes a folder on the command line absolute; a bare word that is no folder is the name of a root.
pub fn absolute_unless_name(asked: &Path) -> PathBuf {
    let is_name = asked.components().count() == 1 && !asked.exists();
    if is_name {
        asked.to_owned()
    } else {
        std::path::absolute(asked).unwrap_or_else(|_| asked.to_owned())
    }
}

/// Makes a typed path absolute, because the daemon does not know the working directory. A path that does not exist may have
/// been copied from an answer, where paths are relative to the project.
pub fn from_here(path: &str) -> String {
    let absolute =
        std::path::absolute(path).map_or_else(|_| PathBuf::from(path), |path| without_dots(&path));
    let here = std::env::current_dir().ok();
    let copied = here
        .filter(|_| !absolute.exists())
        .and_then(|here| below_repository(path, &here));
    let found = copied.unwrap_or(absolute);
    found.to_str().unwrap_or(path).to_owned()
}

/// Makes a glob that was typed in a folder of a repository absolute, if the part before its first wildcard exists there:
/// `src/**` in `packages/api`. Any other is relative to the project, as the paths in answers are.
pub fn glob_from_here(glob: &str) -> String {
    let here = std::env::current_dir().ok();
    here.and_then(|here| glob_from(&here, glob))
        .unwrap_or_else(|| glob.to_owned())
}

/// Returns the absolute glob for one that was typed in a folder and whose beginning exists there.
pub fn glob_from(here: &Path, glob: &str) -> Option<String> {
    let is_inside = !is_repository(here) && here.ancestors().any(is_repository);
    // Without a slash a glob matches names in any folder, unless it is this folder or the one above.
    let is_relative = glob.contains('/') && !glob.starts_with('/') || matches!(glob, "." | "..");
    let plain: PathBuf = glob.split('/').take_while(|part| !is_wild(part)).collect();
    let is_here = !plain.as_os_str().is_empty() && here.join(&plain).exists();
    let here_text = here.to_str().filter(|here| !is_wild(here))?;
    (is_inside && is_relative && is_here)
        .then(|| without_dots(&Path::new(here_text).join(glob)))
        .and_then(|glob| glob.to_str().map(str::to_owned))
}

/// Joins globs that were typed in a folder into one. Those whose beginning exists there are relative to it, as a single one is;
/// the joined glob is then absolute.
pub fn join_globs(here: Option<&Path>, globs: &[&str]) -> String {
    let repository = here.and_then(|here| here.ancestors().find(|above| is_repository(above)));
    let mut is_absolute = false;
    let mut alternatives = vec![];
    for glob in globs {
        let moved = here.and_then(|here| glob_from(here, glob));
        let inside = moved.and_then(|moved| {
            let inside = Path::new(&moved).strip_prefix(repository?).ok()?;
            inside.to_str().map(str::to_owned)
        });
        is_absolute |= inside.is_some();
        let glob = inside.unwrap_or_else(|| anchored(glob));
        let last = glob.rsplit('/').next().unwrap_or_default();
        if !is_wild(last) {
            // A folder stands for all that is in it.
            alternatives.push(format!("{glob}/**"));
        }
        alternatives.push(glob);
    }
    let joined = format!("{{{}}}", alternatives.join(","));
    match repository.and_then(Path::to_str).filter(|_| is_absolute) {
        Some(repository) => format!("{repository}/{joined}"),
        None => joined,
    }
}

/// Returns a glob over whole paths: a name may be in any folder, `*.rs` → `**/*.rs`.
pub fn anchored(glob: &str) -> String {
    let trimmed = glob.trim_start_matches("./").trim_end_matches('/');
    match trimmed.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if trimmed.contains('/') => trimmed.to_owned(),
        None => format!("**/{trimmed}"),
    }
}

fn is_wild(part: &str) -> bool {
    part.contains(['*', '?', '[', '{'])
}

/// Returns a path relative to the repository around a folder, made absolute, if it exists.
fn below_repository(path: &str, here: &Path) -> Option<PathBuf> {
    let is_plain = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let repository = here.ancestors().find(|above| is_repository(above))?;
    let found = repository.join(path);
    (is_plain && found.exists()).then_some(found)
}

/// Returns a path of a root as seen from a folder: `../b.rs` for `src/b.rs` in `src/deep`. From outside the root it
/// stays as it is.
pub fn seen_from(folder: &Path, root: &Path, path: &str) -> String {
    let Ok(inside) = folder.strip_prefix(root) else {
        return path.to_owned();
    };
    let mut here = inside.components().peekable();
    let mut there = Path::new(path).components().peekable();
    while here.peek().is_some() && here.peek() == there.peek() {
        here.next();
        there.next();
    }
    let up = here.map(|_| Component::ParentDir);
    let seen: PathBuf = up.chain(there).collect();
    seen.to_str().unwrap_or(path).to_owned()
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// Returns the nearest folder upwards that is a repository, or the folder itself. A home directory under version control does
/// not count.
pub fn enclosing_repository(folder: &Path, home: &Path) -> PathBuf {
    folder
        .ancestors()
        .take_while(|above| *above != home && above.parent().is_some())
        .find(|above| is_repository(above))
        .unwrap_or(folder)
        .to_owned()
}

pub fn is_repository(folder: &Path) -> bool {
    MARKS.iter().any(|mark| folder.join(mark).exists())
}

/// Returns the path that a `file:` address names.
pub fn from_file_uri(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = decoded(path)?;
    // `file:///C:/work` names `C:/work`.
    let drive = path
        .strip_prefix('/')
        .filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    Some(drive.map_or_else(|| path.clone(), str::to_owned))
}

/// Percent-encodes a path for a URL.
pub fn percent_encode(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// Returns the `file:` address of a path.
pub fn to_file_uri(path: &str) -> String {
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", percent_encode(path))
}

/// Decodes percent-encoded text.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_relative_to_the_folder_in_which_its_beginning_exists() {
        let scratch = tempfile::tempdir().expect("a folder");
        let repository = std::fs::canonicalize(scratch.path()).expect("real");
        let here = repository.join("packages/api");
        for folder in [
            repository.join(".git"),
            here.join("src"),
            repository.join("docs"),
        ] {
            std::fs::create_dir_all(folder).expect("made");
        }
        let at = |path: &str| repository.join(path).to_str().map(str::to_owned);
        for (glob, expected) in [
            ("src/**", at("packages/api/src/**")),
            ("./src/*.ts", at("packages/api/src/*.ts")),
            ("../api/src/**", at("packages/api/src/**")),
            ("docs/**", None),
            ("**/*.ts", None),
            ("*.ts", None),
            ("src", None),
            (".", at("packages/api")),
            ("..", at("packages")),
            ("/src/**", None),
        ] {
            assert_eq!(glob_from(&here, glob), expected, "{glob}");
        }
        assert_eq!(glob_from(&repository, "docs/**"), None);
        let joined = |here: &Path, globs: &[&str]| join_globs(Some(here), globs);
        let top = repository.to_str().expect("UTF-8");
        for (globs, expected) in [
            (
                &["src/**", "../api/src/*.ts"][..],
                format!("{top}/{{packages/api/src/**,packages/api/src/*.ts}}"),
            ),
            (
                &["./src/", "docs/**", "*.md"],
                format!("{top}/{{packages/api/src/**,packages/api/src,docs/**,**/*.md}}"),
            ),
            (
                &["docs/**", "*.md", "lib"],
                "{docs/**,**/*.md,**/lib/**,**/lib}".to_owned(),
            ),
        ] {
            assert_eq!(joined(&here, globs), expected, "{globs:?}");
        }
        assert_eq!(
            joined(&repository, &["docs/**", "*.md"]),
            "{docs/**,**/*.md}"
        );
        assert_eq!(join_globs(None, &["docs/**", "*.md"]), "{docs/**,**/*.md}");
    }

    #[test]
    fn paths_of_a_root_can_be_typed_in_its_folders() {
        let seen = |folder: &str, path: &str| seen_from(folder.as_ref(), "/engine".as_ref(), path);
        assert_eq!(seen("/engine", "src/b.rs"), "src/b.rs");
        assert_eq!(seen("/engine/src", "src/b.rs"), "b.rs");
        assert_eq!(seen("/engine/src/deep", "src/b.rs"), "../b.rs");
        assert_eq!(seen("/engine/docs", "src/b.rs"), "../src/b.rs");
        assert_eq!(seen("/elsewhere", "src/b.rs"), "src/b.rs");
        let scratch = tempfile::tempdir().expect("a folder");
        let deep = scratch.path().join("src/deep");
        std::fs::create_dir_all(&deep).expect("made");
        std::fs::create_dir(scratch.path().join(".git")).expect("made");
        std::fs::write(scratch.path().join("src/b.rs"), "").expect("written");
        assert_eq!(
            below_repository("src/b.rs", &deep),
            Some(scratch.path().join("src/b.rs"))
        );
        assert_eq!(below_repository("src/c.rs", &deep), None);
        assert_eq!(below_repository("../b.rs", &deep), None);
    }

    #[test]
    fn file_addresses_become_paths() {
        assert_eq!(
            from_file_uri("file:///home/ada/my%20engine").as_deref(),
            Some("/home/ada/my engine")
        );
        assert_eq!(
            from_file_uri("file://localhost/srv").as_deref(),
            Some("/srv")
        );
        assert_eq!(from_file_uri("file:///C:/work").as_deref(), Some("C:/work"));
        assert_eq!(from_file_uri("file:///bad%2"), None);
        let odd = "/home/ada/my engine/größe#1.rs";
        assert_eq!(from_file_uri(&to_file_uri(odd)).as_deref(), Some(odd));
        assert_eq!(from_file_uri("https://example.org"), None);
    }

    #[test]
    fn the_nearest_repository_wins_and_a_versioned_home_does_not_count() {
        let scratch = tempfile::tempdir().expect("a directory");
        let home = scratch.path();
        std::fs::create_dir_all(home.join(".git")).expect("made");
        std::fs::create_dir_all(home.join("engine/.git")).expect("made");
        std::fs::create_dir_all(home.join("engine/src/deep")).expect("made");
        std::fs::create_dir_all(home.join("notes/today")).expect("made");
        assert_eq!(
            enclosing_repository(&home.join("engine/src/deep"), home),
            home.join("engine")
        );
        assert_eq!(
            enclosing_repository(&home.join("notes/today"), home),
            home.join("notes/today")
        );
    }
}
