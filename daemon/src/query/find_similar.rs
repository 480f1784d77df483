//! `find_similar`.

use claudevil_protocol::ToolError;
use claudevil_protocol::model::find_similar::{FindSimilar, SimilarCode};

use super::Context;
use super::indexed::Indexed;

pub fn find_similar(context: &Context, params: &FindSimilar) -> Result<SimilarCode, ToolError> {
    let indexed = Indexed::of(context)?;
    Ok(SimilarCode { root: indexed.root.path, code: params.code.clone(), ..SimilarCode::default() })
}
