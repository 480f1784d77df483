//! `get_dependencies`: what a file imports, and who imports it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::symbol::words;
use crate::answer::{Answer, Format, one_root};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::tokens::MAX_TOKENS;
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil deps src/main.rs                        both directions
  claudevil deps src/main.rs --direction imports    what it imports
  claudevil deps src/lexer.rs --direction dependents";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct GetDependencies {
    #[cfg_attr(
        feature = "cli",
        arg(help = "File, relative to the working directory or absolute")
    )]
    pub path: String,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// Default both.
    #[cfg_attr(
        feature = "cli",
        arg(short = 'd', long, help = "Relations to show [default: both]")
    )]
    pub direction: Option<DependencyDirection>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

words! {
    #[derive(Default)]
    DependencyDirection {
        Imports = "imports": "The imports of the file",
        Dependents = "dependents": "The files that import it",
        #[default]
        Both = "both",
    }
}

impl Tool for GetDependencies {
    type Answer = Dependencies;

    const INFO: ToolInfo = ToolInfo {
        name: "get_dependencies",
        title: "Get dependencies",
        description: "To see what a file imports and which files import it.",
        toolset: Toolset::Graph,
        availability: Availability::OnRequest,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "deps",
            alias: Some("get-dependencies"),
            about: "Show what a file imports, and who imports it",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("path", Some(&self.path), 4096)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.path = locate(&self.path);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dependencies {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub path: String,
    pub language: Option<String>,
    pub direction: DependencyDirection,
    pub total_imports: u64,
    /// As written, by line. Empty when only dependents were asked for.
    pub imports: Vec<Import>,
    pub total_dependents: u64,
    /// By path and line. Empty when only imports were asked for.
    pub dependents: Vec<Dependent>,
    pub dependents_known: DependentsKnown,
    pub truncated: bool,
}

/// One import, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Import {
    pub line: u32,
    /// The source of the import: a module, a package, a file.
    pub module: String,
    /// The names that are imported, unless it is the whole.
    pub names: Vec<ImportedName>,
    /// Another name for the whole.
    pub alias: Option<String>,
    /// Everything in it.
    pub wildcard: bool,
    /// Passed on to whoever imports this file.
    pub re_export: bool,
    pub resolution: ImportResolution,
    /// The files of the root that it leads to: one where it is resolved, all files of a package that is several, all that
    /// it may mean where it is ambiguous.
    pub targets: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedName {
    pub name: String,
    pub alias: Option<String>,
}

words! {
    ImportResolution {
        /// Its target is not known.
        Unresolved = "unresolved",
        /// Outside the root: a library.
        External = "external",
        /// To a file of the root.
        Resolved = "resolved",
        /// To one of several files.
        Ambiguous = "ambiguous",
    }
}

/// A file that imports the one asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dependent {
    pub path: String,
    pub line: u32,
    /// As it is written there.
    pub module: String,
    pub names: Vec<ImportedName>,
    /// Resolved, or ambiguous.
    pub resolution: ImportResolution,
}

/// The completeness of the list of dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DependentsKnown {
    NotAsked,
    /// Unknown: imports are not resolved to files.
    NotResolved,
    /// Only some imports of this language are resolved.
    Some,
    All,
}

impl Dependencies {
    fn summary(&self) -> Line {
        let mut line = Line::new().path(&self.path);
        if let Some(language) = &self.language {
            line = line.text(format!(" ({language})"));
        }
        let line = line.text(" in ").name(&self.root_name).text(": ");
        match (self.direction, self.dependents_known) {
            (DependencyDirection::Dependents, DependentsKnown::NotResolved) => {
                line.text("dependents not known")
            }
            (DependencyDirection::Imports, _)
            | (_, DependentsKnown::NotAsked | DependentsKnown::NotResolved) => {
                line.count(self.total_imports, "import")
            }
            (DependencyDirection::Dependents, _) => line.count(self.total_dependents, "dependent"),
            (DependencyDirection::Both, _) => line
                .count(self.total_imports, "import")
                .text(", ")
                .count(self.total_dependents, "dependent"),
        }
    }

    fn next(&self) -> Option<Line> {
        let imports = self.total_imports.saturating_sub(self.imports.len() as u64);
        let dependents = self
            .total_dependents
            .saturating_sub(self.dependents.len() as u64);
        if !self.truncated || imports + dependents == 0 {
            return None;
        }
        let direction = if dependents > imports {
            "dependents"
        } else {
            "imports"
        };
        let call = NextCall::new(GetDependencies::NAME)
            .with("path", &self.path)
            .with("direction", direction)
            .with("root", &self.root_name)
            .with_budget(MAX_TOKENS);
        let line = Line::from("left out: ")
            .count(imports, "import")
            .text(", ")
            .count(dependents, "dependent")
            .text("; more: ")
            .call(call);
        Some(line)
    }
}

