"use strict";
// The languages that claudevil answers for, and the extensions that know more of each. Knows nothing of VS Code.

/** Identifiers of languages, each with the extensions that have a language server for it. */
const LANGUAGES = {
  c: ["ms-vscode.cpptools", "llvm-vs-code-extensions.vscode-clangd"],
  clojure: ["betterthantomorrow.calva"],
  cpp: ["ms-vscode.cpptools", "llvm-vs-code-extensions.vscode-clangd"],
  csharp: ["ms-dotnettools.csharp", "ms-dotnettools.csdevkit"],
  dart: ["dart-code.dart-code"],
  elixir: ["jakebecker.elixir-ls", "lexical-lsp.lexical"],
  erlang: ["erlang-ls.erlang-ls"],
  fsharp: ["ionide.ionide-fsharp"],
  gleam: ["gleam.gleam"],
  go: ["golang.go"],
  haskell: ["haskell.haskell"],
  java: ["redhat.java", "oracle.oracle-java"],
  javascript: ["vscode.typescript-language-features"],
  javascriptreact: ["vscode.typescript-language-features"],
  julia: ["julialang.language-julia"],
  kotlin: ["fwcd.kotlin", "jetbrains.kotlin"],
  lua: ["sumneko.lua"],
  nix: ["jnoortheen.nix-ide"],
  "objective-c": ["llvm-vs-code-extensions.vscode-clangd"],
  ocaml: ["ocamllabs.ocaml-platform"],
  perl: ["bscan.perlnavigator"],
  php: ["bmewburn.vscode-intelephense-client", "devsense.phptools-vscode"],
  powershell: ["ms-vscode.powershell"],
  python: ["ms-python.vscode-pylance", "ms-pyright.pyright", "astral-sh.ty"],
  r: ["reditorsupport.r"],
  ruby: ["shopify.ruby-lsp", "castwide.solargraph"],
  rust: ["rust-lang.rust-analyzer"],
  scala: ["scalameta.metals"],
  shellscript: ["mads-hartmann.bash-ide-vscode"],
  solidity: ["nomicfoundation.hardhat-solidity", "juanblanco.solidity"],
  sql: [],
  svelte: ["svelte.svelte-vscode"],
  swift: ["swiftlang.swift-vscode", "sswg.swift-lang"],
  terraform: ["hashicorp.terraform"],
  typescript: ["vscode.typescript-language-features"],
  typescriptreact: ["vscode.typescript-language-features"],
  vue: ["vue.volar"],
  zig: ["ziglang.vscode-zig"],
};

/**
 * Returns the languages to answer for: those that the user names, or all that no other extension has a language server
 * for.
 */
function chooseLanguages(named, isInstalled) {
  if (named.length > 0) {
    return [...named].sort();
  }
  return Object.keys(LANGUAGES).filter((language) => !LANGUAGES[language].some(isInstalled));
}

/** Returns the parameters of a language client for these settings. */
function clientOptions(settings, isInstalled) {
  const languages = chooseLanguages(settings.languages, isInstalled);
  return {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
    initializationOptions: { completion: settings.completion },
  };
}

module.exports = { LANGUAGES, chooseLanguages, clientOptions };
