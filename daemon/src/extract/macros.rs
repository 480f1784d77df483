//! Macros where a grammar does not expect them: `class EXPORT Name`, `int value GUARDED_BY(lock)`. The parser would take the
//! macro for a name and misread the declaration, so it gets a text in which macros are blanked.
//!
//! Macros are found by the few words around them; a text without such words costs one search.

use std::borrow::Cow;

use aho_corasick::AhoCorasick;

use super::captures::{Reference, Span};
use super::facts::Role;
use super::text::{Text, offset};
use super::words::{is_word, word_end};
use crate::lang::families::MacroWords;
use crate::lang::vocabulary;

/// The most bytes of a macro's arguments, and from a keyword to the name that it defines.
const FARTHEST: usize = 400;

/// The most macros in lines of their own before a declaration.
const MOST_MACROS: usize = 4;

/// The rules of a language, compiled for searching.
pub struct Finder {
    rules: &'static MacroWords,
    /// The keywords before names, then the ends of annotations.
    words: AhoCorasick,
}

impl Finder {
    pub fn new(rules: &'static MacroWords) -> Option<Self> {
        let words = AhoCorasick::new(rules.before_names.iter().chain(rules.annotations)).ok()?;
        Some(Self { rules, words })
    }

    /// Returns the macros in the order of the text, without overlaps.
    pub fn find(&self, source: &str) -> Vec<Span> {
        let bytes = source.as_bytes();
        let mut found = vec![];
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', bytes).map(|end| end + 1));
        found.extend(starts.filter_map(|start| {
            self.before_declaration(bytes, start, MOST_MACROS)
                .or_else(|| self.on_a_line(bytes, start))
                .or_else(|| before_function(bytes, start))
        }));
        for word in self.words.find_iter(bytes) {
            if word.pattern().as_usize() < self.rules.before_names.len() {
                let is_alone = !before(bytes, word.start()).is_some_and(is_word);
                if is_alone && bytes.get(word.end()).is_some_and(u8::is_ascii_whitespace) {
                    found.extend(self.before_name(bytes, word.end()));
                }
            } else {
                found.extend(annotation(bytes, word.start(), word.end()));
            }
        }
        found.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        found.dedup_by(|later, earlier| later.start < earlier.end);
        found
    }

    /// Returns a macro at the start of a line, before text that can only be a complete declaration:
    /// `DB_EXPORT Status Open(int x);`.
    fn before_declaration(&self, bytes: &[u8], from: usize, most: usize) -> Option<Span> {
        let start = skip_indentation(bytes, from);
        let end = word_end(bytes, start);
        let is_alone = bytes.get(end)?.is_ascii_whitespace();
        let is_it =
            is_alone && is_macro(&bytes[start..end]) && self.precedes_declaration(bytes, end, most);
        is_it.then(|| span(start, end))
    }

    /// Returns whether the text after a macro can only be a complete declaration.
    fn precedes_declaration(&self, bytes: &[u8], end: usize, most: usize) -> bool {
        let mut at = end;
        let mut words = 0;
        while at < end + FARTHEST {
            at = skip_space(bytes, at);
            let stop = word_end(bytes, at);
            let word = &bytes[at..stop];
            if word.is_empty() {
                match bytes.get(at) {
                    Some(b'*' | b'&') if words > 0 => at += 1,
                    Some(b'(' | b';' | b'=' | b'{' | b'[') => return words > 1,
                    _ => return false,
                }
                continue;
            }
            let is_one_of = |known: &[&str]| known.iter().any(|one| one.as_bytes() == word);
            if words == 0 && is_one_of(self.rules.beginnings) {
                return true;
            }
            at = skip_path(bytes, stop);
            if is_one_of(self.rules.specifiers) {
                continue;
            }
            // Of two uppercase words in a row, the first may be a type: `DWORD WINAPI open()`.
            if words == 0 && is_macro(word) && !matches!(bytes.get(at), Some(b'*' | b'&' | b'<')) {
                let word = stop - word.len();
                let is_on_next_line = most > 0 && bytes[end..word].contains(&b'\n');
                return is_on_next_line && self.before_declaration(bytes, word, most - 1).is_some();
            }
            words += 1;
        }
        false
    }

