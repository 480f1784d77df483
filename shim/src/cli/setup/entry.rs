//! The entry for a client: how claudevil's MCP server is started, in that client's notation.

use std::path::{Path, PathBuf};

use claudevil_protocol::environment;
use claudevil_protocol::{ErrorCode, ToolError};
use serde_json::{Value, json};

use super::Scope;
use super::clients::Shape;
use crate::cli::installer::{Installer, Runner};

const MCP_SERVER: &str = "claudevil-mcp";
const LANGUAGE_SERVER: &str = "claudevil-lsp";

/// The command that starts the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub command: String,
    /// Arguments before the options of `claudevil-mcp`: those of `npx -y claudevil mcp`.
    pub launcher: Vec<String>,
    /// Options for `claudevil-mcp`; `None` keeps those of an existing entry.
    pub arguments: Option<Vec<String>>,
    pub variables: Vec<(String, String)>,
}

/// One key of an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub key: &'static str,
    pub value: Value,
    pub rule: Rule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Replaces any value.
    Set,
    /// The default, which leaves a person's own choice alone.
    Default,
    /// A list of words that starts the server, whose options are a person's own choice.
    KeepOptions,
}

impl Server {
    /// Makes the command for a client of this user, or for the clients of all users of a project.
    pub fn new(
        scope: &Scope,
        installer: Installer,
        arguments: Option<Vec<String>>,
    ) -> Result<Self, ToolError> {
        let (command, launcher) = match (installer, scope) {
            // The binary lies in a cache: only its runner finds it again.
            (Installer::Runner(runner), _) => launch_by(runner),
            // The file is shared: it cannot name a place on this machine.
            (_, Scope::Project(_)) => (file_name(MCP_SERVER), vec![]),
            (_, Scope::User) => (utf8(&find_program(MCP_SERVER)?)?, vec![]),
        };
        if let Scope::Project(_) = scope {
            return Ok(Self {
                command,
                launcher,
                arguments,
                variables: vec![],
            });
        }
        // Clients pass on little of their environment: a home that only this shell knows has to be written into the entry.
        let moved = environment::variable(environment::HOME_OVERRIDE)
            .and_then(|dir| dir.into_string().ok());
        let variables = moved
            .map(|dir| (environment::HOME_OVERRIDE.to_owned(), dir))
            .into_iter()
            .collect();
        Ok(Self {
            command,
            launcher,
            arguments,
            variables,
        })
    }

    /// Returns the keys of an entry in a client's notation.
    pub fn fields(&self, shape: Shape) -> Vec<Field> {
        let options = self.arguments.iter().flatten();
        let arguments: Vec<_> = self.launcher.iter().chain(options).collect();
        let choice = if self.arguments.is_some() {
            Rule::Set
        } else {
            Rule::KeepOptions
        };
        let field = |key, value, rule| Field { key, value, rule };
        let mut fields = match shape {
            Shape::Plain => vec![],
            Shape::Typed => vec![field("type", json!("stdio"), Rule::Set)],
            Shape::OneList => vec![field("type", json!("local"), Rule::Set)],
        };
        let variables_key = if shape == Shape::OneList {
            let list: Vec<_> = std::iter::once(&self.command).chain(arguments).collect();
            fields.push(field("command", json!(list), choice));
            fields.push(field("enabled", json!(true), Rule::Default));
            "environment"
        } else {
            fields.push(field("command", json!(self.command), Rule::Set));
            fields.push(field("args", json!(arguments), choice));
            "env"
        };
        if !self.variables.is_empty() {
            let variables = self
                .variables
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)));
            fields.push(field(
                variables_key,
                Value::Object(variables.collect()),
                Rule::Default,
            ));
        }
        fields
    }
}

