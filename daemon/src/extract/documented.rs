//! Types that only documentation comments declare: of parameters, results and variables (`@param Store $store`).
//!
//! The definition of a language lists the tags before types. A type in the code takes precedence over one in a comment, unless
//! it is a built-in type.

use std::borrow::Cow;
use std::collections::HashSet;

use super::captures::{Reference, Span};
use super::declaration::first_type;
use super::role::Role;
use super::text::{Text, offset};
use crate::lang::{NameRules, Words};

/// The most bytes of a type.
const LONGEST_TYPE: usize = 80;

/// Returns the types after the tags of comments. They count as uses, because editors rename them and type checkers read them.
pub fn type_references<'a>(
    rules: &NameRules,
    comments: &[Span],
    text: &Text<'a>,
) -> Vec<Reference<'a>> {
    let tags = [
        rules.doc_parameter_tags,
        rules.doc_type_tags,
        rules.doc_return_tags,
        rules.doc_mention_tags,
    ]
    .map(Words::as_slice)
    .concat();
    let mut found = vec![];
    if tags.is_empty() {
        return found;
    }
    for comment in comments {
        let source = text.slice(comment.start, comment.end);
        if !source.starts_with("/**") {
            continue;
        }
        for line in source.lines() {
            if let Some(kind) = tagged_type(line, &tags) {
                let start = comment.start + offset(kind.as_ptr().addr() - source.as_ptr().addr());
                found.extend(names(kind, start));
            }
        }
    }
    found
}

/// Returns the type after a tag in a line of a comment. Tools add prefixes to tags: `@phpstan-param` counts as `@param`.
fn tagged_type<'t>(line: &'t str, tags: &[&str]) -> Option<&'t str> {
    let line = line.trim_start_matches([' ', '\t', '*', '/']);
    let (tag, rest) = line.strip_prefix('@')?.split_once(char::is_whitespace)?;
    let tag = tag.split_once('-').map_or(tag, |(_, tag)| tag);
    tags.iter()
        .any(|known| known.strip_prefix('@') == Some(tag))
        .then(|| first_type(rest.trim_start()).0)
}

/// Returns the names in a type, with their namespaces or modules. Lowercase names are built-in types and left out.
fn names(kind: &str, start: u32) -> impl Iterator<Item = Reference<'_>> {
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '\\' | '.');
    kind.split(move |sign| !is_part(sign))
        .filter_map(move |path| {
            let at = path.rfind(['\\', '.']).map_or(0, |separator| separator + 1);
            let (before, name) = path.split_at(at);
            let qualifier = match before.len() {
                0 => None,
                // An absolute path: `\Store`.
                1 => Some(before),
                length => Some(&before[..length - 1]),
            };
            name.starts_with(char::is_uppercase).then(|| Reference {
                at: start + offset(name.as_ptr().addr() - kind.as_ptr().addr()),
                name,
                role: Role::Type,
                qualifier: qualifier.map(Cow::Borrowed),
            })
        })
}

/// Finds the documented types of bindings, which are visited in the order of the text.
pub struct DocTypeFinder<'a> {
    /// Tags before the type and the name of a parameter.
    parameters: &'static [&'static str],
    /// Tags before the type of the declaration below, whose name may follow.
    types: &'static [&'static str],
    /// The pairs of symbol and name seen so far. The first binding of a name in a function is the parameter with that name, if
    /// there is one.
    seen: HashSet<(u32, &'a str)>,
    line: u32,
}

impl<'a> DocTypeFinder<'a> {
    pub fn new(rules: &NameRules) -> Self {
        Self {
            parameters: rules.doc_parameter_tags.as_slice(),
            types: rules.doc_type_tags.as_slice(),
            seen: HashSet::new(),
            line: 0,
        }
    }

