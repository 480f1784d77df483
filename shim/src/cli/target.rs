//! How a person names a symbol: by its name, or by a place in a file.

use claudevil_protocol::answer::graph::text::at;
use claudevil_protocol::answer::graph::{SymbolInfo, SymbolQuery};
use claudevil_protocol::text::{one_line, signature};

use super::RootOption;
use super::terminal::{FAINT, STRONG, Terminal, paint};

#[derive(clap::Args)]
pub struct Target {
    /// Name, plain or qualified, or a place in a file
    #[arg(value_name = "SYMBOL|FILE:LINE")]
    pub symbol: String,
    /// File that picks among symbols of the same name
    #[arg(short = 'f', long, value_name = "FILE")]
    pub context_file: Option<String>,
    #[command(flatten)]
    pub root: RootOption,
}

/// The parameters that name a symbol.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    pub symbol: Option<String>,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub context_file: Option<String>,
}

impl Target {
    pub fn named(&self) -> Named {
        named(&self.symbol, self.context_file.as_deref(), &self.root)
    }
}

pub fn named(given: &str, context_file: Option<&str>, root: &RootOption) -> Named {
    let asked = SymbolQuery::parse(given);
    Named {
        symbol: asked.symbol.map(str::to_owned),
        path: asked.path.map(|path| root.path(path)),
        line: asked.line,
        context_file: context_file.map(|file| root.path(file)),
    }
}

/// One end of a chain, as the daemon takes it.
pub fn end(given: &str, root: &RootOption) -> String {
    match named(given, None, root) {
        Named {
            path: Some(path),
            line: Some(line),
            ..
        } => format!("{path}:{line}"),
        _ => given.to_owned(),
    }
}

/// A symbol in a list: where it is, what, and what else there is to say.
pub fn list_one(symbol: &SymbolInfo, beside: &str, terminal: &mut Terminal) -> std::io::Result<()> {
    let visibility = symbol.visibility.map_or_else(String::new, |visibility| {
        format!("{} ", visibility.as_str())
    });
    let name = paint(STRONG, one_line(&symbol.qualified));
    let item = format!(
        "{}  {visibility}{} {name}",
        at(symbol),
        symbol.kind.as_str()
    );
    let beside = if beside.is_empty() {
        String::new()
    } else {
        paint(FAINT, beside)
    };
    terminal.entry(item, beside)
}

/// The signature below it.
pub fn signature_below(written: &str, terminal: &mut Terminal) -> std::io::Result<()> {
    if written.is_empty() {
        return Ok(());
    }
    terminal.row(format_args!("    {}", paint(FAINT, signature(written))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_taken_from_where_a_person_stands() {
        let here = RootOption { root: None };
        let there = RootOption {
            root: Some("engine".into()),
        };
        let place = named("src/a.rs:12", Some("src/b.rs"), &here);
        assert!(
            place
                .path
                .as_ref()
                .is_some_and(|path| path.ends_with("/src/a.rs") && path.starts_with('/'))
        );
        assert!(
            place.context_file.is_some_and(|path| path.starts_with('/')) && place.line == Some(12)
        );
        assert_eq!(
            named("src/a.rs:12", None, &there).path.as_deref(),
            Some("src/a.rs")
        );
        assert_eq!(
            named("Engine::run", None, &here).symbol.as_deref(),
            Some("Engine::run")
        );
        assert_eq!(end("src/a.rs:12", &there), "src/a.rs:12");
        assert_eq!(end("Engine::run", &here), "Engine::run");
    }
}
