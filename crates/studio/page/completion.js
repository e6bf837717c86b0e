// The list of what can stand at the caret: asked of the server, chosen by arrow keys, Enter or Tab, or the pointer.

import { connection } from "./connection.js";
import { clip, make, set, unique } from "./dom.js";
import { file } from "./file.js";
import { LINE } from "./lines.js";

/** Milliseconds after a key until the list is asked for by itself. */
const PAUSE = 120;
/** After these, something can stand. */
const OPENS = /(^\s*(- )*|[{,] |- |: )$/;
const WORD = /[\p{L}\p{N}_$.-]$/u;
const MOST = 200;

export class Completion {
  #editor;
  #timer = null;
  #asked = 0;
  #items = [];
  #at = 0;
  #from = 0;
  #line = 0;
  #id = unique("completion");

  constructor(editor) {
    this.#editor = editor;
    this.list = make("div", { class: "completion", role: "listbox", id: this.#id, named: "completions", hidden: true });
    editor.code.append(this.list);
    set(editor.input, "aria-autocomplete", "list");
    set(editor.input, "aria-controls", this.#id);
    editor.input.addEventListener("blur", () => this.close());
    editor.input.addEventListener("scroll", () => this.close(), { passive: true });
  }

  get isOpen() {
    return !this.list.hidden;
  }

  /** Something was typed: the list comes, follows, or goes. */
  typed(event) {
    clearTimeout(this.#timer);
    if (event.isComposing || event.inputType.startsWith("delete") && !this.isOpen) {
      this.close();
      return;
    }
    const { line, column } = this.#editor.caret;
    const head = this.#editor.rows[line].slice(0, column);
    const isTyped = event.inputType === "insertText" || this.isOpen;
    if (isTyped && head.trim() && (OPENS.test(head) || WORD.test(head)) && !/(^|\s)#/.test(head)) {
      this.#timer = setTimeout(() => this.ask(), PAUSE);
    } else {
      this.close();
    }
  }

  /** The caret moved: the list goes where it left its word. */
  moved() {
    const { line, column } = this.#editor.caret;
    if (this.isOpen && (line !== this.#line || column < this.#from)) {
      this.close();
    }
  }

  async ask() {
    if (file.path === null) {
      return;
    }
    this.#asked += 1;
    const asked = this.#asked;
    const { line, column } = this.#editor.caret;
    const answer = await connection.ask("complete", { path: file.path, text: file.text, line, column }).catch(() => null);
    const now = this.#editor.caret;
    if (asked !== this.#asked || now.line !== line || now.column !== column) {
      return;
    }
    const items = (answer?.items ?? []).slice(0, MOST);
    const typed = this.#editor.rows[line].slice(answer?.from_column ?? column, column);
    if (!items.length || (items.length === 1 && items[0].insert === typed)) {
      this.close();
      return;
    }
    this.#items = items;
    this.#from = answer.from_column;
    this.#line = line;
    this.#show();
  }

  #show() {
    const { list } = this;
    list.replaceChildren(...this.#items.map((item, at) => this.#option(item, at)));
    set(list, "hidden", false);
    const { left, top } = this.#editor.lines.at(this.#line, this.#from);
    const { clientHeight, clientWidth } = this.#editor.code;
    const below = top + LINE + 4;
    const isAbove = below + list.offsetHeight > clientHeight && top - list.offsetHeight - 4 > 0;
    list.style.top = `${isAbove ? top - list.offsetHeight - 4 : below}px`;
    list.style.left = `${Math.max(4, Math.min(left, clientWidth - list.offsetWidth - 12))}px`;
    this.#choose(0);
  }

  #option({ label, detail }, at) {
    const name = make("span", { class: "label" });
    const more = make("span", { class: "detail" });
    clip(name, label);
    clip(more, detail ?? "");
    const option = make("div", { role: "option", id: `${this.#id}-${at}` }, name, more);
    option.onpointerdown = (event) => {
      event.preventDefault();
      this.#at = at;
      this.accept();
    };
    return option;
  }

  #choose(at) {
    this.#at = (at + this.#items.length) % this.#items.length;
    [...this.list.children].forEach((option, place) => set(option, "aria-selected", String(place === this.#at)));
    const chosen = this.list.children[this.#at];
    const above = chosen.offsetTop - this.list.scrollTop;
    if (above < 0) {
      this.list.scrollTop += above;
    } else if (above + chosen.offsetHeight > this.list.clientHeight) {
      this.list.scrollTop += above + chosen.offsetHeight - this.list.clientHeight;
    }
    set(this.#editor.input, "aria-activedescendant", chosen.id);
  }

  accept() {
    const { insert } = this.#items[this.#at];
    const begin = this.#editor.starts[this.#line];
    this.close();
    this.#editor.replace(begin + this.#from, this.#editor.input.selectionEnd, insert);
  }

  close() {
    clearTimeout(this.#timer);
    this.#asked += 1;
    if (this.isOpen) {
      set(this.list, "hidden", true);
      set(this.#editor.input, "aria-activedescendant", null);
    }
  }

  /** Takes a key while the list is open; tells whether it did. */
  key({ key, ctrlKey, metaKey, altKey, shiftKey }) {
    if (!this.isOpen || ctrlKey || metaKey || altKey || shiftKey) {
      return false;
    }
    const page = 8;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    if (moves[key]) {
      this.#choose(Math.abs(moves[key]) === 1 ? this.#at + moves[key] : Math.max(0, Math.min(this.#at + moves[key], this.#items.length - 1)));
    } else if (key === "Enter" || key === "Tab") {
      this.accept();
    } else if (key === "Escape") {
      this.close();
    } else {
      return false;
    }
    return true;
  }
}
