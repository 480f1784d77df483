//! `find_unused`: symbols that nothing uses.
//!
//! One pass over all uses selects symbols that may be unused. Those of a page are then verified as by `find_references`: by the
//! references of each, and by every word of the root that equals its name.

mod exemption;

use std::collections::{BTreeMap, HashSet};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_references::ConfidenceLevel;
use claudevil_protocol::tools::find_unused::{
    FindUnused, LeftOutCount, LeftOutReason, UnusedCursor, UnusedGroup, UnusedSymbol, UnusedSymbols,
};

use self::exemption::Exemptions;
use super::Context;
use super::shared::graph_root::GraphRoot;
use super::shared::languages::{is_in_language, parse_language};
use super::shared::occurrences::{NameOccurrences, WordKind, words_at};
use super::shared::paging::decode_cursor;
use super::shared::symbol_info::describe_symbol;
use crate::extract::facts::Symbol;
use crate::graph::usage::Usage;
use crate::graph::{Graph, SymbolId};
use crate::lang::{self, Detection, Language};

/// Returns whether a symbol is examined. Fields, variants and parameters are not: serialization and reflection use them without
/// writing their names. Nor are anonymous classes, which are used where they are written: `new Runnable() { … }`.
fn is_examined(symbol: &Symbol) -> bool {
    let kind = symbol.kind;
    kind.is_type() && !symbol.is_anonymous()
        || matches!(
            kind,
            SymbolKind::Function
                | SymbolKind::Method
                | SymbolKind::Alias
                | SymbolKind::Constant
                | SymbolKind::Variable
                | SymbolKind::Macro
        )
}

pub fn find_unused(context: &Context, params: &FindUnused) -> Result<UnusedSymbols, ToolError> {
    let language = parse_language(params.language.as_deref())?;
    let after = decode_cursor(params.cursor.as_deref(), UnusedCursor::decode)?;
    let root = GraphRoot::open(context)?;
    let path = root.indexed.path(params.path.as_deref())?;
    let snapshot = &root.indexed.snapshot;
    let single = snapshot.place(&path);
    let places = single.map_or_else(|| snapshot.places_beneath(&path), |place| place..place + 1);
    if places.is_empty() && !path.is_empty() {
        return Err(root.indexed.not_indexed(&path));
    }
    let graph = root.graph();
    let files = places.filter(|place| is_in_language(&snapshot.files[*place], language));
    let files = files.filter_map(|place| u32::try_from(place).ok());
    let symbols = files.filter(|file| graph.has_uses(*file)).flat_map(|file| {
        let symbols = (0..).zip(&graph.file(file).outline.symbols);
        let symbols = symbols.filter(|(_, symbol)| is_examined(symbol));
        symbols.map(move |(symbol, _)| SymbolId { file, symbol })
    });
    let table = graph.find_usage(symbols, context.cancel)?;
    let examined = table.len() as u64;
    let group = params.group.unwrap_or_default();
    let exemptions = Exemptions::new(&graph, &root);
    let extended = used_by_extensions(&graph, &table);
    let mut left_out = BTreeMap::<LeftOutReason, u64>::new();
    let mut candidates = vec![];
    for (at, usage) in table {
        context.cancel.check()?;
        let is_used = usage == Usage::Used || extended.contains(&at);
        if is_used || graph.entities().definition(at) != at {
            continue;
        }
        let usage = if exemptions.may_be_called_by_computed_name(at) {
            usage.max(Usage::ByName)
        } else {
            usage
        };
        let own = classify(&graph, &exemptions, at, usage);
        if own.is_ok() && exemptions.is_used_in_place(at) {
            continue;
        }
        match own {
            Ok(own) if own == group => candidates.push((at, usage)),
            Ok(other) => *left_out.entry(reason_of_group(other)).or_default() += 1,
            Err(reason) => *left_out.entry(reason).or_default() += 1,
        }
    }
    candidates.sort_by_key(|(at, _)| (at.file, graph.symbol(*at).name_line, at.symbol));
    if let Some(after) = &after {
        let places = candidates.iter().map(|(at, _)| {
            let symbol = graph.symbol(*at);
            let file = graph.file(at.file);
            (&*file.path, symbol.name_line, file.qualified(symbol))
        });
        let shown = after.count_shown(places);
        candidates.drain(..shown);
    }
    let verifier = Verifier {
        unindexed: read_unindexed_code(context, &root)?,
        context,
        root: &root,
        graph: &graph,
        group,
    };
    let limit = params.limit() as usize;
    let (mut found, mut dropped, mut checked) = (vec![], 0, 0);
    for (at, usage) in &candidates {
        if found.len() == limit {
            break;
        }
        checked += 1;
        match verifier.verify(*at, *usage)? {
            Some(one) if one.confidence <= Some(params.min_confidence()) => found.push(one),
            _ => dropped += 1,
        }
    }
    let remaining = (candidates.len() - checked) as u64;
    let last = found.last().filter(|_| remaining > 0);
    let cursor = last.map(|last| UnusedCursor::after(last).encode());
    let indexed = &root.indexed;
    Ok(UnusedSymbols {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: root.freshness(&graph, &[]),
        path,
        language: language.map(|language| language.id.to_owned()),
        group,
        min_confidence: params.min_confidence(),
        symbols: found,
        examined,
        remaining,
        dropped,
        left_out: left_out
            .into_iter()
            .map(|(reason, symbols)| LeftOutCount { reason, symbols })
            .collect(),
        truncated: remaining > 0,
        cursor,
        limit: params.limit(),
    })
}

