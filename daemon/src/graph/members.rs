//! The members of types, their supertypes and their subtypes.

mod combined;
mod constructors;
mod relations;
mod resolved_relations;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use claudevil_protocol::answer::symbol::SymbolKind;

use self::resolved_relations::{RelationMemo, ResolvedRelation};
use super::{Members, Memo, Position, SymbolId};
use crate::extract::declaration::Parameters;
use crate::extract::facts::{Relation, RelationKind, Symbol};
use crate::lang::ModuleSystem;
use crate::lang::conventions::DEFAULT_EXPORT;
use crate::lang::families::{Feature, TestMacro};

/// A type that is derived from another, directly or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subtype {
    pub at: SymbolId,
    pub kind: RelationKind,
    /// 1 for a direct subtype.
    pub depth: u32,
    /// Its direct supertype.
    pub supertype: SymbolId,
    /// The subtype has all methods of an interface without declaring that it implements it.
    pub structural: bool,
}

/// The most types whose direct subtypes are searched for a member.
const MAX_TYPES_BELOW: usize = 12;

#[derive(Default)]
pub(super) struct MemberMemo<'a> {
    owners: Memo<SymbolId, Option<SymbolId>>,
    owning: Memo<SymbolId, bool>,
    /// Symbols by name, then by the name of their container.
    by_container: Memo<String, Rc<HashMap<&'a str, Vec<SymbolId>>>>,
    supertypes: Memo<SymbolId, Rc<Supertypes>>,
    known_supertypes: Memo<SymbolId, bool>,
    constructors: Memo<SymbolId, Option<SymbolId>>,
    subtypes: Memo<SymbolId, Rc<[(SymbolId, RelationKind)]>>,
    all_subtypes: Memo<SymbolId, Rc<[Subtype]>>,
    /// Members of subtypes, by the type and their name.
    in_subtypes: Memo<(SymbolId, String), Rc<[SymbolId]>>,
    relations: RelationMemo<'a>,
    combined: Memo<SymbolId, Rc<[SymbolId]>>,
    /// By the file that asks and the name.
    only_types: Memo<(u32, String), Option<SymbolId>>,
}

/// The direct supertypes of a type.
#[derive(Default)]
struct Supertypes {
    known: Vec<(SymbolId, RelationKind)>,
    /// True if the type has others, which are not in the root.
    has_unknown: bool,
}

