//! C and C++: macros that the grammars do not know, casts, and tests that are macros.

use super::{FamilyRules, Feature};
use crate::lang::conventions::OPERATOR;

pub struct C;
pub struct Cpp;

/// Words that identify macros that the grammar does not know: a macro is in capitals and next to one of these words.
#[derive(Debug)]
pub struct MacroWords {
    /// Words that a macro may separate from a name: `class EXPORT Name`.
    pub before_names: &'static [&'static str],
    /// Words that begin a declaration, so that a word before one is a macro: `EXPORT static`.
    pub beginnings: &'static [&'static str],
    /// Words that are neither a type nor a name: `const`.
    pub specifiers: &'static [&'static str],
    /// Suffixes of the names of macros that follow a declaration: `value GUARDED_BY(lock)`.
    pub annotations: &'static [&'static str],
}

/// The kind of test that a macro makes of a body and two names. No code can use such a test by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestMacro {
    /// The body is a function: `TEST(Suite, Name)`.
    Function,
    /// The body is a method of a type derived from the first name: `TEST_F(Fixture, Name)`.
    FixtureMethod,
}

/// Casts, followed by their type in angle brackets: `static_cast<Store *>(value)`.
pub const CASTS: [&str; 8] = [
    "static_cast",
    "dynamic_cast",
    "reinterpret_cast",
    "const_cast",
    "static_pointer_cast",
    "dynamic_pointer_cast",
    "down_cast",
    "bit_cast",
];

/// The extensions of files that are compiled by themselves, and so contain or include every declaration that they use.
pub const SOURCE_EXTENSIONS: [&str; 6] = ["c", "cc", "cpp", "cxx", "m", "mm"];

/// The word before the generic parameters of a declaration: `template <typename T> class Store`.
pub const TEMPLATE: &str = "template";

const ANNOTATIONS: [&str; 17] = [
    "GUARDED_BY",
    "GUARDED_VAR",
    "LOCKS_REQUIRED",
    "LOCKS_EXCLUDED",
    "LOCK_RETURNED",
    "LOCK_FUNCTION",
    "ASSERT_EXCLUSIVE_LOCK",
    "ASSERT_SHARED_LOCK",
    "ACQUIRED_AFTER",
    "ACQUIRED_BEFORE",
    "NO_THREAD_SAFETY_ANALYSIS",
    "WARN_UNUSED_RESULT",
    "MUST_USE_RESULT",
    "PRINTF_FORMAT",
    "PRINTF_ATTRIBUTE",
    "NOEXCEPT",
    "OVERRIDE",
];

impl FamilyRules for C {
    fn features(&self) -> &'static [Feature] {
        &[Feature::UnbalancedConditions]
    }

    fn macro_words(&self) -> Option<&'static MacroWords> {
        Some(&MacroWords {
            before_names: &["struct", "union", "enum"],
            beginnings: &[
                "struct", "union", "enum", "typedef", "static", "inline", "extern",
            ],
            specifiers: &[
                "const", "volatile", "static", "inline", "extern", "register", "restrict",
            ],
            annotations: &ANNOTATIONS,
        })
    }
}

impl FamilyRules for Cpp {
    fn is_called_by_syntax(&self, name: &str) -> bool {
        let operator = name.strip_prefix(OPERATOR);
        let is_operator = operator.is_some_and(|rest| {
            !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_')
        });
        is_operator || name.starts_with('~') || matches!(name, "begin" | "end")
    }

    fn features(&self) -> &'static [Feature] {
        &[
            Feature::BaseInitializers,
            Feature::MacrosInClasses,
            Feature::UnbalancedConditions,
        ]
    }

    fn is_transparent_module(&self, signature: &str) -> bool {
        signature.starts_with("inline ")
    }

    fn library_namespace(&self) -> Option<&'static str> {
        Some("std")
    }

    fn test_macro(&self, signature: &str) -> Option<TestMacro> {
        match signature.split_once('(')?.0.trim_end() {
            "TEST" => Some(TestMacro::Function),
            "TEST_F" | "TEST_P" | "TYPED_TEST" | "TYPED_TEST_P" => Some(TestMacro::FixtureMethod),
            _ => None,
        }
    }

    fn macro_words(&self) -> Option<&'static MacroWords> {
        Some(&MacroWords {
            before_names: &["class", "struct", "union", "enum"],
            beginnings: &[
                "class",
                "struct",
                "union",
                "enum",
                "namespace",
                "template",
                "typedef",
                "using",
                "public",
                "protected",
                "private",
                "virtual",
                "explicit",
                "friend",
                "static",
                "inline",
                "extern",
            ],
            specifiers: &[
                "const",
                "constexpr",
                "volatile",
                "static",
                "inline",
                "extern",
                "virtual",
                "explicit",
                "friend",
                "mutable",
                "typename",
                "final",
            ],
            annotations: &ANNOTATIONS,
        })
    }
}