/// Returns the fields that an entry lacks or has with other values.
pub fn differing(fields: &[Field], existing: &Value) -> Vec<Field> {
    let mut fields = fields.to_vec();
    fields.retain_mut(|field| match (existing.get(field.key), field.rule) {
        (None, _) => true,
        (Some(_), Rule::Default) => false,
        (Some(there), Rule::KeepOptions) => {
            if let (Value::Array(words), Value::Array(there)) = (&mut field.value, there) {
                let is_command_too = field.key == "command";
                words.extend(server_options(there, is_command_too).iter().cloned());
            }
            *there != field.value
        }
        (Some(there), Rule::Set) => *there != field.value,
    });
    fields
}

/// Returns the options of the server in a list of words: `--read-only` in `-y claudevil mcp --read-only`.
fn server_options(words: &[Value], is_command_too: bool) -> &[Value] {
    let is_package = |word: &Value| {
        let name = word.as_str().and_then(|word| word.split(['@', '=']).next());
        name == Some("claudevil")
    };
    let launched = words
        .windows(2)
        .position(|pair| is_package(&pair[0]) && pair[1] == "mcp");
    let skipped = launched.map_or(usize::from(is_command_too), |at| at + 2);
    words.get(skipped..).unwrap_or_default()
}

fn launch_by(runner: Runner) -> (String, Vec<String>) {
    let mut words = runner.words().iter().map(|&word| word.to_owned());
    let command = words.next().unwrap_or_default();
    (command, words.chain(["mcp".to_owned()]).collect())
}

fn utf8(path: &Path) -> Result<String, ToolError> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        ToolError::invalid_argument(format!(
            "{} is not valid UTF-8 and cannot be written into a client's configuration",
            path.display()
        ))
    })
}

/// Returns the command of the language server, for an editor of this user.
pub fn language_server(installer: Installer) -> Result<String, ToolError> {
    if let Installer::Runner(runner) = installer {
        let message = "claudevil-lsp is in the cache of a package runner, where editors will not find it again";
        return Err(ToolError::new(ErrorCode::FileNotFound, message)
            .with_hint(format!("{} first", runner.lasting_installation())));
    }
    utf8(&find_program(LANGUAGE_SERVER)?)
}

fn file_name(program: &str) -> String {
    format!("{program}{}", std::env::consts::EXE_SUFFIX)
}

