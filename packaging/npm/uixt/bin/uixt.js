#!/usr/bin/env node
// Starts the program that the package of this platform holds, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const PLATFORMS = Object.keys(require("../package.json").optionalDependencies || {});

function fail(...lines) {
  process.stderr.write(`uixt: ${lines.join("\n  ")}\n`);
  process.exit(3);
}

function isMusl() {
  if (process.platform !== "linux" || !process.report) return false;
  // Asking the network interfaces for their names may take seconds.
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}

function failOfMusl() {
  fail("this system has musl as its C library (Alpine, for one), and the program needs glibc",
    "use an image of Debian or Ubuntu, or build uixt from its source and name the program in UIXT_BINARY");
}

function findBinary() {
  if (process.env.UIXT_BINARY) return process.env.UIXT_BINARY;
  const here = `uixt-${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(here)) {
    fail(`there is no package for ${process.platform} on ${process.arch}; there is: ${PLATFORMS.join(", ")}`,
      "build uixt from its source, and name the program in UIXT_BINARY");
  }
  try {
    return require.resolve(`${here}/bin/uixt`);
  } catch {
    if (isMusl()) failOfMusl();
    const { version } = require("../package.json");
    fail(`the package ${here} is missing, which holds the program`,
      "it is an optional dependency: install without --omit=optional or --no-optional,",
      `make a lock file that was written on another platform anew, or: npm install ${here}@${version}`,
      "UIXT_BINARY names a program that is elsewhere");
  }
}

const binary = findBinary();
// What is printed to be typed next has to begin as this was begun.
const MANAGERS = { npm: "npx uixt", pnpm: "pnpm exec uixt", yarn: "yarn uixt" };
const calledAs = MANAGERS[(process.env.npm_config_user_agent || "").split("/")[0]];
const env = calledAs ? { UIXT_CALLED_AS: calledAs, ...process.env } : process.env;
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit", env });
const isTerminal = [0, 1, 2].some((fd) => require("node:tty").isatty(fd));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2", "SIGWINCH"]) {
  process.on(signal, () => {
    // A terminal sends these to the program, too; once more would be a second Ctrl-C.
    if (isTerminal && ["SIGINT", "SIGQUIT", "SIGWINCH"].includes(signal)) return;
    child.kill(signal);
  });
}

child.on("error", (error) => {
  // Without glibc the system does not find what loads the program, and says that of the program.
  if (error.code === "ENOENT" && isMusl()) failOfMusl();
  fail(`${binary} cannot be started: ${error.message}`);
});
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exitCode = code;
    return;
  }
  // Whoever waits is told of the same signal; where it does not end this process, by the code that shells have for it.
  process.removeAllListeners(signal);
  process.exitCode = 128 + (constants.signals[signal] || 0);
  try {
    process.kill(process.pid, signal);
  } catch {
    process.exit();
  }
});
