//! The arguments of a tool call, as agents write them.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::{self, Tool, ToolInfo};
use rmcp::model::JsonObject;
use serde::de::{self, Deserializer, Visitor};
use serde_json::Value;

/// Parses the arguments of a tool. Wrong arguments are not a broken request: an agent can correct them.
pub fn parse<P: Tool>(mut arguments: JsonObject) -> Result<P, ToolError> {
    let schema = tools::find(P::NAME)
        .map(ToolInfo::schema)
        .unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let known = parameter_names::<P>();
    let refused = |why: String| {
        let hint = format!("{} takes {}", P::NAME, known.join(", "));
        ToolError::invalid_argument(format!("{}: {why}", P::NAME)).with_hint(hint)
    };
    for (name, value) in &mut arguments {
        if !known.contains(&name.as_str()) {
            return Err(refused(format!("unknown field `{name}`")));
        }
        let kind = properties
            .and_then(|all| all.get(name))
            .and_then(|one| one["type"].as_str())
            .unwrap_or_default();
        unquote(kind, value);
        if kind == "integer" && !value.is_u64() && !value.is_null() {
            return Err(refused(format!("{name}: {value} is not a whole number")));
        }
    }
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner();
        refused(if path == "." {
            problem.to_string()
        } else {
            format!("{path}: {problem}")
        })
    })
}

/// Returns the names of all parameters of a tool, those that its schema leaves out too.
fn parameter_names<P: Tool>() -> &'static [&'static str] {
    let mut names: &[&str] = &[];
    // It never succeeds: it only asks for the names.
    let _ = P::deserialize(FieldNames(&mut names));
    names
}

/// Records the names of the fields that a struct asks for.
struct FieldNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("not a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Converts numbers and booleans that models put between quotes, and whole numbers with a decimal point: `"20"`, `20.0`.
fn unquote(kind: &str, value: &mut Value) {
    let meant = match (kind, &*value) {
        ("integer", Value::String(text)) => text.trim().parse::<u64>().ok().map(Value::from),
        ("boolean", Value::String(text)) => text.trim().parse::<bool>().ok().map(Value::from),
        ("integer", Value::Number(number)) => number
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number))
            .and_then(|number| format!("{number:.0}").parse::<u64>().ok())
            .map(Value::from),
        _ => None,
    };
    if let Some(meant) = meant {
        *value = meant;
    }
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::tools::find_symbol::FindSymbol;
    use claudevil_protocol::tools::read_file::ReadFile;
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_taken_as_they_are_meant() {
        let meant = |mut value: Value| {
            unquote("integer", &mut value);
            value
        };
        let meant: Vec<Value> = [
            json!(2.0),
            json!("7"),
            json!(3),
            json!(2.5),
            json!(-1.0),
            json!("x"),
        ]
        .map(meant)
        .into();
        assert_eq!(
            meant,
            [
                json!(2),
                json!(7),
                json!(3),
                json!(2.5),
                json!(-1.0),
                json!("x")
            ]
        );
    }

    #[test]
    fn every_parameter_in_a_schema_is_known() {
        macro_rules! check {
            ($($name:ident: $module:ident::$params:ident;)*) => {
                $(
                    let known = parameter_names::<tools::$module::$params>();
                    let schema = tools::$module::$params::INFO.schema();
                    let properties = schema["properties"].as_object().expect("properties");
                    for name in properties.keys() {
                        assert!(known.contains(&name.as_str()), "{}: {name}", stringify!($name));
                    }
                )*
            };
        }
        claudevil_protocol::for_each_tool!(check);
    }

    #[test]
    fn wrong_arguments_name_their_place() {
        let arguments = json!({ "path": 5 }).as_object().expect("an object").clone();
        let error = parse::<ReadFile>(arguments).expect_err("a number");
        assert!(
            error
                .message
                .to_string()
                .contains("path: invalid type: integer `5`, expected a string"),
            "{error}"
        );
        let arguments = serde_json::json!({ "path": "x", "start_line": "7", "context_lines": -1 });
        let error = parse::<ReadFile>(arguments.as_object().expect("an object").clone())
            .expect_err("negative");
        assert!(
            error
                .message
                .to_string()
                .contains("context_lines: -1 is not a whole number"),
            "{error}"
        );
        let arguments = serde_json::json!({ "path": "x", "start_line": "7" });
        let params =
            parse::<ReadFile>(arguments.as_object().expect("an object").clone()).expect("meant");
        assert_eq!(params.start_line, Some(7));
        let arguments = serde_json::json!({ "pth": "x" })
            .as_object()
            .expect("an object")
            .clone();
        let error = parse::<ReadFile>(arguments).expect_err("unknown");
        assert_eq!(error.message, "read_file: unknown field `pth`");
        let takes = error.hint.expect("what it takes");
        assert!(
            takes.to_string().starts_with("read_file takes path, "),
            "{takes}"
        );
        let arguments = serde_json::json!({ "name": "run", "match": "exactly" });
        let error = parse::<FindSymbol>(arguments.as_object().expect("an object").clone())
            .expect_err("no such match");
        assert!(
            error
                .message
                .to_string()
                .contains("match: unknown variant `exactly`, expected one of `auto`"),
            "{error}"
        );
    }
}
