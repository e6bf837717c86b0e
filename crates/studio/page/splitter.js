// The line between the editor and the device: dragged, or moved by arrow keys.

import { make, set } from "./dom.js";

const LEAST = 20;
const MOST = 75;
const STEP = 2;

/** Returns a splitter that sets `--share` of an element: how much of the room for both the editor takes, in percent. */
export function splitter(main, before, after) {
  const line = make("div", { class: "splitter", role: "separator", "aria-orientation": "vertical", "aria-valuemin": LEAST, "aria-valuemax": MOST, tabindex: 0, named: "width" });
  const show = (share, isChosen = true) => {
    const within = Math.round(Math.max(LEAST, Math.min(share, MOST)));
    main.style.setProperty("--editor", `${within}fr`);
    main.style.setProperty("--device", `${100 - within}fr`);
    set(line, "aria-valuenow", within);
    if (isChosen) {
      localStorage.setItem("uixt-share", String(within));
    }
  };
  line.reset = (usual) => show(Number(localStorage.getItem("uixt-share")) || usual, false);
  line.onpointerdown = (event) => {
    line.setPointerCapture(event.pointerId);
    event.preventDefault();
    line.focus();
  };
  line.onpointermove = ({ clientX, pointerId }) => {
    if (line.hasPointerCapture(pointerId)) {
      const from = before.getBoundingClientRect().left;
      const to = after.getBoundingClientRect().right;
      show(((clientX - from) / (to - from)) * 100);
    }
  };
  line.onkeydown = (event) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (by) {
      event.preventDefault();
      show(Number(line.getAttribute("aria-valuenow")) + by);
    }
  };
  return line;
}
