// Small questions: a name, or yes and no. They are dialogs of the page, so that keys and screen readers reach them.

import { make, unique } from "./dom.js";
import { word } from "./words.js";

/** Asks for a text; resolves with it, or with null where it was cancelled. */
export function ask(question, value = "", accept = "save") {
  const id = unique("ask");
  const input = make("input", { id, type: "text", value, autocomplete: "off", spellcheck: "false" });
  return open(question, accept, make("div", { class: "question" }, make("label", { for: id }, question), input), () => input.value.trim() || null, input);
}

/** Asks yes or no. */
export async function confirm(question, accept) {
  return (await open(question, accept, make("p", {}, question), () => true)) === true;
}

function open(name, accept, content, read, first) {
  return new Promise((resolve) => {
    const submit = make("button", { class: "primary", value: "yes", word: accept });
    const cancel = make("button", { class: "plain", value: "no", type: "button", word: "cancel", onclick: () => dialog.close("") });
    const form = make("form", { method: "dialog" }, content, make("div", { class: "buttons" }, cancel, submit));
    const dialog = make("dialog", { class: "ask", "aria-label": name }, form);
    dialog.onclose = () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? read() : null);
    };
    document.body.append(dialog);
    dialog.showModal();
    (first ?? submit).focus();
    first?.select();
    submit.textContent ||= word(accept);
  });
}
