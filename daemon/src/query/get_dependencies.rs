//! `get_dependencies`: a placeholder until its query is there.

use claudevil_protocol::model::get_dependencies::{Dependencies, GetDependencies};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;

pub fn get_dependencies(_context: &Context, _params: &GetDependencies) -> Result<Dependencies, ToolError> {
    Err(ToolError::new(ErrorCode::Internal, "not built yet"))
}
