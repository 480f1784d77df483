//! `claudevil search`.

mod lines;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MAX_TOKENS;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::search::{Search, SearchMode, SearchResults};
use claudevil_protocol::tools::search_structure::SearchStructure;
use claudevil_protocol::{ErrorCode, ToolError};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::terminal::{Terminal, WARN};
use super::{Failure, ask, exit, first_index, input, pages, tool};
use crate::pattern::escaped;
use lines::{LinePrinter, LineStyle};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    params: Search,
    /// Find every line with exactly this text; the same as --mode literal
    #[arg(short = 'F', long, conflicts_with_all = ["mode", "regex"])]
    literal: bool,
    /// Find every line that matches this pattern; the same as --mode regex
    #[arg(short = 'E', long, conflicts_with = "mode")]
    regex: bool,
    /// Find code by its syntax, from a pattern with holes; the same as `claudevil ast`
    #[arg(long, conflicts_with_all = ["mode", "regex", "literal"])]
    ast: bool,
    #[command(flatten)]
    lines: LineOptions,
}

/// The options of ripgrep that make sense here, with its letters. All of them look for every line.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
#[derive(clap::Args)]
struct LineOptions {
    /// Ignore case
    #[arg(short, long, conflicts_with = "mode")]
    ignore_case: bool,
    /// Find whole words only
    #[arg(short, long, conflicts_with = "mode")]
    word_regexp: bool,
    /// Print only the paths of files with matches
    #[arg(short = 'l', long, conflicts_with_all = ["mode", "count", "vimgrep"])]
    files_with_matches: bool,
    /// Print only how many lines match in each file
    #[arg(short, long, conflicts_with_all = ["mode", "vimgrep"])]
    count: bool,
    /// Lines to show after each match
    #[arg(short = 'A', long, value_name = "LINES", conflicts_with_all = ["mode", "context_lines"])]
    after_context: Option<u32>,
    /// Lines to show before each match
    #[arg(short = 'B', long, value_name = "LINES", conflicts_with_all = ["mode", "context_lines"])]
    before_context: Option<u32>,
    /// Only files that match this glob, or with `!` before it all others; may be repeated
    #[arg(short, long, value_name = "GLOB", conflicts_with = "path")]
    glob: Vec<String>,
    /// Print PATH:LINE:COLUMN:TEXT, for editors that read it
    #[arg(long)]
    vimgrep: bool,
}

impl LineOptions {
    /// Returns whether an option asks for lines that match a pattern.
    fn look_for_lines(&self) -> bool {
        self.ignore_case
            || self.word_regexp
            || self.files_with_matches
            || self.count
            || self.after_context.is_some()
            || self.before_context.is_some()
    }

    /// Returns the query as a pattern, if the options need one.
    fn pattern(&self, query: &str, mode: SearchMode) -> Option<String> {
        if !self.ignore_case && !self.word_regexp {
            return None;
        }
        let mut pattern = match mode {
            SearchMode::Literal => escaped(query),
            _ => query.to_owned(),
        };
        if self.word_regexp {
            pattern = format!(r"\b(?:{pattern})\b");
        }
        if self.ignore_case {
            pattern = format!("(?i){pattern}");
        }
        Some(pattern)
    }

    /// Returns the globs of files to leave out.
    fn excluded(&self) -> Result<GlobSet, ToolError> {
        let mut excluded = GlobSetBuilder::new();
        for glob in self.glob.iter().filter_map(|glob| glob.strip_prefix('!')) {
            let anchored = anchored(glob);
            // A folder stands for all that is in it.
            for glob in [format!("{anchored}/**"), anchored] {
                let compiled = GlobBuilder::new(&glob).literal_separator(true).build();
                excluded.add(compiled.map_err(|error| not_a_glob(&error))?);
            }
        }
        excluded.build().map_err(|error| not_a_glob(&error))
    }

