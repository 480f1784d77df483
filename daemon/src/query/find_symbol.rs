//! `find_symbol`: a placeholder until its query is there.

use claudevil_protocol::model::find_symbol::{FindSymbol, SymbolList};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;

pub fn find_symbol(_context: &Context, _params: &FindSymbol) -> Result<SymbolList, ToolError> {
    Err(ToolError::new(ErrorCode::Internal, "not built yet"))
}
