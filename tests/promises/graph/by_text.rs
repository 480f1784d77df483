//! For a language without facts about uses the tools answer by text, and say so.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, home, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![proof(
        "15_without_facts_uses_are_lines_of_text_and_say_so",
        Needs::Nothing,
        lines_of_text,
    )]
}

const FUNCTIONS: &str = "create function net_price(gross numeric) returns numeric as $$\n  select gross / 1.2\n$$ \
                         language sql;\n\ncreate function net_price_list() returns numeric as $$\n  select 1\n$$ \
                         language sql;\n";
const VIEW: &str =
    "create view invoices as\n  select net_price(total), subnet_price(total) from orders;\n";

async fn lines_of_text() {
    let home = home();
    let root = repository(
        &home,
        "shop",
        &[
            ("db/functions.sql", FUNCTIONS),
            ("db/invoices.sql", VIEW),
            (
                "main.py",
                "def net_price(gross):\n    return gross\n\n\nnet_price(1)\n",
            ),
        ],
    );
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "symbol": "net_price", "path": "db/functions.sql", "line": 1 });
    let callers = questions
        .ask("find_callers", asked.clone())
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let places = |list: &Value| {
        let items = list.as_array().expect("a list").iter();
        items
            .map(|item| {
                (
                    item["path"].as_str().unwrap_or_default().to_owned(),
                    item["resolution"].clone(),
                )
            })
            .collect()
    };
    let found: Vec<_> = places(&callers["callers"]);
    assert_eq!(
        found,
        [("db/invoices.sql".to_owned(), json!("name_only"))],
        "{callers}"
    );
    let impact = questions
        .ask("impact_analysis", asked.clone())
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(impact["total_usages"], 1, "{impact}");
    let references = questions
        .ask("find_references", asked)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(
        references["references"][0]["confidence"]
            .as_f64()
            .is_some_and(|sure| sure < 0.5),
        "{references}"
    );
    for answer in [callers, impact, references] {
        let note = answer["freshness"]["note"].as_str().unwrap_or_default();
        assert!(note.contains("not analysed for SQL"), "{answer}");
    }
}
