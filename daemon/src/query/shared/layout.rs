//! Adapts a text to the layout of a file: its indentation, its line ends, tabs or spaces.
//!
//! Apart from line ends, only leading white space changes, and never on a line that begins inside a string.

use std::ops::Range;

use super::logical_lines::LogicalLine;
use crate::lang::Language;
use crate::lang::conventions::{BLOCK_ENDS, closes_block};

const COMMON_UNIT: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub line_end: &'static str,
    pub indent: Indent,
    /// The file and the part around the edit are indented alike, so that a text with other steps does not follow them.
    is_uniform: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indent {
    Tabs,
    Spaces(usize),
}

impl Indent {
    pub fn unit(self) -> String {
        match self {
            Self::Tabs => "\t".to_owned(),
            Self::Spaces(width) => " ".repeat(width),
        }
    }

    /// Detects the indentation of a text; none if no line is indented.
    fn detect(text: &str) -> Option<Self> {
        let (mut tabs, mut spaces) = (0_usize, 0_usize);
        let mut steps = [0_usize; 9];
        // A text may begin inside a block, so the indentation of its first line is no step.
        let mut before = None;
        let mut first = 0;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let width = line.len() - line.trim_start_matches(' ').len();
            if line.starts_with('\t') {
                tabs += 1;
            } else if width > 1 {
                spaces += 1;
            }
            match before {
                Some(before) => {
                    if let Some(step) = steps.get_mut(width.abs_diff(before)) {
                        *step += 1;
                    }
                }
                None => first = width,
            }
            before = Some(width);
        }
        if tabs == 0 && spaces == 0 {
            return None;
        }
        let most = (2..steps.len()).max_by_key(|width| (steps[*width], *width == COMMON_UNIT));
        let width = most.filter(|width| steps[*width] > 0);
        let width = width
            .or_else(|| (2..steps.len()).contains(&first).then_some(first))
            .unwrap_or(COMMON_UNIT);
        Some(if tabs > spaces {
            Self::Tabs
        } else {
            Self::Spaces(width)
        })
    }
}

impl Layout {
    /// Detects the layout of a file. Its indentation is taken from the part around the edit, which begins with that of its first
    /// line, if lines of that part are indented differently.
    pub fn detect(file: &str, part: &str) -> Self {
        let crlf = file.matches("\r\n").count();
        let all = memchr::memchr_iter(b'\n', file.as_bytes()).count();
        let mut indents = part
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(leading_space);
        let first = indents.next();
        let is_flat = indents.all(|indent| Some(indent) == first);
        let own = Indent::detect(part).filter(|_| !is_flat);
        let of_file = Indent::detect(file);
        Self {
            line_end: if crlf * 2 > all { "\r\n" } else { "\n" },
            indent: own.or(of_file).unwrap_or(Indent::Spaces(COMMON_UNIT)),
            is_uniform: of_file.is_some() && own.is_none_or(|own| Some(own) == of_file),
        }
    }

    /// Returns a [normalized](normalize) text with `base` before each line but the first, whose indentation is left out. Lines
    /// keep their indentation relative to it, and those that begin inside one of the `strings` stay as they are.
    pub fn place(
        self,
        text: &str,
        base: &str,
        language: &Language,
        strings: &[Range<usize>],
    ) -> String {
        let lines = self.read_lines(text, language, strings);
        let own = match lines.iter().find(|line| !line.content().is_empty()) {
            Some(TextLine::Code { indent, .. }) => indent.clone(),
            _ => String::new(),
        };
        self.join(&lines, &own, base)
    }

    /// Returns a [normalized](normalize) text with `base` before each line but the first, which goes where the indentation
    /// already is. Lines that begin inside one of the `strings` stay as they are.
    pub fn fit(
        self,
        text: &str,
        base: &str,
        language: &Language,
        strings: &[Range<usize>],
    ) -> String {
        let lines = self.read_lines(text, language, strings);
        let own = own_indent(&lines, base, &self.indent.unit(), language);
        self.join(&lines, &own, base)
    }

