//! Tools as commands: the arguments are those of the tool, and the output is its text.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use claudevil_protocol::answer::render::fit;
use claudevil_protocol::answer::scope::ALL_ROOTS;
use claudevil_protocol::answer::{Answer, Format};
use claudevil_protocol::paths::Paths;
use claudevil_protocol::service::RemoteTool;
use claudevil_protocol::text::tokens::MAX_TOKENS;
use claudevil_protocol::tools::{self, CommandInfo, Tool};

use super::terminal::Terminal;
use super::{Failure, ask, exit, input};
use crate::project;

/// A tool that needs no code of its own here: its verb, how clap sees it, and how its parameters are parsed.
struct PlainCommand {
    info: CommandInfo,
    describe: fn() -> Command,
    parse: fn(&ArgMatches) -> Result<ToolCommand, clap::Error>,
}

macro_rules! tool_table {
    ($($name:ident: $module:ident::$params:ident;)*) => {
        const TOOL_COMMANDS: &[PlainCommand] = &[$(PlainCommand {
            info: tools::$module::$params::INFO.command,
            describe: describe::<tools::$module::$params>,
            parse: parse::<tools::$module::$params>,
        },)*];
    };
}
claudevil_protocol::for_each_tool!(tool_table);

fn plain_commands() -> impl Iterator<Item = &'static PlainCommand> {
    TOOL_COMMANDS.iter().filter(|command| command.info.is_plain)
}

type CommandRun<'a> = Pin<Box<dyn Future<Output = Result<ExitCode, Failure>> + 'a>>;
type CommandRunner = Box<dyn for<'a> FnOnce(Paths, &'a mut Terminal) -> CommandRun<'a>>;

/// A call of a plain command, ready to be made.
pub struct ToolCommand(CommandRunner);

impl ToolCommand {
    pub async fn run(self, paths: Paths, terminal: &mut Terminal) -> Result<ExitCode, Failure> {
        (self.0)(paths, terminal).await
    }
}

