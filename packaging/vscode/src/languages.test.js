"use strict";

const assert = require("node:assert");
const { test } = require("node:test");
const { LANGUAGES, chooseLanguages, clientOptions } = require("./languages");

test("a language with a language server of its own is left to it", () => {
  const installed = new Set(["rust-lang.rust-analyzer", "vscode.typescript-language-features"]);
  const chosen = chooseLanguages([], (id) => installed.has(id));
  assert.ok(chosen.includes("python") && chosen.includes("go"));
  for (const language of ["rust", "typescript", "javascript", "typescriptreact", "javascriptreact"]) {
    assert.ok(!chosen.includes(language), language);
  }
});

test("languages that are named are answered for beside others", () => {
  assert.deepStrictEqual(chooseLanguages(["rust", "go"], () => true), ["go", "rust"]);
  assert.deepStrictEqual(chooseLanguages([], () => true), ["sql"]);
});

test("only files are asked about, and names are completed when the user says so", () => {
  const options = clientOptions({ languages: ["go"], completion: true }, () => false);
  assert.deepStrictEqual(options.documentSelector, [{ scheme: "file", language: "go" }]);
  assert.deepStrictEqual(options.initializationOptions, { completion: true });
});

test("identifiers of extensions are lower case, as VS Code compares them", () => {
  for (const id of Object.values(LANGUAGES).flat()) {
    assert.match(id, /^[a-z0-9-]+\.[a-z0-9-]+$/);
  }
});
