// Panels of which one is shown, chosen by tabs.

import { make, set } from "./dom.js";

export class Tabbed extends HTMLElement {
  /** Makes a tab and a panel of each name: `element` is shown by `studio-element`. */
  build(named, names) {
    this.names = names;
    this.tabs = names.map((name) => this.#tab(name));
    this.panels = names.map((name) => make(`studio-${name}`, { id: `panel-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}` }));
    this.replaceChildren(make("div", { class: "pane-head panel-tabs", role: "tablist", named }, ...this.tabs), ...this.panels);
    this.show(names[0]);
  }

  #tab(name) {
    const tab = make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, word: name, onclick: () => this.show(name) });
    tab.onkeydown = ({ key }) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (by) {
        this.show(this.names.at((this.names.indexOf(name) + by) % this.names.length));
        this.first.focus();
      }
    };
    return tab;
  }

  show(name) {
    this.shown = name;
    for (const [at, other] of this.names.entries()) {
      set(this.tabs[at], "aria-selected", String(other === name));
      set(this.tabs[at], "tabindex", other === name ? 0 : -1);
      set(this.panels[at], "hidden", other !== name);
    }
  }

  /** What takes the focus when one comes here by keys. */
  get first() {
    return this.tabs[this.names.indexOf(this.shown)];
  }
}
