//! A project's map and status as resources, for clients that let people attach them, and its files, for clients that
//! follow the links of answers.
//!
//! The list of resources does not depend on the daemon; their contents do.

use claudevil_protocol::call::Project;
use claudevil_protocol::client::{CallOptions, Client};
use claudevil_protocol::text::tokens::MAX_TOKENS;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::index_status::IndexStatus;
use claudevil_protocol::tools::map_code::MapCode;
use claudevil_protocol::tools::read_file::ReadFile;
use claudevil_protocol::{ErrorCode, ToolError};
use rmcp::model::{Resource, ResourceTemplate};

use crate::project::decoded;

const SCHEME: &str = "claudevil://";
const TYPE: &str = "text/plain";
/// Bytes of the longest file that is read whole.
const LONGEST_FILE: usize = 1 << 20;

/// A resource of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Map,
    Status,
}

const PARTS: [(Part, &str, &str, &str); 2] = [
    (
        Part::Map,
        "map",
        "Map of the code",
        "Folders, files and signatures, the most connected first",
    ),
    (
        Part::Status,
        "status",
        "State of the index",
        "How far it is indexed, counts, languages, what was skipped",
    ),
];

/// A part of a project: of the session's own, or of one that is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceAddress {
    pub part: Part,
    pub root: Option<String>,
}

impl ResourceAddress {
    /// Parses an address. Returns `None` for one that is not ours.
    pub fn parse(uri: &str) -> Option<Self> {
        let path = uri.strip_prefix(SCHEME)?;
        let (root, part) = match path.strip_prefix("roots/") {
            Some(rest) => {
                let (root, part) = rest.rsplit_once('/')?;
                (Some(decoded(root).filter(|root| !root.is_empty())?), part)
            }
            None => (None, path.strip_prefix("project/")?),
        };
        let (part, ..) = PARTS.into_iter().find(|(_, name, ..)| *name == part)?;
        Some(Self { part, root })
    }

    pub fn map(self) -> MapCode {
        MapCode {
            root: self.root,
            ..MapCode::default()
        }
    }

    /// Asks for the status of the named project, or else of the session's own: never of all.
    pub fn status(self, own: Option<String>) -> IndexStatus {
        IndexStatus {
            root: self.root.or(own),
            ..IndexStatus::default()
        }
    }
}

pub fn list() -> Vec<Resource> {
    let resource = |(_, name, title, description)| {
        Resource::new(format!("{SCHEME}project/{name}"), name)
            .with_title(title)
            .with_description(format!("{description}, of this session's project"))
            .with_mime_type(TYPE)
    };
    PARTS.into_iter().map(resource).collect()
}

pub fn templates() -> Vec<ResourceTemplate> {
    let template = |(_, name, title, description)| {
        ResourceTemplate::new(
            format!("{SCHEME}roots/{{root}}/{name}"),
            format!("root-{name}"),
        )
        .with_title(format!("{title} of a project"))
        .with_description(format!("{description}; `root` is its name or its path"))
        .with_mime_type(TYPE)
    };
    PARTS.into_iter().map(template).collect()
}

/// Reads all lines of a file of the project, as it is on disk.
pub async fn read_file(
    client: &Client,
    project: Option<Project>,
    path: String,
) -> Result<String, ToolError> {
    let mut text = String::new();
    let mut start_line = None;
    loop {
        let options = CallOptions {
            project: project.clone(),
            progress: None,
        };
        let params = ReadFile {
            path: Some(path.clone()),
            start_line,
            max_tokens: Some(MAX_TOKENS),
            ..ReadFile::default()
        };
        let part = client.ask(options, params).await?;
        for line in &part.lines {
            text.push_str(line);
            text.push('\n');
        }
        start_line = part.next_line;
        if start_line.is_none() && part.last_line_cut_from.is_none() {
            return Ok(text);
        }
        if part.last_line_cut_from.is_some() || text.len() > LONGEST_FILE {
            let message = format!("{} is too large for a resource", part.path);
            let hint = Line::from(NextCall::new(ReadFile::NAME).with("path", &part.path));
            return Err(ToolError::new(ErrorCode::TooLarge, message)
                .with_hint(hint.text(" shows some of its lines")));
        }
    }
}

/// Returns whether an address is one of our templates, whose variables can be completed.
pub fn is_template(uri: &str) -> bool {
    templates()
        .iter()
        .any(|template| template.uri_template == uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_part_of_a_project() {
        let parsed = |uri| ResourceAddress::parse(uri).map(|wanted| (wanted.part, wanted.root));
        for resource in list() {
            assert!(
                ResourceAddress::parse(&resource.uri).is_some_and(|wanted| wanted.root.is_none()),
                "{}",
                resource.uri
            );
        }
        assert_eq!(
            parsed("claudevil://roots/engine/status"),
            Some((Part::Status, Some("engine".into())))
        );
        assert_eq!(
            parsed("claudevil://roots/%2Fcode%2Fmy%20engine/map"),
            Some((Part::Map, Some("/code/my engine".into())))
        );
        assert_eq!(
            parsed("claudevil://roots//code/engine/map"),
            Some((Part::Map, Some("/code/engine".into())))
        );
        for wrong in [
            "claudevil://project/files",
            "claudevil://roots//map",
            "claudevil://roots/a",
            "file:///etc/passwd",
            "",
            "map",
        ] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
        assert!(
            is_template("claudevil://roots/{root}/map") && !is_template("claudevil://project/map")
        );
    }

    #[test]
    fn the_status_is_of_one_project() {
        let own = ResourceAddress {
            part: Part::Status,
            root: None,
        };
        assert_eq!(
            own.clone().status(Some("/work".into())).root.as_deref(),
            Some("/work")
        );
        let other = ResourceAddress {
            root: Some("engine".into()),
            ..own
        };
        assert_eq!(
            other.status(Some("/work".into())).root.as_deref(),
            Some("engine")
        );
    }
}
