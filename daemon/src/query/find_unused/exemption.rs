//! Symbols that may be in use although nothing uses them by name: a framework, the language or a supertype calls them.

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::find_unused::LeftOutReason;

use crate::extract::facts::Symbol;
use crate::graph::{Graph, SymbolId};
use crate::index::path_words::PathConvention;
use crate::lang::conventions::MAIN;
use crate::lang::families::Feature;
use crate::lang::{NameRules, SIGILS, conventions};
use crate::query::shared::graph_root::GraphRoot;
use crate::search::text_cache::TextCache;

/// Lines above a symbol that are read for decorators, and above a method for the head of its block.
const LINES_ABOVE: u32 = 12;

pub struct Exemptions<'a> {
    graph: &'a Graph<'a>,
    texts: TextCache<'a>,
}

impl<'a> Exemptions<'a> {
    pub fn new(graph: &'a Graph<'a>, root: &'a GraphRoot<'_>) -> Self {
        Self {
            graph,
            texts: root.texts(),
        }
    }

    pub fn reason(&self, at: SymbolId) -> Option<LeftOutReason> {
        let graph = self.graph;
        let conventions = graph.file(at.file).path_words().conventions;
        let is_copy = [PathConvention::Copy, PathConvention::Declaration]
            .iter()
            .any(|one| conventions.contains(*one));
        if is_copy {
            return Some(LeftOutReason::Copy);
        }
        if graph.tests().is_test(at) || conventions.contains(PathConvention::Example) {
            return Some(LeftOutReason::Test);
        }
        let symbol = graph.symbol(at);
        let naming = graph
            .file(at.file)
            .language
            .and_then(|language| language.facts.as_ref());
        let family = graph.rules(at.file).map(|rules| rules.family);
        let is_operator = !symbol.name.starts_with(|sign: char| {
            sign.is_alphabetic() || sign == '_' || SIGILS.contains(&sign)
        });
        let holds_main = || {
            let mut symbols = graph.file(at.file).outline.symbols.iter();
            symbol.kind.is_type()
                && symbols
                    .any(|one| one.parent == Some(at.symbol) && one.name.eq_ignore_ascii_case(MAIN))
        };
        if is_operator
            || holds_main()
            || graph.is_used_without_name(at)
            || conventions::is_entry_point(&symbol.name)
            || family.is_some_and(|family| family.calls_by_name(&symbol.name))
        {
            return Some(LeftOutReason::EntryPoint);
        }
        if naming.is_some_and(|facts| facts.naming.has_override_modifier(&symbol.signature))
            || graph.may_be_dispatched(at)
            || self.is_method_of_foreign(at)
            || self.may_be_required(at)
            || self.is_in_trait_block(at, symbol)
        {
            return Some(LeftOutReason::Override);
        }
        (self.is_written_elsewhere(at) || self.is_decorated(at, symbol))
            .then_some(LeftOutReason::Decorated)
    }

    /// Returns whether a symbol is a function that is used where it is written: `return function open() { … }`.
    pub fn is_used_in_place(&self, at: SymbolId) -> bool {
        let Some(rules) = self.rules_with(at, Feature::FunctionExpressions) else {
            return false;
        };
        let symbol = self.graph.symbol(at);
        let text = self.texts.file(at.file as usize);
        text.is_some_and(|text| {
            let place = text.line_start(symbol.name_line) + symbol.name_column as usize;
            let before = text.whole().get(..place);
            before.is_some_and(|before| rules.family.is_function_expression(before))
        })
    }

    /// Returns whether code of the same file may call a function by a name that it computes: `"${step}_pass"`.
    pub fn may_be_called_by_computed_name(&self, at: SymbolId) -> bool {
        let Some(rules) = self.rules_with(at, Feature::ComputedCommands) else {
            return false;
        };
        let symbol = self.graph.symbol(at);
        let text = self.texts.file(at.file as usize);
        text.is_some_and(|text| {
            let mut lines = text.whole().lines();
            lines.any(|line| rules.family.may_call(line, &symbol.name))
        })
    }

