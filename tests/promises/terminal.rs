//! `claudevil` in a window: links, width, pager, the live view, and the first question about a project.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use claudevil_tests::home::{BOUND, Home, put, repository, signal};
use claudevil_tests::window::{Window, WindowKind, plain};
use libtest_mimic::Trial;
use tokio::io::{AsyncBufReadExt, BufReader};

use super::piped::piped_in;
use crate::{Needs, proof};

const WINDOW: Needs = Needs::Program("script", "needs script");
const KITTY: WindowKind<'_> = WindowKind {
    rows: 12,
    columns: 60,
    term: "xterm-kitty",
};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("terminal_places_are_links", WINDOW, links),
        proof(
            "terminal_lines_fit_the_window_around_what_was_found",
            WINDOW,
            widths,
        ),
        proof(
            "terminal_rows_fit_the_window_and_are_whole_in_a_pipe",
            WINDOW,
            rows,
        ),
        proof("terminal_code_is_in_colours", WINDOW, colours),
        proof(
            "terminal_models_offer_the_program_that_they_need",
            WINDOW,
            offers,
        ),
        proof("terminal_long_answers_go_through_a_pager", WINDOW, pages),
        proof(
            "terminal_errors_say_which_they_are_and_what_to_type_next",
            Needs::Nothing,
            errors,
        ),
        proof("terminal_status_is_watched_in_place", WINDOW, watched),
        proof(
            "terminal_status_in_a_pipe_is_a_block_for_each_change",
            Needs::Nothing,
            piped,
        ),
        proof(
            "terminal_first_search_adds_the_project_and_follows_it",
            WINDOW,
            first,
        ),
        proof(
            "terminal_first_search_waits_where_nothing_is_there_yet",
            Needs::Nothing,
            nothing_yet,
        ),
    ]
}

async fn run(
    home: &Home,
    folder: &std::path::Path,
    kind: WindowKind<'_>,
    line: &str,
) -> (String, Option<i32>) {
    Window::open(home, folder, kind, line).end().await
}

async fn links() {
    let home = Home::new();
    let root = repository(
        &home,
        "port",
        &[(
            "src/a b.rs",
            "pub fn moor_ferry() {}\npub fn main() { moor_ferry() }\n",
        )],
    );
    home.claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    let link = format!("\x1b]8;;file://{}/src/a%20b.rs#", root.display());
    let verbs = [
        "search moor_ferry",
        "search -F moor_ferry",
        "symbol moor_ferry",
        "explore moor_ferry",
    ];
    for (verb, line) in verbs
        .map(|verb| (verb, 1))
        .into_iter()
        .chain([("refs moor_ferry", 2)])
    {
        let (shown, _) = run(&home, &root, KITTY, &format!("claudevil {verb}")).await;
        assert!(
            shown.contains(&format!("{link}{line}\x1b\\")),
            "{verb}: {shown:?}"
        );
        assert!(
            plain(&shown).contains(&format!("src/a b.rs:{line}")),
            "{verb}: {shown:?}"
        );
        // Every link that is opened is closed.
        assert_eq!(
            shown.matches("\x1b]8;;file").count(),
            shown.matches("\x1b]8;;\x1b\\").count(),
            "{shown:?}"
        );
    }
    let without = [
        (KITTY, "claudevil --links never search moor_ferry"),
        (KITTY, "CLAUDEVIL_LINKS=never claudevil search moor_ferry"),
        (KITTY, "claudevil search moor_ferry | cat"),
        (KITTY, "claudevil --json search moor_ferry"),
        (KITTY, "claudevil --json --links always search moor_ferry"),
        (
            WindowKind {
                term: "dumb",
                ..KITTY
            },
            "claudevil search moor_ferry",
        ),
        (
            WindowKind {
                term: "xterm",
                ..KITTY
            },
            "claudevil search moor_ferry",
        ),
    ];
    for (kind, line) in without {
        let (shown, code) = run(&home, &root, kind, line).await;
        assert!(
            !shown.contains("\x1b]8") && shown.contains("moor_ferry"),
            "{line}: {shown:?}"
        );
        assert_eq!(code, Some(0), "{line}");
    }
    let typed = "CLAUDEVIL_LINKS=vscode claudevil symbol moor_ferry";
    let (shown, _) = run(
        &home,
        &root,
        WindowKind {
            term: "xterm",
            ..KITTY
        },
        typed,
    )
    .await;
    assert!(
        shown.contains(&format!("vscode://file{}/src/a%20b.rs:1", root.display())),
        "{shown:?}"
    );
}