    /// Joins lines, with `base` in place of their `own` indentation.
    fn join(self, lines: &[TextLine<'_>], own: &str, base: &str) -> String {
        let mut fitted = String::new();
        for (at, line) in lines.iter().enumerate() {
            if at > 0 {
                fitted.push_str(self.line_end);
            }
            match line {
                _ if at == 0 => fitted.push_str(line.content()),
                TextLine::Fixed(line) => fitted.push_str(line),
                TextLine::Code { indent, content } => {
                    match indent.strip_prefix(own) {
                        Some(deeper) => {
                            fitted.push_str(base);
                            fitted.push_str(deeper);
                        }
                        None => fitted.push_str(indent),
                    }
                    fitted.push_str(content);
                }
            }
        }
        fitted
    }

    fn read_lines<'a>(
        self,
        text: &'a str,
        language: &Language,
        strings: &[Range<usize>],
    ) -> Vec<TextLine<'a>> {
        let mut start = 0;
        let mut lines = vec![];
        for line in text.split('\n') {
            let is_inside = strings
                .iter()
                .any(|string| string.start <= start && start < string.end);
            start += line.len() + 1;
            let content = line.trim_start_matches([' ', '\t']);
            if is_inside || content.is_empty() {
                lines.push(TextLine::Fixed(line));
                continue;
            }
            let indent = line[..line.len() - content.len()].to_owned();
            lines.push(TextLine::Code { indent, content });
        }
        let own = Indent::detect(text);
        let is_other_step = matches!((self.indent, own), (Indent::Spaces(unit), Some(Indent::Spaces(own)))
            if self.is_uniform && own != unit && has_block_steps(&lines, own, language));
        for line in &mut lines {
            if let TextLine::Code { indent, .. } = line {
                *indent = match (self.indent, own) {
                    (Indent::Tabs, Some(Indent::Spaces(width))) if !indent.contains('\t') => {
                        "\t".repeat(indent.len() / width) + &" ".repeat(indent.len() % width)
                    }
                    (Indent::Spaces(width), Some(Indent::Tabs)) => {
                        indent.replace('\t', &" ".repeat(width))
                    }
                    (Indent::Spaces(unit), Some(Indent::Spaces(own))) if is_other_step => {
                        " ".repeat(indent.len() / own * unit)
                    }
                    _ => continue,
                };
            }
        }
        lines
    }
}

/// Returns whether lines are indented by steps of one width, some of which are those of blocks: not only of lines that go on, as
/// in `f(a,`, whose indentation is a matter of taste.
fn has_block_steps(lines: &[TextLine<'_>], width: usize, language: &Language) -> bool {
    let facts = language.facts.as_ref();
    let opener = facts.and_then(|facts| facts.names.family.block_opener());
    let code: Vec<(usize, &str)> = lines
        .iter()
        .filter_map(|line| match line {
            TextLine::Code { indent, content } => Some((indent.len(), content.trim_end())),
            TextLine::Fixed(_) => None,
        })
        .collect();
    let opens_block = |at: usize| {
        let (indent, line) = code[at];
        let ends = || {
            let mut behind = code[at + 1..].iter();
            let end = behind.find(|(other, _)| *other <= indent);
            end.is_some_and(|(_, line)| closes_block(line))
        };
        line.ends_with('{') || opener.is_some_and(|opener| line.ends_with(opener)) || ends()
    };
    let is_deeper = |pair: &[(usize, &str)]| pair[1].0 > pair[0].0;
    let mut pairs = code.windows(2).enumerate();
    code.iter().all(|(indent, _)| indent.is_multiple_of(width))
        && code.windows(2).all(|pair| pair[1].0 <= pair[0].0 + width)
        && pairs.any(|(at, pair)| is_deeper(pair) && opens_block(at))
}

enum TextLine<'a> {
    /// A line that stays as it is: blank, or begun inside a string.
    Fixed(&'a str),
    Code {
        indent: String,
        content: &'a str,
    },
}

impl TextLine<'_> {
    fn content(&self) -> &str {
        match self {
            Self::Fixed(line) => line,
            Self::Code { content, .. } => content,
        }
    }
}

