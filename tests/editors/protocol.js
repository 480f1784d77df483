"use strict";
// Asks claudevil-lsp through vscode-languageserver-protocol, the client library of VS Code, in the project PROJECT. The
// questions are found in the project itself: functions that other files use.

const assert = require("node:assert");
const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL, fileURLToPath } = require("node:url");
const protocol = require("vscode-languageserver-protocol/node");

const root = fs.realpathSync(process.env.PROJECT);
const rootUri = pathToFileURL(root).href;

async function main() {
  const server = spawn("claudevil-lsp", [], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  connection.onRequest("window/workDoneProgress/create", () => null);
  connection.listen();
  const { capabilities } = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: path.basename(root) }],
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      workspace: { workspaceEdit: { documentChanges: true, changeAnnotationSupport: {}, resourceOperations: ["rename"] } },
      textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } },
    },
  });
  assert.ok(capabilities.definitionProvider && capabilities.renameProvider);
  assert.strictEqual(capabilities.completionProvider ?? null, null);
  await connection.sendNotification(protocol.InitializedNotification.type, {});

  const { symbol, references } = await findUsedFunction(connection);
  const use = references.find((one) => one.uri !== symbol.location.uri);
  const at = { textDocument: { uri: use.uri }, position: use.range.start };
  const here = `${symbol.name}, used in ${path.relative(root, fileURLToPath(use.uri))}:${use.range.start.line + 1}`;

  const definitions = await connection.sendRequest(protocol.DefinitionRequest.type, at);
  assert.deepStrictEqual(definitions, [symbol.location], `definition of ${here}`);

  const edit = await connection.sendRequest(protocol.RenameRequest.type, { ...at, newName: "renamed_by_a_test" });
  const edited = new Set(
    edit.documentChanges.flatMap((file) => file.edits.map((one) => `${file.textDocument.uri} ${JSON.stringify(one.range)}`)),
  );
  for (const one of [symbol.location, ...references]) {
    assert.ok(edited.has(`${one.uri} ${JSON.stringify(one.range)}`), `rename of ${here}: ${one.uri} ${JSON.stringify(one.range)}`);
  }

  // Two lines that are not saved: everything below them moves.
  const file = fileURLToPath(symbol.location.uri);
  const saved = fs.readFileSync(file, "utf8");
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri: symbol.location.uri, languageId: "plaintext", version: 1, text: saved },
  });
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: symbol.location.uri, version: 2 },
    contentChanges: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "\n\n" }],
  });
  const moved = structuredClone(symbol.location);
  moved.range.start.line += 2;
  moved.range.end.line += 2;
  assert.deepStrictEqual(await connection.sendRequest(protocol.DefinitionRequest.type, at), [moved], `unsaved: ${here}`);

  execFileSync("claudevil", ["daemon", "stop"], { stdio: "ignore" });
  const again = await connection.sendRequest(protocol.DefinitionRequest.type, at);
  assert.deepStrictEqual(again, [moved], `after the daemon was stopped: ${here}`);
  assert.strictEqual(fs.readFileSync(file, "utf8"), saved, "nothing is written");

  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  const code = await new Promise((resolve) => server.once("exit", resolve));
  assert.strictEqual(code, 0);
  console.log(`vscode-languageserver-protocol: all answers are right (${here})`);
  process.exit(0);
}

/** Returns the first function that another file uses, with its references. */
async function findUsedFunction(connection) {
  for (const file of codeFiles(root)) {
    const uri = pathToFileURL(file).href;
    const symbols = await connection.sendRequest(protocol.DocumentSymbolRequest.type, { textDocument: { uri } });
    for (const { name, selectionRange: range } of (symbols ?? []).filter((one) => one.kind === protocol.SymbolKind.Function)) {
      const asked = { textDocument: { uri }, position: range.start, context: { includeDeclaration: false } };
      const references = await connection.sendRequest(protocol.ReferencesRequest.type, asked);
      const isNamed = (one) => one.range.end.character - one.range.start.character === name.length;
      if (references.every(isNamed) && references.some((one) => one.uri !== uri)) {
        return { symbol: { name, location: { uri, range } }, references };
      }
    }
  }
  throw new Error("no function of the project is used by another file");
}

function codeFiles(folder) {
  const entries = fs.readdirSync(folder, { withFileTypes: true }).filter((one) => !one.name.startsWith("."));
  return entries.flatMap((one) => {
    const inner = path.join(folder, one.name);
    if (one.isDirectory()) {
      return codeFiles(inner);
    }
    return /\.(py|ts|js|rs|go|java|rb|php|c|cc)$/.test(one.name) ? [inner] : [];
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
