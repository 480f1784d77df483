//! Typed text at a terminal: colours, links and widths. Rows go to standard output, remarks to standard error.

use std::io;

use anstyle::Style;
use claudevil_protocol::answer::Answer;
use claudevil_protocol::text::quantity::grouped;
use claudevil_protocol::text::{
    Block, GAP, INDENT, Line, Rating, SourceLines, Span, Text, one_line,
};
use claudevil_protocol::tools::Tool;

use super::highlight::places;
use super::shell;
use super::terminal::{BAD, CodeLine, FAINT, GOOD, PLAIN, STRONG, Terminal, WARN, paint};

impl Terminal {
    /// Prints the text of an answer. The summary comes last, where a person's eye is.
    pub fn answer<P: Tool>(&mut self, answer: &P::Answer) -> io::Result<()> {
        if let Some(root) = answer.root() {
            self.links_to(root);
        }
        self.text::<P>(&answer.text())
    }

    /// Prints a text of a tool, or a part of one.
    pub fn text<P: Tool>(&mut self, text: &Text) -> io::Result<()> {
        let mut above: Option<&Block> = None;
        for block in &text.0 {
            // An item stands apart from the source above it.
            if let (Some(Block::Source(_)), Block::Item { .. } | Block::Heading(_)) = (above, block)
            {
                self.line("")?;
            }
            match (above, block) {
                // Text that belongs to an item is indented below it, in a pipe too.
                (Some(Block::Item { .. } | Block::Below(_)), Block::Quote(lines)) => {
                    for line in lines {
                        self.styled(PLAIN, &format!("    {line}"))?;
                    }
                }
                _ => self.block(P::NAME, block)?,
            }
            above = Some(block);
        }
        self.remarks::<P>(text);
        Ok(())
    }

    /// Prints all of a text but its rows, which were printed in another form.
    pub fn conclude<P: Tool>(&mut self, text: &Text) -> io::Result<()> {
        for block in &text.0 {
            if let Block::Warning(_) = block {
                self.block(P::NAME, block)?;
            }
        }
        self.remarks::<P>(text);
        Ok(())
    }

    /// Prints a line beside the answer.
    pub fn remark(&mut self, tool: &str, style: Style, line: &Line) {
        let line = self.render_line(tool, line);
        self.note(paint(style, line));
    }

    /// Prints the parts of a text that are about the answer as a whole.
    fn remarks<P: Tool>(&mut self, text: &Text) {
        for block in &text.0 {
            if let Block::Summary(line) | Block::Note(line) | Block::Next(line) = block {
                self.remark(P::NAME, FAINT, line);
            }
        }
    }

    fn block(&mut self, tool: &str, block: &Block) -> io::Result<()> {
        match block {
            Block::Summary(_) | Block::Note(_) | Block::Next(_) => Ok(()),
            Block::Outcome(line) => {
                let line = self.render_line(tool, line);
                self.paragraph(4, line)
            }
            Block::Warning(line) => {
                self.remark(tool, WARN, line);
                Ok(())
            }
            Block::Heading(line) => {
                let line = self.render_line(tool, line);
                self.line(paint(FAINT, line))
            }
            // Code may be cut to the window; names and locations are not.
            Block::Item { item, detail }
                if detail.is_empty() && matches!(item.spans().last(), Some(Span::Code(_))) =>
            {
                let item = self.render_line(tool, item);
                self.row(item)
            }
            Block::Item { item, detail } => self.item(tool, 0, item, detail),
            Block::Nested {
                level,
                item,
                detail,
            } => self.item(tool, *level, item, detail),
            Block::Below(line) => {
                let line = self.render_line(tool, line);
                self.row(format_args!("    {}", paint(FAINT, line)))
            }
            Block::Source(lines) => self.source(lines),
            // In a pipe it is unchanged, byte for byte.
            Block::Quote(lines) => {
                let indent = if Self::is_interactive() { "    " } else { "" };
                lines
                    .iter()
                    .try_for_each(|line| self.styled(PLAIN, &format!("{indent}{line}")))
            }
            Block::Diff(lines) => lines
                .iter()
                .try_for_each(|line| self.styled(style_of_diff(line), line)),
            Block::Verbatim(text) => text.lines().try_for_each(|line| self.styled(PLAIN, line)),
        }
    }

    fn item(&mut self, tool: &str, level: usize, item: &Line, detail: &Line) -> io::Result<()> {
        let item = self.render_line(tool, item);
        let detail = self.render_line(tool, detail);
        let detail = if detail.is_empty() {
            detail
        } else {
            paint(FAINT, detail)
        };
        self.entry(format_args!("{}{item}", INDENT.repeat(level)), detail)
    }

