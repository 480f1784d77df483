//! Runs a language's query over a tree and sorts the captures into definitions, references and the rest.
//!
//! One pass, in which each match is interpreted alone: `symbols.rs` combines several.

use std::borrow::Cow;

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_treequery::Match;
use tree_sitter::Tree;

use super::blocks::{Block, BlockKind};
use super::captures::{
    AssignedMember, Definition, FileCaptures, ForwardDeclaration, RawRelation, Reference, Scope,
    Span, UNKNOWN_QUALIFIER,
};
use super::chains::{self, condense};
use super::compiled::{Capture, CompiledLanguage};
use super::exports::ExportedName;
use super::facts::{Import, Reach, RelationKind, Role};
use super::macros;
use super::text::Text;
use super::type_expr::is_word;
use super::words;
use crate::lang::conventions;

/// The most bytes of a qualifier or a type; longer ones are condensed or left out.
const LONGEST_QUALIFIER: usize = 80;

pub fn run<'a>(compiled: &CompiledLanguage, tree: Tree, text: &Text<'a>) -> FileCaptures<'a> {
    let mut captured = FileCaptures::default();
    compiled.query.run(tree, text.source, |found| {
        captured.take(compiled, found, text);
    });
    captured
}

/// The captures of one match that are combined.
#[derive(Default)]
struct Parts<'a> {
    definition: Option<(Span, SymbolKind)>,
    name: Option<Span>,
    declared: Option<Span>,
    is_clause: bool,
    body: Option<u32>,
    modifiers: Option<Span>,
    container: Option<Span>,
    container_path: Option<Span>,
    initializer: Option<Span>,
    member: Option<Span>,
    is_open: bool,
    scope: Option<Span>,
    scope_name: Option<Span>,
    qualifier: Option<Span>,
    import: RawImport,
    subject: Option<Span>,
    reference: Option<(Span, Role)>,
    /// The name of the reference, if it is written elsewhere.
    reference_name: Option<Span>,
    shorthand: Option<(Span, Role)>,
    /// The end of a qualifier that the grammar does not parse.
    unparsed: Option<u32>,
    /// The start of a qualifier that extends up to the reference.
    until: Option<u32>,
    /// The callee of a call with a closure among its arguments.
    taker: Option<Span>,
    /// A name whose type is narrowed, and the position where the narrowing begins.
    narrowed: (Option<Span>, Option<u32>),
    relation: Option<(RelationKind, Span)>,
    block: Option<(Span, BlockKind)>,
    /// A pattern, and code in which its names are not in scope yet.
    initialized: (Option<Span>, Option<Span>),
    /// The local name of an export, and its exported name if that differs.
    exported: (Option<&'a str>, Option<&'a str>),
}

impl<'a> FileCaptures<'a> {
    /// Adds the macros that were hidden from the parser, as attributes of the declarations beside them.
    pub fn take_macros(&mut self, macros: &[Span], text: &Text<'a>) {
        if macros.is_empty() {
            return;
        }
        self.comments.sort_by_key(|comment| comment.start);
        for span in macros {
            let before = self
                .comments
                .partition_point(|comment| comment.start <= span.start);
            if before
                .checked_sub(1)
                .is_some_and(|at| self.comments[at].contains(*span))
            {
                continue;
            }
            self.attributes.push(*span);
            self.references.extend(macros::names(*span, text));
        }
    }

