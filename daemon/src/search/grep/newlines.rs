//! Restricts expressions to matches within one line.
//!
//! `\s` and `[^"]` match line ends too, so a single search over a whole text would give other matches than a search line by
//! line. With line ends removed from the classes both give the same, and the single search is much faster.

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Look,
};

/// A class of at most this many characters is meant to match a line end that it contains: `[\r\n]`.
const FEW: usize = 4;

/// Returns whether an expression names a line end: `a\nb`.
pub fn are_named(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.iter().any(|byte| is_line_end(*byte)),
        HirKind::Class(Class::Unicode(class)) => {
            let size: usize = class.iter().map(ClassUnicodeRange::len).sum();
            let has = |sign| {
                class
                    .iter()
                    .any(|range| (range.start()..=range.end()).contains(&sign))
            };
            size <= FEW && (has('\n') || has('\r'))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let size: usize = class.iter().map(ClassBytesRange::len).sum();
            let has = |sign| {
                class
                    .iter()
                    .any(|range| (range.start()..=range.end()).contains(&sign))
            };
            size <= FEW && (has(b'\n') || has(b'\r'))
        }
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Repetition(repetition) => are_named(&repetition.sub),
        HirKind::Capture(Capture { sub, .. }) => are_named(sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(are_named),
    }
}

/// Returns an expression for the matches of `hir` that lie within one line, without capture groups.
pub fn within_lines(hir: Hir) -> Hir {
    let all = |parts: Vec<Hir>| parts.into_iter().map(within_lines).collect();
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&ClassUnicode::new(
                ['\n', '\r'].map(|end| ClassUnicodeRange::new(end, end)),
            ));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&ClassBytes::new(
                [b'\n', b'\r'].map(|end| ClassBytesRange::new(end, end)),
            ));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(look) => Hir::look(match look {
            // For grep each line is a text of its own: `\A` is its start.
            Look::Start | Look::StartLF => Look::StartCRLF,
            Look::End | Look::EndLF => Look::EndCRLF,
            other => other,
        }),
        HirKind::Repetition(mut repetition) => {
            repetition.sub = Box::new(within_lines(*repetition.sub));
            Hir::repetition(repetition)
        }
        HirKind::Capture(capture) => within_lines(*capture.sub),
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
