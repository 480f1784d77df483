//! Which folders may be a root, and which root a call is about.
//!
//! A root is named by its absolute path or its short name. A folder that is asked about for the first time is added,
//! unless it is one that nobody means: the file system's root, the home directory or something above it, a folder of
//! our own, or one of a pseudo file system.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use claudevil_protocol::call::{Call, Origin, Project};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::manage_roots::is_root_name;
use claudevil_protocol::{ErrorCode, ToolError};

use crate::clock;
use crate::store::roots::{RootRecord, RootStore};

pub struct Roots {
    store: RootStore,
    /// Held from looking until storing, so that two first questions cannot both add.
    changing: Mutex<()>,
    home: PathBuf,
    own: Vec<PathBuf>,
}

/// What a root is given besides its path.
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

    /// What a call is about that may ask about every known root, with `*`.
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

    /// What a call is about. A folder that is not known yet becomes known.
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
                .with_hint(self.known()));
            }
            (Some(project), None) => self.find(project)?,
        };
        if let Err(error) = self.store.touch(&place.root, clock::now()) {
            // Not worth failing a question for.
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
            })?;
            // The folder may have become something else since it was added.
            let path = self.vet(known.path.as_ref(), project.origin)?;
            if path != Path::new(&known.path) {
                let message = format!("{} now leads to {}", known.path, path.display());
                return Err(self.not_found(&message, "add the other folder under its own path"));
            }
            return Ok(RootFolder::whole(known));
        }
        let path = self.vet(asked, project.origin)?;
        let is_repository = path.join(".git").exists();
        // Only now: looking at a folder may take as long as its file system likes.
        let _changing = self.changing();
        if let Some(known) = self.store.by_path(&path) {
            return Ok(RootFolder::whole(known));
        }
        // A folder inside a known root is a part of that root, unless it is a repository of its own.
        if let Some(place) = self.enclosing(&path).filter(|_| !is_repository) {
            return Ok(place);
        }
        self.add_vetted(&path, &RootOptions::default())
            .map(|(root, _)| RootFolder::whole(root))
    }

    /// The known roots that a call may know of.
    pub fn visible(&self, call: &Call) -> Vec<RootRecord> {
        let mut roots = self.store.all();
        if let Some(only) = &call.only_root {
            let path = fs::canonicalize(only).unwrap_or_else(|_| only.into());
            roots.retain(|root| root.name == *only || Path::new(&root.path) == path);
        }
        roots
    }

    /// The root of a confined session. It becomes known by itself, also where it lies in a known root: otherwise the
    /// session would see what is around it.
    fn only_root(&self, only: &str) -> Result<RootRecord, ToolError> {
        // Names of other roots are none of the session's business.
        let alone = |error: ToolError| error.with_hint("check the option --root of claudevil-mcp");
        let path = Path::new(only);
        if !path.is_absolute() {
            let unknown = || {
                ToolError::new(
                    ErrorCode::RootNotFound,
                    format!("`{only}` is not a known root"),
                )
            };
            return self.store.by_name(only).ok_or_else(|| alone(unknown()));
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

    /// Finds the root of a confined session, or a folder in it, also if that is a repository of its own. Anything else is
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
                    "`{}` is refused: this session answers about {} alone (--only-root)",
                    project.root, root.path
                ),
            )
            .with_hint(Line::new().words("leave `root` out"))),
        }
    }

    /// The path of the root that a call may add or remove.
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

    /// The known root that a folder lies in.
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

    /// The known root that a path lies in, of those that a call may know of.
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

    /// Forgets a root, by path or name. The folder itself need not exist any more.
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

    /// The real path of a folder that may be a root.
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
                    "{} ({}) is refused as a root: it is {why}",
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
                    .text(self.known()),
            )),
            None => Ok(path),
        }
    }

    fn why_refused(&self, path: &Path) -> Option<&'static str> {
        if !path
            .components()
            .any(|part| matches!(part, Component::Normal(_)))
        {
            Some("the root of the file system")
        } else if path == self.home {
            Some("the home directory")
        } else if self.home.starts_with(path) {
            Some("above the home directory")
        } else if self.own.iter().any(|own| path.starts_with(own)) {
            Some("claudevil's own")
        } else if is_pseudo(path) {
            Some(
                "in a pseudo file system, which shows the state of the system and has no source files",
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
            .with_hint(advice.into().text(format!(". {}", self.known())))
    }

    fn known(&self) -> String {
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

    /// The folder's name in the letters that a root's name may have, with a number if it is taken.
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

/// File systems whose files are made up by the kernel. Reading one may change something, or never end.
#[cfg(target_os = "linux")]
const PSEUDO: &[u32] = &[
    0x0000_9fa0, // procfs
    0x6265_6572, // sysfs
    0x0000_1cd1, // devpts
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup 2
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0xcafe_4a11, // bpf
    0x6265_6570, // configfs
    0x6165_676c, // pstore
    0xde5e_81e4, // efivarfs
    0x1980_0202, // mqueue
    0x4249_4e4d, // binfmt_misc
    0xf97c_ff8c, // selinuxfs
    0x4341_5d53, // smackfs
    0x6e73_6673, // nsfs
    0x6573_5543, // fusectl
    0x6759_6969, // rpc_pipefs
    0x6c6f_6f70, // binderfs
    0x0765_5821, // resctrl
];

/// By path too: a `/dev` is a tmpfs to the system. People put trees into `/dev/shm`.
#[cfg(target_os = "linux")]
fn is_pseudo(path: &Path) -> bool {
    if ["/proc", "/sys", "/dev"]
        .iter()
        .any(|top| path.starts_with(top))
        && !path.starts_with("/dev/shm")
    {
        return true;
    }
    rustix::fs::statfs(path).is_ok_and(|found| {
        // The kernel's numbers have 32 bits; the field is wider, and signed on some machines.
        u32::try_from(i128::from(found.f_type) & 0xffff_ffff)
            .is_ok_and(|kind| PSEUDO.contains(&kind))
    })
}

#[cfg(not(target_os = "linux"))]
fn is_pseudo(path: &Path) -> bool {
    cfg!(unix) && path.starts_with("/dev")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(scratch: &Path) -> Roots {
        let home = scratch.join("home");
        fs::create_dir_all(home.join("engine/src")).expect("made");
        let paths = Paths::gathered(&home, &scratch.join("cv"));
        fs::create_dir_all(paths.data()).expect("made");
        Roots::new(RootStore::open(paths.data()).expect("opened"), &paths)
    }

    fn call(root: &Path) -> Call {
        let project = Project {
            root: root.display().to_string(),
            origin: Origin::Argument,
        };
        Call {
            id: 1,
            project: Some(project),
            progress: false,
            only_root: None,
        }
    }

    #[test]
    fn a_confined_session_knows_one_root() {
        let scratch = tempfile::tempdir().expect("a directory");
        let roots = roots(scratch.path());
        let engine = scratch.path().join("home/engine");
        let (inner, secret) = (engine.join("src"), scratch.path().join("home/secret"));
        fs::create_dir_all(secret.join("src")).expect("made");
        fs::create_dir_all(inner.join(".git")).expect("made");
        roots.resolve(&call(&secret)).expect("added");
        roots.resolve(&call(&engine)).expect("added");
        let confined = |only: &Path, root: &Path| Call {
            only_root: Some(only.to_str().expect("UTF-8").to_owned()),
            ..call(root)
        };
        let place = |only: &Path, root: &Path| {
            let place = roots.resolve(&confined(only, root))?;
            Ok::<_, ToolError>((PathBuf::from(place.root.path), place.folder))
        };
        let real = |path: &Path| fs::canonicalize(path).expect("there");
        assert_eq!(place(&engine, &engine), Ok((real(&engine), None)));
        assert_eq!(
            place(Path::new("engine"), &engine),
            Ok((real(&engine), None))
        );
        assert_eq!(
            place(&engine, Path::new("engine")),
            Ok((real(&engine), None))
        );
        assert_eq!(
            place(&engine, &inner),
            Ok((real(&engine), Some("src".to_owned()))),
            "not a root of its own"
        );
        for other in [
            "secret",
            "nothing",
            "..",
            "/",
            secret.to_str().expect("UTF-8"),
            "/nowhere",
        ] {
            let error = place(&engine, Path::new(other)).expect_err("refused");
            let text = error.text();
            assert_eq!(error.code, ErrorCode::RootRefused, "{text}");
            assert!(
                !text.contains(secret.to_str().expect("UTF-8")) || other.contains("secret"),
                "{text}"
            );
        }
        let missing = place(Path::new("nothing"), &engine)
            .expect_err("unknown")
            .text();
        assert!(!missing.contains("secret"), "{missing}");
        let all = Call {
            project: Some(Project {
                root: "*".into(),
                origin: Origin::Argument,
            }),
            ..confined(&engine, &engine)
        };
        assert_eq!(roots.resolve_all(&all).expect("one").len(), 1);
        assert_eq!(roots.visible(&all).len(), 1);
        // A folder in a known root is a root of its own, and sees nothing of what is around it.
        assert_eq!(place(&inner, &inner), Ok((real(&inner), None)));
        assert!(place(&inner, &engine).is_err());
        let manage = |asked: &Path| {
            roots.manageable(
                &confined(&engine, &engine),
                asked.display().to_string(),
                Origin::Argument,
            )
        };
        assert!(manage(&secret).is_err() && manage(&inner).is_err());
        assert_eq!(manage(&engine).map(PathBuf::from), Ok(real(&engine)));
    }

    #[test]
    fn a_new_folder_becomes_a_root_and_its_subfolders_are_part_of_it() {
        let scratch = tempfile::tempdir().expect("a directory");
        let roots = roots(scratch.path());
        let engine = scratch.path().join("home/engine");
        let added = roots.resolve(&call(&engine)).expect("added").root;
        assert_eq!(added.name, "engine");
        let inside = roots
            .resolve(&call(&engine.join("src")))
            .expect("enclosing");
        assert_eq!(
            (inside.root.id, inside.folder.as_deref()),
            (added.id, Some("src"))
        );
        assert_eq!(roots.store().all().len(), 1);
        let by_name = Call {
            project: Some(Project {
                root: "engine".into(),
                origin: Origin::Argument,
            }),
            ..call(&engine)
        };
        assert_eq!(roots.resolve(&by_name).expect("by name").root.id, added.id);
    }

    #[test]
    fn nobody_means_the_home_or_what_is_above_it() {
        let scratch = tempfile::tempdir().expect("a directory");
        let roots = roots(scratch.path());
        let refused = [
            Path::new("/"),
            &scratch.path().join("home"),
            scratch.path(),
            &scratch.path().join("cv/data"),
        ];
        for path in refused {
            let error = roots.resolve(&call(path)).expect_err("refused");
            assert_eq!(error.code, ErrorCode::RootRefused, "{}", path.display());
        }
        let missing = roots
            .resolve(&call(&scratch.path().join("home/nothing")))
            .expect_err("missing");
        assert_eq!(missing.code, ErrorCode::RootNotFound);
        assert!(roots.store().all().is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pseudo_file_systems_are_refused() {
        for path in [
            "/proc",
            "/proc/self",
            "/sys",
            "/sys/kernel",
            "/dev",
            "/dev/pts",
            "/dev/null",
        ] {
            assert!(is_pseudo(Path::new(path)), "{path}");
        }
        for path in ["/tmp", "/usr", "/developer", "/dev/shm", "/dev/shm/tree"] {
            assert!(!is_pseudo(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn names_are_made_unique_and_kept_clean() {
        let scratch = tempfile::tempdir().expect("a directory");
        let roots = roots(scratch.path());
        for folder in ["a/engine", "b/engine", "c/en gine.rs", "d/…"] {
            let folder = scratch.path().join("home").join(folder);
            fs::create_dir_all(&folder).expect("made");
            roots.resolve(&call(&folder)).expect("added");
        }
        let names: Vec<_> = roots
            .store()
            .all()
            .iter()
            .map(|root| root.name.clone())
            .collect();
        assert_eq!(names, ["en-gine-rs", "engine", "engine-2", "root"]);
    }
}
