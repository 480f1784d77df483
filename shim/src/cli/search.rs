//! `claudevil search`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::Answer;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::search::{Search, SearchMode, SearchResults};

use super::highlight::places;
use super::terminal::{FAINT, STRONG, Terminal, paint};
use super::{Failure, ask, exit, first_index, pages};

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
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let mut params = arguments.params;
    let mode = match params.mode.unwrap_or_default() {
        _ if arguments.literal => SearchMode::Literal,
        _ if arguments.regex => SearchMode::Regex,
        mode => mode,
    };
    params.mode = Some(mode);
    params.read_command_line(&str::to_owned);
    params.max_tokens = Some(MOST_TOKENS);
    let root = params.take_root().map(PathBuf::from);
    let root = root.as_deref();
    // One answer is bounded for the sake of models; a person or a script that asks for every line gets every line.
    let wants_all = mode.is_exhaustive() && params.limit.is_none();
    if wants_all {
        params.limit = Some(Search::MOST_LINES);
    }
    let mut list = first_page(&paths, root, &mut params, wants_all).await?;
    // What is missing may be in the files that changed last.
    if list.results.is_empty()
        && list.freshness.stale_total > 0
        && ask::wait_for_index(&paths, root).await?
    {
        list = first_page(&paths, root, &mut params, wants_all).await?;
    }
    let code = if list.results.is_empty() {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    };
    if terminal.json {
        if wants_all {
            pages::append_rest(&paths, root, &mut params, &mut list).await?;
        }
        terminal.json(&list)?;
        return Ok(code);
    }
    if list.mode.is_exhaustive() {
        terminal.about(&list.root, &list.freshness);
        let words = list.mode.words_to_highlight(&list.query);
        every_line(&list.results, &words, terminal)?;
        while wants_all && let Some(next) = pages::next(&paths, root, &mut params, &list).await? {
            list = next;
            every_line(&list.results, &words, terminal)?;
        }
        conclude(&list, wants_all, terminal)?;
    } else {
        terminal.answer::<Search>(&list)?;
    }
    if list.freshness.is_unfinished() {
        terminal.finish()?;
        first_index::watch(&paths, root, terminal).await?;
    }
    Ok(code)
}

/// Asks for the first page. A page of a list that is asked for to its end may be made smaller; a limit that somebody
/// set is not changed.
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

/// Prints what is said of lines that are on the screen already.
fn conclude(list: &SearchResults, wants_all: bool, terminal: &mut Terminal) -> Result<(), Failure> {
    let mut concluded = SearchResults {
        freshness: Freshness::default(),
        ..list.clone()
    };
    if wants_all {
        (concluded.offset, concluded.remaining) = (0, 0);
    }
    terminal.conclude::<Search>(&concluded.text())?;
    Ok(())
}

/// Prints lines in the format of grep, for programs that read that; at a terminal with the symbols around them.
fn every_line(
    hits: &[SearchHit],
    words: &[String],
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let mut around = None;
    let mut shown = None;
    for hit in hits {
        let file = (hit.root.as_deref(), hit.path.as_str());
        let root = hit
            .root
            .as_ref()
            .map_or_else(String::new, |root| format!("[{}] ", text::one_line(root)));
        for (number, line) in hit.numbered() {
            // Lines around one match may be around the next.
            if shown.is_some_and(|(above, last)| above == file && last >= number) {
                continue;
            }
            shown = Some((file, number));
            let is_match = (hit.start_line..=hit.end_line).contains(&number);
            let sign = if is_match { ':' } else { '-' };
            let found = if is_match {
                places(&line, words)
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
            let path = paint(STRONG, text::one_line(&hit.path));
            let location = terminal.link(&hit.path, number, &format!("{path}{sign}{number}"));
            terminal.code(&format!("{root}{location}{sign}"), &line, &found, &suffix)?;
        }
    }
    Ok(())
}
