//! The values of short expressions: qualifiers of members, and initial values of variables.
//!
//! An expression is evaluated from left to right, as a name and its suffixes. Any other expression is unknown.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::modules::Module;
use super::patterns::{self, Binding};
use super::scope::Meaning;
use super::value::{Value, Wrapping};
use super::value_members::MemberUse;
use super::{Position, SymbolId, Values};
use crate::extract::type_expr::{TypeExpr, is_word, matching, skip_generics, split, tuple_parts};
use crate::index::names::namespace_of;
use crate::lang::families::{Keyword, c};
use crate::lang::vocabulary;
use crate::lang::{ImplicitScope, conventions};

impl Values<'_, '_> {
    pub(super) fn evaluate(self, here: Position, text: &str) -> Value {
        self.deeper(|| self.evaluate_uncached(here, text))
    }

    fn evaluate_uncached(self, here: Position, text: &str) -> Value {
        if self
            .rules(here.file)
            .is_some_and(|rules| rules.family.keyword(text) == Some(Keyword::Exports))
        {
            return Value::Module(Module::File(here.file));
        }
        if let Some(part) = patterns::parse_binding(text) {
            return self.pattern_value(here, &part);
        }
        let (text, is_new) = without_prefixes(text);
        let root = self
            .rules(here.file)
            .map(|rules| rules.family.root_prefix());
        if let Some(path) = root.and_then(|root| text.strip_prefix(root)) {
            let outside = Position {
                symbol: None,
                ..here
            };
            return match self.evaluate(outside, path) {
                Value::Type(at) if is_new => Value::Instance(at, None),
                value => value,
            };
        }
        let top = self
            .rules(here.file)
            .and_then(|rules| rules.family.global_prefix())
            .filter(|top| text.starts_with(top));
        let (mut value, mut rest) = match text.chars().next() {
            None => return Value::Unknown,
            Some(_) if top.is_some() => {
                self.evaluate_global_path(here, text, top.unwrap_or_default())
            }
            Some('(') => {
                let Some(length) = matching(text) else {
                    return Value::Unknown;
                };
                let (inner, rest) = (&text[1..length], text[length + 1..].trim_start());
                if rest.starts_with(|sign: char| is_word(sign) || sign == '(') {
                    // A cast.
                    return self.cast_value(here, inner);
                }
                (self.parenthesised(here, inner), rest)
            }
            Some('[') if !text.starts_with("[]") => {
                // A list is evaluated as its first element.
                let Some(length) = matching(text) else {
                    return Value::Foreign;
                };
                let (inner, rest) = (&text[1..length], text[length + 1..].trim_start());
                match split(inner).first() {
                    Some(first) if !rest.starts_with(is_word) => {
                        (self.types().binding_value(here, first), rest)
                    }
                    _ => return Value::Foreign,
                }
            }
            Some(first) if first.is_ascii_digit() || "\"'`[{".contains(first) => {
                return Value::Foreign;
            }
            Some(_) => {
                let length = text.find(|sign: char| !is_word(sign)).unwrap_or(text.len());
                if length == 0 {
                    return Value::Unknown;
                }
                let (name, behind) = (&text[..length], text[length..].trim_start());
                match Some(behind)
                    .filter(|_| c::CASTS.contains(&name))
                    .and_then(cast)
                {
                    Some((kind, rest)) => (self.cast_value(here, kind), rest),
                    None => (self.evaluate_head(here, name, behind), behind),
                }
            }
        };
        if let Value::Type(at) = value {
            let applied = Some(rest).filter(|rest| rest.starts_with('<'));
            let count = applied.map_or(0, |rest| {
                split(&rest[1..skip_generics(rest).max(2) - 1]).len()
            });
            value = Value::Type(self.entities().with_arity(at, count));
        }
        if is_new
            && rest.is_empty()
            && let Value::Type(at) = value
        {
            return Value::Instance(at, None);
        }
        while !rest.is_empty() {
            let Some(next) = self.step(here, value, rest, is_new) else {
                return Value::Unknown;
            };
            (value, rest) = next;
        }
        value
    }

