//! `claudevil symbol`.

use std::process::ExitCode;

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text;
use claudevil_protocol::text::quantity::grouped;
use claudevil_protocol::tools::find_symbol::{FindSymbol, FoundSymbol, SymbolList, SymbolMatch};

use super::files::quoted;
use super::search::RootsOption;
use super::terminal::{FAINT, STRONG, Terminal, WARN, paint};
use super::{Failure, ask};

pub const EXAMPLES: &str = "\
Examples:
  claudevil symbol parse                       whatever is named so, or nearly so
  claudevil symbol Parser::next --kind method  a method of a type
  claudevil symbol cfg --match prefix -l rust  all that begins so, in one language";

#[derive(clap::Args)]
pub struct Arguments {
    /// Name, plain or qualified, as its language writes it
    name: String,
    /// Only this kind, e.g. function, struct, trait
    #[arg(short, long, value_parser = kind)]
    kind: Option<SymbolKind>,
    /// How names are compared
    #[arg(short, long = "match", value_name = "HOW", default_value = "auto")]
    matching: Matching,
    /// Only this language
    #[arg(short, long)]
    language: Option<String>,
    /// Only files that match this glob
    #[arg(short, long, value_name = "GLOB")]
    path: Option<String>,
    /// Most symbols to show, up to 100
    #[arg(short = 'n', long, default_value_t = FindSymbol::DEFAULT_LIMIT)]
    limit: u32,
    /// Go on where an earlier list ended
    #[arg(long)]
    cursor: Option<String>,
    #[command(flatten)]
    roots: RootsOption,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Matching {
    /// The strictest that finds any
    Auto,
    Exact,
    Prefix,
    Substring,
    Fuzzy,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let params = FindSymbol {
        name: arguments.name,
        kind: arguments.kind,
        matching: Some(match arguments.matching {
            Matching::Auto => SymbolMatch::Auto,
            Matching::Exact => SymbolMatch::Exact,
            Matching::Prefix => SymbolMatch::Prefix,
            Matching::Substring => SymbolMatch::Substring,
            Matching::Fuzzy => SymbolMatch::Fuzzy,
        }),
        language: arguments.language,
        path: arguments.path,
        limit: Some(arguments.limit),
        cursor: arguments.cursor,
        ..FindSymbol::default()
    };
    let asked = params.matching;
    let list = ask::ask_at_once(paths, arguments.roots.root(), params).await?;
    if terminal.json {
        terminal.json(&list)?;
    } else {
        show(&list, terminal)?;
        if asked == Some(SymbolMatch::Auto)
            && let Some(nearly) = nearly(&list)
        {
            terminal.note(paint(WARN, nearly));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(list: &SymbolList, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&list.root, &list.freshness);
    for symbol in &list.symbols {
        terminal.row(describe(symbol))?;
        if !symbol.signature.is_empty() {
            terminal.row(format_args!(
                "    {}",
                paint(FAINT, text::signature(&symbol.signature))
            ))?;
        }
    }
    if let (true, Some(cursor)) = (list.remaining > 0, &list.cursor) {
        let (more, how, cursor) = (
            grouped(list.remaining),
            list.matched.as_str(),
            quoted(cursor),
        );
        terminal.note(paint(
            FAINT,
            format_args!("{more} more: the same with --match {how} --cursor {cursor}"),
        ));
    }
    Ok(())
}

/// What is said where nothing is called as it was asked for.
fn nearly(list: &SymbolList) -> Option<String> {
    let what = match list.matched {
        SymbolMatch::Auto | SymbolMatch::Exact => return None,
        SymbolMatch::Prefix => "what begins so",
        SymbolMatch::Substring => "what has it in its name",
        SymbolMatch::Fuzzy => "what is similar",
    };
    Some(format!(
        "nothing is called {}: this is {what}",
        text::one_line(&list.name)
    ))
}

fn describe(symbol: &FoundSymbol) -> String {
    let root = symbol
        .root
        .as_ref()
        .map_or_else(String::new, |root| format!("[{}] ", text::one_line(root)));
    let place = text::place(&symbol.path, symbol.start_line, symbol.end_line);
    let visibility = symbol.visibility.map_or_else(String::new, |visibility| {
        format!("{} ", visibility.as_str())
    });
    let name = paint(STRONG, text::one_line(&symbol.qualified));
    format!("{root}{place}  {visibility}{} {name}", symbol.kind.as_str())
}

/// A kind by its word.
pub fn kind(word: &str) -> Result<SymbolKind, String> {
    SymbolKind::from_word(word).ok_or_else(|| {
        let kinds: Vec<_> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("there is no such kind; there are {}", kinds.join(", "))
    })
}
