//! Facts as text that people can check and a diff can show.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::facts::{Block, FileFacts, Reach, RelationKind, Role};

pub fn show(facts: &FileFacts) -> String {
    let outline = &facts.outline;
    let mut text = String::from("symbols\n");
    let mut depths: Vec<usize> = vec![];
    for symbol in &outline.symbols {
        let depth = symbol
            .parent
            .map_or(0, |parent| depths[parent as usize] + 1);
        depths.push(depth);
        let _ = write!(
            text,
            "  {:indent$}{}",
            "",
            symbol.kind.as_str(),
            indent = depth * 2
        );
        if let Some(visibility) = symbol.visibility {
            let _ = write!(text, " {}", visibility.as_str());
        }
        let scope = symbol
            .scope
            .as_ref()
            .map(|scope| format!("{scope} / "))
            .unwrap_or_default();
        let _ = write!(
            text,
            " {scope}{} {}-{}",
            symbol.name, symbol.start_line, symbol.end_line
        );
        let _ = write!(text, " at {}:{}", symbol.name_line, symbol.name_column);
        if symbol.complexity > 0 {
            let _ = write!(text, " complexity {}", symbol.complexity);
        }
        let _ = writeln!(text, " | {}", symbol.signature);
        if !symbol.doc.is_empty() {
            let _ = writeln!(
                text,
                "  {:indent$}  doc: {}",
                "",
                symbol.doc,
                indent = depth * 2
            );
        }
    }
    section(
        &mut text,
        "imports",
        outline.imports.iter().map(|import| {
            let name = import
                .name
                .as_ref()
                .map(|name| format!(" name {name}"))
                .unwrap_or_default();
            let alias = import
                .alias
                .as_ref()
                .map(|alias| format!(" as {alias}"))
                .unwrap_or_default();
            let reach = match import.reach {
                Reach::Named => "",
                Reach::Wildcard => " wildcard",
                Reach::Reexport => " reexport",
                Reach::Whole => " whole",
            };
            format!("{} {}{name}{alias}{reach}", import.line, import.module)
        }),
    );
    section(
        &mut text,
        "relations",
        outline.relations.iter().map(|relation| {
            let kind = match relation.kind {
                RelationKind::Extends => "extends",
                RelationKind::Implements => "implements",
            };
            let target = relation.path.as_ref().unwrap_or(&relation.target);
            format!("{} {} {kind} {target}", relation.line, relation.subject)
        }),
    );
    let rows: Vec<(u32, u32)> = facts
        .occurrences
        .iter()
        .map(|one| (one.line, one.column))
        .collect();
    let blocks: Vec<Block> = facts.occurrences.blocks().collect();
    let bound: HashMap<u32, u32> = facts.occurrences.bound_in_blocks().collect();
    section(
        &mut text,
        "occurrences",
        (0_u32..).zip(facts.occurrences.iter()).map(|(row, one)| {
            let role = match one.role {
                Role::Import => "import",
                Role::Named => "named",
                Role::Call => "call",
                Role::Bind => "bind",
                Role::Narrow => "narrow",
                Role::Write => "write",
                Role::Type => "type",
                Role::Read => "read",
                Role::Mention => "mention",
                Role::Implicit => "implicit",
            };
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let qualifier = one
                .qualifier
                .map(|qualifier| format!(" of {}", squeezed(qualifier)))
                .unwrap_or_default();
            let around = one
                .symbol
                .map(|symbol| format!(" in {}", outline.symbols[symbol as usize].name))
                .unwrap_or_default();
            let until = bound.get(&row).map(|block| {
                let block = blocks[*block as usize];
                let (first, last) = (rows[block.start as usize], rows[block.end as usize - 1]);
                let from = if block.from_start {
                    format!(" from {}:{}", first.0, first.1)
                } else {
                    String::new()
                };
                format!("{from} until {}:{}", last.0, last.1)
            });
            let until = until.unwrap_or_default();
            format!(
                "{}:{} {role} {}{qualifier}{around}{until}",
                one.line, one.column, one.name
            )
        }),
    );
    section(
        &mut text,
        "chunks",
        outline
            .chunks
            .iter()
            .map(|chunk| format!("{}-{}", chunk.start_line, chunk.end_line)),
    );
    let lines = outline.lines;
    let _ = writeln!(
        text,
        "lines {} code {} comment {} blank {} calls {} syntax errors {}",
        lines.total,
        lines.code(),
        lines.comment,
        lines.blank,
        outline.calls,
        outline.problems.syntax_errors
    );
    text
}

fn section(text: &mut String, title: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}");
    for row in rows {
        let _ = writeln!(text, "  {row}");
    }
}
