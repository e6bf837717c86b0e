// The panels beside the device: the element, the tree, the step of a run, the log; one is shown.

import "./element.js";
import { make, set } from "./dom.js";
import "./log.js";
import { run } from "./run.js";
import "./step.js";
import { studio } from "./studio.js";
import "./tree.js";

const NAMES = ["element", "tree", "step", "log"];

class PanelsElement extends HTMLElement {
  connectedCallback() {
    this.tabs = NAMES.map((name) => this.#tab(name));
    this.panels = NAMES.map((name) => make(`studio-${name}`, { id: `panel-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}` }));
    this.replaceChildren(make("div", { class: "pane-head panel-tabs", role: "tablist", named: "panels" }, ...this.tabs), ...this.panels);
    studio.on("mode", () => studio.mode === "point" && this.shown === "step" && this.show("element"));
    studio.on("pinned", () => this.shown !== "tree" && studio.pinned >= 0 && this.show("element"));
    studio.on("try", () => this.show("element"));
    run.addEventListener("chosen", () => run.step && this.show("step"));
    this.show("element");
  }

  #tab(name) {
    const tab = make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, word: name, onclick: () => this.show(name) });
    tab.onkeydown = ({ key }) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (by) {
        const next = NAMES[(NAMES.indexOf(name) + by + NAMES.length) % NAMES.length];
        this.show(next);
        this.querySelector(`#tab-${next}`).focus();
      }
    };
    return tab;
  }

  show(name) {
    this.shown = name;
    studio.panel = name;
    studio.tell("panel");
    for (const [at, other] of NAMES.entries()) {
      set(this.tabs[at], "aria-selected", String(other === name));
      set(this.tabs[at], "tabindex", other === name ? 0 : -1);
      set(this.panels[at], "hidden", other !== name);
    }
  }

  /** What takes the focus when one comes to the panels by keys. */
  get first() {
    return this.tabs[NAMES.indexOf(this.shown)];
  }
}

customElements.define("studio-panels", PanelsElement);
