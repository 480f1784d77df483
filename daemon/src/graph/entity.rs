//! Entities: symbols that are one thing, such as a declaration and its definition, or the parts of a partial class.

use std::collections::HashMap;

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};

use super::{Entities, SymbolId};
use crate::extract::declaration::{Parameter, Parameters};
use crate::extract::facts::Symbol;
use crate::extract::type_expr::{find_name, is_word};
use crate::index::names::namespace_of;
use crate::index::root_paths::folder;
use crate::lang::families::{Family, Feature};
use crate::lang::{ImplicitScope, ModuleSystem, NameRules};

/// The most symbols that are compared pairwise.
const FEW: usize = 8;

impl<'a> Entities<'_, 'a> {
    /// Returns whether all of these are one entity. Hundreds of types of tests may share a name, and two of them suffice to tell.
    pub fn are_one(self, symbols: &[SymbolId]) -> bool {
        symbols
            .split_first()
            .is_none_or(|(first, others)| others.iter().all(|at| self.are_same(*first, *at)))
    }

    /// Returns one symbol for each entity among these.
    pub fn distinct(self, symbols: &[SymbolId]) -> Vec<SymbolId> {
        let mut found: Vec<SymbolId> = vec![];
        if symbols.len() <= FEW {
            for at in symbols {
                if !found.iter().any(|known| self.are_same(*known, *at)) {
                    found.push(*at);
                }
            }
            return found;
        }
        // Thousands of symbols may share a name, so each is compared only with those that may be the same entity.
        let mut in_file: HashMap<u32, Vec<SymbolId>> = HashMap::new();
        let mut elsewhere: HashMap<Vec<&str>, Vec<SymbolId>> = HashMap::new();
        for &at in symbols {
            let beside = in_file.entry(at.file).or_default();
            if beside.iter().any(|known| self.are_same(*known, at)) {
                continue;
            }
            if self.spans_files(at) {
                let alike = elsewhere.entry(self.containers(at).collect()).or_default();
                if alike.iter().any(|known| self.are_same(*known, at)) {
                    continue;
                }
                alike.push(at);
            }
            beside.push(at);
            found.push(at);
        }
        found
    }

    /// Returns whether a symbol can be one entity with symbols of other files.
    pub(super) fn spans_files(self, at: SymbolId) -> bool {
        self.rules(at.file).is_some_and(|rules| {
            rules.modules == ModuleSystem::Include
                || rules.implicit_scope != ImplicitScope::Nothing && self.is_type_or_open_module(at)
        })
    }

    /// Returns whether a symbol is a type, or a module that several files may open: `module Shop` in Ruby.
    fn is_type_or_open_module(self, at: SymbolId) -> bool {
        let kind = self.symbol(at).kind;
        let has_open_modules = |rules: &NameRules| rules.has(Feature::OpenModules);
        kind.is_type()
            || kind == SymbolKind::Module && self.rules(at.file).is_some_and(has_open_modules)
    }

    /// Returns all symbols that are one entity with a symbol, including the symbol itself.
    pub fn declarations(self, at: SymbolId) -> Vec<SymbolId> {
        // Thousands of symbols may share a name, and most entities are in one file.
        let files = if self.spans_files(at) {
            0..self.snapshot.files.len()
        } else {
            at.file as usize..at.file as usize + 1
        };
        let mut all: Vec<SymbolId> = self
            .named_within(&self.symbol(at).name, files)
            .filter(|one| self.are_same(*one, at))
            .collect();
        if all.is_empty() {
            all.push(at);
        }
        all
    }

    /// Returns whether two symbols are one entity.
    pub fn are_same(self, one: SymbolId, other: SymbolId) -> bool {
        if one == other {
            return true;
        }
        if one.file != other.file && !(self.spans_files(one) && self.spans_files(other)) {
            return false;
        }
        let (first, second) = (self.symbol(one), self.symbol(other));
        let has_names = first.name == second.name && !first.is_anonymous();
        if !has_names || !self.same_language_family(one.file, other.file) {
            return false;
        }
        let Some(rules) = self.rules(one.file) else {
            return false;
        };
        let are_types = first.kind.is_type() && second.kind.is_type();
        if are_types && rules.has(Feature::TypesByArity) && arity(first) != arity(second) {
            return false;
        }
        let same_types = || !rules.overloads || has_same_types(first, second);
        let is_field = |at: SymbolId| {
            matches!(
                self.symbol(at).kind,
                SymbolKind::Field | SymbolKind::Property
            )
        };
        if one.file == other.file && is_field(one) && is_field(other) {
            // Declared in the type, and assigned in its constructor.
            return self.members().owner(one).is_some()
                && self.members().owner(one) == self.members().owner(other);
        }
        let scope = |symbol: &'a Symbol| (symbol.parent, &symbol.scope, symbol.closure);
        if one.file == other.file && scope(first) == scope(second) {
            // A redefinition or an overload: one entity in a language that allows only one symbol per name.
            if are_types && rules.has(Feature::CompanionObjects) {
                return true;
            }
            let same = if rules.modules == ModuleSystem::Include {
                same_types()
            } else if rules.has(Feature::FunctionsByArity) {
                are_clauses(rules.family, first, second)
            } else {
                !rules.overloads || are_types || parameter_list(first) == parameter_list(second)
            };
            let merges = |kind| {
                matches!(
                    kind,
                    SymbolKind::Interface | SymbolKind::Alias | SymbolKind::Module
                )
            };
            let are_merged = rules.has(Feature::MergedDeclarations)
                && (merges(first.kind) || merges(second.kind))
                || rules.modules == ModuleSystem::Include && is_tag_with_alias(first, second);
            let are_apart = || self.members().is_static(one) != self.members().is_static(other);
            return first.kind == second.kind && same && !are_apart()
                || first.kind != second.kind && are_merged;
        }
        let are_runs = first.kind.is_callable() && second.kind.is_callable();
        let alike =
            first.kind == second.kind || are_types || are_runs || is_tag_with_alias(first, second);
        match rules.modules {
            ModuleSystem::Include => {
                let hidden = |at: SymbolId| {
                    let symbol = self.symbol(at);
                    symbol.visibility == Some(Visibility::Private)
                        && symbol.parent.is_none()
                        && symbol.scope.is_none()
                };
                let declared = |at: SymbolId| {
                    matches!(
                        self.symbol(at).kind,
                        SymbolKind::Field | SymbolKind::Variant
                    )
                };
                alike
                    && !hidden(one)
                    && !hidden(other)
                    && !declared(one)
                    && self.containers(one).eq(self.containers(other))
                    && same_types()
            }
            _ if are_types || first.kind == second.kind && self.is_type_or_open_module(one) => {
                rules.implicit_scope != ImplicitScope::Nothing
                    && self.containers(one).eq(self.containers(other))
                    && self.scope_key(one) == self.scope_key(other)
            }
            _ => false,
        }
    }

    /// Returns the names of the containers of a symbol, the innermost first.
    pub(super) fn containers(self, at: SymbolId) -> impl Iterator<Item = &'a str> {
        let names = self.file(at.file).containers(self.symbol(at));
        names
            .flat_map(|name| name.rsplit("::"))
            .filter(|part| !part.is_empty())
    }

    /// Returns the scope that distinguishes types with the same name: a file, a folder or a namespace.
    fn scope_key(self, at: SymbolId) -> Option<String> {
        match self.rules(at.file)?.implicit_scope {
            ImplicitScope::Nothing => Some(self.file(at.file).path.clone()),
            ImplicitScope::Folder => Some(folder(&self.file(at.file).path).to_owned()),
            ImplicitScope::Namespace => namespace_of(self.file(at.file), Some(at.symbol)),
            ImplicitScope::Root => None,
        }
    }

    /// Returns the clauses of a function, in their order: `def size([])`, `def size([_ | rest])`. Any other symbol is the only
    /// one.
    pub fn clauses(self, at: SymbolId) -> Vec<SymbolId> {
        if has_arity(self.symbol(at)) && self.has_functions_by_arity(at.file) {
            self.declarations(at)
        } else {
            vec![at]
        }
    }

    pub fn first_clause(self, at: SymbolId) -> SymbolId {
        self.clauses(at).first().copied().unwrap_or(at)
    }

    fn has_functions_by_arity(self, file: u32) -> bool {
        let rules = self.rules(file);
        rules.is_some_and(|rules| rules.has(Feature::FunctionsByArity))
    }

    /// Returns whether a call may have this number of arguments, in a language where functions with other numbers of parameters
    /// are other functions.
    pub fn accepts_arguments(self, at: SymbolId, count: usize) -> bool {
        let Some(rules) = self.rules(at.file) else {
            return true;
        };
        let accepts = |one: &SymbolId| {
            let symbol = self.symbol(*one);
            let accepted = rules.family.accepted_arguments(from_name(symbol));
            !has_arity(symbol) || accepted.is_none_or(|accepted| accepted.contains(&count))
        };
        !rules.has(Feature::FunctionsByArity) || self.clauses(at).iter().any(accepts)
    }

    /// Returns the type with the name of another and this number of type parameters, where they are different types: `Store` and
    /// `Store<T>`.
    pub(super) fn with_arity(self, at: SymbolId, count: usize) -> SymbolId {
        let symbol = self.symbol(at);
        let by_arity = |rules: &NameRules| rules.has(Feature::TypesByArity);
        let is_wanted = |at: SymbolId| {
            let symbol = self.symbol(at);
            symbol.kind.is_type() && arity(symbol) == count
        };
        if !self.rules(at.file).is_some_and(by_arity) || !symbol.kind.is_type() || is_wanted(at) {
            return at;
        }
        let is_beside = |one: &SymbolId| {
            is_wanted(*one)
                && self.same_language_family(one.file, at.file)
                && self.containers(*one).eq(self.containers(at))
                && self.scope_key(*one) == self.scope_key(at)
        };
        self.named(&symbol.name).find(is_beside).unwrap_or(at)
    }

    /// Returns the definition of a declaration: the longest symbol of its entity, or the first clause. A symbol of several lines
    /// counts as a definition, unless it is a prototype.
    pub fn definition(self, at: SymbolId) -> SymbolId {
        if self.has_functions_by_arity(at.file) {
            return self.first_clause(at);
        }
        let has_prototypes = |rules: &NameRules| rules.modules == ModuleSystem::Include;
        let can_be_prototype = || {
            self.symbol(at).kind.is_callable() && self.rules(at.file).is_some_and(has_prototypes)
        };
        let lines = |one: &SymbolId| self.symbol(*one).end_line - self.symbol(*one).start_line;
        let is_long = lines(&at) > 0;
        if is_long && !can_be_prototype() {
            return at;
        }
        let longest = self
            .declarations(at)
            .into_iter()
            .max_by_key(|one| (lines(one), *one == at))
            .unwrap_or(at);
        if is_long && longest != at && !self.is_prototype(at) {
            return at;
        }
        longest
    }

    /// Returns the definitions of a function that code of a file may call: one for each platform, behind one prototype.
    pub fn definitions(self, at: SymbolId, file: u32) -> Vec<SymbolId> {
        let definition = self.definition(at);
        let has_prototypes = |rules: &NameRules| rules.modules == ModuleSystem::Include;
        let is_only_one = !self.symbol(at).kind.is_callable()
            || definition.file == file
            || !self.rules(at.file).is_some_and(has_prototypes);
        if is_only_one {
            return vec![definition];
        }
        let mut all = self.declarations(at);
        // A prototype and its function.
        if all.len() < 3 {
            return vec![definition];
        }
        all.retain(|one| !self.is_prototype(*one));
        match all.iter().find(|one| one.file == file) {
            Some(own) => vec![*own],
            None if all.len() > 1 && all.contains(&definition) => all,
            None => vec![definition],
        }
    }

    /// Returns whether a function ends with a semicolon, and so has no body: `int run(int a);`.
    fn is_prototype(self, at: SymbolId) -> bool {
        let symbol = self.symbol(at);
        let text = self.indexed_text(at.file);
        let code = text
            .as_deref()
            .and_then(|text| text.get(symbol.start_byte as usize..symbol.end_byte as usize));
        code.is_some_and(|code| code.trim_end().ends_with(';'))
    }

    /// Returns the main declaration of a type with several: the documented or the longest one.
    pub fn main_declaration(self, at: SymbolId) -> SymbolId {
        let symbol = self.symbol(at);
        if !symbol.kind.is_type() {
            return at;
        }
        let weight = |one: &SymbolId| {
            let symbol = self.symbol(*one);
            (
                !symbol.doc.is_empty(),
                symbol.end_line - symbol.start_line,
                *one == at,
            )
        };
        let alike = self
            .declarations(at)
            .into_iter()
            .filter(|one| self.symbol(*one).kind == symbol.kind);
        alike.max_by_key(weight).unwrap_or(at)
    }
}

