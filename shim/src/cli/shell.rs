//! A call to make next, as a command that can be typed as it stands.
//!
//! Everything comes from the definition of the command line: which arguments have no option, and the names of options.

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
    for positional in definition.get_positionals() {
        let name = positional.get_id().as_str();
        let value = match (&location, argument(call, name)) {
            (Some(location), _) if ["symbol", "path", "location"].contains(&name) => {
                Some(word(location))
            }
            (_, Some(value)) => Some(word(&plain(value))),
            _ => None,
        };
        words.extend(value);
    }
    for (name, value) in &call.arguments {
        let is_positional = definition
            .get_positionals()
            .any(|positional| positional.get_id() == name.as_str());
        if is_positional || is_in_location(name) || *value == ArgumentValue::Flag(false) {
            continue;
        }
        // A name with a file is that of several which is in it.
        let name = if name == "path" && option(&definition, name).is_none() {
            "context_file"
        } else {
            name
        };
        let Some(option) = option(&definition, name) else {
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
            ArgumentValue::Flag(true) => words.extend(long),
            _ if !takes_value => words.extend(long),
            value => {
                words.extend(long);
                words.push(word(&plain(value)));
            }
        }
    }
    words.join(" ")
}

/// Returns the option for a parameter of a tool: `--context-file`. None if it has none.
pub fn option_of(tool: &str, parameter: &str) -> Option<String> {
    let definition = definition(verb(tool)?)?;
    let long = option(&definition, parameter)?.get_long()?;
    Some(format!("--{long}"))
}

fn verb(tool: &str) -> Option<&'static str> {
    tools::find(tool).map(|tool| tool.command.verb)
}

/// The definition of a verb, such as `refs` or `notes add`.
fn definition(verb: &str) -> Option<Command> {
    let whole = Arguments::command();
    let found = verb
        .split(' ')
        .try_fold(&whole, |command, word| command.find_subcommand(word))?;
    Some(found.clone())
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

/// `src/a.rs:7` or `src/a.rs:7-9`, where a call names a path and a line.
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
    }
}

/// Returns a word as a shell takes it.
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
    use claudevil_protocol::tools::Tool;
    use claudevil_protocol::tools::checkpoint::Checkpoint;
    use claudevil_protocol::tools::index_status::IndexStatus;
    use claudevil_protocol::tools::list_files::ListFiles;
    use claudevil_protocol::tools::manage_roots::ManageRoots;
    use claudevil_protocol::tools::plan::Plan;
    use claudevil_protocol::tools::read_file::ReadFile;
    use claudevil_protocol::tools::recall::Recall;

    use super::*;

    #[test]
    fn calls_are_commands_that_can_be_typed() {
        let regex = NextCall::new(ListFiles::NAME)
            .with("pattern", "^src/")
            .with("pattern_type", "regex")
            .with("limit", 20_u32);
        let lines = NextCall::new(ReadFile::NAME)
            .with("path", "src/a b.rs")
            .with("root", "engine")
            .with("start_line", 7_u32)
            .with("end_line", 9_u32);
        let tags = vec!["lexer".to_owned(), "parser".to_owned()];
        let notes = NextCall::new(Recall::NAME)
            .with("query", "why lazy")
            .with("tags", tags)
            .with("max_tokens", 10_000_u32);
        let activate = NextCall::new(Plan::NAME)
            .with("action", "activate")
            .with("title", "New lexer")
            .with("root", "engine");
        let add = NextCall::new(ManageRoots::NAME)
            .with("action", "add")
            .with("path", "/absolute/path");
        for (call, expected) in [
            (regex, "claudevil files '^src/' --regex --limit 20"),
            (lines, "claudevil read 'src/a b.rs:7-9' --root engine"),
            (
                notes,
                "claudevil notes search 'why lazy' --tag lexer --tag parser",
            ),
            (
                activate,
                "claudevil plan activate 'New lexer' --root engine",
            ),
            (add, "claudevil roots add /absolute/path"),
            (
                NextCall::new(IndexStatus::NAME).with("root", "engine"),
                "claudevil status --root engine",
            ),
            (
                NextCall::new(Checkpoint::NAME).with("text", "…"),
                "claudevil notes add …",
            ),
        ] {
            assert_eq!(command(&call), expected);
            // Quotes hold words together, as in a shell.
            let words = expected.split('\'').enumerate().flat_map(|(at, part)| {
                if at % 2 == 1 {
                    vec![part]
                } else {
                    part.split_whitespace().collect()
                }
            });
            assert!(Arguments::try_parse_from(words).is_ok(), "{expected}");
        }
        assert_eq!(option_of(Recall::NAME, "tags").as_deref(), Some("--tag"));
        assert_eq!(option_of(ReadFile::NAME, "path"), None);
    }
}
