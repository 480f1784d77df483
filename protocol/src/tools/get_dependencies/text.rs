//! The text of `get_dependencies`.

use crate::answer::freshness;
use crate::text::NextCall;
use crate::text::quantity::{count, grouped};
use crate::text::tokens::MOST_TOKENS;
use crate::text::{leading, one_line};
use crate::tools::Tool;
use crate::tools::get_dependencies::{
    Dependencies, DependencyDirection, Dependent, DependentsKnown, GetDependencies, Import,
    ImportResolution, ImportedName,
};

/// How many targets of one import are named.
const TARGETS_SHOWN: usize = 2;

pub fn write(answer: &Dependencies) -> String {
    let mut lines = vec![head(answer)];
    lines.extend(freshness::lines(&answer.freshness));
    if !answer.imports.is_empty() {
        lines.push("imports:".to_owned());
        lines.extend(
            answer
                .imports
                .iter()
                .map(|import| format!("{}  {}", import.line, import_text(import))),
        );
    }
    if !answer.dependents.is_empty() {
        lines.push("dependents:".to_owned());
        lines.extend(answer.dependents.iter().map(dependent_text));
    }
    lines.extend(known(answer.dependents_known).map(str::to_owned));
    lines.extend(next(answer));
    lines.join("\n")
}

fn head(answer: &Dependencies) -> String {
    let imports = count(answer.total_imports, "import");
    let dependents = count(answer.total_dependents, "dependent");
    let counts = match (answer.direction, answer.dependents_known) {
        (DependencyDirection::Dependents, DependentsKnown::NotResolved) => {
            "dependents not known".to_owned()
        }
        (DependencyDirection::Imports, _)
        | (_, DependentsKnown::NotAsked | DependentsKnown::NotResolved) => imports,
        (DependencyDirection::Dependents, _) => dependents,
        (DependencyDirection::Both, _) => format!("{imports}, {dependents}"),
    };
    let language = answer
        .language
        .as_ref()
        .map_or_else(String::new, |language| format!(" ({language})"));
    format!(
        "{}{language} in {}: {counts}",
        leading(&answer.path),
        answer.root_name
    )
}

/// What is imported, how, and where it leads.
pub fn import_text(import: &Import) -> String {
    let mut text = one_line(&import.module);
    if let Some(alias) = &import.alias {
        text = format!("{text} as {}", one_line(alias));
    }
    if !import.names.is_empty() {
        text = format!("{text}  {}", names(&import.names));
    }
    if import.wildcard {
        text = format!("{text}  *");
    }
    if import.re_export {
        text = format!("{text}  re-exported");
    }
    match (import.targets.as_slice(), import.resolution) {
        ([], ImportResolution::External) => format!("{text}  external"),
        ([], _) => text,
        (targets, ImportResolution::Ambiguous) => {
            format!("{text}  -> {} (ambiguous)", several(targets, " or "))
        }
        (targets, _) => format!(
            "{text}  -> {}",
            package(targets).unwrap_or_else(|| several(targets, ", "))
        ),
    }
}

/// The first few of several files.
fn several(targets: &[String], between: &str) -> String {
    let named: Vec<_> = targets
        .iter()
        .take(TARGETS_SHOWN)
        .map(|target| one_line(target))
        .collect();
    let more = targets.len().saturating_sub(TARGETS_SHOWN) as u64;
    let more = if more > 0 {
        format!(" and {} more", grouped(more))
    } else {
        String::new()
    };
    format!("{}{more}", named.join(between))
}

/// Files that are all of one folder are a package.
fn package(targets: &[String]) -> Option<String> {
    let folder = targets.first()?.rsplit_once('/')?.0;
    let is_within = |target: &String| {
        target
            .rsplit_once('/')
            .is_some_and(|(path, _)| path == folder)
    };
    let is_package = targets.len() > TARGETS_SHOWN && targets.iter().all(is_within);
    is_package.then(|| {
        format!(
            "{}/ ({})",
            one_line(folder),
            count(targets.len() as u64, "file")
        )
    })
}

/// Who imports it, where, and what of it.
pub fn dependent_text(dependent: &Dependent) -> String {
    let text = format!(
        "{}:{}  {}",
        one_line(&dependent.path),
        dependent.line,
        one_line(&dependent.module)
    );
    let text = if dependent.names.is_empty() {
        text
    } else {
        format!("{text}  {}", names(&dependent.names))
    };
    if dependent.resolution == ImportResolution::Ambiguous {
        format!("{text}  (ambiguous)")
    } else {
        text
    }
}

fn names(names: &[ImportedName]) -> String {
    let written = names.iter().map(|one| match &one.alias {
        Some(alias) => one_line(&format!("{} as {alias}", one.name)),
        None => one_line(&one.name),
    });
    written.collect::<Vec<_>>().join(", ")
}

/// What to know about the list of dependents.
pub fn known(known: DependentsKnown) -> Option<&'static str> {
    match known {
        DependentsKnown::NotResolved => {
            Some("dependents: not known, because imports are not resolved to files yet")
        }
        DependentsKnown::Some => {
            Some("dependents: there may be more, because not all imports are resolved to files")
        }
        DependentsKnown::NotAsked | DependentsKnown::All => None,
    }
}