/// Returns the classes that are used through extension methods in them, without their names: `static class Texts` with
/// `Shorten(this string text)`.
fn used_by_extensions(graph: &Graph<'_>, table: &[(SymbolId, Usage)]) -> HashSet<SymbolId> {
    let used = table.iter().filter(|(_, usage)| *usage != Usage::Unused);
    let extensions = used.filter(|(at, _)| {
        let parameters = graph.symbol(*at).parameters();
        let rules = graph.rules(at.file).zip(parameters);
        rules.is_some_and(|(rules, all)| rules.family.is_extension_method(all.text()))
    });
    // The owner of such a method is the type that it extends.
    let classes = extensions.filter_map(|(at, _)| graph.parent(*at));
    classes.collect()
}

fn reason_of_group(group: UnusedGroup) -> LeftOutReason {
    match group {
        UnusedGroup::Private => LeftOutReason::Private,
        UnusedGroup::Public => LeftOutReason::Public,
        UnusedGroup::TestsOnly => LeftOutReason::TestsOnly,
    }
}

/// Returns the group of a symbol that seems to be unused, or used by tests only. The error is the reason why it may be in use
/// although no use is visible.
fn classify(
    graph: &Graph<'_>,
    exemptions: &Exemptions<'_>,
    at: SymbolId,
    usage: Usage,
) -> Result<UnusedGroup, LeftOutReason> {
    if usage == Usage::NotExamined {
        return Err(LeftOutReason::NotExamined);
    }
    if let Some(reason) = exemptions.reason(at) {
        return Err(reason);
    }
    Ok(match graph.effective_visibility(at) {
        _ if usage == Usage::ByTests => UnusedGroup::TestsOnly,
        Visibility::Public | Visibility::Protected => UnusedGroup::Public,
        Visibility::Internal | Visibility::Private => UnusedGroup::Private,
    })
}

/// The most bytes of code outside the index that are read.
const MAX_UNINDEXED: usize = 64 << 20;
/// Larger files are not read.
const LARGEST_UNINDEXED: u64 = 4 << 20;

/// Generated and minified code, which is not indexed but may use symbols.
#[derive(Default)]
struct UnindexedCode {
    texts: Vec<String>,
    /// The languages of files that were not read: they are too large or too many, or cannot be read.
    unread: Vec<&'static Language>,
}

fn read_unindexed_code(
    context: &Context,
    root: &GraphRoot<'_>,
) -> Result<UnindexedCode, ToolError> {
    let mut code = UnindexedCode::default();
    let mut bytes = 0;
    for file in &root.indexed.snapshot.files {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let language = match lang::by_path(name) {
            Detection::Known(language) if language.facts.is_some() => language,
            _ => continue,
        };
        if file.skip().is_none() {
            continue;
        }
        context.cancel.check()?;
        let has_room = bytes <= MAX_UNINDEXED;
        let read = has_room.then(|| root.dir().read(&file.path, LARGEST_UNINDEXED));
        match read.flatten() {
            Some(read) => {
                bytes += read.len();
                let text = String::from_utf8_lossy(&read).into_owned();
                code.texts.push(text);
            }
            None => code.unread.push(language),
        }
    }
    Ok(code)
}

struct Verifier<'a> {
    unindexed: UnindexedCode,
    context: &'a Context<'a>,
    root: &'a GraphRoot<'a>,
    graph: &'a Graph<'a>,
    group: UnusedGroup,
}

