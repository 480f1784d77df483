//! Which files are worth an index: text that people wrote.
//!
//! The judgement is made from the path and the bytes alone, and errs towards taking a file: what is skipped cannot be
//! found. Nothing here reads a file.

use std::str;

use crate::secrets::is_secret_file;

/// Why a file is not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Skip {
    Binary,
    NotUtf8,
    Generated,
    Minified,
    Secret,
}

/// So much of the beginning tells text from other things.
const BEGINNING: usize = 8 * 1024;
/// A marker of generated code stands in the first lines, after a licence at most.
const MARKED_LINES: usize = 40;
const MARKED_BYTES: usize = 4 * 1024;

/// Names of files that a tool writes, in lower case.
#[rustfmt::skip]
const GENERATED_NAMES: &[&str] = &[
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
    "cargo.lock", "go.sum", "go.work.sum", "poetry.lock", "uv.lock", "pdm.lock", "pipfile.lock", "pixi.lock",
    "conda-lock.yml", "composer.lock", "gemfile.lock", "podfile.lock", "pubspec.lock", "mix.lock", "flake.lock",
    "package.resolved", "packages.lock.json", "gradle.lockfile", "cartfile.resolved", "paket.lock", "rebar.lock",
    "stack.yaml.lock", "cabal.project.freeze", ".terraform.lock.hcl", "module.bazel.lock", "gopkg.lock", "glide.lock",
    "chart.lock", "berksfile.lock", "project.assets.json", ".pnp.cjs", ".pnp.loader.mjs",
];

/// Ends of such names, in lower case.
#[rustfmt::skip]
const GENERATED_ENDS: &[&str] = &[
    ".pb.go", ".pb.gw.go", "_grpc.pb.go", ".pb.cc", ".pb.h", ".pb.swift", ".pb.dart", ".pbjson.dart", ".pbenum.dart",
    "_pb2.py", "_pb2_grpc.py", "_pb2.pyi", "_pb.js", "_pb.d.ts", "_grpc_pb.js", ".g.dart", ".freezed.dart",
    ".gr.dart", ".mocks.dart", ".designer.cs", ".g.cs", ".g.i.cs", "_generated.go", ".generated.go",
    "zz_generated.deepcopy.go", ".deepcopy.go", ".gen.go", ".min.js", ".min.mjs", ".min.cjs", ".min.css",
    ".bundle.js", ".chunk.js", ".chunk.css", "-min.js", ".js.map", ".css.map", ".mjs.map", ".d.ts.map", ".snap",
];
const MINIFIED_ENDS: &[&str] = &[".min.js", ".min.mjs", ".min.cjs", ".min.css", "-min.js"];

/// Ends of names of code whose lines people keep short. Prose and data have long lines by right.
const SHORT_LINED: &[&str] = &[
    ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".css", ".scss", ".less",
    ".html", ".htm", ".svg", ".vue", ".svelte", ".php",
];

/// The text of a file that is to be indexed.
pub fn judge<'a>(path: &str, bytes: &'a [u8]) -> Result<&'a str, Skip> {
    if is_secret_file(path) {
        return Err(Skip::Secret);
    }
    if let Some(skip) = by_name(path) {
        return Err(skip);
    }
    let text = text(bytes)?;
    if is_marked_generated(text) {
        return Err(Skip::Generated);
    }
    if is_minified(path, text) {
        return Err(Skip::Minified);
    }
    Ok(text)
}

fn by_name(path: &str) -> Option<Skip> {
    let name = path
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let ends = |ends: &[&str]| {
        ends.iter()
            .any(|end| name.len() > end.len() && name.ends_with(end))
    };
    if ends(MINIFIED_ENDS) {
        Some(Skip::Minified)
    } else if GENERATED_NAMES.contains(&name.as_str()) || ends(GENERATED_ENDS) {
        Some(Skip::Generated)
    } else {
        None
    }
}

fn text(bytes: &[u8]) -> Result<&str, Skip> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Skip::NotUtf8);
    }
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    // Escape, form feed, backspace and the like do occur in text, though rarely.
    let control = |byte: &u8| {
        *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0x08) || *byte == 0x7f
    };
    let controls = beginning.iter().filter(|byte| control(byte)).count();
    if beginning.contains(&0) || controls * 50 > beginning.len() {
        return Err(Skip::Binary);
    }
    let text = str::from_utf8(bytes).map_err(|_| Skip::NotUtf8)?;
    // Behind the beginning a NUL is as telling, but text with one at its end is usually torn.
    if text.contains('\0') {
        Err(Skip::Binary)
    } else {
        Ok(text)
    }
}

