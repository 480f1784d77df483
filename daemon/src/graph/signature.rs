//! What a declaration's own text says of types: what it returns, what it holds, what it stands for.

use crate::extract::documented::first_type;
use crate::extract::facts::Symbol;
use crate::lang::TypePosition;

/// What is said of a variable.
#[derive(Debug, PartialEq, Eq)]
pub enum Declared {
    Type(String),
    /// Only what it is given first.
    Value(String),
}

/// The names in a text that says a type, qualified ones whole, in their order.
pub fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !(is_word(sign) || matches!(sign, '.' | ':' | '\\')))
        .flat_map(|part| {
            // `name: Type` is two.
            let mut pieces = vec![];
            let mut from = 0;
            let bytes = part.as_bytes();
            for at in 0..bytes.len() {
                let alone = bytes[at] == b':'
                    && bytes.get(at + 1) != Some(&b':')
                    && (at == 0 || bytes[at - 1] != b':');
                if alone {
                    pieces.push(&part[from..at]);
                    from = at + 1;
                }
            }
            pieces.push(&part[from..]);
            pieces
        })
        .map(|part| {
            part.trim_start_matches(['.', ':'])
                .trim_end_matches(['.', ':', '\\'])
        })
        .filter(|part| {
            part.chars()
                .next()
                .is_some_and(|first| !first.is_ascii_digit())
        })
}

/// How many parameters a callable declares.
pub fn parameters(symbol: &Symbol) -> Option<usize> {
    let (_, inside, _) = around_parameters(symbol)?;
    Some(arguments(inside))
}

/// What a callable declares between its parentheses.
pub fn parameter_text(symbol: &Symbol) -> Option<&str> {
    around_parameters(symbol).map(|(_, inside, _)| inside)
}

/// Whether a callable can be called with so many arguments.
pub fn accepts(symbol: &Symbol, count: usize) -> bool {
    let Some(inside) = parameter_text(symbol) else {
        return true;
    };
    let all = split(inside);
    let is_optional = |text: &&str| {
        text.contains('=')
            || text
                .split(':')
                .next()
                .is_some_and(|name| name.trim_end().ends_with('?'))
    };
    let least = all
        .iter()
        .filter(|text| !is_rest(text) && !is_optional(text))
        .count();
    count >= least && (count <= all.len() || has_rest(symbol))
}

/// Whether a callable takes any number of further arguments.
pub fn has_rest(symbol: &Symbol) -> bool {
    parameter_text(symbol).is_some_and(|inside| split(inside).into_iter().any(is_rest))
}

fn is_rest(text: &str) -> bool {
    text.contains("...")
        || text.starts_with("vararg ")
        || text.starts_with("params ")
        || text.starts_with('*')
}

/// What a text applies a type in it to: `K, V` of `Map<K, V>`.
pub fn applied_to<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let behind = &text[find_name(text, name)? + name.len()..];
    match skip_generics(behind) {
        0 => None,
        length => Some(&behind[1..length - 1]),
    }
}

/// Whether a type stands between the brackets of another in a text.
pub fn is_inside(text: &str, name: &str) -> bool {
    let before = find_name(text, name).map_or("", |at| &text[..at]);
    let count = |signs: [char; 2]| before.matches(signs).count();
    count(['<', '[']) > count(['>', ']'])
}

/// What a method says in parentheses before its name: what it is a method of.
pub fn receiver(symbol: &Symbol) -> Option<&str> {
    let text = &*symbol.signature;
    let before = text[..find_name(text, &symbol.name)?].trim_end();
    before.ends_with(')').then_some(before)
}

