//! Whole programs.

use sums::runtime::value::print_all; // ⟦ ref print_all import ⟧
use sums::syntax::tree::Expr; // ⟦ ref Expr import ⟧
use sums::{parse_program, Interpreter, Value}; // ⟦ ref parser.parse import ; ref Interpreter import ; ref Value import ⟧

fn depth(text: &str) -> usize { // ⟦ def programs.depth ⟧
    parse_program(text).map_or(0, |tree| tree.depth()) // ⟦ call parser.parse from programs.depth ; call Expr.depth from programs.depth ⟧
}

#[test]
fn sums_are_computed() { // ⟦ def sums_are_computed ⟧
    let mut interpreter = Interpreter::new(); // ⟦ ref Interpreter read ; call Interpreter.new from sums_are_computed ⟧
    interpreter.define("x", Value::Number(2.0)); // ⟦ call Interpreter.define from sums_are_computed ; ref Value read ; call Value.Number from sums_are_computed ⟧
    assert_eq!(interpreter.run("x * 3 + sum(1, 2)"), "9"); // ⟦ call Interpreter.run from sums_are_computed ⟧
    assert_eq!(interpreter.run("largest(x, 7)"), "7"); // ⟦ call Interpreter.run from sums_are_computed ⟧
}

#[test]
fn trees_are_as_deep_as_their_calls() { // ⟦ def trees_are_as_deep_as_their_calls ⟧
    assert_eq!(parse_program("4"), Some(Expr::Number(4.0))); // ⟦ call parser.parse from trees_are_as_deep_as_their_calls ; ref Expr read ; call Expr.Number from trees_are_as_deep_as_their_calls ⟧
    let depth = depth("sum(1 + 2)"); // ⟦ call programs.depth from trees_are_as_deep_as_their_calls ⟧
    assert_eq!(depth, 3);
    assert_eq!(print_all(&[Value::from(1.5)]), ["1.5"]); // ⟦ call print_all from trees_are_as_deep_as_their_calls ; ref Value read ; call Value.from from trees_are_as_deep_as_their_calls ⟧
}
