//! `map_code`: a placeholder until its query is there.

use claudevil_protocol::model::map_code::{CodeMap, MapCode};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;

pub fn map_code(_context: &Context, _params: &MapCode) -> Result<CodeMap, ToolError> {
    Err(ToolError::new(ErrorCode::Internal, "not built yet"))
}
