// Elements from plain data. Texts are set as texts: nothing here takes markup.

import { word } from "./words.js";

let count = 0;

/** Returns an id that no other element of the page has. */
export function unique(name) {
  count += 1;
  return `${name}-${count}`;
}

/**
 * Makes an element: `make("button", { class: "primary", onclick: f, word: "save" }, icon)`. What is null or undefined is left out.
 * `word` is a text of words.js, `hint` one that is shown as a title, `named` one that is the element's name; all follow the language.
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    set(element, key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets an attribute or a listener; true is an attribute without a value, and false, null and undefined are none. */
export function set(element, key, value) {
  if (key === "word" || key === "hint" || key === "named") {
    element.setAttribute(`data-${key}`, value);
    speak(element);
  } else if (key.startsWith("on")) {
    element[key] = value;
  } else if (value === true) {
    element.setAttribute(key, "");
  } else if (value === false || value === null || value === undefined) {
    element.removeAttribute(key);
  } else if (element.getAttribute(key) !== String(value)) {
    element.setAttribute(key, value);
  }
}

/** Gives an element its words in the language that is chosen. */
export function speak(element) {
  const { word: shown, hint, named } = element.dataset;
  if (shown) {
    "placeholder" in element ? set(element, "placeholder", word(shown)) : say(element, word(shown));
  }
  if (hint) {
    set(element, "title", word(hint));
  }
  if (named) {
    set(element, "aria-label", word(named));
  }
}

/** Gives all elements of the page their words anew. */
export function speakAll() {
  document.querySelectorAll("[data-word], [data-hint], [data-named]").forEach(speak);
}

/** Sets the text of an element where it is another. */
export function say(element, told) {
  // What turns the order of letters around would have a name read as another.
  const text = told.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Sets a text that may be long: one line of it is shown, and the whole as a title. */
export function clip(element, text) {
  const shown = short(text);
  say(element, shown);
  set(element, "title", text.slice(0, 2000));
}

/** Tells whether something is other than when an element was drawn last: what stays keeps the focus and what is typed. */
export function isOther(element, ...told) {
  const look = JSON.stringify(told);
  const other = element.look !== look;
  element.look = look;
  return other;
}

/** Returns the beginning of a text in one line. */
export function short(text, most = 200) {
  const line = text.slice(0, most + 1).replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** Returns an icon that stands beside a text or in a button with a name of its own. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  if (FILLED.has(name)) {
    path.setAttribute("class", "filled");
  }
  drawing.append(path);
  return drawing;
}

/** A button with an icon and, where `word` is told, a text. */
export function button(drawn, attributes, text) {
  const label = text ? make("span", { word: text }) : null;
  return make("button", { type: "button", ...attributes }, drawn ? icon(drawn) : null, label);
}

/** Tells the user something; what is no error goes by itself. */
export function notice(message, level = "error", ...actions) {
  const notices = document.getElementById("notices");
  const line = make("div", { class: `notice ${level}` });
  const close = button("close", { class: "quiet", named: "dismiss", onclick: () => line.remove() });
  const buttons = actions.map(([name, act]) => make("button", { type: "button", class: "plain", word: name, onclick: () => (line.remove(), act()) }));
  const text = make("p", { class: message.trim().includes("\n") ? "drawn" : null }, message.trim().slice(0, 4000));
  [...notices.children].find((known) => known.firstElementChild.textContent === text.textContent)?.remove();
  line.append(text, ...buttons, close);
  notices.append(line);
  while (notices.children.length > 3) {
    notices.firstElementChild.remove();
  }
  if (!actions.length) {
    const leave = () => (line.matches(":hover, :focus-within") ? setTimeout(leave, 2000) : line.remove());
    setTimeout(leave, level === "info" ? 6000 : 20_000);
  }
}

/** Opens a dialog with a heading; it is gone once it is closed. */
export function dialog(kind, name, ...content) {
  const close = button("close", { class: "quiet", named: "close", onclick: () => shown.close() });
  const shown = make("dialog", { class: kind, "aria-label": name || word("step") }, make("div", { class: "line" }, make("h2", {}, name), close), ...content);
  shown.onclose = () => shown.remove();
  document.body.append(shown);
  shown.showModal();
  return shown;
}

/** Returns a time as a person reads it. */
export function took(ms) {
  if (ms === null || ms === undefined) {
    return "";
  }
  if (ms < 1000) {
    return `${Math.round(ms)} ms`;
  }
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** The signs of outcomes, which are told apart without colours. */
export const SIGNS = { passed: "✓", failed: "✕", errored: "!", skipped: "–", healed: "✚", flaky: "↻", running: "▸" };

/** A sign of an outcome, with its name; an empty one where there is none yet. */
export function sign(outcome) {
  if (!outcome) {
    return make("span", { class: "sign", "aria-hidden": "true" });
  }
  return make("span", { class: `sign ${outcome}`, role: "img", "aria-label": word(outcome), title: word(outcome) }, SIGNS[outcome] ?? "?");
}

const FILLED = new Set(["play", "stop", "record", "grip"]);
const ICONS = {
  play: "M4.5 2.5v11l9-5.5z",
  step: "M3 3v10M6 3l7 5-7 5z",
  from: "M2 3h12M2 6.5h4M8 6l6 4-6 4z",
  stop: "M4 4h8v8H4z",
  record: "M8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z",
  use: "M5 2.5v9l2.4-2.2 1.7 4 1.6-.7-1.7-3.9H12z",
  point: "M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  assert: "M2.5 8.5l3.5 3.5 7.5-8",
  back: "M10 3L5 8l5 5",
  home: "M2.5 8L8 3l5.5 5M4 7v6h8V7",
  app_switch: "M3 3h7v7H3zM6 12.5h7V6",
  rotate: "M12.5 8A4.5 4.5 0 1 1 8 3.5h3M9 1.5l2 2-2 2",
  reload: "M13 8a5 5 0 1 1-1.5-3.5L13 6M13 2.5V6H9.5",
  cases: "M2 4h4l1.5 2H14v7H2z",
  results: "M2.5 13.5v-5M6.2 13.5v-9M9.8 13.5V7M13.5 13.5V2.5",
  save: "M3 3h8l2 2v8H3zM5.5 3v3.5h4V3M5.5 13V9.5h5V13",
  close: "M4 4l8 8M12 4l-8 8",
  keys: "M1.5 4.5h13v7h-13zM4 7h.5M6.5 7h.5M9 7h.5M11.5 7h.5M4.5 9.5h7",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  language: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12",
  plus: "M8 3v10M3 8h10",
  panel: "M2 3h12v10H2zM10 3v10",
  film: "M2 3h12v10H2zM2 9.5h12M6 9.5V13M10 9.5V13",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3L14 14",
  watch: "M1.5 8C4 4 12 4 14.5 8 12 12 4 12 1.5 8zM8 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z",
  beside: "M2 3h5v10H2zM9 3h5v10H9z",
  mend: "M10.5 2.5a3.5 3.5 0 0 0-3.3 4.7L2.5 12 4 13.5l4.8-4.7a3.5 3.5 0 0 0 4.4-4.5L11 6.5 9.5 5l2.2-2.2a3.5 3.5 0 0 0-1.2-.3z",
  copy: "M5.5 5.5H13V14H5.5zM10.5 5.5V2H3v8.5h2.5",
  undo: "M5.5 3L2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6",
};
