// What a word of the testcase means: shown where the pointer rests on it, or by F1 at the caret.

import { connection } from "./connection.js";
import { make, say, set } from "./dom.js";
import { LEFT, LINE } from "./lines.js";

/** Milliseconds. */
const REST = 350;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/gu;

export class Explanation {
  #editor;
  #timer = null;
  #known = new Map();
  #word = null;

  constructor(editor) {
    this.#editor = editor;
    this.title = make("strong");
    this.text = make("p");
    this.box = make("div", { class: "explanation", role: "status", hidden: true }, this.title, this.text);
    editor.code.append(this.box);
    editor.input.addEventListener("pointermove", (event) => this.#rest(event));
    editor.input.addEventListener("pointerleave", () => this.hide());
    editor.input.addEventListener("keydown", (event) => event.key !== "F1" && this.hide());
    editor.input.addEventListener("scroll", () => this.hide(), { passive: true });
  }

  hide() {
    clearTimeout(this.#timer);
    this.#word = null;
    set(this.box, "hidden", true);
  }

  #rest({ clientX, clientY, buttons }) {
    const found = buttons ? null : this.#under(clientX, clientY);
    if (found?.key !== this.#word) {
      this.hide();
      this.#word = found?.key ?? null;
      this.#timer = found ? setTimeout(() => this.#show(found), REST) : null;
    }
  }

  #under(x, y) {
    const { input, rows } = this.#editor;
    const box = input.getBoundingClientRect();
    const line = Math.floor((y - box.top + input.scrollTop) / LINE);
    const row = rows[line] ?? "";
    const within = x - box.left + input.scrollLeft - LEFT;
    const width = (text) => this.#editor.lines.width(text);
    return this.#wordOf(line, row, (from, to) => within >= width(row.slice(0, from)) && within <= width(row.slice(0, to)));
  }

  /** The word of a line that `holds` says is meant, unless it stands in a comment. */
  #wordOf(line, row, holds) {
    const code = row.slice(0, 500).replace(/(^|\s)#.*$/, "");
    for (const { 0: word, index } of code.matchAll(WORD)) {
      if (holds(index, index + word.length)) {
        return { word, line, column: index, key: `${line}:${index}:${word}` };
      }
    }
    return null;
  }

  /** Explains the word at the caret. */
  atCaret() {
    const { line, column } = this.#editor.caret;
    const found = this.#wordOf(line, this.#editor.rows[line], (from, to) => from <= column && column <= to);
    if (found) {
      this.#word = found.key;
      this.#show(found);
    }
  }

  async #show({ word, line, column, key }) {
    if (!this.#known.has(word)) {
      this.#known.set(word, await connection.ask("explain", { word }).catch(() => null));
    }
    const told = this.#known.get(word);
    if (this.#word !== key || !told?.title) {
      return;
    }
    say(this.title, told.title);
    say(this.text, (told.text ?? "").slice(0, 4000));
    set(this.box, "hidden", false);
    const { left, top } = this.#editor.lines.at(line, column);
    const { clientHeight, clientWidth } = this.#editor.code;
    const isAbove = top + LINE + this.box.offsetHeight > clientHeight;
    this.box.style.top = `${isAbove ? Math.max(0, top - this.box.offsetHeight - 4) : top + LINE + 4}px`;
    this.box.style.left = `${Math.max(4, Math.min(left, clientWidth - this.box.offsetWidth - 12))}px`;
  }
}
