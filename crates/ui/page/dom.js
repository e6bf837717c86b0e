// Elements from plain data. Texts are set as texts; only `html` takes markup, which the server has cleaned.

const policy = globalThis.trustedTypes?.createPolicy("uixt", { createHTML: (text) => text }) ?? { createHTML: (text) => text };

let count = 0;

/** Returns an id that no other element of the page has. */
export function unique(word) {
  count += 1;
  return `${word}-${count}`;
}

/** Makes an element: `make("button", { class: "primary", onclick: f }, "Save")`. What is null or undefined is left out. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    set(element, key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets an attribute or a listener; true is an attribute without a value, and false, null and undefined are none. */
export function set(element, key, value) {
  if (key.startsWith("on")) {
    element[key] = value;
  } else if (value === true) {
    element.setAttribute(key, "");
  } else if (value === false || value === null || value === undefined) {
    element.removeAttribute(key);
  } else if (element.getAttribute(key) !== String(value)) {
    element.setAttribute(key, value);
  }
}

/** Sets the text of an element where it is another. */
export function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Shows cleaned markup. */
export function markup(element, html) {
  if (element.shown !== html) {
    element.shown = html;
    element.innerHTML = policy.createHTML(html);
  }
}

/** Keeps the children that `wanted` names by key, in its order, and makes those that are missing. */
export function keep(parent, wanted, build) {
  const known = new Map([...parent.children].map((child) => [child.key, child]));
  const kept = new Set(wanted.map(([key]) => key));
  // What is moved loses what is typed into it, so what goes goes first.
  for (const [key, child] of known) {
    if (!kept.has(key)) {
      known.delete(key);
      child.remove();
    }
  }
  let place = parent.firstElementChild;
  for (const [key, data] of wanted) {
    let child = known.get(key);
    known.delete(key);
    if (!child) {
      child = build(data);
      child.key = key;
    }
    if (child === place) {
      place = place.nextElementSibling;
    } else {
      child.isConnected && parent.moveBefore ? parent.moveBefore(child, place) : parent.insertBefore(child, place);
    }
    child.update?.(data);
  }
}

/** Returns a value as a person reads it. */
export function text(value) {
  if (value === null || value === undefined) {
    return "";
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Tells the user what went wrong. */
export function notice(message) {
  const notices = document.getElementById("notices");
  const line = make("p", {}, message, make("button", { class: "quiet", onclick: () => line.remove() }, "Dismiss"));
  [...notices.children].find((known) => known.textContent === line.textContent)?.remove();
  notices.append(line);
  while (notices.children.length > 3) {
    notices.firstElementChild.remove();
  }
}
