// The project's testcases as a tree of folders: filtered by words and tags, opened, chosen and run.

import { ask } from "./ask.js";
import { connection } from "./connection.js";
import { button, clip, make, notice, say, set, sign, took } from "./dom.js";
import { file } from "./file.js";
import { Rows } from "./rows.js";
import { run } from "./run.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

const ROW = 28;

class CasesElement extends HTMLElement {
  #cases = [];
  #chosen = new Set();
  #folded = new Set();
  /** The files of the cases that run, by the names of the cases. */
  #running = new Map();

  connectedCallback() {
    this.filter = make("input", { type: "search", word: "filter", named: "filter", autocomplete: "off", spellcheck: "false" });
    this.all = button("play", { class: "plain", onclick: () => this.#run() });
    this.label = make("span");
    this.all.append(this.label);
    const add = button("plus", { class: "plain", named: "new_case", hint: "new_case", onclick: () => this.#create() });
    this.none = make("p", { class: "none" });
    this.list = make("div", { class: "rows cases", role: "tree", named: "cases", "aria-multiselectable": "true" });
    this.replaceChildren(make("div", { class: "tools" }, this.filter, make("div", { class: "line" }, this.all, make("span", { class: "space" }), add)), this.none, this.list);
    this.rows = new Rows(this.list, { size: ROW, build: (row) => this.#row(row), choose: (row, _, event) => event && this.#open(row), key: (event, row) => this.#key(event, row) });
    this.filter.oninput = () => this.draw();
    studio.on("hello", () => this.load());
    studio.on("language", () => this.draw());
    file.addEventListener("opened", () => this.#opened());
    run.addEventListener("state", () => (run.isRunning ? this.draw() : this.load()));
    connection.addEventListener("case_started", ({ detail }) => this.#running.set(detail.case, detail.file));
    connection.addEventListener("case", ({ detail }) => this.#ended(detail));
    connection.addEventListener("file_changed", ({ detail }) => this.#cases.some(({ path }) => path === detail.path) || this.load());
    // What was done to the files elsewhere is seen once somebody comes back.
    addEventListener("focus", () => this.load());
    new ResizeObserver(() => this.draw()).observe(this);
    this.draw();
  }

  async load() {
    if (!connection.isOpen) {
      return;
    }
    try {
      const { cases } = await connection.ask("cases");
      const known = new Map(this.#cases.map((one) => [one.path, one]));
      // What ended here is known, even where the history is not kept.
      this.#cases = cases.map((one) => ({ ...one, outcome: one.outcome ?? known.get(one.path)?.outcome ?? null, ms: one.ms ?? known.get(one.path)?.ms ?? null }));
      this.draw();
    } catch (error) {
      if (error.kind !== "Lost") {
        notice(error.message);
      }
    }
  }

  /** A file was opened that the list does not have: it is new. */
  #opened() {
    if (this.#cases.length && !this.#cases.some(({ path }) => path === file.path)) {
      this.load();
    } else {
      this.draw();
    }
  }

  #ended({ case: id, file: told, outcome, ms }) {
    const path = told ?? this.#running.get(id);
    this.#cases = this.#cases.map((one) => (one.path === path ? { ...one, outcome, ms } : one));
    this.draw();
  }

  /** The testcases that have all words and #tags of the filter. */
  get shown() {
    const wanted = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isTagged = ({ tags }, begin) => (tags ?? []).some((tag) => tag.toLowerCase().startsWith(begin));
    const isCalled = ({ path, name }, part) => `${path} ${name ?? ""}`.toLowerCase().includes(part);
    const has = (one, part) => (part.startsWith("#") ? isTagged(one, part.slice(1)) : isCalled(one, part));
    return this.#cases.filter((one) => wanted.every((part) => has(one, part)));
  }

  draw() {
    const { shown } = this;
    const chosen = this.#cases.filter(({ path }) => this.#chosen.has(path));
    const isFiltered = this.filter.value.trim() !== "";
    say(this.label, chosen.length ? word("run_chosen", chosen.length) : isFiltered ? word("run_shown", shown.length) : word("run_all"));
    set(this.all, "disabled", run.isRunning || !(chosen.length || shown.length));
    set(this.none, "hidden", shown.length > 0);
    say(this.none, word(this.#cases.length ? "cases_filtered" : "cases_none"));
    set(this.list, "hidden", shown.length === 0);
    const rows = folders(shown, isFiltered ? new Set() : this.#folded);
    const kept = this.rows.rows[this.rows.chosen]?.key;
    this.rows.show(rows, rows.findIndex(({ key }) => key === kept));
  }

  #row({ key, label, depth, one, isFolded }) {
    const name = make("span", { class: "name" });
    clip(name, label);
    const row = make("div", { class: one ? "row case" : "row folder", role: "treeitem", "aria-level": depth + 1 });
    row.style.paddingLeft = `${6 + Math.min(depth, 12) * 14}px`;
    if (!one) {
      set(row, "aria-expanded", String(!isFolded));
      row.append(make("span", { class: "fold", "aria-hidden": "true" }, isFolded ? "▸" : "▾"), name);
      return row;
    }
    set(row, "data-open", one.path === file.path);
    set(row, "aria-checked", String(this.#chosen.has(key)));
    const box = make("span", { class: "box", "aria-hidden": "true", title: word("choose", label).slice(0, 300) }, this.#chosen.has(key) ? "☑" : "☐");
    box.onclick = (event) => {
      event.stopPropagation();
      this.#choose(key);
    };
    const tags = (one.tags ?? []).map((tag) => `#${tag}`).join(" ");
    name.title = [one.name, one.path, tags].filter(Boolean).join("\n").slice(0, 1000);
    row.append(box, sign(one.flaky && one.outcome === "passed" ? "flaky" : one.outcome), name, make("span", { class: "time" }, took(one.ms)));
    return row;
  }

  #key({ key }, row) {
    if (!row || ![" ", "Enter", "ArrowLeft", "ArrowRight"].includes(key)) {
      return false;
    }
    if (key === "Enter") {
      this.#open(row);
    } else if (key === " " && row.one) {
      this.#choose(row.key);
    } else if (!row.one && (key === "ArrowLeft") !== row.isFolded) {
      this.#open(row);
    }
    return true;
  }

  #choose(path) {
    this.#chosen.delete(path) || this.#chosen.add(path);
    this.draw();
  }

  #open({ key, one }) {
    if (one) {
      file.open(one.path);
    } else {
      this.#folded.delete(key) || this.#folded.add(key);
      this.draw();
    }
  }

  async #run() {
    const chosen = this.#cases.map(({ path }) => path).filter((path) => this.#chosen.has(path));
    const paths = chosen.length ? chosen : this.shown.map(({ path }) => path);
    if (!paths.includes(file.path) || (await file.settle(file.path))) {
      await connection.try("run_cases", { device: studio.device, paths });
    }
  }

  async #create() {
    const asked = await ask(word("new_case_path"), `${file.path?.includes("/") ? file.path.replace(/[^/]*$/, "") : studio.folder}new.yaml`, "create");
    const path = asked && (/\.ya?ml$/.test(asked) ? asked : `${asked}.yaml`);
    if (path && (await file.create(path))) {
      await this.load();
    }
  }
}

function byName([one], [other]) {
  return one.localeCompare(other, undefined, { numeric: true });
}

/** Returns the rows of a tree of folders: folders first, then files, each by name. */
function folders(cases, folded) {
  const root = { folders: new Map(), cases: [] };
  for (const one of cases) {
    const parts = one.path.split("/");
    let at = root;
    for (const part of parts.slice(0, -1)) {
      if (!at.folders.has(part)) {
        at.folders.set(part, { folders: new Map(), cases: [] });
      }
      at = at.folders.get(part);
    }
    at.cases.push([parts.at(-1), one]);
  }
  const rows = [];
  const add = (folder, path, depth) => {
    for (const [name, inner] of [...folder.folders].sort(byName)) {
      const key = `${path}${name}/`;
      const isFolded = folded.has(key);
      rows.push({ key, label: name, depth, isFolded });
      if (!isFolded) {
        add(inner, key, depth + 1);
      }
    }
    for (const [name, one] of folder.cases.sort(byName)) {
      rows.push({ key: one.path, label: name, depth, one });
    }
  };
  add(root, "", 0);
  return rows;
}

customElements.define("studio-cases", CasesElement);
