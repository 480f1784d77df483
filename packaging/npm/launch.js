// Runs a program of the package for this platform, which npm has installed as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");

module.exports = function launch(program) {
  const child = spawn(find(program), process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exit(code);
    }
    // Ends by the same signal, so that whoever started this sees how the program ended.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
};

function find(program) {
  const platform = `@claudevil/${process.platform}-${process.arch}`;
  const suffix = process.platform === "win32" ? ".exe" : "";
  try {
    const manifest = require.resolve(`${platform}/package.json`);
    return path.join(path.dirname(manifest), "bin", program + suffix);
  } catch {
    fail(
      `the package ${platform} is not installed. If your npm leaves out optional dependencies, install claudevil ` +
        "again without that option; otherwise there is no build for this platform.",
    );
  }
}

function fail(message) {
  process.stderr.write(`claudevil: ${message}\n`);
  process.exit(1);
}
