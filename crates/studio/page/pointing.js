// Pointing at elements and asserting: what is at a place of the screen, known without asking the server.

import { connection } from "./connection.js";
import { ask } from "./ask.js";
import { notice } from "./dom.js";
import { menu } from "./menu.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

/** Returns the smallest seen element at a place; of equal ones, the deepest. */
export function smallest(elements, [x, y]) {
  let best = null;
  let size = Infinity;
  for (const element of elements) {
    const [left, top, right, bottom] = element.rect;
    const area = (right - left) * (bottom - top);
    if (element.seen && x >= left && x < right && y >= top && y < bottom && area <= size) {
      best = element;
      size = area;
    }
  }
  return best;
}

/** Returns the middle of an element. */
export function centerOf({ rect: [left, top, right, bottom] }) {
  return [(left + right) / 2, (top + bottom) / 2];
}

/** What the pointer means on a device in the modes Point and Assert. */
export function pointing(device) {
  const at = (place) => smallest(studio.screen?.elements ?? [], place);
  return {
    roleAt: (place) => at(place)?.role ?? "",
    hover: (place) => studio.hover(at(place)?.n ?? -1),
    choose: (place, event) => (studio.mode === "assert" ? assert(place, event) : pin(place)),
    cut: (rect) => cut(rect),
  };

  async function pin([x, y]) {
    const found = at([x, y]);
    if (found) {
      studio.pin(found.n);
    }
    const answer = await connection.try("point", { device: studio.device, x, y });
    if (answer) {
      studio.pin(answer.n ?? found?.n ?? -1, answer);
    }
  }

  async function assert([x, y], event) {
    const answer = await connection.try("point", { device: studio.device, x, y });
    if (!answer) {
      return;
    }
    studio.pin(answer.n ?? -1, answer);
    if (!answer.asserts?.length) {
      notice(word("no_asserts"), "info");
      return;
    }
    const kinds = answer.asserts.map(({ kind, text }) => ({ label: text.trim().split("\n")[0], act: () => record({ x, y, kind, text }) }));
    menu(word("choose_assert"), kinds, [event.clientX, event.clientY], device.keys);
  }
}

/** Records an assertion. */
export function record(fields) {
  return connection.try("assert", { device: studio.device, ...fields }, (error) => studio.refused(error));
}

async function cut(rect) {
  const file = await ask(word("picture_name"), "picture.png");
  const answer = file && (await connection.try("picture", { device: studio.device, rect, file }));
  if (answer) {
    notice(word("picture_kept", answer.path), "info");
    studio.tell("try", answer.text);
  }
}
