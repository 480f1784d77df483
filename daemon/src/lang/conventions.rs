//! Naming conventions that many languages share: tests, entry points, constructors, null values.

/// The entry point of a program.
pub const MAIN: &str = "main";

/// The word before the sign in the name of an operator: `operator+`.
pub const OPERATOR: &str = "operator";

/// The name of a module's default export: `export default class Store`.
pub const DEFAULT_EXPORT: &str = "default";

/// The member of a type that is the type as a value: `Store.class`, `Store::class`.
pub const CLASS_LITERAL: &str = "class";

/// Members that construct a value of their type, unless the type declares them: `Store::new()`, `Store.shared`.
pub const CONSTRUCTORS: [&str; 5] = ["new", "init", "alloc", "default", "shared"];

/// Values that say nothing about the type of a variable: `store = None`.
pub const NULLS: [&str; 6] = ["null", "NULL", "nil", "None", "undefined", "nullptr"];

/// Calls with a title and a body that run a test: `test("adds", …)`, `it.only("adds", …)`, `Deno.test("adds", …)`.
const TEST_CALLS: [&str; 6] = ["test", "it", "specify", "scenario", "example", "bench"];

/// Returns whether a call of this path runs a test: `it.only`.
pub fn is_test_call(path: &str) -> bool {
    path.split('.').any(|name| TEST_CALLS.contains(&name))
}

/// The word that closes a block, and the beginning of words that do: `endif`.
pub const END: &str = "end";

/// Returns whether a line begins with the word that closes a block: `end`, `end)`.
pub fn closes_block(line: &str) -> bool {
    line.split(|sign: char| !sign.is_alphanumeric()).next() == Some(END)
}

/// Returns whether a text begins with a word that begins a further clause of a statement: `else`, `rescue`, `finally`.
pub fn begins_clause(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "after", "catch", "elif", "else", "elseif", "elsif", "ensure", "except", "finally",
        "rescue",
    ];
    let word = text.split(|sign: char| !sign.is_alphanumeric()).next();
    word.is_some_and(|word| WORDS.contains(&word))
}

/// Returns whether a token is a word before a whole expression, of which it binds no part: `return a + b`. Unlike `await`.
pub fn begins_expression(token: &str) -> bool {
    const WORDS: [&str; 20] = [
        "and", "case", "do", "in", "match", "not", "of", "or", "raise", "range", "return",
        "switch", "then", "throw", "unless", "until", "when", "while", "yield", "if",
    ];
    WORDS.contains(&token) || begins_clause(token)
}

/// Returns whether a token is a word that begins a statement with a condition before its block: `if (a) b();`.
pub fn begins_header(token: &str) -> bool {
    matches!(
        token,
        "if" | "while" | "for" | "foreach" | "switch" | "match"
    )
}

/// Returns whether a token is a word behind a whole expression: `while a do`.
pub fn ends_expression(token: &str) -> bool {
    matches!(token, "then" | "do" | "of" | "loop") || closes_block(token)
}

/// Returns whether a module or a class with this name contains tests: `mod tests`.
pub fn is_test_module(name: &str) -> bool {
    is_inline_test_module(name) || name == "Tests"
}

/// Returns whether a module with this name is the part of a file that tests the rest: `mod tests`.
pub fn is_inline_test_module(name: &str) -> bool {
    matches!(name, "tests" | "test")
}

/// Returns whether a function with this name is a test or a part of one: `test_open`.
pub fn is_test_function(name: &str) -> bool {
    name.starts_with("test_")
}

/// Returns whether a name begins or ends with the word `test`: `testOpen`, `tests_open`, `open_test`, `OpenTest`, but not
/// `testify` or `latest`.
pub fn is_named_test(name: &str) -> bool {
    let is_test = |part: Option<&str>| part.is_some_and(|part| part.eq_ignore_ascii_case("test"));
    let begins = || {
        let rest = &name[4..];
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        !rest.starts_with(char::is_lowercase)
    };
    let ends = |at: usize| {
        let (before, word) = name.split_at(at);
        word.starts_with("Te") || !before.ends_with(char::is_alphabetic)
    };
    let last = name.len().checked_sub(4);
    is_test(name.get(..4)) && begins() || last.is_some_and(|at| is_test(name.get(at..)) && ends(at))
}

/// Returns whether a macro with this name makes a test of its body: `cli_test!(…)`, `rgtest!(…)`.
pub fn is_test_macro(name: &str) -> bool {
    let name = name.to_lowercase();
    name.starts_with("test") || name.ends_with("test")
}

/// Returns whether the system, a runtime or a loader calls a symbol with this name: `main`, `init` of a Go file.
pub fn is_entry_point(name: &str) -> bool {
    const ENTRY_POINTS: [&str; 8] = [
        MAIN,
        "init",
        "_start",
        "WinMain",
        "wWinMain",
        "DllMain",
        "JNI_OnLoad",
        "LLVMFuzzerTestOneInput",
    ];
    ENTRY_POINTS.contains(&name)
}

/// Signs before decorators, attributes and annotations: `@app.route`, `#[no_mangle]`, `[Fact]`.
const DECORATOR_SIGNS: [&str; 3] = ["#[", "@", "["];

