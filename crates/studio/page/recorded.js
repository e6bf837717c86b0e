// Where recorded steps come into the text: at the end of the steps, or after the step that the user put the caret into.

import { connection } from "./connection.js";
import { file } from "./file.js";
import { studio } from "./studio.js";
import { scan } from "./yaml.js";

export class Recorded {
  #editor;
  /** Where the next step comes, where that is not the end of the steps. */
  #next = null;
  /** The part of the text that the last recorded step takes. */
  #last = null;
  #queue = Promise.resolve();

  constructor(editor) {
    this.#editor = editor;
    connection.addEventListener("step_recorded", ({ detail }) => this.#take(() => this.insert(detail.text, detail.replaces)));
    studio.on("insert", (text) => this.#take(() => this.insert(text, false, true)));
    studio.on("mode", () => studio.recording || this.forget());
  }

  /** One after the other, since the first may have to make a file. */
  #take(insert) {
    this.#queue = this.#queue.then(async () => {
      if (await file.ensure()) {
        insert();
      }
    });
  }

  forget() {
    this.#next = null;
    this.#last = null;
  }

  /** The user put the caret elsewhere: the next step comes there. */
  moved() {
    this.#next = null;
    this.#last = null;
    this.#next = this.#atCaret();
  }

  /** Follows an edit of the text. */
  shift(at, removed, inserted) {
    const moved = (offset) => (offset >= at + removed ? offset + inserted - removed : Math.min(offset, at));
    this.#next = this.#next === null ? null : moved(this.#next);
    this.#last = this.#last && { from: this.#last.from < at ? this.#last.from : moved(this.#last.from), to: moved(this.#last.to) };
  }

  /** The place after the step that holds the caret; null at the last step and after it. */
  #atCaret() {
    const { rows, caret } = this.#editor;
    const { steps } = scan(rows);
    const at = steps.findLastIndex(({ line }) => line <= caret.line);
    return at < 0 || at === steps.length - 1 ? null : this.#after(steps[at].last);
  }

  #after(line) {
    const { rows, starts } = this.#editor;
    return Math.min(starts[line] + rows[line].length + 1, starts.at(-1) + rows.at(-1).length);
  }

  /** Where the next step comes: `{at, indent, before}`; `before` is what must come first. */
  place() {
    const { rows, starts } = this.#editor;
    const { head, indent, steps } = scan(rows);
    const length = starts.at(-1) + rows.at(-1).length;
    const broken = (at) => (at > 0 && at === length && rows.at(-1) !== "" ? "\n" : "");
    if (head < 0) {
      return { at: length, indent: "", before: `${broken(length)}teststeps:\n` };
    }
    const at = this.#next ?? this.#after(steps.at(-1)?.last ?? head);
    return { at, indent, before: broken(at) };
  }

  /** Puts a step into the text. */
  insert(text, replaces, isByHand = false) {
    const editor = this.#editor;
    this.#emptyList();
    if (isByHand) {
      this.#next = this.#atCaret();
    }
    const { at, indent, before } = this.place();
    const lines = text.replace(/\n*$/, "\n").split("\n").slice(0, -1);
    const step = lines.map((line) => (line ? `${indent}${line}\n` : "\n")).join("");
    const takes = replaces && this.#last ? this.#last : null;
    const from = takes ? takes.from : at;
    const all = takes ? step : before + step;
    const isFollowed = this.#next !== null;
    editor.replace(from, takes ? takes.to : at, all, null);
    const begin = from + all.length - step.length;
    this.#last = { from: begin, to: begin + step.length };
    this.#next = isFollowed ? begin + step.length : null;
    editor.select(begin + step.length - 1);
    file.send();
  }

  /** Makes room where the steps are an empty list: `teststeps: []`. */
  #emptyList() {
    const { rows, starts } = this.#editor;
    const { head, steps } = scan(rows);
    const found = head >= 0 && !steps.length ? rows[head].match(/:(\s*(\[\s*\]|null|~))\s*(#.*)?$/) : null;
    if (found) {
      const from = starts[head] + rows[head].length - found[0].length + 1;
      this.#editor.replace(from, from + found[1].length, "", null);
    }
  }
}