impl Import {
    /// The number of targets of one import that are named.
    const TARGETS_SHOWN: usize = 2;

    /// Returns e.g. `std::collections  HashMap, HashSet as Set  external`.
    fn item(&self) -> Line {
        let mut line = Line::new().name(&self.module);
        if let Some(alias) = &self.alias {
            line = line.text(" as ").name(alias);
        }
        if !self.names.is_empty() {
            line = line.text("  ").line(names(&self.names));
        }
        if self.wildcard {
            line = line.text("  *");
        }
        if self.re_export {
            line = line.text("  re-exported");
        }
        match (self.targets.as_slice(), self.resolution) {
            ([], ImportResolution::External) => line.text("  external"),
            ([], _) => line,
            (_, ImportResolution::Ambiguous) => line
                .text("  -> ")
                .line(self.first_targets(" or "))
                .text(" (ambiguous)"),
            _ => line
                .text("  -> ")
                .line(self.package().unwrap_or_else(|| self.first_targets(", "))),
        }
    }

    /// Returns e.g. `log.go, log/b.go and 1 more`.
    fn first_targets(&self, separator: &str) -> Line {
        let targets = self.targets.iter().take(Self::TARGETS_SHOWN);
        let line = Line::join(targets.map(|path| Line::new().path(path)), separator);
        match self.targets.len().saturating_sub(Self::TARGETS_SHOWN) {
            0 => line,
            more => line.text(" and ").number(more as u64).text(" more"),
        }
    }

    /// Returns the folder of a package, whose files are all in it: `log/ (3 files)`. None for a few files, or for files
    /// of several folders.
    fn package(&self) -> Option<Line> {
        let folder_of = |path: &String| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let folder = folder_of(self.targets.first()?)?;
        let is_package = self.targets.len() > Self::TARGETS_SHOWN
            && self
                .targets
                .iter()
                .all(|path| folder_of(path).as_ref() == Some(&folder));
        is_package.then(|| {
            Line::new()
                .path(&format!("{folder}/"))
                .text(" (")
                .count(self.targets.len() as u64, "file")
                .text(")")
        })
    }
}

impl Dependent {
    /// Returns e.g. `src/app.rs:9  engine::main  run`.
    fn item(&self) -> Line {
        let mut line = Line::new()
            .location(&self.path, self.line, self.line)
            .text("  ")
            .name(&self.module);
        if !self.names.is_empty() {
            line = line.text("  ").line(names(&self.names));
        }
        if self.resolution == ImportResolution::Ambiguous {
            line = line.text("  (ambiguous)");
        }
        line
    }
}

/// Returns e.g. `HashMap, HashSet as Set`.
fn names(names: &[ImportedName]) -> Line {
    let names = names.iter().map(|one| {
        let line = Line::new().name(&one.name);
        match &one.alias {
            Some(alias) => line.text(" as ").name(alias),
            None => line,
        }
    });
    Line::join(names, ", ")
}

impl DependentsKnown {
    /// Returns why the list of dependents may be incomplete.
    fn note(self) -> Option<&'static str> {
        match self {
            Self::NotResolved => {
                Some("dependents: not known, because imports are not resolved to files yet")
            }
            Self::Some => {
                Some("dependents: there may be more, because not all imports are resolved to files")
            }
            Self::NotAsked | Self::All => None,
        }
    }
}