impl Subcommand for ToolCommand {
    fn augment_subcommands(command: Command) -> Command {
        plain_commands().fold(command, |command, plain| {
            command.subcommand((plain.describe)())
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        plain_commands().any(|plain| plain.info.verb == name)
    }
}

impl FromArgMatches for ToolCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (verb, matches) = matches.subcommand().ok_or_else(missing)?;
        match plain_commands().find(|plain| plain.info.verb == verb) {
            Some(plain) => (plain.parse)(matches),
            None => Err(clap::Error::new(clap::error::ErrorKind::InvalidSubcommand)),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn parse<P: RemoteTool + Args>(matches: &ArgMatches) -> Result<ToolCommand, clap::Error> {
    let params = P::from_arg_matches(matches)?;
    Ok(ToolCommand(Box::new(|paths, terminal| {
        Box::pin(run(params, paths, terminal))
    })))
}

fn describe<P: Tool + Args>() -> Command {
    let info = P::INFO.command;
    let command = Command::new(info.verb)
        .about(info.about)
        .after_help(info.examples);
    let command = P::augment_args(command);
    match info.alias {
        Some(alias) => command.visible_alias(alias),
        None => command,
    }
}

/// Completes the parameters that were typed. Returns the project that they name, if any: paths are relative to it, and else
/// to the working directory.
pub fn read_command_line<P: Tool>(params: &mut P) -> Option<PathBuf> {
    let root = params.take_root().map(PathBuf::from);
    params.read_command_line(&|path| match root.as_deref() {
        Some(root) if root != Path::new(ALL_ROOTS) => path.to_owned(),
        _ => project::from_here(path),
    });
    read_glob(params, root.as_deref());
    // Only a command with an option for the budget limits it.
    params.max_tokens_mut().get_or_insert(MAX_TOKENS);
    root
}

/// Completes the glob that was typed, unless the command line names a project.
pub fn read_glob<P: Tool>(params: &mut P, root: Option<&Path>) {
    if root.is_none()
        && let Some(glob) = params.glob_mut()
    {
        *glob = project::glob_from_here(glob);
    }
}

/// Calls a tool with the parameters that were typed, and prints its text.
pub async fn run<P: RemoteTool>(
    mut params: P,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let budget = params.max_tokens();
    let root = read_command_line(&mut params);
    input::read_text(&mut params, terminal)?;
    let answer = if P::ANSWERS_EARLY {
        ask::ask_at_once(paths, root.as_deref(), params).await?
    } else {
        ask::ask(paths, root.as_deref(), params).await?
    };
    print::<P>(&answer, budget, terminal)?;
    let is_failure = P::INFO.command.fails_when_empty && answer.is_empty();
    Ok(exit::failed_if(is_failure))
}

/// Prints an answer as text, within the budget that was typed, or all of it as JSON.
pub fn print<P: Tool>(
    answer: &P::Answer,
    budget: Option<u32>,
    terminal: &mut Terminal,
) -> std::io::Result<()> {
    if terminal.json {
        terminal.json(answer)
    } else if let Some(budget) = budget {
        terminal.answer::<P>(&fit(answer, Format::Text, budget))
    } else {
        terminal.answer::<P>(answer)
    }
}

#[cfg(test)]
pub mod tests {
    use clap::{CommandFactory, Parser};
    use claudevil_protocol::tools::impact_analysis::ImpactAnalysis;
    use claudevil_protocol::tools::rename_symbol::RenameSymbol;

    use super::*;
    use crate::cli::Arguments;

    /// Parses a command line as the verb of a plain tool.
    pub fn parse<P: Tool + Args>(line: &str, locate: &dyn Fn(&str) -> String) -> P {
        let matches = Arguments::command().try_get_matches_from(line.split(' '));
        let matches = matches.unwrap_or_else(|error| panic!("{line}: {error}"));
        let (verb, matches) = matches.subcommand().expect("a verb");
        let is_plain = P::INFO.command.is_plain;
        assert_eq!(ToolCommand::has_subcommand(verb), is_plain, "{line}");
        assert_eq!(verb, P::INFO.command.verb);
        let mut params = P::from_arg_matches(matches).expect("parameters");
        params.read_command_line(locate);
        params
    }

    #[test]
    fn a_rename_is_applied_only_with_the_option() {
        for (line, dry_run, decision) in [
            ("claudevil rename run start", true, None),
            ("claudevil rename run start --dry-run", true, None),
            ("claudevil rename run start --apply", false, None),
            (
                "claudevil rename run start --apply --include-low-confidence",
                false,
                Some(true),
            ),
            (
                "claudevil rename run start --leave-doubtful --apply",
                false,
                Some(false),
            ),
        ] {
            let params: RenameSymbol = parse(line, &str::to_owned);
            assert_eq!(
                (params.dry_run, params.include_low_confidence),
                (Some(dry_run), decision),
                "{line}"
            );
            assert_eq!(
                (params.symbol.as_deref(), params.new_name()),
                (Some("run"), "start")
            );
        }
        let both = "claudevil rename run start --include-low-confidence --leave-doubtful";
        assert!(Arguments::try_parse_from(both.split(' ')).is_err());
    }

    fn impact(line: &str) -> ImpactAnalysis {
        parse(line, &|path| format!("/engine/{path}"))
    }

    #[test]
    fn an_impact_is_by_default_that_of_the_working_tree() {
        let diff = |line| impact(line).diff;
        assert_eq!(diff("claudevil impact").as_deref(), Some("working"));
        assert_eq!(
            diff("claudevil impact --diff HEAD").as_deref(),
            Some("working")
        );
        assert_eq!(
            diff("claudevil impact --diff main..HEAD").as_deref(),
            Some("main..HEAD")
        );
        assert_eq!(diff("claudevil impact run"), None);
        let place = impact("claudevil impact src/a.rs:3 -f src/b.rs");
        assert_eq!(
            (place.path.as_deref(), place.line, place.diff.as_deref()),
            (Some("/engine/src/a.rs"), Some(3), None)
        );
        assert_eq!(place.context_file.as_deref(), Some("/engine/src/b.rs"));
    }
}
