//! Which type a text means, and what type a symbol gives.

use claudevil_protocol::model::symbol::SymbolKind;

use super::expression::{MAKERS, Value};
use super::scope::Meaning;
use super::{At, Graph, Here, signature};

/// A longer type says nothing that a shorter one would not.
const MOST_WORDS: usize = 12;

impl Graph<'_> {
    /// The type of a name, as it is seen from a place.
    pub(super) fn type_named(&self, here: Here, name: &str) -> Option<At> {
        let key = (here.file, here.symbol, name.to_owned());
        if let Some(known) = self.types.borrow().get(&key) {
            return *known;
        }
        let found = match self.meaning(here, name) {
            Meaning::Symbols(found, _) => self.first_type(&found),
            Meaning::Module(module) => self.opened_by(&module).into_iter().find(|at| self.can_own(*at)),
            Meaning::Local(Some(text), at) if text != name => self.type_of_text(at, &text),
            _ => None,
        };
        if self.depth.get() < super::DEEPEST / 2 {
            self.types.borrow_mut().insert(key, found);
        }
        found
    }

    fn first_type(&self, symbols: &[At]) -> Option<At> {
        let is_type = |at: &&At| self.can_own(**at);
        if let Some(found) = symbols.iter().find(is_type) {
            return Some(*found);
        }
        let alias = symbols.iter().find(|at| self.symbol(**at).kind == SymbolKind::Alias)?;
        self.deeper(|| self.behind_alias(*alias)).or(Some(*alias))
    }

    fn behind_alias(&self, alias: At) -> Option<At> {
        let symbol = self.symbol(alias);
        let text = symbol.gives.as_deref().or_else(|| signature::aliased(symbol))?;
        let here = Here { symbol: self.symbol(alias).parent, ..Here::of(self, alias) };
        self.type_of_text(here, text).filter(|found| *found != alias)
    }

    /// The first type of this root in a text that says a type: what a pointer, a list or a promise is of.
    pub(super) fn type_of_text(&self, here: Here, text: &str) -> Option<At> {
        self.deeper(|| {
            signature::paths(text).take(MOST_WORDS).find_map(|path| {
                if let Some(rules) = self.rules(here.file)
                    && rules.receivers.contains(&path)
                {
                    return self.type_around(here);
                }
                if path.contains(['.', ':', '\\']) {
                    return match self.value(here, path) {
                        Value::Type(at) => Some(at),
                        _ => None,
                    };
                }
                self.type_named(here, path)
            })
        })
    }

    /// What calling a function, or reading a variable, gives.
    pub(super) fn given_by(&self, at: At) -> Value {
        self.given.get(at, || self.deeper(|| self.given_anew(at)))
    }

    fn given_anew(&self, at: At) -> Value {
        let symbol = self.symbol(at);
        let here = Here { symbol: Some(at.symbol), ..Here::of(self, at) };
        match symbol.kind {
            SymbolKind::Constructor | SymbolKind::Variant => {
                return self.owner(at).map_or(Value::Unknown, Value::Instance);
            }
            kind if kind.is_type() => return Value::Instance(at),
            _ => {}
        }
        let Some(rules) = self.rules(at.file) else { return Value::Unknown };
        if symbol.kind.is_callable() {
            let value = match (signature::returned(symbol, rules.types), &symbol.gives) {
                (Some(text), _) => self.type_of_text(here, &text).map_or(Value::Foreign, Value::Instance),
                (None, Some(text)) => self.value_of(Here::within(self, at), text),
                (None, None) => Value::Unknown,
            };
            // What is called like one that makes something of its type does so, unless it says otherwise.
            let made = || self.owner(at).filter(|_| MAKERS.contains(&&*symbol.name)).map(Value::Instance);
            return if value == Value::Unknown { made().unwrap_or(value) } else { value };
        }
        if let Some(text) = &symbol.gives {
            let around = Here { symbol: symbol.parent, ..here };
            return self.value_of(around, text);
        }
        match signature::declared(symbol, rules.types) {
            Some(signature::Declared::Type(text)) => {
                self.type_of_text(here, &text).map_or(Value::Foreign, Value::Instance)
            }
            Some(signature::Declared::Value(text)) => self.value_of(Here { symbol: symbol.parent, ..here }, &text),
            None => Value::Unknown,
        }
    }

    /// What a text is the value of: an expression that was assigned, or a type that was declared.
    pub(super) fn value_of(&self, here: Here, text: &str) -> Value {
        let value = self.value(here, text);
        match value {
            Value::Type(at) => Value::Instance(at),
            Value::Function(at) => self.given_by(at),
            Value::Unknown | Value::Foreign => self.type_of_text(here, text).map_or(value, Value::Instance),
            value => value,
        }
    }
}
