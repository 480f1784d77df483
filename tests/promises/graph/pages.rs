//! Long lists come page by page, each after the previous one, and the pages together are the whole list.

use std::collections::BTreeSet;
use std::fmt::Write;

use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, home, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "19_pages_of_the_graph_are_the_whole_answer",
            Needs::Nothing,
            pages,
        ),
        proof(
            "callers_go_on_through_macros",
            Needs::Nothing,
            through_macros,
        ),
    ]
}

const MANY: usize = 47;

async fn pages() {
    let home = home();
    let mut text = String::from(
        "class Base:\n    def run(self):\n        return target()\n\n\ndef target():\n    return 1\n",
    );
    for number in 0..MANY {
        let _ = write!(
            text,
            "\n\nclass Sub{number}(Base):\n    def use{number}(self):\n        return target()\n"
        );
    }
    text += "\n\ndef all_of_them():\n";
    for number in 0..MANY {
        let _ = writeln!(text, "    Sub{number}().use{number}()");
    }
    let root = repository(&home, "many", &[("many.py", &text)]);
    let mut questions = asking(&home, &root).await;
    for (tool, symbol, list, expected) in [
        ("find_callers", "target", "callers", MANY + 1),
        ("find_callees", "all_of_them", "callees", 2 * MANY),
        ("find_implementations", "Base", "implementations", MANY),
    ] {
        // Pages bounded by the limit, and by the budget.
        for bounds in [
            json!({ "limit": 10 }),
            json!({ "limit": 200, "max_tokens": 1000 }),
        ] {
            let all = walked(&mut questions, tool, symbol, list, &bounds).await;
            let distinct: BTreeSet<&String> = all.iter().collect();
            assert_eq!(
                (all.len(), distinct.len()),
                (expected, expected),
                "{tool} {bounds}: {all:?}"
            );
        }
        let error = questions
            .ask(tool, json!({ "symbol": symbol, "cursor": "nonsense" }))
            .await
            .expect_err("a cursor");
        assert!(error.starts_with("invalid_argument: "), "{error}");
    }
    // The last line is the next call, ready to be made.
    let (text, _) = questions
        .session()
        .call("find_callers", json!({ "symbol": "target", "limit": 10 }))
        .await;
    let last = text.lines().last().expect("a line");
    let call = last
        .split_once("more: find_callers ")
        .unwrap_or_else(|| panic!("{last}"))
        .1;
    let call: Value = serde_json::from_str(call).expect("a call");
    let (text, is_error) = questions.session().call("find_callers", call).await;
    assert!(!is_error && text.contains("; 11-20 shown"), "{text}");
}

async fn walked(
    questions: &mut Questions,
    tool: &str,
    symbol: &str,
    list: &str,
    bounds: &Value,
) -> Vec<String> {
    let mut all = vec![];
    let mut asked = bounds.clone();
    asked["symbol"] = json!(symbol);
    for _ in 0..100 {
        let page = questions
            .ask(tool, asked.clone())
            .await
            .unwrap_or_else(|error| panic!("{tool}: {error}"));
        let items = page[list].as_array().expect("a list");
        all.extend(
            items
                .iter()
                .map(|item| format!("{} {}", item["qualified"], item["line"])),
        );
        assert_eq!(page["truncated"] == true, page["remaining"] != 0, "{page}");
        match page.get("cursor").filter(|cursor| cursor.is_string()) {
            Some(cursor) => asked["cursor"] = cursor.clone(),
            None => return all,
        }
    }
    panic!("{tool} goes on for ever");
}

async fn through_macros() {
    let home = home();
    let text = "pub fn helper(x: u32) -> u32 { x }\n\nmacro_rules! call {\n    ($e:expr) => {\n        helper($e)\n    };\n}\n\npub fn via() -> u32 {\n    \
                call!(3)\n}\n";
    let root = repository(&home, "macros", &[("src/lib.rs", text)]);
    let mut questions = asking(&home, &root).await;
    let found = questions
        .ask("find_callers", json!({ "symbol": "helper", "depth": 2 }))
        .await
        .expect("callers");
    let names: Vec<(&str, u64)> = found["callers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| {
            (
                item["name"].as_str().expect("a name"),
                item["depth"].as_u64().expect("a number"),
            )
        })
        .collect();
    assert_eq!(names, [("call", 1), ("via", 2)], "{found}");
}
