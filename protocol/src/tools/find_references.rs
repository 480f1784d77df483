//! `find_references`: every place that uses a symbol, and how sure that is.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::answer::freshness::Freshness;
use crate::answer::graph::{Excerpt, Resolution, SymbolInfo, UseRole, symbol_params};
use crate::answer::symbol::words;
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil refs Engine::run                 every use, the surest first, and the files to update
  claudevil refs src/engine.rs:12 -C 2       of the symbol at a line, with lines around
  claudevil refs run --role call -m high     only calls that are sure";

symbol_params! {
    FindReferences {
        /// Default any.
        #[cfg_attr(feature = "cli", arg(long))]
        role: RoleFilter,
        #[cfg_attr(feature = "cli", arg(long))]
        include_definition: bool,
        /// File to leave out.
        #[cfg_attr(feature = "cli", arg(long))]
        defined_in: String,
        #[schemars(range(min = 0, max = 100))]
        #[cfg_attr(feature = "cli", arg(long))]
        context_lines: u32,
        /// Default low.
        #[cfg_attr(feature = "cli", arg(long))]
        min_confidence: ConfidenceLevel,
        /// Default 50.
        #[schemars(range(min = 1, max = 200))]
        #[cfg_attr(feature = "cli", arg(long))]
        limit: u32,
        #[cfg_attr(feature = "cli", arg(long))]
            cursor: String,
    }
}

words! {
    RoleFilter {
        Any = "any",
        Call = "call",
        Type = "type",
        Import = "import",
        Read = "read",
        Write = "write",
        Mention = "mention",
    }
}

