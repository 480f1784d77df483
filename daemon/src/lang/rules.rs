//! Rules for resolving names across files: the `[facts.names]` of a definition.
//!
//! A rule is here if languages of several families have it. The rules of one family are in [`super::families`].

use claudevil_protocol::answer::symbol::SymbolKind;
use serde::Deserialize;

use super::families::{Family, Feature};
use super::literals::LiteralTypes;
use super::words::{Words, leaked_list};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a rule that a definition may state"
)]
pub struct NameRules {
    /// The family whose rules apply in addition to these.
    pub family: Family,
    /// The way in which imports lead to files: `relative` for `import "./a/b"`.
    pub modules: ModuleSystem,
    /// The code whose names need no import: `folder` for the other files of a Go package.
    pub implicit_scope: ImplicitScope,
    /// The position of the type in a declaration: `before` for `Store store`.
    pub type_position: TypePosition,
    /// Words for the object or the type of the enclosing method: `this`, `self`, `Self`.
    pub receivers: Words,
    /// Words for the supertypes of the enclosing type: `super`, `base`, `parent`.
    pub supertype_words: Words,
    /// Words that construct the enclosing type when they are called: `Self(…)`, `cls()`, `new static()`.
    pub self_constructors: Words,
    /// Words that construct the superclass of the enclosing type when they are called: `super(…)`, `base(…)`.
    pub super_constructors: Words,
    /// Members and one-argument functions that return the type of a value: `x.__class__`, `type(x)`.
    pub type_accessors: Words,
    /// A member can be used by its name alone inside its type: `size` for `this.size`.
    pub implicit_members: bool,
    /// Kinds of symbols besides types that have members: `const store = { open() {} }`.
    #[serde(deserialize_with = "leaked_list")]
    pub member_owners: &'static [SymbolKind],
    /// Kinds of members that can be used by their names alone outside their type: an enumerator of a C `enum`.
    #[serde(deserialize_with = "leaked_list")]
    pub unscoped_members: &'static [SymbolKind],
    /// Fields and methods are in separate namespaces: `$this->size` is never the method `size()`.
    pub separate_fields: bool,
    /// A call never refers to a variable: `open()` beside a variable `open`.
    pub separate_calls: bool,
    /// Modules are in a namespace of their own: `List` the module and `List` the constructor.
    pub separate_modules: bool,
    /// Types are in a namespace of their own: `struct node` and a variable `node`.
    pub separate_types: bool,
    /// A bare name is a call if it refers to a function: `total` for `total()`.
    pub calls_without_parentheses: bool,
    /// Functions that share a name and a scope are different functions: `add(int)` and `add(String)`.
    pub overloads: bool,
    /// A use of an operator is recorded under its name: `a |> b`.
    pub named_operators: bool,
    /// The types of literals, in a language that chooses between overloads by the types of arguments: `open(1)` is
    /// `open(int path)`.
    pub literal_types: LiteralTypes,
    /// A use of an overriding method counts as a use of the method that it overrides, by dispatch: `Store.Get` of an
    /// interface and `fileStore.Get`.
    pub links_overrides: bool,
    /// Types whose values have every member: `Any`, `mixed`.
    pub dynamic_types: Words,
    /// Types from outside the root that map keys to values, with both as generic arguments: `HashMap<K, V>`.
    pub map_types: Words,
    /// Members of these maps that return the keys: `map.keys()`.
    pub key_methods: Words,
    /// Types from outside the root that hold values of their generic argument and have members of their own: `Vec<T>`,
    /// `Promise<T>`.
    pub collection_types: Words,
    /// Methods of wrappers from outside the root that return the wrapped value: `option.unwrap()`, `list.first()`.
    pub unwrapping_methods: Words,
    /// Methods of such wrappers that pass their elements to a closure: `stores.map(store => …)`.
    pub element_callbacks: Words,
    /// Types from outside the root whose generic arguments are the parameters of a function: `Func<Store, bool>`.
    pub function_types: Words,
    /// Types from outside the root around such a type: `Expression<Func<Store, bool>>`.
    pub function_wrappers: Words,
    /// Tags of comments before the type of a variable or a field: `@var Store`.
    pub doc_type_tags: Words,
    /// Tags of comments before the result type of a function: `@return Store`.
    pub doc_return_tags: Words,
    /// Tags of comments before the type and the name of a parameter: `@param Store $store`.
    pub doc_parameter_tags: Words,
    /// Tags of comments before a type that belongs to no declaration: `@throws Fault`.
    pub doc_mention_tags: Words,
    /// Stems of files that stand for their folder: `__init__`, `index`, `mod`.
    pub index_files: Words,
    /// Extensions that an import may leave out: `./a` for `./a.ts`. The language's own extensions by default.
    pub import_extensions: Words,
}

impl NameRules {
    pub fn has(&self, feature: Feature) -> bool {
        self.family.features().contains(&feature)
    }
}

/// The way in which the text of an import leads to files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleSystem {
    /// Imports name nothing that can be resolved to files: `import Foundation`.
    #[default]
    None,
    /// Folders and a file, with dots between them: `a.b.c`, and `.b` from the file itself.
    Dotted,
    /// A path from the file, or the name of a package of the same root: `./a/b`, `@shop/ui`.
    Relative,
    /// A folder, after the module path that a `go.mod` declares for its own folder: `example.com/shop/store`.
    PackageFolder,
    /// Folders and files from the root of a crate: `store::text`.
    Crate,
    /// A name that files declare for themselves: `namespace App\Store;`.
    Namespace,
    /// A path from the file, or the end of any path: `#include "store/text.h"`.
    Include,
    /// A file by its stem, capitalized: `Store` for `store.ml`.
    Capitalised,
}

impl ModuleSystem {
    /// Returns whether names around a module are out of scope inside it: `mod a { … }` does not see the `use` of its file.
    pub fn hides_outer_names(self) -> bool {
        self == Self::Crate
    }

    /// Returns whether names in a module need the module's name outside it: `Store.open` for an OCaml `module Store`.
    pub fn hides_inner_names(self) -> bool {
        matches!(self, Self::Crate | Self::Capitalised)
    }
}

/// The code whose names are in scope without an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImplicitScope {
    #[default]
    Nothing,
    /// The files of the same folder: a Go package.
    Folder,
    /// The files of the same namespace: a Java package.
    Namespace,
    /// All files: C, Ruby, Swift.
    Root,
}

/// The position of the type in a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypePosition {
    /// After the name, or after the parameters: `store: Store`, `fn open() -> Store`.
    #[default]
    After,
    /// Before the name: `Store store`, `Store open()`.
    Before,
}
