// What the device and its apps say, the newest last.

import { clip, make, set } from "./dom.js";
import { Rows } from "./rows.js";
import { studio } from "./studio.js";

const ROW = 22;

class LogElement extends HTMLElement {
  connectedCallback() {
    this.none = make("p", { class: "none", word: "log_none" });
    this.list = make("div", { class: "rows log", role: "listbox", named: "log" });
    this.replaceChildren(this.none, this.list);
    this.rows = new Rows(this.list, { size: ROW, build: (line) => row(line), choose: () => {} });
    studio.on("log", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this);
    this.draw();
  }

  /** Shows what was said; goes along where the end was in sight. */
  draw() {
    if (this.offsetParent === null) {
      return;
    }
    set(this.none, "hidden", studio.log.length > 0);
    set(this.list, "hidden", studio.log.length === 0);
    const isAtEnd = this.list.scrollTop + this.list.clientHeight > this.list.scrollHeight - 2 * ROW;
    this.rows.show(studio.log, this.rows.chosen);
    if (isAtEnd) {
      this.list.scrollTop = this.list.scrollHeight;
    }
  }
}

function row({ at, level, text }) {
  const said = make("span", { class: "name" });
  clip(said, String(text));
  return make("div", { class: "row", role: "option", "data-level": level }, make("span", { class: "at" }, clock(at)), said);
}

/** The time of day of a moment; other times as they are told. */
function clock(at) {
  const when = typeof at === "string" && at.includes("T") ? new Date(at) : null;
  return when && !Number.isNaN(when.getTime()) ? when.toTimeString().slice(0, 8) : String(at ?? "");
}

customElements.define("studio-log", LogElement);
