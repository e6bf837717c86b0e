// What all parts of the page know together: devices and their screens, the mode, the run. Tells of changes by events.

import { Acts } from "./acts.js";
import { connection } from "./connection.js";
import { notice, speakAll, took } from "./dom.js";
import { choose, language, word } from "./words.js";

/** Lines of the log that are kept. */
const MOST_LINES = 2000;

class Studio extends EventTarget {
  hello = null;
  devices = [];
  /** The index of the device that is shown. */
  device = 0;
  mode = "use";
  recording = false;
  screens = new Map();
  frames = new Map();
  tabs = new Map();
  dialogs = new Map();
  log = [];
  /** The element that is under the pointer, the one that is kept, what a target matched. */
  hovered = -1;
  pinned = -1;
  matches = [];
  /** Whether an agent works on the same devices, whether a person has them now, and its last call on each. */
  hasAgent = false;
  taken = false;
  calls = new Map();
  /** Returns a small picture of what the device shows, as an address; the device that is shown sets it. */
  shot = () => null;
  /** The panel that is shown. */
  panel = "element";
  #acts = new Map();
  #wanted = "";

  constructor() {
    super();
    const hear = (name, act) => connection.addEventListener(name, ({ detail }) => act(detail));
    hear("hello", (said) => this.#greet(said));
    hear("screen", (said) => this.#screen(said));
    hear("tabs", (said) => (this.tabs.set(said.device, said.tabs), this.tell("bar")));
    hear("dialog", (said) => (this.dialogs.set(said.device, said.dialog), this.tell("bar")));
    hear("recording", (said) => ((this.recording = said.on), this.tell("mode")));
    hear("note", (said) => notice(said.message, said.level));
    hear("gone", (said) => notice(word("gone", said.message), "warn"));
    hear("log", (said) => this.note(...said.lines));
    hear("taken", (said) => ((this.taken = said.on), this.tell("agent")));
    hear("agent", (said) => this.#called(said));
    hear("choose", (said) => this.tell("choose", said));
    hear("choose_files", (said) => this.tell("choose_files", said));
    ["device", "mode", "hello", "panel"].forEach((name) => this.on(name, () => this.#want()));
    hear("frame", (said) => (this.frames.set(said.device, said), this.tell("frame", said)));
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  on(name, act) {
    this.addEventListener(name, ({ detail }) => act(detail));
  }

  #greet(said) {
    const isFirst = this.hello === null;
    this.hello = said;
    this.devices = said.devices ?? [];
    if (this.recording && !said.recording) {
      notice(word("record_ended"), "warn");
    }
    this.recording = said.recording;
    this.hasAgent = Boolean(said.agent);
    this.taken = Boolean(said.taken);
    if (!this.devices.some(({ index }) => index === this.device)) {
      this.device = this.devices[0]?.index ?? 0;
    }
    if (isFirst) {
      this.speak(localStorage.getItem("uixt-language") ?? said.language, false);
    }
    this.tell("hello", { isFirst });
    this.tell("device");
    this.tell("mode");
  }

  /** Adds lines to the log. */
  note(...lines) {
    this.log = [...this.log, ...lines].slice(-MOST_LINES);
    this.tell("log");
  }

  /** An agent's call begins, waits or ends; what has ended stands in the log. */
  #called(said) {
    this.calls.set(said.device, said);
    this.tell("agent");
    if (said.state === "ended") {
      const text = [word("agent"), word(said.outcome), took(said.ms), called(said), said.message].filter(Boolean).join(" · ");
      this.note({ at: new Date().toISOString(), level: said.outcome === "passed" ? "info" : "error", text });
    }
  }

  /** Takes the devices from the agent, or gives them back. */
  take(on = !this.taken) {
    return connection.try("take", { on });
  }

  /** Tells why something was not done; where an agent has the devices, with the button that takes them. */
  refused(error) {
    notice(error.message, "error", ...(this.hasAgent && !this.taken ? [["take_over", () => this.take(true)]] : []));
  }

  #screen(said) {
    const before = this.screens.get(said.device);
    this.screens.set(said.device, said);
    if (said.device !== this.device) {
      return;
    }
    if (!isAlike(before, said)) {
      // Numbers are those of one screen: what is kept is looked for in the next by what it is.
      this.hovered = -1;
      this.pinned = again(before, said, this.pinned);
      this.matches = [];
      this.tell("elements");
    }
    this.tell("screen");
    this.tell("marks");
  }

  /** Tells the server whether elements matter now: reading them costs a device time. */
  #want() {
    const on = this.mode !== "use" || this.recording || this.panel === "tree";
    const wanted = `${connection.losses} ${this.device} ${on}`;
    if (connection.isOpen && this.hello && wanted !== this.#wanted) {
      this.#wanted = wanted;
      connection.ask("want", { device: this.device, on }).catch(() => {});
    }
  }

  /** The device that is shown. */
  get current() {
    return this.devices.find(({ index }) => index === this.device);
  }

  /** The folder that new testcases come into, as paths of files begin. */
  get folder() {
    return /(^|[\\/])testcases[\\/]?$/.test(this.hello?.root ?? "") ? "" : "testcases/";
  }

  get screen() {
    return this.screens.get(this.device);
  }

  get isBrowser() {
    return (this.current?.platform ?? this.hello?.platform) === "browser";
  }

  can(what) {
    return this.current?.can?.includes(what) ?? false;
  }

  element(n) {
    const elements = this.screen?.elements ?? [];
    return elements[n]?.n === n ? elements[n] : elements.find((element) => element.n === n);
  }

  choose(index) {
    this.device = index;
    this.hovered = -1;
    this.pinned = -1;
    this.matches = [];
    ["device", "elements", "screen", "bar", "marks"].forEach((name) => this.tell(name));
  }

  setMode(mode) {
    this.mode = mode;
    this.hovered = -1;
    this.tell("mode");
    this.tell("marks");
  }

  toggleRecording() {
    return connection.try("record", { on: !this.recording });
  }

  /** Forgets the last step that was recorded; what it did stays done. */
  takeBack() {
    return connection.try("undo");
  }

  hover(n) {
    if (n !== this.hovered) {
      this.hovered = n;
      this.tell("marks");
      this.tell("hovered");
    }
  }

  /** Keeps an element, or none by -1. `asked` is what `point` answered of it, where it was asked already. */
  pin(n, asked) {
    this.pinned = n;
    this.tell("marks");
    this.tell("pinned", { asked });
  }

  match(matches) {
    this.matches = matches;
    this.tell("marks");
  }

  /** Does something on the device that is shown. */
  act(act) {
    let acts = this.#acts.get(this.device);
    if (!acts) {
      acts = new Acts(this.device, (error) => this.refused(error));
      this.#acts.set(this.device, acts);
    }
    acts.push(act);
  }

  /** Speaks another language. */
  speak(name, isChosen = true) {
    choose(name);
    if (isChosen) {
      localStorage.setItem("uixt-language", language());
    }
    speakAll();
    this.tell("language");
  }
}

/** A call as the page tells it: `- tap: Sign in` → `tap Sign in`. */
export function called({ text, tool }) {
  return String(text || tool || "").trim().replace(/^-\s+/, "").replace(/^(\w+):\s*/, "$1 ");
}

/** Whether two screens show the same elements. */
function isAlike(one, other) {
  const look = (screen) => JSON.stringify(screen?.elements?.map(({ role, name, text, rect, seen }) => [role, name, text, rect, seen]));
  return look(one) === look(other);
}

/** Returns the number that an element of the screen before has in the next; -1 where it is gone. */
function again(before, next, n) {
  const was = before?.elements?.find((element) => element.n === n);
  if (!was) {
    return -1;
  }
  const alike = (element) => element.role === was.role && element.id === was.id && element.name === was.name;
  const all = next.elements.filter(alike);
  const near = (element) => Math.abs(element.rect[0] - was.rect[0]) + Math.abs(element.rect[1] - was.rect[1]);
  return all.length ? all.reduce((best, element) => (near(element) < near(best) ? element : best)).n : -1;
}

export const studio = new Studio();
