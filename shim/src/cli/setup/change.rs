//! A change of one client's configuration: planned, shown and applied.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::Scope;
use super::clients::Client;
use super::config_text::{Section, StrippedText, Target, Unreadable};
use super::editors::Editor;
use super::entry::Server;
use super::file::{self, Readers};
use super::markdown;
use super::owner::Owner;
use super::record::{Record, WrittenFile};
use super::text;

/// A planned change of one file.
pub struct Change {
    pub owner: Owner,
    pub scope: Scope,
    pub target: Target,
    /// The path as the client names it; the file behind its links is changed.
    pub path: PathBuf,
    file: PathBuf,
    pub kind: Kind,
    /// `None` if there is no file.
    pub before: Option<String>,
    pub after: Option<String>,
    section: Section,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Add,
    Update,
    Remove,
    /// The file is already as it should be.
    Nothing,
    /// The file is left alone, for this reason.
    Refused(String),
}

impl Kind {
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update => "update",
            Self::Remove => "remove",
            Self::Nothing => "none",
            Self::Refused(_) => "refused",
        }
    }

    pub fn is_work(&self) -> bool {
        matches!(self, Self::Add | Self::Update | Self::Remove)
    }
}

impl Change {
    /// Plans the change by which a client starts a server.
    pub fn to_add(client: &'static Client, scope: &Scope, path: PathBuf, server: &Server) -> Self {
        let mut change = Self::new(Owner::Client(client), scope, Target::Servers, path);
        change.refuse_outside();
        if change.kind != Kind::Nothing {
            return change;
        }
        let text = change.before.as_deref().unwrap_or_default();
        let planned = text::get(client, text).and_then(|had| {
            let (after, section) = text::put(client, text, &server.fields(client.shape))?;
            change.section = section;
            Ok((had.is_some(), after))
        });
        change.plan(planned);
        change
    }

    /// Plans the change by which a client's model is told when to use claudevil.
    pub fn to_instruct(client: &'static Client, scope: &Scope, path: PathBuf) -> Self {
        let mut change = Self::new(Owner::Client(client), scope, Target::Instructions, path);
        change.refuse_outside();
        if change.kind != Kind::Nothing {
            return change;
        }
        let text = change.before.as_deref().unwrap_or_default();
        let head = client.instruction_head(scope);
        let planned = markdown::is_there(text)
            .and_then(|is_there| Ok((is_there, markdown::put(text, head)?)));
        change.plan(planned);
        change
    }

    /// Plans the change by which an editor starts the language server.
    pub fn to_configure(editor: &'static Editor, path: PathBuf, command: &str) -> Self {
        let owner = Owner::Editor(editor);
        let mut change = Self::new(owner, &Scope::User, Target::LanguageServer, path);
        if change.kind != Kind::Nothing {
            return change;
        }
        let text = change.before.as_deref().unwrap_or_default();
        let planned = editor
            .is_there(text)
            .and_then(|is_there| Ok((is_there, editor.put(text, command)?)));
        change.plan(planned);
        change
    }

    /// Takes over the planned text; the flag says whether our lines were there before.
    fn plan(&mut self, planned: Result<(bool, String), Unreadable>) {
        match planned {
            Ok((is_there, after)) => {
                if self.before.as_ref() != Some(&after) {
                    self.kind = if is_there { Kind::Update } else { Kind::Add };
                }
                self.after = Some(after);
            }
            Err(error) => self.kind = Kind::Refused(error.0),
        }
    }

    /// Plans the removal of our entry: back to the text before it if the file has not changed since, otherwise the entry
    /// alone.
    pub fn to_remove(
        owner: Owner,
        scope: &Scope,
        target: Target,
        path: PathBuf,
        record: &Record,
    ) -> Self {
        let mut change = Self::new(owner, scope, target, path);
        // An entry that an earlier version wrote through a link is removed there too.
        if record.find(&change.file, target).is_none() {
            change.refuse_outside();
        }
        if change.kind != Kind::Nothing {
            return change;
        }
        let Some(text) = change.before.clone() else {
            return change;
        };
        let known = record.find(&change.file, target);
        if let Some(known) = known.filter(|known| record.copy(&known.after).as_ref() == Some(&text))
        {
            let before = known.before.as_ref().map(|name| record.copy(name));
            // If the copy is lost, the entry is removed from the present text.
            if before != Some(None) {
                change.after = before.flatten();
                change.kind = Kind::Remove;
                return change;
            }
        }
        match change.strip(&text, known.map_or(Section::There, WrittenFile::section)) {
            Ok(None) => {}
            Ok(Some(without)) => {
                let is_ours = known.is_some_and(|known| known.before.is_none()) && without.is_bare;
                change.after = (!is_ours).then_some(without.text);
                change.kind = Kind::Remove;
            }
            Err(error) => change.kind = Kind::Refused(error.0),
        }
        change
    }