    /// Returns a macro with arguments that is alone on its line, without a semicolon, before the next declaration or the end of
    /// its block: `DEFINE_TYPE(Store, size)`.
    fn on_a_line(&self, bytes: &[u8], from: usize) -> Option<Span> {
        let start = skip_indentation(bytes, from);
        let name = word_end(bytes, start);
        if !is_macro(&bytes[start..name]) || bytes.get(name) != Some(&b'(') {
            return None;
        }
        let end = given_end(bytes, name);
        let is_list = bytes[name + 1..end.max(name + 2) - 1]
            .iter()
            .all(|byte| is_word(*byte) || matches!(byte, b',' | b' ' | b':'));
        let next = skip_space(bytes, end);
        if !is_list || !bytes[end..next].contains(&b'\n') {
            return None;
        }
        let is_before = bytes.get(next) == Some(&b'}') || self.precedes_declaration(bytes, end, 0);
        is_before.then(|| span(start, end))
    }

    /// Returns the macros between a keyword such as `class` and the defined name.
    fn before_name(&self, bytes: &[u8], from: usize) -> Vec<Span> {
        let mut macros: Vec<Span> = vec![];
        // The last word so far: the defined name, if none follows.
        let mut last: Option<(usize, usize, usize)> = None;
        let mut at = from;
        while at < from + FARTHEST {
            at = skip_space(bytes, at);
            let stop = word_end(bytes, at);
            let word = &bytes[at..stop];
            if word.is_empty()
                || self
                    .rules
                    .specifiers
                    .iter()
                    .any(|one| one.as_bytes() == word)
            {
                break;
            }
            macros.extend(last.map(|(start, _, end)| span(start, end)));
            let given = if is_macro(word) {
                given_end(bytes, stop)
            } else {
                stop
            };
            last = Some((at, stop, given));
            at = given;
            if !is_macro(word) {
                break;
            }
        }
        let Some((start, stop, _)) =
            last.filter(|(_, stop, end)| stop == end && !macros.is_empty())
        else {
            return vec![];
        };
        let mut at = skip_space(bytes, skip_path(bytes, stop));
        let behind = word_end(bytes, at);
        if self
            .rules
            .specifiers
            .iter()
            .any(|one| one.as_bytes() == &bytes[at..behind])
        {
            at = skip_space(bytes, behind);
        }
        let is_type = match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'{'), _) => true,
            (Some(b':'), next) => next != Some(&b':'),
            // A variable looks the same, `struct FILE_INFO info;`, but its name is seldom capitalised.
            (Some(b';'), _) => {
                bytes[start].is_ascii_uppercase()
                    && macros
                        .iter()
                        .all(|one| bytes[one.start as usize..one.end as usize].contains(&b'_'))
            }
            _ => false,
        };
        if is_type { macros } else { vec![] }
    }
}

/// Returns a macro with arguments between the type of a function at the start of a line and its name: `printflike(1, 2)` in
/// `static void printflike(1, 2)`, before `log_warn(const char *format, ...)` in the next line.
fn before_function(bytes: &[u8], from: usize) -> Option<Span> {
    let (mut at, mut words, mut last) = (from, 0, (from, from));
    while at < from + FARTHEST && bytes.get(at) != Some(&b'(') {
        let stop = word_end(bytes, at);
        match bytes.get(at)? {
            b'*' if words > 0 => at += 1,
            b' ' | b'\t' | b'\r' | b'\n' if words > 0 => at = skip_space(bytes, at),
            byte if is_word(*byte) => {
                let is_same = |word: &&str| word.as_bytes() == &bytes[at..stop];
                if vocabulary::CONTROL_WORDS.iter().any(is_same) {
                    return None;
                }
                (words, last, at) = (words + 1, (at, stop), stop);
            }
            _ => return None,
        }
    }
    let end = given_end(bytes, last.1);
    let mut name = skip_space(bytes, end);
    while bytes.get(name) == Some(&b'*') {
        name = skip_space(bytes, name + 1);
    }
    let stop = word_end(bytes, name);
    let close = given_end(bytes, stop);
    let is_function = words > 1
        && name < stop
        && stop < close
        && !declares(&bytes[last.1..end])
        && declares(&bytes[stop..close])
        && matches!(bytes.get(skip_space(bytes, close)), Some(b'{' | b';'));
    is_function.then(|| span(last.0, end))
}

/// Returns whether the text in parentheses declares parameters, rather than listing arguments: `(int x)`, `(void)`, `()`.
fn declares(given: &[u8]) -> bool {
    let inner = given.trim_ascii();
    let inner = inner.strip_prefix(b"(").unwrap_or(inner);
    let inner = inner.strip_suffix(b")").unwrap_or(inner).trim_ascii();
    let mut parts = inner.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    inner.is_empty()
        || parts.any(|part| {
            part == vocabulary::VOID.as_bytes()
                || part.iter().any(|byte| matches!(byte, b' ' | b'*'))
        })
}

