//! What a language takes for a name, and what else has to be known to give something another one.

/// Of a language that is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a word that a definition may have"
)]
pub struct Naming {
    /// A whole name, as a regular expression.
    pub name: &'static str,
    /// The same for what can be called, where that may be called otherwise.
    pub function_name: Option<&'static str>,
    /// Words that are never names. Those that mean something in some places only are not among them.
    pub reserved: &'static [&'static str],
    /// Words that no type may be called.
    pub reserved_types: &'static [&'static str],
    /// A method may be called like a reserved word.
    pub free_methods: bool,
    /// Whether something begins with a capital says what it is.
    pub letter_case: bool,
    /// How far a name can be seen that its own letters hide.
    pub hidden_within: Option<Within>,
    /// A field and a variable of one name are written once where an object is made or taken apart: `{ size }`.
    pub shorthand_fields: bool,
    /// A type that another is made of is a field of its name there.
    pub embedded_fields: bool,
    /// What stands between something and its member, where a name behind it is the member's.
    pub member_signs: &'static [&'static str],
    /// What stands before every variable, and before nothing else.
    pub variable_sign: Option<char>,
    /// Words of a method that takes the place of another.
    pub override_words: &'static [&'static str],
    /// Methods stand in a block whose head says what they implement.
    pub impl_blocks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    File,
    Folder,
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use crate::lang;

    #[test]
    fn names_are_what_their_languages_say() {
        for language in lang::all() {
            let Some(facts) = language.facts else {
                continue;
            };
            for pattern in [Some(facts.naming.name), facts.naming.function_name]
                .into_iter()
                .flatten()
            {
                let whole = Regex::new(&format!("^(?:{pattern})$")).expect(language.id);
                assert!(
                    whole.is_match("run_2") && whole.is_match("Run"),
                    "{}",
                    language.id
                );
                for wrong in ["", "2run", "a b", "a(b", "a/b", "a,b"] {
                    assert!(!whole.is_match(wrong), "{}: {wrong}", language.id);
                }
            }
            let reserved = facts.naming.reserved;
            assert!(reserved.len() > 9, "{} has words of its own", language.id);
            assert!(
                !facts
                    .naming
                    .reserved_types
                    .iter()
                    .any(|word| reserved.contains(word)),
                "{}",
                language.id
            );
        }
    }
}
