//! The languages that the daemon knows, and how it tells which one a file is in.
//!
//! A language is data: a folder under `defs/` with a `lang.toml`, compiled into tables by the build script. To add one
//! is to add a folder; a parsed one also has `.scm` queries there. No Rust code, here or elsewhere, may branch on a particular language. This module never opens a
//! file: its callers hand it a name or a first line.

mod detect;
mod facts;
mod naming;
mod suggest;
mod tables;

pub use detect::{Detection, by_path, by_shebang};
pub use facts::{
    CommentsBegin, Embed, End, Facts, Fence, FenceClose, Lexis, MacroRules, Modules, NameRules,
    OutlineRule, Place, Shares, TypePlace, Unless, VisibilityRule,
};
pub use naming::{Naming, Within};
pub use suggest::{edit_distance, nearest};

/// What a `lang.toml` says, under the name of its folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// The stable name by which indexes and queries refer to the language.
    pub id: &'static str,
    /// The name that people read.
    pub name: &'static str,
    /// Further names that people may ask for it by, in lower case.
    pub aliases: &'static [&'static str],
    /// Without the leading dot, in lower case; some are compound, as `d.ts` is.
    pub extensions: &'static [&'static str],
    /// Those of the extensions whose files mostly declare what others define.
    pub declarations: &'static [&'static str],
    /// Written for people to read.
    pub prose: bool,
    /// Whole file names, whose case counts: `BUILD` is one, `build` is anybody's script.
    pub filenames: &'static [&'static str],
    /// Beginnings of file names, for names that vary after them; their case counts too.
    pub filename_prefixes: &'static [&'static str],
    /// Interpreters on a `#!` line, in lower case and without the version that may follow.
    pub shebangs: &'static [&'static str],
    /// None where the language is not parsed.
    pub facts: Option<Facts>,
    pub outline: &'static [OutlineRule],
    pub lexis: Lexis,
    pub embeds: &'static [Embed],
    /// Where its names do not say enough.
    pub unless: &'static [Unless],
}

/// Every language, in the order of the ids.
pub fn all() -> &'static [Language] {
    tables::LANGUAGES
}

/// The language whose id, display name or alias is `name`, whatever its case.
pub fn by_name(name: &str) -> Option<&'static Language> {
    tables::find_ignoring_case(tables::BY_NAME, name.trim())
}

/// Whether names of texts in one language can mean something in texts of the other: they are one, or used as one.
pub fn are_used_as_one(one: &Language, other: &Language) -> bool {
    let names = |language: &Language| language.facts.map(|facts| facts.names);
    let are_alike = |one: &NameRules, other: &NameRules| {
        one.modules == other.modules
            && (one.extensions == other.extensions || one.modules == Modules::Include)
    };
    std::ptr::eq(one, other)
        || names(one)
            .zip(names(other))
            .is_some_and(|(one, other)| are_alike(one, other))
}

/// The language of a text whose name says `language`: that one, or the one that its lines tell.
pub fn by_lines(language: &'static Language, text: &[u8]) -> &'static Language {
    if language.unless.is_empty() {
        return language;
    }
    let mut lines = text
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_start);
    let told = lines.find_map(|line| {
        let tells = |unless: &&Unless| {
            unless
                .lines
                .iter()
                .any(|beginning| line.starts_with(beginning.as_bytes()))
        };
        language.unless.iter().find(tells)
    });
    told.and_then(|unless| by_name(unless.language))
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
        for unless in all().iter().flat_map(|language| language.unless) {
            assert!(by_name(unless.language).is_some(), "{}", unless.language);
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
