//! A window of a terminal: a command on a pseudo terminal of a given size, which `script` of util-linux makes.

use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::home::{BOUND, Home};

pub struct Window {
    child: Child,
    keys: ChildStdin,
    output: ChildStdout,
    /// All that has been written so far.
    seen: Vec<u8>,
}

/// A terminal's kind and size.
#[derive(Clone, Copy)]
pub struct WindowKind<'a> {
    pub rows: usize,
    pub columns: usize,
    pub term: &'a str,
}

impl Window {
    /// Runs a line of the shell in a window, with the binaries on its path.
    pub fn open(home: &Home, folder: &Path, kind: WindowKind, line: &str) -> Self {
        let WindowKind {
            rows,
            columns,
            term,
        } = kind;
        let inner = format!("stty rows {rows} cols {columns} -echo; {line}");
        // The words of the command are in a variable, so that no quoting is needed.
        let mut child = home
            .shell("exec script -qefc \"$CLAUDEVIL_TEST_LINE\" /dev/null")
            .env("CLAUDEVIL_TEST_LINE", inner)
            .env("TERM", term)
            .env("SHELL", "/bin/sh")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("script runs");
        let (keys, output) = (
            child.stdin.take().expect("keys"),
            child.stdout.take().expect("output"),
        );
        Self {
            child,
            keys,
            output,
            seen: vec![],
        }
    }

    /// Waits until a text is written after an offset in the output. Returns the offset after it.
    pub async fn shows(&mut self, from: usize, wanted: &str) -> usize {
        loop {
            let text = self.text();
            if let Some(at) = text.get(from..).and_then(|rest| rest.find(wanted)) {
                return from + at + wanted.len();
            }
            assert!(
                self.read().await > 0,
                "it ended without {wanted:?}: {text:?}"
            );
        }
    }

    /// Presses keys.
    pub async fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).await.expect("written");
        self.keys.flush().await.expect("written");
    }

    /// Returns all that was written, and the exit code, once the command has ended.
    pub async fn end(mut self) -> (String, Option<i32>) {
        while self.read().await > 0 {}
        let status = tokio::time::timeout(BOUND, self.child.wait())
            .await
            .expect("it ends")
            .expect("it ran");
        (self.text(), status.code())
    }

    async fn read(&mut self) -> usize {
        let mut piece = [0; 8192];
        let read = tokio::time::timeout(BOUND, self.output.read(&mut piece)).await;
        let length = read
            .unwrap_or_else(|_| panic!("nothing more comes: {:?}", self.text()))
            .expect("readable");
        self.seen.extend_from_slice(&piece[..length]);
        length
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).replace("\r\n", "\n")
    }
}

/// Returns a text without escape sequences.
pub fn plain(text: &str) -> String {
    let escape_sequence =
        regex::Regex::new("\x1b\\[[0-9;?]*[A-Za-z]|\x1b\\][^\x1b\x07]*(\x1b\\\\|\x07)")
            .expect("a pattern");
    escape_sequence.replace_all(text, "").into_owned()
}