pub fn leading_space(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns a text with `\n` as line ends, and without blank lines at its start and end.
pub fn normalize(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let text = text.trim_start_matches('\u{feff}').trim_end();
    let blank = text.len() - text.trim_start().len();
    text[text[..blank].rfind('\n').map_or(0, |end| end + 1)..].to_owned()
}

/// Returns the indentation that a text already has, which `base` replaces. The first line may be given without it.
fn own_indent(lines: &[TextLine<'_>], base: &str, unit: &str, language: &Language) -> String {
    let mut code = lines.iter().filter_map(|line| match line {
        TextLine::Code { indent, content } => Some((indent.as_str(), *content)),
        TextLine::Fixed(_) => None,
    });
    let Some((first, _)) = code.next() else {
        return String::new();
    };
    if !first.is_empty() {
        return first.to_owned();
    }
    let facts = language.facts.as_ref();
    let opener = facts.and_then(|facts| facts.names.family.block_opener());
    if let Some(own) = opener.and_then(|opener| own_block_indent(lines, base, unit, opener)) {
        return own.to_owned();
    }
    let rest: Vec<(&str, &str)> = code.collect();
    let Some((last, content)) = rest.last() else {
        return String::new();
    };
    // Preprocessor lines are indented independently: `#pragma warning disable`.
    let is_code =
        |(indent, content): &&(&str, &str)| !indent.is_empty() || !content.starts_with('#');
    let shallowest = rest
        .iter()
        .filter(is_code)
        .map(|(indent, _)| *indent)
        .min_by_key(|indent| indent.len());
    let shallowest = shallowest.unwrap_or_default();
    // If the last line ends a block, its indentation is that of the first line, which was given without it. This needs the last
    // line to have exactly `base` (labels and comments may then have less), or no line to have less than it. In languages
    // without block ends, the last line says nothing: `]` of a list.
    let blocks_end = facts.is_none_or(|facts| !facts.indented_blocks);
    let is_end = blocks_end && BLOCK_ENDS.iter().any(|end| content.starts_with(end));
    if is_end && !base.is_empty() && (*last == base || shallowest.len() >= last.len()) {
        return (*last).to_owned();
    }
    let is_placed = !base.is_empty() && shallowest.len() >= base.len() + unit.len();
    let own = shallowest.strip_suffix(unit).filter(|_| is_placed);
    own.unwrap_or_default().to_owned()
}

/// Returns the indentation that the first line of a text lost, in a language with a sign that opens blocks; none if its lines are
/// a single statement.
///
/// The line after a statement without a block has the same indentation, and that after `def f():` a deeper one, unless a later
/// line ends the block.
fn own_block_indent<'a>(
    lines: &'a [TextLine<'_>],
    base: &str,
    unit: &str,
    opener: char,
) -> Option<&'a str> {
    let code = lines.iter().filter_map(|line| match line {
        TextLine::Code { indent, content } => Some((indent.as_str(), *content)),
        TextLine::Fixed(_) => None,
    });
    let logical = LogicalLine::read(code, opener);
    let (first, rest) = logical.split_first()?;
    let next = rest.first()?.indent;
    if !first.opens_block {
        return Some(next);
    }
    let least = rest
        .iter()
        .map(|line| line.indent)
        .min_by_key(|indent| indent.len());
    if let Some(least) = least.filter(|least| least.len() < next.len()) {
        return Some(least);
    }
    let is_placed = !base.is_empty() && next.len() >= base.len() + unit.len();
    Some(
        next.strip_suffix(unit)
            .filter(|_| is_placed)
            .unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    fn fit(file: &str, text: &str, base: &str, language: &str) -> String {
        let language = lang::by_name(language).expect("a language");
        Layout::detect(file, "").fit(&normalize(text), base, language, &[])
    }

    #[test]
    fn any_indentation_becomes_that_of_the_place() {
        let expected = "fn a() {\n        b();\n    }";
        for text in [
            "fn a() {\n    b();\n}",
            "    fn a() {\n        b();\n    }\n",
            "fn a() {\n        b();\n    }",
            "\n\n        fn a() {\n            b();\n        }\n\n",
        ] {
            assert_eq!(fit("    x\n", text, "    ", "rust"), expected, "{text}");
        }
        let text = "{\n        a();\n#pragma b\n    }";
        assert_eq!(fit("    x\n", text, "    ", "csharp"), text);
        let expected = "def a():\n        return 1";
        for text in ["def a():\n    return 1", "def a():\n        return 1\n"] {
            assert_eq!(fit("    x\n", text, "    ", "python"), expected, "{text}");
        }
        for (language, text) in [
            (
                "python",
                "def a():\n    b = 1\n    return [\n        b,\n    ]",
            ),
            ("haskell", "a =\n  [ b\n  , c\n  ]"),
            ("ocaml", "let a =\n  let b = [\n    c;\n  ] in\n  (b\n  )"),
            (
                "dart",
                "List<A> a(\n  B b,\n) =>\n    <A>[\n      b,\n    ]..sort(\n      c,\n    );",
            ),
        ] {
            assert_eq!(fit("    x\n", text, "", language), text);
        }
    }

    #[test]
    fn a_first_line_without_indentation_has_that_of_its_block() {
        for (base, text, expected) in [
            (
                "        ",
                "x = 5\n        return x",
                "x = 5\n        return x",
            ),
            ("        ", "x = 5\nreturn x", "x = 5\n        return x"),
            ("    ", "x = 5\n        return x", "x = 5\n    return x"),
            (
                "    ",
                "@staticmethod\n    def loads(x):\n        return 2",
                "@staticmethod\n    def loads(x):\n        return 2",
            ),
            (
                "    ",
                "def a(self):\n        return 1\n\n    def b(self):\n        return 2",
                "def a(self):\n        return 1\n\n    def b(self):\n        return 2",
            ),
            (
                "        ",
                "if a(  # not (\n            b,\n        ):\n            c = 'x('\n        else:\n            d()",
                "if a(  # not (\n            b,\n        ):\n            c = 'x('\n        else:\n            d()",
            ),
            (
                "    ",
                "def a():\n    \"\"\"It's (one.\n\n    Two.\n    \"\"\"\n    return 1",
                "def a():\n        \"\"\"It's (one.\n\n        Two.\n        \"\"\"\n        return 1",
            ),
        ] {
            assert_eq!(
                fit("if a:\n    x\n", text, base, "python"),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn the_unit_of_a_part_does_not_count_where_it_begins() {
        let unit = |file: &str, part: &str| Layout::detect(file, part).indent;
        let file = "class A:\n    def b():\n        c\n";
        assert_eq!(unit(file, "    def b():\n        c"), Indent::Spaces(4));
        assert_eq!(unit(file, "        c"), Indent::Spaces(4));
        assert_eq!(
            unit(file, "        def b():\n          c"),
            Indent::Spaces(2)
        );
    }

    #[test]
    fn line_ends_and_tabs_are_those_of_the_file() {
        let file = "class A {\r\n\tint b;\r\n}\r\n";
        let text = "void c() {\n    d();\n}";
        assert_eq!(
            fit(file, text, "\t", "java"),
            "void c() {\r\n\t\td();\r\n\t}"
        );
        let text = "void c() {\n\td();\n}";
        assert_eq!(
            fit("  a\n    b\n", text, "  ", "java"),
            "void c() {\n    d();\n  }"
        );
    }

    #[test]
    fn blocks_are_indented_by_the_steps_of_the_file() {
        let file = "class A {\n  f() {\n    if (a) {\n      b();\n    }\n  }\n}\n";
        let text = "g() {\n    if (a) {\n        b();\n    }\n}";
        let expected = "g() {\n    if (a) {\n      b();\n    }\n  }";
        assert_eq!(fit(file, text, "  ", "typescript"), expected);
        let file = "if a:\n    if b:\n        c()\n";
        let text = "def f():\n  if a:\n    return 1\n  return 2";
        let expected = "def f():\n    if a:\n        return 1\n    return 2";
        assert_eq!(fit(file, text, "", "python"), expected);
        let file = "def a\n  if b\n    c\n  end\nend\n";
        let text = "def d\n    if e\n        f\n    end\nend";
        let expected = "def d\n  if e\n    f\n  end\nend";
        assert_eq!(fit(file, text, "", "ruby"), expected);
        // Lines that go on, and a text whose steps are not all blocks, are left alone.
        let file = "class A {\n  void f() {\n    a();\n  }\n}\n";
        for text in [
            "a(\n    b,\n    c);",
            "void g() {\n  a(\n      b);\n}",
            "int g() {\n    a();\n  // b\n}",
        ] {
            assert_eq!(fit(file, text, "", "java"), text);
        }
    }

    #[test]
    fn lines_inside_strings_stay_as_they_are() {
        let text = "const a = `\n  b\n`;\nf();";
        let language = lang::by_name("javascript").expect("a language");
        let layout = Layout::detect("  x\n", "");
        let string = 10..17;
        assert_eq!(
            layout.fit(text, "  ", language, std::slice::from_ref(&string)),
            "const a = `\n  b\n`;\n  f();"
        );
    }

    #[test]
    fn a_text_of_its_place_stays_as_it_is_around_lines_that_are_less_indented() {
        for (language, text) in [
            ("cpp", "{\n        goto done;\ndone:\n        a();\n    }"),
            ("java", "{\n        a();\n/*\nb();\n*/\n    }"),
        ] {
            assert_eq!(fit("    x\n", text, "    ", language), text);
        }
    }
}
