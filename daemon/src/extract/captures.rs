//! The captures of a language's queries in one text, as data: definitions, references and the rest.

use std::borrow::Cow;

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};
pub use claudevil_treequery::Span;

use super::blocks::Block;
use super::exports::ExportedName;
use super::facts::{Import, RelationKind, Role};

/// The qualifier of a member whose real one is too long, so that the member does not look like a bare name.
pub const UNKNOWN_QUALIFIER: &str = "?";

#[derive(Debug)]
pub struct Definition<'a> {
    pub span: Span,
    pub kind: SymbolKind,
    pub name: &'a str,
    pub name_at: u32,
    pub body: Option<u32>,
    pub modifiers: Option<&'a str>,
    pub container: Option<Cow<'a, str>>,
    pub initializer: Option<Cow<'a, str>>,
    /// It declares no type, so its type is that of the value that its class assigns to it: `$this->store = new Store()`.
    pub is_open: bool,
    /// The span of its signature, if the definition does not begin with it: the type signature of a Haskell function.
    pub declared: Option<Span>,
    /// A definition with the same name directly after it is a part of it: the Haskell equation `fact n = …` after
    /// `fact 0 = 1`.
    pub is_clause: bool,
    /// The number of the pattern that matched; the lowest wins where two match the same name.
    pub pattern: usize,
}

/// A declaration before a definition: the type signature above a Haskell function.
#[derive(Debug)]
pub struct ForwardDeclaration<'a> {
    pub span: Span,
    pub name: &'a str,
    pub name_at: u32,
}

/// A value that is assigned to a member outside its definition: `$this->store = new Store()`.
#[derive(Debug)]
pub struct AssignedMember<'a> {
    pub at: u32,
    pub name: &'a str,
    pub text: Cow<'a, str>,
}

#[derive(Debug)]
pub struct Scope<'a> {
    pub span: Span,
    pub name: &'a str,
}

#[derive(Clone, Debug)]
pub struct Reference<'a> {
    pub at: u32,
    pub name: &'a str,
    pub role: Role,
    pub qualifier: Option<Cow<'a, str>>,
}

#[derive(Debug)]
pub struct RawRelation<'a> {
    pub kind: RelationKind,
    pub subject: Option<&'a str>,
    pub target: &'a str,
    /// The target as it is written, if it is qualified.
    pub path: Option<&'a str>,
    pub at: u32,
}

#[derive(Debug, Default)]
pub struct FileCaptures<'a> {
    pub definitions: Vec<Definition<'a>>,
    pub declared: Vec<ForwardDeclaration<'a>>,
    pub assigned: Vec<AssignedMember<'a>>,
    pub scopes: Vec<Scope<'a>>,
    pub references: Vec<Reference<'a>>,
    /// Shorthand properties: `{ store }`. The variable with the same name is in `references`.
    pub shorthands: Vec<Reference<'a>>,
    /// Names that a function declares as belonging to an outer scope: `global count`.
    pub outer: Vec<(u32, &'a str)>,
    pub visible: Vec<(u32, Visibility)>,
    /// Names in the export lists of the file.
    pub exported: Vec<ExportedName<'a>>,
    /// The default export.
    pub default: Option<&'a str>,
    /// The package name that the file declares.
    pub package: Option<&'a str>,
    /// Positions after which the definitions of the same block have this visibility: `private:`.
    pub sections: Vec<(u32, Visibility)>,
    /// Blocks without a symbol that have sections of their own.
    pub section_blocks: Vec<Span>,
    pub attributes: Vec<Span>,
    pub comments: Vec<Span>,
    /// The starts of comments about the enclosing code: `//!`.
    pub inner_comments: Vec<u32>,
    pub docs: Vec<Span>,
    pub imports: Vec<(u32, Import)>,
    pub relations: Vec<RawRelation<'a>>,
    /// Code in a definition that runs in the scope around it: the default value of a parameter.
    pub outside: Vec<Span>,
    /// Patterns, each with code in which its names are not in scope yet: `store` and `store.open()` in
    /// `let store = store.open()`.
    pub initializers: Vec<(Span, Span)>,
    pub branches: Vec<u32>,
    pub blocks: Vec<Block>,
    /// Anonymous functions.
    pub closures: Vec<Span>,
    pub errors: u32,
}

impl FileCaptures<'_> {
    /// Appends the captures of another parse of the same text.
    pub fn append(&mut self, mut other: Self) {
        self.definitions.append(&mut other.definitions);
        self.declared.append(&mut other.declared);
        self.assigned.append(&mut other.assigned);
        self.scopes.append(&mut other.scopes);
        self.references.append(&mut other.references);
        self.shorthands.append(&mut other.shorthands);
        self.outer.append(&mut other.outer);
        self.visible.append(&mut other.visible);
        self.exported.append(&mut other.exported);
        self.default = self.default.or(other.default);
        self.package = self.package.or(other.package);
        self.sections.append(&mut other.sections);
        self.section_blocks.append(&mut other.section_blocks);
        self.attributes.append(&mut other.attributes);
        self.comments.append(&mut other.comments);
        self.inner_comments.append(&mut other.inner_comments);
        self.docs.append(&mut other.docs);
        self.imports.append(&mut other.imports);
        self.relations.append(&mut other.relations);
        self.outside.append(&mut other.outside);
        self.initializers.append(&mut other.initializers);
        self.branches.append(&mut other.branches);
        self.blocks.append(&mut other.blocks);
        self.closures.append(&mut other.closures);
        self.errors += other.errors;
    }
}
