//! Tokens of code for a terminal: comments, strings, numbers and keywords.
//!
//! A lexer over lines, with what differs between languages in `languages.json`. It knows no grammar, and may be wrong where a token
//! depends on one (a here-document), or began above the lines that are shown. Colours are all that depends on it.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Comment,
    String,
    Number,
    Keyword,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub range: Range<usize>,
    pub kind: TokenKind,
}

/// The lexical rules of a language.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a rule of its own in the file"
)]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    /// For whoever reads the file.
    #[expect(dead_code, reason = "the file is read by people, too")]
    name: String,
    /// Extensions and names of files in lower case, separated by spaces.
    extensions: String,
    /// Separated by spaces.
    keywords: String,
    /// Keywords are matched in any case.
    #[serde(default)]
    any_case: bool,
    #[serde(default)]
    line_comments: Vec<String>,
    /// Text that begins like such a comment and is none: `#[Route]`.
    #[serde(default)]
    attributes: Vec<String>,
    /// A comment to the end of a line begins only at the start of a word: `${#list}` has none.
    #[serde(default)]
    comments_after_space: bool,
    #[serde(default)]
    block_comments: Vec<(String, String)>,
    /// A comment may contain others: `/* a /* b */ c */`.
    #[serde(default)]
    nested_comments: bool,
    /// Quotes of strings that end with their line.
    #[serde(default)]
    strings: Vec<String>,
    /// Quotes of strings that may have several lines.
    #[serde(default)]
    multiline_strings: Vec<String>,
    /// Quotes of strings in which a backslash is a letter.
    #[serde(default)]
    raw_strings: Vec<(String, String)>,
    /// `'` is for one character: `'a'` is a string, the lifetime `'a` is not.
    #[serde(default)]
    characters: bool,
    /// A string may be in slashes where a value is expected: the regular expression `/a/`.
    #[serde(default)]
    regular_expressions: bool,
    /// The signs in words besides letters, digits and `_`: `-`.
    #[serde(default)]
    word_letters: String,
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("syntax/languages.json")).unwrap_or_default()
});

/// A comment or a string that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OpenToken {
    kind: TokenKind,
    begin: &'static str,
    end: &'static str,
    has_escapes: bool,
    /// Number of comments inside each other; 1 for anything else.
    depth: usize,
}

/// Splits the lines of one file, which are passed in order.
#[derive(Clone, Debug)]
pub struct Lexer {
    language: &'static Language,
    open: Option<OpenToken>,
}

