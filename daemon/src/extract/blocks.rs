//! The scopes of names that are bound inside a function: the enclosing block, loop or closure.
//!
//! A language's queries capture the nodes that are scopes. A name that is bound in none of them is in scope in the whole symbol
//! around it, as are all names of a language whose queries capture no scopes.

use claudevil_treequery::Span;

use super::facts::{self, OccurrenceBuilder, Role};

/// The effect of a block on the names that are bound in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Names go out of scope at the end of the block: `{ let x = 1; }`.
    Block,
    /// Like `Block`, but names are also in scope before they are bound: `[x for x in xs]`.
    Whole,
    /// All names go out of scope at its end, hoisted ones too: a function in JavaScript.
    Function,
    /// No scope of its own: names bound directly in it are hoisted out of the enclosing blocks, up to the function:
    /// `var x = 1;`.
    Hoisted,
    /// Only type narrowings end with it, and not the scopes of names: the body of `if isinstance(x, Store):`.
    Narrowed,
}

#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub span: Span,
    pub kind: BlockKind,
}

/// Returns the initializers that use the name that they initialize: `store.open()` in `let store = store.open()`. `captured` are
/// patterns with their initializers, and `rows` the positions and names of the occurrences.
pub fn find_initializers(
    captured: &mut Vec<(Span, Span)>,
    rows: &[(u32, &str)],
    is_binding: impl Fn(usize) -> bool,
) -> Vec<facts::Initializer> {
    captured.sort_unstable_by_key(|(pattern, value)| (pattern.start, value.start, value.end));
    let within = |span: Span| {
        let row = |at: u32| rows.partition_point(|(place, _)| *place < at);
        row(span.start)..row(span.end)
    };
    let mut found: Vec<facts::Initializer> = vec![];
    for (pattern, value) in captured.drain(..) {
        let value = within(value);
        let bound = within(pattern).filter(|row| *row < value.start && is_binding(*row));
        let is_used = |row: &usize| {
            let mut uses = value.clone().filter(|used| !is_binding(*used));
            uses.any(|used| rows[used].1 == rows[*row].1)
        };
        found.extend(bound.filter(is_used).map(|row| facts::Initializer {
            binding: super::text::offset(row),
            start: super::text::offset(value.start),
            end: super::text::offset(value.end),
        }));
    }
    found.sort_unstable_by_key(|one| (one.binding, one.start, one.end));
    found.dedup();
    found
}

/// Finds the block of each binding; bindings are added in the order of the text.
pub struct BindingScopes<'a> {
    /// Sorted by start; an outer block comes before an inner one.
    blocks: &'a [Block],
    next: usize,
    open: Vec<usize>,
    /// For each binding, the index of its block in `blocks` and the end of the symbol around it.
    bound: Vec<(Option<usize>, u32)>,
}

impl<'a> BindingScopes<'a> {
    pub fn new(blocks: &'a mut [Block]) -> Self {
        blocks.sort_by_key(|block| (block.span.start, std::cmp::Reverse(block.span.end)));
        Self {
            blocks,
            next: 0,
            open: vec![],
            bound: vec![],
        }
    }

    /// Adds a binding, and the span of the symbol around it, if any.
    pub fn push(&mut self, at: u32, role: Role, symbol: Option<Span>) {
        while self
            .blocks
            .get(self.next)
            .is_some_and(|block| block.span.start <= at)
        {
            self.open.push(self.next);
            self.next += 1;
        }
        while self
            .open
            .last()
            .is_some_and(|open| self.blocks[*open].span.end <= at)
        {
            self.open.pop();
        }
        let mut is_hoisted = false;
        let ends_it = |place: &&usize| match self.blocks[**place].kind {
            BlockKind::Function => true,
            BlockKind::Narrowed => role == Role::Narrow,
            BlockKind::Block | BlockKind::Whole => !is_hoisted,
            BlockKind::Hoisted => {
                is_hoisted = true;
                false
            }
        };
        let block = self.open.iter().rev().find(ends_it).copied();
        let is_inside =
            |place: &usize| symbol.is_none_or(|symbol| !self.blocks[*place].span.contains(symbol));
        self.bound.push((
            block.filter(is_inside),
            symbol.map_or(u32::MAX, |symbol| symbol.end),
        ));
    }

    /// Passes the blocks that bind a name to `builder`, as ranges of rows. `rows` are the positions of the occurrences.
    pub fn finish(self, rows: &[u32], builder: &mut OccurrenceBuilder<'_>) {
        let row = |at: u32| super::text::offset(rows.partition_point(|place| *place < at));
        // A block that ends with its symbol is not stored: most blocks are the bodies of functions.
        let is_said = |block: Block, symbol_end: u32| {
            block.kind == BlockKind::Whole || row(block.span.end) < row(symbol_end)
        };
        let said = self
            .bound
            .iter()
            .map(|(block, end)| block.filter(|place| is_said(self.blocks[*place], *end)));
        let said: Vec<Option<usize>> = said.collect();
        let mut used: Vec<usize> = said.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let extent = |place: &usize| {
            let Block { span, kind } = self.blocks[*place];
            facts::Block {
                start: row(span.start),
                end: row(span.end),
                from_start: kind == BlockKind::Whole,
            }
        };
        let blocks: Vec<facts::Block> = used.iter().map(extent).collect();
        let number = |place: usize| used.binary_search(&place).ok().map(super::text::offset);
        builder.bound(
            &blocks,
            said.into_iter().map(|place| place.and_then(number)),
        );
    }
}
