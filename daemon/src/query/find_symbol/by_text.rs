//! Where a name stands as text, while too little is indexed to say where it is defined.

use std::time::Duration;

use claudevil_protocol::ToolError;

use crate::query::Context;
use crate::query::indexed::Indexed;
use crate::query::list_files::rules_of;
use crate::search::grep::{Beginning, Pattern, Request};
use crate::search::scan;
use crate::source::beneath::RootDir;
use crate::source::walk::WalkedFile;

/// For the walk, and for the search.
const TIME: Duration = Duration::from_millis(150);
const SHOWN: usize = 10;

/// The error, with lines that have the word instead of definitions, if there are any.
pub fn instead(context: &Context, indexed: &Indexed, name: &str, error: ToolError) -> ToolError {
    let lines = lines(context, indexed, name).unwrap_or_default();
    if lines.is_empty() {
        return error;
    }
    let ToolError { code, message, .. } = error;
    let call = serde_json::json!({ "query": name, "mode": "literal", "root": indexed.root.name });
    ToolError::new(code, format!("{message}; until then by text alone: lines that have the word"))
        .with_candidates(lines)
        .with_hint(format!("search {call} shows them; ask again in a moment for definitions"))
}

/// `path:line` of the first.
fn lines(context: &Context, indexed: &Indexed, name: &str) -> Result<Vec<String>, ToolError> {
    let root = &indexed.root;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    let pattern = Pattern::regex(&format!(r"\b{}\b", regex::escape(name)))?;
    let seen = scan::files(root.path.as_ref(), &rules_of(root)?, TIME, context.cancel)?;
    let request = Request {
        pattern: &pattern,
        from: Beginning::Skipped(0),
        limit: SHOWN,
        largest_file: context.indexes.shared().settings.largest_file,
        within: TIME,
        cancel: context.cancel,
        stale: &[],
        only: None,
    };
    let folder = indexed.folder.as_deref().map(|folder| format!("{folder}/")).unwrap_or_default();
    let wanted = |file: &WalkedFile| file.path.starts_with(&folder);
    let found = scan::lines(&dir, &seen, &wanted, &request)?;
    Ok(found.hits.iter().map(|hit| format!("{}:{}", hit.file.path, hit.line)).collect())
}
