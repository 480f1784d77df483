//! Overload resolution by the types of arguments, as far as they are known.

use super::expression::last_call;
use super::scope::Meaning;
use super::value::Value;
use super::{Position, Resolver, SymbolId, patterns};
use crate::extract::type_expr::{TypeExpr, is_word, matching, skip_generics, value_alternatives};
use crate::lang::literals::{Literal, LiteralTypes};
use crate::lang::{NameRules, TypePosition, conventions, vocabulary};

/// A type without its generic arguments: `List` with one array dimension for `List<Store>[]`.
#[derive(PartialEq, Eq)]
pub(super) struct TypeShape {
    name: String,
    /// The number of array dimensions.
    arrays: usize,
    /// The type's symbol, if the type is in the root.
    symbol: Option<SymbolId>,
    is_parameter: bool,
}

/// The quality of the match between an argument and a parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArgumentMatch {
    Impossible,
    Possible,
    /// Judging by its name, the argument's library type is derived from the parameter's: `StringReader` and `Reader`.
    SimilarName,
    Exact,
}

impl Resolver<'_, '_> {
    /// Returns the types of these arguments, as far as they are known.
    pub(super) fn argument_shapes(
        self,
        here: Position,
        arguments: &[&str],
        rules: &NameRules,
    ) -> Vec<Option<TypeShape>> {
        let shape = |text: &&str| {
            (!rules.literal_types.is_empty())
                .then(|| self.deeper(|| self.argument_shape(here, text.trim(), rules)))
                .flatten()
        };
        arguments.iter().map(shape).collect()
    }

    /// Returns the worst match between these arguments and the parameters of an overload.
    pub(super) fn fit(
        self,
        at: SymbolId,
        shapes: &[Option<TypeShape>],
        rules: &NameRules,
    ) -> ArgumentMatch {
        if shapes.iter().all(Option::is_none) {
            return ArgumentMatch::Possible;
        }
        let fits = (0..).zip(shapes);
        let fits = fits.map(|(place, shape)| self.fit_at(at, place, shape.as_ref(), rules));
        fits.min().unwrap_or(ArgumentMatch::Possible)
    }

    /// Returns whether a call that another overload accepts is one of this overload, as far as the types tell: each argument fits
    /// it well, or belongs to parameters of one type.
    pub(super) fn precedes(
        self,
        at: SymbolId,
        other: SymbolId,
        shapes: &[Option<TypeShape>],
        rules: &NameRules,
    ) -> bool {
        (0..).zip(shapes).all(|(place, shape)| {
            self.fit_at(at, place, shape.as_ref(), rules) > ArgumentMatch::Possible
                || self.shape_at(at, place, rules) == self.shape_at(other, place, rules)
        })
    }

    /// Returns the name of the type of an expression, if the type is known and not of the root: `File` for `file: File`.
    pub(super) fn type_name(self, here: Position, text: &str) -> Option<String> {
        let rules = self.rules(here.file)?;
        let shape = self.deeper(|| self.argument_shape(here, text, rules))?;
        (shape.symbol.is_none() && shape.arrays == 0).then_some(shape.name)
    }

    /// Returns the match between an argument and the parameter at its place.
    fn fit_at(
        self,
        at: SymbolId,
        place: usize,
        shape: Option<&TypeShape>,
        rules: &NameRules,
    ) -> ArgumentMatch {
        let Some(parameters) = self.symbol(at).parameters() else {
            return ArgumentMatch::Possible;
        };
        let count = parameters.count();
        if count == 0 {
            return ArgumentMatch::Impossible;
        }
        let is_rest = parameters.has_rest() && place + 1 >= count;
        match (shape, self.shape_at(at, place, rules)) {
            // An array may be passed to a variadic parameter.
            (Some(shape), Some(wanted)) if is_rest && shape.arrays > wanted.arrays => {
                ArgumentMatch::Possible
            }
            (Some(shape), Some(wanted)) => self.fit_one(shape, &wanted, rules.literal_types),
            _ => ArgumentMatch::Possible,
        }
    }

    /// Returns the type of the parameter for the argument at a place; of the last parameter behind all others.
    fn shape_at(self, of: SymbolId, place: usize, rules: &NameRules) -> Option<TypeShape> {
        let parameters = self.symbol(of).parameters()?;
        let last = parameters.count().checked_sub(1)?;
        let parameter = parameters.iter().nth(place.min(last))?;
        let declared = parameter.type_expr().map(TypeExpr::text);
        let declared = declared.unwrap_or_else(|| parameter.text());
        let is_whole = declared.len() == parameter.text().len();
        let has_name = is_whole && rules.type_position == TypePosition::Before;
        // A default value is no part of the type: `int size = 1`.
        let declared = declared.split('=').next().unwrap_or(declared);
        self.type_shape(Position::declaration(&self, of), declared, has_name)
    }

