//! Every language against its sample: the facts that are expected of it stand beside it, in `sample.facts`.
//!
//! After a change that is meant, `UPDATE_FACTS=1 cargo test -p claudevil-daemon --test languages` rewrites them; read
//! the difference before it is committed.

#![expect(
    clippy::disallowed_methods,
    reason = "samples are read from the checkout"
)]

mod show;

use std::fs;
use std::path::{Path, PathBuf};

use claudevil_daemon::extract::{self, ChunkSizes, facts};
use claudevil_daemon::lang;

fn defs() -> &'static Path {
    Path::new("src/lang/defs")
}

/// The samples of a language: `sample.<extension>`, or a folder `sample` with files of fixed names.
fn samples(id: &str) -> Vec<PathBuf> {
    let folder = defs().join(id);
    let entries = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).map_or(vec![], |entries| {
            entries.flatten().map(|entry| entry.path()).collect()
        })
    };
    let named = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("sample"))
    };
    let mut found: Vec<PathBuf> = entries(&folder)
        .into_iter()
        .filter(|path| path.is_file() && named(path))
        .collect();
    found.extend(entries(&folder.join("sample")));
    found.retain(|path| {
        path.extension()
            .is_none_or(|extension| extension != "facts")
    });
    found.sort();
    found
}

#[test]
fn every_query_compiles_against_its_grammar() {
    for language in lang::all() {
        if language.facts.is_some()
            && let Err(problem) = extract::compile(language, &language.queries())
        {
            panic!("{}: {problem}", language.id);
        }
    }
}

#[test]
fn samples_give_the_facts_beside_them() {
    let update = std::env::var_os("UPDATE_FACTS").is_some();
    let mut wrong = vec![];
    for language in lang::all() {
        for sample in samples(language.id) {
            let source = fs::read_to_string(&sample).expect("a sample is UTF-8");
            let shown = show::show(&extract::extract(
                Some(language),
                &source,
                ChunkSizes::default(),
            ));
            let expected = PathBuf::from(format!("{}.facts", sample.display()));
            if update {
                fs::write(&expected, &shown).expect("written");
            } else if fs::read_to_string(&expected).unwrap_or_default() != shown {
                wrong.push(format!("{}\n{shown}", sample.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "other facts than expected:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_language_with_facts_or_an_outline_has_a_sample() {
    let without: Vec<&str> = lang::all()
        .iter()
        .filter(|language| language.facts.is_some() || !language.outline.is_empty())
        .map(|language| language.id)
        .filter(|id| samples(id).is_empty())
        .collect();
    assert!(without.is_empty(), "no sample for {}", without.join(", "));
}
