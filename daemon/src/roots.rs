//! Decides which root a call is about, and which folders may be a root.
//!
//! A root is named by its absolute path or its short name. A folder that is queried for the first time is added, unless it is
//! refused: the file system's root, the home directory or something above it, the folder for temporary files, a folder of our own, or
//! a pseudo file system.

mod pseudo;

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use claudevil_protocol::call::{Call, Origin, Project};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::manage_roots::is_root_name;
use claudevil_protocol::{ErrorCode, ToolError};

use self::pseudo::is_pseudo;
use crate::clock;
use crate::store::roots::{RootRecord, RootStore};

/// The most roots that are suggested for an unknown name, and the least similarity of their names to it.
const MAX_NEAR_NAMES: usize = 3;
const LEAST_SIMILARITY: f64 = 0.85;

pub struct Roots {
    store: RootStore,
    /// Locked from the lookup until the root is stored, so that two first queries cannot both add it.
    changing: Mutex<()>,
    home: PathBuf,
    own: Vec<PathBuf>,
}

/// The settings of a root besides its path.
#[derive(Clone, Debug, Default)]
pub struct RootOptions {
    pub name: Option<String>,
    pub include: Option<Vec<String>>,
    pub exclude: Option<Vec<String>>,
    pub chunk_size: Option<u32>,
    pub overlap: Option<u32>,
}

/// A root, or a folder in one.
#[derive(Clone, Debug)]
pub struct RootFolder {
    pub root: RootRecord,
    /// Relative to the root.
    pub folder: Option<String>,
}

