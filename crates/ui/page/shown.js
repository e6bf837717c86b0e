// Fields that only show: image, table, component, html, tag, progress, badge, modal.

import { connection } from "./connection.js";
import { Field } from "./field.js";
import { keep, make, markup, notice, say, set, text, unique } from "./dom.js";

/** Components in components. */
const DEEPEST = 4;

/** A window over the page with a button that closes it. */
function dialog(title, content) {
  const id = unique("dialog");
  const close = make("button", { class: "secondary", onclick: () => element.close() }, "Close");
  const heading = make("h2", { id });
  const element = make("dialog", { "aria-labelledby": id }, heading, content, make("div", { class: "actions" }, close));
  element.retitle = (text) => say(heading, text);
  element.retitle(title);
  return element;
}

/** Something under a name that is no control. */
class Shown extends Field {
  named(content) {
    this.label = make("div", { class: "name", id: unique("name") });
    this.append(this.label, content);
    set(content, "aria-labelledby", this.label.id);
    this.control = content;
  }
}

class ImageField extends Shown {
  build() {
    this.picture = make("img");
    this.missing = make("p", { class: "missing", hidden: true });
    this.caption = make("figcaption");
    this.open = make("button", { class: "quiet", onclick: () => this.#show() }, "Full screen");
    this.save = make("a", { class: "quiet" }, "Download");
    const tools = make("div", { class: "tools" }, this.open, this.save);
    this.named(make("figure", {}, this.picture, this.missing, this.caption, tools));
    this.picture.onerror = () => this.#fail();
    this.picture.onload = () => this.#succeed();
  }

  draw(value) {
    const { field } = this;
    const source = address(text(value));
    set(this.picture, "alt", field.label || field.subtitle || "Picture");
    set(this.picture, "loading", field.lazy ? "lazy" : null);
    this.picture.style.height = /^\d{1,4}(px|%|vh|rem|em)$/.test(field.imageHeight ?? "") ? field.imageHeight : "auto";
    this.picture.style.objectFit = field.imageFit ?? "contain";
    say(this.caption, field.subtitle ?? "");
    if (source) {
      set(this.picture, "src", source);
      set(this.save, "href", source);
      set(this.save, "download", field.key);
    } else {
      this.#fail();
    }
  }

  #fail() {
    set(this.picture, "hidden", true);
    set(this.missing, "hidden", false);
    say(this.missing, this.field.fallback ?? "There is no picture.");
    this.#offer(false);
  }

  #succeed() {
    set(this.picture, "hidden", false);
    set(this.missing, "hidden", true);
    this.#offer(true);
  }

  #offer(isThere) {
    set(this.open, "hidden", !isThere || this.field.showFullscreen === false);
    set(this.save, "hidden", !isThere || this.field.showDownload === false);
  }

  #show() {
    const large = dialog(this.field.label, make("img", { src: this.picture.src, alt: this.picture.alt }));
    large.classList.add("large");
    large.onclose = () => large.remove();
    this.append(large);
    large.showModal();
  }
}

/** Returns where a picture lies, where that is an address of one. */
function address(source) {
  return /^(https?:\/\/|\/ui\/files\/|data:image\/)/i.test(source) ? source : "";
}

class TableField extends Shown {
  build() {
    this.head = make("tr");
    this.thead = make("thead", {}, this.head);
    this.body = make("tbody");
    this.table = make("table", {}, this.thead, this.body);
    this.empty = make("p", { class: "missing" }, "Nothing is here yet.");
    this.named(make("div", { class: "scroll", role: "group", tabindex: 0 }, this.table, this.empty));
  }

