//! Symbols that are only a part of their lines: `size` of `attr_reader :name, :size`.

use claudevil_protocol::ToolError;

use super::placement::{BYTE_ORDER_MARK, Target, line_start};

impl Target<'_> {
    /// Returns whether other code is on the lines of the symbol: `attr_reader :site, :dir`.
    pub fn shares_line(&self) -> bool {
        let text = &self.file.text;
        let (start, _) = self.whole();
        let before =
            text[line_start(text, start)..start].trim_matches([BYTE_ORDER_MARK, ' ', '\t']);
        let behind = text[self.symbol.line_end as usize..].lines().next();
        !before.is_empty() || !behind.unwrap_or_default().trim().is_empty()
    }

    /// Returns whether a text begins as the code before the symbol on its line does: `instance Show A where show = f`,
    /// `attr_reader :size` for a part of `attr_reader :name, :depth`.
    pub fn repeats_line(&self, text: &str) -> bool {
        let (start, _) = self.whole();
        let before = self.file.text[line_start(&self.file.text, start)..start].trim();
        let statement = before.rsplit([';', '{', '}']).next().unwrap_or_default();
        let mut words = statement.split_whitespace();
        let head = words.next().filter(|_| words.next().is_some());
        !before.is_empty() && text.trim_start().starts_with(before)
            || head.is_some() && head == text.split_whitespace().next()
    }

    /// Returns the error for a symbol that is only a part of its line, when the new text does not begin with such a part.
    pub fn refuse_part(&self) -> ToolError {
        let (start, end) = self.whole();
        let part: String = self.file.text[start..end].chars().take(60).collect();
        let message = format!(
            "`{}` is only a part of its line, `{part}`, and the text does not begin with such a part; nothing was changed",
            self.symbol.name
        );
        ToolError::invalid_argument(message).with_hint("give a text for that part alone")
    }

    pub fn refuse_neighbour(&self, side: &str) -> ToolError {
        let message = format!(
            "there is other code {side} `{}` on the same line; nothing was changed",
            self.symbol.name
        );
        ToolError::invalid_argument(message).with_hint("replace the symbol around both")
    }
}
