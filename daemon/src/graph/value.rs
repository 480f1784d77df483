//! Values of expressions: an instance of a type, a type, a function, a module.

use std::rc::Rc;

use super::modules::Module;
use super::{Position, SymbolId};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// A value of a type, with the type's generic arguments.
    Instance(SymbolId, GenericArguments),
    Type(SymbolId),
    /// A function, with the generic arguments of the type that it was taken from.
    Function(SymbolId, GenericArguments),
    Module(Module),
    /// The supertypes of a type: `super`.
    Supertypes(SymbolId),
    /// A value of a type parameter: `item: T`.
    TypeParameter(Rc<str>, Wrapping),
    /// A value of one of several types, or of all of them at once: `A | B`, `A & B`.
    Union(Rc<[Self]>),
    /// A value of a foreign type with two generic arguments: `Map<K, V>`, `Result<T, E>`.
    Pair(Rc<[Self; 2]>, PairKind),
    /// A value of a type without a name, by the position behind which its fields are bound: `[]struct { store Store }{ … }`.
    Anonymous(Position),
    /// A value of a type outside the root.
    Foreign,
    /// The result of a foreign function, which may be a value that the function was passed.
    ForeignResult,
    #[default]
    Unknown,
}

/// The position of a type parameter in a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// `T`.
    Bare,
    /// The generic argument of a foreign type: `Vec<T>`.
    Wrapped,
}

/// The meaning of the two generic arguments of a foreign type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairKind {
    /// Keys and values: `Map<K, V>`.
    Map(MapElement),
    /// A value and an error: `Result<T, E>`.
    Result,
}

/// The element of an iteration over a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapElement {
    Keys,
    Values,
}

/// Values of the generic arguments of a type; none where they are not written.
pub type GenericArguments = Option<Rc<[Value]>>;

impl Value {
    /// Returns the value with type parameters replaced by their arguments.
    pub(super) fn substituted(self, find: &dyn Fn(&str) -> Option<Self>) -> Self {
        match self {
            Self::TypeParameter(name, held) => {
                find(&name).unwrap_or(Self::TypeParameter(name, held))
            }
            Self::Instance(at, Some(applied)) => {
                let applied = applied
                    .iter()
                    .map(|one| one.clone().substituted(find))
                    .collect();
                Self::Instance(at, Some(applied))
            }
            Self::Union(all) => Self::union(all.iter().map(|one| one.clone().substituted(find))),
            Self::Pair(both, holds) => {
                let [first, second] = &*both;
                Self::Pair(
                    Rc::new([
                        first.clone().substituted(find),
                        second.clone().substituted(find),
                    ]),
                    holds,
                )
            }
            value => value,
        }
    }

    /// Returns the union of values, without those of unknown and foreign types.
    pub(super) fn union(values: impl IntoIterator<Item = Self>) -> Self {
        let mut known: Vec<Self> = vec![];
        let mut is_foreign = false;
        let mut add = |value: Self| {
            if !known.contains(&value) {
                known.push(value);
            }
        };
        for value in values {
            match value {
                Self::Unknown => {}
                Self::Foreign => is_foreign = true,
                Self::Union(inner) => inner.iter().cloned().for_each(&mut add),
                value => add(value),
            }
        }
        match known.len() {
            0 if is_foreign => Self::Foreign,
            0 => Self::Unknown,
            1 => known.remove(0),
            _ => Self::Union(known.into()),
        }
    }

    /// Returns whether anything of this root is known about it.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self, Self::Foreign | Self::ForeignResult | Self::Unknown)
    }

    /// Returns the type of an instance, or the type itself.
    pub(super) fn type_symbol(&self) -> Option<SymbolId> {
        match self {
            Self::Instance(at, _) | Self::Type(at) => Some(*at),
            _ => None,
        }
    }

    /// Returns the element that an index or an unwrapping method gives: `list[0]`, `option.unwrap()`.
    pub(super) fn element(self) -> Self {
        match self {
            Self::TypeParameter(name, _) => Self::TypeParameter(name, Wrapping::Bare),
            Self::Foreign => Self::ForeignResult,
            Self::Union(all) => Self::union(all.iter().map(|one| one.clone().element())),
            Self::Pair(both, PairKind::Map(_)) => both[1].clone(),
            Self::Pair(both, PairKind::Result) => both[0].clone(),
            value => value,
        }
    }

    /// Returns the value that iterating over a map gives, or that a result holds.
    pub(super) fn unwrapped(&self) -> &Self {
        match self {
            Self::Pair(both, PairKind::Map(MapElement::Values)) => &both[1],
            Self::Pair(both, PairKind::Map(MapElement::Keys) | PairKind::Result) => &both[0],
            value => value,
        }
    }

    /// Returns the error of a result.
    pub(super) fn error(self) -> Self {
        match self {
            Self::Pair(both, PairKind::Result) => both[1].clone(),
            // The error of a foreign result is foreign too.
            Self::Foreign => Self::Foreign,
            _ => Self::Unknown,
        }
    }
}
