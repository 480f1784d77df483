//! The members of values.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::modules::Module;
use super::scope::Meaning;
use super::value::{PairKind, Value, Wrapping};
use super::{Position, SymbolId, Use, Values};
use crate::extract::facts::Role;
use crate::extract::type_expr::{TypeExpr, is_word};
use crate::lang::conventions;
use crate::lang::families::{Feature, Keyword};

/// The way in which a member is used. A field and a method may share a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberUse {
    /// `builder.depth(3)`.
    Called,
    /// `builder.depth`. It may still be called, because the text may end before the parentheses.
    Any,
}

impl Values<'_, '_> {
    /// Returns the value of a member.
    pub(super) fn member_value(
        self,
        here: Position,
        value: Value,
        name: &str,
        member_use: MemberUse,
    ) -> Value {
        let rules = self.rules(here.file);
        let transparent = rules.is_some_and(|rules| rules.unwrapping_methods.contains(&name));
        if let Value::Union(all) = &value {
            return Value::union(
                all.iter()
                    .map(|one| self.member_value(here, one.clone(), name, member_use)),
            );
        }
        if let Value::Pair(both, PairKind::Map(_)) = &value {
            let is_key = rules.is_some_and(|rules| rules.key_methods.contains(&name));
            return if is_key {
                both[0].clone()
            } else if transparent {
                value.element()
            } else {
                Value::Foreign
            };
        }
        let value = value.unwrapped().clone();
        if let Value::Anonymous(of) = value
            && let Some((text, at)) = self.anonymous_field(of, name)
        {
            return self.types().binding_value(at, &text);
        }
        if rules.is_some_and(|rules| rules.type_accessors.contains(&name))
            && let Some(at) = value.type_symbol()
        {
            return Value::Type(at);
        }
        let mut found = self.find_members(&value, name);
        let is_callable = |at: &SymbolId| self.symbol(*at).kind.is_callable();
        if member_use == MemberUse::Called && found.iter().any(is_callable) {
            found.retain(is_callable);
        }
        if !found.is_empty() {
            return self.symbols_value(&found, &value);
        }
        if let (Value::Instance(of, _), Ok(place)) = (&value, name.parse()) {
            return self.element_of(*of, place);
        }
        if let Some(part) = self.embedded_field(here, &value, name) {
            return Value::Instance(part, None);
        }
        match value {
            // The members of a companion object without a name are members of its type: `Store.Companion.open()`.
            Value::Type(at) | Value::Module(Module::Inside(at))
                if rules.is_some_and(|rules| {
                    rules.family.keyword(name) == Some(Keyword::CompanionObject)
                }) =>
            {
                Value::Type(at)
            }
            Value::Module(module) => match self.modules().submodule(&module, name) {
                Some(inner) => Value::Module(inner),
                None => self.reexported_module_value(&module, name),
            },
            Value::Type(at) if conventions::CONSTRUCTORS.contains(&name) => {
                Value::Instance(at, None)
            }
            // A function of a trait that is implemented elsewhere for the type: `#[derive(Parser)]`, `Options::parse()`.
            Value::Type(at)
                if member_use == MemberUse::Called
                    && rules.is_some_and(|rules| rules.has(Feature::ImplBlocks)) =>
            {
                Value::Instance(at, None)
            }
            // The type as a value (`Store.class`), or the enclosing object of that type (`Store.this`).
            Value::Type(at) if name == conventions::CLASS_LITERAL => Value::Type(at),
            Value::Type(at) if rules.is_some_and(|rules| rules.receivers.contains(&name)) => {
                Value::Instance(at, None)
            }
            value if transparent => value.element(),
            Value::TypeParameter(name, Wrapping::Wrapped) => {
                Value::TypeParameter(name, Wrapping::Wrapped)
            }
            Value::Instance(at, _) | Value::Type(at) | Value::Supertypes(at) => {
                if self.members().is_fully_known(at) {
                    Value::Foreign
                } else {
                    Value::Unknown
                }
            }
            Value::Foreign | Value::ForeignResult => {
                self.resolver().extension_value(here, name).unwrap_or(value)
            }
            _ => Value::Unknown,
        }
    }

    /// Returns the text of the type of a field, and its position, in a type without a name.
    fn anonymous_field(self, of: Position, name: &str) -> Option<(String, Position)> {
        let field = self.anonymous_field_binding(of, name)?;
        let text = self.uses(of.file).qualifier(&field)?.to_owned();
        let at = Position::from_use(of.file, &field);
        let at = Position {
            column: at.column.saturating_sub(1),
            ..at
        };
        Some((text, at))
    }

    /// Returns the binding of a field in a type without a name: the first one behind the keyword. Only types and further fields
    /// are between them, unlike behind the end of the type.
    pub(super) fn anonymous_field_binding(self, of: Position, name: &str) -> Option<Use> {
        let uses = self.uses(of.file);
        let mut rows = uses.named(name);
        let field = rows.find(|row| {
            row.role == Role::Bind
                && row.symbol == of.symbol
                && (row.line, row.column) > (of.line, of.column.saturating_add(1))
        })?;
        let range = |row: &Use| (row.line, row.column);
        let rows = uses.rows();
        let from = rows.partition_point(|row| range(row) <= (of.line, of.column));
        let end = rows.partition_point(|row| range(row) < range(field));
        let variable = rows.get(from).map(|row| uses.name(row));
        let is_within = |row: &Use| match row.role {
            Role::Bind | Role::Type => true,
            Role::Read => Some(uses.name(row)) != variable,
            _ => false,
        };
        let is_field = rows.get(from..end)?.iter().all(is_within);
        is_field.then_some(*field)
    }

