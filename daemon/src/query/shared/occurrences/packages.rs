//! The package that a name from outside the project belongs to, as far as imports or a precise index show it.

use crate::extract::facts::{Import, Role};
use crate::extract::type_expr::is_word;
use crate::graph::{Graph, Use, Uses};
use crate::index::names::{last_of_module, last_of_name};
use crate::lang::ModuleSystem;

/// The package of a name, and how it is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub package: Option<String>,
    pub reason: &'static str,
}

/// Returns the origin of a use that the graph resolves to something outside the project.
pub fn origin(graph: &Graph<'_>, file: u32, uses: &Uses, row: &Use) -> Origin {
    if let Some((package, reason)) = graph.precise().package(file, row) {
        return Origin {
            package: Some(package),
            reason,
        };
    }
    let modules = graph.rules(file).map(|rules| rules.modules);
    let modules = modules.unwrap_or_default();
    let qualifier = uses.qualifier(row);
    let first = qualifier.map_or(uses.name(row), first_word);
    let imports = &graph.file(file).outline.imports;
    // A file of the project is not a package, even if it lacks the name: `import store from "./store"`.
    let import = import_of(graph, file, uses, row).filter(|one| !one.module.starts_with('.'));
    if let Some(import) = import {
        return Origin {
            package: Some(package_name(&import.module, modules).to_owned()),
            reason: "imported",
        };
    }
    // A path names its crate without an import: `std::fs::read`.
    let is_crate = |one: &Import| package_name(&one.module, modules) == first;
    let is_path = qualifier.is_some_and(|text| text.contains("::") || imports.iter().any(is_crate));
    if modules == ModuleSystem::Crate && is_path {
        return Origin {
            package: Some(first.to_owned()),
            reason: "named by its path",
        };
    }
    Origin {
        package: None,
        reason: match qualifier {
            Some(_) => "a member of a value of another package",
            None => "not defined in the project",
        },
    }
}

/// Returns the import that introduces the name of a use, or the first name of its qualifier: `fs` for `fs.promises.readFile`.
pub fn import_of<'a>(graph: &Graph<'a>, file: u32, uses: &Uses, row: &Use) -> Option<&'a Import> {
    let imports = &graph.file(file).outline.imports;
    let name = uses.name(row);
    if row.role == Role::Import {
        let mut own = imports.iter().filter(|one| mentions(one, name));
        let nearest = own.clone().find(|one| one.line == row.line);
        return nearest.or_else(|| own.next());
    }
    let first = uses.qualifier(row).map_or(name, first_word);
    imports.iter().find(|one| binds(one, first))
}

/// Returns the first name of an expression: `fs` of `fs.promises.readFile`.
fn first_word(expression: &str) -> &str {
    let start = expression.find(is_word).unwrap_or(0);
    let rest = &expression[start..];
    let end = rest.find(|sign: char| !is_word(sign));
    &rest[..end.unwrap_or(rest.len())]
}

/// Returns whether an import introduces a name.
fn binds(import: &Import, name: &str) -> bool {
    match (&import.alias, &import.name) {
        (Some(alias), _) => **alias == *name,
        (None, Some(imported)) => last_of_name(imported) == name,
        // `import os.path` binds `os`, `import "net/http"` binds `http`.
        (None, None) => {
            last_of_module(&import.module) == Some(name) || first_word(&import.module) == name
        }
    }
}

/// Returns whether a name is a part of an import.
fn mentions(import: &Import, name: &str) -> bool {
    let is_imported = import.name.as_deref().map(last_of_name) == Some(name);
    let mut parts = import.module.split(|sign: char| !is_word(sign));
    is_imported || import.alias.as_deref() == Some(name) || parts.any(|part| part == name)
}

/// Returns the package of a module: `serde` of `serde::de`, `@shop/ui` of `@shop/ui/button`, `os` of `os.path`.
fn package_name(module: &str, modules: ModuleSystem) -> &str {
    let until = |separator: &str, parts: usize| {
        let ends = module.match_indices(separator).map(|(at, _)| at);
        let end = ends.chain([module.len()]).nth(parts - 1);
        &module[..end.unwrap_or(module.len())]
    };
    match modules {
        _ if module.starts_with('.') => module,
        ModuleSystem::Crate => until("::", 1),
        ModuleSystem::Dotted => until(".", 1),
        ModuleSystem::Relative if module.starts_with('@') => until("/", 2),
        ModuleSystem::Relative => until("/", 1),
        // `github.com/gin-gonic/gin/binding` belongs to the module `github.com/gin-gonic/gin`; `net/http` is a package by
        // itself.
        ModuleSystem::PackageFolder if until("/", 1).contains('.') => until("/", 3),
        _ => module,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_as_their_manifests_name_them() {
        for (module, modules, expected) in [
            ("serde::de::value", ModuleSystem::Crate, "serde"),
            ("os.path", ModuleSystem::Dotted, "os"),
            ("lodash/fp", ModuleSystem::Relative, "lodash"),
            ("@shop/ui/button", ModuleSystem::Relative, "@shop/ui"),
            ("@shop/ui", ModuleSystem::Relative, "@shop/ui"),
            ("./missing", ModuleSystem::Relative, "./missing"),
            (
                "github.com/gin-gonic/gin/binding",
                ModuleSystem::PackageFolder,
                "github.com/gin-gonic/gin",
            ),
            ("net/http", ModuleSystem::PackageFolder, "net/http"),
            ("java.util", ModuleSystem::Namespace, "java.util"),
        ] {
            assert_eq!(package_name(module, modules), expected);
        }
    }

    #[test]
    fn an_import_introduces_its_alias_or_its_last_name() {
        let import = |module: &str, name: Option<&str>, alias: Option<&str>| Import {
            module: module.into(),
            name: name.map(Into::into),
            alias: alias.map(Into::into),
            reach: crate::extract::facts::Reach::Named,
            line: 1,
        };
        assert!(binds(&import("lodash", Some("map"), None), "map"));
        assert!(binds(&import("lodash", Some("map"), Some("each")), "each"));
        assert!(!binds(&import("lodash", Some("map"), Some("each")), "map"));
        assert!(binds(&import("os.path", None, None), "os"));
        assert!(binds(&import("net/http", None, None), "http"));
        assert_eq!(first_word("fs.promises"), "fs");
        assert_eq!(first_word("(await load()).x"), "await");
    }
}
