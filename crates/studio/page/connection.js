// The page's one way to the server: verbs that are answered, events, and frames. Comes back by itself.

import { notice } from "./dom.js";
import { word } from "./words.js";

/** Milliseconds: the server says something at least every 15 s. */
const SILENCE = 40_000;
const SOONEST = 300;
const LATEST = 5_000;
/** Bytes before the picture of a frame. */
const HEADER = 20;

class Connection extends EventTarget {
  /** How often the connection was lost: what was asked before is asked anew. */
  losses = 0;
  #socket = null;
  #id = 0;
  #waiting = new Map();
  #pause = SOONEST;
  #make = null;
  #silent = null;

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
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.#pause = SOONEST;
      this.#listen();
      this.dispatchEvent(new Event("state"));
    };
    socket.onmessage = ({ data }) => {
      this.#listen();
      typeof data === "string" ? this.#hear(JSON.parse(data)) : this.#see(data);
    };
    socket.onclose = () => {
      clearTimeout(this.#silent);
      this.losses += 1;
      // What was sent and not answered may have been done or not: what the server shows next tells.
      for (const { reject } of this.#waiting.values()) {
        reject(failure("Lost", word("broke")));
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
    if (said.event) {
      this.dispatchEvent(new CustomEvent(said.event, { detail: said }));
      return;
    }
    const waiting = this.#waiting.get(said.re);
    this.#waiting.delete(said.re);
    if (said.error) {
      waiting?.reject(failure(said.error.kind, said.error.message, said.error.details));
    } else {
      waiting?.resolve(said.ok ?? {});
    }
  }

  #see(data) {
    if (data.byteLength <= HEADER) {
      return;
    }
    const header = new DataView(data);
    const [device, sequence, width, height, kind] = [0, 4, 8, 12, 16].map((at) => header.getUint32(at));
    const picture = new Blob([new Uint8Array(data, HEADER)], { type: kind === 2 ? "image/png" : "image/jpeg" });
    this.dispatchEvent(new CustomEvent("frame", { detail: { device, sequence, width, height, picture } }));
  }

  /** Asks the server to do something; resolves with its answer. */
  ask(verb, fields = {}) {
    if (!this.isOpen) {
      return Promise.reject(failure("Lost", word("not_done")));
    }
    this.#id += 1;
    const id = this.#id;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.send(JSON.stringify({ ...fields, id, do: verb }));
    return answer;
  }

  /** Asks what a person wanted: resolves with null where it was refused, once `refused` has told why. */
  async try(verb, fields, refused = ({ message }) => notice(message)) {
    try {
      return await this.ask(verb, fields);
    } catch (error) {
      refused(error);
      return null;
    }
  }

  /** Tells that a frame is drawn: the next may come. */
  shown({ device, sequence }) {
    if (this.isOpen) {
      this.#socket.send(JSON.stringify({ do: "shown", device, sequence }));
    }
  }
}

function failure(kind, message, details) {
  return Object.assign(new Error(message), { kind, details });
}

export const connection = new Connection();
