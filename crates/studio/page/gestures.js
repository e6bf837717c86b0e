// What a pointer does on a device → acts: taps, long presses, paths, scrolls, pinches; in the other modes, what is pointed at.

import { studio } from "./studio.js";

/** Milliseconds. */
const HELD = 500;
const DOUBLE = 220;
const WHEEL = 50;
const PINCH = 150;
/** The most of a wheel's turn that counts at once, and how much of it makes a screen larger by a factor of e. */
const TURN = 25;
const LARGER = 100;
/** How far a press may move and still be none, in pixels of the window. */
const STILL = 6;
/** The most points of a path that are sent. */
const MOST_POINTS = 120;
/** What is clicked twice as two clicks, at once: only elsewhere in a page, a double click is waited for. */
const PRESSED = new Set(["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "option", "textfield", "textbox", "combobox", "searchbox", "spinbutton", "slider"]);

export class Gestures {
  #device;
  #pointing;
  #press = null;
  #late = null;
  #wheel = null;
  #pinch = null;

  constructor(hand, device, pointing) {
    this.#device = device;
    this.#pointing = pointing;
    hand.addEventListener("pointerdown", (event) => this.#down(event));
    hand.addEventListener("pointermove", (event) => this.#move(event));
    hand.addEventListener("pointerup", (event) => this.#up(event));
    hand.addEventListener("pointercancel", () => this.#end());
    hand.addEventListener("pointerleave", () => this.#press || studio.hover(-1));
    hand.addEventListener("contextmenu", (event) => this.#menu(event));
    hand.addEventListener("wheel", (event) => this.#scroll(event), { passive: false });
    hand.addEventListener("keydown", () => this.#flush(), { capture: true });
  }

  #down(event) {
    if (event.button !== 0) {
      event.preventDefault();
      return;
    }
    event.preventDefault();
    this.#device.focusAt(event);
    event.currentTarget.setPointerCapture(event.pointerId);
    const cuts = studio.mode === "point" && event.shiftKey;
    this.#press = { began: event.timeStamp, from: [event.clientX, event.clientY], path: [[...this.#device.at(event), 0]], isStill: true, cuts };
  }

  #move(event) {
    const press = this.#press;
    if (!press) {
      if (studio.mode !== "use") {
        this.#pointing.hover(this.#device.at(event));
      }
      return;
    }
    for (const moved of event.getCoalescedEvents?.() ?? [event]) {
      press.path.push([...this.#device.at(moved), Math.round(moved.timeStamp - press.began)]);
    }
    press.isStill &&= Math.hypot(event.clientX - press.from[0], event.clientY - press.from[1]) < STILL;
    if (!press.isStill) {
      const [left, top] = press.path[0];
      const [x, y] = press.path.at(-1);
      this.#device.drawn = press.cuts ? { rect: rectangle(left, top, x, y) } : studio.mode === "use" ? { path: press.path } : {};
      this.#device.mark();
    }
  }

  #up(event) {
    const press = this.#press;
    this.#end();
    if (!press) {
      return;
    }
    const place = this.#device.at(event);
    const ms = Math.round(event.timeStamp - press.began);
    if (press.cuts && !press.isStill) {
      this.#pointing.cut(rectangle(...press.path[0].slice(0, 2), ...place));
    } else if (studio.mode !== "use") {
      this.#pointing.choose(place, event);
    } else if (!press.isStill) {
      this.#flush();
      studio.act({ path: thinned([...press.path, [...place, ms]]) });
    } else if (ms >= HELD) {
      this.#flush();
      studio.act({ long_press: place, ms });
    } else {
      this.#tap(place);
    }
  }

  #end() {
    this.#press = null;
    this.#device.drawn = {};
    this.#device.mark();
  }

  #tap(place) {
    const late = this.#late;
    if (late && Math.hypot(late.place[0] - place[0], late.place[1] - place[1]) * this.#device.scale < STILL) {
      clearTimeout(late.timer);
      this.#late = null;
      studio.act({ double_tap: place });
      return;
    }
    this.#flush();
    const role = this.#pointing.roleAt(place);
    if (!studio.isBrowser || PRESSED.has(role)) {
      studio.act({ tap: place });
      return;
    }
    this.#late = { place, timer: setTimeout(() => this.#flush(), DOUBLE) };
  }

  /** Does the tap that waits for a second. */
  #flush() {
    if (this.#late) {
      clearTimeout(this.#late.timer);
      const { place } = this.#late;
      this.#late = null;
      studio.act({ tap: place });
    }
  }

  #menu(event) {
    event.preventDefault();
    if (studio.mode === "use" && event.pointerType !== "touch") {
      this.#flush();
      studio.act(studio.isBrowser ? { right_click: this.#device.at(event) } : { back: true });
    }
  }

  #scroll(event) {
    event.preventDefault();
    if (event.ctrlKey) {
      this.#pinched(event);
      return;
    }
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const by = [event.deltaX, event.deltaY].map((delta) => (delta * lines) / this.#device.scale);
    if (this.#wheel) {
      this.#wheel.by = [this.#wheel.by[0] + by[0], this.#wheel.by[1] + by[1]];
      return;
    }
    this.#flush();
    this.#wheel = { scroll: this.#device.at(event), by };
    setTimeout(() => {
      const { scroll, by: all } = this.#wheel;
      this.#wheel = null;
      studio.act({ scroll, by: all.map(Math.round) });
    }, WHEEL);
  }

  /** Two fingers on a trackpad, which browsers tell as a wheel with Ctrl, or a wheel with Ctrl. */
  #pinched(event) {
    const by = Math.max(-TURN, Math.min(-event.deltaY, TURN));
    if (this.#pinch) {
      this.#pinch.by += by;
      return;
    }
    this.#flush();
    this.#pinch = { at: this.#device.at(event), by };
    setTimeout(() => {
      const { at, by: all } = this.#pinch;
      this.#pinch = null;
      const scale = Math.round(Math.min(Math.max(Math.exp(all / LARGER), 0.2), 5) * 100) / 100;
      if (scale !== 1) {
        studio.act({ pinch: at, scale });
      }
    }, PINCH);
  }
}

function rectangle(x, y, toX, toY) {
  return [Math.min(x, toX), Math.min(y, toY), Math.max(x, toX), Math.max(y, toY)].map(Math.round);
}

/** Returns a path with as many points as are worth sending, its first and last among them. */
function thinned(path) {
  const step = Math.ceil(path.length / MOST_POINTS);
  return path.filter((_, at) => at % step === 0 || at === path.length - 1);
}
