//! Types, what belongs to them, and what they are derived from.

use std::collections::HashMap;

use claudevil_protocol::model::symbol::SymbolKind;

use super::{At, Graph, Here, signature};
use crate::extract::facts::{Relation, RelationKind, Symbol};
use crate::lang::families::{Feature, TestMacro};

/// A type that is derived from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Below {
    pub at: At,
    pub kind: RelationKind,
    /// 1 for what is derived directly.
    pub depth: u32,
    /// What it is directly derived from.
    pub of: At,
    /// It says so nowhere, but has all the methods.
    pub by_methods: bool,
}

impl<'a> Graph<'a> {
    /// Whether a symbol has members as a type has them: it is one, or of a kind that is used like one.
    pub(super) fn can_own(&self, at: At) -> bool {
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
        symbol.kind == SymbolKind::Module || self.owning.get(at, has_members)
    }

    /// The type that a symbol belongs to.
    pub fn owner(&self, at: At) -> Option<At> {
        self.owners.get(at, || {
            let symbol = self.symbol(at);
            self.scope_owner(at).or_else(|| {
                let parent = At {
                    file: at.file,
                    symbol: symbol.parent?,
                };
                let kind = self.symbol(parent).kind;
                (symbol.scope.is_none() && (kind == SymbolKind::Variant || self.can_own(parent)))
                    .then_some(parent)
            })
        })
    }

    /// The type that a symbol names as its own: of an `impl`, of a receiver.
    pub(super) fn scope_owner(&self, at: At) -> Option<At> {
        let symbol = self.symbol(at);
        let path = symbol.scope.as_deref()?;
        if self.test_macro(at) == Some(TestMacro::Function) {
            return None;
        }
        let scope = last_of_path(path);
        let is_it = |one: &At| *self.symbol(*one).name == *scope && self.can_own(*one);
        if let Some(around) = self.around(at.file, symbol.parent).find(is_it) {
            return Some(around);
        }
        let here = Here {
            file: at.file,
            symbol: symbol.parent,
            line: symbol.start_line,
            column: 0,
        };
        // Of several types of the last name, the one that the path leads to.
        let by_path = || {
            (path != scope)
                .then(|| self.type_at_path(here, path))
                .flatten()
        };
        by_path().or_else(|| self.type_named(here, scope))
    }

    /// The type around a place.
    pub(super) fn type_around(&self, here: Here) -> Option<At> {
        self.around(here.file, here.symbol).find_map(|at| {
            if self.can_own(at) {
                Some(at)
            } else {
                self.scope_owner(at)
            }
        })
    }

    /// What a type has under a name: its own, or what it inherits.
    pub(super) fn member(&self, of: At, name: &str) -> Vec<At> {
        let own = self.own_member(of, name);
        if own.is_empty() {
            self.inherited(of, name)
        } else {
            own
        }
    }

    /// What can be used by its name alone inside a type.
    pub(super) fn implied(&self, of: At, name: &str) -> Vec<At> {
        let mut found = self.member(of, name);
        // The name of a constructor means the type.
        found.retain(|at| self.symbol(*at).kind != SymbolKind::Constructor);
        found
    }

    pub(super) fn own_member(&self, of: At, name: &str) -> Vec<At> {
        // Most are of other types, which their names tell.
        let claimed = self
            .claimed
            .get(name.to_owned(), || self.find_claimed(name).into());
        let claiming = claimed
            .get(last_part(&self.symbol(of).name))
            .map_or(&[][..], Vec::as_slice);
        let is_of = |at: &&At| {
            self.test_macro(**at).is_none()
                && self
                    .owner(**at)
                    .is_some_and(|owner| self.are_one(owner, of))
        };
        claiming.iter().filter(is_of).copied().collect()
    }

