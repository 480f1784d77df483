//! The source that is sent along with a page: lines of the symbols in it, as many as fit.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use claudevil_protocol::call::{Origin, Project};
use claudevil_protocol::client::{CallOptions, Client, Launch};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::quantity::{bytes, count};
use claudevil_protocol::text::tokens::MAX_TOKENS;
use claudevil_protocol::text::truncate;
use claudevil_protocol::tools::read_file::{FileText, ReadFile};
use serde::Serialize;

use super::super::terminal::escape_untrusted;
use super::{Page, PageNode};

/// Maximum number of lines of one symbol, and of characters of one line.
const MAX_LINES: u32 = 60;
const LONGEST_LINE: usize = 240;
/// Maximum size of the source on one page.
const MAX_BYTES: usize = 512 * 1024;
const MAX_READS: usize = 200;
/// Maximum distance in lines between symbols that are read at once.
const NEARBY: u32 = 8;
const LEFT_OUT_LINE: &str = "(left out: looks like credentials)";

/// Consecutive lines of a file.
#[derive(Serialize)]
pub struct SourceRange {
    pub start: u64,
    pub lines: Vec<String>,
}

/// Reads the lines of the symbols of a page from the project at `root`, and notes how many have none.
pub async fn add_sources(page: &mut Page, root: &str, paths: Paths) {
    // The page counts as one answer, its parts do not count.
    let client = Client::new(paths, Launch::Never).uncounted();
    let mut reader = SourceReader {
        client: &client,
        root,
        bytes: 0,
        reads: 0,
    };
    for (path, ranges) in ranges_by_file(&page.nodes) {
        for lines in ranges {
            let read = reader.read(&path, lines).await;
            if !read.is_empty() {
                page.sources.entry(path.clone()).or_default().extend(read);
            }
        }
    }
    let has_source = |node: &&PageNode| {
        let ranges = page.sources.get(&node.path);
        let start = u64::from(node.start_line);
        let covers = |range: &SourceRange| {
            (range.start..range.start + range.lines.len() as u64).contains(&start)
        };
        ranges.is_some_and(|ranges| ranges.iter().any(covers))
    };
    let symbols = page.nodes.iter().filter(|node| node.line > 0);
    let without = symbols.filter(|node| !has_source(node)).count();
    if without > 0 {
        page.notes.push(format!(
            "The source of {} is not in this page, which holds at most {} of it and {} of a symbol",
            count(without as u64, "symbol"),
            bytes(MAX_BYTES as u64),
            count(u64::from(MAX_LINES), "line"),
        ));
    }
}

/// Returns the lines to read of each file, the files of the weightiest symbols first.
fn ranges_by_file(nodes: &[PageNode]) -> Vec<(String, Vec<RangeInclusive<u32>>)> {
    let mut symbols: Vec<_> = nodes.iter().filter(|node| node.line > 0).collect();
    symbols.sort_by_key(|node| std::cmp::Reverse(node.weight));
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut files: Vec<(String, Vec<RangeInclusive<u32>>)> = vec![];
    for node in symbols {
        let at = *places.entry(&node.path).or_insert_with(|| {
            files.push((node.path.clone(), vec![]));
            files.len() - 1
        });
        let last = node.end_line.min(node.start_line + MAX_LINES - 1);
        files[at].1.push(node.start_line..=last);
    }
    for (_, ranges) in &mut files {
        *ranges = merge(std::mem::take(ranges));
    }
    files
}

/// Joins ranges that overlap or nearly touch.
fn merge(mut ranges: Vec<RangeInclusive<u32>>) -> Vec<RangeInclusive<u32>> {
    ranges.sort_by_key(|range| *range.start());
    let mut merged: Vec<RangeInclusive<u32>> = vec![];
    for range in ranges {
        match merged.last_mut() {
            Some(last) if *range.start() <= last.end() + NEARBY => {
                *last = *last.start()..=*last.end().max(range.end());
            }
            _ => merged.push(range),
        }
    }
    merged
}

struct SourceReader<'a> {
    client: &'a Client,
    root: &'a str,
    bytes: usize,
    reads: usize,
}