/// Returns the path of a program of ours that is least likely to move: clients see no shell's `PATH`.
fn find_program(program: &str) -> Result<PathBuf, ToolError> {
    let name = file_name(program);
    let search = environment::variable("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&search)
        .map(|dir| dir.join(&name))
        .find(|path| path.is_file());
    let beside = std::env::current_exe()
        .ok()
        .map(|own| own.with_file_name(&name))
        .filter(|path| path.is_file());
    choose(on_path, beside).ok_or_else(|| {
        ToolError::new(
            ErrorCode::FileNotFound,
            format!("{name} is neither beside claudevil nor on PATH"),
        )
        .with_hint("install all binaries together")
    })
}

/// Prefers the link that a package manager puts on `PATH`, if it leads to the same file: it outlives versions.
fn choose(on_path: Option<PathBuf>, beside: Option<PathBuf>) -> Option<PathBuf> {
    let (Some(on_path), Some(beside)) = (&on_path, &beside) else {
        return beside.or(on_path);
    };
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let is_same = on_path.is_absolute() && real(on_path) == real(beside);
    Some(if is_same {
        on_path.clone()
    } else {
        beside.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Server {
        Server {
            command: "/bin/claudevil-mcp".into(),
            launcher: vec![],
            arguments: None,
            variables: vec![("A".into(), "b".into())],
        }
    }

    fn entry(shape: Shape) -> Value {
        server()
            .fields(shape)
            .into_iter()
            .map(|field| (field.key.to_owned(), field.value))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    #[test]
    fn each_shape_says_the_same() {
        assert_eq!(
            entry(Shape::Plain),
            json!({ "command": "/bin/claudevil-mcp", "args": [], "env": { "A": "b" } })
        );
        assert_eq!(
            entry(Shape::Typed),
            json!({ "type": "stdio", "command": "/bin/claudevil-mcp", "args": [], "env": { "A": "b" } })
        );
        assert_eq!(
            entry(Shape::OneList),
            json!({ "type": "local", "command": ["/bin/claudevil-mcp"], "enabled": true, "environment": { "A": "b" } })
        );
    }

    #[test]
    fn fields_that_a_person_chose_are_kept() {
        let keys = |shape, existing: Value| {
            let differing = differing(&server().fields(shape), &existing);
            differing
                .into_iter()
                .map(|field| (field.key, field.value))
                .collect::<Vec<_>>()
        };
        let chosen = json!({ "command": "/bin/claudevil-mcp", "args": ["--read-only"], "env": {}, "disabled": true });
        assert_eq!(keys(Shape::Plain, chosen.clone()), []);
        assert_eq!(keys(Shape::Typed, chosen), [("type", json!("stdio"))]);
        let moved = json!({ "type": "local", "command": ["/old", "--read-only"], "enabled": false, "environment": {} });
        assert_eq!(
            keys(Shape::OneList, moved),
            [("command", json!(["/bin/claudevil-mcp", "--read-only"]))]
        );
        let named = Server {
            arguments: Some(vec!["--toolsets".into(), "all".into()]),
            ..server()
        };
        let changed = differing(
            &named.fields(Shape::Plain),
            &json!({ "command": "/bin/claudevil-mcp", "args": [], "env": {} }),
        );
        assert_eq!(
            changed
                .into_iter()
                .map(|field| field.key)
                .collect::<Vec<_>>(),
            ["args"]
        );
    }

    #[test]
    fn a_runner_starts_the_server_from_its_cache_and_options_survive_a_change_of_installation() {
        let scope = Scope::Project("/project".into());
        let server = Server::new(&scope, Installer::Runner(Runner::Uvx), None).expect("a server");
        let fields = |server: &Server, shape| server.fields(shape);
        let entry = |fields: &[Field], key| {
            let field = fields.iter().find(|field| field.key == key);
            field.map(|field| field.value.clone())
        };
        let plain = fields(&server, Shape::Plain);
        assert_eq!(entry(&plain, "command"), Some(json!("uvx")));
        assert_eq!(entry(&plain, "args"), Some(json!(["claudevil", "mcp"])));
        let installed = json!({ "command": "/bin/claudevil-mcp", "args": ["--read-only"] });
        let changed = differing(&plain, &installed);
        assert_eq!(
            entry(&changed, "args"),
            Some(json!(["claudevil", "mcp", "--read-only"]))
        );
        let run =
            json!({ "command": "npx", "args": ["-y", "claudevil@0.1.0", "mcp", "--read-only"] });
        let back = Server::new(&scope, Installer::Files, None).expect("a server");
        let changed = differing(&fields(&back, Shape::Plain), &run);
        assert_eq!(entry(&changed, "args"), Some(json!(["--read-only"])));
        let run = json!({ "type": "local", "command": ["uvx", "claudevil", "mcp", "--read-only"], "enabled": true });
        assert_eq!(differing(&fields(&server, Shape::OneList), &run), []);
        let changed = differing(&fields(&back, Shape::OneList), &run);
        assert_eq!(
            entry(&changed, "command"),
            Some(json!([file_name(MCP_SERVER), "--read-only"]))
        );
    }

    #[test]
    fn a_link_on_the_path_is_preferred_to_the_file_behind_it() {
        let scratch = tempfile::tempdir().expect("a folder");
        let [real, other] = ["real", "other"].map(|name| {
            let path = scratch.path().join(name);
            std::fs::write(&path, name).expect("written");
            path
        });
        #[cfg(unix)]
        {
            let link = scratch.path().join("link");
            std::os::unix::fs::symlink(&real, &link).expect("linked");
            assert_eq!(choose(Some(link.clone()), Some(real.clone())), Some(link));
        }
        assert_eq!(choose(Some(other.clone()), Some(real.clone())), Some(real));
        assert_eq!(choose(Some(other.clone()), None), Some(other));
    }
}
