//! `claudevil search` in a pipe: a row for each match, as ripgrep prints them.

use std::fs;

use claudevil_tests::home::{BOUND, Home, put, repository};
use libtest_mimic::Trial;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "terminal_a_search_in_a_pipe_prints_a_row_for_each_match",
            Needs::Nothing,
            matches_in_a_pipe,
        ),
        proof(
            "terminal_ranked_results_in_a_pipe_are_rows_of_their_best_lines",
            Needs::Nothing,
            ranked_in_a_pipe,
        ),
        proof(
            "terminal_search_takes_several_globs_types_and_context_as_ripgrep_does",
            Needs::Nothing,
            several,
        ),
    ]
}

/// Returns the rows that `rg --vimgrep` prints for a pattern in one file: one for each match, with the byte of the line at which
/// it begins, from 1.
fn vimgrep(path: &str, text: &str, pattern: &str) -> Vec<String> {
    let pattern = regex::Regex::new(pattern).expect("a pattern");
    let lines = (1..).zip(text.lines());
    let rows = lines.flat_map(|(number, line)| {
        let found = pattern.find_iter(line);
        let columns: Vec<_> = found.map(|found| found.start() + 1).collect();
        columns
            .into_iter()
            .map(move |column| format!("{path}:{number}:{column}:{line}"))
    });
    rows.collect()
}

const QUAY: &str = "\
pub fn moor_ferry(ferry: Ferry) -> Ferry {
\tlet größe = ferry.size(); // the ferry: its size
    moor(ferry)
}
";
const NOTES: &str = "# Moor\n\nA ferry, and another ferry.\n";

/// Runs a line of the shell in a folder. Returns standard output and standard error.
pub async fn piped_in(home: &Home, folder: &std::path::Path, line: &str) -> (String, String) {
    let run = home.shell(line).current_dir(folder).output();
    let done = tokio::time::timeout(BOUND, run)
        .await
        .expect("it ends")
        .expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (text(&done.stdout), text(&done.stderr))
}

async fn matches_in_a_pipe() {
    let home = Home::new();
    let root = repository(
        &home,
        "port",
        &[("docs/notes.md", NOTES), ("src/quay.rs", QUAY)],
    );
    home.claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    let expected = |docs: &str, src: &str, pattern: &str| -> Vec<String> {
        let docs = vimgrep(&format!("{docs}notes.md"), NOTES, pattern);
        [docs, vimgrep(&format!("{src}quay.rs"), QUAY, pattern)].concat()
    };
    let absolute = |folder: &str| format!("{}/{folder}/", root.display());
    for (arguments, pattern) in [
        ("-F ferry", "ferry"),
        ("-E 'm[a-z]+r'", "m[a-z]+r"),
        ("-E 'fer+y|größe|$'", "fer+y|größe|$"),
        ("-i ferry", "(?i)ferry"),
        ("-w ferry", r"\bferry\b"),
        ("-F ferry --vimgrep", "ferry"),
    ] {
        for (folder, docs, src) in [
            (root.clone(), "docs/".to_owned(), "src/".to_owned()),
            (root.join("src"), "../docs/".to_owned(), String::new()),
            (home.scratch().to_owned(), absolute("docs"), absolute("src")),
        ] {
            let named = if folder.starts_with(&root) {
                ""
            } else {
                " --root port"
            };
            let line = format!("claudevil search {arguments}{named}");
            let (rows, _) = piped_in(&home, &folder, &line).await;
            assert_eq!(
                rows.lines().collect::<Vec<_>>(),
                expected(&docs, &src, pattern),
                "{line} in {}",
                folder.display()
            );
        }
    }
    // All projects: the paths of programs lead to the files.
    let (rows, _) = piped_in(
        &home,
        home.scratch(),
        "claudevil search -F ferry --all-roots",
    )
    .await;
    let found = expected(&absolute("docs"), &absolute("src"), "ferry");
    assert_eq!(rows.lines().collect::<Vec<_>>(), found);
    // A minified line has more matches than are of use.
    let many = "moor ".repeat(1500);
    put(&root, "src/many.txt", many.as_bytes());
    let (rows, said) = piped_in(&home, &root, "claudevil search -F moor -g many.txt").await;
    assert_eq!(rows.lines().count(), 50);
    assert!(said.contains("the first 50"), "{said}");
}