    /// Returns the embedded type with this name: `server.Store` of `type Server struct { Store }`.
    pub(super) fn embedded_field(
        self,
        here: Position,
        value: &Value,
        name: &str,
    ) -> Option<SymbolId> {
        let (Value::Instance(of, _) | Value::Type(of)) = value else {
            return None;
        };
        if !self.rules(here.file)?.has(Feature::EmbeddedFields) {
            return None;
        }
        self.members()
            .supertypes(*of)
            .into_iter()
            .map(|(above, _)| above)
            .find(|above| *self.symbol(*above).name == *name)
    }

    /// Returns the module that a file imports under a name.
    fn reexported_module_value(self, module: &Module, name: &str) -> Value {
        let Module::File(file) = module else {
            return Value::Unknown;
        };
        let here = Position::at_line(*file, u32::MAX);
        match self.scopes().resolve(here, name) {
            Meaning::Module(inner) => Value::Module(inner),
            Meaning::External => Value::Foreign,
            _ => Value::Unknown,
        }
    }

    /// Returns the members of a value with this name.
    pub(super) fn find_members(self, value: &Value, name: &str) -> Vec<SymbolId> {
        match value {
            Value::Instance(at, _) => {
                let found = self.members().find(*at, name);
                match self.item_type(*at).filter(|_| found.is_empty()) {
                    Some(item) => self.members().find(item, name),
                    None => found,
                }
            }
            Value::Type(at) => {
                let found = self.members().find(*at, name);
                if found.is_empty() {
                    self.find_in_namespace_of(*at, name)
                } else {
                    found
                }
            }
            Value::Supertypes(at) => self.members().find_inherited(*at, name),
            Value::Module(module) => self.modules().find(module, name),
            Value::Union(all) => all
                .iter()
                .flat_map(|one| self.find_members(one, name))
                .collect(),
            Value::Pair(..) => self.find_members(value.unwrapped(), name),
            // The fields of a struct type in the declaration of a field are symbols inside it.
            Value::Anonymous(of) => of.symbol.map_or(vec![], |symbol| {
                let file = of.file;
                let mut found = self.scopes().children(SymbolId { file, symbol }, name);
                found.retain(|at| self.symbol(*at).kind == SymbolKind::Field);
                found
            }),
            Value::Function(..)
            | Value::TypeParameter(..)
            | Value::Foreign
            | Value::ForeignResult
            | Value::Unknown => vec![],
        }
    }

    /// Returns the type of the items of a named list or map with methods of its own: `Store` of `type Stores []Store`.
    pub(super) fn item_type(self, at: SymbolId) -> Option<SymbolId> {
        let symbol = self.symbol(at);
        let aliased = symbol.aliased_type().map(TypeExpr::text)?;
        // The parameters and the result of a function type are not its items.
        if symbol.kind != SymbolKind::Alias || aliased.contains('(') {
            return None;
        }
        self.deeper(|| self.types().resolve_alias(at))
    }

    /// Returns the module or the type that a variable with its name hides, where only a module or a type is possible:
    /// `log::Reader` beside a parameter `log`.
    pub(super) fn hidden_namespace(self, here: Position, name: &str) -> Option<Value> {
        let rules = self.rules(here.file)?;
        let is_hidden = name.chars().all(is_word)
            && matches!(self.scopes().resolve(here, name), Meaning::Local(..))
            && !self.types().is_type_parameter(here, name);
        let value =
            match is_hidden.then(|| self.scopes().resolve_beyond_locals(here, name, rules))? {
                Meaning::Module(module) => Value::Module(module),
                Meaning::Symbols(found, _) => self.symbols_value(&found, &Value::Unknown),
                _ => return None,
            };
        matches!(value, Value::Module(_) | Value::Type(_)).then_some(value)
    }

    /// Returns the symbols with this name in the namespace that a type is merged with (`interface Store`,
    /// `namespace Store { … }`), or in what its companion object inherits.
    fn find_in_namespace_of(self, at: SymbolId, name: &str) -> Vec<SymbolId> {
        let Some(rules) = self.rules(at.file) else {
            return vec![];
        };
        if rules.has(Feature::CompanionObjects) {
            let parts = self.entities().declarations(at).into_iter();
            return parts
                .flat_map(|part| self.members().find(part, name))
                .collect();
        }
        if !rules.has(Feature::MergedDeclarations) {
            return vec![];
        }
        let mut parts = self.entities().declarations(at);
        parts.retain(|part| self.symbol(*part).kind == SymbolKind::Module);
        parts
            .into_iter()
            .flat_map(|part| self.scopes().children(part, name))
            .collect()
    }

    /// Returns the enum variant that a path ends with: `Shape::Circle`.
    pub(super) fn variant_at_path(self, here: Position, path: &str) -> Option<SymbolId> {
        if path.ends_with(|sign: char| !is_word(sign)) {
            return None;
        }
        let (of, name) = match path.rsplit_once("::").or_else(|| path.rsplit_once('.')) {
            Some((of, name)) => (Some(of), name),
            None => (None, path),
        };
        if !name.starts_with(char::is_uppercase) {
            return None;
        }
        let found = match of {
            Some(of) => match self.evaluate(here, of) {
                value @ Value::Type(_) => self.find_members(&value, name),
                _ => return None,
            },
            None => match self.scopes().resolve(here, name) {
                Meaning::Symbols(found, _) => found,
                _ => return None,
            },
        };
        found
            .into_iter()
            .find(|at| self.symbol(*at).kind == SymbolKind::Variant)
    }
}