    /// Records the captures that need no others, and returns the rest of the match.
    fn gather(
        &mut self,
        compiled: &CompiledLanguage,
        found: &Match<'_>,
        text: &Text<'a>,
    ) -> Parts<'a> {
        let mut parts = Parts::default();
        for (capture, span) in found.captures() {
            match compiled.captures[capture] {
                Capture::Definition(kind) => {
                    parts.definition =
                        Some((joined(parts.definition.map(|(span, _)| span), span), kind));
                }
                Capture::Name => parts.name = Some(joined(parts.name, span)),
                Capture::Clause => parts.is_clause = true,
                Capture::Declared => parts.declared = Some(span),
                Capture::Body => parts.body = Some(span.start),
                Capture::Modifiers => parts.modifiers = Some(joined(parts.modifiers, span)),
                Capture::Container => parts.container = Some(span),
                Capture::ContainerPath => {
                    parts.container_path = Some(joined(parts.container_path, span));
                }
                Capture::Gives => parts.initializer = Some(span),
                Capture::Member => parts.member = Some(span),
                Capture::Open => parts.is_open = true,
                Capture::Visible(visibility) => self.visible.push((span.start, visibility)),
                Capture::Exported => {
                    parts.exported.0 = Some(unquoted(text.slice(span.start, span.end)));
                }
                Capture::ExportedAs => {
                    parts.exported.1 = Some(unquoted(text.slice(span.start, span.end)));
                }
                Capture::Section(visibility) => self.sections.push((span.start, visibility)),
                Capture::SectionBlock => self.section_blocks.push(span),
                Capture::Scope => parts.scope = Some(span),
                Capture::ScopeName => parts.scope_name = Some(span),
                Capture::Attribute => self.attributes.push(span),
                Capture::Comment => self.comments.push(span),
                Capture::InnerComment => self.inner_comments.push(span.start),
                Capture::Doc => self.docs.push(span),
                Capture::Reference(role) => parts.reference = Some((span, role)),
                Capture::Own(role) => {
                    self.references
                        .extend(member_use(span, role, compiled.receiver, text));
                }
                Capture::Outer => {
                    (self.outer).push((span.start, text.slice(span.start, span.end)));
                }
                Capture::Shorthand(role) => parts.shorthand = Some((span, role)),
                Capture::Leading(role) => {
                    self.references.extend(leading_name_use(span, role, text));
                }
                Capture::Words => self
                    .references
                    .extend(words::uses(span, text, |word| compiled.is_keyword(word))),
                Capture::Placeholders => {
                    self.references.extend(words::placeholders(span, text));
                }
                Capture::ReferenceName => parts.reference_name = Some(span),
                Capture::Qualifier => parts.qualifier = Some(joined(parts.qualifier, span)),
                Capture::QualifierEnd => {
                    parts.qualifier = Some(Span {
                        start: words::chain_start(text.source, span.start),
                        end: span.end,
                    });
                    parts.unparsed = Some(span.end);
                }
                Capture::QualifierStart => parts.until = Some(span.start),
                Capture::Taker => parts.taker = Some(span),
                Capture::NarrowedName => parts.narrowed.0 = Some(span),
                Capture::Narrowed => parts.narrowed.1 = Some(span.end),
                Capture::Import => parts.import.at = Some(span.start),
                Capture::ImportModule => parts.import.module.push(span),
                Capture::ImportName => parts.import.name = Some(span),
                Capture::ImportAlias => parts.import.alias = Some(span),
                // Imports the default export under this name.
                Capture::ImportDefault => {
                    (parts.import.alias, parts.import.is_default) = (Some(span), true);
                }
                Capture::Default => self.default = Some(unquoted(text.slice(span.start, span.end))),
                Capture::Package => self.package = Some(text.slice(span.start, span.end)),
                Capture::ImportWildcard => parts.import.reach = Reach::Wildcard,
                Capture::ImportReexport => parts.import.reach = Reach::Reexport,
                Capture::ImportWhole => parts.import.reach = Reach::Whole,
                Capture::Relation(kind) => parts.relation = Some((kind, span)),
                Capture::RelationSubject => parts.subject = Some(span),
                Capture::Outside => self.outside.push(span),
                Capture::Initialized => {
                    parts.initialized.0 = Some(joined(parts.initialized.0, span));
                }
                Capture::Initializer => {
                    parts.initialized.1 = Some(joined(parts.initialized.1, span));
                }
                Capture::Branch => self.branches.push(span.start),
                Capture::Block(kind) => {
                    parts.block = Some((joined(parts.block.map(|(span, _)| span), span), kind));
                }
                Capture::Closure => self.closures.push(span),
                Capture::Error => self.errors += 1,
                Capture::Ignored => {}
            }
        }
        parts
    }

    fn take(&mut self, compiled: &CompiledLanguage, found: &Match<'_>, text: &Text<'a>) {
        // Nearly all matches capture one use of a name and nothing else.
        if let Some((capture, span)) = found.only_capture()
            && let Capture::Reference(role) = compiled.captures[capture]
            && compiled.global_prefix.is_none()
        {
            return self.take_uses(Some((span, role)), None, (None, None), text);
        }
        let parts = self.gather(compiled, found, text);
        let of = |span: Span| text.slice(span.start, span.end);
        let short = |span| readable(of(span), Role::Bind);
        let base_name = |text: &'a str| {
            if compiled.dotted_names {
                text
            } else {
                base_name(text)
            }
        };
        if let (Some((span, kind)), Some(name)) = (parts.definition, parts.name) {
            self.definitions.push(Definition {
                span,
                kind,
                name: plain_name(of(name)),
                name_at: name.start,
                body: parts.body,
                modifiers: parts.modifiers.map(of),
                container: parts
                    .container_path
                    .map(of)
                    .map(plain_path)
                    .or_else(|| parts.container.map(of).map(base_name).map(Cow::Borrowed)),
                initializer: parts.initializer.and_then(short),
                is_open: parts.is_open,
                declared: parts.declared,
                is_clause: parts.is_clause,
                pattern: found.pattern,
            });
        } else if let (Some(span), Some(name)) = (parts.declared, parts.name) {
            self.declared.push(ForwardDeclaration {
                span,
                name: plain_name(of(name)),
                name_at: name.start,
            });
        }
        self.scopes
            .extend(parts.scope.zip(parts.scope_name).map(|(span, name)| Scope {
                span,
                name: base_name(of(name)),
            }));
        self.blocks
            .extend(parts.block.map(|(span, kind)| Block { span, kind }));
        let (exported, alias) = parts.exported;
        self.exported
            .extend(exported.map(|name| ExportedName { name, alias }));
        let (pattern, value) = parts.initialized;
        self.initializers.extend(pattern.zip(value));
        if let (Some(member), Some(text)) = (parts.member, parts.initializer.and_then(short)) {
            self.assigned.push(AssignedMember {
                at: member.start,
                name: of(member),
                text,
            });
        }
        let qualifier = match (parts.reference, compiled.global_prefix) {
            (Some((name, role)), Some(top)) if role != Role::Import => {
                from_top(name, parts.qualifier, top, text)
            }
            _ => parts.qualifier,
        };
        let up_to = parts
            .until
            .zip(parts.reference)
            .map(|(start, (name, _))| Span {
                start,
                end: name.start,
            });
        if let ((Some(name), Some(at)), Some(kind)) = (parts.narrowed, qualifier.and_then(short)) {
            let name = of(name);
            self.references.push(Reference {
                at,
                name,
                role: Role::Narrow,
                qualifier: Some(kind),
            });
        }
        if let (Some(taker), Some((name, role))) = (parts.taker, parts.reference)
            && name.start < name.end
        {
            let place = chains::closure_parameter(text.slice(taker.end, name.start));
            let place = place.zip(short(taker));
            self.references.push(Reference {
                at: name.start,
                name: plain_name(of(name)),
                role,
                qualifier: place.map(|((argument, parameter), taker)| {
                    Cow::Owned(format!("{taker} @{argument}.{parameter}"))
                }),
            });
            return;
        }
        let qualifier = (up_to.or(qualifier), parts.unparsed);
        let before = self.references.len();
        self.take_uses(parts.reference, parts.shorthand, qualifier, text);
        if let (Some(name), Some(own)) = (parts.reference_name, self.references.get_mut(before)) {
            own.name = of(name);
        }
        if let Some((kind, target)) = parts.relation {
            let subject = parts.subject.map(of).map(base_name);
            let whole = joined(parts.qualifier, target);
            self.relations.push(RawRelation {
                kind,
                subject,
                target: base_name(of(target)),
                path: qualified_path(of(whole)).filter(|_| !compiled.dotted_names),
                at: target.start,
            });
        }
        self.imports
            .extend(parts.import.finish(compiled.separator, text));
    }

    /// Records a use of a name. The second part of the tuple is the end of a qualifier that is not parsed.
    fn take_uses(
        &mut self,
        reference: Option<(Span, Role)>,
        shorthand: Option<(Span, Role)>,
        (qualifier, unparsed): (Option<Span>, Option<u32>),
        text: &Text<'a>,
    ) {
        let of = |span: Span| text.slice(span.start, span.end);
        // The parser inserts empty names to recover from errors. An unparsed qualifier and its name are separated by `.` or
        // `::` alone.
        let is_real = |(span, _): &(Span, Role)| {
            let is_joined = |end: u32| [".", "::"].contains(&text.slice(end, span.start).trim());
            span.start < span.end && unparsed.is_none_or(is_joined)
        };
        if let Some((span, role)) = reference.filter(is_real) {
            if let Some(bound_to) = qualifier.filter(|_| role == Role::Bind)
                && bound_to.end > span.end
                && !of(Span {
                    start: span.end,
                    ..bound_to
                })
                .contains('\n')
            {
                self.initializers.push((
                    span,
                    Span {
                        start: span.end,
                        ..bound_to
                    },
                ));
            }
            let qualifier = qualifier.map(of).and_then(|text| readable(text, role));
            self.references.push(Reference {
                at: span.start,
                name: plain_name(of(span)),
                role,
                qualifier,
            });
        }
        if let Some((span, role)) = shorthand {
            let qualifier = Some(
                qualifier
                    .map(of)
                    .and_then(|text| readable(text, role))
                    .unwrap_or(Cow::Borrowed(UNKNOWN_QUALIFIER)),
            );
            self.shorthands.push(Reference {
                at: span.start,
                name: plain_name(of(span)),
                role,
                qualifier,
            });
        }
    }
}