    /// Returns the value that a pattern binds a name to.
    fn pattern_value(self, here: Position, part: &Binding<'_>) -> Value {
        match *part {
            Binding::Error(of) => self.types().binding_value(here, of).error(),
            Binding::Part(of, place) => self.part_of_result(here, of, place),
            Binding::Passed(of, place) => self.closure_parameter(here, of, place),
            Binding::ContextManager(of) => {
                let value = self.types().binding_value(here, of);
                let enters = self
                    .rules(here.file)
                    .map_or(&[][..], |rules| rules.family.enter_methods());
                let entering = enters
                    .iter()
                    .find_map(|name| self.find_members(&value, name).first().copied());
                match entering.map(|at| {
                    (
                        self.types()
                            .result_for(at, &self.types().arguments_for_member(&value, at)),
                        self.members().owner(at),
                    )
                }) {
                    // Most context managers return themselves: `def __enter__(self: T) -> T`.
                    Some((Value::Instance(of, _), owner)) if Some(of) == owner => value,
                    Some((Value::Unknown | Value::TypeParameter(_, Wrapping::Bare), _)) | None => {
                        value
                    }
                    Some((given, _)) => given,
                }
            }
            Binding::Field(of, name) => {
                if let Some(case) = self.variant_at_path(here, of) {
                    let found = self.members().find_own(case, name);
                    return self.symbols_value(&found, &Value::Unknown);
                }
                let of = self.types().binding_value(here, of);
                match self.member_value(here, of, name, MemberUse::Any) {
                    Value::Function(..) => Value::Unknown,
                    value => value,
                }
            }
            Binding::Element(of, place) => {
                let at = self
                    .variant_at_path(here, of)
                    .or_else(|| match self.evaluate(here, of) {
                        Value::Type(at) => Some(at),
                        _ => None,
                    });
                at.map_or(Value::Unknown, |at| self.element_of(at, place))
            }
        }
    }

    /// Returns a part of the tuple that a function returns: `fn open() -> (Store, Log)`.
    fn part_of_result(self, here: Position, call: &str, place: usize) -> Value {
        let called = last_call(call).map(|callee| self.evaluate(here, callee));
        let Some(Value::Function(at, _)) = called else {
            return Value::Unknown;
        };
        let result = self.symbol(at).result().map(TypeExpr::text);
        let part = result.and_then(|result| tuple_parts(result).get(place).copied());
        part.map_or(Value::Unknown, |part| {
            self.types()
                .instance_of_text(Position::declaration(&self, at), part)
        })
    }

    /// Returns the value of an unnamed field of a type or a variant: `store.0` of `struct Store(Path)`.
    pub(super) fn element_of(self, at: SymbolId, place: usize) -> Value {
        let declared =
            (self.symbol(at).parameters()).and_then(|all| all.iter().nth(place)?.type_expr());
        declared.map_or(Value::Unknown, |declared| {
            self.types()
                .instance(Position::declaration(&self, at), declared)
        })
    }

