//! The text of `search`.

use crate::model::search::SearchResults;

pub fn write(list: &SearchResults) -> String {
    format!("{} results", list.results.len())
}
