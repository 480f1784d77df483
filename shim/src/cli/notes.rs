//! `claudevil notes`.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::note::Note;
use claudevil_protocol::answer::note::text::{circumstances, skipped};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::one_line;
use claudevil_protocol::text::quantity::grouped;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::checkpoint::Checkpoint;
use claudevil_protocol::tools::checkpoint::text as checkpoint;
use claudevil_protocol::tools::list_files::ListFiles;
use claudevil_protocol::tools::recall::text::head;
use claudevil_protocol::tools::recall::{Recall, Recalled};

use super::terminal::{FAINT, STRONG, Terminal, WARN, paint};
use super::{Failure, RootOption, ask, exit, read};

pub const EXAMPLES: &str = "\
Examples:
  claudevil notes                                         the newest notes
  claudevil notes add the lexer keeps its place -t lexer  keep one
  git log -1 --format=%B | claudevil notes add            keep what is piped in
  claudevil notes search why does the lexer keep state    by words and meaning
  claudevil notes list -t lexer --since 7d                of a tag, of the last week
  claudevil notes show lexer                              all of the one with this in its name

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
    List {
        #[command(flatten)]
        which: Which,
    },
    /// Find notes by words and meaning
    Search {
        /// What they are about
        #[arg(required = true)]
        query: Vec<String>,
        #[command(flatten)]
        which: Which,
    },
    /// Show all of a note
    Show {
        /// Its path or name, or a part of the name that no other has
        note: String,
        #[command(flatten)]
        root: RootOption,
    },
    /// Keep a note, with the commit and branch of now; secrets are left out
    Add {
        /// What to keep; without it, standard input
        text: Vec<String>,
        /// Tag; may be given several times
        #[arg(short, long, value_name = "TAG")]
        tag: Vec<String>,
        /// Symbol that it is about; may be given several times
        #[arg(short, long, value_name = "NAME")]
        symbol: Vec<String>,
        /// File that it is about; may be given several times
        #[arg(short, long, value_name = "FILE")]
        file: Vec<String>,
        #[command(flatten)]
        root: RootOption,
    },
}

/// Which notes are wanted.
#[derive(clap::Args)]
struct Which {
    /// Only with this tag; may be given several times
    #[arg(short, long, value_name = "TAG")]
    tag: Vec<String>,
    /// Only since then: a date, or how long ago, such as 24h, 7d, 2w
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Most notes to show, up to 100
    #[arg(short = 'n', long, default_value_t = Recall::DEFAULT_LIMIT)]
    limit: u32,
    #[command(flatten)]
    root: RootOption,
}

impl Default for Which {
    fn default() -> Self {
        Self {
            tag: vec![],
            since: None,
            limit: Recall::DEFAULT_LIMIT,
            root: RootOption { root: None },
        }
    }
}

pub async fn run(
    arguments: Arguments,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    match arguments.command.unwrap_or(Command::List {
        which: Which::default(),
    }) {
        Command::List { which } => recall(None, which, paths, terminal).await,
        Command::Search { query, which } => {
            recall(Some(query.join(" ")), which, paths, terminal).await
        }
        Command::Show { note, root } => show(&note, &root, paths, terminal).await,
        Command::Add {
            text,
            tag,
            symbol,
            file,
            root,
        } => {
            let params = Checkpoint {
                text: given(&text, "the note")?,
                tags: Some(tag),
                symbols: Some(symbol),
                files: Some(file.iter().map(|file| root.path(file)).collect()),
                max_tokens: Some(MOST_TOKENS),
                ..Checkpoint::default()
            };
            let saved = ask::ask(paths, root.root.as_deref(), params).await?;
            if terminal.json {
                terminal.json(&saved)?;
                return Ok(ExitCode::SUCCESS);
            }
            terminal.line(one_line(&saved.note.path))?;
            terminal.note(paint(FAINT, circumstances(&saved.note)));
            if let Some(redacted) = checkpoint::redacted(saved.redacted) {
                terminal.note(paint(WARN, redacted));
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn recall(
    query: Option<String>,
    which: Which,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let is_search = query.is_some();
    let params = Recall {
        query,
        tags: Some(which.tag),
        since: which.since,
        limit: Some(which.limit),
        max_tokens: Some(MOST_TOKENS),
        ..Recall::default()
    };
    let recalled = ask::ask(paths, which.root.root.as_deref(), params).await?;
    let found_none = is_search && recalled.notes.is_empty();
    if terminal.json {
        terminal.json(&recalled)?;
    } else {
        list(&recalled, is_search, terminal)?;
    }
    Ok(if found_none {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

fn list(recalled: &Recalled, is_search: bool, terminal: &mut Terminal) -> Result<(), Failure> {
    for (at, note) in recalled.notes.iter().enumerate() {
        if is_search && at > 0 {
            terminal.line("")?;
        }
        terminal.row(describe(note))?;
        terminal.line(format_args!("    {}", paint(FAINT, one_line(&note.path))))?;
        if let Some(remark) = &note.remark {
            terminal.note(paint(WARN, format_args!("    {}", one_line(remark))));
        }
        // Who looks for something wants to read it; who lists wants to see what there is.
        if is_search {
            for line in note.text.lines() {
                terminal.styled(super::terminal::PLAIN, &format!("    {line}"))?;
            }
        }
    }
    if let Some(skipped) = skipped(recalled.skipped_total, &recalled.skipped) {
        terminal.note(paint(WARN, skipped));
    }
    if recalled.stored == 0 {
        terminal.note(format_args!(
            "no notes in {} yet: `claudevil notes add TEXT` keeps one",
            recalled.root_name
        ));
    } else if recalled.notes.is_empty() {
        terminal.note(head(recalled));
    } else if recalled.remaining > 0 {
        let more = grouped(recalled.remaining);
        terminal.note(paint(
            FAINT,
            format_args!("{more} more: the same with a higher -n, or with --tag or --since"),
        ));
    }
    Ok(())
}

fn describe(note: &Note) -> String {
    let score = note.score.map_or_else(String::new, |score| {
        format!("  {}", paint(FAINT, format_args!("{score:.2}")))
    });
    let title: String = note.title().chars().take(100).collect();
    format!(
        "{}  {}{score}",
        paint(STRONG, one_line(&title)),
        paint(FAINT, circumstances(note))
    )
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
            return Err(ToolError::invalid_argument(format!("no note has `{name}` in its name"))
                .with_hint("`claudevil notes list` shows their names, `claudevil notes search` looks into them")
                .into());
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

/// What was typed, or else what is piped in.
pub fn given(words: &[String], what: &str) -> Result<String, Failure> {
    let is_dash = matches!(words, [dash] if dash == "-");
    if !words.is_empty() && !is_dash {
        return Ok(words.join(" "));
    }
    if std::io::stdin().is_terminal() {
        return Err(
            ToolError::invalid_argument(format!("there is no text for {what}"))
                .with_hint("type it behind the command, or pipe it in")
                .into(),
        );
    }
    let mut text = String::new();
    // More is refused where everything is.
    std::io::stdin().take(1 << 20).read_to_string(&mut text)?;
    Ok(text)
}
