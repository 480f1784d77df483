//! Turns captures into symbols with parents, docs, visibility and complexity.
//!
//! The rules here hold for every language: a function in a type is a method, a variable in a function is not a symbol, a
//! comment that ends on the line above documents the next definition. Differences between languages are in their queries and
//! their `lang.toml`.

use std::collections::{HashMap, HashSet};

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};

use super::annotations::{Annotations, cleaned};
use super::blocks::{BindingScopes, find_initializers};
use super::captures::{
    AssignedMember, Definition, FileCaptures, Reference, Span, UNKNOWN_QUALIFIER,
};
use super::chains::condense;
use super::clauses::{self, JoinedClauses};
use super::declaration::Declaration;
use super::documented::{DocTypeFinder, type_references};
use super::exports;
use super::facts::{Occurrence, OccurrenceBuilder, Occurrences, Outline, Relation, Role, Symbol};
use super::nesting::{Closures, Enclosing, Nesting, nearest_symbol};
use super::text::{CUT, Text};
use crate::lang::families::Feature;
use crate::lang::{Language, NameRules};

const LONGEST_NAME: usize = 200;

/// Builds the outline and the occurrences of a text.
pub fn assemble<'a>(
    language: &'static Language,
    mut captured: FileCaptures<'a>,
    text: &Text<'a>,
) -> (Outline, Occurrences) {
    let facts = language.facts.as_ref();
    let rules = facts.map_or_else(NameRules::default, |facts| facts.names);
    let documented = type_references(&rules, &captured.comments, text);
    captured.references.extend(documented);
    let annotations = Annotations::new(&captured, text);
    let is_blank = |start, end| annotations.without(start, end, text).trim().is_empty();
    let JoinedClauses {
        definitions,
        heads,
        branches,
    } = clauses::join(
        distinct(std::mem::take(&mut captured.definitions)),
        &mut captured.declared,
        is_blank,
    );
    captured.branches.extend(branches);
    let nesting = Nesting::new(&definitions, &captured);
    let mut closures = Closures::new(std::mem::take(&mut captured.closures));
    let assigned = AssignedMembers::new(&captured.assigned);
    let visible: HashMap<u32, Visibility> = captured.visible.iter().copied().collect();

    // Locals are dropped, so this maps definitions to symbols.
    let mut places: Vec<Option<u32>> = vec![None; definitions.len()];
    let mut symbols = Vec::with_capacity(definitions.len());
    let mut spans = Vec::with_capacity(definitions.len());
    for (at, definition) in definitions.iter().enumerate() {
        let around = nesting.parents[at];
        if is_local(definition, around.map(|around| definitions[around].kind)) {
            let bind = Reference {
                at: definition.name_at,
                name: definition.name,
                role: Role::Bind,
                qualifier: None,
            };
            captured.references.push(bind);
            continue;
        }
        let parent = nearest_symbol(at, &nesting.parents, &places);
        if rules.has(Feature::MacrosInClasses) && is_macro_use(definition, parent, &symbols) {
            captured.references.push(Reference {
                at: definition.name_at,
                name: definition.name,
                role: Role::Call,
                qualifier: None,
            });
            continue;
        }
        // A comment above a line documents the first definition on it.
        let shares_line = at
            .checked_sub(1)
            .map(|before| definitions[before].span)
            .is_some_and(|before| {
                before.start < definition.span.start
                    && text.line_at(before.start) == text.line_at(definition.span.start)
            });
        let scope = definition.container.as_deref().or(nesting.scopes[at]);
        let in_type = scope.is_some()
            || parent.is_some_and(|parent: u32| {
                Symbol::kind_of(&symbols, parent).is_some_and(SymbolKind::is_type)
            });
        let kind = match definition.kind {
            SymbolKind::Function if in_type => SymbolKind::Method,
            kind => kind,
        };
        places[at] = Some(super::text::offset(symbols.len()));
        spans.push(definition.span);
        let name = clipped(definition.name);
        let signature = annotations.signature(definition, text);
        symbols.push(Symbol {
            name: name.into(),
            kind,
            visibility: visible.get(&definition.name_at).copied().or_else(|| {
                let rule = &facts?.visibility;
                rule.visibility_of(definition.name, definition.modifiers)
            }),
            declaration: Declaration::parse(name, kind, &signature, rules.type_position),
            doc: if shares_line {
                Box::default()
            } else {
                annotations.doc_above(definition.span.start, text).into()
            },
            parent,
            scope: scope.map(Into::into),
            closure: (scope.is_none() && !visible.contains_key(&definition.name_at))
                .then(|| closures.around(definition, around.map(|around| &definitions[around])))
                .flatten()
                .map(|closure| (text.line_at(closure.start), text.line_at(closure.end - 1))),
            start_line: text.line_at(definition.span.start),
            end_line: text.line_at(
                text.code_end(definition.span.start, definition.span.end)
                    .saturating_sub(1)
                    .max(definition.span.start),
            ),
            start_byte: definition.span.start,
            end_byte: definition.span.end,
            name_line: text.line_at(definition.name_at),
            name_column: definition.name_at - text.line_start(text.line_at(definition.name_at)),
            complexity: u32::from(runs(kind, definition)),
            calls: 0,
            initializer: definition
                .initializer
                .as_deref()
                .or_else(|| assigned.to(definition, around.map(|at| definitions[at].span)))
                .map(Into::into)
                .or_else(|| long_value(definition, &signature, text))
                .or_else(|| {
                    annotations.long_result(definition, &signature, rules.type_position, text)
                }),
            signature: signature.into(),
        });
    }
    apply_sections(&mut captured, &mut symbols, &spans, &visible, text);
    captured.docs.sort_by_key(|doc| doc.start);
    let mut within = Enclosing::new(&spans);
    for doc in &captured.docs {
        if let Some(symbol) = within.at(doc.start) {
            symbols[symbol as usize].doc = cleaned(text.slice(doc.start, doc.end)).into();
        }
    }
    captured.branches.sort_unstable();
    let mut within = Enclosing::new(&spans);
    for branch in &captured.branches {
        let mut symbol = within.at(*branch);
        while let Some(at) = symbol {
            if symbols[at as usize].complexity > 0 {
                symbols[at as usize].complexity += 1;
                break;
            }
            symbol = symbols[at as usize].parent;
        }
    }
    let occurrences = occurrences(
        &mut captured,
        &heads,
        (&symbols, &spans),
        (&annotations, &rules),
        text,
    );
    let mut calls = 0;
    for call in occurrences
        .iter()
        .filter(|occurrence| occurrence.role == Role::Call)
    {
        calls += 1;
        if let Some(symbol) = call.symbol {
            symbols[symbol as usize].calls += 1;
        }
    }
    (captured.relations).sort_by_key(|relation| (relation.at, relation.kind));
    let relations = relations(&captured, &symbols, &spans, text);
    let (default_export, package) = (
        captured.default.map(Into::into),
        captured.package.map(Into::into),
    );
    let imports = imports(captured.imports);
    let mut outline = Outline {
        symbols,
        imports,
        relations,
        default_export,
        package,
        calls,
        ..Outline::default()
    };
    exports::apply_exports(&mut outline, &captured.exported);
    (outline, occurrences)
}

