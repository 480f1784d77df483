//! Runs git in a repository of a test, without the settings of whoever runs the test.

use std::path::Path;

use tokio::process::Command;

/// Runs git, and returns the text that it writes.
pub async fn git(root: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=tests",
            "-c",
            "user.email=tests@localhost",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(["-c", "gc.auto=0"])
        .args(arguments)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .await
        .expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
