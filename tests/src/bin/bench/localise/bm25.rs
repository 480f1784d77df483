//! BM25 over whole files, by plain words: the baseline that needs no index of ours.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Larger files are data.
const LARGEST: u64 = 1_000_000;
const SOURCES: [&str; 20] = [
    "py", "go", "js", "jsx", "mjs", "ts", "tsx", "java", "rb", "php", "c", "h", "rs", "cc", "cpp",
    "cs", "kt", "swift", "scala", "vue",
];

pub struct FileIndex {
    paths: Vec<String>,
    lengths: Vec<f64>,
    average: f64,
    /// The files that have a word, and how often.
    postings: HashMap<String, Vec<(usize, f64)>>,
}

impl FileIndex {
    /// Reads the sources of a tree, without tests.
    pub fn new(tree: &Path) -> Self {
        let mut index = Self {
            paths: vec![],
            lengths: vec![],
            average: 1.0,
            postings: HashMap::new(),
        };
        index.add_folder(tree, tree);
        index.average = index.lengths.iter().sum::<f64>() / count(index.lengths.len().max(1));
        index
    }

    fn add_folder(&mut self, tree: &Path, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            if kind.is_ok_and(|kind| kind.is_dir()) {
                self.add_folder(tree, &path);
                continue;
            }
            let name = path.strip_prefix(tree).unwrap_or(&path);
            let name = name.to_string_lossy().into_owned();
            let is_source = path
                .extension()
                .is_some_and(|ending| SOURCES.iter().any(|source| ending == *source));
            let is_test = name.to_lowercase().contains("test") || name.contains("spec/");
            let is_small = entry.metadata().is_ok_and(|file| file.len() <= LARGEST);
            if is_source && !is_test && is_small {
                self.add_file(name, &path);
            }
        }
    }

    fn add_file(&mut self, name: String, path: &Path) {
        let Ok(bytes) = fs::read(path) else { return };
        let text = String::from_utf8_lossy(&bytes);
        let number = self.paths.len();
        let mut counts: HashMap<String, f64> = HashMap::new();
        let mut length = 0.0;
        for word in words(&text).chain(words(&name)) {
            length += 1.0;
            *counts.entry(word).or_default() += 1.0;
        }
        for (word, times) in counts {
            self.postings.entry(word).or_default().push((number, times));
        }
        self.paths.push(name);
        self.lengths.push(length);
    }

    /// Returns the paths of the best files, the best first.
    pub fn rank(&self, text: &str) -> Vec<&str> {
        let mut scores = vec![0.0; self.paths.len()];
        for word in words(text) {
            let Some(postings) = self.postings.get(&word) else {
                continue;
            };
            let having = count(postings.len());
            let idf = (1.0 + (count(self.paths.len()) - having + 0.5) / (having + 0.5)).ln();
            for (file, times) in postings {
                let norm = K1 * (1.0 - B + B * self.lengths[*file] / self.average);
                scores[*file] += idf * times * (K1 + 1.0) / (times + norm);
            }
        }
        let mut order: Vec<usize> = (0..self.paths.len()).collect();
        order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]).then(one.cmp(other)));
        order
            .into_iter()
            .take(20)
            .map(|at| self.paths[at].as_str())
            .collect()
    }
}

/// Returns the words of a text in lower case: whole identifiers and their parts.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| word.len() > 1)
        .flat_map(|word| {
            let mut all = vec![word.to_lowercase()];
            let mut part = String::new();
            let mut parts = vec![];
            for letter in word.chars() {
                let ends = letter == '_'
                    || letter.is_uppercase() && part.ends_with(|last: char| last.is_lowercase());
                if ends && !part.is_empty() {
                    parts.push(std::mem::take(&mut part).to_lowercase());
                }
                if letter != '_' {
                    part.push(letter);
                }
            }
            parts.push(part.to_lowercase());
            if parts.len() > 1 {
                all.extend(parts.into_iter().filter(|part| part.len() > 1));
            }
            all
        })
}

#[expect(clippy::cast_precision_loss, reason = "counts")]
fn count(number: usize) -> f64 {
    number as f64
}
