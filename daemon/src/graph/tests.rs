//! The projects of `tests/accuracy`, resolved without a daemon.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::extract::facts::FileFacts;
use crate::extract::{self, ChunkSizes};
use crate::lang;
use crate::source::cancel::Cancel;
use crate::store::ledger::record::{FileRecord, FileState};

struct Memory {
    uses: HashMap<FactsKey, Occurrences>,
    texts: HashMap<String, String>,
}

impl Source for Memory {
    fn occurrences(&self, key: FactsKey) -> Option<Occurrences> {
        self.uses.get(&key).cloned()
    }

    fn read(&self, path: &str) -> Option<String> {
        self.texts.get(path).cloned()
    }
}

#[derive(Default, Debug)]
struct Truth {
    defs: BTreeMap<String, (String, u32)>,
    /// Names that are not the last parts of their ids.
    names: BTreeMap<String, String>,
    refs: BTreeMap<String, BTreeSet<(String, u32)>>,
    calls: BTreeMap<String, BTreeSet<String>>,
    may: BTreeMap<String, BTreeSet<(String, u32)>>,
    impls: BTreeMap<String, BTreeSet<String>>,
}

fn load(dir: &Path, at: &Path, memory: &mut Memory, files: &mut Vec<Arc<IndexedFile>>, truth: &mut Truth) {
    let mut entries: Vec<_> = fs::read_dir(at).expect("a folder").map(|entry| entry.expect("one").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            load(dir, &path, memory, files, truth);
            continue;
        }
        let name = path.strip_prefix(dir).expect("inside").display().to_string();
        let marked = fs::read_to_string(&path).expect("text");
        let mut text = String::new();
        for (number, line) in (1..).zip(marked.lines()) {
            match line.split_once('⟦') {
                None => text.push_str(line),
                Some((before, mark)) => {
                    let bare = before.trim_end();
                    let bare = ["//", "#", "--", "/*", "(*", ";", "%"]
                        .iter()
                        .find_map(|sign| bare.strip_suffix(sign))
                        .unwrap_or(bare);
                    text.push_str(bare.trim_end());
                    for item in mark.split('⟧').next().unwrap_or("").split(';') {
                        let words: Vec<&str> = item.split_whitespace().collect();
                        let place = (name.clone(), number);
                        match words[..] {
                            ["def", id, ..] => {
                                let own = words.iter().find_map(|word| word.strip_prefix("name="));
                                truth.names.extend(own.map(|own| (id.to_owned(), own.to_owned())));
                                truth.defs.insert(id.to_owned(), place);
                            }
                            ["ref", id, ..] => drop(truth.refs.entry(id.to_owned()).or_default().insert(place)),
                            ["call", id, "from", caller] => {
                                truth.refs.entry(id.to_owned()).or_default().insert(place);
                                truth.calls.entry(id.to_owned()).or_default().insert(caller.to_owned());
                            }
                            ["may", ..] => {
                                for id in item.trim()[4..].split(',') {
                                    truth.may.entry(id.trim().to_owned()).or_default().insert(place.clone());
                                }
                            }
                            ["impl", id, "of", base] => {
                                drop(truth.impls.entry(base.to_owned()).or_default().insert(id.to_owned()))
                            }
                            [] => {}
                            _ => panic!("{name}:{number}: {item}"),
                        }
                    }
                }
            }
            text.push('\n');
        }
        let language = match lang::by_path(&name) {
            lang::Detection::Known(language) => Some(lang::by_lines(language, text.as_bytes())),
            _ => None,
        };
        let facts: FileFacts = extract::extract(language, &text, ChunkSizes::default());
        let mut key = [0; 16];
        key[..8].copy_from_slice(&(files.len() as u64).to_le_bytes());
        let key = FactsKey(key);
        memory.uses.insert(key, facts.occurrences);
        memory.texts.insert(name.clone(), text);
        let record = FileRecord {
            size: 0,
            modified_nanos: 0,
            stamp: 0,
            hash: [0; 16],
            language: None,
            state: FileState::Indexed(key),
        };
        files.push(Arc::new(IndexedFile::new(name, record, language, Arc::new(facts.outline))));
    }
}

