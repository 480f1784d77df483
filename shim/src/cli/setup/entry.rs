//! The entry for a client: how claudevil's MCP server is started, in that client's notation.

use std::path::{Path, PathBuf};

use claudevil_protocol::environment;
use claudevil_protocol::{ErrorCode, ToolError};
use serde_json::{Value, json};

use super::Scope;
use super::clients::Shape;

/// The command that starts the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub command: String,
    /// `None` keeps the arguments of an existing entry.
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
    /// Whatever is there is replaced.
    Set,
    /// The default, which leaves a person's own choice alone.
    Default,
}

impl Server {
    /// Makes the command for a client of this user, or for anybody's client in a project.
    pub fn new(scope: &Scope, arguments: Option<Vec<String>>) -> Result<Self, ToolError> {
        let Scope::User = scope else {
            // The file is shared: it cannot name a place on this machine.
            return Ok(Self {
                command: name(),
                arguments,
                variables: vec![],
            });
        };
        let command = binary()?;
        let command = command.to_str().map(str::to_owned).ok_or_else(|| {
            ToolError::invalid_argument(format!(
                "{} is not UTF-8, which no client can be told",
                command.display()
            ))
        })?;
        // Clients pass on little of their environment: a place that only this shell knows has to be written down.
        let moved = environment::variable(environment::HOME_OVERRIDE)
            .and_then(|dir| dir.into_string().ok());
        let variables = moved
            .map(|dir| (environment::HOME_OVERRIDE.to_owned(), dir))
            .into_iter()
            .collect();
        Ok(Self {
            command,
            arguments,
            variables,
        })
    }

    /// Returns the keys of an entry in a client's notation.
    pub fn fields(&self, shape: Shape) -> Vec<Field> {
        let arguments = self.arguments.clone().unwrap_or_default();
        let choice = if self.arguments.is_some() {
            Rule::Set
        } else {
            Rule::Default
        };
        let field = |key, value, rule| Field { key, value, rule };
        let mut fields = match shape {
            Shape::Plain => vec![],
            Shape::Typed => vec![field("type", json!("stdio"), Rule::Set)],
            Shape::OneList => vec![field("type", json!("local"), Rule::Set)],
        };
        let variables_key = if shape == Shape::OneList {
            let list: Vec<_> = std::iter::once(&self.command).chain(&arguments).collect();
            fields.push(field("command", json!(list), Rule::Set));
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
    fields.retain_mut(|field| match existing.get(field.key) {
        None => true,
        Some(there) => {
            // Where command and arguments are one list, only its head is ours.
            if let (Value::Array(wanted), Value::Array(there)) = (&mut field.value, there)
                && field.key == "command"
                && wanted.len() == 1
            {
                wanted.extend(there.iter().skip(1).cloned());
            }
            field.rule == Rule::Set && *there != field.value
        }
    });
    fields
}

fn name() -> String {
    format!("claudevil-mcp{}", std::env::consts::EXE_SUFFIX)
}

/// Returns the path of the server's binary that is least likely to move: clients see no shell's `PATH`.
fn binary() -> Result<PathBuf, ToolError> {
    let search = environment::variable("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&search)
        .map(|dir| dir.join(name()))
        .find(|path| path.is_file());
    let beside = std::env::current_exe()
        .ok()
        .map(|own| own.with_file_name(name()))
        .filter(|path| path.is_file());
    choose(on_path, beside).ok_or_else(|| {
        ToolError::new(
            ErrorCode::FileNotFound,
            format!("{} is neither beside claudevil nor on PATH", name()),
        )
        .with_hint("install all three binaries together")
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
    fn what_a_person_chose_stays() {
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
