// A device: its live picture, what is outlined on it, and what a hand does there.

import { Beside } from "./beside.js";
import { connection } from "./connection.js";
import "./device-bar.js";
import { icon, make, say, set } from "./dom.js";
import { Gestures } from "./gestures.js";
import { drawMarks } from "./overlay.js";
import { picks } from "./picker.js";
import { pointing } from "./pointing.js";
import { studio } from "./studio.js";
import { Typing } from "./typing.js";
import { word } from "./words.js";

/** How much larger than its own pixels a screen is shown at most. */
const LARGEST = 1.5;
/** The longer side of a small picture, in pixels. */
const SHOT = 640;
/** Milliseconds between the frames of a device that is not shown. */
const UNSEEN = 1000;

class DeviceElement extends HTMLElement {
  /** The size of the screen in its own pixels, and how large one of them is shown. */
  size = [0, 0];
  scale = 1;
  /** What the hand draws at present: a path or a rectangle, in pixels of the screen. */
  drawn = {};
  #picture = null;
  #isMarking = false;

  connectedCallback() {
    this.build();
    this.pointing = pointing(this);
    new Gestures(this.hand, this, this.pointing);
    new Typing(this.keys, this);
    picks(this);
    studio.shot = () => this.#shot();
    new ResizeObserver(() => this.fit()).observe(this.stage);
    new ResizeObserver(() => this.beside.fit()).observe(this.beside.room);
    studio.on("frame", (frame) => this.take(frame));
    studio.on("device", () => this.show());
    studio.on("screen", () => this.tellMode());
    studio.on("marks", () => this.mark());
    studio.on("mode", () => this.tellMode());
    studio.on("language", () => this.tellMode());
    connection.addEventListener("state", () => this.tellState());
    this.show();
    this.tellState();
    this.tellMode();
  }

  build() {
    this.tabs = make("div", { class: "devices", role: "tablist", named: "devices" });
    this.bar = make("studio-device-bar");
    this.frame = make("canvas", { class: "frame", "aria-hidden": "true" });
    this.marks = make("canvas", { class: "marks", "aria-hidden": "true" });
    this.keys = make("textarea", { class: "catch", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "device-help" });
    this.hand = make("div", { class: "hand" }, this.frame, this.marks, this.keys);
    this.empty = make("p", { class: "empty" }, icon("point"), make("span", { word: "no_frame" }));
    this.stage = make("div", { class: "stage" }, this.hand, this.empty);
    this.beside = new Beside(this);
    this.lost = make("p", { class: "lost", role: "status", hidden: true });
    this.help = make("p", { class: "help", id: "device-help" });
    this.replaceChildren(this.tabs, this.bar, this.lost, this.beside.room, this.help);
  }

  /** Shows the device that is chosen. */
  show() {
    const { devices, current } = studio;
    set(this.tabs, "hidden", devices.length < 2 || this.beside.isOn);
    this.beside.arrange();
    this.tabs.replaceChildren(...devices.map((device) => this.#tab(device)));
    set(this.keys, "aria-label", word("screen_of", current?.name ?? word("no_device")));
    this.#picture = null;
    const frame = studio.frames.get(studio.device);
    this.ready = frame ? this.#draw(frame) : null;
    this.fit();
  }

  #tab(device) {
    const isShown = device.index === studio.device;
    const onclick = () => studio.choose(device.index);
    const tab = make("button", { type: "button", role: "tab", "aria-selected": String(isShown), tabindex: isShown ? 0 : -1, title: device.serial, onclick }, device.name);
    tab.onkeydown = ({ key }) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (by) {
        const all = studio.devices;
        const next = all[(all.indexOf(device) + by + all.length) % all.length];
        studio.choose(next.index);
        this.tabs.querySelector("[aria-selected=true]").focus();
      }
    };
    return tab;
  }

  /** Takes a frame; the next is asked for once it is drawn. */
  async take(frame) {
    if (frame.device === studio.device) {
      await this.#draw(frame);
    } else if (this.beside.isOn) {
      await this.beside.draw(frame);
    } else {
      await new Promise((resolve) => setTimeout(resolve, UNSEEN));
    }
    connection.shown(frame);
  }

