// A list of which only the rows in sight are drawn; one row is chosen, by arrow keys or the pointer. The list has the focus, never a row.

import { set, unique } from "./dom.js";

const MORE = 6;

export class Rows {
  rows = [];
  chosen = -1;
  #list;
  #size;
  #build;
  #choose;
  #key;
  #across;
  #isDrawing = false;
  #id = unique("row");

  /**
   * `list` is the element that scrolls. `size` is the height of a row in pixels (or the width, where it goes `across`), `build` makes
   * the element of a row, `choose(row, at, event)` is called where the user chose one, `key(event, row)` takes a key before the list does.
   */
  constructor(list, { size, build, choose, key = () => false, across = false }) {
    this.#list = list;
    this.#size = size;
    this.#build = build;
    this.#choose = choose;
    this.#key = key;
    this.#across = across;
    this.sheet = document.createElement("div");
    this.sheet.className = "sheet";
    set(this.sheet, "role", "presentation");
    list.replaceChildren(this.sheet);
    set(list, "tabindex", 0);
    list.addEventListener("scroll", () => this.draw(), { passive: true });
    list.addEventListener("keydown", (event) => this.#down(event));
    list.addEventListener("click", (event) => this.#click(event));
    new ResizeObserver(() => this.draw()).observe(list);
  }

  /** Shows other rows. */
  show(rows, chosen = -1) {
    this.rows = rows;
    this.chosen = chosen;
    this.sheet.style[this.#across ? "width" : "height"] = `${rows.length * this.#size}px`;
    this.draw();
  }

  draw() {
    if (!this.#isDrawing) {
      this.#isDrawing = true;
      requestAnimationFrame(() => this.#draw());
    }
  }

  get #room() {
    return this.#across ? this.#list.clientWidth : this.#list.clientHeight;
  }

  get #scrolled() {
    return this.#across ? this.#list.scrollLeft : this.#list.scrollTop;
  }

  #draw() {
    this.#isDrawing = false;
    const first = Math.max(0, Math.floor(this.#scrolled / this.#size) - MORE);
    const last = Math.min(this.rows.length, Math.ceil((this.#scrolled + this.#room) / this.#size) + MORE);
    const kept = new Map([...this.sheet.children].map((row) => [row.data, row]));
    const drawn = [];
    for (let at = first; at < last; at += 1) {
      const known = kept.get(this.rows[at]);
      const row = known ?? this.#build(this.rows[at], at);
      row.data = this.rows[at];
      row.at = at;
      row.id = `${this.#id}-${at}`;
      row.style[this.#across ? "left" : "top"] = `${at * this.#size}px`;
      set(row, "aria-selected", String(at === this.chosen));
      set(row, "aria-posinset", at + 1);
      set(row, "aria-setsize", this.rows.length);
      drawn.push(row);
    }
    // What stays in place keeps its picture and its listeners.
    const wanted = new Set(drawn);
    [...this.sheet.children].filter((row) => !wanted.has(row)).forEach((row) => row.remove());
    drawn.forEach((row, place) => this.sheet.children[place] === row || this.sheet.insertBefore(row, this.sheet.children[place] ?? null));
    set(this.#list, "aria-activedescendant", this.chosen >= first && this.chosen < last ? `${this.#id}-${this.chosen}` : null);
  }

  /** Chooses a row and scrolls to it. */
  choose(at, isTold = true) {
    if (at < 0 || at >= this.rows.length) {
      return;
    }
    this.chosen = at;
    const begin = at * this.#size;
    const end = begin + this.#size - this.#room;
    const scrolled = Math.min(begin, Math.max(this.#scrolled, end));
    if (scrolled !== this.#scrolled) {
      this.#list[this.#across ? "scrollLeft" : "scrollTop"] = scrolled;
    }
    this.#draw();
    if (isTold) {
      this.#choose(this.rows[at], at, null);
    }
  }

  #down(event) {
    if (event.target !== this.#list || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (this.#key(event, this.rows[this.chosen])) {
      event.preventDefault();
      return;
    }
    const page = Math.max(1, Math.floor(this.#room / this.#size) - 1);
    const moves = { PageDown: page, PageUp: -page, [this.#across ? "ArrowRight" : "ArrowDown"]: 1, [this.#across ? "ArrowLeft" : "ArrowUp"]: -1 };
    const last = this.rows.length - 1;
    const next = event.key === "Home" ? 0 : event.key === "End" ? last : moves[event.key] ? this.chosen + moves[event.key] : null;
    if (next !== null && last >= 0) {
      event.preventDefault();
      this.choose(Math.max(0, Math.min(next, last)));
    }
  }

  #click(event) {
    const row = event.target.closest("[aria-posinset]");
    if (row && !event.target.closest("input, button")) {
      this.chosen = row.at;
      this.#draw();
      this.#choose(row.data, row.at, event);
    }
  }
}
