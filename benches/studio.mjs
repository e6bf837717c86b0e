// How quick the studio's pictures are, what an open page costs a run, and how its memory grows; exits 1 where a figure is beyond its budget.
//
// Usage: node benches/studio.mjs UIXT FOLDER [MINUTES]. UIXT is the program, FOLDER where npm installed `ws` (tests/all.sh does so into
// target/mcp-clients), MINUTES how long the page stays open at rest for the figure of memory, 1 by default.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [uixt, folder, minutes = "1"] = process.argv.slice(2);
const { WebSocket } = createRequire(join(resolve(folder), "x.js"))("ws");
const PATIENCE = 120_000;
/** Steps of the testcase that runs with and without a page, and how often it does so. */
const STEPS = 60;
const ROUNDS = 7;
/** Frames a second of a screen that never rests, at least; milliseconds from a touch to its picture, percent that an open page costs, at most. */
const BUDGETS = { frames: 15, latency: 150, cost: 3 };

const project = mkdtempSync(join(tmpdir(), "uixt-studio-"));
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

class Page {
  frames = [];
  events = [];
  #asked = new Map();
  #number = 0;

  static async open(address) {
    const page = new Page();
    const { host, searchParams } = new URL(address);
    page.socket = new WebSocket(`ws://${host}/studio/live`, { headers: { Authorization: `Bearer ${searchParams.get("token")}` } });
    page.socket.on("message", (data, isBinary) => page.#hear(data, isBinary));
    await new Promise((done, failed) => page.socket.on("open", done).on("error", failed));
    await page.until((event) => event.event === "hello");
    return page;
  }

  #hear(data, isBinary) {
    if (isBinary) {
      this.frames.push(performance.now());
      this.#say({ do: "shown", device: data.readUInt32BE(0), sequence: data.readUInt32BE(4) });
      return;
    }
    const said = JSON.parse(data);
    this.#asked.get(said.re)?.(said);
    this.events.push(said);
  }

  #say(what) {
    this.socket.send(JSON.stringify(what));
  }

  async ask(what) {
    this.#number += 1;
    const id = this.#number;
    const answer = await new Promise((done) => {
      this.#asked.set(id, done);
      this.#say({ id, ...what });
    });
    if (answer.error) {
      throw new Error(`${JSON.stringify(what)}: ${answer.error.message}`);
    }
    return answer.ok;
  }

  async until(fits) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const found = this.events.findLast(fits);
      if (found) {
        return found;
      }
      if (Date.now() > end) {
        throw new Error("nothing came of it in time");
      }
      await wait(10);
    }
  }

  async middle(name) {
    const named = (screen) => screen.elements?.find((one) => one.seen && one.name === name);
    const { rect } = named(await this.until((event) => event.event === "screen" && named(event)));
    return [(rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2];
  }

  act(act) {
    this.events = [];
    return this.ask({ do: "act", device: 0, act });
  }

  async run(path) {
    this.events = [];
    await this.ask({ do: "run", device: 0, path });
    const { folder: name, outcome } = await this.until((event) => event.event === "run" && event.state === "ended");
    if (outcome !== "passed") {
      throw new Error(`${path} ${outcome}`);
    }
    return JSON.parse(readFileSync(join(project, "results", name, "summary.json"), "utf8")).elapsed_ms;
  }
}

/** Resident memory of a process, in megabytes. */
const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

const told = [];
let beyond = false;
const tell = (what, value, unit, budget, isGood) => {
  told.push(`| ${what} | ${value} ${unit} | ${budget} |`);
  beyond ||= isGood === false;
};

const steps = Array.from({ length: STEPS }, (_, at) => (at % 2 ? "- assert_visible: Sign in" : `- input: {text: name ${at}, into: User name, clear: true}`));
writeFileSync(join(project, "uixt.yaml"), "device: phone\n");
mkdirSync(join(project, "results"));
writeFileSync(join(project, "run.yaml"), ["teststeps:", "- app_clear: com.uixt.shop", "- app_launch: com.uixt.shop", ...steps, ""].join("\n"));
writeFileSync(join(project, "moving.yaml"), "teststeps:\n- app_launch: com.uixt.trouble\n- tap: A moving button\n");

const studio = spawn(resolve(uixt), ["studio", "--device", "phone", "--port", "0"], { cwd: project, env: { ...process.env, UIXT_DATA_DIR: join(project, "data") }, stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((done) => studio.stdout.once("data", (data) => done(String(data).trim())));
try {
  let page = await Page.open(address);
  const latencies = [];
  for (let round = 0; round < 20; round += 1) {
    await page.middle("Settings");
    const began = performance.now();
    const settings = await page.middle("Settings");
    page.frames = [];
    const touched = performance.now();
    page.act({ tap: settings }).catch(() => {});
    while (!page.frames.length && performance.now() - began < 5000) {
      await wait(1);
    }
    latencies.push((page.frames[0] ?? Infinity) - touched);
    await page.until((event) => event.event === "screen");
    await page.act({ home: true });
  }
  tell("a tap to its picture, median", median(latencies).toFixed(0), "ms", BUDGETS.latency, median(latencies) <= BUDGETS.latency);

  await wait(3000);
  page.frames = [];
  await wait(3000);
  tell("pictures in 3 s at rest", page.frames.length, "", "0 (1 when the clock changes)", page.frames.length <= 1);

  await page.run("moving.yaml");
  await wait(500);
  page.frames = [];
  await wait(5000);
  const rate = page.frames.length / 5;
  tell("pictures of a screen that never rests", rate.toFixed(1), "a second", BUDGETS.frames, rate >= BUDGETS.frames);

  // In turns, with a page that only starts the run and looks at nothing, and with one that shows everything.
  const times = { closed: [], open: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const kind of round % 2 ? ["closed", "open"] : ["open", "closed"]) {
      page.socket.close();
      if (kind === "open") {
        page = await Page.open(address);
        await wait(300);
      }
      const elapsed = kind === "open" ? await page.run("run.yaml") : await alone();
      if (round) {
        times[kind].push(elapsed);
      }
    }
  }
  const cost = (median(times.open) / median(times.closed) - 1) * 100;
  tell(`a run of ${STEPS} steps, with a page`, median(times.open), "ms", "");
  tell("the same, without", median(times.closed), "ms", "");
  tell("what the open page costs it", cost.toFixed(1), "%", BUDGETS.cost, cost <= BUDGETS.cost);

  page.socket.close();
  page = await Page.open(address);
  await wait(2000);
  const began = memory(studio.pid);
  await wait(Number(minutes) * 60_000);
  tell(`memory with a page open, after ${minutes} min at rest`, memory(studio.pid).toFixed(0), "MB", `${began.toFixed(0)} MB at their begin`);
  page.socket.close();
} finally {
  studio.kill("SIGINT");
  rmSync(project, { recursive: true, force: true });
}
console.log(["| what | measured | budget |", "| --- | --- | --- |", ...told].join("\n"));
process.exitCode = beyond ? 1 : 0;

/** Runs with nobody looking: the page that begins the run closes at once. */
async function alone() {
  const page = await Page.open(address);
  await page.ask({ do: "run", device: 0, path: "run.yaml" });
  const { folder: name } = await page.until((event) => event.event === "run" && event.state === "started");
  page.socket.close();
  const summary = join(project, "results", name, "summary.json");
  const end = Date.now() + PATIENCE;
  while (Date.now() < end) {
    try {
      const { elapsed_ms } = JSON.parse(readFileSync(summary, "utf8"));
      await wait(100);
      return elapsed_ms;
    } catch {
      await wait(50);
    }
  }
  throw new Error("the run did not end in time");
}
