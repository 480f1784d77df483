//! Names and what they stand for.

use std::collections::HashMap;

#[derive(Debug)]
pub struct Scope<V> { // ⟦ def Scope ⟧
    entries: HashMap<String, V>, // ⟦ def Scope.entries ⟧
}

impl<V> Default for Scope<V> { // ⟦ ref Scope type ⟧
    fn default() -> Self { // ⟦ def Scope.default ; may Scope ⟧
        Self { entries: HashMap::default() } // ⟦ call Scope from Scope.default ; ref Scope.entries write ⟧
    }
}

impl<V> Scope<V> { // ⟦ ref Scope type ⟧
    pub fn define(&mut self, name: &str, value: V) { // ⟦ def Scope.define ⟧
        self.entries.insert(name.to_owned(), value); // ⟦ ref Scope.entries ⟧
    }

    pub fn find(&self, name: &str) -> Option<&V> { // ⟦ def Scope.find ⟧
        self.entries.get(name) // ⟦ ref Scope.entries read ⟧
    }
}
