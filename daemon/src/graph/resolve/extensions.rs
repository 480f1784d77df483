//! Members that are declared for types outside the root, of which only the name is known: `fun String.shorten()`,
//! `extension String { … }`, `impl Shorten for str`, and `impl Id` for a type `Id` that a macro declares.

use std::rc::Rc;

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};

use super::{MAX_CANDIDATES, Outcome, Targets};
use crate::extract::facts::Role;
use crate::extract::type_expr::is_word;
use crate::graph::expression::last_call;
use crate::graph::scope::Meaning;
use crate::graph::value::Value;
use crate::graph::{Members, Position, Resolver, SymbolId};
use crate::index::names::namespace_of;
use crate::lang::families::Feature;
use crate::lang::{ImplicitScope, ModuleSystem, NameRules};

const WITH_THE_NAME: &str = "an extension member with that name";
const FOR_THE_TYPE: &str = "declared for the receiver's type";

impl<'a> Members<'_, 'a> {
    /// Returns the name of the type outside the root for which a member is declared: `String` for `fun String.shorten()`.
    pub(in crate::graph) fn extended_type(self, at: SymbolId) -> Option<&'a str> {
        let symbol = self.symbol(at);
        let path = symbol.scope.as_deref()?;
        let name = path.rsplit("::").next().unwrap_or(path);
        let can_extend = symbol.kind.is_callable()
            || matches!(symbol.kind, SymbolKind::Property | SymbolKind::Constant);
        // Members in the body of an enum entry name the entry.
        let mut around = self.enclosing(at.file, symbol.parent);
        let is_inside = around.any(|one| *self.symbol(one).name == *name);
        (can_extend && !is_inside && self.owner(at).is_none()).then_some(name)
    }

    /// Returns the extensions with this name in the body of a type: `shorten` in `object Texts { fun String.shorten() }`.
    pub(in crate::graph) fn extensions_inside(self, of: SymbolId, name: &str) -> Vec<SymbolId> {
        let file = of.file as usize..of.file as usize + 1;
        let is_inside = |at: &SymbolId| {
            self.symbol(*at).parent == Some(of.symbol) && self.extended_type(*at).is_some()
        };
        self.named_within(name, file).filter(is_inside).collect()
    }
}

