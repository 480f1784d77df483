//! Whether a text that may be anything clearly uses the language of queries.

use super::has_words;
use super::lexer::{Kind, Token, tokens};

const QUESTIONS: &[&str] = &[
    "how", "what", "where", "why", "when", "which", "who", "does", "is", "are", "can",
];

/// True only where upper-case operators stand between words, a known field before its value, or a phrase between
/// quotes, and nothing around them looks like code or an ordinary question. Where in doubt a text is just text.
pub fn has_operators(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let tokens = tokens(&letters);
    if tokens.iter().any(is_code) || is_shouted(&tokens) {
        return false;
    }
    let is_question = is_question(text);
    (0..tokens.len()).any(|at| match &tokens[at].kind {
        Kind::And | Kind::Or => {
            at > 0 && ends_operand(&tokens[at - 1]) && begins_operand(tokens.get(at + 1))
        }
        // `NOT` alone at the beginning is a word that somebody stressed.
        Kind::Not => at > 0 && begins_operand(tokens.get(at + 1)),
        Kind::Field(_) => tokens
            .get(at + 1)
            .is_some_and(|value| is_whole(&value.kind)),
        Kind::Phrase { text, stands_alone } => *stands_alone && has_words(text) && !is_question,
        _ => false,
    })
}

fn begins_operand(token: Option<&Token>) -> bool {
    token.is_some_and(|token| !matches!(token.kind, Kind::And | Kind::Or | Kind::Close))
}

fn ends_operand(token: &Token) -> bool {
    matches!(
        token.kind,
        Kind::Word(_) | Kind::Phrase { .. } | Kind::Close
    )
}

fn is_question(text: &str) -> bool {
    let first = text
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    text.trim_end().ends_with('?') || QUESTIONS.contains(&first.as_str())
}

/// Signs that stand alone or assign, ends of statements, openings of blocks.
fn is_code(token: &Token) -> bool {
    let Kind::Word(word) = &token.kind else {
        return false;
    };
    !has_words(word)
        || word.contains('=')
        || word.ends_with([';', '{'])
        || word.starts_with(['#', '<', '{', '}'])
}

/// Statements in capitals, whose `AND` is their own: several such words, and words side by side.
fn is_shouted(tokens: &[Token]) -> bool {
    let is_shouted =
        |word: &str| word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase());
    let shouted = tokens
        .iter()
        .filter(|token| matches!(&token.kind, Kind::Word(word) if is_shouted(word)))
        .count();
    let side_by_side = tokens.windows(2).any(|pair| {
        ends_operand(&pair[0]) && !matches!(pair[1].kind, Kind::And | Kind::Or | Kind::Close)
    });
    shouted > 1 && side_by_side
}

/// Brackets of a value pair up, and it does not end as code does.
fn is_whole(value: &Kind) -> bool {
    let Kind::Word(word) = value else { return true };
    let count = |sign: char| word.matches(sign).count();
    let pairs = [('(', ')'), ('{', '}'), ('[', ']')];
    pairs
        .iter()
        .all(|&(open, close)| count(open) == count(close))
        && !word.ends_with([',', ';', ':'])
}
