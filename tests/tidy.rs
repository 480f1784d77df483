//! Rules of the code that a compiler does not check: sizes, edges between modules, names, comments, linked crates.

#[path = "tidy/edges.rs"]
mod edges;
#[path = "tidy/files.rs"]
mod files;
#[path = "tidy/languages.rs"]
mod languages;
#[path = "tidy/linked_crates.rs"]
mod linked_crates;
#[path = "tidy/wording.rs"]
mod wording;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use claudevil_tests::binaries::workspace;
use regex::Regex;

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

/// Returns the code of a file without its test items: `#[cfg(test)] mod tests { … }`.
fn read_without_tests(path: &Path) -> String {
    without_tests(&read(path))
}

/// Comments, literals, and the signs that end an item.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let token = r##"//[^\n]*|r"[^"]*"|r#"(?s:.*?)"#|"(?:[^"\\]|\\(?s:.))*"|'(?:[^'\\]|\\[^']*)'|[(\[{}\])]|[;,]\n"##;
    Regex::new(token).expect("a pattern")
});

/// `#[cfg(all(test, unix))]`
static NARROWER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"#\[cfg\(all\(test, .*\)\)\]").expect("a pattern"));

fn without_tests(code: &str) -> String {
    let code = NARROWER.replace_all(code, "#[cfg(test)]");
    let mut kept = String::new();
    let mut rest: &str = &code;
    while let Some((before, item)) = rest.split_once("#[cfg(test)]") {
        kept.push_str(before);
        let mut depth = 0;
        let mut tokens = TOKEN.find_iter(item);
        let end = tokens.find_map(|token| {
            match token.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" => depth -= 1,
                "}" => {
                    depth -= 1;
                    return (depth == 0).then_some(token.end());
                }
                ";\n" | ",\n" if depth == 0 => return Some(token.end()),
                _ => {}
            }
            None
        });
        rest = &item[end.unwrap_or(item.len())..];
    }
    kept + rest
}

#[test]
fn only_test_items_are_left_out() {
    let code = "use a;\n#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;\nfn b() {}\n#[cfg(test)]\nmod tests {\n    const C: \
                &str = r#\"\n}\n\"#;\n    // }\n    const D: char = '}';\n}\nstruct E {\n    #[cfg(test)]\n    f: \
                (u8, u8),\n    g: u8,\n}\n#[cfg(test)]\nuse h::{i, j};\nfn k<'a>() {}\n";
    let lines: Vec<_> = without_tests(code)
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.trim().to_owned())
        .collect();
    assert_eq!(
        lines,
        [
            "use a;",
            "fn b() {}",
            "struct E {",
            "g: u8,",
            "}",
            ";",
            "fn k<'a>() {}"
        ]
    );
}
