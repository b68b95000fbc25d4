// A camera and its frames.
import { FrameEncoder } from "./frame-encoder.js";

const QUALITY = 0.85;

/** Why there is no camera. `code`: "denied", "missing", "busy", or "insecure" where the page may not use any. */
export class CameraError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "CameraError";
    this.code = code;
  }
}

function cameraError(error) {
  switch (error.name) {
    case "NotAllowedError":
    case "SecurityError":
      return new CameraError("denied", "The browser does not let this page use the camera.");
    case "NotFoundError":
    case "OverconstrainedError":
      return new CameraError("missing", "There is no such camera.");
    default:
      return new CameraError("busy", `The camera could not start: ${error.message}`);
  }
}

/** Holds an open camera, whose frames a <video> shows. Release it with `close`. */
export class Camera {
  #stream;
  #video;
  #encoder;

  /**
   * Opens a camera and shows it in `video`. Throws a CameraError.
   * @param {string} which "user", "environment", or a device's id.
   * @param {string} [origin] Of the gateway; "" for the page's own.
   */
  static async open(video, which = "user", origin = "") {
    if (!navigator.mediaDevices?.getUserMedia) {
      throw new CameraError("insecure", "Browsers allow a camera only on https pages and on this machine.");
    }
    const facing = which === "user" || which === "environment";
    const choice = facing ? { facingMode: which } : { deviceId: { exact: which } };
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        video: { ...choice, width: { ideal: 1280 }, height: { ideal: 720 } },
        audio: false,
      });
      video.srcObject = stream;
      await video.play();
    } catch (error) {
      stream?.getTracks().forEach((track) => track.stop());
      if (stream && video.srcObject === stream) video.srcObject = null;
      throw cameraError(error);
    }
    return new Camera(stream, video, new FrameEncoder(QUALITY, origin));
  }

  constructor(stream, video, encoder) {
    this.#stream = stream;
    this.#video = video;
    this.#encoder = encoder;
  }

  /** Whether frames come: not after it was unplugged, nor while another program keeps it. */
  get isLive() {
    const [track] = this.#stream.getVideoTracks();
    return track?.readyState === "live" && !track.muted;
  }

  /** Whether it looks at the person in front of the screen, who expects a mirror. */
  get facesUser() {
    return this.#stream.getVideoTracks()[0]?.getSettings().facingMode !== "environment";
  }

  get deviceId() {
    return this.#stream.getVideoTracks()[0]?.getSettings().deviceId;
  }

  /** Resolves with the next frame that the camera delivers, or after `limit` milliseconds. */
  nextFrame(limit = 1000) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limit);
      const come = () => {
        clearTimeout(timer);
        resolve(true);
      };
      if (this.#video.requestVideoFrameCallback) this.#video.requestVideoFrameCallback(come);
      else requestAnimationFrame(come);
    });
  }

  /**
   * Takes the frame that the video shows, at most `side` pixels wide. Its `encoding` resolves with a JPEG `file` and,
   * until it is closed, an `image`; with null where it cannot be taken.
   * @param {number} [aspect] Width by height of the middle part to take; all of it without.
   */
  grab({ side = 1280, aspect } = {}) {
    const { videoWidth, videoHeight } = this.#video;
    const width = aspect ? Math.min(videoWidth, videoHeight * aspect) : videoWidth;
    const height = aspect ? Math.min(videoHeight, videoWidth / aspect) : videoHeight;
    const scale = Math.min(1, side / width);
    const takenAt = performance.now();
    const encoding = this.#encoder.encode(
      this.#video,
      { x: (videoWidth - width) / 2, y: (videoHeight - height) / 2, width, height },
      { width: Math.round(width * scale), height: Math.round(height * scale) },
    );
    return { encoding: encoding.then((done) => done && { ...done, takenAt, close: () => done.image.close() }) };
  }

  close() {
    for (const track of this.#stream.getTracks()) track.stop();
    if (this.#video.srcObject === this.#stream) this.#video.srcObject = null;
    this.#encoder.close();
  }
}
