// What all fields have: a label, a description, a value that follows the instance, and edits that go to it.

import { connection } from "./connection.js";
import { make, say, set, unique } from "./dom.js";

/** Milliseconds between the last key and the edit. */
const TYPED = 200;

export class Field extends HTMLElement {
  #timer = null;
  #unsent = null;

  /** Takes what is to be shown; called whenever the instance changed. */
  update({ document, block, field }) {
    Object.assign(this, { document, block, field });
    if (!this.isBuilt) {
      this.isBuilt = true;
      this.classList.add("field");
      this.build();
    }
    this.#describe();
    this.draw(document.value(block, field));
  }

  /** Makes the field's elements, once. */
  build() {}

  /** Shows a value. */
  draw(_value) {}

  get path() {
    return `${this.block.bind ?? "state.params"}.${this.field.key}`;
  }

  get isEditable() {
    return this.field.editable ?? true;
  }

  /** Puts the label above a control. */
  labelled(control) {
    control.id = unique("field");
    this.control = control;
    this.label = make("label", { for: control.id });
    this.append(this.label, control);
  }

  /** Puts a group of controls under one name. */
  grouped() {
    this.label = make("legend");
    this.group = make("fieldset", {}, this.label);
    this.control = this.group;
    this.append(this.group);
    return this.group;
  }

  #describe() {
    if (this.label) {
      say(this.label, this.field.label);
    }
    const description = this.showsDescription ? this.field.description : null;
    if (description && !this.described) {
      this.described = make("p", { class: "description", id: unique("description") });
      this.append(this.described);
    }
    if (this.described) {
      say(this.described, description ?? "");
      set(this.control ?? this, "aria-describedby", description ? this.described.id : null);
    }
  }

  get showsDescription() {
    return true;
  }

  /** Sends a value once nothing more is typed. */
  typed(value) {
    this.#unsent = { value };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), TYPED);
  }

  /** Sends a value. */
  edit(value) {
    this.#unsent = { value };
    this.flush();
  }

  /** Sends what was typed and not sent yet. */
  flush() {
    clearTimeout(this.#timer);
    if (this.#unsent) {
      const { value } = this.#unsent;
      this.#unsent = null;
      if (JSON.stringify(value) !== JSON.stringify(this.document.value(this.block, this.field))) {
        connection.set(this.document.id, this.path, value);
      }
    }
  }

  /** Whether something was typed that the instance does not have yet: it is not written over. */
  get isDirty() {
    return this.#unsent !== null;
  }
}
