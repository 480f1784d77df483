//! Answers as JSON: one object, stable and documented, without null fields.

use serde::Serialize;
use serde_json::Value;

/// Returns an answer as compact JSON.
pub fn write(answer: &impl Serialize) -> String {
    value(answer).to_string()
}

/// Returns an answer as a JSON value. Absent values are left out rather than written as `null`.
pub fn value(answer: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(answer).unwrap_or_default();
    drop_nulls(&mut value);
    value
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn absent_values_are_left_out_at_every_depth() {
        let json =
            super::value(&serde_json::json!({ "a": null, "b": [{ "c": null, "d": 1 }], "e": {} }));
        assert_eq!(json, serde_json::json!({ "b": [{ "d": 1 }], "e": {} }));
    }
}
