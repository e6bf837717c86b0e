// A step of a run: how it ended and why, what it saw before and after, the elements and the log of that moment.

import { compared } from "./comparison.js";
import { clip, make, say, set, sign, took } from "./dom.js";
import { file } from "./file.js";
import { mendButton } from "./mend.js";
import { openable } from "./picture.js";
import { isBad, run } from "./run.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

/** The most characters of a text that are shown. */
const MOST = 20_000;

class StepElement extends HTMLElement {
  #shown = null;
  #wantsBefore = false;

  connectedCallback() {
    this.none = make("p", { class: "none", word: "step_none" });
    this.whole = make("div", { class: "scrolls", tabindex: 0, role: "region", named: "step" });
    this.replaceChildren(this.none, this.whole);
    run.addEventListener("chosen", () => this.draw());
    run.addEventListener("steps", () => run.step !== this.#shown && this.draw());
    studio.on("language", () => this.draw());
    this.draw();
  }

  draw() {
    const { step } = run;
    this.#shown = step;
    set(this.none, "hidden", Boolean(step));
    set(this.whole, "hidden", !step);
    if (!step) {
      return;
    }
    const name = make("h3");
    clip(name, step.name ?? "");
    const place = step.file ? `${step.file}:${step.line}` : "";
    const line = make("button", { type: "button", class: "quiet place", title: word("to_line"), onclick: () => file.goTo(step.file, step.line) });
    clip(line, place);
    const times = [took(step.ms), step.attempt > 1 ? word("attempt", step.attempt) : ""].filter(Boolean).join(" · ");
    const about = make("p", { class: "about" }, `${word(step.outcome)} · ${times}`);
    const head = [make("div", { class: "step-head" }, sign(step.outcome), name), make("div", { class: "line" }, about, place ? line : null)];
    const parts = [...head, this.#message(step), this.#mend(step), compared(step) ?? this.#pictures(step), this.#details(step)];
    this.whole.replaceChildren(...parts.filter(Boolean), this.#kept("tree_then", kept(step, "tree")), this.#kept("log_then", kept(step, "log")));
    this.whole.scrollTop = 0;
  }

  /** Offers to mend a step of a run that is over; what compares pictures is looked at instead. */
  #mend(step) {
    return isBad(step) && run.folder && !run.isRunning && !step.error?.details?.comparison ? make("p", { class: "line" }, mendButton(run.folder, step)) : null;
  }

  #message({ error, message, outcome }) {
    const text = error?.message && message && !message.includes(error.message) ? `${error.message}\n${message}` : message || error?.message;
    if (!text) {
      return null;
    }
    const cause = typeof error?.details?.cause === "string" ? make("p", { class: "cause" }, error.details.cause.slice(0, MOST)) : null;
    const kind = error?.kind ? make("p", { class: "kind" }, error.kind) : null;
    return make("div", { class: `message ${outcome}` }, kind, cause, make("pre", { tabindex: 0 }, text.slice(0, MOST)));
  }

  /** The pictures before and after; one is shown at a time, so that what changed is seen in its place. */
  #pictures(step) {
    const after = run.picture(step);
    if (!after) {
      return make("p", { class: "none" }, word("no_picture"));
    }
    const both = Boolean(step.before && (step.picture || step.live));
    const isBefore = both && this.#wantsBefore;
    const name = `${word("picture", step.name ?? "").slice(0, 200)}${both ? `, ${word(isBefore ? "before" : "after")}` : ""}`;
    const shown = openable(isBefore ? run.address(step.before) : after, step.mark, name);
    const choice = (key, wants) => {
      const made = make("button", { type: "button", class: "mode", "aria-pressed": String(isBefore === wants), word: key });
      made.onclick = () => {
        this.#wantsBefore = wants;
        this.draw();
        this.querySelector(`.switch [aria-pressed=true]`)?.focus();
      };
      return made;
    };
    return make("div", { class: "pictures" }, both ? make("div", { class: "switch group" }, choice("before", true), choice("after", false)) : null, shown);
  }

  #details({ error }) {
    const { cause, comparison, ...details } = error?.details ?? {};
    if (!Object.keys(details).length) {
      return null;
    }
    const text = JSON.stringify(details, null, 2);
    return make("details", {}, make("summary", { word: "details" }), make("pre", { tabindex: 0 }, text.slice(0, MOST)));
  }

  /** A text that was kept beside the step; it is fetched once it is wanted. */
  #kept(name, path) {
    const text = make("pre", { tabindex: 0 });
    const part = make("details", { hidden: !path }, make("summary", { word: name }), text);
    const address = path ? run.address(path) : "";
    part.ontoggle = async () => {
      if (!part.open || text.textContent) {
        return;
      }
      try {
        const answer = await fetch(address);
        const told = await answer.text();
        say(text, (answer.ok ? readable(told) : word("not_kept")).slice(0, MOST));
      } catch (error) {
        say(text, error.message);
      }
    };
    return part;
  }
}

/** The path of a text that may be kept of a step; none is kept of one that passed. */
function kept(step, name) {
  const isKept = step.kept && step.outcome !== "passed" && step.outcome !== "skipped";
  return step[name] ?? (isKept ? `${step.kept}/${name === "tree" ? "tree.json" : "log.txt"}` : null);
}

/** A tree as lines: what stands in something stands further in; other texts as they are. */
function readable(text) {
  const lines = [];
  const add = (element, depth) => {
    const id = element.id ? `#${element.id}` : "";
    lines.push(`${"  ".repeat(depth)}${[element.role, element.name ?? element.text, id].filter(Boolean).join(" ")}`);
    (element.children ?? []).forEach((child) => add(child, depth + 1));
  };
  try {
    JSON.parse(text).elements.forEach((element) => add(element, 0));
    return lines.join("\n");
  } catch {
    return text;
  }
}

customElements.define("studio-step", StepElement);
