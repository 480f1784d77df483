//! The declaration of a symbol, parsed once: type parameters, parameters, and the types that it names.
//!
//! A declaration is a flat tree over the symbol's signature, so that a warm root keeps a few bytes for each name in it.

mod signature;

use claudevil_protocol::answer::symbol::SymbolKind;
use serde::{Deserialize, Serialize};

use super::documented::first_type;
use super::facts::Symbol;
use super::type_expr::{
    Node, NodeKind, TreeBuilder, TypeExpr, children, find_name, is_word, matching, paths, siblings,
    skip_generics, split, text,
};
use crate::lang::families::c::TEMPLATE;
use crate::lang::{TypePosition, vocabulary};

pub use self::signature::result;
use self::signature::{Parts, add_parameter, add_variable, aliased, type_parameters};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declaration(Box<[Node]>);

/// A parameter of a callable, or an element of a tuple.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    source: &'a str,
    nodes: &'a [Node],
}

/// The parameters of a symbol.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    source: &'a str,
    nodes: &'a [Node],
}

impl Declaration {
    pub fn parse(name: &str, kind: SymbolKind, signature: &str, position: TypePosition) -> Self {
        let mut tree = TreeBuilder::new(signature);
        let Some(at) = find_name(signature, name) else {
            return Self::default();
        };
        let is_callable = kind.is_callable();
        if is_callable || kind.is_type() || kind == SymbolKind::Alias {
            for parameter in type_parameters(signature, name, at) {
                tree.add(NodeKind::TypeParameter, parameter, |_| {});
            }
        }
        let is_tuple = kind.is_type() || matches!(kind, SymbolKind::Variant | SymbolKind::Macro);
        let parts = Parts::parse(signature, name).filter(|_| is_callable || is_tuple);
        if let Some(parts) = &parts {
            tree.add(NodeKind::Parameters, parts.parameters, |tree| {
                for parameter in split(parts.parameters) {
                    add_parameter(tree, parameter);
                }
            });
        }
        match kind {
            _ if is_callable => {
                let before = signature[..at].trim_end();
                if before.ends_with(')') {
                    tree.add(NodeKind::Receiver, before, |tree| tree.add_type(before));
                }
                if let Some(result) = parts.and_then(|parts| parts.result(position)) {
                    tree.add(NodeKind::Result, result, |tree| tree.add_type(result));
                }
            }
            SymbolKind::Alias => {
                if let Some(aliased) = aliased(signature, name, at) {
                    tree.add(NodeKind::Aliased, aliased, |tree| tree.add_type(aliased));
                }
            }
            SymbolKind::Variant | SymbolKind::Module => {}
            kind if kind.is_type() => {
                if signature.contains(['<', '[']) {
                    tree.add(NodeKind::Header, signature, |tree| tree.add_type(signature));
                }
            }
            // A property that is written like a function: `def size(self) -> int`.
            SymbolKind::Property if signature[at + name.len()..].starts_with('(') => {
                let parts = Parts::parse(signature, name);
                if let Some(result) = parts.and_then(|parts| parts.result(position)) {
                    tree.add(NodeKind::Variable, result, |tree| tree.add_type(result));
                }
            }
            _ => add_variable(&mut tree, signature, name, at, position),
        }
        Self(tree.nodes.into())
    }
}

impl Symbol {
    fn part(&self, kind: NodeKind) -> Option<&[Node]> {
        siblings(&self.declaration.0).find(|nodes| nodes[0].kind == kind)
    }

    fn type_in(&self, kind: NodeKind) -> Option<TypeExpr<'_>> {
        TypeExpr::child_of(&self.signature, self.part(kind)?)
    }

    /// Returns the names of its type parameters, lifetimes included: `K` and `V` of `class Map<K, V>`.
    pub fn type_parameters(&self) -> impl Iterator<Item = &str> {
        siblings(&self.declaration.0)
            .filter(|nodes| nodes[0].kind == NodeKind::TypeParameter)
            .map(|nodes| text(&self.signature, nodes))
    }

    /// Returns its parameters; none for a symbol that cannot have any.
    pub fn parameters(&self) -> Option<Parameters<'_>> {
        let nodes = self.part(NodeKind::Parameters)?;
        let source = &*self.signature;
        Some(Parameters { source, nodes })
    }

    /// Returns the type before the name of a method: `*Store` of `func (s *Store) Get()`.
    pub fn receiver(&self) -> Option<TypeExpr<'_>> {
        self.type_in(NodeKind::Receiver)
    }

    /// Returns the result type of a callable: `Store` of `fn open() -> Store`.
    pub fn result(&self) -> Option<TypeExpr<'_>> {
        self.type_in(NodeKind::Result)
    }

    /// Returns the type of a variable, a field or a property: `Store` of `store: Store`.
    pub fn declared_type(&self) -> Option<TypeExpr<'_>> {
        self.type_in(NodeKind::Variable)
    }

    /// Returns the initial value of a variable without a type: `Store(1)` of `val store = Store(1)`.
    pub fn first_value(&self) -> Option<&str> {
        Some(text(&self.signature, self.part(NodeKind::Value)?))
    }

    /// Returns the type behind an alias: `Store` of `type Kept = Store`.
    pub fn aliased_type(&self) -> Option<TypeExpr<'_>> {
        self.type_in(NodeKind::Aliased)
    }

    /// Returns the declaration of a generic type as a type: `class Circles extends List<Circle>`.
    pub fn header(&self) -> Option<TypeExpr<'_>> {
        self.type_in(NodeKind::Header)
    }

    /// Returns the type after one of these tags in its comment: `Store` of `@return Store`.
    pub fn documented_type(&self, tags: &[&str]) -> Option<&str> {
        let behind = tags.iter().find_map(|tag| {
            let at = find_name(&self.doc, tag)?;
            Some(self.doc[at + tag.len()..].trim_start())
        })?;
        Some(first_type(behind).0).filter(|text| !text.is_empty())
    }
}

