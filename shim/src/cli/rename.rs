//! `claudevil rename`: the diff of a rename, or its application. At a terminal doubtful places are asked about one by one.

use std::io;
use std::process::ExitCode;

use claudevil_protocol::paths::Paths;
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::tools::rename_symbol::{LeftOut, RenameSymbol, Renaming};

use super::highlight::places;
use super::terminal::{FAINT, STRONG, Terminal, paint};
use super::{Failure, ask, exit, tool};

const HELP: &str = "\
y  change this place
n  leave this place
a  change this place and all after it
d  leave this place and all after it
q  quit; no file is changed
?  this help";

pub async fn run(
    mut params: RenameSymbol,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let is_decided = params.include_low_confidence.is_some()
        || params.leave_doubtful.is_some()
        || params.preview.is_some();
    if params.apply.is_none() || is_decided || terminal.json || !Terminal::can_ask() {
        terminal.page();
        return tool::run(params, paths, terminal).await;
    }
    let root = tool::read_command_line(&mut params);
    let root = root.as_deref();
    let preview = RenameSymbol {
        dry_run: Some(true),
        ..params.clone()
    };
    let preview = ask::ask(paths.clone(), root, preview).await?;
    if preview.total_doubtful > 0 {
        let Some(included) = choose(&preview, terminal)? else {
            terminal.note("nothing was changed");
            return Ok(ExitCode::from(exit::FAILED));
        };
        params.include = Some(included);
        params.preview = Some(preview.preview);
    }
    let renamed = ask::ask(paths, root, params).await?;
    terminal.page();
    terminal.answer::<RenameSymbol>(&renamed)?;
    Ok(ExitCode::SUCCESS)
}

/// Asks about each doubtful place. Returns the numbers of those to change; `None` to change nothing at all.
fn choose(preview: &Renaming, terminal: &mut Terminal) -> io::Result<Option<Vec<u32>>> {
    terminal.links_to(&preview.root);
    terminal.note(format_args!(
        "{} will change; {} may mean {} or something else:",
        count(preview.total_edits, "place"),
        count(preview.total_doubtful, "doubtful place"),
        paint(STRONG, &preview.symbol.name),
    ));
    let doubtful = preview.left_out.iter();
    let doubtful = doubtful.filter_map(|place| Some((place.number?, place)));
    let doubtful: Vec<(u32, &LeftOut)> = doubtful.collect();
    let mut included = vec![];
    for (at, (number, place)) in doubtful.iter().enumerate() {
        show(preview, place, terminal)?;
        let rest = || doubtful[at..].iter().map(|(number, _)| *number);
        loop {
            let question = format!(
                "({}/{}) Change this place [y,n,a,d,q,?]?",
                at + 1,
                doubtful.len()
            );
            match Terminal::prompt(&paint(STRONG, question))?.as_deref() {
                Some("y") => included.push(*number),
                Some("n") => {}
                Some("a") => {
                    included.extend(rest());
                    return Ok(Some(included));
                }
                Some("d") => return Ok(Some(included)),
                Some("q") | None => return Ok(None),
                Some(_) => {
                    terminal.note(HELP);
                    continue;
                }
            }
            break;
        }
    }
    Ok(Some(included))
}

/// Prints a doubtful place with its line of source and the reason for the doubt.
fn show(preview: &Renaming, place: &LeftOut, terminal: &mut Terminal) -> io::Result<()> {
    let words = [preview.symbol.name.to_lowercase()];
    let shown = format!("{}:{}", place.path, place.line);
    let location = terminal.link(&place.path, place.line, &shown);
    terminal.entry(location, paint(FAINT, &place.reason))?;
    let source = place.text.trim();
    terminal.single_line("    ", &place.path, source, &places(source, &words))
}
