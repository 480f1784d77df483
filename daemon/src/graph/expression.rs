//! What a short expression stands for: the text that a member is reached through, or that a variable was given.
//!
//! Read from left to right, a name and what follows it, never evaluated. What it does not understand is unknown.

use claudevil_protocol::model::symbol::SymbolKind;

use super::modules::Module;
use super::scope::Meaning;
use super::signature::{self, is_word, matching};
use super::{At, Graph, Here};
use crate::lang::Shares;

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Something of a type.
    Instance(At),
    Type(At),
    Function(At),
    Module(Module),
    /// What the type around is derived from, seen from it.
    Parents(At),
    /// Something that is not of this root.
    Foreign,
    #[default]
    Unknown,
}

/// Words that change what follows them in no way that counts here.
const PREFIXES: [&str; 14] = [
    "&mut ", "await ", "new ", "try? ", "try! ", "try ", "const ", "mut ", "ref ", "move ", "yield ", "typeof ",
    "struct ", "dyn ",
];
/// Members by which a type makes something of itself, where it has none of that name.
pub(super) const MAKERS: [&str; 5] = ["new", "init", "alloc", "default", "shared"];

impl Graph<'_> {
    pub(super) fn value(&self, here: Here, text: &str) -> Value {
        self.deeper(|| self.read(here, text))
    }

    fn read(&self, here: Here, text: &str) -> Value {
        let (text, is_new) = without_prefixes(text);
        let (mut value, mut rest) = match text.chars().next() {
            None => return Value::Unknown,
            Some('(') => {
                let Some(length) = matching(text) else { return Value::Unknown };
                let (inner, rest) = (&text[1..length], text[length + 1..].trim_start());
                if rest.starts_with(|sign: char| is_word(sign) || sign == '(') {
                    // A cast.
                    return self.type_of_text(here, inner).map_or(Value::Unknown, Value::Instance);
                }
                (self.in_parentheses(here, inner), rest)
            }
            Some(first) if first.is_ascii_digit() || "\"'`[{".contains(first) => return Value::Foreign,
            Some(_) => {
                let length = text.find(|sign: char| !is_word(sign)).unwrap_or(text.len());
                if length == 0 {
                    return Value::Unknown;
                }
                (self.head(here, &text[..length], text[length..].trim_start()), text[length..].trim_start())
            }
        };
        if is_new
            && let Value::Type(at) = value
            && rest.is_empty()
        {
            return Value::Instance(at);
        }
        while !rest.is_empty() {
            let Some(next) = self.step(here, value, rest, is_new) else { return Value::Unknown };
            (value, rest) = next;
        }
        value
    }

    fn in_parentheses(&self, here: Here, inner: &str) -> Value {
        // `x as Type`.
        match inner.rsplit_once(" as ") {
            Some((_, kind)) => self.type_of_text(here, kind).map_or(Value::Unknown, Value::Instance),
            None => self.read(here, inner),
        }
    }

    /// What the first name means.
    fn head(&self, here: Here, name: &str, rest: &str) -> Value {
        let Some(rules) = self.rules(here.file) else { return Value::Unknown };
        let bare = name.trim_start_matches(['$', '@']);
        if rules.parents.contains(&bare) {
            return self.type_around(here).map_or(Value::Unknown, Value::Parents);
        }
        let by_path = rules.closed_modules && rest.starts_with("::");
        if (rules.receivers.contains(&name) || rules.receivers.contains(&bare)) && !(by_path && bare == "self") {
            let of_type = bare.starts_with(char::is_uppercase);
            return match self.type_around(here) {
                Some(at) if of_type => Value::Type(at),
                Some(at) => Value::Instance(at),
                None => self.module_as_receiver(here),
            };
        }
        if by_path && matches!(bare, "crate" | "self" | "super") {
            return self.module(here, bare).map_or(Value::Unknown, Value::Module);
        }
        match self.meaning(here, bare) {
            Meaning::Local(Some(text), at) if text != bare => self.value_of(at, &text),
            Meaning::Symbols(found, _) => self.as_value(&found),
            Meaning::Module(module) => Value::Module(module),
            Meaning::External => Value::Foreign,
            // What a language has by itself, or a name of many that nobody imports.
            Meaning::Unknown if rules.shares != Shares::Root || bare.starts_with(char::is_uppercase) => Value::Foreign,
            Meaning::Local(..) | Meaning::Unknown => Value::Unknown,
        }
    }

    /// Where a module has functions of its own and a word for itself.
    fn module_as_receiver(&self, here: Here) -> Value {
        let module = self.around(here.file, here.symbol).find(|at| self.symbol(*at).kind == SymbolKind::Module);
        module.map_or(Value::Unknown, |at| Value::Module(Module::Inside(at)))
    }

    pub(super) fn as_value(&self, found: &[At]) -> Value {
        let Some(first) = found.first().copied() else { return Value::Unknown };
        let is_type = |at: &&At| self.symbol(**at).kind != SymbolKind::Module && self.can_own(**at);
        if let Some(at) = found.iter().find(is_type) {
            return Value::Type(*at);
        }
        match self.symbol(first).kind {
            SymbolKind::Module => Value::Module(Module::Inside(first)),
            SymbolKind::Alias => {
                let here = Here { symbol: self.symbol(first).parent, ..Here::of(self, first) };
                if let Some(at) = self.type_named(here, &self.symbol(first).name).filter(|at| *at != first) {
                    return Value::Type(at);
                }
                // Of a module.
                match signature::aliased(self.symbol(first)).map(|text| self.value(here, text)) {
                    Some(Value::Module(module)) => Value::Module(module),
                    _ => Value::Type(first),
                }
            }
            kind if kind.is_callable() || kind == SymbolKind::Macro => Value::Function(first),
            _ => match self.given_by(first) {
                // What it holds is not known, but it is of this root.
                Value::Foreign => Value::Foreign,
                value => value,
            },
        }
    }

    /// One step to the right: a member, a call, an index.
    fn step<'t>(&self, here: Here, value: Value, rest: &'t str, is_new: bool) -> Option<(Value, &'t str)> {
        for sign in ["?.", "!.", "!!.", "&.", "::", "->", ".", "\\", ":", "#"] {
            let Some(after) = rest.strip_prefix(sign) else { continue };
            let after = after.trim_start();
            if after.starts_with(['(', '[', '{']) {
                return Some((value, after));
            }
            if after.starts_with('<') {
                return Some((value, &after[after.find('>')? + 1..]));
            }
            let length = after.find(|sign: char| !is_word(sign)).unwrap_or(after.len());
            let name = after[..length].trim_start_matches(['$', '@']);
            let behind = after[length..].trim_start();
            return Some((self.member_value(here, value, name), behind));
        }
        match rest.chars().next()? {
            '(' => {
                let length = matching(rest)?;
                let called = match value {
                    Value::Function(at) => self.given_by(at),
                    Value::Type(at) => Value::Instance(at),
                    value => value,
                };
                Some((called, rest[length + 1..].trim_start()))
            }
            '[' => {
                let length = matching(rest)?;
                Some((value, rest[length + 1..].trim_start()))
            }
            '{' => {
                let length = matching(rest)?;
                let made = if let Value::Type(at) = value { Value::Instance(at) } else { value };
                Some((made, rest[length + 1..].trim_start()))
            }
            '<' => {
                let end = rest.rfind('>')?;
                let behind = rest[end + 1..].trim_start();
                let value = match value {
                    Value::Type(at) if is_new && behind.is_empty() => Value::Instance(at),
                    value => value,
                };
                Some((value, behind))
            }
            '?' | '!' | '*' | '&' => Some((value, rest[1..].trim_start())),
            _ => None,
        }
    }

    /// What a member of something is.
    fn member_value(&self, here: Here, value: Value, name: &str) -> Value {
        let rules = self.rules(here.file);
        let transparent = rules.is_some_and(|rules| rules.transparent.contains(&name));
        let found = self.members_of(&value, name);
        if !found.is_empty() {
            return self.as_value(&found);
        }
        match value {
            Value::Module(module) => match self.submodule(&module, name) {
                Some(inner) => Value::Module(inner),
                None => self.passed_module(&module, name),
            },
            Value::Type(at) if MAKERS.contains(&name) => Value::Instance(at),
            value if transparent => value,
            Value::Instance(at) | Value::Type(at) | Value::Parents(at) => {
                if self.is_whole(at) {
                    Value::Foreign
                } else {
                    Value::Unknown
                }
            }
            Value::Foreign => Value::Foreign,
            _ => Value::Unknown,
        }
    }

    /// A module that a file imports can be reached through it.
    fn passed_module(&self, module: &Module, name: &str) -> Value {
        let Module::File(file) = module else { return Value::Unknown };
        let here = Here { file: *file, symbol: None, line: u32::MAX, column: 0 };
        match self.meaning(here, name) {
            Meaning::Module(inner) => Value::Module(inner),
            Meaning::External => Value::Foreign,
            _ => Value::Unknown,
        }
    }

    /// The symbols that a member's name means.
    pub(super) fn members_of(&self, value: &Value, name: &str) -> Vec<At> {
        match value {
            Value::Instance(at) | Value::Type(at) => self.member(*at, name),
            Value::Parents(at) => self.inherited(*at, name),
            Value::Module(module) => self.in_module(module, name),
            Value::Function(_) | Value::Foreign | Value::Unknown => vec![],
        }
    }
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
        let bare = text.trim_start_matches(['&', '*', '!', '-', '~', '%', '^', '#']);
        if bare.len() == text.len() {
            return (text, is_new);
        }
        text = bare.trim_start();
    }
}