impl Lexer {
    /// Returns the lexer for a file; none if its language is not known, or has no tokens to tell apart.
    pub fn for_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next()?.to_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let is_known = |language: &&Language, known: &str| {
            language.extensions.split(' ').any(|one| one == known)
        };
        let by_name = LANGUAGES.iter().find(|one| is_known(one, &name));
        let language = by_name.or_else(|| {
            let extension = extension?;
            LANGUAGES.iter().find(|one| is_known(one, extension))
        })?;
        Some(Self {
            language,
            open: None,
        })
    }

    /// Begins at lines from the middle of a file. Where a comment ends in them that did not begin in them, they begin inside it.
    pub fn begin<'a>(&mut self, lines: impl IntoIterator<Item = &'a str>) {
        self.open = None;
        let mut ahead = self.clone();
        let mut lines = lines.into_iter().peekable();
        let star = lines
            .peek()
            .is_some_and(|line| line.trim_start().starts_with("* "));
        self.open = if star {
            // A line of a comment as they are usually written: ` * Counts tokens.`
            self.language
                .block_comments
                .iter()
                .find_map(|(begin, end)| (end == "*/").then(|| comment(begin, end)))
        } else {
            lines.find_map(|line| ahead.unmatched_end(line))
        };
    }

    /// Returns the tokens of the next line, in order. What lies between them is anything else.
    pub fn line(&mut self, line: &str) -> Vec<Token> {
        let mut tokens = vec![];
        self.scan(line, |token| tokens.push(token));
        tokens
    }

    /// Returns the comment that ends in a line outside any comment or string.
    fn unmatched_end(&mut self, line: &str) -> Option<OpenToken> {
        let language = self.language;
        let mut end = 0;
        let mut plain = vec![];
        self.scan(line, |token| {
            plain.push(end..token.range.start);
            end = token.range.end;
        });
        plain.push(end..line.len());
        let ends = language.block_comments.iter().find(|(_, end)| {
            // `]]` also ends `a[b[1]]`.
            end != "]]"
                && plain
                    .iter()
                    .any(|part| line[part.clone()].contains(end.as_str()))
        });
        ends.map(|(begin, end)| comment(begin, end))
    }

    fn scan(&mut self, line: &str, mut push: impl FnMut(Token)) {
        let mut at = 0;
        while at < line.len() {
            let start = at;
            if let Some(open) = &mut self.open {
                let (end, is_closed) = open.end_in(line, at, self.language.nested_comments);
                let kind = open.kind;
                if is_closed {
                    self.open = None;
                }
                at = end;
                push(Token {
                    range: start..at,
                    kind,
                });
                continue;
            }
            let kind = self.next_token(line, &mut at);
            if let Some(open) = &mut self.open {
                // Its end is looked for behind its beginning.
                let (end, is_closed) = open.end_in(line, at, self.language.nested_comments);
                at = end;
                if is_closed {
                    self.open = None;
                }
            }
            if let Some(kind) = kind {
                push(Token {
                    range: start..at,
                    kind,
                });
            }
        }
    }

    /// Moves behind the token at a byte, or behind the beginning of one that is then open. Returns its kind, if it is coloured.
    fn next_token(&mut self, line: &str, at: &mut usize) -> Option<TokenKind> {
        let language = self.language;
        let rest = &line[*at..];
        let before = line[..*at].chars().next_back();
        let is_after_word = before.is_some_and(|letter| language.is_word(letter));
        if let Some(open) = language.opened_at(rest, is_after_word) {
            self.open = Some(open);
            *at += open.begin.len();
            return Some(open.kind);
        }
        if let Some(length) = language.regular_expression(&line[..*at], rest) {
            *at += length;
            return Some(TokenKind::String);
        }
        let mut attributes = language.attributes.iter();
        if let Some(attribute) = attributes.find(|one| rest.starts_with(*one)) {
            *at += attribute.len();
            return None;
        }
        let is_apart = !language.comments_after_space || before.is_none_or(char::is_whitespace);
        if is_apart
            && language
                .line_comments
                .iter()
                .any(|mark| rest.starts_with(mark))
        {
            *at = line.len();
            return Some(TokenKind::Comment);
        }
        if let Some(quote) = language
            .strings
            .iter()
            .find(|quote| rest.starts_with(*quote))
        {
            *at += quote.len();
            *at = end_of_string(line, *at, quote, true).unwrap_or(line.len());
            return Some(TokenKind::String);
        }
        let first = rest.chars().next()?;
        if first == '\''
            && language.characters
            && !is_after_word
            && let Some(length) = character(rest)
        {
            *at += length;
            return Some(TokenKind::String);
        }
        if first.is_ascii_digit() && !is_after_word {
            *at += number(rest);
            return Some(TokenKind::Number);
        }
        let is_first = |letter: char| letter.is_alphabetic() || letter == '_';
        if !is_first(first) {
            *at += first.len_utf8();
            return None;
        }
        let length = rest
            .find(|letter| !language.is_word(letter))
            .unwrap_or(rest.len());
        *at += length;
        let is_keyword = !is_after_word && language.is_keyword(&rest[..length]);
        is_keyword.then_some(TokenKind::Keyword)
    }
}

