//! `claudevil refs`: uses one by one, each as `path:line:column`, to the end of the list.

use std::process::ExitCode;

use claudevil_protocol::answer::Answer;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::{Line, SourceLines, Text};
use claudevil_protocol::tools::find_references::{ConfidenceLevel, FindReferences, References};

use super::highlight::places;
use super::terminal::{Terminal, WARN, paint};
use super::{Failure, ask, exit, tool};

pub async fn run(
    mut params: FindReferences,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let root = tool::read_command_line(&mut params);
    let root = root.as_deref();
    // One answer is bounded for the sake of models; a person who asks for every use gets every use.
    let wants_all = params.limit.is_none() && !terminal.json;
    if wants_all {
        params.limit = Some(FindReferences::MAX_REFERENCES);
    }
    let mut list = ask::ask(paths.clone(), root, params.clone()).await?;
    let code = exit::failed_if(list.is_empty());
    if terminal.json {
        terminal.json(&list)?;
        return Ok(code);
    }
    terminal.links_to(&list.root);
    let mut text = Text::default();
    text.warnings(list.freshness.warnings());
    for symbol in list.definitions.iter().filter(|_| list.include_definition) {
        text.described_item(symbol.list_item(), "defined here");
    }
    terminal.text::<FindReferences>(&text)?;
    let mut level = None;
    show_uses(&list, &mut level, terminal)?;
    // A cursor that does not advance is not followed.
    while wants_all && list.cursor.is_some() && list.cursor != params.cursor {
        params.cursor.clone_from(&list.cursor);
        list = ask::ask(paths.clone(), root, params.clone()).await?;
        show_uses(&list, &mut level, terminal)?;
    }
    let summary = if wants_all {
        list.totals()
    } else {
        list.summary()
    };
    let mut text = Text::new(summary);
    list.conclude(&mut text);
    terminal.text::<FindReferences>(&text)?;
    if list.counts.high < list.total {
        terminal.note(paint(WARN, "check what is of medium or low confidence"));
    }
    Ok(code)
}

/// Prints the uses of a page with their lines, and a heading where the level changes.
fn show_uses(
    list: &References,
    level: &mut Option<ConfidenceLevel>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let words = vec![list.symbol.name.to_lowercase()];
    for reference in &list.references {
        let mut text = Text::default();
        if level.replace(reference.level) != Some(reference.level) {
            text.heading(list.level_heading(reference.level));
        }
        let position = Line::new().position(&reference.path, reference.line, reference.column);
        text.described_item(position, reference.description());
        if let Some(context) = &reference.context {
            let lines = context.numbered();
            text.source(SourceLines {
                lines: lines
                    .map(|(number, line)| (number, line.to_owned()))
                    .collect(),
                highlight: words.clone(),
                highlight_lines: vec![reference.line],
                ..SourceLines::default()
            });
        }
        terminal.text::<FindReferences>(&text)?;
        if reference.context.is_none() {
            let line = reference.text.trim();
            terminal.single_line("    ", &reference.path, line, &places(line, &words))?;
        }
    }
    Ok(())
}