async fn widths() {
    let home = Home::new();
    let long = format!(
        "let x = \"{}\"; walrus(); let y = \"{}\";",
        "日本".repeat(20),
        "z".repeat(100)
    );
    let root = repository(
        &home,
        "zoo",
        &[("a.rs", &format!("fn main() {{\n{long}\n}}\n"))],
    );
    home.claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    for verb in ["search -F walrus", "search walrus"] {
        for columns in [40, 60, 200] {
            let kind = WindowKind { columns, ..KITTY };
            let (shown, _) = run(&home, &root, kind, &format!("claudevil --no-pager {verb}")).await;
            let marked = shown
                .lines()
                .find(|line| line.contains("\x1b[31mwalrus"))
                .unwrap_or_else(|| {
                    panic!("{verb} in {columns}: what was found is not seen: {shown:?}");
                });
            let line = plain(marked);
            let width = width(line.trim_end());
            assert!(width <= columns, "{verb} in {columns}: {line} has {width}");
            assert!(line.contains('…'), "{line}");
        }
    }
    // In a pipe nothing is cut or coloured.
    let (shown, _) = run(&home, &root, KITTY, "claudevil search -F walrus | cat").await;
    let column = long.find("walrus").expect("there") + 1;
    assert!(
        shown.contains(&format!("a.rs:2:{column}:{long}")),
        "{shown:?}"
    );
}

/// Returns the columns of a line, in which some letters take two.
fn width(line: &str) -> usize {
    line.chars()
        .map(|letter| if letter > '\u{2e80}' { 2 } else { 1 })
        .sum()
}

async fn rows() {
    let home = Home::new();
    let path = "src/enclosures/northern/feeding.rs";
    let words = "first_bucket: &str, second_bucket: &str, third_bucket: &str, how_many_times: u64";
    let text = format!(
        "//! Feeding.\n\npub fn feed_the_walrus({words}) -> u64 {{\n    how_many_times\n}}\n\n\
         pub fn feed_all_of_them_before_the_visitors_come({words}) -> u64 {{\n    \
         feed_the_walrus(first_bucket, second_bucket, third_bucket, how_many_times)\n}}\n"
    );
    let root = repository(&home, "zoo", &[(path, &text)]);
    home.claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    let verbs = [
        ("files", true),
        ("symbol feed_the_walrus", true),
        ("map", true),
        ("refs feed_the_walrus", true),
        ("search -F feed_the_walrus", true),
        ("callers feed_the_walrus", true),
        ("graph feed_the_walrus", true),
        ("impact feed_the_walrus", false),
        ("dive feed_the_walrus", true),
        ("search walrus", true),
        ("status", false),
        ("model list", true),
    ];
    for (verb, is_cut) in verbs {
        let (shown, code) = run(
            &home,
            &root,
            KITTY,
            &format!("claudevil --no-pager {verb} 2>/dev/null"),
        )
        .await;
        assert_eq!(code, Some(0), "{verb}: {shown:?}");
        for line in plain(&shown).lines() {
            assert!(
                width(line.trim_end()) <= KITTY.columns,
                "{verb}: {line} has {}",
                width(line.trim_end())
            );
        }
        assert_eq!(shown.contains('…'), is_cut, "{verb}: {shown:?}");
        // A pipe gets all of it.
        for line in [
            format!("claudevil {verb} 2>/dev/null | cat"),
            format!("claudevil --json {verb} | cat"),
        ] {
            let (piped, _) = run(&home, &root, KITTY, &line).await;
            assert!(
                !piped.contains('…') && piped.len() > 20,
                "{line}: {piped:?}"
            );
        }
    }
    // The match is visible, whatever is around it.
    let (shown, _) = run(
        &home,
        &root,
        KITTY,
        "claudevil --no-pager search -F how_many_times",
    )
    .await;
    assert!(plain(&shown).contains("how_many_times"), "{shown:?}");
}

