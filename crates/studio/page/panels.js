// The panels beside the device: the element, the tree, the step of a run, the log, goals; one is shown.

import "./element.js";
import "./goal.js";
import "./log.js";
import { run } from "./run.js";
import "./step.js";
import { studio } from "./studio.js";
import { Tabbed } from "./tabbed.js";
import "./tree.js";

class PanelsElement extends Tabbed {
  connectedCallback() {
    this.build("panels", ["element", "tree", "step", "log", "goal"]);
    studio.on("mode", () => studio.mode === "point" && this.shown === "step" && this.show("element"));
    studio.on("pinned", () => this.shown !== "tree" && studio.pinned >= 0 && this.show("element"));
    studio.on("try", () => this.show("element"));
    run.addEventListener("chosen", () => run.step && this.show("step"));
  }

  show(name) {
    super.show(name);
    studio.panel = name;
    studio.tell("panel");
  }
}

customElements.define("studio-panels", PanelsElement);