/// Returns the text of the parameters of a callable; none if it has no parentheses: `Store { … }` in a record of Java.
fn parameter_list(symbol: &Symbol) -> Option<&str> {
    let all = symbol.parameters().map(Parameters::text);
    all.filter(|_| symbol.signature.contains('('))
}

/// Returns the number of type parameters.
fn arity(symbol: &Symbol) -> usize {
    symbol.type_parameters().count()
}

/// Returns whether one of two symbols with one name is a type, and the other its alias: `typedef struct Store { … } Store`.
fn is_tag_with_alias(first: &Symbol, second: &Symbol) -> bool {
    let is_pair =
        |one: &Symbol, other: &Symbol| one.kind.is_type() && other.kind == SymbolKind::Alias;
    is_pair(first, second) || is_pair(second, first)
}

/// Returns whether a symbol is told from others with its name by the number of its parameters.
fn has_arity(symbol: &Symbol) -> bool {
    symbol.kind.is_callable() || symbol.kind == SymbolKind::Macro
}

/// Returns whether two symbols with one name are clauses of one function. Types and constants are told apart by their names
/// alone.
fn are_clauses(family: Family, first: &Symbol, second: &Symbol) -> bool {
    !has_arity(first) || family.are_clauses(from_name(first), from_name(second))
}

