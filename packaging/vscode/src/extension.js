"use strict";
// Starts claudevil-lsp for the languages that no other extension has a language server for.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { clientOptions } = require("./languages");

let client;
/** The settings that the running client was started with. */
let started = "";
/** One start or stop after the other. */
let queue = Promise.resolve();

function settings() {
  const own = vscode.workspace.getConfiguration("claudevil");
  return { path: own.get("path"), languages: own.get("languages"), completion: own.get("completion") };
}

async function start(isForced) {
  const { path, ...others } = settings();
  const options = clientOptions(others, (id) => vscode.extensions.getExtension(id) !== undefined);
  const wanted = JSON.stringify([path, options]);
  if (wanted === started && !isForced) {
    return;
  }
  await stop();
  if (options.documentSelector.length === 0) {
    return;
  }
  started = wanted;
  client = new LanguageClient("claudevil", "claudevil", { command: path, args: [] }, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(`claudevil: ${path} does not start (${error.message}). Install claudevil, or set claudevil.path.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  started = "";
  await running?.dispose();
}

function enqueue(work) {
  queue = queue.then(work, work);
  return queue;
}

function activate(context) {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("claudevil")) {
        enqueue(() => start(false));
      }
    }),
    // An extension that comes or goes has languages of its own.
    vscode.extensions.onDidChange(() => enqueue(() => start(false))),
    vscode.commands.registerCommand("claudevil.restart", () => enqueue(() => start(true))),
  );
  return enqueue(() => start(false));
}

function deactivate() {
  return enqueue(stop);
}

module.exports = { activate, deactivate };
