//! The scopes of names that are bound inside a function: the block, the loop or the closure around them.
//!
//! The nodes that are scopes are captures of a language's queries. A name that is bound in none of them holds in all of the symbol
//! around it, as everything does in a language whose queries name none.

use super::captures::Span;
use super::facts::{self, OccurrenceBuilder, Role};

/// The effect of a block on names that are bound in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// They end with it.
    Block,
    /// They end with it, and hold in it before they are bound: the names of a comprehension.
    Whole,
    /// All of them end with it, also those that blocks do not end.
    Function,
    /// It ends none, and those that are bound directly in it are not ended by blocks.
    Hoisted,
    /// It ends only what is said of names that are bound elsewhere.
    Narrowed,
}

#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub span: Span,
    pub kind: BlockKind,
}

/// Finds the blocks of bindings that are asked for in the order of the text.
pub struct Binding<'a> {
    /// In the order of their starts, what is around before what is inside.
    blocks: &'a [Block],
    next: usize,
    open: Vec<usize>,
    /// For each binding the place of its block in `blocks`, and the end of the symbol around it.
    bound: Vec<(Option<usize>, u32)>,
}

impl<'a> Binding<'a> {
    pub fn new(blocks: &'a mut [Block]) -> Self {
        blocks.sort_by_key(|block| (block.span.start, std::cmp::Reverse(block.span.end)));
        Self {
            blocks,
            next: 0,
            open: vec![],
            bound: vec![],
        }
    }

    /// Takes up a name that is bound somewhere, inside a symbol or in none.
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

    /// Hands the blocks that bind something over, as rows. `rows` are the places of the occurrences.
    pub fn finish(self, rows: &[u32], builder: &mut OccurrenceBuilder<'_>) {
        let row = |at: u32| super::text::offset(rows.partition_point(|place| *place < at));
        // What ends with the symbol around it need not be said to: most blocks are the bodies of functions.
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
