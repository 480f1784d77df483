//! Detects whether an arbitrary text clearly uses the syntax of keyword queries.

use super::has_words;
use super::lexer::{Token, TokenKind, tokens};
use crate::search::printed_message::is_question;

/// So many words beside a quoted one are a sentence.
const SENTENCE: usize = 3;

/// Returns whether a text has upper-case operators between words, a known field before its value, or a quoted phrase, and
/// nothing that looks like code, an ordinary question or a message. In doubt the answer is no.
pub fn has_operators(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let tokens = tokens(&letters);
    if tokens.iter().any(is_code) || is_all_caps_statement(&tokens) {
        return false;
    }
    let is_prose = is_question(text) || is_sentence(&tokens);
    (0..tokens.len()).any(|at| match &tokens[at].kind {
        TokenKind::And | TokenKind::Or => {
            at > 0 && ends_operand(&tokens[at - 1]) && begins_operand(tokens.get(at + 1))
        }
        // `NOT` at the start is more likely an emphasised word.
        TokenKind::Not => at > 0 && begins_operand(tokens.get(at + 1)),
        TokenKind::Field(_) => tokens
            .get(at + 1)
            .is_some_and(|value| is_complete(&value.kind)),
        TokenKind::Phrase { text, stands_alone } => *stands_alone && has_words(text) && !is_prose,
        _ => false,
    })
}

fn begins_operand(token: Option<&Token>) -> bool {
    token.is_some_and(|token| {
        !matches!(
            token.kind,
            TokenKind::And | TokenKind::Or | TokenKind::Close
        )
    })
}

fn ends_operand(token: &Token) -> bool {
    matches!(
        token.kind,
        TokenKind::Word(_) | TokenKind::Phrase { .. } | TokenKind::Close
    )
}

/// Returns whether quotes are part of a sentence, such as a message with a value: `cannot open "a.txt" for reading`.
fn is_sentence(tokens: &[Token]) -> bool {
    let plain = tokens.iter().filter_map(|token| match &token.kind {
        TokenKind::Word(word) => Some(word),
        _ => None,
    });
    let introduces = |pair: &[Token]| match (&pair[0].kind, &pair[1].kind) {
        (TokenKind::Word(word), TokenKind::Phrase { .. }) => word.ends_with(':'),
        _ => false,
    };
    plain.count() >= SENTENCE || tokens.windows(2).any(introduces)
}

/// Returns whether a token is code: punctuation alone, an assignment, the end of a statement, the start of a block.
fn is_code(token: &Token) -> bool {
    let TokenKind::Word(word) = &token.kind else {
        return false;
    };
    !has_words(word)
        || word.contains('=')
        || word.ends_with([';', '{'])
        || word.starts_with(['#', '<', '{', '}'])
}

/// Returns whether a text is a statement in capitals with an `AND` of its own: `WHERE a IS NOT NULL AND …`.
fn is_all_caps_statement(tokens: &[Token]) -> bool {
    let is_all_caps =
        |word: &str| word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase());
    let capitals = tokens
        .iter()
        .filter(|token| matches!(&token.kind, TokenKind::Word(word) if is_all_caps(word)))
        .count();
    let side_by_side = tokens.windows(2).any(|pair| {
        ends_operand(&pair[0])
            && !matches!(
                pair[1].kind,
                TokenKind::And | TokenKind::Or | TokenKind::Close
            )
    });
    capitals > 1 && side_by_side
}

/// Returns whether the brackets of a value pair up, and it does not end as code does: `path:&str,`.
fn is_complete(value: &TokenKind) -> bool {
    let TokenKind::Word(word) = value else {
        return true;
    };
    let count = |bracket: char| word.matches(bracket).count();
    let pairs = [('(', ')'), ('{', '}'), ('[', ']')];
    pairs
        .iter()
        .all(|&(open, close)| count(open) == count(close))
        && !word.ends_with([',', ';', ':'])
}
