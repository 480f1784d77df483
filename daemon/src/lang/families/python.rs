//! Python: classes as receivers, magic methods, unions, decorators, mixins, fixtures of pytest, and modules that re-export their
//! imports.

use super::{FamilyRules, Feature, Injection, Keyword, Wrapper};

pub struct Python;

impl FamilyRules for Python {
    fn features(&self) -> &'static [Feature] {
        &[
            Feature::ImportsAreMembers,
            Feature::IterationGivesKeys,
            Feature::Decorators,
            Feature::ClassBodyScope,
            Feature::Mixins,
            Feature::UndeclaredAttributes,
        ]
    }

    fn keyword(&self, word: &str) -> Option<Keyword> {
        (word == "cls").then_some(Keyword::OwnType)
    }

    fn wrapper(&self, type_name: &str) -> Option<Wrapper> {
        (type_name == "Union").then_some(Wrapper::Union)
    }

    fn call_method(&self) -> Option<&'static str> {
        Some("__call__")
    }

    fn implicit_methods(&self, sign: &str) -> &'static [&'static str] {
        match sign {
            "in" => &["__iter__", "__next__", "__aiter__", "__anext__"],
            "as" => &["__enter__", "__exit__", "__aenter__", "__aexit__"],
            _ => &[],
        }
    }

    fn is_implicitly_called(&self, method: &str) -> bool {
        ["in", "as"]
            .iter()
            .any(|sign| self.implicit_methods(sign).contains(&method))
    }

    fn is_called_by_syntax(&self, name: &str) -> bool {
        let is_found = self.is_implicitly_called(name)
            || self.call_method() == Some(name)
            || matches!(name, "__init__" | "__new__");
        name.starts_with("__") && name.ends_with("__") && !is_found
    }

    fn calls_by_name(&self, name: &str) -> bool {
        const STREAM_METHODS: [&str; 15] = [
            "close",
            "fileno",
            "flush",
            "isatty",
            "read",
            "read1",
            "readable",
            "readinto",
            "readline",
            "readlines",
            "seek",
            "seekable",
            "writable",
            "write",
            "writelines",
        ];
        name.starts_with("__") && name.ends_with("__") || STREAM_METHODS.contains(&name)
    }

    fn injection(&self) -> Option<&'static Injection> {
        Some(&Injection {
            decorators: &["fixture", "yield_fixture"],
            function_prefix: "test",
            shared_file: "conftest.py",
        })
    }

    fn merging_methods(&self) -> &'static [&'static str] {
        &["update"]
    }

    fn enter_methods(&self) -> &'static [&'static str] {
        &["__enter__", "__aenter__"]
    }

    fn block_opener(&self) -> Option<char> {
        Some(':')
    }
}
