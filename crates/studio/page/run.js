// The run that is shown: the steps that it has made, what each saw, and which of them is looked at. It goes on, or has ended.

import { aligned } from "./aligned.js";
import { connection } from "./connection.js";
import { notice } from "./dom.js";
import { file } from "./file.js";
import { studio } from "./studio.js";
import { word } from "./words.js";
import { scan } from "./yaml.js";

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
  /** The file that it runs, or ran: none of several. */
  file = "";
  /** What is known of each file's last run, by its path: the lines that ran, the line (from 1) that runs now, outcomes by line. */
  #ran = new Map();
  /** The lines of the open file as they are, and where those that ran stand among them. */
  #rows = [];
  #places = null;
  /** Whether the steps that are shown are those of the run that goes on. */
  #isLive = true;
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
    file.addEventListener("opened", () => this.tell("outcomes"));
  }

  /** Takes the lines of the open file as they are now. */
  follow(rows) {
    this.#rows = rows;
    this.#places = null;
  }

  /** What is known of the last run of a file, whose lines are those that it holds. */
  #known(path) {
    let known = this.#ran.get(path);
    if (!known) {
      known = { rows: null, line: 0, outcomes: new Map() };
      this.#ran.set(path, known);
    }
    if (!known.rows && path === file.path) {
      known.rows = file.onDisk.split("\n");
      this.#places = null;
    }
    return known;
  }

  /** Where the lines that ran stand in the open file, and which of it each step had. */
  #placed() {
    const known = this.#known(file.path);
    if (this.#places?.known !== known || this.#places.rows !== known.rows) {
      this.#places = { known, rows: known.rows, place: placing(known.rows, this.#rows), back: new Map() };
      for (const line of known.outcomes.keys()) {
        const at = this.#places.place(line);
        if (at) {
          this.#places.back.set(at, line);
        }
      }
    }
    return this.#places;
  }

  /** The line (from 1) of the open file that runs now, or 0. */
  get line() {
    return this.lineOf(this.#known(file.path).line);
  }

  /** The line (from 1) of the open file where a line that ran stands, or 0. */
  lineOf(line) {
    return line && file.path !== null ? this.#placed().place(line) : 0;
  }

  /** The line (from 1) of the open file where a step stands that is shown, or 0: that of another file, or of a text that is another one by now. */
  lineOfStep(step) {
    return step && step.file === file.path && !step.changed ? this.lineOf(step.line) : 0;
  }

  /** How the step ended that stands at a line (from 1) of the open file, if it ran as it is there. */
  outcomeAt(line) {
    if (file.path === null || !this.#ran.has(file.path)) {
      return undefined;
    }
    const { back, known } = this.#placed();
    return known.outcomes.get(back.get(line));
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
    const { path, text, version } = file;
    await file.write(text, () => connection.ask("run", { device: studio.device, path, text, version, ...part }), (error) => studio.refused(error));
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
    this.file = said.file ?? "";
    this.#isLive = true;
    this.#forget();
    const old = this.#ran.get(this.file);
    if (this.#isPart && old?.rows) {
      this.#carry(old);
    } else {
      this.#ran.delete(this.file);
    }
    ["state", "outcomes"].forEach((name) => this.tell(name));
  }

  /** A part of a file runs: what is known of its other steps stays, where they stand as they ran. */
  #carry(old) {
    const now = file.path === this.file ? file.onDisk.split("\n") : old.rows;
    const place = placing(old.rows, now);
    const moved = [...old.outcomes].map(([line, step]) => [place(line), step]).filter(([line]) => line > 0);
    this.#ran.set(this.file, { rows: now, line: 0, outcomes: new Map(moved) });
  }

  #forget() {
    this.#actions.clear();
    this.steps = [];
    this.chosen = -1;
    this.tell("steps");
    this.tell("chosen");
  }

  /** Another case begins: its steps are shown, the ones before are in the results. */
  #caseBegan(said) {
    if (this.#isLive && this.steps.length) {
      this.#forget();
    }
    if (said.file && said.file !== this.file) {
      this.#ran.delete(said.file);
      this.#known(said.file);
    }
  }

  async #ended(said) {
    this.isRunning = false;
    this.#isPart = false;
    this.#ran.forEach((known) => (known.line = 0));
    this.outcome = said.outcome ?? null;
    if (this.#isLive) {
      // Of one that could not begin, nothing was kept.
      this.folder = said.folder ?? null;
    }
    this.tell("state");
    this.tell("outcomes");
    if (said.message) {
      notice(said.message, said.outcome === "passed" ? "info" : "warn");
    }
    if (this.folder && this.#isLive) {
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
    this.#known(said.file).line = said.line;
    this.tell("outcomes");
  }

  #step(said) {
    const { mark, message, tool } = this.#actions.get(said.step) ?? {};
    // What was compared with nothing is no proof yet.
    const kept = tool === "assert_screenshot" && said.outcome === "passed" && message?.startsWith("kept as ") ? message : null;
    if (kept) {
      notice(kept, "warn");
    }
    const known = this.#known(said.file);
    known.outcomes.set(said.line, { ...said, kept });
    known.line = known.line === said.line ? 0 : known.line;
    this.#places = null;
    this.tell("outcomes");
    if (!this.#isLive) {
      return;
    }
    this.steps.push({ ...said, mark: said.mark ?? mark, message: said.message || message || "", live: this.#shot() });
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
    this.#isLive = false;
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
    const at = this.steps.findLastIndex((step) => this.lineOfStep(step) === line);
    if (at >= 0) {
      this.choose(at);
    }
    return at >= 0;
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

/** Returns what tells where a line (from 1) of one text stands in another: 0 where the step that it begins is another there. */
function placing(rows, now) {
  const lines = aligned(rows, now);
  const ends = new Map(scan(rows).steps.map(({ line, last }) => [line, last]));
  return (line) => {
    const first = line - 1;
    const at = lines[first] ?? -1;
    for (let more = first; more <= (ends.get(first) ?? first); more += 1) {
      if (lines[more] !== at + more - first) {
        return 0;
      }
    }
    return at + 1;
  };
}

/** Whether a step, a case or a run did not do what it should. */
export function isBad({ outcome }) {
  return outcome === "failed" || outcome === "errored";
}

export const run = new Run();