  draw(value) {
    const columns = (this.field.columns ?? []).map((column) => (typeof column === "string" ? { key: column, label: column } : column));
    const rows = Array.isArray(value) ? value : [];
    const heads = this.field.row_action ? [...columns, { key: " action", label: "" }] : columns;
    set(this.thead, "hidden", columns.every((column) => !column.label));
    keep(this.head, heads.map((column, index) => [column.key === " action" ? " action" : index, column]), (column) => (column.key === " action" ? make("td") : make("th", { scope: "col" })));
    heads.forEach((column, index) => say(this.head.children[index], column.label ?? ""));
    keep(this.body, rows.map((row, index) => [index, { row, columns }]), () => this.#row());
    set(this.table, "hidden", rows.length === 0);
    set(this.empty, "hidden", rows.length > 0);
  }

  #row() {
    const element = make("tr");
    element.update = ({ row, columns }) => {
      const action = this.field.row_action;
      const cells = columns.map((column, index) => [index, text(row?.[column.key])]);
      const wanted = action ? [...cells, [" action", cells[0]?.[1] ?? ""]] : cells;
      keep(element, wanted.map(([key, shown]) => [key, { key, shown }]), ({ key }) => (key === " action" ? this.#opener() : make("td")));
      cells.forEach(([, shown], index) => say(element.children[index], shown));
      element.row = row;
      element.onclick = action ? () => this.#choose(row) : null;
      set(element, "class", action ? "chosen" : null);
    };
    return element;
  }

  #opener() {
    const button = make("button", { class: "quiet" }, "Open");
    const cell = make("td", {}, button);
    cell.update = ({ shown }) => set(button, "aria-label", `Open ${shown}`);
    return cell;
  }

  #choose(row) {
    this.dispatchEvent(new CustomEvent("act", { bubbles: true, detail: { action: this.field.row_action, row } }));
  }
}

class ComponentField extends Shown {
  build() {
    this.frame = make("div", { class: "component", role: "group" });
    this.named(this.frame);
  }

  draw() {
    const target = this.field.target_instance;
    const around = [];
    for (let element = this.closest("ui-instance"); element; element = element.parentElement?.closest("ui-instance")) {
      around.push(element.getAttribute("instance"));
    }
    if (around.includes(target) || around.length >= DEEPEST) {
      this.frame.replaceChildren(make("p", { class: "missing" }, `${target} is not shown in itself.`));
    } else if (this.frame.firstElementChild?.getAttribute("instance") !== target) {
      this.frame.replaceChildren(make("ui-instance", { instance: target }));
    }
  }
}

class HtmlField extends Shown {
  build() {
    this.named(make("div", { class: "html", role: "group" }));
  }

  get showsDescription() {
    return Boolean(text(this.document.value(this.block, this.field)));
  }

  draw() {
    markup(this.control, this.document.html(this.block, this.field));
  }
}

class TagField extends Shown {
  build() {
    this.named(make("ul", { class: "tags" }));
  }

  draw(value) {
    const tags = Array.isArray(value) ? value.map(text) : text(value).split(/[,，]/).map((tag) => tag.trim());
    const shown = tags.filter(Boolean);
    keep(this.control, shown.map((tag, index) => [index, tag]), () => make("li"));
    shown.forEach((tag, index) => say(this.control.children[index], tag));
  }
}

class ProgressField extends Shown {
  build() {
    this.bar = make("progress", { max: 100 });
    this.share = make("span", { class: "share" });
    this.named(this.bar);
    this.append(this.share);
  }

  draw(value) {
    const share = Math.min(100, Math.max(0, Number.parseFloat(text(value)) || 0));
    this.bar.value = share;
    say(this.share, `${Math.round(share)} %`);
  }
}

class BadgeField extends Shown {
  build() {
    this.badge = make("span", { class: "badge" });
    this.label = make("span", { class: "name", id: unique("name") });
    this.control = this.badge;
    this.append(make("div", { class: "line" }, this.label, this.badge));
  }

  draw(value) {
    say(this.badge, text(value));
    set(this.badge, "hidden", text(value) === "");
  }
}

class ModalField extends Field {
  build() {
    this.words = make("p", { class: "words" });
    this.window = dialog("", this.words);
    this.label = make("button", { class: "secondary", onclick: () => this.window.showModal() });
    this.append(this.label, this.window);
  }

  get showsDescription() {
    return false;
  }

  draw(value) {
    this.window.retitle(this.field.label);
    say(this.words, text(value) || this.field.description || "");
  }
}

customElements.define("ui-image", ImageField);
customElements.define("ui-table", TableField);
customElements.define("ui-component", ComponentField);
customElements.define("ui-html", HtmlField);
customElements.define("ui-tag", TagField);
customElements.define("ui-progress", ProgressField);
customElements.define("ui-badge", BadgeField);
customElements.define("ui-modal", ModalField);
