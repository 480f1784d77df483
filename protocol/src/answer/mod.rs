//! Parts of answers that several tools share: plain data with public fields, and how each reads.
//!
//! The same types cross the socket as bincode and reach agents as JSON, so they use no serde attribute that bincode
//! cannot follow (no `flatten`, `untagged`, `skip_serializing_if`). Lines are 1-based and inclusive; paths are
//! relative to the root, with `/` between their parts.

pub mod accounting;
pub mod commit;
pub mod diff;
pub mod freshness;
pub mod graph;
pub mod hits;
pub mod index_summary;
pub mod note;
pub mod render;
pub mod scope;
pub mod symbol;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::freshness::Freshness;
use crate::text::Text;

/// The result of a tool.
pub trait Answer: Serialize + JsonSchema + Clone {
    /// Returns the number of items that could be left out to fit a budget.
    fn items(&self) -> usize;

    /// Keeps the `items` most valuable items and says how to ask for the rest. The order by value need not be the order in
    /// which items are shown.
    fn keep(&mut self, items: usize);

    /// Shortens the items that are left, for when a single item exceeds the budget. Returns false once nothing more can be
    /// removed.
    fn shorten(&mut self) -> bool {
        false
    }

    fn text(&self) -> Text;

    /// Returns whether nothing was found at all, which is a failure of some commands.
    fn is_empty(&self) -> bool {
        self.items() == 0
    }

    /// Returns what an answer from the index may lack. None for an answer from the files themselves.
    fn freshness(&self) -> Option<&Freshness> {
        None
    }

    /// Returns the absolute path of the root that relative paths belong to. None where they belong to several.
    fn root(&self) -> Option<&str> {
        None
    }
}

/// Implements `root` and `freshness` for an answer with these fields. Answers about all projects have no root.
macro_rules! one_root {
    () => {
        fn root(&self) -> Option<&str> {
            Some(self.root.as_str()).filter(|root| *root != $crate::answer::scope::ALL_ROOTS)
        }

        fn freshness(&self) -> Option<&$crate::answer::freshness::Freshness> {
            Some(&self.freshness)
        }
    };
}
pub(crate) use one_root;

/// Keeps the first items of a list and counts the rest as remaining. Returns false if there is no rest.
pub(crate) fn cut<T>(list: &mut Vec<T>, items: usize, remaining: &mut u64) -> bool {
    let rest = list.len().saturating_sub(items);
    list.truncate(items);
    *remaining += rest as u64;
    rest > 0
}

// The format of an answer. A doc comment on an enum would appear in every schema that uses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    #[default]
    Text,
    Json,
}
