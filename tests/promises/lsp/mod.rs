//! `claudevil-lsp` leads editors through the shared index, with their unsaved text.

mod completion;
mod lifecycle;
mod local_names;
mod navigation;
mod types;
mod unsaved;

use std::path::PathBuf;

use claudevil_tests::home::{Home, repository};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let all = [
        completion::trials(),
        lifecycle::trials(),
        local_names::trials(),
        navigation::trials(),
        types::trials(),
        unsaved::trials(),
    ];
    all.into_iter().flatten().collect()
}

/// Makes a project of two files.
fn farm(home: &Home) -> PathBuf {
    repository(
        home,
        "farm",
        &[
            (
                "src/barn.rs",
                "/// Feeds the animals.\npub fn feed(amount: u32) -> u32 {\n    amount\n}\n\npub struct Cow {\n    pub name: String,\n}\n\nimpl Cow {\n    pub fn call(&self) -> u32 {\n        feed(2)\n    }\n}\n",
            ),
            (
                "src/main.rs",
                "mod barn;\nuse barn::feed;\n\nfn main() {\n    let hay = \"🦀\"; let left = feed(3);\n    std::process::exit(left as i32 + hay.len() as i32);\n}\n",
            ),
        ],
    )
}
