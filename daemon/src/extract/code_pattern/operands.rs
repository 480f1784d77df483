//! Code that lands beside an operator, where parentheses must keep it together.
//!
//! Grammars know the precedence of arithmetic, but many are wrong about casts, `await`, optional chains and signs: they read
//! `-1.abs()` as a call on `-1`. So only atoms and plain arithmetic stay without parentheses beside other code.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::lang::conventions::{begins_expression, begins_header, ends_expression};

/// Operators whose precedence all grammars know.
const PLAIN_OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "&&", "||",
];
const SIGNS: &[&str] = &["+", "-", "!", "~"];
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// A token of an expression outside its brackets, or a pair of brackets with all that it holds.
struct Unit<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    kind: UnitKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitKind {
    /// A name, a number or a string.
    Word,
    /// A word of the language: `await`.
    Keyword,
    /// `(…)`, `[…]`, `<…>` of generic arguments.
    Brackets,
    /// `{…}`
    Braces,
    Sign,
}

/// The form of an expression, without what is in its brackets.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property by itself, and most expressions have none"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// A name, a literal, or a chain of calls, members and indices: `a.b(c)[d]`.
    pub is_atom: bool,
    /// Atoms, and arithmetic on them.
    is_plain: bool,
    begins_with_sign: bool,
    begins_with_brace: bool,
    begins_with_keyword: bool,
    has_braces: bool,
    has_colon: bool,
    is_assignment: bool,
    /// It is an item of a list and no expression: `a: 1`, `a = 1`, `a, b`.
    pub is_item: bool,
}

impl Shape {
    pub fn new(text: &str, node: Node<'_>) -> Self {
        let mut units = vec![];
        collect(text, node, &mut units);
        let has = |signs: &[&str]| {
            let mut all = units.iter();
            all.any(|unit| unit.kind == UnitKind::Sign && signs.contains(&unit.text))
        };
        let first = units.first();
        Self {
            is_atom: atom_length(&units) == units.len(),
            is_plain: is_plain(&units),
            begins_with_sign: first.is_some_and(|unit| SIGNS.contains(&unit.text)),
            begins_with_keyword: first.is_some_and(|unit| unit.kind == UnitKind::Keyword),
            begins_with_brace: first.is_some_and(|unit| unit.kind == UnitKind::Braces),
            is_item: has(&[":", "=", ",", "=>"]),
            has_braces: units.iter().any(|unit| unit.kind == UnitKind::Braces),
            has_colon: has(&[":", ":="]),
            is_assignment: units
                .iter()
                .any(|unit| unit.kind == UnitKind::Sign && is_assignment(unit.text)),
        }
    }
}

/// Collects the units of a node.
fn collect<'a>(text: &'a str, node: Node<'_>, units: &mut Vec<Unit<'a>>) {
    let slice = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    let ends = node.child(0).zip(
        node.child_count()
            .checked_sub(1)
            .and_then(|last| node.child(last)),
    );
    let own = slice(node);
    let kind = match ends.map(|(first, last)| (slice(first), slice(last))) {
        None if own.trim().is_empty() => return,
        None => match own.chars().next() {
            Some('(' | '[') if own.len() > 1 => UnitKind::Brackets,
            Some('{') if own.len() > 1 => UnitKind::Braces,
            Some(sign) if sign.is_alphanumeric() || sign == '_' => {
                if node.is_named() {
                    UnitKind::Word
                } else {
                    UnitKind::Keyword
                }
            }
            Some('$' | '@' | '#') => UnitKind::Word,
            Some(sign) if QUOTES.contains(&sign) => UnitKind::Word,
            _ => UnitKind::Sign,
        },
        Some(("(", ")") | ("[", "]") | ("<", ">")) => UnitKind::Brackets,
        Some(("{", "}")) => UnitKind::Braces,
        Some((open, _))
            if begins_string(open) && node.child(0).is_some_and(|one| one.child_count() == 0) =>
        {
            UnitKind::Word
        }
        Some(_) => {
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
            let mut at = 0;
            while let Some(child) = children.get(at) {
                at += 1;
                // Brackets of a node with other parts: `a[b]`.
                let close = match slice(*child) {
                    "[" => "]",
                    "(" => ")",
                    "{" => "}",
                    _ => {
                        collect(text, *child, units);
                        continue;
                    }
                };
                let length = children[at..]
                    .iter()
                    .position(|other| slice(*other) == close);
                let last = length.map_or(*child, |length| children[at + length]);
                at += length.map_or(0, |length| length + 1);
                units.push(Unit {
                    text: text
                        .get(child.start_byte()..last.end_byte())
                        .unwrap_or_default(),
                    start: child.start_byte(),
                    end: last.end_byte(),
                    kind: if close == "}" {
                        UnitKind::Braces
                    } else {
                        UnitKind::Brackets
                    },
                });
            }
            return;
        }
    };
    let start = node.start_byte() + own.len() - own.trim_start().len();
    units.push(Unit {
        text: own.trim(),
        start,
        end: start + own.trim().len(),
        kind,
    });
}