#[test]
fn accuracy() {
    let Ok(dirs) = std::env::var("CLAUDEVIL_TEST_TRUTH") else { return };
    let verbose = std::env::var("CLAUDEVIL_TEST_VERBOSE").is_ok();
    for dir in dirs.split(':') {
        let dir = Path::new(dir);
        let mut memory = Memory { uses: HashMap::new(), texts: HashMap::new() };
        let (mut files, mut truth) = (vec![], Truth::default());
        load(dir, dir, &mut memory, &mut files, &mut truth);
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let snapshot = Snapshot::new(files, 1, None);
        let graph = Graph::new(&snapshot, &memory);
        let (mut tp, mut fp, mut fnn, mut rtp, mut rfp) = (0, 0, 0, 0, 0);
        let (mut ctp, mut cfp, mut cfn) = (0, 0, 0);
        let (mut itp, mut ifp, mut ifn) = (0, 0, 0);
        let none = BTreeSet::new();
        let mut ids: HashMap<(String, u32), Vec<&String>> = HashMap::new();
        for (id, place) in &truth.defs {
            ids.entry(place.clone()).or_default().push(id);
        }
        let id_of = |at: Option<At>| -> Option<String> {
            let Some(at) = at else { return Some("-".to_owned()) };
            let symbol = graph.symbol(at);
            let there = ids.get(&(graph.file(at.file).path.clone(), symbol.name_line))?;
            let is_it = |id: &&&String| id.rsplit('.').next() == Some(&*symbol.name);
            there.iter().find(is_it).or_else(|| there.first()).map(|id| (*id).clone())
        };
        for (id, (path, line)) in &truth.defs {
            let number = graph.number(path).expect("indexed");
            let name = truth.names.get(id).map_or_else(|| id.rsplit('.').next().expect("a name"), String::as_str);
            let symbols = &graph.file(number).outline.symbols;
            let Some(place) = symbols.iter().position(|one| {
                one.name_line == *line && (*one.name == *name || one.name.ends_with(&format!(".{name}")))
            }) else {
                println!("{}: no symbol {id} at {path}:{line}", dir.display());
                fnn += truth.refs.get(id).map_or(0, BTreeSet::len);
                continue;
            };
            let at = At { file: number, symbol: u32::try_from(place).unwrap() };
            if graph.symbol(at).kind == claudevil_protocol::model::symbol::SymbolKind::Constructor {
                continue;
            }
            let mut refs = graph.references(at, &Cancel::default()).expect("found");
            refs.retain(|one| !one.by_dispatch);
            let expected = truth.refs.get(id).unwrap_or(&none);
            let may = truth.may.get(id).unwrap_or(&none);
            let mut got: BTreeMap<(String, u32), Resolution> = BTreeMap::new();
            for one in &refs {
                let place = (graph.file(one.file).path.clone(), one.row.line);
                let entry = got.entry(place).or_insert(one.resolution);
                *entry = (*entry).min(one.resolution);
            }
            for (place, resolution) in &got {
                if *resolution == Resolution::NameOnly {
                    continue;
                }
                let right = expected.contains(place);
                if !right && may.contains(place) {
                    continue;
                }
                if right {
                    tp += 1
                } else {
                    fp += 1
                }
                if *resolution == Resolution::Resolved {
                    if right { rtp += 1 } else { rfp += 1 }
                }
                if !right && verbose {
                    println!("  + {id} {}:{} {resolution:?}", place.0, place.1);
                }
            }
            for place in expected {
                if got.get(place).is_none_or(|r| *r == Resolution::NameOnly) {
                    fnn += 1;
                    if verbose {
                        println!("  - {id} {}:{} {:?}", place.0, place.1, got.get(place));
                    }
                }
            }
            if let Some(callers) = truth.calls.get(id) {
                let got: BTreeSet<String> = graph
                    .callers(at, &Cancel::default())
                    .expect("found")
                    .iter()
                    .filter(|call| call.resolution == Resolution::Resolved || truth.may.get(id).is_none())
                    .filter(|call| call.resolution != Resolution::NameOnly)
                    .map(|call| {
                        id_of(call.symbol)
                            .unwrap_or_else(|| format!("?{:?}", call.symbol.map(|at| &graph.symbol(at).name)))
                    })
                    .collect();
                ctp += got.intersection(callers).count();
                cfp += got.difference(callers).count();
                cfn += callers.difference(&got).count();
                if verbose {
                    for one in got.symmetric_difference(callers) {
                        println!("  c {id} <- {one} got={}", got.contains(one));
                    }
                }
            }
            if let Some(impls) = truth.impls.get(id) {
                let symbol = graph.symbol(at);
                let below: Vec<At> = if graph.can_own(at) {
                    graph.all_subtypes(at).into_iter().map(|below| below.at).collect()
                } else {
                    graph.overriding(at)
                };
                let mut closure: BTreeSet<String> = BTreeSet::new();
                let mut todo: Vec<&String> = impls.iter().collect();
                while let Some(one) = todo.pop() {
                    if closure.insert(one.clone()) {
                        todo.extend(truth.impls.get(one).into_iter().flatten());
                    }
                }
                let got: BTreeSet<String> = below
                    .into_iter()
                    .map(|at| id_of(Some(at)).unwrap_or_else(|| format!("?{}", graph.symbol(at).name)))
                    .collect();
                itp += got.intersection(&closure).count();
                ifp += got.difference(&closure).filter(|one| !one.starts_with('?')).count();
                ifn += closure.difference(&got).count();
                if verbose {
                    for one in got.symmetric_difference(&closure) {
                        println!("  i {id} <- {one} got={}", got.contains(one));
                    }
                }
            }
        }
        let f = |tp: usize, fp: usize, fnn: usize| 2.0 * tp as f64 / ((2 * tp + fp + fnn) as f64).max(1.0);
        println!(
            "{:12} refs f1 {:.3} ({tp} tp {fp} fp {fnn} fn) resolved precision {:.3} callers f1 {:.3} ({ctp}/{cfp}/{cfn}) impls f1 {:.3} ({itp}/{ifp}/{ifn})",
            dir.file_name().unwrap().to_string_lossy(),
            f(tp, fp, fnn),
            rtp as f64 / ((rtp + rfp) as f64).max(1.0),
            f(ctp, cfp, cfn),
            f(itp, ifp, ifn)
        );
    }
}
