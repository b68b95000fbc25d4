// Sends a camera's frames, one at a time.

const RETRY = { first: 400, most: 3000 }; // milliseconds

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

/**
 * Takes a frame, waits for its answer, takes the next one: so there is never a queue, and a slow engine is given fewer frames. It
 * rests while the page is hidden, and while the engine does not answer. Runs until `answered` returns true; throws when `signal`
 * is aborted or a call fails for good.
 *
 * @param {object} steps
 * @param {(signal) => Promise<Blob | undefined>} steps.grab The next frame; undefined where there is none.
 * @param {(signal) => Promise<GatewaySession>} steps.open A new session; called again when one has ended.
 * @param {(frame, reply, session) => Promise<boolean | void>} steps.answered Whether this was the last frame.
 * @param {(error) => void} steps.lost The engine does not answer: it is asked again until it does.
 * @param {() => void} steps.back It answers again.
 */
export async function runFrames(gateway, steps, signal) {
  let session;
  let isLost = false;
  try {
    for (;;) {
      await visible(signal);
      signal.throwIfAborted();
      const frame = await steps.grab(signal);
      signal.throwIfAborted();
      if (!frame) continue;
      try {
        session ??= await steps.open(signal);
        const reply = await session.frame(frame, signal);
        signal.throwIfAborted();
        if (isLost) steps.back();
        isLost = false;
        if (await steps.answered(frame, reply, session)) return;
      } catch (error) {
        if (signal.aborted) throw error;
        const ended = session && error.code === "NOT_FOUND";
        if (!ended && !error.isPassing) throw error;
        session?.close(); // its state has died with the engine, or of age
        session = undefined;
        if (ended) continue;
        if (!isLost) steps.lost(error);
        isLost = true;
        await readyAgain(gateway, signal);
      }
    }
  } finally {
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
