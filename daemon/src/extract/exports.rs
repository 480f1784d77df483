//! Export lists: `export { name }`, a list at the top of a module.
//!
//! A name that is imported and exported is one re-export, however many statements that takes.

use claudevil_protocol::answer::symbol::Visibility;

use super::facts::{Export, Import, Outline, Reach};
use crate::lang::conventions::DEFAULT_EXPORT;

/// A name that a file exports, and its exported name if that differs: `export { a as b }`.
#[derive(Clone, Copy, Debug)]
pub struct ExportedName<'a> {
    pub name: &'a str,
    pub alias: Option<&'a str>,
}

/// Applies the export lists of a file to its outline: visibility, exports and re-exports.
pub fn apply_exports(outline: &mut Outline, exported: &[ExportedName<'_>]) {
    let passed_on: Vec<(Box<str>, u32)> = outline
        .imports
        .iter()
        .filter(|one| one.reexports_all())
        .map(|one| (one.module.clone(), one.line))
        .collect();
    // A wildcard re-export is captured as a wildcard import as well.
    outline.imports.retain(|one| {
        one.reach != Reach::Wildcard
            || !passed_on
                .iter()
                .any(|(module, line)| *module == one.module && *line == one.line)
    });
    for one in exported {
        let mut is_own = false;
        for symbol in outline
            .symbols
            .iter_mut()
            .filter(|symbol| symbol.parent.is_none() && *symbol.name == *one.name)
        {
            symbol.visibility = Some(Visibility::Public);
            is_own = true;
        }
        let outside = one.alias.unwrap_or(one.name);
        // The default export is recorded in `default_export`.
        if outside == DEFAULT_EXPORT
            || is_own && outside == one.name
            || !is_own && reexport_import(&mut outline.imports, one.name, outside)
        {
            continue;
        }
        outline.exports.push(Export {
            name: one.name.into(),
            outside: outside.into(),
        });
    }
    let is_own = |name: &str| {
        outline
            .symbols
            .iter()
            .any(|symbol| symbol.parent.is_none() && *symbol.name == *name)
    };
    if let Some(default) = outline.default_export.take_if(|default| !is_own(default))
        && !reexport_import(&mut outline.imports, &default, DEFAULT_EXPORT)
    {
        outline.default_export = Some(default);
    }
}

/// Turns the import with a local name into a re-export; returns false if there is no such import.
fn reexport_import(imports: &mut Vec<Import>, name: &str, outside: &str) -> bool {
    let known_as =
        |import: &Import| import.alias.as_deref().or(import.name.as_deref()) == Some(name);
    let is_it = |import: &&mut Import| import.reach != Reach::Wildcard && known_as(import);
    let Some(import) = imports.iter_mut().find(is_it) else {
        return false;
    };
    if name == outside {
        import.reach = Reach::Reexport;
    } else {
        let passed_on = Import {
            alias: Some(outside.into()),
            reach: Reach::Reexport,
            ..import.clone()
        };
        imports.push(passed_on);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{ChunkSizes, extract};
    use crate::lang;

    #[test]
    fn exports_of_imported_names_are_recorded_as_reexports() {
        let text = "
import first, { one, two as second, three } from './impl';
import * as all from './all';
function own() {}
function other() {}
export { first, one, second, all, own, other as another, three as third };
export default one;
";
        let outline = extract(lang::by_name("typescript"), text, ChunkSizes::default()).outline;
        let shown = |import: &Import| {
            let name = import.name.as_deref().unwrap_or("*");
            format!(
                "{name} {} {:?}",
                import.alias.as_deref().unwrap_or(name),
                import.reach
            )
        };
        let shown: Vec<String> = outline.imports.iter().map(shown).collect();
        let expected = [
            "default first Reexport",
            "one one Reexport",
            "two second Reexport",
            "three three Named",
            "* all Reexport",
            "three third Reexport",
            "one default Reexport",
        ];
        assert_eq!(shown, expected);
        assert_eq!(outline.default_export, None);
        assert_eq!(
            outline.exports,
            [Export {
                name: "other".into(),
                outside: "another".into()
            }]
        );
        assert!(
            outline
                .symbols
                .iter()
                .all(|symbol| symbol.visibility == Some(Visibility::Public))
        );
    }
}
