//! `search_structure`: code by its syntax, from a pattern with holes.

use std::cmp::Reverse;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::index_summary::SkipCount;
use crate::answer::{Answer, one_root};
use crate::check::check_range;
use crate::error::ToolError;
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil ast '$X.unwrap()' --language rust            calls of unwrap on anything
  claudevil ast 'if ($C) { return $X; }'                 holes: $NAME is one node
  claudevil ast 'open($$$ARGS)' --not-inside 'with $$$: $$$'
  claudevil search --ast 'foo($A, $A)'                   the same argument twice";

/// Defines the parameters of a tool that takes a code pattern: the pattern, the tool's own beside it, the files and the code
/// around a match, and the tool's other ones. The wire has no `flatten`, so each tool has all fields itself.
macro_rules! pattern_params {
    (
        $(#[$extra:meta])*
        $name:ident, $(#[$pattern_about:meta])* pattern,
        { $($(#[$beside_about:meta])* $beside:ident: $beside_kind:ty,)* }
        { $($(#[$about:meta])* $field:ident: $kind:ty,)* }
    ) => {
        #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        $(#[$extra])*
        pub struct $name {
            $(#[$pattern_about])*
            #[cfg_attr(feature = "cli", arg(
                required = true,
                allow_hyphen_values = true,
                help = "Code with holes: $X is any node, $$$X any number of them"
            ))]
            pub pattern: String,
            $($(#[$beside_about])* pub $beside: $beside_kind,)*
            #[cfg_attr(feature = "cli", arg(
                short, long, value_name = "NAME",
                help = "Language of the pattern [default: all that it parses in]"
            ))]
            pub language: Option<String>,
            /// Glob.
            #[cfg_attr(feature = "cli", arg(
                short, long, value_name = "GLOB", help = "Only files that match"
            ))]
            pub path: Option<String>,
            #[cfg_attr(feature = "cli", arg(
                long, value_name = "PATTERN", allow_hyphen_values = true,
                help = "Pattern of code that must be around a match"
            ))]
            pub inside: Option<String>,
            #[cfg_attr(feature = "cli", arg(
                long, value_name = "PATTERN", allow_hyphen_values = true,
                help = "Pattern of code that must not be around a match"
            ))]
            pub not_inside: Option<String>,
            $($(#[$about])* pub $field: $kind,)*
            #[cfg_attr(feature = "cli", arg(
                long, value_name = "DIR|NAME", help = $crate::check::ROOT_HELP
            ))]
            pub root: Option<String>,
            /// Default 4000.
            #[schemars(range(max = 10000))]
            #[cfg_attr(feature = "cli", arg(skip))]
            pub max_tokens: Option<u32>,
            #[cfg_attr(feature = "cli", arg(skip))]
            pub format: Option<$crate::answer::Format>,
        }

        impl $name {
            fn check_pattern(&self) -> Result<(), $crate::error::ToolError> {
                use $crate::check::check_length;
                use $crate::tools::search_structure::LONGEST_PATTERN;

                check_length("pattern", Some(&self.pattern), LONGEST_PATTERN)?;
                check_length("inside", self.inside.as_deref(), LONGEST_PATTERN)?;
                check_length("not_inside", self.not_inside.as_deref(), LONGEST_PATTERN)?;
                check_length("path", self.path.as_deref(), 500)?;
                check_length("language", self.language.as_deref(), 50)
            }
        }
    };
}
pub(super) use pattern_params;

pub const LONGEST_PATTERN: usize = 4000;

pattern_params! {
    #[schemars(extend("required" = ["pattern"]))]
    SearchStructure,
    /// `$X` is a node, `$$$X` any number.
    pattern, {} {
        /// tree-sitter syntax.
        #[cfg_attr(
            feature = "cli",
            arg(
                long,
                num_args = 0,
                default_missing_value = "true",
                help = "The pattern is a tree-sitter query"
            )
        )]
        is_query: Option<bool>,
        /// Default 20.
        #[schemars(range(min = 1, max = 200))]
        #[cfg_attr(
            feature = "cli",
            arg(short = 'n', long, value_name = "1-200", help = "Maximum number of matches")
        )]
        limit: Option<u32>,
        #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
        cursor: Option<String>,
    }
}