async fn colours() {
    let home = Home::new();
    let text = "/*\n * Ties up a ferry.\n */\npub fn moor_ferry() -> u32 {\n    let name = \"ferry\";\n    42 // long\n}\n";
    let root = repository(&home, "port", &[("src/quay.rs", text)]);
    home.claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    let (keyword, found) = ("\x1b[35mpub", "\x1b[31mmoor_ferry");
    for (verb, expected) in [
        ("search moor_ferry", &[keyword, found][..]),
        ("search -F moor_ferry", &[keyword, found]),
        (
            "read src/quay.rs",
            &[
                keyword,
                "\x1b[2m * Ties up",
                "\x1b[32m\"ferry\"",
                "\x1b[36m42",
                "\x1b[2m// long",
            ],
        ),
        ("read src/quay.rs:2-4", &[keyword, "\x1b[2m * Ties up"]),
        (
            "search --color always moor_ferry --blocks | cat",
            &[keyword, found],
        ),
    ] {
        let line = format!("claudevil --no-pager {verb}");
        let (shown, _) = run(&home, &root, KITTY, &line).await;
        for part in expected {
            assert!(shown.contains(part), "{line} lacks {part:?}: {shown:?}");
        }
        let (shown, _) = run(&home, &root, KITTY, &format!("NO_COLOR=1 {line}")).await;
        assert!(
            verb.contains("always") || !shown.contains("\x1b[3"),
            "{line}: {shown:?}"
        );
    }
    let (piped, _) = run(&home, &root, KITTY, "claudevil read src/quay.rs | cat").await;
    assert_eq!(piped.replace("\r\n", "\n"), text);
}

/// A copy that npm installed, without the program for other models, and an npm that only notes what it was asked to do.
async fn offers() {
    let home = Home::new();
    let installed = home
        .scratch()
        .join("lib/node_modules/claudevil/bin/claudevil");
    claudevil_tests::binaries::install("claudevil", &installed);
    let asked = home.scratch().join("npm.txt");
    let npm = format!("#!/bin/sh\necho \"$@\" > {}\n", asked.display());
    put(home.scratch(), "bin/npm", npm.as_bytes());
    let npm = home.scratch().join("bin/npm");
    fs::set_permissions(&npm, fs::Permissions::from_mode(0o755)).expect("set");
    let root = repository(&home, "port", &[("a.rs", "")]);
    let line = format!(
        "PATH={}:$PATH {} model use bge-small-en-v1.5 --untried",
        home.scratch().join("bin").display(),
        installed.display()
    );
    let question = "Install it with `npm install -g claudevil-vectors`? [y/N]";
    for (reply, is_run) in [("n\n", false), ("y\n", true)] {
        let mut window = Window::open(&home, &root, KITTY, &line);
        window.shows(0, question).await;
        window.press(reply).await;
        let (shown, code) = window.end().await;
        assert_eq!(code, Some(0), "{shown:?}");
        assert!(shown.contains("is set in"), "{shown:?}");
        assert_eq!(asked.is_file(), is_run, "{shown:?}");
    }
    let ran = fs::read_to_string(&asked).expect("npm ran");
    assert_eq!(ran, "install -g claudevil-vectors\n");
    // Without a person, the command is printed.
    fs::remove_file(&asked).expect("removed");
    let (_, said) = piped_in(&home, &root, &line).await;
    assert!(said.contains("npm install -g claudevil-vectors"), "{said}");
    assert!(!asked.exists());
}

async fn pages() {
    let home = Home::new();
    let root = repository(&home, "zoo", &[("few.txt", "a walrus\n")]);
    let many: String = (0..300).map(|number| format!("seal {number}\n")).collect();
    put(&root, "many.txt", many.as_bytes());
    home.claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    let taken_by_pager = home.scratch().join("paged.txt");
    let pager = format!("CLAUDEVIL_PAGER='cat > {}'", taken_by_pager.display());
    let taken = || {
        let text = fs::read_to_string(&taken_by_pager).ok();
        let _ = fs::remove_file(&taken_by_pager);
        text
    };
    let (shown, code) = run(
        &home,
        &root,
        KITTY,
        &format!("{pager} claudevil search -F seal"),
    )
    .await;
    let text = taken().unwrap_or_else(|| panic!("no pager was started: {shown:?}"));
    let lines: Vec<_> = text
        .lines()
        .map(plain)
        .filter(|line| line.starts_with("many.txt:"))
        .collect();
    assert_eq!((lines.len(), code), (300, Some(0)));
    assert!(
        lines[299].starts_with("many.txt:300:seal 299"),
        "{}",
        lines[299]
    );
    // Remarks on the answer come after it.
    assert!(
        plain(&text).trim_end().ends_with("300 lines with `seal`")
            || plain(&text).contains("300 lines"),
        "{text}"
    );
    assert!(!plain(&shown).contains("many.txt:"), "{shown:?}");

    for line in [
        format!("{pager} claudevil --no-pager search -F seal"),
        format!("{pager} claudevil search -F seal | cat"),
        format!("{pager} claudevil --json search -F seal -n 100"),
        format!("{pager} claudevil search -F walrus"),
        format!("{pager} claudevil doctor --json"),
        "CLAUDEVIL_PAGER=cat claudevil search -F seal".to_owned(),
        "PAGER=/no/such/pager CLAUDEVIL_PAGER=cat claudevil search -F seal".to_owned(),
    ] {
        let (shown, _) = run(&home, &root, KITTY, &line).await;
        assert_eq!(taken(), None, "{line}: {shown:?}");
        assert!(shown.len() > 20, "{line}: {shown:?}");
    }
    // If a pager is missing or fails, the answer is still seen.
    for pager in ["/no/such/pager", "false", "head -n 2 > /dev/null; exit 3"] {
        let (shown, code) = run(
            &home,
            &root,
            KITTY,
            &format!("CLAUDEVIL_PAGER='{pager}' claudevil search -F seal"),
        )
        .await;
        let lines: Vec<_> = shown
            .lines()
            .map(plain)
            .filter(|line| line.starts_with("many.txt:"))
            .collect();
        assert_eq!((lines.len(), code), (300, Some(0)), "{pager}: {shown:?}");
        assert!(
            lines[299].starts_with("many.txt:300:seal 299"),
            "{}",
            lines[299]
        );
    }
    // An error is seen after the pager's output, and sets the exit code.
    let (shown, code) = run(
        &home,
        &root,
        KITTY,
        &format!("{pager} claudevil read nothing.txt"),
    )
    .await;
    assert!(
        shown.contains("error:") && code == Some(1),
        "{code:?} {shown:?}"
    );
    // A person who leaves the pager early has seen enough; `PAGER` is used if ours is not set.
    let (shown, code) = run(
        &home,
        &root,
        KITTY,
        "PAGER='head -n 2' claudevil search -F seal",
    )
    .await;
    assert_eq!(
        (plain(&shown).matches("many.txt:").count(), code),
        (2, Some(0)),
        "{shown:?}"
    );
}

