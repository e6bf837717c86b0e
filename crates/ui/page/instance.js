// An instance, drawn from its schema: title, what it says, blocks of fields, buttons.

import { connection } from "./connection.js";
import { keep, make, notice, say, set, text, unique } from "./dom.js";
import "./inputs.js";
import "./choices.js";
import "./shown.js";

class InstanceElement extends HTMLElement {
  connectedCallback() {
    const id = this.getAttribute("instance");
    this.document = connection.open(id);
    this.redraw = () => this.draw();
    this.document.addEventListener("change", this.redraw);
    this.addEventListener("act", (event) => {
      event.stopPropagation();
      this.act(event.detail.action, event.detail.row);
    });
    addEventListener("pagehide", this.flush);
    this.build();
    this.draw();
  }

  disconnectedCallback() {
    removeEventListener("pagehide", this.flush);
    this.document.removeEventListener("change", this.redraw);
    connection.close(this.document.id);
  }

  get isWhole() {
    return this.parentElement?.id === "main";
  }

  build() {
    this.heading = make(this.isWhole ? "h1" : "h2", { id: unique("title") });
    this.version = make("span", { class: "version" });
    this.back = make("button", { class: "quiet", onclick: () => this.undo() }, "Undo");
    this.top = make("div", { class: "top" }, this.heading, this.version, this.back);
    this.status = make("p", { class: "message", role: "status" });
    this.error = make("p", { class: "error", role: "alert" });
    this.missing = make("p", { class: "missing" }, "Loading…");
    this.blocks = make("div", { class: "blocks" });
    this.actions = make("div", { class: "actions" });
    this.replaceChildren(this.top, this.missing, this.status, this.error, this.blocks, this.actions);
  }

  draw() {
    const { document: shown } = this;
    const { schema } = shown;
    set(this.missing, "hidden", Boolean(schema));
    for (const part of [this.version, this.back, this.blocks, this.actions]) {
      set(part, "hidden", !schema);
    }
    if (!schema) {
      say(this.heading, shown.id);
      say(this.missing, shown.isGone ? `There is no instance “${shown.id}”.` : "Loading…");
      say(this.status, "");
      say(this.error, "");
      return;
    }
    this.#open(schema);
    say(this.heading, shown.title());
    say(this.version, `version ${shown.version}`);
    if (this.isWhole) {
      document.title = shown.title();
    }
    say(this.status, text(shown.runtime("message")));
    say(this.error, text(shown.runtime("error")));
    keep(this.blocks, schema.blocks.map((block) => [block.id, block]), (block) => this.#block(block));
    keep(this.actions, this.#buttons(schema).map((action) => [action.id, action]), () => this.#button());
  }

  /** Runs the action of a page that opens, once. */
  #open(schema) {
    if (!this.wasOpened) {
      this.wasOpened = true;
      if (schema.on_open) {
        this.act(schema.on_open);
      }
    }
  }

  #buttons(schema) {
    const rows = schema.blocks.flatMap((block) => block.props?.fields ?? []).map((field) => field.row_action);
    return schema.actions.filter((action) => action.id !== schema.on_open && !rows.includes(action.id));
  }

  #block() {
    const fields = make("div", { class: "fields" });
    const facts = make("dl", { class: "facts" });
    const section = make("section", { class: "block" }, facts, fields);
    section.update = (block) => {
      const props = block.props ?? {};
      keep(facts, this.#facts(props), ([name]) => fact(name));
      set(facts, "hidden", facts.children.length === 0);
      const shown = (props.fields ?? []).filter((field) => !isHidden(props, field));
      const keyed = shown.map((field) => [`${field.key} ${field.type}`, { document: this.document, block, field }]);
      keep(fields, keyed, ({ field }) => make(`ui-${field.type}`, { "data-key": field.key }));
      set(section, "hidden", shown.length === 0 && facts.children.length === 0);
    };
    return section;
  }

  /** What a block says of the instance's work, where it is asked to. */
  #facts(props) {
    const facts = [["showStatus", "Status", "status"], ["showProgress", "Progress", "progress"], ["showTaskId", "Task", "task_id"]];
    return facts.filter(([flag]) => props[flag]).map(([, name, key]) => [key, [name, text(this.document.runtime(key)) || "—"]]);
  }

  #button() {
    const button = make("button");
    button.update = (action) => {
      say(button, action.label);
      set(button, "class", action.style);
      button.onclick = async () => {
        button.disabled = true;
        await this.act(action.id);
        button.disabled = false;
      };
    };
    return button;
  }

  /** Sends what was typed and not sent yet. */
  flush = () => {
    for (const field of this.querySelectorAll(".field")) {
      field.flush?.();
    }
  };

  async act(action, row) {
    this.flush();
    try {
      const done = await connection.act(this.document.id, action, row);
      // Its button can be pressed again once what it did is seen.
      await this.document.reached(done.version);
      [done.failure, ...done.skipped].filter(Boolean).forEach((message) => notice(message));
      if (done.navigate) {
        this.dispatchEvent(new CustomEvent("navigate", { bubbles: true, detail: done.navigate }));
      }
    } catch (error) {
      notice(error.message);
    }
  }

  async undo() {
    try {
      await connection.undo(this.document.id);
    } catch (error) {
      notice(error.message);
    }
  }
}

function fact(name) {
  const value = make("dd");
  const line = make("div", {}, make("dt", {}, name), value);
  line.update = ([, shown]) => say(value, shown);
  return line;
}

/** Tells whether a block leaves out fields of this kind. */
function isHidden(props, field) {
  return (field.type === "image" && props.showImages === false) || (field.type === "table" && props.showTable === false) || (field.key === "count" && props.showCountInput === false);
}

customElements.define("ui-instance", InstanceElement);
