// A picture of a step with the place that it touched; a click shows it whole.

import { dialog, make, set } from "./dom.js";
import { word } from "./words.js";

/** Returns a picture with its mark, as wide as there is room. */
export function picture(address, mark, name) {
  const image = make("img", { src: address, alt: name, decoding: "async" });
  const frame = make("span", { class: "marked" }, image, ...marks(mark));
  return frame;
}

/** The same as a button that shows it whole. */
export function openable(address, mark, name) {
  const words = { "aria-label": `${name}. ${word("whole_picture")}`, title: word("whole_picture") };
  const open = () => whole(address, mark, name);
  return make("button", { type: "button", class: "picture", ...words, onclick: open }, picture(address, mark, ""));
}

function whole(address, mark, name) {
  const shown = dialog("whole", name, picture(address, mark, name));
  shown.onclick = ({ target }) => target === shown && shown.close();
}

const percent = (part) => `${Math.max(0, Math.min(1, part)) * 100}%`;

/** A mark as `{point}`, `{path}` or `{rect}`; gestures are told by their names. */
function placed(mark) {
  switch (mark?.gesture) {
    case "tap":
      return { point: [mark.x, mark.y] };
    case "swipe":
      return { path: [[mark.from_x, mark.from_y], [mark.to_x, mark.to_y]] };
    default:
      return mark;
  }
}

function marks(told) {
  const made = [];
  const mark = placed(told);
  if (mark?.rect) {
    const [left, top, right, bottom] = mark.rect;
    const box = make("span", { class: "mark-box" });
    Object.assign(box.style, { left: percent(left), top: percent(top), width: percent(right - left), height: percent(bottom - top) });
    made.push(box);
  }
  if (mark?.path?.length) {
    made.push(line(mark.path));
  }
  const point = mark?.point ?? mark?.path?.at(-1);
  if (point) {
    const dot = make("span", { class: "mark-dot" });
    Object.assign(dot.style, { left: percent(point[0]), top: percent(point[1]) });
    made.push(dot);
  }
  return made;
}

function line(path) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  set(drawing, "class", "mark-path");
  set(drawing, "viewBox", "0 0 100 100");
  set(drawing, "preserveAspectRatio", "none");
  set(drawing, "aria-hidden", "true");
  const drawn = document.createElementNS(space, "polyline");
  set(drawn, "points", path.map(([x, y]) => `${x * 100},${y * 100}`).join(" "));
  drawing.append(drawn);
  return drawing;
}
