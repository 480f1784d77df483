//! Turns an action on a symbol into a splice of bytes.

use std::ops::Range;

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::edit_symbol::EditAction;

use super::deletion;
use crate::extract::find_non_code;
use crate::extract::spans::{ByteSpan, SymbolSpan, is_assignment};
use crate::lang::conventions::{BODY_DELIMITERS, BODY_MODIFIERS};
use crate::query::shared::edited_file::{EditedFile, ParseSpans};
use crate::query::shared::layout::{Layout, leading_space, normalize};
use crate::query::shared::splice::{Splice, Splices};

/// Characters that separate symbols and are not part of them.
const SEPARATORS: [char; 2] = [',', ';'];
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// A symbol to edit, in its file.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    pub parse: &'a ParseSpans<'a>,
    pub file: &'a EditedFile,
    pub symbol: &'a SymbolSpan,
}

impl Target<'_> {
    pub fn place(&self, action: EditAction, text: &str) -> Result<Splice, ToolError> {
        match action {
            EditAction::Replace => self.replace(text),
            EditAction::ReplaceBody => self.replace_body(text),
            EditAction::InsertBefore => self.insert_before(text),
            EditAction::InsertAfter => self.insert_after(text),
            EditAction::Delete => deletion::remove(
                self.file,
                &self.symbol.name,
                deletion::range(self.file, self.symbol),
                self.symbol.whole.1 as usize,
            ),
        }
    }

    /// Replaces the whole symbol, including its comments and attributes. A separator and a comment after it on its last line
    /// are not doubled if the new text has them too: `a: u8, // bits`.
    fn replace(&self, text: &str) -> Result<Splice, ToolError> {
        self.replace_from(self.whole().0, text)
    }

    /// Replaces the symbol from `start` on; the line of `start` sets the indentation of the text.
    fn replace_from(&self, start: usize, text: &str) -> Result<Splice, ToolError> {
        let (_, mut end) = self.whole();
        let behind = self.file.text[end..self.symbol.line_end as usize].trim();
        let comment = behind
            .trim_start_matches(|sign| SEPARATORS.contains(&sign))
            .trim_start();
        let mut text = text.trim_end();
        if !behind.is_empty() && text.ends_with(behind)
            || !comment.is_empty() && self.ends_with_comment(text)
        {
            end = self.symbol.line_end as usize;
        } else {
            text = self.without_separator(text, end);
        }
        Ok(Splice {
            range: start..end,
            text: self.fit(text, start..end)?,
        })
    }

    /// Returns a new text without its last separator, if the file already has one after the byte `end`: `a => a + 1,`.
    fn without_separator<'t>(&self, text: &'t str, end: usize) -> &'t str {
        let behind = self.file.text[end..].trim_start_matches([' ', '\t']);
        let separator = behind
            .chars()
            .next()
            .filter(|sign| SEPARATORS.contains(sign));
        let shorter = separator.and_then(|separator| text.trim_end().strip_suffix(separator));
        shorter.unwrap_or(text)
    }

    fn ends_with_comment(&self, text: &str) -> bool {
        let comments = find_non_code(self.file.language, text).comments;
        comments
            .iter()
            .any(|span| text[..text.len().min(span.end as usize)].trim_end().len() == text.len())
    }

    /// Replaces the symbol, but keeps comments, attributes and words such as `export` that the new text lacks. `new` is the
    /// symbol as it is parsed after the whole symbol is replaced. The notes name the words.
    pub fn replace_with_own(
        &self,
        text: &str,
        replaced: Splice,
        new: Option<&SymbolSpan>,
    ) -> Result<(Splice, Vec<String>), ToolError> {
        let Some(new) = new else {
            return Ok((replaced, vec![]));
        };
        let code = (new.code_start as usize).saturating_sub(replaced.range.start);
        let code_of_new = replaced.text.get(code..).unwrap_or_default().to_owned();
        let head = (new.definition.0.saturating_sub(new.code_start)) as usize;
        let new_words = code_of_new.get(..head).unwrap_or_default();
        let mut kept = self.replace_with_annotations(text, replaced, new)?;
        let (start, end) = (self.symbol.code_start, self.symbol.definition.0);
        let old_words = &self.file.text[start as usize..(end.max(start)) as usize];
        let is_plain = |words: &str| {
            words
                .chars()
                .all(|sign| sign.is_alphanumeric() || matches!(sign, '_' | ' '))
        };
        if new.name != self.symbol.name || !is_plain(old_words) || !is_plain(new_words) {
            return Ok((kept, vec![]));
        }
        let old_words: Vec<&str> = old_words.split_whitespace().collect();
        let new_words: Vec<&str> = new_words.split_whitespace().collect();
        let missing = old_words
            .strip_suffix(new_words.as_slice())
            .unwrap_or_default();
        let before = kept.text.strip_suffix(code_of_new.as_str());
        let at = before.map(str::len).or_else(|| {
            // It has been indented again, without comments of its own.
            kept.text.find(code_of_new.lines().next()?)
        });
        if let Some(at) = at.filter(|_| !missing.is_empty() && !code_of_new.is_empty()) {
            let words = missing.join(" ");
            kept.text.insert_str(at, &format!("{words} "));
            return Ok((
                kept,
                vec![format!("`{words}` before `{}` is kept", new.name)],
            ));
        }
        let dropped: Vec<&str> = old_words
            .into_iter()
            .filter(|word| !new_words.contains(word))
            .collect();
        if dropped.is_empty() {
            return Ok((kept, vec![]));
        }
        let note = format!(
            "`{}` before `{}` is gone: the text does not have it",
            dropped.join(" "),
            new.name
        );
        Ok((kept, vec![note]))
    }

    fn replace_with_annotations(
        &self,
        text: &str,
        replaced: Splice,
        new: &SymbolSpan,
    ) -> Result<Splice, ToolError> {
        let old = self.symbol;
        let kept_comments = self.comments_to_keep(&replaced, new);
        let keeps_comments = !kept_comments.is_empty();
        let keeps_attributes = new.attributes.is_empty() && !old.attributes.is_empty();
        if !keeps_comments && !keeps_attributes {
            return Ok(replaced);
        }
        let code = (new.code_start as usize).saturating_sub(replaced.range.start);
        let has_own = !new.comments.is_empty() || !new.attributes.is_empty();
        if !has_own {
            // The code may be indented differently from the comment above it.
            return self.replace_from(old.code_start as usize, text);
        }
        let text = if keeps_comments {
            self.with_gaps(&kept_comments) + &replaced.text
        } else {
            let (comments, rest) = replaced.text.split_at(code);
            format!("{comments}{}{rest}", self.with_gaps(&old.attributes))
        };
        Ok(Splice { text, ..replaced })
    }

    /// Returns the comments of the symbol that the new text does not replace: all if it has none, and those above the attributes
    /// if its only comments are beside attributes, or the same as below the attributes before.
    fn comments_to_keep(&self, replaced: &Splice, new: &SymbolSpan) -> Vec<ByteSpan> {
        let (old, text) = (self.symbol, &self.file.text);
        let is_beside_code = |text: &str, at: usize| {
            let line = text.get(..at).unwrap_or_default().rsplit('\n').next();
            line.is_some_and(|before| !before.trim().is_empty())
        };
        let mut kept = old.comments.clone();
        kept.retain(|(start, _)| !is_beside_code(text, *start as usize));
        if new.comments.is_empty() {
            return kept;
        }
        let first = old.attributes.iter().map(|(start, _)| *start).min();
        let is_below = |(start, _): &ByteSpan| first.is_some_and(|first| *start > first);
        let below = old.comments.iter().filter(|span| is_below(span));
        let below: Vec<&str> = below
            .map(|(start, end)| &text[*start as usize..*end as usize])
            .collect();
        let documents = |(start, end): &ByteSpan| {
            let offset = |at: u32| (at as usize).saturating_sub(replaced.range.start);
            let comment = replaced.text.get(offset(*start)..offset(*end));
            !is_beside_code(&replaced.text, offset(*start))
                && !comment.is_some_and(|comment| below.contains(&comment))
        };
        if new.attributes.is_empty() || new.comments.iter().any(documents) {
            return vec![];
        }
        kept.retain(|span| !is_below(span));
        kept
    }

    /// Returns the text of some pieces before the code of the symbol, each with the white space after it.
    fn with_gaps(&self, pieces: &[ByteSpan]) -> String {
        let text = &self.file.text;
        let pieces = pieces.iter().map(|(start, end)| {
            let rest = &text[*end as usize..];
            let gap = rest.len() - rest.trim_start().len();
            &text[*start as usize..*end as usize + gap]
        });
        pieces.collect()
    }

    fn replace_body(&self, new: &str) -> Result<Splice, ToolError> {
        let Some((start, end)) = self.symbol.body else {
            let message = format!(
                "`{}` has no body of its own; nothing was changed",
                self.symbol.name
            );
            return Err(
                ToolError::invalid_argument(message).with_hint("`replace` replaces all of it")
            );
        };
        let (mut start, end) = (start as usize, end as usize);
        let statements = new;
        let new = self.without_separator(new, end);
        let whole = &self.file.text[start..end];
        if let Some(splice) = self.replace_object(start..end, new)? {
            return Ok(splice);
        }
        start += BODY_MODIFIERS
            .iter()
            .find_map(|word| whole.strip_prefix(word)?.strip_prefix(' '))
            // A statement may begin with the same word: `async with open(path):`.
            .filter(|rest| rest.trim_start().starts_with(['{', '=']))
            .map_or(0, |rest| whole.len() - rest.trim_start().len());
        let old = &self.file.text[start..end];
        // If code after the body closes it, the brackets around the body are not its delimiters: `def f; { a: 1 } end`.
        let behind = end..(self.symbol.definition.1 as usize).max(end);
        let is_closed_elsewhere = self.has_words(behind.clone());
        let behind = &self.file.text[behind];
        // Where blocks are indented, braces are those of a dictionary or a set.
        let delimiters = BODY_DELIMITERS.iter().find(|pair| {
            is_between(old, pair) && !is_closed_elsewhere && !self.has_indented_blocks()
        });
        let brings_own = BODY_DELIMITERS
            .iter()
            .find(|pair| is_between(new, pair))
            .is_some_and(|pair| pair.0 == "{" || delimiters == Some(pair));
        match delimiters {
            Some((open, close)) if brings_own => {
                let base = self.closing_indent(end - close.len());
                // A block ends without the semicolon that an expression needs: `int F() => 1;`.
                let semicolon = behind.find(';').filter(|at| {
                    *open == "=>" && new.trim().starts_with('{') && behind[..*at].trim().is_empty()
                });
                Ok(Splice {
                    range: start..end + semicolon.map_or(0, |at| at + 1),
                    text: self.fit_to(&base, new, start..end)?,
                })
            }
            Some((open, close)) if !matches!(*close, "" | ";") => {
                self.fill(start + open.len()..end - close.len(), statements)
            }
            Some((open, close)) => {
                let rest = &old[open.len()..];
                let range = end - rest.trim_start().len()..end - close.len();
                Ok(Splice {
                    range: range.clone(),
                    text: self.fit(new, range)?,
                })
            }
            None if self.is_expression(start) => self.replace_expression(start..end, new),
            None => self.replace_block(start..end, new),
        }
    }

    /// Returns whether a range has words of code, which those of comments are not.
    fn has_words(&self, range: Range<usize>) -> bool {
        let tokens = self.file.spans.tokens.iter().map(|token| token.span);
        let mut tokens = tokens.map(|(start, end)| start as usize..end as usize);
        tokens.any(|token| {
            range.start <= token.start
                && token.end <= range.end
                && self.file.text[token].contains(char::is_alphabetic)
        })
    }

    /// Replaces an object in parentheses by another: `({ a: 1 })` by `{ b: 2 }`. Returns none if the new text is no object.
    fn replace_object(&self, body: Range<usize>, new: &str) -> Result<Option<Splice>, ToolError> {
        let old = self.file.text[body.clone()]
            .strip_prefix('(')
            .and_then(|old| old.strip_suffix(')'));
        let braces = ("{", "}");
        if !old.is_some_and(|old| is_between(old, &braces)) || !is_between(new, &braces) {
            return Ok(None);
        }
        let splice = Splice {
            range: body.clone(),
            text: format!("({})", self.fit(new.trim(), body)?),
        };
        let alone = Splices::new(vec![splice.clone()]).unwrap_or_default();
        let is_object = self.file.check(self.parse, &alone).is_ok();
        Ok(is_object.then_some(splice))
    }

    /// Returns whether the body is an expression where others have a block: `double = lambda a: 2 * a` in Python.
    fn is_expression(&self, body: usize) -> bool {
        let behind = self.symbol.name_at as usize + self.symbol.name.len();
        let head = self.file.text.get(behind..body).unwrap_or_default();
        self.has_indented_blocks() && is_assignment(head.trim_start())
    }

    fn has_indented_blocks(&self) -> bool {
        let facts = self.file.language.facts.as_ref();
        facts.is_some_and(|facts| facts.names.family.block_opener().is_some())
    }

    fn replace_expression(&self, body: Range<usize>, new: &str) -> Result<Splice, ToolError> {
        let splice = Splice {
            text: self.fit(new, body.clone())?,
            range: body,
        };
        let end = splice.range.start + splice.text.trim_end().len();
        let alone = Splices::new(vec![splice.clone()]).unwrap_or_default();
        let checked = self.file.check(self.parse, &alone).ok();
        let is_expression = checked.is_some_and(|checked| {
            let mut symbols = checked.spans.symbols.iter();
            let new = symbols.find(|symbol| symbol.name_at == self.symbol.name_at);
            new.and_then(|new| new.body)
                .is_some_and(|body| body.1 as usize == end)
        });
        if is_expression {
            return Ok(splice);
        }
        let message = format!(
            "the body of `{}` is an expression, and the text is not one; nothing was changed",
            self.symbol.name
        );
        Err(ToolError::invalid_argument(message).with_hint("`replace` replaces all of it"))
    }

    /// Replaces the text between two delimiters.
    fn fill(&self, inner: Range<usize>, new: &str) -> Result<Splice, ToolError> {
        let layout = self.layout();
        let end = layout.line_end;
        let base = self.closing_indent(inner.end);
        let old = &self.file.text[inner.clone()];
        let first = old.lines().skip(1).find(|line| !line.trim().is_empty());
        let indent = first
            .map(|line| leading_space(line).to_owned())
            .filter(|indent| indent.len() > base.len())
            .unwrap_or_else(|| format!("{base}{}", layout.indent.unit()));
        let fitted = self.fit_to(&indent, new, inner.clone())?;
        Ok(Splice {
            range: inner,
            text: format!("{end}{indent}{fitted}{end}{base}"),
        })
    }

    /// Returns the indentation of a closing delimiter that begins its line, or else that of the symbol.
    fn closing_indent(&self, close: usize) -> String {
        let text = &self.file.text;
        let line = line_start(text, close);
        let at = if text[line..close].trim().is_empty() {
            close
        } else {
            self.symbol.code_start as usize
        };
        leading_space(&text[line_start(text, at)..]).to_owned()
    }

    /// Replaces a body without delimiters, such as the block below `def f():`. A docstring stays unless the new text has its
    /// own.
    fn replace_block(&self, body: Range<usize>, new: &str) -> Result<Splice, ToolError> {
        let text = &self.file.text;
        let layout = self.layout();
        let mut start = body.start;
        let is_string = new
            .trim_start()
            .trim_start_matches(['r', 'u', 'R', 'U'])
            .starts_with(['"', '\'']);
        let docstring = self.symbol.docstring.filter(|_| !is_string);
        if let Some((_, end)) = docstring {
            let end = end as usize;
            let rest = &text[end..body.end];
            start = end + rest.len() - rest.trim_start().len();
            if rest.trim().is_empty() {
                let indent = leading_space(&text[line_start(text, body.start)..]).to_owned();
                let fitted = self.fit_to(&indent, new, end..body.end)?;
                return Ok(Splice {
                    range: end..body.end,
                    text: format!("{}{indent}{fitted}", layout.line_end),
                });
            }
        }
        if text[line_start(text, start)..start].trim().is_empty() {
            if docstring.is_none() {
                start = self.symbol.body_comments as usize;
            }
            return Ok(Splice {
                range: start..body.end,
                text: self.fit(new, start..body.end)?,
            });
        }
        let is_line = !new.trim().contains('\n') || is_between(new, &("{", "}"));
        if is_line && !self.has_indented_blocks() {
            return Ok(Splice {
                range: start..body.end,
                text: self.fit(new, start..body.end)?,
            });
        }
        // The body is on the line of its symbol: `def f(): pass`.
        let base = leading_space(&text[line_start(text, start)..]);
        let indent = format!("{base}{}", layout.indent.unit());
        let space = text[..start].len() - text[..start].trim_end().len();
        let range = start - space..body.end;
        let fitted = self.fit_to(&indent, new, range.clone())?;
        Ok(Splice {
            range,
            text: format!("{}{indent}{fitted}", layout.line_end),
        })
    }

    fn insert_before(&self, new: &str) -> Result<Splice, ToolError> {
        let text = &self.file.text;
        let (start, _) = self.whole();
        let line = line_start(text, start);
        if !text[line..start]
            .trim_matches([BYTE_ORDER_MARK, ' ', '\t'])
            .is_empty()
        {
            return Err(self.refuse_neighbour("before"));
        }
        let indent = leading_space(text[line..start].trim_start_matches(BYTE_ORDER_MARK));
        let above = self.symbol.above as usize;
        let mut at = line_start(text, above);
        if text[at..].starts_with(BYTE_ORDER_MARK) {
            at += BYTE_ORDER_MARK.len_utf8();
        }
        let fitted = format!("{indent}{}", self.fit_to(indent, new, at..at)?);
        let line_end = self.layout().line_end;
        let adjacent = Splice {
            range: at..at,
            text: fitted.clone() + line_end,
        };
        if self.belongs_to_symbol(&adjacent, at + indent.len()) {
            return Ok(adjacent);
        }
        Ok(Splice {
            range: at..at,
            text: fitted + &line_end.repeat(self.gap(new) + 1),
        })
    }

    /// Returns whether a text right above the symbol, from `start` on, is its comments and attributes alone.
    fn belongs_to_symbol(&self, splice: &Splice, start: usize) -> bool {
        let alone = Splices::new(vec![splice.clone()]).unwrap_or_default();
        let name_at = alone.map(self.symbol.name_at as usize);
        let spans = (self.parse)(self.file.language, &alone.apply(&self.file.text));
        spans.is_some_and(|spans| {
            let mut symbols = spans.symbols.iter();
            let symbol = symbols.find(|symbol| symbol.name_at as usize == name_at);
            symbol.is_some_and(|symbol| symbol.above as usize <= start)
        })
    }

    fn insert_after(&self, new: &str) -> Result<Splice, ToolError> {
        let text = &self.file.text;
        let end = self.symbol.line_end as usize;
        let rest = text[end..].lines().next().unwrap_or_default();
        if !rest.trim().is_empty() {
            return Err(self.refuse_neighbour("after"));
        }
        let gap = self.layout().line_end.repeat(self.gap(new) + 1);
        let (start, _) = self.whole();
        let indent = leading_space(&text[line_start(text, start)..start]);
        Ok(Splice {
            range: end..end,
            text: format!("{gap}{indent}{}", self.fit_to(indent, new, end..end)?),
        })
    }

    /// Returns the number of blank lines between the symbol and a new neighbour: as many as there are next to the old ones.
    fn gap(&self, new: &str) -> usize {
        let text = &self.file.text;
        let (start, _) = self.whole();
        let base = leading_space(&text[line_start(text, start)..start]);
        let beside = |blank: usize, neighbour: Option<&str>| {
            let line = neighbour.filter(|line| leading_space(line) == base);
            line.map(|_| blank)
        };
        // The closing bracket of the enclosing block is not a neighbour.
        let is_closing = |line: &str| line.trim().starts_with(['}', ')', ']']);
        let count = |lines: &mut dyn Iterator<Item = &str>| {
            let mut blank = 0;
            for line in lines {
                if !line.trim().is_empty() {
                    return (blank, Some(line.to_owned()));
                }
                blank += 1;
            }
            (blank, None)
        };
        let above = count(&mut text[..line_start(text, start)].lines().rev());
        // A comment that is not about the symbol is no neighbour.
        let end = text[..start].trim_end().len();
        let mut comments = self.file.spans.comments.iter();
        let is_comment = comments.any(|(from, to)| (*from as usize) < end && end <= *to as usize);
        let above = if is_comment { (0, None) } else { above };
        let below = count(&mut text[self.symbol.line_end as usize..].lines().skip(1));
        let gap = beside(above.0, above.1.as_deref()).or_else(|| {
            let line = below.1.as_deref().filter(|line| !is_closing(line));
            beside(below.0, line)
        });
        let is_long = new.trim().contains('\n') && self.symbol.kind.is_callable();
        let is_block = self.symbol.kind.is_callable() || self.symbol.kind.is_type();
        gap.unwrap_or(usize::from(is_block))
            .max(usize::from(is_long))
            .min(3)
    }

    pub fn whole(&self) -> (usize, usize) {
        (self.symbol.whole.0 as usize, self.symbol.whole.1 as usize)
    }

    fn layout(&self) -> Layout {
        let (start, end) = self.whole();
        let start = line_start(&self.file.text, start);
        Layout::detect(&self.file.text, &self.file.code_lines(start..end))
    }

    /// Fits a text to a range that begins right after the indentation of its line.
    fn fit(&self, text: &str, range: Range<usize>) -> Result<String, ToolError> {
        let base = leading_space(&self.file.text[line_start(&self.file.text, range.start)..]);
        self.fit_to(base, text, range)
    }

    /// Fits the text for a range to an indentation. If that moves lines, a worker first finds those inside strings, which must
    /// not move.
    fn fit_to(&self, base: &str, text: &str, range: Range<usize>) -> Result<String, ToolError> {
        let (layout, language) = (self.layout(), self.file.language);
        let text = normalize(text);
        let fitted = layout.fit(&text, base, language, &[]);
        let first = text.trim_start_matches([' ', '\t']);
        if fitted == first.replace('\n', layout.line_end) {
            return Ok(fitted);
        }
        let start = range.start + 1;
        let whole = format!(
            "{}\n{text}\n{}",
            &self.file.text[..range.start],
            &self.file.text[range.end..]
        );
        let spans = self.file.parse(self.parse, &whole)?;
        let is_inside = |span: &&ByteSpan| start <= span.0 as usize;
        let strings: Vec<Range<usize>> = (spans.strings.iter().filter(is_inside))
            .map(|(from, to)| *from as usize - start..*to as usize - start)
            .collect();
        Ok(layout.fit(&text, base, language, &strings))
    }
}

/// Returns whether a text has these delimiters. Those that are words must match whole words: `done` does not begin with `do`.
fn is_between(text: &str, (open, close): &(&str, &str)) -> bool {
    let rest = text.trim().strip_prefix(open);
    let goes_on = |rest: &str| {
        open.ends_with(char::is_alphanumeric) && rest.starts_with(char::is_alphanumeric)
    };
    rest.is_some_and(|rest| !goes_on(rest) && rest.ends_with(close))
}

pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}