/// The names of the types that a declaration leaves open.
pub fn type_parameters(symbol: &Symbol) -> Vec<&str> {
    /// Bases that only say what is open.
    const BASES: [&str; 2] = ["Generic", "Protocol"];
    let text = &*symbol.signature;
    let Some(at) = find_name(text, &symbol.name) else {
        return vec![];
    };
    // One that is made for certain types names these behind its name.
    let is_template = text.starts_with("template");
    let inside = Some(())
        .filter(|()| !is_template)
        .and_then(|()| applied_to(&text[at..], &symbol.name))
        .or_else(|| before_name(&text[..at]))
        .or_else(|| BASES.iter().find_map(|base| applied_to(&text[at..], base)));
    inside
        .map(|inside| {
            split(inside)
                .into_iter()
                .filter_map(parameter_name)
                .collect()
        })
        .unwrap_or_default()
}

/// Between the brackets that open a declaration, or stand alone in it: `template <typename T>`, `public <T>`.
fn before_name(text: &str) -> Option<&str> {
    let open = text.match_indices('<').map(|(at, _)| at).find(|at| {
        let before = &text[..*at];
        before.is_empty() || before.ends_with(char::is_whitespace) || before.ends_with("template")
    })?;
    let length = skip_generics(&text[open..]).checked_sub(1)?;
    Some(&text[open + 1..open + length])
}

fn parameter_name(text: &str) -> Option<&str> {
    const WORDS: [&str; 15] = [
        "typename",
        "class",
        "in",
        "out",
        "reified",
        "const",
        "covariant",
        "struct",
        "auto",
        "int",
        "bool",
        "char",
        "long",
        "unsigned",
        "size_t",
    ];
    // A lifetime takes a place, but is no type.
    if text.starts_with('\'') {
        return Some(text);
    }
    let head = text.split([':', '=', '<', '[', '(']).next()?;
    head.split(|sign: char| !is_word(sign))
        .find(|word| !word.is_empty() && !WORDS.contains(word))
}

/// How many arguments stand in a text between parentheses.
pub fn arguments(inside: &str) -> usize {
    split(inside).len()
}