words! {
    /// How sure it is that a place means the symbol, from sure to doubtful.
    ConfidenceLevel {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

impl ConfidenceLevel {
    pub const LEAST_HIGH: f64 = 0.8;
    pub const LEAST_MEDIUM: f64 = 0.5;

    pub fn of(confidence: f64) -> Self {
        if confidence >= Self::LEAST_HIGH {
            Self::High
        } else if confidence >= Self::LEAST_MEDIUM {
            Self::Medium
        } else {
            Self::Low
        }
    }
}

impl FindReferences {
    pub const DEFAULT_LIMIT: u32 = 50;
    pub const MOST_REFERENCES: u32 = 200;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    /// The one role that is wanted; none for all.
    pub fn role(&self) -> Option<UseRole> {
        UseRole::from_word(self.role?.as_str())
    }

    /// Whether every word in prose, comments and strings is wanted, and not only the surest few.
    pub fn wants_mentions(&self) -> bool {
        self.role() == Some(UseRole::Mention) || self.min_confidence == Some(ConfidenceLevel::Low)
    }

    /// The least sure level that is wanted.
    pub fn min_confidence(&self) -> ConfidenceLevel {
        self.min_confidence.unwrap_or(ConfidenceLevel::Low)
    }
}

impl Tool for FindReferences {
    type Answer = References;

    const INFO: ToolInfo = ToolInfo {
        name: "find_references",
        title: "Find references",
        description: "Every use of a symbol by confidence, with role and enclosing symbol, and the files to update.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "refs",
            alias: Some("find-references"),
            about: "Find every use of a symbol, and the files to update",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        check_length("defined_in", self.defined_in.as_deref(), 4096)?;
        check_length("cursor", self.cursor.as_deref(), 8192)?;
        check_range("context_lines", self.context_lines, 0..=100)?;
        check_range("limit", self.limit, 1..=Self::MOST_REFERENCES)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct References {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    /// Its note says where text search stands in for facts.
    pub freshness: Freshness,
    pub symbol: SymbolInfo,
    /// Where it is defined: more than one for overloads, partial classes, declarations apart from their bodies.
    pub definitions: Vec<SymbolInfo>,
    /// The filters in force.
    pub role: Option<UseRole>,
    pub include_definition: bool,
    pub defined_in: Option<String>,
    pub context_lines: u32,
    pub min_confidence: ConfidenceLevel,
    /// In the order of [`ReferencePlace`].
    pub references: Vec<Reference>,
    /// Of all that were found.
    pub counts: ConfidenceCounts,
    pub total: u64,
    /// Words in prose, comments and strings that are neither listed nor counted above: they are where `role` is `mention`.
    pub more_mentions: u64,
    /// Files to update: those with references, the most first, then by path. Definitions count where they are asked for.
    pub files: Vec<FileReferences>,
    pub total_files: u64,
    /// How many come after the last of `references`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// How many were asked for at most.
    pub limit: u32,
    /// How many overloads are taken together, where the name means several of one owner; else 0.
    pub overloads: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfidenceCounts {
    pub high: u64,
    pub medium: u64,
    pub low: u64,
}

impl ConfidenceCounts {
    pub fn at(&self, level: ConfidenceLevel) -> u64 {
        match level {
            ConfidenceLevel::High => self.high,
            ConfidenceLevel::Medium => self.medium,
            ConfidenceLevel::Low => self.low,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    pub path: String,
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    pub role: UseRole,
    /// What it is to the symbol around it: `call in`, `return type of`, `argument of`, `import in`.
    pub usage: String,
    /// 0 to 1, with two decimals.
    pub confidence: f64,
    pub level: ConfidenceLevel,
    pub resolution: Resolution,
    /// Why it is taken for a reference, and no surer.
    pub reason: String,
    /// How many symbols it may mean, where that is ambiguous.
    pub candidates: Option<u32>,
    /// The symbol around it, with its containers.
    pub enclosing: Option<String>,
    /// The line itself.
    pub text: String,
    /// The lines around it, itself included, where they were asked for.
    pub context: Option<Excerpt>,
    pub is_test: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReferences {
    pub path: String,
    pub references: u64,
}

/// A place in the order of references that stays valid while others come and go: the surest first, then by path and place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReferencePlace {
    /// What is missing to being sure, in hundredths. A word is never as sure as a use.
    doubt: u32,
    path: String,
    line: u32,
    column: u32,
}

impl ReferencePlace {
    pub fn of(reference: &Reference) -> Self {
        let (line, column) = (reference.line, reference.column);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of one, in hundredths"
        )]
        let doubt = 100 - (reference.confidence.clamp(0.0, 1.0) * 100.0).round() as u32;
        Self {
            doubt,
            path: reference.path.clone(),
            line,
            column,
        }
    }

    pub fn encode(&self) -> String {
        format!("{}:{}:{}:{}", self.doubt, self.line, self.column, self.path)
    }

    pub fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, ':');
        let doubt = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        let column = parts.next()?.parse().ok()?;
        Some(Self {
            doubt,
            line,
            column,
            path: parts.next()?.to_owned(),
        })
    }
}

impl References {
    /// The most first, then by path: of a list that is cut, the files with most to do are kept.
    pub fn sort_files(files: &mut [FileReferences]) {
        files.sort_by(|one, other| {
            (Reverse(one.references), &one.path).cmp(&(Reverse(other.references), &other.path))
        });
    }

    /// Says where to go on after the references that are there.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        self.cursor = self
            .references
            .last()
            .filter(|_| self.remaining > 0)
            .map(|last| ReferencePlace::of(last).encode());
    }
}

impl Answer for References {
    fn items(&self) -> usize {
        self.references.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.references.len() {
            return;
        }
        self.remaining += (self.references.len() - items) as u64;
        self.references.truncate(items);
        // The list of files is there to be worked through; it only gives way where it would leave no room.
        self.files.truncate(10 + 2 * items);
        self.set_cursor();
    }

    fn shorten(&mut self) -> bool {
        let context = self
            .references
            .iter_mut()
            .filter_map(|reference| reference.context.take())
            .count();
        let files = self.files.len();
        self.files.truncate(10);
        let definitions = self.definitions.len();
        self.definitions.truncate(3);
        context > 0 || self.files.len() < files || self.definitions.len() < definitions
    }

    fn text(&self) -> Text {
        crate::tools::find_references::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Tool;

    #[test]
    fn places_survive_their_text_form_and_sort_surest_first() {
        let place = |doubt, path: &str, line, column| ReferencePlace {
            doubt,
            path: path.to_owned(),
            line,
            column,
        };
        let sure = place(5, "a:b/ü c.rs", 7, 3);
        for one in [sure.clone(), place(80, "a.rs", 1, 1)] {
            assert_eq!(ReferencePlace::decode(&one.encode()), Some(one));
        }
        for nonsense in ["", "5", "low:1:1:a.rs", "5:x:1:a.rs", "5:1:1"] {
            assert_eq!(ReferencePlace::decode(nonsense), None, "{nonsense}");
        }
        assert!(sure < place(55, "a.rs", 1, 1));
        assert!(
            place(55, "z.rs", 1, 1) < place(80, "a.rs", 1, 1),
            "within a level too"
        );
        assert!(place(80, "a.rs", 9, 1) < place(80, "b.rs", 1, 1));
    }

    #[test]
    fn levels_have_their_bounds() {
        let levels = [1.0, 0.8, 0.79, 0.5, 0.49, 0.0]
            .map(|confidence| ConfidenceLevel::of(confidence).as_str());
        assert_eq!(levels, ["high", "high", "medium", "medium", "low", "low"]);
    }

    #[test]
    fn filters_have_their_ranges() {
        let right = FindReferences {
            symbol: Some("run".to_owned()),
            ..FindReferences::default()
        };
        assert!(right.validate().is_ok() && right.role().is_none());
        let any = FindReferences {
            role: Some(RoleFilter::Any),
            ..right.clone()
        };
        assert_eq!(any.role(), None);
        let calls = FindReferences {
            role: Some(RoleFilter::Call),
            ..right.clone()
        };
        assert_eq!(calls.role(), Some(UseRole::Call));
        for wrong in [
            FindReferences {
                limit: Some(201),
                ..right.clone()
            },
            FindReferences {
                context_lines: Some(101),
                ..right.clone()
            },
            FindReferences {
                symbol: None,
                ..right.clone()
            },
            FindReferences {
                max_tokens: Some(10),
                ..right
            },
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
    }
}
