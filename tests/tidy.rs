//! Rules of the code that a compiler does not check: sizes, edges between modules, names, comments, linked crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claudevil_tests::binaries::workspace;
use regex::Regex;

/// A file that grows past this is two ideas.
const LONGEST_FILE: usize = 850;

/// Files above this length are rare: at most `MOST_LARGE_FILES` of them.
const LARGE_FILE: usize = 600;
const MOST_LARGE_FILES: usize = 22;

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
    ("history", &["clock", "lang", "secrets", "source", "store"]),
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
            "source", "store",
        ],
    ),
];

/// Likewise for the protocol: text knows no answer, answers know no tool, and none of them knows how it travels.
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

/// Crates that the clients must never link.
const ENGINES: &[&str] = &[
    "lancedb",
    "lance",
    "tantivy",
    "tree-sitter",
    "redb",
    "arrow",
    "datafusion",
    "fastembed",
];

/// Engines for which the daemon starts `claudevil-vectors`.
const VECTOR_ENGINES: &[&str] = &[
    "lancedb",
    "lance",
    "arrow",
    "datafusion",
    "fastembed",
    "ort",
];

#[test]
fn every_module_says_why_it_exists() {
    let silent: Vec<_> = sources()
        .filter(|path| !read(path).starts_with("//! "))
        .collect();
    assert!(silent.is_empty(), "without `//!` at the top: {silent:?}");
}

#[test]
fn files_hold_one_idea() {
    let longer_than = |limit| {
        sources()
            .filter(move |path| read(path).lines().count() > limit)
            .collect::<Vec<_>>()
    };
    let long = longer_than(LONGEST_FILE);
    assert!(
        long.is_empty(),
        "longer than {LONGEST_FILE} lines: {long:?}"
    );
    let large = longer_than(LARGE_FILE);
    assert!(
        large.len() <= MOST_LARGE_FILES,
        "{} files are longer than {LARGE_FILE} lines: {large:?}",
        large.len()
    );
}

#[test]
fn names_say_something() {
    let empty = [
        "util", "utils", "helper", "helpers", "common", "misc", "manager",
    ];
    let nameless: Vec<_> = sources()
        .filter(|path| {
            path.file_stem()
                .and_then(|stem| stem.to_str())
                .is_some_and(|stem| empty.contains(&stem))
        })
        .collect();
    assert!(nameless.is_empty(), "{nameless:?}");
}

/// Words that no doc comment opens with: its subject comes first.
const INDIRECT_OPENINGS: &[&str] = &["How", "Of", "What", "Where", "Whether", "Which"];

/// Words that do not say what a type is: participles that do not end in `ed`, adverbs, and nouns that fit everything.
const VAGUE_TYPE_NAMES: &[&str] = &[
    "About",
    "After",
    "Again",
    "Ahead",
    "Any",
    "Around",
    "Asking",
    "At",
    "Before",
    "Beside",
    "Beyond",
    "Both",
    "Chosen",
    "Company",
    "Completing",
    "Customs",
    "Desk",
    "Diving",
    "Does",
    "Drawn",
    "Found",
    "Given",
    "Gone",
    "Grounds",
    "Having",
    "Heard",
    "Held",
    "Here",
    "Judging",
    "Kept",
    "Known",
    "Lack",
    "Lacking",
    "Left",
    "Looks",
    "Made",
    "Making",
    "Meant",
    "Met",
    "Most",
    "Near",
    "Own",
    "Place",
    "Places",
    "Put",
    "Read",
    "Said",
    "Seen",
    "Sent",
    "Showing",
    "Shown",
    "Sought",
    "Spot",
    "Taken",
    "There",
    "Told",
    "Took",
    "Waiting",
    "Watching",
    "Weighing",
    "What",
    "Where",
    "While",
    "Whole",
    "Without",
    "Written",
];

/// Nouns that look like participles.
const NOUNS_IN_ED: &[&str] = &["Embed", "Feed", "Need", "Seed", "Speed"];

/// Folders whose words are not all clear yet: the exact numbers of indirect doc comments and of vague names in each. They
/// only ever become smaller.
const UNCLEAR: &[(&str, usize, usize)] = &[("daemon/src/graph", 0, 6)];

