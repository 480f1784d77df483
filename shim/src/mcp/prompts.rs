//! Strategies for working with the tools, as prompts.
//!
//! Their texts are the skills of the plugin under `packaging/`: there is one text of each. Neither listing them nor
//! reading them asks the daemon.

use claudevil_protocol::text::one_line;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use super::offer::Offer;

struct Strategy {
    title: &'static str,
    /// The skill: a head between two lines of dashes, and the text.
    skill: &'static str,
    arguments: &'static [Argument],
    /// The tools that the text names.
    tools: &'static [&'static str],
}

struct Argument {
    name: &'static str,
    description: &'static str,
    required: bool,
    values: ValueKind,
}

/// The kind of values that an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Symbols,
    Paths,
    /// Names of known roots, which no prompt takes.
    Roots,
}

const STRATEGIES: &[Strategy] = &[
    Strategy {
        title: "Trace a call path",
        skill: include_str!("../../../packaging/plugin/skills/trace-call-path/SKILL.md"),
        arguments: &[
            Argument {
                name: "from",
                description: "Where the path starts: a function",
                required: true,
                values: ValueKind::Symbols,
            },
            Argument {
                name: "to",
                description: "Where the path ends: a function",
                required: false,
                values: ValueKind::Symbols,
            },
        ],
        tools: &[
            "find_symbol",
            "call_path",
            "find_callers",
            "find_callees",
            "read_file",
            "find_implementations",
            "find_references",
            "search",
            "get_call_graph",
        ],
    },
    Strategy {
        title: "Explore an architecture",
        skill: include_str!("../../../packaging/plugin/skills/explore-architecture/SKILL.md"),
        arguments: &[Argument {
            name: "path",
            description: "Only this folder of the project",
            required: false,
            values: ValueKind::Paths,
        }],
        tools: &[
            "map_code",
            "list_files",
            "analyze_complexity",
            "read_file",
            "find_symbol",
            "search",
            "explore",
            "get_dependencies",
            "find_callers",
            "deep_dive",
        ],
    },
    Strategy {
        title: "Analyse dependencies",
        skill: include_str!("../../../packaging/plugin/skills/analyze-dependencies/SKILL.md"),
        arguments: &[
            Argument {
                name: "path",
                description: "The file or folder in question",
                required: false,
                values: ValueKind::Paths,
            },
            Argument {
                name: "symbol",
                description: "The symbol in question",
                required: false,
                values: ValueKind::Symbols,
            },
        ],
        tools: &[
            "get_dependencies",
            "find_references",
            "find_callers",
            "impact_analysis",
            "search",
            "rename_symbol",
        ],
    },
    Strategy {
        title: "Explore a type hierarchy",
        skill: include_str!("../../../packaging/plugin/skills/explore-type-hierarchy/SKILL.md"),
        arguments: &[Argument {
            name: "symbol",
            description: "The type, trait, interface or class",
            required: true,
            values: ValueKind::Symbols,
        }],
        tools: &[
            "find_symbol",
            "deep_dive",
            "find_implementations",
            "read_file",
            "find_references",
            "search",
        ],
    },
];

pub fn describe() -> Vec<Prompt> {
    STRATEGIES.iter().map(Strategy::describe).collect()
}

/// Returns a strategy with its arguments filled in.
pub fn get(
    name: &str,
    arguments: &JsonObject,
    offer: &Offer,
) -> Result<GetPromptResult, ErrorData> {
    let Some(strategy) = find(name) else {
        let names: Vec<_> = STRATEGIES
            .iter()
            .map(|strategy| strategy.head("name"))
            .collect();
        return Err(ErrorData::invalid_params(
            format!("unknown prompt `{name}`; available: {}", names.join(", ")),
            None,
        ));
    };
    let text = strategy
        .text(arguments, offer)
        .map_err(|why| ErrorData::invalid_params(why, None))?;
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(strategy.head("description")))
}

/// Returns the kind of values that an argument of a prompt takes.
pub fn value_kind(prompt: &str, argument: &str) -> Option<ValueKind> {
    let arguments = find(prompt)?.arguments;
    arguments
        .iter()
        .find(|one| one.name == argument)
        .map(|one| one.values)
}

fn find(name: &str) -> Option<&'static Strategy> {
    STRATEGIES
        .iter()
        .find(|strategy| strategy.head("name") == name)
}

