//! `claudevil search`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::hits::numbered;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text;
use claudevil_protocol::text::quantity::grouped;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::search::text::{head, uncovered};
use claudevil_protocol::tools::search::{
    Search, SearchHit, SearchMode, SearchResults, SearchTarget,
};

use super::files::quoted;
use super::hits::{self, places};
use super::terminal::{FAINT, STRONG, Terminal, WARN, paint};
use super::{Failure, ask, exit, first, pages};

pub const EXAMPLES: &str = "\
Examples:
  claudevil search how are tokens counted         by words and meaning
  claudevil search parse_file -k function         a name, of one kind
  claudevil search 'retry AND NOT symbol:test'    words with operators
  claudevil search -F 'foo(' -p 'src/**' -C 2     every line with this text, and two around it
  claudevil search -E 'TODO|FIXME' -l rust        every line that matches, in one language

Operators: AND OR NOT -word +word \"a phrase\" ( ); fields: symbol: file_path: lang: kind: content:
Literal and regex find every line, in a window, in a pipe and with --json; they are printed as PATH:LINE:TEXT.
Nothing found is exit code 1.";

#[derive(clap::Args)]
pub struct Arguments {
    /// What to look for: a question, a name, words with operators, a text or a pattern
    #[arg(required = true)]
    query: Vec<String>,
    /// How to look
    #[arg(short, long, default_value = "auto")]
    mode: Mode,
    /// Find every line with exactly this text; the same as --mode literal
    #[arg(short = 'F', long, conflicts_with_all = ["mode", "regex"])]
    literal: bool,
    /// Find every line that matches this pattern; the same as --mode regex
    #[arg(short = 'E', long, conflicts_with = "mode")]
    regex: bool,
    /// What to look at
    #[arg(short, long, default_value = "all")]
    target: Target,
    /// Only this language
    #[arg(short, long)]
    language: Option<String>,
    /// Only files that match this glob
    #[arg(short, long, value_name = "GLOB")]
    path: Option<String>,
    /// Only this kind of symbol, e.g. function, struct, trait
    #[arg(short, long, hide_possible_values = true)]
    kind: Option<SymbolKind>,
    /// Most results to show [default: 10, of literal and regex every line]; up to 100, of literal and regex 10000
    #[arg(short = 'n', long)]
    limit: Option<u32>,
    /// Lines to show around each match [default: those that matter]
    #[arg(short = 'C', long, value_name = "LINES")]
    context: Option<u32>,
    /// Also say where exactly and why each result matched
    #[arg(long)]
    detailed: bool,
    /// Go on where an earlier list ended
    #[arg(long)]
    cursor: Option<String>,
    #[command(flatten)]
    roots: RootsOption,
}

/// Which projects to ask about.
#[derive(clap::Args)]
pub struct RootsOption {
    /// Project: a folder, or the name of a known root [default: the repository around the working directory]
    #[arg(long, value_name = "DIR|NAME", conflicts_with = "all_roots")]
    pub root: Option<PathBuf>,
    /// Ask all known projects
    #[arg(long)]
    all_roots: bool,
}

impl RootsOption {
    pub fn root(&self) -> Option<&Path> {
        if self.all_roots {
            Some(Path::new("*"))
        } else {
            self.root.as_deref()
        }
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Mode {
    /// By what the query looks like
    Auto,
    /// By meaning alone
    Semantic,
    /// By words, with operators
    Keyword,
    /// Every line that holds the text
    Literal,
    /// Every line that matches the pattern
    Regex,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Target {
    All,
    /// Programs, without prose and data
    Code,
    /// Only what defines something
    Definitions,
    /// Documentation
    Docs,
}

impl Arguments {
    fn mode(&self) -> SearchMode {
        match self.mode {
            _ if self.literal => SearchMode::Literal,
            _ if self.regex => SearchMode::Regex,
            Mode::Auto => SearchMode::Auto,
            Mode::Semantic => SearchMode::Semantic,
            Mode::Keyword => SearchMode::Keyword,
            Mode::Literal => SearchMode::Literal,
            Mode::Regex => SearchMode::Regex,
        }
    }

    fn target(&self) -> SearchTarget {
        match self.target {
            Target::All => SearchTarget::All,
            Target::Code => SearchTarget::Code,
            Target::Definitions => SearchTarget::Definitions,
            Target::Docs => SearchTarget::Docs,
        }
    }
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let (mode, target) = (arguments.mode(), arguments.target());
    // One answer is bounded for the sake of models; a person or a script that asks for every line gets every line.
    let wants_all = mode.is_exhaustive() && arguments.limit.is_none();
    let mut params = Search {
        query: arguments.query.join(" "),
        mode: Some(mode),
        target: Some(target),
        language: arguments.language,
        path: arguments.path,
        kind: arguments.kind,
        limit: arguments.limit.or(wants_all.then_some(Search::MOST_LINES)),
        context_lines: arguments.context,
        detailed: Some(arguments.detailed),
        cursor: arguments.cursor,
        max_tokens: Some(MOST_TOKENS),
        ..Search::default()
    };
    let root = arguments.roots.root();
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
    terminal.about(&list.root, &list.freshness);
    let words = list.mode.words_to_highlight(&list.query);
    if list.mode.is_exhaustive() {
        every_line(&list.results, &words, terminal)?;
        while wants_all && let Some(next) = pages::next(&paths, root, &mut params, &list).await? {
            list = next;
            every_line(&list.results, &words, terminal)?;
        }
    } else {
        hits::show(&list.results, &words, terminal)?;
    }
    conclude(&list, mode, wants_all, terminal);
    if list.freshness.is_unfinished() {
        terminal.finish()?;
        first::watch(&paths, root, terminal).await?;
    }
    Ok(code)
}

/// A page of a list that is asked for to its end may be made smaller; a limit that somebody set is not changed.
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

fn conclude(list: &SearchResults, asked: SearchMode, wants_all: bool, terminal: &mut Terminal) {
    for line in uncovered(list) {
        terminal.note(paint(WARN, line));
    }
    let whole = SearchResults {
        offset: 0,
        remaining: 0,
        ..list.clone()
    };
    terminal.note(paint(FAINT, head(if wants_all { &whole } else { list })));
    if let Some(advice) = &list.advice {
        let advice = terminal.people(Search::NAME, advice);
        terminal.note(advice);
    }
    if let (true, Some(cursor)) = (list.remaining > 0, &list.cursor) {
        let answered = if list.mode == asked {
            String::new()
        } else {
            format!("--mode {} ", list.mode.as_str())
        };
        let (more, cursor) = (grouped(list.remaining), quoted(cursor));
        terminal.note(paint(
            FAINT,
            format_args!("{more} more: the same with {answered}--cursor {cursor}"),
        ));
    }
}

/// Lines as grep prints them, so that what reads grep reads this; at a terminal with the symbols around them.
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
        let path = paint(STRONG, text::one_line(&hit.path));
        for (number, line) in numbered(hit) {
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
            terminal.code(
                &format!("{root}{path}{sign}{number}{sign}"),
                &line,
                &found,
                &suffix,
            )?;
        }
    }
    Ok(())
}
