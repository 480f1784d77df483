//! `search`: finds code by words, meaning, names or patterns, in one root or in all.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::search::{Search, SearchResults};

use super::{Context, code_search};

pub fn search(context: &Context, params: &Search) -> Result<SearchResults, ToolError> {
    Ok(code_search::search(context, params)?.results)
}
