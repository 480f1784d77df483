//! Zed's settings: the program for its extension in `packaging/zed`, and the languages in which it is started.
//!
//! Zed asks all servers of a language and merges their answers, so the last place in a list does not give precedence to the
//! others: claudevil is started only for languages whose list names it.

use jsonc_parser::cst::{CstArray, CstNode, CstObject};

use super::clients::SERVER;
use super::config_text::{StrippedText, Unreadable};
use super::json;

const LANGUAGES: &str = "languages";
const PROGRAMS: &str = "lsp";
const PROGRAM: &str = "binary";

/// The key of a list of servers, for one language or for all: `["rust-analyzer", "!claudevil", "..."]`.
const LIST: &str = "language_servers";
/// Stands for every server that the list does not name.
const OTHERS: &str = "...";
/// Keeps our server out of those.
const EXCLUDED: &str = "!claudevil";

/// The languages for which neither Zed nor the extension that adds the language starts a server.
const WITHOUT_SERVER: &[&str] = &["Shell Script", "SQL"];

pub fn put(text: &str, command: &str) -> Result<String, Unreadable> {
    let edit = |top: &CstObject| {
        let languages = object_or_new(top, LANGUAGES)?;
        for language in WITHOUT_SERVER {
            name(&object_or_new(&languages, language)?, SERVER)?;
        }
        for language in objects(&languages) {
            if list(&language)?.is_some_and(|list| has(&list, |server| server == OTHERS)) {
                name(&language, EXCLUDED)?;
            }
        }
        name(top, EXCLUDED)?;
        let program = object_or_new(&object_or_new(top, PROGRAMS)?, SERVER)?;
        json::set(&object_or_new(&program, PROGRAM)?, "path", &json!(command));
        Ok(())
    };
    Ok(json::edit(text, edit)?.0)
}

/// Removes our server from all lists. A list that then holds nothing but `...` is removed too.
pub fn take(text: &str) -> Result<Option<StrippedText>, Unreadable> {
    let edit = |top: &CstObject| {
        let mut is_changed = forget(top)?;
        if let Some(languages) = json::object(top, LANGUAGES)? {
            for property in languages.properties() {
                let Some(language) = property.object_value() else {
                    continue;
                };
                if forget(&language)? {
                    is_changed = true;
                    if json::is_bare(&language) {
                        property.remove();
                    }
                }
            }
            if is_changed && json::is_bare(&languages) {
                json::remove(top, LANGUAGES);
            }
        }
        if let Some(programs) = json::object(top, PROGRAMS)?
            && let Some(program) = json::object(&programs, SERVER)?
            && program.get(PROGRAM).is_some()
        {
            is_changed = true;
            json::remove(&program, PROGRAM);
            if json::is_bare(&program) {
                json::remove(&programs, SERVER);
            }
            if json::is_bare(&programs) {
                json::remove(top, PROGRAMS);
            }
        }
        Ok(is_changed.then(|| json::is_bare(top)))
    };
    let (text, is_bare) = json::edit(text, edit)?;
    Ok(is_bare.map(|is_bare| StrippedText { text, is_bare }))
}

/// Adds our server to a list that does not mention it. Without a list Zed starts all servers, so a new list has them too.
fn name(parent: &CstObject, server: &str) -> Result<(), Unreadable> {
    match list(parent)? {
        None => json::set(parent, LIST, &json!([OTHERS, server])),
        Some(list) if has(&list, is_ours) => {}
        Some(list) => drop(list.append(json::input(&json!(server)))),
    }
    Ok(())
}

/// Removes our server from a list. Returns whether the list mentioned it.
fn forget(parent: &CstObject) -> Result<bool, Unreadable> {
    let Some(list) = list(parent)?.filter(|list| has(list, is_ours)) else {
        return Ok(false);
    };
    let elements = list.elements().into_iter();
    elements
        .filter(|element| is_server(element, is_ours))
        .for_each(CstNode::remove);
    if list.to_serde_value() == Some(json!([OTHERS])) {
        json::remove(parent, LIST);
    }
    Ok(true)
}

fn list(parent: &CstObject) -> Result<Option<CstArray>, Unreadable> {
    let Some(property) = json::only(parent, LIST)? else {
        return Ok(None);
    };
    let list = property.array_value();
    list.map(Some)
        .ok_or_else(|| Unreadable(format!("its `{LIST}` is not a list")))
}

fn has(list: &CstArray, is_selected: fn(&str) -> bool) -> bool {
    let mut elements = list.elements().into_iter();
    elements.any(|element| is_server(&element, is_selected))
}