#[test]
fn doc_comments_begin_with_their_subject_and_types_are_nouns() {
    let opening = Regex::new(r"^\s*//[/!] (\w+)").expect("a pattern");
    let kind = r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|union|trait|type) (\w+)";
    let kind = Regex::new(kind).expect("a pattern");
    let constructor = r"^\s*(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn of\b";
    let constructor = Regex::new(constructor).expect("a pattern");
    let mut seen: BTreeMap<&str, (Vec<String>, Vec<String>)> = BTreeMap::new();
    let samples = ["tests/accuracy", "tests/documented"].map(|folder| workspace().join(folder));
    for path in sources().filter(|path| !samples.iter().any(|folder| path.starts_with(folder))) {
        let folder = UNCLEAR
            .iter()
            .map(|(folder, ..)| *folder)
            .find(|folder| path.starts_with(workspace().join(folder)));
        let (comments, names) = seen.entry(folder.unwrap_or("elsewhere")).or_default();
        let code = read(&path);
        let lines: Vec<_> = code.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let place = || format!("{}:{}: {}", path.display(), at + 1, line.trim());
            let is_first = at == 0 || doc_text(lines[at - 1]).is_empty();
            let word = opening.captures(line).map(|found| found[1].to_owned());
            if is_first
                && word.is_some_and(|word| INDIRECT_OPENINGS.contains(&word.as_str()))
                && !is_question(&lines[at..])
            {
                comments.push(place());
            }
            let name = kind.captures(line).map(|found| found[1].to_owned());
            if constructor.is_match(line) || name.is_some_and(|name| is_vague(&name)) {
                names.push(place());
            }
        }
    }
    for (folder, (comments, names)) in &seen {
        let row = UNCLEAR.iter().find(|(name, ..)| name == folder);
        let (_, most_comments, most_names) = row.copied().unwrap_or((folder, 0, 0));
        let is_stated = (comments.len(), names.len()) == (most_comments, most_names);
        assert!(
            is_stated,
            "{folder} has {} indirect doc comments and {} vague names, and states {most_comments} and \
             {most_names}; smaller numbers are stated as they are: {comments:#?} {names:#?}",
            comments.len(),
            names.len()
        );
    }
    assert_eq!(
        seen.len(),
        UNCLEAR.len() + 1,
        "a folder is gone: {:?}",
        seen.keys()
    );
}

/// Returns the text of a line of a doc comment; nothing for any other line.
fn doc_text(line: &str) -> &str {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or(line.strip_prefix("//!"));
    text.unwrap_or_default().trim()
}

/// Returns whether the first sentence of a doc comment is a question.
fn is_question(lines: &[&str]) -> bool {
    let text = lines.iter().map(|line| doc_text(line));
    let text: Vec<_> = text.take_while(|text| !text.is_empty()).collect();
    let text = format!("{} ", text.join(" "));
    text.split_inclusive(['.', '?', ':'])
        .next()
        .is_some_and(|sentence| sentence.ends_with('?'))
}

fn is_vague(name: &str) -> bool {
    let is_one_word = name.chars().skip(1).all(char::is_lowercase);
    VAGUE_TYPE_NAMES.contains(&name)
        || (is_one_word && name.ends_with("ed") && !NOUNS_IN_ED.contains(&name))
}

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
        // Takes away what depends on nothing that is left, until nothing is or only a cycle.
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

#[test]
fn the_clients_link_no_engine() {
    for package in ["claudevil-shim", "claudevil-protocol"] {
        refuse_linked(package, "tarpc", ENGINES);
    }
}

#[test]
fn the_daemon_links_no_vector_store_and_no_transformer() {
    refuse_linked("claudevil-daemon", "tantivy", VECTOR_ENGINES);
}

/// Crates that have other features beside LanceDB. Amazon's client brings a second library of cryptography, in C, which takes
/// longer to compile than rustls does twice, and it parses dates, which the daemon only formats.
const COMPILED_TWICE: &[&str] = &["deranged v", "rustls v", "rustls-webpki v", "time v"];

/// `-p claudevil-daemon -p claudevil-shim`, and then the rest, compile each crate once: a crate has the same features
/// whichever packages are selected. What differs is added to `daemon/features/Cargo.toml`.
#[test]
fn a_build_of_the_daemon_is_part_of_a_build_of_everything() {
    let whole = crates(&["--workspace"], "{p} [{f}]", "no-dev");
    let daemon = [
        "--package",
        "claudevil-daemon",
        "--package",
        "claudevil-shim",
    ];
    let vectors = ["--package", "claudevil-vectors"];
    for selection in [&daemon[..], &vectors[..]] {
        let part = crates(selection, "{p} [{f}]", "no-dev");
        assert!(part.len() > 200, "the tree was not read: {part:?}");
        let is_exempt = |name: &str| COMPILED_TWICE.iter().any(|start| name.starts_with(start));
        let others = part.difference(&whole);
        let others: Vec<_> = others.filter(|name| !is_exempt(name)).collect();
        assert!(
            others.is_empty(),
            "{selection:?} compiles these with other features than the workspace: {others:#?}"
        );
    }
}

