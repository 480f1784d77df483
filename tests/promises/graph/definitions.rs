//! `find_definition` leads from a use to its definition, and says what a name is that means no symbol of the project.

use claudevil_tests::home::put;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::json;

use super::{asking, home};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "find_definition_leads_from_a_use_to_its_definition",
            Needs::Nothing,
            leads_to_definitions,
        ),
        proof(
            "find_definition_follows_an_import_into_another_root",
            Needs::Nothing,
            leads_to_another_root,
        ),
    ]
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
    // Any column within the name, from its first letter on.
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

async fn leads_to_another_root() {
    let home = home();
    let scratch = home.scratch().join("user");
    let (shop, paint) = (scratch.join("shop"), scratch.join("paint"));
    for root in [&shop, &paint] {
        put(root, ".git/HEAD", b"ref: refs/heads/main\n");
    }
    put(
        &paint,
        "package.json",
        br#"{"name": "@colour/paint", "main": "src/index.ts"}"#,
    );
    put(
        &paint,
        "src/index.ts",
        b"export function mix(one: number, other: number) {\n  return one + other;\n}\n",
    );
    put(
        &shop,
        "src/main.ts",
        b"import { mix } from \"@colour/paint\";\nimport * as paint from \"@colour/paint\";\n\nmix(1, 2);\npaint.mix(3, 4);\n",
    );
    let mut questions = asking(&home, &shop).await;
    let place =
        |line: u32, column: u32| json!({ "path": "src/main.ts", "line": line, "column": column });
    let before = questions.ask("find_definition", place(4, 1)).await;
    assert_eq!(before.expect("an answer")["target"], "external");
    asking(&home, &paint).await;
    for (line, column) in [(4, 1), (5, 7)] {
        let found = questions.ask("find_definition", place(line, column)).await;
        let found = found.expect("an answer");
        assert_eq!(found["target"], "other_root", "{found}");
        assert_eq!(found["other_root"]["name"], "paint", "{found}");
        assert_eq!(found["definitions"][0]["path"], "src/index.ts", "{found}");
        assert_eq!(found["definitions"][0]["line"], 1, "{found}");
    }
    // A session that is confined to its root sees no other.
    let folder = shop.to_str().expect("UTF-8");
    let mut confined = Session::start(
        &home,
        &shop,
        &["--root", folder, "--only-root", "--toolsets", "all"],
    )
    .await;
    let (text, _) = confined.call("find_definition", place(4, 1)).await;
    assert!(text.contains("outside this project"), "{text}");
    assert!(!text.contains("paint/"), "{text}");
}