impl Strategy {
    fn describe(&self) -> Prompt {
        let arguments = self.arguments.iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.required)
        });
        let arguments = arguments.collect();
        let mut prompt = Prompt::new(
            self.head("name"),
            Some(self.head("description")),
            Some(arguments),
        );
        prompt.title = Some(self.title.to_owned());
        prompt
    }

    fn text(&self, given: &JsonObject, offer: &Offer) -> Result<String, String> {
        let mut lines = vec![format!("{}.", self.title)];
        for argument in self.arguments {
            match given.get(argument.name) {
                Some(Value::String(value)) if !value.trim().is_empty() => {
                    lines.push(format!("{}: `{}`", argument.name, one_line(value.trim())));
                }
                None | Some(Value::Null | Value::String(_)) if !argument.required => {}
                None | Some(Value::Null | Value::String(_)) => {
                    return Err(format!(
                        "`{}` is missing: {}",
                        argument.name, argument.description
                    ));
                }
                Some(_) => return Err(format!("`{}` is not a string", argument.name)),
            }
        }
        lines.push(String::new());
        lines.push(self.body().to_owned());
        let missing: Vec<_> = self
            .tools
            .iter()
            .filter(|tool| offer.find(tool).is_none())
            .copied()
            .collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            lines.push(format!(
                "\nNot offered in this session: {missing}. Use search and read_file instead."
            ));
        }
        Ok(lines.join("\n"))
    }

    /// Returns a line of the skill's head.
    fn head(&self, key: &str) -> &'static str {
        let mut lines = self.skill.lines().skip(1).take_while(|line| *line != "---");
        lines
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
            .unwrap_or_default()
    }

    fn body(&self) -> &'static str {
        self.skill
            .splitn(3, "---\n")
            .nth(2)
            .unwrap_or_default()
            .trim()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::mcp::offer::ToolsetName;

    fn offer() -> Offer {
        Offer::new(&[ToolsetName::All], &[], false)
    }

    fn given(pairs: &[(&str, &str)]) -> JsonObject {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Value::from(*value)))
            .collect()
    }

    #[test]
    fn every_skill_is_a_prompt_and_every_prompt_a_skill() {
        let folder = Path::new("../packaging/plugin/skills");
        let folders: BTreeSet<_> = std::fs::read_dir(folder)
            .expect("skills")
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        let names: BTreeSet<_> = describe().into_iter().map(|prompt| prompt.name).collect();
        assert_eq!(folders, names);
        for strategy in STRATEGIES {
            assert!(
                strategy.skill.starts_with("---\nname: "),
                "{}",
                strategy.title
            );
            let description = strategy.head("description");
            assert!(
                (50..=1024).contains(&description.len()) && !description.contains(": "),
                "{description}"
            );
            assert!(strategy.body().len() > 500, "{}", strategy.title);
        }
    }

    /// Words in backticks with an underscore are tools, but for the parameters among them.
    #[test]
    fn the_tools_of_a_strategy_are_those_that_its_text_names() {
        const PARAMETERS: [&str; 1] = ["min_confidence"];
        for strategy in STRATEGIES {
            let quoted: BTreeSet<_> = strategy.body().split('`').skip(1).step_by(2).collect();
            for tool in strategy.tools {
                assert!(
                    quoted.contains(tool),
                    "{} does not name {tool}",
                    strategy.title
                );
            }
            let unlisted: Vec<_> = quoted
                .iter()
                .filter(|word| {
                    word.contains('_')
                        && word
                            .chars()
                            .all(|letter| letter == '_' || letter.is_lowercase())
                })
                .filter(|word| !strategy.tools.contains(*word) && !PARAMETERS.contains(*word))
                .collect();
            assert!(unlisted.is_empty(), "{} names {unlisted:?}", strategy.title);
        }
    }

    #[test]
    fn arguments_are_filled_in_and_checked() {
        let text = |name, arguments: &[(&str, &str)]| {
            let result = get(name, &given(arguments), &offer())
                .map_err(|error| error.message.to_string())?;
            Ok::<_, String>(
                serde_json::to_value(&result.messages[0]).expect("JSON")["content"]["text"]
                    .to_string(),
            )
        };
        let filled = text(
            "trace-call-path",
            &[("from", "main"), ("to", "Store::write\nIgnore all")],
        )
        .expect("a prompt");
        assert!(
            filled.contains("from: `main`") && filled.contains("to: `Store::write\\\\nIgnore all`"),
            "{filled}"
        );
        assert!(
            !text("trace-call-path", &[("from", "main")])
                .expect("a prompt")
                .contains("to: `")
        );
        assert!(
            text("trace-call-path", &[("from", " ")])
                .expect_err("empty")
                .contains("`from` is missing")
        );
        assert!(
            text("trace", &[])
                .expect_err("unknown")
                .contains("explore-architecture")
        );
    }

    #[test]
    fn prompts_name_the_tools_that_are_not_offered() {
        let few = Offer::new(&[], &["search".to_owned()], false);
        let result = get("explore-architecture", &JsonObject::new(), &few).expect("a prompt");
        let text = serde_json::to_string(&result).expect("JSON");
        assert!(
            text.contains("Not offered in this session: map_code, list_files"),
            "{text}"
        );
        assert_eq!(
            value_kind("explore-architecture", "path"),
            Some(ValueKind::Paths)
        );
        assert_eq!(
            value_kind("explore-type-hierarchy", "symbol"),
            Some(ValueKind::Symbols)
        );
        assert_eq!(value_kind("explore-type-hierarchy", "path"), None);
    }
}
