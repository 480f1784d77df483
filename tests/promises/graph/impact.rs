//! `impact_analysis` names every test that a change of a symbol breaks: each function of a project is broken in turn, the
//! project's own tests are run, and those that fail must have been named before.

mod switched;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claudevil_tests::accuracy::truth::Truth;
use claudevil_tests::home::Home;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, home, project};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "impact_names_the_tests_that_break_in_python",
            Needs::Program("python3", "needs python3"),
            || breaks("python", python, python_fails),
        ),
        proof(
            "impact_names_the_tests_that_break_in_javascript",
            Needs::Program("node", "needs node"),
            || breaks("javascript", javascript, javascript_fails),
        ),
    ]
    .into_iter()
    .chain(switched::trials())
    .collect()
}

/// Minimum number of functions that are broken, one after the other.
const FEWEST: usize = 15;

/// The failure if the tests cannot be loaded at all.
const LOADING: &str = "(loading)";

fn is_constructor(id: &str) -> bool {
    id.ends_with(".__init__") || id.ends_with(".constructor")
}

/// Makes a line that begins a function fail as soon as the function is called. None for any other line.
type Break = fn(&str) -> Option<String>;

async fn breaks(
    language: &'static str,
    broken: Break,
    fails: fn(&[PathBuf]) -> Vec<BTreeSet<String>>,
) {
    let home = home();
    let (root, truth) = project(&home, language);
    let mutants = mutants(&home, language, &truth, &root, broken);
    assert!(
        mutants.len() >= FEWEST,
        "only {} functions could be broken",
        mutants.len()
    );
    let copies: Vec<PathBuf> = mutants.values().cloned().chain([root.clone()]).collect();
    let mut failing = fails(&copies);
    let sound = failing.pop().expect("the last");
    assert!(sound.is_empty(), "nothing fails before: {sound:?}");
    let broken = mutants.into_keys().zip(failing).collect();
    are_named(&home, &root, &truth, language, broken).await;
}