    /// Returns the rules for the language of a function, if it has a feature.
    fn rules_with(&self, at: SymbolId, feature: Feature) -> Option<&'a NameRules> {
        let is_callable = self.graph.symbol(at).kind.is_callable();
        let rules = self.graph.rules(at.file).filter(|_| is_callable);
        rules.filter(|rules| rules.has(feature))
    }

    /// Returns whether a type in another may be one that a supertype of it requires: `typealias InboundIn` in a handler.
    fn may_be_required(&self, at: SymbolId) -> bool {
        let members = self.graph.members();
        let owner = Some(at).filter(|at| self.graph.symbol(*at).kind == SymbolKind::Alias);
        owner.and_then(|at| members.owner(at)).is_some_and(|owner| {
            !members.has_known_supertypes(owner)
                || self.graph.symbol(owner).kind == SymbolKind::Interface
                || !members.overridden(at).is_empty()
        })
    }

    /// Returns whether a method may be called by other code through a supertype from outside the root, or through an object
    /// that has no type: `defineConfig({ onLog() {} })`, `object : OutputStream()`.
    fn is_method_of_foreign(&self, at: SymbolId) -> bool {
        let owner = self.graph.members().owner(at);
        let is_method = self.graph.symbol(at).kind == SymbolKind::Method;
        let rules = self.graph.rules(at.file);
        // In these languages a block names the trait that it implements. Methods in other blocks are the type's own:
        // `impl Store`.
        let has_blocks = rules.is_some_and(|rules| rules.has(Feature::ImplBlocks));
        is_method
            && !has_blocks
            && owner.is_none_or(|owner| !self.graph.members().has_known_supertypes(owner))
    }

    /// Returns whether a method is in a block that implements a trait: `impl Display for Store`.
    fn is_in_trait_block(&self, at: SymbolId, symbol: &Symbol) -> bool {
        let file = self.graph.file(at.file);
        let rules = self.graph.rules(at.file);
        let has_blocks = rules.is_some_and(|rules| rules.has(Feature::ImplBlocks));
        let Some(scope) = symbol.scope.as_deref().filter(|_| has_blocks) else {
            return false;
        };
        // The block around the method is found by indentation. A block that implements a trait has a relation at the lines of
        // its head; other blocks have none.
        let Some(text) = self.texts.file(at.file as usize) else {
            return false;
        };
        let lines: Vec<(u32, &str)> = text.lines(1, symbol.start_line).collect();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own = lines.last().map_or(0, |(_, line)| indent(line));
        let is_outer = |line: &str| !line.trim().is_empty() && indent(line) < own;
        let mut above = lines.iter().rev().skip(1);
        let Some((last, _)) = above.find(|(_, line)| is_outer(line)) else {
            return false;
        };
        let head = lines[..*last as usize]
            .iter()
            .rev()
            .take(LINES_ABOVE as usize);
        let ends = |line: &str| line.trim().is_empty() || line.trim_end().ends_with(['}', ';']);
        let first = head
            .take_while(|(_, line)| !ends(line))
            .last()
            .map_or(*last, |(first, _)| *first);
        file.outline
            .relations
            .iter()
            .any(|relation| (first..=*last).contains(&relation.line) && *relation.subject == *scope)
    }

    /// Returns whether a function is code that a macro adds to the modules that use it: `quote do def open() … end`.
    fn is_written_elsewhere(&self, at: SymbolId) -> bool {
        let graph = self.graph;
        let rules = graph.rules(at.file);
        let is_code = |kind: SymbolKind| kind.is_callable() || kind == SymbolKind::Macro;
        rules.is_some_and(|rules| rules.has(Feature::QuotedDefinitions))
            && (graph.parent(at)).is_some_and(|around| is_code(graph.symbol(around).kind))
    }

    /// Returns whether a decorator, an attribute or an annotation is before a symbol, which may register it: `@app.route("/")`,
    /// `#[no_mangle]`, `[Fact]`.
    fn is_decorated(&self, at: SymbolId, symbol: &Symbol) -> bool {
        let Some(text) = self.texts.file(at.file as usize) else {
            return false;
        };
        let family = self.graph.rules(at.file).map(|rules| rules.family);
        let registers = |line: &str| {
            let word = conventions::decorator(line);
            word.zip(family)
                .is_some_and(|(word, family)| family.is_registered_by(word))
        };
        let from = first_line_above(&self.graph.file(at.file).outline.symbols, at.symbol);
        let lines: Vec<(u32, &str)> = text.lines(from, symbol.name_line).collect();
        let mut before = lines.iter().rev();
        let own = before.next().map_or("", |(_, line)| line.trim_start());
        if conventions::is_exported(own)
            || conventions::decorator(own).is_some_and(conventions::is_registering_decorator)
        {
            return true;
        }
        for (number, line) in before {
            let line = line.trim();
            if registers(line) {
                return true;
            }
            let is_inside = *number >= symbol.start_line;
            if !is_inside && (line.is_empty() || line.ends_with(['}', ';', '{'])) {
                break;
            }
        }
        false
    }
}

