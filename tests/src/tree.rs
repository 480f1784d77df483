//! A tree of sources that is edited at random, and what an index must know of it afterwards.
//!
//! The expectation is kept here, edit by edit, from what was written: never from what a daemon says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::chance::Chance;
use crate::scan;

const LANGUAGES: [&str; 4] = ["rs", "py", "ts", "go"];
const NAMES_IN_A_FILE: usize = 4;

pub struct Tree {
    pub root: PathBuf,
    chance: Chance,
    /// The names that each file defines, by its path.
    files: BTreeMap<String, Vec<String>>,
    /// Folders at the top that `.gitignore` names.
    ignored: BTreeSet<String>,
    made: u64,
}

/// The effect of an edit on the names of the tree.
#[derive(Debug)]
pub struct Edit {
    pub kind: Kind,
    pub path: String,
    /// Names to ask for: each is somewhere else now, or nowhere.
    pub names: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Create,
    CreateInNewFolders,
    Write,
    /// A temporary file is renamed over the old one, as editors do.
    SaveAtomically,
    /// Keeps the size, and restores the times.
    WriteUnnoticed,
    Rename,
    RenameFolder,
    Delete,
    DeleteFolder,
    /// A folder is ignored, or no longer.
    Ignore,
}

/// The kinds by frequency: plain writes come more often than rare edits.
const KINDS: [Kind; 16] = [
    Kind::Create,
    Kind::Create,
    Kind::CreateInNewFolders,
    Kind::CreateInNewFolders,
    Kind::Write,
    Kind::Write,
    Kind::Write,
    Kind::SaveAtomically,
    Kind::SaveAtomically,
    Kind::WriteUnnoticed,
    Kind::Rename,
    Kind::Rename,
    Kind::RenameFolder,
    Kind::Delete,
    Kind::DeleteFolder,
    Kind::Ignore,
];

impl Tree {
    /// Makes a repository with this many files.
    pub fn new(root: &Path, seed: u64, files: usize) -> Self {
        let mut tree = Self {
            root: root.to_owned(),
            chance: Chance::new(seed),
            files: BTreeMap::new(),
            ignored: BTreeSet::new(),
            made: 0,
        };
        tree.put(".git/HEAD", "ref: refs/heads/main\n");
        tree.put(".gitignore", "");
        for number in 0..files {
            let folder = format!("area{}/part{}", number % 7, number % 5);
            tree.create(&folder);
        }
        tree
    }

