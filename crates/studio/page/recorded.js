// What was recorded comes into the text. The server tells all of a recording each time; what is new of it, or other than before, is written.
// Where recorded steps come into the text: at the end of the steps, or after the step that the user put the caret into.

import { connection } from "./connection.js";
import { notice, say } from "./dom.js";
import { file } from "./file.js";
import { studio } from "./studio.js";
import { variable } from "./variables.js";
import { word } from "./words.js";
import { scan } from "./yaml.js";

export class Recorded {
  #editor;
  /** Where the next step comes, where that is not the end of the steps. */
  #next = null;
  /** The place behind what was written last. */
  #end = null;
  /** The recording as the server told it last; null where this page has not heard of it. */
  #told = null;
  #queue = Promise.resolve();

  constructor(editor) {
    this.#editor = editor;
    connection.addEventListener("step_recorded", ({ detail }) => (detail.mine === false ? this.#pass(detail) : this.#take(() => this.#record(detail))));
    studio.on("insert", (text) => this.#take(() => this.#insert(text)));
    connection.addEventListener("recording", () => this.#begin());
    studio.on("mode", () => this.isOn || (this.#next = null));
    studio.on("hello", () => (this.#told ??= studio.hello.recorded ?? null));
  }

  /** One after the other, since the first may have to make a file. */
  #take(insert) {
    this.#queue = this.#queue.then(async () => {
      if (await file.ensure()) {
        insert();
        file.send();
      }
    });
  }

  /** What was done on another page comes into the testcase there. */
  #pass({ text }) {
    this.#queue = this.#queue.then(() => {
      this.#told = text;
      this.#end = null;
    });
  }

  /** Another file is shown: what was written of the recording stands elsewhere. */
  forget() {
    this.#next = null;
    this.#end = null;
  }

  /** A recording begins, or ends: the server tells of the next from its beginning. */
  #begin() {
    this.forget();
    this.#told = "";
  }

  /** Whether steps come into the text by what is done on the device. */
  get isOn() {
    return studio.recording || studio.mode === "assert";
  }

  /** The user put the caret elsewhere meanwhile: the next step comes there. */
  moved() {
    this.#next = this.isOn ? this.#atCaret() : null;
  }

  /** Follows an edit of the text. */
  shift(at, removed, inserted) {
    const moved = (offset) => (offset >= at + removed ? offset + inserted - removed : Math.min(offset, at));
    this.#next = this.#next === null ? null : moved(this.#next);
    this.#end = this.#end === null ? null : moved(this.#end);
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

  /** Takes a recording: only what is other than before is written, so that what the user changed meanwhile stays. */
  #record({ text, replaces, variables }) {
    if (isInOneLine(this.#editor.rows)) {
      notice(word("one_line"), "warn");
      return;
    }
    (variables ?? []).forEach(({ name, environment }) => this.#vary(name, environment));
    const before = replaces ? (this.#told ?? withoutLast(text)) : "";
    const { removed, added } = change(before, text);
    this.#told = text;
    const { indent } = this.place();
    const old = indented(removed, indent);
    const isThere = this.#end !== null && this.#editor.input.value.slice(0, this.#end).endsWith(old);
    if (removed && isThere) {
      this.#write(this.#end - old.length, this.#end, indented(added, indent), "");
    } else if (added) {
      this.#add(added);
    }
  }

  /** Writes steps by hand: after the step that holds the caret. */
  #insert(text) {
    if (isInOneLine(this.#editor.rows)) {
      notice(word("one_line"), "warn");
      return;
    }
    this.#next = this.#atCaret();
    this.#add(text);
    this.#end = null;
  }

  #add(text) {
    this.#emptyList();
    const { at, indent, before } = this.place();
    this.#write(at, at, indented(text, indent), before);
  }

  /** Writes steps; the next come behind them. */
  #write(from, to, steps, before) {
    const isFollowed = this.#next !== null;
    say(this.#editor.spoken, steps.trim());
    this.#editor.replace(from, to, before + steps, null);
    const begin = from + before.length;
    this.#end = begin + steps.length;
    this.#next = isFollowed ? this.#end : null;
    this.#editor.select(Math.max(begin, this.#end - 1));
  }

  #vary(name, environment) {
    const found = variable(this.#editor.rows, name, environment);
    if (found) {
      const at = this.#editor.starts[found.line] + found.column;
      this.#editor.replace(at, at, found.text, null);
    }
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

/** Whether the steps stand in one line, where none can be written behind them. */
function isInOneLine(rows) {
  const { head, steps } = scan(rows);
  return head >= 0 && !steps.length && /:\s*\[\s*[^\s\]]/.test(rows[head]);
}

/** Returns how two recordings differ, in whole steps at the end: `{removed, added}`. */
function change(before, after) {
  const [old, now] = [before, after].map((text) => (text ? text.replace(/\n*$/, "\n").split("\n").slice(0, -1) : []));
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) {
    same += 1;
  }
  while (same > 0 && [old[same], now[same]].some((line) => line && !/^(- |#)/.test(line))) {
    same -= 1;
  }
  const rest = (lines) => lines.slice(same).map((line) => `${line}\n`).join("");
  return { removed: rest(old), added: rest(now) };
}

/** Returns a recording without its last step: the most that a page which was loaded anew can have missed. */
function withoutLast(text) {
  return text.slice(0, text.lastIndexOf("\n- ") + 1);
}

function indented(text, indent) {
  const lines = text ? text.replace(/\n*$/, "\n").split("\n").slice(0, -1) : [];
  return lines.map((line) => (line ? `${indent}${line}\n` : "\n")).join("");
}
