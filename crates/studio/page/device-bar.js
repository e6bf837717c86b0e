// The bar above a device: its buttons, and for browsers the address, the tabs and what a page asks.

import "./agent.js";
import { button, clip, isOther, make, set } from "./dom.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

const BUTTONS = ["back", "home", "app_switch"];

class DeviceBarElement extends HTMLElement {
  connectedCallback() {
    this.buttons = make("div", { class: "group" });
    this.address = make("input", { type: "text", class: "address", word: "address", named: "address", inputmode: "url", spellcheck: "false", autocomplete: "off" });
    this.form = make("form", { class: "go", onsubmit: (event) => this.go(event) }, this.address);
    this.about = make("p", { class: "about" });
    this.tabs = make("div", { class: "tabs", role: "tablist", named: "tabs" });
    this.dialog = make("div", { class: "asked", role: "group", named: "dialog" });
    this.replaceChildren(make("div", { class: "line" }, this.buttons, this.form, this.about), this.tabs, make("studio-agent"), this.dialog);
    studio.on("device", () => this.draw());
    studio.on("bar", () => this.drawPage());
    studio.on("screen", () => this.drawScreen());
    studio.on("language", () => this.drawPage());
    this.draw();
  }

  draw() {
    const shown = BUTTONS.filter((name) => studio.can(name));
    const made = shown.map((name) => button(name, { class: "quiet", named: name, hint: name, onclick: () => studio.act({ [name]: true }) }));
    if (studio.can("rotate")) {
      made.push(button("rotate", { class: "quiet", named: "rotate", hint: "rotate", onclick: () => this.rotate() }));
    }
    if (studio.isBrowser) {
      made.push(button("reload", { class: "quiet", named: "reload", hint: "reload", onclick: () => studio.screen?.page && studio.act({ url: studio.screen.page }) }));
    }
    this.buttons.replaceChildren(...made);
    this.drawPage();
    this.drawScreen();
  }

  rotate() {
    const { width, height } = studio.frames.get(studio.device) ?? { width: 0, height: 1 };
    studio.act({ rotate: width > height ? "portrait" : "landscape" });
  }

  go(event) {
    event.preventDefault();
    const typed = this.address.value.trim();
    if (typed) {
      studio.act({ url: whole(typed) });
      this.address.blur();
    }
  }

  drawScreen() {
    const { screen } = studio;
    set(this.form, "hidden", !studio.can("url") && !studio.isBrowser);
    set(this.about, "hidden", studio.isBrowser);
    clip(this.about, [screen?.title, screen?.package].filter(Boolean).join(" · "));
    if (document.activeElement !== this.address && this.address.value !== (screen?.page ?? "")) {
      this.address.value = screen?.page ?? "";
    }
  }

  drawPage() {
    const tabs = studio.tabs.get(studio.device) ?? [];
    set(this.tabs, "hidden", tabs.length < 2);
    if (!isOther(this.tabs, studio.device, tabs)) {
      this.#ask(studio.dialogs.get(studio.device) ?? null);
      return;
    }
    const hadFocus = this.tabs.contains(document.activeElement);
    this.tabs.replaceChildren(...tabs.map((tab) => this.#tab(tab, tabs)));
    if (hadFocus) {
      this.tabs.querySelector("[tabindex='0']")?.focus();
    }
    this.#ask(studio.dialogs.get(studio.device) ?? null);
  }

  #tab(tab, tabs) {
    const made = make("button", { type: "button", role: "tab", "aria-selected": String(Boolean(tab.active)), tabindex: tab.active ? 0 : -1 });
    clip(made, tab.title || tab.url || String(tab.index));
    made.onclick = () => studio.act({ tab: tab.index });
    made.onkeydown = ({ key }) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (by) {
        studio.act({ tab: tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length].index });
      }
    };
    return made;
  }

  /** Shows what the page asks, and takes the answer. */
  #ask(dialog) {
    set(this.dialog, "hidden", dialog === null);
    set(this.dialog, "aria-label", word("dialog"));
    if (!isOther(this.dialog, studio.device, dialog)) {
      return;
    }
    if (dialog === null) {
      this.dialog.replaceChildren();
      return;
    }
    const message = make("p", { class: "asked-text" });
    clip(message, `${dialog.type}: ${dialog.message}`);
    const answer = dialog.type === "prompt" ? make("input", { type: "text", named: "answer", value: dialog.default ?? "" }) : null;
    const reply = (how) => studio.act({ dialog: how, ...(answer && how === "accept" ? { text: answer.value } : {}) });
    const accept = make("button", { type: "button", class: "primary", word: "accept", onclick: () => reply("accept") });
    const dismiss = dialog.type === "alert" ? null : make("button", { type: "button", class: "plain", word: "dismiss_dialog", onclick: () => reply("dismiss") });
    if (answer) {
      answer.onkeydown = ({ key }) => key === "Enter" && reply("accept");
    }
    this.dialog.replaceChildren(...[message, answer, accept, dismiss].filter(Boolean));
  }
}

/** An address as it was typed, with what it begins with. */
function whole(typed) {
  if (/^[a-z][a-z0-9+.-]*:(?!\d+(\/|$))/i.test(typed)) {
    return typed;
  }
  // What begins with a slash is a page of the site that the project serves.
  if (typed.startsWith("/")) {
    return typed;
  }
  return /^(localhost|127\.|\[::1\])/.test(typed) ? `http://${typed}` : `https://${typed}`;
}

customElements.define("studio-device-bar", DeviceBarElement);
