//! `find_definition`: where the name at a position is defined, how sure that is, and why.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::confidence;
use crate::answer::graph::{Resolution, SymbolInfo};
use crate::answer::symbol::words;
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil definition src/main.rs:12:9     where the name at this position is defined";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct FindDefinition {
    #[cfg_attr(
        feature = "cli",
        arg(
            value_name = "FILE:LINE:COLUMN",
            help = "A position in a file, counted from 1"
        )
    )]
    pub path: String,
    #[schemars(range(min = 1))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub line: u32,
    /// From 1.
    #[schemars(range(min = 1))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub column: u32,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl Tool for FindDefinition {
    type Answer = Definitions;

    const INFO: ToolInfo = ToolInfo {
        name: "find_definition",
        title: "Find definition",
        description: "To go from a use to its definition, with how sure that is and why.",
        toolset: Toolset::Graph,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "definition",
            alias: Some("find-definition"),
            about: "Show where the name at a position is defined",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("path", Some(&self.path), 4096)?;
        check_range("line", Some(self.line), 1..=u32::MAX)?;
        check_range("column", Some(self.column), 1..=u32::MAX)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        let mut parts = self.path.rsplitn(3, ':');
        if let (Some(Ok(column)), Some(Ok(line)), Some(path)) = (
            parts.next().map(str::parse),
            parts.next().map(str::parse),
            parts.next(),
        ) {
            (self.line, self.column) = (line, column);
            self.path = locate(path);
        }
    }
}

words! {
    /// The kind of thing that a name refers to.
    NameTarget {
        // One or more symbols of this root.
        Symbol = "symbol",
        // A parameter or a variable of a function.
        Local = "local",
        // Something that is not of this root.
        External = "external",
        Unknown = "unknown",
        // One or more symbols of another root that is indexed.
        OtherRoot = "other_root",
    }
}

/// A line and column of a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FilePosition {
    pub line: u32,
    pub column: u32,
}

/// Another root than the one that was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherRoot {
    pub name: String,
    /// Its absolute path.
    pub path: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Definitions {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub path: String,
    /// The first character of the name.
    pub position: FilePosition,
    pub name: String,
    pub target: NameTarget,
    pub resolution: Resolution,
    pub reason: String,
    /// The symbols that may be meant. Empty unless `target` is `symbol` or `other_root`.
    pub definitions: Vec<SymbolInfo>,
    /// The root that the paths of the definitions belong to, where it is another.
    pub other_root: Option<OtherRoot>,
    /// The position that introduces a local name, in the same file.
    pub local: Option<FilePosition>,
    pub total: u64,
    pub truncated: bool,
}

impl Definitions {
    fn summary(&self) -> Line {
        let name = Line::new()
            .name(&self.name)
            .text(" at ")
            .position(&self.path, self.position.line, self.position.column)
            .text(" in ")
            .name(&self.root_name);
        match (self.target, &self.other_root) {
            (NameTarget::OtherRoot, Some(other)) => name
                .text(": defined in ")
                .name(&other.name)
                .text(" (")
                .path(&other.path)
                .text(")"),
            (NameTarget::Symbol | NameTarget::OtherRoot, _) => {
                let candidates = u32::try_from(self.total).ok();
                name.text(format!(
                    ": {}",
                    confidence(self.resolution, candidates, &self.reason)
                ))
            }
            (NameTarget::Local, _) => name.text(": a local name"),
            (NameTarget::External, _) => name.text(": defined outside this project"),
            (NameTarget::Unknown, _) => name.text(": no definition found"),
        }
    }
}

impl Answer for Definitions {
    fn items(&self) -> usize {
        self.definitions.len() + usize::from(self.local.is_some())
    }

    fn keep(&mut self, items: usize) {
        if items < self.definitions.len() {
            self.definitions.truncate(items);
            self.truncated = true;
        }
    }

    fn shorten(&mut self) -> bool {
        let mut is_shorter = false;
        for definition in &mut self.definitions {
            is_shorter |= !std::mem::take(&mut definition.signature).is_empty();
        }
        is_shorter
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        for definition in &self.definitions {
            text.item(definition.list_item());
            if let Some(signature) = definition.signature_below() {
                text.below(signature);
            }
        }
        if let Some(local) = self.local {
            text.item(Line::new().position(&self.path, local.line, local.column));
        }
        if let (Some(other), Some(first)) = (&self.other_root, self.definitions.first()) {
            let call = NextCall::new("read_file")
                .with("path", &first.path)
                .with("start_line", first.start_line)
                .with("root", &other.name);
            text.next(Line::from("its source: ").call(call));
        }
        if self.target == NameTarget::Unknown {
            let call = NextCall::new("find_symbol")
                .with("name", &self.name)
                .with("root", &self.root_name);
            text.next(Line::from("symbols with this name: ").call(call));
        }
        text
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }

    fn root(&self) -> Option<&str> {
        Some(&self.root)
            .filter(|_| self.other_root.is_none())
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::graph::text::samples::run;
    use crate::text::tokens::DEFAULT_TOKENS;

    fn answer(target: NameTarget, definitions: Vec<SymbolInfo>) -> Definitions {
        Definitions {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            path: "src/main.rs".to_owned(),
            position: FilePosition { line: 4, column: 9 },
            name: "run".to_owned(),
            target,
            resolution: Resolution::Resolved,
            reason: "by the receiver's type".to_owned(),
            total: definitions.len() as u64,
            definitions,
            other_root: None,
            local: None,
            truncated: false,
        }
    }

    #[test]
    fn a_definition_is_shown_with_its_reason() {
        insta::assert_snapshot!(answer(NameTarget::Symbol, vec![run()]).text().to_string(), @r"
        run at src/main.rs:4:9 in engine: resolved: by the receiver's type
        src/engine.rs:12-40  public method Engine::run
          pub fn run(&self) -> u32
        ");
        let local = Definitions {
            local: Some(FilePosition { line: 2, column: 5 }),
            ..answer(NameTarget::Local, vec![])
        };
        insta::assert_snapshot!(local.text().to_string(), @r"
        run at src/main.rs:4:9 in engine: a local name
        src/main.rs:2:5
        ");
        let elsewhere = Definitions {
            other_root: Some(OtherRoot {
                name: "motor".to_owned(),
                path: "/home/ada/motor".to_owned(),
            }),
            ..answer(NameTarget::OtherRoot, vec![run()])
        };
        insta::assert_snapshot!(elsewhere.text().to_string(), @r#"
        run at src/main.rs:4:9 in engine: defined in motor (/home/ada/motor)
        src/engine.rs:12-40  public method Engine::run
          pub fn run(&self) -> u32
        its source: read_file {"path":"src/engine.rs","start_line":12,"root":"motor"}
        "#);
        insta::assert_snapshot!(answer(NameTarget::Unknown, vec![]).text().to_string(), @r#"
        run at src/main.rs:4:9 in engine: no definition found
        symbols with this name: find_symbol {"name":"run","root":"engine"}
        "#);
    }

    #[test]
    fn a_command_line_names_a_position() {
        let mut params = FindDefinition {
            path: "src/main.rs:4:9".to_owned(),
            ..FindDefinition::default()
        };
        params.read_command_line(&|path| format!("/here/{path}"));
        assert_eq!(params.path, "/here/src/main.rs");
        assert_eq!((params.line, params.column), (4, 9));
        assert!(params.check().is_ok());
        let without = FindDefinition {
            path: "src/main.rs".to_owned(),
            ..FindDefinition::default()
        };
        assert!(without.check().is_err());
    }
}
