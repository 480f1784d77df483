//! Edges between modules: which module may use which, so that data flows one way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use claudevil_tests::binaries::workspace;

use super::{read, read_without_tests, sources};

/// The modules of the daemon that each module may use. Data flows one way: source → store, query → store, server →
/// query.
const DAEMON_EDGES: &[(&str, &[&str])] = &[
    ("clock", &[]),
    ("threads", &[]),
    ("lang", &[]),
    ("secrets", &[]),
    ("embed", &[]),
    ("config", &["embed"]),
    ("logging", &["config"]),
    ("source", &["clock", "secrets"]),
    ("change", &["clock", "source"]),
    (
        "memory",
        &["change", "clock", "secrets", "source", "store", "threads"],
    ),
    ("extract", &["lang", "secrets"]),
    ("store", &["clock", "extract"]),
    ("roots", &["clock", "store"]),
    ("model_command", &["config", "embed", "index"]),
    ("precise", &["clock", "store"]),
    (
        "history",
        &["clock", "lang", "secrets", "source", "store", "threads"],
    ),
    (
        "index",
        &[
            "clock", "config", "embed", "extract", "history", "lang", "precise", "secrets",
            "source", "store", "threads",
        ],
    ),
    (
        "search",
        &[
            "extract", "index", "lang", "secrets", "source", "store", "threads",
        ],
    ),
    (
        "graph",
        &["extract", "index", "lang", "precise", "source", "store"],
    ),
    (
        "query",
        &[
            "change", "clock", "embed", "extract", "graph", "history", "index", "lang", "memory",
            "precise", "roots", "search", "secrets", "source", "store", "threads",
        ],
    ),
    (
        "server",
        &[
            "change", "clock", "config", "embed", "index", "logging", "memory", "query", "roots",
            "source", "store", "threads",
        ],
    ),
];

/// Likewise for the protocol: text knows no answer, answers know no tool, and none of them knows the transport.
const PROTOCOL_EDGES: &[(&str, &[&str])] = &[
    ("answer", &["check", "error", "json", "text"]),
    ("call", &[]),
    ("check", &["error", "text"]),
    (
        "client",
        &[
            "call",
            "daemon_info",
            "editor",
            "endpoint",
            "environment",
            "error",
            "lock",
            "own_directory",
            "paths",
            "preamble",
            "service",
            "sharing",
            "start",
            "text",
            "tools",
            "version",
            "wire",
        ],
    ),
    ("config_report", &["tools"]),
    ("daemon_info", &[]),
    ("editor", &["answer"]),
    ("embedding_models", &[]),
    ("endpoint", &["error", "paths"]),
    ("environment", &[]),
    ("error", &["text"]),
    ("json", &[]),
    ("lock", &["endpoint", "error"]),
    ("own_directory", &["endpoint", "error", "paths"]),
    ("paths", &["environment"]),
    ("preamble", &["version"]),
    ("process", &[]),
    (
        "service",
        &[
            "call",
            "daemon_info",
            "editor",
            "error",
            "for_each_tool",
            "sharing",
            "tools",
        ],
    ),
    ("sharing", &[]),
    ("start", &["process"]),
    ("text", &[]),
    (
        "tools",
        &["answer", "check", "daemon_info", "error", "text"],
    ),
    ("vectors_program", &[]),
    ("version", &["environment"]),
    ("wire", &[]),
];

#[test]
fn modules_of_the_daemon_depend_in_one_direction() {
    check_edges("daemon/src", DAEMON_EDGES);
}

#[test]
fn modules_of_the_protocol_depend_in_one_direction() {
    check_edges("protocol/src", PROTOCOL_EDGES);
}

#[test]
fn no_two_modules_of_a_crate_depend_on_each_other() {
    for folder in [
        "protocol/src",
        "shim/src",
        "daemon/src",
        "tests/src",
        "tests/promises",
    ] {
        let edges = module_edges(&workspace().join(folder));
        assert!(!edges.is_empty(), "no edges were seen in {folder}");
        let mut layers: Vec<_> = edges.keys().cloned().collect();
        // Removes modules that depend on no remaining one, until none or only cycles remain.
        loop {
            let before = layers.len();
            let left = layers.clone();
            layers.retain(|module| edges[module].iter().any(|used| left.contains(used)));
            if layers.len() == before {
                break;
            }
        }
        assert!(layers.is_empty(), "{folder} has a cycle among {layers:?}");
    }
}

