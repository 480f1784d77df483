//! Type expressions as they are written, parsed into flat trees over their text.
//!
//! The grammar is common to all languages: names with generic arguments in `<>` or `[]`, alternatives separated by `|` and
//! `&`, and any punctuation around them. A text that is not a type gives a tree of the names in it.

use serde::{Deserialize, Serialize};

use crate::lang::vocabulary;

/// A node of a flat tree: its descendants follow it, `size` nodes with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    pub kind: NodeKind,
    /// The number of nodes in its subtree, itself included.
    size: u16,
    /// The range of its text in the source.
    start: u16,
    end: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeKind {
    /// A type: `&mut Vec<Store>`. Its children are the names in it.
    Type,
    /// A type that begins with an object type: `{ name: string } | null`. Its children are the names in it.
    ObjectType,
    /// Several types: `A | B`, `A & B`. Its children are these types.
    Union,
    /// A name with its qualifier: `store::Text`. Its children are its generic arguments.
    Name,
    /// The name of a type parameter in a declaration: `T`.
    TypeParameter,
    /// The receiver before the name of a method: `(s *Store[K])`. Its child is its type.
    Receiver,
    /// The text between the parentheses of a declaration. Its children are the parameters.
    Parameters,
    /// A parameter. Its child is its type.
    Parameter,
    /// A parameter with a default value.
    OptionalParameter,
    /// A parameter that takes any number of arguments.
    RestParameter,
    /// The result of a function. Its child is its type.
    Result,
    /// The type of a variable. Its child is that type.
    Variable,
    /// The first value of a variable that declares no type.
    Value,
    /// The type behind an alias. Its child is that type.
    Aliased,
    /// The declaration of a generic type, for the type arguments of its supertypes. Its child is a type.
    Header,
}

/// A type in a tree.
#[derive(Clone, Copy, Debug)]
pub struct TypeExpr<'a> {
    source: &'a str,
    nodes: &'a [Node],
}

/// A name in a type.
#[derive(Clone, Copy, Debug)]
pub struct TypeName<'a> {
    source: &'a str,
    nodes: &'a [Node],
}

/// The tree of a text that is not part of the facts.
#[derive(Debug)]
pub struct ParsedType<'a> {
    source: &'a str,
    nodes: Vec<Node>,
}

impl<'a> ParsedType<'a> {
    pub fn new(source: &'a str) -> Self {
        let mut builder = TreeBuilder::new(source);
        builder.add_type(source);
        Self {
            source,
            nodes: builder.nodes,
        }
    }

    pub fn expr(&self) -> TypeExpr<'_> {
        TypeExpr {
            source: self.source,
            nodes: &self.nodes,
        }
    }
}

impl<'a> TypeExpr<'a> {
    /// Returns the type that is the first child of a node.
    pub fn child_of(source: &'a str, nodes: &'a [Node]) -> Option<Self> {
        let nodes = children(nodes).next()?;
        Some(Self { source, nodes })
    }

    pub fn text(self) -> &'a str {
        text(self.source, self.nodes)
    }

    pub fn is_object(self) -> bool {
        self.has_kind(NodeKind::ObjectType)
    }

    pub fn is_union(self) -> bool {
        self.has_kind(NodeKind::Union)
    }

    fn has_kind(self, kind: NodeKind) -> bool {
        self.nodes.first().is_some_and(|node| node.kind == kind)
    }

    /// Returns the types of a union.
    pub fn alternatives(self) -> impl Iterator<Item = Self> {
        let source = self.source;
        children(self.nodes).map(move |nodes| Self { source, nodes })
    }

    /// Returns all names in the type, including those in generic arguments, in the order of the text.
    pub fn names(self) -> impl Iterator<Item = TypeName<'a>> {
        let (source, nodes) = (self.source, self.nodes);
        (0..nodes.len())
            .filter(move |at| nodes[*at].kind == NodeKind::Name)
            .map(move |at| TypeName {
                source,
                nodes: &nodes[at..at + usize::from(nodes[at].size)],
            })
    }

    /// Returns whether a name of the type is between brackets: `T` in `Vec<T>`.
    pub fn is_bracketed(self, name: TypeName<'_>) -> bool {
        let text = self.text();
        let length = offset(text, name.path()).unwrap_or_default();
        let count = |signs: [char; 2]| text[..length].matches(signs).count();
        count(['<', '[']) > count(['>', ']'])
    }
}

