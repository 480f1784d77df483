//! Modules of Rust: declared in blocks, in crates that share a name, and names in strings of attributes.

use super::meant;

#[test]
fn a_module_imports_what_wildcards_bring_into_the_module_around_it() {
    let lib = "
pub fn open() {}
mod tests {
    use super::*;
    mod nested {
        use super::*;
        fn run() { «open»(); }
    }
}
";
    assert_eq!(
        meant(
            "rust",
            &[
                ("Cargo.toml", "[package]\nname = \"one\"\n"),
                ("src/lib.rs", lib)
            ]
        ),
        ["open"]
    );
    let integration = "
mod test {
    mod helpers;
    use self::helpers::*;
    fn run() { «open»(); }
    mod pairs;
}
";
    let found = meant(
        "rust",
        &[
            ("Cargo.toml", "[package]\nname = \"one\"\n"),
            ("tests/integration.rs", integration),
            ("tests/test/helpers.rs", "pub fn open() {}\n"),
            (
                "tests/test/pairs.rs",
                "use super::*;\nfn run() { «open»(); super::helpers::«open»(); }\n",
            ),
        ],
    );
    assert_eq!(found, ["tests/test/helpers.rs:open"; 3]);
    let found = meant(
        "rust",
        &[
            ("Cargo.toml", "[package]\nname = \"one\"\n"),
            (
                "tests/helpers/mod.rs",
                "fn run() { super::«open»(); super::pairs::«close»(); }\n",
            ),
            (
                "tests/it.rs",
                "mod helpers;\nmod pairs;\npub fn open() {}\n",
            ),
            ("tests/pairs.rs", "pub fn close() { super::«open»(); }\n"),
        ],
    );
    let (opens, closes) = ("tests/it.rs:open", "tests/pairs.rs:close");
    assert_eq!(found, [opens, closes, opens]);
}

#[test]
fn of_crates_with_one_name_the_nearest_is_meant() {
    let (manifest, lib) = ("[package]\nname = \"shop\"\n", "pub struct Store;\n");
    let found = meant(
        "rust",
        &[
            ("Cargo.toml", manifest),
            ("examples/a.rs", "use shop::«Store»;\n"),
            ("src/lib.rs", lib),
            ("tests/data/Cargo.toml", manifest),
            ("tests/data/src/lib.rs", lib),
            ("tests/data/tests/b.rs", "use shop::«Store»;\n"),
            ("tests/empty/Cargo.toml", manifest),
            ("tests/open.rs", "use shop::«Store»;\n"),
        ],
    );
    let (own, data) = ("src/lib.rs:Store", "tests/data/src/lib.rs:Store");
    assert_eq!(found, [own, data, own]);
}

#[test]
fn an_attribute_names_functions_in_strings() {
    let text = "
#[derive(Deserialize)]
struct Store {
    #[serde(default = \"«limit»\", rename = \"limit\")]
    limit: u32,
    #[serde(deserialize_with = \"text::«open»\")]
    path: String,
}
fn limit() -> u32 { 3 }
mod text { pub fn open() {} }
";
    assert_eq!(meant("rust", &[("a.rs", text)]), ["limit", "text::open"]);
}
