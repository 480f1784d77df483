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
            parameter: |arguments| {
                let value = named_argument(arguments, "name")?;
                value.strip_prefix(QUOTES)?.split(QUOTES).next()
            },
            values_decorator: "parametrize",
            passes_values,
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

const QUOTES: [char; 2] = ['"', '\''];

/// Returns the text from the value of a named argument on: `"store")` in `(scope="module", name="store")`.
fn named_argument<'a>(arguments: &'a str, name: &str) -> Option<&'a str> {
    arguments.match_indices(name).find_map(|(at, _)| {
        let is_whole =
            !arguments[..at].ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
        let value = arguments[at + name.len()..]
            .trim_start()
            .strip_prefix('=')?;
        is_whole.then(|| value.trim_start())
    })
}

/// Returns whether `parametrize` with these arguments passes the values of a parameter, and does not pass them on to the fixture
/// with its name: `("size, name", […])`, `(["size", "name"], […], indirect=["name"])`.
fn passes_values(arguments: &str, parameter: &str) -> bool {
    let first = || arguments.strip_prefix('(').map_or("", str::trim_start);
    let names = named_argument(arguments, "argnames").unwrap_or_else(first);
    let is_named = |list: &str| {
        let end = match list.chars().next() {
            Some('(') => ')',
            Some('[') => ']',
            Some(quote) if QUOTES.contains(&quote) => quote,
            _ => return false,
        };
        let names = list[1..].split(end).next().unwrap_or_default();
        let mut names =
            names.split(|sign: char| QUOTES.contains(&sign) || sign == ',' || sign.is_whitespace());
        names.any(|name| name == parameter)
    };
    let indirect = named_argument(arguments, "indirect");
    is_named(names) && !indirect.is_some_and(|list| list.starts_with("True") || is_named(list))
}

#[cfg(test)]
mod tests {
    use super::passes_values;

    #[test]
    fn values_of_parameters_are_told_from_those_of_fixtures() {
        for (arguments, expected) in [
            ("(\"store\", [1])", true),
            ("('size, store', [(1, 2)])", true),
            ("(\n    [\"size\", \"store\"],\n    [])", true),
            ("(argvalues=[1], argnames=(\"store\",))", true),
            ("(\"size\", [\"store\"])", false),
            ("(\"store\", [1], indirect=True)", false),
            ("(\"size, store\", [], indirect=[\"store\"])", false),
            ("(\"size, store\", [], indirect=[\"size\"])", true),
            ("(\"stores\", [1])", false),
            ("(NAMES, [\"store\"])", false),
            ("", false),
        ] {
            assert_eq!(passes_values(arguments, "store"), expected, "{arguments}");
        }
    }
}
