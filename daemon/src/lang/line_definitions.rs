//! Finds the definitions around lines of a text, by how lines begin and how far they are indented.
//!
//! History has a hundred versions of a file for each one that is indexed. Parsing them would take minutes and a process of its
//! own; this takes one pass over the lines, by words of all languages together. It may miss a definition or its end, so the
//! names only describe what a commit touched, and nothing else is built on them.

use std::collections::BTreeSet;

/// Words before the name of a definition: `fn run`, `class Job`.
const KEYWORDS: &[&str] = &[
    "actor",
    "class",
    "contract",
    "def",
    "defmacro",
    "defmodule",
    "defp",
    "enum",
    "extension",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "macro_rules!",
    "message",
    "mod",
    "module",
    "namespace",
    "object",
    "proc",
    "protocol",
    "record",
    "rpc",
    "service",
    "struct",
    "sub",
    "trait",
    "type",
    "union",
];
/// Words before the name of a value. A value is a definition if it is at the top of a file or is a function:
/// `const run = () =>`.
const VALUE_KEYWORDS: &[&str] = &["const", "let", "static", "val", "var"];
/// Keywords that a function's result type may begin with: `struct job *run(int)`.
const RESULT_KEYWORDS: &[&str] = &["enum", "struct", "union"];
/// Words that begin a statement.
const STATEMENTS: &[&str] = &[
    "and",
    "assert",
    "await",
    "break",
    "case",
    "catch",
    "continue",
    "defer",
    "delete",
    "do",
    "elif",
    "else",
    "elsif",
    "except",
    "finally",
    "for",
    "foreach",
    "from",
    "go",
    "goto",
    "guard",
    "if",
    "import",
    "in",
    "include",
    "loop",
    "match",
    "new",
    "not",
    "or",
    "package",
    "print",
    "raise",
    "require",
    "return",
    "select",
    "sizeof",
    "switch",
    "synchronized",
    "throw",
    "try",
    "unless",
    "until",
    "use",
    "using",
    "when",
    "while",
    "with",
    "yield",
];
/// Beginnings of lines that continue the code above them although they are not indented.
const CONTINUATIONS: &[&str] = &[
    "{", "}", ")", "]", "end", "else", "elif", "elsif", "catch", "except", "finally", "rescue",
    "ensure", "where", "#", "//", "/*", "*", "--", ">", "|>", "&&", "||", ".",
];
/// Beginnings of lines that belong to the definition below them: `/// Runs a job.`, `@Override`, `#[test]`.
const PRELUDES: &[&str] = &["//", "/*", "*", "#", "@", "--", "%%"];
const TAB: usize = 4;
/// Longer lines are data.
const LONGEST_LINE: usize = 400;

/// A name in its container: `Job.run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header<'a> {
    container: Option<&'a str>,
    name: &'a str,
}

struct Definition {
    name: String,
    indent: usize,
}

/// Returns the innermost definitions around lines, which are counted from 1: `Job.run`, `main`.
pub fn names_around(text: &str, lines: impl Iterator<Item = u32>) -> BTreeSet<String> {
    let (definitions, owners) = outline(text);
    let owner = |line: u32| {
        owners
            .get((line as usize).checked_sub(1)?)
            .copied()
            .flatten()
    };
    let numbers: BTreeSet<usize> = lines.filter_map(owner).collect();
    let names = numbers.iter().map(|number| &definitions[*number].name);
    names.cloned().collect()
}

