//! Extracts the facts of one file from its bytes.
//!
//! Extraction is pure and total: any text gives facts, and parts that could not be parsed are counted in them. Nothing here
//! opens a file, knows a path or looks at another file. It runs in worker processes, because hostile input may crash a parser.

mod annotations;
mod blocks;
mod captures;
mod chains;
mod chunks;
mod clauses;
pub mod code_pattern;
pub mod code_tokens;
mod columns;
mod compiled;
mod conditions;
pub mod declaration;
pub mod documented;
mod embedded;
#[cfg(test)]
mod engine_tests;
mod exports;
pub mod facts;
mod headers;
mod item_macros;
mod lines;
mod macros;
mod matches;
mod nesting;
mod one_line;
mod outline;
mod role;
mod signatures;
pub mod spans;
pub mod strings;
mod symbol_types;
mod symbols;
mod text;
pub mod trigrams;
pub mod type_expr;
mod words;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Range, Tree};

use self::captures::FileCaptures;
pub use self::chunks::ChunkSizes;
pub use self::compiled::{CompiledLanguage, compile, compiled};
use self::facts::FileFacts;
use self::item_macros::ItemMacro;
pub use self::outline::{NonCodeSpans, find_non_code};
use self::text::Text;
use self::trigrams::Trigrams;
use crate::lang::Language;
use crate::secrets;

/// The most item macros around one item: `cfg_io! { cfg_net! { … } }`.
const MOST_NESTED_MACROS: usize = 3;

/// The budget of all parses of a text together; a text that needs more is only cut into chunks. The parser reports its progress
/// after every 100 actions, so this is 4 million actions: twice what 2 MB of code take, about 0.6 s. Actions are counted
/// because their number does not depend on the load of the machine.
const PARSE_REPORTS: u32 = 40_000;
/// The processor time after which a parse is given up as well, for texts whose single actions take long; the worker is killed a
/// little later. Debug builds take several times as long.
const PARSE_TIME: Duration =
    Duration::from_millis(if cfg!(debug_assertions) { 7000 } else { 1500 });

/// Returns the facts of a text in a language, or of plain text.
pub fn extract(language: Option<&'static Language>, source: &str, sizes: ChunkSizes) -> FileFacts {
    let redactions = secrets::find(source);
    let redacted = redact(source, &redactions);
    let text = Text::new(&redacted);
    let mut facts = match language {
        Some(language) => structure(language, &text),
        None => plain(&text),
    };
    facts.outline.chunks = chunks::cut(&text, &facts.outline.symbols, sizes);
    facts.outline.trigrams = Trigrams::new(&redacted);
    facts.outline.redactions = redactions;
    facts
}

/// Parses a text as [`extract`] does and discards the tree: the baseline of benchmarks.
pub fn parse_alone(language: &'static Language, source: &str) {
    let text = Text::new(source);
    let inner = embedded::regions(language, &text);
    for (language, regions) in std::iter::once((language, vec![])).chain(inner) {
        let mut budget = ParseBudget::default();
        let tree = compiled(language)
            .and_then(|compiled| parse(compiled, source.as_bytes(), &regions, &mut budget));
        std::hint::black_box(tree);
    }
}

/// Returns the text with every secret blanked, each byte at its position.
pub fn redact<'a>(source: &'a str, redactions: &[(u32, u32)]) -> Cow<'a, str> {
    if redactions.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut redacted = String::with_capacity(source.len());
    let mut from = 0;
    for (start, end) in redactions {
        let (start, end) = (*start as usize, *end as usize);
        redacted.push_str(source.get(from..start).unwrap_or_default());
        redacted.extend(std::iter::repeat_n('*', end - start));
        from = end;
    }
    redacted.push_str(source.get(from..).unwrap_or_default());
    Cow::Owned(redacted)
}

fn plain(text: &Text<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    facts.outline.lines = lines::count(text, &[]);
    facts
}

fn structure(language: &'static Language, text: &Text<'_>) -> FileFacts {
    let Capturing {
        captured, unparsed, ..
    } = capture(language, text);
    let lines = lines::count(text, &captured.comments);
    let errors = captured.errors;
    let (mut outline, occurrences) = symbols::assemble(language, captured, text);
    outline.lines = lines;
    outline.problems.syntax_errors = errors;
    outline.problems.unparsed = unparsed;
    FileFacts {
        outline,
        occurrences,
    }
}

/// The results of all parses of a text.
struct Capturing<'a> {
    captured: FileCaptures<'a>,
    /// One tree per language: the file's own first, then those embedded in it.
    trees: Vec<Tree>,
    /// A parse was given up.
    unparsed: bool,
}