impl RootFolder {
    fn whole(root: RootRecord) -> Self {
        Self { root, folder: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    New,
    Updated,
    Unchanged,
}

impl Roots {
    pub fn new(store: RootStore, paths: &Paths) -> Self {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        Self {
            store,
            changing: Mutex::default(),
            home: real(paths.user_home()),
            own: paths.own_directories().map(real).to_vec(),
        }
    }

    pub fn store(&self) -> &RootStore {
        &self.store
    }

    /// Returns the roots of a call to a tool that accepts `*` for all of them.
    pub fn resolve_all(&self, call: &Call) -> Result<Vec<RootFolder>, ToolError> {
        match &call.project {
            Some(project) if project.root == "*" => match &call.only_root {
                None => Ok(self
                    .store
                    .all()
                    .into_iter()
                    .map(RootFolder::whole)
                    .collect()),
                Some(only) => self
                    .only_root(only)
                    .map(|root| vec![RootFolder::whole(root)]),
            },
            _ => self.resolve(call).map(|place| vec![place]),
        }
    }

    /// Returns the root of a call, or the folder in one. Adds a folder that is in no root.
    pub fn resolve(&self, call: &Call) -> Result<RootFolder, ToolError> {
        let place = match (&call.project, &call.only_root) {
            (project, Some(only)) => self.find_within(only, project.as_ref())?,
            (None, None) => {
                return Err(self.not_found(
                    "no project is known for this session",
                    Line::new().words("give `root`"),
                ));
            }
            (Some(project), None) if project.root == "*" => {
                return Err(ToolError::invalid_argument(
                    "root \"*\" is not understood by this tool: name one root",
                )
                .with_hint(self.describe_known()));
            }
            (Some(project), None) => self.find(project)?,
        };
        if let Err(error) = self.store.touch(&place.root, clock::now()) {
            // The query goes on without it.
            tracing::warn!(%error, "the use of a root could not be noted");
        }
        Ok(place)
    }

    fn find(&self, project: &Project) -> Result<RootFolder, ToolError> {
        let asked = Path::new(&project.root);
        if !asked.is_absolute() {
            let known = self.store.by_name(&project.root).ok_or_else(|| {
                self.not_found(
                    &format!(
                        "`{}` is neither an absolute path nor the name of a known root",
                        project.root
                    ),
                    "give an absolute path",
                )
                .with_candidates(self.names_like(&project.root))
            })?;
            return self.vet_known(known, project.origin).map(RootFolder::whole);
        }
        let path = self.vet(asked, project.origin)?;
        let is_repository = path.join(".git").exists();
        // Locked only now, because the file system of the folder may take long to answer.
        let _changing = self.changing();
        if let Some(known) = self.store.by_path(&path) {
            return Ok(RootFolder::whole(known));
        }
        // A folder inside a root is a part of it, unless it is a repository of its own.
        if let Some(place) = self.enclosing(&path).filter(|_| !is_repository) {
            return Ok(place);
        }
        self.add_vetted(&path, &RootOptions::default())
            .map(|(root, _)| RootFolder::whole(root))
    }

    /// Returns the roots that a call may see.
    pub fn visible(&self, call: &Call) -> Vec<RootRecord> {
        let mut roots = self.store.all();
        if let Some(only) = &call.only_root {
            let path = fs::canonicalize(only).unwrap_or_else(|_| only.into());
            roots.retain(|root| root.name == *only || Path::new(&root.path) == path);
        }
        roots
    }

    /// Returns the root of a confined session. It is added even inside another root, which the session must not see.
    fn only_root(&self, only: &str) -> Result<RootRecord, ToolError> {
        // The error must not name other roots.
        let alone = |error: ToolError| error.with_hint("check the option --root of claudevil-mcp");
        let path = Path::new(only);
        if !path.is_absolute() {
            let unknown = || {
                ToolError::new(
                    ErrorCode::RootNotFound,
                    format!("`{only}` is not a known root"),
                )
            };
            let known = self.store.by_name(only).ok_or_else(|| alone(unknown()))?;
            return self.vet_known(known, Origin::Option).map_err(alone);
        }
        let path = self.vet(path, Origin::Option).map_err(alone)?;
        let _changing = self.changing();
        match self.store.by_path(&path) {
            Some(known) => Ok(known),
            None => self
                .add_vetted(&path, &RootOptions::default())
                .map(|(root, _)| root),
        }
    }

    /// Returns the root of a confined session or a folder in it, even if that is a repository of its own. Any other folder is
    /// refused, whether it exists or not.
    fn find_within(&self, only: &str, project: Option<&Project>) -> Result<RootFolder, ToolError> {
        let root = self.only_root(only)?;
        let Some(project) =
            project.filter(|project| project.root != only && project.root != root.name)
        else {
            return Ok(RootFolder::whole(root));
        };
        let asked = Path::new(&project.root);
        let path = fs::canonicalize(asked)
            .ok()
            .filter(|path| asked.is_absolute() && path.is_dir());
        let folder = path
            .as_ref()
            .and_then(|path| path.strip_prefix(&root.path).ok()?.to_str());
        match folder {
            Some("") => Ok(RootFolder::whole(root)),
            Some(folder) => Ok(RootFolder {
                folder: Some(folder.to_owned()),
                root,
            }),
            None => Err(ToolError::new(
                ErrorCode::RootRefused,
                format!(
                    "`{}` is refused: this session is limited to {} (--only-root)",
                    project.root, root.path
                ),
            )
            .with_hint(Line::new().words("leave `root` out"))),
        }
    }

    /// Returns the path of the root that a call may add or remove.
    pub fn manageable(
        &self,
        call: &Call,
        asked: String,
        origin: Origin,
    ) -> Result<String, ToolError> {
        let Some(only) = &call.only_root else {
            return Ok(asked);
        };
        let place = self.find_within(
            only,
            Some(&Project {
                root: asked,
                origin,
            }),
        )?;
        match place.folder {
            None => Ok(place.root.path),
            Some(folder) => Err(ToolError::new(
                ErrorCode::RootRefused,
                format!(
                    "`{folder}` is refused as a root: this session has {} alone (--only-root)",
                    place.root.path
                ),
            )),
        }
    }

    /// Returns the root around a folder.
    fn enclosing(&self, path: &Path) -> Option<RootFolder> {
        let root = path
            .ancestors()
            .skip(1)
            .find_map(|above| self.store.by_path(above))?;
        let folder = path.strip_prefix(&root.path).ok()?.to_str()?.to_owned();
        Some(RootFolder {
            root,
            folder: Some(folder),
        })
    }

    /// Returns the root that contains a path, among those that a call may see.
    pub fn containing(&self, call: &Call, path: &Path) -> Option<RootRecord> {
        let visible = self.visible(call);
        path.ancestors().find_map(|above| {
            visible
                .iter()
                .find(|root| Path::new(&root.path) == above)
                .cloned()
        })
    }

    pub fn add(
        &self,
        path: &str,
        options: &RootOptions,
        origin: Origin,
    ) -> Result<(RootRecord, AddOutcome), ToolError> {
        let path = Path::new(path);
        if !path.is_absolute() {
            return Err(ToolError::invalid_argument(format!(
                "path `{}` is not absolute",
                path.display()
            )));
        }
        let path = self.vet(path, origin)?;
        let _changing = self.changing();
        self.add_vetted(&path, options)
    }

    fn add_vetted(
        &self,
        path: &Path,
        options: &RootOptions,
    ) -> Result<(RootRecord, AddOutcome), ToolError> {
        let path_text = path.to_str().ok_or_else(|| {
            ToolError::new(
                ErrorCode::RootRefused,
                format!("{} is not valid UTF-8", path.display()),
            )
        })?;
        if let Some(known) = self.store.by_path(path) {
            return self.update(known, options);
        }
        if let Some(name) = &options.name
            && let Some(taken) = self.store.by_name(name)
        {
            return Err(ToolError::invalid_argument(format!(
                "the name `{name}` is taken by {}",
                taken.path
            ))
            .with_hint("choose another name"));
        }
        let now = clock::now();
        let root = RootRecord {
            id: self.store.next_id()?,
            name: options.name.clone().unwrap_or_else(|| self.free_name(path)),
            path: path_text.to_owned(),
            include: options.include.clone().unwrap_or_default(),
            exclude: options.exclude.clone().unwrap_or_default(),
            chunk_size: options.chunk_size,
            overlap: options.overlap,
            added: now,
            last_used: now,
        };
        self.store.put(&root)?;
        tracing::info!(root = root.name, "root added");
        Ok((root, AddOutcome::New))
    }

    fn update(
        &self,
        known: RootRecord,
        options: &RootOptions,
    ) -> Result<(RootRecord, AddOutcome), ToolError> {
        let changed = RootRecord {
            name: options.name.clone().unwrap_or_else(|| known.name.clone()),
            include: options
                .include
                .clone()
                .unwrap_or_else(|| known.include.clone()),
            exclude: options
                .exclude
                .clone()
                .unwrap_or_else(|| known.exclude.clone()),
            chunk_size: options.chunk_size.or(known.chunk_size),
            overlap: options.overlap.or(known.overlap),
            ..known.clone()
        };
        if changed == known {
            return Ok((known, AddOutcome::Unchanged));
        }
        if changed.name != known.name
            && let Some(taken) = self.store.by_name(&changed.name)
        {
            return Err(ToolError::invalid_argument(format!(
                "the name `{}` is taken by {}",
                taken.name, taken.path
            )));
        }
        self.store.put(&changed)?;
        Ok((changed, AddOutcome::Updated))
    }

    /// Removes a root by path or name. The folder itself need not exist any more.
    pub fn remove(&self, asked: &str) -> Result<RootRecord, ToolError> {
        let path = Path::new(asked);
        let known = || {
            self.store
                .by_name(asked)
                .or_else(|| self.store.by_path(path))
        };
        let behind_links = || {
            self.store
                .by_path(&fs::canonicalize(path).ok().filter(|_| path.is_absolute())?)
        };
        let root = known().or_else(behind_links).ok_or_else(|| {
            self.not_found(
                &format!("`{asked}` is not a known root"),
                "name one of them",
            )
        })?;
        self.store.remove(root.id)?;
        tracing::info!(root = root.name, "root removed");
        Ok(root)
    }

    /// Returns a known root, unless its folder has become a symlink since it was added.
    fn vet_known(&self, known: RootRecord, origin: Origin) -> Result<RootRecord, ToolError> {
        if self.vet(known.path.as_ref(), origin)? == Path::new(&known.path) {
            return Ok(known);
        }
        // A confined session must not learn where it leads: that may be another root.
        let message = format!("{} now leads to another folder", known.path);
        Err(self.not_found(&message, "add the other folder under its own path"))
    }

    /// Returns the canonical path of a folder, or an error if it may not be a root.
    fn vet(&self, asked: &Path, origin: Origin) -> Result<PathBuf, ToolError> {
        let path = match fs::canonicalize(asked) {
            Ok(path) => path,
            Err(error) => {
                let message = format!(
                    "{} ({}) cannot be opened: {error}",
                    asked.display(),
                    origin.describe()
                );
                let known = asked
                    .to_str()
                    .is_some_and(|_| self.store.by_path(asked).is_some());
                let hint = if known {
                    "its record is kept; bring the folder back"
                } else {
                    "check the path"
                };
                return Err(self.not_found(&message, hint));
            }
        };
        if !path.is_dir() {
            let message = format!("{} is not a folder", path.display());
            return Err(self.not_found(&message, "give the folder that holds it"));
        }
        match self.why_refused(&path) {
            Some(why) => Err(ToolError::new(
                ErrorCode::RootRefused,
                format!(
                    "{} ({}) is refused as a root: it {why}",
                    path.display(),
                    origin.describe()
                ),
            )
            .with_hint(
                Line::new()
                    .either(
                        "give `root`: the absolute path of a project. ",
                        "name the folder of a project. ",
                    )
                    .text(self.describe_known()),
            )),
            None => Ok(path),
        }
    }

    fn why_refused(&self, path: &Path) -> Option<&'static str> {
        if !path
            .components()
            .any(|part| matches!(part, Component::Normal(_)))
        {
            Some("is the root of the file system")
        } else if path == self.home {
            Some("is the home directory")
        } else if self.home.starts_with(path) {
            Some("is above the home directory")
        } else if path == Path::new("/tmp")
            || path == Path::new("/var/tmp")
            || fs::canonicalize(std::env::temp_dir()).is_ok_and(|temporary| path == temporary)
        {
            Some("has the temporary files of all programs")
        } else if self.own.iter().any(|own| path.starts_with(own)) {
            Some("belongs to claudevil")
        } else if is_pseudo(path) {
            Some(
                "is in a pseudo file system, which shows the state of the system and has no source files",
            )
        } else {
            None
        }
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn not_found(&self, message: &str, advice: impl Into<Line>) -> ToolError {
        ToolError::new(ErrorCode::RootNotFound, message)
            .with_hint(advice.into().text(format!(". {}", self.describe_known())))
    }

    /// Returns the names of roots that a misspelled name may mean.
    fn names_like(&self, name: &str) -> Vec<String> {
        let name = name.to_lowercase();
        let all = self.store.all().into_iter().map(|root| root.name);
        let mut near: Vec<(f64, String)> = all
            .map(|known| (strsim::jaro_winkler(&name, &known.to_lowercase()), known))
            .filter(|(similarity, _)| *similarity >= LEAST_SIMILARITY)
            .collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0));
        near.into_iter()
            .take(MAX_NEAR_NAMES)
            .map(|(_, name)| name)
            .collect()
    }

    fn describe_known(&self) -> String {
        let roots = self.store.all();
        if roots.is_empty() {
            return "No roots are known yet.".to_owned();
        }
        let shown: Vec<_> = roots
            .iter()
            .take(10)
            .map(|root| format!("{} ({})", root.name, root.path))
            .collect();
        let more = roots.len().saturating_sub(shown.len());
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("Known roots: {}{more}", shown.join(", "))
    }

    /// Returns a name for a root, from that of its folder, with a number if it is taken: `engine-2`.
    fn free_name(&self, path: &Path) -> String {
        let folder = path
            .file_name()
            .map(|name| name.to_string_lossy())
            .unwrap_or_default();
        let letters = folder.chars().map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '-'
            }
        });
        let base: String = letters.take(56).collect();
        let base = base.trim_matches('-');
        let base = if is_root_name(base) { base } else { "root" };
        std::iter::once(base.to_owned())
            .chain((2..=u32::MAX).map(|number| format!("{base}-{number}")))
            .find(|name| self.store.by_name(name).is_none())
            .unwrap_or_else(|| base.to_owned())
    }
}

#[cfg(test)]
mod tests;
