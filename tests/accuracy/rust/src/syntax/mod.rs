//! What programs look like.

mod parser;
pub mod tree;

pub use parser::*;
pub use tree::{Expr, Op as Operator}; // ⟦ ref Expr import ; ref Op import ⟧
