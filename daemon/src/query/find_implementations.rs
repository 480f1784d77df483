//! `find_implementations`: implementations of a trait or interface, subclasses of a class, overrides of a method.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::ListCursor;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_implementations::{
    FindImplementations, Implementation, Implementations,
};

use super::Context;
use super::shared::graph_root::GraphRoot;
use super::shared::implementations::implementations;
use super::shared::paging::{Page, decode_cursor};
use super::shared::symbol_info::describe_symbol;
use crate::extract::facts::Relation;
use crate::graph::{Graph, SymbolId};

/// The most external types that the note lists.
const MAX_EXTERNAL: usize = 10;

pub fn find_implementations(
    context: &Context,
    params: &FindImplementations,
) -> Result<Implementations, ToolError> {
    let after = decode_cursor(params.cursor.as_deref(), ListCursor::decode)?;
    let root = GraphRoot::open(context)?;
    let graph = root.graph();
    let target = root.find(&graph, params.symbol_query())?;
    let mut all = implementations(&graph, target);
    all.sort_by(|one, other| {
        (one.depth, &one.path, one.line).cmp(&(other.depth, &other.path, other.line))
    });
    let Page {
        items: implementations,
        total,
        remaining,
    } = Page::cut(all, after.as_ref(), params.limit(), Implementation::place);
    let indexed = &root.indexed;
    let mut freshness = root.freshness(&graph, &[target]);
    if let Some(note) = note_external_types(&graph, target) {
        freshness.add_note(note);
    }
    let mut answer = Implementations {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        symbol: describe_symbol(&graph, target),
        implementations,
        total,
        remaining,
        truncated: false,
        cursor: None,
        limit: params.limit(),
    };
    answer.set_cursor();
    Ok(answer)
}

/// Names the external types for which this root implements the target: `impl Store for Vec<u8>`.
fn note_external_types(graph: &Graph<'_>, target: SymbolId) -> Option<String> {
    let all = graph.members().foreign_implementations(target);
    let (shown, rest) = all.split_at(all.len().min(MAX_EXTERNAL));
    let place = |(file, relation): &(u32, &Relation)| {
        format!(
            "{} ({}:{})",
            relation.subject,
            graph.file(*file).path,
            relation.line
        )
    };
    let shown: Vec<String> = shown.iter().map(place).collect();
    let more = if rest.is_empty() {
        String::new()
    } else {
        format!(" and {} more", rest.len())
    };
    (!shown.is_empty()).then(|| {
        format!(
            "also for types that are not of this project: {}{more}",
            shown.join(", ")
        )
    })
}
