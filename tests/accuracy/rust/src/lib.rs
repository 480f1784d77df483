//! A small language of sums and names.

pub mod lexer;
pub mod render;
pub mod runtime;
pub mod syntax;

pub use lexer::scan; // ⟦ ref lexer.scan import ⟧
pub use runtime::value::Value; // ⟦ ref Value import ⟧
pub use runtime::Interpreter; // ⟦ ref Interpreter import ⟧
pub use syntax::parse as parse_program; // ⟦ ref parser.parse import ⟧
