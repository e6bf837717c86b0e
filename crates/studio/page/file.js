// The testcase that is open: its text, what the server says of it, and whether it is saved.

import { confirm } from "./ask.js";
import { connection } from "./connection.js";
import { notice } from "./dom.js";
import { studio } from "./studio.js";
import { word } from "./words.js";
import { scan } from "./yaml.js";

/** Milliseconds after the last edit until the server is told. */
const PAUSE = 300;

class OpenFile extends EventTarget {
  path = null;
  text = "";
  /** The text that the server looked at last. */
  checked = "";
  isSaved = true;
  /** What the file holds, as far as the page knows, and what stands for that. */
  onDisk = "";
  version = null;
  /** Whether another file is on its way: what is typed now would be lost. */
  isLoading = false;
  errors = [];
  warnings = [];
  steps = [];
  #timer = null;
  #asked = 0;
  /** Whether a save is on its way, and the version that somebody else told of meanwhile. */
  #saving = 0;
  #heard = null;

  constructor() {
    super();
    studio.on("hello", () => this.#begin());
    connection.addEventListener("file_changed", ({ detail }) => this.#changed(detail));
  }

  tell(name) {
    this.dispatchEvent(new Event(name));
  }

  async #begin() {
    if (this.path !== null) {
      // The connection came back: what is here is newer than what the server has.
      this.send();
    } else if (studio.hello.file) {
      await this.open(studio.hello.file);
    }
  }

  /** Opens a file; tells whether it could. */
  async open(path) {
    this.flush();
    return this.#load("open", path);
  }

  async create(path) {
    this.flush();
    return this.#load("create", path);
  }

  async #load(verb, path) {
    this.isLoading = true;
    this.tell("state");
    const answer = await connection.try(verb, { path });
    this.isLoading = false;
    this.tell("state");
    if (answer) {
      this.#show(path, answer);
    }
    return Boolean(answer);
  }

  #show(path, answer) {
    this.path = answer.path ?? path;
    this.text = answer.text ?? "";
    this.checked = this.text;
    this.isSaved = answer.saved ?? true;
    this.onDisk = this.isSaved ? this.text : (answer.on_disk ?? "");
    this.version = answer.version ?? null;
    this.#take(answer);
    this.tell("opened");
    this.tell("state");
  }

  /** Makes sure that a file is open, by making one where none is. */
  async ensure() {
    let refused = null;
    for (let number = 1; this.path === null && number < 50; number += 1) {
      const path = `${studio.folder}recorded${number > 1 ? `-${number}` : ""}.yaml`;
      try {
        this.#show(path, await connection.ask("create", { path }));
        notice(word("created", path), "info");
      } catch (error) {
        // One of this name may be there already.
        refused = error;
        if (error.kind === "Lost") {
          break;
        }
      }
    }
    if (this.path === null) {
      notice(refused.message);
    }
    return this.path !== null;
  }

  /** Takes what was typed. */
  edit(text) {
    this.text = text;
    this.tell("edited");
    if (this.isSaved) {
      this.isSaved = false;
      this.tell("state");
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.send(), PAUSE);
  }

  /** Sends what was typed and not sent yet. */
  flush() {
    if (this.#timer !== null) {
      this.send();
    }
  }

  async send() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.path === null) {
      return;
    }
    this.#asked += 1;
    const asked = this.#asked;
    const { text, path, version } = this;
    try {
      const answer = await connection.ask("text", { path, text, version });
      // What was typed since has its own answer.
      if (asked === this.#asked) {
        this.checked = text;
        this.#take(answer);
      }
    } catch (error) {
      if (error.kind !== "Lost") {
        notice(error.message);
      }
    }
  }

  #take({ errors, warnings, steps }) {
    this.errors = (errors ?? []).map((error) => (isElsewhere(error, this.path) ? atTop(error) : error));
    this.warnings = warnings ?? [];
    // Of a text that has errors, the server tells no steps.
    this.steps = steps ?? scan(this.text.split("\n")).steps.map(({ line, last }) => ({ line: line + 1, last_line: last + 1 }));
    this.tell("checked");
  }

  save() {
    return this.#save(this.version);
  }

  async #save(version) {
    const { path, text } = this;
    return path !== null && this.write(text, () => connection.ask("save", { path, text, version }));
  }

  /** Has the server write the text by what `ask` asks; tells whether it did. A file that is another one by now is asked about. */
  async write(text, ask, refused = ({ message }) => notice(message)) {
    const { path, onDisk } = this;
    this.#saving += 1;
    // What is told before the answer is of this text.
    this.onDisk = text;
    try {
      const answer = await ask();
      if (this.path === path && answer.version) {
        this.#saved(text, answer.version);
      }
      return true;
    } catch (error) {
      this.onDisk = this.path === path ? onDisk : this.onDisk;
      error.details?.changed ? this.#differs(path, error.message) : refused(error);
      return false;
    } finally {
      this.#saving -= 1;
      const heard = this.#heard;
      this.#heard = null;
      if (heard) {
        this.#changed(heard);
      }
    }
  }

  /** A text was saved: what was typed since is not. */
  #saved(text, version) {
    this.version = version;
    this.onDisk = text;
    if (this.text === text) {
      this.isSaved = true;
      this.tell("state");
    }
  }

  /** Saves what was written of a file, before the server writes into it. */
  async settle(path) {
    if (path !== this.path || this.isSaved) {
      return true;
    }
    clearTimeout(this.#timer);
    this.#timer = null;
    return this.save();
  }

  /** Shows a file anew where it is open: the server has written into it. */
  async renew(path) {
    if (path === this.path && this.isSaved) {
      await this.#load("open", path);
    }
  }

  /** Opens a file at a line (from 1). */
  async goTo(path, line) {
    if (path === this.path || (await this.open(path))) {
      this.dispatchEvent(new CustomEvent("go", { detail: line }));
    }
  }

  async discard() {
    if (this.path !== null && (await confirm(word("discard_sure"), "discard"))) {
      clearTimeout(this.#timer);
      this.#timer = null;
      await this.#load("discard", this.path);
    }
  }

  #changed(told) {
    const { path, version } = told;
    if (path !== this.path || version === this.version) {
      return;
    }
    if (this.#saving) {
      this.#heard = told;
    } else if (this.isSaved && version !== "gone") {
      this.#load("open", path);
    } else {
      this.#differs(path, word(version === "gone" ? "is_gone" : "changed", path));
    }
  }

  /** Asks what is to become of a text whose file is another one by now, or gone. */
  #differs(path, message) {
    if (this.isSaved) {
      this.isSaved = false;
      this.tell("state");
    }
    const isHere = () => this.path === path;
    notice(message, "warn", ["load_anew", () => isHere() && this.#load("discard", path)], ["keep_mine", () => isHere() && this.#save(null)]);
  }

  /** The step that holds a line (from 1), or the last one before it. */
  stepAt(line) {
    return this.steps.findLast((step) => step.line <= line && line <= step.last_line) ?? this.steps.findLast((step) => step.line <= line);
  }
}

/** Whether an error stands in another file that the testcase refers to. */
function isElsewhere(error, path) {
  return Boolean(error.file && path && error.file !== path && !error.file.endsWith(`/${path}`));
}

function atTop(error) {
  return { ...error, line: 1, column: 1, length: 1, message: `${error.file}:${error.line}: ${error.message}` };
}

export const file = new OpenFile();
