// The testcase as a text: a plain text field above coloured lines, with what the server and the runs say of each line.

import { Completion } from "./completion.js";
import { button, make, notice, say, set } from "./dom.js";
import { editorKeys } from "./editor-keys.js";
import { Explanation } from "./explanation.js";
import { file } from "./file.js";
import { difference, History } from "./history.js";
import { LINE, Lines } from "./lines.js";
import { Recorded } from "./recorded.js";
import { run } from "./run.js";
import { studio } from "./studio.js";
import { counted, word } from "./words.js";

class EditorElement extends HTMLElement {
  history = new History();
  /** Where each line begins. */
  starts = [0];
  rows = [""];
  #text = "";
  #path = null;
  /** Where the page itself put the caret last. */
  #ours = -1;

  connectedCallback() {
    this.build();
    this.lines = new Lines(this);
    this.completion = new Completion(this);
    this.explanation = new Explanation(this);
    this.recorded = new Recorded(this);
    this.input.addEventListener("input", (event) => this.#typed(event));
    this.input.addEventListener("beforeinput", (event) => this.#before(event));
    this.input.addEventListener("keydown", (event) => editorKeys(this, event));
    document.addEventListener("selectionchange", () => this.#moved());
    file.addEventListener("opened", () => this.#opened());
    file.addEventListener("go", ({ detail }) => this.goTo(detail));
    file.addEventListener("checked", () => (this.lines.draw(), this.tellState()));
    file.addEventListener("state", () => this.tellState());
    run.addEventListener("outcomes", () => this.#ran());
    run.addEventListener("chosen", () => this.#looked());
    studio.on("mode", () => this.lines.draw());
    studio.on("language", () => this.tellState());
    this.tellState();
  }

  build() {
    const plain = { spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", named: "editor_text" };
    this.name = make("h2", { class: "file" });
    this.state = make("span", { class: "state" });
    this.save = button("save", { class: "plain", hint: "save_hint", onclick: () => file.save() }, "save");
    this.discard = button("undo", { class: "quiet", named: "discard", hint: "discard", onclick: () => file.discard() });
    this.input = make("textarea", { class: "text", ...plain });
    this.gutter = make("div", { class: "gutter", "aria-hidden": "true" });
    this.layer = make("div", { class: "layer", "aria-hidden": "true" });
    this.code = make("div", { class: "code" }, this.layer, this.input);
    this.body = make("div", { class: "editor-body" }, this.gutter, this.code);
    const cases = button("cases", { class: "plain", onclick: () => this.dispatchEvent(new CustomEvent("show-cases", { bubbles: true })) }, "cases");
    const record = button("record", { class: "plain", onclick: () => studio.toggleRecording() }, "record");
    this.spoken = make("p", { class: "seen-not", role: "status" });
    this.empty = make("div", { class: "empty" }, make("p", { word: "nothing_open" }), make("div", { class: "group" }, cases, record));
    this.place = make("span", { class: "place" });
    this.count = make("button", { type: "button", class: "quiet count", hint: "next_error", onclick: () => this.nextError(1) });
    this.message = make("p", { class: "error-text", role: "status" });
    const head = make("div", { class: "pane-head" }, this.name, this.state, make("span", { class: "space" }), this.discard, this.save);
    this.replaceChildren(head, this.spoken, this.body, this.empty, make("div", { class: "foot" }, this.message, this.count, this.place));
    this.gutter.onclick = (event) => this.#chooseLine(event);
  }

  /** The line and the column (from 0) of an offset in the text. */
  position(offset) {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return { line: low, column: offset - this.starts[low] };
  }

  get caret() {
    return this.position(this.input.selectionEnd);
  }

  /** The step that holds the caret: the server's, whose lines count from 1. */
  get step() {
    file.flush();
    return file.stepAt(this.caret.line + 1);
  }

  #opened() {
    run.follow(this.rows);
    const change = difference(this.#text, file.text);
    // Of the file that is shown already, what stays keeps its place.
    const isKnown = this.#path === file.path;
    this.#path = file.path;
    if (change) {
      const { selectionEnd, scrollTop } = this.input;
      const { at, removed, inserted } = change;
      this.input.value = file.text;
      this.history.clear();
      this.#split(file.text);
      const caret = selectionEnd <= at ? selectionEnd : Math.max(at, selectionEnd + inserted.length - removed.length);
      this.input.setSelectionRange(isKnown ? caret : 0, isKnown ? caret : 0);
      this.input.scrollTop = isKnown ? scrollTop : 0;
      this.recorded.forget();
    }
    this.completion.close();
    this.lines.changed();
    this.tellState();
  }

  #split(text) {
    this.#text = text;
    this.rows = text.split("\n");
    run.follow(this.rows);
    this.starts = [];
    let at = 0;
    for (const row of this.rows) {
      this.starts.push(at);
      at += row.length + 1;
    }
  }

  #before(event) {
    if (event.inputType === "historyUndo" || event.inputType === "historyRedo") {
      event.preventDefault();
      this.undo(event.inputType === "historyRedo");
    }
  }

  #typed(event) {
    const before = this.#text;
    const joins = event.inputType === "insertText" || event.inputType === "insertCompositionText" || event.isComposing;
    const change = this.history.note(before, this.input.value, this.#caretBefore(event), joins);
    if (change) {
      this.#after(change);
      this.completion.typed(event);
    }
  }

  #caretBefore(event) {
    const typed = event.data?.length ?? 0;
    return Math.max(0, this.input.selectionEnd - typed);
  }

  /** Replaces a part of the text, as a step that can be undone; `caret` is where the caret is then. */
  replace(from, to, text, caret = from + text.length) {
    const before = this.#text;
    const had = this.input.selectionEnd;
    this.input.setRangeText(text, from, to, "preserve");
    this.#ours = this.input.selectionEnd;
    const change = this.history.note(before, this.input.value, had);
    if (change) {
      this.#after(change);
    }
    if (caret !== null) {
      this.select(caret);
    }
  }

  undo(isRedo = false) {
    const change = isRedo ? this.history.redo() : this.history.undo();
    if (change) {
      this.input.setRangeText(change.inserted, change.at, change.at + change.removed.length, "preserve");
      this.#after(change);
      this.select(Math.min(change.caret, this.#text.length));
    }
  }

  #after({ at, removed, inserted }) {
    this.#split(this.input.value);
    this.recorded.shift(at, removed.length, inserted.length);
    file.edit(this.#text);
    this.lines.changed();
  }

  select(from, to = from) {
    this.#ours = to;
    this.input.setSelectionRange(from, to);
    this.reveal();
    this.#tellPlace();
  }

  #moved() {
    if (document.activeElement !== this.input) {
      return;
    }
    if (this.input.selectionEnd !== this.#ours) {
      this.#ours = this.input.selectionEnd;
      this.recorded.moved();
    }
    this.completion.moved();
    this.#tellPlace();
    this.lines.draw();
  }

  /** Scrolls to the caret where it is out of sight. */
  reveal(line = this.caret.line) {
    const top = line * LINE;
    const { scrollTop, clientHeight } = this.input;
    if (top < scrollTop + LINE) {
      this.input.scrollTop = top - 3 * LINE;
    } else if (top > scrollTop + clientHeight - 3 * LINE) {
      this.input.scrollTop = top - clientHeight + 5 * LINE;
    }
  }

  /** Goes to a line (from 1). */
  goTo(line, column = 1, length = 0) {
    const row = Math.max(0, Math.min(line - 1, this.rows.length - 1));
    const from = this.starts[row] + Math.min(column - 1, this.rows[row].length);
    this.input.focus({ preventScroll: true });
    this.select(from, Math.min(from + length, this.#text.length));
  }

  /** Goes to the next error, or by -1 to the one before. */
  nextError(by) {
    const all = [...file.errors, ...file.warnings].sort((a, b) => a.line - b.line || a.column - b.column);
    if (!all.length) {
      return;
    }
    const { line, column } = this.position(this.input.selectionStart);
    const isAfter = (error) => error.line - 1 > line || (error.line - 1 === line && error.column - 1 > column);
    const isBefore = (error) => error.line - 1 < line || (error.line - 1 === line && error.column - 1 < column);
    const next = by > 0 ? (all.find(isAfter) ?? all[0]) : (all.findLast(isBefore) ?? all.at(-1));
    this.goTo(next.line, next.column);
  }

  #ran() {
    if (run.line) {
      this.reveal(run.line - 1);
    }
    this.lines.draw();
  }

  /** Another step of the run is looked at: its line comes into sight. */
  #looked() {
    const line = run.isRunning ? 0 : run.lineOfStep(run.step);
    if (line) {
      this.reveal(line - 1);
    }
    this.lines.draw();
  }

  #chooseLine(event) {
    const line = Math.floor((event.clientY - this.body.getBoundingClientRect().top + this.input.scrollTop) / LINE) + 1;
    if (!run.chooseLine(line)) {
      this.goTo(line);
    }
  }

  /** Runs what the caret stands in: `{only}` or `{from}` of that step. */
  runAt(kind) {
    const step = this.step;
    if (step) {
      run.start({ [kind]: step.line });
    } else {
      notice(word(file.path === null ? "no_file" : "no_step"), "info");
    }
  }

  tellState() {
    const isOpen = file.path !== null;
    set(this.body, "hidden", !isOpen);
    set(this.empty, "hidden", isOpen);
    say(this.name, file.path ?? word("editor"));
    set(this.name, "title", file.path ?? "");
    say(this.state, isOpen ? word(file.isSaved ? "saved" : "draft") : "");
    set(this.state, "data-saved", file.isSaved);
    this.input.readOnly = file.isLoading;
    set(this.save, "disabled", !isOpen || file.isSaved);
    set(this.discard, "disabled", !isOpen || file.isSaved);
    const found = [file.errors.length ? counted(file.errors.length, "one_error", "errors") : "", file.warnings.length ? counted(file.warnings.length, "one_warning", "warnings") : ""];
    say(this.count, found.filter(Boolean).join(", ") || word("no_errors"));
    set(this.count, "data-level", file.errors.length ? "error" : file.warnings.length ? "warn" : "none");
    set(this.count, "hidden", !isOpen);
    this.#tellPlace();
  }

  #tellPlace() {
    const { line, column } = this.caret;
    const isOpen = file.path !== null;
    say(this.place, isOpen ? word("place", line + 1, column + 1) : "");
    const here = [...file.errors, ...file.warnings].filter((error) => error.line === line + 1);
    const text = here.map(({ message, hint, help }) => [message, hint, help].filter(Boolean).join(" ")).join("\n").slice(0, 1000);
    say(this.message, isOpen ? text : "");
    set(this.message, "title", text);
  }
}

customElements.define("studio-editor", EditorElement);