    /// Returns the one glob of files to search.
    fn included(&self) -> Option<String> {
        let globs = self.glob.iter().filter(|glob| !glob.starts_with('!'));
        let globs: Vec<_> = globs.map(String::as_str).collect();
        match globs.as_slice() {
            [] => None,
            [one] => Some((*one).to_owned()),
            several => {
                let several: Vec<_> = several.iter().map(|glob| anchored(glob)).collect();
                Some(format!("{{{}}}", several.join(",")))
            }
        }
    }
}

/// Returns a glob over whole paths: a name may be in any folder, `*.rs` → `**/*.rs`.
fn anchored(glob: &str) -> String {
    let trimmed = glob.trim_end_matches('/');
    match trimmed.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if trimmed.contains('/') => trimmed.to_owned(),
        None => format!("**/{trimmed}"),
    }
}

fn not_a_glob(error: &globset::Error) -> ToolError {
    ToolError::invalid_argument(format!("not a valid glob: {error}"))
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let (mut params, options) = (arguments.params, arguments.lines);
    if arguments.ast {
        params.read_command_line(&str::to_owned);
        let structure = SearchStructure {
            pattern: params.query,
            language: params.language,
            path: params.path.or_else(|| options.included()),
            limit: params.limit,
            root: params.root,
            ..SearchStructure::default()
        };
        return tool::run(structure, paths, terminal).await;
    }
    if terminal.json && (options.files_with_matches || options.count) {
        return Err(ToolError::invalid_argument(
            "-l and -c print lines of text, which --json does not",
        )
        .with_hint("leave out one of them: the answer in JSON has the path of every line")
        .into());
    }
    let mode = match params.mode.unwrap_or_default() {
        _ if arguments.literal => SearchMode::Literal,
        _ if arguments.regex || options.look_for_lines() => SearchMode::Regex,
        mode => mode,
    };
    params.read_command_line(&str::to_owned);
    params.mode = Some(mode);
    input::read_text(&mut params, terminal)?;
    let words = match mode {
        SearchMode::Literal => mode.words_to_highlight(&params.query),
        _ => vec![],
    };
    let typed = params.query.clone();
    if let Some(pattern) = options.pattern(&params.query, mode) {
        (params.query, params.mode) = (pattern, Some(SearchMode::Regex));
    }
    if let Some(glob) = options.included() {
        params.path = Some(glob);
    }
    let window = options
        .before_context
        .or(options.after_context)
        .map(|_| [options.before_context, options.after_context].map(Option::unwrap_or_default));
    if let Some([before, after]) = window {
        params.context_lines = Some(before.max(after));
    }
    let printing = LinePrinter {
        style: LineStyle::from_options(&options),
        excluded: options.excluded()?,
        words,
        window,
        here: std::env::current_dir().ok(),
    };
    params.max_tokens = Some(MAX_TOKENS);
    let root = params.take_root().map(PathBuf::from);
    let root = root.as_deref();
    tool::read_glob(&mut params, root);
    // One answer is bounded for the sake of models; a person or a script that asks for every line gets every line.
    let wants_all = mode.is_exhaustive() && params.limit.is_none();
    if wants_all {
        params.limit = Some(Search::MAX_LINES);
    }
    let mut list = match first_page(&paths, root, &mut params, wants_all).await {
        // The position of the fault counts the characters that were typed.
        Err(error) if error.code == ErrorCode::InvalidQuery && typed != params.query => {
            params.query = typed;
            let again = first_page(&paths, root, &mut params, wants_all).await;
            return Err(again.err().unwrap_or(error).into());
        }
        list => list?,
    };
    // The missing lines may be in files that changed last.
    if list.results.is_empty()
        && list.freshness.stale_total > 0
        && ask::wait_for_index(&paths, root).await?
    {
        list = first_page(&paths, root, &mut params, wants_all).await?;
    }
    printing.drop_excluded(&mut list);
    let mut has_results = !list.results.is_empty();
    if terminal.json {
        if wants_all {
            pages::append_rest(&paths, root, &mut params, &mut list).await?;
            printing.drop_excluded(&mut list);
        }
        terminal.json(&list)?;
        return Ok(exit::failed_if(list.results.is_empty()));
    }
    if list.mode.is_exhaustive() || options.vimgrep {
        if wants_all && printing.style.is_summary() {
            pages::append_rest(&paths, root, &mut params, &mut list).await?;
            printing.drop_excluded(&mut list);
            has_results = !list.results.is_empty();
        }
        terminal.about(&list.root, &list.freshness);
        let mut shown = list.freshness.warnings();
        printing.print(&list, terminal)?;
        while wants_all && let Some(next) = pages::next(&paths, root, &mut params, &list).await? {
            let coverage = list.coverage.take();
            list = next;
            list.coverage = pages::worse_coverage(coverage, list.coverage);
            for warning in list.freshness.warnings() {
                if !shown.contains(&warning) {
                    terminal.remark(Search::NAME, WARN, &warning);
                    shown.push(warning);
                }
            }
            printing.drop_excluded(&mut list);
            has_results |= !list.results.is_empty();
            printing.print(&list, terminal)?;
        }
        terminal.conclude::<Search>(&printing.conclusion(&list, wants_all))?;
    } else {
        terminal.answer::<Search>(&list)?;
    }
    if list.freshness.is_unfinished() {
        terminal.finish()?;
        first_index::watch(&paths, root, terminal).await?;
    }
    Ok(exit::failed_if(!has_results))
}

