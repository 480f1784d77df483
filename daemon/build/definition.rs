//! The shape of a `lang.toml`, and what holds where one is silent.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One `lang.toml`. A field that is not named here is refused, so that a misspelt one cannot pass in silence.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    #[serde(skip)]
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Those of them whose files mostly declare what others define.
    #[serde(default)]
    pub declarations: Vec<String>,
    /// Written for people to read.
    #[serde(default)]
    pub prose: bool,
    #[serde(default)]
    pub unless: Vec<Unless>,
    #[serde(default)]
    pub filenames: Vec<String>,
    #[serde(default)]
    pub filename_prefixes: Vec<String>,
    #[serde(default)]
    pub shebangs: Vec<String>,
    /// The name of its grammar; then the folder has queries.
    pub grammar: Option<String>,
    /// Queries of other languages that hold for this one too, from the folder of definitions.
    #[serde(default)]
    pub shared_queries: Vec<String>,
    /// Between the parts of a qualified name.
    #[serde(default = "dot")]
    pub separator: String,
    #[serde(default)]
    pub visibility: Visibility,
    #[serde(default)]
    pub names: NameRules,
    #[serde(default)]
    pub macros: MacroRules,
    /// Words that open bodies which the grammar cannot read on one line.
    #[serde(default)]
    pub one_line_bodies: Vec<String>,
    /// Lines may be left out under a condition, also where the grammar does not expect that.
    #[serde(default)]
    pub conditional_lines: bool,
    #[serde(default)]
    pub naming: Naming,
    #[serde(default)]
    pub outline: Vec<OutlineRule>,
    #[serde(default)]
    pub lexis: Lexis,
    #[serde(default)]
    pub embed: Vec<Embed>,
}

fn dot() -> String {
    ".".to_owned()
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Visibility {
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    pub underscore: Option<String>,
    pub uppercase: Option<String>,
    pub otherwise: Option<String>,
}

/// What a name means, beyond the file that it stands in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a word that a definition may have"
)]
pub struct NameRules {
    pub modules: String,
    pub shares: String,
    pub types: String,
    pub receivers: Vec<String>,
    pub type_receivers: Vec<String>,
    pub own_module: Vec<String>,
    pub unnamed_parameters: Vec<String>,
    pub top: Option<String>,
    pub derives: Option<String>,
    pub documented_types: Vec<String>,
    pub documented_results: Vec<String>,
    pub documented_parameters: Vec<String>,
    pub anything: Vec<String>,
    pub unions: Vec<String>,
    pub enters: Vec<String>,
    pub keyed: Vec<String>,
    pub keys: Vec<String>,
    pub goes_through: String,
    pub results: Vec<String>,
    pub failures: Vec<String>,
    pub names_of: Vec<String>,
    pub choices: Vec<String>,
    pub fields_apart: bool,
    pub parents: Vec<String>,
    pub implicit_members: bool,
    pub closed_modules: bool,
    pub imports_are_members: bool,
    pub open_imports: bool,
    pub overloads: bool,
    pub owners: Vec<String>,
    pub open_members: Vec<String>,
    pub sealed_modules: bool,
    pub modules_apart: bool,
    pub types_apart: bool,
    pub bare_calls: bool,
    pub function_values: bool,
    pub accessors: bool,
    pub makes_own: Vec<String>,
    pub type_of: Vec<String>,
    pub makers: Vec<String>,
    pub dotted_names: bool,
    pub structural: bool,
    pub embedded_fields: bool,
    pub families: bool,
    pub types_name_files: bool,
    pub indexes: Vec<String>,
    pub extensions: Vec<String>,
    pub transparent: Vec<String>,
    pub tests: Vec<String>,
    pub fixture_tests: Vec<String>,
}

impl Default for NameRules {
    fn default() -> Self {
        Self {
            modules: "none".to_owned(),
            shares: "nothing".to_owned(),
            types: "after".to_owned(),
            receivers: vec![],
            type_receivers: vec![],
            own_module: vec![],
            unnamed_parameters: vec![],
            top: None,
            derives: None,
            documented_types: vec![],
            documented_results: vec![],
            documented_parameters: vec![],
            anything: vec![],
            unions: vec![],
            enters: vec![],
            keyed: vec![],
            keys: vec![],
            goes_through: "second".to_owned(),
            results: vec![],
            failures: vec![],
            names_of: vec![],
            choices: vec![],
            fields_apart: false,
            parents: vec![],
            implicit_members: false,
            closed_modules: false,
            imports_are_members: false,
            open_imports: false,
            overloads: false,
            owners: vec![],
            open_members: vec![],
            sealed_modules: false,
            modules_apart: false,
            types_apart: false,
            bare_calls: false,
            function_values: false,
            accessors: false,
            makes_own: vec![],
            type_of: vec![],
            makers: vec![],
            dotted_names: false,
            structural: false,
            embedded_fields: false,
            families: false,
            types_name_files: false,
            indexes: vec![],
            extensions: vec![],
            transparent: vec![],
            tests: vec![],
            fixture_tests: vec![],
        }
    }
}

/// Macros that stand where a grammar knows none.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MacroRules {
    pub before_names: Vec<String>,
    pub beginnings: Vec<String>,
    pub specifiers: Vec<String>,
    pub annotations: Vec<String>,
}

/// What is a name, and what else has to be known to give something another one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a word that a definition may have"
)]
pub struct Naming {
    pub name: String,
    pub function_name: Option<String>,
    pub reserved: Vec<String>,
    pub reserved_types: Vec<String>,
    pub free_methods: bool,
    pub letter_case: bool,
    pub hidden_within: Option<String>,
    pub shorthand_fields: bool,
    pub embedded_fields: bool,
    pub member_signs: Vec<String>,
    pub variable_sign: Option<char>,
    pub override_words: Vec<String>,
    pub impl_blocks: bool,
}

impl Default for Naming {
    fn default() -> Self {
        Self {
            name: r"[\p{XID_Start}_]\p{XID_Continue}*".to_owned(),
            function_name: None,
            reserved: vec![],
            reserved_types: vec![],
            free_methods: false,
            letter_case: false,
            hidden_within: None,
            shorthand_fields: false,
            embedded_fields: false,
            member_signs: vec![".".to_owned()],
            variable_sign: None,
            override_words: vec![],
            impl_blocks: false,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutlineRule {
    pub pattern: String,
    pub kind: Option<String>,
    pub end: String,
    pub level: Option<u32>,
    pub under: Option<String>,
    pub within: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Lexis {
    pub line_comments: Vec<String>,
    pub block_comments: Vec<(String, String)>,
    pub comments_begin: String,
    pub strings: Vec<String>,
    pub raw_strings: Vec<String>,
    pub text_blocks: Vec<(String, String)>,
    pub fence: Vec<Fence>,
    pub brackets: String,
    pub depth: Option<u32>,
}

impl Default for Lexis {
    fn default() -> Self {
        Self {
            line_comments: vec![],
            block_comments: vec![],
            comments_begin: "anywhere".to_owned(),
            strings: vec![],
            raw_strings: vec![],
            text_blocks: vec![],
            fence: vec![],
            brackets: "{}[]()".to_owned(),
            depth: None,
        }
    }
}

/// Without `close` it is closed by what the group `mark` matched, or else by indentation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    pub open: String,
    pub close: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unless {
    pub language: String,
    pub lines: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Embed {
    pub open: String,
    pub close: String,
    pub language: String,
}
