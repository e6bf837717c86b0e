// A menu at a place of the window: by pointer, by arrow keys, by the first letter.

import { clip, make } from "./dom.js";

/** Opens a menu; `rows` are `{label, act}`; the focus comes back to `from`. */
export function menu(name, rows, [x, y], from) {
  document.querySelector(".menu")?.close();
  const list = make("div", { class: "menu", role: "menu", "aria-label": name, tabindex: -1 });
  list.append(make("p", { class: "menu-name", "aria-hidden": "true" }, name));
  const items = rows.map(({ label, act }) => {
    const item = make("button", { type: "button", role: "menuitem", tabindex: -1, onclick: () => (list.close(), act()) });
    clip(item, label);
    return item;
  });
  list.append(...items);
  const outside = (event) => list.contains(event.target) || list.close();
  list.close = () => {
    removeEventListener("pointerdown", outside, true);
    list.remove();
    from?.focus({ preventScroll: true });
  };
  list.onkeydown = (event) => {
    const at = items.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    const lettered = event.key.length === 1 ? items.findIndex((item, place) => place > at && item.textContent.toLowerCase().includes(event.key.toLowerCase())) : -1;
    if (event.key === "Escape" || event.key === "Tab") {
      list.close();
    } else if (next !== undefined) {
      items[next % items.length].focus();
    } else if (lettered >= 0) {
      items[lettered].focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  document.querySelector("main").append(list);
  const box = list.getBoundingClientRect();
  list.style.left = `${Math.max(8, Math.min(x, innerWidth - box.width - 8))}px`;
  list.style.top = `${Math.max(8, Math.min(y, innerHeight - box.height - 8))}px`;
  addEventListener("pointerdown", outside, true);
  items[0]?.focus();
}
