//! Where a text has a name, and what stands around it there. All of it is text: whoever asks knows what the names mean.

use std::ops::Range;

use regex::Regex;

use crate::extract::BesideCode;
use crate::lang::Naming;

/// How far back the bracket around a place is looked for.
const LOOK_BACK: usize = 20_000;

/// A place where the name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// In bytes of the text.
    pub at: usize,
    pub line: u32,
    /// In bytes of the line.
    pub column: u32,
}

/// A name that is looked for in texts of a language.
pub struct Sought {
    pub name: String,
    /// What a name of the language is made of, from its start.
    longest: Option<Regex>,
    has_dollar: bool,
}

impl Sought {
    pub fn new(name: &str, naming: Option<&Naming>) -> Self {
        let pattern = |naming: &Naming| Regex::new(&format!("^(?:{})", naming.identifier)).ok();
        let longest = naming.and_then(pattern);
        let has_dollar = longest
            .as_ref()
            .is_none_or(|pattern| pattern.is_match("$a"));
        Self {
            name: name.to_owned(),
            longest,
            has_dollar,
        }
    }

    /// Every place of a text that has the name, and not as a part of a longer one.
    pub fn all_in(&self, text: &str) -> Vec<Word> {
        let mut found = vec![];
        let mut start = 0;
        for (line, content) in (1..).zip(text.split_inclusive('\n')) {
            for (column, _) in content.match_indices(&*self.name) {
                if self.is_whole(content, column) {
                    let column_bytes = u32::try_from(column).unwrap_or(u32::MAX);
                    found.push(Word {
                        at: start + column,
                        line,
                        column: column_bytes,
                    });
                }
            }
            start += content.len();
        }
        found
    }

    fn is_whole(&self, line: &str, at: usize) -> bool {
        let is_part =
            |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '$' && self.has_dollar;
        let begins_alone = !self.name.starts_with(is_part) || !line[..at].ends_with(is_part);
        let rest = &line[at..];
        let longest = self
            .longest
            .as_ref()
            .and_then(|pattern| pattern.find(rest))
            .map_or(0, |found| found.end());
        let goes_on = self.name.ends_with(is_part) && rest[self.name.len()..].starts_with(is_part);
        begins_alone && !goes_on && longest <= self.name.len()
    }
}

/// The text with comments blanked, and strings too but for their length: what is left is structure.
pub fn code_of(text: &str, beside: &BesideCode) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut fill = |spans: &[Range<u32>], with: u8| {
        for span in spans {
            if let Some(hidden) = bytes.get_mut(span.start as usize..span.end as usize) {
                hidden
                    .iter_mut()
                    .filter(|byte| **byte != b'\n')
                    .for_each(|byte| *byte = with);
            }
        }
    };
    fill(&beside.comments, b' ');
    fill(&beside.strings, b'_');
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// What a name is by where it stands, in a language whose objects are written in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Plain,
    /// `{ name }`: a field and what it is given, or is bound to, by one word. With the bytes before which a field's name
    /// would be written, and where the brace opens.
    Shorthand {
        from: usize,
        open: usize,
    },
    /// `{ name: … }`.
    Key {
        open: usize,
    },
}

pub fn place(code: &str, at: usize, length: usize) -> Place {
    let (Some(mut before), Some(after)) = (code.get(..at), code.get(at + length..)) else {
        return Place::Plain;
    };
    before = before.trim_end();
    let mut from = at;
    // `ref mut name` binds, and goes with the name.
    while let Some(rest) = ["mut", "ref"]
        .iter()
        .find_map(|word| without_word(before, word))
    {
        from = rest.len();
        before = rest.trim_end();
    }
    let Some(open) = opener(code, from).filter(|open| code.as_bytes()[*open] == b'{') else {
        return Place::Plain;
    };
    let inside = &code[open + 1..before.len().max(open + 1)];
    if !before.ends_with(['{', ',']) || !pieces(inside).into_iter().all(is_item) {
        return Place::Plain;
    }
    let after = after.trim_start();
    let ends = after.starts_with([',', '}'])
        || after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
    let from = code[from..at]
        .find(|sign: char| !sign.is_whitespace())
        .map_or(at, |skipped| from + skipped);
    if ends {
        Place::Shorthand { from, open }
    } else if after.starts_with(':') && !after.starts_with("::") {
        Place::Key { open }
    } else {
        Place::Plain
    }
}

fn without_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_suffix(word)?;
    (!rest.ends_with(is_word)).then_some(rest)
}