impl SourceReader<'_> {
    /// Returns lines of a file: in several ranges if one answer does not hold them, and fewer once the page is full.
    async fn read(&mut self, path: &str, lines: RangeInclusive<u32>) -> Vec<SourceRange> {
        let mut ranges = vec![];
        let mut next = Some(u64::from(*lines.start()));
        while let Some(start) = next
            && self.reads < MAX_READS
            && self.bytes < MAX_BYTES
        {
            self.reads += 1;
            let params = ReadFile {
                path: Some(format!("{}/{path}", self.root)),
                start_line: Some(start),
                end_line: Some(u64::from(*lines.end())),
                max_tokens: Some(MAX_TOKENS),
                ..ReadFile::default()
            };
            let project = Some(Project {
                root: self.root.to_owned(),
                origin: Origin::Option,
            });
            let options = CallOptions {
                project,
                progress: None,
            };
            // A file that is gone has no source.
            let Ok(file) = Box::pin(self.client.ask(options, params)).await else {
                break;
            };
            next = file.next_line;
            let range = shown_lines(&file);
            self.bytes += range.lines.iter().map(String::len).sum::<usize>();
            ranges.push(range);
        }
        ranges
    }
}

/// Returns the lines of a file as a page shows them: long lines cut, control characters escaped, credentials left out.
fn shown_lines(file: &FileText) -> SourceRange {
    let lines = (file.start_line..).zip(&file.lines).map(|(number, line)| {
        if file.secrets.iter().any(|mark| mark.line == number) {
            LEFT_OUT_LINE.to_owned()
        } else {
            escape_untrusted(&truncate(line, LONGEST_LINE))
        }
    });
    SourceRange {
        start: file.start_line,
        lines: lines.collect(),
    }
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::answer::diff::SecretMark;
    use claudevil_protocol::answer::freshness::Freshness;

    use super::*;

    #[test]
    fn symbols_are_read_by_file_the_weightiest_first() {
        let node = |path: &str, lines: RangeInclusive<u32>, weight| PageNode {
            path: path.to_owned(),
            line: *lines.start(),
            start_line: *lines.start(),
            end_line: *lines.end(),
            weight,
            ..PageNode::default()
        };
        let folder = PageNode {
            path: "src".to_owned(),
            ..PageNode::default()
        };
        let nodes = [
            node("a.rs", 40..=45, 1),
            folder,
            node("b.rs", 1..=500, 9),
            node("a.rs", 3..=30, 2),
            node("a.rs", 10..=12, 2),
            node("a.rs", 100..=101, 1),
        ];
        assert_eq!(
            ranges_by_file(&nodes),
            [
                ("b.rs".to_owned(), vec![1..=60]),
                ("a.rs".to_owned(), vec![3..=30, 40..=45, 100..=101]),
            ]
        );
        assert_eq!(merge(vec![9..=20, 1..=2]), [1..=20]);
    }

    #[test]
    fn lines_with_credentials_are_left_out_and_no_line_is_endless() {
        let long = "x".repeat(300);
        let file = FileText {
            root: "/p".to_owned(),
            root_name: "p".to_owned(),
            max_tokens: 1,
            freshness: Freshness::default(),
            path: "a.py".to_owned(),
            symbol: None,
            language: None,
            size: 1,
            total_lines: None,
            start_line: 7,
            end_line: 9,
            lines: vec!["key = 'AKIA'".to_owned(), long, "\ta\u{202e}b".to_owned()],
            last_line_cut_from: None,
            secrets: vec![SecretMark {
                line: 7,
                kind: "AWS access key".to_owned(),
            }],
            truncated: false,
            next_line: None,
            wanted_end: None,
        };
        let range = shown_lines(&file);
        assert_eq!(range.start, 7);
        assert_eq!(range.lines[0], LEFT_OUT_LINE);
        assert_eq!(range.lines[1].chars().count(), LONGEST_LINE + 1);
        assert_eq!(range.lines[2], "\ta\\u{202e}b");
    }
}
