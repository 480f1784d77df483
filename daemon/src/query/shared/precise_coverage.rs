//! The share of a root's files that precise indexes describe, by language.

use std::collections::BTreeMap;
use std::sync::Arc;

use claudevil_protocol::answer::index_summary::LanguageCoverage;

use crate::index::snapshot::Snapshot;
use crate::precise::PreciseIndex;

/// Returns, for each language with files that a precise index describes, how many these are of how many files.
pub fn coverage(all: &[Arc<PreciseIndex>], snapshot: &Snapshot) -> Vec<LanguageCoverage> {
    if all.is_empty() {
        return vec![];
    }
    let mut languages: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for file in &snapshot.files {
        let Some(language) = file.language else {
            continue;
        };
        let is_precise = all
            .iter()
            .any(|index| index.describes(&file.path, &file.record.hash));
        let (precise, files) = languages.entry(language.name).or_default();
        *precise += u64::from(is_precise);
        *files += 1;
    }
    languages
        .into_iter()
        .filter(|(_, (precise, _))| *precise > 0)
        .map(|(language, (precise, files))| LanguageCoverage {
            language: language.to_owned(),
            precise,
            files,
        })
        .collect()
}
