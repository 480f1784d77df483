//! Pages that show a call graph or a map in a browser: one file each, without a server and without a network.
//!
//! Names and source are untrusted data and never markup: they are embedded as JSON that cannot end its element, the script
//! writes them as text, and the page's content security policy allows only its own script and style, and no address at all.

mod calls;
mod folders;
mod source;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use claudevil_protocol::error::at;
use claudevil_protocol::text::escape::escape_json;
use serde::Serialize;
use sha2::{Digest, Sha256};

pub use calls::{call_graph_page, page_depth};
pub use folders::map_page;
use source::SourceRange;
pub use source::add_sources;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// In the order of dependencies: the last script starts the page.
const SCRIPT: &str = concat!(
    "\"use strict\";\n",
    include_str!("page/layout.js"),
    include_str!("page/model.js"),
    include_str!("page/view.js"),
    include_str!("page/picture.js"),
    include_str!("page/card.js"),
    include_str!("page/list.js"),
    include_str!("page/page.js"),
);

/// The data of a page, as its script reads it.
#[derive(Serialize)]
pub struct Page {
    kind: PageKind,
    title: String,
    summary: String,
    /// Parts that were left out, and gaps that the answer may have.
    notes: Vec<String>,
    /// Levels that the picture shows at first.
    depth: u32,
    nodes: Vec<PageNode>,
    edges: Vec<PageEdge>,
    /// Lines of files, by path.
    sources: BTreeMap<String, Vec<SourceRange>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum PageKind {
    Calls,
    Map,
}

/// A symbol, a file or a folder. Edges name it by its place in the list.
#[derive(Default, Serialize)]
struct PageNode {
    name: String,
    kind: &'static str,
    path: String,
    /// The line of its name; 0 for a file or a folder.
    line: u32,
    start_line: u32,
    end_line: u32,
    signature: String,
    /// Documentation of a symbol; size of a file or a folder.
    detail: String,
    is_test: bool,
    /// True for a node that was asked about.
    is_start: bool,
    /// Nodes of more weight get their source first.
    #[serde(skip)]
    weight: u32,
}

/// `from` calls `to`, or contains it.
#[derive(Serialize)]
struct PageEdge {
    from: usize,
    to: usize,
    resolution: &'static str,
    lines: Vec<u32>,
    is_cycle: bool,
}

impl Page {
    /// Writes the page as HTML.
    pub fn html(&self) -> String {
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'; \
             require-trusted-types-for 'script'; trusted-types 'none'",
            hash_source(SCRIPT),
            hash_source(STYLE),
        );
        let data = embeddable_json(&serde_json::to_string(self).unwrap_or_default());
        let value = |name: &str| match name {
            "policy" => policy.clone(),
            "title" => escape_markup(&self.title),
            "style" => STYLE.to_owned(),
            "data" => data.clone(),
            "script" => SCRIPT.to_owned(),
            _ => String::new(),
        };
        fill(TEMPLATE, value)
    }
}

/// Replaces each `{{name}}` of a template. Placeholders within values are not replaced.
fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut parts = template.split("{{");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or(("", part));
        filled.push_str(&value(name));
        filled.push_str(rest);
    }
    filled
}

/// Returns the source expression of a content security policy that allows one inline element.
fn hash_source(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content)))
}

