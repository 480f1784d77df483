//! `reindex`: a placeholder until its query is there.

use claudevil_protocol::model::reindex::{IndexJob, Reindex};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;

pub fn reindex(_context: &Context, _params: &Reindex) -> Result<IndexJob, ToolError> {
    Err(ToolError::new(ErrorCode::Internal, "not built yet"))
}
