//! The declaration of a symbol, parsed once: type parameters, parameters, and the types that it names.
//!
//! A declaration is a flat tree over the symbol's signature, so that a warm root keeps a few bytes for each name in it.

mod signature;

use claudevil_protocol::answer::symbol::SymbolKind;
use serde::{Deserialize, Serialize};

use self::signature::{Parts, add_parameter, add_variable, aliased, type_parameters};
pub use self::signature::{first_type, result, shortened};
use super::type_expr::{
    Node, NodeKind, TreeBuilder, TypeExpr, children, find_name, paths, split, text,
};
use crate::lang::TypePosition;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declaration(pub(super) Box<[Node]>);

/// A parameter of a callable, or an element of a tuple.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    source: &'a str,
    nodes: &'a [Node],
}

/// The parameters of a symbol.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    pub(super) source: &'a str,
    pub(super) nodes: &'a [Node],
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
