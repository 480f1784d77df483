//! A language's grammar and queries, made ready once per process.
//!
//! All `.scm` files of a language are one query, so that a tree is gone through once. The names of captures are the
//! contract between the queries and the extractor; the table below is all of it.

use std::sync::OnceLock;

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};
use claudevil_treequery::Query;

use super::blocks::BlockKind;
use super::facts::{RelationKind, Role};
use super::macros::Finder;
use super::{conditions, signatures};
use crate::lang::families::Feature;
use crate::lang::{self, Language};

/// Makes a copy of a text, if there is something to repair.
type Repair = fn(&[u8]) -> Option<Vec<u8>>;

/// The meaning of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// A whole definition, and its kind.
    Definition(SymbolKind),
    /// The name of the definition in the same match.
    Name,
    Body,
    Modifiers,
    /// The initial value of the definition, or of the member, in the same match.
    Gives,
    /// The name of a member of the type around that is given something.
    Member,
    /// The definition in the same match says no type: it is of what it is given elsewhere in its type.
    Open,
    Container,
    /// The same, where the whole path is its name.
    ContainerPath,
    /// The definition goes on with the next one, if that has its name: an equation of a function.
    Clause,
    /// The text that is shown as the signature of the definition in the same match, or, where there is none, of the
    /// definition of that name right behind it: the type that is said above a function.
    Declared,
    /// A name that is given this visibility by what stands around it.
    Visible(Visibility),
    /// A name that the file gives out: what is defined under it at the top is public.
    Exported,
    /// The name that it has for others, of the one in the same match.
    ExportedAs,
    /// Definitions behind it in the same block have this visibility, until the next section: `private:`.
    Section(Visibility),
    /// A block that is no symbol, whose sections hold inside it alone.
    SectionBlock,
    /// A block whose definitions belong to what `ScopeName` says.
    Scope,
    ScopeName,
    /// An annotation: no part of a signature, and no end of the comment above it.
    Attribute,
    Comment,
    /// A comment about what is around it, and not about what follows.
    InnerComment,
    /// A docstring of the symbol around it.
    Doc,
    Reference(Role),
    /// A member of the object around it, which a sign before its name says.
    Own(Role),
    /// A property and a variable at once; the role is that of the property.
    Shorthand(Role),
    /// A name that the function around takes from outside of it, so that an assignment does not make it a local one:
    /// `global count`.
    Outer,
    /// Text that is not parsed: every name in it is used.
    Words,
    /// The same, where only the name that it begins with is used.
    Leading(Role),
    /// The qualifier of the reference in the same match.
    Qualifier,
    /// The end of it, where what stands before is not parsed either.
    QualifierEnd,
    /// The beginning of it, where it ends before the reference: a pattern up to a name in it.
    QualifierStart,
    /// A name that is known to be of the type of `Qualifier` where `Narrowed` ends, until its block does.
    NarrowedName,
    Narrowed,
    Import,
    ImportModule,
    ImportName,
    ImportAlias,
    /// The name for what a module gives to who asks for nothing by name.
    ImportDefault,
    /// The default export.
    Default,
    /// The package name of the folder.
    Package,
    ImportWildcard,
    ImportReexport,
    ImportWhole,
    Relation(RelationKind),
    RelationSubject,
    /// One more way through the function around it.
    Branch,
    /// A scope of the names that are bound in it.
    Block(BlockKind),
    /// A function without a name: symbols that are defined in it are out of scope outside of it.
    Closure,
    Error,
    /// Only for the query's own predicates.
    Ignored,
}

/// Stands behind the queries of every language.
pub const SOURCE_END: &str = "\n(ERROR) @error\n";

pub struct Compiled {
    pub grammar: tree_sitter::Language,
    pub query: Query,
    /// By the query's numbers.
    pub captures: Vec<Capture>,
    /// Between the parts of a qualified name.
    pub separator: &'static str,
    /// Names of modules are whole paths.
    pub dotted_names: bool,
    /// The word for the object around.
    pub receiver: Option<&'static str>,
    /// The sign before a path that begins outside of all namespaces: `\App\Store`.
    pub global_prefix: Option<&'static str>,
    pub macros: Option<Finder>,
    /// For texts with errors: the grammar reads the copy better, and every place is as it was.
    pub repair: Option<Repair>,
}

impl Compiled {
    /// Returns whether a text is a word of the language itself.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.grammar.id_for_node_kind(word, false) != 0
    }
}

