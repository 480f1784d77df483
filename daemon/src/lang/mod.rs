//! The languages that the daemon knows, and how the language of a file is detected.
//!
//! A language is data: a folder under `defs/` with a `lang.toml`, read once per process, and `.scm` queries if it is parsed. To
//! add one is to add a folder and its files to the list in `definitions.rs`. Rules that only one family of languages has are
//! code in `families/`. No other code may branch on a particular language, and words of a language are here and nowhere else.
//! This module never opens a file: its callers pass it a name or a first line.

pub mod conventions;
mod definitions;
mod detect;
pub mod directives;
mod facts;
pub mod families;
mod lexis;
pub mod line_definitions;
pub mod literals;
mod naming;
pub mod path_names;
mod registry;
mod rules;
mod suggest;
pub mod vocabulary;
mod words;

pub use detect::{Detection, by_path, by_shebang};
pub use facts::Facts;
pub use lexis::{CommentsBegin, Embed, End, Fence, FenceClose, Lexis, LineDetection, OutlineRule};
pub use naming::{NameReach, Naming, SIGILS};
pub use rules::{ImplicitScope, ModuleSystem, NameRules, TypePosition};
use serde::Deserialize;
pub use suggest::nearest;
pub use words::Words;

/// One `lang.toml`; the name of its folder is the id. Unknown keys are refused, so that a misspelt one is not ignored.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// The stable name by which indexes and queries refer to the language: `csharp`.
    #[serde(skip)]
    pub id: &'static str,
    /// The name that people read: `C#`.
    #[serde(deserialize_with = "words::leaked")]
    pub name: &'static str,
    /// Other names by which people may ask for it, in lower case: `cs`.
    #[serde(default)]
    pub aliases: Words,
    /// Without the leading dot, in lower case; some are compound: `d.ts`.
    pub extensions: Words,
    /// The extensions of files that mostly declare symbols that other files define: `h`.
    #[serde(default)]
    pub declarations: Words,
    /// Written for people to read: Markdown.
    #[serde(default)]
    pub prose: bool,
    /// Whole file names, case-sensitive: `BUILD` is a Bazel file, but `build` may be any script.
    #[serde(default)]
    pub filenames: Words,
    /// Prefixes of file names, case-sensitive too: `Dockerfile.`.
    #[serde(default)]
    pub filename_prefixes: Words,
    /// Interpreters on a `#!` line, in lower case and without a version: `python`.
    #[serde(default)]
    pub shebangs: Words,
    /// None if the language has no grammar.
    pub facts: Option<Facts>,
    #[serde(default)]
    pub outline: Vec<OutlineRule>,
    #[serde(default)]
    pub lexis: Lexis,
    #[serde(default)]
    pub embed: Vec<Embed>,
    #[serde(default)]
    pub line_detection: Vec<LineDetection>,
}

impl Language {
    /// Reads a definition; an error names the line.
    fn parse(id: &'static str, text: &'static str) -> Result<Self, String> {
        let mut language: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        language.id = id;
        if let Some(facts) = &mut language.facts
            && facts.names.import_extensions.is_empty()
        {
            facts.names.import_extensions = language.extensions;
        }
        Ok(language)
    }

    /// Returns all queries of the language, its own and those that it shares, in the order of their file names.
    pub fn queries(&self) -> String {
        let own = definitions::FILES.iter().map(|(path, _)| *path);
        let own = own.filter(|path| {
            let name = path.strip_prefix(self.id).unwrap_or_default();
            name.starts_with('/') && name.strip_suffix(".scm").is_some()
        });
        let shared = self.facts.iter().flat_map(|facts| facts.shared_queries);
        let mut paths: Vec<&str> = own.chain(shared.copied()).collect();
        paths.sort_by_key(|path| path.rsplit('/').next());
        let texts = paths.into_iter().filter_map(definitions::text);
        texts.flat_map(|text| [text, "\n"]).collect()
    }
}