    /// Evaluates an absolute path (`\App\Store::open`) up to its longest namespace, or else up to its first name, and returns
    /// the text after that.
    fn evaluate_global_path<'t>(
        self,
        here: Position,
        text: &'t str,
        sign: &str,
    ) -> (Value, &'t str) {
        let path = text.trim_start_matches(sign);
        let length = path
            .find(|one: char| !is_word(one) && !sign.contains(one))
            .unwrap_or(path.len());
        let parted = path[..length].match_indices(sign).map(|(at, _)| at);
        let ends: Vec<usize> = parted.chain([length]).collect();
        let named = ends.into_iter().rev().find_map(|end| {
            match self.modules().resolve_module(here, &path[..end]) {
                Some(module @ Module::Namespace(_)) => Some((Value::Module(module), &path[end..])),
                _ => None,
            }
        });
        named.unwrap_or_else(|| {
            let end = path.find(|one: char| !is_word(one)).unwrap_or(path.len());
            let found = self.find_global(here, &path[..end]);
            let value = if found.is_empty() {
                Value::Foreign
            } else {
                self.symbols_value(&found, &Value::Unknown)
            };
            (value, path[end..].trim_start())
        })
    }

    /// Returns the symbols with this name outside of all namespaces.
    pub(super) fn find_global(self, here: Position, name: &str) -> Vec<SymbolId> {
        let is_outside = |at: &SymbolId| {
            self.scopes().is_top_level(*at)
                && self.symbol(*at).kind != SymbolKind::Module
                && self.same_language_family(at.file, here.file)
                && namespace_of(self.file(at.file), Some(at.symbol)).is_none()
        };
        self.named(name).filter(is_outside).collect()
    }

    fn parenthesised(self, here: Position, inner: &str) -> Value {
        // `x as Type`, `x as? Type`.
        let mut casts = vocabulary::CASTS.iter();
        match casts.find_map(|sign| inner.rsplit_once(sign)) {
            Some((_, kind)) => self.cast_value(here, kind),
            None => self.evaluate(here, inner),
        }
    }

    /// Returns the value of a cast.
    fn cast_value(self, here: Position, text: &str) -> Value {
        match self.types().instance_of_text(here, text) {
            Value::Foreign | Value::ForeignResult => Value::Unknown,
            value => value,
        }
    }

    /// Evaluates the first name of an expression.
    fn evaluate_head(self, here: Position, name: &str, rest: &str) -> Value {
        let Some(rules) = self.rules(here.file) else {
            return Value::Unknown;
        };
        let bare = name.trim_start_matches(['$', '@']);
        if rules.supertype_words.contains(&bare) {
            return self
                .members()
                .enclosing_type(here)
                .map_or(Value::Unknown, Value::Supertypes);
        }
        let keyword = rules.family.keyword(bare);
        let by_path = rules.modules.hides_outer_names() && rest.starts_with("::");
        if (rules.receivers.contains(&name) || rules.receivers.contains(&bare))
            && !(by_path && keyword == Some(Keyword::OwnModule))
        {
            if let Some(receiver) = self.scopes().closure_receiver(here) {
                return receiver;
            }
            let of_type = bare.starts_with(char::is_uppercase) || keyword == Some(Keyword::OwnType);
            return match self.members().enclosing_type(here) {
                Some(at) if of_type => Value::Type(at),
                Some(at) => Value::Instance(at, None),
                None => self.module_as_receiver(here),
            };
        }
        if rules.type_accessors.contains(&bare)
            && let Some(length) = matching(rest).filter(|_| rest.starts_with('('))
            && let Some(at) = self.evaluate(here, &rest[1..length]).type_symbol()
        {
            return Value::Type(at);
        }
        if rules.family.keyword(name) == Some(Keyword::ImplicitParameter)
            && !matches!(
                self.scopes().resolve(here, name),
                Meaning::Local(Some(_), _)
            )
        {
            let implicit = self.scopes().implicit_parameter(here);
            return implicit.unwrap_or_default();
        }
        if keyword == Some(Keyword::Require)
            && let Some(length) = matching(rest).filter(|_| rest.starts_with('('))
        {
            let module = rest[1..length].trim().trim_matches(['"', '\'', '`']);
            let module = self.modules().resolve_module(here, module);
            return module.map_or(Value::Foreign, Value::Module);
        }
        if by_path && keyword.is_some() {
            return self
                .modules()
                .resolve_module(here, bare)
                .map_or(Value::Unknown, Value::Module);
        }
        if name == bare
            && rest.starts_with("::")
            && let Some(namespace) = self.hidden_namespace(here, name)
        {
            return namespace;
        }
        let meaning = if rest.starts_with('(') {
            self.scopes().resolve_called(here, bare)
        } else {
            self.scopes().resolve(here, bare)
        };
        match meaning {
            Meaning::Local(Some(text), at) if text != bare => self.types().binding_value(at, &text),
            // A variable with the name of the function that returns its value: `let store = store();`.
            Meaning::Local(Some(_), at) => {
                // An outer variable with its name: `if let store { … }`.
                if let Some(Meaning::Local(Some(text), outer)) = self.scopes().find_local(at, bare)
                    && text != bare
                {
                    return self.types().binding_value(outer, &text);
                }
                match self.scopes().resolve_beyond_locals(at, bare, rules) {
                    Meaning::Symbols(found, _) => {
                        let value = self.symbols_value(&found, &Value::Unknown);
                        self.types().given_value(at, bare, value)
                    }
                    _ => Value::Unknown,
                }
            }
            Meaning::Symbols(found, _) if by_path => {
                let module = found
                    .iter()
                    .find(|at| self.symbol(**at).kind == SymbolKind::Module);
                module.map_or_else(
                    || self.symbols_value(&found, &Value::Unknown),
                    |at| Value::Module(Module::Inside(*at)),
                )
            }
            Meaning::Symbols(found, _) => self.symbols_value(&found, &Value::Unknown),
            Meaning::Module(module) => Value::Module(module),
            Meaning::External if is_call(bare, rest) => Value::ForeignResult,
            Meaning::External => Value::Foreign,
            Meaning::Unknown if rules.family.implicit_constructors().contains(&bare) => self
                .members()
                .enclosing_type(here)
                .map_or(Value::Unknown, |at| Value::Instance(at, None)),
            Meaning::Unknown if rules.family.allocators().contains(&bare) => matching(rest)
                .filter(|_| rest.starts_with('('))
                .and_then(|length| split(&rest[1..length]).first().copied())
                .map_or(Value::Unknown, |allocated| {
                    self.types().instance_of_text(here, allocated)
                }),
            // Where global names are reached by paths and imports only, an unknown lower-case name is a variable that a macro
            // binds.
            Meaning::Unknown
                if rules.modules.hides_outer_names()
                    && !by_path
                    && bare.starts_with(char::is_lowercase) =>
            {
                Value::Unknown
            }
            // A macro may declare what an import takes from a module of the root.
            Meaning::Unknown
                if rules.modules.hides_outer_names()
                    && self.resolver().is_missing_import(here, bare) =>
            {
                Value::Unknown
            }
            // A name that the language defines itself, or one that is not imported.
            Meaning::Unknown
                if rules.implicit_scope != ImplicitScope::Root && is_call(bare, rest) =>
            {
                Value::ForeignResult
            }
            Meaning::Unknown
                if rules.implicit_scope != ImplicitScope::Root
                    || bare.starts_with(char::is_uppercase) =>
            {
                Value::Foreign
            }
            Meaning::Local(None, _) => {
                let provider = self.scopes().injected_at(here, bare);
                provider.map_or(Value::Unknown, |at| self.types().result(at))
            }
            Meaning::Unknown => Value::Unknown,
        }
    }

    /// Returns the enclosing module, for a receiver word outside of types: `self` in a Ruby module.
    fn module_as_receiver(self, here: Position) -> Value {
        let module = self
            .enclosing(here.file, here.symbol)
            .find(|at| self.symbol(*at).kind == SymbolKind::Module);
        module.map_or(Value::Unknown, |at| Value::Module(Module::Inside(at)))
    }

    /// Returns the value of symbols that are members of `from`.
    pub(super) fn symbols_value(self, found: &[SymbolId], from: &Value) -> Value {
        let Some(first) = found.first().copied() else {
            return Value::Unknown;
        };
        let is_type = |at: &&SymbolId| {
            self.symbol(**at).kind != SymbolKind::Module
                && self.members().has_members(**at)
                && !self.declares_its_type(**at)
        };
        if let Some(at) = found.iter().find(is_type) {
            return Value::Type(*at);
        }
        // If a module and a function share a name, the value is the function: `mod open; fn open() {}`.
        let is_function = |at: &&SymbolId| {
            self.symbol(first).kind == SymbolKind::Module && self.symbol(**at).kind.is_callable()
        };
        let first = found.iter().find(is_function).copied().unwrap_or(first);
        match self.symbol(first).kind {
            SymbolKind::Module => Value::Module(Module::Inside(first)),
            SymbolKind::Alias => {
                let here = Position::outside(&self, first);
                if let Some(at) = self
                    .types()
                    .resolve_name(here, &self.symbol(first).name)
                    .filter(|at| *at != first)
                {
                    return Value::Type(at);
                }
                // An alias of a module.
                let aliased = self.symbol(first).aliased_type().map(TypeExpr::text);
                match aliased.map(|text| self.evaluate(here, text)) {
                    Some(Value::Module(module)) => Value::Module(module),
                    _ => Value::Type(first),
                }
            }
            kind if kind.is_callable() || kind == SymbolKind::Macro => {
                Value::Function(first, self.types().arguments_for_member(from, first))
            }
            _ => {
                let given = self
                    .types()
                    .result_for(first, &self.types().arguments_for_member(from, first));
                self.types().bounded(Position::inside(&self, first), given)
            }
        }
    }

    /// Returns whether a symbol is an object of a declared type: `const store: Store = { … }`.
    fn declares_its_type(self, at: SymbolId) -> bool {
        let symbol = self.symbol(at);
        matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
            && symbol.declared_type().is_some()
            && matches!(self.types().result(at), Value::Instance(..))
    }

    /// Evaluates one suffix: a member, a call, an index.
    fn step(self, here: Position, value: Value, rest: &str, is_new: bool) -> Option<(Value, &str)> {
        for sign in ["?.", "!.", "!!.", "&.", "::", "->", ".", "\\", ":", "#"] {
            let Some(after) = rest.strip_prefix(sign) else {
                continue;
            };
            let after = after.trim_start();
            if sign == "."
                && after.starts_with('(')
                && let Some(asserted) = self.type_assertion(here, after)
            {
                return Some(asserted);
            }
            if after.starts_with(['(', '[', '{']) {
                return Some((value, after));
            }
            if after.starts_with('<') {
                let length = skip_generics(after);
                return (length > 0).then(|| (value, &after[length..]));
            }
            // The `#` is part of the name of a private member: `this.#store`.
            let sign = usize::from(after.starts_with('#'));
            let length = after[sign..]
                .find(|sign: char| !is_word(sign))
                .map_or(after.len(), |length| sign + length);
            let name = after[..length].trim_start_matches(['$', '@']);
            let behind = after[length..].trim_start();
            if behind.starts_with("::")
                && let Value::Module(module) = &value
                && let Some(inner) = self.modules().submodule(module, name)
            {
                return Some((Value::Module(inner), behind));
            }
            let member_use = if behind.starts_with('(') {
                MemberUse::Called
            } else {
                MemberUse::Any
            };
            let member = match self.member_value(here, value, name, member_use) {
                Value::Foreign if is_call(name, behind) => Value::ForeignResult,
                // The bound may be written where the value is used: `impl<S: Sink> Searcher<S>`.
                member @ Value::TypeParameter(_, Wrapping::Bare) => {
                    self.types().bounded(here, member)
                }
                member => member,
            };
            return Some((member, behind));
        }
        match rest.chars().next()? {
            '(' => {
                let length = matching(rest)?;
                let called = self.call(here, value, &rest[1..length], is_new);
                Some((called, rest[length + 1..].trim_start()))
            }
            '[' => {
                let length = matching(rest)?;
                let item = match value {
                    Value::Instance(at, _) => self.item_type(at),
                    _ => None,
                };
                // An element of the value, or an item if its type is a named list: `stores[0]` of `type Stores []Store`.
                let items = item.map(|item| Value::Instance(item, None));
                let element = Value::union([value.element()].into_iter().chain(items));
                Some((element, rest[length + 1..].trim_start()))
            }
            '{' => {
                let length = matching(rest)?;
                let made = if let Value::Type(at) = value {
                    Value::Instance(at, None)
                } else {
                    value
                };
                Some((made, rest[length + 1..].trim_start()))
            }
            '<' => {
                let end = skip_generics(rest).checked_sub(1)?;
                let behind = rest[end + 1..].trim_start();
                match value {
                    Value::Type(at) if behind.starts_with('(') || is_new && behind.is_empty() => {
                        let applied = split(&rest[1..end])
                            .into_iter()
                            .map(|one| self.types().instance_of_text(here, one));
                        let called = matching(behind).map_or(0, |length| length + 1);
                        Some((
                            Value::Instance(at, Some(applied.collect())),
                            behind[called..].trim_start(),
                        ))
                    }
                    value => Some((value, behind)),
                }
            }
            '?' | '!' | '*' | '&' => Some((value, rest[1..].trim_start())),
            _ => None,
        }
    }

    /// Returns the result of a call.
    fn call(self, here: Position, value: Value, arguments: &str, is_new: bool) -> Value {
        match value {
            Value::Function(at, applied) => self.types().call_result(here, at, &applied, arguments),
            Value::Type(at) => match self.types().result(at) {
                // A constructor function may also be called without `new`.
                given @ Value::Instance(..) if self.symbol(at).kind.is_callable() && !is_new => {
                    given
                }
                _ => Value::Instance(at, None),
            },
            Value::Union(all) => Value::union(
                all.iter()
                    .map(|one| self.call(here, one.clone(), arguments, is_new)),
            ),
            Value::Module(module) => match self.default_export_value(&module) {
                Some(value) => self.call(here, value, arguments, is_new),
                None => Value::Module(module),
            },
            value => self.called_object(here, &value).unwrap_or(value),
        }
    }

    /// Returns the default export of a file that is used as a function or a class:
    /// `const open = require("./open"); open()`.
    pub(super) fn default_export_value(self, module: &Module) -> Option<Value> {
        let found = self.modules().find(module, conventions::DEFAULT_EXPORT);
        let value = self.symbols_value(&found, &Value::Unknown);
        matches!(value, Value::Function(..) | Value::Type(_)).then_some(value)
    }

    /// Returns the result of calling an object, if its type is known: `factory()` for
    /// `class Factory: def __call__(self) -> Store`.
    pub(super) fn called_object(self, here: Position, value: &Value) -> Option<Value> {
        let Value::Instance(of, _) = value else {
            return None;
        };
        let method = self.rules(here.file)?.family.call_method()?;
        let called = self.members().find(*of, method).first().copied()?;
        let arguments = self.types().arguments_for_member(value, called);
        Some(self.types().result_for(called, &arguments))
            .filter(|result| matches!(result, Value::Instance(..) | Value::Union(..)))
    }

    /// Evaluates a type assertion, `value.(Store)`; none if the parentheses do not hold a type.
    fn type_assertion(self, here: Position, rest: &str) -> Option<(Value, &str)> {
        let length = matching(rest)?;
        let inner = rest[1..length].trim_start_matches(['*', '&']);
        let is_type = match self.scopes().resolve(here, inner.split(['.', '[']).next()?) {
            Meaning::Symbols(found, _) => found.iter().any(|at| self.members().has_members(*at)),
            Meaning::Module(_) => true,
            _ => false,
        };
        let value = if is_type {
            self.types().instance_of_text(here, inner)
        } else {
            Value::Unknown
        };
        matches!(value, Value::Instance(..)).then(|| (value, rest[length + 1..].trim_start()))
    }
}