impl Verifier<'_> {
    /// Searches for references of a symbol and words that equal its name. Returns none if it is in use.
    fn verify(&self, at: SymbolId, usage: Usage) -> Result<Option<UnusedSymbol>, ToolError> {
        let graph = self.graph;
        let name = &*graph.symbol(at).name;
        let has_name = |text: &String| words_at(text, name).next().is_some();
        if self.unindexed.texts.iter().any(has_name) {
            return Ok(None);
        }
        let occurrences = NameOccurrences { graph, target: at };
        let (found, files) = occurrences.resolve_and_classify(&[at], self.root, self.context)?;
        let unread = files.unread;
        let uses = found
            .iter()
            .filter(|one| !graph.is_own_use(at, one.file, &one.row));
        let (mut by_name, mut by_tests) = (0_u64, 0_u64);
        for one in uses {
            let is_test = |symbol| {
                let file = one.file;
                graph.tests().is_test(SymbolId { file, symbol })
            };
            if one.by_name || one.by_dispatch {
                by_name += 1;
            } else if graph.tests().is_test_file(one.file) || one.row.symbol.is_some_and(is_test) {
                by_tests += 1;
            } else {
                return Ok(None);
            }
        }
        if (by_tests > 0) != (self.group == UnusedGroup::TestsOnly) {
            return Ok(None);
        }
        let references: HashSet<(u32, u32, u32)> = found
            .iter()
            .map(|one| (one.file, one.row.line, one.row.column))
            .collect();
        let (mut in_code, mut mentions) = (0_u64, vec![]);
        for file in files.classified {
            let is_in_family = graph.same_language_family(at.file, file.file);
            for (word, kind) in &file.words {
                let place = || format!("{}:{}", graph.file(file.file).path, word.line);
                match kind {
                    WordKind::Code if is_in_family => in_code += 1,
                    WordKind::String | WordKind::Prose | WordKind::Code => mentions.push(place()),
                    // One use by name only is enough; a common name has thousands of them.
                    WordKind::Use(row) if by_name == 0 => {
                        let is_reference = references.contains(&(file.file, row.line, row.column));
                        by_name +=
                            u64::from(!is_reference && graph.may_refer_to(at, file.file, row));
                    }
                    WordKind::Definition(_) | WordKind::Use(_) | WordKind::Comment => {}
                }
            }
        }
        let tests = if by_tests > 0 {
            "except in tests, "
        } else {
            ""
        };
        let (confidence, reason) = if in_code > 0 {
            let times = match in_code {
                1 => "once".to_owned(),
                several => format!("{several} times"),
            };
            let reason = format!("the name occurs {times} in code that could not be resolved");
            (ConfidenceLevel::Low, reason)
        } else if by_name > 0 || usage == Usage::ByName {
            let reason = "some uses of this name may refer to it".to_owned();
            (ConfidenceLevel::Low, reason)
        } else if unread > 0 {
            (
                ConfidenceLevel::Low,
                format!("not read: {} with this name", count(unread, "file")),
            )
        } else if let Some(first) = mentions.first() {
            let reason = match mentions.len() {
                1 => format!("{tests}the name occurs only in text: {first}"),
                more => format!("{tests}the name occurs only in {more} texts: {first}"),
            };
            (ConfidenceLevel::Medium, reason)
        } else {
            no_use(tests, self.unread_files(at.file))
        };
        Ok(Some(UnusedSymbol {
            confidence: Some(confidence),
            reason,
            ..UnusedSymbol::from_symbol(describe_symbol(graph, at))
        }))
    }

    /// Returns the number of files outside the index that may use symbols of a file, and that were not read.
    fn unread_files(&self, file: u32) -> u64 {
        let own = self.graph.file(file).language;
        let may_use =
            |other: &&&Language| own.is_none_or(|own| lang::same_language_family(own, other));
        self.unindexed.unread.iter().filter(may_use).count() as u64
    }
}

/// Returns the confidence that a symbol is unused if no use of its name refers to it, and the reason. The confidence is lower
/// if files of generated code could not be searched.
fn no_use(tests: &str, unread_files: u64) -> (ConfidenceLevel, String) {
    let reason = format!("{tests}no use of this name refers to it");
    if unread_files == 0 {
        return (ConfidenceLevel::High, reason);
    }
    let files = count(unread_files, "file");
    let reason = format!("{reason}, but {files} of generated code could not be searched");
    (ConfidenceLevel::Medium, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn a_class_is_used_through_its_extension_methods() {
        let text = "static class Texts {\n  public static string Shorten(this string text) => text;\n  public static int Size() => 1;\n}\n";
        let files = Files::new("csharp", &[("a.cs", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let at = |name: &str| graph.named(name).next().expect("defined");
        for (name, usage, expected) in [
            ("Shorten", Usage::Used, 1),
            ("Shorten", Usage::Unused, 0),
            ("Size", Usage::Used, 0),
        ] {
            let found = used_by_extensions(&graph, &[(at(name), usage)]);
            assert_eq!(found.len(), expected, "{name}");
            assert!(found.iter().all(|one| *one == at("Texts")));
        }
    }

    #[test]
    fn generated_code_that_is_not_searched_lowers_the_confidence() {
        let (confidence, reason) = no_use("", 0);
        assert_eq!(confidence, ConfidenceLevel::High);
        assert_eq!(reason, "no use of this name refers to it");
        let (confidence, reason) = no_use("", 1);
        assert_eq!(confidence, ConfidenceLevel::Medium);
        assert!(
            reason.ends_with("1 file of generated code could not be searched"),
            "{reason}"
        );
    }
}