/// Returns a macro that ends with a known word and annotates the declaration before it.
fn annotation(bytes: &[u8], known: usize, end: usize) -> Option<Span> {
    let start = known
        - bytes[..known]
            .iter()
            .rev()
            .take_while(|byte| is_word(**byte))
            .count();
    if bytes.get(end).copied().is_some_and(is_word) || !is_macro(&bytes[start..end]) {
        return None;
    }
    let ahead = bytes[..start]
        .iter()
        .rposition(|byte| !byte.is_ascii_whitespace())?;
    let is_behind =
        ahead + 1 < start && (is_word(bytes[ahead]) || matches!(bytes[ahead], b')' | b']'));
    let end = given_end(bytes, end);
    let follows = bytes.get(skip_space(bytes, end))?;
    let is_end = matches!(follows, b';' | b'{' | b'=' | b':') || follows.is_ascii_uppercase();
    (is_behind && is_end && !is_directive(bytes, start)).then(|| span(start, end))
}

/// Returns whether a position is on a preprocessor line, where macros are defined.
fn is_directive(bytes: &[u8], at: usize) -> bool {
    let line = bytes[..at]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    bytes[line..at]
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        == Some(&b'#')
}

/// Returns the text with its macros blanked, every other byte at its position.
pub fn blanked<'a>(source: &'a str, macros: &[Span]) -> Cow<'a, [u8]> {
    if macros.is_empty() {
        return Cow::Borrowed(source.as_bytes());
    }
    let mut bytes = source.as_bytes().to_vec();
    for span in macros {
        for byte in &mut bytes[span.start as usize..span.end as usize] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    Cow::Owned(bytes)
}

/// Returns the names in a macro use: its own and those in its arguments.
pub fn names<'a>(span: Span, text: &Text<'a>) -> Vec<Reference<'a>> {
    let bytes = text.slice(span.start, span.end).as_bytes();
    let mut found = vec![];
    let mut at = 0;
    let mut is_quoted = false;
    while at < bytes.len() {
        is_quoted ^= bytes[at] == b'"';
        let end = word_end(bytes, at);
        if end == at || is_quoted {
            at += 1;
            continue;
        }
        if !bytes[at].is_ascii_digit() {
            let place = span.start + offset(at);
            let role = if at == 0 && end < bytes.len() {
                Role::Call
            } else {
                Role::Read
            };
            let name = text.slice(place, span.start + offset(end));
            found.push(Reference {
                at: place,
                name,
                role,
                qualifier: None,
            });
        }
        at = end;
    }
    found
}

/// Returns the end of a macro's arguments, or `end` if it has none.
fn given_end(bytes: &[u8], end: usize) -> usize {
    let open = skip_space(bytes, end);
    if bytes.get(open) != Some(&b'(') {
        return end;
    }
    let mut depth = 0_u32;
    for (at, byte) in bytes.iter().enumerate().skip(open).take(FARTHEST) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    end
}

/// Returns the position after the remaining parts of a path and the arguments of a template: after `::Log<int>`.
fn skip_path(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < from + FARTHEST {
        match bytes.get(at..).unwrap_or_default() {
            [b':', b':', ..] => at = word_end(bytes, at + 2),
            [b'<', ..] => {
                let mut depth = 0_i32;
                let end = bytes[at..].iter().take(FARTHEST).position(|byte| {
                    depth += i32::from(*byte == b'<') - i32::from(*byte == b'>');
                    depth == 0
                });
                match end {
                    Some(end) => at += end + 1,
                    None => break,
                }
            }
            _ => break,
        }
    }
    at
}

fn skip_indentation(bytes: &[u8], from: usize) -> usize {
    let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t');
    from + bytes[from..].iter().take_while(is_space).count()
}