/// Returns the definitions, and for each line the innermost around it.
fn outline(text: &str) -> (Vec<Definition>, Vec<Option<usize>>) {
    let lines: Vec<&str> = text.lines().collect();
    let mut definitions: Vec<Definition> = vec![];
    let mut owners: Vec<Option<usize>> = Vec::with_capacity(lines.len());
    let mut open: Vec<usize> = vec![];
    for (number, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        if code.is_empty() {
            owners.push(open.last().copied());
            continue;
        }
        let indent = indentation(&line[..line.len() - code.len()]);
        let continues = CONTINUATIONS.iter().any(|start| begins_with(code, start));
        if !continues {
            while open
                .pop_if(|last| definitions[*last].indent >= indent)
                .is_some()
            {}
            // Blank lines after a definition are not in it.
            for (above, owner) in lines[..number].iter().zip(&mut owners).rev() {
                if !above.trim().is_empty() {
                    break;
                }
                *owner = open.last().copied();
            }
        }
        let below = lines.get(number + 1).map_or("", |line| line.trim());
        if !continues && let Some(header) = header(code.trim_end(), indent, below) {
            let container = match (header.container, open.last()) {
                (Some(container), _) => Some(container),
                (None, Some(around)) => Some(&*definitions[*around].name),
                (None, None) => None,
            };
            let name = container.map_or_else(
                || header.name.to_owned(),
                |container| format!("{}.{}", last_part(container), header.name),
            );
            definitions.push(Definition { name, indent });
            let own = definitions.len() - 1;
            open.push(own);
            // Comments and attributes above the definition belong to it.
            for (above, owner) in lines[..number].iter().zip(&mut owners).rev() {
                let comment = above.trim_start();
                let is_prelude = PRELUDES.iter().any(|start| comment.starts_with(start));
                if !is_prelude || indentation(&above[..above.len() - comment.len()]) < indent {
                    break;
                }
                *owner = Some(own);
            }
        }
        owners.push(open.last().copied());
        // The end of a block at the indentation of its definition: `}`, `end`.
        if code.starts_with('}') || begins_with(code, "end") {
            let is_last = !code.ends_with(['{', '(', ',']) && !code.contains("else");
            while open
                .pop_if(|last| is_last && definitions[*last].indent >= indent)
                .is_some()
            {}
        }
    }
    (definitions, owners)
}

/// Returns the part of a name after its container: `run` in `Job.run`.
pub fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn indentation(white_space: &str) -> usize {
    let width = |byte| if byte == b'\t' { TAB } else { 1 };
    white_space.bytes().map(width).sum()
}

/// Returns whether a line begins with a sign or a whole word.
fn begins_with(code: &str, start: &str) -> bool {
    code.strip_prefix(start).is_some_and(|rest| {
        !start.ends_with(|last: char| last.is_alphanumeric()) || !rest.starts_with(is_name_char)
    })
}

/// Returns the name that a line defines. `below` is the next line.
fn header<'a>(code: &'a str, indent: usize, below: &str) -> Option<Header<'a>> {
    if code.len() > LONGEST_LINE {
        return None;
    }
    let code = without_visibility(code);
    let first = word(code);
    if STATEMENTS.contains(&first) || first.is_empty() && !code.starts_with(['~', '[']) {
        return None;
    }
    let mut before = 0;
    let mut rest = code;
    // At most a few modifiers precede the keyword: `pub async fn`, `export default class`.
    while before < 6 {
        let word = word(rest);
        if word.is_empty() {
            break;
        }
        let behind = &rest[word.len()..];
        let is_macro = word == "macro_rules" && behind.starts_with('!');
        if KEYWORDS.contains(&word) || is_macro {
            let by_keyword = keyword_header(word, behind.trim_start_matches('!').trim_start());
            let is_result = RESULT_KEYWORDS.contains(&word)
                && function_header(code, indent, below).is_some_and(|function| {
                    by_keyword.is_none_or(|found| found.name != function.name)
                });
            if is_result {
                return function_header(code, indent, below);
            }
            // This line is the result type of a function whose name is on the next line.
            if RESULT_KEYWORDS.contains(&word) && code.ends_with('*') {
                return None;
            }
            return by_keyword;
        }
        let is_function = || behind.contains("=>") || behind.contains("function");
        let is_call = behind
            .find('(')
            .is_some_and(|at| !behind[..at].contains('='));
        if VALUE_KEYWORDS.contains(&word) && (is_function() || indent == 0 && !is_call) {
            let name = self::word(behind.trim_start().trim_start_matches("mut "));
            if !VALUE_KEYWORDS.contains(&name) && !KEYWORDS.contains(&name) && !name.is_empty() {
                return Some(Header {
                    container: None,
                    name,
                });
            }
        }
        rest = behind.trim_start();
        if rest.len() == behind.len() {
            break;
        }
        before += 1;
    }
    function_header(code, indent, below)
}

