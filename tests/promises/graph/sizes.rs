//! The cost of a deep dive is about that of its depth.

use std::fs;
use std::path::Path;

use claudevil_protocol::text::tokens::estimate;
use claudevil_tests::accuracy::truth::Truth;
use claudevil_tests::binaries::workspace;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, home, project, repository};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "deep_dive_costs_about_what_its_depth_says",
            Needs::Nothing,
            costs,
        ),
        proof(
            "deep_dive_of_a_large_class_shows_what_is_used_most",
            Needs::Nothing,
            large_class,
        ),
    ]
}

/// The tokens that each depth is expected to cost.
const DEPTHS: [(&str, u32); 3] = [("overview", 200), ("context", 600), ("full", 1500)];
/// The median is at most the expected cost times this, and so is the cost of nine answers in ten.
const FACTOR: f64 = 1.25;
/// The median is at least this share of the expected cost in a large project.
const LEAST: f64 = 1.0 / 3.0;
/// One in this many symbols of the daemon's own code is asked about.
const STEP: usize = 40;

async fn costs() {
    let home = home();
    let mut small: [Vec<usize>; 3] = Default::default();
    for language in ["python", "java", "go", "rust", "typescript"] {
        let (root, truth) = project(&home, language);
        let mut questions = asking(&home, &root).await;
        for id in typical(&truth) {
            let (path, line) = &truth.definitions[&id];
            let asked = json!({ "symbol": truth.name(&id), "path": path, "line": line });
            add_costs(&mut small, &mut questions, asked).await;
        }
    }
    let root = repository(&home, "own", &[]);
    for folder in ["graph", "query", "search"] {
        Truth::take(
            &workspace().join("daemon/src").join(folder),
            &root.join(folder),
        );
    }
    let mut questions = asking(&home, &root).await;
    let mut own: [Vec<usize>; 3] = Default::default();
    for (path, line) in functions_and_types(&root).into_iter().step_by(STEP) {
        let asked = json!({ "path": path, "line": line });
        add_costs(&mut own, &mut questions, asked).await;
    }
    for (((depth, expected), own), small) in DEPTHS.into_iter().zip(&mut own).zip(&mut small) {
        let middle = judge(&format!("{depth} in the daemon's own code"), own, expected);
        assert!(
            middle >= f64::from(expected) * LEAST,
            "{depth}: only {middle} tokens in the middle"
        );
        judge(&format!("{depth} in small projects"), small, expected);
    }
}

async fn large_class() {
    let home = home();
    let methods = |names: &mut dyn Iterator<Item = String>| {
        names
            .map(|name| format!("        public int {name}(int x) {{ return x + 1; }}\n"))
            .collect::<String>()
    };
    let class = |doc: &str, methods: String| {
        format!(
            "namespace Port {{\n{doc}    public partial class Harbour {{\n{methods}    }}\n}}\n"
        )
    };
    // The most used member is last, and in the second part of the class.
    let long = "    /// <summary>Where ships lie. Whoever moors here pays for each day, and more for each night.</summary>\n";
    let many = class(
        long,
        methods(&mut (0..60).map(|number| format!("Rarely{number}"))),
    );
    let used = ["Moor", "Cast", "Dredge"];
    let few = class("", methods(&mut used.iter().map(|name| (*name).to_owned())));
    let root = repository(
        &home,
        "port",
        &[("src/Harbour.cs", &many), ("src/A.cs", &few)],
    );
    for number in 0..30 {
        let calls: String = used
            .iter()
            .map(|name| format!("            harbour.{name}({number});\n"))
            .collect();
        let ship = format!(
            "namespace Port {{\n    public class Ship{number} {{\n        public void Sail(Harbour harbour) {{\n{calls}        }}\n    }}\n}}\n"
        );
        fs::write(root.join(format!("src/Ship{number}.cs")), ship).expect("written");
    }
    let mut questions = asking(&home, &root).await;
    let (text, is_error) = questions
        .session()
        .call("deep_dive", json!({ "symbol": "Harbour" }))
        .await;
    assert!(
        !is_error && estimate(&text) <= 200,
        "{} tokens: {text}",
        estimate(&text)
    );
    assert!(
        text.starts_with("src/Harbour.cs:"),
        "the part that is described: {text}"
    );
    for name in used {
        assert!(
            text.contains(&format!("{name}:")),
            "{name} is used most: {text}"
        );
    }
    assert!(
        text.contains(" of 63)") && text.contains("users ("),
        "what is left out is counted: {text}"
    );
}

/// Returns the lines of Rust files on which functions and types begin, without tests.
fn functions_and_types(root: &Path) -> Vec<(String, u32)> {
    let mut found = vec![];
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path
                .strip_prefix(root)
                .expect("inside")
                .to_str()
                .expect("UTF-8")
                .to_owned();
            if Path::new(&name)
                .extension()
                .is_none_or(|ending| ending != "rs")
                || name.contains("test")
            {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a text");
            for (line, text) in (1..).zip(text.lines().take_while(|line| *line != "#[cfg(test)]")) {
                let bare = text
                    .trim_start()
                    .trim_start_matches("pub(super) ")
                    .trim_start_matches("pub ");
                if ["fn ", "struct ", "enum ", "trait "]
                    .iter()
                    .any(|word| bare.starts_with(word))
                {
                    found.push((name.clone(), line));
                }
            }
        }
    }
    found.sort();
    found
}

/// Asks about a symbol at every depth.
async fn add_costs(costs: &mut [Vec<usize>; 3], questions: &mut Questions, asked: Value) {
    for ((depth, _), costs) in DEPTHS.iter().zip(costs) {
        let mut asked = asked.clone();
        asked["depth"] = json!(depth);
        let shown = asked.to_string();
        let (text, is_error) = questions.session().call("deep_dive", asked).await;
        assert!(!is_error, "{shown}: {text}");
        costs.push(estimate(&text));
    }
}

/// Checks that the costs are as expected. Returns the median.
fn judge(what: &str, costs: &mut [usize], expected: u32) -> f64 {
    costs.sort_unstable();
    let share =
        |tenths: usize| f64::from(u32::try_from(costs[costs.len() * tenths / 10]).expect("small"));
    let (middle, high) = (share(5), share(9));
    measured(&format!(
        "{what}: {} symbols, {middle} tokens in the middle, nine of ten within {high}",
        costs.len()
    ));
    let expected = f64::from(expected);
    assert!(
        middle <= expected,
        "{what}: {middle} tokens in the middle, more than {expected}"
    );
    assert!(
        high <= expected * FACTOR,
        "{what}: one of ten costs {high} tokens, expected are about {expected}"
    );
    middle
}

/// Returns symbols that are worth asking about: functions that are used from several places and call others, and types with
/// members.
fn typical(truth: &Truth) -> Vec<String> {
    let uses = |id: &String| {
        truth
            .references
            .get(id)
            .map_or(0, std::collections::BTreeSet::len)
    };
    let members = |id: &String| {
        truth
            .definitions
            .keys()
            .filter(|other| other.starts_with(&format!("{id}.")))
            .count()
    };
    let is_typical =
        |id: &&String| uses(id) >= 2 && (truth.callees(id).len() >= 2 || members(id) >= 3);
    truth
        .definitions
        .keys()
        .filter(is_typical)
        .cloned()
        .collect()
}
