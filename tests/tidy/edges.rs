//! Edges between modules: which module may use which, so that data flows one way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
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

/// Sources whose modules depend in one direction, and so do the modules inside each of them.
const SOURCES: &[&str] = &[
    "daemon/child/src",
    "daemon/model/src",
    "daemon/src",
    "daemon/treequery/src",
    "daemon/vectors/src",
    "protocol/src",
    "shim/src",
    "tests/promises",
    "tests/src",
    "tests/src/bin/bench",
];

/// Modules that depend on each other nevertheless: exactly these, and fewer over time.
const CYCLES: &[(&str, &[&str])] = &[
    ("daemon/src/change", &["apply", "undo"]),
    (
        "daemon/src/graph",
        &[
            "expression",
            "imports",
            "modules",
            "resolve",
            "scope",
            "value",
            "value_members",
        ],
    ),
    (
        "daemon/src/index",
        &["names", "path_lexicon", "snapshot", "vectors"],
    ),
];

#[test]
fn no_two_modules_beside_each_other_depend_on_each_other() {
    let mut cycles: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut edges = 0;
    for source in SOURCES {
        let folder = workspace().join(source);
        let inner = fs::read_dir(&folder).expect("readable").flatten();
        let inner = inner.map(|entry| entry.file_name().into_string().expect("UTF-8"));
        let inner = inner.filter(|name| folder.join(name).is_dir() && name != "bin");
        for module in inner.map(Some).chain([None]) {
            let found = module_edges(&folder, module.as_deref());
            edges += found.values().map(BTreeSet::len).sum::<usize>();
            let cyclic = in_cycles(&found);
            if !cyclic.is_empty() {
                let name =
                    module.map_or_else(|| (*source).to_owned(), |name| format!("{source}/{name}"));
                cycles.insert(name, cyclic);
            }
        }
    }
    assert!(edges > 500, "only {edges} edges were seen");
    let stated = CYCLES.iter().map(|(folder, modules)| {
        let modules = modules.iter().map(ToString::to_string).collect();
        ((*folder).to_owned(), modules)
    });
    assert_eq!(cycles, stated.collect::<BTreeMap<_, BTreeSet<_>>>());
}

#[test]
fn names_of_a_group_are_those_before_its_inner_groups() {
    assert_eq!(first_names("a::b;"), ["a"]);
    assert_eq!(first_names("{a::{b, c}, d, e as f};"), ["a", "d", "e"]);
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

/// Returns the modules in the folder of a crate's sources, or in the folder of one of its modules, each with those beside it
/// that it uses.
fn module_edges(
    sources_of_crate: &Path,
    module: Option<&str>,
) -> BTreeMap<String, BTreeSet<String>> {
    let folder = sources_of_crate.join(module.unwrap_or_default());
    let files = sources().filter(|path| path.starts_with(&folder) && !path.ends_with("tests.rs"));
    let files: Vec<_> = files
        .filter_map(|path| {
            let inside = path
                .strip_prefix(&folder)
                .expect("inside")
                .with_extension("");
            let parts = inside
                .iter()
                .map(|part| part.to_str().expect("UTF-8").to_owned());
            let parts: Vec<String> = parts.collect();
            let is_root = ["lib", "main", "mod", "bin", "tests"].contains(&parts[0].as_str());
            (!is_root).then_some((path, parts))
        })
        .collect();
    let modules: BTreeSet<String> = files.iter().map(|(_, parts)| parts[0].clone()).collect();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, parts) in &files {
        let code = read_without_tests(path);
        let lines = code.lines();
        let code: Vec<_> = lines
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let code = code.join("\n");
        // The path from a file up to the folder: one `super` for each module.
        let depth = parts.len() - usize::from(parts.last().is_some_and(|last| last == "mod"));
        let by_crate = module.map_or("crate::".to_owned(), |module| format!("crate::{module}::"));
        let used = [by_crate, "super::".repeat(depth)]
            .into_iter()
            .flat_map(|prefix| {
                let places = code.match_indices(prefix.as_str());
                // `super::super::a` is not `super::a`.
                let places = places.filter(|(at, _)| !code[..*at].ends_with("::"));
                let paths = places.flat_map(|(at, prefix)| first_names(&code[at + prefix.len()..]));
                paths.map(str::to_owned).collect::<Vec<_>>()
            });
        let used = used.filter(|used| *used != parts[0] && modules.contains(used));
        edges.entry(parts[0].clone()).or_default().extend(used);
    }
    edges
}

/// Returns the modules that use themselves through others.
fn in_cycles(edges: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let reaches_itself = |module: &&String| {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&String> = edges[*module].iter().collect();
        while let Some(used) = next.pop() {
            if reached.insert(used) {
                next.extend(&edges[used]);
            }
        }
        reached.contains(module)
    };
    edges.keys().filter(reaches_itself).cloned().collect()
}

/// `a` of `a::b`, and both of `{a::b, c}`.
fn first_names(path: &str) -> Vec<&str> {
    let first = |text: &str| {
        text.find(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .unwrap_or(text.len())
    };
    let Some(group) = path.strip_prefix('{') else {
        return vec![&path[..first(path)]];
    };
    let mut depth = 1;
    let mut names = vec![];
    let mut start = 0;
    for (at, sign) in group.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && sign == ',' {
            let item = group[start..at].trim();
            names.push(&item[..first(item)]);
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    names.retain(|name| !name.is_empty());
    names
}
