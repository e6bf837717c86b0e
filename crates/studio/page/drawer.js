// The drawer at the left: the testcases, or the results.

import "./cases.js";
import "./results.js";
import { Tabbed } from "./tabbed.js";

class DrawerElement extends Tabbed {
  connectedCallback() {
    this.build("fold_cases", ["cases", "results"]);
  }

  show(name) {
    super.show(name);
    if (name === "results") {
      this.panels[1].load();
    }
  }
}

customElements.define("studio-drawer", DrawerElement);
