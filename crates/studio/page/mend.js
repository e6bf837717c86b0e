// Steps of a run whose targets are gone: how each may be mended, as the server tells; what is chosen is written.

import { connection } from "./connection.js";
import { button, clip, dialog, make, say, set } from "./dom.js";
import { file } from "./file.js";
import { run } from "./run.js";
import { word } from "./words.js";

/** The most characters of a text that are shown. */
const MOST = 4000;

/** A button that asks how a run may be mended; of a step, only that one where something is known of it. */
export function mendButton(folder, step = {}) {
  const made = button("mend", { class: "plain", hint: "mend_hint" }, "mend");
  made.onclick = async () => {
    made.disabled = true;
    const answer = await connection.try("repairs", { folder });
    made.disabled = false;
    if (answer) {
      const ofStep = answer.repairs.filter((one) => one.file === step.file && one.line === step.line);
      open(folder, ofStep.length ? ofStep : answer.repairs);
    }
  };
  return made;
}

function open(folder, repairs) {
  const again = button("play", { class: "primary", hidden: true }, "run_again");
  const told = make("p", { class: "told", role: "status" });
  const goTo = ({ file: path, line }) => (shown.close(), file.goTo(path, line));
  const wrote = (path, message) => {
    say(told, message ?? "");
    set(again, "hidden", false);
    again.onclick = () => (shown.close(), run.again(path));
  };
  const none = repairs.length ? null : make("p", { class: "none" }, word("no_repairs"));
  const shown = dialog("mend", word("mend"), none, ...repairs.map((one) => repair(folder, one, goTo, wrote)), make("div", { class: "buttons" }, told, again));
}

/** A step that may be mended, with what may be written instead. */
function repair(folder, one, goTo, wrote) {
  const place = make("button", { type: "button", class: "quiet place", hint: "to_line", onclick: () => goTo(one) });
  clip(place, one.place);
  const now = make("code");
  clip(now, one.now ?? "");
  const notes = [one.doubt, one.left].filter(Boolean).map((text) => make("p", { class: "sight" }, text.slice(0, MOST)));
  const write = async (choice) => {
    const enable = (on) => buttons.forEach((made) => set(made, "disabled", !on));
    enable(false);
    if (!(await file.settle(one.file))) {
      return;
    }
    const answer = await connection.try("repair", { folder, place: one.place, choice });
    if (answer) {
      // What runs again is what is shown: only once that is what was written.
      await file.renew(answer.file);
      wrote(answer.file ?? one.file, answer.message);
    } else {
      enable(true);
    }
  };
  const buttons = one.choices.map(({ why }, at) => make("button", { type: "button", class: "plain", "aria-label": `${word("mend_so")}: ${why}`.slice(0, 300), onclick: () => write(at) }, word("mend_so")));
  const choices = one.choices.map(({ why, diff }, at) => {
    const lines = diff.slice(0, MOST).replace(/^ {2}(?=[-+] )/gm, "").trimEnd().split("\n");
    return make("li", {}, make("div", { class: "line" }, make("span", {}, why), buttons[at]), make("pre", { class: "diff", tabindex: 0 }, ...lines.map(line)));
  });
  return make("section", { class: "repair" }, place, now, ...notes, make("ul", {}, ...choices));
}

function line(text) {
  return make("span", { class: { "+": "added", "-": "removed" }[text[0]] }, `${text}\n`);
}