impl Symbol {
    fn kind_of(symbols: &[Self], place: u32) -> Option<SymbolKind> {
        symbols.get(place as usize).map(|symbol| symbol.kind)
    }
}

/// The values that are assigned to members outside their definitions, by name.
struct AssignedMembers<'a>(HashMap<&'a str, Vec<&'a AssignedMember<'a>>>);

impl<'a> AssignedMembers<'a> {
    fn new(all: &'a [AssignedMember<'a>]) -> Self {
        let mut by_name: HashMap<&str, Vec<&AssignedMember<'a>>> = HashMap::new();
        for one in all {
            by_name.entry(one.name).or_default().push(one);
        }
        Self(by_name)
    }

    /// Returns the value of a member without a type, if all assignments in the enclosing type have the same value.
    fn to(&self, definition: &Definition<'_>, around: Option<Span>) -> Option<&'a str> {
        let of = around.filter(|_| definition.is_open)?;
        let is_inside = |one: &&&AssignedMember<'_>| of.start <= one.at && one.at < of.end;
        let mut all = self
            .0
            .get(definition.name)?
            .iter()
            .filter(is_inside)
            .map(|one| &*one.text);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }
}

/// Returns the value of a variable without a type, if it spans several lines or is long and so is not in the signature:
/// `schema = object({ … }).strict()`.
fn long_value(definition: &Definition<'_>, signature: &str, text: &Text<'_>) -> Option<Box<str>> {
    let is_variable = matches!(
        definition.kind,
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field
    );
    let from = definition.name_at + super::text::offset(definition.name.len());
    let goes_on = text.line_at(from) < text.line_at(definition.span.end);
    let is_whole = !goes_on && !signature.ends_with(CUT);
    if !is_variable || is_whole || from >= definition.span.end {
        return None;
    }
    let behind = text.slice(from, definition.span.end).trim_start();
    let value = behind
        .strip_prefix(':')
        .unwrap_or(behind)
        .strip_prefix('=')?;
    condense(value.trim_matches([' ', ';'])).map(Into::into)
}

