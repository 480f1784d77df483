//! Counts twice. What its names mean depends on the block.

use super::scope::Scope; // ⟦ ref Scope import ⟧
use super::value::{self, Render, Value}; // ⟦ ref Render import ; ref Value import ⟧
use super::Interpreter; // ⟦ ref Interpreter import ⟧

pub fn audit(mut one: Interpreter, scopes: &mut [Scope<Value>], found: Option<Value>) -> String { // ⟦ def audit ; ref Interpreter type ; ref Scope type ; ref Value type ⟧
    for one in scopes.iter_mut() {
        let one: &mut Scope<Value> = one; // ⟦ ref Scope type ; ref Value type ⟧
        one.define("inner", value::blank()); // ⟦ call Scope.define from audit ; call value.blank from audit ⟧
    }
    one.define("outer", value::blank()); // ⟦ call Interpreter.define from audit ; call value.blank from audit ⟧
    let keep = |one: &mut Scope<Value>| one.define("kept", value::blank()); // ⟦ ref Scope type ; ref Value type ; call Scope.define from audit ; call value.blank from audit ⟧
    scopes.iter_mut().for_each(keep);
    if let Some(one) = found {
        one.render(); // ⟦ call Value.render from audit ; may Render.render ⟧
    }
    one.define("last", value::blank()); // ⟦ call Interpreter.define from audit ; call value.blank from audit ⟧
    one.run("1 + 1") // ⟦ call Interpreter.run from audit ⟧
}
