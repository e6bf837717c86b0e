// The whole page: the bar, the editor at the left, the device at the right, panels beside it, the steps of a run below.

import { connection } from "./connection.js";
import "./device.js";
import { button, make, say, set, sign } from "./dom.js";
import "./drawer.js";
import "./editor.js";
import { file } from "./file.js";
import { pageKeys, showKeys } from "./keys.js";
import "./panels.js";
import { run } from "./run.js";
import { splitter } from "./splitter.js";
import { studio } from "./studio.js";
import { theme } from "./theme.js";
import "./timeline.js";
import { watch } from "./watch.js";
import { language, word } from "./words.js";

const MODES = ["use", "point", "assert"];
/** The parts of the page that can be folded away; the drawer begins so in windows narrower than this. */
const PARTS = ["cases", "panels", "timeline"];
const NARROW = 1500;
/** In windows narrower than this, the drawer lies over the editor; style.css says the same. */
const OVERLAID = 1240;
/** How much of the room the editor takes beside the device, in percent. */
const EDITOR = { phone: 54, browser: 42 };

class AppElement extends HTMLElement {
  connectedCallback() {
    this.build();
    addEventListener("keydown", (event) => pageKeys(this, event));
    // What was typed is kept as a draft.
    addEventListener("pagehide", () => file.flush());
    this.addEventListener("leave", () => this.stop.disabled ? this.editor.input.focus() : this.stop.focus());
    studio.on("hello", () => this.#greet());
    studio.on("mode", () => this.#tellMode());
    studio.on("language", () => this.#tellState());
    run.addEventListener("state", () => this.#tellRun());
    file.addEventListener("state", () => this.#tellFile());
    file.addEventListener("opened", () => (this.#clear(), this.#tellRun()));
    this.addEventListener("show-cases", () => this.dataset.cases === "on" || this.toggle("cases"));
    connection.addEventListener("state", () => this.#tellState());
    watch.addEventListener("state", () => this.#tellRun());
    this.#tellMode();
    this.#tellRun();
    this.#tellState();
  }

  build() {
    this.editor = make("studio-editor");
    this.device = make("studio-device");
    this.heading = make("h1", { class: "project", word: "title" });
    this.state = make("p", { class: "connection", role: "status" });
    this.outcome = make("p", { class: "outcome", role: "status" });
    this.drawer = make("studio-drawer");
    this.panels = make("studio-panels");
    this.timeline = make("studio-timeline");
    this.folds = PARTS.map((name) => this.#folder(name));
    const runs = make("div", { class: "group runs" }, ...this.#runs());
    const rest = make("div", { class: "group" }, ...this.#rest());
    const head = make("header", { class: "bar" }, this.folds[0], this.heading, runs, this.outcome, make("span", { class: "space" }), this.state, rest);
    const modes = make("div", { class: "pane-head modes", role: "toolbar", named: "modes" }, ...this.#modes());
    const left = make("section", { class: "pane editor-pane", named: "editor" }, this.editor);
    const right = make("section", { class: "pane device-pane", named: "device" }, modes, this.device);
    this.main = make("main");
    this.split = splitter(this.main, left, right);
    right.prepend(this.split);
    const drawer = make("aside", { class: "pane drawer-pane", named: "cases" }, this.drawer);
    this.main.append(drawer, left, right, make("aside", { class: "pane panels-pane", named: "panels" }, this.panels));
    this.split.reset(EDITOR.phone);
    this.replaceChildren(head, this.main, make("footer", { class: "timeline-pane" }, this.timeline));
    PARTS.forEach((name) => this.#fold(name, (localStorage.getItem(`uixt-${name}`) ?? (name === "cases" && innerWidth < NARROW ? "off" : "on")) === "on"));
  }

  /** Shows a part of the page, or folds it away. */
  toggle(name) {
    const isShown = this.dataset[name] !== "on";
    localStorage.setItem(`uixt-${name}`, isShown ? "on" : "off");
    this.#fold(name, isShown);
    if (name === "cases" && isShown) {
      this.drawer.first.focus();
    }
  }

  /** Shows all devices beside each other, or one. */
  toggleBeside() {
    this.device.beside.toggle();
    this.device.show();
    this.#tellMode();
    return true;
  }

  /** Where the drawer lies over the editor, it goes once a file is opened. */
  #clear() {
    if (innerWidth < OVERLAID && this.dataset.cases === "on") {
      this.#fold("cases", false);
      this.editor.input.focus();
    }
  }

  #fold(name, isShown) {
    this.dataset[name] = isShown ? "on" : "off";
    set(this.folds[PARTS.indexOf(name)], "aria-pressed", String(isShown));
  }

  /** The areas that F6 goes through beside the editor and the device, with what takes the focus there. */
  areas() {
    return [[this.panels, this.panels.first], [this.timeline, this.timeline.list], [this.drawer, this.drawer.first]];
  }

  #folder(name) {
    const drawn = { timeline: "film", panels: "panel" }[name] ?? name;
    return button(drawn, { class: "quiet fold-part", named: `fold_${name}`, hint: `fold_${name}`, onclick: () => this.toggle(name) });
  }

  #runs() {
    this.all = button("play", { class: "primary", hint: "run_hint", onclick: () => run.start() }, "run");
    this.only = button("step", { class: "plain", hint: "run_step_hint", onclick: () => this.editor.runAt("only") }, "run_step");
    this.from = button("from", { class: "plain", hint: "run_from_hint", onclick: () => this.editor.runAt("from") }, "run_from");
    this.watch = button("watch", { class: "plain", hint: "watch_hint", onclick: () => watch.toggle() }, "watch");
    this.stop = button("stop", { class: "plain stop", hint: "stop_hint", onclick: () => run.stop() }, "stop");
    return [this.all, this.only, this.from, this.watch, this.stop];
  }

  #modes() {
    const made = (name, act) => button(name, { class: "mode", hint: `${name}_hint`, "data-mode": name, onclick: act }, name);
    this.modes = MODES.map((name) => made(name, () => studio.setMode(name)));
    this.record = made("record", () => studio.toggleRecording());
    this.side = button("beside", { class: "quiet", named: "beside", hint: "beside", onclick: () => this.toggleBeside() });
    this.takeBack = button("undo", { class: "quiet", named: "take_back", hint: "take_back", onclick: () => studio.takeBack() });
    const [use, ...others] = this.modes;
    return [use, this.record, ...others, make("span", { class: "space" }), this.side, this.takeBack];
  }

  #rest() {
    const other = () => studio.speak(language() === "zh" ? "en" : "zh");
    return [
      this.folds[2],
      this.folds[1],
      button("language", { class: "quiet", onclick: other }, "language"),
      button("theme", { class: "quiet", named: "theme", hint: "theme", onclick: () => theme.next() }),
      button("keys", { class: "quiet", named: "keys_hint", hint: "keys_hint", onclick: showKeys }),
    ];
  }

  #greet() {
    say(this.heading, studio.hello.project ?? "uixt studio");
    set(this.heading, "title", studio.hello.root ?? "");
    delete this.heading.dataset.word;
    this.split.reset(studio.isBrowser ? EDITOR.browser : EDITOR.phone);
    this.#tellFile();
    this.#tellState();
  }

  #tellFile() {
    document.title = [file.path && `${file.isSaved ? "" : "• "}${file.path}`, studio.hello?.project, "uixt studio"].filter(Boolean).join(" – ");
  }

  #tellMode() {
    for (const made of this.modes) {
      set(made, "aria-pressed", String(made.dataset.mode === studio.mode));
    }
    set(this.side, "hidden", studio.devices.length < 2);
    set(this.side, "aria-pressed", String(this.device.beside.isOn));
    set(this.record, "aria-pressed", String(studio.recording));
    set(this.takeBack, "disabled", !studio.recording);
  }

  #tellRun() {
    for (const made of [this.all, this.only, this.from]) {
      set(made, "disabled", run.isRunning);
    }
    set(this.watch, "aria-pressed", String(watch.isOn));
    set(this.stop, "disabled", !run.isRunning);
    // How another file ended is told beside its name.
    const isOfThis = !run.file || run.file === file.path;
    const state = run.isRunning ? "running" : isOfThis ? run.outcome : null;
    set(this.outcome, "title", run.file);
    this.outcome.replaceChildren(...(state ? [sign(state), word(state)] : []));
  }

  #tellState() {
    const state = connection.isOpen ? "live" : studio.hello ? "lost" : "connecting";
    say(this.state, word(state));
    set(this.state, "data-state", state);
    this.#tellRun();
  }
}

customElements.define("studio-app", AppElement);

// The token was for the cookie; it need not stay in the address.
if (location.search) {
  history.replaceState(null, "", location.pathname);
}
connection.start(() => new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/studio/live`));
