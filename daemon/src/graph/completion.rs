//! The names that may be written at a position: those in scope, and the members of a value.
//!
//! Candidates are collected by prefix. Name resolution then decides whether each of them is in scope, or is a member.

use std::collections::BTreeSet;

use super::modules::Module;
use super::scope::Meaning;
use super::value::Value;
use super::{Position, Scopes, SymbolId, Values};
use crate::extract::facts::{Role, Symbol};
use crate::extract::type_expr::is_word;
use crate::lang::SIGILS;
use crate::lang::vocabulary::CLOSURE_BRACE;

/// The most names that are resolved for one answer.
const MAX_NAMES: usize = 2_000;
/// The most supertypes whose members are listed.
const MAX_TYPES: usize = 50;

/// A name that may be written, without its sigil.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleName {
    pub name: String,
    /// None for a local name, a module, and a name from outside the root.
    pub symbol: Option<SymbolId>,
}

impl Scopes<'_, '_> {
    /// Returns the names in scope that begin with a prefix, ignoring case. With an empty prefix, names of other files are left
    /// out unless they are imported.
    pub fn visible_names(self, here: Position, prefix: &str) -> Vec<VisibleName> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let uses = self.uses(here.file);
        let locals = uses.rows().iter().filter(|row| row.role == Role::Bind);
        let locals = locals
            .map(|row| uses.name(row))
            .filter(|name| *name != CLOSURE_BRACE);
        names.extend(locals);
        let imports = &self.file(here.file).outline.imports;
        let imported = imports
            .iter()
            .filter_map(|import| self.modules().local_name(here.file, import));
        names.extend(imported);
        let files = (0..).zip(&self.snapshot.files);
        let near = files.filter(|(file, _)| {
            *file == here.file || !prefix.is_empty() && self.same_language_family(*file, here.file)
        });
        let symbols = near.flat_map(|(_, file)| &file.outline.symbols);
        names.extend(symbols.map(|symbol| &*symbol.name));
        names
            .into_iter()
            .filter(|name| begins_with(name, prefix))
            .take(MAX_NAMES)
            .filter_map(|name| {
                let symbol = match self.resolve(here, name) {
                    Meaning::Symbols(found, _) if self.is_bound(here, name) => {
                        found.first().copied()
                    }
                    Meaning::Local(..) | Meaning::Module(_) | Meaning::External => None,
                    Meaning::Symbols(..) | Meaning::Unknown => return None,
                };
                Some(VisibleName {
                    name: name.trim_start_matches(SIGILS).to_owned(),
                    symbol,
                })
            })
            .collect()
    }
}

impl<'a> Values<'_, 'a> {
    /// Returns the members of the value of an expression that begin with a prefix, ignoring case. None if the value is not
    /// known.
    pub fn visible_members(
        self,
        here: Position,
        expression: &str,
        prefix: &str,
    ) -> Option<Vec<VisibleName>> {
        let value = self.evaluate(here, expression);
        let mut names: BTreeSet<&'a str> = BTreeSet::new();
        self.collect_member_names(&value, &mut names)?;
        let members = names
            .into_iter()
            .filter(|name| begins_with(name, prefix))
            .take(MAX_NAMES)
            .filter_map(|name| {
                Some(VisibleName {
                    name: name.trim_start_matches(SIGILS).to_owned(),
                    symbol: Some(*self.find_members(&value, name).first()?),
                })
            });
        Some(members.collect())
    }

    /// Collects the names that members of a value may have. None if the value is not known.
    fn collect_member_names(self, value: &Value, names: &mut BTreeSet<&'a str>) -> Option<()> {
        let mut add = |symbols: &'a [Symbol]| names.extend(symbols.iter().map(|one| &*one.name));
        match value {
            Value::Instance(at, _) | Value::Type(at) | Value::Supertypes(at) => {
                for one in self.members().with_supertypes(*at, MAX_TYPES) {
                    let members = self.members().all(one).into_iter();
                    names.extend(members.map(|at| &*self.symbol(at).name));
                }
            }
            Value::Module(Module::File(file)) => {
                let outline = &self.file(*file).outline;
                add(&outline.symbols);
                let imports = outline.imports.iter();
                names.extend(imports.filter_map(|one| self.modules().local_name(*file, one)));
            }
            Value::Module(Module::Inside(at)) => {
                let members = self.members().all(*at).into_iter();
                names.extend(members.map(|at| &*self.symbol(at).name));
            }
            Value::Module(Module::Folder(folder)) => {
                let is_inside = |path: &str| {
                    let name = path.strip_prefix(&**folder);
                    name.is_some_and(|name| !name.trim_start_matches('/').contains('/'))
                };
                let files = self.snapshot.files.iter();
                files
                    .filter(|file| is_inside(&file.path))
                    .for_each(|file| add(&file.outline.symbols));
            }
            Value::Module(Module::Namespace(_)) => {
                let files = self.snapshot.files.iter();
                files.for_each(|file| add(&file.outline.symbols));
            }
            Value::Union(all) => {
                for one in all.iter() {
                    self.collect_member_names(one, names)?;
                }
            }
            Value::Pair(..) => self.collect_member_names(value.unwrapped(), names)?,
            Value::Function(..)
            | Value::TypeParameter(..)
            | Value::Anonymous(_)
            | Value::Foreign
            | Value::ForeignResult
            | Value::Unknown => return None,
        }
        Some(())
    }
}

/// Returns whether a name is a single word that begins with a prefix, ignoring case.
fn begins_with(name: &str, prefix: &str) -> bool {
    let bare = name.trim_start_matches(SIGILS);
    let start = bare.get(..prefix.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        && !bare.is_empty()
        && bare.trim_end_matches(['?', '!']).chars().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::begins_with;

    #[test]
    fn names_with_signs_are_completed() {
        for (name, prefix, expected) in [
            ("empty?", "emp", true),
            ("save!", "Sa", true),
            ("@name", "na", true),
            ("name=", "na", false),
            ("a heading", "a", false),
        ] {
            assert_eq!(begins_with(name, prefix), expected, "{name}");
        }
    }
}
