//! Finds the definitions, scopes and closures that enclose others.

use super::captures::{Definition, FileCaptures, Span};

/// The enclosing definition of each definition, and the name of the enclosing scope if that is closer.
pub struct Nesting<'a> {
    pub parents: Vec<Option<usize>>,
    pub scopes: Vec<Option<&'a str>>,
}

impl<'a> Nesting<'a> {
    pub fn new(definitions: &[Definition<'a>], captured: &FileCaptures<'a>) -> Self {
        enum NestingStart<'a> {
            Definition(usize),
            Scope(&'a str),
        }
        let mut starts: Vec<(Span, NestingStart<'a>)> = definitions
            .iter()
            .enumerate()
            .map(|(at, definition)| (definition.span, NestingStart::Definition(at)))
            .chain(
                captured
                    .scopes
                    .iter()
                    .map(|scope| (scope.span, NestingStart::Scope(scope.name))),
            )
            .collect();
        starts.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let mut nesting = Self {
            parents: vec![None; definitions.len()],
            scopes: vec![None; definitions.len()],
        };
        let mut open: Vec<(Span, NestingStart<'a>)> = vec![];
        for (span, around) in starts {
            // Several names of one declaration have the same span, and are siblings.
            while open
                .last()
                .is_some_and(|(outer, _)| !outer.contains(span) || *outer == span)
            {
                open.pop();
            }
            if let NestingStart::Definition(at) = around {
                nesting.parents[at] = open.iter().rev().find_map(|(_, outer)| match outer {
                    NestingStart::Definition(outer) => Some(*outer),
                    NestingStart::Scope(_) => None,
                });
                nesting.scopes[at] = open.last().and_then(|(_, outer)| match outer {
                    NestingStart::Scope(name) => Some(*name),
                    NestingStart::Definition(_) => None,
                });
            }
            open.push((span, around));
        }
        nesting
    }
}

/// Returns the innermost enclosing definition that is a symbol.
pub fn nearest_symbol(at: usize, parents: &[Option<usize>], places: &[Option<u32>]) -> Option<u32> {
    let mut around = parents[at];
    while let Some(outer) = around {
        if places[outer].is_some() {
            return places[outer];
        }
        around = parents[outer];
    }
    None
}

/// Anonymous functions. They are queried in the order of the text.
pub struct Closures {
    spans: Vec<Span>,
    next: usize,
    open: Vec<Span>,
}

impl Closures {
    pub fn new(mut spans: Vec<Span>) -> Self {
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        Self {
            spans,
            next: 0,
            open: vec![],
        }
    }

    /// Returns the innermost closure around a definition, if it lies inside the definition's parent and is not the parent
    /// itself: none for `inner` of `const outer = () => { const inner = () => 1 }`.
    pub fn around(
        &mut self,
        definition: &Definition<'_>,
        parent: Option<&Definition<'_>>,
    ) -> Option<Span> {
        while let Some(span) = self.spans.get(self.next)
            && span.start < definition.span.start
        {
            self.open.push(*span);
            self.next += 1;
        }
        while self
            .open
            .last()
            .is_some_and(|open| open.end <= definition.span.start)
        {
            self.open.pop();
        }
        let innermost = (self.open.iter().rev()).find(|open| open.contains(definition.span))?;
        let is_inside = parent.is_none_or(|parent| {
            let has_body = |body: u32| (innermost.start..innermost.end).contains(&body);
            !innermost.contains(parent.span) && !parent.body.is_some_and(has_body)
        });
        is_inside.then_some(*innermost)
    }
}

/// Finds the innermost span around each of several increasing positions.
pub struct Enclosing<'a> {
    spans: &'a [Span],
    next: usize,
    open: Vec<usize>,
}

impl<'a> Enclosing<'a> {
    pub fn new(spans: &'a [Span]) -> Self {
        Self {
            spans,
            next: 0,
            open: vec![],
        }
    }

    pub fn at(&mut self, at: u32) -> Option<u32> {
        while self
            .spans
            .get(self.next)
            .is_some_and(|span| span.start <= at)
        {
            self.open.push(self.next);
            self.next += 1;
        }
        while self
            .open
            .last()
            .is_some_and(|open| self.spans[*open].end <= at)
        {
            self.open.pop();
        }
        self.open.last().map(|open| super::text::offset(*open))
    }
}
