// The coloured lines behind the editor's text and the gutter beside them; only those that are in sight are drawn.

import { SIGNS, make, set, short, took } from "./dom.js";
import { file } from "./file.js";
import { run } from "./run.js";
import { word } from "./words.js";
import { blocks, fields, parts } from "./yaml.js";

/** The height of a line and the room left of the text, in pixels; editor.css says the same. */
export const LINE = 21;
export const LEFT = 8;
/** How many lines above and below what is in sight are drawn. */
const MORE = 15;

export class Lines {
  #editor;
  #blocks = [];
  #steps = [];
  #isDrawing = false;
  /** The first line that is drawn, and the one behind the last. */
  #first = 0;
  #last = 0;
  #measured = document.createElement("canvas").getContext("2d");

  constructor(editor) {
    this.#editor = editor;
    this.layer = make("div", { class: "moved" });
    this.numbers = make("div", { class: "moved" });
    this.next = make("div", { class: "here-next", hidden: true });
    this.layer.append(this.next);
    editor.layer.append(this.layer);
    editor.gutter.append(this.numbers);
    editor.input.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    editor.gutter.addEventListener("wheel", ({ deltaY }) => (editor.input.scrollTop += deltaY), { passive: true });
    new ResizeObserver(() => this.draw()).observe(editor.input);
  }

  /** Returns how wide a text is. */
  width(text) {
    this.#measured.font = getComputedStyle(this.#editor.input).font;
    return this.#measured.measureText(text.replaceAll("\t", "  ")).width;
  }

  /** Returns where a place of the text stands in the editor, in pixels. */
  at(line, column) {
    const { input, rows } = this.#editor;
    return { left: LEFT + this.width(rows[line].slice(0, column)) - input.scrollLeft, top: line * LINE - input.scrollTop };
  }

  /** Takes another text. */
  changed() {
    const { rows } = this.#editor;
    this.#blocks = blocks(rows);
    this.#steps = fields(rows);
    this.draw();
  }

  draw() {
    if (!this.#isDrawing) {
      this.#isDrawing = true;
      requestAnimationFrame(() => this.#draw());
    }
  }

  /** Moves what is drawn along; draws anew where that is not enough. */
  #scrolled() {
    const { input } = this.#editor;
    this.layer.style.transform = `translate(${-input.scrollLeft}px, ${-input.scrollTop}px)`;
    this.numbers.style.transform = `translateY(${-input.scrollTop}px)`;
    const [first, last] = this.#inSight(0);
    if (first < this.#first || last > this.#last) {
      this.draw();
    }
  }

  #inSight(more) {
    const { input, rows } = this.#editor;
    const first = Math.floor(input.scrollTop / LINE) - more;
    const last = Math.ceil((input.scrollTop + input.clientHeight) / LINE) + more;
    return [Math.max(0, first), Math.min(rows.length, last)];
  }

  #draw() {
    this.#isDrawing = false;
    const step = file.stepAt(this.#editor.caret.line + 1);
    [this.#first, this.#last] = this.#inSight(MORE);
    const told = [...file.errors.map((error) => ["bad", error]), ...file.warnings.map((error) => ["doubtful", error])];
    const wrong = Map.groupBy(told, ([, { line }]) => line - 1);
    show(this.layer, this.#first, this.#last, (at) => this.#text(at, wrong.get(at) ?? []));
    show(this.numbers, this.#first, this.#last, (at) => this.#number(at, step));
    this.#recording();
    this.#scrolled();
  }

  #text(at, wrong) {
    const row = this.#editor.rows[at];
    const { step } = run;
    const isLookedAt = run.lineOfStep(step) === at + 1;
    const state = run.line === at + 1 ? "now" : isLookedAt ? "looked" : "";
    const told = wrong.map(([level, { column, length, message }]) => [level, column, length, message]);
    const said = wrong.length ? [wrong[0][0], wrong[0][1].message] : failure(at);
    const [isBlock, isField] = [this.#blocks[at], this.#steps[at]];
    return [JSON.stringify([row, isBlock, isField, state, told, said]), () => this.#line(row, isBlock, isField, state, wrong, said)];
  }

  #line(row, isBlock, isField, state, wrong, said) {
    const line = make("div", { class: `line ${state}` });
    let pieces = parts(row, isBlock, isField);
    for (const [level, error] of wrong) {
      pieces = underlined(pieces, error.column - 1, Math.max(error.length ?? 1, 1), level);
    }
    for (const [name, text] of pieces) {
      line.append(name ? make("span", { class: name }, text) : text);
    }
    if (said) {
      const [level, message] = said;
      line.append(make("span", { class: `said ${level}-said` }, short(message, 160)));
    }
    return line;
  }

  #number(at, step) {
    const outcome = run.outcomeAt(at + 1);
    const isRunning = run.line === at + 1;
    const state = isRunning ? "running" : (outcome?.outcome ?? "");
    const isHere = Boolean(step && step.line <= at + 1 && at + 1 <= step.last_line);
    const time = isRunning || !outcome ? "" : took(outcome.ms);
    return [JSON.stringify([state, isHere, time, word(state)]), () => numbered(at, state, isHere, time)];
  }

  /** Shows where the next recorded step comes. */
  #recording() {
    const isShown = this.#editor.recorded.isOn && file.path !== null;
    set(this.next, "hidden", !isShown);
    if (isShown) {
      this.next.style.top = `${this.#editor.position(this.#editor.recorded.place().at).line * LINE}px`;
    }
  }
}

/** What a step says at its line that failed, or that proves nothing yet. */
function failure(at) {
  const step = run.outcomeAt(at + 1);
  if (step?.kept) {
    return ["doubtful", step.kept];
  }
  const message = step?.error?.message ?? step?.message;
  return message && (step.outcome === "failed" || step.outcome === "errored") ? ["bad", message] : null;
}

function numbered(at, state, isHere, time) {
  const row = make("div", { class: `row ${state ? "ran" : ""} ${isHere ? "here" : ""}`, title: state ? word(state) : "" });
  row.append(make("span", { class: `sign ${state}` }, SIGNS[state] ?? ""), make("span", { class: "time" }, time), make("span", { class: "number" }, String(at + 1)));
  return row;
}

/** Shows some lines; those that look as before stay. `draw` tells how a line looks, as a text, and makes it. */
function show(parent, first, last, draw) {
  const known = new Map([...parent.children].filter((line) => line.at !== undefined).map((line) => [line.at, line]));
  for (let at = first; at < last; at += 1) {
    const [look, build] = draw(at);
    const had = known.get(at);
    if (had?.look === look) {
      known.delete(at);
      continue;
    }
    const line = build();
    line.at = at;
    line.look = look;
    line.style.top = `${at * LINE}px`;
    parent.append(line);
  }
  known.forEach((line) => line.remove());
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
