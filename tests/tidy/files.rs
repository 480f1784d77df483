//! Files: each opens with a comment, holds one idea, and has a name that says something.

use claudevil_tests::binaries::workspace;

use super::{read, sources};

/// A file that grows past this is two ideas.
const LONGEST_FILE: usize = 850;

/// Files above this length are rare: at most `MAX_LARGE_FILES` of them.
const LARGE_FILE: usize = 600;
const MAX_LARGE_FILES: usize = 18;

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
        large.len() <= MAX_LARGE_FILES,
        "{} files are longer than {LARGE_FILE} lines: {large:?}",
        large.len()
    );
}

/// Documents for a first look at the project, which stay short.
#[test]
fn the_map_of_the_code_and_the_readme_stay_short() {
    let map = read(&workspace().join("ARCHITECTURE.md"));
    let words = map.split_whitespace().count();
    assert!(words <= 2_500, "ARCHITECTURE.md has {words} words");
    let readme = read(&workspace().join("README.md"));
    let lines = readme.lines().count();
    assert!(lines <= 150, "README.md has {lines} lines");
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
