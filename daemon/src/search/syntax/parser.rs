//! Parses tokens into an expression, with suggestions for mistakes.

use super::error::{QueryError, QueryProblem};
use super::lexer::{Token, TokenKind, tokens};
use super::{Expr, Field, Term, has_words};

/// The deepest nesting of groups, since each level uses stack.
const DEEPEST: usize = 32;

/// Parses a query.
///
/// Returns the position of the mistake, and a corrected query if there is one.
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
        return Err(whole(QueryProblem::Empty));
    }
    let has_operators = tokens
        .iter()
        .any(|token| matches!(token.kind, TokenKind::And | TokenKind::Or | TokenKind::Not));
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
        return Err(Fault::at(token, QueryProblem::Unopened));
    }
    let expr = expr.ok_or_else(|| whole(QueryProblem::NoWords))?;
    if expr.terms().is_empty() {
        Err(whole(QueryProblem::OnlyNegations))
    } else {
        Ok(expr)
    }
}

/// A problem, and the range of characters that it concerns.
struct Fault {
    problem: QueryProblem,
    start: usize,
    end: usize,
}

impl Fault {
    fn at(token: &Token, problem: QueryProblem) -> Self {
        Self {
            problem,
            start: token.start,
            end: token.end,
        }
    }

    /// Returns the query with the smallest change that may correct it.
    fn correct(&self, letters: &[char]) -> Option<Vec<char>> {
        let (before, after) = (&letters[..self.start], &letters[self.end..]);
        match self.problem {
            QueryProblem::NothingBefore(_)
            | QueryProblem::NothingAfter(_)
            | QueryProblem::Unopened => {
                let [before, after] = [before, after].map(|part| part.iter().collect::<String>());
                Some(
                    format!("{} {}", before.trim(), after.trim())
                        .trim()
                        .chars()
                        .collect(),
                )
            }
            QueryProblem::EmptyField => {
                let [before, field] = [before, &letters[self.start..self.end]]
                    .map(|part| part.iter().collect::<String>());
                let value = after.iter().collect::<String>();
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
            QueryProblem::UnknownField(meant) => Some(
                before
                    .iter()
                    .copied()
                    .chain(meant.chars())
                    .chain([':'])
                    .chain(after.iter().copied())
                    .collect(),
            ),
            QueryProblem::Unclosed => Some(letters.iter().copied().chain([')']).collect()),
            QueryProblem::Empty
            | QueryProblem::NoWords
            | QueryProblem::OnlyNegations
            | QueryProblem::TooDeep => None,
        }
    }
}

/// An operand, or `None` for punctuation without words.
type Operand = Result<Option<Expr>, Fault>;

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    /// Returns whether no operand begins here.
    fn is_at_end(&self) -> bool {
        self.peek().is_none_or(|token| {
            matches!(
                token.kind,
                TokenKind::And | TokenKind::Or | TokenKind::Close
            )
        })
    }

    /// Parses a query without operators: words rank, everything else filters.
    fn ranked(&mut self) -> Operand {
        let (mut filters, mut words) = (vec![], vec![]);
        let mut has_required = false;
        while let Some(token) = self.peek().filter(|token| token.kind != TokenKind::Close) {
            let part = self.signed(Field::Any)?;
            match (&token.kind, part) {
                (TokenKind::Word(_), Some(Expr::Term(term))) => words.push(term),
                (kind, part) => {
                    has_required |= part.is_some()
                        && matches!(kind, TokenKind::Phrase { .. } | TokenKind::Plus);
                    filters.extend(part);
                }
            }
        }
        if has_required && !words.is_empty() {
            filters.push(Expr::Optional(words));
        } else if words.len() == 1 {
            filters.extend(words.into_iter().map(Expr::Term));
        } else if !words.is_empty() {
            filters.push(Expr::Words(words));
        }
        Ok(join(filters, Expr::All))
    }

    fn either(&mut self, field: Field) -> Operand {
        let mut parts = vec![];
        loop {
            parts.extend(self.both(field)?);
            let Some(operator) = self.peek().filter(|token| token.kind == TokenKind::Or) else {
                return Ok(join(parts, Expr::Any));
            };
            self.operator(operator, "OR")?;
        }
    }

