//! `claudevil dive`.

use std::process::ExitCode;

use claudevil_protocol::answer::Format;
use claudevil_protocol::answer::render::fit;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::deep_dive::text::{heading, in_order, item_line};
use claudevil_protocol::tools::deep_dive::{DeepDive, Dive, DiveDepth};

use super::hits::excerpt;
use super::target::{Named, Target, list_one, signature_below};
use super::terminal::{FAINT, STRONG, Terminal, paint};
use super::{Failure, ask};

pub const EXAMPLES: &str = "\
Examples:
  claudevil dive Engine::run               where it is, who uses it, and what it uses
  claudevil dive Engine --depth context    with its text and the signatures around it
  claudevil dive src/engine.rs:12 --depth full";

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    target: Target,
    /// How much to show
    #[arg(short, long, default_value = "overview")]
    depth: Depth,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Depth {
    /// Names and places
    Overview,
    /// With its text and signatures
    Context,
    /// With the texts around it, and its tests
    Full,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let Named {
        symbol,
        path,
        line,
        context_file,
    } = arguments.target.named();
    let params = DeepDive {
        symbol,
        path,
        line,
        context_file,
        depth: Some(match arguments.depth {
            Depth::Overview => DiveDepth::Overview,
            Depth::Context => DiveDepth::Context,
            Depth::Full => DiveDepth::Full,
        }),
        max_tokens: Some(MOST_TOKENS),
        ..DeepDive::default()
    };
    let dive = ask::ask(paths, arguments.target.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&dive)?;
    } else {
        show(fit(&dive, Format::Text, MOST_TOKENS).as_ref(), terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(dive: &Dive, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&dive.root, &dive.freshness);
    list_one(&dive.symbol, "", terminal)?;
    if dive.body.is_none() {
        signature_below(&dive.symbol.signature, terminal)?;
    }
    for line in dive.doc.iter().flat_map(|doc| doc.lines()) {
        terminal.line(format_args!("    {}", paint(FAINT, one_line(line))))?;
    }
    if let Some(body) = &dive.body {
        excerpt(body, &[], terminal)?;
    }
    for section in &dive.sections {
        terminal.line(paint(STRONG, heading(section)))?;
        for item in in_order(section) {
            terminal.row(format_args!("  {}", item_line(item, dive.depth)))?;
            if let Some(source) = &item.source {
                excerpt(source, &[], terminal)?;
            }
        }
    }
    if dive.truncated {
        terminal.note(paint(
            FAINT,
            "what did not fit is left out; --json has all of it",
        ));
    }
    Ok(())
}