/// Returns a qualifier, or the text that a name is bound to. A long one is condensed, or left out.
fn readable(text: &str, role: Role) -> Option<Cow<'_, str>> {
    // Some grammars include the separator in the qualifier.
    let text = text.trim_end_matches('.');
    if text.len() <= LONGEST_QUALIFIER && !(role == Role::Bind && text.contains('\n')) {
        return Some(Cow::Borrowed(text));
    }
    let unread = (role != Role::Bind).then_some(Cow::Borrowed(UNKNOWN_QUALIFIER));
    condense(text).map(Cow::Owned).or(unread)
}

/// Returns the qualifier of a name, with the prefix of a global path: `\\App\\Store`.
fn from_top(name: Span, qualifier: Option<Span>, top: &str, text: &Text<'_>) -> Option<Span> {
    let start = qualifier.map_or(name.start, |qualifier| qualifier.start);
    match text.slice(0, start).strip_suffix(top) {
        Some(before) if !before.ends_with(is_word) => Some(Span {
            start: super::text::offset(before.len()),
            end: qualifier.map_or(start, |qualifier| qualifier.end),
        }),
        _ => qualifier,
    }
}

/// Returns a use of the name at the start of a text.
fn leading_name_use<'a>(span: Span, role: Role, text: &Text<'a>) -> Option<Reference<'a>> {
    let whole = text.slice(span.start, span.end);
    let name = &whole[..whole
        .find(|sign: char| !is_word(sign) || sign == '$')
        .unwrap_or(whole.len())];
    let is_name = name.starts_with(|first: char| !first.is_numeric());
    is_name.then_some(Reference {
        at: span.start,
        name,
        role,
        qualifier: None,
    })
}

