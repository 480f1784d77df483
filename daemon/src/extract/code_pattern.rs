//! Patterns in the syntax of a language, with holes: `$X.unwrap()`, `if ($COND) { return $X; }`, `f($$$ARGS)`.
//!
//! A pattern is parsed as code, with an identifier in place of each hole, and its tree is compared with the nodes of a file.
//! Comments, and tokens of the file that the pattern lacks, such as a trailing comma, are skipped. Runs in workers.

mod matching;
mod reading;
mod required_text;

use serde::{Deserialize, Serialize};
use tree_sitter::{Query, Tree};

use self::matching::Search;
use self::reading::{PatternNode, parse_query};
pub use self::reading::{fill_holes, hole_names};
use self::required_text::required_texts;
use super::compiled::compiled;
use super::spans::ByteSpan;
use super::{ParseBudget, parse};
use crate::lang::Language;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternSpec {
    pub pattern: String,
    pub syntax: PatternSyntax,
    /// A pattern of code that must be around a match.
    pub inside: Option<String>,
    /// A pattern of code that must not be around a match.
    pub not_inside: Option<String>,
    /// The most matches of one file.
    pub most: u32,
    pub scope: TextScope,
}

/// The part of a file that is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextScope {
    #[default]
    File,
    /// One definition, at the top level or directly in modules. Matches that contain the whole definition are not found in it.
    Definition,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatternSyntax {
    #[default]
    Code,
    /// A query of tree-sitter: `(call_expression function: (identifier) @name)`.
    Query,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMatches {
    /// Sorted by start.
    pub matches: Vec<StructureMatch>,
    /// There are more matches than were asked for, or the limit of comparisons was reached.
    pub is_cut: bool,
    /// The whole file has to be searched, because the text is not a single definition, or a match may contain it.
    pub needs_file: bool,
}

impl FileMatches {
    /// Returns the matches of a text that begins at a byte of its file.
    #[must_use]
    pub fn shifted(mut self, start: usize) -> Self {
        let shift = super::text::offset(start);
        for one in &mut self.matches {
            let holes = one.holes.iter_mut().map(|hole| &mut hole.span);
            for span in holes.chain([&mut one.span]) {
                *span = (span.0 + shift, span.1 + shift);
            }
        }
        self
    }

    /// Adds the matches of a later text of the same file.
    pub fn append(&mut self, other: Self) {
        self.matches.extend(other.matches);
        self.is_cut |= other.is_cut;
        self.needs_file |= other.needs_file;
    }
}

/// Regular expressions, for bytes, that every file with a match contains. There are none for a tree-sitter query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredTexts {
    /// Found inside each match, the longest first.
    pub inside: Vec<String>,
    /// Found in the code around each match.
    pub around: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructureMatch {
    pub span: ByteSpan,
    /// Each hole once, in the order in which they were bound.
    pub holes: Vec<HoleText>,
}

/// The text that a hole matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoleText {
    pub name: Box<str>,
    pub span: ByteSpan,
}

/// The reason why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternProblem {
    /// The faulty pattern: the main one, `inside` or `not_inside`.
    pub pattern: String,
    pub offset: u32,
    pub message: String,
}

/// A parsed pattern, to be matched against many texts of one language.
pub struct PreparedPattern {
    language: &'static Language,
    finder: Finder,
    inside: Option<PatternNode>,
    not_inside: Option<PatternNode>,
    most: usize,
    scope: TextScope,
}

enum Finder {
    Code(PatternNode),
    Query(Query),
}

impl PreparedPattern {
    pub fn new(language: &'static Language, spec: &PatternSpec) -> Result<Self, PatternProblem> {
        let surrounding = |pattern: &Option<String>| {
            let pattern = pattern.as_deref();
            pattern
                .map(|pattern| PatternNode::parse(language, pattern))
                .transpose()
        };
        let (inside, not_inside) = (surrounding(&spec.inside)?, surrounding(&spec.not_inside)?);
        let finder = match spec.syntax {
            PatternSyntax::Code => {
                let pattern = PatternNode::parse(language, &spec.pattern)?;
                if matches!(pattern, PatternNode::One(_) | PatternNode::Many(_)) {
                    return Err(problem(
                        &spec.pattern,
                        0,
                        "the pattern is only a hole, which would match everything",
                    ));
                }
                Finder::Code(pattern)
            }
            PatternSyntax::Query => Finder::Query(parse_query(language, &spec.pattern)?),
        };
        Ok(Self {
            language,
            finder,
            inside,
            not_inside,
            most: spec.most as usize,
            scope: spec.scope,
        })
    }

    pub fn required_texts(&self) -> RequiredTexts {
        let texts = |pattern: &PatternNode| required_texts(self.language, pattern);
        RequiredTexts {
            inside: match &self.finder {
                Finder::Code(pattern) => texts(pattern),
                Finder::Query(_) => vec![],
            },
            around: self.inside.as_ref().map(texts).unwrap_or_default(),
        }
    }

