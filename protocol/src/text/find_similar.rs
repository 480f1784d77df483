//! The text of `find_similar`.

use crate::model::find_similar::SimilarCode;

pub fn write(list: &SimilarCode) -> String {
    format!("{} results", list.results.len())
}
