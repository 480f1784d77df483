//! What is said to agents, in the words of the command line: a call of a tool becomes a command that can be typed as it
//! stands, and an argument the option that it has here.
//!
//! Errors come from the daemon, which does not know who asks; so they speak of tools, and are put into other words where a
//! person reads them. Scripts get them as they are.

use claudevil_protocol::text::one_line;
use serde_json::{Deserializer, Map, Value};

use super::files::quoted;

/// How a tool is asked on the command line.
struct Verb {
    tool: &'static str,
    verb: &'static str,
    /// Arguments that stand without an option, in this order.
    plain: &'static [&'static str],
}

const fn verb(tool: &'static str, verb: &'static str, plain: &'static [&'static str]) -> Verb {
    Verb { tool, verb, plain }
}

const VERBS: &[Verb] = &[
    verb("explore", "explore", &["question"]),
    verb("search", "search", &["query"]),
    verb("find_symbol", "symbol", &["name"]),
    verb("find_similar", "similar", &["path"]),
    verb("map_code", "map", &["path"]),
    verb("list_files", "files", &["pattern"]),
    verb("read_file", "read", &["path"]),
    verb("find_references", "refs", &["symbol"]),
    verb("find_callers", "callers", &["symbol"]),
    verb("find_callees", "callees", &["symbol"]),
    verb("get_call_graph", "graph", &["symbol"]),
    verb("call_path", "path", &["from", "to"]),
    verb("find_implementations", "impls", &["symbol"]),
    verb("deep_dive", "dive", &["symbol"]),
    verb("impact_analysis", "impact", &["symbol"]),
    verb("get_dependencies", "deps", &["path"]),
    verb("analyze_complexity", "complexity", &["path"]),
    verb("rename_symbol", "rename", &["symbol", "new_name"]),
    verb("index_status", "status", &["root"]),
    verb("reindex", "reindex", &["path"]),
    verb("manage_roots", "roots", &["action", "path"]),
    verb("checkpoint", "notes add", &["text"]),
    verb("recall", "notes search", &["query"]),
    verb("plan", "plan", &["action", "title", "text"]),
];

/// Words about arguments, and those for the same thing here. The longer ones come before their parts.
const ARGUMENTS: &[(&str, &str)] = &[
    ("the argument `root`", "the folder that you named"),
    (
        "give `root`: the absolute path of a project",
        "name the folder of a project",
    ),
    ("use \"pattern_type\":\"glob\"", "leave `--regex` out"),
    (
        "with \"include_low_confidence\": true",
        "with `--include-low-confidence`",
    ),
    (
        "\"include_low_confidence\": true changes them too, false leaves them as they are",
        "`--include-low-confidence` changes them too, `--leave-doubtful` leaves them as they are",
    ),
    (
        "drop `path`, `language`, `kind` or `target`",
        "drop `--path`, `--language`, `--kind` or `--target`",
    ),
    ("no file matches `path`", "no file matches"),
    (
        "leave out `path`, or give that of one of these",
        "leave its file out, or name one of these",
    ),
    ("`path` or `root` with a folder", "`--root` with a folder"),
    ("a lower `limit`", "a lower `--limit`"),
    ("mode auto finds", "`--mode auto` finds"),
    ("mode auto ranks", "`--mode auto` ranks"),
    ("mode regex takes", "`--regex` takes"),
    ("mode literal takes", "`--literal` takes"),
    (
        "`symbol` has its own lines: leave out start_line and end_line",
        "a symbol has its own lines: leave yours out",
    ),
    (
        "give start_line ≤ end_line, or leave end_line out",
        "the first line stands before the last: FILE:FIRST-LAST",
    ),
    ("context_lines adds", "`--context` adds"),
    ("`path` and `line`", "FILE:LINE"),
    ("add `path`", "name its file too"),
    ("a `pattern`", "a pattern"),
    ("mode literal", "`--literal`"),
    ("`root`", "`--root`"),
    ("`cursor`", "`--cursor`"),
    ("`limit`", "`--limit`"),
    ("`context_file`", "`--context-file`"),
];

/// What to do next. Where all of it is one call, all of it is one command.
pub fn next_step(hint: &str) -> String {
    let mut words = String::with_capacity(hint.len());
    let mut rest = hint;
    while let Some(call) = first_call(rest) {
        words.push_str(&in_words(&rest[..call.start]));
        let is_all = call.start == 0 && call.end == hint.len();
        words.push_str(&if is_all {
            call.command
        } else {
            format!("`{}`", call.command)
        });
        rest = &rest[call.end..];
    }
    words.push_str(&in_words(rest));
    words
}

/// A text with the options of the command line instead of the arguments of tools.
pub fn in_words(text: &str) -> String {
    ARGUMENTS
        .iter()
        .fold(text.to_owned(), |text, (argument, words)| {
            text.replace(argument, words)
        })
}

/// A call of a tool in a text.
struct Call {
    start: usize,
    end: usize,
    command: String,
}

fn first_call(text: &str) -> Option<Call> {
    let calls = VERBS.iter().flat_map(|verb| {
        text.match_indices(verb.tool)
            .filter_map(move |(at, _)| call(text, at, verb))
    });
    calls.min_by_key(|call| call.start)
}

