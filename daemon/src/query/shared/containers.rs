//! Compares the containers of a qualified name with those of a symbol: `Parser::next` is the `next` in `Parser`, and
//! `store.open` may be the `open` in a module, a package, a namespace or a file called `store`.

use crate::extract::facts::Symbol;
use crate::index::names::namespace_of;
use crate::index::snapshot::IndexedFile;
use crate::lang::families::Keyword;
use crate::lang::{Language, ModuleSystem};

/// The factor of a match with the name of a file, in languages whose packages are folders.
const BY_FILE_IN_PACKAGE: f64 = 0.9;

/// Returns how well the containers that a caller names, outermost first, fit those of a symbol; none if they do not.
pub fn score_containers(named: &[String], file: &IndexedFile, symbol: &Symbol) -> Option<f64> {
    if named.is_empty() {
        return Some(1.0);
    }
    let own = own_containers(file, symbol);
    // A package or module is often just the folder or the file.
    // A folder `http-server` is called `http_server` in code.
    let plain = file.path.replace('-', "_");
    let path: Vec<&str> = plain
        .rsplit('/')
        .map(|part| part.split('.').next().unwrap_or(part))
        .collect();
    let named: Vec<&str> = named.iter().rev().map(String::as_str).collect();
    let is_root = |word: &str| names_crate_root(file.language, word);
    let by_path = score_parts(&named, &own, &path, is_root);
    let by_path = if is_package_of_folder(file.language) {
        let folders = [&[""], path.get(1..).unwrap_or_default()].concat();
        let by_folder = score_parts(&named, &own, &folders, is_root);
        by_folder.or_else(|| Some(by_path? * BY_FILE_IN_PACKAGE))
    } else {
        by_path
    };
    // A package may declare a name that its folder does not have: `package chi` in `v5/`.
    let by_package = file.outline.package.as_deref().and_then(|package| {
        let path = [&["", package], path.get(2..).unwrap_or_default()].concat();
        score_parts(&named, &own, &path, is_root)
    });
    // A namespace declared at the head of a file is not a container of its symbols: `namespace Acme\Cookie;`.
    let namespace = namespace(file, symbol).unwrap_or_default();
    let namespaces = namespace
        .rsplit(|sign| !is_word(sign))
        .filter(|part| !part.is_empty());
    let inside: Vec<&str> = own.iter().copied().chain(namespaces).collect();
    let by_namespace = if inside.len() > own.len() {
        score_parts(&named, &inside, &path, is_root)
    } else {
        None
    };
    [by_path, by_package, by_namespace]
        .into_iter()
        .flatten()
        .reduce(f64::max)
}

/// Returns the containers of a symbol, innermost first, each part by itself.
pub fn own_containers<'a>(file: &'a IndexedFile, symbol: &'a Symbol) -> Vec<&'a str> {
    let own = symbol.name.rsplit(['.', '\\']).skip(1);
    let containers = file
        .containers(symbol)
        .flat_map(|container| container.rsplit(|sign| !is_word(sign)));
    own.chain(containers)
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns whether a character is part of a name in any language: `$scope`, `#private`, `empty?`.
pub fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || "_$#@!?~".contains(sign)
}

/// Returns the namespace that a file declares for a symbol without being its container.
fn namespace(file: &IndexedFile, symbol: &Symbol) -> Option<String> {
    let place = file
        .outline
        .symbols
        .iter()
        .position(|one| std::ptr::eq(one, symbol))?;
    namespace_of(file, u32::try_from(place).ok())
}

/// Returns whether the package of a file is that of its folder, whatever the file is called: `backend` of `mock/backend.go` is no
/// container.
fn is_package_of_folder(language: Option<&Language>) -> bool {
    let facts = language.and_then(|language| language.facts.as_ref());
    facts.is_some_and(|facts| facts.names.modules == ModuleSystem::PackageFolder)
}

/// Returns whether a word at the start of a path names the root of the crate: `crate` in `crate::store::open`.
fn names_crate_root(language: Option<&Language>, word: &str) -> bool {
    let facts = language.and_then(|language| language.facts.as_ref());
    facts.is_some_and(|facts| facts.names.family.keyword(word) == Some(Keyword::CrateRoot))
}

