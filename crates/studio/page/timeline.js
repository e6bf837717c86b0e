// The steps of the run that is shown, in a row, each with what it saw: chosen by arrow keys, the pointer, or by dragging below.

import { clip, make, say, set, sign, took } from "./dom.js";
import { Rows } from "./rows.js";
import { run } from "./run.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

/** The width of a step, in pixels; panels.css says the same. */
const WIDE = 92;

class TimelineElement extends HTMLElement {
  connectedCallback() {
    this.none = make("p", { class: "none", word: "timeline_none" });
    this.list = make("div", { class: "strip", role: "listbox", "aria-orientation": "horizontal", named: "timeline" });
    this.range = make("input", { type: "range", min: 0, value: 0, step: 1, named: "scrub" });
    this.place = make("output", { class: "place" });
    this.scrub = make("div", { class: "scrub" }, this.range, this.place);
    this.replaceChildren(this.none, this.list, this.scrub);
    this.rows = new Rows(this.list, { size: WIDE, across: true, build: (step, at) => this.#step(step, at), choose: (_, at) => run.choose(at) });
    this.list.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.range.oninput = () => run.choose(Number(this.range.value));
    run.addEventListener("steps", () => this.draw());
    run.addEventListener("chosen", () => this.#chosen());
    studio.on("language", () => this.draw());
    this.draw();
  }

  draw() {
    const { steps } = run;
    const isAtEnd = this.list.scrollLeft + this.list.clientWidth > this.list.scrollWidth - 2 * WIDE;
    set(this.none, "hidden", steps.length > 0);
    set(this.list, "hidden", steps.length === 0);
    set(this.scrub, "hidden", steps.length === 0);
    this.rows.show([...steps], run.chosen);
    set(this.range, "max", Math.max(0, steps.length - 1));
    if (run.isRunning && isAtEnd) {
      this.list.scrollLeft = this.list.scrollWidth;
    }
    this.#chosen();
  }

  #chosen() {
    const { chosen, steps } = run;
    if (chosen >= 0) {
      this.rows.choose(chosen, false);
      this.range.value = String(chosen);
    }
    const step = steps[chosen];
    const text = step ? `${word("step_of", chosen + 1, steps.length)} · +${took(step.began ?? step.ms)}` : word("steps_in_all", steps.length);
    say(this.place, text);
    set(this.range, "aria-valuetext", step ? `${text}: ${word(step.outcome)}, ${(step.name ?? "").slice(0, 80)}` : text);
  }

  #step(step, at) {
    const name = make("span", { class: "name" });
    clip(name, step.name ?? "");
    const seen = run.picture(step);
    const image = seen ? make("img", { src: seen, alt: "", loading: "lazy", decoding: "async" }) : make("span", { class: "blank" });
    const label = `${at + 1}. ${word(step.outcome)}, ${took(step.ms)}: ${(step.name ?? "").slice(0, 100)}`;
    return make("div", { class: `frame ${step.outcome}`, role: "option", "aria-label": label }, image, make("span", { class: "under" }, sign(step.outcome), name));
  }

  #wheel(event) {
    if (Math.abs(event.deltaY) > Math.abs(event.deltaX)) {
      event.preventDefault();
      this.list.scrollLeft += event.deltaY;
    }
  }
}

customElements.define("studio-timeline", TimelineElement);