impl<'a> Resolver<'_, 'a> {
    /// Resolves an extension member of a type outside the root: `text.shorten()`.
    pub(super) fn resolve_extension(
        self,
        here: Position,
        qualifier: &str,
        value: &Value,
        name: &str,
        role: Role,
    ) -> Option<Outcome> {
        let rules = self.rules(here.file)?;
        let imported = self.imported_extensions(here, name, role);
        if !imported.is_empty() {
            let own = self.filter_by_receiver(here, qualifier, &imported);
            let found = if own.is_empty() { imported } else { own };
            return Some(self.outcome(&found, WITH_THE_NAME));
        }
        let is_crate = rules.modules.hides_outer_names();
        let mut found = if is_crate {
            self.all_extensions(here, name).to_vec()
        } else {
            self.extensions_in_scope(here, name)
        };
        if rules.has(Feature::ImplicitClasses) {
            found.extend(self.members_of_implicit_classes(here, name, rules));
        }
        found.retain(|at| self.fits_role(*at, role, Some(rules)));
        let mut own = self.filter_by_receiver(here, qualifier, &found);
        own.retain(|at| !is_crate || self.is_own_impl(here, *at));
        if !own.is_empty() {
            return Some(self.outcome(&self.filter_by_role(own, role), FOR_THE_TYPE));
        }
        let is_foreign = match value {
            Value::Foreign | Value::ForeignResult | Value::TypeParameter(..) => true,
            Value::Instance(at, _) => self.members().is_fully_known(*at),
            _ => false,
        };
        if is_crate || !is_foreign {
            return None;
        }
        if found.is_empty() {
            return self.extension_by_name(here, name, role);
        }
        // The receiver's type may be derived from the extended type, or have a member with that name.
        let outcome = self.outcome(&self.filter_by_role(found, role), WITH_THE_NAME);
        Some(match outcome {
            Outcome::Targets(targets) if targets.resolution == Resolution::Resolved => {
                Outcome::Targets(Targets {
                    resolution: Resolution::Likely,
                    ..targets
                })
            }
            outcome => outcome,
        })
    }

    /// Resolves a name that is used without a receiver to an extension of the receiver's type: `shorten()` in
    /// `fun String.initials() = shorten()`.
    pub(super) fn resolve_implicit_extension(self, here: Position, name: &str) -> Option<Outcome> {
        let of = self.extended_type_around(here)?;
        let mut found = self.extensions_in_scope(here, name);
        found.retain(|at| self.members().extended_type(*at) == Some(of));
        (!found.is_empty()).then(|| self.outcome(&found, FOR_THE_TYPE))
    }

    /// Returns the value of a member of a foreign value, if all extensions with its name in scope have the same one:
    /// `file.openStore()` for `fun File.openStore(): Store`.
    pub(in crate::graph) fn extension_value(self, here: Position, name: &str) -> Option<Value> {
        if self.all_extensions(here, name).is_empty() {
            return None;
        }
        let mut found = self.imported_extensions(here, name, Role::Read);
        found.retain(|at| self.members().extended_type(*at).is_some());
        if found.is_empty() {
            found = self.extensions_in_scope(here, name);
        }
        let found = self.entities().distinct(&found);
        if found.is_empty() || found.len() > MAX_CANDIDATES {
            return None;
        }
        let value = |at: &SymbolId| self.values().symbols_value(&[*at], &Value::Unknown);
        let first = value(&found[0]);
        let is_same = found[1..].iter().all(|at| value(at) == first);
        Some(if is_same { first } else { Value::Unknown })
    }

    /// Returns the extensions that an import brings into scope, and those that are called as members of their first argument:
    /// `Shorten(this string text)`.
    fn imported_extensions(self, here: Position, name: &str, role: Role) -> Vec<SymbolId> {
        let rules = self.rules(here.file);
        let Some(rules) = rules.filter(|rules| rules.modules == ModuleSystem::Namespace) else {
            return vec![];
        };
        let is_it = |at: &SymbolId| {
            let parameters = self.symbol(*at).parameters();
            parameters.is_some_and(|all| rules.family.is_extension_method(all.text()))
                && self.same_language_family(at.file, here.file)
        };
        let found: Vec<SymbolId> = if role == Role::Call {
            self.named(name).filter(is_it).collect()
        } else {
            vec![]
        };
        if !found.is_empty() {
            return found;
        }
        match self.scopes().resolve_beyond_locals(here, name, rules) {
            Meaning::Symbols(mut found, _) => {
                found.retain(|at| {
                    self.members().is_extension(*at) || self.members().extended_type(*at).is_some()
                });
                found
            }
            _ => vec![],
        }
    }

    /// Returns the members with this name that classes in scope add to the values that they wrap:
    /// `implicit class Texts(text: String) { def shorten: String }`.
    fn members_of_implicit_classes(
        self,
        here: Position,
        name: &str,
        rules: &NameRules,
    ) -> Vec<SymbolId> {
        let is_in_scope = |of: SymbolId| {
            let symbol = self.symbol(of);
            rules.family.is_implicit_class(&symbol.signature)
                && matches!(
                    self.scopes().resolve_beyond_locals(here, &symbol.name, rules),
                    Meaning::Symbols(found, _) if found.contains(&of)
                )
        };
        let is_member = |at: &SymbolId| self.members().owner(*at).is_some_and(is_in_scope);
        self.named(name).filter(is_member).collect()
    }

    /// Returns the extensions of foreign types that are in scope without an import: those of the enclosing types, or else
    /// those of the same namespace; all where files share a scope.
    fn extensions_in_scope(self, here: Position, name: &str) -> Vec<SymbolId> {
        let Some(rules) = self.rules(here.file) else {
            return vec![];
        };
        let all = self.all_extensions(here, name);
        let is_visible = |at: &SymbolId| {
            at.file == here.file || self.symbol(*at).visibility != Some(Visibility::Private)
        };
        let visible = all.iter().copied().filter(is_visible);
        match (rules.modules, rules.implicit_scope) {
            (ModuleSystem::None, ImplicitScope::Root) => visible.collect(),
            (ModuleSystem::Namespace, ImplicitScope::Namespace) if !all.is_empty() => {
                for around in self.enclosing(here.file, here.symbol) {
                    if self.symbol(around).kind.is_type() {
                        let types = self.members().with_supertypes(around, MAX_CANDIDATES);
                        let inside = |at: &SymbolId| {
                            self.parent(*at)
                                .is_some_and(|parent| types.contains(&parent))
                        };
                        let own: Vec<SymbolId> = visible.clone().filter(inside).collect();
                        if !own.is_empty() {
                            return own;
                        }
                    }
                }
                let own = namespace_of(self.file(here.file), here.symbol);
                let is_beside = |at: &SymbolId| {
                    self.members().is_extension(*at)
                        && namespace_of(self.file(at.file), Some(at.symbol)) == own
                };
                visible.filter(is_beside).collect()
            }
            _ => vec![],
        }
    }

    /// Returns all extensions of foreign types with this name.
    fn all_extensions(self, here: Position, name: &str) -> Rc<[SymbolId]> {
        // In most languages nothing outside a type can add to it, and this is asked for every member of a foreign value.
        let can_extend = |rules: &&NameRules| {
            let namespaces = [ModuleSystem::Crate, ModuleSystem::Namespace];
            namespaces.contains(&rules.modules)
                || rules.modules == ModuleSystem::None
                    && rules.implicit_scope == ImplicitScope::Root
        };
        let rules = self.rules(here.file).filter(can_extend);
        let Some(language) = self.file(here.file).language.filter(|_| rules.is_some()) else {
            return Rc::default();
        };
        let is_it = |at: &SymbolId| {
            self.same_language_family(at.file, here.file)
                && self.members().extended_type(*at).is_some()
        };
        let key = (name.to_owned(), language.id);
        let all = &self.resolver_memo.extensions;
        all.get(key, || self.named(name).filter(is_it).collect())
    }

    /// Resolves a member to the extensions in the bodies of other types, whose objects may be receivers too:
    /// `with(texts) { text.shorten() }`.
    fn extension_by_name(self, here: Position, name: &str, role: Role) -> Option<Outcome> {
        let is_inner = |at: &SymbolId| !self.members().is_extension(*at);
        let rules = self.rules(here.file)?;
        if rules.modules != ModuleSystem::Namespace {
            return None;
        }
        let all = self.all_extensions(here, name);
        let found: Vec<SymbolId> = all.iter().copied().filter(is_inner).collect();
        match self.outcome(&self.filter_by_role(found, role), WITH_THE_NAME) {
            Outcome::Targets(targets) if !targets.symbols.is_empty() => {
                Some(Outcome::Targets(Targets {
                    by_name: true,
                    resolution: Resolution::NameOnly,
                    ..targets
                }))
            }
            _ => None,
        }
    }

    /// Keeps the extensions of the receiver's type, if its name is known.
    fn filter_by_receiver(
        self,
        here: Position,
        qualifier: &str,
        found: &[SymbolId],
    ) -> Vec<SymbolId> {
        if found.is_empty() {
            return vec![];
        }
        let Some(of) = self.receiver_type(here, qualifier) else {
            return vec![];
        };
        let is_its = |at: &SymbolId| self.members().extended_type(*at) == Some(&*of);
        found.iter().copied().filter(is_its).collect()
    }

    /// Returns the name of the receiver's type, if the type is not of the root.
    fn receiver_type(self, here: Position, text: &str) -> Option<String> {
        let rules = self.rules(here.file)?;
        if rules.receivers.contains(&text) {
            return self.extended_type_around(here).map(str::to_owned);
        }
        let is_path = rules.modules.hides_outer_names()
            && text.chars().all(|sign| is_word(sign) || sign == ':');
        let last = text.rsplit(':').next().unwrap_or(text);
        if is_path && last.starts_with(char::is_uppercase) {
            return Some(last.to_owned());
        }
        self.type_name(here, text)
            .or_else(|| self.constructed_type(here, text))
    }

    /// Returns the name of the type that a variable is bound to a new value of: `val count = AtomicInteger()`.
    fn constructed_type(self, here: Position, text: &str) -> Option<String> {
        if !text.chars().all(is_word) {
            return None;
        }
        let bound = match self.scopes().resolve(here, text) {
            Meaning::Local(Some(bound), _) => bound,
            Meaning::Symbols(found, _) => {
                let symbol = self.symbol(*found.first()?);
                let value = symbol.initializer.as_deref().or(symbol.first_value());
                value?.to_owned()
            }
            _ => return None,
        };
        let called = last_call(&bound)?;
        let name = called.rsplit('.').next().unwrap_or(called);
        let is_type = name.starts_with(char::is_uppercase) && name.chars().all(is_word);
        is_type.then(|| name.to_owned())
    }

    /// Returns the foreign type that the innermost extension around a position extends.
    fn extended_type_around(self, here: Position) -> Option<&'a str> {
        let mut around = self.enclosing(here.file, here.symbol);
        around.find_map(|at| self.members().extended_type(at))
    }

    /// Returns whether a block of the root adds a member to a type that is used by the member's name. A trait of a library that
    /// is implemented for a type of a library does not: `impl From<Store> for String` says little about `String::from`.
    fn is_own_impl(self, here: Position, at: SymbolId) -> bool {
        let Some(of) = self.members().extended_type(at) else {
            return false;
        };
        let symbol = self.symbol(at);
        if self.is_missing_import(here, of) || symbol.visibility != Some(Visibility::Public) {
            return true;
        }
        let relations = self.file(at.file).outline.relations.iter();
        let above = relations
            .filter(|one| *one.subject == *of && one.line <= symbol.start_line)
            .max_by_key(|one| one.line);
        above.is_none_or(|one| self.members().relation_target(None, at.file, one).is_some())
    }
}