    pub fn find(&self, text: &str) -> FileMatches {
        let tree = compiled(self.language).and_then(|compiled| {
            parse(compiled, text.as_bytes(), &[], &mut ParseBudget::default())
        });
        let Some(tree) = tree else {
            return FileMatches {
                is_cut: true,
                ..FileMatches::default()
            };
        };
        if self.scope == TextScope::Definition && !self.is_self_contained(&tree, text) {
            return FileMatches {
                needs_file: true,
                ..FileMatches::default()
            };
        }
        let surroundings = (self.inside.as_ref(), self.not_inside.as_ref());
        let mut search = Search::new(text, self.most, surroundings);
        match &self.finder {
            Finder::Code(pattern) => search.run_pattern(pattern, &tree),
            Finder::Query(query) => search.run_query(query, &tree),
        }
        let mut found = search.found;
        found
            .matches
            .sort_by_key(|one| (one.span.0, std::cmp::Reverse(one.span.1)));
        found
    }

    /// Returns whether a text is exactly one definition, and no match can contain it as a part.
    fn is_self_contained(&self, tree: &Tree, text: &str) -> bool {
        let Finder::Code(pattern) = &self.finder else {
            return false;
        };
        let root = tree.root_node();
        let mut cursor = root.walk();
        let mut children = root.named_children(&mut cursor);
        let (Some(only), None) = (children.next(), children.next()) else {
            return false;
        };
        let is_named = ["name", "declarator"]
            .iter()
            .any(|field| only.child_by_field_name(field).is_some());
        !root.has_error()
            && only.byte_range() == (0..text.trim_end().len())
            && is_named
            && !pattern.has_part(only.kind_id())
    }
}