    /// Plans a removal again, for the text that an earlier change has left.
    pub fn plan_again(self, record: &Record) -> Self {
        Self::to_remove(self.owner, &self.scope, self.target, self.path, record)
    }

    /// Returns a text without what is ours.
    fn strip(&self, text: &str, emptied: Section) -> Result<Option<StrippedText>, Unreadable> {
        match self.owner {
            Owner::Editor(editor) => editor.take(text),
            Owner::Client(client) if self.target == Target::Instructions => {
                markdown::take(text, client.instruction_head(&self.scope))
            }
            Owner::Client(client) => text::take(client, text, emptied),
        }
    }

    fn new(owner: Owner, scope: &Scope, target: Target, path: PathBuf) -> Self {
        let read =
            file::behind_links(&path).and_then(|file| Ok((file.clone(), file::read(&file)?)));
        let (file, before, kind) = match read {
            Ok((file, before)) => (file, before, Kind::Nothing),
            Err(error) => (path.clone(), None, Kind::Refused(error.to_string())),
        };
        let after = before.clone();
        Self {
            owner,
            scope: scope.clone(),
            target,
            path,
            file,
            kind,
            before,
            after,
            section: Section::There,
        }
    }

    fn refuse_outside(&mut self) {
        if let Err(error) = check_in_project(&self.scope, &self.file) {
            self.kind = Kind::Refused(error.to_string());
        }
    }

    /// Returns whether it changes this part of a file, by either of the file's paths.
    pub fn changes(&self, file: &Path, target: Target) -> bool {
        self.target == target && (self.file == file || self.path == file)
    }

    pub fn shares_file(&self, other: &Self) -> bool {
        self.file == other.file
    }

    /// Returns the lines that change.
    pub fn diff(&self) -> String {
        let [before, after] =
            [&self.before, &self.after].map(|text| text.as_deref().unwrap_or_default());
        let name = self.path.display().to_string();
        similar::TextDiff::from_lines(before, after)
            .unified_diff()
            .context_radius(2)
            .header(&name, &name)
            .to_string()
    }

    /// Applies the change. Returns the path of the copy of the former text.
    pub fn apply(&self, record: &mut Record) -> io::Result<Option<PathBuf>> {
        match self.kind {
            Kind::Add | Kind::Update => self.write(record),
            Kind::Remove => self.take_back(record),
            Kind::Nothing | Kind::Refused(_) => Ok(None),
        }
    }

    fn write(&self, record: &mut Record) -> io::Result<Option<PathBuf>> {
        // A person may have taken a while to agree, and a link may have been put in the way.
        check_in_project(&self.scope, &file::behind_links(&self.path)?)?;
        let after = self.after.as_deref().unwrap_or_default();
        let backup = self
            .before
            .as_deref()
            .map(|before| record.keep(self.owner.id(), before))
            .transpose()?;
        let known = record.find(&self.file, self.target).cloned();
        let is_untouched =
            |known: &WrittenFile| record.copy(&known.after) == self.before && self.before.is_some();
        let mut folders = file::make_folder(self.file.parent().unwrap_or(Path::new("")))?;
        folders.extend(known.iter().flat_map(|known| known.folders.clone()));
        let folders = file::outermost_first(folders);
        let written = WrittenFile {
            client: self.owner.id().to_owned(),
            file: self.file.clone(),
            target: self.target,
            project: self.scope.project().map(Path::to_owned),
            after: record.keep(self.owner.id(), after)?,
            folders,
            made_section: self.section == Section::Made
                || known.as_ref().is_some_and(|known| known.made_section),
            before: backup.clone(),
        };
        let written = match known.filter(is_untouched) {
            Some(known) => WrittenFile {
                after: written.after,
                ..known
            },
            // Another program wrote the entry, or it was moved since: the text without us is this text without the entry.
            None if self.kind == Kind::Update => {
                let before = self.before.as_deref().unwrap_or_default();
                let without = self.strip(before, written.section());
                let without = without
                    .ok()
                    .flatten()
                    .map(|without| record.keep(self.owner.id(), &without.text));
                WrittenFile {
                    before: without.transpose()?,
                    ..written
                }
            }
            None => written,
        };
        file::replace(&self.file, self.before.as_deref(), after, Readers::Usual)?;
        record.note(written)?;
        Ok(backup.map(|name| record.path(&name)))
    }

