//! Turns the language definitions under `src/lang/defs` into constant tables, so that knowing every language costs
//! the daemon nothing at start-up and a wrong definition is a build error, never a surprise at run time.
//!
//! It may not know any language by name: what it knows is the shape of a `lang.toml`. Besides, it notes the compiler.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its definitions, and cargo speaks to it by variables"
)]

#[path = "build/definition.rs"]
mod definition;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use self::definition::{
    Definition, Embed, Fence, Lexis, MacroRules, NameRules, Naming, OutlineRule, Unless, Visibility,
};

/// From the folder of the package, in which cargo runs build scripts.
const DEFS: &str = "src/lang/defs";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={DEFS}");

    println!("cargo::rustc-env=CLAUDEVIL_COMPILER={}", compiler());
    if loads_packed_relocations() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }

    let mut problems = Vec::new();
    let definitions = read_definitions(&mut problems);
    let tables = Tables::build(&definitions, &mut problems);
    if problems.is_empty() {
        fs::write(
            out_dir().join("languages.rs"),
            render(&definitions, &tables),
        )
        .expect("OUT_DIR can be written");
    }
    // All of them at once: one build shows everything that is to be mended.
    for problem in problems {
        println!("cargo::error={problem}");
    }
}

fn out_dir() -> PathBuf {
    env::var_os("OUT_DIR").expect("cargo sets OUT_DIR").into()
}

/// Whether the C library here loads relocations in their packed form, a sixteenth of 8 MB. Those of 2022 and later do. A
/// build for another machine leaves them as they are.
fn loads_packed_relocations() -> bool {
    let is_here = env::var("TARGET").ok() == env::var("HOST").ok();
    let is_gnu = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux")
        && env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    if !is_here || !is_gnu {
        return false;
    }
    // It answers `glibc 2.36`.
    let Ok(asked) = std::process::Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
    else {
        return false;
    };
    let answer = String::from_utf8_lossy(&asked.stdout);
    let version = answer
        .trim()
        .rsplit(' ')
        .next()
        .and_then(|version| version.split_once('.'));
    version.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
        >= Some((2_u32, 36_u32))
}

/// The compiler's name and version, for the status.
fn compiler() -> String {
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let version = std::process::Command::new(rustc)
        .arg("--version")
        .output()
        .expect("the compiler runs");
    String::from_utf8_lossy(&version.stdout).trim().to_owned()
}

/// The definitions in the order of their ids, which are the names of their folders.
fn read_definitions(problems: &mut Vec<String>) -> Vec<Definition> {
    let mut folders: Vec<PathBuf> = fs::read_dir(DEFS)
        .expect("the folder of language definitions can be read")
        .map(|entry| {
            entry
                .expect("an entry of the folder of language definitions can be read")
                .path()
        })
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();

    let mut definitions = Vec::new();
    for folder in folders {
        let id = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match read_definition(&folder.join("lang.toml")) {
            Ok(definition) => definitions.push(Definition { id, ..definition }),
            Err(problem) => problems.push(format!("{DEFS}/{id}/lang.toml: {problem}")),
        }
    }
    definitions
}

fn read_definition(path: &Path) -> Result<Definition, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    toml::from_str(&text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let line = text
            .bytes()
            .take(offset)
            .filter(|byte| *byte == b'\n')
            .count()
            + 1;
        // A message of cargo is one line.
        format!("line {line}: {}", error.message().replace('\n', " "))
    })
}

/// For each way to find a language: what was claimed, and the place of its language in the definitions.
struct Tables {
    names: BTreeMap<String, usize>,
    extensions: BTreeMap<String, usize>,
    filenames: BTreeMap<String, usize>,
    filename_prefixes: BTreeMap<String, usize>,
    shebangs: BTreeMap<String, usize>,
}

impl Tables {
    fn build(definitions: &[Definition], problems: &mut Vec<String>) -> Self {
        let mut claims = Claims {
            definitions,
            problems,
        };
        Self {
            names: claims.names(),
            extensions: claims.gather("extension", Case::Lower, |definition| {
                &definition.extensions
            }),
            filenames: claims.gather("filename", Case::Any, |definition| &definition.filenames),
            filename_prefixes: claims.gather("filename prefix", Case::Any, |definition| {
                &definition.filename_prefixes
            }),
            shebangs: claims.gather("shebang", Case::Lower, |definition| &definition.shebangs),
        }
    }
}

/// Lookups that ignore case lower what they are asked for, so their keys must be lower-case themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Any,
}

struct Claims<'a> {
    definitions: &'a [Definition],
    problems: &'a mut Vec<String>,
}

