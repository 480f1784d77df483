//! The syntax around a name, read from the text alone: objects in braces, receivers, heads of blocks.
//!
//! Nothing here knows what a name means; the keywords and operators of a language come from its [`Naming`]. `code` is text
//! whose comments and strings are blanked.

use std::ops::Range;

use crate::lang::Naming;

/// The most bytes before a name that are searched for the bracket around it.
const LOOK_BACK: usize = 20_000;

/// The role of a name in an object that is constructed or destructured in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldSyntax {
    /// The name is not a field in braces.
    None,
    /// `{ name }`: one word for a field and its value. `start` is where a field name would be inserted, `open` the brace.
    Shorthand { start: usize, open: usize },
    /// `{ name: … }`.
    Key { open: usize },
}

impl FieldSyntax {
    /// Reads the code around the name that begins at `at`.
    pub fn read(code: &str, at: usize, length: usize, naming: &Naming) -> Self {
        let (Some(mut before), Some(after)) = (code.get(..at), code.get(at + length..)) else {
            return Self::None;
        };
        before = before.trim_end();
        let mut start = at;
        // Modifiers belong to the name after them: `ref mut name`.
        while let Some(rest) = naming
            .field_modifiers
            .iter()
            .find_map(|word| strip_last_word(before, word))
        {
            start = rest.len();
            before = rest.trim_end();
        }
        let Some(open) = opening_bracket(code, start).filter(|open| code.as_bytes()[*open] == b'{')
        else {
            return Self::None;
        };
        let inside = &code[open + 1..before.len().max(open + 1)];
        let is_object = items(inside).into_iter().all(|item| is_field(item, naming));
        if !before.ends_with(['{', ',']) || !is_object {
            return Self::None;
        }
        let after = after.trim_start();
        let ends = after.starts_with([',', '}'])
            || after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
        if ends {
            let modifiers = &code[start..at];
            let space = modifiers.len() - modifiers.trim_start().len();
            Self::Shorthand {
                start: start + space,
                open,
            }
        } else if after.starts_with(':') && !after.starts_with("::") {
            Self::Key { open }
        } else {
            Self::None
        }
    }
}

fn strip_last_word<'t>(code: &'t str, word: &str) -> Option<&'t str> {
    let rest = code.strip_suffix(word)?;
    (!rest.ends_with(is_word)).then_some(rest)
}

/// Returns whether an item between commas belongs to an object, and not to a statement.
fn is_field(item: &str, naming: &Naming) -> bool {
    let bare = naming
        .field_modifiers
        .iter()
        .fold(item.trim(), |rest, word| {
            let behind = rest.strip_prefix(word);
            behind
                .filter(|behind| behind.starts_with(' '))
                .map_or(rest, str::trim_start)
        });
    if bare.is_empty() || bare.starts_with("..") || bare.starts_with(['[', '#', '@', '*']) {
        return true;
    }
    let rest = bare.trim_start_matches(is_word).trim_start();
    rest.len() < bare.len()
        && (rest.is_empty() || rest.starts_with([':', '=', '(', '?']) && !rest.starts_with("::"))
}

