//! Definitions that are written in pieces: the equations of one function, and the type that is said above them.
//!
//! The queries tell which definitions may have more than one piece. Pieces belong together where they have one name
//! and nothing but comments and attributes stands between them.

use super::captures::{Declared, Definition, Span};

#[derive(Default)]
pub struct JoinedClauses<'a> {
    /// In the order of the text, as they were.
    pub definitions: Vec<Definition<'a>>,
    /// The starts of further bodies of a definition: each is one more branch.
    pub branches: Vec<u32>,
    /// The positions of further names of a definition, in order.
    pub heads: Vec<u32>,
}

/// Makes one definition of each that was written in pieces.
pub fn join<'a>(
    definitions: Vec<Definition<'a>>,
    declared: &mut [Declared<'a>],
    is_blank: impl Fn(u32, u32) -> bool,
) -> JoinedClauses<'a> {
    declared.sort_by_key(|one| (one.span.start, one.name_at));
    let mut joined = JoinedClauses {
        heads: declared.iter().map(|one| one.name_at).collect(),
        ..JoinedClauses::default()
    };
    let mut ahead: &[Declared<'a>] = declared;
    // What was said last, of one name or several, and where the piece before ends.
    let mut said: &[Declared<'a>] = &[];
    let mut reached = 0;
    for mut definition in definitions {
        while let Some(next) = ahead
            .first()
            .map(|one| one.span)
            .filter(|next| next.start < definition.span.start)
        {
            let (same, rest) =
                ahead.split_at(ahead.partition_point(|one| one.span.start <= next.start));
            (said, ahead, reached) = (same, rest, next.end);
        }
        if !definition.is_clause {
            said = &[];
            joined.definitions.push(definition);
            continue;
        }
        let Span { start, end } = definition.span;
        let follows = reached <= start && is_blank(reached, start);
        let is_piece = |before: &&mut Definition<'_>| {
            before.is_clause
                && before.span.end == reached
                && (before.name, before.kind) == (definition.name, definition.kind)
        };
        if follows && let Some(before) = joined.definitions.last_mut().filter(is_piece) {
            before.span.end = end;
            joined.heads.push(definition.name_at);
            if before.body.is_some() {
                joined.branches.push(start);
            }
            before.body = before.body.or(definition.body);
        } else {
            said = if follows { said } else { &[] };
            if let Some(type_above) = said.iter().find(|one| one.name == definition.name) {
                definition.declared = Some(type_above.span);
                if type_above.span.end == reached {
                    definition.span.start = type_above.span.start;
                }
            }
            joined.definitions.push(definition);
        }
        reached = end;
    }
    joined.heads.sort_unstable();
    joined
}
