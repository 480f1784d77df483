//! `claudevil notes`.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::note::{redaction_warning, skipped_warning};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::quantity::grouped;
use claudevil_protocol::text::{CliCommand, Line, one_line};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::checkpoint::Checkpoint;
use claudevil_protocol::tools::list_files::ListFiles;
use claudevil_protocol::tools::recall::{Recall, RecalledNotes};

use super::terminal::{FAINT, PLAIN, STRONG, Terminal, WARN, paint};
use super::tool::read_command_line;
use super::{Failure, RootOption, ask, exit, read};

pub const EXAMPLES: &str = "\
Examples:
  claudevil notes                                         the newest notes
  claudevil notes add the lexer keeps its place -t lexer  add one
  git log -1 --format=%B | claudevil notes add            keep what is piped in
  claudevil notes search why does the lexer keep state    by words and meaning
  claudevil notes list -t lexer --since 7d                of a tag, of the last week
  claudevil notes show lexer                              the whole note with this in its name

Notes are Markdown files in .claudevil/memories/ of the project: read, edit, delete, commit or ignore \
them as you like. Agents keep them with the tool checkpoint and find them with recall.";

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List notes, the newest first
    List(Recall),
    /// Find notes by words and meaning
    Search {
        /// Words or a question
        #[arg(required = true)]
        query: Vec<String>,
        #[command(flatten)]
        params: Recall,
    },
    /// Show all of a note
    Show {
        /// Its path or name, or a unique part of its name
        note: String,
        #[command(flatten)]
        root: RootOption,
    },
    /// Keep a note, with the current commit and branch; secrets are left out
    Add {
        /// Text of the note; without it, standard input
        text: Vec<String>,
        #[command(flatten)]
        params: Checkpoint,
    },
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let command = arguments.command;
    match command.unwrap_or_else(|| Command::List(Recall::default())) {
        Command::List(params) => recall(params, paths, terminal).await,
        Command::Search { query, params } => {
            let query = Some(query.join(" "));
            recall(Recall { query, ..params }, paths, terminal).await
        }
        Command::Show { note, root } => show(&note, &root, paths, terminal).await,
        Command::Add { text, mut params } => {
            params.text = text_or_input(&text, "the note")?;
            let root = read_command_line(&mut params);
            let saved = ask::ask(paths, root.as_deref(), params).await?;
            if terminal.json {
                terminal.json(&saved)?;
                return Ok(ExitCode::SUCCESS);
            }
            // Scripts take the path.
            terminal.line(one_line(&saved.note.path))?;
            terminal.remark(Checkpoint::NAME, FAINT, &saved.note.circumstances());
            if let Some(line) = redaction_warning(saved.redacted) {
                terminal.remark(Checkpoint::NAME, WARN, &line);
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn recall(
    mut params: Recall,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let root = read_command_line(&mut params);
    let is_search = params.query.is_some();
    let recalled = ask::ask(paths, root.as_deref(), params).await?;
    if terminal.json {
        terminal.json(&recalled)?;
    } else if is_search {
        terminal.answer::<Recall>(&recalled)?;
    } else {
        list(&recalled, terminal)?;
    }
    Ok(exit::failed_if(is_search && recalled.notes.is_empty()))
}

/// Shows titles alone: a person who lists notes wants an overview, one who searches wants to read.
fn list(recalled: &RecalledNotes, terminal: &mut Terminal) -> Result<(), Failure> {
    for note in &recalled.notes {
        let title: String = note.title().chars().take(100).collect();
        let circumstances = terminal.render_line(Recall::NAME, &note.circumstances());
        terminal.row(format_args!(
            "{}  {}",
            paint(STRONG, one_line(&title)),
            paint(FAINT, circumstances)
        ))?;
        terminal.line(format_args!("    {}", paint(FAINT, one_line(&note.path))))?;
        if let Some(remark) = &note.remark {
            terminal.note(paint(WARN, format_args!("    {}", one_line(remark))));
        }
    }
    if let Some(line) = skipped_warning(recalled.skipped_total, &recalled.skipped) {
        terminal.remark(Recall::NAME, WARN, &line);
    }
    if recalled.notes.is_empty() {
        terminal.remark(Recall::NAME, PLAIN, &recalled.summary());
    } else if recalled.remaining > 0 {
        let more = grouped(recalled.remaining);
        terminal.note(paint(
            FAINT,
            format_args!("{more} more: the same with a higher -n, or with --tag or --since"),
        ));
    }
    Ok(())
}

async fn show(
    note: &str,
    root: &RootOption,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let name = note
        .rsplit('/')
        .next()
        .unwrap_or(note)
        .trim_end_matches(".md");
    let escaped: String = name
        .chars()
        .flat_map(|letter| {
            if "*?[]{}!\\".contains(letter) {
                vec!['\\', letter]
            } else {
                vec![letter]
            }
        })
        .collect();
    let params = ListFiles {
        pattern: Some(format!(".claudevil/memories/*{escaped}*.md")),
        limit: Some(100),
        ..ListFiles::default()
    };
    let listed = ask::ask(paths.clone(), root.root.as_deref(), params).await?;
    let stem = |path: &str| {
        path.rsplit('/')
            .next()
            .unwrap_or(path)
            .trim_end_matches(".md")
            .to_owned()
    };
    let exact = listed.files.iter().find(|file| stem(&file.path) == name);
    let path = match (exact, &listed.files[..]) {
        (Some(one), _) | (None, [one]) => one.path.clone(),
        (None, []) => {
            return Err(
                ToolError::invalid_argument(format!("no note has `{name}` in its name"))
                    .with_hint(
                        Line::new()
                            .command(CliCommand::NotesList)
                            .text(" shows their names, ")
                            .command(CliCommand::NotesSearch)
                            .text(" searches their text"),
                    )
                    .into(),
            );
        }
        (None, several) => {
            let names: Vec<_> = several
                .iter()
                .take(10)
                .map(|file| stem(&file.path))
                .collect();
            return Err(ToolError::invalid_argument(format!(
                "{} notes have `{name}` in their names",
                several.len()
            ))
            .with_candidates(names)
            .into());
        }
    };
    read::whole(&format!("{}/{path}", listed.root), root, paths, terminal).await
}

/// Returns the text that was typed, or else standard input.
pub fn text_or_input(words: &[String], what: &str) -> Result<String, Failure> {
    let is_dash = matches!(words, [dash] if dash == "-");
    if !words.is_empty() && !is_dash {
        return Ok(words.join(" "));
    }
    if std::io::stdin().is_terminal() {
        return Err(
            ToolError::invalid_argument(format!("there is no text for {what}"))
                .with_hint("add it after the command, or pipe it in")
                .into(),
        );
    }
    let mut text = String::new();
    // A longer text is refused by the checks of parameters.
    std::io::stdin().take(1 << 20).read_to_string(&mut text)?;
    Ok(text)
}