    /// Returns the type that a comment declares for a name: the comment above the enclosing function, or above the name's line.
    pub fn find_type<'r>(
        &mut self,
        reference: &'r Reference<'a>,
        (symbol, line): (Option<u32>, u32),
        above_symbol: impl FnOnce() -> Option<Span>,
        above_line: impl FnOnce() -> Option<Span>,
        text: &Text<'a>,
    ) -> Option<&'r str>
    where
        'a: 'r,
    {
        let (parameters, types) = (self.parameters, self.types);
        let qualifier = reference.qualifier.as_deref();
        if reference.role != Role::Bind || parameters.is_empty() && types.is_empty() {
            return qualifier;
        }
        let is_first = symbol.is_some_and(|symbol| self.seen.insert((symbol, reference.name)));
        let begins_line = std::mem::replace(&mut self.line, line) != line;
        let slice = |span: Span| text.slice(span.start, span.end);
        // A built-in type, such as `array`, may be refined by a comment.
        let is_open = qualifier.is_none_or(|code| !code.contains(char::is_uppercase));
        let parameter = || {
            let comment = slice(above_symbol().filter(|_| is_first && is_open)?);
            tagged_types(comment, parameters, NamePosition::Follow)
                .find(|(_, name)| *name == Some(reference.name))
                .map(|(kind, _)| kind)
        };
        let variable = || {
            let comment =
                Some(slice(above_line()?)).filter(|comment| comment.starts_with("/**"))?;
            let is_it =
                |name: Option<&str>| name.map_or(begins_line, |name| name == reference.name);
            tagged_types(comment, types, NamePosition::MayFollow)
                .find(|(_, name)| is_it(*name))
                .map(|(kind, _)| kind)
        };
        parameter().or_else(variable).or(qualifier)
    }
}

/// The rule for a name after a type in a comment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamePosition {
    /// The name always follows: `@param Store $store`.
    Follow,
    /// The name follows if it is marked: `@var Store $store`, but not `@var Store the one`.
    MayFollow,
}

/// Returns the types after these tags in a comment, each with the name that follows it.
fn tagged_types<'a>(
    comment: &'a str,
    words: &'static [&'static str],
    names: NamePosition,
) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
    let begins = |line: &'a str| {
        let line = line.trim_start_matches([' ', '\t', '*', '/']);
        let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
        rest.starts_with(char::is_whitespace)
            .then(|| rest.trim_start())
    };
    comment.lines().filter_map(begins).filter_map(move |rest| {
        let (kind, behind) = first_type(rest);
        let is_name = |sign: char| sign.is_alphanumeric() || sign == '_';
        let name = behind.trim_start();
        let signed = name.starts_with(['$', '&', '.', '[']);
        let name = name.trim_start_matches(['$', '&', '.', '[']);
        let length = name.find(|sign| !is_name(sign)).unwrap_or(name.len());
        // `options.size` is a property of a parameter.
        let name =
            Some(&name[..length]).filter(|one| !one.is_empty() && !name[length..].starts_with('.'));
        let is_type = !kind.is_empty() && kind.len() <= LONGEST_TYPE && !kind.starts_with('$');
        let name = name.filter(|_| signed || names == NamePosition::Follow);
        is_type.then_some((kind, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_stand_behind_words_and_before_names() {
        let comment = "/**
     * What it does with @param in a text.
     *
     * @param Two $x the one
     * @param array<string, One> $many
     * @param One|null &$n
     * @param {Store} store - what is kept
     * @param {string} options.name
     * @parameter Two $y
     * @return Two
     */";
        let all: Vec<_> = tagged_types(comment, &["@param"], NamePosition::Follow).collect();
        assert_eq!(
            all,
            [
                ("Two", Some("x")),
                ("array<string, One>", Some("many")),
                ("One|null", Some("n")),
                ("Store", Some("store")),
                ("string", None),
            ]
        );
        assert_eq!(
            tagged_types(
                "/** @var Two $v what */",
                &["@var"],
                NamePosition::MayFollow
            )
            .collect::<Vec<_>>(),
            [("Two", Some("v"))]
        );
        assert_eq!(
            tagged_types(
                "/** @var Two the one */",
                &["@var"],
                NamePosition::MayFollow
            )
            .collect::<Vec<_>>(),
            [("Two", None)]
        );
        assert_eq!(
            tagged_types("/** @var $v */", &["@var"], NamePosition::MayFollow).collect::<Vec<_>>(),
            []
        );
    }
}