async fn errors() {
    let home = Home::new();
    let root = repository(
        &home,
        "port",
        &[("src/quay.rs", "pub fn moor_ferry() {}\n")],
    );
    let folder = root.to_str().expect("UTF-8");
    home.claudevil(&["reindex", "--wait", "--root", folder])
        .await;
    let cases: [(&[&str], &str, &str); 7] = [
        (
            &["read", "nope.rs"],
            "[file_not_found]",
            "`claudevil search nope.rs --root port`",
        ),
        (&["read", "src"], "[", "`claudevil map src --root port`"),
        (&["symbol", "qqqq"], "[symbol_not_found]", "hint: "),
        (
            &["refs", "moor_fery"],
            "[symbol_not_found]",
            "hint: claudevil symbol moor_ferry --root port",
        ),
        (
            &["files", "--limit", "20000"],
            "[invalid_argument]",
            "page with `--cursor`",
        ),
        (
            &["files", "(", "--regex"],
            "[invalid_argument]",
            "leave `--regex` out",
        ),
        (
            &["roots", "add", "/"],
            "[root_refused]",
            "name the folder of a project",
        ),
    ];
    for (arguments, code, next) in cases {
        let output = home
            .command("claudevil")
            .args(arguments)
            .current_dir(&root)
            .output()
            .await
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains(code) && said.contains(next),
            "{arguments:?}: {said}"
        );
        assert!(
            !said.contains("{\"") && !said.contains("argument `"),
            "{arguments:?}: {said}"
        );
    }
}

async fn watched() {
    let home = Home::new();
    let root = home.project("engine");
    let folder = root.to_str().expect("UTF-8").to_owned();
    home.claudevil(&["reindex", "--wait", "--root", &folder])
        .await;
    let mut window = Window::open(&home, &root, KITTY, "exec claudevil status --watch");
    let hidden = window.shows(0, "\x1b[?25l").await;
    let at = window.shows(hidden, "engine").await;
    // Redrawn over the previous lines.
    let again = window.shows(at, "A\r\x1b[J").await;
    assert!(
        home.claudevil(&["search", "-F", "println", "--root", &folder])
            .await
            .status
            .success()
    );
    window.shows(again, "1 question answered").await;
    // Watching does not start a daemon that was stopped.
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    window.shows(again, "the daemon is not running").await;
    assert_eq!(home.daemon(), None);
    window.press("\x03").await;
    let (shown, code) = window.end().await;
    assert_eq!(code, Some(0), "{shown:?}");
    assert!(
        shown.trim_end().ends_with("\x1b[?25h"),
        "the cursor is back: {shown:?}"
    );
    // No line is wider than the window, so that moving up by lines is right.
    for line in plain(&shown).lines() {
        assert!(line.trim().chars().count() <= KITTY.columns, "{line:?}");
    }
    assert_eq!(home.daemon(), None);
    // The key that ends pagers ends it too, and keys after it are for the shell.
    let mut window = Window::open(
        &home,
        &root,
        KITTY,
        "claudevil status --watch; read typed; echo typed $typed",
    );
    let hidden = window.shows(0, "\x1b[?25l").await;
    window.shows(hidden, "engine").await;
    window.press("xq").await;
    let ended = window.shows(hidden, "\x1b[?25h").await;
    window.press("more\n").await;
    window.shows(ended, "typed more").await;
    assert_eq!(window.end().await.1, Some(0));
}