fn is_server(element: &CstNode, is_selected: fn(&str) -> bool) -> bool {
    let text = element.as_string_lit();
    text.and_then(|text| text.decoded_value().ok())
        .is_some_and(|server| is_selected(&server))
}

fn is_ours(server: &str) -> bool {
    [SERVER, EXCLUDED].contains(&server)
}

fn object_or_new(parent: &CstObject, key: &str) -> Result<CstObject, Unreadable> {
    let existing = json::object(parent, key)?;
    Ok(existing.unwrap_or_else(|| parent.object_value_or_set(key)))
}

fn objects(parent: &CstObject) -> Vec<CstObject> {
    let properties = parent.properties().into_iter();
    properties.filter_map(|one| one.object_value()).collect()
}

#[cfg(test)]
mod tests {
    use jsonc_parser::ParseOptions;
    use jsonc_parser::cst::CstRootNode;
    use serde_json::Value;

    use super::*;

    fn written(text: &str) -> Value {
        let text = put(text, "/bin/claudevil-lsp").expect("written");
        let again = put(&text, "/bin/claudevil-lsp");
        assert_eq!(again.as_ref(), Ok(&text), "twice is once");
        let root = CstRootNode::parse(&text, &ParseOptions::default());
        root.expect("JSON").to_serde_value().expect("a value")
    }

    #[test]
    fn it_is_started_for_languages_without_a_server_only() {
        assert_eq!(
            written(""),
            json!({
                "languages": {
                    "Shell Script": { "language_servers": ["...", "claudevil"] },
                    "SQL": { "language_servers": ["...", "claudevil"] },
                },
                "language_servers": ["...", "!claudevil"],
                "lsp": { "claudevil": { "binary": { "path": "/bin/claudevil-lsp" } } },
            })
        );
    }

    #[test]
    fn lists_of_the_user_are_kept_and_extended_where_others_are_started() {
        let own = json!({
            "language_servers": ["!typos", "..."],
            "languages": {
                "C": { "language_servers": ["clangd"] },
                "Go": { "language_servers": ["gopls", "..."] },
                "Haskell": { "language_servers": ["claudevil", "..."] },
                "Rust": { "tab_size": 4 },
                "SQL": { "language_servers": ["sqls"] },
            },
            "lsp": { "claudevil": { "initialization_options": { "completion": true } } },
        });
        let changed = written(&own.to_string());
        let servers = |name: &str| &changed["languages"][name]["language_servers"];
        assert_eq!(
            changed["language_servers"],
            json!(["!typos", "...", "!claudevil"])
        );
        assert_eq!(servers("C"), &json!(["clangd"]));
        assert_eq!(servers("Go"), &json!(["gopls", "...", "!claudevil"]));
        assert_eq!(servers("Haskell"), &json!(["claudevil", "..."]));
        assert_eq!(servers("Rust"), &Value::Null);
        assert_eq!(servers("SQL"), &json!(["sqls", "claudevil"]));
        let options = &changed["lsp"]["claudevil"]["initialization_options"];
        assert_eq!(options, &json!({ "completion": true }));
    }

    #[test]
    fn settings_are_as_before_once_it_is_taken_out() {
        for before in [
            "{}\n",
            "// mine\n{\n  \"theme\": \"One Dark\", // at night\n  \"vim_mode\": true,\n}\n",
            "{\n  \"languages\": {\n    // tabs\n    \"Go\": { \"language_servers\": [\"gopls\", \"...\"] }\n  }\n}\n",
            "{\n  \"lsp\": {\n    \"gopls\": { \"settings\": {} }\n  },\n  \"languages\": {\n    \"SQL\": {\n      \"tab_size\": 2\n    }\n  }\n}\n",
            "{\n  \"language_servers\": [\n    \"!typos\",\n    \"...\"\n  ]\n}\n",
        ] {
            assert_eq!(take(before), Ok(None), "{before}");
            let after = put(before, "/bin/claudevil-lsp").expect("written");
            let taken = take(&after).expect("readable").expect("there");
            assert_eq!(taken.text, before, "by way of {after}");
            assert_eq!(taken.is_bare, before == "{}\n");
        }
    }

    #[test]
    fn settings_of_another_shape_are_left_alone() {
        for text in [
            "{\"languages\": []}",
            "{\"language_servers\": \"...\"}",
            "{\"lsp\": {\"claudevil\": true}}",
        ] {
            assert!(put(text, "claudevil-lsp").is_err(), "{text}");
        }
    }
}
