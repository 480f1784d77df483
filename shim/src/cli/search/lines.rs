//! Lines that a search found: for a person in a window, and in the formats that programs read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use claudevil_protocol::answer::Answer;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::hits::{MAX_COLUMNS, SearchHit};
use claudevil_protocol::text::quantity::grouped;
use claudevil_protocol::text::{self, Block, Line, Text};
use claudevil_protocol::tools::search::SearchResults;

use super::LineOptions;
use super::globs::ExcludedFiles;
use crate::cli::Failure;
use crate::cli::highlight::places;
use crate::cli::terminal::{CodeLine, FAINT, STRONG, Terminal, paint};
use crate::project;

/// Stands between groups of lines that are not neighbours, as in grep.
const GROUP_SEPARATOR: &str = "--";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// `PATH:LINE:TEXT` for each line.
    Grep,
    /// `PATH:LINE:COLUMN:TEXT` for each match, as of `rg --vimgrep`.
    Match,
    /// `PATH`.
    Files,
    /// `PATH:NUMBER`.
    Counts,
}

impl LineStyle {
    pub fn new(options: &LineOptions, is_for_programs: bool) -> Self {
        if options.files_with_matches {
            Self::Files
        } else if options.count {
            Self::Counts
        } else if is_for_programs {
            Self::Match
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
    /// True if programs open the printed paths, which then lead to the files from `here`.
    pub is_for_programs: bool,
    pub excluded: ExcludedFiles,
    /// The words to highlight.
    pub words: Vec<String>,
    /// True if lines around the matches are wanted.
    pub has_context: bool,
    /// Numbers of lines to show before and after each match, if fewer are wanted than the answer has.
    pub window: Option<[u32; 2]>,
    /// The folders of projects by name, where several were searched.
    pub roots: BTreeMap<String, String>,
    /// The path and number of the line above.
    pub above: Option<(String, u32)>,
    /// The folder that printed paths are relative to, inside the project.
    pub here: Option<PathBuf>,
}

/// A line of a file with its matches. A line around matches has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FileLine {
    text: String,
    /// The bytes, from 1, at which matches begin.
    columns: Vec<u32>,
    symbol: Option<String>,
}

impl LinePrinter {
    /// Removes the files that were not asked for.
    pub fn drop_excluded(&self, list: &mut SearchResults) {
        if !self.excluded.is_empty() {
            let root = list.root.as_str();
            list.results
                .retain(|hit| !self.excluded.contains(root, &hit.path));
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
        if self.style.is_summary() || !self.excluded.is_empty() {
            // The reason for an empty list is a note.
            let is_empty = list.total == 0;
            text.0.retain(|block| match block {
                Block::Note(_) => is_empty,
                block => matches!(block, Block::Warning(_)),
            });
        }
        text
    }

    pub fn print(&mut self, list: &SearchResults, terminal: &mut Terminal) -> Result<(), Failure> {
        match self.style {
            LineStyle::Grep | LineStyle::Match => self.print_lines(list, terminal),
            LineStyle::Files | LineStyle::Counts => self.print_files(list, terminal),
        }
    }

    /// Prints lines in the format of grep, for programs a row for each match; at a terminal with the symbols around them.
    fn print_lines(
        &mut self,
        list: &SearchResults,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        let is_exhaustive = list.mode.is_exhaustive();
        // Ranked results are in the order of their ranks, also within a file.
        let is_one_block =
            |one: &SearchHit, other: &SearchHit| is_exhaustive && is_same_file(one, other);
        for hits in list.results.chunk_by(is_one_block) {
            let path = self.path(list, &hits[0]);
            let lines = if is_exhaustive {
                self.matching_lines(hits)
            } else {
                self.best_line(&hits[0])
            };
            if self.style == LineStyle::Match && hits.iter().any(may_have_more_matches) {
                terminal.remark("", FAINT, &too_many_matches(&path));
            }
            let mut lexer = terminal.lexer(&hits[0].path);
            let (mut above, mut around) = (None, None);
            for (number, line) in &lines {
                let number = *number;
                // What begins above the shown lines is not known.
                let tokens = lexer.as_mut().map_or_else(Vec::new, |lexer| {
                    if above
                        .replace(number)
                        .is_none_or(|above: u32| above + 1 != number)
                    {
                        let next = lines.range(number..).zip(number..);
                        let next = next.take_while(|((number, _), expected)| *number == expected);
                        lexer.begin(next.map(|((_, line), _)| line.text.as_str()));
                    }
                    lexer.line(&line.text)
                });
                let is_match = !line.columns.is_empty();
                if is_exhaustive && self.is_above(&path, number, is_match) {
                    continue;
                }
                self.separate(&path, number, terminal)?;
                let sign = if is_match { ':' } else { '-' };
                let found = if is_match {
                    places(&line.text, &self.words)
                } else {
                    vec![]
                };
                let shown = CodeLine {
                    text: &line.text,
                    found: &found,
                    tokens: &tokens,
                };
                if is_match && self.style == LineStyle::Match {
                    for column in &line.columns {
                        let prefix = format!("{path}:{number}:{column}:");
                        terminal.code(&prefix, shown, "")?;
                    }
                    continue;
                }
                let symbol = line.symbol.as_ref();
                let suffix = symbol
                    .filter(|_| Terminal::is_interactive())
                    .filter(|_| is_match && around != symbol)
                    .map_or_else(String::new, |symbol| {
                        let symbol = text::one_line(symbol);
                        format!("  {}", paint(FAINT, format_args!("in {symbol}")))
                    });
                if is_match {
                    around = symbol;
                }
                let place = format!("{}{sign}{number}", paint(STRONG, &path));
                let location = terminal.link(&hits[0].path, number, &place);
                terminal.code(&format!("{location}{sign}"), shown, &suffix)?;
            }
        }
        Ok(())
    }

    /// Returns whether a line around a match has been printed already, as a line around the match before it.
    fn is_above(&self, path: &str, number: u32, is_match: bool) -> bool {
        let (above, last) = match &self.above {
            Some((above, last)) => (above.as_str(), *last),
            None => return false,
        };
        self.has_context && !is_match && above == path && number <= last
    }

    /// Prints the separator of groups before a line, unless it follows the line above.
    fn separate(
        &mut self,
        path: &str,
        number: u32,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        let above = self.above.replace((path.to_owned(), number));
        let Some((above, last)) = above.filter(|_| self.has_context) else {
            return Ok(());
        };
        if above != path || !(last..=last.saturating_add(1)).contains(&number) {
            terminal.line(paint(FAINT, GROUP_SEPARATOR))?;
        }
        Ok(())
    }

    /// Returns the matching lines of one file, and those around them.
    fn matching_lines(&self, hits: &[SearchHit]) -> BTreeMap<u32, FileLine> {
        let mut lines = BTreeMap::new();
        for hit in hits {
            for (number, text) in self.numbered(hit) {
                let is_match = (hit.start_line..=hit.end_line).contains(&number);
                let line = FileLine {
                    text,
                    columns: match (is_match, hit.columns.as_deref().unwrap_or_default()) {
                        (false, _) => vec![],
                        (true, []) => vec![1],
                        (true, columns) => columns.to_vec(),
                    },
                    symbol: hit.symbol.clone(),
                };
                // A line around one match may be another match.
                if is_match {
                    lines.insert(number, line);
                } else {
                    lines.entry(number).or_insert(line);
                }
            }
        }
        lines
    }

    /// Returns the line of a ranked result that says most about it: the one that names a definition, or has most of the words. The
    /// lines around it are returned only if they are wanted.
    fn best_line(&self, hit: &SearchHit) -> BTreeMap<u32, FileLine> {
        let mut lines = self.numbered(hit);
        let name = hit.symbol.as_deref().map(last_name).unwrap_or_default();
        let words_in = |line: &str| {
            let lower = line.to_ascii_lowercase();
            let words = self.words.iter();
            words.filter(|word| lower.contains(word.as_str())).count()
        };
        let worth = |(at, (_, line)): &(usize, &(u32, String))| {
            let has_name = name_in(line, name).is_some();
            (
                hit.definition && has_name,
                words_in(line),
                has_name,
                std::cmp::Reverse(*at),
            )
        };
        let best = lines.iter().enumerate().max_by_key(worth);
        let Some((best, _)) = best else {
            let line = FileLine {
                columns: vec![1],
                ..FileLine::default()
            };
            return BTreeMap::from([(hit.start_line, line)]);
        };
        let start = column(&lines[best].1, name, hit.definition, &self.words);
        if !self.has_context {
            lines = vec![lines.swap_remove(best)];
        }
        let best = if self.has_context { best } else { 0 };
        let lines = lines.into_iter().enumerate().map(|(at, (number, text))| {
            let columns = if at == best { vec![start] } else { vec![] };
            let symbol = hit.symbol.clone();
            (
                number,
                FileLine {
                    text,
                    columns,
                    symbol,
                },
            )
        });
        lines.collect()
    }

    /// Prints a line for each file. Hits of one file follow each other.
    fn print_files(&self, list: &SearchResults, terminal: &mut Terminal) -> Result<(), Failure> {
        for hits in list.results.chunk_by(is_same_file) {
            let path = self.path(list, &hits[0]);
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

    /// Returns a path as seen from the folder in which the command was typed. From outside the project it is absolute for
    /// programs, and for people as in other answers: `[engine] src/main.rs` if several projects were searched.
    fn path(&self, list: &SearchResults, hit: &SearchHit) -> String {
        let root = match &hit.root {
            None => Some(&list.root),
            Some(name) => self.roots.get(name),
        };
        let root = root.map(|root| Path::new(root.as_str()));
        let path = match (root, &self.here) {
            (Some(root), Some(here)) if here.starts_with(root) => {
                project::seen_from(here, root, &hit.path)
            }
            (Some(root), _) if self.is_for_programs => root.join(&hit.path).display().to_string(),
            _ => hit.path.clone(),
        };
        let prefix = hit
            .root
            .as_ref()
            .filter(|_| root.is_none())
            .map_or_else(String::new, |name| format!("[{name}] "));
        text::one_line(&format!("{prefix}{path}"))
    }
}

/// Returns whether a line may have more matches than are listed.
fn may_have_more_matches(hit: &SearchHit) -> bool {
    let columns = hit.columns.as_ref();
    columns.is_some_and(|columns| columns.len() >= MAX_COLUMNS)
}

fn is_same_file(one: &SearchHit, other: &SearchHit) -> bool {
    one.root == other.root && one.path == other.path
}

/// Returns the name of a symbol without its containers: `Parser::next` → `next`.
fn last_name(symbol: &str) -> &str {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let name = symbol.trim_end_matches(|letter| !is_part(letter));
    name.rsplit(|letter| !is_part(letter))
        .next()
        .unwrap_or(name)
}

/// Returns where a line has a name as a whole word.
fn name_in(line: &str, name: &str) -> Option<usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = line.match_indices(name).filter(|_| !name.is_empty());
    let whole = found.find(|(at, _)| {
        let before = line[..*at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    });
    whole.map(|(at, _)| at)
}

/// Returns the byte, from 1, at which the best line of a ranked result says what it is: its name, the first word of the query, or
/// the first letter.
fn column(line: &str, name: &str, is_definition: bool, words: &[String]) -> u32 {
    let named = name_in(line, name);
    let word = places(line, words).first().map(|found| found.start);
    let indent = line.len() - line.trim_start().len();
    let at = if is_definition {
        named.or(word)
    } else {
        word.or(named)
    };
    u32::try_from(at.unwrap_or(indent) + 1).unwrap_or(1)
}

fn too_many_matches(path: &str) -> Line {
    Line::from("only the first ")
        .text(grouped(MAX_COLUMNS as u64))
        .text(" matches of a line are listed: ")
        .path(path)
}

#[cfg(test)]
mod tests {
    use super::super::globs::excluded;
    use super::*;
    use claudevil_protocol::tools::search::{Coverage, SearchMode};

    fn printer(style: LineStyle) -> LinePrinter {
        LinePrinter {
            style,
            is_for_programs: style == LineStyle::Match,
            excluded: ExcludedFiles::default(),
            words: vec![],
            has_context: false,
            window: None,
            roots: BTreeMap::new(),
            above: None,
            here: None,
        }
    }

    #[test]
    fn a_line_around_one_match_may_be_another_match() {
        let hit = |line: u32, columns: &[u32]| SearchHit {
            path: "a.rs".to_owned(),
            start_line: line,
            end_line: line,
            columns: Some(columns.to_vec()),
            snippet: "a\nb\nc".to_owned(),
            snippet_lines: vec![line - 1, line, line + 1],
            ..SearchHit::default()
        };
        let lines = printer(LineStyle::Match).matching_lines(&[hit(5, &[2]), hit(6, &[1, 4])]);
        let columns: Vec<_> = lines
            .iter()
            .map(|(number, line)| (*number, line.columns.clone()))
            .collect();
        let expected = [(4, vec![]), (5, vec![2]), (6, vec![1, 4]), (7, vec![])];
        assert_eq!(columns, expected);
    }

    #[test]
    fn a_ranked_result_is_shown_by_the_line_that_says_most() {
        let hit = |symbol: &str, definition: bool| SearchHit {
            path: "a.rs".to_owned(),
            start_line: 3,
            end_line: 9,
            symbol: Some(symbol.to_owned()),
            definition,
            snippet: "/// Counts tokens of words.\n    pub fn count(&self) {\n        tokens()"
                .to_owned(),
            snippet_lines: vec![3, 4, 7],
            ..SearchHit::default()
        };
        for (symbol, definition, words, expected) in [
            ("Counter::count", true, &["count"][..], (4, 12)),
            ("Counter::count", false, &["tokens", "words"], (3, 12)),
            // Only the meaning speaks for it.
            ("Counter::count", false, &["tally"], (4, 12)),
            ("Other", false, &["tally"], (3, 1)),
            ("Other", false, &["tokens"], (3, 12)),
        ] {
            let printer = LinePrinter {
                words: words.iter().map(|word| (*word).to_owned()).collect(),
                ..printer(LineStyle::Match)
            };
            let lines = printer.best_line(&hit(symbol, definition));
            let rows: Vec<_> = lines
                .iter()
                .map(|(number, line)| (*number, line.columns[0]))
                .collect();
            assert_eq!(rows, [expected], "{symbol} {words:?}");
        }
        let around = LinePrinter {
            has_context: true,
            ..printer(LineStyle::Match)
        };
        let lines = around.best_line(&hit("Counter::count", true));
        let matching: Vec<_> = lines
            .iter()
            .filter(|(_, line)| !line.columns.is_empty())
            .map(|(number, _)| *number)
            .collect();
        assert_eq!((lines.len(), matching), (3, vec![4]));
    }

    #[test]
    fn programs_get_paths_that_lead_to_the_files() {
        let list = SearchResults {
            root: "/home/ada/engine".to_owned(),
            ..SearchResults::default()
        };
        let hit = |root: Option<&str>| SearchHit {
            root: root.map(str::to_owned),
            path: "src/a.rs".to_owned(),
            ..SearchHit::default()
        };
        for (style, here, root, expected) in [
            (LineStyle::Match, "/home/ada/engine", None, "src/a.rs"),
            (
                LineStyle::Match,
                "/home/ada/engine/docs",
                None,
                "../src/a.rs",
            ),
            (LineStyle::Match, "/tmp", None, "/home/ada/engine/src/a.rs"),
            (LineStyle::Match, "/tmp", Some("port"), "/srv/port/src/a.rs"),
            (LineStyle::Match, "/srv/port/src", Some("port"), "a.rs"),
            (LineStyle::Grep, "/tmp", None, "src/a.rs"),
            (LineStyle::Grep, "/tmp", Some("zoo"), "[zoo] src/a.rs"),
        ] {
            let printer = LinePrinter {
                here: Some(here.into()),
                roots: BTreeMap::from([("port".to_owned(), "/srv/port".to_owned())]),
                ..printer(style)
            };
            assert_eq!(
                printer.path(&list, &hit(root)),
                expected,
                "{style:?} {here}"
            );
        }
    }

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
        let no_globs = ExcludedFiles::default;
        let tests = || excluded(&["!tests/**".to_owned()], None).expect("a glob");
        for (style, excluded, has_total) in [
            (LineStyle::Grep, no_globs(), true),
            (LineStyle::Grep, tests(), false),
            (LineStyle::Match, no_globs(), true),
            (LineStyle::Files, no_globs(), false),
            (LineStyle::Counts, no_globs(), false),
        ] {
            let printing = LinePrinter {
                excluded,
                ..printer(style)
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
            let text = printer(style).conclusion(&list, true);
            assert!(
                text.0.iter().any(|block| matches!(block, Block::Note(_))),
                "{style:?}"
            );
        }
    }
}