/// Fails where a package links one of these; `known` is a crate that it does link.
fn refuse_linked(package: &str, known: &str, engines: &[&str]) {
    let tree = crates(&["--package", package], "{p}", "normal");
    let linked: BTreeSet<_> = tree
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(linked.contains(known), "the tree was not read: {tree:?}");
    let found: Vec<_> = linked
        .iter()
        .filter(|name| {
            engines
                .iter()
                .any(|engine| *name == engine || name.starts_with(&format!("{engine}-")))
        })
        .collect();
    assert!(found.is_empty(), "{package} links {found:?}");
}

/// The crates that a selection of packages is built of, each in a format of `cargo tree`.
fn crates(selection: &[&str], format: &str, edges: &str) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--prefix", "none"])
        .args(["--format", format, "--edges", edges])
        .args(selection)
        .current_dir(workspace())
        .output()
        .expect("cargo runs");
    assert!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    String::from_utf8_lossy(&tree.stdout)
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}

#[test]
fn languages_are_named_only_in_their_definitions() {
    let lang = workspace().join("daemon/src/lang");
    let ids: Vec<_> = fs::read_dir(lang.join("defs"))
        .expect("definitions")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    let ids: Vec<_> = ids.iter().filter_map(|id| id.to_str()).collect();
    for path in sources().filter(|path| path.starts_with(workspace().join("daemon"))) {
        let code = read(&path);
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        for id in ids.iter().filter(|_| !path.ends_with("tests.rs")) {
            assert!(
                !code.contains(&format!("\"{id}\" =>")),
                "{} decides by the language {id}",
                path.display()
            );
        }
    }
}

/// Keywords and words of conventions that a definition does not list as reserved.
const OTHER_WORDS: &[&str] = &[
    "Err",
    "Generic",
    "Protocol",
    "Result",
    "Union",
    "__enter__",
    "derive",
    "keyof",
    "main",
    "module.exports",
    "params",
    "template",
    "test_",
    "tests",
    "typename",
    "vararg",
    "_test",
];

/// Folders of the daemon that hold no words of languages, each with words that mean something else there: keys of manifests
/// and of compiler settings, folders of built files, parameters and settings of tools.
const WITHOUT_LANGUAGE_WORDS: &[(&str, &[&str])] = &[
    (
        "graph",
        &["extends", "main", "mod", "module", "out", "package", "_"],
    ),
    ("query", &["auto", "default", "from", "to", "use"]),
];

#[test]
fn words_of_languages_stand_only_in_their_definitions() {
    let lang = workspace().join("daemon/src/lang");
    let mut words: BTreeSet<String> = OTHER_WORDS.iter().map(ToString::to_string).collect();
    for entry in fs::read_dir(lang.join("defs"))
        .expect("definitions")
        .flatten()
    {
        let definition = read(&entry.path().join("lang.toml"));
        let reserved = definition
            .split("\nreserved = [")
            .nth(1)
            .and_then(|rest| rest.split(']').next());
        words.extend(literals(reserved.unwrap_or_default()).map(str::to_owned));
    }
    assert!(words.len() > 200, "only {} words were read", words.len());
    for (folder, others) in WITHOUT_LANGUAGE_WORDS {
        let folder = workspace().join("daemon/src").join(folder);
        for path in sources().filter(|path| path.starts_with(&folder) && !is_test(path)) {
            let code = read(&path);
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            let lines = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            for word in lines.flat_map(literals).map(str::trim) {
                assert!(
                    !words.contains(word) || others.contains(&word),
                    "{} has the word {word:?} of a language",
                    path.display()
                );
            }
        }
    }
}

fn is_test(path: &Path) -> bool {
    path.components()
        .any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
}

/// The texts between double quotes on a line.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

fn check_edges(folder: &str, edges: &[(&str, &[&str])]) {
    let folder = workspace().join(folder);
    let mut checked = 0;
    // What a test takes to make its case is no edge of the module.
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
        let code = read(&path);
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        for used in code
            .match_indices("crate::")
            .flat_map(|(at, _)| first_names(&code[at + 7..]))
        {
            // Names that the crate's root passes on stand for their module.
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
        // The way from a file up to `query`: `super` once for each folder.
        let depth = parts.len() - usize::from(parts.last() == Some(&"mod"));
        let prefixes = ["crate::query::".to_owned(), "super::".repeat(depth)];
        let code = read(&path);
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
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
        let code = read(&path);
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
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

fn sources() -> impl Iterator<Item = PathBuf> {
    let mut files = vec![];
    let mut folders: Vec<_> = ["protocol", "shim", "daemon", "tests"]
        .map(|name| workspace().join(name))
        .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("readable").flatten() {
            let path = entry.path();
            // Definitions of languages hold samples of them, and so does the corpus of credentials.
            let is_sample = path.ends_with("lang/defs") || path.ends_with("tests/secrets");
            if path.is_dir() && !is_sample {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 40, "only {} sources were found", files.len());
    files.into_iter()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("readable")
}
