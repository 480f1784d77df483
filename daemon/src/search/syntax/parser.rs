//! From tokens to an expression.

use super::error::{Problem, QueryError};
use super::lexer::{Kind, Token, tokens};
use super::{Expr, Field, Term, has_words};

/// Groups inside of groups. Nobody writes as many, and each costs stack.
const DEEPEST: usize = 32;

/// What a query says.
///
/// # Errors
/// Says where the query goes wrong, and what may have been meant.
pub fn parse(text: &str) -> Result<Expr, QueryError> {
    let letters: Vec<char> = text.chars().collect();
    read(&letters).map_err(|fault| {
        let corrected = fault
            .correct(&letters)
            .filter(|letters| read(letters).is_ok());
        let suggestion = corrected.map(|letters| letters.into_iter().collect());
        QueryError {
            problem: fault.problem,
            position: fault.start + 1,
            suggestion,
        }
    })
}

fn read(letters: &[char]) -> Result<Expr, Fault> {
    let tokens = tokens(letters);
    let whole = |problem| Fault {
        problem,
        start: 0,
        end: 0,
    };
    if tokens.is_empty() {
        return Err(whole(Problem::Empty));
    }
    let has_operators = tokens
        .iter()
        .any(|token| matches!(token.kind, Kind::And | Kind::Or | Kind::Not));
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        depth: 0,
    };
    let expr = if has_operators {
        parser.either(Field::Any)?
    } else {
        parser.ranked()?
    };
    if let Some(token) = parser.peek() {
        return Err(Fault::at(token, Problem::Unopened));
    }
    let expr = expr.ok_or_else(|| whole(Problem::NoWords))?;
    if expr.terms().is_empty() {
        Err(whole(Problem::OnlyDenials))
    } else {
        Ok(expr)
    }
}

/// What is wrong with which characters.
struct Fault {
    problem: Problem,
    start: usize,
    end: usize,
}

impl Fault {
    fn at(token: &Token, problem: Problem) -> Self {
        Self {
            problem,
            start: token.start,
            end: token.end,
        }
    }

    /// The query with the least change that may mend it.
    fn correct(&self, letters: &[char]) -> Option<Vec<char>> {
        let (before, behind) = (&letters[..self.start], &letters[self.end..]);
        match self.problem {
            Problem::NothingBefore(_) | Problem::NothingBehind(_) | Problem::Unopened => {
                let [before, behind] = [before, behind].map(|part| part.iter().collect::<String>());
                Some(
                    format!("{} {}", before.trim(), behind.trim())
                        .trim()
                        .chars()
                        .collect(),
                )
            }
            Problem::EmptyField => {
                let [before, field] = [before, &letters[self.start..self.end]]
                    .map(|part| part.iter().collect::<String>());
                let value = behind.iter().collect::<String>();
                let has_value = field.ends_with(':')
                    && value.trim_start().starts_with(char::is_alphanumeric)
                    && !matches!(value.split_whitespace().next(), Some("AND" | "OR" | "NOT"));
                let field = if has_value { field.as_str() } else { "" };
                Some(
                    format!("{before}{field}{}", value.trim_start())
                        .trim()
                        .chars()
                        .collect(),
                )
            }
            Problem::UnknownField(meant) => Some(
                before
                    .iter()
                    .copied()
                    .chain(meant.chars())
                    .chain([':'])
                    .chain(behind.iter().copied())
                    .collect(),
            ),
            Problem::Unclosed => Some(letters.iter().copied().chain([')']).collect()),
            Problem::Empty | Problem::NoWords | Problem::OnlyDenials | Problem::TooDeep => None,
        }
    }
}

