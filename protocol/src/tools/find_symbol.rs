//! `find_symbol`: where something is defined.

use std::cmp::Reverse;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::scope::with_scope;
use crate::answer::symbol::{SymbolKind, Visibility, words};
use crate::answer::{Answer, Format, cut, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, NextCall, Text, signature};

const EXAMPLES: &str = "\
Examples:
  claudevil symbol parse                       everything with this name or a similar one
  claudevil symbol Parser::next --kind method  a method of a type
  claudevil symbol cfg --match prefix -l rust  all that begins so, in one language";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args), command(arg = super::all_roots_option()))]
pub struct FindSymbol {
    /// E.g. `run`, `Engine::run`.
    #[cfg_attr(
        feature = "cli",
        arg(help = "Name, plain or qualified, as its language writes it")
    )]
    pub name: String,
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "DIR|NAME",
            conflicts_with = "all_roots",
            default_value_if("all_roots", "true", "*"),
            help = super::ROOT_HELP
        )
    )]
    pub root: Option<String>,
    // The error for an unknown kind lists all of them.
    #[schemars(with = "Option<String>")]
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            hide_possible_values = true,
            help = "Only this kind, e.g. function, struct, trait"
        )
    )]
    pub kind: Option<SymbolKind>,
    /// Default auto.
    #[serde(rename = "match")]
    #[cfg_attr(
        feature = "cli",
        arg(
            id = "match",
            short,
            long,
            value_name = "HOW",
            default_value = "auto",
            help = "How names are compared"
        )
    )]
    pub matching: Option<SymbolMatch>,
    #[cfg_attr(feature = "cli", arg(short, long, help = "Only this language"))]
    pub language: Option<String>,
    /// Glob.
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "GLOB",
            help = "Only files that match this glob"
        )
    )]
    pub path: Option<String>,
    /// Default 20.
    #[schemars(range(min = 1, max = 100))]
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'n',
            long,
            default_value = "20",
            help = "Maximum number of symbols, up to 100"
        )
    )]
    pub limit: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
    pub cursor: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

words! {
    /// The comparison of names, from strict to lenient.
    #[derive(Default)]
    SymbolMatch {
        #[default]
        Auto = "auto": "The strictest that finds any",
        Exact = "exact",
        Prefix = "prefix",
        Substring = "substring",
        Fuzzy = "fuzzy",
    }
}

impl SymbolMatch {
    /// The comparisons that `auto` tries, in this order.
    pub const LADDER: [Self; 4] = [Self::Exact, Self::Prefix, Self::Substring, Self::Fuzzy];
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
        description: "To find where a name is defined. Takes plain, qualified, partial and misspelt names.",
        toolset: Toolset::Explore,
        availability: Availability::Core,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "symbol",
            alias: Some("find-symbol"),
            about: "Find where something is defined",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    const ANSWERS_EARLY: bool = true;

    common_params!();

    fn glob_mut(&mut self) -> Option<&mut String> {
        self.path.as_mut()
    }

    fn check(&self) -> Result<(), ToolError> {
        check_length("name", Some(&self.name), Self::LONGEST_NAME)?;
        check_length("language", self.language.as_deref(), 50)?;
        check_length("path", self.path.as_deref(), 500)?;
        check_length("cursor", self.cursor.as_deref(), 8192)?;
        check_range("limit", self.limit, 1..=100)
    }
}

/// The symbols of a name. Never empty: nothing found is the error `symbol_not_found`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Number of matching symbols in all.
    pub total: u64,
    /// In the order of [`SymbolCursor`].
    pub symbols: Vec<FoundSymbol>,
    /// Number of matching symbols after the last of `symbols`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// The limit in force.
    pub limit: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// A position in a list of symbols that stays valid while symbols come and go: best first, then by path and line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolCursor {
    thousandths: Reverse<u32>,
    /// With the root before it, where several were asked.
    pub path: String,
    line: u32,
    name: String,
}

