//! Names are completed when the user asks for it: those in scope, and members of a value whose type is known.

use claudevil_tests::home::{Home, repository};
use claudevil_tests::lsp::{LspSession, at, span};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::farm;
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "lsp_names_are_completed_only_when_asked_for",
            Needs::Nothing,
            is_off_by_default,
        ),
        proof(
            "lsp_completions_are_names_in_scope_and_members_of_known_types",
            Needs::Nothing,
            names_and_members,
        ),
    ]
}

async fn start(home: &Home, root: &std::path::Path) -> LspSession {
    let options = json!({ "completion": true });
    let (session, answer) = LspSession::start_with_options(home, root, "utf-16", options).await;
    let provider = &answer["result"]["capabilities"]["completionProvider"];
    assert!(provider.is_object(), "{answer}");
    session
}

fn labels(answer: &Value) -> Vec<&str> {
    let items = answer["items"].as_array().expect("a list");
    items
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect()
}

async fn is_off_by_default() {
    let home = Home::new();
    let root = farm(&home);
    let (mut session, answer) = LspSession::start_with(&home, &root, "utf-16").await;
    let provider = &answer["result"]["capabilities"]["completionProvider"];
    assert_eq!(*provider, Value::Null, "{answer}");
    let asked = at(&root.join("src/main.rs"), 4, 33);
    let answer = session.ask("textDocument/completion", asked).await;
    assert_eq!(answer, Value::Null);
}

async fn names_and_members() {
    let home = Home::new();
    let root = farm(&home);
    let main = root.join("src/main.rs");
    let mut session = start(&home, &root).await;
    // The text is neither saved nor complete.
    let text = "mod barn;\nuse barn::{feed, Cow};\n\nfn main() {\n    let farmer = 1;\n    let cow: Cow = todo!();\n    fe\n    Cow::c\n    cow.\n    // fe\n}\n\nfn fell() {\n    let felt = 2;\n}\n";
    session.open(&main, text).await;
    let names = session
        .ask("textDocument/completion", at(&main, 6, 6))
        .await;
    assert_eq!(labels(&names), ["fell", "feed"], "{names}");
    let feed = names["items"]
        .as_array()
        .and_then(|items| items.iter().find(|item| item["label"] == "feed"))
        .expect("an item");
    assert_eq!(feed["textEdit"]["range"], span([6, 4, 6, 6]), "{feed}");
    assert_eq!(feed["detail"], "pub fn feed(amount: u32) -> u32");
    let local = session
        .ask("textDocument/completion", at(&main, 6, 5))
        .await;
    assert_eq!(labels(&local)[0], "farmer", "{local}");
    assert!(!labels(&local).contains(&"felt"), "{local}");
    let members = session
        .ask("textDocument/completion", at(&main, 8, 8))
        .await;
    assert_eq!(labels(&members), ["call", "name"], "{members}");
    let members = session
        .ask("textDocument/completion", at(&main, 7, 10))
        .await;
    assert_eq!(labels(&members), ["call"], "{members}");
    let comment = session
        .ask("textDocument/completion", at(&main, 9, 9))
        .await;
    assert_eq!(labels(&comment), [""; 0], "{comment}");

    let files = [
        (
            "shelf.py",
            "class Base:\n    def open(self):\n        pass\n\n\nclass Shelf(Base):\n    def order(self):\n        pass\n",
        ),
        (
            "use.py",
            "import shelf\nfrom shelf import Shelf\n\n\ndef run(own: Shelf):\n    own.o\n    shelf.\n",
        ),
    ];
    let other = repository(&home, "shelves", &files);
    let mut session = start(&home, &other).await;
    let using = other.join("use.py");
    let members = session
        .ask("textDocument/completion", at(&using, 5, 9))
        .await;
    assert_eq!(labels(&members), ["open", "order"], "{members}");
    let exported = session
        .ask("textDocument/completion", at(&using, 6, 10))
        .await;
    assert_eq!(labels(&exported), ["Base", "Shelf"], "{exported}");
}
