//! Real file names and first lines, with the languages that must be detected for them. Every language needs a case.

use std::collections::BTreeSet;

use super::super::all;
use super::*;

const NAMES: &[(&str, &[&str])] = &[
    (
        "bash",
        &[
            "run.sh",
            "lib.bash",
            "prompt.zsh",
            "x.ksh",
            ".bashrc",
            ".zshrc",
            "PKGBUILD",
        ],
    ),
    ("c", &["main.c", "api.h", "config.h.in"]),
    (
        "clojure",
        &["core.clj", "app.cljs", "both.cljc", "deps.edn"],
    ),
    (
        "cmake",
        &["CMakeLists.txt", "FindZstd.cmake", "Config.cmake.in"],
    ),
    (
        "cpp",
        &[
            "a.cpp",
            "a.cc",
            "a.cxx",
            "a.hpp",
            "a.hh",
            "a.hxx",
            "a.ipp",
            "a.inl",
            "kernel.cu",
            "a.C++",
        ],
    ),
    ("csharp", &["Program.cs", "script.csx"]),
    ("css", &["site.css", "site.min.css", "a.pcss"]),
    ("dart", &["main.dart"]),
    (
        "dockerfile",
        &[
            "Dockerfile",
            "Dockerfile.dev",
            "Containerfile",
            "api.dockerfile",
            "Dockerfile-ci",
        ],
    ),
    ("elixir", &["app.ex", "test_helper.exs", "mix.lock"]),
    (
        "erlang",
        &[
            "server.erl",
            "records.hrl",
            "rebar.config",
            "server.app.src",
        ],
    ),
    ("fsharp", &["Lib.fs", "Lib.fsi", "build.fsx"]),
    ("gleam", &["app.gleam"]),
    ("go", &["main.go", "main_test.go"]),
    ("graphql", &["schema.graphql", "query.gql"]),
    (
        "groovy",
        &[
            "build.gradle",
            "a.groovy",
            "Jenkinsfile",
            "Jenkinsfile.release",
        ],
    ),
    ("haskell", &["Main.hs", "Paper.lhs"]),
    (
        "hcl",
        &[
            "main.tf",
            "prod.tfvars",
            "config.hcl",
            ".terraform.lock.hcl",
        ],
    ),
    (
        "html",
        &["index.html", "old.HTM", "a.xhtml", "show.html.erb"],
    ),
    (
        "ini",
        &[
            "setup.cfg",
            "app.ini",
            "log4j.properties",
            ".editorconfig",
            ".gitconfig",
            ".env",
            ".env.local",
        ],
    ),
    ("java", &["Main.java", "package-info.java"]),
    (
        "javascript",
        &[
            "a.js",
            "App.jsx",
            "a.mjs",
            "a.cjs",
            "a.min.js",
            "vite.config.js",
        ],
    ),
    (
        "json",
        &[
            "package.json",
            "package-lock.json",
            "tsconfig.jsonc",
            "a.json5",
            ".babelrc",
            ".eslintrc.json",
        ],
    ),
    ("julia", &["solve.jl"]),
    ("kotlin", &["Main.kt", "build.gradle.kts"]),
    ("less", &["theme.less"]),
    ("lua", &["init.lua", "a.rockspec"]),
    (
        "make",
        &[
            "Makefile",
            "makefile",
            "GNUmakefile",
            "rules.mk",
            "Makefile.am",
            "Makefile.linux",
        ],
    ),
    (
        "markdown",
        &[
            "README.md",
            "page.mdx",
            "a.markdown",
            "Dockerfile.md",
            "LICENSE.md",
        ],
    ),
    ("nix", &["flake.nix"]),
    ("objc", &["View.m", "Bridge.mm"]),
    ("ocaml", &["main.ml"]),
    ("ocaml_interface", &["main.mli"]),
    (
        "perl",
        &["a.pl", "Module.pm", "basic.t", "Makefile.PL", "cpanfile"],
    ),
    ("php", &["index.php", "view.blade.php", "a.phtml"]),
    ("powershell", &["build.ps1", "Tools.psm1", "Tools.psd1"]),
    ("protobuf", &["api.proto"]),
    (
        "python",
        &[
            "a.py",
            "a.pyi",
            "SConstruct",
            "BUILD",
            "BUILD.bazel",
            "defs.bzl",
        ],
    ),
    ("r", &["model.R", "model.r", ".Rprofile"]),
    (
        "ruby",
        &[
            "a.rb",
            "Gemfile",
            "Rakefile",
            "tasks.rake",
            "my.gemspec",
            "config.ru",
        ],
    ),
    ("rust", &["lib.rs", "build.rs", "LIB.RS"]),
    ("scala", &["Main.scala", "script.sc", "build.sbt"]),
    ("scss", &["theme.scss", "theme.sass"]),
    ("solidity", &["Token.sol"]),
    ("sql", &["001_init.sql", "001_init.up.sql"]),
    ("svelte", &["App.svelte"]),
    ("swift", &["Package.swift"]),
    (
        "text",
        &[
            "notes.txt",
            "README",
            "LICENSE",
            "LICENSE-MIT",
            "go.mod",
            "go.sum",
            "guide.rst",
            ".gitignore",
        ],
    ),
    (
        "toml",
        &[
            "Cargo.toml",
            "Cargo.lock",
            "poetry.lock",
            "uv.lock",
            "Makefile.toml",
        ],
    ),
    ("tsx", &["App.tsx"]),
    (
        "typescript",
        &[
            "a.ts",
            "a.mts",
            "a.cts",
            "index.d.ts",
            "store.svelte.ts",
            "a.test.ts",
        ],
    ),
    ("vue", &["App.vue"]),
    (
        "xml",
        &[
            "pom.xml",
            "logo.svg",
            "a.xsd",
            "a.xsl",
            "Info.plist",
            "App.csproj",
            "App.vcxproj.filters",
            "web.config",
        ],
    ),
    (
        "yaml",
        &[
            "ci.yml",
            "values.yaml",
            ".clang-format",
            "pnpm-lock.yaml",
            "yarn.lock",
        ],
    ),
    ("zig", &["build.zig", "build.zig.zon"]),
];

