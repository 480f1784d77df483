//! The text of `deep_dive`: what the symbol is, then what is around it, section by section.

use crate::answer::freshness;
use crate::answer::graph::Resolution;
use crate::answer::graph::text::{again, asked, excerpt, listed};
use crate::text::quantity::grouped;
use crate::text::tokens::MOST_TOKENS;
use crate::text::{one_line, place, signature};
use crate::tools::Tool;
use crate::tools::calls::{FindCallees, FindCallers, MOST_CALLS};
use crate::tools::deep_dive::{DeepDive, Dive, DiveDepth, DiveItem, DiveSection, SectionTitle};
use crate::tools::find_implementations::FindImplementations;
use crate::tools::find_references::FindReferences;

/// Lines of documentation that are shown beside a body.
const DOC_LINES: usize = 12;
/// Characters of its signature, and of the first sentence of its documentation.
const LONGEST_IN_OVERVIEW: usize = 120;

pub fn write(dive: &Dive) -> String {
    let mut lines = vec![format!("{} in {}", listed(&dive.symbol), dive.root_name)];
    lines.extend(freshness::lines(&dive.freshness));
    if dive.body.is_none() && !dive.symbol.signature.is_empty() {
        let line = signature(&dive.symbol.signature);
        let is_short = dive.depth == DiveDepth::Overview;
        lines.push(format!(
            "  {}",
            if is_short { shortened(&line) } else { line }
        ));
    }
    lines.extend(doc(dive));
    lines.extend(dive.body.as_ref().map(excerpt).unwrap_or_default());
    let (shown, left_out): (Vec<_>, Vec<_>) = dive
        .sections
        .iter()
        .partition(|section| !section.items.is_empty());
    for section in shown {
        lines.push(heading(section));
        if dive.depth == DiveDepth::Overview && section.title.is_of_members() {
            lines.extend(members(section, &dive.symbol.path));
            continue;
        }
        for item in in_order(section) {
            lines.push(format!("  {}", item_line(item, dive.depth)));
            lines.extend(item.source.as_ref().map(excerpt).unwrap_or_default());
        }
    }
    if !left_out.is_empty() {
        let left_out: Vec<_> = left_out
            .iter()
            .map(|section| format!("{} ({})", title(section.title), grouped(section.total)))
            .collect();
        lines.push(format!("not shown: {}", left_out.join(", ")));
    }
    if dive.sections.is_empty() {
        lines.push(format!(
            "nothing is known to be around {}",
            asked(&dive.symbol)
        ));
    }
    lines.extend(next(dive));
    lines.join("\n")
}

fn doc(dive: &Dive) -> Vec<String> {
    let Some(doc) = &dive.doc else { return vec![] };
    let mut lines = doc.lines().filter(|line| !line.trim().is_empty());
    if dive.depth == DiveDepth::Overview {
        return lines
            .next()
            .map(|line| format!("  // {}", first_sentence(line)))
            .into_iter()
            .collect();
    }
    lines
        .take(DOC_LINES)
        .map(|line| format!("  // {}", signature(line)))
        .collect()
}

/// An overview has room for names, not for prose.
fn first_sentence(line: &str) -> String {
    shortened(
        line.trim()
            .split_inclusive(". ")
            .next()
            .unwrap_or_default()
            .trim_end(),
    )
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_IN_OVERVIEW) {
        Some((end, _)) => one_line(&format!("{}…", line[..end].trim_end())),
        None => one_line(line),
    }
}

/// As they are read: members as they stand, however much each weighs; all else as it comes.
pub fn in_order(section: &DiveSection) -> Vec<&DiveItem> {
    let mut items: Vec<&DiveItem> = section.items.iter().collect();
    if section.title.is_of_members() {
        items.sort_by_key(|item| (&item.path, item.start_line));
    }
    items
}