impl Claims<'_> {
    /// Ids, display names and aliases: one space of names, since a user may give any of them.
    fn names(&mut self) -> BTreeMap<String, usize> {
        let mut table = BTreeMap::new();
        for (index, definition) in self.definitions.iter().enumerate() {
            let lowered = definition.name.to_ascii_lowercase();
            self.claim(&mut table, "id", Case::Lower, &definition.id, index);
            if lowered != definition.id {
                self.claim(&mut table, "name", Case::Lower, &lowered, index);
            }
            for alias in &definition.aliases {
                self.claim(&mut table, "alias", Case::Lower, alias, index);
            }
        }
        table
    }

    fn gather(
        &mut self,
        what: &str,
        case: Case,
        values: impl Fn(&Definition) -> &Vec<String>,
    ) -> BTreeMap<String, usize> {
        let mut table = BTreeMap::new();
        for (index, definition) in self.definitions.iter().enumerate() {
            for value in values(definition) {
                self.claim(&mut table, what, case, value, index);
            }
        }
        table
    }

    fn claim(
        &mut self,
        table: &mut BTreeMap<String, usize>,
        what: &str,
        case: Case,
        value: &str,
        index: usize,
    ) {
        let id = &self.definitions[index].id;
        if let Some(fault) = fault(case, value) {
            self.problems
                .push(format!("{DEFS}/{id}/lang.toml: {what} {value:?} {fault}"));
        }
        let Some(earlier) = table.insert(value.to_owned(), index) else {
            return;
        };
        let problem = if earlier == index {
            format!("{DEFS}/{id}/lang.toml: {what} {value:?} is given twice")
        } else {
            format!(
                "{DEFS}: {what} {value:?} is claimed by both `{}` and `{id}`",
                self.definitions[earlier].id
            )
        };
        self.problems.push(problem);
    }
}

fn fault(case: Case, value: &str) -> Option<&'static str> {
    if value.trim() != value || value.is_empty() {
        return Some("is empty or has spaces around it");
    }
    if !value.is_ascii() || value.contains(['/', '\\']) {
        return Some("has a slash or a letter outside ASCII");
    }
    if case == Case::Lower && value.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Some("must be lower-case");
    }
    if case == Case::Lower && value.starts_with('.') {
        return Some("must not begin with a dot");
    }
    None
}

/// The text of `languages.rs`, which `src/lang/tables.rs` includes.
fn render(definitions: &[Definition], tables: &Tables) -> String {
    let mut text = String::from("pub(super) static LANGUAGES: &[Language] = &[\n");
    for definition in definitions {
        let Definition {
            id,
            name,
            aliases,
            extensions,
            declarations,
            prose,
            ..
        } = definition;
        let Definition {
            filenames,
            filename_prefixes,
            shebangs,
            ..
        } = definition;
        // `{:?}` of strings is what Rust reads back as the same strings.
        let _ = writeln!(
            text,
            "    Language {{ id: {id:?}, name: {name:?}, aliases: &{aliases:?}, extensions: &{extensions:?}, \
             declarations: &{declarations:?}, prose: {prose}, \
             filenames: &{filenames:?}, filename_prefixes: &{filename_prefixes:?}, shebangs: &{shebangs:?}, \
             facts: {}, outline: &[{}], lexis: {}, embeds: &[{}], unless: &[{}] }},",
            render_facts(definition),
            definition
                .outline
                .iter()
                .map(render_outline)
                .collect::<String>(),
            render_lexis(&definition.lexis),
            definition
                .embed
                .iter()
                .map(render_embed)
                .collect::<String>(),
            definition
                .unless
                .iter()
                .map(render_unless)
                .collect::<String>(),
        );
    }
    text.push_str("];\n");
    // A `BTreeMap` walks its keys in the order of their bytes, the one that the binary searches rely on.
    render_table(&mut text, "BY_NAME", &tables.names);
    render_table(&mut text, "BY_EXTENSION", &tables.extensions);
    render_table(&mut text, "BY_FILENAME", &tables.filenames);
    render_table(&mut text, "BY_FILENAME_PREFIX", &tables.filename_prefixes);
    render_table(&mut text, "BY_SHEBANG", &tables.shebangs);
    text
}

