//! Lines that a search found, in the formats that programs read.

use std::path::{Path, PathBuf};

use claudevil_protocol::answer::Answer;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::text::{self, Block, Text};
use claudevil_protocol::tools::search::SearchResults;
use globset::GlobSet;

use super::LineOptions;
use crate::cli::Failure;
use crate::cli::highlight::places;
use crate::cli::terminal::{FAINT, STRONG, Terminal, paint};
use crate::project;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// `PATH:LINE:TEXT`.
    Grep,
    /// `PATH:LINE:COLUMN:TEXT`.
    Editor,
    /// `PATH`.
    Files,
    /// `PATH:NUMBER`.
    Counts,
}

impl LineStyle {
    pub fn from_options(options: &LineOptions) -> Self {
        if options.files_with_matches {
            Self::Files
        } else if options.count {
            Self::Counts
        } else if options.vimgrep {
            Self::Editor
        } else {
            Self::Grep
        }
    }

    /// Returns whether there is one line for each file, however many pages its matches are on.
    pub fn is_summary(self) -> bool {
        matches!(self, Self::Files | Self::Counts)
    }
}

pub struct LinePrinter {
    pub style: LineStyle,
    pub excluded: GlobSet,
    /// The words to highlight.
    pub words: Vec<String>,
    /// Numbers of lines to show before and after each match, if fewer are wanted than the answer has.
    pub window: Option<[u32; 2]>,
    /// The folder that printed paths are relative to, inside the project.
    pub here: Option<PathBuf>,
}

impl LinePrinter {
    /// Removes the files that were not asked for.
    pub fn drop_excluded(&self, list: &mut SearchResults) {
        if !self.excluded.is_empty() {
            list.results
                .retain(|hit| !self.excluded.is_match(&hit.path));
        }
    }

    /// Returns the remarks on lines that are already on the screen, without the warnings that came before them. The total counts
    /// every matching line, so only the gaps are left of it where files were left out or something else than lines was printed.
    pub fn conclusion(&self, list: &SearchResults, wants_all: bool) -> Text {
        let mut concluded = SearchResults {
            freshness: Freshness::default(),
            ..list.clone()
        };
        if wants_all {
            (concluded.offset, concluded.remaining) = (0, 0);
        }
        let mut text = concluded.text();
        if self.style != LineStyle::Grep || !self.excluded.is_empty() {
            // The reason for an empty list is a note.
            let is_empty = list.total == 0;
            text.0.retain(|block| match block {
                Block::Note(_) => is_empty,
                block => matches!(block, Block::Warning(_)),
            });
        }
        text
    }

    pub fn print(&self, list: &SearchResults, terminal: &mut Terminal) -> Result<(), Failure> {
        match self.style {
            LineStyle::Grep => self.print_grep(list, terminal),
            LineStyle::Editor => self.print_for_editor(list, terminal),
            LineStyle::Files | LineStyle::Counts => self.print_files(list, terminal),
        }
    }

    /// Prints lines in the format of grep, for programs that read that; at a terminal with the symbols around them.
    fn print_grep(&self, list: &SearchResults, terminal: &mut Terminal) -> Result<(), Failure> {
        let mut around = None;
        let mut shown = None;
        for hit in &list.results {
            let file = (hit.root.as_deref(), hit.path.as_str());
            for (number, line) in self.numbered(hit) {
                // Lines around one match may be around the next.
                if shown.is_some_and(|(above, last)| above == file && last >= number) {
                    continue;
                }
                shown = Some((file, number));
                let is_match = (hit.start_line..=hit.end_line).contains(&number);
                let sign = if is_match { ':' } else { '-' };
                let found = if is_match {
                    places(&line, &self.words)
                } else {
                    vec![]
                };
                let symbol = hit
                    .symbol
                    .as_deref()
                    .filter(|_| is_match && around != Some((file, hit.symbol.as_deref())));
                around = if is_match {
                    Some((file, hit.symbol.as_deref()))
                } else {
                    around
                };
                let suffix = symbol.filter(|_| Terminal::is_interactive());
                let suffix = suffix.map_or_else(String::new, |symbol| {
                    format!(
                        "  {}",
                        paint(FAINT, format_args!("in {}", text::one_line(symbol)))
                    )
                });
                let path = paint(STRONG, self.path(list, hit));
                let location = terminal.link(&hit.path, number, &format!("{path}{sign}{number}"));
                let prefix = format!("{}{location}{sign}", root_prefix(hit));
                terminal.code(&prefix, &line, &found, &suffix)?;
            }
        }
        Ok(())
    }