/// Returns whether a name is called as a function. A capitalized name is assumed to be a constructor.
fn is_call(name: &str, behind: &str) -> bool {
    !name.starts_with(char::is_uppercase) && behind.starts_with(['(', '<', '{'])
}

/// Splits `<Type>(value).rest` into the type and the rest.
fn cast(text: &str) -> Option<(&str, &str)> {
    let end = skip_generics(text).checked_sub(1)?;
    let given = text[end + 1..].trim_start();
    let length = matching(given)?;
    Some((&text[1..end], given[length + 1..].trim_start()))
}

/// Returns the callee of the call at the end of a text: `store.open` of `store.open(path)?`.
pub(super) fn last_call(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(['?', '!']);
    let mut depth = 0_u32;
    for (at, sign) in text.char_indices().rev() {
        match sign {
            ')' => depth += 1,
            '(' if depth == 1 => return Some(text[..at].trim_end()),
            '(' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

pub(super) fn without_prefixes(text: &str) -> (&str, bool) {
    let mut text = text.trim();
    let mut is_new = false;
    'again: loop {
        for prefix in vocabulary::EXPRESSION_PREFIXES {
            if let Some(rest) = text.strip_prefix(prefix) {
                is_new |= prefix == vocabulary::NEW;
                text = rest.trim_start();
                continue 'again;
            }
        }
        let bare = text.strip_prefix("<-").unwrap_or(text);
        let bare = bare.trim_start_matches(['&', '*', '!', '-', '~', '%', '^', '#']);
        if bare.len() == text.len() {
            return (text, is_new);
        }
        text = bare.trim_start();
    }
}
