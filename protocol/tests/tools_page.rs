//! `docs/tools.md` is written from the definitions of the tools: names, descriptions, commands, and the values and defaults
//! of parameters. The words about each are in `src/tools/docs/`.
//!
//! With `UPDATE_DOCS=1` the test writes the page. Samples of answers must be complete and fit the types of the answers.

use std::fs;
use std::path::Path;

use claudevil_protocol::environment;
use claudevil_protocol::json;
use claudevil_protocol::text::quantity::grouped;
use claudevil_protocol::text::tokens::{FEWEST_TOKENS, MAX_TOKENS};
use claudevil_protocol::tools::{self, Tool, ToolInfo, Toolset};
use serde_json::{Map, Value};

const INTRODUCTION: &str = include_str!("../src/tools/docs/introduction.md");
const GRAPH: &str = include_str!("../src/tools/docs/graph.md");
const ENDING: &str = include_str!("../src/tools/docs/ending.md");

/// Parameters that the introduction describes for all tools that have them.
const EVERYWHERE: [&str; 5] = ["root", "max_tokens", "format", "language", "cursor"];
/// Fields that the introduction describes for all answers that have them, and that samples leave out.
const IN_ALL_ANSWERS: &str = r#"{"root": "/home/ada/engine", "root_name": "engine", "max_tokens": 4000,
                                 "freshness": {"stale": [], "stale_total": 0}}"#;
/// Parameters that name a symbol, which the page describes once.
const OF_SYMBOLS: [&str; 4] = ["symbol", "path", "line", "context_file"];

struct Section {
    info: ToolInfo,
    /// A line for each parameter, a blank line, and the rest: ``- `limit` [as fits]: Number of files.``
    words: &'static str,
    /// The schema with the bounds and defaults that agents are not told.
    schema: Value,
    /// Reads a sample as an answer, and writes it again.
    rewrite: fn(Value) -> Result<Value, serde_json::Error>,
}

macro_rules! sections {
    ($($name:ident: $module:ident::$params:ident;)*) => {
        fn sections() -> Vec<Section> {
            vec![$(Section {
                info: tools::$module::$params::INFO,
                words: include_str!(concat!("../src/tools/docs/", stringify!($name), ".md")),
                schema: schemars::schema_for!(tools::$module::$params).to_value(),
                rewrite: |sample| {
                    type Answer = <tools::$module::$params as Tool>::Answer;
                    Ok(json::value(&serde_json::from_value::<Answer>(sample)?))
                },
            },)*]
        }
    };
}
claudevil_protocol::for_each_tool!(sections);

#[test]
fn the_page_about_tools_is_that_of_the_definitions() {
    let file = Path::new("../docs/tools.md");
    let page = page();
    if environment::variable("UPDATE_DOCS").is_some() {
        fs::write(file, &page).expect("written");
    }
    let committed = fs::read_to_string(file).expect("readable");
    let differs = page
        .lines()
        .zip(committed.lines())
        .find(|(new, old)| new != old);
    assert!(
        page == committed,
        "docs/tools.md is not what the definitions say: run this with UPDATE_DOCS=1. First difference: {differs:?}"
    );
}

#[test]
fn every_parameter_is_described_once() {
    for section in sections() {
        let name = section.info.name;
        let lines = section.parameters().0;
        let symbol = lines.iter().find(|line| line.starts_with("a symbol"));
        let is_covered = |parameter: &str| {
            EVERYWHERE.contains(&parameter)
                || symbol.is_some_and(|line| {
                    OF_SYMBOLS.contains(&parameter) || line.contains(&format!("`{parameter}`"))
                })
        };
        let described: Vec<_> = lines.iter().flat_map(|line| names(line)).collect();
        for parameter in section.properties().keys() {
            let count = described.iter().filter(|one| *one == parameter).count();
            let is_right = count == 1 || (count == 0 && is_covered(parameter));
            assert!(is_right, "{name}: `{parameter}` is described {count} times");
        }
    }
}

