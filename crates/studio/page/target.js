// A target to try: as it is typed, what it matches lights up on the device, numbered.

import { connection } from "./connection.js";
import { clip, isOther, make, say, set } from "./dom.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

/** Milliseconds after the last key. */
const PAUSE = 300;
const MOST = 50;

class TargetElement extends HTMLElement {
  #timer = null;
  #asked = 0;

  connectedCallback() {
    this.input = make("input", { type: "text", id: "try-target", word: "try_target_hint", autocomplete: "off", spellcheck: "false", class: "code" });
    this.message = make("p", { class: "told", role: "status" });
    this.list = make("ol", { class: "matches" });
    this.replaceChildren(make("label", { for: "try-target", word: "try_target" }), this.input, this.message, this.list);
    this.input.oninput = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.ask(), PAUSE);
    };
    this.input.onkeydown = (event) => {
      if (event.isComposing) {
        return;
      }
      if (event.key === "Enter") {
        this.ask();
      } else if (event.key === "Escape" && this.input.value) {
        event.stopPropagation();
        this.input.value = "";
        this.ask();
      }
    };
    studio.on("try", (text) => {
      this.input.value = text;
      this.ask();
    });
    studio.on("elements", () => this.input.value && this.ask());
    studio.on("language", () => this.input.value && this.ask());
  }

  async ask() {
    clearTimeout(this.#timer);
    this.#asked += 1;
    const asked = this.#asked;
    const target = this.input.value.trim();
    if (!target) {
      this.#show([], "", false);
      return;
    }
    try {
      const { matches, message } = await connection.ask("try", { device: studio.device, target });
      if (asked === this.#asked) {
        const count = matches.length === 0 ? word("no_match") : matches.length === 1 ? word("match") : word("matches", matches.length);
        this.#show(matches, [count, message].filter(Boolean).join("\n"), false);
      }
    } catch (error) {
      if (asked === this.#asked) {
        this.#show([], error.message, true);
      }
    }
  }

  #show(matches, message, isWrong) {
    say(this.message, message.slice(0, 4000));
    set(this.message, "data-wrong", isWrong);
    studio.match(matches.slice(0, MOST));
    if (!isOther(this.list, matches)) {
      return;
    }
    this.list.replaceChildren(...matches.slice(0, MOST).map((match) => this.#match(match)));
  }

  #match({ n, role, name, seen, why }) {
    const made = make("button", { type: "button", onclick: () => studio.pin(n) });
    clip(made, `${role} ${name}${seen ? "" : ` (${why})`}`);
    set(made, "data-unseen", !seen);
    return make("li", {}, made);
  }
}

customElements.define("studio-target", TargetElement);
