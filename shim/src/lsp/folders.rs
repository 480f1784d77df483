//! The client's workspace folders: the project that a file belongs to, and the two spellings of its path.
//!
//! The daemon knows real paths; a client may name a folder through a symbolic link, and must get that spelling back.

use std::path::{Path, PathBuf};

use claudevil_protocol::call::{Origin, Project};

use crate::project;

pub struct Folders {
    folders: Vec<Folder>,
    /// The project of the process, where the client names no folder.
    fallback: Option<Project>,
    home: PathBuf,
}

struct Folder {
    /// As the client writes it.
    named: String,
    real: String,
}

impl Folders {
    /// Starts without folders. `root` is the option of the command line.
    pub fn new(root: Option<&Path>, home: PathBuf) -> Self {
        Self {
            folders: vec![],
            fallback: project::process_project(root, &home),
            home,
        }
    }

    pub fn add(&mut self, uri: &str) {
        let Some(named) = project::from_file_uri(uri) else {
            return;
        };
        let named = without_slash(&named);
        self.folders.retain(|folder| folder.named != named);
        let real = std::fs::canonicalize(&named).ok();
        let real = real.and_then(|real| real.to_str().map(str::to_owned));
        self.folders.push(Folder {
            real: real.unwrap_or_else(|| named.clone()),
            named,
        });
    }

    pub fn remove(&mut self, uri: &str) {
        let Some(named) = project::from_file_uri(uri) else {
            return;
        };
        let named = without_slash(&named);
        self.folders.retain(|folder| folder.named != named);
    }

    /// Returns the projects of all folders.
    pub fn projects(&self) -> Vec<Project> {
        if self.folders.is_empty() {
            return self.fallback.iter().cloned().collect();
        }
        let roots = self.folders.iter().map(|folder| folder.real.clone());
        roots.map(client_project).collect()
    }

    /// Returns the real path of a document. None for one that is no file.
    pub fn real_path(&self, uri: &str) -> Option<String> {
        let path = project::from_file_uri(uri)?;
        let inside = self.folders.iter().filter_map(|folder| {
            let rest = below(&path, &folder.named)?;
            Some((folder.named.len(), format!("{}{rest}", folder.real)))
        });
        Some(
            inside
                .max_by_key(|(length, _)| *length)
                .map_or(path, |(_, real)| real),
        )
    }

    /// Returns the address of a real path, as the client writes it.
    pub fn uri(&self, path: &str) -> String {
        let inside = self.folders.iter().filter_map(|folder| {
            let rest = below(path, &folder.real)?;
            Some((folder.real.len(), format!("{}{rest}", folder.named)))
        });
        let named = inside.max_by_key(|(length, _)| *length);
        project::to_file_uri(named.as_ref().map_or(path, |(_, named)| named))
    }

    /// Returns the project of a file: the innermost folder around it, or its repository.
    pub fn project(&self, path: &str) -> Option<Project> {
        let around = self.folders.iter().map(|folder| folder.real.as_str());
        let around = around.filter(|folder| below(path, folder).is_some());
        if let Some(folder) = around.max_by_key(|folder| folder.len()) {
            return Some(client_project(folder.to_owned()));
        }
        let fallback = self.fallback.as_ref().filter(|_| self.folders.is_empty());
        if let Some(project) = fallback.filter(|one| below(path, &one.root).is_some()) {
            return Some(project.clone());
        }
        let parent = Path::new(path).parent()?;
        let repository = project::enclosing_repository(parent, &self.home);
        let is_repository = repository != parent || project::is_repository(parent);
        let root = repository.to_str().filter(|_| is_repository)?;
        Some(client_project(root.to_owned()))
    }
}

fn client_project(root: String) -> Project {
    Project {
        root,
        origin: Origin::ClientRoots,
    }
}

/// Returns the rest of a path below a folder, with its slash.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn without_slash(path: &str) -> String {
    match path.trim_end_matches('/') {
        "" => "/".to_owned(),
        path => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn paths_through_a_symbolic_link_keep_the_clients_spelling() {
        let scratch = tempfile::tempdir().expect("a folder");
        let home = std::fs::canonicalize(scratch.path()).expect("a path");
        std::fs::create_dir_all(home.join("real/inner")).expect("made");
        std::os::unix::fs::symlink(home.join("real"), home.join("link")).expect("linked");
        let at = |path: &str| home.join(path).to_str().expect("UTF-8").to_owned();
        let uri = |path: &str| project::to_file_uri(&at(path));
        let mut folders = Folders::new(None, home.clone());
        folders.add(&format!("{}/", uri("link")));
        assert_eq!(folders.real_path(&uri("link/a.rs")), Some(at("real/a.rs")));
        assert_eq!(folders.uri(&at("real/a.rs")), uri("link/a.rs"));
        assert_eq!(folders.uri(&at("other/a.rs")), uri("other/a.rs"));
        let root = |path: &str| folders.project(&at(path)).map(|project| project.root);
        assert_eq!(root("real/a.rs"), Some(at("real")));
        assert_eq!(root("realm/a.rs"), None, "in no folder and no repository");
        folders.add(&uri("link/inner"));
        let root = |path: &str| folders.project(&at(path)).map(|project| project.root);
        assert_eq!(root("real/inner/b.rs"), Some(at("real/inner")));
        folders.remove(&uri("link/inner"));
        assert_eq!(folders.projects().len(), 1);
        assert_eq!(folders.real_path("untitled:Untitled-1"), None);
    }
}
