//! The scanner of a query's text: names, strings and single characters.

pub struct Scanner<'a> {
    source: &'a str,
    pub at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(source: &'a str) -> Self {
        let mut scanner = Self { source, at: 0 };
        scanner.blank();
        scanner
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.source.len()
    }

    pub fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    /// Skips a character, and the blanks and comments after it.
    pub fn step_over(&mut self) {
        self.at += 1;
        self.blank();
    }

    /// Skips a character, which must be this one.
    pub fn expect(&mut self, sign: u8) -> Result<(), String> {
        if self.peek() != Some(sign) {
            return Err(format!("{} is missing", char::from(sign)));
        }
        self.step_over();
        Ok(())
    }

    /// Reads a name, and skips the blanks after it.
    pub fn word(&mut self) -> Result<&'a str, String> {
        let rest = &self.source[self.at..];
        let length = rest
            .find(|sign: char| !(sign.is_alphanumeric() || "_-.?!".contains(sign)))
            .unwrap_or(rest.len());
        if length == 0 {
            return Err("a name is missing".to_owned());
        }
        self.at += length;
        self.blank();
        Ok(&rest[..length])
    }

    /// Reads a string in quotes, and skips the blanks after it.
    pub fn string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut signs = self.source[self.at + 1..].char_indices();
        while let Some((at, sign)) = signs.next() {
            match sign {
                '"' => {
                    self.at += at + 1;
                    self.step_over();
                    return Ok(text);
                }
                '\\' => match signs.next().map(|(_, sign)| sign) {
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    Some('0') => text.push('\0'),
                    Some(sign) => text.push(sign),
                    None => break,
                },
                sign => text.push(sign),
            }
        }
        Err("a string does not end".to_owned())
    }

    /// Skips white space and comments.
    fn blank(&mut self) {
        loop {
            let rest = &self.source[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }
}