/// The language's grammar and queries; none where it has no grammar. A query that does not compile is a defect that a
/// test finds; here it only costs the facts of that language.
pub fn compiled(language: &'static Language) -> Option<&'static Compiled> {
    static ALL: OnceLock<Vec<OnceLock<Option<Compiled>>>> = OnceLock::new();
    let all = ALL.get_or_init(|| lang::all().iter().map(|_| OnceLock::new()).collect());
    let place = lang::all()
        .iter()
        .position(|one| std::ptr::eq(one, language))?;
    all[place]
        .get_or_init(|| compile(language, &language.queries()).ok())
        .as_ref()
}

pub fn compile(language: &Language, queries: &str) -> Result<Compiled, String> {
    let facts = language.facts.as_ref().ok_or("it has no grammar")?;
    let family = facts.names.family;
    let grammar = claudevil_grammars::by_name(facts.grammar)
        .ok_or_else(|| format!("no grammar is called {}", facts.grammar))?;
    let query = Query::new(&grammar, &format!("{queries}{SOURCE_END}"))?;
    let captures = query
        .capture_names()
        .iter()
        .map(|name| meaning(name).ok_or_else(|| format!("@{name} means nothing")))
        .collect::<Result<_, _>>()?;
    Ok(Compiled {
        grammar,
        query,
        captures,
        separator: facts.separator,
        dotted_names: family.has(Feature::ModulesNamedByPath),
        receiver: facts.names.receivers.first().copied(),
        global_prefix: family.global_prefix(),
        macros: family.macro_words().and_then(Finder::new),
        repair: if family.has(Feature::ConditionalLines) {
            Some(conditions::chosen)
        } else if family.has(Feature::UnendedSignatures) {
            Some(signatures::ended)
        } else {
            None
        },
    })
}

fn meaning(name: &str) -> Option<Capture> {
    if name.starts_with('_') {
        return Some(Capture::Ignored);
    }
    if let Some(kind) = name.strip_prefix("def.") {
        return SymbolKind::from_word(kind).map(Capture::Definition);
    }
    if let Some(visibility) = name.strip_prefix("visibility.") {
        return Visibility::from_word(visibility).map(Capture::Visible);
    }
    if name == "section.block" {
        return Some(Capture::SectionBlock);
    }
    if let Some(visibility) = name.strip_prefix("section.") {
        return Visibility::from_word(visibility).map(Capture::Section);
    }
    Some(match name {
        "exported" => Capture::Exported,
        "exported.as" => Capture::ExportedAs,
        "name" => Capture::Name,
        "body" => Capture::Body,
        "modifiers" => Capture::Modifiers,
        "gives" => Capture::Gives,
        "member" => Capture::Member,
        "open" => Capture::Open,
        "container" => Capture::Container,
        "container.path" => Capture::ContainerPath,
        "clause" => Capture::Clause,
        "declared" => Capture::Declared,
        "scope" => Capture::Scope,
        "scope.name" => Capture::ScopeName,
        "attribute" => Capture::Attribute,
        "comment" => Capture::Comment,
        "comment.inner" => Capture::InnerComment,
        "doc" => Capture::Doc,
        "ref.import" => Capture::Reference(Role::Import),
        "ref.named" => Capture::Reference(Role::Named),
        "ref.call" => Capture::Reference(Role::Call),
        "ref.bind" => Capture::Reference(Role::Bind),
        "ref.write" => Capture::Reference(Role::Write),
        "ref.type" => Capture::Reference(Role::Type),
        "ref.read" => Capture::Reference(Role::Read),
        "ref.mention" => Capture::Reference(Role::Mention),
        "ref.implicit" => Capture::Reference(Role::Implicit),
        "ref.own.read" => Capture::Own(Role::Read),
        "ref.own.write" => Capture::Own(Role::Write),
        "ref.shorthand.read" => Capture::Shorthand(Role::Read),
        "ref.shorthand.write" => Capture::Shorthand(Role::Write),
        "outer" => Capture::Outer,
        "words" => Capture::Words,
        "ref.leading.read" => Capture::Leading(Role::Read),
        "qualifier" => Capture::Qualifier,
        "qualifier.end" => Capture::QualifierEnd,
        "qualifier.start" => Capture::QualifierStart,
        "narrowed" => Capture::Narrowed,
        "narrowed.name" => Capture::NarrowedName,
        "import" => Capture::Import,
        "import.module" => Capture::ImportModule,
        "import.name" => Capture::ImportName,
        "import.alias" => Capture::ImportAlias,
        "import.default" => Capture::ImportDefault,
        "default" => Capture::Default,
        "package" => Capture::Package,
        "import.wildcard" => Capture::ImportWildcard,
        "import.reexport" => Capture::ImportReexport,
        "import.whole" => Capture::ImportWhole,
        "relation.extends" => Capture::Relation(RelationKind::Extends),
        "relation.implements" => Capture::Relation(RelationKind::Implements),
        "relation.subject" => Capture::RelationSubject,
        "branch" => Capture::Branch,
        "block" => Capture::Block(BlockKind::Block),
        "block.whole" => Capture::Block(BlockKind::Whole),
        "block.function" => Capture::Block(BlockKind::Function),
        "block.hoisted" => Capture::Block(BlockKind::Hoisted),
        "block.narrowed" => Capture::Block(BlockKind::Narrowed),
        "closure" => Capture::Closure,
        "error" => Capture::Error,
        _ => return None,
    })
}