/// Returns whether a token begins a string: `"`, `f"`, `$"`.
fn begins_string(token: &str) -> bool {
    let quote =
        token.trim_start_matches(|sign: char| sign.is_ascii_alphabetic() || "$@#".contains(sign));
    quote.starts_with(QUOTES)
}

/// Returns the number of units of the atom at the start.
fn atom_length(units: &[Unit<'_>]) -> usize {
    let Some(first) = units.first() else {
        return 0;
    };
    if !matches!(
        first.kind,
        UnitKind::Word | UnitKind::Keyword | UnitKind::Brackets
    ) {
        return 0;
    }
    let mut length = 1;
    while let Some(next) = units.get(length) {
        let last = &units[length - 1];
        let is_adjacent = last.end == next.start;
        let member = units.get(length + 1);
        let is_word = |unit: &&Unit<'_>| matches!(unit.kind, UnitKind::Word | UnitKind::Keyword);
        let is_brackets = |unit: &&Unit<'_>| unit.kind == UnitKind::Brackets;
        match next.kind {
            UnitKind::Sign
                if matches!(next.text, "." | "::" | "->")
                    && member.is_some_and(|unit| {
                        is_word(&unit) || is_brackets(&unit) && next.text == "::"
                    }) =>
            {
                length += 2;
            }
            // A macro: `vec![1]`.
            UnitKind::Sign
                if next.text == "!"
                    && is_adjacent
                    && member.is_some_and(|unit| is_brackets(&unit)) =>
            {
                length += 2;
            }
            UnitKind::Brackets if is_adjacent && last.kind != UnitKind::Keyword => length += 1,
            UnitKind::Word if is_adjacent && matches!(last.text, "$" | "@") => length += 1,
            _ => break,
        }
    }
    length
}

/// Returns whether units are atoms with plain operators between them, or with signs in front.
fn is_plain(mut units: &[Unit<'_>]) -> bool {
    loop {
        if let Some((first, rest)) = units.split_first()
            && SIGNS.contains(&first.text)
        {
            units = rest;
        }
        let length = atom_length(units);
        if length == 0 {
            return false;
        }
        units = &units[length..];
        let Some((operator, rest)) = units.split_first() else {
            return true;
        };
        if !PLAIN_OPERATORS.contains(&operator.text) {
            return false;
        }
        units = rest;
    }
}

fn is_assignment(sign: &str) -> bool {
    let is_comparison = matches!(sign, "==" | "!=" | "<=" | ">=" | "===" | "!==" | "=~");
    sign.ends_with('=') && !is_comparison
}

/// The tokens of a text, in its order, without comments.
pub struct Tokens<'a> {
    text: &'a str,
    leaves: Vec<Node<'a>>,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str, tree: &'a Tree) -> Self {
        let mut leaves = vec![];
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            if cursor.goto_first_child() {
                continue;
            }
            let own = text.get(node.byte_range()).unwrap_or_default();
            if !node.is_extra() && !own.trim().is_empty() {
                leaves.push(node);
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Self { text, leaves };
                }
            }
        }
    }

    fn text_of(&self, node: Node<'a>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default().trim()
    }

    /// Returns the tokens directly before and behind a range.
    fn beside(&self, range: &Range<usize>) -> [Option<Node<'a>>; 2] {
        let first = self
            .leaves
            .partition_point(|leaf| leaf.end_byte() <= range.start);
        let last = self
            .leaves
            .partition_point(|leaf| leaf.start_byte() < range.end);
        let before = first.checked_sub(1).map(|at| self.leaves[at]);
        [before, self.leaves.get(last.max(first)).copied()]
    }

    /// Returns the texts of the tokens beside a range.
    pub fn texts_beside(&self, range: &Range<usize>) -> [Option<&'a str>; 2] {
        self.beside(range)
            .map(|leaf| leaf.map(|leaf| self.text_of(leaf)))
    }

    fn has_line_break(&self, range: Range<usize>) -> bool {
        self.text.get(range).is_some_and(|gap| gap.contains('\n'))
    }

    /// Returns whether code of a shape must be kept together by parentheses, because what is beside it may bind a part of it.
    pub fn is_operand(&self, shape: Shape, range: &Range<usize>) -> bool {
        let [before, behind] = self.beside(range);
        !shape.is_atom
            && (shape.has_braces && self.is_in_header(range)
                || before.is_some_and(|leaf| self.binds_behind(leaf, shape, range.start))
                || behind.is_some_and(|leaf| self.binds_before(leaf, shape, range.end)))
    }

    /// Returns whether a token may bind the start of the code behind it.
    fn binds_behind(&self, leaf: Node<'a>, shape: Shape, at: usize) -> bool {
        let token = self.text_of(leaf);
        let is_new_line = self.has_line_break(leaf.end_byte()..at);
        if token.ends_with(['(', '[', '{']) {
            // A `:` would begin a format: `$"{a ? b : c}"`.
            return shape.has_colon && token == "{" && self.is_in_string(leaf);
        }
        if matches!(token, "=>" | "->") {
            // It would be a block: `a => { b: 1 }`.
            return shape.begins_with_brace;
        }
        if token.ends_with([',', ';']) {
            return false;
        }
        if is_assignment(token) {
            return shape.is_assignment;
        }
        if token == ":" {
            return !shape.is_plain && self.separates_results(leaf);
        }
        if shape.is_plain && PLAIN_OPERATORS.contains(&token) {
            return shape.begins_with_sign && leaf.end_byte() == at;
        }
        if begins_expression(token) {
            return shape.is_assignment && !is_new_line;
        }
        // Parameters of a closure: `|a| a + b`.
        let list = leaf.parent().filter(|_| token == "|");
        let is_parameters = list.is_some_and(|list| self.text_of(list).starts_with('|'));
        let ends_code = is_word(token) || token.ends_with([')', ']', '}', '"', '\'', '`']);
        let is_apart = is_parameters || ends_code && is_new_line;
        !is_apart
    }

    /// Returns whether a token may bind the end of the code before it.
    fn binds_before(&self, leaf: Node<'a>, shape: Shape, at: usize) -> bool {
        let token = self.text_of(leaf);
        if token.starts_with('{') {
            return shape.has_braces;
        }
        if token.starts_with([')', ']', '}', ',', ';', ':']) && !token.starts_with("::")
            || is_assignment(token)
            || matches!(token, "=>" | "->")
            || shape.is_plain && (PLAIN_OPERATORS.contains(&token) || begins_expression(token))
            || ends_expression(token)
        {
            return false;
        }
        let begins_code =
            is_word(token) || token.starts_with(['(', '[', '"', '\'', '`', '@', '#', '$']);
        !(begins_code && self.has_line_break(at..leaf.start_byte()))
    }

    /// Returns whether an expression would be a declaration or a block, because it begins a statement: `function () {}`, `{ a: 1 }`.
    pub fn is_read_as_statement(&self, shape: Shape, range: &Range<usize>) -> bool {
        let begins_statement = self.beside(range)[0].is_none_or(|leaf| {
            self.text_of(leaf).ends_with([';', '{', '}'])
                || self.has_line_break(leaf.end_byte()..range.start)
        });
        let is_block = shape.begins_with_keyword && shape.has_braces || shape.begins_with_brace;
        is_block && begins_statement
    }

    /// Returns whether a range is between the word that begins a statement and its block, and not in brackets: `if T{1} == a {`.
    fn is_in_header(&self, range: &Range<usize>) -> bool {
        let line = self.text[..range.start]
            .rfind('\n')
            .map_or(0, |end| end + 1);
        let rest = self.text[range.end..].split('\n').next();
        let first = self.leaves.partition_point(|leaf| leaf.start_byte() < line);
        let words = self.leaves[first..].iter().map(|leaf| self.text_of(*leaf));
        let before = self.beside(range)[0].map(|leaf| self.text_of(leaf));
        rest.is_some_and(|rest| rest.trim_end().ends_with('{'))
            && words.take(3).any(begins_header)
            && !before.is_some_and(|before| before.ends_with(['(', '[']))
    }

    /// Returns whether code is the statement behind a condition: `if (a)`. Some grammars read it as the next statement when it is on
    /// a line of its own.
    pub fn is_behind_header(&self, range: &Range<usize>) -> bool {
        let end = self.beside(range)[0].filter(|leaf| self.text_of(*leaf) == ")");
        let list = end.and_then(|end| end.parent());
        let open = list.and_then(|list| {
            let mut cursor = list.walk();
            let mut parts = list.children(&mut cursor);
            parts.find(|part| self.text_of(*part) == "(")
        });
        let word = open.and_then(|open| self.beside(&open.byte_range())[0]);
        word.is_some_and(|word| begins_header(self.text_of(word)))
    }

    /// Returns whether code is all that is behind a sign: `case 1: a()`.
    pub fn is_behind_sign(&self, range: &Range<usize>) -> bool {
        let before = self.beside(range)[0].map(|leaf| self.text_of(leaf));
        before.is_some_and(|token| matches!(token, ":" | "->" | "=>" | "="))
    }

    /// Returns whether code begins with a sign and is followed by a call or a member, which bind stronger: `!a` of `!a(1)`. Some
    /// grammars read them the other way around.
    pub fn is_misread_sign(&self, shape: Shape, range: &Range<usize>) -> bool {
        let behind = self.beside(range)[1].filter(|leaf| leaf.start_byte() == range.end);
        let token = behind.map(|leaf| self.text_of(leaf));
        let binds = |token: &str| {
            let is_other = token.starts_with("!=") || token.starts_with("..");
            token.starts_with(['(', '[', '.', '?', '!']) && !is_other
        };
        shape.begins_with_sign && token.is_some_and(binds)
    }

    fn is_in_string(&self, leaf: Node<'a>) -> bool {
        let mut around = std::iter::successors(leaf.parent(), Node::parent).take(3);
        around.any(|node| begins_string(self.text_of(node)))
    }

    /// Returns whether a `:` separates the results of a choice: `a ? b : c`.
    fn separates_results(&self, colon: Node<'a>) -> bool {
        let Some(choice) = colon.parent() else {
            return false;
        };
        let mut cursor = choice.walk();
        let mut parts = choice.children(&mut cursor);
        parts.any(|part| self.text_of(part) == "?")
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_')
}
