//! `claudevil search`.
//!
//! In a window an answer is for a person; in a pipe it is rows for a program, one for each match.

mod globs;
mod lines;
mod request;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use claudevil_protocol::answer::scope::ALL_ROOTS;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::tokens::MAX_TOKENS;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::manage_roots::ManageRoots;
use claudevil_protocol::tools::search::{Search, SearchMode};
use claudevil_protocol::tools::search_structure::SearchStructure;
use claudevil_protocol::{ErrorCode, ToolError};

use super::terminal::{Terminal, WARN};
use super::{Failure, ask, exit, first_index, input, pages, tool};
use crate::pattern::escaped;
use lines::{LinePrinter, LineStyle};
use request::Request;

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
    /// Print a row PATH:LINE:COLUMN:TEXT for each match in a window too, as in a pipe
    #[arg(long)]
    vimgrep: bool,
    /// Print results with their lines below them in a pipe too, as in a window
    #[arg(long, conflicts_with = "vimgrep")]
    blocks: bool,
}

impl LineOptions {
    /// Returns whether the output is rows for a program rather than an answer for a person.
    fn is_for_programs(&self, params: &Search) -> bool {
        let wants_blocks = self.blocks || params.detailed == Some(true);
        self.vimgrep || !(wants_blocks || Terminal::is_interactive())
    }

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
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let (mut params, options) = (arguments.params, arguments.lines);
    let here = std::env::current_dir().ok();
    // With a project named, globs are relative to it.
    let glob_folder = here.as_deref().filter(|_| params.root.is_none());
    if arguments.ast {
        params.read_command_line(&str::to_owned);
        if params.languages.len() > 1 {
            return Err(ToolError::invalid_argument("--ast takes one -t").into());
        }
        let structure = SearchStructure {
            pattern: params.query,
            language: params.language,
            path: params
                .path
                .or_else(|| globs::included(&options.glob, glob_folder)),
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
    let typed = params.query.clone();
    if let Some(pattern) = options.pattern(&params.query, mode) {
        (params.query, params.mode) = (pattern, Some(SearchMode::Regex));
    }
    let window = options
        .before_context
        .or(options.after_context)
        .map(|_| [options.before_context, options.after_context].map(Option::unwrap_or_default));
    if let Some([before, after]) = window {
        params.context_lines = Some(before.max(after));
    }
    let is_for_programs = options.is_for_programs(&params);
    let mut printing = LinePrinter {
        style: LineStyle::new(&options, is_for_programs),
        is_for_programs,
        excluded: globs::excluded(&options.glob, glob_folder)?,
        words: match mode {
            SearchMode::Regex => vec![],
            mode => mode.words_to_highlight(&typed),
        },
        has_context: params.context_lines.is_some_and(|lines| lines > 0),
        window,
        roots: BTreeMap::new(),
        above: None,
        here: here.clone(),
    };
    params.max_tokens = Some(MAX_TOKENS);
    let included = globs::included(&options.glob, glob_folder);
    let root = params.take_root().map(PathBuf::from);
    let root = root.as_deref();
    match included {
        Some(glob) => params.path = Some(glob),
        None => tool::read_glob(&mut params, root),
    }
    // One answer is bounded for the sake of models; a person or a script that asks for every line gets every line.
    let wants_all = mode.is_exhaustive() && params.limit.is_none();
    let mut request = Request::new(&paths, root, params, wants_all)?;
    let mut list = match request.first().await {
        // The position of the fault counts the characters that were typed.
        Err(error) if error.code == ErrorCode::InvalidQuery && typed != request.params.query => {
            request.params.query = typed;
            let again = request.first().await;
            return Err(again.err().unwrap_or(error).into());
        }
        list => list?,
    };
    // The missing lines may be in files that changed last.
    if list.results.is_empty()
        && list.freshness.stale_total > 0
        && ask::wait_for_index(&paths, root).await?
    {
        list = request.first().await?;
    }
    printing.drop_excluded(&mut list);
    let mut has_results = !list.results.is_empty();
    if terminal.json {
        request.append_rest(&mut list).await?;
        printing.drop_excluded(&mut list);
        terminal.json(&list)?;
        return Ok(exit::failed_if(list.results.is_empty()));
    }
    if list.mode.is_exhaustive() || is_for_programs {
        if is_for_programs && list.root == ALL_ROOTS {
            printing.roots = root_folders(&paths).await?;
        }
        if printing.style.is_summary() {
            request.append_rest(&mut list).await?;
            printing.drop_excluded(&mut list);
            has_results = !list.results.is_empty();
        }
        terminal.about(&list.root, &list.freshness);
        let mut shown = list.freshness.warnings();
        printing.print(&list, terminal)?;
        while let Some(next) = request.next(&list).await? {
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

/// Returns the folders of all projects by name.
async fn root_folders(paths: &Paths) -> Result<BTreeMap<String, String>, ToolError> {
    let list = ask::ask(paths.clone(), None, ManageRoots::default()).await?;
    let folders = list.roots.into_iter().map(|root| (root.name, root.path));
    Ok(folders.collect())
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
        assert_eq!(arguments.params.languages, ["rust"]);
        assert_eq!(
            parse("--type py -t rust parse").params.languages,
            ["py", "rust"]
        );
        let mut twice = parse("-t rust -t rust parse").params;
        twice.read_command_line(&str::to_owned);
        assert_eq!(twice.language.as_deref(), Some("rust"));
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
}
