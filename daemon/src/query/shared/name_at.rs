//! The name at a position of a file, and the symbols that it refers to.

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::tools::find_definition::NameTarget;

use crate::graph::{Graph, Outcome, SymbolId, Use, Uses};
use crate::lang::vocabulary::CLOSURE_BRACE;

/// The reason that is given for a name at its own definition.
const IS_DEFINITION: &str = "defined here";

/// The name at a position, and what it refers to.
pub struct NameAt {
    pub name: String,
    /// The line and column of its first character, counted from 1 and 0.
    pub start: (u32, u32),
    pub target: NameTarget,
    pub symbols: Vec<SymbolId>,
    pub resolution: Resolution,
    pub reason: &'static str,
    /// The position that introduces a local name.
    pub local: Option<(u32, u32)>,
    /// The use at the name; none if no use is known there.
    pub row: Option<Use>,
}

/// Returns the name that covers a line and a column, counted from 1 and 0.
pub fn name_at(graph: &Graph<'_>, file: u32, position: (u32, u32)) -> Option<NameAt> {
    let covers = |start: (u32, u32), name: &str| {
        let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
        start.0 == position.0 && (start.1..=start.1.saturating_add(length)).contains(&position.1)
    };
    let uses = graph.uses(file);
    let row = uses
        .rows()
        .iter()
        .filter(|row| uses.name(row) != CLOSURE_BRACE)
        .filter(|row| covers((row.line, row.column), uses.name(row)))
        // A position at the end of one name may also be the start of another, which is then preferred.
        .max_by_key(|row| row.column);
    if let Some(row) = row {
        return Some(referred_to(graph, file, &uses, row));
    }
    if let Some((at, start, reason)) = graph.precise().definition_at(file, position) {
        return Some(NameAt {
            name: graph.symbol(at).name.to_string(),
            start,
            target: NameTarget::Symbol,
            symbols: vec![graph.entities().definition(at)],
            resolution: Resolution::Resolved,
            reason,
            local: None,
            row: None,
        });
    }
    let symbols = &graph.file(file).outline.symbols;
    let defined = symbols
        .iter()
        .position(|symbol| covers((symbol.name_line, symbol.name_column), &symbol.name))?;
    let symbol = &symbols[defined];
    Some(NameAt {
        name: symbol.name.to_string(),
        start: (symbol.name_line, symbol.name_column),
        target: NameTarget::Symbol,
        symbols: vec![SymbolId {
            file,
            symbol: u32::try_from(defined).ok()?,
        }],
        resolution: Resolution::Resolved,
        reason: IS_DEFINITION,
        local: None,
        row: None,
    })
}

fn referred_to(graph: &Graph<'_>, file: u32, uses: &Uses, row: &Use) -> NameAt {
    let mut found = NameAt {
        name: uses.name(row).to_owned(),
        start: (row.line, row.column),
        target: NameTarget::Unknown,
        symbols: vec![],
        resolution: Resolution::NameOnly,
        reason: "",
        local: None,
        row: Some(*row),
    };
    match graph.resolver().resolve(file, uses, row) {
        Outcome::Targets(targets) => {
            found.target = NameTarget::Symbol;
            found.symbols = targets
                .symbols
                .iter()
                .map(|at| graph.entities().definition(*at))
                .collect();
            (found.resolution, found.reason) = (targets.resolution, targets.reason);
        }
        Outcome::Local => {
            found.target = NameTarget::Local;
            found.resolution = Resolution::Resolved;
            found.local = graph.resolver().local_binding(file, uses, row);
        }
        Outcome::Foreign => found.target = NameTarget::External,
        Outcome::Unknown => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn the_brace_of_a_closure_is_not_a_name() {
        let line = "func all(ones: [One]) { ones.map{ $0.open() } }";
        let text = format!("class One {{ func open() {{}} }}\n{line}\n");
        let files = Files::new("swift", &[("a.swift", &text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let brace = line.find("{ $0").expect("a closure");
        for (column, expected) in [(brace, Some("map")), (brace + 1, None)] {
            let column = u32::try_from(column).expect("a short line");
            let found = name_at(&graph, 0, (2, column)).map(|found| found.name);
            assert_eq!(found.as_deref(), expected, "{column}");
        }
    }

    #[test]
    fn a_field_of_a_type_without_a_name_is_not_the_variable_with_its_name() {
        let text = "package a\nfunc run(log int) {\n\trow := struct{ log int }{1}\n\tuse(row.log, log)\n}\n";
        let files = Files::new("go", &[("a.go", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let bound = |column| name_at(&graph, 0, (4, column)).and_then(|found| found.local);
        assert_eq!((bound(9), bound(14)), (Some((3, 16)), Some((2, 9))));
    }
}