    fn fit_one(
        self,
        given: &TypeShape,
        wanted: &TypeShape,
        literals: LiteralTypes,
    ) -> ArgumentMatch {
        let kinds = (literals.kind(&given.name), literals.kind(&wanted.name));
        let is_open = wanted.is_parameter || wanted.symbol.is_none() && kinds.1.is_none();
        if given.is_parameter {
            return ArgumentMatch::Possible;
        }
        if given.arrays != wanted.arrays {
            let is_object = is_open && wanted.arrays < given.arrays;
            return if is_object {
                ArgumentMatch::Possible
            } else {
                ArgumentMatch::Impossible
            };
        }
        if given.name == wanted.name && given.symbol == wanted.symbol && !wanted.is_parameter {
            return ArgumentMatch::Exact;
        }
        if given.arrays > 0 && (kinds.0.is_some() || kinds.1.is_some()) {
            return if wanted.is_parameter {
                ArgumentMatch::Possible
            } else {
                ArgumentMatch::Impossible
            };
        }
        let is_possible = match (kinds, given.symbol, wanted.symbol) {
            _ if wanted.is_parameter => true,
            ((Some(given), Some(wanted)), ..) => {
                let is_character = given == Literal::Character && wanted == Literal::Integer;
                is_character || given.is_number() && wanted.is_number()
            }
            ((Some(_), None), _, Some(_)) | ((None, Some(_)), Some(_), _) => false,
            (_, Some(given), Some(wanted)) => self.is_below(given, wanted),
            // A library type cannot be derived from a type of the root.
            (_, None, Some(_)) => self.has_type(&given.name),
            _ => true,
        };
        let is_named = given.symbol.is_none() && given.name.ends_with(&wanted.name);
        match (is_possible, is_named && !wanted.is_parameter) {
            (false, _) => ArgumentMatch::Impossible,
            (true, false) => ArgumentMatch::Possible,
            (true, true) => ArgumentMatch::SimilarName,
        }
    }

    /// Returns whether the root has a type with this name, whether in scope or not.
    fn has_type(self, name: &str) -> bool {
        self.named(name).any(|at| self.symbol(at).kind.is_type())
    }

    /// Returns whether a type is `above`, or is derived from it.
    fn is_below(self, at: SymbolId, above: SymbolId) -> bool {
        let mut all = vec![at];
        let mut next = 0;
        while let Some(one) = all.get(next).copied() {
            if self.entities().are_same(one, above) {
                return true;
            }
            for (supertype, _) in self.members().supertypes(one) {
                if !all.contains(&supertype) {
                    all.push(supertype);
                }
            }
            next += 1;
        }
        false
    }

    /// Returns the type of an argument, if it is known.
    fn argument_shape(self, here: Position, text: &str, rules: &NameRules) -> Option<TypeShape> {
        if let Some(name) = rules.literal_types.type_of(text) {
            return self.type_shape(here, name, false);
        }
        if let Some(made) = constructed(text) {
            let end = made.find(['(', '{'])?;
            let dimensions = made[..end].matches('[').count();
            let bare = made[..end].split('[').next()?;
            let shape = self.type_shape(here, bare, false)?;
            return Some(TypeShape {
                arrays: dimensions,
                ..shape
            });
        }
        if text.starts_with('(') {
            let end = matching(text)?;
            let is_cast = text[end + 1..]
                .trim_start()
                .starts_with(|sign| is_word(sign) || sign == '(');
            return is_cast.then(|| self.type_shape(here, &text[1..end], false))?;
        }
        if rules.receivers.contains(&text) {
            let around = self.members().enclosing_type(here)?;
            return Some(TypeShape {
                name: self.symbol(around).name.to_string(),
                arrays: 0,
                symbol: Some(around),
                is_parameter: false,
            });
        }
        let alternatives = value_alternatives(text);
        if alternatives.len() > 1 {
            let mut shapes = alternatives
                .into_iter()
                .map(|one| self.deeper(|| self.argument_shape(here, one.trim(), rules)));
            return shapes.find_map(|shape| shape);
        }
        if let Some(called) = last_call(text) {
            let method = called.rsplit('.').next().unwrap_or(called);
            if rules.literal_types.string_methods.contains(&method) {
                let name = rules.literal_types.strings.as_slice().first()?;
                return self.type_shape(here, name, false);
            }
            let Value::Function(at, _) = self.values().evaluate(here, called) else {
                return None;
            };
            return self.declared_shape(at);
        }
        if let Some(indexed) = text.strip_suffix(']') {
            let list = indexed[..indexed.rfind('[')?].trim_end();
            let shape = self.deeper(|| self.argument_shape(here, list, rules))?;
            let arrays = shape.arrays.checked_sub(1)?;
            return Some(TypeShape { arrays, ..shape });
        }
        if text.chars().all(is_word) {
            return match self.scopes().resolve(here, text) {
                Meaning::Local(Some(bound), at) => {
                    let is_type = !bound.contains('(') && patterns::parse_binding(&bound).is_none();
                    is_type.then(|| self.type_shape(at, &bound, false))?
                }
                Meaning::Symbols(found, _) => self.declared_shape(*found.first()?),
                _ => None,
            };
        }
        let (owner, name) = text.rsplit_once('.')?;
        if name == conventions::CLASS_LITERAL
            || !text.chars().all(|sign| is_word(sign) || sign == '.')
        {
            return None;
        }
        let value = self.values().evaluate(here, owner);
        self.declared_shape(*self.values().find_members(&value, name).first()?)
    }