fn skip_space(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

fn before(bytes: &[u8], at: usize) -> Option<u8> {
    at.checked_sub(1).map(|at| bytes[at])
}

/// Returns whether a word is a macro: all capitals, digits and underscores.
fn is_macro(word: &[u8]) -> bool {
    word.len() > 1
        && word
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
        && word.iter().any(u8::is_ascii_uppercase)
        && !word[0].is_ascii_digit()
}

fn span(start: usize, end: usize) -> Span {
    Span {
        start: offset(start),
        end: offset(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::compiled;
    use crate::lang;

    /// Returns the macros of a C++ text as they are written.
    fn found(source: &str) -> Vec<&str> {
        let language = lang::by_name("cpp").expect("known");
        let finder = compiled(language)
            .and_then(|compiled| compiled.macros.as_ref())
            .expect("it has macros");
        finder
            .find(source)
            .iter()
            .map(|span| &source[span.start as usize..span.end as usize])
            .collect()
    }

    #[test]
    fn macros_are_told_from_types_and_names() {
        for (source, macros) in [
            ("class DB_EXPORT Store {", &["DB_EXPORT"][..]),
            ("class DB_EXPORT DB final : public Base {", &["DB_EXPORT"]),
            (
                "struct EXPORT DEPRECATED(\"x\") Store\n{",
                &["EXPORT", "DEPRECATED(\"x\")"],
            ),
            ("enum class DB_EXPORT Kind : int {", &["DB_EXPORT"]),
            (
                "template <class T>\nclass DB_EXPORT ns::Box<T> {",
                &["DB_EXPORT"],
            ),
            ("class DB_EXPORT Store;", &["DB_EXPORT"]),
            (
                "BEGIN_NS\nTEMPLATE\nclass table // a comment\n",
                &["BEGIN_NS", "TEMPLATE"],
            ),
            (
                "struct person {\n  DEFINE_TYPE(person, age)\n};",
                &["DEFINE_TYPE(person, age)"],
            ),
            (
                "NON_NULL(2)\ntype scan(const char* text,\n    type given)\n{",
                &["NON_NULL(2)"],
            ),
            ("TEST(Store, Opens)\n{", &[]),
            ("CHECK(a)\nrun(b);", &[]),
            ("DEFINE(a) \\\nclass b", &[]),
            // Types whose names are all capitals.
            ("class DB {", &[]),
            ("class DB final {", &[]),
            ("class DB final : public Base {", &[]),
            ("struct FILE_INFO info;", &[]),
            ("struct FILE_INFO info = {};", &[]),
            ("struct FILE_INFO* open(int x) {", &[]),
            ("template <class KEY, class VALUE> int f();", &[]),
            // Before a declaration.
            ("DB_EXPORT Status Open(int x);", &["DB_EXPORT"]),
            (
                "  DB_EXPORT const ns::Box<int>*\nopen(int x);",
                &["DB_EXPORT"],
            ),
            ("DB_EXPORT DB* Open();", &["DB_EXPORT"]),
            ("DB_EXPORT extern int level;", &["DB_EXPORT"]),
            ("Q_OBJECT\n public:", &["Q_OBJECT"]),
            ("BEGIN_NAMESPACE\nclass A {", &["BEGIN_NAMESPACE"]),
            ("DWORD level;", &[]),
            ("DWORD const level;", &[]),
            ("DWORD open(int x);", &[]),
            ("DWORD WINAPI open(int x);", &[]),
            ("BOOL* level = 0;", &[]),
            ("LABEL: run(1);", &[]),
            ("CHECK(x) << a b(1);", &[]),
            ("#define EXPORT_IT int level;", &[]),
            // Between the type and the name of a function.
            (
                "static void printflike(3, 4)\nimage_log(struct image *im, const char *fmt, ...)\n{",
                &["printflike(3, 4)"],
            ),
            ("char *printflike(1, 2) text(void);", &["printflike(1, 2)"]),
            ("void fatal(const char *, ...) printflike(1, 2);", &[]),
            ("else if (ready) run(int x);", &[]),
            ("typedef int (*run)(int x);", &[]),
            // After a declaration.
            ("int level GUARDED_BY(lock_);", &["GUARDED_BY(lock_)"]),
            (
                "void Run()\n    EXCLUSIVE_LOCKS_REQUIRED(a, b) {",
                &["EXCLUSIVE_LOCKS_REQUIRED(a, b)"],
            ),
            (
                "void Run() ABSL_LOCKS_EXCLUDED(a) ABSL_LOCKS_REQUIRED(b);",
                &["ABSL_LOCKS_EXCLUDED(a)", "ABSL_LOCKS_REQUIRED(b)"],
            ),
            ("#define GUARDED_BY(x) ATTRIBUTE(guarded_by(x))", &[]),
            ("  GUARDED_BY(lock_);", &[]),
        ] {
            assert_eq!(found(source), macros, "{source}");
        }
    }

    #[test]
    fn every_byte_stays_in_its_place() {
        let source = "class A_B(\"ü x\",\r\n y) C {};";
        let text = Text::new(source);
        let macros = [Span {
            start: 6,
            end: offset(source.find(" C").expect("there")),
        }];
        let blanked = blanked(source, &macros);
        let blanks = |count| " ".repeat(count);
        assert_eq!(
            *blanked,
            *format!("class {}\r\n{} C {{}};", blanks(11), blanks(3)).as_bytes()
        );
        let names: Vec<_> = names(macros[0], &text)
            .iter()
            .map(|one| (one.name, one.role))
            .collect();
        assert_eq!(names, [("A_B", Role::Call), ("y", Role::Read)]);
    }
}
