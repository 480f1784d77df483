//! Regular expressions made from typed text.

/// Returns a regular expression that finds a text: `a+b` → `a\\+b`.
pub fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|letter| {
            let is_plain =
                letter.is_alphanumeric() || matches!(letter, '/' | '_' | ' ') || !letter.is_ascii();
            (!is_plain).then_some('\\').into_iter().chain([letter])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_text_is_no_expression() {
        assert_eq!(escaped("src/a+b.rs"), "src/a\\+b\\.rs");
        assert_eq!(escaped("grün (1)"), "grün \\(1\\)");
    }
}
