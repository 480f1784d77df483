//! Cuts a text into chunks at the boundaries of its symbols.
//!
//! A chunk is what search ranks and an embedder reads, so it should be one thing: a function with its comment, a few small
//! declarations, a part of a long function. Chunks are whole lines.

use super::facts::{Chunk, Symbol};
use super::text::Text;

/// Sizes in bytes. A chunk is closed when it has grown to `target`, unless the next piece still fits below `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSizes {
    pub target: u32,
    pub most: u32,
    /// Bytes of the previous chunk that are repeated at the start of the next one, in text without symbols.
    pub overlap: u32,
}

impl Default for ChunkSizes {
    fn default() -> Self {
        Self {
            target: 900,
            most: 1800,
            overlap: 0,
        }
    }
}

/// A range of whole lines: 1-based, the end exclusive.
type Lines = std::ops::Range<u32>;

/// Cuts a text into chunks. `sizes` applies to text without symbols; code uses the default sizes, which were tuned for it.
pub fn cut(text: &Text<'_>, symbols: &[Symbol], sizes: ChunkSizes) -> Vec<Chunk> {
    let sizes = if symbols.is_empty() {
        sizes
    } else {
        ChunkSizes::default()
    };
    let borders = Borders::new(text, symbols);
    let mut pieces = vec![];
    split(
        text,
        &borders,
        1..text.line_count() + 1,
        0,
        sizes,
        &mut pieces,
    );
    let whole = merge(text, pieces, sizes);
    whole
        .into_iter()
        .filter_map(|lines| chunk(text, lines, sizes.overlap))
        .collect()
}

/// The starts of symbols of each depth, their comments included.
struct Borders {
    /// By depth: sorted lines.
    starts: Vec<Vec<u32>>,
}

impl Borders {
    fn new(text: &Text<'_>, symbols: &[Symbol]) -> Self {
        let mut depths: Vec<usize> = Vec::with_capacity(symbols.len());
        let mut starts: Vec<Vec<u32>> = vec![];
        let mut last_run = 0..0;
        for symbol in symbols {
            let depth = symbol
                .parent
                .and_then(|parent| depths.get(parent as usize))
                .map_or(0, |depth| depth + 1);
            depths.push(depth);
            if starts.len() <= depth {
                starts.resize(depth + 1, vec![]);
            }
            starts[depth].push(above(text, symbol.start_line, &mut last_run));
            // The line after a symbol is not a part of it.
            starts[depth].push(symbol.end_line + 1);
        }
        for lines in &mut starts {
            lines.sort_unstable();
            lines.dedup();
        }
        Self { starts }
    }

    fn within(&self, depth: usize, lines: &Lines) -> Vec<u32> {
        let Some(starts) = self.starts.get(depth) else {
            return vec![];
        };
        let from = starts.partition_point(|start| *start <= lines.start);
        starts[from..]
            .iter()
            .copied()
            .take_while(|start| *start < lines.end)
            .collect()
    }
}

/// Returns the first line of the comments and attributes right above a line, judging by how each line begins. `last_run` is
/// the result for the symbol before, up to its line: a file may consist of thousands of lines that begin with `#define`.
fn above(text: &Text<'_>, line: u32, last_run: &mut Lines) -> u32 {
    const SIGNS: [&str; 10] = ["//", "/*", "*", "#", "--", ";", "@", "[", "%", "\"\"\""];
    let mut first = line;
    while first > 1 {
        if last_run.contains(&first) {
            first = last_run.start;
            break;
        }
        let before = text.line(first - 1).trim_start();
        if !SIGNS.iter().any(|sign| before.starts_with(sign)) {
            break;
        }
        first -= 1;
    }
    *last_run = first..line + 1;
    first
}

fn bytes(text: &Text<'_>, lines: &Lines) -> u32 {
    text.line_start(lines.end) - text.line_start(lines.start)
}

fn split(
    text: &Text<'_>,
    borders: &Borders,
    lines: Lines,
    depth: usize,
    sizes: ChunkSizes,
    pieces: &mut Vec<Lines>,
) {
    if lines.is_empty() {
        return;
    }
    if depth >= borders.starts.len() {
        return split_by_lines(text, lines, sizes, pieces);
    }
    if depth > 0 && bytes(text, &lines) <= sizes.most {
        pieces.push(lines);
        return;
    }
    let mut from = lines.start;
    for border in borders.within(depth, &lines).into_iter().chain([lines.end]) {
        split(text, borders, from..border, depth + 1, sizes, pieces);
        from = border;
    }
}

/// Cuts text without structure at blank lines, or between any lines.
fn split_by_lines(text: &Text<'_>, lines: Lines, sizes: ChunkSizes, pieces: &mut Vec<Lines>) {
    let mut from = lines.start;
    let mut blank = None;
    for line in lines.clone() {
        if line > from && bytes(text, &(from..line + 1)) > sizes.most {
            let border = blank.filter(|blank| *blank > from).unwrap_or(line);
            pieces.push(from..border);
            from = border;
            blank = None;
        }
        if bytes(text, &(from..line + 1)) >= sizes.target / 2 && text.line(line).trim().is_empty() {
            blank = Some(line + 1);
        }
    }
    if from < lines.end {
        pieces.push(from..lines.end);
    }
}