/// Compares names, all innermost first. A match in the same case scores above one in another case, a match of containers above
/// one of the path, and a match without gaps above one with gaps. A qualified name as answers write it therefore means exactly
/// one symbol, whatever files and folders are called.
fn score_parts(
    named: &[&str],
    own: &[&str],
    path: &[&str],
    is_root: impl Fn(&str) -> bool + Copy,
) -> Option<f64> {
    let same = |one: &str, other: &str| one == other;
    score_parts_by(same, named, own, path, is_root).or_else(|| {
        Some(score_parts_by(str::eq_ignore_ascii_case, named, own, path, is_root)? * 0.9)
    })
}

fn score_parts_by(
    is_same: impl Fn(&str, &str) -> bool,
    named: &[&str],
    own: &[&str],
    path: &[&str],
    is_root: impl Fn(&str) -> bool,
) -> Option<f64> {
    let starts_with = |all: &[&str], first: &[&str]| {
        all.len() >= first.len()
            && first
                .iter()
                .zip(all)
                .all(|(one, other)| is_same(one, other))
    };
    if starts_with(own, named) {
        return Some(1.0);
    }
    // The root of a crate has no folder of its name: `crate`.
    let named = match named.split_last() {
        Some((outermost, others)) if is_root(outermost) => others,
        _ => named,
    };
    let outside = named.get(own.len()..).filter(|_| starts_with(named, own));
    if outside.is_some_and(|outside| {
        (0..2).any(|from| {
            path.get(from..)
                .is_some_and(|path| starts_with(path, outside))
        })
    }) {
        return Some(0.97);
    }
    let has_in_order = |all: &[&str]| {
        let mut all = all.iter();
        named.iter().all(|one| all.any(|other| is_same(one, other)))
    };
    if has_in_order(own) {
        Some(0.94)
    } else {
        has_in_order(&[own, path].concat()).then_some(0.91)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn a_go_file_is_no_package() {
        let text = "type Backend interface{}\n";
        let files = Files::new(
            "go",
            &[
                ("backend/api.go", &format!("package backend\n\n{text}")),
                (
                    "backend/mock/backend.go",
                    &format!("package mock\n\n{text}"),
                ),
            ],
        );
        let score = |file: usize, named: &str| {
            let file = &files.snapshot.files[file];
            score_containers(&[named.to_owned()], file, &file.outline.symbols[0])
        };
        assert!(score(0, "backend") > score(1, "backend"));
        assert!(score(1, "mock") > score(0, "mock"));
        assert!(score(1, "backend").is_some());
    }

    #[test]
    fn a_qualified_name_means_the_symbol_that_is_written_like_it() {
        // Containers are written innermost first.
        let best = |wanted: &[&str], all: &[(&[&str], &[&str])]| {
            let scores: Vec<_> = all
                .iter()
                .map(|(around, path)| {
                    score_parts(wanted, around, path, |word| word == "crate").unwrap_or(0.0)
                })
                .collect();
            let most = scores.iter().copied().fold(0.0, f64::max);
            (0..scores.len())
                .filter(|place| most > 0.0 && scores[*place] >= most)
                .collect::<Vec<_>>()
        };
        let store: &[&str] = &["store", "store"];
        let of_store: [(&[&str], &[&str]); 4] = [
            (&["Store"], store),
            (&["Mem"], store),
            (&[], store),
            (&[], &["main"]),
        ];
        // Only the interface matches, not everything in a folder with the same name in another case.
        assert_eq!(best(&["Store"], &of_store), [0]);
        assert_eq!(
            best(&["store"], &of_store),
            [2],
            "what is directly in the file"
        );
        assert_eq!(best(&["Mem", "store"], &of_store), [1]);
        assert_eq!(
            best(&["mem"], &of_store),
            [1],
            "in another case where there is none in this one"
        );
        assert_eq!(best(&["Other"], &of_store), [0_usize; 0]);
        let shapes: [(&[&str], &[&str]); 2] = [
            (&["Shape", "geo"], &["shape"]),
            (&["Circle", "geo"], &["shape"]),
        ];
        assert_eq!(best(&["Shape"], &shapes), [0]);
        assert_eq!(best(&["Shape", "geo"], &shapes), [0]);
        let nested: [(&[&str], &[&str]); 2] = [(&["A"], &["x"]), (&["B", "A"], &["x"])];
        assert_eq!(best(&["A"], &nested), [0], "without gaps first");
        assert_eq!(best(&["B"], &nested), [1]);
        let crates: [(&[&str], &[&str]); 2] = [
            (&["Type"], &["inner", "src"]),
            (&["Type"], &["other", "src"]),
        ];
        assert_eq!(best(&["Type", "inner", "crate"], &crates), [0]);
        assert_eq!(best(&["Type", "crate"], &crates), [0, 1]);
    }
}