/// What commas part, none for an empty text.
pub fn split(inside: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let mut parts = vec![];
    let mut from = 0;
    let mut quote = None;
    for (at, sign) in inside.char_indices() {
        match (quote, sign) {
            (Some(open), sign) if open == sign => quote = None,
            (None, '"' | '`') => quote = Some(sign),
            (None, '(' | '[' | '{' | '<') => depth += 1,
            // The head of an arrow closes nothing.
            (None, '>') if inside[..at].ends_with(['-', '=']) => {}
            (None, ')' | ']' | '}' | '>') => depth -= 1,
            (None, ',') if depth <= 0 => {
                parts.push(inside[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inside[from..].trim());
    parts.retain(|part| !part.is_empty() && *part != "void");
    parts
}

/// The text that says what a callable gives back.
pub fn returned(symbol: &Symbol, place: TypePosition) -> Option<String> {
    let (before, _, after) = around_parameters(symbol)?;
    let after = after.split(" where ").next().unwrap_or(after);
    let arrow = after
        .split_once("->")
        .or_else(|| after.split_once("=>"))
        .map(|(_, text)| text.trim());
    if let Some(text) = arrow.filter(|text| !text.is_empty()) {
        return Some(text.to_owned());
    }
    let text = match place {
        TypePosition::After => after.trim().trim_start_matches(':'),
        TypePosition::Before => {
            // Behind the parameters too, where a language has gone over to that.
            let behind = after
                .trim()
                .strip_prefix(':')
                .map(str::trim)
                .filter(|text| !text.is_empty());
            behind.unwrap_or_else(|| without_container(before))
        }
    };
    let text = text.trim().trim_end_matches(['{', '=', ';']).trim();
    // `Error!Value`.
    let text = text
        .rsplit_once('!')
        .map_or(text, |(_, value)| value.trim());
    (!text.is_empty()).then(|| text.to_owned())
}

/// The text that says what a variable, a field or a property holds.
pub fn declared(symbol: &Symbol, place: TypePosition) -> Option<Declared> {
    let text = &*symbol.signature;
    let at = find_name(text, &symbol.name)?;
    let before = text[..at].trim_end_matches('$').trim();
    let after = text[at + symbol.name.len()..]
        .trim_start_matches(['?', '!'])
        .trim();
    let (kind, value) = match find_assignment(after) {
        Some(sign) => (
            after[..sign].trim_end_matches(':').trim(),
            after[sign + 1..].trim(),
        ),
        None => (after, ""),
    };
    let kind = kind.trim_start_matches(':').trim();
    let kind = match place {
        TypePosition::After => kind,
        TypePosition::Before if kind.is_empty() || before.is_empty() => before,
        TypePosition::Before => before,
    };
    let says_type = paths(kind).next().is_some() && !is_keyword_only(kind);
    if says_type {
        return Some(Declared::Type(kind.to_owned()));
    }
    (!value.is_empty()).then(|| Declared::Value(value.trim_end_matches([';', ',']).to_owned()))
}

/// The type that a comment says behind one of these words.
pub fn documented<'a>(symbol: &'a Symbol, words: &[&str]) -> Option<&'a str> {
    let text = &*symbol.doc;
    let behind = words.iter().find_map(|word| {
        let at = find_name(text, word)?;
        Some(text[at + word.len()..].trim_start())
    })?;
    Some(first_type(behind).0).filter(|text| !text.is_empty())
}

/// What an alias stands for.
pub fn aliased(symbol: &Symbol) -> Option<&str> {
    let text = &*symbol.signature;
    let at = find_name(text, &symbol.name)?;
    let after = &text[at + symbol.name.len()..];
    let text = after.split_once('=').map_or(after, |(_, text)| text).trim();
    // `typedef struct node Node`: the type stands before the name.
    let text = if text.trim_matches(';').is_empty() {
        symbol.signature[..at].trim()
    } else {
        text
    };
    (!text.is_empty()).then_some(text)
}

/// What stands before a callable's name, between its parentheses, and behind them.
fn around_parameters(symbol: &Symbol) -> Option<(&str, &str, &str)> {
    let text = &*symbol.signature;
    let mut from = 0;
    loop {
        let at = from + find_name(&text[from..], &symbol.name)?;
        let behind = at + symbol.name.len();
        let open = behind + skip_generics(&text[behind..]);
        if text[open..].trim_start().starts_with('(') {
            let open = open + text[open..].find('(')?;
            let length = matching(&text[open..])?;
            return Some((
                &text[..at],
                &text[open + 1..open + length],
                &text[open + length + 1..],
            ));
        }
        if !text[behind..].contains(&*symbol.name) {
            // A function without parentheses: what follows the name is all there is.
            let rest = &text[behind..];
            let rest = rest
                .find("->")
                .or_else(|| rest.find(':'))
                .map_or("", |at| &rest[at..]);
            return Some((&text[..at], "", rest));
        }
        from = behind;
    }
}

/// How long the bracketed text at the start is, without its closing bracket.
pub fn matching(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut quote = None;
    for (at, sign) in text.char_indices() {
        match (quote, sign) {
            (Some(open), sign) if open == sign => quote = None,
            (None, '"' | '`') => quote = Some(sign),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// How long the arguments of a type at the start are, with their brackets.
pub fn skip_generics(text: &str) -> usize {
    let (open, close) = match text.chars().next() {
        Some('<') => ('<', '>'),
        Some('[') => ('[', ']'),
        _ => return 0,
    };
    let mut depth = 0_u32;
    let mut before = ' ';
    for (at, sign) in text.char_indices() {
        if sign == open {
            depth += 1;
        } else if sign == close && before != '-' && before != '=' {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
        before = sign;
    }
    0
}

/// The first place where a name stands as a word of its own.
fn find_name(text: &str, name: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text[from..].find(name) {
        let at = from + found;
        let before = text[..at]
            .chars()
            .next_back()
            .is_none_or(|sign| !is_word(sign) || sign == '$');
        let after = text[at + name.len()..]
            .chars()
            .next()
            .is_none_or(|sign| !is_word(sign));
        if before && after {
            return Some(at);
        }
        from = at + name.len().max(1);
    }
    None
}

/// A `=` that is neither a comparison nor an arrow.
fn find_assignment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_i32;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b'=' if depth <= 0 => {
                let alone = !matches!(bytes.get(at + 1), Some(b'=' | b'>'))
                    && !matches!(
                        at.checked_sub(1).map(|before| bytes[before]),
                        Some(b'=' | b'!' | b'<' | b'>')
                    );
                if alone {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// `Type Owner::` without the owner.
fn without_container(before: &str) -> &str {
    let before = before.trim_end();
    match before.strip_suffix("::") {
        Some(owner) => owner
            .rfind(|sign: char| !is_word(sign) && !matches!(sign, ':' | '<' | '>'))
            .map_or("", |at| &owner[..at]),
        None => before,
    }
}

fn is_keyword_only(text: &str) -> bool {
    const WORDS: [&str; 16] = [
        "var",
        "let",
        "const",
        "val",
        "final",
        "auto",
        "static",
        "private",
        "public",
        "protected",
        "readonly",
        "late",
        "mut",
        "local",
        "export",
        "internal",
    ];
    // Another variable of the same declaration is no type either.
    paths(text).all(|word| WORDS.contains(&word) || word.starts_with('$'))
}

pub fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '$'
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::model::symbol::SymbolKind;

    use super::*;

    fn symbol(name: &str, signature: &str) -> Symbol {
        Symbol {
            name: name.into(),
            kind: SymbolKind::Function,
            visibility: None,
            signature: signature.into(),
            doc: Box::default(),
            parent: None,
            scope: None,
            start_line: 1,
            end_line: 1,
            start_byte: 0,
            end_byte: 0,
            name_line: 1,
            name_column: 0,
            complexity: 0,
            calls: 0,
            gives: None,
        }
    }

    #[test]
    fn a_callable_says_what_it_returns_before_or_after_itself() {
        for (name, signature, place, returned_text) in [
            (
                "open",
                "pub fn open<T: Into<Path>>(path: T) -> Result<Store, Error> where T: Copy",
                TypePosition::After,
                Some("Result<Store, Error>"),
            ),
            (
                "Get",
                "func (s *Store) Get(key string) (*Item, error)",
                TypePosition::After,
                Some("(*Item, error)"),
            ),
            (
                "load",
                "async load(id: string): Promise<Order>",
                TypePosition::After,
                Some("Promise<Order>"),
            ),
            (
                "load",
                "def load(self, path) -> 'Order'",
                TypePosition::After,
                Some("'Order'"),
            ),
            ("load", "def load(self, path)", TypePosition::After, None),
            (
                "find",
                "public static List<Order> find(int id)",
                TypePosition::Before,
                Some("public static List<Order>"),
            ),
            (
                "find",
                "Order Store::find(int id) const",
                TypePosition::Before,
                Some("Order"),
            ),
            (
                "find",
                "public function find(int $id): ?Order",
                TypePosition::Before,
                Some("?Order"),
            ),
            (
                "make",
                "auto make() -> Store",
                TypePosition::Before,
                Some("Store"),
            ),
        ] {
            assert_eq!(
                returned(&symbol(name, signature), place).as_deref(),
                returned_text,
                "{signature}"
            );
        }
    }

    #[test]
    fn a_variable_says_its_type_or_its_first_value() {
        for (name, signature, place, expected) in [
            (
                "store",
                "private readonly store: Store",
                TypePosition::After,
                Declared::Type("Store".into()),
            ),
            (
                "store",
                "store *Store",
                TypePosition::After,
                Declared::Type("*Store".into()),
            ),
            (
                "store",
                "private final Store store = open();",
                TypePosition::Before,
                Declared::Type("private final Store".into()),
            ),
            (
                "store",
                "val store = Store(1)",
                TypePosition::After,
                Declared::Value("Store(1)".into()),
            ),
            (
                "store",
                "var store = new Store();",
                TypePosition::Before,
                Declared::Value("new Store()".into()),
            ),
            (
                "LIMIT",
                "LIMIT: int = 10",
                TypePosition::After,
                Declared::Type("int".into()),
            ),
            (
                "store",
                "private static $store = open()",
                TypePosition::Before,
                Declared::Value("open()".into()),
            ),
        ] {
            assert_eq!(
                declared(&symbol(name, signature), place),
                Some(expected),
                "{signature}"
            );
        }
        for words in [
            "private",
            "protected",
            "public",
            "var",
            "static",
            "private readonly",
            "public static",
            "var $a,",
        ] {
            let signature = format!("{words} $store");
            assert_eq!(
                declared(&symbol("store", &signature), TypePosition::Before),
                None,
                "{signature}"
            );
        }
    }

    #[test]
    fn a_comment_says_the_type_behind_a_word() {
        for (doc, expected) in [
            ("@var Store", Some("Store")),
            (
                "What is kept. @var array<string, Store> by name",
                Some("array<string, Store>"),
            ),
            ("@var ?\\App\\Store what is kept", Some("?\\App\\Store")),
            ("@variable Store", None),
            ("@var", None),
            ("", None),
        ] {
            let symbol = Symbol {
                doc: doc.into(),
                ..symbol("store", "private $store")
            };
            assert_eq!(documented(&symbol, &["@var"]), expected, "{doc}");
        }
    }

    #[test]
    fn parameters_are_counted_by_the_commas_between_them() {
        for (signature, count) in [
            ("f()", 0),
            ("f(void)", 0),
            ("f(a, b)", 2),
            ("f(a: Map<K, V>, b)", 2),
            ("f(int (*g)(int, int))", 1),
            ("f(a,)", 1),
        ] {
            assert_eq!(
                parameters(&symbol("f", signature)),
                Some(count),
                "{signature}"
            );
        }
    }

    #[test]
    fn a_declaration_says_which_types_it_leaves_open() {
        for (name, signature, names) in [
            (
                "Box",
                "public class Box<T extends Shape & Comparable<T>, U>",
                &["T", "U"][..],
            ),
            ("Box", "type Box[K comparable, V any] struct", &["K", "V"]),
            (
                "Box",
                "template <typename T, int N = 3> class Box final : public Base<T>",
                &["T", "N"],
            ),
            ("Box", "template <> class Box<Order>", &[]),
            (
                "Box",
                "template <class T> class Box<Pair<T, Order>>",
                &["T"],
            ),
            (
                "Seek",
                "template <class K> void List<K>::Iterator::Seek(const K& key)",
                &["K"],
            ),
            ("Box", "class Box(Generic[T])", &["T"]),
            ("Box", "interface Box<in T, out U>", &["T", "U"]),
            ("Box", "pub struct Box<'a, T: Into<u8>>", &["'a", "T"]),
            ("as", "public <U> U as(Class<U> kind)", &["U"]),
            ("find", "public List<Order> find(int id)", &[]),
            ("Box", "class Box extends Crate<Order>", &[]),
            ("first", "function first<T>(all: T[]): T", &["T"]),
        ] {
            assert_eq!(
                type_parameters(&symbol(name, signature)),
                names,
                "{signature}"
            );
        }
        assert_eq!(
            applied_to("&mut geo::Box<Map<K, V>, Circle>", "geo::Box"),
            Some("Map<K, V>, Circle")
        );
        assert_eq!(applied_to("Box[Circle]", "Box"), Some("Circle"));
        assert_eq!(applied_to("Boxes<Circle> Box", "Box"), None);
    }

    #[test]
    fn names_of_types_are_found_in_what_is_around_them() {
        let all = |text| paths(text).collect::<Vec<_>>();
        assert_eq!(all("&mut Option<a::B>"), ["mut", "Option", "a::B"]);
        assert_eq!(all("dict[str, 'Order']"), ["dict", "str", "Order"]);
        assert_eq!(all("(a: Foo) => Bar"), ["a", "Foo", "Bar"]);
        assert_eq!(all("?App\\Order"), ["App\\Order"]);
        assert_eq!(all("\\App\\Order|null"), ["\\App\\Order", "null"]);
    }
}