    /// Prints lines of a file with their numbers, and highlights the words that were looked for.
    fn source(&mut self, source: &SourceLines) -> io::Result<()> {
        let last = source.lines.last();
        let width = last.map_or(0, |(number, _)| number.to_string().len());
        let path = self.path_or_above("");
        let mut lexer = self.lexer(&path);
        for (at, (has_gap, number, line)) in source.with_gaps().enumerate() {
            if has_gap {
                self.line(paint(FAINT, format_args!("{GAP:>width$}")))?;
            }
            if let Some(lexer) = &mut lexer
                && (has_gap || at == 0)
            {
                lexer.begin(neighbours(&source.lines[at..]));
            }
            let tokens = lexer
                .as_mut()
                .map_or_else(Vec::new, |lexer| lexer.line(line));
            let is_highlighted =
                source.highlight_lines.is_empty() || source.highlight_lines.contains(&number);
            let found = if is_highlighted {
                places(line, &source.highlight)
            } else {
                vec![]
            };
            let prefix = format!("{} ", paint(FAINT, format_args!("{number:>width$}")));
            let line = CodeLine {
                text: line,
                found: &found,
                tokens: &tokens,
            };
            self.code(&prefix, line, "")?;
        }
        Ok(())
    }

    /// Returns a line as people read it: names stand out, locations are links, calls are commands.
    pub fn render_line(&mut self, tool: &str, line: &Line) -> String {
        let is_all = line.spans().len() == 1;
        let shown = |span: &Span| match span {
            Span::Text(text) => text.clone(),
            Span::Detail(text) => paint(FAINT, text),
            Span::Either { people, .. } => people.clone(),
            Span::Location {
                path,
                start_line,
                end_line,
                column,
            } => {
                let path = self.path_or_above(path);
                let path = path.as_str();
                let place = match column {
                    Some(column) => format!("{}:{start_line}:{column}", one_line(path)),
                    None if end_line != start_line => {
                        format!("{}:{start_line}-{end_line}", one_line(path))
                    }
                    None => format!("{}:{start_line}", one_line(path)),
                };
                self.link(path, *start_line, &place)
            }
            Span::Path(name) | Span::Code(name) => one_line(name),
            Span::Name(name) => paint(STRONG, one_line(name)),
            Span::Count(number) => grouped(*number),
            Span::Call(call) if is_all => shell::command(call),
            Span::Call(call) => format!("`{}`", shell::command(call)),
            Span::Parameter(name) => format!("`{}`", shell::option_of(tool, name)),
            Span::Link { shown, path, line } => self.link(path, *line, &one_line(shown)),
            Span::Rated { text, rating } => match rating {
                Rating::Good => paint(GOOD, text),
                Rating::Warning => paint(WARN, text),
                Rating::Bad => paint(BAD, text),
            },
            Span::PathAndLine => "FILE:LINE".to_owned(),
        };
        line.spans().iter().map(shown).collect()
    }
}

/// Returns the lines up to the first gap.
fn neighbours(lines: &[(u32, String)]) -> impl Iterator<Item = &str> {
    let first = lines.first().map_or(0, |(number, _)| *number);
    let expected = (first..).zip(lines);
    expected
        .take_while(|(expected, (number, _))| expected == number)
        .map(|(_, (_, line))| line.as_str())
}

/// Returns the colour of a line of a unified diff.
fn style_of_diff(line: &str) -> Style {
    let is_heading = |word: &&str| line.starts_with(word);
    if ["--- ", "+++ ", "diff ", "rename "].iter().any(is_heading) {
        return STRONG;
    }
    match line.as_bytes() {
        [b'-', ..] => BAD,
        [b'+', ..] => GOOD,
        [b'@', ..] => FAINT,
        _ => PLAIN,
    }
}

#[cfg(test)]
mod tests {
    use super::super::terminal::{ColorChoice, LinkChoice, OutputOptions};
    use super::*;

    #[test]
    fn people_see_the_path_of_every_location() {
        let mut terminal = Terminal::new(OutputOptions {
            json: false,
            color: ColorChoice::Never,
            links: LinkChoice::Never,
            no_pager: true,
        });
        let first = Line::new().location("src/a.rs", 3, 9);
        let same_file = Line::new().location("", 40, 40);
        assert_eq!(terminal.render_line("search", &first), "src/a.rs:3-9");
        assert_eq!(terminal.render_line("search", &same_file), "src/a.rs:40");
    }
}