async fn ranked_in_a_pipe() {
    let home = Home::new();
    let root = repository(
        &home,
        "port",
        &[("docs/notes.md", NOTES), ("src/quay.rs", QUAY)],
    );
    home.claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    for question in [
        "moor_ferry",
        "how is a ferry moored",
        "'ferry AND NOT lang:markdown'",
    ] {
        let (rows, said) = piped_in(&home, &root, &format!("claudevil search {question}")).await;
        assert!(said.contains("result"), "{question}: {said}");
        assert!(!rows.is_empty(), "{question}");
        for row in rows.lines() {
            let mut parts = row.splitn(4, ':');
            let mut part = || parts.next().unwrap_or_else(|| panic!("{row}"));
            let (path, line, column) = (part(), part(), part());
            let text = part();
            let file = fs::read_to_string(root.join(path)).expect("a file");
            let number: usize = line.parse().expect("a line");
            assert_eq!(file.lines().nth(number - 1), Some(text), "{row}");
            let column: usize = column.parse().expect("a column");
            assert!(text.is_char_boundary(column - 1), "{row}");
        }
    }
    let (rows, said) = piped_in(&home, &root, "claudevil search moor_ferry").await;
    let first = format!("src/quay.rs:1:8:{}", QUAY.lines().next().expect("a line"));
    assert_eq!(rows.lines().next(), Some(first.as_str()), "{said}");
    // What is missing is said beside the rows.
    let (rows, said) = piped_in(&home, &root, "claudevil search ferry -n 1").await;
    assert_eq!(rows.lines().count(), 1, "{rows}");
    assert!(said.contains(" more: `claudevil search "), "{said}");
    for options in ["--blocks", "--detailed"] {
        let (shown, _) = piped_in(
            &home,
            &root,
            &format!("claudevil search moor_ferry {options}"),
        )
        .await;
        assert!(
            shown.starts_with("Definition found\nsrc/quay.rs:"),
            "{shown}"
        );
    }
}

async fn several() {
    let home = Home::new();
    let long: String = (1..=12).map(|number| format!("seal {number}\n")).collect();
    let seals = long
        .replace("seal 3\n", "walrus 3\n")
        .replace("seal 4\n", "walrus 4\n");
    let seals = seals.replace("seal 10\n", "walrus 10\n");
    let root = repository(
        &home,
        "zoo",
        &[
            ("packages/api/src/a.rs", "// walrus\n"),
            ("packages/api/lib/b.py", "# walrus\n"),
            ("packages/api/tests/c.rs", "// walrus\n"),
            ("packages/web/src/d.rs", "// walrus\n"),
            ("src/e.rs", "// walrus\n"),
            ("tests/f.rs", "// walrus\n"),
            ("seals.txt", &seals),
        ],
    );
    home.claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    let api = root.join("packages/api");
    for (folder, options, expected) in [
        (&api, "-g 'src/**'", &["src/a.rs"][..]),
        (&api, "-g 'src/**' -g 'lib/**'", &["lib/b.py", "src/a.rs"]),
        (&api, "-g src/ -g lib/b.py", &["lib/b.py", "src/a.rs"]),
        (
            &api,
            "-g 'src/**' -g '*.py' -g '!tests/**'",
            &["lib/b.py", "src/a.rs"],
        ),
        (
            &api,
            "-g '*.rs' -g '!tests/**'",
            &[
                "src/a.rs",
                "../web/src/d.rs",
                "../../src/e.rs",
                "../../tests/f.rs",
            ],
        ),
        (
            &root,
            "-g 'src/**' -g 'tests/**'",
            &["src/e.rs", "tests/f.rs"],
        ),
        (&root, "-t py -g 'packages/**'", &["packages/api/lib/b.py"]),
        (
            &root,
            "-t py -t rust -t rs -g 'packages/api/**'",
            &[
                "packages/api/lib/b.py",
                "packages/api/src/a.rs",
                "packages/api/tests/c.rs",
            ],
        ),
    ] {
        let line = format!("claudevil search -l {options} walrus");
        let (found, said) = piped_in(&home, folder, &line).await;
        assert_eq!(
            found.lines().collect::<Vec<_>>(),
            expected,
            "{line}: {said}"
        );
    }
    let (ranked, said) = piped_in(&home, &root, "claudevil search -t py -t rust walrus -n 3").await;
    assert_eq!(ranked.lines().count(), 3, "{said}");
    assert!(said.contains("3 more: raise `--limit`"), "{said}");
    // Groups of lines stand apart, and a line around a match may be a match.
    for (options, expected) in [
        (
            "-C 1",
            "-2-seal 2\n:3:1:walrus 3\n:4:1:walrus 4\n-5-seal 5\n--\n-9-seal 9\n:10:1:walrus 10\n-11-seal 11\n",
        ),
        (
            "-A 1",
            ":3:1:walrus 3\n:4:1:walrus 4\n-5-seal 5\n--\n:10:1:walrus 10\n-11-seal 11\n",
        ),
        (
            "-B 1 -A 0",
            "-2-seal 2\n:3:1:walrus 3\n:4:1:walrus 4\n--\n-9-seal 9\n:10:1:walrus 10\n",
        ),
        ("-C 0", ":3:1:walrus 3\n:4:1:walrus 4\n:10:1:walrus 10\n"),
    ] {
        let line = format!("claudevil search -F walrus -g seals.txt {options}");
        let (shown, _) = piped_in(&home, &root, &line).await;
        assert_eq!(shown.replace("seals.txt", ""), expected, "{options}");
    }
}
