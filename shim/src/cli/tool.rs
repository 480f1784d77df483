//! Tools as commands: the arguments are those of the tool, and the output is its text.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use claudevil_protocol::answer::Answer;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::service::RemoteTool;
use claudevil_protocol::text::tokens::MOST_TOKENS;
use claudevil_protocol::tools::{self, Tool, ToolInfo};

use super::terminal::Terminal;
use super::{Failure, ask, exit};
use crate::project;

macro_rules! commands {
    ($($name:ident: $module:ident::$params:ident;)*) => {
        /// The commands of all tools that need no code of their own here.
        pub enum ToolCommand {
            $($params(tools::$module::$params),)*
        }

        impl ToolCommand {
            pub async fn run(
                self,
                paths: Paths,
                terminal: &mut Terminal,
            ) -> Result<ExitCode, Failure> {
                match self {
                    $(Self::$params(params) => Box::pin(run(params, paths, terminal)).await,)*
                }
            }
        }

        impl Subcommand for ToolCommand {
            fn augment_subcommands(mut command: Command) -> Command {
                $(if tools::$module::$params::INFO.command.is_plain {
                    command = command.subcommand(describe::<tools::$module::$params>());
                })*
                command
            }

            fn augment_subcommands_for_update(command: Command) -> Command {
                Self::augment_subcommands(command)
            }

            fn has_subcommand(name: &str) -> bool {
                is_plain(name)
            }
        }

        impl FromArgMatches for ToolCommand {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
                let (verb, matches) = matches.subcommand().ok_or_else(missing)?;
                $(if verb == tools::$module::$params::INFO.command.verb {
                    return tools::$module::$params::from_arg_matches(matches).map(Self::$params);
                })*
                Err(clap::Error::new(clap::error::ErrorKind::InvalidSubcommand))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}
claudevil_protocol::for_each_tool!(commands);

fn is_plain(verb: &str) -> bool {
    let is_it = |tool: &&ToolInfo| tool.command.is_plain && tool.command.verb == verb;
    tools::TOOLS.iter().any(|tool| is_it(&tool))
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
    params.read_command_line(&|path| match root {
        None => project::from_here(path),
        Some(_) => path.to_owned(),
    });
    params.set_max_tokens(MOST_TOKENS);
    root
}

/// Asks a tool what was typed, and prints its text.
async fn run<P: RemoteTool>(
    mut params: P,
    paths: Paths,
    terminal: &mut Terminal,
) -> Result<ExitCode, Failure> {
    let root = read_command_line(&mut params);
    let root = root.as_deref();
    let mut answer = ask::ask(paths.clone(), root, params.clone()).await?;
    while params.turn_page(&answer) {
        let next = ask::ask(paths.clone(), root, params.clone()).await?;
        P::append_page(&mut answer, next);
    }
    let is_failure = P::INFO.command.fails_when_empty && answer.items() == 0;
    if terminal.json {
        terminal.json(&answer)?;
    } else {
        terminal.answer::<P>(&answer)?;
    }
    Ok(if is_failure {
        ExitCode::from(exit::FAILED)
    } else {
        ExitCode::SUCCESS
    })
}