/// Whether a piece between commas is of an object, and not of a statement.
fn is_item(piece: &str) -> bool {
    let piece = piece.trim();
    let bare = ["ref ", "mut ", "async ", "get ", "set "]
        .iter()
        .fold(piece, |rest, word| {
            rest.strip_prefix(word).map_or(rest, str::trim_start)
        });
    if bare.is_empty() || bare.starts_with("..") || bare.starts_with(['[', '#', '@', '*']) {
        return true;
    }
    let rest = bare.trim_start_matches(is_word);
    let rest = rest.trim_start();
    rest.len() < bare.len()
        && (rest.is_empty() || rest.starts_with([':', '=', '(', '?']) && !rest.starts_with("::"))
}

/// What commas part outside of brackets, without the last piece, which the name itself begins.
fn pieces(inside: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0_i32, 0, vec![]);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                found.push(&inside[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// The bracket that is open at a place.
pub fn opener(code: &str, at: usize) -> Option<usize> {
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

/// The bracket that closes one.
fn closer(code: &str, open: usize) -> Option<usize> {
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

/// Whether an object in braces is what a file gives away under the names of its fields, or a list of such names.
pub fn is_export(code: &str, open: usize) -> bool {
    let before = code[..open].trim_end();
    let before = without_word(before, "type").map_or(before, str::trim_end);
    let assigned = before.strip_suffix('=').map(str::trim_end);
    without_word(before, "export").is_some()
        || assigned.is_some_and(|left| without_word(left, "exports").is_some())
}

/// The last word of the type that an object in braces is said to be of: right before them, before a `=`, or behind them.
pub fn said_type(code: &str, open: usize, reserved: &[&str]) -> Option<Range<usize>> {
    let before = without_arguments(code[..open].trim_end());
    let named = last_word(before)
        .filter(|word| word.end == before.len() && !reserved.contains(&&before[word.clone()]));
    let assigned = || {
        let left = before
            .strip_suffix('=')
            .filter(|left| !left.ends_with(['=', '!', '<', '>']))?;
        let left = without_arguments(left.trim_end());
        let word = last_word(left).filter(|word| word.end == left.len())?;
        let path = left[..word.start]
            .trim_end_matches(|sign: char| is_word(sign) || sign == '.')
            .trim_end();
        path.ends_with(':').then_some(word)
    };
    let behind = || {
        let close = closer(code, open)?;
        let after = &code[close + 1..];
        let rest = after.trim_start();
        let kind = [":", "as ", "satisfies "]
            .iter()
            .find_map(|sign| rest.strip_prefix(sign))?
            .trim_start();
        let path = kind.len()
            - kind
                .trim_start_matches(|sign: char| is_word(sign) || sign == '.')
                .len();
        let start = code.len() - kind.len();
        last_word(&kind[..path]).map(|word| start + word.start..start + word.end)
    };
    named.or_else(assigned).or_else(behind)
}

/// `Type::<A, B>` without what is in its angle brackets.
fn without_arguments(text: &str) -> &str {
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

/// Whether something stands before a place that what is there is a member of.
pub fn is_member_of_something(code: &str, at: usize, signs: &[&str]) -> bool {
    let before = &code[..at];
    let Some(sign) = signs.iter().find(|sign| before.ends_with(**sign)) else {
        return false;
    };
    let of = &before[..before.len() - sign.len()];
    // Two dots are a range or what is left of an object; one behind a space belongs to nothing before it.
    let near = of.trim_end_matches(['?', '!']);
    let rest = near.trim_end();
    !of.ends_with('.')
        && (rest.len() == near.len() || near[rest.len()..].contains('\n'))
        && rest.ends_with(|last: char| {
            is_word(last) || matches!(last, ')' | ']' | '}' | '"' | '\'' | '>')
        })
}

/// The head of the block that is open at a place: what stands before its brace, back to the end of what is before it.
pub fn head_of_block(code: &str, at: usize) -> Option<Range<usize>> {
    let open = opener(code, at).filter(|open| code.as_bytes()[*open] == b'{')?;
    let start = code[..open].rfind([';', '{', '}']).map_or(0, |end| end + 1);
    Some(start..open)
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '$'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::beside_code;
    use crate::lang;

    fn naming(id: &str) -> &'static Naming {
        let facts = lang::by_name(id).and_then(|language| language.facts.as_ref());
        &facts.expect(id).naming
    }

    #[test]
    fn a_name_is_found_whole() {
        for (language, name, text, columns) in [
            ("rust", "run", "run(); rerun(); run2; run", vec![0, 22]),
            ("haskell", "go", "go x = go' (go x)", vec![0, 12]),
            ("haskell", "go'", "go x = go' (go x)", vec![7]),
            ("javascript", "el", "el $el el$ el", vec![0, 11]),
            ("php", "name", "$name->name", vec![1, 7]),
            ("ruby", "empty?", "a.empty? b.empty", vec![2]),
            (
                "bash",
                "do-thing",
                "do-thing; other do-thing-2",
                vec![0, 16],
            ),
            ("rust", "größe", "die größe größer", vec![4]),
        ] {
            let sought = Sought::new(name, Some(naming(language)));
            let found: Vec<u32> = sought.all_in(text).iter().map(|word| word.column).collect();
            assert_eq!(found, columns, "{name} in {text}");
        }
        let sought = Sought::new("b", None);
        assert_eq!(
            sought.all_in("a\r\nä b\n b")[1],
            Word {
                at: 9,
                line: 3,
                column: 1
            }
        );
    }

    #[test]
    fn words_are_told_from_code() {
        for (language, text) in [
            (
                "rust",
                "code // note\n code \"text\" '\"' code r#\"text \" text\"# code /* note\nnote */ code \"text\ntext\" code",
            ),
            (
                "python",
                "code # note\ncode 'text' \"\"\"text\n'text\n\"\"\" code",
            ),
            (
                "javascript",
                "code `text\ntext` 'text' code /* note */ code",
            ),
            ("bash", "code $#code # note\necho 'text\ntext' code"),
            ("c", "code '\"' code \"text // text\" code // note"),
            ("haskell", "code {- note\nnote -} code -- note"),
        ] {
            let beside = beside_code(lang::by_name(language).expect(language), text);
            for word in ["code", "note", "text"] {
                for (at, _) in text.match_indices(word) {
                    let at = u32::try_from(at).expect("small");
                    let found = (beside.is_comment(at), beside.is_string(at));
                    assert_eq!(
                        found,
                        (word == "note", word == "text"),
                        "{language}: {word} at {at}"
                    );
                }
            }
        }
    }

    /// `@` stands for the name.
    fn placed(text: &str) -> (String, usize) {
        let at = text.find('@').expect("a name");
        (text.replacen('@', "size", 1), at)
    }

    #[test]
    fn fields_that_are_written_once_are_told_from_statements() {
        for (text, expected) in [
            ("Cfg { @, height }", "short"),
            ("Cfg { height, @ }", "short"),
            ("let Cfg { ref mut @, .. } = self", "short"),
            ("return { @ };", "short"),
            ("const { a = 1, ...b, @ = 3 } = o", "short"),
            ("f({ ___: 1, b() { return 2, 3; }, @ })", "short"),
            ("Cfg { @: 3 }", "key"),
            ("({ a: { b }, @: c })", "key"),
            ("match a { Kind::@ => 1 }", "plain"),
            ("f(a, @, b)", "plain"),
            ("{ let a, @, b }", "plain"),
            ("if a { return b, @ }", "plain"),
            ("[a, @]", "plain"),
            ("{ @::new() }", "plain"),
            ("{ a == @ }", "plain"),
        ] {
            let (text, at) = placed(text);
            let found = match place(&text, at, 4) {
                Place::Plain => "plain",
                Place::Shorthand { .. } => "short",
                Place::Key { .. } => "key",
            };
            assert_eq!(found, expected, "{text}");
        }
        let (text, at) = placed("let Cfg { ref @, .. }");
        assert_eq!(place(&text, at, 4), Place::Shorthand { from: 10, open: 8 });
    }

    #[test]
    fn the_type_of_an_object_is_read_where_it_is_said() {
        for (text, expected) in [
            ("a::Cfg { @ }", Some("Cfg")),
            ("Cfg::<u8> { @ }", Some("Cfg")),
            ("const o: lib.Opts<A> = { @ }", Some("Opts")),
            ("({ @ }: Opts) => 1", Some("Opts")),
            ("f({ @ } as Opts)", Some("Opts")),
            ("const { @ }: Opts = o", Some("Opts")),
            ("return { @ }", None),
            ("const o = { @ }", None),
            ("f({ @ })", None),
            ("() => { @ }", None),
        ] {
            let (text, at) = placed(text);
            let open = opener(&text, at).expect("a brace");
            assert_eq!(
                said_type(&text, open, &["const", "return"]).map(|span| &text[span]),
                expected,
                "{text}"
            );
        }
        for (text, expected) in [
            ("module.exports = { @ }", true),
            ("export { @ }", true),
            ("export type { @ }", true),
            ("export default { @ }", false),
            ("myexports = { @ }", false),
        ] {
            let (text, at) = placed(text);
            assert_eq!(
                is_export(&text, opener(&text, at).expect("a brace")),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_member_has_something_before_it() {
        for (text, signs, expected) in [
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
            let (text, at) = placed(text);
            assert_eq!(is_member_of_something(&text, at, signs), expected, "{text}");
        }
    }

    #[test]
    fn the_head_of_a_block_is_what_stands_before_its_brace() {
        let text = "struct A;\nimpl Display for A {\n    fn fmt() {}\n}\n";
        let at = text.find("fmt").expect("there");
        assert_eq!(
            head_of_block(text, at).map(|head| text[head].trim()),
            Some("impl Display for A")
        );
    }
}