/// Returns the items that are separated by commas outside brackets, except the last one, which begins with the name.
fn items(inside: &str) -> Vec<&str> {
    let (mut depth, mut from, mut items) = (0_i32, 0, vec![]);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                items.push(&inside[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    items
}

/// Returns the position of the innermost bracket that is open at `at`.
pub fn opening_bracket(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0_u32;
    let bytes = code.as_bytes();
    for place in (at.saturating_sub(LOOK_BACK)..at).rev() {
        match bytes[place] {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth == 0 => return Some(place),
            b'(' | b'[' | b'{' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the position of the bracket that closes the one at `open`.
pub fn closing_bracket(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (place, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(place);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the last word of the type that an object in braces is given: `Config { size }`, `const config: Config = { size }`,
/// `{ size } as Config`.
pub fn object_type(code: &str, open: usize, naming: &Naming) -> Option<Range<usize>> {
    let before = strip_generic_arguments(code[..open].trim_end());
    let constructed = last_word(before).filter(|word| {
        word.end == before.len() && !naming.reserved.contains(&&before[word.clone()])
    });
    let declared = || {
        let left = before
            .strip_suffix('=')
            .filter(|left| !left.ends_with(['=', '!', '<', '>']))?;
        let left = strip_generic_arguments(left.trim_end());
        let word = last_word(left).filter(|word| word.end == left.len())?;
        let path = left[..word.start]
            .trim_end_matches(is_part_of_path)
            .trim_end();
        path.ends_with(':').then_some(word)
    };
    let annotated = || {
        let close = closing_bracket(code, open)?;
        let rest = code[close + 1..].trim_start();
        let kind = naming.type_annotations.iter().find_map(|sign| {
            let kind = rest.strip_prefix(sign)?;
            (!sign.ends_with(is_word) || kind.starts_with(' ')).then(|| kind.trim_start())
        })?;
        let path = kind.len() - kind.trim_start_matches(is_part_of_path).len();
        let start = code.len() - kind.len();
        last_word(&kind[..path]).map(|word| start + word.start..start + word.end)
    };
    constructed.or_else(declared).or_else(annotated)
}

/// Returns `Store` for `Store::<A, B>`.
fn strip_generic_arguments(text: &str) -> &str {
    if !text.ends_with('>') || text.ends_with("=>") || text.ends_with("->") {
        return text;
    }
    let mut depth = 0_u32;
    for (place, byte) in text.bytes().enumerate().rev().take(1_000) {
        match byte {
            b'>' => depth += 1,
            b'<' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text[..place].trim_end().trim_end_matches("::");
                }
            }
            b';' | b'{' | b'}' => return text,
            _ => {}
        }
    }
    text
}

fn last_word(text: &str) -> Option<Range<usize>> {
    let end = text.trim_end_matches(|sign: char| !is_word(sign)).len();
    let start = text[..end].trim_end_matches(is_word).len();
    (start < end).then_some(start..end)
}

/// Returns whether the name at `at` is a member of an expression before it: `store.size`, `store?.size`.
pub fn has_receiver(code: &str, at: usize, member_operators: &[&str]) -> bool {
    let before = &code[..at];
    let Some(operator) = member_operators
        .iter()
        .find(|operator| before.ends_with(**operator))
    else {
        return false;
    };
    let receiver = &before[..before.len() - operator.len()];
    // `..size`, `...size` and `case .size` have no receiver.
    let near = receiver.trim_end_matches(['?', '!']);
    let rest = near.trim_end();
    !receiver.ends_with('.')
        && (rest.len() == near.len() || near[rest.len()..].contains('\n'))
        && rest.ends_with(|last: char| {
            is_word(last) || matches!(last, ')' | ']' | '}' | '"' | '\'' | '>')
        })
}

/// Returns the head of the block around a position: `impl Read for Store` of `impl Read for Store {`.
pub fn block_head(code: &str, at: usize) -> Option<Range<usize>> {
    let open = opening_bracket(code, at).filter(|open| code.as_bytes()[*open] == b'{')?;
    let start = code[..open].rfind([';', '{', '}']).map_or(0, |end| end + 1);
    Some(start..open)
}

/// Returns whether a word that is no name is in the text of an element: `<p>call helper</p>`.
pub fn is_markup_text(code: &str, at: usize, length: usize) -> bool {
    let (before, after) = (&code[..at], &code[at + length..]);
    let sign = |at: usize| code.as_bytes()[at];
    let (Some(open), Some(close)) = (
        before.rfind(['<', '>', '{', '}']),
        after.find(['<', '>', '{', '}']),
    ) else {
        return false;
    };
    let follows_tag = sign(open) == b'>' && !before[..open].ends_with(['=', '-']);
    let precedes_tag = after[close..].starts_with("</");
    let may_precede = after[close..].starts_with(['<', '{']);
    follows_tag && may_precede || precedes_tag && sign(open) == b'}'
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '$'
}

fn is_part_of_path(sign: char) -> bool {
    is_word(sign) || sign == '.'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    fn naming(id: &str) -> &'static Naming {
        let facts = lang::by_name(id).and_then(|language| language.facts.as_ref());
        &facts.expect(id).naming
    }

    /// Replaces `@` by the name `size`, and returns its position.
    fn place_name(text: &str) -> (String, usize) {
        let at = text.find('@').expect("a name");
        (text.replacen('@', "size", 1), at)
    }

    #[test]
    fn fields_that_are_written_once_are_told_from_statements() {
        for (language, text, expected) in [
            ("rust", "Cfg { @, height }", "short"),
            ("rust", "Cfg { height, @ }", "short"),
            ("rust", "let Cfg { ref mut @, .. } = self", "short"),
            ("typescript", "return { @ };", "short"),
            ("typescript", "const { a = 1, ...b, @ = 3 } = o", "short"),
            (
                "typescript",
                "f({ ___: 1, b() { return 2, 3; }, @ })",
                "short",
            ),
            ("typescript", "({ async a() {}, get b() {}, @ })", "short"),
            ("rust", "Cfg { @: 3 }", "key"),
            ("typescript", "({ a: { b }, @: c })", "key"),
            ("rust", "match a { Kind::@ => 1 }", "none"),
            ("rust", "f(a, @, b)", "none"),
            ("typescript", "{ let a, @, b }", "none"),
            ("typescript", "if a { return b, @ }", "none"),
            ("rust", "[a, @]", "none"),
            ("rust", "{ @::new() }", "none"),
            ("rust", "{ a == @ }", "none"),
        ] {
            let (text, at) = place_name(text);
            let found = match FieldSyntax::read(&text, at, 4, naming(language)) {
                FieldSyntax::None => "none",
                FieldSyntax::Shorthand { .. } => "short",
                FieldSyntax::Key { .. } => "key",
            };
            assert_eq!(found, expected, "{text}");
        }
        let (text, at) = place_name("let Cfg { ref @, .. }");
        assert_eq!(
            FieldSyntax::read(&text, at, 4, naming("rust")),
            FieldSyntax::Shorthand { start: 10, open: 8 }
        );
    }

    #[test]
    fn the_type_of_an_object_is_read_where_it_is_written() {
        for (language, text, expected) in [
            ("rust", "a::Cfg { @ }", Some("Cfg")),
            ("rust", "Cfg::<u8> { @ }", Some("Cfg")),
            ("typescript", "const o: lib.Opts<A> = { @ }", Some("Opts")),
            ("typescript", "({ @ }: Opts) => 1", Some("Opts")),
            ("typescript", "f({ @ } as Opts)", Some("Opts")),
            ("typescript", "const { @ }: Opts = o", Some("Opts")),
            ("typescript", "return { @ }", None),
            ("typescript", "const o = { @ }", None),
            ("typescript", "f({ @ })", None),
            ("typescript", "() => { @ }", None),
        ] {
            let (text, at) = place_name(text);
            let open = opening_bracket(&text, at).expect("a brace");
            assert_eq!(
                object_type(&text, open, naming(language)).map(|span| &text[span]),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_member_has_a_receiver_before_it() {
        for (text, operators, expected) in [
            ("a.@", &["."][..], true),
            ("a?.@", &["."], true),
            ("f()\n    .@", &["."], true),
            ("p->@", &[".", "->"], true),
            ("x -> @", &[".", "->"], false),
            ("case .@", &["."], false),
            ("...@", &["."], false),
            ("'a' . @", &["->"], false),
            ("@", &["."], false),
        ] {
            let (text, at) = place_name(text);
            assert_eq!(has_receiver(&text, at, operators), expected, "{text}");
        }
    }

    #[test]
    fn text_of_an_element_is_no_code() {
        for (text, expected) in [
            ("<p>call @ now {x}</p>", true),
            ("<p>{x} call @</p>", true),
            ("<p>\n  @\n  <b/></p>", true),
            ("<p title={@}>a</p>", false),
            ("<p>{x}</p>; @", false),
            ("() => @ < 3", false),
            ("if (x) {} @: while (y) {}", false),
        ] {
            let (text, at) = place_name(text);
            assert_eq!(is_markup_text(&text, at, 4), expected, "{text}");
        }
    }

    #[test]
    fn the_head_of_a_block_stands_before_its_brace() {
        let text = "struct A;\nimpl Display for A {\n    fn fmt() {}\n}\n";
        let at = text.find("fmt").expect("there");
        assert_eq!(
            block_head(text, at).map(|head| text[head].trim()),
            Some("impl Display for A")
        );
    }
}