/// Returns whether a symbol has code that runs. A getter is a property with a body.
fn runs(kind: SymbolKind, definition: &Definition<'_>) -> bool {
    kind.is_callable() || kind == SymbolKind::Property && definition.body.is_some()
}

/// The enclosing symbol and the enclosing section block.
type EnclosingBlocks = (Option<u32>, Option<u32>);

/// Applies sections such as `private:` to the symbols after them in the same block, except those with a visibility of their
/// own.
fn apply_sections(
    captured: &mut FileCaptures<'_>,
    symbols: &mut [Symbol],
    spans: &[Span],
    visible: &HashMap<u32, Visibility>,
    text: &Text<'_>,
) {
    if captured.sections.is_empty() {
        return;
    }
    captured.sections.sort_by_key(|(at, _)| *at);
    captured
        .section_blocks
        .sort_by_key(|block| (block.start, std::cmp::Reverse(block.end)));
    let mut within = Enclosing::new(spans);
    let mut inside = Enclosing::new(&captured.section_blocks);
    let mut by_block: HashMap<EnclosingBlocks, Vec<(u32, Visibility)>> = HashMap::new();
    for (at, visibility) in &captured.sections {
        by_block
            .entry((within.at(*at), inside.at(*at)))
            .or_default()
            .push((*at, *visibility));
    }
    let mut inside = Enclosing::new(&captured.section_blocks);
    for symbol in symbols {
        let own = visible.contains_key(&(text.line_start(symbol.name_line) + symbol.name_column));
        let before = by_block
            .get(&(symbol.parent, inside.at(symbol.start_byte)))
            .and_then(|sections| {
                let count = sections.partition_point(|(at, _)| *at <= symbol.start_byte);
                sections[..count].last()
            });
        if let Some((_, visibility)) = before.filter(|_| !own) {
            symbol.visibility = Some(*visibility);
        }
    }
}

/// Keeps one definition for each position of a name, sorted by start, outer definitions before inner ones.
fn distinct(mut definitions: Vec<Definition<'_>>) -> Vec<Definition<'_>> {
    definitions.sort_by_key(|one| (one.name_at, one.pattern));
    definitions.dedup_by_key(|one| one.name_at);
    definitions.retain(|one| !one.name.is_empty());
    definitions.sort_by_key(|one| (one.span.start, std::cmp::Reverse(one.span.end), one.name_at));
    definitions
}

/// Returns whether a definition is a local variable, which is recorded as a binding and not as a symbol.
fn is_local(definition: &Definition<'_>, around: Option<SymbolKind>) -> bool {
    matches!(definition.kind, SymbolKind::Variable | SymbolKind::Constant)
        && around.is_some_and(SymbolKind::is_callable)
}

/// Returns whether a macro in a class is taken for a constructor: it does not have the name of the class.
fn is_macro_use(definition: &Definition<'_>, parent: Option<u32>, symbols: &[Symbol]) -> bool {
    let around = parent.and_then(|parent| symbols.get(parent as usize));
    definition.kind == SymbolKind::Constructor
        && definition.container.is_none()
        && around.is_some_and(|around| around.kind.is_type() && *around.name != *definition.name)
}

fn clipped(name: &str) -> &str {
    let name = name.trim();
    let line = name.lines().next().unwrap_or_default();
    &line[..line.floor_char_boundary(LONGEST_NAME)]
}

/// Returns the uses of names in the order of the text, with the strongest role at each position. The names of definitions are
/// left out; the names of further clauses of a definition are mentions.
fn occurrences<'a>(
    captured: &mut FileCaptures<'a>,
    heads: &[u32],
    (symbols, spans): (&[Symbol], &[Span]),
    (annotations, rules): (&Annotations, &NameRules),
    text: &Text<'a>,
) -> Occurrences {
    let references = &mut captured.references;
    let mut shorthands = std::mem::take(&mut captured.shorthands);
    references
        .sort_by_key(|reference| (reference.at, reference.role, reference.qualifier.is_none()));
    references.dedup_by_key(|reference| reference.at);
    // A shorthand property uses a property and a variable at one position: `{ store }`.
    shorthands.sort_by_key(|reference| {
        (
            reference.at,
            reference.qualifier.as_deref() == Some(UNKNOWN_QUALIFIER),
        )
    });
    shorthands.dedup_by_key(|reference| reference.at);
    if !shorthands.is_empty() {
        references.extend(shorthands);
        references.sort_by_key(|reference| reference.at);
    }
    let mut defined: Vec<u32> = symbols
        .iter()
        .map(|symbol| text.line_start(symbol.name_line) + symbol.name_column)
        .collect();
    defined.sort_unstable();
    captured.outer.sort_unstable();
    let mut around = Enclosing::new(spans);
    let outer: HashSet<(Option<u32>, &str)> = (captured.outer.iter())
        .map(|(at, name)| (around.at(*at), *name))
        .collect();
    let mut builder = OccurrenceBuilder::default();
    let mut line = Cursor {
        line: 1,
        next: text.line_start(2),
    };
    let mut within = Enclosing::new(spans);
    captured.outside.sort_by_key(|span| span.start);
    let mut outside = Enclosing::new(&captured.outside);
    let mut binding = BindingScopes::new(&mut captured.blocks);
    let mut places = Vec::with_capacity(references.len());
    let mut named = Vec::with_capacity(references.len());
    let mut bindings = Vec::with_capacity(references.len());
    let mut documented = DocTypeFinder::new(rules);
    for reference in references.iter() {
        let mut symbol = within.at(reference.at);
        if outside.at(reference.at).is_some() {
            symbol = symbol.and_then(|at| symbols[at as usize].parent);
        }
        if defined.binary_search(&reference.at).is_ok() || reference.name.len() > LONGEST_NAME {
            continue;
        }
        let number = line.advance(reference.at, text);
        let role = if heads.binary_search(&reference.at).is_ok() {
            Role::Mention
        } else if reference.role == Role::Bind && outer.contains(&(symbol, reference.name)) {
            Role::Write
        } else {
            reference.role
        };
        places.push(reference.at);
        named.push((reference.at, reference.name));
        bindings.push(role == Role::Bind);
        if role.binds() {
            binding.push(
                reference.at,
                role,
                symbol.map(|symbol| spans[symbol as usize]),
            );
        }
        builder.push(Occurrence {
            name: reference.name,
            line: number,
            column: reference.at - text.line_start(number),
            role,
            qualifier: documented.find_type(
                reference,
                (symbol, number),
                || annotations.comments_above(spans[symbol? as usize].start, text),
                || annotations.comment_ends.get(&(number - 1)).copied(),
                text,
            ),
            symbol,
        });
    }
    binding.finish(&places, &mut builder);
    builder.initializers(&find_initializers(
        &mut captured.initializers,
        &named,
        |row| bindings[row],
    ));
    builder.finish()
}

