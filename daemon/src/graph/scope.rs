//! What a name that stands alone means: from the innermost scope outwards.

use std::ops::Range;
use std::path::Path;

use claudevil_protocol::model::symbol::{SymbolKind, Visibility};

use super::modules::Module;
use super::patterns::FAILURE;
use super::{At, Graph, Here, Use, Uses};
use crate::extract::facts::{Import, Reach, Role, Symbol};
use crate::index::names::namespace_of;
use crate::lang::families::Feature;
use crate::lang::{ImplicitScope, ModuleSystem, NameRules};

/// Nothing but the whole root brings these into sight, so a nearer thing of the name takes nothing from them.
const ONLY_ONE: &str = "the only one of that name";
const ONE_OF_SEVERAL: &str = "one of several of that name";
pub(super) const A_MACRO: &str = "a macro of that name";

/// What a name means where it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Meaning {
    /// Something of the function around, and the text that says its type, with the place from which that is looked at.
    Local(Option<String>, Here),
    /// One of these, and why.
    Symbols(Vec<At>, &'static str),
    Module(Module),
    /// Something that is not of this root.
    External,
    #[default]
    Unknown,
}

impl Graph<'_> {
    pub(super) fn meaning(&self, here: Here, name: &str) -> Meaning {
        self.deeper(|| self.outwards(here, name))
    }

    fn outwards(&self, here: Here, name: &str) -> Meaning {
        let Some(rules) = self.rules(here.file) else {
            return Meaning::Unknown;
        };
        if let Some(local) = self.local(here, name) {
            return local;
        }
        // Where in its symbol it stands makes no difference any more.
        let key = (here.file, here.symbol, name.to_owned());
        self.meanings
            .get(key, || self.beyond_locals(here, name, rules))
    }

    /// The same without what functions bind.
    pub(super) fn beyond_locals(&self, here: Here, name: &str, rules: &NameRules) -> Meaning {
        let mut closed = false;
        for around in self.around(here.file, here.symbol) {
            let symbol = self.symbol(around);
            let inside = self.children(around, name);
            if symbol.kind == SymbolKind::Module && rules.modules.hides_outer_names() {
                closed = true;
                if !inside.is_empty() {
                    return Meaning::Symbols(inside, "in the module around it");
                }
                break;
            }
            if (symbol.kind.is_callable() || symbol.kind == SymbolKind::Module)
                && !inside.is_empty()
            {
                return Meaning::Symbols(inside, "in the scope around it");
            }
            if let Some(field) = self.field_in_header(around, name) {
                return Meaning::Symbols(vec![field], "a parameter that is a member");
            }
            if rules.implicit_members || symbol.kind == SymbolKind::Module {
                let of = if symbol.kind.is_type() {
                    Some(around)
                } else {
                    self.scope_owner(around)
                };
                let members = of.map(|of| self.implied(of, name)).unwrap_or_default();
                if !members.is_empty() {
                    return Meaning::Symbols(members, "a member of the type around it");
                }
            }
        }
        if !closed {
            let top = self.top_level(here.file, name);
            if !top.is_empty() {
                return Meaning::Symbols(top, "in the same file");
            }
        }
        let imports = &self.file(here.file).outline.imports;
        for import in imports
            .iter()
            .filter(|import| import.reach != Reach::Wildcard)
        {
            if self.local_name(here.file, import) == Some(name) {
                let of_path = import.name.is_none()
                    && import.alias.is_none()
                    && rules.has(Feature::ImportsAreMembers);
                let found = match of_path.then(|| self.module(here, name)) {
                    Some(first) => first.map_or(Meaning::External, Meaning::Module),
                    None => self.imported(here, import),
                };
                match found {
                    Meaning::Unknown => {}
                    found => return found,
                }
            }
        }
        match self.unnamed(here, name, rules) {
            Meaning::Unknown => {}
            found => return found,
        }
        if let Some(module) = self.implied_module(here, name) {
            return Meaning::Module(module);
        }
        if rules.implicit_scope == ImplicitScope::Root {
            return self.anywhere(here, name);
        }
        self.macros(here, name)
    }

    /// Macros are in sight by where they stand in the text, which files do not show: the only one of a name is meant, or
    /// the only one of the same package.
    fn macros(&self, here: Here, name: &str) -> Meaning {
        let is_macro = |at: &At| {
            self.symbol(*at).kind == SymbolKind::Macro && self.are_kin(at.file, here.file)
        };
        let mut all: Vec<At> = self.named(name).filter(is_macro).collect();
        if self.entities(&all).len() > 1 {
            let manifests = self.manifests();
            let package = |file: u32| manifests.crate_around(&self.file(file).path);
            let own: Vec<At> = all
                .iter()
                .copied()
                .filter(|at| package(at.file) == package(here.file))
                .collect();
            all = if own.is_empty() { all } else { own };
        }
        if all.is_empty() {
            Meaning::Unknown
        } else {
            Meaning::Symbols(all, A_MACRO)
        }
    }

    /// What is in sight though nothing in the file names it.
    pub(super) fn unnamed(&self, here: Here, name: &str, rules: &NameRules) -> Meaning {
        let shared = self.shared(here, name, rules.implicit_scope);
        if !shared.is_empty() {
            return Meaning::Symbols(shared, "in sight without an import");
        }
        let imports = &self.file(here.file).outline.imports;
        for import in imports
            .iter()
            .filter(|import| self.is_wildcard(here.file, import))
        {
            if let Some(module) = self.module(self.at_import(here, import), &import.module) {
                let found = self.in_module(&module, name);
                if !found.is_empty() {
                    return Meaning::Symbols(found, "imported with all of its module");
                }
            }
        }
        for (file, import) in self.names.passed_on(self.snapshot) {
            // It holds for the project that its file is of, which lies beneath the same folder.
            let is_for =
                Path::new(&self.file(here.file).path).starts_with(folder(&self.file(file).path));
            if is_for
                && self.are_kin(file, here.file)
                && let Some(module) = self.module(
                    Here {
                        file,
                        symbol: None,
                        line: import.line,
                        column: 0,
                    },
                    &import.module,
                )
            {
                let found = self.in_module(&module, name);
                if !found.is_empty() {
                    return Meaning::Symbols(found, "imported for the whole project");
                }
            }
        }
        Meaning::Unknown
    }

    /// What a file means by a name at its top.
    pub fn seen_from(&self, file: u32, name: &str) -> Option<At> {
        let here = Here {
            file,
            symbol: None,
            line: u32::MAX,
            column: 0,
        };
        match self.meaning(here, name) {
            Meaning::Symbols(found, _) => found.first().copied(),
            _ => None,
        }
    }

    /// What already has a name where a symbol would get it.
    pub fn beside(&self, at: At, name: &str) -> Vec<At> {
        if let Some(owner) = self.owner(at) {
            return self.member(owner, name);
        }
        let symbol = self.symbol(at);
        if let Some(parent) = symbol.parent {
            return self.children(
                At {
                    file: at.file,
                    symbol: parent,
                },
                name,
            );
        }
        let mut found = self.top_level(at.file, name);
        let here = Here {
            symbol: None,
            ..Here::of(self, at)
        };
        let shares = self
            .rules(at.file)
            .map_or(ImplicitScope::Nothing, |rules| rules.implicit_scope);
        found.extend(self.shared(here, name, shares));
        found
    }

    /// Whether a name means something at a place.
    pub fn is_taken(&self, here: Here, name: &str) -> bool {
        match self.meaning(here, name) {
            Meaning::Local(..) | Meaning::Module(_) | Meaning::External => true,
            Meaning::Symbols(_, reason) => reason != ONLY_ONE && reason != ONE_OF_SEVERAL,
            Meaning::Unknown => false,
        }
    }

    /// A parameter or a variable of the functions around.
    pub(super) fn local(&self, here: Here, name: &str) -> Option<Meaning> {
        let uses = self.uses(here.file);
        let around: Vec<u32> = self
            .around(here.file, here.symbol)
            .map(|at| at.symbol)
            .collect();
        let binds = uses.of(name).rev().filter(|row| {
            row.role.binds()
                && row.symbol.is_none_or(|symbol| around.contains(&symbol))
                && row.symbol.is_none_or(|symbol| !self.is_member_of(At { file: here.file, symbol }, name))
                // Until its statement is over, the name means what it meant before.
                && !(row.line == here.line
                    && row.column < here.column
                    && uses.qualifier(row).is_some_and(|text| has_word(text, name)))
                && uses.extent(row).is_none_or(|extent| extent.contains(here.line, here.column))
        });
        let is_before = |row: &Use| {
            (row.line, row.column) <= (here.line, here.column)
                || uses.extent(row).is_some_and(|one| one.from_start)
        };
        // What an outer scope binds later is bound by the time an inner one runs.
        let is_outer = |row: &Use| row.symbol != here.symbol && row.symbol.is_some();
        // The innermost scope first, and of its bindings the last before the place.
        let distance = |row: &Use| {
            around
                .iter()
                .position(|at| Some(*at) == row.symbol)
                .unwrap_or(around.len())
        };
        let nearest = binds
            .clone()
            .filter(|row| is_before(row) || is_outer(row))
            .min_by_key(|row| (distance(row), !is_before(row)));
        // What is made of a list may be written before the list is named. A binding is not behind its own type.
        let behind = || {
            binds
                .clone()
                .find(|row| row.line == here.line && row.column > here.column + 1)
        };
        let bind = nearest.or_else(behind)?;
        // Of a name that is none of the function nothing is said here.
        if bind.role == Role::Narrow && !binds.clone().any(|row| row.role == Role::Bind) {
            return None;
        }
        let place = Here {
            file: here.file,
            symbol: bind.symbol,
            line: bind.line,
            column: bind.column.saturating_sub(1),
        };
        Some(Meaning::Local(self.bound_to(here.file, &uses, bind), place))
    }

    /// The text that says what a name is bound to.
    fn bound_to(&self, file: u32, uses: &Uses, bind: &Use) -> Option<String> {
        let name = uses.name(bind);
        let Some(text) = uses.qualifier(bind) else {
            // A field that is taken out under its own name.
            let is_field = |row: &&Use| {
                (row.line, row.column, row.role) == (bind.line, bind.column, Role::Read)
            };
            let of = uses
                .of(name)
                .find(is_field)
                .and_then(|row| uses.qualifier(row))?;
            return Some(format!("{of} {{ {name}:"));
        };
        // `Err(name)`: the value is what may have failed.
        let is_before = |word: &str, row: &Use| {
            let length = u32::try_from(word.len()).unwrap_or(u32::MAX);
            (
                row.line,
                row.column.saturating_add(length).saturating_add(1),
            ) == (bind.line, bind.column)
        };
        let failures = self
            .rules(file)
            .map_or(&[][..], |rules| rules.family.error_patterns());
        let is_failure = failures
            .iter()
            .any(|word| uses.of(word).any(|row| is_before(word, row)));
        Some(if is_failure {
            format!("{FAILURE}{text}")
        } else {
            text.to_owned()
        })
    }

    /// Whether a symbol has a member of this name, which a binding inside it then only repeats.
    fn is_member_of(&self, at: At, name: &str) -> bool {
        self.symbol(at).kind.is_type() && !self.children(at, name).is_empty()
    }

    /// The member of its type that a constructor declares as a parameter.
    fn field_in_header(&self, of: At, name: &str) -> Option<At> {
        let constructor =
            Some(self.symbol(of)).filter(|symbol| symbol.kind == SymbolKind::Constructor)?;
        let is_it = |symbol: &&Symbol| {
            symbol.parent == Some(of.symbol)
                && *symbol.name == *name
                && symbol.scope.is_some()
                && constructor.signature.contains(&*symbol.signature)
        };
        let place = self
            .file(of.file)
            .outline
            .symbols
            .iter()
            .position(|symbol| is_it(&symbol))?;
        Some(At {
            file: of.file,
            symbol: u32::try_from(place).ok()?,
        })
    }

    /// The symbols of a name directly inside another.
    pub(super) fn children(&self, of: At, name: &str) -> Vec<At> {
        let symbols = &self.file(of.file).outline.symbols;
        let from = of.symbol as usize + 1;
        let end = symbols[of.symbol as usize].end_byte;
        (from..symbols.len())
            .take_while(|place| symbols[*place].start_byte < end)
            .filter(|place| {
                let one = &symbols[*place];
                one.parent == Some(of.symbol) && *one.name == *name && one.scope.is_none()
            })
            .filter_map(|place| {
                Some(At {
                    file: of.file,
                    symbol: u32::try_from(place).ok()?,
                })
            })
            .collect()
    }

    /// The symbols of a name that a file has outside of everything but namespaces.
    pub(super) fn top_level(&self, file: u32, name: &str) -> Vec<At> {
        self.named_within(name, file as usize..file as usize + 1)
            .filter(|at| self.is_top_level(*at))
            .collect()
    }

    pub(super) fn is_top_level(&self, at: At) -> bool {
        let symbol = self.symbol(at);
        let Some(rules) = self.rules(at.file) else {
            return false;
        };
        let closed = rules.modules.hides_inner_names();
        symbol.scope.is_none()
            && match symbol.parent {
                None => true,
                Some(parent) => {
                    let parent = At {
                        file: at.file,
                        symbol: parent,
                    };
                    let kind = self.symbol(parent).kind;
                    let opens = if kind == SymbolKind::Module {
                        !closed
                    } else {
                        kind != SymbolKind::Class
                            && rules.unscoped_members.contains(&symbol.kind)
                            && (kind.is_type() || kind == SymbolKind::Variant)
                    };
                    opens && self.is_top_level(parent)
                }
            }
    }

    /// Whether code of a file can use a symbol, as far as its place tells: where the files of a folder share all, what is
    /// private stays among them.
    pub fn is_in_reach(&self, of: At, file: u32) -> bool {
        let is_shared = || {
            self.rules(of.file)
                .is_some_and(|rules| rules.implicit_scope == ImplicitScope::Folder)
        };
        let folder_of = |file: u32| folder(&self.file(file).path);
        self.symbol(of).visibility != Some(Visibility::Private)
            || !is_shared()
            || folder_of(of.file) == folder_of(file)
    }

    /// Everything of a name.
    pub fn named<'b>(&'b self, name: &'b str) -> impl Iterator<Item = At> + 'b {
        self.names.symbols(self.snapshot, name)
    }

    /// Everything of a name in some files.
    fn named_within<'b>(
        &'b self,
        name: &'b str,
        files: Range<usize>,
    ) -> impl Iterator<Item = At> + 'b {
        self.names.symbols_within(self.snapshot, name, files)
    }

    /// By what name an import is used in its file.
    pub(super) fn local_name<'b>(&'b self, file: u32, import: &'b Import) -> Option<&'b str> {
        if let Some(alias) = &import.alias {
            return Some(alias);
        }
        if let Some(name) = &import.name {
            let last = name.rsplit(['.', '\\', ':']).next().unwrap_or(name);
            // `use a::b::{self}` brings `b`.
            return Some(if self.is_own_module(file, last) {
                self.last_of(file, &import.module)
            } else {
                last
            });
        }
        // A file that is only named gives no name.
        let is_file = |modules| matches!(modules, ModuleSystem::Include | ModuleSystem::Relative);
        let binds = !self.rules(file).is_some_and(|rules| is_file(rules.modules));
        binds.then(|| {
            self.package_named(file, &import.module)
                .unwrap_or_else(|| self.last_of(file, &import.module))
        })
    }

    fn is_wildcard(&self, file: u32, import: &Import) -> bool {
        import.reach == Reach::Wildcard
            || import.is_of_all()
                && self
                    .rules(file)
                    .is_some_and(|rules| rules.modules == ModuleSystem::Namespace)
            || import.name.is_none()
                && import.alias.is_none()
                && self.rules(file).is_some_and(|rules| {
                    rules.implicit_scope == ImplicitScope::Nothing && self.brings_all(file)
                })
    }

    /// Where an import stands: names in it are looked at from the module around it.
    pub(super) fn at_import(&self, here: Here, import: &Import) -> Here {
        let closed = self
            .rules(here.file)
            .is_some_and(|rules| rules.modules.hides_outer_names());
        let around = closed.then(|| {
            self.file(here.file)
                .outline
                .symbols
                .iter()
                .rposition(|symbol| {
                    symbol.kind == SymbolKind::Module
                        && symbol.start_line < import.line
                        && import.line <= symbol.end_line
                })
        });
        Here {
            symbol: around
                .flatten()
                .and_then(|symbol| u32::try_from(symbol).ok()),
            ..here
        }
    }

    /// What is in sight because of where the file lies or what it calls itself.
    fn shared(&self, here: Here, name: &str, shares: ImplicitScope) -> Vec<At> {
        match shares {
            ImplicitScope::Nothing | ImplicitScope::Root => vec![],
            ImplicitScope::Folder => {
                let folder = folder(&self.file(here.file).path);
                self.named_within(name, self.snapshot.places_beneath(folder))
                    .filter(|at| {
                        super::scope::folder(&self.file(at.file).path) == folder
                            && self.is_top_level(*at)
                            && self.are_kin(at.file, here.file)
                    })
                    .collect()
            }
            ImplicitScope::Namespace => {
                let own = namespace_of(self.file(here.file), here.symbol);
                let candidates: Vec<At> = self
                    .named(name)
                    .filter(|at| self.is_top_level(*at) && self.are_kin(at.file, here.file))
                    .collect();
                // What is around a namespace is in sight in it, the nearest first.
                let mut sight = own.clone();
                loop {
                    let found: Vec<At> = candidates
                        .iter()
                        .copied()
                        .filter(|at| namespace_of(self.file(at.file), Some(at.symbol)) == sight)
                        .collect();
                    if !found.is_empty() {
                        return found;
                    }
                    match sight {
                        Some(inner) => {
                            sight = inner.rsplit_once('.').map(|(outer, _)| outer.to_owned())
                        }
                        None => return vec![],
                    }
                }
            }
        }
    }

    /// In a language where everything is in sight: what is there by that name, the nearest if there are several.
    fn anywhere(&self, here: Here, name: &str) -> Meaning {
        let all: Vec<At> = self
            .named(name)
            .filter(|at| {
                self.are_kin(at.file, here.file) && self.is_top_level(*at) && self.is_for_all(*at)
            })
            .collect();
        match self.entities(&all).len() {
            0 => Meaning::Unknown,
            1 => Meaning::Symbols(all, ONLY_ONE),
            _ => {
                let near = self.reachable_by_include(here.file, &all);
                match self.entities(&near).len() {
                    0 => Meaning::Symbols(all, ONE_OF_SEVERAL),
                    _ => Meaning::Symbols(near, "of a file that is included"),
                }
            }
        }
    }

    /// Not only for its own file.
    fn is_for_all(&self, at: At) -> bool {
        use claudevil_protocol::model::symbol::Visibility;
        self.symbol(at).visibility != Some(Visibility::Private)
            || self
                .rules(at.file)
                .is_some_and(|rules| rules.modules != crate::lang::ModuleSystem::Include)
    }
}

pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a text has a name as a word of its own.
fn has_word(text: &str, name: &str) -> bool {
    text.split(|sign: char| !super::signature::is_word(sign))
        .any(|word| word == name)
}
