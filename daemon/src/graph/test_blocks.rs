//! Tests that are calls with a title and a body: `test("adds", () => {…})`, `it "adds" do … end`, and macros that take the
//! name of a test: `cli_test!(adds, |dir| {…})`.
//!
//! Such a body has no symbol, so its lines are found in the text: a block begins with the call and ends with the line that
//! closes it at the same indentation.

use crate::lang::conventions;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestBlock {
    pub title: String,
    /// The line of the call.
    pub line: u32,
}

/// The blocks of a text.
#[derive(Clone, Debug, Default)]
pub struct TestBlocks {
    blocks: Vec<TestBlock>,
    /// The index of the innermost block around each line.
    around: Vec<Option<u32>>,
}

impl TestBlocks {
    pub fn parse(text: &str) -> Self {
        let mut found = Self::default();
        let mut open: Vec<(usize, u32)> = vec![];
        let mut lines = text.lines().zip(1..).peekable();
        while let Some((line, number)) = lines.next() {
            let content = line.trim_start();
            let indent = line.len() - content.len();
            let next = lines.peek().map_or("", |(next, _)| next.trim_start());
            let title = title(content).or_else(|| macro_title(content, next));
            if let Some(title) = title {
                open.retain(|(outer, _)| *outer < indent);
                let block = u32::try_from(found.blocks.len()).unwrap_or(u32::MAX);
                found.blocks.push(TestBlock {
                    title: title.to_owned(),
                    line: number,
                });
                open.push((indent, block));
            }
            found.around.push(open.last().map(|(_, block)| *block));
            let is_closed = open.last().is_some_and(|(outer, _)| *outer == indent);
            if is_closed && (closes(content) || title.is_some() && is_balanced(content)) {
                open.pop();
            }
        }
        found
    }

    /// Returns the innermost block around a line, counted from 1.
    pub fn around(&self, line: u32) -> Option<&TestBlock> {
        let block = self
            .around
            .get((line as usize).checked_sub(1)?)
            .copied()
            .flatten()?;
        self.blocks.get(block as usize)
    }
}

/// Returns the title of the test that a line begins.
fn title(line: &str) -> Option<&str> {
    let is_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '$' | '.');
    let (path, rest) = line.split_at(line.find(|sign| !is_name(sign))?);
    if !conventions::is_test_call(path) {
        return None;
    }
    let (before, quoted) = rest.split_at(rest.find(['"', '\'', '`'])?);
    // `test.each([1, 2])("adds %d", …)` takes a table first.
    let is_first_argument =
        before.trim_end().ends_with('(') || !before.is_empty() && before.trim().is_empty();
    let quote = quoted.chars().next()?;
    let title = quoted[1..].split(quote).next()?;
    (is_first_argument && !title.is_empty()).then_some(title)
}

/// Returns the name of the test that a line begins, if a macro takes it, on that line or on the next: `cli_test!(adds, …`.
fn macro_title<'t>(line: &'t str, next: &'t str) -> Option<&'t str> {
    let (path, arguments) = line.split_once('!')?;
    let name = path.rsplit("::").next()?;
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    if !name.chars().all(is_word) || !conventions::is_test_macro(name) {
        return None;
    }
    let inside = arguments
        .trim_start()
        .strip_prefix(['(', '{'])?
        .trim_start();
    let inside = if inside.is_empty() { next } else { inside };
    let (title, _) = inside.split_once(',')?;
    let is_name = title.chars().all(is_word) && title.starts_with(char::is_alphabetic);
    is_name.then_some(title)
}

/// Returns whether a line ends a block: `});`, `end`.
fn closes(line: &str) -> bool {
    line.starts_with(['}', ')', ']']) || conventions::closes_block(line)
}

/// Returns whether a line closes all brackets that it opens, and has any.
fn is_balanced(line: &str) -> bool {
    let count = |signs: [char; 3]| line.matches(signs).count();
    let opened = count(['(', '[', '{']);
    opened > 0 && opened == count([')', ']', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_belongs_to_the_innermost_test_around_it() {
        let text = r#"import { z } from "./z";
const schema = z.string();

test("parses", () => {
  const text = `
no indentation
`;
  expect(schema.parse("a")).toBe(text);
});

describe("numbers", () => {
  it.only('adds', async () => {
    expect(() => {
      add(1);
    }).not.toThrow();
  });
  it("one line", () => add(2));
  add(3);
});

test.each([1, 2])("table %d", (value) => {
  add(value);
});
add(4);
"#;
        let blocks = TestBlocks::parse(text);
        let titles: Vec<_> = text
            .lines()
            .zip(1..)
            .filter(|(line, _)| line.contains("add(") || line.contains("schema"))
            .map(|(_, line)| {
                blocks
                    .around(line)
                    .map(|block| (block.title.as_str(), block.line))
            })
            .collect();
        let expected = [
            None,
            Some(("parses", 4)),
            Some(("adds", 12)),
            Some(("one line", 17)),
            None,
            Some(("table %d", 21)),
            None,
        ];
        assert_eq!(titles, expected);
        assert_eq!(blocks.around(0), None);
        assert_eq!(blocks.around(1000), None);
    }

    #[test]
    fn only_calls_with_a_title_are_tests() {
        for (line, expected) in [
            ("it \"adds\" do", Some("adds")),
            ("test 'adds' do", Some("adds")),
            ("Deno.test(\"adds\", () => {", Some("adds")),
            ("test = \"adds\"", None),
            ("test(options, \"adds\")", None),
            ("latest(\"adds\")", None),
            ("test(\"\")", None),
            ("test", None),
        ] {
            assert_eq!(title(line), expected, "{line}");
        }
    }

    #[test]
    fn a_macro_that_takes_the_name_of_a_test_is_one() {
        let text = "rgtest!(adds, |dir: Dir| {\n    add(1);\n});\nrgtest!(\n    subtracts,\n    |dir: Dir| {\n        add(2);\n    }\n);\nassert!(add(3), 1);\n";
        let blocks = TestBlocks::parse(text);
        let around = |line| blocks.around(line).map(|block| block.title.as_str());
        assert_eq!(around(2), Some("adds"));
        assert_eq!(around(7), Some("subtracts"));
        assert_eq!(around(10), None);
    }

    #[test]
    fn a_block_of_words_ends_with_its_end() {
        let text = "it \"adds\" do\n  add(1)\nend\nadd(2)\n";
        let blocks = TestBlocks::parse(text);
        assert_eq!(blocks.around(2).map(|block| block.line), Some(1));
        assert_eq!(blocks.around(4), None);
    }
}
