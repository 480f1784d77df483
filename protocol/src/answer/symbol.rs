//! Kinds of symbols and their visibility: the words that every tool about symbols shares.

use super::scope::ALL_ROOTS;
use crate::error::{ErrorCode, ToolError};
use crate::text::{Line, NextCall};

/// Defines an enum whose values have words: `Size = "size": "Largest first"`, with help for the command line. Words about single
/// values stay out of doc comments where schemas would list them.
macro_rules! words {
    ($(#[$about:meta])* $name:ident {
        $($(#[$choice:meta])* $variant:ident = $word:literal $(: $help:literal)?),+ $(,)?
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$choice])* $variant),+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == word)
            }
        }

        #[cfg(feature = "cli")]
        impl clap::ValueEnum for $name {
            fn value_variants<'a>() -> &'a [Self] {
                Self::ALL
            }

            fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                let value = clap::builder::PossibleValue::new(self.as_str());
                Some(match self { $(Self::$variant => value$(.help($help))?),+ })
            }
        }
    };
}
pub(crate) use words;

words! {
    /// The kind of a symbol. Bincode numbers these by position: new ones go to the end.
    SymbolKind {
        Function = "function",
        Method = "method",
        Constructor = "constructor",
        Class = "class",
        Struct = "struct",
        Enum = "enum",
        Variant = "variant",
        Union = "union",
        Interface = "interface",
        Trait = "trait",
        Alias = "alias",
        Module = "module",
        Constant = "constant",
        Variable = "variable",
        Field = "field",
        Property = "property",
        Macro = "macro",
        // In text and data: headings, keys, selectors and targets, tables and views, blocks of infrastructure.
        Section = "section",
        Key = "key",
        Rule = "rule",
        Table = "table",
        Resource = "resource",
    }
}

words! {
    /// Who may use a symbol, as far as its own file says.
    Visibility {
        Public = "public",
        Internal = "internal",
        Protected = "protected",
        Private = "private",
    }
}

impl SymbolKind {
    /// Returns whether symbols of this kind have a body that runs.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor)
    }

    /// Returns whether symbols of this kind have members.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Union | Self::Interface | Self::Trait
        )
    }
}

/// Returns the error for a name that no symbol has. `nearest` has the most similar names, best first.
pub fn not_found(name: &str, root_name: &str, nearest: Vec<String>) -> ToolError {
    let searched = match root_name {
        ALL_ROOTS => "any project",
        one => one,
    };
    // A name that is similar to no symbol may still occur as a word.
    let call = match nearest.first() {
        Some(near) => NextCall::new("find_symbol").with("name", near.as_str()),
        None => NextCall::new("search").with("query", name),
    };
    ToolError::new(
        ErrorCode::SymbolNotFound,
        format!("no symbol `{name}` in {searched}"),
    )
    .with_candidates(nearest)
    .with_hint(call.with("root", root_name))
}

/// Returns the error for a name that `total` symbols have. Each of `candidates`, the first of them, can be asked for instead.
pub fn ambiguous(name: &str, root_name: &str, candidates: Vec<String>, total: usize) -> ToolError {
    ToolError::new(
        ErrorCode::AmbiguousSymbol,
        format!("`{name}` names {total} symbols in {root_name}"),
    )
    .with_candidates(candidates)
    .with_hint(Line::from("give one of them, or ").either("add `path`", "name its file too"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_symbol_suggests_similar_names() {
        insta::assert_snapshot!(not_found("procss", "engine", vec!["process".into(), "Process".into()]).text(), @r#"
        symbol_not_found: no symbol `procss` in engine
        candidates: process, Process
        next: find_symbol {"name":"process","root":"engine"}
        "#);
        insta::assert_snapshot!(not_found("zz", "engine", vec![]).text(), @r#"
        symbol_not_found: no symbol `zz` in engine
        next: search {"query":"zz","root":"engine"}
        "#);
        insta::assert_snapshot!(ambiguous("run", "engine", vec!["a::run".into(), "b::run".into()], 50).text(), @r"
        ambiguous_symbol: `run` names 50 symbols in engine
        candidates: a::run, b::run
        next: give one of them, or add `path`
        ");
    }

    #[test]
    fn words_are_those_of_the_json() {
        for kind in SymbolKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.as_str());
            assert_eq!(SymbolKind::from_word(kind.as_str()), Some(*kind));
        }
        assert_eq!(SymbolKind::from_word("thing"), None);
    }
}
