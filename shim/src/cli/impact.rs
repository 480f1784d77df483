//! `claudevil impact`.

use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::quantity::grouped;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::impact_analysis::text::{
    area_line, changed_lines, dependent_line, head, not_compared, not_followed, override_line,
    tests_by_file, usage_line,
};
use claudevil_protocol::tools::impact_analysis::{Impact, ImpactAnalysis, Risk};

use super::target::{Named, named};
use super::terminal::{BAD, FAINT, GOOD, STRONG, Terminal, WARN, paint};
use super::{Failure, RootOption, ask};

pub const EXAMPLES: &str = "\
Examples:
  claudevil impact Engine::run         what a change of it may break, and which tests reach it
  claudevil impact                     of everything that is changed and not committed
  claudevil impact --diff main..HEAD   of all commits since";

#[derive(clap::Args)]
pub struct Arguments {
    /// Name, plain or qualified, or a place in a file [default: what is changed and not committed]
    #[arg(value_name = "SYMBOL|FILE:LINE", conflicts_with = "diff")]
    symbol: Option<String>,
    /// A git range instead of a symbol, e.g. main..HEAD, or `working`
    #[arg(long, value_name = "RANGE")]
    diff: Option<String>,
    /// How many levels of dependents to follow
    #[arg(short, long, value_name = "1-5", default_value_t = 1)]
    depth: u32,
    /// File that picks among symbols of the same name
    #[arg(short = 'f', long, value_name = "FILE")]
    context_file: Option<String>,
    #[command(flatten)]
    root: RootOption,
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let mut params = ImpactAnalysis {
        depth: Some(arguments.depth),
        max_tokens: Some(MOST_TOKENS),
        ..ImpactAnalysis::default()
    };
    if let Some(given) = &arguments.symbol {
        let Named {
            symbol,
            path,
            line,
            context_file,
        } = named(given, arguments.context_file.as_deref(), &arguments.root);
        params = ImpactAnalysis {
            symbol,
            path,
            line,
            context_file,
            ..params
        };
    } else {
        params.diff = Some(
            arguments
                .diff
                .unwrap_or_else(|| ImpactAnalysis::WORKING.to_owned()),
        );
    }
    let impact = ask::ask(paths, arguments.root.root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&impact)?;
    } else {
        show(&impact, terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(impact: &Impact, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.about(&impact.root, &impact.freshness);
    if impact.diff.is_some() {
        list(
            "changed",
            impact.total_changed,
            impact.changed.iter().flat_map(changed_lines),
            terminal,
        )?;
        let others = impact.other_files.iter().map(|file| one_line(file));
        list(
            "changed, without symbols",
            impact.total_other_files,
            others,
            terminal,
        )?;
        for missing in not_followed(impact)
            .into_iter()
            .chain(not_compared(&impact.not_compared))
        {
            terminal.paragraph(4, format_args!("  {}", paint(WARN, missing)))?;
        }
    }
    let overrides = impact.overrides.iter().map(override_line);
    list(
        "overridden or implemented by",
        impact.total_overrides,
        overrides,
        terminal,
    )?;
    let areas = impact.areas.iter().flat_map(|area| {
        let usages = area
            .usages
            .iter()
            .map(|usage| format!("  {}", usage_line(usage, &area.area)));
        std::iter::once(area_line(area)).chain(usages)
    });
    list("direct usages", impact.total_usages, areas, terminal)?;
    if impact.total_name_only > 0 {
        let places = grouped(impact.total_name_only);
        terminal.line(paint(
            FAINT,
            format_args!("  and {places} only with the name, which `claudevil refs` shows"),
        ))?;
    }
    list(
        "dependents",
        impact.total_dependents,
        impact.dependents.iter().map(dependent_line),
        terminal,
    )?;
    let tests = tests_by_file(impact, usize::MAX);
    if !tests.lines.is_empty() {
        terminal.line(paint(STRONG, tests.heading))?;
    }
    for line in tests.lines {
        terminal.paragraph(6, format_args!("  {line}"))?;
    }
    list(
        "files affected",
        impact.total_files,
        impact.files.iter().map(|file| one_line(file)),
        terminal,
    )?;
    let style = match impact.risk {
        Risk::Low => GOOD,
        Risk::Medium => WARN,
        Risk::High => BAD,
    };
    let reasons = one_line(&impact.risk_reasons.join("; "));
    let risk = paint(style, format_args!("risk {}", impact.risk.as_str()));
    terminal.paragraph(4, format_args!("{risk}  {reasons}"))?;
    terminal.note(paint(FAINT, head(impact)));
    Ok(())
}

fn list(
    title: &str,
    total: u64,
    lines: impl Iterator<Item = String>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    if total > 0 {
        terminal.line(format_args!(
            "{} ({})",
            paint(STRONG, title),
            grouped(total)
        ))?;
    }
    for line in lines {
        terminal.paragraph(6, format_args!("  {line}"))?;
    }
    Ok(())
}