async fn piped() {
    let home = Home::new();
    let root = home.project("engine");
    let folder = root.to_str().expect("UTF-8").to_owned();
    home.claudevil(&["reindex", "--wait", "--root", &folder])
        .await;
    for json in [false, true] {
        let status = home.json(&["status"]).await;
        let files = status["roots"][0]["index"]["files"]
            .as_u64()
            .expect("files");
        let mut command = home.command("claudevil");
        let arguments: &[&str] = if json {
            &["--json", "status", "--watch"]
        } else {
            &["status", "--watch"]
        };
        let mut child = command
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
        let mut blocks = 0;
        let mut until = async |files: u64| loop {
            let line = tokio::time::timeout(BOUND, lines.next_line())
                .await
                .expect("a line comes")
                .expect("readable");
            let line = line.expect("it goes on");
            assert!(!line.contains('\x1b'), "{line:?}");
            let (of_root, wanted) = if json {
                ("\"name\":\"engine\"", format!("\"files\":{files},"))
            } else {
                ("engine  ", format!(" {files} files,"))
            };
            blocks += usize::from(line.contains(of_root));
            if line.contains(of_root) && line.contains(&wanted) {
                break;
            }
        };
        until(files).await;
        put(&root, &format!("src/more_{json}.rs"), b"pub fn more() {}\n");
        assert!(
            home.claudevil(&["search", "-F", "pub fn more", "--root", &folder])
                .await
                .status
                .success()
        );
        until(files + 1).await;
        // Polled every second, but written only if something has changed.
        assert!((2..=6).contains(&blocks), "{blocks} blocks");
        signal(child.id().expect("it runs"), rustix::process::Signal::INT);
        let status = tokio::time::timeout(BOUND, child.wait())
            .await
            .expect("it ends")
            .expect("it ran");
        assert_eq!(status.code(), Some(0));
    }
}

async fn first() {
    let home = Home::new();
    let root = repository(
        &home,
        "big",
        &[("src/moor.rs", "/// Ties it up.\npub fn moor_ferry() {}\n")],
    );
    for number in 0..2500 {
        let text: String = (0..12)
            .map(|line| format!("pub fn part_{number}_{line}() -> u32 {{\n    {line}\n}}\n"))
            .collect();
        put(
            &root,
            &format!("src/part{}/file{number}.rs", number % 40),
            text.as_bytes(),
        );
    }
    assert_eq!(home.daemon(), None);
    let mut window = Window::open(&home, &root, KITTY, "claudevil search moor_ferry");
    let answered = window.shows(0, "src/moor.rs").await;
    let said = window.shows(answered, "is being indexed").await;
    window.shows(said, " files indexed: ask again").await;
    let (shown, code) = window.end().await;
    assert_eq!(code, Some(0), "{shown:?}");
    assert!(
        plain(&shown).contains("] ") && shown.contains(" of 2,501 files"),
        "a bar: {shown:?}"
    );
    assert!(home.daemon().is_some());
    // The next question finds everything, and shows no progress.
    let (shown, _) = run(&home, &root, KITTY, "claudevil search moor_ferry").await;
    assert!(
        shown.contains("Definition found") && !shown.contains("being indexed"),
        "{shown:?}"
    );
}

/// The last file of a new project is found by the first question about it.
async fn nothing_yet() {
    for round in 0..3 {
        let home = Home::new();
        let root = repository(&home, "big", &[("zz/last.rs", "pub fn moor_ferry() {}\n")]);
        for number in 0..1500 {
            put(
                &root,
                &format!("src/file{number}.rs"),
                format!("pub fn part_{number}() {{}}\n")
                    .repeat(9)
                    .as_bytes(),
            );
        }
        let folder = root.to_str().expect("UTF-8");
        for query in [["-F", "fn moor_ferry"], ["--mode=keyword", "moor_ferry"]] {
            let output = home
                .claudevil(&["search", "--root", folder, query[0], query[1]])
                .await;
            let shown = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(
                output.status.success() && shown.contains("zz/last.rs"),
                "round {round}: {output:?}"
            );
        }
    }
}
