// Light or dark: as the system is, or as the user chose.

import { notice } from "./dom.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

const THEMES = ["auto", "light", "dark"];

class Theme {
  #name = localStorage.getItem("uixt-theme") ?? "auto";

  constructor() {
    this.#show();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => studio.tell("marks"));
  }

  #show() {
    document.documentElement.dataset.theme = this.#name;
    studio.tell("marks");
  }

  next() {
    this.#name = THEMES[(THEMES.indexOf(this.#name) + 1) % THEMES.length];
    localStorage.setItem("uixt-theme", this.#name);
    this.#show();
    notice(`${word("theme")}: ${word(`theme_${this.#name}`)}`, "info");
  }
}

export const theme = new Theme();