impl Answer for Dependencies {
    fn items(&self) -> usize {
        1 + self.imports.len() + self.dependents.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        // Both lists are cut in proportion: neither is worth more.
        let (imports, dependents) = (self.imports.len(), self.dependents.len());
        let kept = items.saturating_sub(1);
        let kept_dependents = (kept * dependents / (imports + dependents)).min(dependents);
        self.imports.truncate(kept - kept_dependents);
        self.dependents.truncate(kept_dependents);
        self.truncated = true;
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        if !self.imports.is_empty() {
            text.heading("imports:");
        }
        for import in &self.imports {
            let line = Line::new().link(import.line.to_string(), &self.path, import.line);
            text.item(line.text("  ").line(import.item()));
        }
        if !self.dependents.is_empty() {
            text.heading("dependents:");
        }
        for dependent in &self.dependents {
            text.item(dependent.item());
        }
        if let Some(note) = self.dependents_known.note() {
            text.note(note);
        }
        text.next(self.next());
        text
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::render::render;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

    fn import(line: u32, module: &str, resolution: ImportResolution) -> Import {
        Import {
            line,
            module: module.to_owned(),
            names: vec![],
            alias: None,
            wildcard: false,
            re_export: false,
            resolution,
            targets: vec![],
        }
    }

    fn answer(imports: Vec<Import>) -> Dependencies {
        Dependencies {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            path: "src/main.rs".to_owned(),
            language: Some("rust".to_owned()),
            direction: DependencyDirection::Both,
            total_imports: imports.len() as u64,
            imports,
            total_dependents: 0,
            dependents: vec![],
            dependents_known: DependentsKnown::NotResolved,
            truncated: false,
        }
    }

    #[test]
    fn imports_read_as_written() {
        let name = |name: &str, alias: Option<&str>| ImportedName {
            name: name.to_owned(),
            alias: alias.map(str::to_owned),
        };
        let names = vec![name("HashMap", None), name("HashSet", Some("Set"))];
        let mut answer = answer(vec![
            Import {
                names,
                ..import(3, "std::collections", ImportResolution::External)
            },
            Import {
                wildcard: true,
                re_export: true,
                targets: vec!["src/query/mod.rs".to_owned()],
                ..import(5, "crate::query", ImportResolution::Resolved)
            },
            Import {
                alias: Some("np".to_owned()),
                ..import(7, "numpy", ImportResolution::Unresolved)
            },
        ]);
        insta::assert_snapshot!(answer.text().to_string(), @r"
        src/main.rs (rust) in engine: 3 imports
        imports:
        3  std::collections  HashMap, HashSet as Set  external
        5  crate::query  *  re-exported  -> src/query/mod.rs
        7  numpy as np
        dependents: not known, because imports are not resolved to files yet
        ");
        let dependent = Dependent {
            path: "src/app.rs".to_owned(),
            line: 9,
            module: "crate::main".to_owned(),
            names: vec![name("run", None)],
            resolution: ImportResolution::Resolved,
        };
        answer.dependents.push(dependent);
        (answer.total_dependents, answer.dependents_known) = (1, DependentsKnown::All);
        answer.imports.clear();
        (answer.direction, answer.total_imports) = (DependencyDirection::Dependents, 0);
        insta::assert_snapshot!(answer.text().to_string(), @r"
        src/main.rs (rust) in engine: 1 dependent
        dependents:
        src/app.rs:9  crate::main  run
        ");
    }

    #[test]
    fn an_import_leads_to_a_file_a_package_or_several_candidates() {
        let to = |targets: &[&str], resolution| Import {
            targets: targets.iter().map(|&target| target.to_owned()).collect(),
            ..import(1, "engine/log", resolution)
        };
        let package = ["log/a.go", "log/b.go", "log/c.go"];
        let apart = ["log.go", "log/b.go", "log/c.go"];
        let cases = [
            (
                to(&package[..1], ImportResolution::Resolved),
                "engine/log  -> log/a.go",
            ),
            (
                to(&package, ImportResolution::Resolved),
                "engine/log  -> log/ (3 files)",
            ),
            (
                to(&apart, ImportResolution::Resolved),
                "engine/log  -> log.go, log/b.go and 1 more",
            ),
            (
                to(&apart, ImportResolution::Ambiguous),
                "engine/log  -> log.go or log/b.go and 1 more (ambiguous)",
            ),
            (to(&[], ImportResolution::External), "engine/log  external"),
            (to(&[], ImportResolution::Unresolved), "engine/log"),
        ];
        for (import, expected) in cases {
            assert_eq!(import.item(), expected);
        }
    }

    #[test]
    fn a_long_list_is_cut_between_imports() {
        let imports = (0..400).map(|line| {
            import(
                line,
                "std::collections::hash_map",
                ImportResolution::External,
            )
        });
        let text = render(&answer(imports.collect()), Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500);
        let shown = text
            .lines()
            .filter(|line| line.ends_with("  external"))
            .count();
        let last = text.lines().last().expect("a line");
        assert!(
            last.starts_with(&format!(
                "left out: {} imports, 0 dependents; more: ",
                400 - shown
            )),
            "{text}"
        );
        assert!(last.ends_with(
            r#"get_dependencies {"path":"src/main.rs","direction":"imports","root":"engine","max_tokens":10000}"#
        ));
    }
}