/// Code that two tools share is a module of its own.
#[test]
fn no_tool_imports_another() {
    let query = workspace().join("daemon/src/query");
    let tools = tool_modules();
    assert!(tools.len() > 20, "only {tools:?} were read");
    // The questions of editors are no tools, and follow the rules of tools.
    let editor = query.join("editor");
    for path in sources().filter(|path| path.starts_with(&query) && !path.starts_with(&editor)) {
        let parts: Vec<_> = path
            .strip_prefix(&query)
            .expect("inside")
            .iter()
            .filter_map(|part| part.to_str())
            .map(|part| part.trim_end_matches(".rs"))
            .collect();
        let module = parts[0];
        // The path from a file up to `query`: one `super` for each folder.
        let depth = parts.len() - usize::from(parts.last() == Some(&"mod"));
        let prefixes = ["crate::query::".to_owned(), "super::".repeat(depth)];
        let code = read_without_tests(&path);
        for prefix in prefixes.iter().filter(|prefix| !prefix.is_empty()) {
            let used = code
                .match_indices(prefix.as_str())
                .flat_map(|(at, _)| first_names(&code[at + prefix.len()..]));
            for used in used.filter(|used| *used != module) {
                assert!(
                    !tools.contains(used),
                    "{} uses the tool {used}",
                    path.display()
                );
            }
        }
    }
}

fn check_edges(folder: &str, edges: &[(&str, &[&str])]) {
    let folder = workspace().join(folder);
    let mut checked = 0;
    // Imports of tests are not edges of the module.
    for path in sources().filter(|path| path.starts_with(&folder) && !path.ends_with("tests.rs")) {
        let inside = path
            .strip_prefix(&folder)
            .expect("inside")
            .to_str()
            .expect("UTF-8");
        let module = inside
            .split('/')
            .next()
            .unwrap_or_default()
            .trim_end_matches(".rs");
        if ["lib", "main"].contains(&module) {
            continue;
        }
        let (_, allowed) = edges
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{module} is not in the table"));
        let code = read_without_tests(&path);
        for used in code
            .match_indices("crate::")
            .flat_map(|(at, _)| first_names(&code[at + 7..]))
        {
            // Types that the crate's root re-exports count as their module, `error`.
            let used = if used.starts_with(char::is_uppercase) {
                "error"
            } else {
                used
            };
            if used == module {
                continue;
            }
            checked += 1;
            assert!(
                allowed.contains(&used),
                "{inside} uses crate::{used}, which {module} may not"
            );
        }
    }
    assert!(
        checked > 10,
        "only {checked} edges were seen in {}",
        folder.display()
    );
}

/// Returns the modules of the rows in the list of tools: `calls` of `find_callers: calls::FindCallers;`.
fn tool_modules() -> BTreeSet<String> {
    let list = read(&workspace().join("protocol/src/tools/mod.rs"));
    let rows = list
        .split("$callback! {")
        .nth(1)
        .and_then(|rest| rest.split('}').next())
        .unwrap_or_default();
    rows.split(';')
        .filter_map(|row| row.split_once(": ")?.1.split("::").next())
        .map(str::to_owned)
        .collect()
}

/// Returns the modules of a crate, each with those that it uses.
fn module_edges(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in sources().filter(|path| path.starts_with(folder) && !path.ends_with("tests.rs")) {
        let inside = path.strip_prefix(folder).expect("inside");
        let parts: Vec<_> = inside
            .iter()
            .filter_map(|part| part.to_str())
            .map(|part| part.trim_end_matches(".rs"))
            .collect();
        let module = parts[0].to_owned();
        if ["lib", "main", "bin"].contains(&module.as_str()) {
            continue;
        }
        let code = read_without_tests(&path);
        // At the top of a crate `super` is the crate as well.
        let is_top = parts.len() == 1 || (parts.len() == 2 && parts[1] == "mod");
        let prefixes: &[&str] = if is_top {
            &["crate::", "use super::"]
        } else {
            &["crate::"]
        };
        let used = prefixes.iter().flat_map(|prefix| {
            code.match_indices(prefix)
                .flat_map(|(at, _)| first_names(&code[at + prefix.len()..]))
        });
        let used = used.filter(|used| *used != module).map(str::to_owned);
        let used: Vec<_> = used.collect();
        edges.entry(module).or_default().extend(used);
    }
    edges
}

/// `a` of `a::b`, and both of `{a::b, c}`.
fn first_names(path: &str) -> Vec<&str> {
    let first = |text: &str| {
        text.find(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .unwrap_or(text.len())
    };
    match path.strip_prefix('{') {
        None => vec![&path[..first(path)]],
        Some(group) => {
            let group = group.split('}').next().unwrap_or_default();
            group
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(|item| &item[..first(item)])
                .collect()
        }
    }
}