/// Decorators that do not register a symbol anywhere, by their first word: `#[inline]`, `@staticmethod`, `@Deprecated`.
const PLAIN_DECORATORS: [&str; 38] = [
    "Deprecated",
    "JvmField",
    "JvmOverloads",
    "JvmStatic",
    "MethodImpl",
    "NonNull",
    "Nonnull",
    "NotNull",
    "Nullable",
    "Obsolete",
    "SafeVarargs",
    "Suppress",
    "SuppressWarnings",
    "VisibleForTesting",
    "abstractmethod",
    "allow",
    "available",
    "cfg",
    "classmethod",
    "cold",
    "contextmanager",
    "derive",
    "discardableResult",
    "doc",
    "expect",
    "functools",
    "inline",
    "lru_cache",
    "must_use",
    "non_exhaustive",
    "overload",
    "property",
    "repr",
    "since",
    "spec",
    "staticmethod",
    "tailrec",
    "track_caller",
];

/// Returns the first word of the decorator at the start of a line: `app` of `@app.route("/")`.
pub fn decorator(line: &str) -> Option<&str> {
    let rest = DECORATOR_SIGNS
        .iter()
        .find_map(|sign| line.strip_prefix(sign))?;
    let word = rest
        .split(|sign: char| !sign.is_alphanumeric() && sign != '_')
        .next();
    word.filter(|word| word.starts_with(char::is_alphabetic))
}

/// Returns whether a decorator, by its first word, may register the symbol below it: `app` of `@app.route("/")`.
pub fn is_registering_decorator(word: &str) -> bool {
    !PLAIN_DECORATORS.contains(&word)
}

/// Returns whether a line exports a variable to the programs that a shell starts: `export PATH=…`.
pub fn is_exported(line: &str) -> bool {
    line.starts_with("export ")
}

/// Beginnings of comments about a whole file in any language: what an editor or a tool reads.
const FILE_COMMENTS: [&str; 6] = ["-*-", "vim:", "vi:", "ex:", "SPDX-", "@file"];

/// Beginnings of comments about the rights to a file, which go on to the end of their block.
const LICENSES: [&str; 10] = [
    "copyright",
    "the mit license",
    "mit license",
    "apache license",
    "(c) ",
    "\u{a9}",
    "@license",
    "@preserve",
    "licensed ",
    "this file is part of",
];

/// Returns whether a comment at the top of a file is about all of it. `own` has the beginnings of those of its language.
pub fn is_about_file<'a>(comment: &str, own: impl Iterator<Item = &'a str>) -> bool {
    let text = comment_text(comment);
    // `eslint-disable-next-line` is about the next line.
    let goes_on = |word: &str, rest: &str| {
        word.ends_with(char::is_alphanumeric)
            && rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '-')
    };
    let mut all = FILE_COMMENTS.into_iter().chain(own);
    all.any(|word| {
        text.strip_prefix(word)
            .is_some_and(|rest| !goes_on(word, rest))
    })
}

/// Returns whether a comment begins with the rights to a file: `Copyright 2020`.
pub fn begins_license(comment: &str) -> bool {
    let text = comment_text(comment);
    let begins = |word: &&str| {
        let head = text.get(..word.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    LICENSES.iter().any(begins)
}

/// Beginnings of comments whose signs may also begin a text: `(c) 2020`.
const COMMENT_BEGINNINGS: [&str; 5] = ["<!--", "--[==[", "--[[", "(*", "{-"];

/// Returns the text of a comment behind the signs that begin it.
fn comment_text(comment: &str) -> &str {
    let comment = comment.trim_start();
    let mut beginnings = COMMENT_BEGINNINGS.iter();
    let text = beginnings.find_map(|beginning| comment.strip_prefix(beginning));
    let text = text.unwrap_or(comment);
    let text =
        text.trim_start_matches(|sign: char| sign.is_whitespace() || "/*#%;!".contains(sign));
    // `--` begins comments of some languages, and `-*-` a text.
    text.trim_start_matches("--").trim_start()
}

/// Words and signs that open and close a body. A pair with an empty second part has no closing sign.
pub const BODY_DELIMITERS: &[(&str, &str)] = &[
    ("{", "}"),
    ("do:", ""),
    ("do", "end"),
    ("=>", ";"),
    ("=>", ""),
    ("=", ""),
];

/// Words before the body of a function, which stay with its signature: `main() async { … }`.
pub const BODY_MODIFIERS: &[&str] = &["async*", "sync*", "async"];

/// Beginnings of lines that close a block, and have the indentation of the line that opens it.
pub const BLOCK_ENDS: &[&str] = &["}", ")", "]", "end", "fi", "done", "esac", ";;", "*/"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_license_begins_behind_the_signs_of_a_comment() {
        for comment in [
            "// Copyright 2020",
            "/*\n * Copyright 2020",
            "# (c) 2020",
            "-- Copyright 2020",
            "--[[ Copyright 2020 ]]",
            "--[==[\nCopyright 2020 ]==]",
            "(* Copyright 2020 *)",
            "(**\n * (c) 2020 *)",
            "{- Copyright 2020 -}",
            "<!-- Copyright 2020 -->",
            "/* The MIT License (MIT) */",
        ] {
            assert!(begins_license(comment), "{comment}");
        }
        for comment in ["// Opens", "(* (cost) *)", "{- Licenses -}"] {
            assert!(!begins_license(comment), "{comment}");
        }
    }

    #[test]
    fn a_test_has_the_word_at_an_end_of_its_name() {
        for name in [
            "test",
            "Test",
            "testOpen",
            "TestOpen",
            "test_open",
            "tests_open",
            "test2",
            "open_test",
            "OpenTest",
            "openTest",
            "HTTPTest",
            "OPEN_TEST",
            "open2test",
        ] {
            assert!(is_named_test(name), "{name}");
        }
        for name in [
            "latest",
            "LATEST",
            "contest",
            "testify",
            "attest",
            "tes",
            "größe",
            "open_testing",
        ] {
            assert!(!is_named_test(name), "{name}");
        }
    }
}
