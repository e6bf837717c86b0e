// Keys that a device gets while it has the focus: characters as texts, composed ones too; other keys by their names.

import { centerOf } from "./pointing.js";
import { studio } from "./studio.js";

/** Milliseconds within which a second Escape leaves the device; only then is the first one the device's. */
const TWICE = 350;
const ALONE = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified", "F6"]);
const MODIFIERS = [["ctrlKey", "Control"], ["altKey", "Alt"], ["shiftKey", "Shift"], ["metaKey", "Meta"]];

export class Typing {
  #keys;
  #device;
  #escaped = null;

  constructor(keys, device) {
    this.#keys = keys;
    this.#device = device;
    keys.addEventListener("keydown", (event) => this.#down(event));
    keys.addEventListener("input", (event) => event.isComposing || this.#typed());
    keys.addEventListener("compositionend", () => this.#typed());
    keys.addEventListener("paste", (event) => this.#paste(event));
  }

  #down(event) {
    if (event.isComposing || event.keyCode === 229 || ALONE.has(event.key) || event.defaultPrevented) {
      return;
    }
    if (event.key === "Escape" && !event.shiftKey && !event.ctrlKey && !event.altKey) {
      this.#escape(event);
      return;
    }
    // With Alt, these are the page's: what a click does, devices beside each other, taking over.
    if (event.altKey && (/^Digit[1-5]$/.test(event.code) || (event.code === "KeyT" && studio.hasAgent))) {
      return;
    }
    this.#flush();
    if (studio.mode !== "use") {
      this.#walk(event);
      return;
    }
    const isCharacter = [...event.key].length === 1;
    const isShort = event.ctrlKey || event.metaKey || (event.altKey && !event.getModifierState("AltGraph"));
    // Characters come by `input`, pasted texts by `paste`.
    if (isCharacter && (!isShort || (event.key.toLowerCase() === "v" && !event.altKey))) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const held = MODIFIERS.filter(([flag, name]) => event[flag] && !(isCharacter && !isShort && name === "Shift")).map(([, name]) => name);
    studio.act({ key: [...held, isCharacter ? event.key.toLowerCase() : event.key].join("+") });
  }

  /** Leaves the device where Escape comes twice; once, it is a key as others are. */
  #escape(event) {
    event.preventDefault();
    event.stopPropagation();
    if (this.#escaped !== null) {
      clearTimeout(this.#escaped);
      this.#escaped = null;
      this.#device.dispatchEvent(new CustomEvent("leave", { bubbles: true }));
    } else {
      this.#escaped = setTimeout(() => this.#flush(), TWICE);
    }
  }

  /** Sends the Escape that waits for a second. */
  #flush() {
    if (this.#escaped !== null) {
      clearTimeout(this.#escaped);
      this.#escaped = null;
      if (studio.mode === "use") {
        studio.act({ key: "Escape" });
      } else {
        studio.pin(-1);
      }
    }
  }

  /** Goes from element to element while pointing: to the parent, a child, the ones beside. */
  #walk(event) {
    const elements = studio.screen?.elements ?? [];
    const kept = studio.element(studio.pinned);
    if (event.key === "Enter" && kept) {
      event.preventDefault();
      const center = centerOf(kept);
      this.#device.pointing.choose(center, this.#device.shownAt(center));
      return;
    }
    const steps = { ArrowUp: 1, ArrowDown: 1, ArrowLeft: 1, ArrowRight: 1 };
    if (!steps[event.key] || !elements.length) {
      return;
    }
    event.preventDefault();
    const beside = kept ? elements.filter(({ parent }) => parent === kept.parent) : [];
    const at = beside.indexOf(kept);
    const child = elements.find(({ parent }) => parent === kept?.n);
    const ways = { ArrowUp: studio.element(kept?.parent), ArrowDown: child, ArrowLeft: beside[at - 1], ArrowRight: beside[at + 1] };
    const next = kept ? ways[event.key] : elements[0];
    if (next) {
      studio.pin(next.n);
    }
  }

  #typed() {
    const text = this.#keys.value;
    this.#keys.value = "";
    if (text && studio.mode === "use") {
      studio.act({ type: text });
    }
  }

  #paste(event) {
    event.preventDefault();
    const text = event.clipboardData.getData("text/plain");
    if (text && studio.mode === "use") {
      studio.act({ type: text });
    }
  }
}
