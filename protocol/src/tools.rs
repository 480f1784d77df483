//! The table of tools: names, descriptions, toolsets and hints, one row each.
//!
//! The shim offers them, the command line has them as verbs, and the daemon lists them in its status.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::model::Params;
use crate::model::analyze_complexity::AnalyzeComplexity;
use crate::model::call_path::CallPath;
use crate::model::calls::{FindCallees, FindCallers};
use crate::model::checkpoint::Checkpoint;
use crate::model::deep_dive::DeepDive;
use crate::model::explore::Explore;
use crate::model::find_implementations::FindImplementations;
use crate::model::find_references::FindReferences;
use crate::model::find_similar::FindSimilar;
use crate::model::find_symbol::FindSymbol;
use crate::model::get_call_graph::GetCallGraph;
use crate::model::get_dependencies::GetDependencies;
use crate::model::impact_analysis::ImpactAnalysis;
use crate::model::index_status::IndexStatus;
use crate::model::list_files::ListFiles;
use crate::model::manage_roots::ManageRoots;
use crate::model::map_code::MapCode;
use crate::model::plan::Plan;
use crate::model::read_file::ReadFile;
use crate::model::recall::Recall;
use crate::model::reindex::Reindex;
use crate::model::rename_symbol::RenameSymbol;
use crate::model::search::Search;

pub struct ToolInfo {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub toolset: Toolset,
    /// Part of what is offered when nothing is said.
    pub core: bool,
    pub effect: Effect,
    schema: fn() -> Map<String, Value>,
}