/// Where an operand may stand there may be none: signs without words are text that says nothing.
type Part = Result<Option<Expr>, Fault>;

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    /// Whether no operand begins here.
    fn is_at_end(&self) -> bool {
        self.peek()
            .is_none_or(|token| matches!(token.kind, Kind::And | Kind::Or | Kind::Close))
    }

    /// A query without operators: words rank, all else filters.
    fn ranked(&mut self) -> Part {
        let (mut filters, mut words) = (vec![], vec![]);
        let mut is_demanded = false;
        while let Some(token) = self.peek().filter(|token| token.kind != Kind::Close) {
            let part = self.signed(Field::Any)?;
            match (&token.kind, part) {
                (Kind::Word(_), Some(Expr::Term(term))) => words.push(term),
                (kind, part) => {
                    is_demanded |=
                        part.is_some() && matches!(kind, Kind::Phrase { .. } | Kind::Plus);
                    filters.extend(part);
                }
            }
        }
        if is_demanded && !words.is_empty() {
            filters.push(Expr::Optional(words));
        } else if words.len() == 1 {
            filters.extend(words.into_iter().map(Expr::Term));
        } else if !words.is_empty() {
            filters.push(Expr::Words(words));
        }
        Ok(joined(filters, Expr::All))
    }

    fn either(&mut self, field: Field) -> Part {
        let mut parts = vec![];
        loop {
            parts.extend(self.both(field)?);
            let Some(operator) = self.peek().filter(|token| token.kind == Kind::Or) else {
                return Ok(joined(parts, Expr::Any));
            };
            self.operator(operator, "OR")?;
        }
    }

    fn both(&mut self, field: Field) -> Part {
        let mut parts = vec![];
        let begin = self.at;
        loop {
            match self.peek() {
                Some(Token {
                    kind: Kind::And, ..
                }) if self.at == begin => return self.nothing_before("AND"),
                Some(Token { kind: Kind::Or, .. }) if self.at == begin => {
                    return self.nothing_before("OR");
                }
                Some(
                    operator @ Token {
                        kind: Kind::And, ..
                    },
                ) => self.operator(operator, "AND")?,
                _ if self.is_at_end() => return Ok(joined(parts, Expr::All)),
                _ => parts.extend(self.signed(field)?),
            }
        }
    }

    fn nothing_before(&self, operator: &'static str) -> Part {
        let token = &self.tokens[self.at];
        Err(Fault::at(token, Problem::NothingBefore(operator)))
    }

    /// Takes an operator, behind which an operand must begin.
    fn operator(&mut self, token: &Token, word: &'static str) -> Result<(), Fault> {
        self.at += 1;
        if self.is_at_end() {
            Err(Fault::at(token, Problem::NothingBehind(word)))
        } else {
            Ok(())
        }
    }

    /// An operand with the signs before it.
    fn signed(&mut self, field: Field) -> Part {
        let mut is_denied = false;
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Not => self.operator(token, "NOT")?,
                Kind::Minus | Kind::Plus => self.at += 1,
                _ => break,
            }
            is_denied ^= token.kind != Kind::Plus;
        }
        let operand = self.operand(field)?;
        Ok(if is_denied {
            operand.map(|operand| Expr::Not(Box::new(operand)))
        } else {
            operand
        })
    }

    fn operand(&mut self, outer: Field) -> Part {
        let mut field = outer;
        while let Some(token) = self.peek() {
            self.at += 1;
            return match &token.kind {
                Kind::Field(inner) => {
                    field = *inner;
                    continue;
                }
                Kind::EmptyField => Err(Fault::at(token, Problem::EmptyField)),
                Kind::NearField(meant) => Err(Fault::at(token, Problem::UnknownField(meant))),
                Kind::Open => self.group(token, field),
                Kind::Word(text) => Ok(word(field, text, token)),
                Kind::Phrase { text, .. } if field != outer && !has_words(text) => {
                    let field = &self.tokens[self.at - 2];
                    Err(Fault {
                        problem: Problem::EmptyField,
                        start: field.start,
                        end: token.end,
                    })
                }
                Kind::Phrase { text, .. } => Ok(phrase(field, text, token)),
                Kind::And | Kind::Or | Kind::Not | Kind::Minus | Kind::Plus | Kind::Close => {
                    Ok(None)
                }
            };
        }
        Ok(None)
    }

    fn group(&mut self, open: &Token, field: Field) -> Part {
        if self.depth == DEEPEST {
            return Err(Fault::at(open, Problem::TooDeep));
        }
        self.depth += 1;
        let inside = self.either(field)?;
        self.depth -= 1;
        match self.peek() {
            Some(Token {
                kind: Kind::Close, ..
            }) => {
                self.at += 1;
                Ok(inside)
            }
            _ => Err(Fault::at(open, Problem::Unclosed)),
        }
    }
}

fn phrase(field: Field, text: &str, token: &Token) -> Option<Expr> {
    let term = || Term {
        field,
        text: text.to_owned(),
        is_phrase: true,
        position: token.start + 2,
    };
    has_words(text).then(|| Expr::Term(term()))
}

fn word(field: Field, written: &str, token: &Token) -> Option<Expr> {
    let text = plain(written);
    let before = written
        .split(text)
        .next()
        .unwrap_or_default()
        .chars()
        .count();
    let term = || Term {
        field,
        text: text.to_owned(),
        is_phrase: false,
        position: token.start + 1 + before,
    };
    has_words(text).then(|| Expr::Term(term()))
}

/// A word without the signs that a sentence has around words: `red,` and `[red]` ask for `red`. What code has at the ends
/// of names stays, as in `main()`, `vec!`, `{id}` and `std::`.
fn plain(written: &str) -> &str {
    const PAIRS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('\'', '\''), ('`', '`')];
    let mut text = written;
    loop {
        let mut inner = text.trim_end_matches([',', ';', '.', '?']);
        inner = inner
            .strip_suffix(':')
            .filter(|rest| !rest.ends_with(':'))
            .unwrap_or(inner);
        inner = PAIRS
            .iter()
            .find_map(|(open, close)| inner.strip_prefix(*open)?.strip_suffix(*close))
            .unwrap_or(inner);
        if inner == text || !has_words(inner) {
            return text;
        }
        text = inner;
    }
}

/// Several parts under an operator; one stands for itself.
fn joined(mut parts: Vec<Expr>, operator: fn(Vec<Expr>) -> Expr) -> Option<Expr> {
    if parts.len() > 1 {
        Some(operator(parts))
    } else {
        parts.pop()
    }
}
