//! Writes a next call as a command that can be typed as it stands.

use clap::{Arg, Command, CommandFactory};
use claudevil_protocol::text::{ArgumentValue, NextCall, one_line};
use claudevil_protocol::tools;

use super::Arguments;

/// Returns the command for a call: `claudevil refs src/a.rs:12 --role call`.
pub fn command(call: &NextCall) -> String {
    let Some(verb) = verb(&call.tool) else {
        return format!("claudevil {}", call.tool);
    };
    let mut words = vec!["claudevil".to_owned(), verb.to_owned()];
    let Some(mut definition) = definition(verb) else {
        return words.join(" ");
    };
    // `manage_roots {"action":"add"}` is `claudevil roots add`.
    if let Some(ArgumentValue::Text(action)) = argument(call, "action")
        && let Some(subcommand) = definition.find_subcommand(action).cloned()
    {
        words.push(action.clone());
        definition = subcommand;
    }
    let location = location(call);
    let is_in_location = |name: &str| {
        location.is_some() && ["path", "line", "start_line", "end_line"].contains(&name)
    };
    // A path alone means all of a file: `claudevil graph src/a.rs`.
    let is_symbol = |positional: &Arg| positional.get_id() == "symbol";
    let file = argument(call, "path").filter(|_| {
        location.is_none()
            && argument(call, "symbol").is_none()
            && definition.get_positionals().any(is_symbol)
    });
    for positional in definition.get_positionals() {
        let name = positional.get_id().as_str();
        let value = match (&location, argument(call, name)) {
            (Some(location), _) if ["symbol", "path", "location"].contains(&name) => {
                Some(word(location))
            }
            (_, Some(value)) => Some(word(&plain(value))),
            _ if is_symbol(positional) => file.map(|file| word(&plain(file))),
            _ => None,
        };
        words.extend(value);
    }
    for (name, value) in &call.arguments {
        let is_positional = definition
            .get_positionals()
            .any(|positional| positional.get_id() == name.as_str());
        let is_file = name == "path" && file.is_some();
        if is_positional || is_file || is_in_location(name) {
            continue;
        }
        let option = match value {
            // A flag that is false has an option of its own: `no_dry_run` is `--apply`.
            ArgumentValue::Flag(false) => option(&definition, &format!("no_{name}")),
            // A path beside a name chooses between symbols with that name.
            _ if name == "path" => {
                option(&definition, name).or_else(|| option(&definition, "context_file"))
            }
            _ => option(&definition, name),
        };
        let Some(option) = option else {
            continue;
        };
        let long = option.get_long().map(|long| format!("--{long}"));
        // `"pattern_type":"regex"` is `--regex`.
        let takes_value = option
            .get_num_args()
            .is_none_or(|values| values.takes_values());
        match value {
            ArgumentValue::List(items) => {
                for item in items {
                    words.extend(long.clone());
                    words.push(word(&one_line(item)));
                }
            }
            ArgumentValue::Flag(_) => words.extend(long),
            _ if !takes_value => words.extend(long),
            value => {
                words.extend(long);
                words.push(word(&plain(value)));
            }
        }
    }
    words.join(" ")
}

/// Returns the option for a parameter of a tool, `--context-file`, or the name of an argument that has no option: `FROM`. A
/// parameter that no command has keeps its name. Without a tool it is that of the first tool with such a parameter.
pub fn option_of(tool: &str, parameter: &str) -> String {
    let verbs = match verb(tool) {
        Some(verb) => vec![verb],
        None => tools::TOOLS.iter().map(|tool| tool.command.verb).collect(),
    };
    let whole = Arguments::command();
    let mut arguments = verbs.into_iter().filter_map(|verb| {
        let definition = within(&whole, verb)?;
        let argument = definition
            .get_arguments()
            .find(|one| one.get_id() == parameter)?;
        Some(argument.get_long().map(str::to_owned))
    });
    match arguments.next() {
        Some(Some(long)) => format!("--{long}"),
        Some(None) => parameter.to_uppercase(),
        None => parameter.to_owned(),
    }
}

fn verb(tool: &str) -> Option<&'static str> {
    tools::find(tool).map(|tool| tool.command.verb)
}

/// Returns the definition of a verb, such as `refs` or `notes add`.
fn definition(verb: &str) -> Option<Command> {
    within(&Arguments::command(), verb).cloned()
}

fn within<'a>(whole: &'a Command, verb: &str) -> Option<&'a Command> {
    verb.split(' ')
        .try_fold(whole, |command, word| command.find_subcommand(word))
}

fn option<'a>(definition: &'a Command, parameter: &str) -> Option<&'a Arg> {
    let mut options = definition
        .get_arguments()
        .filter(|one| one.get_long().is_some());
    options.find(|option| option.get_id() == parameter)
}

fn argument<'a>(call: &'a NextCall, name: &str) -> Option<&'a ArgumentValue> {
    let found = call.arguments.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value)
}

/// Returns `src/a.rs:7` or `src/a.rs:7-9` if a call names a path and a line.
fn location(call: &NextCall) -> Option<String> {
    let number = |name| match argument(call, name) {
        Some(ArgumentValue::Number(number)) => Some(*number),
        _ => None,
    };
    let path = plain(argument(call, "path")?);
    let first = number("line").or_else(|| number("start_line"))?;
    Some(match number("end_line") {
        Some(last) if last != first => format!("{path}:{first}-{last}"),
        _ => format!("{path}:{first}"),
    })
}

fn plain(value: &ArgumentValue) -> String {
    match value {
        ArgumentValue::Text(text) => one_line(text),
        ArgumentValue::Number(number) => number.to_string(),
        ArgumentValue::Flag(flag) => flag.to_string(),
        ArgumentValue::List(items) => one_line(&items.join(",")),
        ArgumentValue::Numbers(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            numbers.join(",")
        }
    }
}

