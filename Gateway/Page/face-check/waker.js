// Waits that somebody can end.
import { delay } from "../frame-loop.js";

/** The longest that a timer can run, in milliseconds: some 25 days. */
const FOREVER = 0x7fffffff;

/** Lets one wait at a time, until it is woken. */
export class Waker {
  #waiting = new AbortController();

  /** Ends the wait that is under way. */
  wake = () => this.#waiting.abort();

  /** Resolves after `time` milliseconds, without one never; earlier when it is woken or `signal` is aborted. */
  async wait(signal, time = FOREVER) {
    this.#waiting = new AbortController();
    signal.addEventListener("abort", this.wake, { once: true });
    await delay(time, this.#waiting.signal).catch(() => {});
    signal.removeEventListener("abort", this.wake);
  }

  /** As `wait`; another camera wakes it, too. */
  async waitForCamera(signal, time) {
    navigator.mediaDevices?.addEventListener("devicechange", this.wake);
    await this.wait(signal, time);
    navigator.mediaDevices?.removeEventListener("devicechange", this.wake);
  }
}
