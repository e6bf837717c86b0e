// What is to be done on a device, one after the other: characters, scrolls and pinches are joined while something else is under way.

import { connection } from "./connection.js";

/** Milliseconds until an act that was not answered holds back the next no longer. */
const PATIENCE = 15_000;

export class Acts {
  #device;
  #failed;
  #waiting = [];
  #isBusy = false;

  /** `failed` is told why an act was not done. */
  constructor(device, failed) {
    this.#device = device;
    this.#failed = failed;
  }

  push(act) {
    if ("dialog" in act) {
      // What waits may wait for just this answer.
      this.#send(act);
      return;
    }
    const last = this.#waiting.at(-1);
    if (last && "type" in last && "type" in act) {
      last.type += act.type;
    } else if (last && "scroll" in last && "scroll" in act) {
      last.by = [last.by[0] + act.by[0], last.by[1] + act.by[1]];
    } else if (last && "pinch" in last && "pinch" in act) {
      last.scale = Math.min(Math.max(last.scale * act.scale, 0.2), 5);
    } else {
      this.#waiting.push({ ...act });
    }
    this.#next();
  }

  async #next() {
    if (this.#isBusy || !this.#waiting.length) {
      return;
    }
    this.#isBusy = true;
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    await Promise.race([this.#send(this.#waiting.shift()), patience]);
    this.#isBusy = false;
    this.#next();
  }

  async #send(act) {
    try {
      await connection.ask("act", { device: this.#device, act });
    } catch (error) {
      // What was meant for the screen before must not be done after a failure.
      this.#waiting = [];
      this.#failed(error);
    }
  }
}
