//! `find_symbol`: where something is defined.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::freshness::Freshness;
use crate::answer::symbol::{SymbolKind, Visibility};
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil symbol parse                       whatever is named so, or nearly so
  claudevil symbol Parser::next --kind method  a method of a type
  claudevil symbol cfg --match prefix -l rust  all that begins so, in one language";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct FindSymbol {
    /// E.g. `run`, `Engine::run`, `pkg.Type.method`.
    #[cfg_attr(feature = "cli", arg(long))]
    pub name: String,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// E.g. function, trait, constant.
    // The error lists all.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub kind: Option<SymbolKind>,
    /// Default auto.
    #[serde(default, rename = "match")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub matching: Option<SymbolMatch>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub language: Option<String>,
    /// Glob.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    /// Default 20.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub limit: Option<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub cursor: Option<String>,
    /// Default 4000.
    #[serde(default)]
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

/// How a name is compared, from strict to lenient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "snake_case")
)]
pub enum SymbolMatch {
    #[default]
    Auto,
    Exact,
    Prefix,
    Substring,
    Fuzzy,
}

impl SymbolMatch {
    /// What `auto` tries, in this order.
    pub const LADDER: [Self; 4] = [Self::Exact, Self::Prefix, Self::Substring, Self::Fuzzy];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Exact => "exact",
            Self::Prefix => "prefix",
            Self::Substring => "substring",
            Self::Fuzzy => "fuzzy",
        }
    }
}

impl FindSymbol {
    pub const DEFAULT_LIMIT: u32 = 20;
    pub const LONGEST_NAME: usize = 200;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }
}

impl Tool for FindSymbol {
    type Answer = SymbolList;

    const INFO: ToolInfo = ToolInfo {
        name: "find_symbol",
        title: "Find symbol",
        description: "Where a symbol is defined: place, kind, signature. Takes plain, qualified, partial \
                      and misspelt names.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "symbol",
            alias: Some("find-symbol"),
            about: "Find where something is defined",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("name", Some(&self.name), Self::LONGEST_NAME)?;
        check_length("language", self.language.as_deref(), 50)?;
        check_length("path", self.path.as_deref(), 500)?;
        check_length("cursor", self.cursor.as_deref(), 8192)?;
        check_range("limit", self.limit, 1..=100)
    }
}

/// What was found; never empty, for nothing found is the error `symbol_not_found`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SymbolList {
    /// The root's absolute path; `*` where all were asked.
    pub root: String,
    pub root_name: String,
    /// The folder of the root that was asked about, when it was not the whole.
    pub folder: Option<String>,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub name: String,
    /// The comparison that found these; never `auto`.
    #[serde(rename = "match")]
    pub matched: SymbolMatch,
    pub kind: Option<SymbolKind>,
    pub language: Option<String>,
    /// The glob in force.
    pub path: Option<String>,
    /// How many match in all.
    pub total: u64,
    /// In the order of [`SymbolPlace`].
    pub symbols: Vec<FoundSymbol>,
    /// How many matching symbols come after the last of `symbols`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// How many were asked for at most.
    pub limit: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundSymbol {
    /// The root's name, where several were asked.
    pub root: Option<String>,
    pub name: String,
    /// With its containers, as the language writes it.
    pub qualified: String,
    pub kind: SymbolKind,
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    pub language: String,
    /// None where the language does not say.
    pub visibility: Option<Visibility>,
    pub signature: String,
    /// The symbol around it.
    pub container: Option<String>,
    /// 0 to 1, with three decimals; 1 is the name itself.
    pub score: f64,
}

/// A place in the order of symbols that stays valid while symbols come and go: best first, then by path and line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolPlace {
    thousandths: Reverse<u32>,
    /// With the root before it, where several were asked.
    pub path: String,
    line: u32,
    name: String,
}

impl SymbolPlace {
    pub fn of(symbol: &FoundSymbol) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within 0 and 1000"
        )]
        let thousandths = (symbol.score.clamp(0.0, 1.0) * 1000.0).round() as u32;
        Self {
            thousandths: Reverse(thousandths),
            path: match &symbol.root {
                Some(root) => format!("{root}/{}", symbol.path),
                None => symbol.path.clone(),
            },
            line: symbol.start_line,
            name: symbol.name.clone(),
        }
    }

    pub fn encode(&self) -> String {
        format!(
            "{}:{}:{}:{}",
            self.thousandths.0,
            self.line,
            self.name.replace(':', "%3A"),
            self.path
        )
    }

    pub fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, ':');
        let thousandths = Reverse(parts.next()?.parse().ok()?);
        let line = parts.next()?.parse().ok()?;
        let name = parts.next()?.replace("%3A", ":");
        Some(Self {
            thousandths,
            line,
            name,
            path: parts.next()?.to_owned(),
        })
    }
}

impl Answer for SymbolList {
    fn items(&self) -> usize {
        self.symbols.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.symbols.len() {
            return;
        }
        self.remaining += (self.symbols.len() - items) as u64;
        self.symbols.truncate(items);
        self.truncated = true;
        if let Some(last) = self.symbols.last() {
            self.cursor = Some(SymbolPlace::of(last).encode());
        }
    }

    fn text(&self) -> Text {
        crate::tools::find_symbol::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_their_text_form_and_sort_best_first() {
        let place = |thousandths, line, name: &str| SymbolPlace {
            thousandths: Reverse(thousandths),
            path: "a:b/ü c.rs".to_owned(),
            line,
            name: name.to_owned(),
        };
        for one in [place(1000, 7, "run"), place(0, 1, "operator::new")] {
            assert_eq!(SymbolPlace::decode(&one.encode()), Some(one));
        }
        for nonsense in ["", "900", "900:x:run:a.rs", "-1:1:run:a.rs", "900:1:run"] {
            assert_eq!(SymbolPlace::decode(nonsense), None, "{nonsense}");
        }
        assert!(
            place(1000, 9, "b") < place(900, 1, "a") && place(900, 1, "a") < place(900, 2, "a")
        );
    }

    #[test]
    fn names_and_limits_have_their_ranges() {
        let named = |name: &str, limit| FindSymbol {
            name: name.to_owned(),
            limit,
            ..FindSymbol::default()
        };
        assert!(named("run", Some(100)).validate().is_ok());
        for wrong in [
            named("", None),
            named(&"x".repeat(201), None),
            named("run", Some(101)),
            named("run", Some(0)),
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
    }
}