    /// The symbols of a name by the name of what they say to be in.
    fn find_claimed(&self, name: &str) -> HashMap<&'a str, Vec<At>> {
        let mut claimed: HashMap<&str, Vec<At>> = HashMap::new();
        for at in self.named(name) {
            let symbol = self.symbol(at);
            let parent = symbol.parent.map(|parent| At {
                file: at.file,
                symbol: parent,
            });
            let claims = symbol
                .scope
                .as_deref()
                .or_else(|| parent.map(|parent| &*self.symbol(parent).name));
            if let Some(claims) = claims.map(last_of_path).map(last_part) {
                claimed.entry(claims).or_default().push(at);
            }
        }
        claimed
    }

    /// What a type gets under a name from those that it is derived from, the nearest first.
    pub(super) fn inherited(&self, of: At, name: &str) -> Vec<At> {
        let mut seen = vec![of];
        let mut next = 0;
        while next < seen.len() && seen.len() < 64 {
            let one = seen[next];
            next += 1;
            for (above, _) in self.supertypes(one) {
                if seen.contains(&above) {
                    continue;
                }
                let found = self.own_member(above, name);
                if !found.is_empty() {
                    return found;
                }
                seen.push(above);
            }
        }
        vec![]
    }

    /// Whether everything that a type is derived from is in this root: then what it lacks is nowhere.
    pub(super) fn is_whole(&self, of: At) -> bool {
        // An object can be given more at any time.
        if !self.symbol(of).kind.is_type() && self.symbol(of).kind != SymbolKind::Module {
            return false;
        }
        self.deeper(|| {
            let above: Vec<_> = self.said_above(of).collect();
            let known = self.supertypes(of);
            // Several relations can name one type.
            above.len() <= known.len() && known.iter().all(|(above, _)| self.is_whole(*above))
        })
    }

    /// What a type is directly derived from.
    pub fn supertypes(&self, of: At) -> Vec<(At, RelationKind)> {
        self.above.get(of, || self.supertypes_anew(of))
    }

    fn supertypes_anew(&self, of: At) -> Vec<(At, RelationKind)> {
        let mut found = vec![];
        for (file, relation) in self.said_above(of) {
            if !self.are_kin(file, of.file) || !self.is_subject(of, file, relation.line) {
                continue;
            }
            let symbol = if file == of.file {
                self.symbol(of).parent
            } else {
                None
            };
            let here = Here {
                file,
                symbol,
                line: relation.line,
                column: 0,
            };
            if let Some(above) = self
                .type_named(here, &relation.target)
                .or_else(|| self.only_type(file, &relation.target))
                && self.can_be_above(above, relation.kind)
                && above != of
                && !found.iter().any(|(known, _)| *known == above)
            {
                found.push((above, relation.kind));
            }
        }
        found
    }

    /// Whether a type can be what a relation of this kind leads to: what only holds something is not implemented.
    fn can_be_above(&self, at: At, kind: RelationKind) -> bool {
        let holds = matches!(
            self.symbol(at).kind,
            SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union
        );
        kind != RelationKind::Implements || !holds
    }

    /// The relations whose subject has a type's name, whole or its last part.
    fn said_above(&self, of: At) -> impl Iterator<Item = (u32, &Relation)> {
        let name = &self.symbol(of).name;
        let short = Some(last_part(name)).filter(|short| **short != **name);
        [Some(&**name), short]
            .into_iter()
            .flatten()
            .flat_map(|name| self.names.above(self.snapshot, name))
    }

    /// Whether a relation at a line of a file, whose subject has this type's name, is about this type.
    fn is_subject(&self, of: At, file: u32, line: u32) -> bool {
        let symbol = self.symbol(of);
        if file == of.file {
            // Two types of one name in a file: the one around the line.
            let several = self.top_level(file, &symbol.name).len() > 1;
            return !several || (symbol.start_line..=symbol.end_line).contains(&line);
        }
        let here = Here {
            file,
            symbol: None,
            line,
            column: 0,
        };
        self.type_named(here, &symbol.name)
            .is_some_and(|found| found == of || self.are_one(found, of))
    }

    /// What is directly derived from a type.
    pub fn subtypes(&self, of: At) -> Vec<(At, RelationKind)> {
        self.below.get(of, || self.subtypes_anew(of))
    }

    fn subtypes_anew(&self, of: At) -> Vec<(At, RelationKind)> {
        let mut found: Vec<(At, RelationKind)> = vec![];
        for (file, relation) in self.said_below(of) {
            if let Some(subject) = self.subject(file, relation)
                && self.leads_to(Some(subject), file, relation, of)
                && !found.iter().any(|(known, _)| *known == subject)
            {
                found.push((subject, relation.kind));
            }
        }
        found
    }

    /// Where a type is said to be made real for one that is not of this root: the files, and what they say.
    pub fn made_real_outside(&self, of: At) -> Vec<(u32, &Relation)> {
        let is_it = |(file, relation): &(u32, &Relation)| {
            self.subject(*file, relation).is_none() && self.leads_to(None, *file, relation, of)
        };
        self.said_below(of).filter(is_it).collect()
    }

    /// The relations whose target has a type's name, whole or its last part.
    fn said_below(&self, of: At) -> impl Iterator<Item = (u32, &Relation)> {
        let name = &self.symbol(of).name;
        let short = Some(last_part(name)).filter(|short| **short != **name);
        let said = [Some(&**name), short]
            .into_iter()
            .flatten()
            .flat_map(|name| self.names.below(self.snapshot, name));
        said.filter(move |(file, _)| self.are_kin(*file, of.file))
    }

    /// The type of this root that a relation is about.
    fn subject(&self, file: u32, relation: &Relation) -> Option<At> {
        let here = Here {
            file,
            symbol: None,
            line: relation.line,
            column: 0,
        };
        let is_one = |at: &At| at.file == file && self.can_own(*at);
        let subjects: Vec<At> = self.named(&relation.subject).filter(is_one).collect();
        let around = |at: &At| {
            let symbol = self.symbol(*at);
            (symbol.start_line..=symbol.end_line).contains(&relation.line)
        };
        let subject = subjects
            .iter()
            .copied()
            .find(around)
            .or_else(|| subjects.first().copied());
        subject.or_else(|| self.type_named(here, &relation.subject))
    }

    /// Whether what a relation names, as seen from its subject, is this type.
    fn leads_to(&self, subject: Option<At>, file: u32, relation: &Relation, of: At) -> bool {
        let around = subject
            .filter(|subject| subject.file == file)
            .and_then(|subject| self.symbol(subject).parent);
        let from = Here {
            file,
            symbol: around,
            line: relation.line,
            column: 0,
        };
        let target = self
            .type_named(from, &relation.target)
            .or_else(|| self.only_type(file, &relation.target));
        let target = target.filter(|at| self.can_be_above(*at, relation.kind));
        target.is_some_and(|target| target == of || self.are_one(target, of))
    }

    /// Everything derived from a type, however far.
    pub fn all_subtypes(&self, of: At) -> Vec<Below> {
        let mut found: Vec<Below> = vec![];
        let mut layer = vec![of];
        let mut depth = 0;
        while !layer.is_empty() && depth < 16 {
            depth += 1;
            let mut below = vec![];
            for one in layer {
                let said = self
                    .subtypes(one)
                    .into_iter()
                    .map(|(at, kind)| (at, kind, false));
                let shown = self
                    .by_methods(one)
                    .into_iter()
                    .map(|at| (at, RelationKind::Implements, true));
                for (at, kind, by_methods) in said.chain(shown) {
                    if at != of && !found.iter().any(|known| known.at == at) {
                        found.push(Below {
                            at,
                            kind,
                            depth,
                            of: one,
                            by_methods,
                        });
                        below.push(at);
                    }
                }
            }
            layer = below;
        }
        found
    }

    /// Types that have every method of an interface, in a language where that is all it takes.
    fn by_methods(&self, interface: At) -> Vec<At> {
        let is_structural = self
            .rules(interface.file)
            .is_some_and(|rules| rules.has(Feature::StructuralInterfaces));
        if !is_structural || self.symbol(interface).kind != SymbolKind::Interface {
            return vec![];
        }
        let wanted = self.required(interface);
        let Some(first) = wanted.first() else {
            return vec![];
        };
        let mut found: Vec<At> = vec![];
        for at in self.named(&self.symbol(*first).name) {
            let Some(owner) = self
                .owner(at)
                .filter(|_| self.are_kin(at.file, interface.file))
            else {
                continue;
            };
            let is_other =
                self.symbol(owner).kind != SymbolKind::Interface && !found.contains(&owner);
            if is_other && self.has_all(owner, &wanted) {
                found.push(owner);
            }
        }
        found
    }

    fn has_all(&self, of: At, wanted: &[At]) -> bool {
        wanted.iter().all(|method| {
            let symbol = self.symbol(*method);
            let found = self.member(of, &symbol.name);
            found
                .iter()
                .any(|at| signature::parameters(self.symbol(*at)) == signature::parameters(symbol))
        })
    }

    /// The methods that an interface asks for, with those of what it is made of.
    fn required(&self, interface: At) -> Vec<At> {
        let mut all = vec![interface];
        let mut next = 0;
        while next < all.len() && all.len() < 32 {
            let above = self.supertypes(all[next]);
            next += 1;
            for (at, _) in above {
                if !all.contains(&at) {
                    all.push(at);
                }
            }
        }
        all.into_iter()
            .flat_map(|one| self.methods_in(one))
            .collect()
    }

    /// Everything that belongs to a type or a module, wherever it stands.
    pub fn members_in(&self, of: At) -> Vec<At> {
        let name = &self.symbol(of).name;
        // A type may be opened in several places.
        let parts = self.entity(of);
        let mut found = vec![];
        for (file, indexed) in (0..).zip(&self.snapshot.files) {
            for (symbol, one) in (0..).zip(&indexed.outline.symbols) {
                let at = At { file, symbol };
                let is_in = |symbol| parts.contains(&At { file, symbol });
                let is_inside = one.scope.is_none() && one.parent.is_some_and(is_in);
                let claims = one.scope.as_deref().map(last_of_path) == Some(name);
                if is_inside
                    || claims
                        && self
                            .owner(at)
                            .is_some_and(|owner| owner == of || self.are_one(owner, of))
                {
                    found.push(at);
                }
            }
        }
        found
    }

    /// The names of all that a type says it is derived from.
    pub fn named_above(&self, of: At) -> Vec<String> {
        let mut names: Vec<String> = vec![];
        for (file, relation) in self.names.above(self.snapshot, &self.symbol(of).name) {
            let name = relation.target.to_string();
            if self.are_kin(file, of.file)
                && self.is_subject(of, file, relation.line)
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    fn methods_in(&self, of: At) -> Vec<At> {
        let symbols = &self.file(of.file).outline.symbols;
        let is_method = |(_, symbol): &(u32, &Symbol)| {
            symbol.parent == Some(of.symbol) && symbol.kind.is_callable()
        };
        (0..)
            .zip(symbols)
            .filter(is_method)
            .map(|(symbol, _)| At {
                file: of.file,
                symbol,
            })
            .collect()
    }

    /// Methods of the same name in what a method's type is derived from.
    pub fn overridden(&self, at: At) -> Vec<At> {
        let Some(owner) = self.owner(at) else {
            return vec![];
        };
        let name = &self.symbol(at).name;
        let mut found = self.inherited(owner, name);
        if self
            .rules(at.file)
            .is_some_and(|rules| rules.has(Feature::StructuralInterfaces))
        {
            let candidates: Vec<At> = self
                .named(name)
                .filter(|one| self.are_kin(one.file, at.file))
                .collect();
            for one in candidates {
                let interface = self
                    .owner(one)
                    .filter(|of| self.symbol(*of).kind == SymbolKind::Interface);
                if interface.is_some_and(|interface| {
                    interface != owner && self.has_all(owner, &self.required(interface))
                }) {
                    found.push(one);
                }
            }
        }
        found
    }

    /// Methods of the same name in what is derived from a method's type.
    pub fn overriding(&self, at: At) -> Vec<At> {
        let Some(owner) = self.owner(at) else {
            return vec![];
        };
        let name = &self.symbol(at).name;
        let below = self.all_subtypes(owner);
        let mut found: Vec<At> = below
            .into_iter()
            .flat_map(|below| self.own_member(below.at, name))
            .collect();
        found.dedup();
        found
    }

    /// The one type of a name among those that a file can mean.
    pub(super) fn only_type(&self, file: u32, name: &str) -> Option<At> {
        let found: Vec<At> = self
            .named(name)
            .filter(|at| self.can_own(*at) && self.are_kin(at.file, file))
            .collect();
        match self.entities(&found)[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// Of what a definition says that it belongs to, where that is a path.
fn last_of_path(scope: &str) -> &str {
    scope.rsplit_once("::").map_or(scope, |(_, last)| last)
}

/// Of a name that is a whole path.
fn last_part(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}
