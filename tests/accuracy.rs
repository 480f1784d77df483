//! Definitions, references, callers, callees and implementations in small projects of every language with full facts, against the
//! truth that is written in their lines. `UPDATE_TABLE=1` rewrites the table, `SHOW_MISTAKES=1` says what was wrong.

use std::fs;
use std::path::PathBuf;

use claudevil_protocol::environment;
use claudevil_tests::accuracy::asking::judge;
use claudevil_tests::accuracy::report::{Figures, tables};
use claudevil_tests::accuracy::truth::Truth;
use claudevil_tests::binaries::workspace;
use claudevil_tests::home::Home;
use claudevil_tests::relevance::asking::{Ranking, Root};

/// Languages with the higher minimum, `FLOOR_MAIN`.
const MAIN: [&str; 9] = [
    "c",
    "cpp",
    "csharp",
    "go",
    "java",
    "javascript",
    "python",
    "rust",
    "typescript",
];
const FLOOR_MAIN: f64 = 0.90;
const FLOOR: f64 = 0.80;
/// Minimum share of resolved relations that are right.
const FLOOR_RESOLVED: f64 = 0.97;

const HEAD: &str = "\
# What the tools about the graph get right

Written by the test that measures it, on the projects beside this file. \"said\", \"resolved\" and \"ambiguous\" are counts:
how much a tool says in all, how much of that it says to be resolved, and how much not. P, R and F1 behind a count are its
own. The R of what is resolved is of all that there is; the R of what is ambiguous is of what is not resolved already. A
dash is a share of nothing.

";

#[test]
fn the_graph_matches_the_committed_tables() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let all = runtime.block_on(measured());
    let written = format!("{HEAD}{}", tables(&all));
    println!("{written}");
    if environment::variable("SHOW_MISTAKES").is_some() {
        for one in &all {
            println!("{}:\n  {}", one.language, one.mistakes.join("\n  "));
        }
    }
    if environment::variable("UPDATE_TABLE").is_some() {
        fs::write(projects().join("table.md"), &written).expect("written");
    }
    let mut below = vec![];
    for one in &all {
        let floor = if MAIN.contains(&one.language.as_str()) {
            FLOOR_MAIN
        } else {
            FLOOR
        };
        let mut figures = vec![("definitions".to_owned(), one.definitions.f1(), floor)];
        for (tool, edges) in one.edges() {
            figures.push((tool.to_owned(), edges.all.f1(), floor));
            figures.push((
                format!("resolved {tool}"),
                edges.resolved.precision(),
                FLOOR_RESOLVED,
            ));
        }
        let low = figures.iter().filter(|(_, figure, floor)| figure < floor);
        let low: Vec<String> = low
            .map(|(what, figure, floor)| format!("{what} {figure:.3} below {floor}"))
            .collect();
        if !low.is_empty() {
            below.push(format!(
                "{}: {}\n  {}",
                one.language,
                low.join(", "),
                one.mistakes.join("\n  ")
            ));
        }
    }
    assert!(below.is_empty(), "{}", below.join("\n"));
}

async fn measured() -> Vec<Figures> {
    let home = Home::new().with("CLAUDEVIL_EMBEDDER", "none");
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let mut folders: Vec<PathBuf> = fs::read_dir(projects())
        .expect("the projects")
        .map(|entry| entry.expect("one").path())
        .collect();
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    let mut all = vec![];
    for folder in folders {
        let language = folder
            .file_name()
            .expect("a name")
            .to_str()
            .expect("UTF-8")
            .to_owned();
        let copy = home.scratch().join("user").join(&language);
        let truth = Truth::take(&folder, &copy);
        let client = home.client();
        let root = Root::new(&client, &copy);
        root.add().await;
        root.ready(Ranking::Lexical).await;
        all.push(judge(&root, &truth, &language).await);
    }
    all
}

fn projects() -> PathBuf {
    workspace().join("tests/accuracy")
}
