// The list of instances.

import { connection } from "./connection.js";
import { keep, make, say, set } from "./dom.js";

class ListElement extends HTMLElement {
  connectedCallback() {
    this.rows = make("ul", { class: "instances" });
    this.empty = make("p", { class: "missing" }, "Loading…");
    this.replaceChildren(make("h1", {}, "UI instances"), this.empty, this.rows);
    document.title = "UI instances";
    this.document = connection.openList();
    this.redraw = () => this.draw();
    this.document.addEventListener("change", this.redraw);
    this.draw();
  }

  disconnectedCallback() {
    this.document.removeEventListener("change", this.redraw);
  }

  draw() {
    const rows = this.document.view?.instances;
    set(this.empty, "hidden", Boolean(rows?.length));
    say(this.empty, rows ? "There are none yet. An agent or a testcase makes one with patch_ui_state." : "Loading…");
    keep(this.rows, (rows ?? []).map((row) => [row.id, row]), () => line());
  }
}

function line() {
  const title = make("a");
  const facts = make("p", { class: "description" });
  const active = make("span", { class: "badge" }, "active");
  const element = make("li", {}, make("div", { class: "line" }, title, active), facts);
  element.update = (row) => {
    set(title, "href", `/ui/i/${encodeURIComponent(row.id)}`);
    say(title, row.title);
    say(facts, `${row.id} · version ${row.version} · ${row.fields} fields · ${row.actions} buttons`);
    set(active, "hidden", !row.active);
  };
  return element;
}

customElements.define("ui-list", ListElement);
