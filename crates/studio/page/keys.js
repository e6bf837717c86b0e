// The keys of the whole page, and the list of all keys.

import { dialog, make } from "./dom.js";
import { file } from "./file.js";
import { run } from "./run.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

const KEYS = [
  [["1", "2", "3", "4"], "k_modes"],
  [["5"], "k_beside"],
  [["Alt+T"], "k_take"],
  [["Ctrl+Enter"], "k_run"],
  [["Shift+Enter"], "k_step"],
  [["Alt+Enter"], "k_from"],
  [["Escape"], "k_stop"],
  [["Ctrl+S"], "k_save"],
  [["Ctrl+Space"], "k_complete"],
  [["F1"], "k_explain"],
  [["Ctrl+/"], "k_comment"],
  [["F8", "Shift+F8"], "k_error"],
  [["Ctrl+Z", "Ctrl+Y"], "k_undo"],
  [["Tab", "Shift+Tab"], "k_indent"],
  [["↑ ↓ ← →"], "k_walk"],
  [["Enter"], "k_tap"],
  [["Space", "Enter"], "k_choose"],
  [["Ctrl+B"], "k_cases"],
  [["F6", "Shift+F6"], "k_areas"],
  [["?"], "k_keys"],
];

/** Takes a key wherever it was pressed on the page. */
export function pageKeys(app, event) {
  if (event.isComposing || event.defaultPrevented || document.querySelector("dialog[open]")) {
    return;
  }
  if (shortcut(app, event) || mode(app, event)) {
    event.preventDefault();
  }
}

function shortcut(app, event) {
  const { key, shiftKey, altKey } = event;
  const isControl = event.ctrlKey || event.metaKey;
  const isInEditor = app.editor.contains(event.target);
  if (key === "Enter" && isControl && !altKey) {
    run.start();
  } else if (key === "Enter" && shiftKey && isInEditor && !isControl) {
    app.editor.runAt("only");
  } else if (key === "Enter" && altKey && isInEditor) {
    app.editor.runAt("from");
  } else if (key.toLowerCase() === "s" && isControl && !shiftKey && !altKey) {
    file.save();
  } else if (key.toLowerCase() === "b" && isControl && !shiftKey && !altKey) {
    app.toggle("cases");
  } else if (altKey && !isControl && event.code === "KeyT" && studio.hasAgent) {
    studio.take();
  } else if (key === "F6") {
    area(app, shiftKey ? -1 : 1);
  } else if (key === "F8") {
    app.editor.nextError(shiftKey ? -1 : 1);
  } else if (key === "Escape" && run.isRunning && !app.device.contains(event.target)) {
    run.stop();
  } else {
    return false;
  }
  return true;
}

/** The keys that choose what a click does; with Alt also where texts are typed. */
function mode(app, { key, code, target, altKey, ctrlKey, metaKey }) {
  const isTyped = target.matches("input:not([type=range], [type=checkbox]), textarea, select");
  const isDevice = app.device.keys === target;
  const isFree = !isTyped || (isDevice && studio.mode !== "use");
  if (ctrlKey || metaKey || (!altKey && !isFree)) {
    return false;
  }
  const number = altKey ? code.replace("Digit", "") : key;
  switch (number) {
    case "1":
      studio.setMode("use");
      return true;
    case "2":
      studio.toggleRecording();
      return true;
    case "3":
      studio.setMode("point");
      return true;
    case "4":
      studio.setMode("assert");
      return true;
    case "5":
      return studio.devices.length > 1 && app.toggleBeside();
    case "?":
      showKeys();
      return true;
    default:
      return false;
  }
}

/** Goes to the next area of the page, or by -1 to the one before. */
function area(app, by) {
  const places = [
    [app.editor, app.editor.input],
    [app.device, app.device.keys],
    ...app.areas(),
  ].filter(([, first]) => first && first.offsetParent !== null);
  const at = places.findIndex(([part]) => part.contains(document.activeElement));
  places[(at + by + places.length) % places.length]?.[1].focus();
}

/** Shows the list of keys. */
export function showKeys() {
  const rows = KEYS.map(([keys, what]) => {
    const names = keys.map((key) => make("kbd", {}, key));
    return make("div", {}, make("dt", {}, ...names), make("dd", {}, word(what)));
  });
  dialog("keys", word("keys"), make("dl", {}, ...rows));
}
