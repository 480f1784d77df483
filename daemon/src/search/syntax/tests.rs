//! Queries with their expressions, matches, errors and suggestions.

use super::*;
use crate::search::testing::Random;

/// A file in memory.
struct Document {
    content: &'static str,
    path: &'static str,
    symbol: &'static str,
    language: &'static str,
}

const DOCUMENTS: &[(char, Document)] = &[
    (
        'a',
        Document {
            content: "parse the token stream",
            path: "src/lexer.rs",
            symbol: "parse",
            language: "rust",
        },
    ),
    (
        'b',
        Document {
            content: "count every token",
            path: "src/count.go",
            symbol: "count",
            language: "go",
        },
    ),
    (
        'c',
        Document {
            content: "stream of bytes",
            path: "tests/bytes.rs",
            symbol: "bytes",
            language: "rust",
        },
    ),
    (
        'd',
        Document {
            content: "the stream token",
            path: "docs/stream.md",
            symbol: "intro",
            language: "markdown",
        },
    ),
];

impl Document {
    fn texts(&self, field: Field) -> Vec<&'static str> {
        match field {
            Field::Any => vec![self.content, self.path, self.symbol],
            Field::Content => vec![self.content],
            Field::Path => vec![self.path],
            Field::Symbol => vec![self.symbol],
            Field::Language => vec![self.language],
            Field::Kind => vec![],
        }
    }
}

impl MatchTarget for Document {
    fn word(&self, field: Field, word: &str) -> bool {
        let wanted: Vec<_> = word
            .split(|sign: char| !sign.is_alphanumeric())
            .filter(|part| !part.is_empty())
            .collect();
        self.texts(field).iter().any(|text| {
            let parts: Vec<_> = text.split(|sign: char| !sign.is_alphanumeric()).collect();
            wanted.iter().all(|word| parts.contains(word))
        })
    }

    fn phrase(&self, field: Field, words: &str) -> bool {
        self.texts(field).iter().any(|text| text.contains(words))
    }
}