impl ToolInfo {
    /// The JSON schema of the tool's parameters: a flat object without references.
    pub fn schema(&self) -> Map<String, Value> {
        (self.schema)()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolset {
    Explore,
    Graph,
    Change,
    Index,
    Memory,
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Looks, and changes nothing.
    Reads,
    /// Brings claudevil's own records up to date. Nothing is lost that could not be made again.
    Refreshes,
    /// Changes claudevil's own records, and may drop some of them.
    Manages,
    /// Changes files of the project.
    Edits,
    /// Keeps something beside the project's files. Nothing is lost by it.
    Keeps,
}

pub const TOOLS: &[ToolInfo] = &[
    ToolInfo {
        name: Explore::TOOL,
        title: "Explore",
        description: "For a question or a task: the symbols that matter with source, connections, dependents, tests, \
                      and what to read next. Ask this first.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<Explore>,
    },
    ToolInfo {
        name: Search::TOOL,
        title: "Search",
        description: "Code by question, name, error message or words: ranked places, an exact definition first. mode \
                      literal or regex finds every line, like grep.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<Search>,
    },
    ToolInfo {
        name: FindSymbol::TOOL,
        title: "Find symbol",
        description: "Where a symbol is defined: place, kind, signature. Takes plain, qualified, partial \
                      and misspelt names.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<FindSymbol>,
    },
    ToolInfo {
        name: FindSimilar::TOOL,
        title: "Find similar",
        description: "Code like a given piece: duplicates, variants, the same elsewhere.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<FindSimilar>,
    },
    ToolInfo {
        name: MapCode::TOOL,
        title: "Map code",
        description: "Folders, files and signatures, the most connected symbols first. Of a file, its outline.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<MapCode>,
    },
    ToolInfo {
        name: ListFiles::TOOL,
        title: "List files",
        description: "Files with language, lines, chunks and size, by glob or regex.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<ListFiles>,
    },
    ToolInfo {
        name: ReadFile::TOOL,
        title: "Read file",
        description: "Text of a file with line numbers: whole, a range with context, or a whole `symbol`.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<ReadFile>,
    },
    ToolInfo {
        name: FindReferences::TOOL,
        title: "Find references",
        description: "Every use of a symbol by confidence, with role and enclosing symbol, and the files to update.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<FindReferences>,
    },
    ToolInfo {
        name: FindCallers::TOOL,
        title: "Find callers",
        description: "Who calls a function, by level, and how sure each call is.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<FindCallers>,
    },
    ToolInfo {
        name: FindCallees::TOOL,
        title: "Find callees",
        description: "What a function calls, by level, and how sure each call is.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<FindCallees>,
    },
    ToolInfo {
        name: GetCallGraph::TOOL,
        title: "Get call graph",
        description: "Calls of a file or around a symbol, as text, Mermaid, DOT or JSON.",
        toolset: Toolset::Graph,
        core: false,
        effect: Effect::Reads,
        schema: schema_of::<GetCallGraph>,
    },
    ToolInfo {
        name: CallPath::TOOL,
        title: "Call path",
        description: "The shortest chains of calls from one symbol to another, or that there is none.",
        toolset: Toolset::Graph,
        core: false,
        effect: Effect::Reads,
        schema: schema_of::<CallPath>,
    },
    ToolInfo {
        name: FindImplementations::TOOL,
        title: "Find implementations",
        description: "What implements an interface or trait, extends a class, or overrides a method.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<FindImplementations>,
    },
    ToolInfo {
        name: DeepDive::TOOL,
        title: "Deep dive",
        description: "All about a symbol: callers, callees, types, members, implementors, users, body, tests.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<DeepDive>,
    },
    ToolInfo {
        name: ImpactAnalysis::TOOL,
        title: "Impact analysis",
        description: "What a change of a symbol or a git diff may break: usages by area, dependents, tests to run, \
                      risk.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<ImpactAnalysis>,
    },
    ToolInfo {
        name: GetDependencies::TOOL,
        title: "Get dependencies",
        description: "What a file imports, as written and where it leads, and which files import it.",
        toolset: Toolset::Graph,
        core: false,
        effect: Effect::Reads,
        schema: schema_of::<GetDependencies>,
    },
    ToolInfo {
        name: AnalyzeComplexity::TOOL,
        title: "Analyze complexity",
        description: "Lines of code and comment, symbols by kind, calls, cyclomatic complexity, and the most complex \
                      functions.",
        toolset: Toolset::Graph,
        core: false,
        effect: Effect::Reads,
        schema: schema_of::<AnalyzeComplexity>,
    },
    ToolInfo {
        name: RenameSymbol::TOOL,
        title: "Rename symbol",
        description: "Rename a symbol in all files or none. Shows the diff; `dry_run` false applies it. Refuses what is \
                      ambiguous or would collide.",
        toolset: Toolset::Change,
        core: false,
        effect: Effect::Edits,
        schema: schema_of::<RenameSymbol>,
    },
    ToolInfo {
        name: IndexStatus::TOOL,
        title: "Index status",
        description: "Health, and of each project state, progress, files, symbols, languages, commit, and what was \
                      skipped.",
        toolset: Toolset::Index,
        core: true,
        effect: Effect::Reads,
        schema: schema_of::<IndexStatus>,
    },
    ToolInfo {
        name: Reindex::TOOL,
        title: "Reindex",
        description: "Index again what changed, in the background. Seldom needed: edits are followed.",
        toolset: Toolset::Index,
        core: true,
        effect: Effect::Refreshes,
        schema: schema_of::<Reindex>,
    },
    ToolInfo {
        name: ManageRoots::TOOL,
        title: "Manage roots",
        description: "List, add or remove projects. They are added when first asked about; add names or narrows one. \
                      Files are never touched.",
        toolset: Toolset::Index,
        core: false,
        effect: Effect::Manages,
        schema: schema_of::<ManageRoots>,
    },
    ToolInfo {
        name: Checkpoint::TOOL,
        title: "Checkpoint",
        description: "Keep a note for later sessions: a decision, a finding, where the work stands. Saved in the project \
                      with commit and branch.",
        toolset: Toolset::Memory,
        core: false,
        effect: Effect::Keeps,
        schema: schema_of::<Checkpoint>,
    },
    ToolInfo {
        name: Recall::TOOL,
        title: "Recall",
        description: "Notes of earlier sessions by meaning and words, newest first on ties. Before a task.",
        toolset: Toolset::Memory,
        core: false,
        effect: Effect::Reads,
        schema: schema_of::<Recall>,
    },
    ToolInfo {
        name: Plan::TOOL,
        title: "Plan",
        description: "Working plans that last; at most one is active.",
        toolset: Toolset::Memory,
        core: false,
        effect: Effect::Keeps,
        schema: schema_of::<Plan>,
    },
];

pub fn find(name: &str) -> Option<&'static ToolInfo> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Clients read schemas literally and pay for each byte: everything inline, no nulls in types, no generator's notes.
fn schema_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema: Schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = schema.to_value();
    simplify(&mut value);
    match value {
        Value::Object(mut fields) => {
            fields.remove("title");
            fields.remove("description");
            // What is not listed is refused with a word on what is.
            fields.remove("additionalProperties");
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                say_once(properties);
            }
            fields
        }
        _ => Map::new(),
    }
}

