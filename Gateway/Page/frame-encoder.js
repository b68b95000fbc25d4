// Makes JPEG files of a camera's frames: in a worker where the page may start one, since browsers put encoding off
// while a page is busy.

const WORKER = "/assets/frame-worker.js";

/** Encodes frames of a video, in their order. Release it with `close`. */
export class FrameEncoder {
  #quality;
  #worker = null;
  #canvas = null;
  #waiting = [];

  /** @param {number} quality From 0 to 1. @param {string} origin Of the gateway, whose worker a page of another origin
     cannot use. */
  constructor(quality, origin = "") {
    this.#quality = quality;
    const url = new URL(origin.replace(/\/+$/, "") + WORKER, location.href);
    if (url.origin !== location.origin || typeof OffscreenCanvas === "undefined") return;
    try {
      this.#worker = new Worker(url);
    } catch {
      return; // a page whose policy allows none
    }
    this.#worker.onmessage = ({ data }) => this.#waiting.shift()?.(data);
    this.#worker.onerror = () => this.close();
  }

  /**
   * Resolves with {file, image}, a JPEG file of what the video shows and the same as an ImageBitmap; with null if it
   * shows nothing, or the worker has failed. Without a worker, the next frame is encoded here.
   * @param {{x, y, width, height}} part What to take of it, in its pixels.
   * @param {{width: number, height: number}} size Of the picture.
   */
  async encode(video, part, size) {
    if (!this.#worker) return this.#encodeHere(video, part, size);
    const frame = await frameOf(video);
    if (!frame || !this.#worker) return null;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#worker.postMessage({ frame, part, ...size, quality: this.#quality }, [frame]);
    });
  }

  close() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const resolve of this.#waiting.splice(0)) resolve(null);
  }

  async #encodeHere(video, part, { width, height }) {
    this.#canvas ??= document.createElement("canvas");
    const canvas = this.#canvas;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d", { alpha: false });
    context.drawImage(video, part.x, part.y, part.width, part.height, 0, 0, width, height);
    const encoding = Promise.all([
      new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", this.#quality)),
      createImageBitmap(canvas).catch(() => null),
    ]);
    context.clearRect(0, 0, width, height); // both have a copy
    const [file, image] = await encoding;
    return file && image && { file, image };
  }
}

/** What a video shows, to be handed to a worker: without a copy where the browser can. Null where there is nothing. */
async function frameOf(video) {
  if (typeof VideoFrame !== "undefined") {
    try {
      return new VideoFrame(video);
    } catch {
      // No frame yet, or one that this browser cannot hand over.
    }
  }
  return createImageBitmap(video).catch(() => null);
}
