//! JSON schemas of parameters, as short as clients can read them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// Returns the schema of parameters. Clients read schemas literally and pay for each byte, so everything is inline, without
/// nulls in types and without the generator's notes.
pub fn schema_of<T: JsonSchema>() -> Map<String, Value> {
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
            // An unknown parameter is refused with an error that lists the known ones.
            fields.remove("additionalProperties");
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                drop_shared_descriptions(properties);
            }
            fields
        }
        _ => Map::new(),
    }
}

/// Returns the schema of an answer's JSON, for programs: with definitions and descriptions. Absent values are left out of
/// the JSON, and no field that can be absent is required.
pub fn answer_schema_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let schema: Schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = schema.to_value();
    plain_types(&mut value);
    match value {
        Value::Object(mut fields) => {
            fields.remove("title");
            fields
        }
        _ => Map::new(),
    }
}

/// Removes `"format": "uint32"`, which validators do not know, and `null`, which is left out of the JSON. A property with
/// one of these names is an object and stays.
fn plain_types(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, field| {
                !(key == "format" && field.is_string() || key == "default" && field.is_null())
            });
            drop_null_type(fields);
            fields.values_mut().for_each(plain_types);
        }
        Value::Array(items) => items.iter_mut().for_each(plain_types),
        _ => {}
    }
}

/// Removes what the server's instructions say once for all tools: the choice between text and JSON, which models do not
/// need, the budget, and the usual lengths of lists.
fn drop_shared_descriptions(properties: &mut Map<String, Value>) {
    if properties
        .get("format")
        .is_some_and(|format| format["enum"] == serde_json::json!(["text", "json"]))
    {
        properties.shift_remove("format");
    }
    properties.shift_remove("max_tokens");
    // No default is needed: an answer that is cut says how to go on.
    for name in ["limit", "max_files", "start_line", "context_lines"] {
        if let Some(Value::Object(number)) = properties.get_mut(name) {
            number.remove("default");
        }
    }
}

/// Moves `Default 20.` from the end of a description to the schema's own key, which is shorter.
fn hoist_default(fields: &mut Map<String, Value>) {
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
    // A value out of range is refused with the range, which is not worth a line in every schema.
    fields.remove("minimum");
    fields.remove("maximum");
    drop_null_type(fields);
    hoist_default(fields);
    for key in ["properties"] {
        if let Some(Value::Object(properties)) = fields.get_mut(key) {
            properties.values_mut().for_each(simplify);
        }
    }
    if let Some(items) = fields.get_mut("items") {
        simplify(items);
    }
}

/// Turns "T or null", the schema of `Option<T>`, into T: leaving the value out means the same.
fn drop_null_type(fields: &mut Map<String, Value>) {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::TOOLS;

    #[test]
    fn answers_are_objects_of_which_absent_values_may_be_left_out() {
        for tool in TOOLS {
            let schema = crate::tools::answer_schema(tool.name).expect("a tool");
            assert_eq!(schema["type"], "object", "{}", tool.name);
            let text = Value::Object(schema).to_string();
            assert!(!text.contains("\"format\":\""), "{}: {text}", tool.name);
            assert!(!text.contains("\"null\""), "{}: {text}", tool.name);
        }
        let file = crate::tools::answer_schema("read_file").expect("a tool");
        let required = file["required"].as_array().expect("a list");
        assert!(required.contains(&"lines".into()) && !required.contains(&"symbol".into()));
        assert!(crate::tools::answer_schema("no_such_tool").is_none());
    }

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
