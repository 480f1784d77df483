//! Rust: crates and their files, module paths, `impl` blocks, derived traits, and `Result`.

use super::{FamilyRules, Feature, ItemMacros, Keyword, Wrapper};

pub struct Rust;

/// The root files of a crate, in its folder or in `src`.
pub const CRATE_ROOTS: [&str; 2] = ["lib.rs", "main.rs"];
/// The folder of a crate's modules.
pub const SOURCE_FOLDER: &str = "src";
/// Folders whose files are crates of their own: `tests/store.rs`.
pub const CRATE_FOLDERS: [&str; 4] = ["bin", "tests", "examples", "benches"];
/// The one of these that lies among a crate's modules: `src/bin/store.rs`.
pub const BINARIES_FOLDER: &str = "bin";
/// The stem of a file that is the module of its folder: `store/mod.rs`.
pub const FOLDER_MODULE: &str = "mod";
/// The manifest of a crate.
pub const MANIFEST: &str = "Cargo.toml";
pub const EXTENSION: &str = "rs";

/// Methods that operators and other syntax call, with their traits: `a + b` calls `Add::add`.
const OPERATOR_TRAITS: [(&str, &str); 37] = [
    ("add", "Add"),
    ("add_assign", "AddAssign"),
    ("bitand", "BitAnd"),
    ("bitand_assign", "BitAndAssign"),
    ("bitor", "BitOr"),
    ("bitor_assign", "BitOrAssign"),
    ("bitxor", "BitXor"),
    ("bitxor_assign", "BitXorAssign"),
    ("call", "Fn"),
    ("cmp", "Ord"),
    ("deref", "Deref"),
    ("deref_mut", "DerefMut"),
    ("div", "Div"),
    ("div_assign", "DivAssign"),
    ("drop", "Drop"),
    ("eq", "PartialEq"),
    ("from", "From"),
    ("index", "Index"),
    ("index_mut", "IndexMut"),
    ("into_future", "IntoFuture"),
    ("into_iter", "IntoIterator"),
    ("mul", "Mul"),
    ("mul_assign", "MulAssign"),
    ("ne", "PartialEq"),
    ("neg", "Neg"),
    ("next", "Iterator"),
    ("not", "Not"),
    ("partial_cmp", "PartialOrd"),
    ("poll", "Future"),
    ("rem", "Rem"),
    ("rem_assign", "RemAssign"),
    ("shl", "Shl"),
    ("shl_assign", "ShlAssign"),
    ("shr", "Shr"),
    ("shr_assign", "ShrAssign"),
    ("sub", "Sub"),
    ("sub_assign", "SubAssign"),
];

impl FamilyRules for Rust {
    fn features(&self) -> &'static [Feature] {
        &[Feature::ImplBlocks, Feature::ImportsVisibleInside]
    }

    fn keyword(&self, word: &str) -> Option<Keyword> {
        match word {
            "crate" => Some(Keyword::CrateRoot),
            "self" => Some(Keyword::OwnModule),
            "super" => Some(Keyword::ParentModule),
            "derive" => Some(Keyword::Derive),
            _ => None,
        }
    }

    fn wrapper(&self, type_name: &str) -> Option<Wrapper> {
        (type_name == "Result").then_some(Wrapper::Result)
    }

    fn operator_trait(&self, method: &str) -> Option<&'static str> {
        OPERATOR_TRAITS
            .iter()
            .find(|(own, _)| *own == method)
            .map(|(_, name)| *name)
    }

    fn item_macros(&self) -> Option<&'static ItemMacros> {
        Some(&ItemMacros {
            invocation: "macro_invocation",
            arguments: "token_tree",
            blocks: &["mod_item", "declaration_list"],
            code: &["impl_item", "function_item", "trait_item", "mod_item"],
            others: &[
                "attribute_item",
                "block_comment",
                "const_item",
                "empty_statement",
                "enum_item",
                "extern_crate_declaration",
                "foreign_mod_item",
                "inner_attribute_item",
                "line_comment",
                "macro_definition",
                "macro_invocation",
                "static_item",
                "struct_item",
                "type_item",
                "union_item",
                "use_declaration",
            ],
        })
    }

    fn error_patterns(&self) -> &'static [&'static str] {
        &["Err"]
    }
}
