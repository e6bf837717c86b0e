// What a page shows of an instance: what the server said last, and over it what the user changed and the server has not said yet.

import { text } from "./dom.js";

const EMPTY = { number: 0, progress: 0, checkbox: false, multiselect: [], table: [], json: {} };

export class Document extends EventTarget {
  constructor(id) {
    super();
    this.id = id;
    this.version = 0;
    this.view = null;
    this.isGone = false;
    /** Path → { seq, value, version }: version is known once the server has taken it. */
    this.edits = new Map();
  }

  /** Takes all there is. */
  show(version, view) {
    this.version = version;
    this.view = view;
    this.isGone = false;
    this.settle();
  }

  /** Takes a difference; false where it does not belong to what is shown. */
  change(from, version, patch) {
    if (!this.view || from !== this.version) {
      return false;
    }
    for (const operation of patch) {
      this.view = apply(this.view, operation);
    }
    this.version = version;
    this.settle();
    return true;
  }

  gone() {
    this.view = null;
    this.isGone = true;
    this.settle();
  }

  /** Shows an edit at once. */
  edit(path, value, seq) {
    this.edits.set(path, { seq, value, version: null });
    this.tell();
  }

  /** Hears that the server has taken an edit, or refused it. */
  answered(seq, version) {
    for (const [path, edit] of this.edits) {
      if (edit.seq === seq && version === null) {
        this.edits.delete(path);
      } else if (edit.seq === seq) {
        edit.version = version;
      }
    }
    this.settle();
  }

  /** Forgets edits that are part of what the server said. */
  settle() {
    for (const [path, edit] of this.edits) {
      if (edit.version !== null && edit.version <= this.version) {
        this.edits.delete(path);
      }
    }
    this.tell();
  }

  /** Resolves once a version is shown, or there is nothing to be shown any more. */
  reached(version) {
    return new Promise((resolve) => {
      const look = () => {
        if (this.version >= version || this.isGone) {
          this.removeEventListener("change", look);
          resolve();
        }
      };
      this.addEventListener("change", look);
      look();
    });
  }

  tell() {
    this.dispatchEvent(new Event("change"));
  }

  get schema() {
    return this.view?.schema ?? null;
  }

  runtime(key) {
    return this.schema?.state?.runtime?.[key];
  }

  /** Returns what a field shows. */
  value(block, field) {
    const path = `${block.bind ?? "state.params"}.${field.key}`;
    const edit = this.edits.get(path);
    const found = edit ? edit.value : lookup(this.schema, path);
    return found ?? field.value ?? EMPTY[field.type] ?? "";
  }

  html(block, field) {
    return this.view?.html?.[`${block.id}.${field.key}`] ?? "";
  }

  title() {
    return text(this.schema?.title) || this.id;
  }
}

function lookup(root, path) {
  return path.split(".").reduce((value, key) => (value === null || value === undefined ? undefined : value[key]), root);
}

/** Applies one operation of RFC 6902; returns the document, of which only what lies on the way is new. */
export function apply(root, { op, path, value }) {
  const keys = path.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (keys.length === 0) {
    return value;
  }
  const change = (node, [key, ...rest]) => {
    const copy = Array.isArray(node) ? [...node] : { ...node };
    if (rest.length > 0) {
      copy[key] = change(node[key], rest);
    } else if (op === "remove") {
      Array.isArray(copy) ? copy.splice(Number(key), 1) : delete copy[key];
    } else if (op === "add" && Array.isArray(copy)) {
      copy.splice(key === "-" ? copy.length : Number(key), 0, value);
    } else {
      copy[key] = value;
    }
    return copy;
  };
  return change(root, keys);
}
