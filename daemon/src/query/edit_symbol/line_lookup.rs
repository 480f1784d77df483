//! The symbol that a line of a file means: also a line of its comments and attributes, but not a line between its members.

use claudevil_protocol::answer::graph::SymbolQuery;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::{ErrorCode, ToolError};

use super::same_span;
use crate::extract::facts::Symbol;
use crate::extract::spans::{FileSpans, SymbolSpan};
use crate::graph::{Graph, SymbolId};
use crate::lang::conventions::BLOCK_ENDS;
use crate::query::shared::edited_file::{EditedFile, ParseSpans};
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::symbol_lookup::shown_candidates;

/// The meaning of a line.
#[derive(Debug, PartialEq, Eq)]
enum LineTarget {
    /// The index of a symbol.
    Symbol(usize),
    /// A line between the members of a symbol, with the members directly before and behind it.
    BetweenMembers {
        around: usize,
        near: Vec<usize>,
    },
    Nothing,
}

/// Returns the symbol that an edit means.
pub fn find(
    root: &GraphRoot<'_>,
    graph: &Graph<'_>,
    query: SymbolQuery<'_>,
    parse: &ParseSpans<'_>,
) -> Result<SymbolId, ToolError> {
    let found = root.find_to_change(graph, query);
    let (None, Some(path), Some(line)) = (query.symbol, query.path, query.line) else {
        return found;
    };
    let is_other_error = |error: &ToolError| error.code != ErrorCode::SymbolNotFound;
    if found.as_ref().is_err_and(is_other_error) {
        return found;
    }
    let path = root.indexed.path(Some(path))?;
    let Some(number) = graph.file_number(&path) else {
        return found;
    };
    let file = EditedFile::open(root, &path, parse)?;
    let symbols = &graph.file(number).outline.symbols;
    let indexed = |at: usize| {
        let spans = &file.spans.symbols;
        let is_same = |(place, one): &(u32, &Symbol)| {
            one.name == spans[at].name && same_span(symbols, *place as usize, spans) == Some(at)
        };
        let (symbol, _) = (0..).zip(symbols).find(is_same)?;
        Some(SymbolId {
            file: number,
            symbol,
        })
    };
    match target(&file.text, &file.spans, line) {
        LineTarget::Symbol(at) => indexed(at).map_or(found, Ok),
        LineTarget::Nothing => found,
        LineTarget::BetweenMembers { around, near } => {
            let name = &file.spans.symbols[around].name;
            let message = format!(
                "{path}:{line} is inside `{name}` but not in any member; nothing was changed"
            );
            let near: Vec<SymbolId> = near.into_iter().filter_map(indexed).collect();
            Err(ToolError::new(ErrorCode::SymbolNotFound, message)
                .with_candidates(shown_candidates(graph, &near))
                .with_hint(format!(
                    "give the line or the name of a member, or the name `{name}`"
                )))
        }
    }
}

/// Returns the meaning of a line, counted from 1.
fn target(text: &str, spans: &FileSpans, line: u32) -> LineTarget {
    let line_of = |at: u32| {
        let before = &text.as_bytes()[..(at as usize).min(text.len())];
        memchr::memchr_iter(b'\n', before).count() + 1
    };
    let wanted = line as usize;
    let all = || spans.symbols.iter().enumerate();
    let lines = |symbol: &SymbolSpan| {
        let last = symbol.line_end.max(symbol.definition.1).saturating_sub(1);
        line_of(symbol.whole.0)..=line_of(last)
    };
    let named = all().find(|(_, symbol)| line_of(symbol.name_at) == wanted);
    let starting = || all().find(|(_, symbol)| line_of(symbol.definition.0) == wanted);
    if let Some((at, _)) = named.or_else(starting) {
        return LineTarget::Symbol(at);
    }
    let Some((around, symbol)) = all()
        .rev()
        .find(|(_, symbol)| lines(symbol).contains(&wanted))
    else {
        return LineTarget::Nothing;
    };
    if !(symbol.kind.is_type() || symbol.kind == SymbolKind::Module) {
        return LineTarget::Symbol(around);
    }
    let own_line = text.split('\n').nth(wanted - 1).unwrap_or_default().trim();
    let body = symbol.body.map_or(symbol.name_at, |body| body.0);
    let is_docstring = symbol.docstring.is_some_and(|(start, end)| {
        (line_of(start)..=line_of(end.saturating_sub(1))).contains(&wanted)
    });
    let is_end =
        wanted == *lines(symbol).end() && BLOCK_ENDS.iter().any(|end| own_line.starts_with(end));
    let begins_body = text[..body as usize]
        .rsplit('\n')
        .next()
        .is_some_and(|before| before.trim().is_empty() && !before.is_empty());
    let first = line_of(body) + usize::from(!begins_body);
    let is_comment_above = wanted < first && symbol.body.is_some();
    if wanted < line_of(symbol.name_at)
        || is_docstring
        || is_end
        || is_comment_above && !own_line.is_empty()
    {
        return LineTarget::Symbol(around);
    }
    let members = || {
        let parent = u32::try_from(around).ok();
        all().filter(move |(_, one)| one.parent == parent)
    };
    let before = members().rfind(|(_, one)| line_of(one.name_at) < wanted);
    let behind = members().find(|(_, one)| line_of(one.name_at) > wanted);
    LineTarget::BetweenMembers {
        around,
        near: before.into_iter().chain(behind).map(|(at, _)| at).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::spans::spans;
    use crate::lang;

    /// Returns the names that the lines of a text mean; those between members in parentheses.
    fn targets(language: &str, text: &str) -> Vec<String> {
        let language = lang::by_name(language).expect("a language");
        let spans = spans(language, text);
        let name = |at: &usize| spans.symbols[*at].name.to_string();
        let lines = 1..=u32::try_from(text.lines().count()).expect("few lines");
        let targets = lines.map(|line| match target(text, &spans, line) {
            LineTarget::Symbol(at) => name(&at),
            LineTarget::BetweenMembers { near, .. } => {
                format!("({})", near.iter().map(name).collect::<Vec<_>>().join(" "))
            }
            LineTarget::Nothing => String::new(),
        });
        targets.collect()
    }

    #[test]
    fn a_line_of_documentation_means_its_symbol() {
        let text = "class A {\n    int x;\n\n    /**\n     * Doc.\n     */\n    @Dep\n    void f() {\n    }\n}\n";
        let expected = ["A", "x", "(x f)", "f", "f", "f", "f", "f", "f", "A"];
        assert_eq!(targets("java", text), expected);
        let text = "class B:\n    \"\"\"Doc.\"\"\"\n    x = 1\n\n    # about f\n    @deco\n    def f(self):\n        return 1\n";
        let expected = ["B", "B", "x", "(x f)", "f", "f", "f", "f"];
        assert_eq!(targets("python", text), expected);
    }

    #[test]
    fn a_line_between_members_means_no_symbol() {
        let text = "export class C {\n  x = 1;\n\n  // section\n\n  static { g(); }\n  f() {}\n}\n";
        let expected = ["C", "x", "(x f)", "(x f)", "(x f)", "(x f)", "f", "C"];
        assert_eq!(targets("typescript", text), expected);
        let text = "# top\n\nclass A\n  def f\n  end\n\nend\n";
        let expected = ["", "", "A", "f", "f", "(f)", "A"];
        assert_eq!(targets("ruby", text), expected);
    }
}