impl SymbolCursor {
    pub fn new(symbol: &FoundSymbol) -> Self {
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

with_scope!(SymbolList);

impl SymbolList {
    fn summary(&self) -> Line {
        let how = match self.matched {
            SymbolMatch::Auto | SymbolMatch::Exact => " named ",
            SymbolMatch::Prefix => " beginning with ",
            SymbolMatch::Substring => " containing ",
            SymbolMatch::Fuzzy => " similar to ",
        };
        let noun = self.kind.map_or("symbol", SymbolKind::as_str);
        let mut line = Line::new()
            .count(self.total, noun)
            .text(how)
            .name(&self.name);
        if self.is_in_another_case() {
            line = line.text(" (ignoring case)");
        }
        if let Some(language) = &self.language {
            line = line.text(" of ").code(language);
        }
        line = line.text(" in ").line(self.scope().name());
        if let Some(glob) = &self.path {
            line = line.text(" under ").path(glob);
        }
        let shown = self.symbols.len() as u64;
        let before = self.total.saturating_sub(self.remaining + shown);
        line.page(before, shown, self.remaining)
    }

    /// Returns whether a symbol has the name only if case is ignored: `repo_status` for `REPO_STATUS`.
    fn is_in_another_case(&self) -> bool {
        let is_word = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '$');
        let name = self.name.trim_end_matches("()");
        let last = name.rsplit(|sign| !is_word(sign)).next().unwrap_or(name);
        let differs = |own: &str| own.eq_ignore_ascii_case(last) && own != last;
        matches!(self.matched, SymbolMatch::Auto | SymbolMatch::Exact)
            && self.symbols.iter().any(|symbol| differs(&symbol.name))
    }

    fn next(&self) -> Option<Line> {
        if self.remaining == 0 {
            return None;
        }
        let limit = (self.limit != FindSymbol::DEFAULT_LIMIT).then_some(self.limit);
        let call = NextCall::new(FindSymbol::NAME)
            .with("name", &self.name)
            .with("match", self.matched.as_str())
            .with_some("kind", self.kind.map(SymbolKind::as_str))
            .with_some("language", self.language.as_deref())
            .with_some("path", self.path.as_deref())
            .with_some("limit", limit)
            .with_budget(self.max_tokens)
            .with("root", self.scope().argument())
            .with_some("cursor", self.cursor.as_deref());
        Some(
            Line::new()
                .number(self.remaining)
                .text(" more: ")
                .call(call),
        )
    }
}

impl FoundSymbol {
    /// Returns e.g. `src/engine.rs:12-40  public method Engine::run`, after its root if several were searched.
    fn item(&self) -> Line {
        let root = match &self.root {
            Some(root) => Line::from("[").name(root).text("] "),
            None => Line::new(),
        };
        let visibility = self.visibility.map_or_else(String::new, |visibility| {
            format!("{} ", visibility.as_str())
        });
        root.location(&self.path, self.start_line, self.end_line)
            .text(format!("  {visibility}{} ", self.kind.as_str()))
            .name(&self.qualified)
    }
}

impl Answer for SymbolList {
    fn items(&self) -> usize {
        self.symbols.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.symbols, items, &mut self.remaining) {
            self.truncated = true;
            if let Some(last) = self.symbols.last() {
                self.cursor = Some(SymbolCursor::new(last).encode());
            }
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        for symbol in &self.symbols {
            text.item(symbol.item());
            if !symbol.signature.is_empty() {
                text.below(Line::new().code(&signature(&symbol.signature)));
            }
        }
        text.next(self.next());
        text
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::{IndexPhase, IndexProgress};
    use crate::answer::render::render;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

    #[test]
    fn places_survive_their_text_form_and_sort_best_first() {
        let place = |thousandths, line, name: &str| SymbolCursor {
            thousandths: Reverse(thousandths),
            path: "a:b/ü c.rs".to_owned(),
            line,
            name: name.to_owned(),
        };
        for one in [place(1000, 7, "run"), place(0, 1, "operator::new")] {
            assert_eq!(SymbolCursor::decode(&one.encode()), Some(one));
        }
        for nonsense in ["", "900", "900:x:run:a.rs", "-1:1:run:a.rs", "900:1:run"] {
            assert_eq!(SymbolCursor::decode(nonsense), None, "{nonsense}");
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

    fn list(symbols: u32) -> SymbolList {
        let symbol = |index: u32| FoundSymbol {
            root: None,
            name: "process".to_owned(),
            qualified: "Processor::process".to_owned(),
            kind: SymbolKind::Method,
            path: format!("src/processor_{index}.rs"),
            start_line: 12 + index,
            end_line: 40 + index,
            language: "rust".to_owned(),
            visibility: Some(Visibility::Public),
            signature: "pub fn process(\n    &mut self,\n    input: &str,\n) -> Result<Output>"
                .to_owned(),
            container: Some("Processor".to_owned()),
            score: 1.0,
        };
        SymbolList {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            folder: None,
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            name: "process".to_owned(),
            matched: SymbolMatch::Exact,
            kind: None,
            language: None,
            path: None,
            total: u64::from(symbols),
            symbols: (0..symbols).map(symbol).collect(),
            remaining: 0,
            truncated: false,
            cursor: None,
            limit: 20,
        }
    }

    #[test]
    fn a_name_in_another_case_is_labelled() {
        let mut list = list(1);
        assert!(
            list.summary()
                .to_string()
                .starts_with("1 symbol named process in ")
        );
        list.name = "Processor::PROCESS".to_owned();
        assert!(
            list.summary()
                .to_string()
                .starts_with("1 symbol named Processor::PROCESS (ignoring case) in ")
        );
    }

    #[test]
    fn a_definition_has_its_place_and_signature() {
        let mut list = list(1);
        list.symbols[0].end_line = 12;
        let (phase, rate, eta_seconds) = (IndexPhase::Extracting, 0.0, None);
        list.freshness.partial = Some(IndexProgress {
            phase,
            done: 1234,
            total: 6611,
            rate,
            eta_seconds,
        });
        insta::assert_snapshot!(list.text().to_string(), @r"
        1 symbol named process in engine
        partial: 1,234 of 6,611 files indexed
        src/processor_0.rs:12  public method Processor::process
          pub fn process( &mut self, input: &str, ) -> Result<Output>
        ");
    }

    #[test]
    fn many_are_cut_between_symbols_and_go_on() {
        let mut many = list(90);
        (many.kind, many.matched) = (Some(SymbolKind::Method), SymbolMatch::Substring);
        let text = render(&many, Format::Text, 160);
        assert!(tokens::estimate(&text) <= 160);
        insta::assert_snapshot!(text, @r#"
        90 methods containing process in engine; 2 shown
        src/processor_0.rs:12-40  public method Processor::process
          pub fn process( &mut self, input: &str, ) -> Result<Output>
        src/processor_1.rs:13-41  public method Processor::process
          pub fn process( &mut self, input: &str, ) -> Result<Output>
        88 more: find_symbol {"name":"process","match":"substring","kind":"method","root":"engine","cursor":"1000:13:process:src/processor_1.rs"}
        "#);
    }
}
