//! The text of `find_implementations`.

use crate::answer::freshness;
use crate::answer::graph::text::{
    Counts, again, asked, confidence, going_on, listed, signature_line,
};
use crate::text::one_line;
use crate::text::quantity::{count, grouped};
use crate::tools::Tool;
use crate::tools::find_implementations::{
    FindImplementations, ImplRelation, Implementation, Implementations,
};

pub fn write(list: &Implementations) -> String {
    let mut lines = vec![head(list)];
    lines.extend(freshness::lines(&list.freshness));
    for item in &list.implementations {
        lines.push(format!("{}  {}", listed(&item.symbol()), relation(item)));
        lines.extend(signature_line(&item.signature));
    }
    lines.extend(next(list));
    lines.join("\n")
}

pub fn head(list: &Implementations) -> String {
    let found = if list.total == 0 {
        "no implementations".to_owned()
    } else {
        count(list.total, "implementation")
    };
    let shown = list.implementations.len() as u64;
    let counts = Counts {
        total: list.total,
        remaining: list.remaining,
        shown,
    };
    format!(
        "{found} of {} in {}{}",
        asked(&list.symbol),
        list.root_name,
        counts.written()
    )
}

/// `extends Base, test, resolved: imported`.
pub fn relation(item: &Implementation) -> String {
    let word = match item.relation {
        ImplRelation::Implements => "implements",
        ImplRelation::Extends => "extends",
        ImplRelation::Overrides => "overrides",
        ImplRelation::MethodSet => "has its methods",
    };
    let via = item
        .via
        .as_ref()
        .map_or_else(String::new, |via| format!(" {}", one_line(via)));
    let mut parts = vec![format!("{word}{via}")];
    if item.is_test {
        parts.push("test".to_owned());
    }
    parts.push(confidence(item.resolution, item.candidates, &item.reason));
    parts.join(", ")
}

fn next(list: &Implementations) -> Option<String> {
    let limit = (list.limit != FindImplementations::DEFAULT_LIMIT).then_some(list.limit);
    let call = again(FindImplementations::NAME, &list.symbol).with_some("limit", limit);
    let call = going_on(
        call,
        list.max_tokens,
        &list.root_name,
        list.cursor.as_deref(),
    );
    (list.remaining > 0).then(|| format!("{} more: {call}", grouped(list.remaining)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::graph::Resolution;
    use crate::answer::graph::text::samples::symbol;
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;

    fn list(implementations: Vec<Implementation>) -> Implementations {
        Implementations {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            symbol: symbol("Store", SymbolKind::Trait, "src/store.rs", (5, 20)),
            total: implementations.len() as u64,
            implementations,
            remaining: 0,
            truncated: false,
            cursor: None,
            limit: 20,
        }
    }

    fn item(name: &str, path: &str) -> Implementation {
        let reason = "impl Store for".to_owned();
        let resolution = Resolution::Resolved;
        Implementation {
            resolution,
            reason,
            depth: 1,
            ..Implementation::of(symbol(name, SymbolKind::Struct, path, (3, 9)))
        }
    }

    #[test]
    fn each_has_its_relation() {
        let below = Implementation {
            relation: ImplRelation::Extends,
            resolution: Resolution::Ambiguous,
            candidates: Some(2),
            reason: String::new(),
            via: Some("Disk".to_owned()),
            depth: 2,
            is_test: true,
            ..item("FakeDisk", "tests/fake.rs")
        };
        let shaped = Implementation {
            relation: ImplRelation::MethodSet,
            reason: "3 of 3 methods".to_owned(),
            ..item("Memory", "src/memory.go")
        };
        insta::assert_snapshot!(list(vec![item("Disk", "src/disk.rs"), below, shaped]).text().to_string(), @r"
        3 implementations of trait Store (src/store.rs:5-20) in engine
        src/disk.rs:3-9  public struct Disk  implements, resolved: impl Store for
        tests/fake.rs:3-9  public struct FakeDisk  extends Disk, test, ambiguous among 2
        src/memory.go:3-9  public struct Memory  has its methods, resolved: 3 of 3 methods
        ");
        insta::assert_snapshot!(list(vec![]).text().to_string(), @"no implementations of trait Store (src/store.rs:5-20) in engine");
    }

    #[test]
    fn many_are_cut_between_them() {
        let many = list(
            (0..200)
                .map(|index| item("Disk", &format!("src/disk_{index}.rs")))
                .collect(),
        );
        let text = render(&many, Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500);
        insta::assert_snapshot!(text.lines().last().expect("a line"), @r#"183 more: find_implementations {"path":"src/store.rs","line":5,"root":"engine","cursor":"17:3:src/disk_16.rs"}"#);
    }
}