/// Names with their lines, a line of text for each file: the symbol's own need not be named.
fn members(section: &DiveSection, own: &str) -> Vec<String> {
    let mut files: Vec<(Option<&str>, Vec<String>)> = vec![];
    for item in in_order(section) {
        let path = item.path.as_deref().filter(|path| *path != own);
        let name = one_line(&item.name);
        let name = item
            .start_line
            .map_or_else(|| name.clone(), |line| format!("{name}:{line}"));
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, names)) => names.push(name),
            None => files.push((path, vec![name])),
        }
    }
    files.sort_by_key(|(path, _)| path.is_some());
    let line = |(path, names): (Option<&str>, Vec<String>)| {
        let names = names.join(", ");
        path.map_or_else(
            || format!("  {names}"),
            |path| format!("  {}: {names}", one_line(path)),
        )
    };
    files.into_iter().map(line).collect()
}

/// `callers (10 of 23)`.
pub fn heading(section: &DiveSection) -> String {
    let shown = section.items.len() as u64;
    let counts = if shown == section.total {
        grouped(shown)
    } else {
        format!("{} of {}", grouped(shown), grouped(section.total))
    };
    format!("{} ({counts})", title(section.title))
}

fn title(title: SectionTitle) -> String {
    title.as_str().replace('_', " ")
}

/// A name and its place; deeper its signature too.
pub fn item_line(item: &DiveItem, depth: DiveDepth) -> String {
    let name = one_line(&item.name);
    let written = match (&item.signature, depth) {
        (Some(text), DiveDepth::Context | DiveDepth::Full) => signature(text),
        _ => name.clone(),
    };
    let mut parts = vec![written.clone()];
    // A method is told apart by its type, which no signature has.
    let is_within = name.contains(['.', ':']) && written != name;
    parts.extend(is_within.then(|| format!("[{name}]")));
    let start = item.start_line.unwrap_or(1);
    let whereabouts = item.path.as_ref().map(|path| match item.start_line {
        Some(_) if depth == DiveDepth::Overview => place(path, start, start),
        Some(_) => place(path, start, item.end_line.unwrap_or(start)),
        None => one_line(path),
    });
    parts.extend(whereabouts);
    let sure = match item.resolution {
        Some(Resolution::Ambiguous) => Some("ambiguous".to_owned()),
        Some(Resolution::NameOnly) => Some("name only".to_owned()),
        Some(Resolution::Resolved) | None => None,
    };
    let notes: Vec<_> = item
        .note
        .as_deref()
        .map(one_line)
        .into_iter()
        .chain(sure)
        .chain(item.is_test.then(|| "test".to_owned()))
        .collect();
    parts.extend((!notes.is_empty()).then(|| notes.join(", ")));
    parts.join("  ")
}

