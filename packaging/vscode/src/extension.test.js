"use strict";
// Activates the extension in a stand-in for VS Code's API that records what is registered and started.

const assert = require("node:assert");
const Module = require("node:module");
const { test } = require("node:test");

const installed = new Set();
const settings = { path: "claudevil-lsp", languages: [], completion: false };
const clients = [];
const listeners = {};
const errors = [];
let failure;

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, server, options, isRunning: false });
    clients.push(this);
  }

  async start() {
    if (failure) {
      throw failure;
    }
    this.isRunning = true;
  }

  async dispose() {
    this.isRunning = false;
  }
}

const standIns = {
  vscode: {
    workspace: {
      getConfiguration: () => ({ get: (name) => settings[name] }),
      onDidChangeConfiguration: (listener) => (listeners.configuration = listener),
    },
    extensions: {
      getExtension: (id) => (installed.has(id) ? {} : undefined),
      onDidChange: (listener) => (listeners.extensions = listener),
    },
    commands: { registerCommand: (name, run) => (listeners[name] = run) },
    window: { showErrorMessage: (message) => errors.push(message) },
  },
  "vscode-languageclient/node": { LanguageClient },
};
const load = Module._load;
Module._load = (name, ...rest) => standIns[name] ?? load(name, ...rest);
const extension = require("./extension");

const languages = (client) => client.options.documentSelector.map((one) => one.language);

test("one server runs, and steps back when another extension comes", async () => {
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.strictEqual(context.subscriptions.length, 3);
  assert.strictEqual(clients.length, 1);
  assert.strictEqual(clients[0].server.command, "claudevil-lsp");
  assert.ok(languages(clients[0]).includes("rust"));

  await listeners.extensions();
  assert.strictEqual(clients.length, 1, "nothing has changed");

  installed.add("rust-lang.rust-analyzer");
  await listeners.extensions();
  assert.deepStrictEqual(clients.map((client) => client.isRunning), [false, true]);
  assert.ok(!languages(clients[1]).includes("rust"));

  await listeners["claudevil.restart"]();
  assert.deepStrictEqual(clients.map((client) => client.isRunning), [false, false, true]);

  await extension.deactivate();
  assert.ok(clients.every((client) => !client.isRunning));
});

test("a program that does not start is told about, and a change of its path tries again", async () => {
  failure = new Error("not found");
  await listeners.extensions();
  assert.strictEqual(errors.length, 1);
  assert.match(errors[0], /claudevil-lsp does not start \(not found\)/);
  failure = undefined;
  settings.path = "/opt/claudevil-lsp";
  listeners.configuration({ affectsConfiguration: (name) => name === "claudevil" });
  await extension.activate({ subscriptions: [] });
  assert.ok(clients.at(-1).isRunning);
  assert.strictEqual(clients.at(-1).server.command, "/opt/claudevil-lsp");
});