impl Language {
    fn is_word(&self, letter: char) -> bool {
        letter.is_alphanumeric() || letter == '_' || self.word_letters.contains(letter)
    }

    fn is_keyword(&self, word: &str) -> bool {
        let mut keywords = self.keywords.split(' ');
        if self.any_case {
            keywords.any(|keyword| keyword.eq_ignore_ascii_case(word))
        } else {
            keywords.any(|keyword| keyword == word)
        }
    }

    /// Returns the length of a regular expression at the start of a text: `/[/*]+/g`. A `/` behind a value divides it, and one
    /// behind `<` begins the end of an element.
    fn regular_expression(&self, before: &str, text: &str) -> Option<usize> {
        let begins = self.regular_expressions && text.starts_with('/');
        if !begins || text.starts_with("//") || text.starts_with("/*") {
            return None;
        }
        let before = before.trim_end();
        let word = before.rsplit(|letter| !self.is_word(letter)).next();
        let is_value =
            before.ends_with(|letter: char| self.is_word(letter) || ")]}'\"`$<".contains(letter));
        if is_value && !word.is_some_and(|word| BEFORE_VALUES.contains(&word)) {
            return None;
        }
        let (mut is_escaped, mut is_in_class) = (false, false);
        for (at, letter) in text.char_indices().skip(1) {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => is_in_class = true,
                ']' => is_in_class = false,
                '/' if !is_in_class => return Some(at + 1),
                _ => {}
            }
        }
        None
    }

    /// Returns what a token opens that may end on another line; of several, the one with the longest beginning.
    fn opened_at(&'static self, rest: &str, is_after_word: bool) -> Option<OpenToken> {
        let comments = self.block_comments.iter();
        let comments = comments.map(|(begin, end)| comment(begin, end));
        let string = |begin: &'static str, end: &'static str, has_escapes| OpenToken {
            kind: TokenKind::String,
            begin,
            end,
            has_escapes,
            depth: 1,
        };
        let multiline = self.multiline_strings.iter();
        let multiline = multiline.map(|quote| string(quote, quote, true));
        let raw = self.raw_strings.iter();
        let raw = raw.map(|(begin, end)| string(begin, end, false));
        comments
            .chain(multiline)
            .chain(raw)
            .filter(|open| rest.starts_with(open.begin))
            // `r"` is not the end of `for"`.
            .filter(|open| !is_after_word || !open.begin.starts_with(char::is_alphabetic))
            .max_by_key(|open| open.begin.len())
    }
}

/// Words before a value: `return /a/`.
const BEFORE_VALUES: [&str; 6] = ["case", "in", "of", "return", "typeof", "yield"];

fn comment(begin: &'static str, end: &'static str) -> OpenToken {
    OpenToken {
        kind: TokenKind::Comment,
        begin,
        end,
        has_escapes: false,
        depth: 1,
    }
}

impl OpenToken {
    /// Returns the end in a line from a byte on, and whether it is closed there.
    fn end_in(&mut self, line: &str, from: usize, is_nested: bool) -> (usize, bool) {
        if self.kind == TokenKind::String {
            let end = end_of_string(line, from, self.end, self.has_escapes);
            return (end.unwrap_or(line.len()), end.is_some());
        }
        let mut at = from;
        while let Some(end) = line[at..].find(self.end).map(|end| at + end) {
            let inner = line[at..end].find(self.begin).filter(|_| is_nested);
            if let Some(inner) = inner {
                self.depth += 1;
                at += inner + self.begin.len();
                continue;
            }
            at = end + self.end.len();
            self.depth -= 1;
            if self.depth == 0 {
                return (at, true);
            }
        }
        if is_nested {
            self.depth += line[at..].matches(self.begin).count();
        }
        (line.len(), false)
    }
}

