//! `impact_analysis` of a diff: removed symbols still count, all changed symbols are followed, and what is left out is counted.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claudevil_tests::home::Home;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, home, put};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    let git = || Needs::Program("git", "needs git");
    vec![
        proof("impact_of_a_diff_has_what_used_what_is_gone", git(), gone),
        proof("impact_of_a_diff_follows_all_that_changed", git(), many),
        proof(
            "impact_of_a_diff_takes_no_package_line_for_a_change",
            git(),
            packages,
        ),
        proof(
            "impact_counts_places_that_only_have_the_name",
            Needs::Nothing,
            name_only,
        ),
    ]
}

/// Makes a project whose files are in one git commit.
pub fn committed(home: &Home, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = home.scratch().join("user").join(name);
    for (path, text) in files {
        put(&root, path, text.as_bytes());
    }
    for arguments in [
        vec!["init", "--quiet"],
        vec!["add", "."],
        vec![
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "--quiet",
            "-m",
            "first",
        ],
    ] {
        let done = Command::new("git")
            .args(arguments)
            .current_dir(&root)
            .env("HOME", home.scratch())
            .output();
        assert!(
            done.as_ref().is_ok_and(|output| output.status.success()),
            "{done:?}"
        );
    }
    root
}

async fn impact(home: &Home, root: &Path) -> Value {
    let mut questions = asking(home, root).await;
    let asked = json!({ "diff": "working", "max_tokens": 10000 });
    questions
        .ask("impact_analysis", asked)
        .await
        .unwrap_or_else(|error| panic!("{error}"))
}

fn named<'a>(list: &'a Value, field: &str) -> Vec<(&'a str, String)> {
    let items = list.as_array().expect("a list").iter();
    items
        .map(|item| {
            (
                item["qualified"].as_str().expect("a name"),
                item[field].as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect()
}

fn places(answer: &Value) -> Vec<String> {
    let areas = answer["areas"].as_array().expect("a list").iter();
    let usages = areas.flat_map(|area| area["usages"].as_array().expect("a list").clone());
    usages
        .map(|usage| {
            format!(
                "{}:{}",
                usage["path"].as_str().expect("a path"),
                usage["line"]
            )
        })
        .collect()
}

async fn gone() {
    let home = home();
    let root = committed(
        &home,
        "gone",
        &[
            ("shop/__init__.py", ""),
            (
                "shop/prices.py",
                "def total(a):\n    return a\n\n\ndef tax(a):\n    return a\n",
            ),
            (
                "shop/cart.py",
                "class Cart:\n    def add(self):\n        return 1\n\n    def clear(self):\n        return 2\n",
            ),
            (
                "shop/main.py",
                "from shop.prices import total\nfrom shop.cart import Cart\n\n\ndef main():\n    cart = Cart()\n    cart.clear()\n    return total(1)\n",
            ),
            (
                "tests/test_main.py",
                "from shop.main import main\n\n\ndef test_main():\n    assert main() == 1\n",
            ),
        ],
    );
    fs::remove_file(root.join("shop/prices.py")).expect("removed");
    put(
        &root,
        "shop/cart.py",
        b"class Cart:\n    def add(self):\n        return 1\n",
    );
    let answer = impact(&home, &root).await;
    let changed = named(&answer["changed"], "change");
    for wanted in [
        ("total", "removed"),
        ("tax", "removed"),
        ("Cart.clear", "removed"),
        ("Cart", "modified"),
    ] {
        assert!(
            changed.contains(&(wanted.0, wanted.1.to_owned())),
            "{wanted:?}: {changed:?}"
        );
    }
    assert_eq!(answer["other_files"], json!([]), "{answer}");
    let places = places(&answer);
    for place in ["shop/main.py:1", "shop/main.py:8", "shop/main.py:7"] {
        assert!(places.contains(&place.to_owned()), "{place}: {places:?}");
    }
    assert!(
        named(&answer["dependents"], "via")
            .iter()
            .any(|(name, _)| *name == "main"),
        "{answer}"
    );
    assert!(
        named(&answer["tests"], "reason")
            .iter()
            .any(|(name, _)| *name == "test_main"),
        "{answer}"
    );
}

const MANY: usize = 130;

async fn many() {
    let home = home();
    let texts = |value: u8| {
        let (mut lib, mut user) = (String::new(), String::from("import lib\n"));
        for number in 0..MANY {
            let _ = write!(lib, "def fn_{number}():\n    return {value}\n\n\n");
            let _ = write!(
                user,
                "\n\ndef use_{number}():\n    return lib.fn_{number}()\n"
            );
        }
        (lib, user)
    };
    let (lib, user) = texts(1);
    let root = committed(&home, "many", &[("lib.py", &lib), ("use.py", &user)]);
    put(&root, "lib.py", texts(2).0.as_bytes());
    let answer = impact(&home, &root).await;
    let all = json!(MANY);
    assert_eq!(
        (&answer["total_changed"], &answer["total_followed"]),
        (&all, &all),
        "{answer}"
    );
    assert_eq!(
        (&answer["total_usages"], &answer["total_dependents"]),
        (&all, &all),
        "{answer}"
    );
}

async fn packages() {
    let home = home();
    let class = |name: &str| {
        format!("package com.acme;\n\npublic class {name} {{\n    int run() {{ return 1; }}\n}}\n")
    };
    let root = committed(
        &home,
        "packages",
        &[
            ("src/com/acme/Old.java", &class("Old")),
            ("src/com/acme/Other.java", &class("Other")),
        ],
    );
    put(&root, "src/com/acme/Fresh.java", class("Fresh").as_bytes());
    let answer = impact(&home, &root).await;
    let changed = named(&answer["changed"], "change");
    assert!(
        changed.iter().any(|(name, _)| name.ends_with("Fresh")),
        "{changed:?}"
    );
    assert!(
        !answer["changed"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|one| one["kind"] == "module"),
        "{changed:?}"
    );
    assert_eq!(answer["total_usages"], json!(0), "{answer}");
}

async fn name_only() {
    let home = home();
    let files = [
        (
            "one.py",
            "class Cow:\n    def graze(self):\n        return 1\n",
        ),
        (
            "herd.py",
            "def graze_all(herd):\n    for beast in herd:\n        beast.graze()\n",
        ),
    ];
    let root = super::repository(&home, "fields", &files);
    let mut questions = asking(&home, &root).await;
    let answer = questions
        .ask("impact_analysis", json!({ "symbol": "Cow.graze" }))
        .await
        .expect("an answer");
    assert_eq!(
        (&answer["total_usages"], &answer["total_name_only"]),
        (&json!(0), &json!(1)),
        "{answer}"
    );
    let (text, _) = questions
        .session()
        .call("impact_analysis", json!({ "symbol": "Cow.graze" }))
        .await;
    assert!(
        text.contains("1 more place matched by name alone: find_references {"),
        "{text}"
    );
}