impl<'a> Members<'_, 'a> {
    /// Returns whether a symbol has members: it is a type, or of a kind that is used like one.
    pub(super) fn has_members(self, at: SymbolId) -> bool {
        let symbol = self.symbol(at);
        if symbol.kind.is_type() {
            return true;
        }
        if self
            .rules(at.file)
            .is_none_or(|rules| !rules.member_owners.contains(&symbol.kind))
        {
            return false;
        }
        let is_member = |kind| {
            matches!(
                kind,
                SymbolKind::Field | SymbolKind::Method | SymbolKind::Property
            )
        };
        let is_its = |one: &Symbol| {
            one.scope.as_ref() == Some(&symbol.name)
                || one.parent == Some(at.symbol) && is_member(one.kind)
        };
        let has_members = || self.file(at.file).outline.symbols.iter().any(is_its);
        symbol.kind == SymbolKind::Module || self.member_memo.owning.get(at, has_members)
    }

    /// Returns the type that a symbol is a member of.
    pub fn owner(self, at: SymbolId) -> Option<SymbolId> {
        self.member_memo.owners.get(at, || {
            let symbol = self.symbol(at);
            self.declared_owner(at).or_else(|| {
                let parent = self.parent(at)?;
                let kind = self.symbol(parent).kind;
                (symbol.scope.is_none()
                    && (kind == SymbolKind::Variant || self.has_members(parent)))
                .then_some(parent)
            })
        })
    }

    /// Returns the type that a symbol's declaration names as its owner: by an `impl` block, or by a Go receiver.
    pub(super) fn declared_owner(self, at: SymbolId) -> Option<SymbolId> {
        let symbol = self.symbol(at);
        let path = symbol.scope.as_deref()?;
        if self.tests().test_macro(at) == Some(TestMacro::Function) {
            return None;
        }
        let scope = last_of_path(path);
        let is_it = |one: &SymbolId| *self.symbol(*one).name == *scope && self.has_members(*one);
        if let Some(around) = self.enclosing(at.file, symbol.parent).find(is_it) {
            return Some(around);
        }
        let here = Position {
            symbol: symbol.parent,
            ..Position::at_line(at.file, symbol.start_line)
        };
        // Several types may have the last name of the path; the whole path identifies one of them.
        let by_path = || {
            (path != scope)
                .then(|| self.types().resolve_container(here, path))
                .flatten()
        };
        by_path().or_else(|| self.types().resolve_name(here, scope))
    }

    /// Returns the innermost type around a position.
    pub(super) fn enclosing_type(self, here: Position) -> Option<SymbolId> {
        self.enclosing(here.file, here.symbol).find_map(|at| {
            if self.has_members(at) {
                Some(at)
            } else {
                self.declared_owner(at)
            }
        })
    }

    /// Returns whether a member is one of the type itself, in a language where an object may have another of its name:
    /// `static open()` beside `open()`.
    pub fn is_static(self, at: SymbolId) -> bool {
        let facts = (self.file(at.file).language).and_then(|language| language.facts.as_ref());
        let signature = &self.symbol(at).signature;
        facts.is_some_and(|facts| facts.naming.has_static_modifier(signature))
    }

    /// Returns the members with this name: a type's own, or else inherited ones.
    pub(super) fn find(self, of: SymbolId, name: &str) -> Vec<SymbolId> {
        let own = self.find_own(of, name);
        if own.is_empty() {
            self.find_inherited(of, name)
        } else {
            own
        }
    }

    /// Returns the members with this name that can be used without a receiver inside a type.
    pub(super) fn find_implicit_member(self, of: SymbolId, name: &str) -> Vec<SymbolId> {
        let mut found = self.find(of, name);
        // The name of a constructor refers to the type.
        found.retain(|at| self.symbol(*at).kind != SymbolKind::Constructor);
        found
    }

    pub(super) fn find_own(self, of: SymbolId, name: &str) -> Vec<SymbolId> {
        // Most symbols with this name are members of other types, which the names of their containers show.
        let claimed = self
            .member_memo
            .by_container
            .get(name.to_owned(), || self.index_by_container(name).into());
        let claiming = claimed
            .get(last_part(&self.symbol(of).name))
            .map_or(&[][..], Vec::as_slice);
        let is_of = |at: &&SymbolId| {
            self.tests().test_macro(**at).is_none()
                && self
                    .owner(**at)
                    .is_some_and(|owner| self.entities().are_same(owner, of))
        };
        claiming.iter().filter(is_of).copied().collect()
    }

    /// Returns the symbols with this name by the name of their container.
    fn index_by_container(self, name: &str) -> HashMap<&'a str, Vec<SymbolId>> {
        let mut claimed: HashMap<&str, Vec<SymbolId>> = HashMap::new();
        for at in self.named(name) {
            let scope = self.symbol(at).scope.as_deref();
            let claims = scope.or_else(|| Some(&*self.symbol(self.parent(at)?).name));
            if let Some(claims) = claims.map(last_of_path).map(last_part) {
                claimed.entry(claims).or_default().push(at);
            }
        }
        claimed
    }

    /// Returns the members with this name of the nearest supertype that has any.
    pub(super) fn find_inherited(self, of: SymbolId, name: &str) -> Vec<SymbolId> {
        // A method inherited from a class precedes the declaration in a nearer interface.
        let found = self.find_above(of, name, |kind| kind == RelationKind::Extends);
        if found.is_empty() {
            self.find_above(of, name, |_| true)
        } else {
            found
        }
    }

    /// Returns the members with this name of the nearest supertype that has any, following only some kinds of relations.
    fn find_above(
        self,
        of: SymbolId,
        name: &str,
        is_followed: impl Fn(RelationKind) -> bool,
    ) -> Vec<SymbolId> {
        let mut seen = vec![of];
        let mut next = 0;
        while next < seen.len() && seen.len() < 64 {
            let one = seen[next];
            next += 1;
            for (above, kind) in self.supertypes(one) {
                if seen.contains(&above) || !is_followed(kind) {
                    continue;
                }
                let found = self.find_own(above, name);
                if !found.is_empty() {
                    return found;
                }
                seen.push(above);
            }
        }
        vec![]
    }

    /// Returns whether all members of a type are known, so that one that is not found does not exist.
    pub fn is_fully_known(self, of: SymbolId) -> bool {
        // Members can be added to an object at any time.
        let is_open =
            (self.rules(of.file)).is_some_and(|rules| rules.has(Feature::UndeclaredAttributes));
        !is_open && self.has_known_supertypes(of)
    }

    /// Returns whether all supertypes are in the root.
    pub fn has_known_supertypes(self, of: SymbolId) -> bool {
        let kind = self.symbol(of).kind;
        if !kind.is_type() && kind != SymbolKind::Module {
            return false;
        }
        self.member_memo.known_supertypes.get(of, || {
            self.deeper(|| {
                let supertypes = self.all_supertypes(of);
                let mut known = supertypes.known.iter();
                let are_known =
                    |(above, _): &(SymbolId, RelationKind)| self.has_known_supertypes(*above);
                !supertypes.has_unknown && known.all(are_known)
            })
        })
    }

    /// Returns the direct supertypes.
    pub fn supertypes(self, of: SymbolId) -> Vec<(SymbolId, RelationKind)> {
        self.all_supertypes(of).known.clone()
    }

    /// Returns a type and its supertypes, direct and indirect, the nearest first. The supertypes of a type are only added while
    /// there are fewer types than `most`.
    pub(super) fn with_supertypes(self, of: SymbolId, most: usize) -> Vec<SymbolId> {
        let mut all = vec![of];
        let mut next = 0;
        while next < all.len() && all.len() < most {
            for (above, _) in self.supertypes(all[next]) {
                if !all.contains(&above) {
                    all.push(above);
                }
            }
            next += 1;
        }
        all
    }

    fn all_supertypes(self, of: SymbolId) -> Rc<Supertypes> {
        self.member_memo
            .supertypes
            .get(of, || self.find_supertypes(of).into())
    }

    /// Returns the direct subtypes.
    pub fn subtypes(self, of: SymbolId) -> Rc<[(SymbolId, RelationKind)]> {
        self.member_memo
            .subtypes
            .get(of, || self.find_subtypes(of).into())
    }

    fn find_subtypes(self, of: SymbolId) -> Vec<(SymbolId, RelationKind)> {
        let mut found: Vec<(SymbolId, RelationKind)> = vec![];
        let mut seen = HashSet::new();
        for (file, relation) in self.relations_to(of) {
            if let Some(subject) = self.relation_subject(file, relation)
                && seen.insert(subject)
            {
                found.push((subject, relation.kind));
            }
        }
        found
    }

    /// Returns the relations by which types from outside the root implement a type, with their files: `impl Store for Vec<u8>`.
    pub fn foreign_implementations(self, of: SymbolId) -> Vec<(u32, &'a Relation)> {
        let mut all = self.relations_to(of);
        all.retain(|(file, relation)| self.relation_subject(*file, relation).is_none());
        all
    }

    /// Returns the relations whose supertype is this type.
    fn relations_to(self, of: SymbolId) -> Vec<(u32, &'a Relation)> {
        let is_it = |one: &ResolvedRelation<'_>| {
            let is_same = |at| self.entities().are_same(at, of);
            self.same_language_family(one.file, of.file) && one.at.is_some_and(is_same)
        };
        let mut found = vec![];
        for (name, in_file) in self.names_as_supertype(of) {
            let mut meant = self.relations_to_name(name).about(self, of);
            meant.retain(|one| in_file.is_none_or(|file| one.file == file) && is_it(one));
            found.extend(meant.into_iter().map(|one| (one.file, one.relation)));
        }
        found
    }

    /// Returns the names under which relations may have a type as their supertype: its name, whole or its last part, and, with
    /// the file, the alias under which a file imports it: `import { Store as Base } …; class Shop extends Base`.
    fn names_as_supertype(self, of: SymbolId) -> impl Iterator<Item = (&'a str, Option<u32>)> {
        let name = &*self.symbol(of).name;
        let short = Some(last_part(name)).filter(|short| *short != name);
        let default_export = self.file(of.file).outline.default_export.as_deref();
        let default = (default_export == Some(name)).then_some(DEFAULT_EXPORT);
        let aliased = [Some(name), default]
            .into_iter()
            .flatten()
            .flat_map(move |name| self.names.aliased_imports(self.snapshot, name))
            .filter_map(|(file, import)| Some((import.alias.as_deref()?, Some(file))))
            .filter(move |(alias, _)| *alias != name);
        let own = [Some(name), short].into_iter().flatten();
        own.map(|name| (name, None)).chain(aliased)
    }

    /// Returns all subtypes, direct and indirect.
    pub fn all_subtypes(self, of: SymbolId) -> Rc<[Subtype]> {
        self.member_memo
            .all_subtypes
            .get(of, || self.find_all_subtypes(of).into())
    }

    fn find_all_subtypes(self, of: SymbolId) -> Vec<Subtype> {
        let mut found: Vec<Subtype> = vec![];
        let mut seen = HashSet::from([of]);
        let mut layer = vec![of];
        let mut depth = 0;
        while !layer.is_empty() && depth < 16 {
            depth += 1;
            let mut below = vec![];
            for one in layer {
                let said = self.subtypes(one);
                let said = said.iter().map(|(at, kind)| (*at, *kind, false));
                let shown = self
                    .structural_subtypes(one)
                    .into_iter()
                    .map(|at| (at, RelationKind::Implements, true));
                for (at, kind, structural) in said.chain(shown) {
                    if seen.insert(at) {
                        found.push(Subtype {
                            at,
                            kind,
                            depth,
                            supertype: one,
                            structural,
                        });
                        below.push(at);
                    }
                }
            }
            layer = below;
        }
        found
    }

    /// Returns the members with this name of the subtypes of a type, direct ones and those of the first types among these.
    pub(super) fn find_in_subtypes(self, of: SymbolId, name: &str) -> Rc<[SymbolId]> {
        let key = (of, name.to_owned());
        self.member_memo.in_subtypes.get(key, || {
            let mut below = vec![of];
            let mut seen = HashSet::from([of]);
            let mut found: Vec<SymbolId> = vec![];
            for next in 0..MAX_TYPES_BELOW {
                let Some(of) = below.get(next).copied() else {
                    break;
                };
                for (derived, _) in self.subtypes(of).iter().copied() {
                    if seen.insert(derived) {
                        found.extend(self.find_own(derived, name));
                        below.push(derived);
                    }
                }
            }
            found.extend(self.find_combined(of, name));
            found.into()
        })
    }

    /// Returns the types that have all methods of an interface, in a language with structural interfaces.
    fn structural_subtypes(self, interface: SymbolId) -> Vec<SymbolId> {
        let is_structural = self
            .rules(interface.file)
            .is_some_and(|rules| rules.has(Feature::StructuralInterfaces));
        if !is_structural || self.symbol(interface).kind != SymbolKind::Interface {
            return vec![];
        }
        let wanted = self.required_methods(interface);
        let Some(first) = wanted.first() else {
            return vec![];
        };
        let mut found: Vec<SymbolId> = vec![];
        for at in self.named(&self.symbol(*first).name) {
            let Some(owner) = self
                .owner(at)
                .filter(|_| self.same_language_family(at.file, interface.file))
            else {
                continue;
            };
            let is_other =
                self.symbol(owner).kind != SymbolKind::Interface && !found.contains(&owner);
            if is_other && self.has_methods(owner, &wanted) {
                found.push(owner);
            }
        }
        found
    }

    fn has_methods(self, of: SymbolId, wanted: &[SymbolId]) -> bool {
        let count = |symbol: &Symbol| symbol.parameters().map(Parameters::count);
        wanted.iter().all(|method| {
            let symbol = self.symbol(*method);
            let found = self.find(of, &symbol.name);
            found
                .iter()
                .any(|at| count(self.symbol(*at)) == count(symbol))
        })
    }

    /// Returns the methods of an interface and of its supertypes.
    fn required_methods(self, interface: SymbolId) -> Vec<SymbolId> {
        let all = self.with_supertypes(interface, 32).into_iter();
        all.flat_map(|one| self.methods(one)).collect()
    }

    /// Returns all members of a type or a module, in any file.
    pub fn all(self, of: SymbolId) -> Vec<SymbolId> {
        let name = &self.symbol(of).name;
        // A type may be declared in several parts.
        let parts = self.entities().declarations(of);
        let mut found = vec![];
        for (file, indexed) in (0..).zip(&self.snapshot.files) {
            for (symbol, one) in (0..).zip(&indexed.outline.symbols) {
                let at = SymbolId { file, symbol };
                let is_in = |symbol| parts.contains(&SymbolId { file, symbol });
                let is_inside = one.scope.is_none() && one.parent.is_some_and(is_in);
                let claims = one.scope.as_deref().map(last_of_path) == Some(name);
                if is_inside
                    || claims
                        && self
                            .owner(at)
                            .is_some_and(|owner| self.entities().are_same(owner, of))
                {
                    found.push(at);
                }
            }
        }
        found
    }

    /// Returns the names of the direct supertypes, as they are written.
    pub fn supertype_names(self, of: SymbolId) -> Vec<String> {
        let mut names: Vec<String> = vec![];
        for (_, relation) in self.own_supertype_relations(of) {
            let name = relation.target.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn methods(self, of: SymbolId) -> Vec<SymbolId> {
        let symbols = &self.file(of.file).outline.symbols;
        let is_method = |(_, symbol): &(u32, &Symbol)| {
            symbol.parent == Some(of.symbol) && symbol.kind.is_callable()
        };
        (0..)
            .zip(symbols)
            .filter(is_method)
            .map(|(symbol, _)| SymbolId {
                file: of.file,
                symbol,
            })
            .collect()
    }

    /// Returns the methods of supertypes that a method overrides, or may override where a class combines its type with others.
    pub fn overridden(self, at: SymbolId) -> Vec<SymbolId> {
        let Some(owner) = self.owner(at) else {
            return vec![];
        };
        let name = &self.symbol(at).name;
        let mut found = self.find_inherited(owner, name);
        for declared in self.find_above(owner, name, |_| true) {
            if !found.contains(&declared) {
                found.push(declared);
            }
        }
        found.extend(self.find_combined(owner, name));
        if self
            .rules(at.file)
            .is_some_and(|rules| rules.has(Feature::StructuralInterfaces))
        {
            let candidates: Vec<SymbolId> = self
                .named(name)
                .filter(|one| self.same_language_family(one.file, at.file))
                .collect();
            for one in candidates {
                let interface = self
                    .owner(one)
                    .filter(|of| self.symbol(*of).kind == SymbolKind::Interface);
                if interface.is_some_and(|interface| {
                    interface != owner && self.has_methods(owner, &self.required_methods(interface))
                }) {
                    found.push(one);
                }
            }
        }
        found
    }

    /// Returns the methods of supertypes that a method overrides, directly or indirectly.
    pub(super) fn all_overridden(self, at: SymbolId) -> Vec<SymbolId> {
        let mut found = self.overridden(at);
        let mut next = 0;
        while let Some(above) = found.get(next).copied() {
            for one in self.overridden(above) {
                if one != at && !found.contains(&one) {
                    found.push(one);
                }
            }
            next += 1;
        }
        found
    }

    /// Returns the methods of subtypes that override a method.
    pub fn overriding(self, at: SymbolId) -> Vec<SymbolId> {
        let Some(owner) = self.owner(at) else {
            return vec![];
        };
        let name = &self.symbol(at).name;
        let below = self.all_subtypes(owner);
        // An inherited method may implement what only an interface declares.
        let is_interface = self.symbol(owner).kind == SymbolKind::Interface;
        let mut found: Vec<SymbolId> = below
            .iter()
            .flat_map(|below| {
                if is_interface {
                    self.find(below.at, name)
                } else {
                    self.find_own(below.at, name)
                }
            })
            .filter(|one| *one != at)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the type with this name, if the language family of a file has only one.
    pub(super) fn only_type(self, file: u32, name: &str) -> Option<SymbolId> {
        let key = (file, name.to_owned());
        self.member_memo
            .only_types
            .get(key, || self.find_only_type(file, name))
    }

    fn find_only_type(self, file: u32, name: &str) -> Option<SymbolId> {
        // A class in a function is out of scope in other files.
        let is_local = |at: &SymbolId| {
            let mut around = self.enclosing(at.file, self.symbol(*at).parent);
            at.file != file && around.any(|one| self.symbol(one).kind.is_callable())
        };
        let mut found: Vec<SymbolId> = self
            .named(name)
            .filter(|at| self.has_members(*at) && self.same_language_family(at.file, file))
            .filter(|at| !is_local(at))
            .collect();
        self.prefer_originals(&mut found);
        found
            .first()
            .copied()
            .filter(|_| self.entities().are_one(&found))
    }

    /// Returns whether a symbol is an extension: outside all types, and declared as a member of one.
    pub(super) fn is_extension(self, at: SymbolId) -> bool {
        let symbol = self.symbol(at);
        let is_module = |at: SymbolId| self.symbol(at).kind == SymbolKind::Module;
        let is_outside = self.parent(at).is_none_or(is_module);
        is_outside
            && symbol.scope.is_some()
            && self
                .rules(at.file)
                .is_some_and(|rules| rules.modules == ModuleSystem::Namespace)
    }
}

/// Returns the last part of a container: `Store` of `shop::Store`.
fn last_of_path(scope: &str) -> &str {
    scope.rsplit_once("::").map_or(scope, |(_, last)| last)
}

/// Returns the last part of a name that is a path: `Store` of `Shop.Store`.
fn last_part(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}
