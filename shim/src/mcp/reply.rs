//! Contents of a tool's result: text for the model, and on request typed data and links for programs.
//!
//! Clients that hand everything to a model pay for each part, so data and links are sent only where the command line
//! asks for them. Data is cut to the same budget as text, but separately: it may have fewer items.

use std::sync::Arc;

use claudevil_protocol::answer::render::{fit, write};
use claudevil_protocol::answer::{Answer, Format};
use claudevil_protocol::{json, tools};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Resource};
use serde_json::Value;

use crate::project::to_file_uri;

/// Maximum number of links; the other files are left out.
const MAX_LINKS: usize = 20;

/// The parts of a result beside its text.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Extras {
    /// Send every answer as typed data too (structuredContent, outputSchema), for clients that are programs
    #[arg(long)]
    pub structured: bool,
    /// Add a resource link for each file that an answer names, for clients that open files
    #[arg(long)]
    pub resource_links: bool,
}

pub struct Reply {
    pub text: String,
    data: Option<Value>,
    links: Vec<Resource>,
}

impl Extras {
    pub fn render<A: Answer>(self, answer: &A, format: Format, budget: u32) -> Reply {
        let shown = fit(answer, format, budget);
        let data = self
            .structured
            .then(|| json::value(fit(answer, Format::Json, budget).as_ref()));
        let links = match shown.root() {
            Some(root) if self.resource_links => links(root, &json::value(shown.as_ref())),
            _ => vec![],
        };
        Reply {
            text: write(shown.as_ref(), format),
            data,
            links,
        }
    }

    pub fn output_schema(self, tool: &str) -> Option<Arc<JsonObject>> {
        self.structured
            .then(|| tools::answer_schema(tool))
            .flatten()
            .map(Arc::new)
    }
}

impl From<Reply> for CallToolResult {
    fn from(reply: Reply) -> Self {
        let links = reply.links.into_iter().map(ContentBlock::resource_link);
        let mut result = Self::success(
            [ContentBlock::text(reply.text)]
                .into_iter()
                .chain(links)
                .collect(),
        );
        result.structured_content = reply.data;
        result
    }
}

/// Links the files of an answer in the order of its data: the `path` of every item. The answer's own `path` is what was
/// asked about, and may be a folder.
fn links(root: &str, answer: &Value) -> Vec<Resource> {
    let mut paths = vec![];
    if let Value::Object(fields) = answer {
        fields
            .values()
            .for_each(|field| collect_paths(field, &mut paths));
    }
    let link = |path: &str| Resource::new(to_file_uri(&format!("{root}/{path}")), path);
    paths.into_iter().map(link).collect()
}

fn collect_paths<'a>(value: &'a Value, paths: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(path)) = fields.get("path")
                && paths.len() < MAX_LINKS
                && !path.starts_with('/')
                && !paths.contains(&path.as_str())
            {
                paths.push(path);
            }
            fields
                .values()
                .for_each(|field| collect_paths(field, paths));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_paths(item, paths)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_of_an_answer_are_linked_once_each() {
        let answer = json!({
            "path": "src",
            "symbol": { "path": "src/a b.rs", "line": 3 },
            "uses": [{ "path": "src/c.rs" }, { "path": "src/a b.rs" }, { "path": "/elsewhere" }],
        });
        let linked: Vec<_> = links("/home/ada/engine", &answer)
            .into_iter()
            .map(|link| (link.uri, link.name))
            .collect();
        let uri = |path: &str| format!("file:///home/ada/engine/{path}");
        assert_eq!(
            linked,
            [
                (uri("src/a%20b.rs"), "src/a b.rs".to_owned()),
                (uri("src/c.rs"), "src/c.rs".to_owned())
            ]
        );
        let many: Vec<_> = (0..50)
            .map(|n| json!({ "path": format!("{n}.rs") }))
            .collect();
        assert_eq!(links("/r", &json!({ "hits": many })).len(), MAX_LINKS);
    }
}