    /// Returns the same tree at another path.
    #[must_use]
    pub fn at(self, root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            ..self
        }
    }

    /// Takes the files as they are on disk, after something else than this has changed them, such as a branch switch.
    pub fn read_again(&mut self) {
        self.files = scan::files(&self.root)
            .into_iter()
            .filter(|path| {
                path.rsplit_once('.')
                    .is_some_and(|(_, extension)| LANGUAGES.contains(&extension))
            })
            .map(|path| {
                let text = fs::read_to_string(self.root.join(&path)).expect("readable");
                let names = text
                    .lines()
                    .filter_map(scan::defined_function)
                    .map(str::to_owned)
                    .collect();
                (path, names)
            })
            .collect();
    }

    /// Returns the file that defines a name, as far as an index may know.
    pub fn place(&self, name: &str) -> Option<&str> {
        self.visible()
            .find(|(_, names)| names.iter().any(|own| own == name))
            .map(|(path, _)| path)
    }

    /// Returns the files that an index has.
    pub fn visible(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.files
            .iter()
            .filter(|(path, _)| {
                !path
                    .split('/')
                    .next()
                    .is_some_and(|top| self.ignored.contains(top))
            })
            .map(|(path, names)| (path.as_str(), names.as_slice()))
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Makes one edit, of any kind.
    pub fn edit(&mut self) -> Edit {
        self.edit_other_than(&[])
    }

    /// Makes one edit, of any kind but these.
    pub fn edit_other_than(&mut self, excluded: &[Kind]) -> Edit {
        loop {
            let kind = *self.chance.one_of(&KINDS);
            if excluded.contains(&kind) {
                continue;
            }
            if let Some(edit) = self.edit_as(kind) {
                return edit;
            }
        }
    }

    /// Makes an edit of this kind. None if the tree has nothing for it.
    pub fn edit_as(&mut self, kind: Kind) -> Option<Edit> {
        let paths: Vec<String> = self.visible().map(|(path, _)| path.to_owned()).collect();
        // A tree that has nearly vanished would make every further edit the same.
        let is_small = paths.len() < 20;
        let path = if paths.is_empty() {
            String::new()
        } else {
            self.chance.one_of(&paths).clone()
        };
        let edit = |path: &str, names| {
            Some(Edit {
                kind,
                path: path.to_owned(),
                names,
            })
        };
        match kind {
            Kind::Create => {
                let folder = path
                    .rsplit_once('/')
                    .map_or("", |(folder, _)| folder)
                    .to_owned();
                let path = self.create(&folder);
                let names = self.files[&path].clone();
                edit(&path, names)
            }
            Kind::CreateInNewFolders => {
                let depth = 1 + self.chance.below(4);
                let folders: Vec<String> = (0..depth)
                    .map(|level| format!("deep{}_{level}", self.made))
                    .collect();
                let path = self.create(&folders.join("/"));
                let names = self.files[&path].clone();
                edit(&path, names)
            }
            _ if paths.is_empty() => None,
            Kind::Write | Kind::SaveAtomically | Kind::WriteUnnoticed => {
                let before = self.files[&path].clone();
                let names = self.write_again(&path, kind);
                let names = before.into_iter().chain(names).collect();
                edit(&path, names)
            }
            Kind::Rename => {
                let target = self.chance.one_of(&paths).clone();
                let (_, extension) = path.rsplit_once('.')?;
                let folder = target
                    .rsplit_once('/')
                    .map_or(String::new(), |(folder, _)| format!("{folder}/"));
                let to = format!("{folder}moved{}.{extension}", self.number());
                fs::rename(self.root.join(&path), self.root.join(&to)).expect("renamed");
                let names = self.files.remove(&path)?;
                self.files.insert(to.clone(), names.clone());
                edit(&to, names)
            }
            Kind::RenameFolder => {
                let (from, _) = path.split_once('/')?;
                let to = format!("area{}", self.number());
                fs::rename(self.root.join(from), self.root.join(&to)).expect("renamed");
                let moved = self.beneath(from);
                let mut names = vec![];
                for old in moved {
                    let own = self.files.remove(&old)?;
                    names.extend(own.iter().cloned());
                    self.files.insert(old.replacen(from, &to, 1), own);
                }
                edit(&to, names)
            }
            Kind::Delete if !is_small => {
                fs::remove_file(self.root.join(&path)).expect("removed");
                let names = self.files.remove(&path)?;
                edit(&path, names)
            }
            Kind::DeleteFolder => {
                let (folder, _) = path.rsplit_once('/')?;
                let gone = self.beneath(folder);
                if is_small || gone.len() * 4 > paths.len() {
                    return None;
                }
                fs::remove_dir_all(self.root.join(folder)).expect("removed");
                let names = gone
                    .iter()
                    .filter_map(|path| self.files.remove(path))
                    .flatten()
                    .collect();
                edit(folder, names)
            }
            Kind::Ignore => {
                let top = self.ignored.pop_first();
                let top = match top {
                    Some(top) => top,
                    None if is_small => return None,
                    None => {
                        let (top, _) = path.split_once('/')?;
                        self.ignored.insert(top.to_owned());
                        top.to_owned()
                    }
                };
                let rules: String = self
                    .ignored
                    .iter()
                    .map(|top| format!("/{top}/\n"))
                    .collect();
                self.put(".gitignore", &rules);
                let names = self
                    .beneath(&top)
                    .iter()
                    .flat_map(|path| self.files[path].clone())
                    .collect();
                edit(&top, names)
            }
            Kind::Delete => None,
        }
    }

    /// Makes a new file in a folder, which is made if it is missing. Returns its path.
    pub fn create(&mut self, folder: &str) -> String {
        let extension = *self.chance.one_of(&LANGUAGES);
        let name = format!("file{}.{extension}", self.number());
        let path = if folder.is_empty() {
            name
        } else {
            format!("{folder}/{name}")
        };
        let names: Vec<String> = (0..NAMES_IN_A_FILE).map(|_| self.name()).collect();
        self.put(&path, &source(extension, &names));
        self.files.insert(path.clone(), names);
        path
    }

    /// Defines other names in a file than before, and returns them.
    pub fn write_again(&mut self, path: &str, kind: Kind) -> Vec<String> {
        let extension = path
            .rsplit_once('.')
            .map_or("rs", |(_, extension)| extension)
            .to_owned();
        let count = if kind == Kind::WriteUnnoticed {
            self.files[path].len()
        } else {
            1 + self.chance.below(6)
        };
        let names: Vec<String> = (0..count).map(|_| self.name()).collect();
        let text = source(&extension, &names);
        let place = self.root.join(path);
        match kind {
            Kind::SaveAtomically => {
                let aside = place.with_extension(format!("{extension}.tmp"));
                fs::write(&aside, text).expect("written");
                fs::rename(&aside, &place).expect("renamed");
            }
            Kind::WriteUnnoticed => {
                let before = fs::metadata(&place).expect("it is there");
                fs::write(&place, text).expect("written");
                set_modified(&place, before.modified().expect("a time"));
                assert_eq!(
                    fs::metadata(&place).expect("it is there").len(),
                    before.len(),
                    "{path}"
                );
            }
            _ => fs::write(&place, text).expect("written"),
        }
        self.files.insert(path.to_owned(), names.clone());
        names
    }

    fn beneath(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{folder}/");
        self.files
            .keys()
            .filter(|path| path.starts_with(&prefix))
            .cloned()
            .collect()
    }

    fn put(&self, path: &str, text: &str) {
        let place = self.root.join(path);
        fs::create_dir_all(place.parent().expect("a folder")).expect("made");
        fs::write(place, text).expect("written");
    }

    /// Returns a new name. All are of one length, so that one can take another's place unnoticed.
    fn name(&mut self) -> String {
        format!("vista_{:08}", self.number())
    }

    fn number(&mut self) -> u64 {
        self.made += 1;
        self.made
    }
}

pub fn set_modified(file: &Path, time: SystemTime) {
    let file = File::options().write(true).open(file).expect("opened");
    file.set_times(FileTimes::new().set_modified(time))
        .expect("times set");
}

fn source(extension: &str, names: &[String]) -> String {
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        let called = &names[(at + 1) % names.len()];
        text += &match extension {
            "py" => {
                format!(
                    "def {name}(value):\n    \"\"\"Looks at a value.\"\"\"\n    return {called}(value) + {at}\n\n"
                )
            }
            "ts" => {
                format!(
                    "export function {name}(value: number): number {{\n  return {called}(value) + {at};\n}}\n\n"
                )
            }
            "go" if at == 0 => {
                format!(
                    "package vista\n\nfunc {name}(value int) int {{\n\treturn {called}(value) + {at}\n}}\n\n"
                )
            }
            "go" => {
                format!("func {name}(value int) int {{\n\treturn {called}(value) + {at}\n}}\n\n")
            }
            _ => format!(
                "/// Looks at a value.\npub fn {name}(value: u64) -> u64 {{\n    {called}(value) + {at}\n}}\n\n"
            ),
        };
    }
    text
}
