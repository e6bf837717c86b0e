// The coloured lines behind the editor's text and the gutter beside them; only those that are in sight are drawn.

import { SIGNS, make, short, took } from "./dom.js";
import { file } from "./file.js";
import { run } from "./run.js";
import { studio } from "./studio.js";
import { word } from "./words.js";
import { blocks, fields, parts } from "./yaml.js";

/** The height of a line, and the width of the gutter, in pixels; editor.css says the same. */
export const LINE = 21;
export const GUTTER = 112;
/** How many lines above and below what is in sight are drawn. */
const MORE = 12;
/** Room at the right of the longest line. */
const ROOM = 320;

export class Lines {
  #editor;
  #blocks = [];
  #steps = [];
  #isDrawing = false;
  #measured = document.createElement("canvas").getContext("2d");

  constructor(editor) {
    this.#editor = editor;
    editor.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(editor.scroller);
  }

  /** Returns how wide a text is. */
  width(text) {
    this.#measured.font = getComputedStyle(this.#editor.input).font;
    return this.#measured.measureText(text.replaceAll("\t", "  ")).width;
  }

  /** Gives the sheet the size of the text. */
  measure() {
    const { rows, sheet } = this.#editor;
    this.#blocks = blocks(rows);
    this.#steps = fields(rows);
    const longest = rows.reduce((best, row) => (row.length > best.length ? row : best), "");
    sheet.style.height = `${rows.length * LINE + 120}px`;
    sheet.style.minWidth = `${GUTTER + Math.ceil(this.width(longest.slice(0, 4000)) * (longest.length > 4000 ? longest.length / 4000 : 1)) + ROOM}px`;
    this.draw();
  }

  draw() {
    if (!this.#isDrawing) {
      this.#isDrawing = true;
      requestAnimationFrame(() => this.#draw());
    }
  }

  #draw() {
    this.#isDrawing = false;
    const { scroller, rows, layer, gutter } = this.#editor;
    const first = Math.max(0, Math.floor(scroller.scrollTop / LINE) - MORE);
    const last = Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / LINE) + MORE);
    const step = file.stepAt(this.#editor.caret.line + 1);
    const texts = [];
    const numbers = [];
    for (let at = first; at < last; at += 1) {
      texts.push(this.#text(at));
      numbers.push(this.#number(at, step));
    }
    const mark = this.#recording();
    layer.replaceChildren(...texts, ...(mark ? [mark] : []));
    gutter.replaceChildren(...numbers);
  }

  #text(at) {
    const row = this.#editor.rows[at];
    const wrong = [...file.errors.map((error) => ["bad", error]), ...file.warnings.map((error) => ["doubtful", error])].filter(([, error]) => error.line === at + 1);
    const line = make("div", { class: run.line === at + 1 ? "line now" : "line" });
    line.style.top = `${at * LINE}px`;
    let pieces = parts(row, this.#blocks[at], this.#steps[at]);
    for (const [level, error] of wrong) {
      pieces = underlined(pieces, error.column - 1, Math.max(error.length ?? 1, 1), level);
    }
    for (const [name, text] of pieces) {
      line.append(name ? make("span", { class: name }, text) : text);
    }
    if (wrong.length) {
      const [level, { message }] = wrong[0];
      line.append(make("span", { class: `said ${level}-said` }, short(message, 160)));
    }
    return line;
  }

  #number(at, step) {
    const outcome = run.outcomes.get(at + 1);
    const isRunning = run.line === at + 1;
    const state = isRunning ? "running" : (outcome?.outcome ?? "");
    const isHere = step && step.line <= at + 1 && at + 1 <= step.last_line;
    const row = make("div", { class: `row ${state ? "ran" : ""} ${isHere ? "here" : ""}`, title: state ? word(state) : "" });
    row.style.top = `${at * LINE}px`;
    row.append(
      make("span", { class: `sign ${state}` }, SIGNS[state] ?? ""),
      make("span", { class: "time" }, isRunning ? "" : outcome ? took(outcome.ms) : ""),
      make("span", { class: "number" }, String(at + 1)),
    );
    return row;
  }

  /** A line where the next recorded step comes. */
  #recording() {
    if (!studio.recording || file.path === null) {
      return null;
    }
    const { line } = this.#editor.position(this.#editor.recorded.place().at);
    const mark = make("div", { class: "here-next" });
    mark.style.top = `${line * LINE}px`;
    return mark;
  }
}

/** Marks a part of the pieces as wrong. */
function underlined(pieces, from, length, level) {
  const found = [];
  let at = 0;
  for (const [name, text] of pieces) {
    const cuts = [0, from - at, from + length - at, text.length].map((cut) => Math.max(0, Math.min(cut, text.length)));
    [[cuts[0], cuts[1], ""], [cuts[1], cuts[2], level], [cuts[2], cuts[3], ""]].forEach(([begin, end, more]) => {
      if (end > begin) {
        found.push([`${name} ${more}`.trim(), text.slice(begin, end)]);
      }
    });
    at += text.length;
  }
  if (from >= at) {
    found.push([level, " "]);
  }
  return found;
}
