//! The tree of an expression.

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Op { // ⟦ def Op ⟧
    Plus, // ⟦ def Op.Plus ⟧
    Minus, // ⟦ def Op.Minus ⟧
    Times, // ⟦ def Op.Times ⟧
}

impl Op { // ⟦ ref Op type ⟧
    pub const ALL: [Op; 3] = [Op::Plus, Op::Minus, Op::Times]; // ⟦ def Op.ALL ; ref Op ; ref Op.Plus read ; ref Op.Minus read ; ref Op.Times read ⟧

    pub fn symbol(self) -> char { // ⟦ def Op.symbol ⟧
        match self {
            Op::Plus => '+', // ⟦ ref Op read ; ref Op.Plus read ⟧
            Op::Minus => '-', // ⟦ ref Op read ; ref Op.Minus read ⟧
            Self::Times => '*', // ⟦ may Op ; ref Op.Times read ⟧
        }
    }

    pub fn from_symbol(symbol: char) -> Option<Op> { // ⟦ def Op.from_symbol ; ref Op type ⟧
        Op::ALL.into_iter().find(|op| op.symbol() == symbol) // ⟦ ref Op read ; ref Op.ALL read ; call Op.symbol from Op.from_symbol ⟧
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Expr { // ⟦ def Expr ⟧
    Number(f64), // ⟦ def Expr.Number ⟧
    Name(String), // ⟦ def Expr.Name ⟧
    Call(String, Vec<Expr>), // ⟦ def Expr.Call ; ref Expr type ⟧
    Binary { op: Op, left: Box<Expr>, right: Box<Expr> }, // ⟦ def Expr.Binary ; ref Op type ; ref Expr type ⟧
}

impl Expr { // ⟦ ref Expr type ⟧
    pub fn depth(&self) -> usize { // ⟦ def Expr.depth ⟧
        match self {
            Expr::Number(_) | Expr::Name(_) => 1, // ⟦ ref Expr read ; ref Expr.Number read ; ref Expr.Name read ⟧
            Expr::Call(_, arguments) => 1 + arguments.iter().map(Expr::depth).max().unwrap_or(0), // ⟦ ref Expr read ; ref Expr.Call read ; ref Expr.depth read ⟧
            Expr::Binary { left, right, .. } => 1 + left.depth().max(right.depth()), // ⟦ ref Expr read ; ref Expr.Binary read ; call Expr.depth from Expr.depth ⟧
        }
    }
}
