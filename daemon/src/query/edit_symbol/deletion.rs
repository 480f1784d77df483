//! Deletes the bytes of symbols, with the blank lines that would be left over.

use std::ops::Range;

use claudevil_protocol::ToolError;

use super::placement::{BYTE_ORDER_MARK, line_start};
use crate::extract::spans::SymbolSpan;
use crate::query::shared::edited_file::EditedFile;
use crate::query::shared::layout::leading_space;
use crate::query::shared::logical_lines::LogicalLine;
use crate::query::shared::splice::Splice;

/// Returns the bytes of a symbol: with its comments and attributes, unless those are about the next clause too.
pub fn range(file: &EditedFile, symbol: &SymbolSpan) -> Range<usize> {
    let from_name = |symbol: &SymbolSpan| &file.text[symbol.name_at as usize..];
    let mut below = file.spans.symbols.iter();
    let next = below.find(|other| {
        other.name_at > symbol.name_at
            && other.parent == symbol.parent
            && other.scope == symbol.scope
    });
    let facts = file.language.facts.as_ref();
    let has_clause_below = next.zip(facts).is_some_and(|(next, facts)| {
        let family = facts.names.family;
        (&next.name, next.kind, next.code_start) == (&symbol.name, symbol.kind, next.whole.0)
            && family.are_clauses(from_name(symbol), from_name(next))
    });
    let start = if has_clause_below {
        symbol.code_start
    } else {
        symbol.whole.0
    };
    start as usize..symbol.line_end as usize
}

/// Removes the range of a symbol, or of several with nothing but white space between them. Their code ends at `code_end`, before a
/// separator and a comment.
pub fn remove(
    file: &EditedFile,
    name: &str,
    range: Range<usize>,
    code_end: usize,
) -> Result<Splice, ToolError> {
    let text = &file.text;
    let Range { start, end } = range;
    let mut line = line_start(text, start);
    if text[line..].starts_with(BYTE_ORDER_MARK) {
        line += BYTE_ORDER_MARK.len_utf8();
    }
    let rest = &text[end..];
    let before = text[line..start].trim_start_matches([BYTE_ORDER_MARK, ' ', '\t']);
    let is_alone = before.is_empty() && rest.lines().next().unwrap_or_default().trim().is_empty();
    if !is_alone {
        return Ok(remove_part(text, before, start..end, code_end));
    }
    // The last of a list that a semicolon ends: `RED,`, `BLUE;`.
    let list = text[..start].trim_end();
    if let Some(list) = list.strip_suffix(',')
        && text[code_end..end].trim_start().starts_with(';')
    {
        return Ok(Splice {
            range: list.len()..end,
            text: ";".to_owned(),
        });
    }
    let next_line = rest
        .find('\n')
        .map_or(text.len(), |length| end + length + 1);
    let blank_below = blank_length(text[next_line..].split_inclusive('\n'));
    let blank_above = blank_length(text[..line].split_inclusive('\n').rev());
    let base = leading_space(&text[line..start]);
    let below = text[next_line + blank_below..].lines().next();
    let is_last = below.is_none_or(|line| {
        leading_space(line).len() < base.len() || line.trim().starts_with(['}', ')', ']'])
    });
    let above = text[..line - blank_above].lines().next_back();
    let facts = file.language.facts.as_ref();
    let indented = facts.filter(|facts| facts.indented_blocks);
    let opener = indented.and_then(|facts| facts.names.family.block_opener());
    let before = &text[..line - blank_above];
    if is_last && opener.is_some_and(|opener| opens_block(before, opener)) {
        let message = format!(
            "`{name}` is all that its block has, and the block would not be code without it; nothing was changed"
        );
        return Err(ToolError::invalid_argument(message).with_hint("delete what is around it"));
    }
    let is_first = above.is_none_or(|line| leading_space(line).len() < base.len());
    let from = if is_last && line > blank_above {
        line - blank_above
    } else {
        line
    };
    let to = if is_last || is_first || blank_above > 0 {
        next_line
            + if is_last && below.is_some() {
                0
            } else {
                blank_below
            }
    } else {
        next_line
    };
    // A file that does not end with a line end does not get one.
    let is_end = to == text.len() && !text.ends_with('\n');
    let from = if is_end {
        text[..from].trim_end_matches(['\n', '\r']).len()
    } else {
        from
    };
    Ok(Splice {
        range: from..to,
        text: String::new(),
    })
}

/// Returns whether the last line of code opens a block; a comment may follow its colon.
fn opens_block(text: &str, opener: char) -> bool {
    let lines = text.lines().map(|line| {
        let indent = leading_space(line);
        (indent, &line[indent.len()..])
    });
    let last = LogicalLine::read(lines, opener).pop();
    last.is_some_and(|line| line.opens_block)
}

/// Removes a part of a line with the separator after it, or else the comma before it: `b: int = 1; c: int = 2`, `:a, :b`.
fn remove_part(
    text: &str,
    before: &str,
    Range { start, end }: Range<usize>,
    code_end: usize,
) -> Splice {
    let rest = text[end..].lines().next().unwrap_or_default();
    let separator = rest.trim_start_matches([' ', '\t']);
    let is_next = |other: &&str| !other.trim().is_empty();
    let next = separator.strip_prefix(',');
    let next = next.or_else(|| separator.strip_prefix(';').filter(is_next));
    let ends_itself = text[start..end].trim_end().ends_with(';');
    let next = next.filter(|_| !ends_itself);
    let behind = next.map_or(0, |other| {
        rest.len() - other.trim_start_matches([' ', '\t']).len()
    });
    let kept = before.trim_end();
    let is_listed = next.is_none() && kept.ends_with(',');
    let space = before.len() - kept.len();
    let is_last = separator.trim().is_empty();
    let range = if is_listed {
        // The semicolon ends the whole list: `let a = 1, b = 2;`.
        let ends_list = text[code_end..].trim_start().starts_with(';');
        let from = start - space - 1;
        from..if ends_list { code_end } else { end }
    } else if is_last {
        start - space..end
    } else if behind == 0 && (space > 0 || kept.is_empty()) {
        start..end + rest.len() - separator.len()
    } else {
        start..end + behind
    };
    Splice {
        range,
        text: String::new(),
    }
}

fn blank_length<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    lines
        .take_while(|line| line.trim().is_empty())
        .map(str::len)
        .sum()
}