/// What was cut, or what a deeper look adds.
fn next(dive: &Dive) -> Option<String> {
    let call = again(DeepDive::NAME, &dive.symbol).with("root", dive.root_name.as_str());
    // What a depth cuts by itself, the next one shows.
    let by_depth = dive.max_tokens == dive.depth.tokens() && dive.depth.deeper().is_some();
    if dive.truncated && dive.max_tokens < MOST_TOKENS && !by_depth {
        let depth = (dive.depth != DiveDepth::Overview).then(|| dive.depth.as_str());
        return Some(format!(
            "cut to fit; all: {}",
            call.with_some("depth", depth).with_budget(MOST_TOKENS)
        ));
    }
    if let Some(deeper) = dive.depth.deeper() {
        return Some(format!("more: {}", call.with("depth", deeper.as_str())));
    }
    // Nothing shows more of all, but of one list there is a tool that does.
    let missing = dive
        .sections
        .iter()
        .find(|section| section.total > section.items.len() as u64)?;
    let tool = match missing.title {
        SectionTitle::Callers => FindCallers::NAME,
        SectionTitle::Callees => FindCallees::NAME,
        SectionTitle::Implementors => FindImplementations::NAME,
        _ => FindReferences::NAME,
    };
    let call = again(tool, &dive.symbol)
        .with("limit", MOST_CALLS)
        .with_budget(MOST_TOKENS);
    Some(format!(
        "more {}: {}",
        title(missing.title),
        call.with("root", dive.root_name.as_str())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::graph::text::samples::{run, symbol};
    use crate::answer::graph::{Excerpt, SymbolInfo};
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;

    fn section(
        title: SectionTitle,
        total: u64,
        symbols: impl IntoIterator<Item = SymbolInfo>,
    ) -> DiveSection {
        let items = symbols.into_iter().map(|symbol| DiveItem {
            resolution: Some(Resolution::Resolved),
            ..DiveItem::of(symbol)
        });
        DiveSection {
            title,
            items: items.collect(),
            total,
        }
    }

    fn function(name: &str, path: &str) -> SymbolInfo {
        symbol(name, SymbolKind::Function, path, (10, 14))
    }

    fn dive(depth: DiveDepth) -> Dive {
        let mut calling = section(
            SectionTitle::Callers,
            23,
            (0..10).map(|index| function("checkout", &format!("src/api/checkout_{index}.rs"))),
        );
        calling.items[1].resolution = Some(Resolution::Ambiguous);
        calling.items[1].note = Some("2 calls".to_owned());
        calling.items[2].is_test = true;
        let called = section(
            SectionTitle::Callees,
            2,
            [
                function("Engine::step", "src/engine.rs"),
                function("log", "src/log.rs"),
            ],
        );
        let mut types = section(
            SectionTitle::Types,
            2,
            [symbol("Job", SymbolKind::Struct, "src/job.rs", (3, 8))],
        );
        types.items.push(DiveItem {
            name: "Duration".to_owned(),
            note: Some("external".to_owned()),
            ..DiveItem::default()
        });
        Dive {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            depth,
            symbol: run(),
            doc: Some("Runs until it is done.\n\nThen stops.".to_owned()),
            body: None,
            sections: vec![calling, called, types],
            truncated: false,
        }
    }

    #[test]
    fn an_overview_has_names_and_places() {
        let text = dive(DiveDepth::Overview).text().to_string();
        assert!(tokens::estimate(&text) < 400, "{}", tokens::estimate(&text));
        insta::assert_snapshot!(text, @r#"
        src/engine.rs:12-40  public method Engine::run in engine
          pub fn run(&self) -> u32
          // Runs until it is done.
        callers (10 of 23)
          checkout  src/api/checkout_0.rs:10
          checkout  src/api/checkout_1.rs:10  2 calls, ambiguous
          checkout  src/api/checkout_2.rs:10  test
          checkout  src/api/checkout_3.rs:10
          checkout  src/api/checkout_4.rs:10
          checkout  src/api/checkout_5.rs:10
          checkout  src/api/checkout_6.rs:10
          checkout  src/api/checkout_7.rs:10
          checkout  src/api/checkout_8.rs:10
          checkout  src/api/checkout_9.rs:10
        callees (2)
          Engine::step  src/engine.rs:10
          log  src/log.rs:10
        types (2)
          Job  src/job.rs:3
          Duration  external
        more: deep_dive {"path":"src/engine.rs","line":12,"root":"engine","depth":"context"}
        "#);
    }

    #[test]
    fn a_large_class_fits_its_overview() {
        let mut class = Dive {
            symbol: symbol("Session", SymbolKind::Class, "src/session.py", (10, 900)),
            doc: Some(format!("A session. {}", "It has much to say. ".repeat(30))),
            max_tokens: DiveDepth::Overview.tokens(),
            ..dive(DiveDepth::Overview)
        };
        // The most connected first; in the file they stand the other way round, and the last one elsewhere.
        let method = |number: u32| {
            let path = if number == 2 {
                "src/session_async.py"
            } else {
                "src/session.py"
            };
            let line = 800 - number * 10;
            let place = symbol(
                &format!("method_{number}"),
                SymbolKind::Method,
                path,
                (line, line + 5),
            );
            DiveItem::of(place)
        };
        let methods = DiveSection {
            title: SectionTitle::Methods,
            items: (0..10).map(method).collect(),
            total: 60,
        };
        let users = section(
            SectionTitle::Users,
            58,
            (0..10).map(|_| function("some::far::caller", "src/api/far/away.py")),
        );
        class.sections = vec![methods, users];
        let text = render(&class, Format::Text, DiveDepth::Overview.tokens());
        assert!(
            tokens::estimate(&text) <= DiveDepth::Overview.tokens() as usize,
            "{text}"
        );
        insta::assert_snapshot!(text, @r#"
        src/session.py:10-900  public class Session in engine
          // A session.
        methods (10 of 60)
          method_9:710, method_8:720, method_7:730, method_6:740, method_5:750, method_4:760, method_3:770, method_1:790, method_0:800
          src/session_async.py: method_2:780
        users (3 of 58)
          some::far::caller  src/api/far/away.py:10
          some::far::caller  src/api/far/away.py:10
          some::far::caller  src/api/far/away.py:10
        more: deep_dive {"path":"src/session.py","line":10,"root":"engine","depth":"context"}
        "#);
    }

    #[test]
    fn what_is_not_shown_at_all_is_counted_in_one_line() {
        let mut bare = dive(DiveDepth::Overview);
        bare.sections
            .iter_mut()
            .for_each(|section| section.items.clear());
        assert!(
            bare.text()
                .to_string()
                .contains("not shown: callers (23), callees (2), types (2)"),
            "{}",
            bare.text().to_string()
        );
    }

    #[test]
    fn deeper_there_are_signatures_and_bodies() {
        let mut full = dive(DiveDepth::Full);
        full.sections.remove(0);
        full.body = Some(Excerpt::whole(
            12,
            ["pub fn run(&self) -> u32 {", "    self.step()", "}"],
        ));
        full.sections[0].items[0].source = Some(Excerpt::whole(
            10,
            ["fn step(&self) -> u32 {", "    1", "}"],
        ));
        insta::assert_snapshot!(full.text().to_string(), @r"
        src/engine.rs:12-40  public method Engine::run in engine
          // Runs until it is done.
          // Then stops.
        ```
        12	pub fn run(&self) -> u32 {
        13	    self.step()
        14	}
        ```
        callees (2)
          pub fn step(&self) -> u32  [Engine::step]  src/engine.rs:10-14
        ```
        10	fn step(&self) -> u32 {
        11	    1
        12	}
        ```
          pub fn log(&self) -> u32  src/log.rs:10-14
        types (2)
          Job  src/job.rs:3-8
          Duration  external
        ");
    }

    #[test]
    fn what_does_not_fit_gives_way_lists_and_bodies_alike() {
        let mut long = dive(DiveDepth::Full);
        let body = vec!["    let total = self.step() + self.step();"; 400];
        long.body = Some(Excerpt::whole(12, body.iter().copied()));
        for budget in [500, 1500, 4000] {
            let text = render(&long, Format::Text, budget);
            assert!(tokens::estimate(&text) <= budget as usize, "{text}");
            assert!(tokens::estimate(&render(&long, Format::Json, budget)) <= budget as usize);
            assert!(
                text.contains("callees (") && text.contains("cut to fit; all: deep_dive"),
                "{text}"
            );
        }
        assert!(render(&long, Format::Text, 1500).contains("self.step() + "));
        for depth in [DiveDepth::Overview, DiveDepth::Context, DiveDepth::Full] {
            let text = render(
                &Dive {
                    depth,
                    max_tokens: depth.tokens(),
                    ..long.clone()
                },
                Format::Text,
                depth.tokens(),
            );
            let next = depth
                .deeper()
                .map_or("cut to fit; all: deep_dive", |_| "more: deep_dive");
            assert!(
                text.lines()
                    .last()
                    .is_some_and(|line| line.starts_with(next)),
                "{text}"
            );
        }
        let widest = render(
            &Dive {
                max_tokens: MOST_TOKENS,
                ..long
            },
            Format::Text,
            600,
        );
        insta::assert_snapshot!(widest.lines().last().expect("a line"), @r#"more callers: find_callers {"path":"src/engine.rs","line":12,"limit":200,"max_tokens":10000,"root":"engine"}"#);
    }

    #[test]
    fn a_symbol_on_its_own_is_shown_too() {
        insta::assert_snapshot!(Dive { sections: vec![], doc: None, ..dive(DiveDepth::Full) }.text().to_string(), @r"
        src/engine.rs:12-40  public method Engine::run in engine
          pub fn run(&self) -> u32
        nothing is known to be around method Engine::run (src/engine.rs:12-40)
        ");
    }
}