/// Whether a comment at the beginning says that the file was generated. A generator's own source has the same words in
/// a string, or in the midst of code: with the first line of that the head of a file is over.
fn is_marked_generated(text: &str) -> bool {
    /// With what closes them, where they go over several lines.
    const OPENINGS: [(&str, Option<&str>); 14] = [
        ("//", None),
        ("/*", Some("*/")),
        ("*", None),
        ("#", None),
        ("--[[", Some("]]")),
        ("--", None),
        (";", None),
        ("<!--", Some("-->")),
        ("\"\"\"", Some("\"\"\"")),
        ("'''", Some("'''")),
        ("%", None),
        ("{-", Some("-}")),
        ("(*", Some("*)")),
        ("=begin", Some("=end")),
    ];
    let beginning = &text[..text.floor_char_boundary(MARKED_BYTES)];
    let mut open: Option<&str> = None;
    for line in beginning.lines().take(MARKED_LINES) {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() {
            continue;
        }
        let opening = OPENINGS
            .iter()
            .find(|(opening, _)| line.starts_with(opening));
        let said = opening.map_or(line, |(opening, _)| &line[opening.len()..]);
        if opening.is_some()
            && is_marker(said.trim_start_matches(['/', '*', '#', '-', '!', ' ', '\t', ';', '%']))
        {
            return true;
        }
        open = match (open, opening) {
            (Some(end), _) => Some(end).filter(|end| !line.contains(end)),
            (None, Some((_, end))) => end.filter(|end| !said.contains(end)),
            (None, None) if is_head(line) => None,
            (None, None) => return false,
        };
    }
    false
}

/// Whether a line may stand above the comment: it says what the file is, and does nothing.
fn is_head(line: &str) -> bool {
    let lower = line[..line.floor_char_boundary(20)].to_ascii_lowercase();
    [
        "<?",
        "<!doctype",
        "package ",
        "syntax ",
        "option ",
        "namespace ",
        "\"use ",
        "'use ",
        "@charset ",
        "@file:",
    ]
    .iter()
    .any(|beginning| lower.starts_with(beginning))
}

/// What a comment says, from its first word on.
fn is_marker(comment: &str) -> bool {
    let lower = comment[..comment.floor_char_boundary(300)].to_ascii_lowercase();
    let forbids = [
        "do not edit",
        "don't edit",
        "do not modify",
        "do not change",
        "not be edited",
        "do not manually edit",
    ]
    .iter()
    .any(|words| lower.contains(words));
    let generated = [
        "code generated",
        "automatically generated",
        "autogenerated",
        "auto-generated",
        "auto generated",
        "generated by",
        "file is generated",
        "file was generated",
        "generated code",
        "generated file",
    ]
    .iter()
    .any(|words| lower.contains(words));
    lower.starts_with("@generated") || lower.starts_with("<auto-generated") || forbids && generated
}