const SHEBANGS: &[(&str, Option<&str>)] = &[
    ("#!/bin/sh", Some("bash")),
    ("#! /bin/sh", Some("bash")),
    ("#!/bin/bash -eu", Some("bash")),
    ("#!/bin/sh\r\n", Some("bash")),
    (
        "#!/usr/bin/env bash\necho '#!/usr/bin/python'\n",
        Some("bash"),
    ),
    ("#!/usr/bin/env python", Some("python")),
    ("#!/usr/bin/python3", Some("python")),
    ("#!/usr/bin/env python3.11", Some("python")),
    ("#!/usr/bin/env -S python3 -u", Some("python")),
    ("#!/usr/bin/env -Spython3 -u", Some("python")),
    ("#!/usr/bin/env -vS python3 -u", Some("python")),
    ("#!/usr/bin/env --split-string=python3 -u", Some("python")),
    (
        "#!/usr/bin/env -S -i -u HOME PATH=/bin /opt/bin/python3",
        Some("python"),
    ),
    ("#!/usr/bin/env -S uv run --script", Some("python")),
    ("#!/usr/bin/env node", Some("javascript")),
    ("#!/usr/bin/env d8", Some("javascript")),
    ("#!/usr/bin/env -S deno run --allow-net", Some("typescript")),
    ("#!/usr/bin/ruby-3.2", Some("ruby")),
    ("#!/usr/bin/perl -w", Some("perl")),
    ("#!/usr/bin/lua5.4", Some("lua")),
    ("#!/usr/bin/Rscript --vanilla", Some("r")),
    ("#!/usr/bin/make -f", Some("make")),
    ("#!/usr/bin/env pwsh", Some("powershell")),
    ("", None),
    ("#!", None),
    ("#! ", None),
    ("#!/usr/bin/env", None),
    ("#!/usr/bin/env -S", None),
    ("#!/usr/bin/env -u", None),
    ("#!/usr/bin/env FOO=bar", None),
    ("#!/usr/bin/7.1", None),
    ("#!/bin/", None),
    ("#!/usr/bin/unheard-of", None),
    ("# python", None),
    (" #!/bin/sh", None),
    ("\n#!/bin/sh", None),
];

fn id_of(file_name: &str) -> Result<&'static str, Detection> {
    match by_path(file_name) {
        Detection::Known(language) => Ok(language.id),
        other => Err(other),
    }
}

#[test]
fn names_tell_the_language() {
    for (id, names) in NAMES {
        for name in *names {
            assert_eq!(id_of(name), Ok(*id), "{name}");
        }
    }
}

#[test]
fn every_language_has_a_case() {
    let covered: BTreeSet<&str> = NAMES.iter().map(|(id, _)| *id).collect();
    let known: BTreeSet<&str> = all().iter().map(|language| language.id).collect();
    assert_eq!(covered, known);
}

#[test]
fn every_claim_of_a_definition_holds() {
    for language in all() {
        let names = language.filenames.iter().map(ToString::to_string);
        let extended = language
            .extensions
            .iter()
            .map(|ext| format!("some_name.{ext}"));
        let shouted = language
            .extensions
            .iter()
            .map(|ext| format!("SOME.NAME.{}", ext.to_uppercase()));
        let begun = language
            .filename_prefixes
            .iter()
            .map(|prefix| format!("{prefix}unheard-of"));
        for name in names.chain(extended).chain(shouted).chain(begun) {
            assert_eq!(id_of(&name), Ok(language.id), "{name}");
        }
        for interpreter in language.shebangs {
            let line = format!("#!/usr/bin/env {interpreter}");
            assert_eq!(by_shebang(line.as_bytes()), Some(language), "{line}");
        }
    }
}

#[test]
fn a_name_without_extension_needs_the_first_line() {
    for name in [
        "configure",
        "gradlew",
        "build",
        "dev-setup",
        ".hidden",
        "...",
        "rs",
        "Dockerfilex",
        ".rs",
        "",
    ] {
        assert_eq!(by_path(name), Detection::NeedsShebang, "{name}");
    }
}

#[test]
fn an_extension_that_none_claims_is_unknown() {
    for name in [
        "photo.png",
        "lib.rs.bak",
        "a.out",
        "libc.so.6",
        "trailing.",
        ".hidden.xyz",
        "naïve.ĵs",
        "a.rs~",
    ] {
        assert_eq!(by_path(name), Detection::Unknown, "{name}");
    }
}

#[test]
fn first_lines_tell_the_language() {
    for (line, id) in SHEBANGS {
        assert_eq!(
            by_shebang(line.as_bytes()).map(|language| language.id),
            *id,
            "{line:?}"
        );
    }
    assert_eq!(by_shebang(b"#!/bin/\xff\xfe"), None);
    assert_eq!(by_shebang(b"#!/bin/sh\n\xff\xfe"), by_shebang(b"#!/bin/sh"));
}
