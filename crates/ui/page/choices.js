// Fields that are chosen from: checkbox, select, radio, multiselect.

import { Field } from "./field.js";
import { keep, make, say, set, text, unique } from "./dom.js";

class CheckboxField extends Field {
  build() {
    const box = make("input", { type: "checkbox", id: unique("field") });
    this.control = box;
    this.label = make("label", { for: box.id });
    this.append(make("div", { class: "check" }, box, this.label));
    box.onchange = () => this.edit(box.checked);
  }

  draw(value) {
    set(this.control, "role", this.field.content_type === "switch" ? "switch" : null);
    set(this.control, "disabled", !this.isEditable);
    this.control.checked = value === true;
  }
}

class SelectField extends Field {
  build() {
    this.labelled(make("select"));
    this.control.onchange = () => this.edit(this.control.value);
  }

  draw(value) {
    const chosen = text(value);
    const options = this.field.options ?? [];
    const isKnown = options.some((option) => option.value === chosen);
    const shown = isKnown ? options : [{ value: chosen, label: chosen || "—" }, ...options];
    keep(this.control, shown.map((option, index) => [index, option]), () => make("option"));
    shown.forEach((option, index) => {
      const element = this.control.children[index];
      element.value = option.value;
      say(element, option.label);
    });
    set(this.control, "disabled", !this.isEditable);
    this.control.value = chosen;
  }
}

/** One control for each option. */
class Group extends Field {
  build() {
    const name = unique("choice");
    this.options = make("div", { class: "options" });
    this.grouped().append(this.options);
    this.makeOption = () => {
      const input = make("input", { type: this.kind, name, id: unique("option") });
      const label = make("label", { for: input.id });
      const line = make("div", { class: "check" }, input, label);
      input.onchange = () => this.edit(this.read());
      line.update = (option) => {
        input.value = option.value;
        say(label, option.label);
      };
      return line;
    };
  }

  draw(value) {
    keep(this.options, (this.field.options ?? []).map((option, index) => [index, option]), this.makeOption);
    set(this.group, "disabled", !this.isEditable);
    for (const input of this.inputs) {
      input.checked = this.isChosen(value, input.value);
    }
  }

  get inputs() {
    return [...this.options.querySelectorAll("input")];
  }
}

class RadioField extends Group {
  kind = "radio";

  isChosen(value, option) {
    return text(value) === option;
  }

  read() {
    return this.inputs.find((input) => input.checked)?.value ?? "";
  }
}

class MultiselectField extends Group {
  kind = "checkbox";

  isChosen(value, option) {
    return Array.isArray(value) && value.includes(option);
  }

  read() {
    return this.inputs.filter((input) => input.checked).map((input) => input.value);
  }
}

customElements.define("ui-checkbox", CheckboxField);
customElements.define("ui-select", SelectField);
customElements.define("ui-radio", RadioField);
customElements.define("ui-multiselect", MultiselectField);
