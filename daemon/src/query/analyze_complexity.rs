//! `analyze_complexity`: a placeholder until its query is there.

use claudevil_protocol::model::analyze_complexity::{AnalyzeComplexity, Complexity};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;

pub fn analyze_complexity(_context: &Context, _params: &AnalyzeComplexity) -> Result<Complexity, ToolError> {
    Err(ToolError::new(ErrorCode::Internal, "not built yet"))
}
