// Sends a camera's frames, one at a time.

const RETRY = { first: 400, most: 3000 }; // milliseconds
const STALE = 1000; // milliseconds after which a frame is not sent, as after a page was hidden
const TAKEN_PER_ANSWER = 3; // at most, while the engine is slow

/** Resolves after `time` milliseconds; throws when the signal is aborted. */
export function delay(time, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, time);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

/** Resolves as soon as the page is seen. */
function visible(signal) {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const ended = () => {
      document.removeEventListener("visibilitychange", changed);
      reject(signal.reason);
    };
    const changed = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", changed);
      signal.removeEventListener("abort", ended);
      resolve();
    };
    document.addEventListener("visibilitychange", changed);
    signal.addEventListener("abort", ended, { once: true });
  });
}

/** Takes frames while others are searched, and has the newest one ready, so that the engine need not wait for it. */
class FrameSource {
  /** Milliseconds between two frames while nobody wants one. */
  interval = 0;

  #steps;
  #signal;
  #closing = new AbortController();
  #isPaused = true;
  #ready = null;
  #failure = null;
  #notify = () => {};
  #change;

  constructor(steps, signal) {
    this.#steps = steps;
    this.#signal = AbortSignal.any([signal, this.#closing.signal]);
    this.#signal.addEventListener("abort", () => this.#notify(), { once: true });
    this.#renewChange();
    this.#run();
  }

  /** Resolves with the newest frame as soon as there is one; throws what prevents it. */
  async next() {
    this.#isPaused = false;
    this.#notify();
    for (;;) {
      this.#signal.throwIfAborted();
      const frame = this.#ready;
      this.#ready = null;
      if (frame && performance.now() - frame.takenAt < Math.max(STALE, 2 * this.interval)) {
        this.#notify();
        return frame;
      }
      frame?.close();
      if (this.#failure) throw this.#failure;
      await this.#change;
    }
  }

  /** Takes none until `next` is called. */
  pause() {
    this.#isPaused = true;
  }

  close() {
    this.#closing.abort(new DOMException("no more frames are wanted", "AbortError"));
    this.#ready?.close();
    this.#ready = null;
  }

  async #run() {
    let before;
    try {
      for (;;) {
        await visible(this.#signal);
        this.#signal.throwIfAborted();
        if (this.#isPaused) {
          await this.#change;
          continue;
        }
        const start = performance.now();
        const taken = await this.#steps.grab(this.#signal);
        await before; // so there are two at most
        before = taken?.encoding.then((frame) => this.#offer(frame));
        before?.catch(() => {}); // it is waited for above
        while (this.#ready && !this.#isPaused && performance.now() - start < this.interval) {
          await Promise.race([this.#change, delay(this.interval, this.#signal)]);
        }
      }
    } catch (error) {
      this.#failure = error;
      this.#notify();
    }
  }

  #offer(frame) {
    if (this.#signal.aborted) return frame?.close();
    if (!frame) return;
    this.#ready?.close();
    this.#ready = frame;
    this.#notify();
  }

  #renewChange() {
    this.#change = new Promise((resolve) => {
      this.#notify = () => {
        resolve();
        this.#renewChange();
      };
    });
  }
}

/**
 * Sends a frame, and when its answer has come the newest one that was taken meanwhile: so there is never a queue, and a
 * slow engine is given fewer frames. It rests while the page is hidden, and while the engine does not answer. Runs
 * until `answered` returns true; throws when `signal` is aborted or a call fails for good.
 *
 * @param {object} steps
 * @param {(signal) => Promise<{encoding: Promise<{file: Blob, takenAt: number, close: () => void} | null>} |
 * undefined>} steps.grab
 *   Resolves when a frame was taken; undefined and null where there is none. What was encoded is closed if it is not
 *   answered.
 * @param {(signal) => Promise<GatewaySession>} steps.open A new session; called again when one has ended.
 * @param {(frame, reply, session) => Promise<boolean | void>} steps.answered Whether this was the last frame.
 * @param {(error) => void} steps.lost The engine does not answer; the loop tries again until it does.
 * @param {() => void} steps.back It answers again.
 */
export async function runFrames(gateway, steps, signal) {
  const source = new FrameSource(steps, signal);
  let session;
  let isLost = false;
  let isRenewed = false; // the session, after which no frame was answered yet
  try {
    for (;;) {
      await visible(signal);
      signal.throwIfAborted();
      let frame;
      try {
        session ??= await steps.open(signal);
        frame = await source.next();
        const start = performance.now();
        const reply = await session.frame(frame.file, signal);
        signal.throwIfAborted();
        source.interval = (performance.now() - start) / TAKEN_PER_ANSWER;
        if (isLost) steps.back();
        isLost = isRenewed = false;
        if (await steps.answered(frame, reply, session)) return;
      } catch (error) {
        frame?.close();
        if (signal.aborted) throw error;
        const isExpired = error.code === "UNAUTHENTICATED" && session?.hasToken;
        // A session that is deleted while it has a frame ends that frame with CANCELLED.
        const isGone = ["NOT_FOUND", "CANCELLED"].includes(error.code);
        const ended = session !== undefined && !isRenewed && (isGone || isExpired);
        if (!ended && !error.isPassing) throw error;
        session?.close(); // its state has died with the engine, or of age
        session = undefined;
        isRenewed = ended;
        if (ended) continue;
        if (!isLost) steps.lost(error);
        isLost = true;
        source.pause();
        await readyAgain(gateway, signal);
      }
    }
  } finally {
    source.close();
    session?.close();
  }
}

/** Resolves when the engine answers. */
async function readyAgain(gateway, signal) {
  for (let wait = RETRY.first; ; wait = Math.min(RETRY.most, wait * 1.6)) {
    await delay(wait, signal);
    await visible(signal);
    try {
      return await gateway.ready(signal);
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }
}