    fn both(&mut self, field: Field) -> Operand {
        let mut parts = vec![];
        let begin = self.at;
        loop {
            match self.peek() {
                Some(Token {
                    kind: TokenKind::And,
                    ..
                }) if self.at == begin => return self.nothing_before("AND"),
                Some(Token {
                    kind: TokenKind::Or,
                    ..
                }) if self.at == begin => {
                    return self.nothing_before("OR");
                }
                Some(
                    operator @ Token {
                        kind: TokenKind::And,
                        ..
                    },
                ) => self.operator(operator, "AND")?,
                _ if self.is_at_end() => return Ok(join(parts, Expr::All)),
                _ => parts.extend(self.signed(field)?),
            }
        }
    }

    fn nothing_before(&self, operator: &'static str) -> Operand {
        let token = &self.tokens[self.at];
        Err(Fault::at(token, QueryProblem::NothingBefore(operator)))
    }

    /// Consumes an operator, which an operand must follow.
    fn operator(&mut self, token: &Token, word: &'static str) -> Result<(), Fault> {
        self.at += 1;
        if self.is_at_end() {
            Err(Fault::at(token, QueryProblem::NothingAfter(word)))
        } else {
            Ok(())
        }
    }

    /// Parses an operand with `NOT`, `-` and `+` before it.
    fn signed(&mut self, field: Field) -> Operand {
        let mut is_negated = false;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Not => self.operator(token, "NOT")?,
                TokenKind::Minus | TokenKind::Plus => self.at += 1,
                _ => break,
            }
            is_negated ^= token.kind != TokenKind::Plus;
        }
        let operand = self.operand(field)?;
        Ok(if is_negated {
            operand.map(|operand| Expr::Not(Box::new(operand)))
        } else {
            operand
        })
    }

    fn operand(&mut self, outer: Field) -> Operand {
        let mut field = outer;
        while let Some(token) = self.peek() {
            self.at += 1;
            return match &token.kind {
                TokenKind::Field(inner) => {
                    field = *inner;
                    continue;
                }
                TokenKind::EmptyField => Err(Fault::at(token, QueryProblem::EmptyField)),
                TokenKind::MisspeltField(meant) => {
                    Err(Fault::at(token, QueryProblem::UnknownField(meant)))
                }
                TokenKind::Open => self.group(token, field),
                TokenKind::Word(text) => Ok(word(field, text, token)),
                TokenKind::Phrase { text, .. } if field != outer && !has_words(text) => {
                    let field = &self.tokens[self.at - 2];
                    Err(Fault {
                        problem: QueryProblem::EmptyField,
                        start: field.start,
                        end: token.end,
                    })
                }
                TokenKind::Phrase { text, .. } => Ok(phrase(field, text, token)),
                TokenKind::And
                | TokenKind::Or
                | TokenKind::Not
                | TokenKind::Minus
                | TokenKind::Plus
                | TokenKind::Close => Ok(None),
            };
        }
        Ok(None)
    }

    fn group(&mut self, open: &Token, field: Field) -> Operand {
        if self.depth == DEEPEST {
            return Err(Fault::at(open, QueryProblem::TooDeep));
        }
        self.depth += 1;
        let inside = self.either(field)?;
        self.depth -= 1;
        match self.peek() {
            Some(Token {
                kind: TokenKind::Close,
                ..
            }) => {
                self.at += 1;
                Ok(inside)
            }
            _ => Err(Fault::at(open, QueryProblem::Unclosed)),
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
    let text = strip_punctuation(written);
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

/// Strips the punctuation of sentences from a word: `red,` and `[red]` are `red`. Punctuation of code stays: `main()`,
/// `vec!`, `{id}`, `std::`.
fn strip_punctuation(written: &str) -> &str {
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

/// Joins parts by an operator; one part needs none.
fn join(mut parts: Vec<Expr>, operator: fn(Vec<Expr>) -> Expr) -> Option<Expr> {
    if parts.len() > 1 {
        Some(operator(parts))
    } else {
        parts.pop()
    }
}
