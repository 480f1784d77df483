//! The text beside a name: signature, documentation, certainty and location.

use claudevil_protocol::editor::{EditorAnswer, EditorQuestion, HoverInfo};
use claudevil_protocol::text::fence;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use super::{ask_at, expect_answer};
use crate::lsp::convert;
use crate::lsp::message::RpcError;
use crate::lsp::session::Session;

pub async fn hover(session: &Session, params: HoverParams) -> Result<Option<Hover>, RpcError> {
    let at = &params.text_document_position_params;
    let answer = ask_at(session, at, EditorQuestion::Hover).await?;
    let Some(info) = expect_answer!(answer, EditorAnswer::Hover) else {
        return Ok(None);
    };
    let (kind, value) = if session.support.markdown_hover {
        (MarkupKind::Markdown, markdown(&info))
    } else {
        (MarkupKind::PlainText, plain_text(&info))
    };
    Ok(Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind, value }),
        range: Some(convert::range(info.range)),
    }))
}

fn markdown(info: &HoverInfo) -> String {
    let mut parts = vec![];
    if let Some(symbol) = &info.symbol {
        let fence = fence([symbol.signature.as_str()]);
        let language = &symbol.language;
        let code = declaration(info);
        parts.push(format!("{fence}{language}\n{code}\n{fence}"));
        if !symbol.documentation.is_empty() {
            parts.push(symbol.documentation.clone());
        }
    }
    parts.push(format!("_{}_", certainty(info)));
    parts.join("\n\n")
}

fn plain_text(info: &HoverInfo) -> String {
    let mut parts = vec![];
    if let Some(symbol) = &info.symbol {
        parts.push(declaration(info));
        if !symbol.documentation.is_empty() {
            parts.push(symbol.documentation.clone());
        }
    }
    parts.push(certainty(info));
    parts.join("\n\n")
}

/// Returns the signature, or the kind and name of a symbol without one.
fn declaration(info: &HoverInfo) -> String {
    match &info.symbol {
        Some(symbol) if symbol.signature.is_empty() => {
            format!("{} {}", symbol.kind.as_str(), symbol.qualified)
        }
        Some(symbol) => symbol.signature.clone(),
        None => info.name.clone(),
    }
}

/// Says what the name means, where that is, and how sure it is: `Engine::run, src/engine.rs:12, resolved`.
fn certainty(info: &HoverInfo) -> String {
    let Some(symbol) = &info.symbol else {
        return format!("{}: a local name", info.name);
    };
    let several = match info.candidates {
        0 | 1 => String::new(),
        candidates => format!(", one of {candidates}"),
    };
    let reason = match info.reason.as_str() {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    format!(
        "{}, {}, {}{several}{reason}",
        symbol.qualified,
        symbol.location,
        info.resolution.as_str()
    )
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::answer::graph::Resolution;
    use claudevil_protocol::answer::symbol::SymbolKind;
    use claudevil_protocol::editor::{HoverSymbol, TextRange};

    use super::*;

    #[test]
    fn a_hover_shows_signature_documentation_and_certainty() {
        let symbol = HoverSymbol {
            qualified: "Engine::run".to_owned(),
            kind: SymbolKind::Method,
            signature: "pub fn run(&self) -> u32".to_owned(),
            documentation: "Runs once.".to_owned(),
            language: "rust".to_owned(),
            location: "src/engine.rs:12".to_owned(),
        };
        let info = HoverInfo {
            range: TextRange::default(),
            name: "run".to_owned(),
            symbol: Some(symbol),
            candidates: 2,
            resolution: Resolution::Ambiguous,
            reason: "by the receiver's type".to_owned(),
        };
        assert_eq!(
            markdown(&info),
            "```rust\npub fn run(&self) -> u32\n```\n\nRuns once.\n\n_Engine::run, src/engine.rs:12, ambiguous, one of 2: by the receiver's type_"
        );
        let local = HoverInfo {
            symbol: None,
            ..info.clone()
        };
        assert_eq!(plain_text(&local), "run: a local name");
        let fenced = HoverInfo {
            symbol: info.symbol.map(|symbol| HoverSymbol {
                signature: "a ``` b".to_owned(),
                ..symbol
            }),
            ..local
        };
        assert!(markdown(&fenced).starts_with("````rust\na ``` b\n````\n"));
    }
}
