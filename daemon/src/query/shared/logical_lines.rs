//! Logical lines of a text in a language whose blocks are indentation: lines inside brackets, strings and after a backslash continue
//! the one before, and comments begin with `#`.

pub struct LogicalLine<'a> {
    pub indent: &'a str,
    /// It ends with the sign that opens a block: `def f():`.
    pub opens_block: bool,
}

impl<'a> LogicalLine<'a> {
    /// Reads lines, each given as its indentation and the rest.
    pub fn read(lines: impl Iterator<Item = (&'a str, &'a str)>, opener: char) -> Vec<Self> {
        let mut logical: Vec<Self> = vec![];
        let mut state = LineState::default();
        for (indent, content) in lines {
            let is_continued = state.is_continued();
            let last = state.scan(content);
            let Some(last) = last else { continue };
            if !is_continued {
                logical.push(Self {
                    indent,
                    opens_block: false,
                });
            }
            if let Some(line) = logical.last_mut() {
                line.opens_block = last == opener && !state.is_continued();
            }
        }
        logical
    }
}

/// The brackets and strings that are open at the end of a line.
#[derive(Default)]
struct LineState {
    depth: usize,
    /// The quotes that end a string of several lines.
    quotes: Option<&'static str>,
    has_backslash: bool,
}

impl LineState {
    fn is_continued(&self) -> bool {
        self.depth > 0 || self.quotes.is_some() || self.has_backslash
    }

    /// Reads a line, and returns the last character of its code.
    fn scan(&mut self, line: &str) -> Option<char> {
        self.has_backslash = false;
        let mut rest = line;
        let mut last = None;
        if let Some(quotes) = self.quotes {
            let Some(end) = rest.find(quotes) else {
                return Some('"');
            };
            rest = &rest[end + quotes.len()..];
            self.quotes = None;
            last = Some('"');
        }
        while let Some(sign) = rest.chars().next() {
            let behind = &rest[sign.len_utf8()..];
            if sign == '#' {
                break;
            }
            if !sign.is_whitespace() {
                last = Some(sign);
            }
            rest = match sign {
                '"' | '\'' => match self.skip_string(rest) {
                    Some(rest) => rest,
                    None => break,
                },
                _ => behind,
            };
            match sign {
                '(' | '[' | '{' => self.depth += 1,
                ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                '\\' => self.has_backslash = behind.is_empty(),
                _ => {}
            }
        }
        last
    }

    /// Returns the text after the string that begins a text; none if it does not end on its line.
    fn skip_string<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        for quotes in ["\"\"\"", "'''"] {
            if let Some(inner) = text.strip_prefix(quotes) {
                let Some(end) = inner.find(quotes) else {
                    self.quotes = Some(quotes);
                    return None;
                };
                return Some(&inner[end + quotes.len()..]);
            }
        }
        let quote = text.chars().next()?;
        let mut is_escaped = false;
        for (at, sign) in text.char_indices().skip(1) {
            if sign == quote && !is_escaped {
                return Some(&text[at + 1..]);
            }
            is_escaped = sign == '\\' && !is_escaped;
        }
        None
    }
}
