//! Checks that a project still builds or runs, by the tools of its language, with nothing but the standard library.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claudevil_protocol::environment;

/// Imports everything and runs the tests, which are plain functions.
const PYTHON: &str = "
import pathlib, tests.test_checkout as tests, shop.events, shop.storage.journal
for path in pathlib.Path('.').rglob('*.py'):
    compile(path.read_text(), str(path), 'exec')
for name in dir(tests):
    if name.startswith('test_'):
        getattr(tests, name)()
";

/// Returns the messages of the tools if the project is broken, and None if it is sound. `scratch` is for build output.
pub fn broken(language: &str, root: &Path, scratch: &Path) -> Option<String> {
    fs::create_dir_all(scratch).expect("made");
    let run = |program: &str, arguments: Vec<OsString>| {
        let output = Command::new(program)
            .args(&arguments)
            .current_dir(root)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("GOFLAGS", "-mod=mod")
            .env("GOPROXY", "off")
            .env("GOTOOLCHAIN", "local")
            .output()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        let said = [output.stdout, output.stderr].concat();
        (!output.status.success()).then(|| format!("{program}: {}", String::from_utf8_lossy(&said)))
    };
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let over = |first: &[&str], ending: &str| {
        words(first)
            .into_iter()
            .chain(files(root, ending).into_iter().map(PathBuf::into_os_string))
            .collect()
    };
    match language {
        "python" => run("python3", words(&["-c", PYTHON])),
        "javascript" => run("node", words(&["--test", "test/"]))
            .or_else(|| run("node", words(&["src/main.js"]))),
        "typescript" => run("tsc", words(&["--noEmit", "-p", "."])),
        "rust" => {
            let mut arguments = words(&[
                "check",
                "--offline",
                "--quiet",
                "--all-targets",
                "--target-dir",
            ]);
            arguments.push(scratch.into());
            run("cargo", arguments)
        }
        "c" => run(
            "cc",
            over(
                &[
                    "-fsyntax-only",
                    "-Iinclude",
                    "-Werror=implicit-function-declaration",
                ],
                ".c",
            ),
        ),
        "cpp" => run(
            "c++",
            over(&["-fsyntax-only", "-Iinclude", "-std=c++20"], ".cpp"),
        ),
        "go" => run("go", words(&["vet", "./..."])),
        "java" => {
            let mut arguments = over(&["-proc:none"], ".java");
            arguments.extend(["-d".into(), scratch.into()]);
            run("javac", arguments)
        }
        "bash" => files(root, ".sh")
            .into_iter()
            .find_map(|script| run("bash", vec!["-n".into(), script.into_os_string()]))
            .or_else(|| run("bash", words(&["-eu", "test/archive_test.sh"])))
            .or_else(|| {
                run(
                    "bash",
                    words(&["backup.sh", "-s", scratch.to_str().expect("UTF-8"), "lib"]),
                )
            }),
        _ => panic!("nobody knows how {language} is built"),
    }
}

pub fn is_here(program: &str) -> bool {
    let paths = environment::variable("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// Returns all files of a project with this extension, sorted.
pub fn files(root: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .expect("UTF-8");
            if name == ".git" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
