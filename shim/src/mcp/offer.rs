//! The tools that a session offers.

use claudevil_protocol::ToolError;
use claudevil_protocol::text::Span;
use claudevil_protocol::tools::{self, Availability, Effect, TOOLS, ToolInfo, Toolset};
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::json;

use super::reply::Extras;

/// Marks a tool that Claude Code keeps loaded from the first prompt. It defers all others until its own search finds them.
const ALWAYS_LOAD_KEY: &str = "anthropic/alwaysLoad";

/// Claude Code writes a longer answer than it expects into a file and shows only its beginning; the largest budget of an
/// answer, 10,000 tokens, takes fewer characters than this.
const LONGEST_ANSWER: u32 = 100_000;
const LONGEST_ANSWER_KEY: &str = "anthropic/maxResultSizeChars";

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ToolsetName {
    /// The tools that most sessions need
    Core,
    /// Everything
    All,
    /// Find and read code
    Explore,
    /// Follow how code is connected
    Graph,
    /// Change code
    Change,
    /// Manage projects and their indexes
    Index,
    /// Keep and find notes and plans
    Memory,
}

pub struct Offer(Vec<&'static ToolInfo>);

impl Offer {
    pub fn new(toolsets: &[ToolsetName], names: &[String], read_only: bool) -> Self {
        let in_a_set = |tool: &ToolInfo| toolsets.iter().any(|set| contains(*set, tool));
        let is_named = |tool: &ToolInfo| names.iter().any(|name| name == tool.name);
        let offered = TOOLS
            .iter()
            .filter(|tool| {
                if names.is_empty() {
                    in_a_set(tool)
                } else {
                    is_named(tool)
                }
            })
            .filter(|tool| !read_only || tool.effect == Effect::Reads);
        Self(offered.collect())
    }

    pub fn find(&self, name: &str) -> Option<&'static ToolInfo> {
        self.0.iter().find(|tool| tool.name == name).copied()
    }

    /// Drops the hint of an error if it is about a tool that is not offered.
    pub fn without_other_tools(&self, error: ToolError) -> ToolError {
        let is_offered = |span: &Span| match span {
            Span::Call(call) => self.find(&call.tool).is_some(),
            _ => true,
        };
        let hint = error
            .hint
            .filter(|hint| hint.spans().iter().all(is_offered));
        ToolError { hint, ..error }
    }

    pub fn names(&self) -> String {
        self.0
            .iter()
            .map(|tool| tool.name)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Describes the offered tools for the protocol.
    pub fn describe(&self, extras: Extras) -> Vec<Tool> {
        let described = self.0.iter().map(|tool| {
            let mut described = describe(tool);
            described.output_schema = extras.output_schema(tool.name);
            described
        });
        described.collect()
    }
}

/// Parses a tool's name on the command line.
pub fn tool_name(name: &str) -> Result<String, String> {
    tools::find(name)
        .map(|tool| tool.name.to_owned())
        .ok_or_else(|| {
            let names: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
            format!("unknown tool; available: {}", names.join(", "))
        })
}

fn contains(set: ToolsetName, tool: &ToolInfo) -> bool {
    match set {
        ToolsetName::Core => tool.availability != Availability::OnRequest,
        ToolsetName::All => true,
        ToolsetName::Explore => tool.toolset == Toolset::Explore,
        ToolsetName::Graph => tool.toolset == Toolset::Graph,
        ToolsetName::Change => tool.toolset == Toolset::Change,
        ToolsetName::Index => tool.toolset == Toolset::Index,
        ToolsetName::Memory => tool.toolset == Toolset::Memory,
    }
}

/// Describes a tool. Its title is not repeated among the hints: every session pays for the list.
fn describe(tool: &ToolInfo) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(tool.effect == Effect::Reads)
        .destructive(matches!(tool.effect, Effect::Manages | Effect::Edits))
        // A rename cannot be repeated, and a note that is stored twice exists twice.
        .idempotent(!matches!(tool.effect, Effect::Edits | Effect::Keeps))
        .open_world(false);
    let mut described = Tool::new(tool.name, tool.description, tool.schema());
    described.title = Some(tool.title.to_owned());
    described.annotations = Some(annotations);
    described.meta = client_hints(tool);
    described
}