/// Returns the first of the lines above a symbol that may be about it, and not about the symbols before it.
fn first_line_above(symbols: &[Symbol], at: u32) -> u32 {
    let start = symbols[at as usize].start_line;
    let above = symbols[..at as usize].iter();
    let above = above.flat_map(|one| [one.name_line, one.end_line]);
    let above = above.filter(|line| *line < start).max();
    (above.unwrap_or_default() + 1).max(start.saturating_sub(LINES_ABOVE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;
    use crate::search::text_cache::FileText;
    use crate::source::beneath::RootDir;

    #[test]
    fn the_lines_above_a_symbol_begin_below_the_symbol_before_it() {
        let elixir = "defmodule A do\n  @size 3\n  def go(x), do: x\n  defp dead(x), do: x\n\n  @impl true\n  def run(x), do: x\nend\n";
        let ruby = "class A\n  def open\n    @size = 1\n  end\n  private def dead\n  end\nend\n";
        let python = "def a(): pass\n\n@app.route('/')\ndef run(): pass\n";
        for (language, text, name, expected) in [
            ("elixir", elixir, "go", 3),
            ("elixir", elixir, "dead", 4),
            ("elixir", elixir, "run", 5),
            ("ruby", ruby, "dead", 5),
            ("python", python, "run", 2),
        ] {
            let files = Files::new(language, &[("a", text)]);
            let symbols = &files.snapshot.files[0].outline.symbols;
            let at = symbols.iter().position(|one| *one.name == *name);
            let at = u32::try_from(at.expect(name)).expect("few");
            assert_eq!(first_line_above(symbols, at), expected, "{name}");
        }
    }

    /// Returns the names of the symbols of files with a property.
    fn named(
        language: &str,
        texts: &[(&str, &str)],
        has_property: impl Fn(&Exemptions<'_>, SymbolId) -> bool,
    ) -> Vec<String> {
        let files = Files::new(language, texts);
        let graph = Graph::new(&files.snapshot, &files);
        let folder = tempfile::tempdir().expect("a directory");
        let dir = RootDir::open(folder.path(), "project").expect("a root");
        let cache = TextCache::new(&dir, &files.snapshot, 0);
        for (place, (_, text)) in texts.iter().enumerate() {
            cache.insert(place, FileText::from_text(text));
        }
        let exemptions = Exemptions {
            graph: &graph,
            texts: cache,
        };
        let all = (0..)
            .zip(&files.snapshot.files)
            .flat_map(|(file, indexed)| {
                let symbols = (0..).zip(&indexed.outline.symbols);
                symbols.map(move |(symbol, _)| SymbolId { file, symbol })
            });
        let found = all.filter(|at| has_property(&exemptions, *at));
        found.map(|at| graph.symbol(at).name.to_string()).collect()
    }

    #[test]
    fn a_function_expression_is_used_where_it_is_written() {
        let text = "function plain() {}\nlist.forEach(function each(x) { x(); });\nfunction make() {\n  return function made() {};\n}\n";
        let found = named("javascript", &[("a.js", text)], |all, at| {
            all.is_used_in_place(at)
        });
        assert_eq!(found, ["each", "made"]);
    }

    #[test]
    fn a_function_of_a_shell_may_be_called_by_a_computed_name() {
        let text = "IFS=,\nfirst_pass() {\n  :\n}\nother() {\n  :\n}\nfor pass in first; do\n  \"${pass}_pass\" \"$@\"\ndone\n";
        let files = [("a.sh", text)];
        let found = named("bash", &files, |all, at| {
            all.may_be_called_by_computed_name(at)
        });
        assert_eq!(found, ["first_pass"]);
        let found = named("bash", &files, |all, at| all.reason(at).is_some());
        assert_eq!(found, ["IFS"]);
    }

    #[test]
    fn members_that_a_protocol_or_an_interface_names_may_be_used_through_it() {
        let swift = "protocol Handler {\n  associatedtype InboundIn\n}\nclass Echo: Handler {\n  typealias InboundIn = Int\n  typealias Other = Int\n}\n";
        let found = named("swift", &[("a.swift", swift)], |all, at| {
            all.may_be_required(at)
        });
        assert_eq!(found, ["InboundIn", "InboundIn"]);
        let python = "class IStore:\n    def open(path): pass\n\n@implementer(IStore)\nclass Store:\n    def open(self, path): pass\n    def dead(self): pass\n";
        let found = named("python", &[("a.py", python)], |all, at| {
            all.reason(at) == Some(LeftOutReason::Override)
        });
        assert_eq!(found, ["open", "open"]);
        let foreign = "@implementer(IStore)\nclass Store:\n    def open(self, path): pass\n\nclass Plain:\n    def dead(self): pass\n";
        let found = named("python", &[("a.py", foreign)], |all, at| {
            all.reason(at) == Some(LeftOutReason::Override)
        });
        assert_eq!(found, ["open"]);
    }
}
