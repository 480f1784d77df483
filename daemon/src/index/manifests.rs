//! The packages of a root and the import paths that lead to them, read from their manifests.

mod entry_points;
mod mappings;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use self::entry_points::EntryPoints;
use self::mappings::{Mapping, relaxed_json};
use super::root_paths::{folder, join};

#[derive(Debug, Default)]
pub struct Manifests {
    /// Folders of crates by their names in code. Crates of examples and fixtures may share a name.
    crates: HashMap<String, Vec<String>>,
    /// Module paths with their folders, the longest first.
    go: Vec<(String, String)>,
    /// Names of packages with their folders, the longest first.
    packages: Vec<(String, String)>,
    /// Entry points of packages by their folders.
    entry_points: HashMap<String, EntryPoints>,
    /// Folders with mapped import paths, the deepest first.
    mapped: Vec<Mapping>,
    /// Namespaces that projects import for all of their files, with the folders of the projects.
    imported: Vec<(String, String)>,
}

/// Files with compiler settings, which map import paths and do not define packages.
const SETTINGS: [&str; 2] = ["tsconfig.json", "jsconfig.json"];

impl Manifests {
    /// Reads the manifests at these paths. `read` also reads the settings that they extend.
    pub fn read<'p>(
        paths: impl Iterator<Item = &'p str>,
        read: &dyn Fn(&str) -> Option<Rc<str>>,
    ) -> Self {
        let mut manifests = Self::default();
        let mut settings = vec![];
        for path in paths {
            if let Some(text) = read(path) {
                manifests.take(path, &text, &mut settings);
            }
        }
        for (path, text) in settings {
            let mapped =
                mappings::read_mappings(path, &text, read, &|name| manifests.within_package(name));
            manifests.mapped.extend(mapped);
        }
        manifests.go.sort_by_key(|(name, _)| Reverse(name.len()));
        manifests
            .packages
            .sort_by_key(|(name, _)| Reverse(name.len()));
        manifests
            .mapped
            .sort_by_key(|mapping| Reverse(mapping.folder.len()));
        manifests
    }

    /// Adds the contents of a manifest. Settings files are only collected: they are read when all packages are known.
    fn take<'p>(&mut self, path: &'p str, text: &Rc<str>, settings: &mut Vec<(&'p str, Rc<str>)>) {
        let own = folder(path).to_owned();
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("toml") => {
                let Ok(parsed) = text.parse::<toml::Table>() else {
                    return;
                };
                let of =
                    |table: &str| Some(parsed.get(table)?.get("name")?.as_str()?.replace('-', "_"));
                for name in [of("package"), of("lib")].into_iter().flatten() {
                    let folders = self.crates.entry(name).or_default();
                    if !folders.contains(&own) {
                        folders.push(own.clone());
                    }
                }
            }
            Some("mod") => {
                let module = text
                    .lines()
                    .find_map(|line| line.trim().strip_prefix("module "));
                if let Some(module) = module {
                    self.go
                        .push((module.trim().trim_matches('"').to_owned(), own));
                }
            }
            Some("yaml") => {
                let name = text.lines().find_map(|line| line.strip_prefix("name:"));
                if let Some(name) = name {
                    self.packages
                        .push((format!("package:{}", name.trim()), join(&own, "lib")));
                }
            }
            Some(extension @ ("csproj" | "props" | "targets")) => {
                // Any project can import `.props` and `.targets` files of other names by path, so they count for the whole
                // root.
                let is_for_folder = extension == "csproj" || name.starts_with("Directory.");
                let own = if is_for_folder { own } else { String::new() };
                let all = project_imports(text).map(|name| (name.to_owned(), own.clone()));
                self.imported.extend(all);
            }
            _ if SETTINGS.contains(&name) => settings.push((path, Rc::clone(text))),
            _ => {
                let Some(parsed) = relaxed_json(text) else {
                    return;
                };
                self.entry_points
                    .insert(own.clone(), EntryPoints::read(&parsed));
                if let Some(name) = parsed.get("name").and_then(|name| name.as_str()) {
                    self.packages.push((name.to_owned(), own));
                }
            }
        }
    }

    /// Returns the folders of the crates with this name, those around the file at `from` and near it first.
    pub fn crate_dirs(&self, name: &str, from: &str) -> Vec<&str> {
        let folders = self.crates.get(name).into_iter().flatten();
        let mut folders: Vec<&str> = folders.map(String::as_str).collect();
        folders.sort_by_key(|own| {
            let shared = own.split('/').zip(from.split('/'));
            let shared = shared.take_while(|(own, from)| own == from).count();
            (!is_in(from, own), Reverse(shared), own.len())
        });
        folders
    }

    /// Returns the folder of the crate around a file.
    pub fn crate_around(&self, path: &str) -> Option<&str> {
        self.crates
            .values()
            .flatten()
            .map(String::as_str)
            .filter(|folder| is_in(path, folder))
            .max_by_key(|folder| folder.len())
    }

    /// Returns the namespaces that the projects around a file import for all of their files.
    pub fn imports_around(&self, path: &str) -> impl Iterator<Item = &str> {
        self.imported
            .iter()
            .filter(move |(_, folder)| is_in(path, folder))
            .map(|(name, _)| name.as_str())
    }

    pub fn has_go_modules(&self) -> bool {
        !self.go.is_empty()
    }

    /// Returns the folder of the module that an import path begins with, and the rest of the path.
    pub fn go_module<'a>(&'a self, path: &'a str) -> Option<(&'a str, &'a str)> {
        prefixed(&self.go, path)
    }

    pub fn package<'a>(&'a self, path: &'a str) -> Option<(&'a str, &'a str)> {
        prefixed(&self.packages, path)
    }

    /// Returns the names of the packages in the folders around a file.
    pub fn packages_around(&self, path: &str) -> impl Iterator<Item = &str> {
        self.packages
            .iter()
            .filter(move |(_, folder)| is_in(path, folder))
            .map(|(name, _)| name.as_str())
    }

    /// Returns the names with which imports of a file may begin, if they need not contain its folder's name: those of the crates
    /// and packages around it, and of the Go module whose folder it is directly in.
    pub fn import_prefixes(&self, path: &str) -> impl Iterator<Item = &str> {
        let crates = self.crates.iter();
        let crates = crates.filter(move |(_, all)| all.iter().any(|own| is_in(path, own)));
        let go = self.go.iter().filter(|(_, own)| own == folder(path));
        crates
            .map(|(name, _)| name.as_str())
            .chain(go.map(|(name, _)| name.as_str()))
            .chain(self.packages_around(path))
    }

    /// Returns the paths that an import from the package in a folder may refer to: `store` of `shop/store`.
    pub fn exported(&self, folder: &str, rest: &str) -> Vec<String> {
        let points = self.entry_points.get(folder);
        let paths = points.map_or_else(Vec::new, |points| points.exported(rest));
        (paths.iter()).map(|path| join(folder, path)).collect()
    }

    /// Returns the paths that a subpath import may refer to in the package around a file: `#store`.
    pub fn imported(&self, from: &str, name: &str) -> Vec<String> {
        let around = self
            .entry_points
            .iter()
            .filter(|(folder, _)| is_in(from, folder))
            .max_by_key(|(folder, _)| folder.len());
        around.map_or_else(Vec::new, |(folder, points)| {
            let paths = points.imported(name);
            (paths.iter()).map(|path| join(folder, path)).collect()
        })
    }

    /// Returns the path of a module in a package of this root: `@shop/ui/button` → `packages/ui/button`.
    fn within_package(&self, text: &str) -> Option<String> {
        self.package(text).map(|(base, rest)| join(base, rest))
    }

    /// Returns the paths that an import is mapped to by the settings around a file: `@/store` to `src/store`.
    pub fn mapped(&self, from: &str, text: &str) -> Option<Vec<String>> {
        self.mapped
            .iter()
            .filter(|mapping| is_in(from, &mapping.folder))
            .find_map(|mapping| mapping.targets(text))
    }
}