#[test]
fn samples_of_answers_fit_their_types() {
    let symbol = sample(GRAPH).expect("the fields of a symbol");
    let in_all: Value = serde_json::from_str(IN_ALL_ANSWERS).expect("JSON");
    let mut wrong = vec![];
    for section in sections() {
        let name = section.info.name;
        let Some(mut sample) = sample(section.words) else {
            assert_eq!(name, "find_callees", "{name} has no sample");
            continue;
        };
        fill_symbols(&mut sample, &symbol);
        let mut whole = sample.clone();
        add_fields(&mut whole, &in_all);
        match (section.rewrite)(whole) {
            Ok(mut rewritten) => {
                // Some answers lack some of these fields.
                add_fields(&mut rewritten, &in_all);
                add_fields(&mut sample, &in_all);
                if rewritten != sample {
                    wrong.push(format!("{name}:\n{rewritten}\nand not\n{sample}"));
                }
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "samples that are no answers: {}",
        wrong.join("\n")
    );
}

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let toolsets = [
        Toolset::Explore,
        Toolset::Graph,
        Toolset::Change,
        Toolset::Index,
        Toolset::Memory,
    ];
    let mut sections = sections();
    let count = sections.len();
    sections.sort_by_key(|section| toolsets.iter().position(|one| *one == section.info.toolset));
    let mut has_graph = false;
    for section in &sections {
        if section.info.toolset == Toolset::Graph && !std::mem::replace(&mut has_graph, true) {
            page = format!("{page}\n{GRAPH}");
        }
        page = format!("{page}\n{}", section.write());
    }
    assert!(count > 20, "{count} tools");
    format!("{page}\n{ENDING}")
}

impl Section {
    fn parameters(&self) -> (Vec<&'static str>, &'static str) {
        let (parameters, rest) = self.words.split_once("\n\n").expect("parameters, and more");
        (parameters.lines().collect(), rest)
    }

    fn properties(&self) -> Map<String, Value> {
        let schema = self.info.schema();
        schema["properties"].as_object().expect("an object").clone()
    }

    fn write(&self) -> String {
        let ToolInfo {
            name,
            description,
            command,
            ..
        } = &self.info;
        let (parameters, rest) = self.parameters();
        let rows: String = parameters.into_iter().map(|line| self.row(line)).collect();
        format!(
            "## {name}\n\n{description} (`claudevil {}`)\n\n\
             | parameter | values | default | |\n|---|---|---|---|\n{rows}\n{rest}",
            command.verb
        )
    }

    /// Writes the row for a line such as `` `path` [the whole root]: A file or folder.``
    fn row(&self, line: &str) -> String {
        let (head, words) = line.split_once(": ").expect("a name, and words");
        let (head, default) = match head.split_once(" [") {
            Some((head, default)) => (head, Some(default.trim_end_matches(']'))),
            None => (head, None),
        };
        if head.starts_with("a symbol") {
            return format!("| {head} | | required | {words} |\n");
        }
        let mut facts: Vec<_> = names(line).map(|name| self.facts(name, default)).collect();
        facts.dedup();
        let [(values, default)] = facts.as_slice() else {
            panic!("{}: {head} differ: {facts:?}", self.info.name);
        };
        format!("| {head} | {values} | {default} | {words} |\n").replace("|  |", "| |")
    }

    /// Returns the values that a parameter takes, and its default.
    fn facts(&self, name: &str, default_words: Option<&str>) -> (String, String) {
        let simple = self.info.schema();
        let property = &simple["properties"][name];
        let whole = &self.schema["properties"][name];
        let values = match (&property["enum"], property["type"].as_str()) {
            (Value::Array(choices), _) => {
                let choices = choices.iter().filter_map(Value::as_str);
                choices
                    .map(|choice| format!("`{choice}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            }
            _ if name == "max_tokens" => range(FEWEST_TOKENS.into(), Some(MAX_TOKENS.into())),
            (_, Some("integer")) => {
                let least = whole["minimum"].as_u64();
                range(least.unwrap_or(0), whole["maximum"].as_u64())
            }
            (_, Some("boolean")) => "`true`, `false`".to_owned(),
            (_, Some("array")) => "list".to_owned(),
            (_, Some("string")) => "text".to_owned(),
            other => panic!("{}: `{name}` is {other:?}", self.info.name),
        };
        let required = simple.get("required").and_then(Value::as_array);
        let is_required = required.is_some_and(|names| names.iter().any(|one| one == name));
        // Agents are not told every default.
        let stated = whole["description"]
            .as_str()
            .and_then(|words| words.rsplit_once("Default "))
            .and_then(|(_, number)| number.trim_end_matches('.').parse::<u64>().ok())
            .filter(|_| name != "max_tokens");
        let default = match &property["default"] {
            Value::Null => stated.map_or(Value::Null, Value::from),
            told => told.clone(),
        };
        let default = match (&default, default_words) {
            (Value::Null, None) if is_required => "required".to_owned(),
            (Value::Null, None) if property["type"] == "boolean" => "`false`".to_owned(),
            (Value::Null, words) => words.unwrap_or_default().to_owned(),
            (default, Some(words)) => {
                panic!("{}: `{name}` is {default} and {words}", self.info.name)
            }
            (Value::Number(number), None) => grouped(number.as_u64().expect("a count")),
            (Value::String(word), None) => format!("`{word}`"),
            (other, None) => format!("`{other}`"),
        };
        (values, default)
    }
}

fn range(least: u64, most: Option<u64>) -> String {
    match most {
        Some(most) => format!("{}–{}", grouped(least), grouped(most)),
        None => format!("from {least}"),
    }
}

/// Returns the names in backticks before the first colon.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let head = line.split(": ").next().unwrap_or_default();
    let head = if head.starts_with('`') { head } else { "" };
    head.split('`').skip(1).step_by(2)
}

/// Returns the first block of JSON in a text.
fn sample(text: &str) -> Option<Value> {
    let block = text.split("```json\n").nth(1)?.split("```").next()?;
    Some(serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}")))
}

/// Adds the fields of one object that another lacks.
fn add_fields(to: &mut Value, from: &Value) {
    let to = to.as_object_mut().expect("an object");
    for (name, field) in from.as_object().expect("an object") {
        to.entry(name).or_insert_with(|| field.clone());
    }
}

/// Adds the fields of a symbol that `"…": "…"` stands for.
fn fill_symbols(value: &mut Value, symbol: &Value) {
    match value {
        Value::Object(fields) => {
            let is_symbol = fields.remove("…").is_some();
            fields
                .values_mut()
                .for_each(|field| fill_symbols(field, symbol));
            if is_symbol {
                add_fields(value, symbol);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill_symbols(item, symbol)),
        _ => {}
    }
}
