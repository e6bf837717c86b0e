// A step that was changed in the editor runs again by itself, on the device as it is, once nobody types any more.

import { file } from "./file.js";
import { run } from "./run.js";
import { studio } from "./studio.js";
import { blocks, parts, scan } from "./yaml.js";

/** Milliseconds without a key. */
const QUIET = 900;
const KEY = "uixt-watch";

class Watch extends EventTarget {
  isOn = localStorage.getItem(KEY) === "on";
  /** The steps that ran or were loaded last, without what nothing comes of. */
  #known = [];
  #timer = null;
  #edited = 0;
  /** Whether what is written next was done already. */
  #isDone = false;
  #composes = false;

  constructor() {
    super();
    file.addEventListener("opened", () => this.#know());
    file.addEventListener("edited", () => (this.#edited = Date.now()));
    file.addEventListener("checked", () => this.#wait());
    run.addEventListener("asked", () => this.#know());
    run.addEventListener("state", () => this.#wait());
    addEventListener("compositionstart", () => (this.#composes = true));
    addEventListener("compositionend", () => ((this.#composes = false), this.#wait()));
  }

  toggle() {
    this.isOn = !this.isOn;
    localStorage.setItem(KEY, this.isOn ? "on" : "off");
    this.#know();
    this.dispatchEvent(new Event("state"));
  }

  /** What is written next was done on the device already. */
  pass() {
    this.#isDone = true;
  }

  #know() {
    this.#known = bare(file.text);
    this.#isDone = false;
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), Math.max(0, this.#edited + QUIET - Date.now()));
  }

  #look() {
    const now = bare(file.text);
    // What is recorded or asserted was done while it was written.
    if (this.#isDone || studio.recording || studio.mode === "assert") {
      this.#know();
      return;
    }
    const { at, gone, come } = change(this.#known, now);
    if (gone && !come) {
      this.#known = now;
    }
    if (!this.isOn || run.isRunning || this.#composes || come !== 1 || gone > 1 || file.checked !== file.text || file.errors.length) {
      return;
    }
    const line = scan(file.text.split("\n")).steps[at].line + 1;
    this.#known = now;
    run.start({ only: file.stepAt(line)?.line ?? line });
  }
}

/** Returns the steps of a text without comments and blank lines. */
function bare(text) {
  const rows = text.split("\n");
  const inside = blocks(rows);
  const row = (at) => (inside[at] ? rows[at] : parts(rows[at], false, false).filter(([name]) => name !== "comment").map(([, part]) => part).join("").trimEnd());
  return scan(rows).steps.map(({ line, last }) => {
    const lines = [];
    for (let at = line; at <= last; at += 1) {
      lines.push(row(at));
    }
    return lines.filter(Boolean).join("\n");
  });
}

/** Returns how two lists of steps differ: from where, how many are gone there, how many have come. */
function change(before, now) {
  let at = 0;
  while (at < before.length && at < now.length && before[at] === now[at]) {
    at += 1;
  }
  let same = 0;
  while (same < before.length - at && same < now.length - at && before.at(-1 - same) === now.at(-1 - same)) {
    same += 1;
  }
  return { at, gone: before.length - at - same, come: now.length - at - same };
}

export const watch = new Watch();