/// Returns a line without its visibility: `pub(crate) fn` → `fn`.
fn without_visibility(code: &str) -> &str {
    let restricted = code.strip_prefix("pub(").and_then(|rest| {
        let (_, behind) = rest.split_once(')')?;
        Some(behind.trim_start())
    });
    restricted.unwrap_or(code)
}

/// Returns the name after a keyword.
fn keyword_header<'a>(keyword: &str, rest: &'a str) -> Option<Header<'a>> {
    let named = |container, name: &'a str| {
        (!name.is_empty() && !STATEMENTS.contains(&name)).then_some(Header { container, name })
    };
    match keyword {
        // `func (s *Store) Get(`
        "func" if rest.starts_with('(') => {
            let (receiver, behind) = rest[1..].split_once(')')?;
            let owner = receiver.split('[').next().unwrap_or(receiver);
            let owner = owner.rsplit([' ', '*']).next().unwrap_or(owner);
            named(
                Some(owner).filter(|owner| !owner.is_empty()),
                word(behind.trim_start()),
            )
        }
        // `impl<T> Iterator for Rows<T>`
        "impl" => {
            let rest = if rest.starts_with('<') {
                after_generics(rest)
            } else {
                rest
            };
            let rest = rest.split(['{', '\n']).next().unwrap_or(rest);
            let owner = rest.split_once(" for ").map_or(rest, |(_, owner)| owner);
            let owner = owner.trim_start_matches(['&', ' ']);
            let owner = owner.split(['<', ' ']).next().unwrap_or(owner);
            named(None, owner.rsplit("::").next().unwrap_or(owner))
        }
        // `def self.run`
        "def" | "defp" | "fun" | "function" => {
            let rest = rest.trim_start_matches('*').trim_start();
            let rest = if rest.starts_with('<') {
                after_generics(rest)
            } else {
                rest
            };
            let end = rest
                .find(|sign: char| !is_name_char(sign) && !matches!(sign, '.' | ':' | '?' | '!'))
                .unwrap_or(rest.len());
            let whole = rest[..end].trim_end_matches(':');
            let (owner, name) = match whole.rsplit_once(['.', ':']) {
                Some((owner, name)) => (Some(owner.trim_end_matches(':')), name),
                None => (None, whole),
            };
            named(owner.filter(|owner| *owner != "self"), name)
        }
        _ => named(None, word(rest)),
    }
}

/// Returns the text after `<…>`.
fn after_generics(rest: &str) -> &str {
    let mut depth = 0_i32;
    for (at, sign) in rest.char_indices() {
        depth += match sign {
            '<' => 1,
            '>' if !rest[..at].ends_with('-') => -1,
            _ => 0,
        };
        if depth == 0 {
            return rest[at + 1..].trim_start();
        }
    }
    ""
}

/// Returns the name of a function without a keyword: `static int run(int a) {`, `async run(a) {`.
fn function_header<'a>(code: &'a str, indent: usize, below: &str) -> Option<Header<'a>> {
    let (head, arguments) = code.split_once('(')?;
    let mut signs = head.char_indices().rev();
    let start = signs
        .find(|(_, sign)| !is_name_char(*sign) && *sign != '~')
        .map_or(0, |(at, sign)| at + sign.len_utf8());
    let (before, name) = head.split_at(start);
    let is_type = |sign: char| is_name_char(sign) || " \t:<>,*&[].?@".contains(sign);
    if name.trim_start_matches('~').is_empty()
        || name.starts_with(|first: char| first.is_ascii_digit())
        || STATEMENTS.contains(&name)
        || KEYWORDS.contains(&name)
        || !before.chars().all(is_type)
        || code.ends_with(';')
        || before.ends_with('.')
    {
        return None;
    }
    let opens = code.ends_with('{');
    let (owner, has_result) = match before.strip_suffix("::") {
        Some(before) => (
            before.rsplit([' ', '*', '&']).next(),
            before.contains([' ', '*']) || indent == 0,
        ),
        None => (None, before.contains(|sign: char| sign.is_alphanumeric())),
    };
    let is_definition = if has_result {
        opens || below.starts_with('{') || indent == 0 && code.ends_with([')', ',', '('])
    } else {
        // `run(a) {`, and not a call with a function as its argument.
        let has_literal = arguments.contains(['"', '\'', '`']);
        let has_function = arguments.contains("=>") || arguments.contains("func");
        let is_below_result = indent == 0 && below.starts_with('{');
        (opens || is_below_result) && !has_literal && !has_function
    };
    is_definition.then_some(Header {
        container: owner.filter(|owner| !owner.is_empty()),
        name,
    })
}

