//! From tokens to trees.

use super::tree::{Expr, Op}; // ⟦ ref Expr import ; ref Op import ⟧
use crate::lexer::{self, Token}; // ⟦ ref Token import ⟧

pub struct Parser { // ⟦ def Parser ⟧
    tokens: Vec<Token>, // ⟦ def Parser.tokens ; ref Token type ⟧
    position: usize, // ⟦ def Parser.position ⟧
}

impl Parser { // ⟦ ref Parser type ⟧
    pub fn new(tokens: Vec<Token>) -> Parser { // ⟦ def Parser.new ; ref Token type ; ref Parser type ⟧
        Parser { tokens, position: 0 } // ⟦ call Parser from Parser.new ; ref Parser.tokens write ; ref Parser.position write ⟧
    }

    fn peek(&self) -> &Token { // ⟦ def Parser.peek ; ref Token type ⟧
        &self.tokens[self.position] // ⟦ ref Parser.tokens read ; ref Parser.position read ⟧
    }

    fn advance(&mut self) -> Token { // ⟦ def Parser.advance ; ref Token type ⟧
        let token = self.peek().clone(); // ⟦ call Parser.peek from Parser.advance ⟧
        self.position = (self.position + 1).min(self.tokens.len() - 1); // ⟦ ref Parser.position write ; ref Parser.tokens read ⟧
        token
    }

    fn operator(&self) -> Option<Op> { // ⟦ def Parser.operator ; ref Op type ⟧
        match self.peek() { // ⟦ call Parser.peek from Parser.operator ⟧
            Token::Symbol(sign) => Op::from_symbol(*sign), // ⟦ ref Token read ; ref Token.Symbol read ; ref Op read ; call Op.from_symbol from Parser.operator ⟧
            _ => None,
        }
    }

    pub fn expression(&mut self) -> Option<Expr> { // ⟦ def Parser.expression ; ref Expr type ⟧
        let mut left = self.factor()?; // ⟦ call Parser.factor from Parser.expression ⟧
        while let Some(op) = self.operator() { // ⟦ call Parser.operator from Parser.expression ⟧
            self.advance(); // ⟦ call Parser.advance from Parser.expression ⟧
            let right = self.factor()?; // ⟦ call Parser.factor from Parser.expression ⟧
            left = Expr::Binary { op, left: Box::new(left), right: Box::new(right) }; // ⟦ ref Expr read ; call Expr.Binary from Parser.expression ⟧
        }
        Some(left)
    }

    fn factor(&mut self) -> Option<Expr> { // ⟦ def Parser.factor ; ref Expr type ⟧
        match self.advance() { // ⟦ call Parser.advance from Parser.factor ⟧
            Token::Number(number) => Some(Expr::Number(number)), // ⟦ ref Token read ; ref Token.Number read ; ref Expr read ; call Expr.Number from Parser.factor ⟧
            Token::Name(name) if *self.peek() == Token::Symbol('(') => { // ⟦ ref Token read ; ref Token.Name read ; call Parser.peek from Parser.factor ; call Token.Symbol from Parser.factor ⟧
                self.advance(); // ⟦ call Parser.advance from Parser.factor ⟧
                Some(Expr::Call(name, self.arguments()?)) // ⟦ ref Expr read ; call Expr.Call from Parser.factor ; call Parser.arguments from Parser.factor ⟧
            }
            Token::Name(name) => Some(Expr::Name(name)), // ⟦ ref Token read ; ref Token.Name read ; ref Expr read ; call Expr.Name from Parser.factor ⟧
            _ => None,
        }
    }

    fn arguments(&mut self) -> Option<Vec<Expr>> { // ⟦ def Parser.arguments ; ref Expr type ⟧
        let mut found = vec![self.expression()?]; // ⟦ call Parser.expression from Parser.arguments ⟧
        while self.advance() == Token::Symbol(',') { // ⟦ call Parser.advance from Parser.arguments ; ref Token read ; call Token.Symbol from Parser.arguments ⟧
            found.push(self.expression()?); // ⟦ call Parser.expression from Parser.arguments ⟧
        }
        Some(found)
    }
}

pub fn parse(text: &str) -> Option<Expr> { // ⟦ def parser.parse ; ref Expr type ⟧
    let tokens = lexer::scan(text).ok()?; // ⟦ call lexer.scan from parser.parse ⟧
    Parser::new(tokens).expression() // ⟦ ref Parser read ; call Parser.new from parser.parse ; call Parser.expression from parser.parse ⟧
}
