// Fields that are typed into: text, number, textarea, json, date, datetime; and file.

import { connection } from "./connection.js";
import { Field } from "./field.js";
import { make, notice, say, set, text, unique } from "./dom.js";

const KINDS = new Set(["password", "email", "url", "tel", "search"]);
/** Bytes. */
const LARGEST = 10 * 1024 * 1024;

class Typed extends Field {
  build() {
    this.labelled(this.input());
    this.control.oninput = () => this.#take((value) => this.typed(value));
    this.control.onchange = () => this.#take((value) => this.edit(value));
  }

  /** Takes what was typed, but not half a number or date. */
  #take(then) {
    if (!this.control.validity.badInput) {
      then(this.read());
    }
  }

  draw(value) {
    set(this.control, "readonly", !this.isEditable);
    set(this.control, "placeholder", this.field.hint);
    const shown = text(value);
    if (!this.isDirty && this.control.value !== shown) {
      this.control.value = shown;
    }
  }

  input() {
    return make("input", { type: "text", autocomplete: "off" });
  }

  read() {
    return this.control.value;
  }
}

class TextField extends Typed {
  draw(value) {
    const kind = this.field.content_type;
    set(this.control, "type", KINDS.has(kind) ? kind : "text");
    super.draw(value);
  }
}

class NumberField extends Typed {
  input() {
    return make("input", { type: "number", step: "any", inputmode: "decimal" });
  }

  read() {
    return this.control.value === "" ? "" : Number(this.control.value);
  }
}

class TextareaField extends Typed {
  input() {
    return make("textarea", { rows: 4 });
  }
}

class JsonField extends Typed {
  build() {
    super.build();
    this.control.classList.add("code");
    this.control.spellcheck = false;
    this.mistake = make("p", { class: "mistake", id: unique("mistake"), role: "status" });
    this.append(this.mistake);
    this.control.oninput = () => this.#parse((value) => this.typed(value));
    this.control.onchange = () => this.#parse((value) => this.edit(value));
  }

  input() {
    return make("textarea", { rows: 6 });
  }

  draw(value) {
    const isWrong = this.control.getAttribute("aria-invalid") === "true";
    if (!isWrong && document.activeElement !== this.control) {
      super.draw(typeof value === "string" ? value : JSON.stringify(value, null, 2));
    }
    set(this.control, "readonly", !this.isEditable);
  }

  #parse(then) {
    try {
      then(JSON.parse(this.control.value));
      this.#wrong("");
    } catch (error) {
      this.#wrong(`Not saved: this is no JSON (${error.message})`);
    }
  }

  #wrong(message) {
    say(this.mistake, message);
    set(this.control, "aria-invalid", message ? "true" : null);
    set(this.control, "aria-errormessage", message ? this.mistake.id : null);
  }
}

class DateField extends Typed {
  input() {
    return make("input", { type: "date" });
  }
}

class DatetimeField extends Typed {
  input() {
    return make("input", { type: "datetime-local" });
  }

  draw(value) {
    // What a control of this kind shows has neither seconds nor a time zone.
    super.draw(text(value).replace(" ", "T").slice(0, 16));
  }
}

class FileField extends Field {
  build() {
    this.labelled(make("input", { type: "file" }));
    this.kept = make("a", { class: "file", hidden: true });
    this.elsewhere = make("p", { class: "description" }, "Files are handed over in the browser.");
    this.append(this.kept, this.elsewhere);
    this.control.onchange = () => this.#hand(this.control.files[0]);
  }

  draw(value) {
    set(this.control, "disabled", !this.isEditable || !connection.takesFiles);
    set(this.elsewhere, "hidden", connection.takesFiles);
    const isKept = Boolean(value?.url?.startsWith("/ui/files/"));
    set(this.kept, "hidden", !isKept);
    if (isKept) {
      set(this.kept, "href", value.url);
      set(this.kept, "download", text(value.name));
      say(this.kept, `${text(value.name)} (${size(value.size)})`);
    }
  }

  async #hand(file) {
    if (!file) {
      return;
    }
    if (file.size > LARGEST) {
      notice(`${file.name} is larger than 10 MiB.`);
      return;
    }
    const url = `/ui/files/${encodeURIComponent(this.document.id)}?name=${encodeURIComponent(file.name)}`;
    const headers = { "x-uixt-page": "1", "content-type": file.type || "application/octet-stream" };
    try {
      const answer = await fetch(url, { method: "POST", headers, body: file });
      const told = await answer.json();
      answer.ok ? this.edit(told) : notice(told.message);
    } catch (error) {
      notice(`${file.name} was not handed over: ${error.message}`);
    }
  }
}

function size(bytes) {
  return bytes < 1024 ? `${bytes} bytes` : bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

customElements.define("ui-text", TextField);
customElements.define("ui-number", NumberField);
customElements.define("ui-textarea", TextareaField);
customElements.define("ui-json", JsonField);
customElements.define("ui-date", DateField);
customElements.define("ui-datetime", DatetimeField);
customElements.define("ui-file", FileField);
