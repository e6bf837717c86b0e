// A comparison of screenshots that failed: what was expected and what was seen, one over the other, and what is to come of it.

import { connection } from "./connection.js";
import { button, make, say, set, dialog } from "./dom.js";
import { file } from "./file.js";
import { run } from "./run.js";
import { word } from "./words.js";

const VIEWS = ["wipe", "expected", "actual", "difference"];
const SIDES = ["left", "top", "right", "bottom"];

/** What came of comparisons while the page is open, by the picture that was seen: `[word, message]`. */
const decided = new Map();

/** Returns the comparison of a step that failed by one, or null. */
export function compared(step, isWhole = false) {
  const { comparison, baseline, places } = step.error?.details ?? {};
  if (run.isRunning || !run.folder || !comparison?.expected || !comparison.actual) {
    return null;
  }
  const pictures = VIEWS.filter((view) => comparison[view]).map((view) => [view, run.address(String(comparison[view]))]);
  return Object.assign(make("studio-comparison"), { step, pictures, baseline, first: places?.[0], folder: run.folder, isWhole });
}

class ComparisonElement extends HTMLElement {
  connectedCallback() {
    const name = this.step.name ?? "";
    this.images = this.pictures.map(([view, src]) => make("img", { src, alt: `${word(view)}: ${name}`.slice(0, 200), "data-view": view, draggable: "false", onerror: () => this.#missing() }));
    this.actual = this.images[1];
    this.views = ["wipe", ...this.pictures.map(([view]) => view)].map((view) => button(null, { class: "mode", "data-view": view, onclick: () => this.#view(view) }, view));
    const large = button("search", { class: "quiet", named: "whole_picture", hint: "whole_picture", hidden: this.isWhole, onclick: () => dialog("whole", name, compared(this.step, true)) });
    this.box = make("span", { class: "mark-box" });
    this.edge = make("span", { class: "edge" });
    this.layers = make("div", { class: "layers" }, ...this.images, this.edge, this.box);
    this.range = make("input", { type: "range", named: "wipe_hint", oninput: () => this.#wipe() });
    this.slide = make("div", { class: "line slide" }, make("span", { word: "expected" }), this.range, make("span", { word: "actual" }));
    const choice = (key, kind, onclick) => make("button", { type: "button", class: kind, word: key, hint: `${key}_hint`, onclick });
    this.accept = choice("accept_picture", "primary", () => this.#decide("accepted", "accept", { folder: this.folder, baseline: this.baseline }));
    this.reject = choice("reject_picture", "plain", () => this.#decided("rejected"));
    this.mask = choice("mask_picture", "plain", () => this.#masking(this.form.hidden));
    this.sides = SIDES.map(() => make("input", { type: "number", min: 0, required: true, oninput: () => this.#box() }));
    const labels = this.sides.map((input, at) => make("label", {}, make("span", { word: SIDES[at] }), input));
    this.form = make("form", { class: "masking", onsubmit: (event) => this.#mask(event) }, make("p", { word: "mask_how" }), ...labels, make("button", { class: "primary", word: "mask_this" }));
    this.told = make("p", { class: "told", role: "status" });
    this.replaceChildren(make("div", { class: "group" }, ...this.views, large), this.layers, this.slide, make("div", { class: "group" }, this.accept, this.reject, this.mask), this.form, this.told);
    this.layers.onpointerdown = (event) => this.#press(event);
    this.layers.onpointermove = (event) => this.from && this.#drag(event);
    this.layers.onpointerup = this.layers.onpointercancel = () => (this.from = null);
    this.#view("wipe");
    this.#masking(false);
    this.tell();
  }

  /** A picture was not kept, or is gone. */
  #missing() {
    this.replaceChildren(make("p", { class: "none" }, word("no_picture")));
  }

  /** Shows one of the pictures, or two of them with an edge between. */
  #view(name) {
    const isWiped = name === "wipe";
    this.views.forEach((made) => set(made, "aria-pressed", String(made.dataset.view === name)));
    this.images.forEach((image, at) => set(image, "data-shown", image.dataset.view === name || (isWiped && at < 2)));
    set(this.edge, "hidden", !isWiped);
    set(this.slide, "hidden", !isWiped);
    this.#wipe();
  }

  #wipe() {
    const at = `${this.range.value}%`;
    this.actual.style.clipPath = this.slide.hidden ? "" : `inset(0 0 0 ${at})`;
    this.edge.style.left = at;
  }

  /** A place of the window as pixels of the picture. */
  #at({ clientX, clientY }) {
    const { left, top, width, height } = this.actual.getBoundingClientRect();
    const inside = (part, most) => Math.round(Math.max(0, Math.min(part, 1)) * most);
    return [inside((clientX - left) / width, this.actual.naturalWidth), inside((clientY - top) / height, this.actual.naturalHeight)];
  }

  #press(event) {
    event.preventDefault();
    this.layers.setPointerCapture(event.pointerId);
    this.from = this.#at(event);
    this.#drag(event);
  }

  /** Draws what is masked, or moves the edge. */
  #drag(event) {
    const [x, y] = this.#at(event);
    if (this.form.hidden) {
      this.range.value = String((x / this.actual.naturalWidth) * 100);
      this.#wipe();
    } else {
      const [left, top] = this.from;
      this.#fill([Math.min(left, x), Math.min(top, y), Math.max(left, x), Math.max(top, y)]);
    }
  }

  #fill(rect) {
    this.sides.forEach((input, at) => (input.value = String(rect[at])));
    this.#box();
  }

  get rect() {
    return this.sides.map(({ value }) => Number(value));
  }

  /** Shows what would be masked. */
  #box() {
    const [left, top, right, bottom] = this.rect;
    const { naturalWidth: width, naturalHeight: height } = this.actual;
    const percent = (value, most) => `${(Math.max(0, value) / (most || 1)) * 100}%`;
    Object.assign(this.box.style, { left: percent(left, width), top: percent(top, height), width: percent(right - left, width), height: percent(bottom - top, height) });
  }

  #masking(on) {
    set(this.form, "hidden", !on);
    set(this.box, "hidden", !on);
    set(this.mask, "aria-pressed", String(on));
    set(this.layers, "data-masking", on);
    if (on) {
      this.#fill(this.sides[2].value ? this.rect : (this.first ?? [0, 0, 0, 0]));
      this.sides[0].focus();
    }
  }

  async #mask(event) {
    event.preventDefault();
    const { rect, step } = this;
    if (rect[2] <= rect[0] || rect[3] <= rect[1]) {
      say(this.told, word("mask_how"));
      return;
    }
    if (!(await file.settle(step.file))) {
      return;
    }
    const { naturalWidth, naturalHeight } = this.actual;
    const fractions = rect.map((side, at) => side / (at % 2 ? naturalHeight : naturalWidth));
    if (await this.#decide("masked", "mask", { path: step.file, line: step.line, rect: fractions })) {
      this.#masking(false);
      await file.renew(step.file);
    }
  }

  async #decide(name, verb, fields) {
    set(this.accept, "disabled", true);
    const answer = await connection.try(verb, fields);
    answer ? this.#decided(name, answer.message) : this.tell();
    return answer;
  }

  #decided(...what) {
    decided.set(this.actual.src, what);
    document.querySelectorAll("studio-comparison").forEach((one) => one.tell());
  }

  /** Tells what came of it. */
  tell() {
    const [name, message] = decided.get(this.actual.src) ?? [];
    set(this.accept, "disabled", name === "accepted" || !this.baseline);
    set(this.reject, "disabled", Boolean(name));
    set(this.mask, "disabled", name === "masked" || !this.step.file);
    say(this.told, name ? [word(name), message].filter(Boolean).join(" ") : "");
  }
}

customElements.define("studio-comparison", ComparisonElement);
