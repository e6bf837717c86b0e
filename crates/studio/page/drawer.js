// The drawer at the left: the testcases, or the results.

import "./cases.js";
import { make, set } from "./dom.js";
import "./results.js";

const NAMES = ["cases", "results"];

class DrawerElement extends HTMLElement {
  connectedCallback() {
    this.tabs = NAMES.map((name) => this.#tab(name));
    this.panels = NAMES.map((name) => make(`studio-${name}`, { id: `panel-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}` }));
    this.replaceChildren(make("div", { class: "pane-head panel-tabs", role: "tablist", named: "fold_cases" }, ...this.tabs), ...this.panels);
    this.show("cases");
  }

  #tab(name) {
    const tab = make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, word: name, onclick: () => this.show(name) });
    tab.onkeydown = ({ key }) => {
      if (key === "ArrowRight" || key === "ArrowLeft") {
        this.show(NAMES.find((other) => other !== name));
        this.first.focus();
      }
    };
    return tab;
  }

  show(name) {
    this.shown = name;
    for (const [at, other] of NAMES.entries()) {
      set(this.tabs[at], "aria-selected", String(other === name));
      set(this.tabs[at], "tabindex", other === name ? 0 : -1);
      set(this.panels[at], "hidden", other !== name);
    }
    if (name === "results") {
      this.panels[1].load();
    }
  }

  get first() {
    return this.tabs[NAMES.indexOf(this.shown)];
  }
}

customElements.define("studio-drawer", DrawerElement);
