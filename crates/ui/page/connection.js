// The page's one way to the server: what is shown follows it, and what the user does is sent to it. Comes back by itself.

import { Document } from "./document.js";
import { notice } from "./dom.js";

/** Milliseconds: the server says something at least every 15 s. */
const SILENCE = 40_000;
const SOONEST = 300;
const LATEST = 10_000;

class Connection extends EventTarget {
  documents = new Map();
  /** Whether files can be handed over by this way. */
  takesFiles = true;
  list = null;
  #socket = null;
  #seq = 0;
  #waiting = new Map();
  #unsent = [];
  #pause = SOONEST;
  #silent = null;
  #wantsList = false;
  #make = null;

  /** Connects by what `make` makes: a WebSocket, or what acts like one. */
  start(make) {
    this.#make = make;
    this.#connect();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #connect() {
    const socket = this.#make();
    this.#socket = socket;
    socket.onopen = () => {
      this.#pause = SOONEST;
      this.#listen();
      if (this.#wantsList) {
        socket.send(JSON.stringify({ type: "list" }));
      }
      for (const id of this.documents.keys()) {
        socket.send(JSON.stringify({ type: "open", id }));
      }
      this.#unsent.splice(0).forEach((message) => socket.send(message));
      this.dispatchEvent(new Event("state"));
    };
    socket.onmessage = (event) => {
      this.#listen();
      this.#hear(JSON.parse(event.data));
    };
    socket.onclose = () => {
      clearTimeout(this.#silent);
      // What was sent and not answered may have been done or not: what the server shows next tells.
      for (const { document, reject } of this.#waiting.values()) {
        reject(new Error("The connection broke: look whether it was done."));
        document.edits.clear();
      }
      this.#waiting.clear();
      this.dispatchEvent(new Event("state"));
      setTimeout(() => this.#connect(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, LATEST);
    };
  }

  #listen() {
    clearTimeout(this.#silent);
    this.#silent = setTimeout(() => this.#socket.close(), SILENCE);
  }

  #hear(said) {
    if (said.id === null && (said.type === "view" || said.type === "patch")) {
      this.list ??= new Document("");
      this.#show(this.list, said);
      return;
    }
    const document = this.documents.get(said.id);
    switch (said.type) {
      case "view":
      case "patch":
        if (document) {
          this.#show(document, said);
        }
        break;
      case "gone":
        document?.gone();
        break;
      case "done":
        document?.answered(said.seq, said.version);
        this.#settle(said, ({ resolve }) => resolve(said));
        break;
      case "refused":
        document?.answered(said.seq, null);
        if (!this.#settle(said, ({ reject }) => reject(new Error(said.error.message)))) {
          notice(said.error.message);
        }
        break;
    }
  }

  #show(document, { type, id, from, version, view, patch }) {
    if (type === "view") {
      document.show(version, view);
    } else if (!document.change(from, version, patch)) {
      this.#send(id === null ? { type: "list" } : { type: "open", id });
    }
  }

  #settle(said, how) {
    const waiting = this.#waiting.get(said.seq);
    this.#waiting.delete(said.seq);
    if (waiting) {
      how(waiting);
    }
    return Boolean(waiting);
  }

  #send(message) {
    if (this.isOpen) {
      this.#socket.send(JSON.stringify(message));
    } else if (message.seq !== undefined) {
      this.#unsent.push(JSON.stringify(message));
    }
  }

  /** Follows an instance. */
  open(id) {
    let document = this.documents.get(id);
    if (!document) {
      document = new Document(id);
      document.users = 0;
      this.documents.set(id, document);
      this.#send({ type: "open", id });
    }
    document.users += 1;
    return document;
  }

  close(id) {
    const document = this.documents.get(id);
    if (document && --document.users === 0) {
      this.documents.delete(id);
      this.#send({ type: "close", id });
    }
  }

  /** Follows the list of instances. */
  openList() {
    this.#wantsList = true;
    this.list ??= new Document("");
    this.#send({ type: "list" });
    return this.list;
  }

  /** Does something with an instance; resolves with the server's answer. */
  #ask(id, message) {
    const document = this.documents.get(id);
    this.#seq += 1;
    const seq = this.#seq;
    const answer = new Promise((resolve, reject) => this.#waiting.set(seq, { document, resolve, reject }));
    this.#send({ ...message, id, seq });
    return { seq, answer };
  }

  /** Changes a field's value, which is shown at once. */
  set(id, path, value) {
    const { seq, answer } = this.#ask(id, { type: "set", path, value });
    this.documents.get(id)?.edit(path, value, seq);
    answer.catch((error) => notice(error.message));
  }

  act(id, action, row) {
    return this.#now(id, { type: "act", action, row });
  }

  undo(id) {
    return this.#now(id, { type: "undo" });
  }

  /** Does what must not be done later, when nobody expects it any more. */
  #now(id, message) {
    return this.isOpen ? this.#ask(id, message).answer : Promise.reject(new Error("Not done: the connection is lost."));
  }
}

export const connection = new Connection();