impl<'a> TypeName<'a> {
    pub fn path(self) -> &'a str {
        text(self.source, self.nodes)
    }

    /// Returns the last part of the path: `Text` of `store::Text`.
    pub fn last_part(self) -> &'a str {
        let path = self.path();
        path.rsplit(['.', ':', '\\']).next().unwrap_or(path)
    }

    pub fn has_arguments(self) -> bool {
        self.nodes.len() > 1
    }

    /// Returns its generic arguments: `K` and `V` of `Map<K, V>` and of `map[K]V`.
    pub fn arguments(self) -> impl Iterator<Item = TypeExpr<'a>> {
        let source = self.source;
        children(self.nodes).map(move |nodes| TypeExpr { source, nodes })
    }
}

/// Returns the text of a tree's first node.
pub(super) fn text<'a>(source: &'a str, nodes: &[Node]) -> &'a str {
    let range = nodes.first().map_or(0..0, |node| node.start..node.end);
    source
        .get(usize::from(range.start)..usize::from(range.end))
        .unwrap_or_default()
}

/// Returns the subtrees of the first node's children.
pub(super) fn children(nodes: &[Node]) -> impl Iterator<Item = &[Node]> {
    siblings(nodes.get(1..).unwrap_or_default())
}

/// Returns the trees of adjacent nodes.
pub(super) fn siblings(mut nodes: &[Node]) -> impl Iterator<Item = &[Node]> {
    std::iter::from_fn(move || {
        let size = usize::from(nodes.first()?.size).clamp(1, nodes.len());
        let (tree, rest) = nodes.split_at(size);
        nodes = rest;
        Some(tree)
    })
}

/// The maximum depth of a tree. Deeper nodes are left out, which bounds the recursion: `A<A<A<…`.
const MAX_DEPTH: u32 = 64;

/// Builds a flat tree over a text.
pub(super) struct TreeBuilder<'a> {
    source: &'a str,
    pub nodes: Vec<Node>,
    depth: u32,
}

impl<'a> TreeBuilder<'a> {
    pub fn new(source: &'a str) -> Self {
        Self {
            source,
            nodes: vec![],
            depth: 0,
        }
    }

    /// Adds a node and its children. A text whose offset does not fit `u16` is left out.
    pub fn add(&mut self, kind: NodeKind, text: &'a str, children: impl FnOnce(&mut Self)) {
        let start = offset(self.source, text).and_then(|start| u16::try_from(start).ok());
        let end = start.and_then(|start| start.checked_add(u16::try_from(text.len()).ok()?));
        let (Some(start), Some(end)) = (start, end) else {
            return;
        };
        let at = self.nodes.len();
        self.nodes.push(Node {
            kind,
            size: 1,
            start,
            end,
        });
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            children(self);
            self.depth -= 1;
        }
        self.nodes[at].size = u16::try_from(self.nodes.len() - at).unwrap_or(u16::MAX);
    }

    pub fn add_type(&mut self, text: &'a str) {
        let text = text.trim();
        let parts = alternatives(text);
        if text.starts_with('{') {
            self.add(NodeKind::ObjectType, text, |tree| tree.add_names(text));
        } else if parts.len() > 1 {
            self.add(NodeKind::Union, text, |tree| {
                for part in parts {
                    tree.add_type(part);
                }
            });
        } else {
            self.add(NodeKind::Type, text, |tree| tree.add_names(text));
        }
    }

    fn add_names(&mut self, text: &'a str) {
        let mut rest = text;
        while let Some(path) = paths(rest).next() {
            let is_first = rest.len() == text.len();
            let behind = &rest[offset(rest, path).unwrap_or_default() + path.len()..];
            let length = skip_generics(behind);
            let arguments = if length == 0 {
                vec![]
            } else {
                split(&behind[1..length - 1])
            };
            rest = &behind[length..];
            // A map of Go: `map[Key]Value`.
            let is_map = is_first && behind.starts_with('[') && arguments.len() == 1;
            let value = std::mem::take(&mut rest);
            let value_type = Some(value).filter(|value| is_map && !value.trim().is_empty());
            self.add(NodeKind::Name, path, |tree| {
                let all = arguments.into_iter().chain(value_type);
                all.for_each(|argument| tree.add_type(argument));
            });
            rest = if value_type.is_some() { "" } else { value };
        }
    }
}

