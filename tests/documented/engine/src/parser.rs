//! Makes a tree of tokens: sums of products of numbers and of what stands in brackets.

use crate::lexer::{Lexer, Token};

/// A sum as a tree.
#[derive(Debug, PartialEq)]
pub enum Tree {
    Number(f64),
    Both(Box<Tree>, Sign, Box<Tree>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sign {
    Plus,
    Minus,
    Times,
    Over,
}

impl Tree {
    /// What it comes to.
    pub fn value(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Both(left, sign, right) => {
                let (left, right) = (left.value(), right.value());
                match sign {
                    Sign::Plus => left + right,
                    Sign::Minus => left - right,
                    Sign::Times => left * right,
                    Sign::Over => left / right,
                }
            }
        }
    }
}

pub struct Parser<'a> {
    lexer: Lexer<'a>,
    ahead: Option<Token>,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let ahead = lexer.next();
        Self { lexer, ahead }
    }

    /// Parses the whole text.
    pub fn parse(&mut self) -> Result<Tree, String> {
        let tree = self.sum()?;
        match self.next() {
            None => Ok(tree),
            Some(token) => Err(format!("`{token:?}` is one too many")),
        }
    }

    /// Takes the token ahead, and looks one further.
    fn next(&mut self) -> Option<Token> {
        std::mem::replace(&mut self.ahead, self.lexer.next())
    }

    fn sum(&mut self) -> Result<Tree, String> {
        let mut tree = self.product()?;
        while let Some(sign) = self.sign(&[('+', Sign::Plus), ('-', Sign::Minus)]) {
            tree = Tree::Both(Box::new(tree), sign, Box::new(self.product()?));
        }
        Ok(tree)
    }

    fn product(&mut self) -> Result<Tree, String> {
        let mut tree = self.factor()?;
        while let Some(sign) = self.sign(&[('*', Sign::Times), ('/', Sign::Over)]) {
            tree = Tree::Both(Box::new(tree), sign, Box::new(self.factor()?));
        }
        Ok(tree)
    }

    fn factor(&mut self) -> Result<Tree, String> {
        match self.next() {
            Some(Token::Number(number)) => Ok(Tree::Number(number)),
            Some(Token::Sign('(')) => {
                let tree = self.sum()?;
                match self.next() {
                    Some(Token::Sign(')')) => Ok(tree),
                    _ => Err("a bracket is not closed".to_owned()),
                }
            }
            Some(token) => Err(format!("`{token:?}` is no number")),
            None => Err("it ends too early".to_owned()),
        }
    }

    /// The sign ahead, if it is one of these.
    fn sign(&mut self, wanted: &[(char, Sign)]) -> Option<Sign> {
        let Some(Token::Sign(letter)) = self.ahead else { return None };
        let (_, sign) = wanted.iter().find(|(known, _)| *known == letter)?;
        self.next();
        Some(*sign)
    }
}
