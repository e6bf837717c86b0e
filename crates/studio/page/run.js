// The run that is shown: the steps that it has made, what each saw, and which of them is looked at. It goes on, or has ended.

import { connection } from "./connection.js";
import { notice } from "./dom.js";
import { file } from "./file.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

class Run extends EventTarget {
  isRunning = false;
  folder = null;
  steps = [];
  /** The index of the step that is looked at, or -1. */
  chosen = -1;
  /** The line (from 1) of the open file that runs now, or 0. */
  line = 0;
  /** Outcomes by the line (from 1) of the open file. */
  outcomes = new Map();
  #path = null;
  #isPart = false;

  constructor() {
    super();
    const hear = (name, act) => connection.addEventListener(name, ({ detail }) => act(detail));
    hear("run", (said) => (said.state === "started" ? this.#began(said) : this.#ended(said)));
    hear("step_started", (said) => this.#started(said));
    hear("step", (said) => this.#step(said));
    studio.on("hello", () => this.#greeted());
    file.addEventListener("opened", () => {
      if (file.path !== this.#path) {
        this.outcomes = new Map();
        this.line = 0;
        this.#path = file.path;
      }
      this.tell("outcomes");
    });
  }

  tell(name) {
    this.dispatchEvent(new Event(name));
  }

  #greeted() {
    this.isRunning = Boolean(studio.hello.running);
    this.tell("state");
  }

  /** Runs the open file: all of it, or `{from}`, `{only}` a line. */
  async start(part = {}) {
    if (file.path === null) {
      notice(word("no_file"), "info");
      return;
    }
    this.#isPart = "from" in part || "only" in part;
    try {
      await connection.ask("run", { path: file.path, text: file.text, ...part });
    } catch (error) {
      notice(error.message);
    }
  }

  async stop() {
    try {
      await connection.ask("stop");
    } catch (error) {
      notice(error.message);
    }
  }

  #began(said) {
    this.isRunning = true;
    this.folder = said.folder ?? null;
    this.steps = [];
    this.chosen = -1;
    if (!this.#isPart) {
      this.outcomes = new Map();
    }
    ["state", "steps", "chosen", "outcomes"].forEach((name) => this.tell(name));
  }

  async #ended(said) {
    this.isRunning = false;
    this.#isPart = false;
    this.line = 0;
    this.folder = said.folder ?? this.folder;
    this.tell("state");
    this.tell("outcomes");
    if (said.message) {
      notice(said.message, said.outcome === "passed" ? "info" : "warn");
    }
    if (this.folder) {
      await this.#complete(this.folder, said.file);
    }
  }

  /** Takes what was kept of a run that has ended: pictures before, trees, logs. */
  async #complete(folder, path) {
    try {
      const { cases } = await connection.ask("result", { folder });
      const found = cases.find((one) => one.file === path) ?? cases[0];
      if (this.folder === folder && !this.isRunning && found?.steps?.length >= this.steps.length) {
        this.steps = found.steps;
        this.tell("steps");
        this.choose(Math.min(this.chosen, found.steps.length - 1));
      }
    } catch (error) {
      if (error.kind !== "NotFound") {
        notice(error.message);
      }
    }
  }

  #started(said) {
    if (said.file === file.path) {
      this.line = said.line;
      this.tell("outcomes");
    }
  }

  #step(said) {
    this.steps.push(said);
    if (said.file === file.path) {
      this.outcomes.set(said.line, said);
      this.line = this.line === said.line ? 0 : this.line;
      this.tell("outcomes");
    }
    this.tell("steps");
    if (said.outcome === "failed" || said.outcome === "errored") {
      this.choose(this.steps.length - 1);
    }
  }

  /** Shows a case of a run that was kept. */
  show(folder, one) {
    this.folder = folder;
    this.steps = one.steps ?? [];
    this.tell("steps");
    const bad = this.steps.findIndex(({ outcome }) => outcome === "failed" || outcome === "errored");
    this.choose(bad < 0 ? 0 : bad);
  }

  choose(index) {
    this.chosen = Math.max(-1, Math.min(index, this.steps.length - 1));
    this.tell("chosen");
  }

  /** Looks at the last step of a line of the open file; tells whether there is one. */
  chooseLine(line) {
    const at = this.steps.findLastIndex((step) => step.line === line && step.file === file.path);
    if (at >= 0) {
      this.choose(at);
    }
    return at >= 0;
  }

  /** Moves what is told of lines, where lines were added or taken away after `line` (from 1). */
  shift(line, by) {
    if (by === 0) {
      return;
    }
    const moved = (old) => (old > line ? Math.max(line, old + by) : old);
    this.outcomes = new Map([...this.outcomes].map(([old, step]) => [moved(old), step]));
    this.line = this.line && moved(this.line);
    this.steps.filter((step) => step.file === file.path).forEach((step) => (step.line = moved(step.line)));
  }

  get step() {
    return this.steps[this.chosen];
  }

  /** The address of something that was kept of the run. */
  address(path) {
    const inside = [this.folder, ...path.split("/")].filter((part) => part && part !== "." && part !== "..");
    return `/studio/results/${inside.flatMap((part) => part.split("/")).map(encodeURIComponent).join("/")}`;
  }
}

export const run = new Run();
