// The run that is shown: the steps that it has made, what each saw, and which of them is looked at. It goes on, or has ended.

import { connection } from "./connection.js";
import { notice } from "./dom.js";
import { file } from "./file.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

/** Most steps of a run that goes on of which a picture is kept. */
const MOST = 300;

class Run extends EventTarget {
  isRunning = false;
  /** How the last run ended; none before. */
  outcome = null;
  folder = null;
  steps = [];
  /** The index of the step that is looked at, or -1. */
  chosen = -1;
  /** The line (from 1) of the open file that runs now, or 0. */
  line = 0;
  /** Outcomes by the line (from 1) of the open file. */
  outcomes = new Map();
  #path = null;
  /** What the last action of each step did, by the step's number. */
  #actions = new Map();
  #isPart = false;

  constructor() {
    super();
    const hear = (name, act) => connection.addEventListener(name, ({ detail }) => act(detail));
    hear("run", (said) => (said.state === "started" ? this.#began(said) : this.#ended(said)));
    hear("step_started", (said) => this.#started(said));
    hear("action", (said) => this.#actions.set(said.step, said));
    hear("step", (said) => this.#step(said));
    hear("case_started", (said) => this.#caseBegan(said));
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
    if (studio.hello.run && this.folder === null) {
      this.folder = studio.hello.run;
      this.#complete(this.folder, null);
    }
  }

  /** Runs the open file: all of it, or `{from}`, `{only}` a line. */
  async start(part = {}) {
    if (file.path === null) {
      notice(word("no_file"), "info");
      return;
    }
    this.#isPart = "from" in part || "only" in part;
    this.tell("asked");
    await connection.try("run", { device: studio.device, path: file.path, text: file.toRun(), ...part }, (error) => studio.refused(error));
  }

  /** Runs a testcase once more, after it was written into. */
  async again(path) {
    if (path === file.path || (await file.open(path))) {
      await this.start();
    }
  }

  stop() {
    return connection.try("stop");
  }

  #began(said) {
    this.isRunning = true;
    this.folder = said.folder ?? null;
    this.#forget();
    if (!this.#isPart) {
      this.outcomes = new Map();
    }
    ["state", "outcomes"].forEach((name) => this.tell(name));
  }

  #forget() {
    this.#actions.clear();
    this.steps = [];
    this.chosen = -1;
    this.tell("steps");
    this.tell("chosen");
  }

  /** Another case begins: its steps are shown, the ones before are in the results. */
  #caseBegan() {
    if (this.steps.length) {
      this.#forget();
    }
  }

  async #ended(said) {
    this.isRunning = false;
    this.#isPart = false;
    this.line = 0;
    this.outcome = said.outcome ?? null;
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

  /** Takes what was kept of a run that has ended: pictures, and of a failure the moment before. */
  async #complete(folder, path) {
    try {
      const { cases } = await connection.ask("result", { folder });
      const found = cases.find((one) => one.file === path && isBad(one)) ?? cases.find((one) => one.file === path) ?? cases.find(isBad) ?? cases[0];
      if (this.folder === folder && !this.isRunning && found?.steps?.length >= this.steps.length) {
        const had = this.steps.length > 0;
        this.steps = found.steps.map((step, at) => ({ ...step, live: this.steps[at]?.live ?? null }));
        this.tell("steps");
        this.choose(had ? this.chosen : this.steps.findIndex(isBad));
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
    const { mark, message } = this.#actions.get(said.step) ?? {};
    this.steps.push({ ...said, mark: said.mark ?? mark, message: said.message || message || "", live: this.#shot() });
    if (said.file === file.path) {
      this.outcomes.set(said.line, said);
      this.line = this.line === said.line ? 0 : this.line;
      this.tell("outcomes");
    }
    this.tell("steps");
    if (isBad(said)) {
      this.choose(this.steps.length - 1);
    }
  }

  /** What the device shows now, until the pictures of the run are there. */
  #shot() {
    return this.steps.length < MOST ? studio.shot() : null;
  }

  /** Shows a case of a run that was kept. */
  show(folder, one) {
    this.#forget();
    this.folder = folder;
    this.steps = one.steps ?? [];
    this.tell("steps");
    const bad = this.steps.findIndex(isBad);
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

  /** The address of a picture of a step; of one that has none, what the device showed when it ended. */
  picture(step) {
    return step.picture && this.folder ? this.address(step.picture) : (step.live ?? (step.before && this.folder ? this.address(step.before) : null));
  }

  /** The address of something that was kept of the run; some paths begin with the run's folder. */
  address(path) {
    const whole = path.startsWith(`${this.folder}/`) ? path : `${this.folder}/${path}`;
    const parts = whole.split("/").filter((part) => part && part !== "." && part !== "..");
    return `/studio/results/${parts.map(encodeURIComponent).join("/")}`;
  }
}

/** Whether a step, a case or a run did not do what it should. */
export function isBad({ outcome }) {
  return outcome === "failed" || outcome === "errored";
}

export const run = new Run();