fn problem(pattern: &str, offset: u32, message: &str) -> PatternProblem {
    PatternProblem {
        pattern: pattern.to_owned(),
        offset,
        message: message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    fn find_matches(
        language: &'static Language,
        spec: &PatternSpec,
        text: &str,
    ) -> Result<FileMatches, PatternProblem> {
        Ok(PreparedPattern::new(language, spec)?.find(text))
    }

    fn find(language: &str, pattern: &str, text: &str) -> Vec<String> {
        find_in(language, pattern, (None, None), text)
    }

    fn find_in(
        language: &str,
        pattern: &str,
        (inside, not_inside): (Option<&str>, Option<&str>),
        text: &str,
    ) -> Vec<String> {
        let spec = PatternSpec {
            pattern: pattern.to_owned(),
            inside: inside.map(str::to_owned),
            not_inside: not_inside.map(str::to_owned),
            most: 100,
            ..PatternSpec::default()
        };
        let language = lang::by_name(language).expect("a language");
        let found = find_matches(language, &spec, text).unwrap_or_else(|error| panic!("{error:?}"));
        let slice = |span: ByteSpan| &text[span.0 as usize..span.1 as usize];
        let found = found.matches.iter().map(|one| {
            let holes = one
                .holes
                .iter()
                .map(|hole| format!(" {}={}", hole.name, slice(hole.span)));
            format!("{}{}", slice(one.span), holes.collect::<String>())
        });
        found.collect()
    }

    #[test]
    fn holes_stand_for_nodes() {
        let text = "fn f() { a.unwrap(); b.c().unwrap(); unwrap(); d.expect(\"x\"); }";
        let expected = ["a.unwrap() X=a", "b.c().unwrap() X=b.c()"];
        assert_eq!(find("rust", "$X.unwrap()", text), expected);
        assert_eq!(find("rust", "$X.expect($_)", text), ["d.expect(\"x\") X=d"]);
        let text = "f(1)\nf(1, 2)\ng(1)\nf()\n";
        let expected = ["f(1) ARGS=1", "f(1, 2) ARGS=1, 2", "f() ARGS="];
        assert_eq!(find("python", "f($$$ARGS)", text), expected);
        assert_eq!(find("python", "f($A, $B)", text), ["f(1, 2) A=1 B=2"]);
    }

    #[test]
    fn a_hole_of_one_name_stands_for_one_text() {
        let text = "x = a == a\ny = a == b\n";
        assert_eq!(find("python", "$A == $A", text), ["a == a A=a"]);
    }

    #[test]
    fn statements_match_with_their_bodies() {
        let text = "function f(a) { if (a) { return 1; } if (a) { b(); return 2; } }";
        let found = find("javascript", "if ($C) { return $X; }", text);
        assert_eq!(found, ["if (a) { return 1; } C=a X=1"]);
        let found = find("javascript", "if ($C) { $$$BODY }", text);
        assert_eq!(found.len(), 2, "{found:?}");
        let text = "class A { void f() { if (x == null) { return; } } }";
        assert_eq!(find("java", "if ($X == null) { $$$ }", text).len(), 1);
        let text = "func f() error {\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n";
        assert_eq!(find("go", "if err != nil { return $X }", text).len(), 1);
        let text = "fn f(a: u8) { match a { 0 => {} _ => g() } b == b; }";
        let found = find("rust", "match $X { $$$ARMS }", text);
        assert_eq!(
            found,
            ["match a { 0 => {} _ => g() } X=a ARMS=0 => {} _ => g()"]
        );
        assert_eq!(find("rust", "$A == $A", text), ["b == b A=b"]);
        let text = "class A { a() {} b() {} }";
        assert_eq!(find("javascript", "class $A { $$$ }", text).len(), 1);
        let text = "class A { bool F() { return x == null; } }";
        assert_eq!(find("csharp", "$X == null", text), ["x == null X=x"]);
        assert_eq!(find("java", "$X == null", text), ["x == null X=x"]);
        let text = "package a\n\nfunc f() {\n\tfmt.Errorf(\"a\", b)\n}\n";
        assert_eq!(find("go", "fmt.Errorf($$$)", text).len(), 1);
        let text = "void f(void) { free(a); }";
        assert_eq!(find("c", "free($X)", text), ["free(a) X=a"]);
        let text = "void f() { g(std::move(a)); }";
        assert_eq!(find("cpp", "std::move($X)", text).len(), 1);
        let text = "<p><?php\nfunction f($a) { return $a; }\n";
        assert_eq!(find("php", "return $X;", text), ["return $a; X=$a"]);
    }

    #[test]
    fn a_node_with_more_behind_it_is_another_one() {
        let text = "function f(a) { if (a) { b(); } else { c(); } }";
        assert!(find("javascript", "if ($C) { $$$ }", text).is_empty());
        assert!(find("python", "raise $E($$$)", "raise A(1) from b\n").is_empty());
    }

    #[test]
    fn the_code_around_a_match_can_be_asked_for() {
        let text = "fn f() { a.unwrap(); }\n#[test]\nfn g() { loop { a.unwrap(); } }\n";
        let around =
            |inside, not_inside| find_in("rust", "$X.unwrap()", (inside, not_inside), text);
        assert_eq!(around(Some("loop { $$$ }"), None), ["a.unwrap() X=a"]);
        assert_eq!(around(Some("fn f() { $$$ }"), None).len(), 1);
        assert_eq!(around(None, Some("loop { $$$ }")).len(), 1);
    }

    #[test]
    fn a_pattern_that_is_no_code_says_where() {
        let rust = lang::by_name("rust").expect("a language");
        let problem = |pattern: &str| {
            let spec = PatternSpec {
                pattern: pattern.to_owned(),
                most: 1,
                ..PatternSpec::default()
            };
            find_matches(rust, &spec, "fn f() {}").expect_err("no pattern")
        };
        assert!(problem("$X.unwrap(").offset > 0);
        assert!(problem("$X").message.contains("everything"));
        assert!(problem("a(); b();").message.contains("several statements"));
        let spec = PatternSpec {
            pattern: "(function_item name: (nothing) @x)".to_owned(),
            syntax: PatternSyntax::Query,
            most: 1,
            ..PatternSpec::default()
        };
        assert!(find_matches(rust, &spec, "").is_err());
    }

    #[test]
    fn a_definition_is_enough_unless_a_match_may_have_it_as_a_part() {
        let needs_file = |language: &str, pattern: &str, text: &str| {
            let spec = PatternSpec {
                pattern: pattern.to_owned(),
                most: 1,
                scope: TextScope::Definition,
                ..PatternSpec::default()
            };
            let language = lang::by_name(language).expect("a language");
            let found = find_matches(language, &spec, text).expect("a pattern");
            assert_ne!(found.needs_file, !found.matches.is_empty(), "{text}");
            found.needs_file
        };
        let text = "func a() error {\n\tif err != nil {\n\t\treturn err\n\t}\n}\n";
        assert!(!needs_file("go", "if err != nil { return $X }", text));
        assert!(!needs_file("go", "func $A() error { $$$ }", text));
        let text = "def a():\n    return b(1)\n";
        assert!(!needs_file("python", "b($X)", text));
        let pattern = "@$D\ndef $A():\n    return b($X)";
        assert!(needs_file("python", pattern, text));
        assert!(needs_file("javascript", "b($X)", "a = () => { b(1); }"));
        assert!(needs_file(
            "javascript",
            "b($X)",
            "function a() { b(1); } c();"
        ));
    }

    #[test]
    fn the_text_of_a_string_is_compared() {
        for (language, text) in [
            ("dart", "void a() { f('b'); f('c'); }"),
            ("javascript", "f('b'); f('c');"),
            ("lua", "f('b') f('c')"),
            ("scala", "def a = { f(\"b\"); f(\"c\") }"),
        ] {
            let quote = if language == "scala" { '"' } else { '\'' };
            let pattern = format!("f({quote}b{quote})");
            assert_eq!(find(language, &pattern, text), [pattern], "{language}");
        }
    }

    #[test]
    fn queries_are_found_with_their_captures() {
        let rust = lang::by_name("rust").expect("a language");
        let spec = PatternSpec {
            pattern: "(function_item name: (identifier) @name) @match".to_owned(),
            syntax: PatternSyntax::Query,
            most: 10,
            ..PatternSpec::default()
        };
        let found = find_matches(rust, &spec, "fn f() {}\nfn g() {}\n").expect("a query");
        assert_eq!(found.matches.len(), 2);
        assert_eq!(found.matches[1].span, (10, 19));
        assert_eq!(&*found.matches[1].holes[0].name, "name");
    }
}
