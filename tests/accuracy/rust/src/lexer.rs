//! Turns text into tokens.

/// A name may not be longer than NAME_LIMIT signs.
pub const NAME_LIMIT: usize = 32; // ⟦ def NAME_LIMIT ⟧

#[derive(Debug, Clone, PartialEq)]
pub enum Token { // ⟦ def Token ⟧
    Number(f64), // ⟦ def Token.Number ⟧
    Name(String), // ⟦ def Token.Name ⟧
    Symbol(char), // ⟦ def Token.Symbol ⟧
    End, // ⟦ def Token.End ⟧
}

#[derive(Debug)]
pub struct LexError { // ⟦ def LexError ; impl LexError of Render ⟧
    pub position: usize, // ⟦ def LexError.position ⟧
}

pub struct Lexer<'a> { // ⟦ def Lexer ⟧
    text: &'a str, // ⟦ def Lexer.text ⟧
    position: usize, // ⟦ def Lexer.position ⟧
}

impl<'a> Lexer<'a> { // ⟦ ref Lexer type ⟧
    pub fn new(text: &'a str) -> Self { // ⟦ def Lexer.new ; may Lexer ⟧
        Lexer { text, position: 0 } // ⟦ call Lexer from Lexer.new ; ref Lexer.text write ; ref Lexer.position write ⟧
    }

    pub fn behind(&self, length: usize) -> Self { // ⟦ def Lexer.behind ; may Lexer ⟧
        Self { text: &self.text[length..], ..Self::new(self.text) } // ⟦ call Lexer from Lexer.behind ; ref Lexer.text ; call Lexer.new from Lexer.behind ⟧
    }

    fn peek(&self) -> Option<char> { // ⟦ def Lexer.peek ⟧
        self.text[self.position..].chars().next() // ⟦ ref Lexer.text read ; ref Lexer.position read ⟧
    }

    fn advance(&mut self) { // ⟦ def Lexer.advance ⟧
        if let Some(sign) = self.peek() { // ⟦ call Lexer.peek from Lexer.advance ⟧
            self.position += sign.len_utf8(); // ⟦ ref Lexer.position write ⟧
        }
    }

    fn take(&mut self, accept: fn(char) -> bool) -> &'a str { // ⟦ def Lexer.take ⟧
        let start = self.position; // ⟦ ref Lexer.position read ⟧
        while self.peek().is_some_and(accept) { // ⟦ call Lexer.peek from Lexer.take ⟧
            self.advance(); // ⟦ call Lexer.advance from Lexer.take ⟧
        }
        &self.text[start..self.position] // ⟦ ref Lexer.text read ; ref Lexer.position read ⟧
    }

    /// The next token; not the `next` of an iterator, since it may fail.
    pub fn next(&mut self) -> Result<Token, LexError> { // ⟦ def Lexer.next ; ref Token type ; ref LexError type ⟧
        self.take(char::is_whitespace); // ⟦ call Lexer.take from Lexer.next ⟧
        let Some(sign) = self.peek() else { // ⟦ call Lexer.peek from Lexer.next ⟧
            return Ok(Token::End); // ⟦ ref Token read ; ref Token.End read ⟧
        };
        if sign.is_ascii_digit() {
            let digits = self.take(is_digit); // ⟦ call Lexer.take from Lexer.next ; ref is_digit read ⟧
            return digits.parse().map(Token::Number).map_err(|_| self.error()); // ⟦ ref Token read ; ref Token.Number read ; call Lexer.error from Lexer.next ⟧
        }
        if is_name(sign) { // ⟦ call is_name from Lexer.next ⟧
            let name = self.take(is_name); // ⟦ call Lexer.take from Lexer.next ; ref is_name read ⟧
            if name.len() > NAME_LIMIT { // ⟦ ref NAME_LIMIT read ⟧
                return Err(self.error()); // ⟦ call Lexer.error from Lexer.next ⟧
            }
            return Ok(Token::Name(name.to_owned())); // ⟦ ref Token read ; call Token.Name from Lexer.next ⟧
        }
        self.advance(); // ⟦ call Lexer.advance from Lexer.next ⟧
        Ok(Token::Symbol(sign)) // ⟦ ref Token read ; call Token.Symbol from Lexer.next ⟧
    }

    fn error(&self) -> LexError { // ⟦ def Lexer.error ; ref LexError type ⟧
        LexError { position: self.position } // ⟦ call LexError from Lexer.error ; ref LexError.position write ; ref Lexer.position read ⟧
    }
}

fn is_digit(sign: char) -> bool { // ⟦ def is_digit ⟧
    sign.is_ascii_digit() || sign == '.'
}

fn is_name(sign: char) -> bool { // ⟦ def is_name ⟧
    sign.is_alphanumeric() || sign == '_'
}

pub fn scan(text: &str) -> Result<Vec<Token>, LexError> { // ⟦ def lexer.scan ; ref Token type ; ref LexError type ⟧
    let mut lexer = Lexer::new(text); // ⟦ ref Lexer read ; call Lexer.new from lexer.scan ⟧
    let mut tokens = vec![lexer.next()?]; // ⟦ call Lexer.next from lexer.scan ⟧
    while tokens.last() != Some(&Token::End) { // ⟦ ref Token read ; ref Token.End read ⟧
        tokens.push(lexer.next()?); // ⟦ call Lexer.next from lexer.scan ⟧
    }
    Ok(tokens)
}
