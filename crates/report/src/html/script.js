"use strict";
// Comfort only: without this script every case opens and the filter works; searching and keys need it.
(() => {
  const one = (selector) => document.querySelector(selector);
  const cases = [...document.querySelectorAll("main .case")];
  const groups = [...document.querySelectorAll("main > .group")];
  const find = one("#find");
  const fold = one("#fold");
  const found = one("output");
  const nothing = one(".nothing");
  // Asked of the tools, not of the layout: what is far away has none.
  const shown = () => {
    const kind = one("fieldset :checked").id.replace(/^all$|^only-/, "");
    return (item) => !item.hidden && (kind === "" || item.classList.contains(kind));
  };
  one("main").classList.add("counted");
  one(".find").hidden = one("footer").hidden = false;

  const texts = new Map();
  const text = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };

  function search() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of cases) item.hidden = !words.every((word) => text(item).includes(word));
    tell(words.length > 0);
  }

  // Groups of cases that are far away are as high as what is shown of them.
  function count() {
    const isShown = shown();
    let left = 0;
    for (const group of groups) {
      const those = [...group.children].filter(isShown).length;
      group.hidden = those === 0;
      group.style.setProperty("--n", those);
      left += those;
    }
    return left;
  }

  function tell(searching) {
    const left = count();
    found.textContent = searching ? `${left} of ${cases.length}` : "";
    nothing.hidden = left > 0 || cases.length === 0;
  }

  function go(to) {
    if (!to) return;
    to.firstElementChild.focus({ preventScroll: true });
    to.firstElementChild.scrollIntoView({ block: "center" });
  }

  function move(by, wanted = () => true) {
    const items = cases.filter(shown());
    const here = items.indexOf(document.activeElement.closest(".case"));
    let at = here < 0 && by < 0 ? items.length : here;
    do at += by; while (items[at] && !wanted(items[at]));
    go(items[at]);
  }

  function shrink() {
    for (const box of document.querySelectorAll(".shot > :checked")) box.checked = false;
  }

  // `#login.yaml%230` and `#login.yaml%230/3` are for others to keep; `#c1` and `#c1s3` are the page's own.
  function named() {
    let name;
    try {
      name = decodeURIComponent(location.hash.slice(1));
    } catch {
      return {};
    }
    const own = /^(c\d+)(?:s(\d+))?$/.exec(name);
    if (own) return { item: document.getElementById(own[1]), step: own[2] };
    const [, id, step] = /^(.+#\d+)(?:\/(\d+))?$/s.exec(name) ?? [];
    return { item: id && cases.find((item) => item.dataset.id === id), step };
  }

  function open() {
    const { item, step } = named();
    if (!item) return;
    item.open = true;
    const row = step && item.querySelector(`.steps > li[value="${step}"]`);
    one(".here")?.classList.remove("here");
    row?.classList.add("here");
    if (row) row.scrollIntoView({ block: "center" });
    else item.scrollIntoView();
  }

  // What is looked at stands in the address, so that it can be sent to somebody.
  function note(event) {
    const item = event.target.closest(".case");
    if (!item || event.target.closest("a, label, input, details:not(.case)")) return;
    const row = event.target.closest(".steps > li");
    const opened = event.target.closest("summary") && !item.open;
    if (!row && !opened) return;
    const step = row ? `/${row.value}` : "";
    history.replaceState(null, "", `#${encodeURIComponent(item.dataset.id)}${step}`);
  }

  let waiting;
  find.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  one("fieldset").addEventListener("change", () => tell(find.value.trim() !== ""));
  fold.addEventListener("click", () => {
    const opening = fold.textContent === "Open all";
    for (const item of cases.filter(shown())) item.open = opening;
    fold.textContent = opening ? "Close all" : "Open all";
  });
  one("main").addEventListener("click", note);
  addEventListener("hashchange", open);
  open();
  // A browser may bring back what was typed before a reload.
  if (find.value) search();

  const keys = {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    n: () => move(1, (item) => item.matches(".f, .e, .y")),
    "/": () => find.select(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      shrink();
      if (event.target === find) {
        find.value = "";
        search();
        find.blur();
      }
      return;
    }
    if (event.target.matches("input:not([type=checkbox])")) return;
    const arrow = event.key.startsWith("Arrow");
    if (!keys[event.key] || (arrow && !event.target.matches(".case > summary"))) return;
    event.preventDefault();
    keys[event.key]();
  });
})();