fn capture<'a>(language: &'static Language, text: &Text<'a>) -> Capturing<'a> {
    let mut captured = FileCaptures::default();
    let mut trees = vec![];
    let mut unparsed = false;
    let finder = compiled(language).and_then(|compiled| compiled.macros.as_ref());
    let macros = finder
        .map(|finder| finder.find(text.source))
        .unwrap_or_default();
    let bodies =
        (language.facts.as_ref()).map_or(&[][..], |facts| facts.names.family.one_line_bodies());
    let parsed = one_line::insert_semicolons(macros::blanked(text.source, &macros), bodies);
    let mut budget = ParseBudget::default();
    let mut parse_with = |language: &'static Language, regions: &[Range]| {
        let Some(compiled) = compiled(language) else {
            return;
        };
        match parse_best(compiled, &parsed, regions, &mut budget) {
            Some(tree) => {
                let (tree, macros) = parse_item_macros(compiled, &parsed, text, tree, &mut budget);
                trees.push(tree.clone());
                captured.append(matches::run(compiled, tree, text));
                captured.take_item_macros(&macros, text);
            }
            None => unparsed = true,
        }
    };
    parse_with(language, &[]);
    for (inner, regions) in embedded::regions(language, text) {
        parse_with(inner, &regions);
    }
    captured.take_macros(&macros, text);
    outline::capture(language, text, &mut captured);
    Capturing {
        captured,
        trees,
        unparsed,
    }
}

/// The remaining budget of parser actions for one text.
struct ParseBudget {
    reports: u32,
}

impl Default for ParseBudget {
    fn default() -> Self {
        Self {
            reports: PARSE_REPORTS,
        }
    }
}

/// Returns the tree of a text, or of its repaired copy if that has fewer errors; none if the budget is used up.
fn parse_best(
    compiled: &CompiledLanguage,
    bytes: &[u8],
    regions: &[Range],
    budget: &mut ParseBudget,
) -> Option<Tree> {
    let tree = parse(compiled, bytes, regions, budget)?;
    let Some(repair) = compiled.repair.filter(|_| tree.root_node().has_error()) else {
        return Some(tree);
    };
    let Some(repaired) = repair(bytes) else {
        return Some(tree);
    };
    let Some(other) = parse(compiled, &repaired, regions, budget) else {
        return Some(tree);
    };
    // An error of code that the copy lacks is not repaired.
    let errors = spans::errors(&tree).into_iter();
    let errors = errors.filter(|error| !conditions::is_left_out(bytes, &repaired, *error));
    let is_better = spans::errors(&other).len() < errors.count();
    Some(if is_better { other } else { tree })
}

/// Returns the tree of a text with the items in the arguments of macros, and these macros.
fn parse_item_macros(
    compiled: &CompiledLanguage,
    bytes: &[u8],
    text: &Text<'_>,
    mut tree: Tree,
    budget: &mut ParseBudget,
) -> (Tree, Vec<ItemMacro>) {
    let mut known = vec![];
    let Some(rules) = compiled.item_macros else {
        return (tree, known);
    };
    let mut bytes = Cow::Borrowed(bytes);
    // Macros may be in the arguments of others, where they are found once these are parsed.
    for _ in 0..MOST_NESTED_MACROS {
        let mut found = item_macros::find(&tree, rules);
        let is_new = |one: &ItemMacro| {
            known.is_empty()
                || (known.iter()).any(|outer: &ItemMacro| outer.items.contains(one.name))
        };
        found.retain(|one| {
            if !is_new(one) {
                return false;
            }
            let inside = parse(
                compiled,
                &bytes,
                &[embedded::range(text, one.items)],
                budget,
            );
            inside.is_some_and(|inside| item_macros::has_items(&inside, rules))
        });
        if found.is_empty() {
            break;
        }
        let unwrapped = item_macros::unwrapped(&bytes, &found);
        let Some(other) = parse(compiled, &unwrapped, &[], budget) else {
            break;
        };
        if spans::errors(&other).len() > spans::errors(&tree).len() {
            break;
        }
        (tree, bytes) = (other, Cow::Owned(unwrapped));
        known.append(&mut found);
    }
    (tree, known)
}

