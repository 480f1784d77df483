//! Plans the rename of a parameter or a local variable.
//!
//! Variables with the same name in one block are renamed together, along with those that an inner block assigns. Languages
//! differ in whether `x = 2` there assigns the outer variable or shadows it; if both are renamed, the program stays the same
//! in either case.

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::{ErrorCode, ToolError};

use super::classify::Verdict;
use super::identifier::check_identifier;
use super::name_search::{NamePattern, WordMatch};
use super::plan::{PlannedEdit, RenamePlan};
use super::source_cache::{SourceCache, SourceText};
use super::syntax::{FieldSyntax, closing_bracket};
use super::unreadable;
use crate::extract::facts::Role;
use crate::graph::{Graph, Outcome, Position, SymbolId, Use, Uses};
use crate::lang::{Naming, SIGILS};
use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;

const NOT_KNOWN: Verdict = Verdict::Doubt {
    confidence: 0.3,
    reason: "it is not known what is meant here",
};
const UNRESOLVED_CALL: &str = "the argument of a call that is not resolved";

/// A local name, by the position that introduces it.
#[derive(Clone, Copy)]
pub struct LocalName<'a> {
    pub file: u32,
    pub name: &'a str,
    pub binding: (u32, u32),
}

/// Plans the rename of a local name. Doubtful places are among the edits.
pub fn plan_local_rename(
    context: &Context,
    root: &GraphRoot<'_>,
    local: LocalName<'_>,
    new_name: &str,
) -> Result<RenamePlan, ToolError> {
    let graph = root.graph();
    let texts = root.texts();
    let sources = SourceCache::new(&graph, &texts);
    let uses = graph.uses(local.file);
    let path = &graph.file(local.file).path;
    let source = sources.open(local.file).ok_or_else(|| unreadable(path))?;
    let bindings = bindings_of_variable(&uses, &source, local);
    let Some(own) = bindings.first().copied() else {
        return Err(ToolError::invalid_argument(format!(
            "it is not known where `{}` is introduced; nothing was changed",
            local.name
        )));
    };
    let (name, new_name) = (bare(local.name), bare(new_name));
    if new_name == name {
        let message = format!("it is already called `{name}`");
        return Err(ToolError::invalid_argument(message));
    }
    check_identifier(&graph, local.file, SymbolKind::Variable, name, new_name)?;
    let rename = LocalRename {
        graph: &graph,
        uses: &uses,
        source: &source,
        naming: sources.naming(local.file),
        local,
        own,
        bindings,
    };
    rename.refuse_field()?;
    rename.refuse_taken(new_name)?;
    let mut edits = rename.edits_in_function(new_name);
    if let Some(function) = rename.function_of_parameter() {
        root.indexed.refuse_incomplete()?;
        edits.extend(rename.edits_of_arguments(context, function, &sources, new_name)?);
    }
    root.read_errors.check()?;
    edits.sort_by_key(|edit| (edit.file, edit.line, edit.column));
    Ok(RenamePlan {
        edits,
        file_move: None,
    })
}

fn bare(name: &str) -> &str {
    name.trim_start_matches(SIGILS)
}

/// Returns the binding at a position, followed by the other bindings of the same variable.
fn bindings_of_variable(uses: &Uses, source: &SourceText, local: LocalName<'_>) -> Vec<Use> {
    let all = uses.named(local.name).filter(|row| row.role == Role::Bind);
    let mut rest: Vec<Use> = all.copied().collect();
    let Some(own) = rest
        .iter()
        .position(|row| (row.line, row.column) == local.binding)
    else {
        return vec![];
    };
    let mut group = vec![rest.swap_remove(own)];
    rest.retain(|row| row.symbol == group[0].symbol);
    let is_same = |one: &Use, other: &Use| match (uses.extent(one), uses.extent(other)) {
        (None, None) => true,
        (None, Some(_)) => is_assignment(source, other),
        (Some(_), None) => is_assignment(source, one),
        (Some(scope), Some(of_other)) => {
            scope.is_of_block(of_other)
                || scope.encloses(of_other) && is_assignment(source, other)
                || of_other.encloses(scope) && is_assignment(source, one)
        }
    };
    let mut next = 0;
    while let Some(known) = group.get(next).copied() {
        next += 1;
        let (near, far): (Vec<Use>, Vec<Use>) =
            rest.into_iter().partition(|row| is_same(&known, row));
        group.extend(near);
        rest = far;
    }
    group
}