/// Returns a use of a member that is marked by a prefix: `@name`.
fn member_use<'a>(
    span: Span,
    role: Role,
    receiver: Option<&'static str>,
    text: &Text<'a>,
) -> Option<Reference<'a>> {
    let whole = text.slice(span.start, span.end);
    let name = whole.trim_start_matches(|sign: char| !is_word(sign));
    let at = span.start + super::text::offset(whole.len() - name.len());
    (!name.is_empty()).then_some(Reference {
        at,
        name,
        role,
        qualifier: receiver.map(Cow::Borrowed),
    })
}

/// Returns the span of a capture of several nodes, from the first to the last.
fn joined(before: Option<Span>, span: Span) -> Span {
    before.map_or(span, |before| Span {
        start: before.start.min(span.start),
        end: before.end.max(span.end),
    })
}

#[derive(Default)]
struct RawImport {
    at: Option<u32>,
    /// Nested imports name a module piece by piece.
    module: Vec<Span>,
    name: Option<Span>,
    alias: Option<Span>,
    reach: Reach,
    is_default: bool,
}

impl RawImport {
    /// Returns the import with the position of its statement, which groups the matches of its parts.
    fn finish(self, separator: &str, text: &Text<'_>) -> Option<(u32, Import)> {
        let of = |span: Span| unquoted(text.slice(span.start, span.end)).into();
        let first = self.module.first()?.start;
        let pieces: Vec<&str> = self
            .module
            .iter()
            .map(|piece| unquoted(text.slice(piece.start, piece.end)))
            .collect();
        let module = pieces.join(separator);
        let module = module
            .strip_prefix('<')
            .and_then(|name| name.strip_suffix('>'))
            .unwrap_or(&module);
        let plain = |span: Span| plain_name(text.slice(span.start, span.end)).into();
        let name = if self.is_default {
            Some(conventions::DEFAULT_EXPORT.into())
        } else {
            self.name.map(plain)
        };
        let alias = self.alias.map(of);
        let line = text.line_at(self.module.last()?.start);
        let import = Import {
            module: module.into(),
            name,
            alias,
            reach: self.reach,
            line,
        };
        Some((self.at.unwrap_or(first), import))
    }
}

