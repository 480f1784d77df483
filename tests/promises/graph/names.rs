//! A name as an answer writes it means that one symbol, whatever files and folders are called.

use libtest_mimic::Trial;
use serde_json::json;

use super::{asking, home, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "a_qualified_name_means_its_symbol",
            Needs::Nothing,
            qualified,
        ),
        proof(
            "a_name_that_nothing_tells_apart_is_asked_for_by_its_place",
            Needs::Nothing,
            alike,
        ),
    ]
}

const FILES: [(&str, &str); 5] = [
    ("go.mod", "module example.com/g\n\ngo 1.22\n"),
    (
        "store/store.go",
        "package store\n\ntype Store interface {\n\tGet(k string) string\n}\n\ntype Mem struct{}\n\nfunc (m *Mem) Get(k string) string { \
         return k }\n\ntype Half struct{}\n\nfunc (Half) Get(k string) string { return k }\n",
    ),
    (
        "geo/shape.h",
        "namespace geo {\nclass Shape {\n public:\n  virtual double area() const = 0;\n};\n}\n",
    ),
    (
        "geo/shape.cc",
        "#include \"shape.h\"\nnamespace geo {\nclass Circle : public Shape {\n public:\n  double area() const override { return 1; }\n};\n}\n",
    ),
    (
        "util.py",
        "class Util:\n    def run(self):\n        return 1\n\n\ndef run():\n    return Util().run()\n",
    ),
];

async fn qualified() {
    let home = home();
    let root = repository(&home, "names", &FILES);
    let mut questions = asking(&home, &root).await;
    let mut wrong = vec![];
    for (asked, path, line) in [
        ("Store.Get", "store/store.go", 4),
        ("Mem.Get", "store/store.go", 9),
        ("store.Mem.Get", "store/store.go", 9),
        ("Shape::area", "geo/shape.h", 4),
        ("geo::Shape::area", "geo/shape.h", 4),
        ("Circle::area", "geo/shape.cc", 5),
        ("Util.run", "util.py", 2),
        ("util.run", "util.py", 6),
        ("util.Util.run", "util.py", 2),
    ] {
        match questions.ask("deep_dive", json!({ "symbol": asked })).await {
            Ok(dive) if dive["symbol"]["path"] == path && dive["symbol"]["line"] == line => {}
            Ok(dive) => wrong.push(format!("{asked}: {}", dive["symbol"])),
            Err(error) => wrong.push(format!("{asked}: {error}")),
        }
    }
    // The name that an answer gives a symbol can be used to ask for it.
    let all = questions
        .ask("find_symbol", json!({ "name": "Get" }))
        .await
        .expect("symbols");
    for symbol in all["symbols"].as_array().expect("a list") {
        let name = symbol["qualified"].as_str().expect("a name");
        match questions.ask("deep_dive", json!({ "symbol": name })).await {
            Ok(dive) if dive["symbol"]["qualified"] == name => {}
            other => wrong.push(format!("{name}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn alike() {
    let home = home();
    let files = [
        ("a/one.py", "def run():\n    return 1\n"),
        ("b/one.py", "def run():\n    return 2\n"),
    ];
    let root = repository(&home, "names", &files);
    let mut questions = asking(&home, &root).await;
    let error = questions
        .ask("deep_dive", json!({ "symbol": "run" }))
        .await
        .expect_err("two of them");
    assert!(
        error.contains("a/one.py:1") && error.contains("`path` and `line`"),
        "{error}"
    );
    assert!(
        !error.contains("qualified"),
        "their names are the same: {error}"
    );
    for (asked, path) in [("a.one.run", "a/one.py"), ("b.one.run", "b/one.py")] {
        let dive = questions
            .ask("deep_dive", json!({ "symbol": asked }))
            .await
            .expect(asked);
        assert_eq!(dive["symbol"]["path"], path, "{asked}");
    }
}