fn next(answer: &Dependencies) -> Option<String> {
    let imports = answer
        .total_imports
        .saturating_sub(answer.imports.len() as u64);
    let dependents = answer
        .total_dependents
        .saturating_sub(answer.dependents.len() as u64);
    if !answer.truncated || imports + dependents == 0 {
        return None;
    }
    let direction = if dependents > imports {
        "dependents"
    } else {
        "imports"
    };
    let (imports, dependents) = (grouped(imports), grouped(dependents));
    let call = NextCall::new(GetDependencies::NAME)
        .with("path", answer.path.as_str())
        .with("direction", direction)
        .with("root", answer.root_name.as_str())
        .with_budget(MOST_TOKENS);
    Some(format!(
        "left out: {imports} imports, {dependents} dependents; more: {call}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::render::render;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;

    fn import(line: u32, module: &str, resolution: ImportResolution) -> Import {
        Import {
            line,
            module: module.to_owned(),
            names: vec![],
            alias: None,
            wildcard: false,
            re_export: false,
            resolution,
            targets: vec![],
        }
    }

    fn answer(imports: Vec<Import>) -> Dependencies {
        Dependencies {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            path: "src/main.rs".to_owned(),
            language: Some("rust".to_owned()),
            direction: DependencyDirection::Both,
            total_imports: imports.len() as u64,
            imports,
            total_dependents: 0,
            dependents: vec![],
            dependents_known: DependentsKnown::NotResolved,
            truncated: false,
        }
    }

    #[test]
    fn imports_read_as_written() {
        let name = |name: &str, alias: Option<&str>| ImportedName {
            name: name.to_owned(),
            alias: alias.map(str::to_owned),
        };
        let names = vec![name("HashMap", None), name("HashSet", Some("Set"))];
        let mut answer = answer(vec![
            Import {
                names,
                ..import(3, "std::collections", ImportResolution::External)
            },
            Import {
                wildcard: true,
                re_export: true,
                targets: vec!["src/query/mod.rs".to_owned()],
                ..import(5, "crate::query", ImportResolution::Resolved)
            },
            Import {
                alias: Some("np".to_owned()),
                ..import(7, "numpy", ImportResolution::Unresolved)
            },
        ]);
        insta::assert_snapshot!(answer.text().to_string(), @r"
        src/main.rs (rust) in engine: 3 imports
        imports:
        3  std::collections  HashMap, HashSet as Set  external
        5  crate::query  *  re-exported  -> src/query/mod.rs
        7  numpy as np
        dependents: not known, because imports are not resolved to files yet
        ");
        let dependent = Dependent {
            path: "src/app.rs".to_owned(),
            line: 9,
            module: "crate::main".to_owned(),
            names: vec![name("run", None)],
            resolution: ImportResolution::Resolved,
        };
        answer.dependents.push(dependent);
        (answer.total_dependents, answer.dependents_known) = (1, DependentsKnown::All);
        answer.imports.clear();
        (answer.direction, answer.total_imports) = (DependencyDirection::Dependents, 0);
        insta::assert_snapshot!(answer.text().to_string(), @r"
        src/main.rs (rust) in engine: 1 dependent
        dependents:
        src/app.rs:9  crate::main  run
        ");
    }

    #[test]
    fn where_an_import_leads_is_a_file_a_package_or_a_choice() {
        let to = |targets: &[&str], resolution| Import {
            targets: targets.iter().map(|&target| target.to_owned()).collect(),
            ..import(1, "engine/log", resolution)
        };
        let package = ["log/a.go", "log/b.go", "log/c.go"];
        let apart = ["log.go", "log/b.go", "log/c.go"];
        let cases = [
            (
                to(&package[..1], ImportResolution::Resolved),
                "engine/log  -> log/a.go",
            ),
            (
                to(&package, ImportResolution::Resolved),
                "engine/log  -> log/ (3 files)",
            ),
            (
                to(&apart, ImportResolution::Resolved),
                "engine/log  -> log.go, log/b.go and 1 more",
            ),
            (
                to(&apart, ImportResolution::Ambiguous),
                "engine/log  -> log.go or log/b.go and 1 more (ambiguous)",
            ),
            (to(&[], ImportResolution::External), "engine/log  external"),
            (to(&[], ImportResolution::Unresolved), "engine/log"),
        ];
        for (import, expected) in cases {
            assert_eq!(import_text(&import), expected);
        }
    }

    #[test]
    fn a_long_list_is_cut_between_imports() {
        let imports = (0..400).map(|line| {
            import(
                line,
                "std::collections::hash_map",
                ImportResolution::External,
            )
        });
        let text = render(&answer(imports.collect()), Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500);
        let shown = text
            .lines()
            .filter(|line| line.ends_with("  external"))
            .count();
        let last = text.lines().last().expect("a line");
        assert!(
            last.starts_with(&format!(
                "left out: {} imports, 0 dependents; more: ",
                400 - shown
            )),
            "{text}"
        );
        assert!(last.ends_with(
            r#"get_dependencies {"path":"src/main.rs","direction":"imports","root":"engine","max_tokens":10000}"#
        ));
    }
}
