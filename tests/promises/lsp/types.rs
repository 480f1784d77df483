//! Declarations, types and their hierarchy, and positions that are outside any text.

use std::path::PathBuf;

use claudevil_tests::home::{Home, repository};
use claudevil_tests::lsp::{LspSession, at, span, uri};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "lsp_declarations_types_and_implementations",
            Needs::Nothing,
            types,
        ),
        proof(
            "lsp_positions_outside_of_the_text_are_answered_or_refused",
            Needs::Nothing,
            wrong_positions,
        ),
    ]
}

const SHAPES: &str = "export interface Shape {
  area(): number;
}

export class Square implements Shape {
  area(): number {
    return 4;
  }
}

export class Tile extends Square {}

export function make(): Square {
  return new Square();
}
";
const TOTAL: &str = "import { make } from \"./shapes\";

const made = make();
export function total(): number {
  return made.area();
}
";
const FEED: &str = "#include \"feed.h\"

int feed(int amount) { return amount; }
";

fn shapes(home: &Home) -> PathBuf {
    let files = [
        ("shapes.ts", SHAPES),
        ("total.ts", TOTAL),
        ("feed.h", "int feed(int amount);\n"),
        ("feed.c", FEED),
    ];
    repository(home, "shapes", &files)
}

async fn types() {
    let home = Home::new();
    let root = shapes(&home);
    let (shapes, total) = (root.join("shapes.ts"), root.join("total.ts"));
    let mut session = LspSession::start(&home, &root).await;
    let square = json!({ "uri": uri(&shapes), "range": span([4, 13, 4, 19]) });
    let tile = json!({ "uri": uri(&shapes), "range": span([10, 13, 10, 17]) });
    let header = json!({ "uri": uri(&root.join("feed.h")), "range": span([0, 4, 0, 8]) });
    for (method, asked, expected) in [
        (
            "declaration",
            at(&root.join("feed.c"), 2, 5),
            json!([header]),
        ),
        ("typeDefinition", at(&total, 2, 7), json!([square])),
        ("typeDefinition", at(&total, 4, 10), json!([square])),
        ("implementation", at(&shapes, 0, 18), json!([square, tile])),
    ] {
        let found = session.ask(&format!("textDocument/{method}"), asked).await;
        assert_eq!(found, expected, "{method}");
    }
    let items = session
        .ask("textDocument/prepareTypeHierarchy", at(&shapes, 4, 14))
        .await;
    for (method, expected) in [("supertypes", "Shape"), ("subtypes", "Tile")] {
        let found = session
            .ask(
                &format!("typeHierarchy/{method}"),
                json!({ "item": items[0] }),
            )
            .await;
        assert_eq!(found[0]["name"], expected, "{method}: {found}");
    }
    let found = session
        .ask("workspace/symbol", json!({ "query": "sqr" }))
        .await;
    assert_eq!(found[0]["name"], "Square", "{found}");
    let impact = session
        .ask("claudevil/impact", json!({ "symbol": "make" }))
        .await;
    let text = impact["text"].as_str().expect("a text");
    assert!(text.contains("total.ts"), "{text}");
}

async fn wrong_positions() {
    let home = Home::new();
    let root = shapes(&home);
    let total = root.join("total.ts");
    let mut session = LspSession::start(&home, &root).await;
    let methods = [
        "definition",
        "declaration",
        "typeDefinition",
        "implementation",
        "references",
        "documentHighlight",
        "hover",
        "prepareRename",
        "rename",
        "prepareCallHierarchy",
        "prepareTypeHierarchy",
        "selectionRange",
    ];
    let asked = |position: Value| {
        json!({
            "textDocument": { "uri": uri(&total) },
            "position": position,
            "positions": [position],
            "context": { "includeDeclaration": true },
            "newName": "other",
        })
    };
    for method in methods.map(|method| format!("textDocument/{method}")) {
        for (line, character) in [(u32::MAX, u32::MAX), (2, u32::MAX), (5000, 0)] {
            let position = json!({ "line": line, "character": character });
            let answer = session.request(&method, asked(position)).await;
            let code = &answer["error"]["code"];
            assert!(code.is_null() || *code == -32602, "{method}: {answer}");
        }
        for line in [json!(-1), json!(1.5), json!("2"), json!(1_u64 << 40)] {
            let position = json!({ "line": line, "character": 0 });
            let answer = session.request(&method, asked(position)).await;
            assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        }
    }
    // A range that ends before it starts, far beyond the end of the text.
    session.open(&total, TOTAL).await;
    session
        .edit(&total, [u32::MAX, 7, 0, u32::MAX], "const more = make();\n")
        .await;
    let definition = session
        .ask("textDocument/definition", at(&total, 6, 14))
        .await;
    assert_eq!(
        definition[0]["range"],
        span([12, 16, 12, 20]),
        "{definition}"
    );
}
