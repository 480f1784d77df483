//! Where a name stands as text, while too little is indexed to say where it is defined.

use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::text::{Line, NextCall};

use crate::query::Context;
use crate::query::indexed::Indexed;
use crate::query::list_files::rules_of;
use crate::search::grep::{self, GrepRequest, PageStart, Pattern, SearchableFile};
use crate::search::scan::{FileListing, TreeFile};
use crate::source::beneath::RootDir;
use crate::threads::Share;

/// How long lines with the name are looked for.
const TIME: Duration = Duration::from_millis(300);
const SHOWN: usize = 10;

/// The error, with lines that have the word instead of definitions, if there are any.
pub fn instead(context: &Context, indexed: &Indexed, name: &str, error: ToolError) -> ToolError {
    let lines = lines(context, indexed, name).unwrap_or_default();
    if lines.is_empty() {
        return error;
    }
    let ToolError { code, message, .. } = error;
    let call = NextCall::new("search")
        .with("query", name)
        .with("mode", "literal")
        .with("root", &indexed.root.name);
    ToolError::new(
        code,
        message.text("; until then by text alone: lines that have the word"),
    )
    .with_candidates(lines)
    .with_hint(Line::from(call).text(" shows them; ask again in a moment for definitions"))
}

/// `path:line` of the first.
fn lines(context: &Context, indexed: &Indexed, name: &str) -> Result<Vec<String>, ToolError> {
    let root = &indexed.root;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    let pattern = Pattern::regex(&format!(r"\b{}\b", regex::escape(name)))?;
    let until = Instant::now() + TIME;
    let listing = FileListing::new(root.path.as_ref(), &rules_of(root)?, until, context.cancel)?;
    let request = GrepRequest {
        pattern: &pattern,
        from: PageStart::Skipped(0),
        limit: SHOWN,
        largest_file: context.indexes.shared().settings.largest_file,
        until,
        cancel: context.cancel,
        only: None,
        share: Share::One,
    };
    let folder = indexed
        .folder
        .as_deref()
        .map(|folder| format!("{folder}/"))
        .unwrap_or_default();
    let wanted = |file: &TreeFile| file.path().starts_with(&folder);
    let found = grep::grep(&dir, &listing.joined(&indexed.snapshot), &wanted, &request)?;
    Ok(found
        .hits
        .iter()
        .map(|hit| format!("{}:{}", hit.file.path(), hit.line))
        .collect())
}
