//! Types that only comments say: of the parameters of a function, and of a variable below.
//!
//! The tags before a type are in the definition of a language. Types in the code come before types in comments,
//! but for the types that every language has.

use std::borrow::Cow;
use std::collections::HashSet;

use super::captures::{Reference, Span};
use super::facts::Role;
use super::text::{Text, offset};

/// A type that takes more says nothing that a shorter one would not.
const LONGEST_TYPE: usize = 80;

/// Words behind which types stand in comments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words {
    /// Tags of parameters, whose names follow.
    pub parameters: &'static [&'static str],
    /// Tags of the declaration below, whose name may follow.
    pub types: &'static [&'static str],
    /// Tags of the result of the function below.
    pub results: &'static [&'static str],
    /// Tags of types that belong to no declaration.
    pub mentions: &'static [&'static str],
}

impl Words {
    /// The uses of types behind the tags of comments: an editor renames them, and checkers read them.
    pub fn type_references<'a>(self, comments: &[Span], text: &Text<'a>) -> Vec<Reference<'a>> {
        let tags = [self.parameters, self.types, self.results, self.mentions].concat();
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
                    let start =
                        comment.start + offset(kind.as_ptr().addr() - source.as_ptr().addr());
                    found.extend(names(kind, start));
                }
            }
        }
        found
    }
}

/// The type behind a tag in a line of a comment. Tools have tags of their own: `@phpstan-param` is a `@param`.
fn tagged_type<'t>(line: &'t str, tags: &[&str]) -> Option<&'t str> {
    let line = line.trim_start_matches([' ', '\t', '*', '/']);
    let (tag, rest) = line.strip_prefix('@')?.split_once(char::is_whitespace)?;
    let tag = tag.split_once('-').map_or(tag, |(_, tag)| tag);
    tags.iter()
        .any(|known| known.strip_prefix('@') == Some(tag))
        .then(|| first_type(rest.trim_start()).0)
}

/// The names of types in a type, with the namespaces or modules before them. Those that a language has by itself are
/// written small.
fn names(kind: &str, start: u32) -> impl Iterator<Item = Reference<'_>> {
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '\\' | '.');
    kind.split(move |sign| !is_part(sign))
        .filter_map(move |path| {
            let at = path.rfind(['\\', '.']).map_or(0, |separator| separator + 1);
            let (before, name) = path.split_at(at);
            let qualifier = match before.len() {
                0 => None,
                // A path that begins outside of all namespaces.
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

/// Goes through the names that are bound, in the order of the text.
pub struct Documented<'a> {
    words: Words,
    /// The first of a name in a function is its parameter, if it has one of that name.
    seen: HashSet<(u32, &'a str)>,
    line: u32,
}

impl<'a> Documented<'a> {
    pub fn new(words: Words) -> Self {
        Self {
            words,
            seen: HashSet::new(),
            line: 0,
        }
    }

    /// Returns the type that a comment gives a name: above the function that it is bound in, or above its line.
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
        let Words {
            parameters, types, ..
        } = self.words;
        let qualifier = reference.qualifier.as_deref();
        if reference.role != Role::Bind || parameters.is_empty() && types.is_empty() {
            return qualifier;
        }
        let is_first = symbol.is_some_and(|symbol| self.seen.insert((symbol, reference.name)));
        let begins_line = std::mem::replace(&mut self.line, line) != line;
        let slice = |span: Span| text.slice(span.start, span.end);
        // A type that every language has may hold others.
        let is_open = qualifier.is_none_or(|code| !code.contains(char::is_uppercase));
        let parameter = || {
            let comment = slice(above_symbol().filter(|_| is_first && is_open)?);
            said(comment, parameters, Names::Follow)
                .find(|(_, name)| *name == Some(reference.name))
                .map(|(kind, _)| kind)
        };
        let variable = || {
            let comment =
                Some(slice(above_line()?)).filter(|comment| comment.starts_with("/**"))?;
            let is_it =
                |name: Option<&str>| name.map_or(begins_line, |name| name == reference.name);
            said(comment, types, Names::MayFollow)
                .find(|(_, name)| is_it(*name))
                .map(|(kind, _)| kind)
        };
        parameter().or_else(variable).or(qualifier)
    }
}

/// The text behind a type in a comment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    /// The name that it is the type of.
    Follow,
    /// That, if a sign tells it from words about it.
    MayFollow,
}

/// The type that a text of a comment begins with, and what stands behind it.
pub fn first_type(text: &str) -> (&str, &str) {
    // Between the brackets of a type there may be blanks.
    let mut depth = 0_i32;
    let end = text.find(|sign: char| {
        depth += match sign {
            '<' | '(' | '[' | '{' => 1,
            '>' | ')' | ']' | '}' => -1,
            _ => 0,
        };
        depth <= 0 && sign.is_whitespace()
    });
    let (kind, behind) = text.split_at(end.unwrap_or(text.len()));
    (
        kind.strip_prefix('{')
            .and_then(|kind| kind.strip_suffix('}'))
            .unwrap_or(kind),
        behind,
    )
}

/// The types that a comment says behind these words, and the names behind them.
fn said<'a>(
    comment: &'a str,
    words: &'static [&'static str],
    names: Names,
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
        // `options.size` is a part of one.
        let name =
            Some(&name[..length]).filter(|one| !one.is_empty() && !name[length..].starts_with('.'));
        let is_type = !kind.is_empty() && kind.len() <= LONGEST_TYPE && !kind.starts_with('$');
        let name = name.filter(|_| signed || names == Names::Follow);
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
        let all: Vec<_> = said(comment, &["@param"], Names::Follow).collect();
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
            said("/** @var Two $v what */", &["@var"], Names::MayFollow).collect::<Vec<_>>(),
            [("Two", Some("v"))]
        );
        assert_eq!(
            said("/** @var Two the one */", &["@var"], Names::MayFollow).collect::<Vec<_>>(),
            [("Two", None)]
        );
        assert_eq!(
            said("/** @var $v */", &["@var"], Names::MayFollow).collect::<Vec<_>>(),
            []
        );
    }
}