impl SearchStructure {
    const DEFAULT_LIMIT: u32 = 20;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }
}

impl Tool for SearchStructure {
    type Answer = StructureResults;

    const INFO: ToolInfo = ToolInfo {
        name: "search_structure",
        title: "Search structure",
        description: "To find code by syntax: `$X.unwrap()`, `f($$$ARGS)`.",
        toolset: Toolset::Explore,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(60),
        command: CommandInfo {
            verb: "ast",
            alias: Some("search-structure"),
            about: "Find code by its syntax",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn glob_mut(&mut self) -> Option<&mut String> {
        self.path.as_mut()
    }

    fn check(&self) -> Result<(), ToolError> {
        self.check_pattern()?;
        check_range("limit", self.limit, 1..=200)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StructureResults {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub pattern: String,
    pub is_query: bool,
    /// The language that was asked for.
    pub language: Option<String>,
    pub path: Option<String>,
    pub inside: Option<String>,
    pub not_inside: Option<String>,
    /// The languages that the pattern is code of, and that the searched files have.
    pub languages: Vec<String>,
    /// By path and position.
    pub hits: Vec<StructureHit>,
    /// Files in these languages.
    pub total_files: u64,
    /// Those of them that have the words of the pattern, up to the end of this page.
    pub parsed_files: u64,
    /// Files in these languages that are not indexed, so not searched.
    pub skipped: Vec<SkipCount>,
    /// A file has more matches than are counted.
    pub is_cut: bool,
    /// The page after this one.
    pub cursor: Option<String>,
    pub limit: u32,
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StructureHit {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// Its first byte in the file.
    pub start_byte: u32,
    /// The byte behind its last one.
    pub end_byte: u32,
    /// The number of earlier matches of the same bytes: a query may match them with several captures.
    pub earlier: u32,
    /// The code, without secrets; a long one is cut.
    pub text: String,
    /// The symbol around it, qualified.
    pub symbol: Option<String>,
    pub holes: Vec<HoleValue>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HoleValue {
    pub name: String,
    pub text: String,
}

impl StructureResults {
    fn summary(&self) -> Line {
        let shown = self.hits.len() as u64;
        let line = Line::new()
            .count(shown, "match")
            .text(" of ")
            .code(&self.pattern)
            .text(" in ")
            .name(&self.root_name);
        let line = match &self.path {
            Some(path) if self.total_files == 0 => {
                return line
                    .text(": no file of a known language matches ")
                    .code(path);
            }
            _ => line.text(format!(" ({})", self.languages.join(", "))),
        };
        let line = if self.cursor.is_some() {
            line.text("; there are more")
        } else {
            line
        };
        line.text("; ")
            .number(self.parsed_files)
            .text(" of ")
            .count(self.total_files, "file")
            .text(" can match")
    }

    fn next_page(&self) -> Option<NextCall> {
        let cursor = self.cursor.as_ref()?;
        let is_default = self.limit == SearchStructure::DEFAULT_LIMIT;
        let call = NextCall::new(SearchStructure::NAME)
            .with("pattern", &self.pattern)
            .with_some("is_query", self.is_query.then_some(true))
            .with_some("language", self.language.as_deref())
            .with_some("path", self.path.as_deref())
            .with_some("inside", self.inside.as_deref())
            .with_some("not_inside", self.not_inside.as_deref())
            .with_some("limit", (!is_default).then_some(self.limit))
            .with("cursor", cursor)
            .with("root", &self.root_name);
        Some(call)
    }
}

/// Returns the cursor after a hit.
pub fn cursor_after(hit: &StructureHit) -> String {
    StructureCursor {
        start_byte: hit.start_byte,
        end_byte: hit.end_byte,
        earlier: hit.earlier,
        path: hit.path.clone(),
    }
    .encode()
}

/// The last hit of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureCursor {
    pub path: String,
    pub start_byte: u32,
    pub end_byte: u32,
    pub earlier: u32,
}

impl StructureCursor {
    fn encode(&self) -> String {
        let (start, end) = (self.start_byte, self.end_byte);
        format!("{start}-{end}-{}:{}", self.earlier, self.path)
    }

    pub fn decode(text: &str) -> Option<Self> {
        let (numbers, path) = text.split_once(':')?;
        let mut numbers = numbers.split('-').map(str::parse);
        let cursor = Self {
            path: path.to_owned(),
            start_byte: numbers.next()?.ok()?,
            end_byte: numbers.next()?.ok()?,
            earlier: numbers.next()?.ok()?,
        };
        numbers.next().is_none().then_some(cursor)
    }

    /// Returns whether a match of the same file is on a later page. Of matches that begin at one byte, the longest comes first:
    /// `a.b().c()` before `a.b()`.
    pub fn is_before(&self, (start, end): (u32, u32), earlier: u32) -> bool {
        let last = (self.start_byte, Reverse(self.end_byte), self.earlier);
        last < (start, Reverse(end), earlier)
    }
}

impl Answer for StructureResults {
    fn items(&self) -> usize {
        self.hits.len()
    }

    fn keep(&mut self, items: usize) {
        if items < self.hits.len() {
            self.hits.truncate(items);
            self.cursor = self.hits.last().map(cursor_after);
            self.truncated = true;
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        text.warnings(SkipCount::not_searched(&self.skipped));
        if self.is_cut {
            text.warning("a file has more matches than are counted: narrow the pattern");
        }
        for hit in &self.hits {
            let mut line = Line::new().location(&hit.path, hit.start_line, hit.end_line);
            if let Some(symbol) = &hit.symbol {
                line = line.text("  ").name(symbol);
            }
            let mut detail = Line::new().code(&crate::text::one_line(&hit.text));
            for hole in &hit.holes {
                detail = detail
                    .text(format!("  ${}=", hole.name))
                    .code(&crate::text::one_line(&hole.text));
            }
            text.described_item(line, detail);
        }
        if let Some(call) = self.next_page() {
            text.next(Line::from("more: ").call(call));
        }
        text
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_asked_for_in_the_same_way() {
        let results = StructureResults {
            root: "/a".to_owned(),
            root_name: "a".to_owned(),
            max_tokens: 4000,
            freshness: Freshness::default(),
            pattern: "(call_expression) @match".to_owned(),
            is_query: true,
            language: Some("go".to_owned()),
            path: Some("*.go".to_owned()),
            inside: Some("for { $$$ }".to_owned()),
            not_inside: None,
            languages: vec!["go".to_owned()],
            hits: vec![],
            total_files: 2,
            parsed_files: 1,
            skipped: vec![],
            is_cut: false,
            cursor: Some("1-5-0:a.go".to_owned()),
            limit: 5,
            truncated: false,
        };
        let expected = NextCall::new("search_structure")
            .with("pattern", "(call_expression) @match")
            .with("is_query", true)
            .with("language", "go")
            .with("path", "*.go")
            .with("inside", "for { $$$ }")
            .with("limit", 5_u32)
            .with("cursor", "1-5-0:a.go")
            .with("root", "a");
        assert_eq!(results.next_page(), Some(expected));
    }

    #[test]
    fn cursors_name_a_path_and_bytes() {
        let cursor = StructureCursor {
            path: "src/a:b-c.rs".to_owned(),
            start_byte: 12,
            end_byte: 40,
            earlier: 1,
        };
        assert_eq!(
            StructureCursor::decode(&cursor.encode()),
            Some(cursor.clone())
        );
        assert_eq!(StructureCursor::decode("src/a.rs"), None);
        assert_eq!(StructureCursor::decode("1-5:src/a.rs"), None);
        // Of several matches of the same bytes, the later ones have not been shown.
        assert!(cursor.is_before((12, 40), 2) && !cursor.is_before((12, 40), 0));
        // A match inside the last one that begins at the same byte has not been shown.
        for (bytes, is_ahead) in [
            ((11, 60), false),
            ((12, 50), false),
            ((12, 40), false),
            ((12, 20), true),
            ((13, 20), true),
        ] {
            assert_eq!(cursor.is_before(bytes, 1), is_ahead, "{bytes:?}");
        }
    }
}
