//! Pages of lists, and the cursors between them.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::ListCursor;
use claudevil_protocol::text::Line;

pub struct Page<T> {
    pub items: Vec<T>,
    /// Items of the whole list.
    pub total: u64,
    /// Items after this page.
    pub remaining: u64,
}

impl<T> Page<T> {
    /// Cuts the page that begins after a cursor out of a list. `place` returns the location of an item, by which cursors
    /// identify it.
    pub fn cut(
        all: Vec<T>,
        after: Option<&ListCursor>,
        limit: u32,
        place: fn(&T) -> (&str, u32),
    ) -> Self {
        let total = all.len() as u64;
        let skipped = after.map_or(0, |after| after.skipped(&all, place));
        let items: Vec<T> = all.into_iter().skip(skipped).take(limit as usize).collect();
        let remaining = total - (skipped + items.len()) as u64;
        Self {
            items,
            total,
            remaining,
        }
    }
}

/// Decodes the cursor of a call, if it has one.
pub fn decode_cursor<C>(
    text: Option<&str>,
    decode: impl Fn(&str) -> Option<C>,
) -> Result<Option<C>, ToolError> {
    let invalid = |text: &str| {
        ToolError::invalid_argument(format!("`{text}` is not a cursor of this tool")).with_hint(
            Line::new().words("pass the `cursor` of the last answer, or none to start over"),
        )
    };
    text.map(|text| decode(text).ok_or_else(|| invalid(text)))
        .transpose()
}
