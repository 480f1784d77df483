//! Finds names and paths in the lines of a report.

use std::sync::LazyLock;

use regex::Regex;

/// A name, and the part of the report in which it occurs first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The parts of a qualified name: `Parser`, `next` of `Parser.next()`.
    pub parts: Vec<String>,
    pub place: MentionPlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MentionPlace {
    Title,
    Prose,
    Code,
}

/// A path as written, and the line number after it, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathMention {
    pub path: String,
    pub line: Option<u32>,
}

/// Shorter names are too common to be evidence.
const SHORTEST: usize = 3;

/// Adds the names in a sentence: words in backticks, calls, and words that look like code.
pub fn add_prose_mentions(mentions: &mut Vec<Mention>, line: &str, place: MentionPlace) {
    let mut is_code = false;
    for part in URL.replace_all(line, " ").split('`') {
        for found in NAME.find_iter(part) {
            let name = found.as_str();
            let is_called = part[found.end()..].starts_with('(');
            if is_code || is_called || looks_like_code(name) {
                add(mentions, name, place);
            }
        }
        is_code = !is_code;
    }
}

pub fn add_code_mentions(mentions: &mut Vec<Mention>, line: &str) {
    for found in NAME.find_iter(&URL.replace_all(line, " ")) {
        add(mentions, found.as_str(), MentionPlace::Code);
    }
}

/// Adds the paths of a line: `src/engine.rs`, `engine.rs:12`, `https://…/blob/main/src/engine.rs#L12`.
pub fn add_paths(paths: &mut Vec<PathMention>, line: &str) {
    for found in PATH.captures_iter(line) {
        let path = found["path"].trim_start_matches("./").replace('\\', "/");
        let line = found
            .name("line")
            .and_then(|line| line.as_str().parse().ok());
        if !paths
            .iter()
            .any(|known| known.path == path && known.line == line)
        {
            paths.push(PathMention { path, line });
        }
    }
}

fn add(mentions: &mut Vec<Mention>, name: &str, place: MentionPlace) {
    let parts: Vec<String> = name
        .split(['.', ':', '#', '>', '-', '\\'])
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect();
    let is_short = parts.len() == 1 && parts[0].len() < SHORTEST;
    if !is_short && !mentions.iter().any(|known| known.parts == parts) {
        mentions.push(Mention { parts, place });
    }
}

/// Returns whether a word is written as only code is: `parse_url`, `HttpServer`, `app.db`, `Engine::run`.
fn looks_like_code(name: &str) -> bool {
    let has_hump = name
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_qualified = name.contains("::")
        || name.contains("->")
        || name
            .split('.')
            .all(|part| part.len() > 1 && part.starts_with(|letter: char| !letter.is_numeric()))
            && name.contains('.');
    name.trim_matches('_').contains('_') || name.starts_with("__") || has_hump || is_qualified
}

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->|\\)[A-Za-z_$][\w$]*)*").expect("a valid pattern")
});

static URL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"https?://\S+").expect("a valid pattern"));

static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?P<path>[\w.@+-]*(?:[/\\][\w.@+-]+)*\.(?:py|pyx|pyi|rb|js|jsx|mjs|cjs|ts|tsx|vue|svelte|go|rs|java|kt|scala|php|cs|fs|c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|ex|exs|erl|hs|ml|lua|zig|dart|clj|jl|pl|pm|r|sh|sql|html|css|scss|ya?ml|toml|json|cfg|ini|xml))\b(?:(?::|#L|, line |\()(?P<line>\d+))?",
    )
    .expect("a valid pattern")
});
