//! Definitions that consist of several clauses: the equations of a Haskell function, and the type signature above them.
//!
//! The queries capture which definitions may have several clauses. Clauses are joined if they have the same name and nothing
//! but comments and attributes is between them.

use super::captures::{Definition, ForwardDeclaration, Span};

#[derive(Default)]
pub struct JoinedClauses<'a> {
    /// In the order of the input.
    pub definitions: Vec<Definition<'a>>,
    /// The starts of the second and later clauses, each of which is one more branch.
    pub branches: Vec<u32>,
    /// The positions of the names in further clauses and in type signatures, sorted.
    pub heads: Vec<u32>,
}

/// Joins the clauses of each definition into one.
pub fn join<'a>(
    definitions: Vec<Definition<'a>>,
    declared: &mut [ForwardDeclaration<'a>],
    is_blank: impl Fn(u32, u32) -> bool,
) -> JoinedClauses<'a> {
    declared.sort_by_key(|one| (one.span.start, one.name_at));
    let mut joined = JoinedClauses {
        heads: declared.iter().map(|one| one.name_at).collect(),
        ..JoinedClauses::default()
    };
    let mut ahead: &[ForwardDeclaration<'a>] = declared;
    // The latest type signature, which may be for several names, and the end of the previous piece.
    let mut said: &[ForwardDeclaration<'a>] = &[];
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