/// Fetches the first page. When the whole list is wanted, the page may be made smaller; a limit that the person set is kept.
async fn first_page(
    paths: &Paths,
    root: Option<&Path>,
    params: &mut Search,
    wants_all: bool,
) -> Result<SearchResults, ToolError> {
    if wants_all {
        pages::page(paths, root, params).await
    } else {
        ask::ask_at_once(paths.clone(), root, params.clone()).await
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(line: &str) -> Arguments {
        Line::try_parse_from(std::iter::once("search").chain(line.split(' ')))
            .unwrap_or_else(|error| panic!("{line}: {error}"))
            .arguments
    }

    #[test]
    fn letters_mean_what_they_mean_in_ripgrep() {
        let arguments = parse("-l -t rust parse");
        assert!(arguments.lines.files_with_matches);
        assert_eq!(arguments.params.language.as_deref(), Some("rust"));
        assert_eq!(
            parse("--type py parse").params.language.as_deref(),
            Some("py")
        );
        let options = parse("-iw -A 2 -B 1 a.b").lines;
        assert!(options.look_for_lines());
        assert_eq!(
            options.pattern("a.b", SearchMode::Regex).as_deref(),
            Some(r"(?i)\b(?:a.b)\b")
        );
        assert_eq!(
            options.pattern("a.b", SearchMode::Literal).as_deref(),
            Some(r"(?i)\b(?:a\.b)\b")
        );
        assert_eq!(parse("-F a").lines.pattern("a", SearchMode::Literal), None);
        assert!(Line::try_parse_from(["search", "-l", "-c", "a"]).is_err());
    }

    #[test]
    fn globs_choose_and_leave_out() {
        let options = parse("-g src/** -g *.rs -g !tests -g !**/gen_*.rs a").lines;
        assert_eq!(options.included(), Some("{src/**,**/*.rs}".to_owned()));
        let excluded = options.excluded().expect("globs");
        for (path, is_excluded) in [
            ("src/a.rs", false),
            ("tests/a.rs", true),
            ("src/tests/deep/a.rs", true),
            ("src/gen_a.rs", true),
        ] {
            assert_eq!(excluded.is_match(path), is_excluded, "{path}");
        }
        assert!(parse("-g ![ a").lines.excluded().is_err());
    }
}