  async #draw(frame) {
    const picture = await createImageBitmap(frame.picture).catch(() => null);
    if (!picture || frame.device !== studio.device) {
      return;
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
    this.#picture?.close();
    this.#picture = picture;
    // The first picture may come before the size is known.
    const size = [[frame.width, frame.height], studio.screen?.size, [picture.width, picture.height]].find((one) => one?.[0]);
    const isTurned = this.size[0] !== size[0] || this.size[1] !== size[1];
    this.size = size;
    if (isTurned || this.hand.hidden) {
      this.fit();
    } else {
      this.#paint();
    }
  }

  /** Fits the screen into the room that there is, to whole pixels. */
  fit() {
    const [width, height] = this.size;
    const hasPicture = Boolean(this.#picture) && width > 0;
    set(this.empty, "hidden", hasPicture);
    set(this.hand, "hidden", !hasPicture);
    if (!hasPicture) {
      return;
    }
    const room = this.stage.getBoundingClientRect();
    this.scale = Math.max(0.02, Math.min((room.width - 16) / width, (room.height - 16) / height, LARGEST));
    const shown = [Math.round(width * this.scale), Math.round(height * this.scale)];
    this.hand.style.width = `${shown[0]}px`;
    this.hand.style.height = `${shown[1]}px`;
    for (const canvas of [this.frame, this.marks]) {
      canvas.width = Math.round(shown[0] * devicePixelRatio);
      canvas.height = Math.round(shown[1] * devicePixelRatio);
    }
    this.#paint();
    this.#mark();
  }

  #paint() {
    const context = this.frame.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(this.#picture, 0, 0, this.frame.width, this.frame.height);
  }

  #shot() {
    if (!this.#picture) {
      return null;
    }
    const { width, height } = this.#picture;
    const scale = Math.min(1, SHOT / Math.max(width, height));
    const canvas = make("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(this.#picture, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/jpeg", 0.75);
  }

  /** Draws what is outlined, once before the next picture. */
  mark() {
    if (!this.#isMarking) {
      this.#isMarking = true;
      requestAnimationFrame(() => this.#mark());
    }
  }

  #mark() {
    this.#isMarking = false;
    const context = this.marks.getContext("2d");
    const factor = this.scale * devicePixelRatio;
    drawMarks(context, factor, this.drawn);
  }

  /** Returns the place of the screen at a place of the window. */
  at({ clientX, clientY }) {
    const box = this.hand.getBoundingClientRect();
    const inside = (value, most) => Math.round(Math.min(Math.max(value, 0), most - 1) * 10) / 10;
    return [inside((clientX - box.left) / this.scale, this.size[0]), inside((clientY - box.top) / this.scale, this.size[1])];
  }

  /** Returns the place of the window where a place of the screen is shown. */
  shownAt([x, y]) {
    const box = this.hand.getBoundingClientRect();
    return { clientX: box.left + x * this.scale, clientY: box.top + y * this.scale };
  }

  /** Gives the device the keys, and puts what is composed where the hand was. */
  focusAt({ clientX, clientY }) {
    const box = this.hand.getBoundingClientRect();
    this.keys.style.left = `${Math.max(0, Math.min(clientX - box.left, box.width - 8))}px`;
    this.keys.style.top = `${Math.max(0, Math.min(clientY - box.top, box.height - 24))}px`;
    this.keys.focus({ preventScroll: true });
  }

  tellMode() {
    set(this, "data-mode", studio.mode);
    const { trouble } = studio.screen ?? {};
    set(this.help, "data-trouble", Boolean(trouble));
    say(this.help, trouble ? word("trouble", trouble.slice(0, 300)) : word(studio.mode === "use" ? "leave" : `${studio.mode}_hint`));
    set(this.keys, "aria-label", word("screen_of", studio.current?.name ?? word("no_device")));
  }

  tellState() {
    const isLost = !connection.isOpen && studio.hello !== null;
    set(this.lost, "hidden", !isLost);
    say(this.lost, isLost ? word("lost") : "");
    set(this, "data-lost", isLost);
  }
}

customElements.define("studio-device", DeviceElement);
