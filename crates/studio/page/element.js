// The element that is pointed at or kept: its fields, the target that finds it, what can be done with it; and targets to try.

import { connection } from "./connection.js";
import { button, clip, isOther, make, notice, say, set, short } from "./dom.js";
import { centerOf, record } from "./pointing.js";
import { studio } from "./studio.js";
import "./target.js";
import { language, word } from "./words.js";

const FIELDS = ["text", "label", "hint", "id", "test_id"];
const STATES = ["enabled", "clickable", "focused", "checked", "password", "scrollable"];

class ElementElement extends HTMLElement {
  #asked = null;
  #number = 0;

  connectedCallback() {
    this.role_ = make("span", { class: "role" });
    this.called = make("h3");
    this.none = make("p", { class: "none", word: "element_none" });
    this.sight = make("p", { class: "sight" });
    this.target = make("div", { class: "part" });
    this.steps = make("div", { class: "part" });
    this.asserts = make("div", { class: "part" });
    this.facts = make("dl", { class: "facts" });
    this.head = make("div", { class: "element-head" }, this.role_, this.called);
    this.whole = make("div", {}, this.head, this.sight, this.target, this.steps, this.asserts, make("h4", { word: "fields" }), this.facts);
    this.replaceChildren(make("studio-target"), make("div", { class: "scrolls", tabindex: 0, role: "region", named: "element" }, this.none, this.whole));
    studio.on("pinned", ({ asked }) => this.#pinned(asked));
    studio.on("hovered", () => this.draw());
    studio.on("screen", () => this.#again());
    studio.on("language", () => this.draw());
    this.draw();
  }

  /** Another element is kept: the server tells what finds it. */
  async #pinned(asked) {
    this.#number += 1;
    const number = this.#number;
    this.#asked = asked ?? null;
    this.draw();
    if (asked || studio.pinned < 0) {
      return;
    }
    try {
      const answer = await connection.ask("point", { device: studio.device, ...place() });
      if (number === this.#number) {
        this.#asked = answer;
        this.draw();
      }
    } catch (error) {
      if (number === this.#number && error.kind !== "Lost") {
        notice(error.message);
      }
    }
  }

  /** The screen has changed: what is kept may be gone, or have another number. */
  #again() {
    if (studio.pinned < 0) {
      this.#asked = null;
    } else if (this.#asked) {
      this.#asked.n = studio.pinned;
    }
    this.draw();
  }

  draw() {
    const hovered = studio.element(studio.hovered);
    const element = hovered ?? studio.element(studio.pinned) ?? drawn(this.#asked);
    set(this.none, "hidden", Boolean(element));
    set(this.whole, "hidden", !element);
    if (!element) {
      return;
    }
    const asked = this.#asked?.n === element.n ? this.#asked : null;
    say(this.role_, element.role);
    clip(this.called, element.name || element.text || asked?.drawn?.text || "–");
    set(this.sight, "data-seen", element.seen);
    say(this.sight, element.seen ? word("seen") : short(word("unseen", element.why), 400));
    this.#drawTarget(asked);
    this.#drawButtons(this.steps, "insert_step", asked?.steps, (row) => studio.tell("insert", row.text));
    this.#drawButtons(this.asserts, "insert_assert", asked?.asserts, (row) => this.#assert(row));
    const { rect } = element;
    const shown = FIELDS.filter((name) => element[name]).map((name) => [name, element[name]]);
    const states = STATES.filter((name) => element[name] === true);
    const place = `${rect[0]}, ${rect[1]} – ${rect[2]}, ${rect[3]}  (${rect[2] - rect[0]} × ${rect[3] - rect[1]})`;
    this.facts.replaceChildren(...[["role", element.role], ["name", element.name], ...shown, ["rect", place], ["is", states.join(", ") || "–"]].flatMap(fact));
  }

  #drawTarget(asked) {
    set(this.target, "hidden", !asked);
    if (!asked || !isOther(this.target, asked.written, asked.count, asked.seen, asked.why, language())) {
      return;
    }
    const code = make("code");
    clip(code, asked.written ?? JSON.stringify(asked.target));
    const copy = button("copy", { class: "quiet", named: "copy", hint: "copy", onclick: () => this.#copy(asked.written) });
    const tryIt = button("search", { class: "quiet", named: "try_target", hint: "try_target", onclick: () => studio.tell("try", asked.written) });
    const count = asked.count === 1 ? word("one_match") : word("matches", asked.count);
    const hint = asked.seen === false && asked.why ? make("p", { class: "sight" }, short(asked.why, 300)) : null;
    const line = make("div", { class: "code-line" }, code, tryIt, copy);
    const told = make("p", { class: asked.count === 1 ? "count" : "count doubtful" }, count);
    this.target.replaceChildren(...[make("h4", {}, word("target")), line, told, hint].filter(Boolean));
  }

  #drawButtons(part, name, rows, act) {
    set(part, "hidden", !rows?.length);
    if (!rows?.length || !isOther(part, rows, language())) {
      return;
    }
    part.replaceChildren(
      make("h4", {}, word(name)),
      ...rows.map((row) => {
        const made = make("button", { type: "button", class: "insert", onclick: () => act(row) });
        clip(made, row.text.trim());
        return made;
      }),
    );
  }

  /** An assertion is recorded while recording, and only written otherwise. */
  #assert({ kind, text }) {
    if (studio.recording) {
      const [x, y] = this.#asked?.drawn ? centerOf(this.#asked.drawn) : [];
      record({ ...(x === undefined ? place() : { x, y }), kind, text });
    } else {
      studio.tell("insert", text);
    }
  }

  async #copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      notice(word("copied"), "info");
    } catch (error) {
      notice(error.message);
    }
  }
}

function fact([name, value]) {
  const told = make("dd");
  clip(told, String(value));
  return [make("dt", {}, name), told];
}

/** A text that is drawn where no element is, as an element. */
function drawn(asked) {
  return asked?.drawn && asked.n < 0 ? { n: asked.n, role: "text", name: asked.drawn.text, rect: asked.drawn.rect, seen: true } : null;
}

/** What tells the server which element is kept: its number, and where it is. */
function place() {
  return { n: studio.pinned, rect: studio.element(studio.pinned)?.rect };
}

customElements.define("studio-element", ElementElement);
