// A camera and its frames.

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
      return new CameraError("busy", `The camera does not start: ${error.message}`);
  }
}

/** Holds an open camera, whose frames a <video> shows. Release it with `close`. */
export class Camera {
  #stream;
  #video;
  #canvas = typeof OffscreenCanvas === "undefined" ? document.createElement("canvas") : new OffscreenCanvas(1, 1);
  #context = this.#canvas.getContext("2d", { alpha: false });

  /**
   * Opens a camera and shows it in `video`. Throws a CameraError.
   * @param {string} which "user", "environment", or a device's id.
   */
  static async open(video, which = "user") {
    if (!navigator.mediaDevices?.getUserMedia) {
      throw new CameraError("insecure", "Browsers give a camera only to pages from https or from this machine.");
    }
    const facing = which === "user" || which === "environment";
    const choice = facing ? { facingMode: which } : { deviceId: { exact: which } };
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        video: { ...choice, width: { ideal: 1280 }, height: { ideal: 720 } }, audio: false });
      video.srcObject = stream;
      await video.play();
    } catch (error) {
      stream?.getTracks().forEach((track) => track.stop());
      throw cameraError(error);
    }
    return new Camera(stream, video);
  }

  constructor(stream, video) {
    this.#stream = stream;
    this.#video = video;
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
   * Takes the frame that the video shows as a JPEG file, at most `side` pixels wide.
   * @param {number} [aspect] Width by height of the middle part to take; all of it without.
   */
  async grab({ side = 1280, aspect } = {}) {
    const { videoWidth, videoHeight } = this.#video;
    const width = aspect ? Math.min(videoWidth, videoHeight * aspect) : videoWidth;
    const height = aspect ? Math.min(videoHeight, videoWidth / aspect) : videoHeight;
    const scale = Math.min(1, side / width);
    const canvas = this.#canvas;
    const size = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    this.#context.drawImage(
      this.#video, (videoWidth - width) / 2, (videoHeight - height) / 2, width, height, 0, 0, canvas.width, canvas.height);
    return this.#encode();
  }

  #encode() {
    const canvas = this.#canvas;
    if (canvas.convertToBlob) return canvas.convertToBlob({ type: "image/jpeg", quality: QUALITY });
    return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  }

  close() {
    for (const track of this.#stream.getTracks()) track.stop();
    if (this.#video.srcObject === this.#stream) this.#video.srcObject = null;
  }
}