/// Returns the tree of a text; none if the budget is used up.
fn parse(
    compiled: &CompiledLanguage,
    bytes: &[u8],
    regions: &[Range],
    budget: &mut ParseBudget,
) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&compiled.grammar).ok()?;
    parser.set_included_ranges(regions).ok()?;
    let (began, used) = (Instant::now(), processor_time());
    let mut on_report = |_: &tree_sitter::ParseState| {
        let Some(left) = budget.reports.checked_sub(1) else {
            return ControlFlow::Break(());
        };
        budget.reports = left;
        // Reading the wall clock is cheap, and it never shows less than the processor time, which is only read once the wall
        // clock exceeds the limit.
        let is_over =
            began.elapsed() > PARSE_TIME && processor_time().saturating_sub(used) > PARSE_TIME;
        if is_over {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(
        &mut read,
        None,
        Some(ParseOptions::new().progress_callback(&mut on_report)),
    )
}

/// Returns the processor time of this thread.
#[cfg(unix)]
fn processor_time() -> Duration {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)
        .try_into()
        .unwrap_or_default()
}

/// Returns the wall clock, where the processor time is not known.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    /// Extraction is total: any text gives facts, and their positions lie in the text.
    #[test]
    fn any_text_gives_facts_in_every_language() {
        let hostile = [
            String::new(),
            "\u{feff}".to_owned(),
            "\r\n\r\n".to_owned(),
            "(".repeat(3000),
            "{[(<".repeat(500),
            "\"unclosed".to_owned(),
            "/* unclosed".to_owned(),
            "def f(:\n\tclass {{{ fn ünï() => \u{200d}🦀".to_owned(),
            "a\u{0}b\u{1}\u{7f}".to_owned(),
            "#".repeat(2000) + "\n" + &"- x: y\n".repeat(200),
        ];
        for language in lang::all() {
            for source in &hostile {
                let facts = extract(Some(language), source, ChunkSizes::default());
                let lines = facts.outline.lines;
                assert_eq!(
                    lines.total as usize,
                    source.lines().count(),
                    "{}: {source:.20}",
                    language.id
                );
                assert!(
                    lines.blank + lines.comment <= lines.total,
                    "{}",
                    language.id
                );
                for symbol in &facts.outline.symbols {
                    let span = symbol.start_byte as usize..symbol.end_byte as usize;
                    assert!(source.get(span).is_some(), "{}: {symbol:?}", language.id);
                }
                assert!(facts.occurrences.is_sound());
            }
        }
    }

    #[test]
    fn a_budget_holds_for_all_parses_of_a_text() {
        let rust = lang::all()
            .iter()
            .find(|language| language.id == "rust")
            .expect("a language");
        let compiled = compiled(rust).expect("a grammar");
        let text = "fn f() { g(1, 2, 3); }\n".repeat(200);
        let mut budget = ParseBudget::default();
        assert!(parse(compiled, text.as_bytes(), &[], &mut budget).is_some());
        let taken = PARSE_REPORTS - budget.reports;
        assert!(taken > 10, "{taken}");
        for (reports, is_enough) in [
            (2 * taken, true),
            (2 * taken - 1, false),
            (taken - 1, false),
        ] {
            let mut budget = ParseBudget { reports };
            let first = parse(compiled, text.as_bytes(), &[], &mut budget);
            let second = parse(compiled, text.as_bytes(), &[], &mut budget);
            assert_eq!(first.is_some(), reports >= taken);
            assert_eq!(second.is_some(), is_enough, "{reports} of {taken}");
        }
    }

    #[test]
    fn a_text_that_a_grammar_misreads_is_repaired() {
        for (language, source, expected) in [
            (
                "kotlin",
                "class A {\n  class B\n  private constructor(\n    val c: Int,\n  ) : D() {\n    val e = 1\n  }\n}\n",
                &[("A", 1), ("B", 2), ("c", 4), ("e", 6)][..],
            ),
            (
                "typescript",
                "interface A {\n  (a: B): C[]\n  // Two.\n  <\n    T,\n  >(a: T): T\n}\nclass D {}\n",
                &[("A", 1), ("D", 8)],
            ),
            (
                "c",
                "void a(int x) {\n  if (x) {\n#ifdef B\n    if (c()) {\n    } else {\n#endif\n    d();\n#ifdef B\n    }\n#endif\n  }\n}\n\nvoid e(void) {\n}\n",
                &[("a", 1), ("e", 14)],
            ),
        ] {
            let language = lang::by_name(language).expect("a language");
            let facts = extract(Some(language), source, ChunkSizes::default());
            let symbols = facts.outline.symbols.iter();
            let found: Vec<(&str, u32)> = symbols
                .map(|symbol| (&*symbol.name, symbol.name_line))
                .collect();
            assert_eq!(found, expected, "{}", language.id);
        }
    }

    #[test]
    fn redaction_keeps_every_byte_in_its_place() {
        let source = "key = \"abc\" # ü";
        let redacted = redact(source, &[(7, 10)]);
        assert_eq!(redacted, "key = \"***\" # ü");
        assert_eq!(redact("aü€b", &[(1, 6)]), "a*****b");
    }
}