/// Returns whether a binding is a plain assignment, which may assign a variable of an outer block: `size = 2`, but not
/// `let size = 2`, `size := 2` or the variable of a loop.
fn is_assignment(source: &SourceText, row: &Use) -> bool {
    let Some(at) = source.offset(row.line, row.column) else {
        return true;
    };
    let (before, after) = source.code().split_at(at);
    let statement = before.rsplit(['\n', ';', '{']).next().unwrap_or_default();
    let line = after.lines().next().unwrap_or_default();
    let value = line.split_once('=');
    statement.trim().is_empty() && value.is_some_and(|(names, _)| !names.ends_with(':'))
}

struct LocalRename<'a> {
    graph: &'a Graph<'a>,
    uses: &'a Uses,
    source: &'a SourceText,
    naming: Option<&'static Naming>,
    local: LocalName<'a>,
    own: Use,
    bindings: Vec<Use>,
}

impl LocalRename<'_> {
    /// Refuses a field of a type without a name, whose values may be used in other functions: `struct { size int }`.
    fn refuse_field(&self) -> Result<(), ToolError> {
        let rules = self.graph.rules(self.local.file);
        let keyword = rules.and_then(|rules| rules.family.anonymous_type());
        let at = self.source.offset(self.own.line, self.own.column);
        let before = at.map_or("", |at| &self.source.code()[..at]);
        if keyword.is_some_and(|keyword| is_in_body(before, keyword)) {
            return Err(ToolError::invalid_argument(format!(
                "`{}` is a field of a type without a name, and not all of its uses are known; nothing was changed",
                self.local.name
            )));
        }
        Ok(())
    }

    /// Refuses a name that the function uses already: one of the two would hide the other.
    fn refuse_taken(&self, new_name: &str) -> Result<(), ToolError> {
        let symbols = &self.graph.file(self.local.file).outline.symbols;
        let is_inside = |row: &Use| {
            let mut around =
                std::iter::successors(row.symbol, |at| symbols.get(*at as usize)?.parent);
            self.own.symbol.is_none_or(|own| around.any(|at| at == own))
        };
        let sigil = &self.local.name[..self.local.name.len() - bare(self.local.name).len()];
        let taken = format!("{sigil}{new_name}");
        let used = self
            .uses
            .named(&taken)
            .find(|row| self.uses.qualifier(row).is_none() && is_inside(row));
        let Some(used) = used else { return Ok(()) };
        Err(ToolError::new(
            ErrorCode::InvalidArgument,
            format!(
                "`{new_name}` is used in the same function, on line {}; nothing was changed",
                used.line
            ),
        ))
    }

    /// Returns the edits of all words of the name in the function.
    fn edits_in_function(&self, new_name: &str) -> Vec<PlannedEdit> {
        let name = bare(self.local.name);
        let pattern = NamePattern::new(name, self.naming);
        let symbols = &self.graph.file(self.local.file).outline.symbols;
        let function = self.own.symbol.and_then(|at| symbols.get(at as usize));
        let is_inside = |word: &WordMatch| {
            function.is_none_or(|one| (one.start_line..=one.end_line).contains(&word.line))
        };
        let words = pattern.find_all(self.source.text()).into_iter();
        words
            .filter(is_inside)
            .filter_map(|word| self.edit(word, name, new_name))
            .collect()
    }

    fn edit(&self, word: WordMatch, name: &str, new_name: &str) -> Option<PlannedEdit> {
        let row = self.row_at(word);
        let verdict = match row {
            Some(row) => self.judge_use(row, word)?,
            None => self.judge_word(word)?,
        };
        let naming = self.naming.filter(|naming| naming.shorthand_fields);
        let syntax = naming.map_or(FieldSyntax::None, |naming| {
            FieldSyntax::read(self.source.code(), word.offset, name.len(), naming)
        });
        // The replaced text includes modifiers: `ref mut size` becomes `size: ref mut width`.
        let (start, new_text) = match syntax {
            FieldSyntax::Key { .. } => return None,
            FieldSyntax::Shorthand { start, .. } => {
                let modifiers = &self.source.text()[start..word.offset];
                (start, format!("{name}: {modifiers}{new_name}"))
            }
            FieldSyntax::None => (word.offset, new_name.to_owned()),
        };
        Some(PlannedEdit {
            file: self.local.file,
            line: self.source.line_of(start),
            column: self.source.column_of(start),
            length: u32::try_from(word.offset + name.len() - start).ok()?,
            new_text,
            doubt: verdict.doubt(),
        })
    }

    /// Returns the use at a word. The use may begin before the word, with a sigil.
    fn row_at(&self, word: WordMatch) -> Option<&Use> {
        let mut rows = self.uses.named(self.local.name);
        rows.find(|row| {
            let begins = self.source.offset(row.line, row.column);
            begins.is_some_and(|begins| {
                (begins..=begins + SIGILS.len()).contains(&word.offset)
                    && bare(&self.source.text()[begins..]).len()
                        == self.source.text().len() - word.offset
            })
        })
    }

    /// Returns the verdict on a use; none if it means something else.
    fn judge_use(&self, row: &Use, word: WordMatch) -> Option<Verdict> {
        let file = self.local.file;
        match self.graph.resolver().resolve(file, self.uses, row) {
            Outcome::Local => {
                let binding = self.graph.resolver().local_binding(file, self.uses, row);
                self.is_renamed(binding).then_some(Verdict::Change)
            }
            Outcome::Unknown
                if self.uses.qualifier(row).is_none()
                    && !self.source.has_receiver(word.offset, self.naming)
                    && row.role != Role::Mention =>
            {
                Some(NOT_KNOWN)
            }
            Outcome::Unknown | Outcome::Targets(_) | Outcome::Foreign => None,
        }
    }

    /// Returns the verdict on a word at which no use is known. None for one in a comment, in a longer name, or in a string,
    /// unless the string interpolates it: `f"{size}"`.
    fn judge_word(&self, word: WordMatch) -> Option<Verdict> {
        let at = u32::try_from(word.offset).ok()?;
        let beside = self.source.non_code();
        if beside.is_comment(at) {
            return None;
        }
        let text = self.source.text();
        let name = bare(self.local.name);
        let (before, after) = (&text[..word.offset], &text[word.offset + name.len()..]);
        if beside.is_string(at) {
            let is_inlined = self.naming.is_some_and(|naming| naming.inline_format)
                && before.ends_with('{')
                && !before.ends_with("{{")
                && after.starts_with(['}', ':']);
            let binding = self.binding_at(self.own.symbol, word.line, word.column);
            return (is_inlined && self.is_renamed(binding)).then_some(Verdict::Change);
        }
        let is_part = self.uses.rows().iter().any(|row| {
            let length = u32::try_from(self.uses.name(row).len()).unwrap_or(u32::MAX);
            row.line == word.line
                && (row.column..row.column.saturating_add(length)).contains(&word.column)
        });
        let is_other = is_part
            || self.source.has_receiver(word.offset, self.naming)
            || is_label(before, after);
        (!is_other).then_some(NOT_KNOWN)
    }

    /// Returns the position of the binding that the name refers to at a place.
    fn binding_at(&self, symbol: Option<u32>, line: u32, column: u32) -> Option<(u32, u32)> {
        let here = Position {
            file: self.local.file,
            symbol,
            line,
            column,
        };
        self.graph.scopes().binding(here, self.local.name)
    }

    fn is_renamed(&self, binding: Option<(u32, u32)>) -> bool {
        let is_it = |one: &Use| Some((one.line, one.column)) == binding;
        self.bindings.iter().any(is_it)
    }

    /// Returns the edits of calls of the function that name the parameter: `open(size=3)`, `open(size: 3)`.
    fn edits_of_arguments(
        &self,
        context: &Context,
        function: SymbolId,
        sources: &SourceCache<'_>,
        new_name: &str,
    ) -> Result<Vec<PlannedEdit>, ToolError> {
        let name = bare(self.local.name);
        let references = self
            .graph
            .references()
            .to_any(&[function], context.cancel)?;
        let mut edits: Vec<PlannedEdit> = vec![];
        for call in references.iter().filter(|one| one.row.role == Role::Call) {
            let uses = self.graph.uses(call.file);
            let source = sources
                .open(call.file)
                .ok_or_else(|| unreadable(&self.graph.file(call.file).path))?;
            let start = source.offset(call.row.line, call.row.column);
            let start = start.map(|start| start + uses.name(&call.row).len());
            let Some((start, end)) = start.and_then(|start| argument_list(source.code(), start))
            else {
                continue;
            };
            let pattern = NamePattern::new(name, sources.naming(call.file));
            let words = pattern.find_all(&source.code()[start..end]).into_iter();
            for at in words.map(|word| start + word.offset) {
                let (before, after) = (&source.code()[..at], &source.code()[at + name.len()..]);
                if !is_label(before, after) || depth(&before[start..]) != 1 {
                    continue;
                }
                let doubt = match call.resolution {
                    Resolution::Resolved => None,
                    _ => Some(UNRESOLVED_CALL),
                };
                edits.push(PlannedEdit {
                    file: call.file,
                    line: source.line_of(at),
                    column: source.column_of(at),
                    length: u32::try_from(name.len()).unwrap_or(0),
                    new_text: new_name.to_owned(),
                    doubt,
                });
            }
        }
        Ok(edits)
    }

    /// Returns the function whose parameter is renamed; none for a variable.
    fn function_of_parameter(&self) -> Option<SymbolId> {
        let function = SymbolId {
            file: self.local.file,
            symbol: self.own.symbol?,
        };
        let symbol = self.graph.symbol(function);
        let name = self.source.offset(symbol.name_line, symbol.name_column)?;
        let (start, end) = argument_list(self.source.code(), name + symbol.name.len())?;
        let binding = self.source.offset(self.own.line, self.own.column)?;
        let is_parameter = symbol.kind.is_callable() && (start..end).contains(&binding);
        is_parameter.then_some(function)
    }
}