/// Asks about each function that was broken, and compares the answer with the tests that failed.
async fn are_named(
    home: &Home,
    root: &Path,
    truth: &Truth,
    language: &str,
    broken: Vec<(String, BTreeSet<String>)>,
) {
    let mut questions = asking(home, root).await;
    let (mut missing, mut total, mut fatal, mut uncertain) = (vec![], 0, 0, 0);
    for (id, fails) in &broken {
        // A function that is run at load time breaks everything; and one that is only ever called through a value (registered
        // by a decorator, say) has no callers in the code.
        if fails.contains(LOADING) || !(truth.callers.contains_key(id) || is_constructor(id)) {
            continue;
        }
        fatal += usize::from(!fails.is_empty());
        let (path, line) = &truth.definitions[id];
        let asked =
            json!({ "symbol": truth.name(id), "path": path, "line": line, "max_tokens": 10000 });
        let answer = questions
            .ask("impact_analysis", asked)
            .await
            .unwrap_or_else(|error| panic!("{id}: {error}"));
        let named: Vec<&Value> = answer["tests"].as_array().expect("a list").iter().collect();
        total += named.len();
        for test in fails {
            // A test without a name is identified by its title.
            let is_it = |one: &&Value| {
                one["name"]
                    .as_str()
                    .is_some_and(|name| name == test || name.contains(test.as_str()))
            };
            if named.iter().any(is_it) {
                continue;
            }
            // Calls that may mean something else are not followed: the answer or the truth says that there are some.
            if answer["total_uncertain"]
                .as_u64()
                .is_some_and(|uses| uses > 0)
                || truth.possible.contains_key(id)
            {
                uncertain += 1;
            } else {
                let told: Vec<_> = named
                    .iter()
                    .map(|one| one["qualified"].as_str().unwrap_or_default())
                    .collect();
                missing.push(format!("{id} breaks {test}; named are {told:?}"));
            }
        }
    }
    let all: usize = broken.iter().map(|(_, fails)| fails.len()).sum();
    measured(&format!(
        "{language}: {} functions broken, {fatal} break tests, {all} tests in all, {total} named, {} not named, {uncertain} behind uncertain uses",
        broken.len(),
        missing.len()
    ));
    assert!(
        uncertain * 4 <= all,
        "{uncertain} of {all} tests are behind uncertain uses"
    );
    assert!(fatal >= FEWEST / 2, "only {fatal} break a test");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Makes a copy of the project for every other function, in which that function fails.
fn mutants(
    home: &Home,
    language: &str,
    truth: &Truth,
    root: &Path,
    broken: Break,
) -> BTreeMap<String, PathBuf> {
    let mut copies = BTreeMap::new();
    for (id, (path, line)) in truth.definitions.iter().step_by(2) {
        let text = fs::read_to_string(root.join(path)).expect("a text");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = usize::try_from(*line).expect("small") - 1;
        let Some(changed) = broken(&lines[at]).filter(|_| !path.contains("test")) else {
            continue;
        };
        lines[at] = changed;
        let copy = home
            .scratch()
            .join("broken")
            .join(id.replace(['.', '#'], "_"));
        let source = claudevil_tests::binaries::workspace()
            .join("tests/accuracy")
            .join(language);
        Truth::take(&source, &copy);
        fs::write(copy.join(path), lines.join("\n") + "\n").expect("written");
        copies.insert(id.clone(), copy);
    }
    copies
}

fn python(line: &str) -> Option<String> {
    let indent = line.len() - line.trim_start().len();
    let is_whole = line.trim_start().starts_with("def ") && line.ends_with(':');
    is_whole.then(|| {
        format!(
            "{line}\n{}raise RuntimeError('broken')",
            " ".repeat(indent + 4)
        )
    })
}

fn javascript(line: &str) -> Option<String> {
    let words = line.trim_start();
    let is_function = words.starts_with("function ")
        || words.starts_with("export function ")
        || words.starts_with("export default function ")
        || words.starts_with("export async function ")
        || (line.starts_with("  ")
            && words.contains('(')
            && !words.contains('=')
            && !words.starts_with("if"));
    (is_function && line.ends_with('{')).then(|| format!("{line}\nthrow new Error('broken');"))
}

/// One process for all copies, which runs each of them in a child process.
const PYTHON: &str = "
import os, sys
for folder in sys.argv[1:]:
    if os.fork() == 0:
        os.chdir(folder)
        sys.path.insert(0, folder)
        try:
            import tests.test_checkout as tests
        except Exception:
            print(folder, '(loading)')
            sys.stdout.flush()
            os._exit(0)
        for name in dir(tests):
            if name.startswith('test_'):
                try:
                    getattr(tests, name)()
                except Exception:
                    print(folder, name)
        sys.stdout.flush()
        os._exit(0)
    os.wait()
";

fn python_fails(copies: &[PathBuf]) -> Vec<BTreeSet<String>> {
    let output = Command::new("python3")
        .args(["-c", PYTHON])
        .args(copies)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let of = |copy: &PathBuf| {
        let lines = said.lines().filter_map(|line| line.rsplit_once(' '));
        let here = lines.filter(|(folder, _)| Path::new(folder) == copy);
        here.map(|(_, name)| name.to_owned()).collect()
    };
    copies.iter().map(of).collect()
}

fn javascript_fails(copies: &[PathBuf]) -> Vec<BTreeSet<String>> {
    let of = |copy: &PathBuf| {
        // The test's file by itself: the report then has only its own tests.
        let run = Command::new("node")
            .args(["--test-reporter=tap", "test/rooms.test.js"])
            .current_dir(copy)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        if !said
            .lines()
            .any(|line| line.starts_with("ok ") || line.starts_with("not ok "))
        {
            return BTreeSet::from([LOADING.to_owned()]);
        }
        let failed = said
            .lines()
            .filter_map(|line| line.strip_prefix("not ok ")?.split_once(" - "));
        failed.map(|(_, name)| name.to_owned()).collect()
    };
    copies.iter().map(of).collect()
}
