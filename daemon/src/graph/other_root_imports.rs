//! Names that code of another root imports from this one.

use super::scope::Meaning;
use super::{Modules, Outcome, Position, SymbolId};
use crate::extract::facts::Import;
use crate::lang::Language;

impl Modules<'_, '_> {
    /// Returns the symbols of this root that an import in another root refers to, or a member of them: `dump` of `import json`.
    /// The import is resolved as if it were in a file of this root.
    pub fn resolve_import_from_other_root(
        self,
        language: &Language,
        import: &Import,
        member: Option<&str>,
    ) -> Vec<SymbolId> {
        let is_written_in = |file: &u32| {
            let own = self.file(*file).language;
            own.is_some_and(|own| own.id == language.id)
        };
        let files = u32::try_from(self.snapshot.files.len()).unwrap_or(u32::MAX);
        let Some(file) = (0..files).find(is_written_in) else {
            return vec![];
        };
        let here = Position::at_line(file, 1);
        let symbols = match (self.resolve_import(here, import), member) {
            (Meaning::Symbols(found, _), None) => found,
            (Meaning::Symbols(found, _), Some(name)) => {
                let members = found.iter().flat_map(|at| self.members().find(*at, name));
                members.collect()
            }
            (Meaning::Module(module), Some(name)) => self.find(&module, name),
            (Meaning::Module(module), None) => match self.resolver().module_outcome(&module) {
                Outcome::Targets(targets) => targets.symbols.to_vec(),
                Outcome::Local | Outcome::Foreign | Outcome::Unknown => vec![],
            },
            (Meaning::Local(..) | Meaning::External | Meaning::Unknown, _) => vec![],
        };
        self.entities().distinct(&symbols)
    }
}
