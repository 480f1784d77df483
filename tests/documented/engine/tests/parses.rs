//! Sums and what they come to.

use engine::parser::Parser;

#[test]
fn products_come_before_sums() {
    assert_eq!(Parser::new("1 + 2 * 3").parse().expect("a sum").value(), 7.0);
}

#[test]
fn a_bracket_has_to_be_closed() {
    assert!(Parser::new("(1 + 2").parse().is_err());
}