impl<'a> Parameters<'a> {
    /// Returns the text between the parentheses.
    pub fn text(self) -> &'a str {
        text(self.source, self.nodes)
    }

    pub fn iter(self) -> impl Iterator<Item = Parameter<'a>> {
        let source = self.source;
        children(self.nodes).map(move |nodes| Parameter { source, nodes })
    }

    pub fn count(self) -> usize {
        children(self.nodes).count()
    }

    pub fn has_rest(self) -> bool {
        self.iter().any(Parameter::is_rest)
    }

    /// Returns whether a call may have this number of arguments.
    pub fn accept(self, arguments: usize) -> bool {
        let least = self.iter().filter(|one| one.is_required()).count();
        arguments >= least && (arguments <= self.count() || self.has_rest())
    }
}

impl<'a> Parameter<'a> {
    fn kind(self) -> NodeKind {
        self.nodes[0].kind
    }

    /// Returns whether a call needs an argument for it.
    pub fn is_required(self) -> bool {
        self.kind() == NodeKind::Parameter
    }

    /// Returns whether it takes any number of arguments.
    pub fn is_rest(self) -> bool {
        self.kind() == NodeKind::RestParameter
    }

    /// Returns the whole parameter: `mut store: Store`.
    pub fn text(self) -> &'a str {
        text(self.source, self.nodes)
    }

    /// Returns the first name in it: `store` of `store: Store`.
    pub fn first_name(self) -> Option<&'a str> {
        paths(self.text()).next()
    }

    /// Returns whether it destructures an object: `{ size }: Props`.
    pub fn is_destructured(self) -> bool {
        self.text().starts_with('{')
    }

    /// Returns the type after the colon; the whole parameter if there is no colon: `Store store`.
    pub fn type_expr(self) -> Option<TypeExpr<'a>> {
        TypeExpr::child_of(self.source, self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, kind: SymbolKind, signature: &str, position: TypePosition) -> Symbol {
        Symbol {
            name: name.into(),
            kind,
            visibility: None,
            signature: signature.into(),
            declaration: Declaration::parse(name, kind, signature, position),
            doc: Box::default(),
            parent: None,
            scope: None,
            closure: None,
            start_line: 1,
            end_line: 1,
            start_byte: 0,
            end_byte: 0,
            name_line: 1,
            name_column: 0,
            complexity: 0,
            calls: 0,
            initializer: None,
        }
    }

    fn function(name: &str, signature: &str) -> Symbol {
        symbol(name, SymbolKind::Function, signature, TypePosition::After)
    }

    #[test]
    fn a_callable_says_what_it_returns_before_or_after_itself() {
        for (name, signature, place, returned_text) in [
            (
                "open",
                "pub fn open<T: Into<Path>>(path: T) -> Result<Store, Error> where T: Copy",
                TypePosition::After,
                Some("Result<Store, Error>"),
            ),
            (
                "Get",
                "func (s *Store) Get(key string) (*Item, error)",
                TypePosition::After,
                Some("(*Item, error)"),
            ),
            (
                "load",
                "async load(id: string): Promise<Order>",
                TypePosition::After,
                Some("Promise<Order>"),
            ),
            (
                "load",
                "def load(self, path) -> 'Order'",
                TypePosition::After,
                Some("'Order'"),
            ),
            ("load", "def load(self, path)", TypePosition::After, None),
            (
                "find",
                "public static List<Order> find(int id)",
                TypePosition::Before,
                Some("public static List<Order>"),
            ),
            (
                "find",
                "Order Store::find(int id) const",
                TypePosition::Before,
                Some("Order"),
            ),
            (
                "find",
                "public function find(int $id): ?Order",
                TypePosition::Before,
                Some("?Order"),
            ),
            (
                "make",
                "auto make() -> Store",
                TypePosition::Before,
                Some("Store"),
            ),
        ] {
            let symbol = symbol(name, SymbolKind::Function, signature, place);
            let result = symbol.result().map(TypeExpr::text);
            assert_eq!(result, returned_text, "{signature}");
        }
    }

    #[test]
    fn a_variable_says_its_type_or_its_first_value() {
        for (name, signature, place, expected) in [
            (
                "store",
                "private readonly store: Store",
                TypePosition::After,
                (Some("Store"), None),
            ),
            (
                "store",
                "store *Store",
                TypePosition::After,
                (Some("*Store"), None),
            ),
            (
                "store",
                "private final Store store = open();",
                TypePosition::Before,
                (Some("private final Store"), None),
            ),
            (
                "store",
                "val store = Store(1)",
                TypePosition::After,
                (None, Some("Store(1)")),
            ),
            (
                "store",
                "var store = new Store();",
                TypePosition::Before,
                (None, Some("new Store()")),
            ),
            (
                "LIMIT",
                "LIMIT: int = 10",
                TypePosition::After,
                (Some("int"), None),
            ),
            (
                "store",
                "private static $store = open()",
                TypePosition::Before,
                (None, Some("open()")),
            ),
        ] {
            let symbol = symbol(name, SymbolKind::Variable, signature, place);
            let declared = (
                symbol.declared_type().map(TypeExpr::text),
                symbol.first_value(),
            );
            assert_eq!(declared, expected, "{signature}");
        }
        for words in [
            "private",
            "protected",
            "public",
            "var",
            "static",
            "private readonly",
            "public static",
            "var $a,",
        ] {
            let signature = format!("{words} $store");
            let symbol = symbol("store", SymbolKind::Field, &signature, TypePosition::Before);
            assert!(symbol.declared_type().is_none(), "{signature}");
            assert!(symbol.first_value().is_none(), "{signature}");
        }
    }

    #[test]
    fn a_comment_says_the_type_behind_a_word() {
        for (doc, expected) in [
            ("@var Store", Some("Store")),
            (
                "What is kept. @var array<string, Store> by name",
                Some("array<string, Store>"),
            ),
            ("@var ?\\App\\Store what is kept", Some("?\\App\\Store")),
            ("@variable Store", None),
            ("@var", None),
            ("", None),
        ] {
            let symbol = Symbol {
                doc: doc.into(),
                ..function("store", "private $store")
            };
            assert_eq!(symbol.documented_type(&["@var"]), expected, "{doc}");
        }
    }

    #[test]
    fn parameters_are_counted_by_the_commas_between_them() {
        for (signature, count) in [
            ("f()", 0),
            ("f(void)", 0),
            ("f(a, b)", 2),
            ("f(a: Map<K, V>, b)", 2),
            ("f(int (*g)(int, int))", 1),
            ("f(a,)", 1),
        ] {
            let symbol = function("f", signature);
            let parameters = symbol.parameters().expect("a function has some");
            assert_eq!(parameters.count(), count, "{signature}");
        }
    }

    #[test]
    fn a_declaration_says_which_types_it_leaves_open() {
        for (name, signature, names) in [
            (
                "Box",
                "public class Box<T extends Shape & Comparable<T>, U>",
                &["T", "U"][..],
            ),
            ("Box", "type Box[K comparable, V any] struct", &["K", "V"]),
            (
                "Box",
                "template <typename T, int N = 3> class Box final : public Base<T>",
                &["T", "N"],
            ),
            ("Box", "template <> class Box<Order>", &[]),
            (
                "Box",
                "template <class T> class Box<Pair<T, Order>>",
                &["T"],
            ),
            (
                "Seek",
                "template <class K> void List<K>::Iterator::Seek(const K& key)",
                &["K"],
            ),
            ("Box", "class Box(Generic[T])", &["T"]),
            ("Box", "interface Box<in T, out U>", &["T", "U"]),
            ("Box", "pub struct Box<'a, T: Into<u8>>", &["'a", "T"]),
            ("as", "public <U> U as(Class<U> kind)", &["U"]),
            ("find", "public List<Order> find(int id)", &[]),
            ("Box", "class Box extends Crate<Order>", &[]),
            ("first", "function first<T>(all: T[]): T", &["T"]),
        ] {
            let symbol = symbol(name, SymbolKind::Class, signature, TypePosition::After);
            let own: Vec<&str> = symbol.type_parameters().collect();
            assert_eq!(own, names, "{signature}");
        }
        assert_eq!(arguments_behind("Box[Circle]", "Box"), Some("Circle"));
        assert_eq!(arguments_behind("Boxes<Circle> Box", "Box"), None);
    }
}