/// A tool that is named at a place, with its arguments if there are some. A name that is also a word of the language is a
/// tool only where it has some; one that is a part of a path never is.
fn call(text: &str, start: usize, verb: &Verb) -> Option<Call> {
    let end = start + verb.tool.len();
    let behind = &text[end..];
    let stands_alone = (start == 0 || text[..start].ends_with([' ', '(']))
        && (behind.is_empty() || behind.starts_with([' ', ',', ';', ')']));
    if !stands_alone {
        return None;
    }
    let mut objects = Deserializer::from_str(behind).into_iter::<Map<String, Value>>();
    if behind.starts_with(" {")
        && let Some(Ok(arguments)) = objects.next()
    {
        let end = end + objects.byte_offset();
        return Some(Call {
            start,
            end,
            command: command(verb, &arguments),
        });
    }
    verb.tool.contains('_').then(|| Call {
        start,
        end,
        command: format!("claudevil {}", verb.verb),
    })
}

fn command(verb: &Verb, arguments: &Map<String, Value>) -> String {
    let mut words = vec!["claudevil".to_owned(), verb.verb.to_owned()];
    for name in verb.plain {
        if let Some(value) = arguments.get(*name) {
            let lines = if *name == "path" {
                lines(arguments)
            } else {
                String::new()
            };
            words.push(word(&format!("{}{lines}", plain(value))));
        }
    }
    for (name, value) in arguments {
        let is_said = verb.plain.contains(&name.as_str())
            || ["start_line", "end_line", "line"].contains(&name.as_str());
        if is_said || *value == Value::Bool(false) {
            continue;
        }
        words.push(format!("--{}", name.replace('_', "-")));
        if *value != Value::Bool(true) {
            words.push(word(&plain(value)));
        }
    }
    words.join(" ")
}

/// `:7`, `:7-9`, or nothing.
fn lines(arguments: &Map<String, Value>) -> String {
    let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
    match (
        number("line").or_else(|| number("start_line")),
        number("end_line"),
    ) {
        (Some(first), Some(last)) if first != last => format!(":{first}-{last}"),
        (Some(line), _) => format!(":{line}"),
        _ => String::new(),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), one_line)
}

/// As a shell takes it.
fn word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./:@%+=,…".contains(letter);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Arguments;

    #[test]
    fn every_tool_has_a_verb() {
        for tool in claudevil_protocol::tools::TOOLS {
            assert!(
                VERBS.iter().any(|verb| verb.tool == tool.name),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn calls_become_commands_that_can_be_typed() {
        let cases = [
            (
                r#"find_symbol {"name":"Lexer","root":"engine"}"#,
                "claudevil symbol Lexer --root engine",
            ),
            (
                r#"find_symbol {"match":"substring","name":"a b"}"#,
                "claudevil symbol 'a b' --match substring",
            ),
            (
                r#"list_files {"pattern":"src/**","root":"engine"} lists what is in it"#,
                "`claudevil files 'src/**' --root engine` lists what is in it",
            ),
            (
                r#"read_file {"end_line":9,"path":"src/a.rs","start_line":7}"#,
                "claudevil read src/a.rs:7-9",
            ),
            (
                r#"impact_analysis {"diff":"main..HEAD"}"#,
                "claudevil impact --diff main..HEAD",
            ),
            (
                r#"reindex {"force":true} makes it anew"#,
                "`claudevil reindex --force` makes it anew",
            ),
            (
                r#"look with index_status or manage_roots {"action":"list"} before you repeat it"#,
                "look with `claudevil status` or `claudevil roots list` before you repeat it",
            ),
            (
                r#"no plan is kept yet: plan {"action":"save","text":"…","title":"…"} keeps one"#,
                "no plan is kept yet: `claudevil plan save … …` keeps one",
            ),
            (
                "list_files shows which files there are, find_symbol which symbols",
                "`claudevil files` shows which files there are, `claudevil symbol` which symbols",
            ),
            (
                "look at src/read_file.rs, and plan a search",
                "look at src/read_file.rs, and plan a search",
            ),
        ];
        for (hint, expected) in cases {
            let shown = next_step(hint);
            assert_eq!(shown, expected, "{hint}");
            let commands = shown
                .split('`')
                .filter(|piece| piece.starts_with("claudevil ") && piece.matches(' ').count() > 1);
            for command in commands {
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
    }

    #[test]
    fn arguments_become_options() {
        let cases = [
            (
                "/ (the argument `root`) is refused as a root",
                "/ (the folder that you named) is refused as a root",
            ),
            (
                "give a path inside the root, or `root` for another",
                "give a path inside the root, or `--root` for another",
            ),
            (
                "give `path` and `line` of one of them, its qualified name, or `context_file`",
                "give FILE:LINE of one of them, its qualified name, or `--context-file`",
            ),
            (
                "escape signs, or use \"pattern_type\":\"glob\"",
                "escape signs, or leave `--regex` out",
            ),
            (
                "look at them; \"include_low_confidence\": true changes them too, false leaves them as they are",
                "look at them; `--include-low-confidence` changes them too, `--leave-doubtful` leaves them as they are",
            ),
            (
                "nothing found: drop `path`, `language`, `kind` or `target`; mode auto finds words in any order",
                "nothing found: drop `--path`, `--language`, `--kind` or `--target`; `--mode auto` finds words in any order",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(next_step(text), expected);
        }
    }
}
