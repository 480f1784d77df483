//! The types that a relation between types names: its subject and its supertype.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::{Supertypes, last_part};
use crate::extract::facts::{Relation, RelationKind};
use crate::graph::value::Value;
use crate::graph::{Members, Position, SymbolId};
use crate::index::names::{dotted, namespace_of};
use crate::lang::families::Feature;
use crate::lang::{ImplicitScope, ModuleSystem, NameRules};

impl<'a> Members<'_, 'a> {
    pub(super) fn find_supertypes(self, of: SymbolId) -> Supertypes {
        let mut found = Supertypes::default();
        for (file, relation) in self.own_supertype_relations(of) {
            let Some(above) = self.target_for(Some(of), file, relation) else {
                found.has_unknown = true;
                continue;
            };
            if !found.known.iter().any(|(known, _)| *known == above) {
                found.known.push((above, relation.kind));
            }
        }
        found
    }

    /// Returns the relations whose subject is this type, by its name, whole or its last part.
    pub(super) fn own_supertype_relations(self, of: SymbolId) -> Vec<(u32, &'a Relation)> {
        let name = &*self.symbol(of).name;
        let short = Some(last_part(name)).filter(|short| *short != name);
        let mut found = vec![];
        for name in [Some(name), short].into_iter().flatten() {
            let mut own = self.relations_of_name(name).about(self, of);
            own.retain(|one| {
                self.same_language_family(one.file, of.file)
                    && self.is_subject(of, one.file, one.relation)
            });
            found.extend(own.into_iter().map(|one| (one.file, one.relation)));
        }
        found
    }

    /// Returns the type of the root that a relation names as the supertype of its subject.
    pub(in crate::graph) fn relation_target(
        self,
        subject: Option<SymbolId>,
        file: u32,
        relation: &Relation,
    ) -> Option<SymbolId> {
        let here = self.relation_position(subject, file, relation);
        let found = match &relation.path {
            Some(path) => self.type_at_path(here, path, &relation.target),
            None => self.type_in_scope(here, &relation.target),
        };
        let found = found.map(|at| self.with_written_arity(at, file, relation));
        let is_itself = |at: SymbolId| subject.is_some_and(|of| self.entities().are_same(of, at));
        found.filter(|at| self.can_be_supertype(*at, relation.kind) && !is_itself(*at))
    }

    /// Returns the type with as many type parameters as the supertype of a relation has arguments, where types with one name
    /// differ in that number: `Store<T>` for `class Shop : Store<int>`.
    fn with_written_arity(self, at: SymbolId, file: u32, relation: &Relation) -> SymbolId {
        let is_known = |rules: &NameRules| rules.has(Feature::TypesByArity);
        if !self.rules(file).is_some_and(is_known) || self.named(&relation.target).nth(1).is_none()
        {
            return at;
        }
        let uses = self.uses(file);
        let mut targets = uses.named(&relation.target);
        let count = targets
            .find(|row| row.line == relation.line)
            .and_then(|row| {
                let here = Position::from_use(file, row);
                self.resolver().generic_arguments_at(here, &relation.target)
            });
        count.map_or(at, |count| self.entities().with_arity(at, count))
    }

    /// Returns the position from which the supertype of a relation is resolved: the scope around its subject.
    fn relation_position(
        self,
        subject: Option<SymbolId>,
        file: u32,
        relation: &Relation,
    ) -> Position {
        let is_around = |at: &SymbolId| {
            let symbol = self.symbol(*at);
            at.file == file && (symbol.start_line..=symbol.end_line).contains(&relation.line)
        };
        let symbol = match subject.filter(is_around) {
            // A class includes a module in its body, where its own constants are in scope: `include Helpers`.
            Some(at)
                if relation.kind == RelationKind::Implements
                    && relation.line > self.symbol(at).name_line
                    && (self.rules(file)).is_some_and(|rules| rules.has(Feature::OpenModules)) =>
            {
                Some(at.symbol)
            }
            Some(at) => self.symbol(at).parent,
            // Some relations are outside their subjects: `mod text { impl super::Read for Store }`.
            None => self
                .enclosing(file, self.innermost_symbol(file, relation.line))
                .find(|at| self.symbol(*at).kind == SymbolKind::Module)
                .map(|at| at.symbol),
        };
        Position {
            symbol,
            ..Position::at_line(file, relation.line)
        }
    }

    /// Returns the type in scope under a name. Of several types in unrelated scopes, it may be none.
    fn type_in_scope(self, here: Position, name: &str) -> Option<SymbolId> {
        if self.scopes().is_ambiguous_type(here, name) {
            return None;
        }
        let rules = self.rules(here.file)?;
        self.types().resolve_name(here, name).or_else(|| {
            // A constant that no enclosing module has is not of this root.
            (!rules.has(Feature::OpenModules))
                .then(|| self.only_type(here.file, name))
                .flatten()
        })
    }

    /// Returns the type that a path names: `ns.B` of `class A extends ns.B`, whose last part is `name`.
    fn type_at_path(self, here: Position, path: &str, name: &str) -> Option<SymbolId> {
        let rules = self.rules(here.file)?;
        let (here, path) = match path.strip_prefix(rules.family.root_prefix()) {
            Some(path) => (
                Position {
                    symbol: None,
                    ..here
                },
                path,
            ),
            None => (here, path),
        };
        if path == name {
            return self.type_in_scope(here, name);
        }
        // A class may name modules that no code opens, or the namespace of a header: `class Api::Base`, `package shop;`.
        let has_global_paths =
            rules.modules == ModuleSystem::Namespace || rules.implicit_scope == ImplicitScope::Root;
        let whole = dotted(path);
        let outer = whole.rsplit_once('.').map(|(outer, _)| outer);
        let by_whole_path = || {
            let is_it = |at: &SymbolId| {
                let namespace = namespace_of(self.file(at.file), Some(at.symbol));
                self.has_members(*at)
                    && self.same_language_family(at.file, here.file)
                    && (whole
                        .rsplit('.')
                        .skip(1)
                        .eq(self.entities().containers(*at))
                        || namespace.as_deref() == outer)
            };
            has_global_paths.then(|| self.named(name).find(is_it))?
        };
        // Where nothing tells what the path begins with, the last part of the path may still tell the type.
        let by_name = || {
            let is_open = rules.modules == ModuleSystem::None
                || self.values().evaluate(here, path) == Value::Unknown;
            is_open.then(|| self.only_type(here.file, name)).flatten()
        };
        (self.types().resolve_container(here, path))
            .or_else(by_whole_path)
            .or_else(by_name)
    }

    /// Returns whether a type can be a supertype of this kind: a struct is not implemented.
    fn can_be_supertype(self, at: SymbolId, kind: RelationKind) -> bool {
        let holds = matches!(
            self.symbol(at).kind,
            SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union
        );
        kind != RelationKind::Implements || !holds
    }

    /// Returns whether a relation of a file, whose subject has this type's name, is about this type.
    fn is_subject(self, of: SymbolId, file: u32, relation: &Relation) -> bool {
        let symbol = self.symbol(of);
        if symbol.is_anonymous() && file != of.file {
            return false;
        }
        if file == of.file {
            // If a file has several types with this name, the one around the line is meant.
            let several =
                symbol.is_anonymous() || self.scopes().top_level(file, &symbol.name).len() > 1;
            return !several || (symbol.start_line..=symbol.end_line).contains(&relation.line);
        }
        self.relation_subject(file, relation)
            .is_some_and(|found| self.entities().are_same(found, of))
    }

    pub(super) fn find_relation_subject(self, file: u32, relation: &Relation) -> Option<SymbolId> {
        let here = Position::at_line(file, relation.line);
        let files = file as usize..file as usize + 1;
        let subjects = self.named_within(&relation.subject, files);
        let subjects: Vec<SymbolId> = subjects.filter(|at| self.has_members(*at)).collect();
        let around = |at: &SymbolId| {
            let symbol = self.symbol(*at);
            (symbol.start_line..=symbol.end_line).contains(&relation.line)
        };
        let subject = subjects
            .iter()
            .copied()
            .find(around)
            .or_else(|| subjects.first().copied());
        subject.or_else(|| self.types().resolve_name(here, &relation.subject))
    }
}
