//! Runs what was parsed.

pub mod audit;
pub mod scope;
pub mod value;

use crate::syntax::{parse, Expr, Operator}; // ⟦ ref parser.parse import ; ref Expr import ; ref Op import ⟧
use scope::Scope; // ⟦ ref Scope import ⟧
use value::{Render, Value}; // ⟦ ref Render import ; ref Value import ⟧

pub type Builtin = fn(&[f64]) -> f64; // ⟦ def Builtin ⟧

macro_rules! fail { // ⟦ def fail ⟧
    ($text:expr) => {
        return Value::Error($text.to_string()) // ⟦ may Value, Value.Error ⟧
    };
}

#[derive(Default)]
pub struct Interpreter { // ⟦ def Interpreter ⟧
    names: Scope<Value>, // ⟦ def Interpreter.names ; ref Scope type ; ref Value type ⟧
    builtins: Scope<Builtin>, // ⟦ def Interpreter.builtins ; ref Scope type ; ref Builtin type ⟧
}

impl Interpreter { // ⟦ ref Interpreter type ⟧
    pub fn new() -> Self { // ⟦ def Interpreter.new ; may Interpreter ⟧
        let mut made = Self::default(); // ⟦ may Interpreter ⟧
        made.builtins.define("sum", sum); // ⟦ ref Interpreter.builtins ; call Scope.define from Interpreter.new ; ref runtime.sum read ⟧
        made.builtins.define("largest", largest); // ⟦ ref Interpreter.builtins ; call Scope.define from Interpreter.new ; ref largest read ⟧
        made
    }

    pub fn define(&mut self, name: &str, value: Value) { // ⟦ def Interpreter.define ; ref Value type ⟧
        self.names.define(name, value); // ⟦ ref Interpreter.names ; call Scope.define from Interpreter.define ⟧
    }

    pub fn run(&self, text: &str) -> String { // ⟦ def Interpreter.run ⟧
        match parse(text) { // ⟦ call parser.parse from Interpreter.run ⟧
            Some(tree) => self.evaluate(&tree).render(), // ⟦ call Interpreter.evaluate from Interpreter.run ; call Value.render from Interpreter.run ; may Render.render ⟧
            None => value::blank().shout(), // ⟦ call value.blank from Interpreter.run ; call Render.shout from Interpreter.run ⟧
        }
    }

    fn evaluate(&self, tree: &Expr) -> Value { // ⟦ def Interpreter.evaluate ; ref Expr type ; ref Value type ⟧
        match tree {
            Expr::Number(number) => Value::Number(*number), // ⟦ ref Expr read ; ref Expr.Number read ; ref Value read ; call Value.Number from Interpreter.evaluate ⟧
            Expr::Name(name) => self.names.find(name).cloned().unwrap_or_else(value::blank), // ⟦ ref Expr read ; ref Expr.Name read ; ref Interpreter.names ; call Scope.find from Interpreter.evaluate ; ref value.blank read ⟧
            Expr::Binary { op, left, right } => self.combine(*op, self.evaluate(left), self.evaluate(right)), // ⟦ ref Expr read ; ref Expr.Binary read ; call Interpreter.combine from Interpreter.evaluate ; call Interpreter.evaluate from Interpreter.evaluate ⟧
            Expr::Call(name, arguments) => { // ⟦ ref Expr read ; ref Expr.Call read ⟧
                let Some(builtin) = self.builtins.find(name) else { // ⟦ ref Interpreter.builtins ; call Scope.find from Interpreter.evaluate ⟧
                    fail!("no such function"); // ⟦ call fail from Interpreter.evaluate ⟧
                };
                let numbers: Vec<f64> = arguments.iter().map(|each| self.evaluate(each).number()).collect(); // ⟦ call Interpreter.evaluate from Interpreter.evaluate ; call Value.number from Interpreter.evaluate ⟧
                Value::from(builtin(&numbers)) // ⟦ ref Value read ; call Value.from from Interpreter.evaluate ⟧
            }
        }
    }

    fn combine(&self, op: Operator, left: Value, right: Value) -> Value { // ⟦ def Interpreter.combine ; ref Op type ; ref Value type ⟧
        let (left, right) = (left.number(), right.number()); // ⟦ call Value.number from Interpreter.combine ⟧
        Value::Number(match op { // ⟦ ref Value read ; call Value.Number from Interpreter.combine ⟧
            Operator::Plus => sum(&[left, right]), // ⟦ ref Op read ; ref Op.Plus read ; call runtime.sum from Interpreter.combine ⟧
            Operator::Minus => left - right, // ⟦ ref Op read ; ref Op.Minus read ⟧
            Operator::Times => left * right, // ⟦ ref Op read ; ref Op.Times read ⟧
        })
    }
}

fn sum(numbers: &[f64]) -> f64 { // ⟦ def runtime.sum ⟧
    numbers.iter().sum()
}

fn largest(numbers: &[f64]) -> f64 { // ⟦ def largest ⟧
    fn larger(left: f64, right: f64) -> f64 { // ⟦ def largest.larger ⟧
        left.max(right)
    }
    numbers.iter().copied().fold(f64::MIN, larger) // ⟦ ref largest.larger read ⟧
}
