// Devices beside each other: the one that is used stands among small live pictures of the others, each with its name.

import { make, say, set } from "./dom.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

const KEY = "uixt-beside";

export class Beside {
  #wants = localStorage.getItem(KEY) === "on";
  #tiles = new Map();
  #device;

  /** `device` is the element whose stage stands among the others. */
  constructor(device) {
    this.#device = device;
    this.name = make("p", { class: "called", "aria-hidden": "true" });
    this.used = make("div", { class: "cell used" }, this.name, device.stage);
    this.room = make("div", { class: "room" }, this.used);
  }

  get isOn() {
    return this.#wants && studio.devices.length > 1;
  }

  toggle() {
    this.#wants = !this.#wants;
    localStorage.setItem(KEY, this.#wants ? "on" : "off");
  }

  /** Puts the devices into their order. */
  arrange() {
    const { isOn } = this;
    const shown = isOn ? studio.devices : [];
    set(this.room, "data-beside", isOn);
    say(this.name, studio.current?.name ?? "");
    const cells = shown.map(({ index, name }) => (index === studio.device ? this.used : this.#tile(index, name)));
    const wanted = isOn ? cells : [this.used];
    if (wanted.length !== this.room.children.length || wanted.some((cell, at) => this.room.children[at] !== cell)) {
      this.room.replaceChildren(...wanted);
    }
    this.fit();
  }

  #tile(index, name) {
    let tile = this.#tiles.get(index);
    if (!tile) {
      const onclick = async () => {
        studio.choose(index);
        await this.#device.ready;
        this.#device.keys.focus({ preventScroll: true });
      };
      tile = make("button", { type: "button", class: "cell", onclick }, make("span", { class: "called" }), make("canvas", { "aria-hidden": "true" }));
      this.#tiles.set(index, tile);
    }
    say(tile.firstElementChild, name);
    set(tile, "aria-label", word("use_device", name));
    set(tile, "title", word("use_device", name));
    return tile;
  }

  /** Draws a picture of a device that is not used. */
  async draw(frame) {
    const picture = await createImageBitmap(frame.picture).catch(() => null);
    const canvas = this.#tiles.get(frame.device)?.lastElementChild;
    if (!picture || !canvas) {
      return;
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const scale = Math.min(1, (devicePixelRatio * canvas.clientWidth) / picture.width, (devicePixelRatio * canvas.clientHeight) / picture.height);
    const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side * scale)));
    if (canvas.width !== width || canvas.height !== height) {
      Object.assign(canvas, { width, height });
    }
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, width, height);
    picture.close();
  }

  /** Takes as many columns as show the pictures largest, and draws them anew. */
  fit() {
    const { length } = this.room.children;
    const { clientWidth, clientHeight } = this.room;
    const sizes = studio.devices.map(({ index }) => studio.frames.get(index)).filter((frame) => frame?.width);
    let [best, most] = [1, 0];
    for (let columns = 1; columns <= length; columns += 1) {
      const room = [clientWidth / columns, clientHeight / Math.ceil(length / columns)];
      const scale = sizes.reduce((sum, { width, height }) => sum + Math.min(room[0] / width, room[1] / height), 0);
      [best, most] = scale > most ? [columns, scale] : [best, most];
    }
    this.room.style.gridTemplateColumns = `repeat(${best}, minmax(0, 1fr))`;
    [...studio.frames.values()].filter(({ device }) => this.isOn && device !== studio.device).forEach((frame) => this.draw(frame));
  }
}
