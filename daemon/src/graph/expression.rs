//! What a short expression stands for: the text that a member is reached through, or that a variable was given.
//!
//! Read from left to right, a name and what follows it, never evaluated. What it does not understand is unknown.

use std::rc::Rc;

use claudevil_protocol::model::symbol::SymbolKind;

use super::modules::Module;
use super::patterns::{self, Part};
use super::scope::Meaning;
use super::signature::{self, is_word, matching};
use super::{At, Graph, Here};
use crate::index::names::namespace_of;
use crate::lang::families::{Feature, Keyword, c};
use crate::lang::{ImplicitScope, TypePosition, conventions};

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Something of a type.
    Instance(At, Applied),
    Type(At),
    /// With what the type is applied to that it was taken from.
    Function(At, Applied),
    Module(Module),
    /// What the type around is derived from, seen from it.
    Parents(At),
    /// Something of a type that is a parameter of what declares it: whoever uses that says which.
    Parameter(Rc<str>, Held),
    /// One of several, or all of them at once.
    Either(Rc<[Self]>),
    /// Something that is not of this root, and holds two kinds of things.
    Pair(Rc<[Self; 2]>, Holds),
    /// Something that is not of this root.
    Foreign,
    /// What something that is not of this root hands out: perhaps what it was given.
    Handed,
    #[default]
    Unknown,
}

/// How something of a type parameter is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    Itself,
    /// In a list or the like that is not of this root.
    Inside,
}

/// What is had from something that holds two kinds of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Values of the second by keys of the first.
    Keyed(Iterated),
    /// The first, unless something failed.
    Result,
}

/// What iteration over a map gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterated {
    Keys,
    Values,
}

/// What things of the parameters of a type are; none where that is not said.
pub type Applied = Option<Rc<[Value]>>;

impl Value {
    /// The value with what is known of type parameters in their place.
    pub(super) fn filled(self, find: &dyn Fn(&str) -> Option<Self>) -> Self {
        match self {
            Self::Parameter(name, held) => find(&name).unwrap_or(Self::Parameter(name, held)),
            Self::Instance(at, Some(applied)) => {
                let applied = applied.iter().map(|one| one.clone().filled(find)).collect();
                Self::Instance(at, Some(applied))
            }
            Self::Either(all) => Self::one_of(all.iter().map(|one| one.clone().filled(find))),
            Self::Pair(both, holds) => {
                let [first, second] = &*both;
                Self::Pair(
                    Rc::new([first.clone().filled(find), second.clone().filled(find)]),
                    holds,
                )
            }
            value => value,
        }
    }

    /// What is one of these, as far as they are of this root.
    pub(super) fn one_of(values: impl IntoIterator<Item = Self>) -> Self {
        let mut known: Vec<Self> = vec![];
        let mut is_foreign = false;
        for value in values {
            match value {
                Self::Unknown => {}
                Self::Foreign => is_foreign = true,
                Self::Either(inner) => known.extend(inner.iter().cloned()),
                value => known.push(value),
            }
        }
        known.dedup();
        match known.len() {
            0 if is_foreign => Self::Foreign,
            0 => Self::Unknown,
            1 => known.remove(0),
            _ => Self::Either(known.into()),
        }
    }

    /// The type of this root that it is, or is of.
    pub(super) fn of_this_root(&self) -> Option<At> {
        match self {
            Self::Instance(at, _) | Self::Type(at) => Some(*at),
            _ => None,
        }
    }

    /// What is had from it by an index, or by a member that hands out what is inside.
    fn taken_out(self) -> Self {
        match self {
            Self::Parameter(name, _) => Self::Parameter(name, Held::Itself),
            Self::Foreign => Self::Handed,
            Self::Either(all) => Self::one_of(all.iter().map(|one| one.clone().taken_out())),
            Self::Pair(both, Holds::Keyed(_)) => both[1].clone(),
            Self::Pair(both, Holds::Result) => both[0].clone(),
            value => value,
        }
    }

    /// What it is by itself, where it is gone through or used as if it were not wrapped.
    pub(super) fn unwrapped(&self) -> &Self {
        match self {
            Self::Pair(both, Holds::Keyed(Iterated::Values)) => &both[1],
            Self::Pair(both, Holds::Keyed(Iterated::Keys) | Holds::Result) => &both[0],
            value => value,
        }
    }

    /// What is handed over where something failed.
    fn failure(self) -> Self {
        match self {
            Self::Pair(both, Holds::Result) => both[1].clone(),
            // Nobody says what else it would be.
            Self::Foreign => Self::Foreign,
            _ => Self::Unknown,
        }
    }
}

