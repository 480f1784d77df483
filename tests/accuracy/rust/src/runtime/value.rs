//! What a program computes with.

use crate::lexer::LexError; // ⟦ ref LexError import ⟧

/// Whatever can be shown to the user.
pub trait Render { // ⟦ def Render ⟧
    fn render(&self) -> String; // ⟦ def Render.render ⟧

    fn shout(&self) -> String { // ⟦ def Render.shout ⟧
        self.render().to_uppercase() // ⟦ call Render.render from Render.shout ; may Value.render, LexError.render ⟧
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value { // ⟦ def Value ; impl Value of Render ⟧
    Number(f64), // ⟦ def Value.Number ⟧
    Error(String), // ⟦ def Value.Error ⟧
}

impl Value { // ⟦ ref Value type ⟧
    pub fn number(&self) -> f64 { // ⟦ def Value.number ⟧
        match self {
            Value::Number(number) => *number, // ⟦ ref Value read ; ref Value.Number read ⟧
            Value::Error(_) => f64::NAN, // ⟦ ref Value read ; ref Value.Error read ⟧
        }
    }
}

impl From<f64> for Value { // ⟦ ref Value type ⟧
    fn from(number: f64) -> Value { // ⟦ def Value.from ; ref Value type ⟧
        Value::Number(number) // ⟦ ref Value read ; call Value.Number from Value.from ⟧
    }
}

impl Render for Value { // ⟦ ref Render type ; ref Value type ⟧
    fn render(&self) -> String { // ⟦ def Value.render ; impl Value.render of Render.render ⟧
        match self {
            Value::Number(number) => number.to_string(), // ⟦ ref Value read ; ref Value.Number read ⟧
            Value::Error(text) => format!("error: {}", text), // ⟦ ref Value read ; ref Value.Error read ⟧
        }
    }
}

impl Render for LexError { // ⟦ ref Render type ; ref LexError type ⟧
    fn render(&self) -> String { // ⟦ def LexError.render ; impl LexError.render of Render.render ⟧
        format!("unexpected sign at {}", self.position) // ⟦ ref LexError.position read ⟧
    }
}

pub fn blank() -> Value { // ⟦ def value.blank ; ref Value type ⟧
    Value::Error("nothing to render".to_owned()) // ⟦ ref Value read ; call Value.Error from value.blank ⟧
}

pub fn print_all<R: Render>(things: &[R]) -> Vec<String> { // ⟦ def print_all ; ref Render type ⟧
    things.iter().map(|thing| thing.render()).collect() // ⟦ call Render.render from print_all ; may Value.render, LexError.render ⟧
}

pub fn longest(things: &[Box<dyn Render>]) -> usize { // ⟦ def longest ; ref Render type ⟧
    things.iter().map(|thing| thing.shout().len()).max().unwrap_or(0) // ⟦ call Render.shout from longest ⟧
}