/// Returns the name at the beginning of a text.
fn word(text: &str) -> &str {
    let end = text.find(|sign: char| !is_name_char(sign));
    &text[..end.unwrap_or(text.len())]
}

fn is_name_char(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names around each line that has a mark.
    fn marked(text: &str) -> Vec<String> {
        let lines = text.lines().enumerate();
        let marked = lines.filter(|(_, line)| line.contains("<-"));
        let name = |(number, _): (usize, _)| {
            let line = u32::try_from(number + 1).expect("a number");
            let names = names_around(text, [line].into_iter());
            names.into_iter().next().unwrap_or_else(|| "-".to_owned())
        };
        marked.map(name).collect()
    }

    #[test]
    fn lines_are_in_the_definitions_of_their_language() {
        for (language, text, expected) in [
            (
                "rust",
                "use a; // <-\n/// Runs. <-\n#[inline]\npub(crate) fn run<T>(\n    a: u8, // <-\n) -> u8\nwhere\n    T: Send,\n{\n\
                 \n    a // <-\n}\n\nimpl<T> Iterator for Rows<T> {\n    type Item = u8;\n    fn next(&mut self) -> u8 {\n        \
                 1 // <-\n    }\n}\nconst MOST: u8 = 1; // <-\n",
                &["-", "run", "run", "run", "Rows.next", "MOST"][..],
            ),
            (
                "go",
                "type Store struct {\n\tname string // <-\n}\n\nfunc (s *Store[T]) Get(k string) error {\n\tgo func() {\n\t\tx() // \
                 <-\n\t}()\n\tt.Run(\"a\", func(t *T) {\n\t\ty() // <-\n\t})\n}\n\nfunc main() {\n#if x\n\tz() // <-\n}\n",
                &["Store", "Store.Get", "Store.Get", "main"],
            ),
            (
                "python",
                "class Job(Base):\n    name = 1  # <-\n\n    @property\n    async def run(self, a,\n                  b):\n        \
                 if a:\n            return b  # <-\n\n        return a  # <-\n\nX = 1  # <-\n\ndef main():\n    pass  # <-\n",
                &["Job", "Job.run", "Job.run", "-", "main"],
            ),
            (
                "c",
                "static struct job *\nrun(int a)\n{\n\tif (a) {\n\t\tb(); // <-\n\t}\n}\n\nstruct job {\n\tint a; // <-\n};\n\nstruct \
                 job *start(void)\n{\n\tstop(1); // <-\n}\nvoid Store::open(int a) {\n  b(); // <-\n}\n",
                &["run", "job", "start", "Store.open"],
            ),
            (
                "typescript",
                "export default class Job extends Base {\n  private readonly a = 1; // <-\n  async run(a: string): Promise<void> {\n    \
                 items.map((one) => {\n      two(); // <-\n    });\n  }\n}\nexport const start = async (a) => {\n  b(); // <-\n};\n\
                 describe(\"x\", () => {\n  c(); // <-\n});\n",
                &["Job", "Job.run", "start", "-"],
            ),
            (
                "java",
                "public final class Job {\n    @Override\n    public void run(String a) throws X {\n        return; // <-\n    }\n\n    Job() \
                 {\n        super(); // <-\n    }\n}\n",
                &["Job.run", "Job.Job"],
            ),
            (
                "ruby",
                "module Shop\n  class Cart\n    def self.open?(a)\n      b # <-\n    end\n\n    attr :x # <-\n  end\nend\n",
                &["Cart.open?", "Shop.Cart"],
            ),
        ] {
            assert_eq!(marked(text), expected, "{language}");
        }
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "",
            "\u{feff}",
            "(",
            "func (",
            "impl<",
            "def ",
            "pub(",
            "::(",
            "~(",
            "ü(ü) {",
            "→(a) {",
            "impl<→>",
        ] {
            assert!(names_around(text, 0..3).len() <= 1, "{text}");
        }
    }
}