/// Returns the name of a type without its arguments: `Vec` of `&mut std::Vec<T>`.
pub fn base_name(text: &str) -> &str {
    let text = text.trim_start_matches(|sign: char| !is_word(sign));
    let end = text.find(['<', '[', '(', '{', ' ']).unwrap_or(text.len());
    let text = &text[..end];
    text.rsplit(|sign: char| !is_word(sign))
        .find(|part| !part.is_empty())
        .unwrap_or(text)
}

/// Returns the path of a qualified type without its arguments, with the sign of an absolute path before it: `\App\Store` of
/// `\App\Store<T>`. Returns none for a plain name.
fn qualified_path(text: &str) -> Option<&str> {
    const SEPARATORS: [char; 3] = ['.', ':', '\\'];
    let name = text.find(is_word)?;
    let start = text[..name].trim_end_matches(SEPARATORS).len();
    let length = text[name..].find(['<', '[', '(', '{', ' ']);
    let path = &text[start..length.map_or(text.len(), |length| name + length)];
    let is_path = path
        .chars()
        .all(|sign| is_word(sign) || SEPARATORS.contains(&sign));
    (is_path && path.contains(SEPARATORS)).then_some(path)
}

/// Returns a path without a leading `::` and without generic arguments: `List::Iterator` of `List<T>::Iterator`.
fn plain_path(path: &str) -> Cow<'_, str> {
    let path = path.trim_start_matches("::");
    if !path.contains(|sign: char| sign == '<' || sign.is_whitespace()) {
        return Cow::Borrowed(path);
    }
    let mut depth = 0_u32;
    let mut kept = String::with_capacity(path.len());
    for sign in path.chars() {
        match sign {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            sign if depth == 0 && !sign.is_whitespace() => kept.push(sign),
            _ => {}
        }
    }
    Cow::Owned(kept)
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let quotes = ['"', '\'', '`'];
    for quote in quotes {
        if let Some(inner) = text
            .strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote))
        {
            return inner;
        }
    }
    text
}

/// Returns a name without the punctuation that makes it a symbol or a key: `:name`, `name:`.
fn plain_name(text: &str) -> &str {
    if text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        return text;
    }
    let text = unquoted(text);
    let bare = text.trim_start_matches(':').trim_end_matches(':');
    if bare.contains(is_word) { bare } else { text }
}