fn is_minified(path: &str, text: &str) -> bool {
    let name = path
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if !SHORT_LINED.iter().any(|end| name.ends_with(end)) || text.len() < 2048 {
        return false;
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    // What a data URL or one long string adds to a line is not how the code is written.
    let (mut count, mut total, mut dense) = (0, 0, 0);
    for line in lines {
        count += 1;
        total += line.len();
        let spaces = line.bytes().filter(u8::is_ascii_whitespace).count();
        if line.len() > 500
            && spaces * 12 < line.len()
            && line.matches([';', ',', '{']).count() * 40 > line.len()
        {
            dense += line.len();
        }
    }
    count > 0 && (dense * 2 > total || total / count > 1000 && dense > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(path: &str, text: &str) -> Option<Skip> {
        judge(path, text.as_bytes()).err()
    }

    #[test]
    fn bytes_that_are_no_text() {
        assert_eq!(judge("a.rs", b"a\0b"), Err(Skip::Binary));
        assert_eq!(judge("a.bin", &[1, 2, 3, 4, 5, 6, b'a']), Err(Skip::Binary));
        assert_eq!(judge("a.txt", b"\xff\xfea\0b\0"), Err(Skip::NotUtf8));
        assert_eq!(judge("a.txt", b"caf\xe9 au lait"), Err(Skip::NotUtf8));
        assert_eq!(
            judge("a.txt", b"\xef\xbb\xbfwith a mark"),
            Ok("\u{feff}with a mark")
        );
        assert_eq!(
            judge("a.log", b"\x1b[1mbold\x1b[0m text"),
            Ok("\x1b[1mbold\x1b[0m text")
        );
        assert_eq!(judge("empty", b""), Ok(""));
        assert_eq!(skipped("a/.env", "A=1"), Some(Skip::Secret));
    }

    #[test]
    fn generated_files_say_so_or_are_known_by_name() {
        for (path, text) in [
            (
                "a.go",
                "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n",
            ),
            (
                "a.go",
                "// Copyright\n\n// Code generated by mockery v2; DO NOT EDIT.\n\npackage a\n",
            ),
            ("a.js", "/**\n * @generated SignedSource<<abc>>\n */\n"),
            (
                "a.py",
                "# -*- coding: utf-8 -*-\n# This file was automatically generated. Do not edit!\nimport x\n",
            ),
            ("a.cs", "\u{feff}// <auto-generated>\nclass A {}\n"),
            (
                "a.xml",
                "<?xml version=\"1.0\"?>\n<!-- Generated by tool: do not modify -->\n<a/>\n",
            ),
            (
                "a.h",
                "#ifndef A\n#define A\n/* This file is generated by gen.py, do not edit */\n",
            ),
            (
                "a.kt",
                "/*\n  Made of lines without stars.\n*/\n// Generated by the compiler. DO NOT EDIT!\npackage a\n",
            ),
            (
                "a.java",
                "package a;\n\n/* Automatically generated: do not edit */\nclass A {}\n",
            ),
            (
                "a.php",
                "<?php\n\n# This file is generated by make, do not modify\n",
            ),
            (
                "a.sh",
                "#!/bin/sh\n\n# Code generated by make; do not edit.\nset -e\n",
            ),
            ("package-lock.json", "{}"),
            ("x/Cargo.lock", ""),
            ("go.sum", ""),
            ("a/b.pb.go", "package b"),
            ("a_pb2.py", ""),
        ] {
            assert_eq!(skipped(path, text), Some(Skip::Generated), "{path} {text}");
        }
        for (path, text) in [
            (
                "gen.go",
                "package gen\n\nconst header = \"// Code generated by gen. DO NOT EDIT.\"\n",
            ),
            (
                "gen.py",
                "import sys\n\nprint('# @generated do not edit')\n",
            ),
            (
                "gen.rs",
                "//! Writes files that open with `@generated`.\nfn main() {}\n",
            ),
            (
                "gen.js",
                "function header() {\n  return [\n    // generated code: do not edit\n  ];\n}\n",
            ),
            (
                "gen.sh",
                "#!/bin/sh\nset -eu\ncat > out.go <<END\n// Code generated by gen.sh. DO NOT EDIT.\nEND\n",
            ),
            (
                "gen.sh",
                "#!/usr/bin/env bash\n# Makes a list.\n\ncat <<END\n# This file is generated, do not edit\nEND\n",
            ),
            ("gen.py", "import sys\n# generated by hand, do not edit\n"),
            (
                "gen.js",
                "/* One comment\n   of two lines. */ start()\nrun()\n// generated code: do not edit\n",
            ),
            (
                "notes.md",
                "Code generated by people. Do not edit at night.\n",
            ),
            (
                "a.go",
                "// This package holds generated identifiers.\npackage a\n",
            ),
            ("lock.rs", "pub struct Lock;"),
            ("Cargo.toml", "[package]"),
        ] {
            assert_eq!(skipped(path, text), None, "{path} {text}");
        }
    }

    #[test]
    fn minified_code_is_told_from_long_lines() {
        let minified = "function a(b,c){return b&&c?d(b):e(c)};var f=1,g=2;".repeat(200);
        let styles = ".a{color:red;margin:0}.b>c{padding:1px,2px}".repeat(100);
        for (path, text) in [
            ("a.js", &minified),
            ("a.css", &styles),
            (
                "a.html",
                &format!("<!doctype html>\n<script>{minified}</script>"),
            ),
        ] {
            assert_eq!(skipped(path, text), Some(Skip::Minified), "{path}");
        }
        assert_eq!(skipped("jquery.min.js", "a"), Some(Skip::Minified));
        let prose =
            "A long paragraph on one line, as people write it; with commas, too. ".repeat(100);
        let data = format!(
            "const logo = \"data:image/png;base64,{}\";\n",
            "iVBORw0KGgo".repeat(400)
        );
        let table = "[1,2,3,4],".repeat(1000);
        let ordinary = "function add(first, second) {\n    return first + second;\n}\n".repeat(100);
        for (path, text) in [
            ("a.md", &prose),
            ("a.html", &format!("<p>{prose}</p>\n")),
            ("a.js", &data),
            ("a.json", &table),
            ("a.js", &ordinary),
            ("a.js", &minified[..1000].to_owned()),
            ("a.rs", &minified),
        ] {
            assert_eq!(skipped(path, text), None, "{path} {}", &text[..40]);
        }
    }
}
