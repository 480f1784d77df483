//! The text of `deep_dive` at each depth, and the order in which a budget cuts it.

use super::*;
use crate::answer::graph::text::samples::{run, symbol};
use crate::answer::render::render;
use crate::text::tokens;

fn section(
    title: SectionTitle,
    total: u64,
    symbols: impl IntoIterator<Item = SymbolInfo>,
) -> DiveSection {
    let items = symbols.into_iter().map(|symbol| DiveItem {
        resolution: Some(Resolution::Resolved),
        ..DiveItem::from_symbol(symbol)
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
        accounting: None,
        commits: vec![],
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
        DiveItem::from_symbol(place)
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
fn sections_without_items_are_counted_in_one_line() {
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
fn lists_and_bodies_are_cut_to_the_budget() {
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
            max_tokens: MAX_TOKENS,
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
    nothing related to method Engine::run (src/engine.rs:12-40) was found
    ");
}
