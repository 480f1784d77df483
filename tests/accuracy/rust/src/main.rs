//! Evaluates each line that is given to it.

use std::io::{self, BufRead};

use sums::runtime::value::{self, Render}; // ⟦ ref Render import ⟧
use sums::{scan, {Interpreter}}; // ⟦ ref lexer.scan import ; ref Interpreter import ⟧

fn main() { // ⟦ def main ⟧
    let interpreter = Interpreter::new(); // ⟦ ref Interpreter read ; call Interpreter.new from main ⟧
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match scan(&line) { // ⟦ call lexer.scan from main ⟧
            Ok(_) => println!("{}", interpreter.run(&line)), // ⟦ call Interpreter.run from main ⟧
            Err(error) => println!("{}", error.render()), // ⟦ call LexError.render from main ; may Render.render ⟧
        }
    }
    let parting: Vec<Box<dyn Render>> = vec![Box::new(value::blank())]; // ⟦ ref Render type ; call value.blank from main ⟧
    println!("{}", value::longest(&parting)); // ⟦ call longest from main ⟧
}
