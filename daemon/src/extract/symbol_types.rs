//! The parameters of a symbol and the types that its declaration and its comment name.

use super::declaration::{Parameters, first_type};
use super::facts::Symbol;
use super::type_expr::{Node, NodeKind, TypeExpr, find_name, siblings, text};

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

#[cfg(test)]
mod tests {
    use claudevil_protocol::answer::symbol::SymbolKind;

    use super::*;
    use crate::extract::declaration::Declaration;
    use crate::lang::TypePosition;

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
    }
}