/// What is the same for every tool stands in the server's instructions: the choice between text and JSON, which models do
/// not need, and the bound of the budget.
fn say_once(properties: &mut Map<String, Value>) {
    if properties
        .get("format")
        .is_some_and(|format| format["enum"] == serde_json::json!(["text", "json"]))
    {
        properties.shift_remove("format");
    }
    if let Some(Value::Object(budget)) = properties.get_mut("max_tokens") {
        budget.shift_remove("maximum");
    }
}

/// `Default 20.` at the end of a description says it to people; a schema has a word of its own for it, and a shorter one.
fn tell_default(fields: &mut Map<String, Value>) {
    let Some(Value::String(description)) = fields.get("description") else {
        return;
    };
    let Some((rest, word)) = description.trim_end_matches('.').rsplit_once("Default ") else {
        return;
    };
    if word.contains(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        return;
    }
    let (rest, word) = (rest.trim_end().to_owned(), word.to_owned());
    let default = serde_json::from_str(&word).unwrap_or(Value::String(word));
    fields.insert("default".to_owned(), default);
    if rest.is_empty() {
        fields.remove("description");
    } else {
        fields.insert("description".to_owned(), Value::String(rest));
    }
}

fn simplify(value: &mut Value) {
    let Value::Object(fields) = value else { return };
    fields.remove("format");
    if fields.get("default").is_some_and(Value::is_null) {
        fields.remove("default");
    }
    // Whoever asks for none is told; it is not worth a line in every list.
    if fields
        .get("minimum")
        .and_then(Value::as_u64)
        .is_some_and(|least| least <= 1)
    {
        fields.remove("minimum");
    }
    // `Option<T>` is written as T or null; leaving a parameter out says the same.
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = fields.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(Value::Array(mut choices)) = fields.remove("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            for (key, inner) in only {
                fields.entry(key.clone()).or_insert_with(|| inner.clone());
            }
        } else {
            fields.insert("anyOf".to_owned(), Value::Array(choices));
        }
    }
    tell_default(fields);
    for key in ["properties"] {
        if let Some(Value::Object(properties)) = fields.get_mut(key) {
            properties.values_mut().for_each(simplify);
        }
    }
    if let Some(items) = fields.get_mut("items") {
        simplify(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_flat_and_described() {
        for tool in TOOLS {
            let schema = tool.schema();
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert!(tool.description.len() < 2048);
            let properties = schema["properties"].as_object().expect("properties");
            for (name, property) in properties {
                for absent in ["anyOf", "oneOf", "allOf", "$ref", "title", "format"] {
                    assert!(
                        property.get(absent).is_none(),
                        "{}.{name} has {absent}",
                        tool.name
                    );
                }
                assert!(
                    property["type"].is_string(),
                    "{}.{name}: {property}",
                    tool.name
                );
            }
            let text = Value::Object(schema).to_string();
            assert!(
                !text.contains("$ref") && !text.contains("$defs") && !text.contains("null"),
                "{text}"
            );
        }
    }
}
