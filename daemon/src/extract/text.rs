//! A text with its line starts, and helpers that several parts of the extractor share.

/// The typical number of bytes of a line of code.
const COMMON_LINE: usize = 24;

/// A text with the offset of each line.
pub struct Text<'a> {
    pub source: &'a str,
    starts: Vec<u32>,
}

impl<'a> Text<'a> {
    pub fn new(source: &'a str) -> Self {
        let after = memchr::memchr_iter(b'\n', source.as_bytes()).map(|end| end + 1);
        let mut starts = Vec::with_capacity(source.len() / COMMON_LINE + 1);
        starts.push(0);
        starts.extend(after.filter(|start| *start < source.len()).map(offset));
        Self { source, starts }
    }

    pub fn len(&self) -> u32 {
        offset(self.source.len())
    }

    pub fn line_count(&self) -> u32 {
        if self.source.is_empty() {
            0
        } else {
            offset(self.starts.len())
        }
    }

    /// Returns the 1-based line of a byte.
    pub fn line_at(&self, byte: u32) -> u32 {
        offset(self.starts.partition_point(|start| *start <= byte))
    }

    /// Returns the start of a 1-based line; the end of the text for a line after the last.
    pub fn line_start(&self, line: u32) -> u32 {
        self.starts
            .get(line.saturating_sub(1) as usize)
            .copied()
            .unwrap_or_else(|| self.len())
    }

    /// Returns a 1-based line, line break included.
    pub fn line(&self, line: u32) -> &'a str {
        &self.source[self.line_start(line) as usize..self.line_start(line + 1) as usize]
    }

    pub fn slice(&self, start: u32, end: u32) -> &'a str {
        self.source
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    /// Returns whether only white space precedes a byte on its line.
    pub fn begins_line(&self, byte: u32) -> bool {
        self.slice(self.line_start(self.line_at(byte)), byte)
            .trim()
            .is_empty()
    }

    /// Returns the end of a definition without trailing parts that some grammars include: the line break, the blank lines
    /// below, and a semicolon that begins the next statement: `;(a).b()`.
    pub fn code_end(&self, start: u32, end: u32) -> u32 {
        let code = self.slice(start, end).trim_end();
        let apart = code
            .strip_suffix(';')
            .filter(|rest| rest.trim_end_matches([' ', '\t']).ends_with('\n'))
            .filter(|_| !self.ends_line(start + offset(code.len())));
        start + offset(apart.map_or(code, str::trim_end).len())
    }

    /// Returns whether only white space follows a byte on its line.
    pub fn ends_line(&self, byte: u32) -> bool {
        let line = self.line_at(byte.saturating_sub(1));
        self.slice(byte, self.line_start(line + 1))
            .trim()
            .is_empty()
    }
}

/// Converts an offset. Files are at most a few megabytes, so all offsets fit.
pub fn offset(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Marks the end of a text that was cut.
pub const CUT: char = '…';

/// Returns the text with each run of white space as one space, cut at a character boundary.
pub fn squeezed(text: &str, most: usize) -> String {
    let mut squeezed = String::with_capacity(text.len().min(most.saturating_add(4)));
    for word in text.split_whitespace() {
        if !squeezed.is_empty() {
            squeezed.push(' ');
        }
        squeezed.push_str(word);
        if squeezed.len() > most {
            squeezed.truncate(squeezed.floor_char_boundary(most));
            squeezed.push(CUT);
            break;
        }
    }
    squeezed
}