    /// Returns the type of a variable, or the result of a function.
    fn declared_shape(self, at: SymbolId) -> Option<TypeShape> {
        let symbol = self.symbol(at);
        let declared = symbol.declared_type().or_else(|| symbol.result())?;
        let inside = Position::declaration(&self, at);
        self.type_shape(inside, declared.text(), false)
    }

    /// Parses a type. With `has_name`, the name of a parameter follows it in the text: `final List<Store>[] stores`.
    fn type_shape(self, here: Position, text: &str, has_name: bool) -> Option<TypeShape> {
        let (words, arrays) = outer_words(text);
        let place = words.len().checked_sub(1 + usize::from(has_name))?;
        let path = words[place];
        let name = path.rsplit('.').next().unwrap_or(path);
        let is_parameter = self.types().is_type_parameter(here, name);
        Some(TypeShape {
            name: name.to_owned(),
            arrays,
            symbol: self.types().resolve_path(here, path),
            is_parameter,
        })
    }
}

/// Returns the text after `new` if an argument is a constructor call and nothing else: `new File("a")`, but not
/// `new File("a").toPath()`.
fn constructed(text: &str) -> Option<&str> {
    let made = text.strip_prefix(vocabulary::NEW)?;
    let open = made.find(['(', '{'])?;
    let behind = made[open + matching(&made[open..])? + 1..].trim_start();
    (behind.is_empty() || behind.starts_with('{')).then_some(made)
}

/// Returns the words of a type outside its brackets, and the number of its array dimensions. A variadic type (`char...`) has
/// none, because its arguments are compared one by one.
fn outer_words(text: &str) -> (Vec<&str>, usize) {
    let (mut words, mut arrays, mut rest) = (vec![], 0, text);
    while let Some(sign) = rest.chars().next() {
        let is_part = |sign: char| is_word(sign) || sign == '.';
        let length = match sign {
            '<' => skip_generics(rest).max(1),
            '(' => matching(rest).map_or(1, |end| end + 1),
            '[' => {
                arrays += 1;
                1
            }
            '@' => {
                1 + rest[1..]
                    .find(|sign| !is_part(sign))
                    .unwrap_or(rest.len() - 1)
            }
            sign if is_word(sign) => {
                let length = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
                words.push(rest[..length].trim_end_matches('.'));
                length
            }
            sign => sign.len_utf8(),
        };
        rest = &rest[length..];
    }
    (words, arrays)
}

#[cfg(test)]
mod tests {
    use super::outer_words;

    #[test]
    fn the_words_of_a_type_are_told_from_its_arguments() {
        for (text, words, arrays) in [
            (
                "final List<Store>[] stores",
                vec!["final", "List", "stores"],
                1,
            ),
            (
                "@Nullable java.util.Map<K, V> m",
                vec!["java.util.Map", "m"],
                0,
            ),
            ("char... signs", vec!["char", "signs"], 0),
            ("byte[][]", vec!["byte"], 2),
        ] {
            assert_eq!(outer_words(text), (words, arrays), "{text}");
        }
    }
}