/// Words that change what follows them in no way that counts here.
const PREFIXES: [&str; 14] = [
    "&mut ", "await ", "new ", "try? ", "try! ", "try ", "const ", "mut ", "ref ", "move ",
    "yield ", "typeof ", "struct ", "dyn ",
];

impl Graph<'_> {
    pub(super) fn value(&self, here: Here, text: &str) -> Value {
        self.deeper(|| self.read(here, text))
    }

    fn read(&self, here: Here, text: &str) -> Value {
        if self
            .rules(here.file)
            .is_some_and(|rules| rules.family.keyword(text) == Some(Keyword::Exports))
        {
            return Value::Module(Module::File(here.file));
        }
        if let Some(part) = patterns::part(text) {
            return self.taken_apart(here, &part);
        }
        let (text, is_new) = without_prefixes(text);
        let top = self
            .rules(here.file)
            .and_then(|rules| rules.family.global_prefix())
            .filter(|top| text.starts_with(top));
        let (mut value, mut rest) = match text.chars().next() {
            None => return Value::Unknown,
            Some(_) if top.is_some() => {
                self.outside_of_modules(here, text, top.unwrap_or_default())
            }
            Some('(') => {
                let Some(length) = matching(text) else {
                    return Value::Unknown;
                };
                let (inner, rest) = (&text[1..length], text[length + 1..].trim_start());
                if rest.starts_with(|sign: char| is_word(sign) || sign == '(') {
                    // A cast.
                    return self.said_type(here, inner);
                }
                (self.in_parentheses(here, inner), rest)
            }
            Some('[') if !text.starts_with("[]") => {
                // A list is what is in it.
                let Some(length) = matching(text) else {
                    return Value::Foreign;
                };
                let (inner, rest) = (&text[1..length], text[length + 1..].trim_start());
                match signature::split(inner).first() {
                    Some(first) if !rest.starts_with(is_word) => (self.value_of(here, first), rest),
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
                    Some((kind, rest)) => (self.said_type(here, kind), rest),
                    None => (self.head(here, name, behind), behind),
                }
            }
        };
        if is_new
            && let Value::Type(at) = value
            && rest.is_empty()
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

    /// What a name is bound to in a pattern.
    fn taken_apart(&self, here: Here, part: &Part<'_>) -> Value {
        match *part {
            Part::Failure(of) => self.value_of(here, of).failure(),
            Part::Entered(of) => {
                let value = self.value_of(here, of);
                let enters = self
                    .rules(here.file)
                    .map_or(&[][..], |rules| rules.family.enter_methods());
                let entering = enters
                    .iter()
                    .find_map(|name| self.members_of(&value, name).first().copied());
                match entering.map(|at| {
                    (
                        self.given_for(at, &self.applied_for(&value, at)),
                        self.owner(at),
                    )
                }) {
                    // Most give themselves.
                    Some((Value::Instance(of, _), owner)) if Some(of) == owner => value,
                    Some((Value::Unknown, _)) | None => value,
                    Some((given, _)) => given,
                }
            }
            Part::Field(of, name) => match self.case(here, of) {
                Some(case) => self.as_value(&self.own_member(case, name), &Value::Unknown),
                None => match self.member_value(here, self.value_of(here, of), name) {
                    Value::Function(..) => Value::Unknown,
                    value => value,
                },
            },
            Part::Place(of, place) => {
                let at = self.case(here, of).or_else(|| match self.value(here, of) {
                    Value::Type(at) => Some(at),
                    _ => None,
                });
                let Some(at) = at else { return Value::Unknown };
                let all = signature::split(
                    signature::parameter_text(self.symbol(at)).unwrap_or_default(),
                );
                let said = all.get(place).map(|text| text.trim_start_matches("pub "));
                said.map_or(Value::Unknown, |text| {
                    self.of_type(Here::of(self, at), text)
                })
            }
        }
    }

    /// What a path means that begins outside of all modules, as far as it names modules and one thing in the last of them,
    /// and what stands behind it.
    fn outside_of_modules<'t>(&self, here: Here, text: &'t str, sign: &str) -> (Value, &'t str) {
        let path = text.trim_start_matches(sign);
        let length = path
            .find(|one: char| !is_word(one) && !sign.contains(one))
            .unwrap_or(path.len());
        let parted = path[..length].match_indices(sign).map(|(at, _)| at);
        let ends: Vec<usize> = parted.chain([length]).collect();
        let named = ends
            .into_iter()
            .rev()
            .find_map(|end| match self.module(here, &path[..end]) {
                Some(module @ Module::Namespace(_)) => Some((Value::Module(module), &path[end..])),
                _ => None,
            });
        named.unwrap_or_else(|| {
            let end = path.find(|one: char| !is_word(one)).unwrap_or(path.len());
            let found = self.outside(here, &path[..end]);
            let value = if found.is_empty() {
                Value::Foreign
            } else {
                self.as_value(&found, &Value::Unknown)
            };
            (value, path[end..].trim_start())
        })
    }

    /// What has a name outside of all modules.
    pub(super) fn outside(&self, here: Here, name: &str) -> Vec<At> {
        let is_outside = |at: &At| {
            self.is_top_level(*at)
                && self.symbol(*at).kind != SymbolKind::Module
                && self.are_kin(at.file, here.file)
                && namespace_of(self.file(at.file), Some(at.symbol)).is_none()
        };
        self.named(name).filter(is_outside).collect()
    }

    fn in_parentheses(&self, here: Here, inner: &str) -> Value {
        // `x as Type`.
        match inner.rsplit_once(" as ") {
            Some((_, kind)) => self.said_type(here, kind),
            None => self.read(here, inner),
        }
    }

    /// What something is that the code itself says the type of.
    fn said_type(&self, here: Here, text: &str) -> Value {
        match self.of_type(here, text) {
            Value::Foreign | Value::Handed => Value::Unknown,
            value => value,
        }
    }

    /// What the first name means.
    fn head(&self, here: Here, name: &str, rest: &str) -> Value {
        let Some(rules) = self.rules(here.file) else {
            return Value::Unknown;
        };
        let bare = name.trim_start_matches(['$', '@']);
        if rules.supertype_words.contains(&bare) {
            return self
                .type_around(here)
                .map_or(Value::Unknown, Value::Parents);
        }
        let keyword = rules.family.keyword(bare);
        let by_path = rules.modules.hides_outer_names() && rest.starts_with("::");
        if (rules.receivers.contains(&name) || rules.receivers.contains(&bare))
            && !(by_path && keyword == Some(Keyword::OwnModule))
        {
            let of_type = bare.starts_with(char::is_uppercase) || keyword == Some(Keyword::OwnType);
            return match self.type_around(here) {
                Some(at) if of_type => Value::Type(at),
                Some(at) => Value::Instance(at, None),
                None => self.module_as_receiver(here),
            };
        }
        if rules.type_accessors.contains(&bare)
            && let Some(length) = matching(rest).filter(|_| rest.starts_with('('))
            && let Some(at) = self.value(here, &rest[1..length]).of_this_root()
        {
            return Value::Type(at);
        }
        if rules.family.keyword(name) == Some(Keyword::ImplicitParameter) {
            return Value::Unknown;
        }
        if by_path && keyword.is_some() {
            return self
                .module(here, bare)
                .map_or(Value::Unknown, Value::Module);
        }
        match self.meaning(here, bare) {
            Meaning::Local(Some(text), at) if text != bare => self.value_of(at, &text),
            Meaning::Symbols(found, _) => self.as_value(&found, &Value::Unknown),
            Meaning::Module(module) => Value::Module(module),
            Meaning::External if is_call(bare, rest) => Value::Handed,
            Meaning::External => Value::Foreign,
            Meaning::Unknown if rules.family.implicit_constructors().contains(&bare) => self
                .type_around(here)
                .map_or(Value::Unknown, |at| Value::Instance(at, None)),
            // Where all that is global stands by a path, this is a variable that something unread has bound: a macro.
            Meaning::Unknown
                if rules.modules.hides_outer_names()
                    && !by_path
                    && bare.starts_with(char::is_lowercase) =>
            {
                Value::Unknown
            }
            // What a language has by itself, or a name of many that nobody imports.
            Meaning::Unknown
                if rules.implicit_scope != ImplicitScope::Root && is_call(bare, rest) =>
            {
                Value::Handed
            }
            Meaning::Unknown
                if rules.implicit_scope != ImplicitScope::Root
                    || bare.starts_with(char::is_uppercase) =>
            {
                Value::Foreign
            }
            Meaning::Local(..) | Meaning::Unknown => Value::Unknown,
        }
    }

    /// Where a module has functions of its own and a word for itself.
    fn module_as_receiver(&self, here: Here) -> Value {
        let module = self
            .around(here.file, here.symbol)
            .find(|at| self.symbol(*at).kind == SymbolKind::Module);
        module.map_or(Value::Unknown, |at| Value::Module(Module::Inside(at)))
    }

    /// What these are, taken from something.
    pub(super) fn as_value(&self, found: &[At], from: &Value) -> Value {
        let Some(first) = found.first().copied() else {
            return Value::Unknown;
        };
        let is_type = |at: &&At| {
            self.symbol(**at).kind != SymbolKind::Module
                && self.can_own(**at)
                && !self.says_its_type(**at)
        };
        if let Some(at) = found.iter().find(is_type) {
            return Value::Type(*at);
        }
        match self.symbol(first).kind {
            SymbolKind::Module => Value::Module(Module::Inside(first)),
            SymbolKind::Alias => {
                let here = Here {
                    symbol: self.symbol(first).parent,
                    ..Here::of(self, first)
                };
                if let Some(at) = self
                    .type_named(here, &self.symbol(first).name)
                    .filter(|at| *at != first)
                {
                    return Value::Type(at);
                }
                // Of a module.
                match signature::aliased(self.symbol(first)).map(|text| self.value(here, text)) {
                    Some(Value::Module(module)) => Value::Module(module),
                    _ => Value::Type(first),
                }
            }
            kind if kind.is_callable() || kind == SymbolKind::Macro => {
                Value::Function(first, self.applied_for(from, first))
            }
            _ => {
                let given = self.given_for(first, &self.applied_for(from, first));
                self.at_least(Here::within(self, first), given)
            }
        }
    }

    /// Whether it is an object that says of what type it is, so that what is in it makes that type real.
    fn says_its_type(&self, at: At) -> bool {
        let symbol = self.symbol(at);
        let place = self
            .rules(at.file)
            .map_or(TypePosition::After, |rules| rules.type_position);
        matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
            && matches!(
                signature::declared(symbol, place),
                Some(signature::Declared::Type(_))
            )
            && matches!(self.given_by(at), Value::Instance(..))
    }

    /// One step to the right: a member, a call, an index.
    fn step<'t>(
        &self,
        here: Here,
        value: Value,
        rest: &'t str,
        is_new: bool,
    ) -> Option<(Value, &'t str)> {
        for sign in ["?.", "!.", "!!.", "&.", "::", "->", ".", "\\", ":", "#"] {
            let Some(after) = rest.strip_prefix(sign) else {
                continue;
            };
            let after = after.trim_start();
            if sign == "."
                && after.starts_with('(')
                && let Some(asserted) = self.asserted(here, after)
            {
                return Some(asserted);
            }
            if after.starts_with(['(', '[', '{']) {
                return Some((value, after));
            }
            if after.starts_with('<') {
                return Some((value, &after[after.find('>')? + 1..]));
            }
            let length = after
                .find(|sign: char| !is_word(sign))
                .unwrap_or(after.len());
            let name = after[..length].trim_start_matches(['$', '@']);
            let behind = after[length..].trim_start();
            let member = match self.member_value(here, value, name) {
                Value::Foreign if is_call(name, behind) => Value::Handed,
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
                Some((value.taken_out(), rest[length + 1..].trim_start()))
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
                let end = signature::skip_generics(rest).checked_sub(1)?;
                let behind = rest[end + 1..].trim_start();
                match value {
                    Value::Type(at) if behind.starts_with('(') || is_new && behind.is_empty() => {
                        let applied = signature::split(&rest[1..end])
                            .into_iter()
                            .map(|one| self.of_type(here, one));
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

    /// What calling something with these arguments gives.
    fn call(&self, here: Here, value: Value, arguments: &str, is_new: bool) -> Value {
        match value {
            Value::Function(at, applied) => self.called(here, at, &applied, arguments),
            Value::Type(at) => match self.given_by(at) {
                // A function that makes objects may also only be called.
                given @ Value::Instance(..) if self.symbol(at).kind.is_callable() && !is_new => {
                    given
                }
                _ => Value::Instance(at, None),
            },
            Value::Either(all) => Value::one_of(
                all.iter()
                    .map(|one| self.call(here, one.clone(), arguments, is_new)),
            ),
            value => value,
        }
    }

    /// `value.(Type)`, and what stands behind it; none where no type stands in the parentheses.
    fn asserted<'t>(&self, here: Here, rest: &'t str) -> Option<(Value, &'t str)> {
        let length = matching(rest)?;
        let inner = rest[1..length].trim_start_matches(['*', '&']);
        let is_type = match self.meaning(here, inner.split(['.', '[']).next()?) {
            Meaning::Symbols(found, _) => found.iter().any(|at| self.can_own(*at)),
            Meaning::Module(_) => true,
            _ => false,
        };
        let value = if is_type {
            self.of_type(here, inner)
        } else {
            Value::Unknown
        };
        matches!(value, Value::Instance(..)).then(|| (value, rest[length + 1..].trim_start()))
    }

    /// What a member of something is.
    fn member_value(&self, here: Here, value: Value, name: &str) -> Value {
        let rules = self.rules(here.file);
        let transparent = rules.is_some_and(|rules| rules.unwrapping_methods.contains(&name));
        if let Value::Either(all) = &value {
            return Value::one_of(
                all.iter()
                    .map(|one| self.member_value(here, one.clone(), name)),
            );
        }
        if let Value::Pair(both, Holds::Keyed(_)) = &value {
            let is_key = rules.is_some_and(|rules| rules.key_methods.contains(&name));
            return if is_key {
                both[0].clone()
            } else if transparent {
                value.taken_out()
            } else {
                Value::Foreign
            };
        }
        let value = value.unwrapped().clone();
        if rules.is_some_and(|rules| rules.type_accessors.contains(&name))
            && let Some(at) = value.of_this_root()
        {
            return Value::Type(at);
        }
        let found = self.members_of(&value, name);
        if !found.is_empty() {
            return self.as_value(&found, &value);
        }
        if let Some(part) = self.embedded(here, &value, name) {
            return Value::Instance(part, None);
        }
        match value {
            Value::Module(module) => match self.submodule(&module, name) {
                Some(inner) => Value::Module(inner),
                None => self.passed_module(&module, name),
            },
            Value::Type(at) if conventions::CONSTRUCTORS.contains(&name) => {
                Value::Instance(at, None)
            }
            // The type as a value, and the object around of that type.
            Value::Type(at) if name == conventions::CLASS_LITERAL => Value::Type(at),
            Value::Type(at) if rules.is_some_and(|rules| rules.receivers.contains(&name)) => {
                Value::Instance(at, None)
            }
            value if transparent => value.taken_out(),
            Value::Parameter(name, Held::Inside) => Value::Parameter(name, Held::Inside),
            Value::Instance(at, _) | Value::Type(at) | Value::Parents(at) => {
                if self.is_whole(at) {
                    Value::Foreign
                } else {
                    Value::Unknown
                }
            }
            Value::Foreign => Value::Foreign,
            Value::Handed => Value::Handed,
            _ => Value::Unknown,
        }
    }

    /// The type that another is made of, and that can be reached by its name like a field.
    pub(super) fn embedded(&self, here: Here, value: &Value, name: &str) -> Option<At> {
        let (Value::Instance(of, _) | Value::Type(of)) = value else {
            return None;
        };
        if !self.rules(here.file)?.has(Feature::EmbeddedFields) {
            return None;
        }
        self.supertypes(*of)
            .into_iter()
            .map(|(above, _)| above)
            .find(|above| *self.symbol(*above).name == *name)
    }

    /// A module that a file imports can be reached through it.
    fn passed_module(&self, module: &Module, name: &str) -> Value {
        let Module::File(file) = module else {
            return Value::Unknown;
        };
        let here = Here {
            file: *file,
            symbol: None,
            line: u32::MAX,
            column: 0,
        };
        match self.meaning(here, name) {
            Meaning::Module(inner) => Value::Module(inner),
            Meaning::External => Value::Foreign,
            _ => Value::Unknown,
        }
    }

    /// The symbols that a member's name means.
    pub(super) fn members_of(&self, value: &Value, name: &str) -> Vec<At> {
        match value {
            Value::Instance(at, _) | Value::Type(at) => self.member(*at, name),
            Value::Parents(at) => self.inherited(*at, name),
            Value::Module(module) => self.in_module(module, name),
            Value::Either(all) => all
                .iter()
                .flat_map(|one| self.members_of(one, name))
                .collect(),
            Value::Pair(..) => self.members_of(value.unwrapped(), name),
            Value::Function(..)
            | Value::Parameter(..)
            | Value::Foreign
            | Value::Handed
            | Value::Unknown => vec![],
        }
    }
}

/// Whether a name is that of a function which is called there. One with a capital makes something of a type.
fn is_call(name: &str, behind: &str) -> bool {
    !name.starts_with(char::is_uppercase) && behind.starts_with(['(', '<', '{'])
}

/// Of `<Type>(value)` and what stands behind it, the type and that.
fn cast(text: &str) -> Option<(&str, &str)> {
    let end = signature::skip_generics(text).checked_sub(1)?;
    let given = text[end + 1..].trim_start();
    let length = matching(given)?;
    Some((&text[1..end], given[length + 1..].trim_start()))
}

fn without_prefixes(text: &str) -> (&str, bool) {
    let mut text = text.trim();
    let mut is_new = false;
    'again: loop {
        for prefix in PREFIXES {
            if let Some(rest) = text.strip_prefix(prefix) {
                is_new |= prefix == "new ";
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