/// Returns every language, in the order of the ids.
pub fn all() -> &'static [Language] {
    registry::languages()
}

/// Returns the language whose id, display name or alias is `name`, whatever its case.
pub fn by_name(name: &str) -> Option<&'static Language> {
    registry::find_ignoring_case(registry::Table::Name, name.trim())
}

/// Returns whether names of one language can refer to symbols of the other: they are one language, or import each other
/// (C and C++, JavaScript and TypeScript).
pub fn same_language_family(one: &Language, other: &Language) -> bool {
    let import_each_other = |one: &Facts, other: &Facts| {
        let (one, other) = (&one.names, &other.names);
        one.modules == other.modules
            && (one.import_extensions == other.import_extensions
                || one.modules == ModuleSystem::Include)
    };
    std::ptr::eq(one, other)
        || (one.facts.as_ref())
            .zip(other.facts.as_ref())
            .is_some_and(|(one, other)| import_each_other(one, other))
}

/// Returns the language of a text whose file name suggests `language`: another language if a line is typical of that one, such
/// as `namespace` in a C header.
pub fn by_lines(language: &'static Language, text: &[u8]) -> &'static Language {
    if language.line_detection.is_empty() {
        return language;
    }
    let mut lines = text
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_start);
    let told = lines.find_map(|line| {
        let tells = |detection: &&LineDetection| {
            detection
                .lines
                .iter()
                .any(|beginning| line.starts_with(beginning.as_bytes()))
        };
        language.line_detection.iter().find(tells)
    });
    told.and_then(|detection| by_name(detection.language))
        .unwrap_or(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_what_its_lines_say() {
        let header = by_name("c").expect("known");
        for (text, language) in [
            ("#ifndef A_H\nint a(void);\n#endif\n", "c"),
            ("#pragma once\n\nnamespace a {\nint b();\n}\n", "cpp"),
            ("template <typename T>\nstruct A {};\n", "cpp"),
            ("#import <Foundation/Foundation.h>\n@interface A\n", "objc"),
            ("// class of errors\nstruct a { int class_of; };\n", "c"),
        ] {
            assert_eq!(by_lines(header, text.as_bytes()).id, language, "{text}");
        }
        let python = by_name("python").expect("known");
        assert_eq!(by_lines(python, b"class A:\n"), python);
        for detection in all().iter().flat_map(|language| &language.line_detection) {
            assert!(
                by_name(detection.language).is_some(),
                "{}",
                detection.language
            );
        }
    }

    #[test]
    fn languages_are_in_the_order_of_their_ids() {
        assert!(all().is_sorted_by(|a, b| a.id < b.id));
    }

    #[test]
    fn every_id_name_and_alias_leads_to_its_language() {
        for language in all() {
            assert_eq!(by_name(language.id), Some(language));
            assert_eq!(by_name(language.name), Some(language));
            assert_eq!(by_name(&language.name.to_uppercase()), Some(language));
            for alias in language.aliases {
                assert_eq!(by_name(alias), Some(language), "{alias}");
            }
        }
    }

    #[test]
    fn names_that_people_use() {
        let cases = [
            ("Rust", "rust"),
            ("rs", "rust"),
            ("golang", "go"),
            ("C#", "csharp"),
            ("cs", "csharp"),
            ("f#", "fsharp"),
            ("C++", "cpp"),
            ("c", "c"),
            ("JS", "javascript"),
            ("ts", "typescript"),
            ("py", "python"),
            ("shell", "bash"),
            ("terraform", "hcl"),
            ("Objective-C", "objc"),
            ("Protocol Buffers", "protobuf"),
            (" yml ", "yaml"),
        ];
        for (name, id) in cases {
            assert_eq!(
                by_name(name).map(|language| language.id),
                Some(id),
                "{name}"
            );
        }
    }

    #[test]
    fn unknown_names_lead_nowhere() {
        for name in ["", " ", "cobol", "rus", "rustt", "ĵava"] {
            assert_eq!(by_name(name), None, "{name}");
        }
    }
}
