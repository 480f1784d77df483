//! A language's grammar and queries, compiled once per process.
//!
//! All `.scm` files of a language form one query, so that a tree is walked once. The names of captures are the contract between
//! the queries and the extractor; `meaning` lists all of them.

use std::sync::OnceLock;

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};
use claudevil_treequery::Query;

use super::blocks::BlockKind;
use super::facts::{RelationKind, Role};
use super::macros::Finder;
use super::{conditions, headers, signatures};
use crate::lang::families::{Feature, ItemMacros};
use crate::lang::{self, Language};

/// Returns a repaired copy of a text, if there is something to repair.
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
    /// The value of the definition, or of the member, in the same match.
    Gives,
    /// The name of a member of the enclosing type that a value is assigned to: `store` of `$this->store = …`.
    Member,
    /// The definition in the same match declares no type: its type is that of the values assigned to it in its class.
    Open,
    Container,
    /// A container that is named by a whole path: `List::Iterator`.
    ContainerPath,
    /// The next definition continues this one if it has the same name: an equation of a function.
    Clause,
    /// The signature of the definition in the same match, or, if the match has none, of the next definition with the same
    /// name: the type signature of a Haskell function.
    Declared,
    /// A name that gets this visibility from the code around it.
    Visible(Visibility),
    /// A name in an export list: the top-level definition with that name is public.
    Exported,
    /// The name under which `Exported` in the same match is exported: `b` of `export { a as b }`.
    ExportedAs,
    /// The definitions that follow in the same block have this visibility, up to the next section: `private:`.
    Section(Visibility),
    /// A block that is not a symbol, but limits the sections inside it: `class << self` in Ruby.
    SectionBlock,
    /// A block whose definitions are members of `ScopeName`: an `impl` block.
    Scope,
    ScopeName,
    /// An annotation. It is left out of signatures, and does not separate a definition from the comment above it.
    Attribute,
    Comment,
    /// A comment about the enclosing code instead of the next definition: `//!`.
    InnerComment,
    /// A docstring of the enclosing symbol.
    Doc,
    Reference(Role),
    /// A member of the current object, marked by a prefix: `@name` in Ruby.
    Own(Role),
    /// A property and a variable at once, `{ store }`; the role is that of the property.
    Shorthand(Role),
    /// A name that a function declares as belonging to an outer scope, so that an assignment does not make it local:
    /// `global count`.
    Outer,
    /// Text that the grammar does not parse: every name in it is a use.
    Words,
    /// A format string, whose placeholders are uses: `"{name}"`.
    Placeholders,
    /// Text that the grammar does not parse, of which only the first name is a use.
    Leading(Role),
    /// The name that the reference in the same match means, if it is written elsewhere: `size` of
    /// `defdelegate size(list), to: Store`.
    ReferenceName,
    /// The qualifier of the reference in the same match.
    Qualifier,
    /// The end of a qualifier that the grammar does not parse either.
    QualifierEnd,
    /// The start of a qualifier that extends up to the reference: a pattern up to a name in it.
    QualifierStart,
    /// The callee of a call with a closure among its arguments, whose parameter is the reference: `map` of
    /// `stores.map(store => …)`.
    Taker,
    /// A name whose type is narrowed to `Qualifier`, from the end of `Narrowed` to the end of the block.
    NarrowedName,
    Narrowed,
    Import,
    ImportModule,
    ImportName,
    ImportAlias,
    /// The local name for the default export of a module.
    ImportDefault,
    /// The default export.
    Default,
    /// The package name that the file declares: `package store`.
    Package,
    ImportWildcard,
    ImportReexport,
    ImportWhole,
    Relation(RelationKind),
    RelationSubject,
    /// Code in a definition that runs in the scope around it: `open` of `def run(open=open)`.
    Outside,
    /// A pattern whose names are not in scope in `Initializer` of the same match.
    Initialized,
    /// Code in which the names beside it are not in scope yet: the value of `let store = store.open()`.
    Initializer,
    /// A branch of the enclosing function, for its complexity.
    Branch,
    /// A scope of the names that are bound in it: a block, a loop, a closure.
    Block(BlockKind),
    /// An anonymous function: symbols defined in it are out of scope outside it.
    Closure,
    Error,
    /// A capture that only predicates of the query use: `@_name`.
    Ignored,
}

/// Appended to the queries of every language.
pub const SOURCE_END: &str = "\n(ERROR) @error\n";

pub struct CompiledLanguage {
    pub grammar: tree_sitter::Language,
    pub query: Query,
    /// Indexed by the capture ids of the query.
    pub captures: Vec<Capture>,
    /// The separator of qualified names: `::`, `.`.
    pub separator: &'static str,
    /// Modules are named by whole paths: `a.b.c`.
    pub dotted_names: bool,
    /// The keyword for the current object: `self`, `this`.
    pub receiver: Option<&'static str>,
    /// The prefix of an absolute path: `\App\Store`.
    pub global_prefix: Option<&'static str>,
    pub macros: Option<Finder>,
    pub item_macros: Option<&'static ItemMacros>,
    /// Repairs texts with syntax errors so that the grammar parses them better; every position stays the same.
    pub repair: Option<Repair>,
}

impl CompiledLanguage {
    /// Returns whether a word is a keyword of the grammar.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.grammar.id_for_node_kind(word, false) != 0
    }
}

/// Returns the language's compiled grammar and queries; none if it has no grammar. A query that does not compile is a bug that
/// a test catches; at run time, only the facts of that language are missing.
pub fn compiled(language: &'static Language) -> Option<&'static CompiledLanguage> {
    static ALL: OnceLock<Vec<OnceLock<Option<CompiledLanguage>>>> = OnceLock::new();
    let all = ALL.get_or_init(|| lang::all().iter().map(|_| OnceLock::new()).collect());
    let place = lang::all()
        .iter()
        .position(|one| std::ptr::eq(one, language))?;
    all[place]
        .get_or_init(|| compile(language, &language.queries()).ok())
        .as_ref()
}

pub fn compile(language: &Language, queries: &str) -> Result<CompiledLanguage, String> {
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
    Ok(CompiledLanguage {
        grammar,
        query,
        captures,
        separator: facts.separator,
        dotted_names: facts.names.has(Feature::ModulesNamedByPath),
        receiver: facts.names.receivers.first().copied(),
        global_prefix: family.global_prefix(),
        macros: family.macro_words().and_then(Finder::new),
        item_macros: family.item_macros(),
        repair: if facts.names.has(Feature::ConditionalLines) {
            Some(conditions::select_branches)
        } else if facts.names.has(Feature::UnbalancedConditions) {
            Some(conditions::select_unbalanced_branches)
        } else if facts.names.has(Feature::SignaturesWithoutSemicolons) {
            Some(signatures::insert_semicolons)
        } else if facts.names.has(Feature::ConstructorsOnTheirOwnLine) {
            Some(headers::join_constructors)
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
        "placeholders" => Capture::Placeholders,
        "ref.leading.read" => Capture::Leading(Role::Read),
        "ref.name" => Capture::ReferenceName,
        "qualifier" => Capture::Qualifier,
        "qualifier.end" => Capture::QualifierEnd,
        "qualifier.start" => Capture::QualifierStart,
        "taker" => Capture::Taker,
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
        "outside" => Capture::Outside,
        "initialized" => Capture::Initialized,
        "initializer" => Capture::Initializer,
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
