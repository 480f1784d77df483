//! Reads sums, one a line, and prints what they come to.

mod count;
mod lexer;
mod parser;
mod source;

use std::process::ExitCode;

use count::Counter;
use parser::Parser;
use source::{FileSource, Source, Words};

/// Where the sums come from: a file that is named, or the words themselves.
fn choose(arguments: &[String]) -> Box<dyn Source> {
    match arguments {
        [flag, path] if flag == "--file" => Box::new(FileSource::new(path)),
        words => Box::new(Words::new(words)),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut source = choose(&arguments);
    let mut counter = Counter::default();
    let mut failed = false;
    while let Some(line) = source.next_line() {
        counter.add(&line);
        match Parser::new(&line).parse() {
            Ok(tree) => println!("{line} = {}", tree.value()),
            Err(error) => {
                failed = true;
                eprintln!("{line}: {error}");
            }
        }
    }
    if arguments.is_empty() {
        eprintln!("usage: engine 1 + 2, or engine --file PATH");
    }
    eprintln!("{} tokens in all", counter.total());
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
