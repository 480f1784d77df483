//! The entry points of a package, from its `package.json`: `exports` with conditions and patterns, `imports`, and the older
//! `main`, `module`, `types` and `source`.
//!
//! Build outputs may be missing, so a target is also looked for among the sources that it is built from: `dist/store.js` is
//! `src/store.ts`.

use serde_json::Value;

use super::super::root_paths::join;

/// Patterns with at most one `*`, each with its files under all conditions.
type EntryFiles = Vec<(String, Vec<String>)>;

#[derive(Debug, Default)]
pub struct EntryPoints {
    /// By the path after the package's name: `.`, `./store`, `./locales/*`.
    exports: EntryFiles,
    /// By the names of subpath imports, which only the package itself can use: `#store`.
    imports: EntryFiles,
}

/// Folders that builds write to.
const OUTPUTS: [&str; 7] = ["dist", "build", "out", "lib", "esm", "cjs", "es"];
const SOURCES: &str = "src";
const MAIN: &str = ".";
/// Fields that name the main file of a package, the nearest to its source first.
const MAIN_FIELDS: [&str; 4] = ["source", "module", "main", "types"];
/// Extensions of generated declarations. Their sources are looked for under the name without the extension: `store.d.ts`.
const DECLARATIONS: [&str; 3] = [".d.ts", ".d.mts", ".d.cts"];

impl EntryPoints {
    pub fn read(package: &Value) -> Self {
        let mut points = Self::default();
        match package.get("exports") {
            Some(Value::Object(all)) if all.keys().any(|key| key.starts_with('.')) => {
                points.exports = all.iter().map(targets).collect();
            }
            Some(one) => points.exports.push(targets((&MAIN.to_owned(), one))),
            None => {}
        }
        if let Some(Value::Object(all)) = package.get("imports") {
            points.imports = all.iter().map(targets).collect();
        }
        let fields = MAIN_FIELDS.iter().filter_map(|field| package.get(field));
        let main: Vec<String> = fields
            .filter_map(|file| Some(file.as_str()?.to_owned()))
            .collect();
        points.exports.push((MAIN.to_owned(), main));
        points
    }

    /// Returns the paths in the package that an import may refer to. `rest` is the import path after the package name: `store`
    /// of `shop/store`.
    pub fn exported(&self, rest: &str) -> Vec<String> {
        if rest.is_empty() {
            found(&self.exports, MAIN)
        } else {
            found(&self.exports, &format!("./{rest}"))
        }
    }

    /// Returns the paths that a subpath import may refer to: `#store`.
    pub fn imported(&self, name: &str) -> Vec<String> {
        found(&self.imports, name)
    }
}

/// Returns all files of an entry, whatever their conditions.
fn targets((pattern, value): (&String, &Value)) -> (String, Vec<String>) {
    let mut files = vec![];
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::String(file) => files.push(file.clone()),
            Value::Object(all) => left.extend(all.values().rev()),
            Value::Array(all) => left.extend(all.iter().rev()),
            _ => {}
        }
    }
    (pattern.clone(), files)
}

fn found(all: &EntryFiles, asked: &str) -> Vec<String> {
    let files = all.iter().flat_map(|(pattern, files)| {
        let rest = match pattern.split_once('*') {
            Some((before, after)) => asked
                .strip_prefix(before)
                .and_then(|rest| rest.strip_suffix(after)),
            None => (asked == pattern).then_some(""),
        };
        rest.into_iter()
            .flat_map(|rest| files.iter().map(move |file| file.replacen('*', rest, 1)))
    });
    files.flat_map(|file| with_sources(&file)).collect()
}

/// Returns a file and the sources that it may be built from.
fn with_sources(file: &str) -> Vec<String> {
    let file = file.trim_start_matches("./");
    let ending = DECLARATIONS.iter().find(|ending| file.ends_with(**ending));
    let bare = ending.map_or(file, |ending| &file[..file.len() - ending.len()]);
    let mut inner = bare;
    while let Some((folder, rest)) = inner.split_once('/')
        && OUTPUTS.contains(&folder)
    {
        inner = rest;
    }
    let mut paths = vec![file.to_owned(), join(SOURCES, bare)];
    if inner != bare {
        paths.extend([join(SOURCES, inner), inner.to_owned()]);
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_lead_to_files_and_to_their_sources() {
        let package = serde_json::json!({
            "main": "./dist/cjs/index.js",
            "exports": {
                ".": { "types": "./dist/index.d.ts", "import": { "default": "./dist/index.mjs" } },
                "./locales/*": "./locales/*.js",
            },
            "imports": { "#store": "./src/store.ts" },
        });
        let points = EntryPoints::read(&package);
        let main = points.exported("");
        for path in [
            "dist/index.mjs",
            "src/index",
            "src/index.mjs",
            "src/index.js",
        ] {
            assert!(main.iter().any(|file| file == path), "{path}: {main:?}");
        }
        assert_eq!(
            points.exported("locales/de"),
            ["locales/de.js", "src/locales/de.js"]
        );
        assert_eq!(points.imported("#store")[0], "src/store.ts");
        assert!(points.exported("other").is_empty());
        let plain = EntryPoints::read(&serde_json::json!({ "exports": "./lib/application.js" }));
        assert_eq!(plain.exported("")[0], "lib/application.js");
    }
}