/// Quotes a word for a shell, if it needs quotes.
pub fn word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./:@%+=,…".contains(letter);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use claudevil_protocol::text::{CliCommand, Line};

    use super::*;
    use crate::cli::terminal::{ColorChoice, LinkChoice, OutputOptions, Terminal};

    #[test]
    fn every_tool_has_a_verb() {
        for tool in tools::TOOLS {
            assert!(definition(tool.command.verb).is_some(), "{}", tool.name);
        }
    }

    #[test]
    fn calls_become_commands_that_can_be_typed() {
        let call = |tool: &str, arguments: &[(&str, ArgumentValue)]| {
            arguments
                .iter()
                .fold(NextCall::new(tool), |call, (name, value)| {
                    call.with(name, value.clone())
                })
        };
        let cases = [
            (
                call(
                    "find_symbol",
                    &[("name", "Lexer".into()), ("root", "engine".into())],
                ),
                "claudevil symbol Lexer --root engine",
            ),
            (
                call(
                    "find_symbol",
                    &[("match", "substring".into()), ("name", "a b".into())],
                ),
                "claudevil symbol 'a b' --match substring",
            ),
            (
                call("list_files", &[("pattern", "src/**".into())]),
                "claudevil files 'src/**'",
            ),
            (
                call(
                    "read_file",
                    &[
                        ("end_line", 9_u32.into()),
                        ("path", "src/a.rs".into()),
                        ("start_line", 7_u32.into()),
                    ],
                ),
                "claudevil read src/a.rs:7-9",
            ),
            (
                call(
                    "find_references",
                    &[("path", "src/a.rs".into()), ("line", 7_u32.into())],
                ),
                "claudevil refs src/a.rs:7",
            ),
            (
                call("impact_analysis", &[("diff", "main..HEAD".into())]),
                "claudevil impact --diff main..HEAD",
            ),
            (
                call("reindex", &[("force", true.into())]),
                "claudevil reindex --force",
            ),
            (
                call("manage_roots", &[("action", "list".into())]),
                "claudevil roots list",
            ),
            (
                call(
                    "plan",
                    &[
                        ("action", "save".into()),
                        ("title", "…".into()),
                        ("text", "…".into()),
                    ],
                ),
                "claudevil plan save … …",
            ),
            (call("index_status", &[]), "claudevil status"),
        ];
        for (call, expected) in cases {
            let command = command(&call);
            assert_eq!(command, expected);
            // Quotes hold words together, as in a shell.
            let words = command.split('\'').enumerate().flat_map(|(at, part)| {
                if at % 2 == 1 {
                    vec![part]
                } else {
                    part.split_whitespace().collect()
                }
            });
            assert!(Arguments::try_parse_from(words).is_ok(), "{command}");
        }
    }

    #[test]
    fn commands_in_messages_exist() {
        for command in CliCommand::ALL {
            let words = std::iter::once("claudevil").chain(command.words().split(' '));
            let parsed = Arguments::command().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{command}: {:?}", parsed.err());
        }
    }

    #[test]
    fn parameters_become_options() {
        let mut terminal = Terminal::new(OutputOptions {
            json: false,
            color: ColorChoice::Never,
            links: LinkChoice::Never,
            no_pager: true,
        });
        let cases = [
            (
                "find_references",
                Line::new().words("give a lower `limit`, or `context_file`"),
                "give a lower `--limit`, or `--context-file`",
            ),
            ("call_path", Line::new().words("give `from`"), "give `FROM`"),
            ("edit_symbol", Line::new().words("by `edits`"), "by `edits`"),
            (
                "find_references",
                Line::new().words("with `context_lines`"),
                "with `--context`",
            ),
            (
                "search",
                Line::new().mode("auto").text(" or ").mode("literal"),
                "`--mode auto` or `--literal`",
            ),
            (
                "",
                Line::new().words("give `from`, `edits` or `context_file`"),
                "give `FROM`, `edits` or `--context-file`",
            ),
            (
                "",
                Line::from("check with ")
                    .call(NextCall::new("index_status"))
                    .text(" first"),
                "check with `claudevil status` first",
            ),
        ];
        for (tool, line, expected) in cases {
            assert_eq!(terminal.render_line(tool, &line), expected);
        }
    }

    #[test]
    fn false_flags_have_options_of_their_own() {
        let rename = |decision: bool| {
            let call = NextCall::new("rename_symbol")
                .with("path", "src/a.rs")
                .with("line", 12u32)
                .with("new_name", "start")
                .with("include_low_confidence", decision)
                .with("dry_run", false);
            command(&call)
        };
        assert_eq!(
            rename(true),
            "claudevil rename src/a.rs:12 start --include-low-confidence --apply"
        );
        assert_eq!(
            rename(false),
            "claudevil rename src/a.rs:12 start --leave-doubtful --apply"
        );
    }

    #[test]
    fn a_file_stands_where_a_symbol_does() {
        let graph = NextCall::new("get_call_graph").with("path", "src/a.rs");
        assert_eq!(
            command(&graph.clone().with("depth", 1u32)),
            "claudevil graph src/a.rs --depth 1"
        );
        assert_eq!(
            command(&graph.with("symbol", "run")),
            "claudevil graph run --context-file src/a.rs"
        );
        let deps = NextCall::new("get_dependencies")
            .with("path", "src/a.rs")
            .with("direction", "imports");
        assert_eq!(
            command(&deps),
            "claudevil deps src/a.rs --direction imports"
        );
    }
}
