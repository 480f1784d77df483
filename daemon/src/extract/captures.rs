//! Runs a language's query over a tree and sorts what it captured into definitions, references and the rest.
//!
//! One pass, no decisions about meaning beyond what a single match says: what follows from several of them is made in
//! `symbols.rs`.

use claudevil_protocol::model::symbol::{SymbolKind, Visibility};
use tree_sitter::Tree;

use super::compiled::{Capture, Compiled};
use super::facts::{Import, Reach, RelationKind, Role};
use super::query::Match;
use super::text::Text;

/// A receiver or a type is shown, not evaluated: longer ones say nothing.
const LONGEST_QUALIFIER: usize = 80;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

#[derive(Debug)]
pub struct Definition<'a> {
    pub span: Span,
    pub kind: SymbolKind,
    pub name: &'a str,
    pub name_at: u32,
    pub body: Option<u32>,
    pub modifiers: Option<&'a str>,
    pub container: Option<&'a str>,
    pub gives: Option<&'a str>,
    /// Of the pattern that matched: of two for the same name the earlier holds.
    pub pattern: usize,
}

#[derive(Debug)]
pub struct Scope<'a> {
    pub span: Span,
    pub name: &'a str,
}

#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    pub at: u32,
    pub name: &'a str,
    pub role: Role,
    pub qualifier: Option<&'a str>,
}

#[derive(Debug)]
pub struct RawRelation<'a> {
    pub kind: RelationKind,
    pub subject: Option<&'a str>,
    pub target: &'a str,
    pub at: u32,
}

#[derive(Debug, Default)]
pub struct Captured<'a> {
    pub definitions: Vec<Definition<'a>>,
    pub scopes: Vec<Scope<'a>>,
    pub references: Vec<Reference<'a>>,
    pub visible: Vec<(u32, Visibility)>,
    /// Names that the file gives out.
    pub exported: Vec<&'a str>,
    /// The one that it gives to who asks for nothing by name.
    pub default: Option<&'a str>,
    /// From where on the definitions of a block have this visibility.
    pub sections: Vec<(u32, Visibility)>,
    pub attributes: Vec<Span>,
    pub comments: Vec<Span>,
    pub docs: Vec<Span>,
    pub imports: Vec<(u32, Import)>,
    pub relations: Vec<RawRelation<'a>>,
    pub branches: Vec<u32>,
    pub errors: u32,
}

pub fn run<'a>(compiled: &Compiled, tree: Tree, text: &Text<'a>) -> Captured<'a> {
    let mut captured = Captured::default();
    compiled.query.run(tree, text, |found| captured.take(compiled, found, text));
    captured
}

impl<'a> Captured<'a> {
    /// Takes up what another parse of the same text captured.
    pub fn append(&mut self, mut other: Self) {
        self.definitions.append(&mut other.definitions);
        self.scopes.append(&mut other.scopes);
        self.references.append(&mut other.references);
        self.visible.append(&mut other.visible);
        self.exported.append(&mut other.exported);
        self.default = self.default.or(other.default);
        self.sections.append(&mut other.sections);
        self.attributes.append(&mut other.attributes);
        self.comments.append(&mut other.comments);
        self.docs.append(&mut other.docs);
        self.imports.append(&mut other.imports);
        self.relations.append(&mut other.relations);
        self.branches.append(&mut other.branches);
        self.errors += other.errors;
    }