/// Merges small neighbours.
fn merge(text: &Text<'_>, pieces: Vec<Lines>, sizes: ChunkSizes) -> Vec<Lines> {
    let mut merged: Vec<Lines> = vec![];
    for piece in pieces {
        if let Some(last) = merged.last_mut() {
            let own = bytes(text, last);
            let together = own + bytes(text, &piece);
            if together <= sizes.target || own < sizes.target / 4 && together <= sizes.most {
                last.end = piece.end;
                continue;
            }
        }
        merged.push(piece);
    }
    merged
}

/// Returns the chunk of these lines; none if all are blank.
fn chunk(text: &Text<'_>, mut lines: Lines, overlap: u32) -> Option<Chunk> {
    while !lines.is_empty() && text.line(lines.start).trim().is_empty() {
        lines.start += 1;
    }
    while !lines.is_empty() && text.line(lines.end - 1).trim().is_empty() {
        lines.end -= 1;
    }
    if lines.is_empty() {
        return None;
    }
    let mut first = lines.start;
    while first > 1 && overlap > 0 && bytes(text, &(first - 1..lines.start)) <= overlap {
        first -= 1;
    }
    let (start_byte, end_byte) = (text.line_start(first), text.line_start(lines.end));
    let digest = blake3::hash(text.slice(start_byte, end_byte).as_bytes());
    let mut hash = [0; 16];
    hash.copy_from_slice(&digest.as_bytes()[..16]);
    Some(Chunk {
        start_byte,
        end_byte,
        start_line: first,
        end_line: lines.end - 1,
        hash,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::extract;
    use crate::lang;

    fn chunks(language: Option<&str>, source: &str) -> Vec<Chunk> {
        extract(
            language.and_then(lang::by_name),
            source,
            ChunkSizes::default(),
        )
        .outline
        .chunks
    }

    #[test]
    fn every_line_that_is_not_blank_is_in_exactly_one_chunk() {
        let function = |name: u32| {
            format!(
                "// about {name}\nfunc f{name}(a int) int {{\n{}}}\n\n",
                "\ta += 1\n".repeat(40)
            )
        };
        let source: String = std::iter::once("package p\n\n".to_owned())
            .chain((0..20).map(function))
            .collect();
        for language in [Some("go"), None] {
            let chunks = chunks(language, &source);
            let text = Text::new(&source);
            for line in 1..=text.line_count() {
                let covered = chunks
                    .iter()
                    .filter(|chunk| (chunk.start_line..=chunk.end_line).contains(&line))
                    .count();
                let wanted = usize::from(!text.line(line).trim().is_empty());
                assert!(
                    covered == wanted || wanted == 0 && covered <= 1,
                    "{language:?} line {line}: {covered}"
                );
            }
        }
    }

    #[test]
    fn sizes_that_somebody_chose_are_those_of_text_without_symbols() {
        let code: String = (0..30)
            .map(|name| format!("func f{name}(a int) int {{\n\treturn a\n}}\n\n"))
            .collect();
        let code = format!("package p\n\n{code}");
        let text = "some words on a line of its own\n".repeat(100);
        let small = ChunkSizes {
            target: 100,
            most: 200,
            overlap: 40,
        };
        let cut = |language: Option<&str>, source: &str, sizes| {
            extract(language.and_then(lang::by_name), source, sizes)
                .outline
                .chunks
        };
        assert_eq!(
            cut(Some("go"), &code, small),
            cut(Some("go"), &code, ChunkSizes::default())
        );
        let (few, many) = (
            cut(None, &text, ChunkSizes::default()),
            cut(None, &text, small),
        );
        assert!(
            many.len() > few.len() * 3,
            "{} and {}",
            many.len(),
            few.len()
        );
        assert!(
            many.is_sorted_by(|one, next| next.start_byte < one.end_byte),
            "each begins with what the last ended with"
        );
    }

    #[test]
    fn a_function_and_its_comment_are_one_chunk() {
        let body = "\tcall()\n".repeat(60);
        let source = format!(
            "package p\n\n// First of two.\nfunc a() {{\n{body}}}\n\n// Second.\nfunc b() {{\n{body}}}\n"
        );
        let chunks = chunks(Some("go"), &source);
        let second = chunks
            .iter()
            .find(|chunk| source[chunk.start_byte as usize..].starts_with("// Second."));
        assert!(
            second.is_some_and(|chunk| source[..chunk.end_byte as usize].trim_end().ends_with('}')),
            "{chunks:?}"
        );
    }

    #[test]
    fn no_text_is_cut_inside_a_character_or_grows_beyond_a_line() {
        let long = "ü€🦀 ".repeat(2000);
        for source in [
            "",
            "\n\n\n",
            "x",
            "no end of line: ü",
            long.as_str(),
            &"é\n".repeat(5000),
        ] {
            for chunk in chunks(None, source) {
                let text = source
                    .get(chunk.start_byte as usize..chunk.end_byte as usize)
                    .expect("on character borders");
                let lines = text.lines().count();
                assert!(
                    lines <= 1 || text.len() <= ChunkSizes::default().most as usize,
                    "{} bytes",
                    text.len()
                );
            }
        }
    }
}
