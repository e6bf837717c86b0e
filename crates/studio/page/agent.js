// An agent that works on the same devices: what it does on the one that is shown, and who has it, the agent or the person.

import { clip, make, say, set, sign, took } from "./dom.js";
import { called, studio } from "./studio.js";
import { word } from "./words.js";

class AgentElement extends HTMLElement {
  connectedCallback() {
    this.mark = make("span");
    this.call = make("span", { class: "call" });
    this.owner = make("span", { class: "seen-not", role: "status" });
    this.take = make("button", { type: "button", class: "plain", hint: "take_hint", onclick: () => studio.take() });
    this.replaceChildren(this.mark, this.call, this.owner, this.take);
    set(this, "role", "group");
    ["agent", "hello", "device", "language"].forEach((name) => studio.on(name, () => this.draw()));
    this.draw();
  }

  draw() {
    set(this, "hidden", !studio.hasAgent);
    if (!studio.hasAgent) {
      return;
    }
    const call = studio.calls.get(studio.device);
    set(this, "aria-label", word("agent"));
    set(this, "data-taken", studio.taken);
    this.mark.replaceChildren(sign(call?.outcome ?? (call && call.state !== "ended" ? "running" : "")));
    const waits = call?.state === "waiting" ? word("agent_waits") : "";
    clip(this.call, [word("agent"), waits, call ? called(call) : word("agent_rests"), took(call?.ms)].filter(Boolean).join(" · "));
    say(this.owner, word(studio.taken ? "taken" : "not_taken"));
    say(this.take, word(studio.taken ? "give_back" : "take_over"));
  }
}

customElements.define("studio-agent", AgentElement);