    fn take(&mut self, compiled: &Compiled, found: &Match<'_>, text: &Text<'a>) {
        let mut definition = None;
        let mut name = None;
        let mut body = None;
        let mut modifiers: Option<Span> = None;
        let mut container = None;
        let mut gives = None;
        let mut scope = None;
        let mut scope_name = None;
        let mut qualifier = None;
        let mut import: Option<RawImport> = None;
        let mut subject = None;
        let mut reference = None;
        let mut relation = None;
        for (capture, span) in found.captures() {
            match compiled.captures[capture] {
                Capture::Definition(kind) => definition = Some((span, kind)),
                Capture::Name => name = Some(span),
                Capture::Body => body = Some(span.start),
                Capture::Modifiers => modifiers = Some(joined(modifiers, span)),
                Capture::Container => container = Some(span),
                Capture::Gives => gives = Some(span),
                Capture::Visible(visibility) => self.visible.push((span.start, visibility)),
                Capture::Exported => self.exported.push(unquoted(text.slice(span.start, span.end))),
                Capture::Section(visibility) => self.sections.push((span.start, visibility)),
                Capture::Scope => scope = Some(span),
                Capture::ScopeName => scope_name = Some(span),
                Capture::Attribute => self.attributes.push(span),
                Capture::Comment => self.comments.push(span),
                Capture::Doc => self.docs.push(span),
                Capture::Reference(role) => reference = Some((span, role)),
                Capture::Qualifier => qualifier = Some(span),
                Capture::Import => import.get_or_insert_with(RawImport::default).at = Some(span.start),
                Capture::ImportModule => import.get_or_insert_with(RawImport::default).module.push(span),
                Capture::ImportName => import.get_or_insert_with(RawImport::default).name = Some(span),
                Capture::ImportAlias => import.get_or_insert_with(RawImport::default).alias = Some(span),
                Capture::ImportDefault => {
                    let import = import.get_or_insert_with(RawImport::default);
                    (import.alias, import.is_default) = (Some(span), true);
                }
                Capture::Default => self.default = Some(unquoted(text.slice(span.start, span.end))),
                Capture::ImportWildcard => import.get_or_insert_with(RawImport::default).reach = Reach::Wildcard,
                Capture::ImportReexport => import.get_or_insert_with(RawImport::default).reach = Reach::Reexport,
                Capture::Relation(kind) => relation = Some((kind, span)),
                Capture::RelationSubject => subject = Some(span),
                Capture::Branch => self.branches.push(span.start),
                Capture::Error => self.errors += 1,
                Capture::Ignored => {}
            }
        }
        let of = |span: Span| text.slice(span.start, span.end);
        let base_name = |text: &'a str| if compiled.dotted_names { text } else { base_name(text) };
        if let (Some((span, kind)), Some(name)) = (definition, name) {
            self.definitions.push(Definition {
                span,
                kind,
                name: plain_name(of(name)),
                name_at: name.start,
                body,
                modifiers: modifiers.map(of),
                container: container.map(of).map(base_name),
                gives: gives.map(of).filter(|text| text.len() <= LONGEST_QUALIFIER && !text.contains('\n')),
                pattern: found.pattern,
            });
        }
        if let (Some(span), Some(name)) = (scope, scope_name) {
            self.scopes.push(Scope { span, name: base_name(of(name)) });
        }
        // A name that the parser made up to mend an error is empty.
        if let Some((span, role)) = reference.filter(|(span, _)| span.start < span.end) {
            let qualifier = qualifier.map(of).filter(|text| text.len() <= LONGEST_QUALIFIER && !text.contains('\n'));
            // Some grammars count the sign behind it to what a name is reached through.
            let qualifier = qualifier.map(|text| text.trim_end_matches('.'));
            self.references.push(Reference { at: span.start, name: plain_name(of(span)), role, qualifier });
        }
        if let Some((kind, target)) = relation {
            let subject = subject.map(of).map(base_name);
            self.relations.push(RawRelation { kind, subject, target: base_name(of(target)), at: target.start });
        }
        self.imports.extend(import.and_then(|import| import.finish(compiled.separator, text)));
    }
}

/// Where a capture takes in several nodes, from the first to the last.
fn joined(before: Option<Span>, span: Span) -> Span {
    before.map_or(span, |before| Span { start: before.start.min(span.start), end: before.end.max(span.end) })
}

struct RawImport {
    at: Option<u32>,
    /// Nested imports name a module piece by piece.
    module: Vec<Span>,
    name: Option<Span>,
    alias: Option<Span>,
    reach: Reach,
    is_default: bool,
}

impl Default for RawImport {
    fn default() -> Self {
        Self { at: None, module: vec![], name: None, alias: None, reach: Reach::Named, is_default: false }
    }
}

impl RawImport {
    /// With the place of the whole statement, by which the matches for its parts are brought together.
    fn finish(self, separator: &str, text: &Text<'_>) -> Option<(u32, Import)> {
        let of = |span: Span| unquoted(text.slice(span.start, span.end)).into();
        let first = self.module.first()?.start;
        let pieces: Vec<&str> = self.module.iter().map(|piece| unquoted(text.slice(piece.start, piece.end))).collect();
        let module = pieces.join(separator);
        let module = module.strip_prefix('<').and_then(|name| name.strip_suffix('>')).unwrap_or(&module);
        let plain = |span: Span| plain_name(text.slice(span.start, span.end)).into();
        let name = if self.is_default { Some("default".into()) } else { self.name.map(plain) };
        let alias = self.alias.map(of);
        let line = text.line_at(self.module.last()?.start);
        let import = Import { module: module.into(), name, alias, reach: self.reach, line };
        Some((self.at.unwrap_or(first), import))
    }
}

/// The name of a type without what it is applied to: `Vec` of `&mut std::Vec<T>`.
pub fn base_name(text: &str) -> &str {
    let text = text.trim_start_matches(|sign: char| !is_word(sign));
    let end = text.find(['<', '[', '(', '{', ' ']).unwrap_or(text.len());
    let text = &text[..end];
    text.rsplit(|sign: char| !is_word(sign)).find(|part| !part.is_empty()).unwrap_or(text)
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '$'
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let quotes = ['"', '\'', '`'];
    for quote in quotes {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// A name without the signs that some languages put around one to use it as a value: `:name`, `name:`.
fn plain_name(text: &str) -> &str {
    let text = unquoted(text);
    let bare = text.trim_start_matches(':').trim_end_matches(':');
    if bare.contains(is_word) { bare } else { text }
}
