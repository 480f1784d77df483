//! `search`.

use claudevil_protocol::ToolError;
use claudevil_protocol::model::search::{Search, SearchResults};

use super::Context;
use super::indexed::Indexed;

pub fn search(context: &Context, params: &Search) -> Result<SearchResults, ToolError> {
    let indexed = Indexed::of(context)?;
    Ok(SearchResults { root: indexed.root.path, query: params.query.clone(), ..SearchResults::default() })
}