fn render_facts(definition: &Definition) -> String {
    let Some(grammar) = &definition.grammar else {
        return "None".to_owned();
    };
    let queries: String = queries(definition)
        .iter()
        .map(|path| {
            let path = path.display().to_string();
            format!(
                "include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/\", {path:?})), \"\\n\", "
            )
        })
        .collect();
    let Visibility {
        words,
        underscore,
        uppercase,
        otherwise,
    } = &definition.visibility;
    let words: String = words
        .iter()
        .map(|(word, visibility)| format!("({word:?}, {}), ", variant("Visibility", visibility)))
        .collect();
    let optional = |word: &Option<String>| {
        word.as_ref().map_or("None".to_owned(), |word| {
            format!("Some({})", variant("Visibility", word))
        })
    };
    format!(
        "Some(Facts {{ grammar: {grammar:?}, queries: concat!({queries}), separator: {:?}, \
         visibility: &VisibilityRule {{ words: &[{words}], underscore: {}, uppercase: {}, otherwise: {} }}, \
         names: &{}, macros: &{}, one_line_bodies: &{:?}, conditional_lines: {}, naming: &{} }})",
        definition.separator,
        optional(underscore),
        optional(uppercase),
        optional(otherwise),
        render_names(definition),
        render_macros(&definition.macros),
        definition.one_line_bodies,
        definition.conditional_lines,
        render_naming(&definition.naming),
    )
}

fn render_macros(
    MacroRules {
        before_names,
        beginnings,
        specifiers,
        annotations,
    }: &MacroRules,
) -> String {
    format!(
        "MacroRules {{ before_names: &{before_names:?}, beginnings: &{beginnings:?}, specifiers: &{specifiers:?}, \
         annotations: &{annotations:?} }}"
    )
}

fn render_naming(naming: &Naming) -> String {
    let Naming {
        name,
        function_name,
        reserved,
        reserved_types,
        member_signs,
        override_words,
        ..
    } = naming;
    let Naming {
        free_methods,
        letter_case,
        shorthand_fields,
        embedded_fields,
        impl_blocks,
        variable_sign,
        ..
    } = naming;
    let within = naming
        .hidden_within
        .as_ref()
        .map_or("None".to_owned(), |word| {
            format!("Some({})", variant("Within", word))
        });
    format!(
        "Naming {{ name: {name:?}, function_name: {function_name:?}, reserved: &{reserved:?}, \
         reserved_types: &{reserved_types:?}, free_methods: {free_methods}, letter_case: {letter_case}, \
         hidden_within: {within}, shorthand_fields: {shorthand_fields}, embedded_fields: {embedded_fields}, \
         member_signs: &{member_signs:?}, variable_sign: {variable_sign:?}, override_words: &{override_words:?}, impl_blocks: {impl_blocks} }}"
    )
}

