//! Compiles the grammars without their parse tables, and packs the tables beside them.
//!
//! Two tables make up nearly all of a generated parser, and most of them is zeros. They are cut out of its source, so that
//! what is compiled holds only room for them; their values, compressed, go into the binary, and fill that room when the
//! grammar is first asked for.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads sources, and cargo speaks to it by variables"
)]

#[path = "build/tables.rs"]
mod tables;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::{env, fs, thread};

use serde::Deserialize;

const GRAMMARS: &str = "grammars.toml";
/// Above it, packing takes longer and saves little.
const LEVEL: i32 = 12;

#[derive(Deserialize)]
struct Source {
    #[serde(rename = "crate")]
    package: String,
    #[serde(default)]
    folder: PathBuf,
}

struct Grammar {
    name: String,
    /// The folder with the generated parser and, where there is one, its scanner.
    sources: PathBuf,
}

/// What the library has to know of a grammar that was compiled.
struct Compiled {
    name: String,
    /// The C function that returns the language.
    function: String,
    /// How many entries the tables have.
    entries: usize,
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={GRAMMARS}");

    let waiting = Mutex::new(grammars());
    let compiled = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..jobs() {
            scope.spawn(|| {
                while let Some(grammar) = waiting.lock().map_or(None, |mut grammars| grammars.pop())
                {
                    let made = compile(&grammar)
                        .unwrap_or_else(|problem| panic!("{}: {problem}", grammar.name));
                    compiled.lock().expect("no thread has failed").push(made);
                }
            });
        }
    });
    let mut compiled = compiled.into_inner().expect("no thread has failed");
    compiled.sort_by(|one, other| one.name.cmp(&other.name));
    fs::write(out_dir().join("grammars.rs"), render(&compiled)).expect("OUT_DIR can be written");
    println!("cargo::rustc-link-search=native={}", out_dir().display());
}

fn out_dir() -> PathBuf {
    env::var_os("OUT_DIR").expect("cargo sets OUT_DIR").into()
}

fn jobs() -> usize {
    env::var("NUM_JOBS")
        .ok()
        .and_then(|jobs| jobs.parse().ok())
        .unwrap_or(1)
}

/// Whether speed matters at all. Then it does for what is written in C, whatever the profile says of the rest.
fn is_optimised() -> bool {
    env::var("OPT_LEVEL").is_ok_and(|level| level != "0")
}

fn grammars() -> Vec<Grammar> {
    let text = fs::read_to_string(GRAMMARS).expect("the list of grammars can be read");
    let wanted: BTreeMap<String, Source> =
        toml::from_str(&text).expect("the list of grammars is well formed");
    let packages = packages();
    wanted
        .into_iter()
        .map(|(name, source)| {
            let package = packages
                .get(&source.package)
                .unwrap_or_else(|| panic!("{} is no dependency", source.package));
            let sources = package.join(&source.folder).join("src");
            Grammar { name, sources }
        })
        .collect()
}

/// Where cargo keeps the sources of every package. It asks for all of the workspace, also for what is not being built: so it
/// may have to download some.
fn packages() -> HashMap<String, PathBuf> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        manifest_path: PathBuf,
    }

    let cargo = env::var_os("CARGO").expect("cargo sets CARGO");
    let platform = env::var("HOST").expect("cargo sets HOST");
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform",
            &platform,
        ])
        .output()
        .expect("cargo can be run");
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Metadata = serde_json::from_slice(&output.stdout).expect("cargo speaks JSON");
    metadata
        .packages
        .into_iter()
        .map(|package| {
            (
                package.name,
                package
                    .manifest_path
                    .parent()
                    .map(Path::to_owned)
                    .unwrap_or_default(),
            )
        })
        .collect()
}

fn compile(grammar: &Grammar) -> Result<Compiled, String> {
    let path = grammar.sources.join("parser.c");
    let source =
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let parser = tables::parser(&source)?;
    let table = [parser.large.as_slice(), &parser.small].concat();

    let tables = tables_of(&grammar.name);
    // As the rest of the source knows them, but in memory that can be written.
    let cut_source = format!(
        "{before}\
        uint16_t {tables}[{entries}];\n\
        #define ts_parse_table ((const uint16_t (*)[SYMBOL_COUNT]){tables})\n\
        #define ts_small_parse_table ((const uint16_t *)({tables} + {small_at}))\n\
        {between}{after}",
        before = parser.before,
        between = parser.between,
        after = parser.after,
        entries = table.len(),
        small_at = parser.large.len(),
    );
    let cut_path = out_dir().join(format!("{}.c", grammar.name));
    fs::write(&cut_path, &cut_source).map_err(|error| error.to_string())?;
    fs::write(
        out_dir().join(format!("{}.zst", grammar.name)),
        packed(&table)?,
    )
    .map_err(|error| error.to_string())?;

    let scanner = grammar.sources.join("scanner.c");
    let mut build = cc::Build::new();
    if is_optimised() {
        build.opt_level(3);
    }
    build
        .std("c11")
        .include(&grammar.sources)
        .warnings(false)
        .cargo_metadata(false)
        .file(&cut_path)
        .files(scanner.is_file().then_some(&scanner))
        .try_compile(&library_of(&grammar.name))
        .map_err(|error| error.to_string())?;
    Ok(Compiled {
        name: grammar.name.clone(),
        function: function(&source)?,
        entries: table.len(),
    })
}

fn function(source: &str) -> Result<String, String> {
    source
        .lines()
        .find_map(|line| {
            line.strip_prefix("TS_PUBLIC const TSLanguage *")?
                .strip_suffix("(void) {")
        })
        .map(str::to_owned)
        .ok_or_else(|| "it has no function for its language".to_owned())
}

fn tables_of(name: &str) -> String {
    format!("claudevil_tables_of_{}", name.replace('-', "_"))
}

fn library_of(name: &str) -> String {
    format!("claudevil-grammar-{name}")
}

/// The table as it lies in the memory of the target, compressed.
fn packed(table: &[u16]) -> Result<Vec<u8>, String> {
    let big = env::var("CARGO_CFG_TARGET_ENDIAN").is_ok_and(|endian| endian == "big");
    let bytes: Vec<u8> = table
        .iter()
        .flat_map(|value| {
            if big {
                value.to_be_bytes()
            } else {
                value.to_le_bytes()
            }
        })
        .collect();
    zstd::bulk::compress(&bytes, LEVEL).map_err(|error| error.to_string())
}

fn render(compiled: &[Compiled]) -> String {
    let mut declared = String::new();
    let mut listed = String::new();
    for Compiled {
        name,
        function,
        entries,
    } in compiled
    {
        let tables = tables_of(name);
        let library = library_of(name);
        let _ = write!(
            declared,
            "#[link(name = {library:?}, kind = \"static\")]\n\
            unsafe extern \"C\" {{\n    fn {function}() -> *const ();\n    static mut {tables}: [u16; {entries}];\n}}\n",
        );
        let _ = write!(
            listed,
            "    Grammar {{\n        name: {name:?},\n        function: {function},\n        \
            tables: (&raw mut {tables}).cast(),\n        entries: {entries},\n        \
            packed: include_bytes!(\"{name}.zst\"),\n        unpacked: Once::new(),\n    }},\n",
        );
    }
    format!(
        "{declared}\npub static GRAMMARS: [Grammar; {}] = [\n{listed}];\n",
        compiled.len()
    )
}
