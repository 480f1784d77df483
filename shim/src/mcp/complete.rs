//! Completions of a prompt's symbols and paths, and of the names of projects.
//!
//! A person is typing, so a slow or failed query yields no completions rather than an error.

use std::time::Duration;

use claudevil_protocol::call::Project;
use claudevil_protocol::client::{CallOptions, Client};
use claudevil_protocol::tools::find_symbol::{FindSymbol, SymbolMatch};
use claudevil_protocol::tools::index_status::IndexStatus;
use claudevil_protocol::tools::list_files::{ListFiles, PatternType};
use rmcp::model::{CompletionInfo, Reference};

use super::prompts::{self, ValueKind};
use super::resources;
use crate::pattern::escaped;

const TIMEOUT: Duration = Duration::from_secs(2);
/// The most that the protocol allows.
const MOST: u32 = 100;

impl ValueKind {
    pub fn for_argument(reference: &Reference, argument: &str) -> Option<Self> {
        match reference {
            Reference::Prompt(prompt) => prompts::value_kind(&prompt.name, argument),
            Reference::Resource(template) => {
                (resources::is_template(&template.uri) && argument == "root").then_some(Self::Roots)
            }
            _ => None,
        }
    }

    /// Returns the possible values, and their total number.
    pub async fn answer(
        self,
        typed: &str,
        project: Option<Project>,
        client: &Client,
    ) -> CompletionInfo {
        let asked = async {
            match self {
                Self::Symbols => symbols(typed, project, client).await,
                Self::Paths => paths(typed, project, client).await,
                Self::Roots => roots(typed, client).await,
            }
        };
        let found = tokio::time::timeout(TIMEOUT, asked).await.ok().flatten();
        let (values, total) = found.unwrap_or_default();
        let has_more = total > u64::try_from(values.len()).unwrap_or(u64::MAX);
        CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more)
            .unwrap_or_default()
    }
}

/// Possible values, and their total number.
type Completions = (Vec<String>, u64);

async fn symbols(typed: &str, project: Option<Project>, client: &Client) -> Option<Completions> {
    if typed.is_empty() {
        return None;
    }
    let starting = |matching| FindSymbol {
        name: typed.to_owned(),
        matching: Some(matching),
        limit: Some(MOST),
        ..FindSymbol::default()
    };
    let asking = || CallOptions {
        project: project.clone(),
        progress: None,
    };
    let found = match Box::pin(client.ask(asking(), starting(SymbolMatch::Prefix))).await {
        Ok(found) => found,
        Err(_) => Box::pin(client.ask(asking(), starting(SymbolMatch::Substring)))
            .await
            .ok()?,
    };
    let mut names: Vec<_> = found
        .symbols
        .into_iter()
        .map(|symbol| symbol.qualified)
        .collect();
    // Overloads have one name.
    let before = names.len();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    let dropped = u64::try_from(before - names.len()).unwrap_or_default();
    Some((names, found.total.saturating_sub(dropped)))
}

async fn paths(typed: &str, project: Option<Project>, client: &Client) -> Option<Completions> {
    let pattern = (!typed.is_empty()).then(|| format!("(?i){}", escaped(typed)));
    let params = ListFiles {
        pattern_type: pattern.as_ref().map(|_| PatternType::Regex),
        pattern,
        limit: Some(MOST),
        ..ListFiles::default()
    };
    let found = Box::pin(client.ask(
        CallOptions {
            project,
            progress: None,
        },
        params,
    ))
    .await
    .ok()?;
    let mut paths: Vec<_> = found.files.into_iter().map(|file| file.path).collect();
    let typed = typed.to_lowercase();
    // Paths that begin with the typed text come before those that merely contain it.
    paths.sort_by_key(|path| !path.to_lowercase().starts_with(&typed));
    Some((paths, found.total))
}

async fn roots(typed: &str, client: &Client) -> Option<Completions> {
    let status = Box::pin(client.ask(CallOptions::default(), IndexStatus::default()))
        .await
        .ok()?;
    let mut names: Vec<_> = status.roots.into_iter().map(|root| root.name).collect();
    let typed = typed.to_lowercase();
    names.retain(|name| name.to_lowercase().contains(&typed));
    names.truncate(100);
    let total = u64::try_from(names.len()).unwrap_or_default();
    Some((names, total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_completed() {
        let prompt = Reference::for_prompt;
        assert_eq!(
            ValueKind::for_argument(&prompt("trace-call-path"), "from"),
            Some(ValueKind::Symbols)
        );
        assert_eq!(
            ValueKind::for_argument(&prompt("explore-architecture"), "path"),
            Some(ValueKind::Paths)
        );
        assert_eq!(
            ValueKind::for_argument(&prompt("explore-architecture"), "from"),
            None
        );
        assert_eq!(ValueKind::for_argument(&prompt("nonsense"), "path"), None);
        let resource = Reference::for_resource;
        assert_eq!(
            ValueKind::for_argument(&resource("claudevil://roots/{root}/map"), "root"),
            Some(ValueKind::Roots)
        );
        assert_eq!(
            ValueKind::for_argument(&resource("claudevil://roots/{root}/map"), "path"),
            None
        );
        assert_eq!(
            ValueKind::for_argument(&resource("file:///{path}"), "root"),
            None
        );
    }
}