fn found(query: &str) -> String {
    let expr = parse(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    DOCUMENTS
        .iter()
        .filter(|(_, document)| expr.matches(document))
        .map(|(name, _)| *name)
        .collect()
}

/// Renders an expression as one line: `&` and `|` between parts, `!` before a negated part, `~` before words that filter and
/// rank, `?` before words that only rank.
fn shape(expr: &Expr) -> String {
    let list = |parts: Vec<String>, between: &str| format!("({})", parts.join(between));
    let terms = |words: &[Term]| list(words.iter().map(term).collect(), " ");
    match expr {
        Expr::Term(one) => term(one),
        Expr::Words(words) => format!("~{}", terms(words)),
        Expr::Optional(words) => format!("?{}", terms(words)),
        Expr::All(parts) => list(parts.iter().map(shape).collect(), " & "),
        Expr::Any(parts) => list(parts.iter().map(shape).collect(), " | "),
        Expr::Not(part) => format!("!{}", shape(part)),
    }
}

fn term(term: &Term) -> String {
    let quote = if term.is_phrase { "\"" } else { "" };
    let field = if term.field == Field::Any {
        String::new()
    } else {
        format!("{:?}:", term.field)
    };
    format!("{field}{quote}{}{quote}", term.text)
}

fn shape_of(query: &str) -> String {
    parse(query).map_or_else(|error| format!("error at {error}"), |expr| shape(&expr))
}

#[test]
fn each_operator_matches_the_documents_it_should() {
    let cases = [
        ("token", "abd"),
        ("parse bytes", "ac"),
        ("\"token stream\"", "a"),
        ("\"stream token\" parse", "d"),
        ("+token bytes", "abd"),
        ("token -parse", "bd"),
        ("token -\"token stream\" -path:docs", "b"),
        ("token AND stream", "ad"),
        ("token AND NOT stream", "b"),
        ("token stream NOT parse", "d"),
        ("parse OR bytes", "ac"),
        ("parse OR count AND every", "ab"),
        ("(parse OR count) AND every", "b"),
        ("NOT parse AND token", "bd"),
        ("token AND NOT (parse OR count)", "d"),
        ("token AND -(parse OR count)", "d"),
        ("NOT NOT parse", "a"),
        ("and or not", ""),
        ("symbol:count", "b"),
        ("name:count", "b"),
        ("def:count OR symbol:bytes", "bc"),
        ("content:bytes", "c"),
        ("content:parse", "a"),
        ("content:lexer", ""),
        ("file_path:src", "ab"),
        ("path:tests stream", "c"),
        ("file:src token stream", "ab"),
        ("lang:rust", "ac"),
        ("language:rust AND stream", "ac"),
        ("lang:rust parse count", "a"),
        ("-lang:rust stream", "d"),
        ("lang:(rust OR go) token", "ab"),
        ("content:(stream AND NOT symbol:parse)", "cd"),
        ("symbol:\"parse\"", "a"),
        ("kind:function", ""),
        ("token NOT kind:function", "abd"),
        ("stream OR NOT token", "acd"),
    ];
    for (query, expected) in cases {
        assert_eq!(found(query), expected, "{query}: {}", shape_of(query));
    }
}

#[test]
fn operators_bind_by_precedence() {
    let cases = [
        ("a b c", "~(a b c)"),
        ("a OR b AND NOT c", "(a | (b & !c))"),
        ("a b OR c d", "((a & b) | (c & d))"),
        ("NOT a AND b", "(!a & b)"),
        ("NOT (a b) c", "(!(a & b) & c)"),
        ("lang:rust a b", "(Language:rust & ~(a b))"),
        ("+a b c", "(a & ?(b c))"),
        ("\"x y\" a b", "(\"x y\" & ?(a b))"),
        ("-a b", "(!a & b)"),
        ("symbol:(a OR path:b)", "(Symbol:a | Path:b)"),
        ("lang:rust (a b) c", "(Language:rust & (a & b) & c)"),
        ("symbol:AND", "Symbol:AND"),
        ("-AND b", "(!AND & b)"),
        ("((((a))))", "a"),
        ("((((a)))) OR b", "(a | b)"),
        ("(foo(x) AND bar(y z))", "(foo(x) & bar(y & z))"),
    ];
    for (query, expected) in cases {
        assert_eq!(shape_of(query), expected, "{query}");
    }
}

#[test]
fn code_is_text_without_escaping() {
    let cases = [
        ("how does it work?", "~(how does it work)"),
        ("std::vector", "std::vector"),
        ("name::of path::join", "~(name::of path::join)"),
        ("a:b:c", "a:b:c"),
        ("http://x/y", "http://x/y"),
        ("file:///etc/hosts", "file:///etc/hosts"),
        ("C:\\dir\\file", "C:\\dir\\file"),
        ("key:value foo:bar", "~(key:value foo:bar)"),
        (
            "time:5 line:7 port:80 ref:main",
            "~(time:5 line:7 port:80 ref:main)",
        ),
        ("name:=x", "name:=x"),
        ("path: &str", "~(path &str)"),
        ("lang:{", "lang:{"),
        ("/users/{id}/posts", "/users/{id}/posts"),
        ("fn main() {", "~(fn main())"),
        ("foo->bar", "foo->bar"),
        ("a && b", "~(a b)"),
        ("x != y", "~(x y)"),
        ("#include <x>", "~(#include <x>)"),
        ("$var @decorator", "~($var @decorator)"),
        ("return -1", "~(return -1)"),
        ("--verbose ++i", "~(--verbose ++i)"),
        ("a - b", "~(a b)"),
        ("printf(\"hello world\")", "~(printf(\"hello world\"))"),
        ("foo (bar baz)", "~(foo (bar baz))"),
        ("foo(bar", "foo(bar"),
        ("foo( AND bar", "(foo( & bar)"),
        ("foo() AND bar", "(foo() & bar)"),
        ("foo AND bar)", "(foo & bar))"),
        ("foo AND ()", "foo"),
        ("foo AND { OR bar", "(foo | bar)"),
        ("(path: string)", "~((path string))"),
        ("symbol:Foo::bar", "Symbol:Foo::bar"),
        ("path:C:\\dir lang:c++", "(Path:C:\\dir & Language:c++)"),
        ("LANG:rust", "Language:rust"),
        ("\"say \\\"hi\\\" now\"", "\"say \"hi\" now\""),
        ("\"never closed", "\"never closed\""),
        ("path:\"a b", "Path:\"a b\""),
        ("\"a\\\\b\"", "\"a\\b\""),
        ("\"a\"b", "(\"a\" & ?(b))"),
        ("größe 変数", "~(größe 変数)"),
    ];
    for (query, expected) in cases {
        assert_eq!(shape_of(query), expected, "{query}");
    }
}

#[test]
fn errors_have_a_position_and_a_suggestion() {
    use QueryProblem::*;
    let cases = [
        ("", Empty, 1, None),
        (" \t\n", Empty, 1, None),
        ("{ } ->", NoWords, 1, None),
        ("\"\"", NoWords, 1, None),
        ("foo AND", NothingAfter("AND"), 5, Some("foo")),
        ("föö AND", NothingAfter("AND"), 5, Some("föö")),
        ("OR foo", NothingBefore("OR"), 1, Some("foo")),
        ("foo OR", NothingAfter("OR"), 5, Some("foo")),
        ("NOT", NothingAfter("NOT"), 1, None),
        ("foo AND NOT", NothingAfter("NOT"), 9, None),
        ("foo AND OR bar", NothingAfter("AND"), 5, Some("foo OR bar")),
        ("foo OR AND bar", NothingAfter("OR"), 5, Some("foo AND bar")),
        ("(AND foo)", NothingBefore("AND"), 2, Some("( foo)")),
        ("foo (OR bar)", NothingBefore("OR"), 6, Some("foo ( bar)")),
        ("(foo OR) bar", NothingAfter("OR"), 6, Some("(foo ) bar")),
        ("lang:", EmptyField, 1, None),
        ("foo lang:", EmptyField, 5, Some("foo")),
        ("lang: rust foo", EmptyField, 1, Some("lang:rust foo")),
        ("lang: AND foo", EmptyField, 1, None),
        ("(foo OR lang:)", EmptyField, 9, None),
        ("lang:\"\" foo", EmptyField, 1, Some("foo")),
        ("symbl:foo", UnknownField("symbol"), 1, Some("symbol:foo")),
        (
            "bar -sym:foo",
            UnknownField("symbol"),
            6,
            Some("bar -symbol:foo"),
        ),
        (
            "langauge:rust",
            UnknownField("language"),
            1,
            Some("language:rust"),
        ),
        ("files:x", UnknownField("file"), 1, Some("file:x")),
        (
            "contents:\"a b\"",
            UnknownField("content"),
            1,
            Some("content:\"a b\""),
        ),
        ("paht:x", UnknownField("path"), 1, Some("path:x")),
        ("(foo AND bar", Unclosed, 1, Some("(foo AND bar)")),
        ("foo AND ( bar", Unclosed, 9, Some("foo AND ( bar)")),
        ("foo AND bar )", Unopened, 13, Some("foo AND bar")),
        ("lang:rust )", Unopened, 11, Some("lang:rust")),
        ("NOT foo", OnlyNegations, 1, None),
        ("-foo", OnlyNegations, 1, None),
        ("(NOT foo) AND -bar", OnlyNegations, 1, None),
    ];
    for (query, problem, position, suggestion) in cases {
        let error = parse(query).expect_err(query);
        let got = (error.problem, error.position, error.suggestion.as_deref());
        assert_eq!(got, (problem, position, suggestion), "{query}");
    }
    let deep = format!("{}a{} AND b", "(".repeat(400), ")".repeat(400));
    assert_eq!(parse(&deep).expect_err("deep").problem, TooDeep);
}

#[test]
fn an_error_has_a_message_and_a_hint() {
    let error =
        claudevil_protocol::ToolError::from(parse("foo AND symbl:bar").expect_err("misspelt"));
    let lines = [
        "invalid_query: character 9: unknown field; did you mean `symbol:`?",
        "candidates: foo AND symbol:bar",
        "next: fields are content, file_path, symbol, lang and kind; in quotes it is ordinary text",
    ];
    assert_eq!(error.text(), lines.join("\n"));
}

#[test]
fn only_clear_use_of_operators_is_detected() {
    let clear = [
        "foo AND bar",
        "foo OR bar OR baz",
        "parse NOT test",
        "NOT foo AND bar",
        "HTTP AND TLS",
        "(foo OR bar) baz",
        "foo() AND bar()",
        "lang:rust token counter",
        "token counter lang:rust",
        "symbol:Foo::bar",
        "symbol:parse()",
        "path:src/query/*.rs",
        "-lang:rust foo",
        "path:\"my folder\"",
        "\"token stream\"",
        "retry \"connection refused\"",
        "where is symbol:parse used?",
    ];
    for text in clear {
        assert!(has_operators(text), "{text}");
    }
    let other = [
        "",
        "how are tokens counted",
        "how does foo and bar or not baz work?",
        "what does \"connection refused\" mean",
        "why is \"x\" printed?",
        "Failed to look up view \"index\" in folder \"/app\"",
        "Missing queryFn: \"todos\"",
        "parse_file",
        "std::vector<int> v;",
        "a:b:c http://x/y file:///etc/hosts key:value",
        "path: string, name: string",
        "fn open(path:&str, name:&str) -> File {",
        "{name:string, path:string}",
        "if (a && b) || c",
        "x = 1 AND y = 2",
        "a=1 AND b=2",
        "SELECT name FROM users WHERE age IS NOT NULL",
        "DROP TABLE IF NOT EXISTS users",
        "#include \"foo.h\"",
        "let x = \"foo bar\";",
        "log.error(\"failed to open\")",
        "foo AND",
        "AND gate",
        "NOT NULL",
        "NOT foo",
        "ls -la +x",
        "symbl:foo",
        "lang: rust",
        "\"never closed",
        "\"\"",
        "f(x) { return \"a\" }",
    ];
    for text in other {
        assert!(!has_operators(text), "{text}");
    }
}

#[test]
fn terms_are_those_that_a_match_may_have() {
    let expr = parse("lang:rust (foo OR \"bar baz\") AND NOT (qux AND NOT sym) +x").expect("valid");
    let terms: Vec<_> = expr
        .terms()
        .iter()
        .map(|term| (term.text.clone(), term.field, term.position))
        .collect();
    let expected = [
        ("rust", Field::Language, 6),
        ("foo", Field::Any, 12),
        ("bar baz", Field::Any, 20),
    ];
    let expected = expected
        .into_iter()
        .chain([("sym", Field::Any, 51), ("x", Field::Any, 57)]);
    assert_eq!(
        terms,
        expected
            .map(|(text, field, at)| (text.to_owned(), field, at))
            .collect::<Vec<_>>()
    );
}

#[test]
fn any_text_is_a_query_or_an_error() {
    let pieces = [
        "(", ")", "\"", "\\", ":", "-", "+", " ", " ", "AND", "OR", "NOT", " AND ", " OR ",
        " NOT ", "lang:", "symbol:(", "symbl:", "path:", "a", "foo", "ß", "変", "🦀", "e\u{301}",
        "\u{200b}", "\u{a0}", "\n", "\0", "{", "}", "//", "::", "1", "_", "=", "\u{202e}",
    ];
    let mut random = Random(5);
    let (mut valid, mut mended) = (0, 0);
    for _ in 0..20_000 {
        let text: String = (0..random.below(24))
            .map(|_| random.one_of(&pieces))
            .collect();
        let _ = has_operators(&text);
        match parse(&text) {
            Ok(expr) => {
                valid += 1;
                for term in expr.terms() {
                    assert!(has_words(&term.text), "{text:?}");
                    let begin: String = text.chars().skip(term.position - 1).collect();
                    assert!(
                        term.is_phrase || begin.starts_with(&term.text),
                        "{text:?}: {term:?}"
                    );
                }
                for (_, document) in DOCUMENTS {
                    expr.matches(document);
                }
            }
            Err(error) => {
                assert!(
                    (1..=text.chars().count().max(1)).contains(&error.position),
                    "{text:?}: {error}"
                );
                if let Some(suggestion) = error.suggestion {
                    mended += 1;
                    assert!(parse(&suggestion).is_ok(), "{text:?}: {suggestion:?}");
                }
            }
        }
    }
    assert!(valid > 500 && mended > 500, "{valid} {mended}");
}

#[test]
fn long_queries_take_linear_time() {
    let began = std::time::Instant::now();
    for piece in [
        "(", ")", "a:", "lang:", "lang:(", "symbl:(", "\"", "-", "NOT ", "a AND ", "foo(", "\\\"",
        "path: ",
    ] {
        let text = piece.repeat(30_000);
        let _ = (parse(&text), has_operators(&text));
    }
    assert!(began.elapsed().as_secs() < 30, "took {:?}", began.elapsed());
}

#[test]
fn punctuation_of_sentences_is_not_part_of_words() {
    for (query, expected) in [
        ("red,", "red"),
        ("red?", "red"),
        ("red.", "red"),
        ("red:", "red"),
        ("[red]", "red"),
        ("(red).", "red"),
        ("'red',", "red"),
        ("`red`", "red"),
        ("foo(bar),", "foo(bar)"),
        // In code these are parts of names.
        ("main()", "main()"),
        ("vec!", "vec!"),
        ("{id}", "{id}"),
        ("<div>", "<div>"),
        ("std::", "std::"),
        (".red", ".red"),
        ("@red", "@red"),
        ("a[0]", "a[0]"),
        // A phrase keeps its punctuation.
        ("\"red,\"", "\"red,\""),
    ] {
        assert_eq!(shape_of(query), expected, "{query}");
    }
    let expr = parse("a AND [red],").expect("a query");
    assert_eq!(
        expr.terms()
            .iter()
            .map(|term| term.position)
            .collect::<Vec<_>>(),
        [1, 8]
    );
}
