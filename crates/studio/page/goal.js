// A goal in words that a model reaches on the device: its steps as they come; those that are kept come into the testcase.

import { connection } from "./connection.js";
import { button, clip, make, say, set, sign } from "./dom.js";
import { isBad } from "./run.js";
import { called, studio } from "./studio.js";
import { watch } from "./watch.js";
import { word } from "./words.js";

class GoalElement extends HTMLElement {
  #isRunning = false;
  #steps = [];

  connectedCallback() {
    this.input = make("input", { id: "goal", type: "text", word: "goal_hint", autocomplete: "off", "aria-describedby": "goal-told" });
    this.begin = button("play", { class: "primary", type: "submit" }, "goal_start");
    this.stop = button("stop", { class: "plain stop", type: "button", onclick: () => connection.try("stop") }, "stop");
    this.told = make("p", { class: "told", id: "goal-told", role: "status" });
    const form = make("form", { onsubmit: (event) => this.#start(event) }, make("label", { for: "goal", word: "goal_label" }), this.input, make("div", { class: "line" }, this.begin, this.stop), this.told);
    this.list = make("ol", { class: "goal-steps" });
    this.insert = make("button", { type: "button", class: "plain", onclick: () => this.#insert() });
    this.replaceChildren(form, make("div", { class: "scrolls", tabindex: 0, role: "region", named: "goal_steps" }, this.list), make("div", { class: "tools" }, this.insert));
    connection.addEventListener("goal", ({ detail }) => this.#hear(detail));
    connection.addEventListener("state", () => connection.isOpen || this.#tell(false));
    studio.on("language", () => this.#tell(this.#isRunning));
    this.#tell(false);
  }

  async #start(event) {
    event.preventDefault();
    const goal = this.input.value.trim();
    if (!goal || this.#isRunning) {
      return;
    }
    this.#began();
    const answer = await connection.try("goal", { device: studio.device, goal }, ({ message }) => this.#ended("errored", message));
    if (answer) {
      this.#ended(answer.outcome, answer.message);
    }
  }

  #hear(said) {
    if (said.state === "step") {
      this.#step(said);
    } else if (said.state === "ended") {
      this.#ended(said.outcome, said.message);
    } else if (!this.#isRunning) {
      this.#began();
    }
  }

  #began() {
    this.#steps = [];
    this.list.replaceChildren();
    this.#say(word("running"), false);
    this.#tell(true);
  }

  #ended(outcome, message) {
    this.#say([outcome === "errored" ? "" : word(outcome ?? "stopped"), message].filter(Boolean).join(": "), isBad({ outcome }));
    this.#tell(false);
  }

  #step({ n, text, outcome, message }) {
    let step = this.#steps.find((one) => one.n === n);
    if (!step) {
      const box = make("input", { type: "checkbox", checked: true, onchange: () => this.#tell(this.#isRunning) });
      step = { n, box, mark: make("span"), name: make("span", { class: "name" }), more: make("span", { class: "more" }) };
      step.row = make("li", {}, make("label", {}, box, step.mark, step.name), step.more);
      this.#steps.push(step);
      this.list.append(step.row);
    }
    step.text = text || step.text || "";
    clip(step.name, called(step));
    clip(step.more, message ?? "");
    step.mark.replaceChildren(sign(outcome ?? "running"));
    step.box.checked &&= !isBad({ outcome });
    step.row.scrollIntoView({ block: "nearest" });
    this.#tell(true);
  }

  get #kept() {
    return this.#steps.filter(({ box, text }) => box.checked && text);
  }

  /** Writes what is kept of the steps; they are done already. */
  #insert() {
    watch.pass();
    studio.tell("insert", this.#kept.map(({ text }) => text.trimEnd()).join("\n"));
  }

  #say(text, isWrong) {
    say(this.told, text.slice(0, 2000));
    set(this.told, "data-wrong", isWrong);
    set(this.input, "aria-invalid", isWrong ? "true" : null);
  }

  #tell(isRunning) {
    this.#isRunning = isRunning;
    set(this.begin, "disabled", isRunning);
    set(this.stop, "disabled", !isRunning);
    set(this.insert, "disabled", isRunning || !this.#kept.length);
    say(this.insert, word("goal_insert", this.#kept.length));
    set(this.insert.parentElement, "hidden", !this.#steps.length);
  }
}

customElements.define("studio-goal", GoalElement);