/// Returns the signature of a symbol from its name on: `size([_ | rest])`.
pub(super) fn from_name(symbol: &Symbol) -> &str {
    let start = find_name(&symbol.signature, &symbol.name);
    start.map_or("", |start| &symbol.signature[start..])
}

/// Returns whether two callables have parameters of the same types, in a language where the name of a parameter follows its
/// type and may be missing: `int run(int)`.
fn has_same_types(first: &Symbol, second: &Symbol) -> bool {
    let (Some(first), Some(second)) = (first.parameters(), second.parameters()) else {
        return true;
    };
    let alike = |(one, other): (Parameter<'_>, Parameter<'_>)| {
        let (one, other) = (words_of_type(one.text()), words_of_type(other.text()));
        let shorter = one.len().min(other.len());
        one[..shorter] == other[..shorter]
    };
    first.count() == second.count() && first.iter().zip(second.iter()).all(alike)
}

fn words_of_type(parameter: &str) -> Vec<&str> {
    let text = parameter.split('=').next().unwrap_or(parameter).trim();
    let is_sign = |sign: char| !is_word(sign) && sign != ':';
    let mut words: Vec<&str> = text
        .split(is_sign)
        .filter(|word| !word.is_empty())
        .collect();
    if words.len() > 1 && text.ends_with(is_word) {
        words.pop();
    }
    words
        .into_iter()
        .map(|word| word.rsplit(':').next().unwrap_or(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::graph::tests::Files;

    #[test]
    fn a_prototype_of_several_lines_leads_to_its_body() {
        let body = "int run(int a,\n        int b)\n{\n    return a + b;\n}\n";
        let prototype = "int run(int a,\n        int b);\n";
        let files = Files::new("c", &[("run.c", body), ("run.h", prototype)]);
        let graph = Graph::new(&files.snapshot, &files);
        let found = graph
            .named("run")
            .map(|at| graph.entities().definition(at).file);
        assert_eq!(found.collect::<Vec<_>>(), [0, 0]);

        // Functions of two programs in one root are not each other's definitions.
        let longer = body.replace("return", "a += b;\n    return");
        let files = Files::new("c", &[("one.c", body), ("two.c", &longer)]);
        let graph = Graph::new(&files.snapshot, &files);
        let found = graph
            .named("run")
            .map(|at| graph.entities().definition(at).file);
        assert_eq!(found.collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn many_of_a_name_are_told_apart_as_a_few_are() {
        let header: String = (0..6)
            .map(|number| format!("struct S{number} {{ int run(int a); int run(); }};\n"))
            .collect();
        let source: String = (0..6)
            .map(|number| {
                format!("int S{number}::run(int other) {{ return 0; }}\nint S{number}::run() {{ return 1; }}\n")
            })
            .collect();
        let classes: String = (0..6)
            .map(|number| format!("class C{number}:\n    def run(self): pass\n"))
            .collect();
        let types = "namespace a { class run { } } namespace b { class run { } }\n".repeat(5);
        for (language, texts, expected) in [
            (
                "cpp",
                [("s.cpp", source.as_str()), ("s.h", header.as_str())],
                12,
            ),
            ("python", [("a.py", &classes), ("b.py", &classes)], 12),
            ("csharp", [("a.cs", &types), ("b.cs", &types)], 2),
        ] {
            let files = Files::new(language, &texts);
            let graph = Graph::new(&files.snapshot, &files);
            let all: Vec<SymbolId> = graph.named("run").collect();
            let mut one_by_one: Vec<SymbolId> = vec![];
            for at in &all {
                if !one_by_one
                    .iter()
                    .any(|known| graph.entities().are_same(*known, *at))
                {
                    one_by_one.push(*at);
                }
            }
            assert!(all.len() > FEW, "{language}: {}", all.len());
            assert_eq!(graph.entities().distinct(&all), one_by_one, "{language}");
            assert_eq!(one_by_one.len(), expected, "{language}");
        }
    }
}