/// Returns equivalent JSON without any character that could end its element or begin another.
fn embeddable_json(json: &str) -> String {
    escape_json(json)
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// Escapes text for an element or an attribute of HTML or XML, and drops characters that XML forbids.
pub fn escape_markup(text: &str) -> String {
    let is_allowed = |letter: &char| !matches!(letter, '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    text.chars()
        .filter(is_allowed)
        .fold(String::with_capacity(text.len()), |mut safe, letter| {
            match letter {
                '&' => safe.push_str("&amp;"),
                '<' => safe.push_str("&lt;"),
                '>' => safe.push_str("&gt;"),
                '"' => safe.push_str("&quot;"),
                '\'' => safe.push_str("&#39;"),
                letter => safe.push(letter),
            }
            safe
        })
}

/// Writes a page to the file that was named, or to a new one. Returns its path.
pub fn write_page(html: &str, file: Option<PathBuf>) -> io::Result<PathBuf> {
    let Some(file) = file else {
        return write_aside(html, "html");
    };
    std::fs::write(&file, html).map_err(|error| at(&file, &error))?;
    Ok(file)
}

/// Writes a picture or a page to a new file that no other program can have put there.
pub fn write_aside(content: &str, extension: &str) -> io::Result<PathBuf> {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let name = format!("claudevil-{}-{since}.{extension}", std::process::id());
    let file = std::env::temp_dir().join(name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(&file)
        .and_then(|mut made| made.write_all(content.as_bytes()))
        .map_err(|error| at(&file, &error))?;
    Ok(file)
}

/// Opens a file in the system's viewer, without waiting for it.
pub fn open_in_viewer(file: &Path) -> io::Result<()> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.spawn() {
        Ok(_) => Ok(()),
        Err(error) => Err(io::Error::new(
            error.kind(),
            format!("{program} cannot show {}: {error}", file.display()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str =
        "</script><img src=x onerror=alert(1)><!--<script>{{script}}\u{2028}\u{202e}&lt;\"'";

    fn hostile_page() -> Page {
        let node = PageNode {
            name: HOSTILE.to_owned(),
            kind: "function",
            path: HOSTILE.to_owned(),
            signature: HOSTILE.to_owned(),
            detail: HOSTILE.to_owned(),
            is_start: true,
            ..PageNode::default()
        };
        let range = SourceRange {
            start: 1,
            lines: vec![HOSTILE.to_owned()],
        };
        Page {
            kind: PageKind::Calls,
            title: HOSTILE.to_owned(),
            summary: HOSTILE.to_owned(),
            notes: vec![HOSTILE.to_owned()],
            depth: 1,
            nodes: vec![node],
            edges: vec![],
            sources: BTreeMap::from([(HOSTILE.to_owned(), vec![range])]),
        }
    }

    /// Returns the text between two marks.
    fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
        let (_, rest) = text.split_once(start).expect(start);
        rest.split_once(end).expect(end).0
    }

    #[test]
    fn names_and_source_cannot_leave_the_data_of_a_page() {
        let html = hostile_page().html();
        let data = between(&html, "id=\"data\">", "</script>");
        assert!(
            !data.contains(['<', '>', '&', '\u{2028}', '\u{202e}']),
            "{data}"
        );
        let read: serde_json::Value = serde_json::from_str(data).expect("JSON");
        for text in [
            &read["title"],
            &read["summary"],
            &read["notes"][0],
            &read["nodes"][0]["name"],
            &read["nodes"][0]["detail"],
            &read["sources"][HOSTILE][0]["lines"][0],
        ] {
            assert_eq!(text, HOSTILE, "the value is unchanged");
        }
        let title = between(&html, "<title>", "</title>");
        assert!(!title.contains(['<', '>', '"']), "{title}");
        let without_data = html.replacen(data, "", 1).replacen(title, "", 1);
        assert!(
            !without_data.contains("onerror"),
            "nothing of it is elsewhere"
        );
        assert_eq!(html.matches("<script").count(), 2);
        assert_eq!(html.matches("</script").count(), 2);
    }

    #[test]
    fn the_policy_allows_the_script_and_the_style_of_the_page_and_nothing_else() {
        let html = hostile_page().html();
        let policy = between(&html, "Content-Security-Policy\" content=\"", "\"");
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(
            !policy.contains("unsafe") && !policy.contains("http"),
            "{policy}"
        );
        for content in [
            between(&html, "<style>", "</style>"),
            between(&html, "<script>", "</script>"),
        ] {
            assert!(policy.contains(&hash_source(content)), "{policy}");
        }
        assert!(
            !html.contains("{{po") && !html.contains("style=\""),
            "nothing is left unfilled"
        );
    }

    #[test]
    fn a_page_names_no_address_and_writes_no_markup() {
        let own = [TEMPLATE, STYLE, SCRIPT].concat();
        let addresses = own.matches("://").count();
        let namespaces = own.matches("\"http://www.w3.org/2000/svg\"").count();
        assert_eq!(addresses, namespaces, "only the namespace of SVG");
        for sink in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "@import",
            "url(h",
        ] {
            assert!(!own.contains(sink), "{sink}");
        }
    }

    #[test]
    fn values_of_a_template_are_not_filled_again() {
        let filled = fill("a {{x}} b {{y}} c", |name| format!("<{{{{{name}}}}}>"));
        assert_eq!(filled, "a <{{x}}> b <{{y}}> c");
    }
}