/// The lines of increasing positions.
struct Cursor {
    line: u32,
    next: u32,
}

impl Cursor {
    fn advance(&mut self, at: u32, text: &Text<'_>) -> u32 {
        while at >= self.next && self.line < text.line_count() {
            self.line += 1;
            self.next = text.line_start(self.line + 1);
        }
        self.line
    }
}

/// Returns one entry per imported name. A statement that imports names matches once for each, and sometimes once without a
/// name.
fn imports(mut raw: Vec<(u32, super::facts::Import)>) -> Vec<super::facts::Import> {
    raw.sort_by_key(|(at, import)| (*at, import.line));
    let named: std::collections::HashSet<(u32, Box<str>)> = raw
        .iter()
        .filter(|(_, import)| import.name.is_some() || import.alias.is_some())
        .map(|(at, import)| (*at, import.module.clone()))
        .collect();
    let mut imports: Vec<super::facts::Import> = vec![];
    for (at, import) in raw {
        let bare = import.name.is_none()
            && import.alias.is_none()
            && import.reach == super::facts::Reach::Named;
        if !(bare && named.contains(&(at, import.module.clone())) || imports.contains(&import)) {
            imports.push(import);
        }
    }
    imports
}

fn relations(
    captured: &FileCaptures<'_>,
    symbols: &[Symbol],
    spans: &[Span],
    text: &Text<'_>,
) -> Vec<Relation> {
    let mut within = Enclosing::new(spans);
    let mut relations: Vec<Relation> = captured
        .relations
        .iter()
        .filter_map(|raw| {
            let around = within
                .at(raw.at)
                .map(|symbol| &*symbols[symbol as usize].name);
            let subject = raw
                .subject
                .or(around)
                .filter(|subject| *subject != raw.target || raw.path.is_some())?;
            let line = text.line_at(raw.at);
            Some(Relation {
                kind: raw.kind,
                subject: subject.into(),
                target: raw.target.into(),
                path: raw.path.map(Into::into),
                line,
            })
        })
        .collect();
    // The first supertype has the member that several have, so their order is kept: `class Store(Logged, Base)`.
    relations.dedup();
    relations
}
