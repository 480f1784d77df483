//! Predicates of a pattern on the texts of its captures: `(#eq? @name "self")`.

use regex::Regex;

/// A condition on every node of a capture. A capture without nodes meets it.
#[derive(Debug)]
pub struct Predicate {
    capture: u16,
    test: Test,
    /// False if the test has to fail: `#not-eq?`.
    positive: bool,
}

#[derive(Debug)]
enum Test {
    Equals(String),
    EqualsCapture(u16),
    Matches(Regex),
    OneOf(Vec<String>),
}

impl Predicate {
    pub fn new(name: &str, captures: &[u16], mut strings: Vec<String>) -> Result<Self, String> {
        let (positive, bare) = name
            .strip_prefix("not-")
            .map_or((true, name), |bare| (false, bare));
        let test = match (bare, captures, strings.len()) {
            ("eq?", [_], 1) => Test::Equals(strings.remove(0)),
            ("eq?", [_, other], 0) => Test::EqualsCapture(*other),
            ("match?", [_], 1) => {
                Test::Matches(Regex::new(&strings[0]).map_err(|error| error.to_string())?)
            }
            ("any-of?", [_], 1..) => Test::OneOf(strings),
            _ => return Err(format!("#{name} is not known, or not with these")),
        };
        Ok(Self {
            capture: captures[0],
            test,
            positive,
        })
    }

    /// Returns whether the condition holds. `texts` returns the texts of a capture in their order.
    pub fn holds<'t, T: Iterator<Item = &'t str>>(&self, texts: impl Fn(u16) -> T) -> bool {
        let mut own = texts(self.capture);
        match &self.test {
            Test::Equals(wanted) => own.all(|text| (text == wanted) == self.positive),
            Test::Matches(wanted) => own.all(|text| wanted.is_match(text) == self.positive),
            Test::OneOf(wanted) => {
                own.all(|text| wanted.iter().any(|one| one == text) == self.positive)
            }
            Test::EqualsCapture(other) => {
                let mut other = texts(*other);
                loop {
                    match (own.next(), other.next()) {
                        (Some(one), Some(other)) if (one == other) == self.positive => {}
                        (None, None) => return true,
                        _ => return false,
                    }
                }
            }
        }
    }
}