/// Returns the bytes from the opening bracket of an argument list to its end. Generic arguments may precede it.
fn argument_list(code: &str, from: usize) -> Option<(usize, usize)> {
    let rest = code.get(from..)?;
    let before = rest.find('(')?;
    let is_near = !rest[..before].contains(['{', '}', ';', ')', '=']);
    let open = from + before;
    let close = closing_bracket(code, open).filter(|_| is_near)?;
    Some((open, close + 1))
}

/// Returns the number of brackets that are open at the end of code.
fn depth(code: &str) -> i32 {
    code.bytes().fold(0, |depth, byte| match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth - 1,
        _ => depth,
    })
}

/// Returns whether the innermost braces at the end of code are the body of a type without a name: `struct { path string; size`.
fn is_in_body(code: &str, keyword: &str) -> bool {
    let mut open = 0;
    let brace = code.bytes().rposition(|byte| {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        open > 0
    });
    brace.is_some_and(|brace| code[..brace].trim_end().ends_with(keyword))
}

/// Returns whether the word between two texts names an argument: `(size: 3`, `, size=3`.
fn is_label(before: &str, after: &str) -> bool {
    let after = after.trim_start();
    let names = after.starts_with(':') && !after.starts_with("::")
        || after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
    names && before.trim_end().ends_with(['(', ','])
}

#[cfg(test)]
mod tests {
    use super::is_in_body;

    #[test]
    fn a_field_of_a_type_without_a_name_is_told_from_a_variable() {
        for (code, expected) in [
            ("row := struct{ ", true),
            ("rows := []struct {\n\tinner struct{ size int }\n\t", true),
            ("row := struct{ size int }{", false),
            ("func run() {\n\tvar ", false),
            ("", false),
        ] {
            assert_eq!(is_in_body(code, "struct"), expected, "{code}");
        }
    }
}