/// Returns the end of a string, behind its closing quote.
fn end_of_string(line: &str, from: usize, quote: &str, has_escapes: bool) -> Option<usize> {
    let mut at = from;
    while at < line.len() {
        let rest = &line[at..];
        if rest.starts_with(quote) {
            return Some(at + quote.len());
        }
        let mut letters = rest.chars();
        let first = letters.next()?;
        at += first.len_utf8();
        if first == '\\' && has_escapes {
            at += letters.next().map_or(0, char::len_utf8);
        }
    }
    None
}

/// Returns the length of a character in quotes: `'a'`, `'\n'`, `'\u{1f600}'`.
fn character(rest: &str) -> Option<usize> {
    let mut letters = rest.char_indices().skip(1);
    let (_, first) = letters.next()?;
    if first == '\\' {
        letters.next()?;
        let (at, _) = letters.find(|(_, letter)| *letter == '\'')?;
        return (at <= "'\\u{10ffff}".len()).then_some(at + 1);
    }
    let (at, letter) = letters.next()?;
    (letter == '\'' && first != '\'').then_some(at + 1)
}

/// Returns the length of a number: `0x1f`, `1_000.5e-3`, `10u64`. A range `0..9` has two.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let is_sign = matches!(byte, b'+' | b'-')
            && matches!(bytes[at - 1], b'e' | b'E')
            && !rest.starts_with("0x")
            && is_digit(at + 1);
        let is_point = *byte == b'.' && is_digit(at + 1);
        if !(byte.is_ascii_alphanumeric() || *byte == b'_' || is_point || is_sign) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks comments as `‹…›`, strings as `«…»`, numbers as `[…]` and keywords as `<…>`.
    fn marked(lexer: &mut Lexer, line: &str) -> String {
        let mut text = String::new();
        let mut end = 0;
        for token in lexer.line(line) {
            let (open, close) = match token.kind {
                TokenKind::Comment => ('‹', '›'),
                TokenKind::String => ('«', '»'),
                TokenKind::Number => ('[', ']'),
                TokenKind::Keyword => ('<', '>'),
            };
            assert!(token.range.start >= end, "in order: {line}");
            text.push_str(&line[end..token.range.start]);
            text.push(open);
            text.push_str(&line[token.range.clone()]);
            text.push(close);
            end = token.range.end;
        }
        text + &line[end..]
    }

    fn lines(path: &str, text: &str) -> String {
        let mut lexer = Lexer::for_path(path).unwrap_or_else(|| panic!("{path}"));
        lexer.begin(text.lines());
        let lines: Vec<_> = text.lines().map(|line| marked(&mut lexer, line)).collect();
        lines.join("\n")
    }

    #[test]
    fn the_rules_of_every_language_are_readable() {
        let rules = include_str!("syntax/languages.json");
        let languages: Result<Vec<Language>, _> = serde_json::from_str(rules);
        let languages = languages.expect("readable");
        let mut known = std::collections::BTreeSet::new();
        for language in &languages {
            for extension in language.extensions.split(' ') {
                assert!(known.insert(extension), "{extension} has two languages");
                let path = match extension {
                    "cmakelists.txt" => "src/CMakeLists.txt".to_owned(),
                    name if name.contains('.') => format!("src/{name}"),
                    extension => format!("src/a.{extension}"),
                };
                assert!(Lexer::for_path(&path).is_some(), "{path}");
            }
        }
        for path in ["notes.txt", "README.md", "LICENSE", "data.bin"] {
            assert!(Lexer::for_path(path).is_none(), "{path}");
        }
    }

    #[test]
    fn tokens_of_a_line_are_told_apart() {
        for (path, line, expected) in [
            (
                "a.rs",
                "let x: &'a str = \"fn \\\" 1\"; // if",
                "<let> x: &'a <str> = «\"fn \\\" 1\"»; ‹// if›",
            ),
            (
                "a.rs",
                "'x'..='\\n' 0..10 a1 1_000.5",
                "«'x'»..=«'\\n'» [0]..[10] a1 [1_000.5]",
            ),
            (
                "a.rs",
                "r#\"a \" b\"# for\"c\"",
                "«r#\"a \" b\"#» <for>«\"c\"»",
            ),
            (
                "a.py",
                "def f(x=0x1F): return 'it''s'  # no",
                "<def> f(x=[0x1F]): <return> «'it'»«'s'»  ‹# no›",
            ),
            ("a.sh", "echo ${#list} # count", "echo ${#list} ‹# count›"),
            ("Makefile", "all: a # b", "all: a ‹# b›"),
            (
                "q.sql",
                "SELECT a FROM b -- c",
                "<SELECT> a <FROM> b ‹-- c›",
            ),
            (
                "a.ts",
                "const s = `a ${b}`, n = 1e-3;",
                "<const> s = «`a ${b}`», n = [1e-3];",
            ),
            (
                "a.php",
                "#[Route] function a() {} # b",
                "#[Route] <function> a() {} ‹# b›",
            ),
            (
                "a.js",
                "a(/.*/, /[/*]\\//g); return /'/; b / 2 / c[1] / 3; <i></i><b></b>",
                "a(«/.*/», «/[/*]\\//»g); <return> «/'/»; b / [2] / c[[1]] / [3]; <i></i><b></b>",
            ),
            ("a.go", "x := 'a' + `raw \\`", "x := «'a'» + «`raw \\`»"),
            ("a.c", "char *s = \"open", "<char> *s = «\"open»"),
            (
                "a.css",
                "a { color: #fff; } /* 1 */",
                "a { color: #fff; } ‹/* 1 */›",
            ),
            (
                "a.clj",
                "(if-let [x 1] x) ; y",
                "(<if-let> [x [1]] x) ‹; y›",
            ),
            ("a.hs", "foldl' x' = 'c'", "foldl' x' = «'c'»"),
            ("größe.rs", "let größe = \"ü\";", "<let> größe = «\"ü\"»;"),
        ] {
            assert_eq!(lines(path, line), expected, "{path}");
        }
    }

    #[test]
    fn comments_and_strings_go_on_over_lines() {
        for (path, text, expected) in [
            (
                "a.c",
                "/* a\n b */ int\nint",
                "‹/* a›\n‹ b */› <int>\n<int>",
            ),
            (
                "a.rs",
                "/* a /* b */\nc */ fn",
                "‹/* a /* b */›\n‹c */› <fn>",
            ),
            (
                "a.py",
                "x = \"\"\"a\n'b' if\n\"\"\" if",
                "x = «\"\"\"a»\n«'b' if»\n«\"\"\"» <if>",
            ),
            ("a.js", "`a\nb` if", "«`a»\n«b`» <if>"),
            ("a.c", "\"open\nint", "«\"open»\n<int>"),
            ("a.html", "<!-- a\nb --> <p>", "‹<!-- a›\n‹b -->› <p>"),
        ] {
            assert_eq!(lines(path, text), expected, "{path}");
        }
    }

    #[test]
    fn lines_may_begin_inside_a_comment() {
        for (path, text, expected) in [
            ("a.c", "if so\n*/ int", "‹if so›\n‹*/› <int>"),
            (
                "a.java",
                " * Returns if so.\n */\nint",
                "‹ * Returns if so.›\n‹ */›\n<int>",
            ),
            ("a.ts", " * Returns if so.", "‹ * Returns if so.›"),
            // A glob is no end of a comment.
            (
                "a.ts",
                "const a = \"src/**/*.ts\";\nif",
                "<const> a = «\"src/**/*.ts\"»;\n<if>",
            ),
            ("a.js", "let a;\nb(/.*/);", "<let> a;\nb(«/.*/»);"),
            (
                "a.c",
                "int a; /* b\nc */ if",
                "<int> a; ‹/* b›\n‹c */› <if>",
            ),
        ] {
            assert_eq!(lines(path, text), expected, "{path}");
        }
    }
}
