//! `find_definition` leads from a use to what it means, and says what it is where that is no symbol of the project.

use claudevil_tests::home::put;
use libtest_mimic::Trial;
use serde_json::json;

use super::{asking, home};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![proof(
        "find_definition_leads_from_a_use_to_its_definition",
        Needs::Nothing,
        leads_to_definitions,
    )]
}

async fn leads_to_definitions() {
    let home = home();
    let root = home.scratch().join("user/farm");
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    put(
        &root,
        "src/barn.rs",
        b"pub fn feed(amount: u32) -> u32 {\n    amount\n}\n",
    );
    put(
        &root,
        "src/main.rs",
        b"mod barn;\n\nfn main() {\n    let hay = 3;\n    let left = barn::feed(hay);\n    std::process::exit(left as i32);\n}\n",
    );
    let mut questions = asking(&home, &root).await;
    let mut ask = async |line: u32, column: u32| {
        questions
            .ask(
                "find_definition",
                json!({ "path": "src/main.rs", "line": line, "column": column }),
            )
            .await
    };
    // Anywhere within the name, from its first letter on.
    for column in [22, 24] {
        let feed = ask(5, column).await.expect("an answer");
        assert_eq!(feed["name"], "feed", "{feed}");
        assert_eq!(feed["position"], json!({ "line": 5, "column": 22 }));
        assert_eq!(
            (&feed["target"], &feed["resolution"]),
            (&json!("symbol"), &json!("resolved"))
        );
        assert_eq!(feed["definitions"][0]["path"], "src/barn.rs", "{feed}");
        assert_eq!(feed["definitions"][0]["line"], 1, "{feed}");
        assert!(
            feed["reason"]
                .as_str()
                .is_some_and(|reason| !reason.is_empty())
        );
    }
    let local = ask(5, 27).await.expect("an answer");
    assert_eq!(local["target"], "local", "{local}");
    assert_eq!(local["local"], json!({ "line": 4, "column": 9 }), "{local}");
    let own = ask(3, 4).await.expect("an answer");
    assert_eq!(own["definitions"][0]["name"], "main", "{own}");
    let foreign = ask(6, 19).await.expect("an answer");
    assert!(
        foreign["target"] != "symbol" && foreign["definitions"] == json!([]),
        "{foreign}"
    );
    let nothing = ask(2, 1).await.expect_err("an empty line");
    assert!(
        nothing.starts_with("invalid_argument: there is no name at"),
        "{nothing}"
    );
    // The same at the terminal.
    let shown = home
        .claudevil(&[
            "definition",
            "src/main.rs:5:22",
            "--root",
            root.to_str().expect("UTF-8"),
        ])
        .await;
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("src/barn.rs:1-3  public function feed"),
        "{shown}"
    );
}
