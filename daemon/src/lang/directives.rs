//! Preprocessor directives of C and its relatives: lines that are no part of the grammar around them.

/// A preprocessor line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// `#if X`, `#ifdef X`; `negated` is true for `#if !X`, `#if false`, `#if 0` and `#ifndef X`.
    If { negated: bool },
    /// `#elif X`, `#elifdef X`, `#elifndef X`
    ElseIf { negated: bool },
    /// `#else`
    Else,
    /// `#endif`
    EndIf,
    /// `#pragma`, `#nullable`
    Setting,
}

/// Returns the directive on a line, if it is one that concerns the code around it.
pub fn on_line(line: &[u8]) -> Option<Directive> {
    let rest = line
        .trim_ascii_start()
        .strip_prefix(b"#")?
        .trim_ascii_start();
    let length = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let (word, condition) = (&rest[..length], rest[length..].trim_ascii());
    let negated = condition.starts_with(b"!") || matches!(condition, b"false" | b"0");
    Some(match word {
        b"if" | b"ifdef" => Directive::If { negated },
        b"ifndef" => Directive::If { negated: true },
        b"elif" | b"elifdef" => Directive::ElseIf { negated },
        b"elifndef" => Directive::ElseIf { negated: true },
        b"else" => Directive::Else,
        b"endif" => Directive::EndIf,
        b"pragma" | b"nullable" => Directive::Setting,
        _ => return None,
    })
}
