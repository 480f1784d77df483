//! Makes a tree of many small files, for measurements of projects larger than most public ones.
//!
//! The same number of files gives the same tree. Names and words are drawn from a small vocabulary, so that a question has
//! many candidates, and every file calls functions of others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use claudevil_tests::chance::Chance;

/// Number of files in a folder.
const FILES_PER_FOLDER: usize = 100;
/// Number of functions in a file.
const FUNCTIONS: usize = 4;

const VERBS: [&str; 12] = [
    "read", "write", "parse", "load", "store", "merge", "split", "encode", "open", "close",
    "resolve", "schedule",
];
const NOUNS: [&str; 12] = [
    "request", "token", "session", "segment", "cache", "ledger", "packet", "frame", "cursor",
    "buffer", "worker", "schema",
];

pub struct Options {
    folder: PathBuf,
    files: usize,
}

pub fn options(arguments: &[String]) -> Option<Options> {
    let [folder, flag, files] = arguments else {
        return None;
    };
    let files = files.parse().ok().filter(|files| *files > 0)?;
    (flag == "--files").then(|| Options {
        folder: PathBuf::from(folder),
        files,
    })
}

#[expect(
    clippy::print_stderr,
    reason = "what is wrong is said where errors are read"
)]
pub fn run(options: &Options) -> ExitCode {
    match make(&options.folder, options.files) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", options.folder.display());
            ExitCode::FAILURE
        }
    }
}

fn make(folder: &Path, files: usize) -> std::io::Result<()> {
    let mut chance = Chance::new(1);
    fs::create_dir_all(folder)?;
    for number in 0..files {
        let part = number / FILES_PER_FOLDER;
        let own = folder.join(format!("area{}/part{part}", part / FILES_PER_FOLDER));
        if number % FILES_PER_FOLDER == 0 {
            fs::create_dir_all(&own)?;
        }
        fs::write(
            own.join(format!("file{number}.go")),
            text(part, number, files, &mut chance),
        )?;
    }
    Ok(())
}

/// Returns a file that defines functions of its own number, and calls those of another.
fn text(part: usize, number: usize, files: usize, chance: &mut Chance) -> String {
    let mut text = format!("package part{part}\n\n");
    for function in 0..FUNCTIONS {
        let (verb, noun) = (chance.one_of(&VERBS), chance.one_of(&NOUNS));
        let (other, called) = (chance.below(files), chance.below(FUNCTIONS));
        text += &format!(
            "// {verb}_{number}_{function} shows how to {verb} the {noun} of a {}.\n\
             func {verb}_{number}_{function}(input string) int {{\n\treturn f_{other}_{called}(input) + len(input)\n}}\n\n\
             func f_{number}_{function}(input string) int {{\n\treturn {verb}_{number}_{function}(input)\n}}\n\n",
            chance.one_of(&NOUNS)
        );
    }
    text
}
