//! Queries with the places that answer them, one JSON object a line, and which folder of a repository is indexed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub id: String,
    pub repo: String,
    pub language: String,
    pub category: String,
    pub text: String,
    pub targets: Vec<Target>,
}

/// A place that answers a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Relative to the repository.
    pub path: String,
    pub grade: Grade,
    /// First and last line; none for the whole file.
    pub span: Option<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    Relevant,
    /// Useful beside what is relevant.
    Secondary,
}

/// Parses the queries of a file's text. An error names the line and what is wrong with it.
pub fn parse(text: &str) -> Result<Vec<Query>, String> {
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| query(line).map_err(|error| format!("line {}: {error}", at + 1)))
        .collect()
}

fn query(line: &str) -> Result<Query, String> {
    let object: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |value: &Value, key: &str| {
        value[key]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| format!("`{key}` is not a text"))
    };
    let targets = object["targets"]
        .as_array()
        .filter(|targets| !targets.is_empty())
        .ok_or("there are no targets")?;
    let target = |value: &Value| {
        let grade = match value["grade"].as_str() {
            Some("relevant") => Grade::Relevant,
            Some("secondary") => Grade::Secondary,
            _ => return Err("`grade` is neither relevant nor secondary".to_owned()),
        };
        let span = match (value["start"].as_u64(), value["end"].as_u64()) {
            (Some(start), Some(end)) => Some((start, end)),
            (None, None) => None,
            _ => return Err("`start` and `end` come together".to_owned()),
        };
        Ok(Target {
            path: text(value, "path")?,
            grade,
            span,
        })
    };
    Ok(Query {
        id: text(&object, "id")?,
        repo: text(&object, "repo")?,
        language: text(&object, "language")?,
        category: text(&object, "category")?,
        text: text(&object, "query")?,
        targets: targets.iter().map(target).collect::<Result<_, _>>()?,
    })
}

/// Returns the folder of each repository that is indexed, from a list of objects with `repo` and `index_root`. A repository
/// without one is indexed whole.
pub fn index_roots(text: &str) -> Result<BTreeMap<String, String>, String> {
    let list: Vec<Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let root = |one: &Value| {
        Some((
            one["repo"].as_str()?.to_owned(),
            one["index_root"].as_str()?.to_owned(),
        ))
    };
    Ok(list.iter().filter_map(root).collect())
}

/// Returns the targets that are in none of their repository's folders: a file that is missing, or shorter than its span.
pub fn missing(queries: &[Query], folders_of: impl Fn(&str) -> Vec<PathBuf>) -> Vec<String> {
    let is_there = |folder: &Path, target: &Target| {
        let Ok(text) = std::fs::read(folder.join(&target.path)) else {
            return false;
        };
        let lines = text.split(|byte| *byte == b'\n').count() as u64;
        target
            .span
            .is_none_or(|(start, end)| 1 <= start && start <= end && end <= lines)
    };
    let mut gone = vec![];
    for query in queries {
        let folders = folders_of(&query.repo);
        let absent = query
            .targets
            .iter()
            .filter(|target| !folders.iter().any(|folder| is_there(folder, target)));
        gone.extend(
            absent.map(|target| format!("{}: {} {:?}", query.id, target.path, target.span)),
        );
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_query() {
        let line = r#"{"id":"a/0","repo":"a","language":"go","category":"symbol","query":"Run","targets":
            [{"path":"run.go","grade":"relevant","start":3,"end":9},{"path":"b.go","grade":"secondary"}]}"#
            .replace('\n', " ");
        let queries = parse(&format!("{line}\n\n{line}\n")).expect("valid");
        assert_eq!(queries.len(), 2);
        let Query {
            repo,
            text,
            targets,
            ..
        } = &queries[0];
        assert_eq!((repo.as_str(), text.as_str()), ("a", "Run"));
        assert_eq!(
            targets[0],
            Target {
                path: "run.go".to_owned(),
                grade: Grade::Relevant,
                span: Some((3, 9))
            }
        );
        assert_eq!(
            targets[1],
            Target {
                path: "b.go".to_owned(),
                grade: Grade::Secondary,
                span: None
            }
        );
    }

    #[test]
    fn errors_name_the_line_and_the_field() {
        let whole = r#"{"id":"a/0","repo":"a","language":"go","category":"c","query":"q","targets":[{"path":"p","grade":"relevant"}]}"#;
        for (broken, why) in [
            (
                whole.replace("\"query\"", "\"question\""),
                "line 2: `query` is not a text",
            ),
            (
                whole.replace("relevant", "good"),
                "line 2: `grade` is neither",
            ),
            (
                whole.replace("[{\"path\":\"p\",\"grade\":\"relevant\"}]", "[]"),
                "line 2: there are no targets",
            ),
            (
                whole.replace("\"path\"", "\"start\":1,\"path\""),
                "line 2: `start` and `end` come together",
            ),
        ] {
            let error = parse(&format!("{whole}\n{broken}\n")).expect_err("wrong");
            assert!(error.starts_with(why), "{error}");
        }
    }

    #[test]
    fn a_repository_without_a_folder_is_whole() {
        let map =
            index_roots(r#"[{"repo":"a","index_root":"src"},{"repo":"b","index_root":null}]"#)
                .expect("valid");
        assert_eq!(
            map.into_iter().collect::<Vec<_>>(),
            [("a".to_owned(), "src".to_owned())]
        );
    }
}