    fn take_back(&self, record: &mut Record) -> io::Result<Option<PathBuf>> {
        let Some(before) = self.before.as_deref() else {
            return Ok(None);
        };
        let known = record.find(&self.file, self.target).cloned();
        let is_ours = known
            .as_ref()
            .is_some_and(|known| record.copy(&known.after).as_deref() == Some(before));
        let backup = if is_ours {
            None
        } else {
            Some(record.keep(self.owner.id(), before)?)
        };
        match &self.after {
            Some(after) => file::replace(&self.file, Some(before), after, Readers::Usual)?,
            None => file::remove(&self.file, before)?,
        }
        for folder in known.iter().flat_map(|known| known.folders.iter().rev()) {
            // A folder with anything else in it stays; the record lists those of our files that are in it.
            let _ = fs::remove_dir(folder);
        }
        record.forget(&self.file, self.target)?;
        Ok(backup.map(|name| record.path(&name)))
    }
}

/// Refuses a file outside the project whose configuration is changed: a repository may contain a link that leads anywhere,
/// but only its own files may be changed.
fn check_in_project(scope: &Scope, file: &Path) -> io::Result<()> {
    let Scope::Project(project) = scope else {
        return Ok(());
    };
    let resolved = file
        .ancestors()
        .find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let (existing, rest) = match &resolved {
        Some((above, existing)) => (existing.as_path(), file.strip_prefix(above).unwrap_or(file)),
        None => (Path::new(""), file),
    };
    // Missing folders are made, so that `missing/../..` would lead somewhere by then.
    let is_plain = rest
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if is_plain && fs::canonicalize(project).is_ok_and(|project| existing.starts_with(project)) {
        return Ok(());
    }
    let target = existing.join(rest);
    let message = format!(
        "a link leads out of the project, to {}: replace it with a file",
        target.display()
    );
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::paths::Paths;

    use super::super::clients::find;
    use super::*;

    struct Fixture {
        _scratch: tempfile::TempDir,
        paths: Paths,
        file: PathBuf,
    }

    impl Fixture {
        fn new() -> Self {
            let scratch = tempfile::tempdir().expect("a folder");
            let paths = Paths::gathered(scratch.path(), &scratch.path().join("cv"));
            let file = scratch.path().join("a/b/mcp.json");
            Self {
                _scratch: scratch,
                paths,
                file,
            }
        }

        fn holding(text: &str) -> Self {
            let fixture = Self::new();
            fs::create_dir_all(fixture.file.parent().expect("a folder")).expect("made");
            fs::write(&fixture.file, text).expect("written");
            fixture
        }

        fn add(&self, command: &str) -> Kind {
            let server = Server {
                command: command.to_owned(),
                launcher: vec![],
                arguments: None,
                variables: vec![],
            };
            let client = find("cursor").expect("a client");
            let change = Change::to_add(client, &Scope::User, self.file.clone(), &server);
            change.apply(&mut Record::open(&self.paths)).expect("done");
            change.kind
        }

        fn remove(&self) -> Kind {
            let client = find("cursor").expect("a client");
            let mut record = Record::open(&self.paths);
            let change = Change::to_remove(
                Owner::Client(client),
                &Scope::User,
                Target::Servers,
                self.file.clone(),
                &record,
            );
            change.apply(&mut record).expect("done");
            assert!(!change.kind.is_work() || record.find(&self.file, Target::Servers).is_none());
            change.kind
        }

        fn text(&self) -> String {
            fs::read_to_string(&self.file).expect("readable")
        }

        fn edit(&self, from: &str, to: &str) {
            let edited = self.text().replacen(from, to, 1);
            assert_ne!(edited, self.text(), "{from} is not there");
            fs::write(&self.file, edited).expect("written");
        }
    }

    #[test]
    fn a_file_and_folders_that_were_made_go_again() {
        let fixture = Fixture::new();
        assert_eq!(fixture.add("/one"), Kind::Add);
        assert_eq!(fixture.add("/one"), Kind::Nothing);
        assert_eq!(fixture.add("/two"), Kind::Update);
        assert_eq!(fixture.remove(), Kind::Remove);
        assert!(
            !fixture.file.exists() && !fixture.file.ancestors().nth(2).expect("a folder").exists()
        );
        assert_eq!(fixture.remove(), Kind::Nothing);
    }

    #[test]
    fn a_folder_that_several_share_goes_with_the_last_of_them() {
        let fixture = Fixture::new();
        let shared = fixture
            .file
            .ancestors()
            .nth(2)
            .expect("a folder")
            .to_owned();
        let files = ["b/mcp.json", "c/d/mcp.json", "e/mcp.json"].map(|file| shared.join(file));
        let server = Server {
            command: "/one".to_owned(),
            launcher: vec![],
            arguments: None,
            variables: vec![],
        };
        let client = find("cursor").expect("a client");
        for first in 0..files.len() {
            for file in &files {
                let change = Change::to_add(client, &Scope::User, file.clone(), &server);
                change
                    .apply(&mut Record::open(&fixture.paths))
                    .expect("done");
            }
            // The client that made it may be the first to leave it.
            for step in 0..files.len() {
                assert!(shared.exists(), "somebody is still in it");
                let file = &files[(first + step) % files.len()];
                let mut record = Record::open(&fixture.paths);
                let change = Change::to_remove(
                    Owner::Client(client),
                    &Scope::User,
                    Target::Servers,
                    file.clone(),
                    &record,
                );
                change.apply(&mut record).expect("done");
            }
            assert!(!shared.exists(), "removed from {first} on");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_that_leads_out_of_the_project_is_not_written_through() {
        use std::os::unix::fs::symlink;
        let scratch = tempfile::tempdir().expect("a folder");
        let (project, outside) = (
            scratch.path().join("project"),
            scratch.path().join("outside"),
        );
        fs::create_dir_all(project.join("inner")).expect("made");
        fs::create_dir(&outside).expect("made");
        fs::write(outside.join("there.json"), "{}").expect("written");
        let server = Server {
            command: "claudevil-mcp".to_owned(),
            launcher: vec![],
            arguments: None,
            variables: vec![],
        };
        let scope = Scope::Project(project.clone());
        let add = |name: &str| {
            Change::to_add(
                find("cursor").expect("a client"),
                &scope,
                project.join(name),
                &server,
            )
        };
        let out: [(&str, PathBuf); 5] = [
            ("a.json", outside.join("there.json")),
            ("b.json", outside.join("missing.json")),
            ("c.json", "inner/../../outside/there.json".into()),
            ("d.json", "missing/../../outside/missing.json".into()),
            ("folder", outside.clone()),
        ];
        for (name, target) in out {
            symlink(&target, project.join(name)).expect("linked");
            let name = if name == "folder" {
                "folder/there.json"
            } else {
                name
            };
            let kind = add(name).kind;
            assert!(
                matches!(&kind, Kind::Refused(why) if why.contains("leads out of the project")),
                "{name}: {kind:?}"
            );
        }
        symlink("inner/ours.json", project.join("ours.json")).expect("linked");
        assert_eq!(add("ours.json").kind, Kind::Add);
        assert_eq!(add("new/folder/mcp.json").kind, Kind::Add);
    }

    #[test]
    fn removal_restores_the_file_byte_for_byte() {
        for text in [
            "",
            "\n",
            "{\"mcpServers\":{}}",
            "{ // a\n}",
            "{\"a\":1 ,\n\n \"mcpServers\" : { } }\n\n",
        ] {
            let fixture = Fixture::holding(text);
            assert_eq!(fixture.add("/one"), Kind::Add, "{text}");
            assert_eq!(fixture.add("/two"), Kind::Update, "{text}");
            assert_eq!(fixture.remove(), Kind::Remove, "{text}");
            assert_eq!(fixture.text(), text);
        }
    }

    #[test]
    fn edits_by_others_survive_updates_and_removal() {
        let fixture = Fixture::holding("{\n  \"theme\": \"dark\"\n}\n");
        fixture.add("/one");
        fixture.edit("dark", "light");
        assert_eq!(fixture.remove(), Kind::Remove);
        assert_eq!(fixture.text(), "{\n  \"theme\": \"light\"\n}\n");

        let fixture = Fixture::holding("{\n  \"theme\": \"dark\"\n}\n");
        fixture.add("/one");
        fixture.edit("dark", "light");
        assert_eq!(fixture.add("/two"), Kind::Update);
        assert_eq!(fixture.remove(), Kind::Remove);
        assert!(
            fixture.text().contains("light") && !fixture.text().contains("claudevil"),
            "{}",
            fixture.text()
        );

        let fixture = Fixture::new();
        fixture.add("/one");
        fixture.edit("\"mcpServers\"", "\"mine\": 1, \"mcpServers\"");
        assert_eq!(fixture.remove(), Kind::Remove);
        assert!(
            fixture.text().contains("\"mine\": 1") && !fixture.text().contains("mcpServers"),
            "{}",
            fixture.text()
        );
    }

    #[test]
    fn an_entry_that_somebody_else_wrote_is_taken_over_and_taken_out() {
        let fixture = Fixture::holding(
            "{\"mcpServers\": {\"claudevil\": {\"command\": \"/old\"}, \"other\": {}}}",
        );
        assert_eq!(fixture.add("/one"), Kind::Update);
        assert_eq!(fixture.remove(), Kind::Remove);
        assert_eq!(fixture.text(), "{\"mcpServers\": { \"other\": {}}}");
    }

    #[test]
    fn a_broken_file_is_refused_and_stays() {
        let fixture = Fixture::holding("{ broken");
        assert!(matches!(fixture.add("/one"), Kind::Refused(_)));
        assert!(matches!(fixture.remove(), Kind::Refused(_)));
        assert_eq!(fixture.text(), "{ broken");
    }
}