/// Returns the metadata that some clients want; others ignore it.
fn client_hints(tool: &ToolInfo) -> Option<MetaObject> {
    let mut hints = JsonObject::new();
    if tool.availability == Availability::AlwaysLoaded {
        hints.insert(ALWAYS_LOAD_KEY.to_owned(), json!(true));
    }
    if tool.long_answers {
        hints.insert(LONGEST_ANSWER_KEY.to_owned(), json!(LONGEST_ANSWER));
    }
    (!hints.is_empty()).then_some(MetaObject(hints))
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::text::NextCall;
    use rmcp::model::ListToolsResult;

    use super::*;

    #[test]
    fn offers_follow_sets_names_and_the_wish_to_read_only() {
        let names = |sets: &[ToolsetName], tools: &[&str], read_only| {
            let tools: Vec<_> = tools.iter().map(|&tool| tool.to_owned()).collect();
            Offer::new(sets, &tools, read_only).names()
        };
        let explore = "explore, search, find_symbol, find_similar, map_code, list_files, read_file";
        assert_eq!(
            names(&[ToolsetName::Explore], &[], false),
            format!("{explore}, history, search_structure")
        );
        assert_eq!(
            names(&[ToolsetName::Core], &[], false),
            "explore, search, find_symbol, map_code, read_file, find_references, find_implementations, deep_dive, \
             impact_analysis, index_status"
        );
        let graph = "find_references, find_callers, find_callees, get_call_graph, call_path, find_implementations, \
                     deep_dive, impact_analysis, get_dependencies, analyze_complexity";
        assert_eq!(
            names(&[ToolsetName::Graph], &[], false),
            format!("{graph}, find_definition, find_unused, find_clones")
        );
        assert_eq!(
            names(&[ToolsetName::Change], &[], false),
            "rename_symbol, edit_symbol, undo, rewrite"
        );
        assert_eq!(
            names(&[ToolsetName::All], &[], true),
            format!(
                "{explore}, {graph}, index_status, recall, find_definition, history, search_structure, \
                 find_unused, find_clones"
            )
        );
        assert_eq!(
            names(&[ToolsetName::Memory], &[], false),
            "checkpoint, recall, plan"
        );
        assert_eq!(
            names(&[ToolsetName::Index], &[], false),
            "index_status, reindex, manage_roots, manage_precise"
        );
        assert_eq!(
            names(&[ToolsetName::Core], &["manage_roots"], false),
            "manage_roots"
        );
        assert!(tool_name("list_flies").is_err());
    }

    #[test]
    fn hints_name_only_tools_that_are_offered() {
        let core = Offer::new(&[ToolsetName::Core], &[], false);
        let hint = |tool: &str| {
            let error = ToolError::invalid_argument("no").with_hint(NextCall::new(tool));
            core.without_other_tools(error).hint.is_some()
        };
        assert!(hint("map_code") && !hint("list_files"));
        let words = ToolError::invalid_argument("no").with_hint("give another");
        assert!(core.without_other_tools(words).hint.is_some());
    }

    #[test]
    fn hints_tell_what_a_tool_does_to_the_world() {
        let hints = |name: &str| {
            let annotations = describe(tools::find(name).expect("a tool"))
                .annotations
                .expect("hints");
            (
                annotations.read_only_hint,
                annotations.destructive_hint,
                annotations.idempotent_hint,
            )
        };
        assert_eq!(hints("find_symbol"), (Some(true), Some(false), Some(true)));
        assert_eq!(hints("checkpoint"), (Some(false), Some(false), Some(false)));
        assert_eq!(hints("reindex"), (Some(false), Some(false), Some(true)));
        assert_eq!(hints("manage_roots"), (Some(false), Some(true), Some(true)));
        assert_eq!(
            hints("rename_symbol"),
            (Some(false), Some(true), Some(false))
        );
        assert_eq!(hints("edit_symbol"), hints("rename_symbol"));
    }

    #[test]
    fn clients_are_told_which_tools_to_load_and_which_have_long_answers() {
        let core = Offer::new(&[ToolsetName::Core], &[], false);
        let sent = |name: &str| {
            let described = core.describe(Extras::default());
            let tool = described.iter().find(|tool| tool.name == name);
            serde_json::to_value(tool.expect("offered")).expect("JSON")["_meta"].clone()
        };
        assert_eq!(
            sent("search"),
            json!({ "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 100_000 })
        );
        assert_eq!(sent("index_status"), json!(null));
    }

    /// Measures what is sent, by the estimate that bounds all answers.
    #[test]
    fn lists_of_tools_are_cheap() {
        for (set, most) in [(ToolsetName::Core, 2_500), (ToolsetName::All, 6_000)] {
            let described = Offer::new(&[set], &[], false).describe(Extras::default());
            let listed = ListToolsResult::with_all_items(described);
            let sent = serde_json::to_string(&listed).expect("JSON");
            let cost = claudevil_protocol::text::tokens::estimate(&sent);
            assert!(cost <= most, "{cost} tokens of {most} for {set:?}");
            assert!(cost > most / 2, "{set:?} was not listed: {sent}");
            assert!(!sent.contains("outputSchema"), "{sent}");
        }
    }

    #[test]
    fn schemas_of_answers_are_listed_on_request() {
        let extras = Extras {
            structured: true,
            resource_links: false,
        };
        let described = Offer::new(&[ToolsetName::All], &[], false).describe(extras);
        for tool in described {
            let schema = tool.output_schema.expect("asked for");
            assert!(schema["properties"].is_object(), "{}", tool.name);
        }
    }
}