/// Returns the offset of a part of a text.
fn offset(text: &str, part: &str) -> Option<usize> {
    let offset = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    (offset + part.len() <= text.len()).then_some(offset)
}

/// Returns the names in a text with their qualifiers, in order: `a::B` and `C` of `a::B<C>`.
pub fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !(is_word(sign) || matches!(sign, '.' | ':' | '\\')))
        .flat_map(|part| {
            // `name: Type` is two names.
            let mut pieces = vec![];
            let mut from = 0;
            let bytes = part.as_bytes();
            for at in 0..bytes.len() {
                let alone = bytes[at] == b':'
                    && bytes.get(at + 1) != Some(&b':')
                    && (at == 0 || bytes[at - 1] != b':');
                if alone {
                    pieces.push(&part[from..at]);
                    from = at + 1;
                }
            }
            pieces.push(&part[from..]);
            pieces
        })
        .map(|part| {
            part.trim_start_matches(['.', ':'])
                .trim_end_matches(['.', ':', '\\'])
        })
        .filter(|part| {
            part.chars()
                .next()
                .is_some_and(|first| !first.is_ascii_digit())
        })
}

/// Splits a list at its top-level commas: `a: Map<K, V>, b`. Empty parts and `void` are dropped.
pub fn split(inside: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let mut parts = vec![];
    let mut from = 0;
    let mut quote = None;
    for (at, sign) in inside.char_indices() {
        match (quote, sign) {
            (Some(open), sign) if open == sign => quote = None,
            (None, '"' | '`') => quote = Some(sign),
            (None, '(' | '[' | '{' | '<') => depth += 1,
            // The `>` of an arrow is not a bracket.
            (None, '>') if inside[..at].ends_with(['-', '=']) => {}
            (None, ')' | ']' | '}' | '>') => depth -= 1,
            (None, ',') if depth <= 0 => {
                parts.push(inside[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inside[from..].trim());
    parts.retain(|part| !part.is_empty() && *part != vocabulary::VOID);
    parts
}

/// Splits an assignment into its pattern, its sign and its value: `store, log := open()`.
pub fn split_pattern(text: &str) -> Option<(&str, &str, &str)> {
    [" = ", " := "].into_iter().find_map(|sign| {
        let (pattern, value) = text.split_once(sign)?;
        Some((pattern, sign, value))
    })
}

/// Returns the position of the bracket that closes the one at the start.
pub fn matching(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut quote = None;
    for (at, sign) in text.char_indices() {
        match (quote, sign) {
            (Some(open), sign) if open == sign => quote = None,
            (None, '"' | '`') => quote = Some(sign),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the length of the generic arguments at the start, brackets included.
pub fn skip_generics(text: &str) -> usize {
    let (open, close) = match text.chars().next() {
        Some('<') => ('<', '>'),
        Some('[') => ('[', ']'),
        _ => return 0,
    };
    let mut depth = 0_u32;
    let mut before = ' ';
    for (at, sign) in text.char_indices() {
        if sign == open {
            depth += 1;
        } else if sign == close && before != '-' && before != '=' {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
        before = sign;
    }
    0
}

/// Returns the first position of a name as a whole word.
pub fn find_name(text: &str, name: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text[from..].find(name) {
        let at = from + found;
        let before = text[..at]
            .chars()
            .next_back()
            .is_none_or(|sign| !is_word(sign) || sign == '$');
        let after = text[at + name.len()..]
            .chars()
            .next()
            .is_none_or(|sign| !is_word(sign));
        if before && after {
            return Some(at);
        }
        from = at + name.len().max(1);
    }
    None
}

pub fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '$'
}

/// Returns the parts of the first tuple in a type: `(A, B)`, `Result<(A, B), E>`, `tuple[A, B]`, `[A, B]`.
pub fn tuple_parts(text: &str) -> Vec<&str> {
    let named = |name: &str| text.find(name).map(|at| at + name.len() - 1);
    let is_list = text.starts_with('[').then_some(0);
    let open = (text.find('(').or(is_list))
        .or_else(|| vocabulary::TUPLE_TYPES.iter().find_map(|name| named(name)));
    let inside = open.and_then(|open| {
        let length = matching(&text[open..])?;
        Some(&text[open + 1..open + length])
    });
    inside.map_or_else(Vec::new, split)
}

/// Returns the type of a parameter of a function type: `Store` of `(path: string, store: Store) => void`.
pub fn closure_parameter(text: &str, place: usize) -> Option<&str> {
    let text = text.trim();
    let text = text[skip_generics(text)..].trim_start();
    let length = matching(text).filter(|_| text.starts_with('('))?;
    let (inside, behind) = (&text[1..length], text[length + 1..].trim_start());
    if !behind.starts_with("=>") && !behind.starts_with("->") {
        // The whole type may be in parentheses: `((store: Store) => void) | null`.
        return inside
            .starts_with('(')
            .then(|| closure_parameter(inside, place))
            .flatten();
    }
    let is_passed = |part: &&str| !part.starts_with(vocabulary::RECEIVER_PARAMETER);
    let mut parts = split(inside).into_iter().filter(is_passed);
    let part = parts.nth(place)?.trim_start_matches('.');
    let named = part.split_once(':').filter(|(name, _)| {
        let name = name.trim_end().trim_end_matches('?');
        name.chars().all(|sign| is_word(sign) || sign == ' ')
    });
    Some(named.map_or(part, |(_, kind)| kind).trim())
}

/// Splits an expression into its alternatives: `a if c else b`, `a or b`, `a ?? b`, `c ? a : b`. Any other text is one part.
pub fn value_alternatives(text: &str) -> Vec<&str> {
    let between = |word: &str| find_outside_brackets(text, word);
    let (condition, other) = vocabulary::CONDITIONAL;
    if let Some((first, second)) = between(condition).zip(between(other)) {
        return vec![text[..first].trim(), text[second + other.len()..].trim()];
    }
    let mut separators = vocabulary::ALTERNATIVE_OPERATORS.into_iter();
    let first = separators.find_map(|separator| Some((between(separator)?, separator.len())));
    match first {
        Some((at, length)) => vec![text[..at].trim(), text[at + length..].trim()],
        None => alternatives(text),
    }
}

/// Splits a type or a ternary into its alternatives: `A | B`, `A & B`, `c ? a : b`. Any other text is one part.
pub fn alternatives(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let mut quote = None;
    let mut parts = vec![];
    let mut from = 0;
    let mut is_choice = false;
    let bytes = text.as_bytes();
    for (at, sign) in text.char_indices() {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        match (quote, sign) {
            (Some(open), sign) if open == sign => quote = None,
            (None, '"' | '`') => quote = Some(sign),
            // A function type is not a union, though its result may be one.
            (None, '>') if before == Some(b'=') => return vec![text],
            (None, '>') if before == Some(b'-') => {}
            (None, '(' | '[' | '{' | '<') => depth += 1,
            (None, ')' | ']' | '}' | '>') => depth -= 1,
            (None, '|' | '&') if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            // The condition is not an alternative.
            (None, '?')
                if depth == 0 && before == Some(b' ') && bytes.get(at + 1) == Some(&b' ') =>
            {
                is_choice = true;
                from = at + 1;
            }
            (None, ':') if is_choice && depth == 0 && before == Some(b' ') => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the first position of a word outside brackets and strings.
fn find_outside_brackets(text: &str, word: &str) -> Option<usize> {
    let mut places = text.match_indices(word).map(|(at, _)| at);
    places.find(|at| {
        let count = |signs: &[char]| text[..*at].matches(signs).count();
        count(&['(', '[', '{']) == count(&[')', ']', '}'])
            && count(&['"']).is_multiple_of(2)
            && count(&['\'']).is_multiple_of(2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders a tree as text: `Name(arguments)`, with `|` between alternatives.
    fn shown(expr: TypeExpr<'_>) -> String {
        if expr.is_union() {
            let parts: Vec<String> = expr.alternatives().map(shown).collect();
            return parts.join(" | ");
        }
        let name = |name: TypeName<'_>| {
            let arguments: Vec<String> = name.arguments().map(shown).collect();
            if arguments.is_empty() {
                name.path().to_owned()
            } else {
                format!("{}({})", name.path(), arguments.join(", "))
            }
        };
        let own = children(expr.nodes).map(|nodes| {
            let source = expr.source;
            name(TypeName { source, nodes })
        });
        own.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn types_of_all_languages_are_parsed() {
        for (text, tree) in [
            ("Store", "Store"),
            (
                "&mut geo::Box<Map<K, V>, Circle>",
                "mut geo::Box(Map(K, V), Circle)",
            ),
            ("dict[str, 'Order']", "dict(str, Order)"),
            ("map[Key]*Value", "map(Key, Value)"),
            ("?\\App\\Order", "\\App\\Order"),
            (
                "One | Map<Two | Three, Four>",
                "One | Map(Two | Three, Four)",
            ),
            ("(one: One) => Two", "one One Two"),
            ("[]Store", "Store"),
            ("{ size: number }", "size number"),
            ("", ""),
        ] {
            let parsed = ParsedType::new(text);
            assert_eq!(shown(parsed.expr()), tree, "{text}");
            assert_eq!(parsed.expr().text(), text);
        }
        let parsed = ParsedType::new("Vec<T>");
        let names: Vec<bool> = parsed
            .expr()
            .names()
            .map(|name| parsed.expr().is_bracketed(name))
            .collect();
        assert_eq!(names, [false, true]);
        assert!(ParsedType::new("{ size: number }").expr().is_object());
    }

    #[test]
    fn types_deeper_than_the_stack_are_cut() {
        for (open, close) in [("A<", ">"), ("A[", "]")] {
            let text = format!("{}B{}", open.repeat(10_000), close.repeat(10_000));
            let parsed = ParsedType::new(&text);
            assert_eq!(parsed.expr().text(), text);
            assert_eq!(parsed.expr().names().count(), MAX_DEPTH as usize / 2);
        }
    }

    #[test]
    fn names_of_types_are_found_in_what_is_around_them() {
        let all = |text| paths(text).collect::<Vec<_>>();
        assert_eq!(all("&mut Option<a::B>"), ["mut", "Option", "a::B"]);
        assert_eq!(all("dict[str, 'Order']"), ["dict", "str", "Order"]);
        assert_eq!(all("(a: Foo) => Bar"), ["a", "Foo", "Bar"]);
        assert_eq!(all("?App\\Order"), ["App\\Order"]);
        assert_eq!(all("\\App\\Order|null"), ["\\App\\Order", "null"]);
    }

    #[test]
    fn several_are_parted_and_one_is_whole() {
        for (text, parts) in [
            ("One | Two", &["One", "Two"][..]),
            ("One & Two", &["One", "Two"]),
            ("?One|null", &["?One", "null"]),
            ("| One | Two", &["One", "Two"]),
            ("is_set ? One.new : Two.new", &["One.new", "Two.new"]),
            ("first || new One()", &["first", "new One()"]),
            ("Map<One | Two, Three>", &["Map<One | Two, Three>"]),
            ("(one: One) => Two | Three", &["(one: One) => Two | Three"]),
            ("const One& ", &["const One"]),
            ("&mut One", &["mut One"]),
            ("One?", &["One?"]),
            ("a::B", &["a::B"]),
            ("size : One", &["size : One"]),
        ] {
            assert_eq!(alternatives(text), parts, "{text}");
        }
    }

    #[test]
    fn an_expression_is_split_into_its_alternatives() {
        for (text, parts) in [
            ("Store() if path else other", vec!["Store()", "other"]),
            ("given or Store()", vec!["given", "Store()"]),
            ("open(given or path)", vec!["open(given or path)"]),
            ("ready ? store : other", vec!["store", "other"]),
        ] {
            assert_eq!(value_alternatives(text), parts, "{text}");
        }
    }

    #[test]
    fn a_function_type_has_parameters() {
        for (text, place, expected) in [
            ("(store: Store) => void", 0, Some("Store")),
            (
                "(path?: string, ...all: Map<A, B>) => void",
                1,
                Some("Map<A, B>"),
            ),
            ("((store: Store) => void) | null", 0, Some("Store")),
            ("<T>(store: T) => T", 0, Some("T")),
            ("(this: Log, store: Store) => void", 0, Some("Store")),
            ("(Store, Int) -> Unit", 1, Some("Int")),
            ("(store: Store) => void", 1, None),
            ("(Store, Log)", 0, None),
            ("Store", 0, None),
        ] {
            assert_eq!(closure_parameter(text, place), expected, "{text}");
        }
    }

    #[test]
    fn a_tuple_type_has_parts() {
        for (text, parts) in [
            ("(Store, Log)", vec!["Store", "Log"]),
            ("io::Result<(Store, Vec<Log>)>", vec!["Store", "Vec<Log>"]),
            ("tuple[str, Line]", vec!["str", "Line"]),
            ("[State, Setter]", vec!["State", "Setter"]),
            ("Store", vec![]),
        ] {
            assert_eq!(tuple_parts(text), parts, "{text}");
        }
    }
}
