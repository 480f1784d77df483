//! `claudevil refs`.

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text;
use claudevil_protocol::text::quantity::{count, grouped};
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::find_references::text::{described, file_line, head, unlisted};
use claudevil_protocol::tools::find_references::{
    ConfidenceLevel, FindReferences, Reference, References, RoleFilter,
};

use super::files::quoted;
use super::hits::places;
use super::target::{Named, Target, list_one};
use super::terminal::{FAINT, STRONG, Terminal, WARN, paint};
use super::{Failure, ask, exit};

pub const EXAMPLES: &str = "\
Examples:
  claudevil refs Engine::run                 every use, the surest first, and the files to update
  claudevil refs src/engine.rs:12 -C 2       of the symbol at a line, with lines around
  claudevil refs run --role call -m high     only calls that are sure";

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    target: Target,
    /// Only uses of this role
    #[arg(short, long, value_parser = role)]
    role: Option<RoleFilter>,
    /// Only uses that are at least this sure: high, medium, low
    #[arg(short, long, value_name = "LEVEL", value_parser = level)]
    min_confidence: Option<ConfidenceLevel>,
    /// Leave out the uses in this file
    #[arg(long, value_name = "FILE")]
    defined_in: Option<String>,
    /// Show where it is defined too
    #[arg(short = 'd', long)]
    definition: bool,
    /// Lines around each use
    #[arg(short = 'C', long, value_name = "0-100", default_value_t = 0)]
    context: u32,
    /// Most uses to show, up to 200 [default: all]
    #[arg(short = 'n', long)]
    limit: Option<u32>,
    /// Go on where an earlier list ended
    #[arg(long)]
    cursor: Option<String>,
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
    // One answer is bounded for the sake of models; a person who asks for every use gets every use.
    let wants_all = arguments.limit.is_none() && !terminal.json;
    let mut params = FindReferences {
        symbol,
        path,
        line,
        context_file,
        role: arguments.role,
        include_definition: Some(arguments.definition),
        defined_in: arguments
            .defined_in
            .as_deref()
            .map(|file| arguments.target.root.path(file)),
        context_lines: Some(arguments.context),
        min_confidence: arguments.min_confidence,
        limit: arguments
            .limit
            .or(wants_all.then_some(FindReferences::MOST_REFERENCES)),
        cursor: arguments.cursor,
        max_tokens: Some(MOST_TOKENS),
        ..FindReferences::default()
    };
    let root = arguments.target.root.root.as_deref();
    let mut list = ask::ask(paths.clone(), root, params.clone()).await?;
    let code = if list.total == 0 {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    };
    if terminal.json {
        terminal.json(&list)?;
        return Ok(code);
    }
    terminal.about(&list.root, &list.freshness);
    for symbol in list.definitions.iter().filter(|_| list.include_definition) {
        list_one(symbol, "defined here", terminal)?;
    }
    let mut level = None;
    references(&list, &mut level, terminal)?;
    // A cursor that leads nowhere is not followed.
    while wants_all && list.cursor.is_some() && list.cursor != params.cursor {
        params.cursor.clone_from(&list.cursor);
        list = ask::ask(paths.clone(), root, params.clone()).await?;
        references(&list, &mut level, terminal)?;
    }
    conclude(&list, wants_all, terminal)?;
    Ok(code)
}

/// Each use, with a heading where the level changes.
fn references(
    list: &References,
    level: &mut Option<ConfidenceLevel>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    for reference in &list.references {
        if *level != Some(reference.level) {
            *level = Some(reference.level);
            let counted = grouped(list.counts.at(reference.level));
            terminal.line(paint(
                FAINT,
                format_args!("{} confidence ({counted})", reference.level.as_str()),
            ))?;
        }
        show(reference, &list.symbol.name, terminal)?;
    }
    Ok(())
}

fn show(reference: &Reference, name: &str, terminal: &mut Terminal) -> Result<(), Failure> {
    let place = paint(STRONG, text::one_line(&reference.path));
    let described = paint(FAINT, described(reference));
    terminal.entry(
        format_args!("{place}:{}:{}", reference.line, reference.column),
        described,
    )?;
    let words = [name.to_lowercase()];
    let Some(context) = &reference.context else {
        let line = reference.text.trim();
        terminal.code("    ", line, &places(line, &words), "")?;
        return Ok(());
    };
    for (number, line) in context.numbered() {
        let found = if number == reference.line {
            places(line, &words)
        } else {
            vec![]
        };
        terminal.code(
            &format!("{} ", paint(FAINT, format_args!("{number:>6}"))),
            line,
            &found,
            "",
        )?;
    }
    Ok(())
}

fn conclude(list: &References, wants_all: bool, terminal: &mut Terminal) -> Result<(), Failure> {
    if !list.files.is_empty() {
        terminal.line(paint(
            FAINT,
            format_args!("files to update ({})", grouped(list.total_files)),
        ))?;
        for file in &list.files {
            terminal.row(format_args!("  {}", file_line(file)))?;
        }
        let more = list.total_files.saturating_sub(list.files.len() as u64);
        if more > 0 {
            terminal.line(format_args!("  and {} more", count(more, "file")))?;
        }
    }
    let whole = References {
        references: vec![],
        remaining: 0,
        total: list.total,
        ..list.clone()
    };
    terminal.note(paint(FAINT, head(if wants_all { &whole } else { list })));
    if list.counts.high < list.total {
        terminal.note(paint(WARN, "check what is of medium or low confidence"));
    }
    if list.more_mentions > 0 {
        let more = unlisted(list.more_mentions);
        terminal.note(paint(
            FAINT,
            format_args!("and {more}: the same with --role mention"),
        ));
    }
    if let (true, Some(cursor)) = (list.remaining > 0, &list.cursor) {
        let (more, cursor) = (grouped(list.remaining), quoted(cursor));
        terminal.note(paint(
            FAINT,
            format_args!("{more} more: the same with --cursor {cursor}"),
        ));
    }
    Ok(())
}

fn role(word: &str) -> Result<RoleFilter, String> {
    let words: Vec<_> = RoleFilter::ALL.iter().map(|role| role.as_str()).collect();
    RoleFilter::from_word(word)
        .ok_or_else(|| format!("there is no such role; there are {}", words.join(", ")))
}

fn level(word: &str) -> Result<ConfidenceLevel, String> {
    ConfidenceLevel::from_word(word).ok_or_else(|| "it takes high, medium or low".to_owned())
}
