// What was changed in the editor, to be undone: typed texts and inserted steps alike.

/** Milliseconds within which what is typed is undone at once. */
const TOGETHER = 1000;
const MOST = 1000;

export class History {
  #done = [];
  #undone = [];

  clear() {
    this.#done = [];
    this.#undone = [];
  }

  /** Notes a change of `before` to `after`; returns it as `{at, removed, inserted}`, or null where they are equal. */
  note(before, after, caret, joins = false) {
    const change = difference(before, after);
    if (!change) {
      return null;
    }
    const last = this.#done.at(-1);
    const now = performance.now();
    if (joins && last?.joins && now - last.when < TOGETHER && follows(last, change)) {
      last.inserted += change.inserted;
      last.when = now;
    } else {
      this.#done.push({ ...change, caret, joins, when: now });
      this.#done.splice(0, this.#done.length - MOST);
    }
    this.#undone = [];
    return change;
  }

  /** Returns the change that undoes the last one: `{at, removed, inserted, caret}`. */
  undo() {
    const last = this.#done.pop();
    if (!last) {
      return null;
    }
    this.#undone.push(last);
    return { at: last.at, removed: last.inserted, inserted: last.removed, caret: last.caret };
  }

  redo() {
    const next = this.#undone.pop();
    if (!next) {
      return null;
    }
    this.#done.push({ ...next, joins: false });
    return { at: next.at, removed: next.removed, inserted: next.inserted, caret: next.at + next.inserted.length };
  }
}

function follows(last, change) {
  return !change.removed && change.at === last.at + last.inserted.length && !change.inserted.includes("\n");
}

/** Returns how two texts differ, as one replaced part. */
export function difference(before, after) {
  if (before === after) {
    return null;
  }
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) {
    at += 1;
  }
  let same = 0;
  while (same < most - at && before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)) {
    same += 1;
  }
  return { at, removed: before.slice(at, before.length - same), inserted: after.slice(at, after.length - same) };
}