fn prefixed<'a>(names: &'a [(String, String)], path: &'a str) -> Option<(&'a str, &'a str)> {
    names.iter().find_map(|(name, folder)| {
        let rest = path.strip_prefix(name.as_str())?;
        (rest.is_empty() || rest.starts_with('/'))
            .then(|| (folder.as_str(), rest.trim_start_matches('/')))
    })
}

/// Returns the namespaces that a project imports for all of its files: `<Using Include="Shop.Store" />`.
fn project_imports(text: &str) -> impl Iterator<Item = &str> {
    let tags = text.split("<Using ").skip(1);
    tags.filter_map(|tag| {
        let tag = &tag[..tag.find('>')?];
        // An alias is no name that is in scope by itself.
        let is_import = !tag.contains("Alias=");
        let behind = tag.split("Include=\"").nth(1)?;
        is_import.then(|| behind.split('"').next()).flatten()
    })
}

fn is_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages_come_from_their_manifests() {
        let texts = [
            (
                "engine/Cargo.toml",
                "[package]\nname = \"fast-engine\"\n[lib]\nname = \"engine\"\n",
            ),
            ("go.mod", "module example.com/shop\n\ngo 1.22\n"),
            (
                "packages/ui/package.json",
                r#"{"name": "@shop/ui", "version": "1"}"#,
            ),
            ("app/pubspec.yaml", "name: app\nversion: 1\n"),
            (
                "src/Shop/Shop.csproj",
                r#"<ItemGroup><Using Include="Shop.Store" /><Using Include="Shop.Text" Static="true" /></ItemGroup>"#,
            ),
        ];
        let read = |path: &str| {
            let mut texts = texts.iter();
            texts.find_map(|(of, text)| (*of == path).then(|| Rc::from(*text)))
        };
        let manifests = Manifests::read(texts.iter().map(|(path, _)| *path), &read);
        let around = |path| manifests.imports_around(path).collect::<Vec<_>>();
        assert_eq!(around("src/Shop/a/B.cs"), ["Shop.Store", "Shop.Text"]);
        assert_eq!(around("src/Other/B.cs"), [""; 0]);
        assert_eq!(manifests.crate_dirs("engine", "a.rs"), ["engine"]);
        assert_eq!(manifests.crate_dirs("fast_engine", "a.rs"), ["engine"]);
        assert_eq!(
            manifests.go_module("example.com/shop/store"),
            Some(("", "store"))
        );
        assert_eq!(manifests.go_module("example.com/shopping"), None);
        assert_eq!(
            manifests.package("@shop/ui/button"),
            Some(("packages/ui", "button"))
        );
        assert_eq!(
            manifests.package("package:app/model.dart"),
            Some(("app/lib", "model.dart"))
        );
    }

    #[test]
    fn compiler_settings_are_no_package() {
        let package =
            r#"{"name": "@shop/ui", "exports": "./ui.js", "extends": "a key of some tool"}"#;
        for settings in ["{}", r#"{"include": ["src"]}"#, r#"{"name": "settings"}"#] {
            let texts = [("package.json", package), ("tsconfig.json", settings)];
            let read = |path: &str| {
                let mut texts = texts.iter();
                texts.find_map(|(of, text)| (*of == path).then(|| Rc::from(*text)))
            };
            let manifests = Manifests::read(texts.iter().map(|(path, _)| *path), &read);
            assert_eq!(
                manifests.packages_around("a.ts").collect::<Vec<_>>(),
                ["@shop/ui"]
            );
            assert_eq!(manifests.exported("", "")[0], "ui.js", "{settings}");
        }
    }
}
