// The runs that were kept: the newest first; one that is opened shows its cases, and a case its steps below.

import { connection } from "./connection.js";
import { button, clip, make, set, sign, took } from "./dom.js";
import { mendButton } from "./mend.js";
import { Rows } from "./rows.js";
import { isBad, run } from "./run.js";
import { studio } from "./studio.js";
import { language, word } from "./words.js";

const ROW = 44;

class ResultsElement extends HTMLElement {
  #runs = [];
  /** The run that is opened, or null. */
  #opened = null;

  connectedCallback() {
    this.back = button("back", { class: "plain", onclick: () => this.#close() }, "back_to_results");
    this.reload = button("reload", { class: "quiet", named: "load_anew", hint: "load_anew", onclick: () => this.load() });
    this.about = make("p", { class: "about" });
    this.mend = make("span");
    this.none = make("p", { class: "none", word: "results_none" });
    this.list = make("div", { class: "rows results", role: "listbox", named: "results" });
    this.replaceChildren(make("div", { class: "tools" }, make("div", { class: "line" }, this.back, this.about, make("span", { class: "space" }), this.mend, this.reload)), this.none, this.list);
    const open = (row) => (this.#opened ? run.show(this.#opened.folder, row) : this.#open(row));
    this.rows = new Rows(this.list, {
      size: ROW,
      build: (row) => this.#row(row),
      choose: (row, _, event) => (event || this.#opened) && open(row),
      key: ({ key }, row) => key === "Enter" && Boolean(row) && (open(row), true),
    });
    studio.on("language", () => this.draw());
    run.addEventListener("state", () => run.isRunning || this.load());
    new ResizeObserver(() => this.draw()).observe(this);
  }

  async load() {
    if (!connection.isOpen || this.offsetParent === null) {
      return;
    }
    this.#runs = (await connection.try("results"))?.runs ?? this.#runs;
    this.draw();
  }

  async #open({ folder }) {
    const opened = await connection.try("result", { folder });
    if (opened) {
      this.#opened = opened;
      this.list.scrollTop = 0;
      const worst = opened.cases.findIndex(isBad);
      this.mend.replaceChildren(...(worst < 0 ? [] : [mendButton(folder)]));
      this.draw();
      this.rows.choose(Math.max(worst, 0));
    }
  }

  #close() {
    this.#opened = null;
    this.draw();
    this.list.focus();
  }

  draw() {
    if (this.offsetParent === null) {
      return;
    }
    const rows = this.#opened ? this.#opened.cases : this.#runs;
    set(this.back, "hidden", !this.#opened);
    set(this.reload, "hidden", Boolean(this.#opened));
    set(this.mend, "hidden", !this.#opened);
    clip(this.about, this.#opened ? moment(this.#opened.started) : "");
    set(this.none, "hidden", rows.length > 0);
    set(this.list, "hidden", rows.length === 0);
    this.rows.show(rows, rows.indexOf(this.rows.rows[this.rows.chosen]));
  }

  #row(row) {
    const isCase = Boolean(this.#opened);
    const name = make("span", { class: "name" });
    clip(name, isCase ? row.name : moment(row.started));
    const more = make("span", { class: "more" });
    clip(more, isCase ? row.file : word("of_cases", row.cases, row.failed));
    return make("div", { class: "row", role: "option" }, sign(row.outcome), make("span", { class: "two" }, name, more), make("span", { class: "time" }, isCase ? took(row.ms) : ""));
  }
}

/** A moment as people of the language write it. */
function moment(told) {
  const when = new Date(told);
  return Number.isNaN(when.getTime()) ? String(told ?? "") : when.toLocaleString(language() === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
}

customElements.define("studio-results", ResultsElement);