    fn print_for_editor(
        &self,
        list: &SearchResults,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        for hit in &list.results {
            let mut lines = hit.numbered().into_iter();
            let line = lines.find(|(number, _)| *number >= hit.start_line);
            let (number, line) = line.unwrap_or((hit.start_line, String::new()));
            // For a pattern, only the line of a match is known.
            let column = places(&line, &self.words)
                .first()
                .map_or(0, |found| found.start);
            let path = self.path(list, hit);
            let prefix = format!("{path}:{number}:{}:", column + 1);
            terminal.code(&prefix, &line, &[], "")?;
        }
        Ok(())
    }

    /// Prints a line for each file. Hits of one file follow each other.
    fn print_files(&self, list: &SearchResults, terminal: &mut Terminal) -> Result<(), Failure> {
        let of_one_file =
            |one: &SearchHit, other: &SearchHit| one.root == other.root && one.path == other.path;
        for hits in list.results.chunk_by(of_one_file) {
            let path = format!("{}{}", root_prefix(&hits[0]), self.path(list, &hits[0]));
            match self.style {
                LineStyle::Counts => terminal.data("", &format!("{path}:{}", hits.len()))?,
                _ => terminal.data("", &path)?,
            }
        }
        Ok(())
    }

    /// Returns the lines of a hit that were asked for.
    fn numbered(&self, hit: &SearchHit) -> Vec<(u32, String)> {
        let mut lines = hit.numbered();
        if let Some([before, after]) = self.window {
            let shown = hit.start_line.saturating_sub(before)..=hit.end_line.saturating_add(after);
            lines.retain(|(number, _)| shown.contains(number));
        }
        lines
    }

    /// Returns a path as seen from the folder in which the command was typed.
    fn path(&self, list: &SearchResults, hit: &SearchHit) -> String {
        let path = match &self.here {
            Some(here) if hit.root.is_none() => {
                project::seen_from(here, Path::new(&list.root), &hit.path)
            }
            _ => hit.path.clone(),
        };
        text::one_line(&path)
    }
}

/// Returns e.g. `[engine] ` if several projects were searched.
fn root_prefix(hit: &SearchHit) -> String {
    let root = hit.root.as_ref();
    root.map_or_else(String::new, |root| format!("[{}] ", text::one_line(root)))
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::tools::search::{Coverage, SearchMode};
    use globset::Glob;

    use super::*;

    #[test]
    fn every_style_says_what_was_not_searched() {
        let list = SearchResults {
            mode: SearchMode::Literal,
            total: 3,
            coverage: Some(Coverage {
                unsearched: 2,
                ..Coverage::default()
            }),
            ..SearchResults::default()
        };
        let no_globs = GlobSet::empty;
        let tests = || GlobSet::new([Glob::new("tests/**").expect("a glob")]).expect("a set");
        for (style, excluded, has_total) in [
            (LineStyle::Grep, no_globs(), true),
            (LineStyle::Grep, tests(), false),
            (LineStyle::Editor, no_globs(), false),
            (LineStyle::Files, no_globs(), false),
            (LineStyle::Counts, no_globs(), false),
        ] {
            let printing = LinePrinter {
                style,
                excluded,
                words: vec![],
                window: None,
                here: None,
            };
            let text = printing.conclusion(&list, true);
            let has = |wanted: fn(&Block) -> bool| text.0.iter().any(wanted);
            assert!(has(|block| matches!(block, Block::Warning(_))), "{style:?}");
            assert_eq!(
                has(|block| matches!(block, Block::Summary(_))),
                has_total,
                "{style:?}"
            );
        }
    }

    #[test]
    fn every_style_says_why_nothing_was_found() {
        let list = SearchResults {
            mode: SearchMode::Literal,
            advice: Some("no file matches".into()),
            ..SearchResults::default()
        };
        for style in [LineStyle::Grep, LineStyle::Files, LineStyle::Counts] {
            let printing = LinePrinter {
                style,
                excluded: GlobSet::empty(),
                words: vec![],
                window: None,
                here: None,
            };
            let text = printing.conclusion(&list, true);
            assert!(
                text.0.iter().any(|block| matches!(block, Block::Note(_))),
                "{style:?}"
            );
        }
    }
}