fn render_names(definition: &Definition) -> String {
    let NameRules {
        receivers,
        type_receivers,
        parents,
        choices,
        indexes,
        transparent,
        ..
    } = &definition.names;
    let NameRules {
        own_module,
        unnamed_parameters,
        makes_own,
        type_of,
        makers,
        tests,
        fixture_tests,
        ..
    } = &definition.names;
    let NameRules {
        top,
        derives,
        documented_types,
        documented_results,
        documented_parameters,
        ..
    } = &definition.names;
    let NameRules {
        anything,
        unions,
        enters,
        keyed,
        keys,
        results,
        failures,
        names_of,
        ..
    } = &definition.names;
    let NameRules {
        implicit_members,
        closed_modules,
        imports_are_members,
        ..
    } = definition.names;
    let NameRules {
        open_imports,
        overloads,
        structural,
        families,
        types_name_files,
        sealed_modules,
        modules_apart,
        ..
    } = definition.names;
    let NameRules {
        types_apart,
        bare_calls,
        dotted_names,
        embedded_fields,
        fields_apart,
        ..
    } = definition.names;
    let NameRules {
        function_values,
        accessors,
        ..
    } = definition.names;
    let kinds = |words: &[String]| {
        words
            .iter()
            .map(|word| variant("SymbolKind", word))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (owners, open_members) = (
        kinds(&definition.names.owners),
        kinds(&definition.names.open_members),
    );
    let extensions = if definition.names.extensions.is_empty() {
        &definition.extensions
    } else {
        &definition.names.extensions
    };
    format!(
        "NameRules {{ modules: {}, shares: {}, types: {}, receivers: &{receivers:?}, \
         type_receivers: &{type_receivers:?}, parents: &{parents:?}, embedded_fields: {embedded_fields}, \
         choices: &{choices:?}, fields_apart: {fields_apart}, own_module: &{own_module:?}, \
         unnamed_parameters: &{unnamed_parameters:?}, top: {top:?}, derives: {derives:?}, \
         documented_types: &{documented_types:?}, documented_results: &{documented_results:?}, \
         documented_parameters: &{documented_parameters:?}, anything: &{anything:?}, unions: &{unions:?}, enters: &{enters:?}, keyed: &{keyed:?}, keys: &{keys:?}, \
         goes_through: {}, results: &{results:?}, failures: &{failures:?}, names_of: &{names_of:?}, \
         implicit_members: {implicit_members}, closed_modules: {closed_modules}, \
         imports_are_members: {imports_are_members}, open_imports: {open_imports}, overloads: {overloads}, structural: {structural}, \
         families: {families}, types_name_files: {types_name_files}, \
         owners: &[{owners}], open_members: &[{open_members}], sealed_modules: {sealed_modules}, \
         modules_apart: {modules_apart}, types_apart: {types_apart}, bare_calls: {bare_calls}, \
         function_values: {function_values}, accessors: {accessors}, makes_own: &{makes_own:?}, \
         type_of: &{type_of:?}, makers: &{makers:?}, \
         dotted_names: {dotted_names}, indexes: &{indexes:?}, extensions: &{extensions:?}, \
         transparent: &{transparent:?}, tests: &{tests:?}, fixture_tests: &{fixture_tests:?} }}",
        variant("Modules", &definition.names.modules),
        variant("Shares", &definition.names.shares),
        variant("TypePlace", &definition.names.types),
        variant("Place", &definition.names.goes_through),
    )
}

/// The paths of a language's queries, its own and those that it shares, sorted by their names. Relative to the package:
/// checkouts that share a target directory share what is made here.
fn queries(definition: &Definition) -> Vec<PathBuf> {
    let defs = PathBuf::from(DEFS);
    let entries =
        fs::read_dir(defs.join(&definition.id)).expect("the folder of a definition can be read");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of it too").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "scm"));
    paths.extend(
        definition
            .shared_queries
            .iter()
            .map(|shared| defs.join(shared)),
    );
    paths.sort_by(|one, other| one.file_name().cmp(&other.file_name()));
    paths
}

fn render_outline(
    OutlineRule {
        pattern,
        kind,
        end,
        level,
        under,
        within,
    }: &OutlineRule,
) -> String {
    let optional = |word: &Option<String>| {
        word.as_ref().map_or("None".to_owned(), |word| {
            format!("Some({})", variant("SymbolKind", word))
        })
    };
    format!(
        "OutlineRule {{ pattern: {pattern:?}, kind: {}, end: {}, level: {level:?}, under: {under:?}, within: {} }}, ",
        optional(kind),
        variant("End", end),
        optional(within),
    )
}

fn render_lexis(lexis: &Lexis) -> String {
    let Lexis {
        line_comments,
        block_comments,
        strings,
        raw_strings,
        text_blocks,
        brackets,
        depth,
        ..
    } = lexis;
    let fences: String = lexis.fence.iter().map(render_fence).collect();
    format!(
        "Lexis {{ line_comments: &{line_comments:?}, block_comments: &{block_comments:?}, comments_begin: {}, \
         strings: &{strings:?}, raw_strings: &{raw_strings:?}, text_blocks: &{text_blocks:?}, fences: &[{fences}], \
         brackets: {brackets:?}, depth: {depth:?} }}",
        variant("CommentsBegin", &lexis.comments_begin),
    )
}

fn render_fence(Fence { open, close }: &Fence) -> String {
    let close = match close {
        Some(pattern) => format!("FenceClose::Pattern({pattern:?})"),
        None if open.contains("(?<mark>") => "FenceClose::Mark".to_owned(),
        None => "FenceClose::Indent".to_owned(),
    };
    format!("Fence {{ open: {open:?}, close: {close} }}, ")
}

fn render_unless(Unless { language, lines }: &Unless) -> String {
    format!("Unless {{ language: {language:?}, lines: &{lines:?} }}, ")
}

fn render_embed(
    Embed {
        open,
        close,
        language,
    }: &Embed,
) -> String {
    format!("Embed {{ open: {open:?}, close: {close:?}, language: {language:?} }}, ")
}

/// `public` as `Visibility::Public`, `after_space` as `CommentsBegin::AfterSpace`. The compiler refuses a word that is
/// none.
fn variant(of: &str, word: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map(|first| first.to_ascii_uppercase())
            .into_iter()
            .chain(letters)
            .collect::<String>()
    };
    format!("{of}::{}", word.split('_').map(capital).collect::<String>())
}

fn render_table(text: &mut String, name: &str, table: &BTreeMap<String, usize>) {
    let _ = writeln!(text, "pub(super) static {name}: Table = &[");
    for (key, index) in table {
        let _ = writeln!(text, "    ({key:?}, &LANGUAGES[{index}]),");
    }
    text.push_str("];\n");
}
