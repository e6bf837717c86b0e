// The elements of the screen as a tree: searched, folded, walked by arrow keys; linked with what is outlined on the device.

import { clip, make, set } from "./dom.js";
import { centerOf } from "./pointing.js";
import { Rows } from "./rows.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

const ROW = 26;

class TreeElement extends HTMLElement {
  /** The elements whose children are folded away, by what they are: their numbers change. */
  #folded = new Set();
  #query = "";
  #onlySeen = false;

  connectedCallback() {
    this.search = make("input", { type: "search", word: "search_tree", named: "search_tree", autocomplete: "off", spellcheck: "false" });
    this.seen = make("input", { type: "checkbox", id: "only-seen" });
    this.none = make("p", { class: "none", word: "tree_none" });
    this.list = make("div", { class: "rows tree", role: "tree", named: "tree" });
    const only = make("div", { class: "only" }, this.seen, make("label", { for: "only-seen", word: "only_seen" }));
    this.replaceChildren(make("div", { class: "tools" }, this.search, only), this.none, this.list);
    this.rows = new Rows(this.list, { size: ROW, build: (row) => this.#row(row), choose: (row) => studio.pin(row.element.n), key: (event, row) => this.#key(event, row) });
    this.search.oninput = () => {
      this.#query = this.search.value.trim().toLowerCase();
      this.draw();
    };
    this.seen.onchange = () => {
      this.#onlySeen = this.seen.checked;
      this.draw();
    };
    this.list.onpointermove = ({ target }) => studio.hover(target.closest("[aria-posinset]")?.data.element.n ?? -1);
    this.list.onpointerleave = () => studio.hover(-1);
    studio.on("screen", () => this.draw());
    studio.on("pinned", () => this.#pinned());
    new ResizeObserver(() => this.draw()).observe(this);
    this.draw();
  }

  /** Shows the tree where it is in sight: a screen that changes costs nothing otherwise. */
  draw() {
    if (this.offsetParent === null) {
      return;
    }
    const elements = studio.screen?.elements ?? [];
    const rows = this.#rows(elements);
    set(this.none, "hidden", elements.length > 0);
    set(this.list, "hidden", elements.length === 0);
    this.rows.show(rows, rows.findIndex(({ element }) => element.n === studio.pinned));
  }

  #rows(elements) {
    const depths = new Map([[-1, -1]]);
    const parents = new Set(elements.map(({ parent }) => parent));
    const hidden = new Set();
    const wanted = this.#wanted(elements);
    const rows = [];
    for (const element of elements) {
      const { n, parent } = element;
      const depth = (depths.get(parent) ?? -1) + 1;
      depths.set(n, depth);
      const isFolded = !this.#query && this.#folded.has(keyOf(element));
      if (hidden.has(parent)) {
        hidden.add(n);
        continue;
      }
      if (isFolded) {
        hidden.add(n);
      }
      if (!wanted || wanted.has(n)) {
        rows.push({ element, depth, isParent: parents.has(n), isFolded });
      }
    }
    return rows;
  }

  /** The elements that the search is for, with those that hold them; null for all. */
  #wanted(elements) {
    if (!this.#query && !this.#onlySeen) {
      return null;
    }
    const byNumber = new Map(elements.map((element) => [element.n, element]));
    const wanted = new Set();
    for (const element of elements) {
      const words = [element.role, element.name, element.text, element.label, element.hint, element.id, element.test_id].join(" ").toLowerCase();
      if (words.includes(this.#query) && (!this.#onlySeen || element.seen)) {
        for (let one = element; one && !wanted.has(one.n); one = byNumber.get(one.parent)) {
          wanted.add(one.n);
        }
      }
    }
    return wanted;
  }

  #row({ element, depth, isParent, isFolded }) {
    const name = make("span", { class: "name" });
    clip(name, element.name || element.text || element.id || "");
    const fold = make("span", { class: "fold", "aria-hidden": "true" }, isParent ? (isFolded ? "▸" : "▾") : "");
    fold.onclick = (event) => {
      event.stopPropagation();
      this.#fold(element, !isFolded);
    };
    const why = element.seen ? null : word("unseen", element.why).slice(0, 300);
    const state = { "aria-level": depth + 1, "aria-expanded": isParent ? String(!isFolded) : null, "data-unseen": !element.seen };
    const row = make("div", { class: "row", role: "treeitem", ...state, title: why });
    row.style.paddingLeft = `${8 + Math.min(depth, 24) * 14}px`;
    row.append(fold, make("span", { class: "role" }, element.role), name);
    return row;
  }

  #fold(element, isFolded) {
    const key = keyOf(element);
    isFolded ? this.#folded.add(key) : this.#folded.delete(key);
    this.draw();
  }

  #key({ key }, row) {
    if (!row) {
      return false;
    }
    const { rows } = this.rows;
    const at = rows.indexOf(row);
    if (key === "Enter") {
      studio.act({ tap: centerOf(row.element) });
    } else if (key === "ArrowRight" && row.isParent) {
      row.isFolded ? this.#fold(row.element, false) : this.rows.choose(at + 1);
    } else if (key === "ArrowLeft" && row.isParent && !row.isFolded) {
      this.#fold(row.element, true);
    } else if (key === "ArrowLeft") {
      this.rows.choose(rows.findLastIndex((other, place) => place < at && other.depth < row.depth));
    } else if (key !== "ArrowRight") {
      return false;
    }
    return true;
  }

  #pinned() {
    const at = this.rows.rows.findIndex(({ element }) => element.n === studio.pinned);
    if (this.offsetParent !== null && at >= 0 && at !== this.rows.chosen) {
      this.rows.choose(at, false);
    }
  }
}

function keyOf(element) {
  return `${element.n} ${element.role} ${element.id}`;
}

customElements.define("studio-tree", TreeElement);
