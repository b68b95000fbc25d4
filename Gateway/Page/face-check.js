// Made by Tools/generate-page.py of Gateway/Page/face-check/element.js and its imports. Do not edit.
// <face-check>, the guided check as a web component: docs/page.md

// ---- camera.js

// A camera and its frames.

const QUALITY = 0.85;

/** Why there is no camera. `code`: "denied", "missing", "busy", or "insecure" where the page may not use any. */
class CameraError extends Error {
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
class Camera {
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

// ---- frame-loop.js

// Sends a camera's frames, one at a time.

const RETRY = { first: 400, most: 3000 }; // milliseconds

/** Resolves after `time` milliseconds; throws when the signal is aborted. */
function delay(time, signal) {
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
async function runFrames(gateway, steps, signal) {
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

// ---- gateway.js

// Calls of the gateway. Nothing here knows of a page.

/** How long an answer may take, in milliseconds: of a picture, and of all else. */
const LIMITS = { picture: 30000, other: 5000 };

/** A call that failed: `code` is a status of gRPC, as in "UNAVAILABLE", and the message a sentence for people. */
class GatewayError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "GatewayError";
    this.code = code;
  }

  /** The message as a sentence of a page. */
  get sentence() {
    const text = this.message[0].toUpperCase() + this.message.slice(1);
    return /[.!?]$/.test(text) ? text : `${text}.`;
  }

  /** Whether the gateway or its engine is not there, or does not answer. */
  get isLoss() {
    return this.code === "UNAVAILABLE" || this.code === "DEADLINE_EXCEEDED";
  }

  /** Whether the gateway or its engine may answer again later, without another call. */
  get isPassing() {
    return this.isLoss || this.code === "RESOURCE_EXHAUSTED" || this.code === "ABORTED";
  }
}

/** The codes of answers that have no error of the gateway's, as those of a proxy. */
function codeOfStatus(status) {
  const codes = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 408: "DEADLINE_EXCEEDED",
    413: "RESOURCE_EXHAUSTED", 429: "RESOURCE_EXHAUSTED", 501: "UNIMPLEMENTED", 502: "UNAVAILABLE", 503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
  };
  return codes[status] ?? "INTERNAL";
}

async function errorOf(response) {
  const told = await response.json().then((body) => body.error, () => undefined);
  return new GatewayError(
    told?.code ?? codeOfStatus(response.status), told?.message || `The gateway answered with status ${response.status}.`);
}

/** Milliseconds that the engine took, where the gateway says so; else undefined. */
function engineTime(response) {
  const told = /\bengine;[^,]*\bdur=([\d.]+)/.exec(response.headers.get("Server-Timing") ?? "");
  return told ? Number(told[1]) : undefined;
}

class Gateway {
  #origin;

  /** @param {string} origin As in "https://kiosk.example:8443"; "" for the page's own. */
  constructor(origin = "") {
    this.#origin = origin.replace(/\/+$/, "");
  }

  /** Resolves when an engine answers, else throws a GatewayError. */
  async ready(signal) {
    await this.call("/readyz", { signal });
  }

  /**
   * Finds the faces of a picture file.
   * @param {Record<string, string>} options Long flags of `face-engine detect`, as in {landmarks: "true"}.
   * @returns The object that `face-engine detect --json` prints, and what it took, in milliseconds.
   */
  async detect(picture, options, signal) {
    const start = performance.now();
    const response = await this.call(`/v1/detect?${new URLSearchParams(options)}`, {
      method: "POST", body: picture, limit: LIMITS.picture, signal });
    return { answer: await response.json(), engine: engineTime(response), roundTrip: performance.now() - start };
  }

  /**
   * Opens a session, which the gateway closes when it is not used for some time.
   * @param {"track" | "check"} kind
   */
  async openSession(kind, options, signal) {
    const response = await this.call("/v1/sessions", {
      method: "POST", body: JSON.stringify({ kind, options }), headers: { "Content-Type": "application/json" }, signal });
    const { id } = await response.json();
    return new GatewaySession(this, `/v1/sessions/${encodeURIComponent(id)}`);
  }

  /** Returns a response that succeeded, else throws a GatewayError, or what `signal` was aborted with. */
  async call(path, { signal, limit = LIMITS.other, ...request } = {}) {
    const late = AbortSignal.timeout(limit);
    let response;
    try {
      response = await fetch(this.#origin + path, {
        ...request, cache: "no-store", signal: signal ? AbortSignal.any([signal, late]) : late });
    } catch (error) {
      if (signal?.aborted) throw error;
      if (late.aborted) throw new GatewayError("DEADLINE_EXCEEDED", "The gateway took too long to answer.");
      throw new GatewayError("UNAVAILABLE", "The gateway cannot be reached.");
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}

class GatewaySession {
  #gateway;
  #path;

  constructor(gateway, path) {
    this.#gateway = gateway;
    this.#path = path;
  }

  /** Sends a frame and returns its answer, as `Gateway.detect` does. Wait for it before the next one. */
  async frame(picture, signal) {
    const start = performance.now();
    const response = await this.#gateway.call(`${this.#path}/frames`, {
      method: "POST", body: picture, headers: { "X-Timestamp-Ns": String(Math.round(start * 1e6)) }, signal });
    return { answer: await response.json(), engine: engineTime(response), roundTrip: performance.now() - start };
  }

  /** The picture of a check that succeeded, as a Blob. @param {"picture" | "crop"} which */
  async picture(which, signal) {
    return (await this.#gateway.call(`${this.#path}/${which}`, { signal })).blob();
  }

  /** Begins a new attempt of a check. */
  async restart(signal) {
    await this.#gateway.call(`${this.#path}/restart`, { method: "POST", signal });
  }

  /** Closes the session; one that is not there any more is no error. */
  async close() {
    await this.#gateway.call(this.#path, { method: "DELETE", keepalive: true }).catch(() => {});
  }
}

// ---- face-check/scene.js

// Decides what the guided check shows: the rules of the kiosk's window (Examples/kiosk/scene.c). Nothing here draws.

/** How long somebody who has left counts as seen, in milliseconds. */
const SEEN = 3000;

const ACTIONS = ["blink", "turn_left", "turn_right", "smile", "open_mouth"];

/** Tone, and keys of the buttons' texts, the more likely one last. */
const SCREENS = {
  start: { tone: "calm", buttons: ["start"], symbol: "idle" },
  idle: { tone: "calm", buttons: [] },
  searching: { tone: "calm", buttons: [] },
  tip: { tone: "attention", buttons: [] },
  action: { tone: "calm", buttons: [] },
  countdown: { tone: "good", buttons: [] },
  success: { tone: "good", buttons: ["retake", "accept"] },
  saved: { tone: "good", buttons: [] },
  failure: { tone: "bad", buttons: ["again"] },
  time_out: { tone: "attention", buttons: ["again"] },
  camera_gone: { tone: "bad", buttons: [] },
  camera_missing: { tone: "bad", buttons: [], symbol: "camera_gone" },
  camera_denied: { tone: "bad", buttons: ["again"], symbol: "camera_gone" },
  engine_gone: { tone: "attention", buttons: [] },
};

/** The screen for a camera that does not open: a CameraError's. */
function screenOfCamera({ code }) {
  if (code === "denied" || code === "insecure") return "camera_denied";
  return code === "missing" ? "camera_missing" : "camera_gone";
}

/** What the event `failed` calls a hindrance, and whether the check goes on by itself when it has passed. */
function failureOf(screen) {
  const codes = { engine_gone: "engine_lost", camera_gone: "camera_lost" };
  return { code: codes[screen] ?? screen, recovers: screen !== "camera_denied" };
}

/** The check before anything has happened. */
function newStatus() {
  return {
    isRunning: false, hindrance: null, state: "waiting", tip: "prompt", progress: 0, actionsDone: 0, actionCount: 0, seenAt: -Infinity,
    failure: null, picture: null, isAccepted: false,
  };
}

/** The tip as a preview shows it: the engine has seen the picture itself, of which a mirror exchanges left and right. */
function tipInView(tip, isMirrored) {
  const exchanged = { move_left: "move_right", move_right: "move_left" };
  return (isMirrored && exchanged[tip]) || tip;
}

/** Where a tip's arrow points on the screen: -1, 0 or 1 each. The person's own left is the left of a mirror. */
function arrowOf(tip, isMirrored) {
  const x = tip.endsWith("_left") ? -1 : tip.endsWith("_right") ? 1 : 0;
  const y = tip.endsWith("_up") ? -1 : tip.endsWith("_down") ? 1 : 0;
  return { x: isMirrored || tip.startsWith("move_") ? x : -x, y };
}

function show(screen, title, more = {}) {
  const { tone, buttons, symbol = screen } = SCREENS[screen];
  return {
    screen, tone, buttons, symbol, title, detail: `${title}.detail`, arrow: { x: 0, y: 0 }, progress: 0, seconds: 0, done: 0,
    count: 0, ...more,
  };
}

/**
 * What to show.
 * @param {object} status As of `newStatus`; `hindrance` is the name of a screen: camera_denied, camera_missing, camera_gone,
 *   engine_gone.
 * @param {{isMirrored: boolean, countdown: number, confirms: boolean, now: number}} how
 */
function sceneOf(status, { isMirrored, countdown, confirms, now }) {
  if (status.picture) return confirms && !status.isAccepted ? show("success", "success") : show("saved", "saved");
  if (status.hindrance) return show(status.hindrance, status.hindrance);
  if (status.failure) {
    const isLate = status.failure === "time_out" || status.failure === "wait_time_out";
    return isLate ? show("time_out", "time_out") : show("failure", `failed.${status.failure}`);
  }
  if (!status.isRunning) return show("start", "idle");
  return ofCheck(status, { isMirrored, countdown, now });
}

/** While the check waits for a person or looks at one. */
function ofCheck({ state, tip, progress, actionsDone, actionCount, seenAt }, { isMirrored, countdown, now }) {
  if (state === "waiting" && now - seenAt > SEEN) return show("idle", "idle");
  if (tip === "prompt" || tip === "no_face") return show("searching", "searching");
  const screen = ACTIONS.includes(tip) ? "action" : tip === "hold_still" && progress > 0 ? "countdown" : "tip";
  const shown = tipInView(tip, isMirrored);
  return show(screen, `tip.${shown}`, {
    symbol: screen === "countdown" ? null : `tip.${shown}`, arrow: arrowOf(shown, isMirrored), progress,
    seconds: Math.ceil(countdown * (1 - progress)), done: actionsDone, count: actionCount,
  });
}

// ---- face-check/texts.js

/** By language: the kiosk's texts by their keys. */
const texts = {
  en: {
    "language": "English",
    "idle": "Come closer to begin",
    "idle.detail": "Stand in front of the screen and look into the circle.",
    "searching": "Looking for you",
    "searching.detail": "Bring your face into the circle.",
    "tip.several_faces": "One at a time, please",
    "tip.several_faces.detail": "Only one person should stand in front of the screen.",
    "tip.move_left": "Move left",
    "tip.move_right": "Move right",
    "tip.move_up": "Move up",
    "tip.move_down": "Move down",
    "tip.come_closer": "Come closer",
    "tip.come_closer.detail": "Your face should fill the circle.",
    "tip.move_back": "Move back",
    "tip.move_back.detail": "All of your face should be in the circle.",
    "tip.too_dark": "More light, please",
    "tip.too_dark.detail": "Turn your face to the light.",
    "tip.too_bright": "Too bright",
    "tip.too_bright.detail": "Step out of the bright light.",
    "tip.look_left": "Turn a little left",
    "tip.look_right": "Turn a little right",
    "tip.look_up": "Look up a little",
    "tip.look_down": "Look down a little",
    "tip.tilt_left": "Tilt your head left",
    "tip.tilt_right": "Tilt your head right",
    "tip.open_eyes": "Open your eyes",
    "tip.blurred": "Hold still",
    "tip.blurred.detail": "The picture is not sharp yet.",
    "tip.hold_still": "Hold still",
    "tip.hold_still.detail": "Very good. Stay just like this.",
    "tip.look_straight": "Look straight ahead",
    "tip.look_straight.detail": "Relax, eyes open.",
    "tip.blink": "Close your eyes briefly",
    "tip.blink.detail": "Then open them again.",
    "tip.turn_left": "Turn your head left",
    "tip.turn_left.detail": "Then look ahead again.",
    "tip.turn_right": "Turn your head right",
    "tip.turn_right.detail": "Then look ahead again.",
    "tip.smile": "Smile",
    "tip.open_mouth": "Open your mouth",
    "tip.uneven_light": "Light your face evenly",
    "tip.uneven_light.detail": "Turn so that the light falls on all of your face.",
    "tip.coloured_light": "White light, please",
    "tip.coloured_light.detail": "The light is coloured.",
    "tip.close_mouth": "Close your mouth",
    "tip.done": "Done",
    "success": "Here is your picture",
    "success.detail": "Do you like it?",
    "retake": "Retake",
    "accept": "Use this one",
    "saved": "Thank you",
    "saved.detail": "You are all set.",
    "again": "Try again",
    "failed.face_lost": "We lost sight of you",
    "failed.face_lost.detail": "Stay in the circle until the picture is taken.",
    "failed.face_changed": "Someone else came in",
    "failed.face_changed.detail": "Please step up one at a time, and try again.",
    "failed.no_picture": "The picture did not work",
    "failed.no_picture.detail": "Please try again.",
    "time_out": "That took too long",
    "time_out.detail": "No hurry. Touch below, or press Space, to try again.",
    "camera_gone": "The camera is not ready",
    "camera_gone.detail": "We go on by ourselves as soon as it is back. If this lasts, please tell the staff.",
    "engine_gone": "One moment, please",
    "engine_gone.detail": "We are reconnecting. You can stay where you are.",
    "camera_denied": "The camera is blocked",
    "camera_denied.detail": "Allow the camera for this page in the browser, then try again.",
    "camera_missing": "There is no camera",
    "camera_missing.detail": "Connect a camera: we go on by ourselves as soon as it is there.",
    "start": "Start",
  },
  de: {
    "language": "Deutsch",
    "idle": "Kommen Sie näher",
    "idle.detail": "Stellen Sie sich vor den Bildschirm und schauen Sie in den Kreis.",
    "searching": "Wir suchen Sie",
    "searching.detail": "Bringen Sie Ihr Gesicht in den Kreis.",
    "tip.several_faces": "Bitte einzeln",
    "tip.several_faces.detail": "Vor dem Bildschirm sollte nur eine Person stehen.",
    "tip.move_left": "Nach links",
    "tip.move_right": "Nach rechts",
    "tip.move_up": "Nach oben",
    "tip.move_down": "Nach unten",
    "tip.come_closer": "Näher heran",
    "tip.come_closer.detail": "Ihr Gesicht sollte den Kreis ausfüllen.",
    "tip.move_back": "Etwas zurück",
    "tip.move_back.detail": "Ihr ganzes Gesicht sollte im Kreis sein.",
    "tip.too_dark": "Mehr Licht, bitte",
    "tip.too_dark.detail": "Wenden Sie Ihr Gesicht zum Licht.",
    "tip.too_bright": "Zu hell",
    "tip.too_bright.detail": "Treten Sie aus dem grellen Licht.",
    "tip.look_left": "Etwas nach links drehen",
    "tip.look_right": "Etwas nach rechts drehen",
    "tip.look_up": "Etwas nach oben schauen",
    "tip.look_down": "Etwas nach unten schauen",
    "tip.tilt_left": "Kopf nach links neigen",
    "tip.tilt_right": "Kopf nach rechts neigen",
    "tip.open_eyes": "Augen öffnen",
    "tip.blurred": "Stillhalten",
    "tip.blurred.detail": "Das Bild ist noch nicht scharf.",
    "tip.hold_still": "Stillhalten",
    "tip.hold_still.detail": "Sehr gut. Bleiben Sie genau so.",
    "tip.look_straight": "Geradeaus schauen",
    "tip.look_straight.detail": "Ganz entspannt, Augen offen.",
    "tip.blink": "Augen kurz schließen",
    "tip.blink.detail": "Dann wieder öffnen.",
    "tip.turn_left": "Kopf nach links drehen",
    "tip.turn_left.detail": "Dann wieder geradeaus schauen.",
    "tip.turn_right": "Kopf nach rechts drehen",
    "tip.turn_right.detail": "Dann wieder geradeaus schauen.",
    "tip.smile": "Lächeln",
    "tip.open_mouth": "Mund öffnen",
    "tip.uneven_light": "Gleichmäßiges Licht, bitte",
    "tip.uneven_light.detail": "Drehen Sie sich so, dass das Licht auf das ganze Gesicht fällt.",
    "tip.coloured_light": "Weißes Licht, bitte",
    "tip.coloured_light.detail": "Das Licht ist farbig.",
    "tip.close_mouth": "Mund schließen",
    "tip.done": "Fertig",
    "success": "Ihr Bild",
    "success.detail": "Gefällt es Ihnen?",
    "retake": "Noch einmal",
    "accept": "Dieses nehmen",
    "saved": "Vielen Dank",
    "saved.detail": "Alles ist erledigt.",
    "again": "Noch einmal",
    "failed.face_lost": "Wir sehen Sie nicht mehr",
    "failed.face_lost.detail": "Bleiben Sie im Kreis, bis das Bild aufgenommen ist.",
    "failed.face_changed": "Da kam jemand dazwischen",
    "failed.face_changed.detail": "Bitte treten Sie einzeln vor und versuchen Sie es noch einmal.",
    "failed.no_picture": "Das Bild ist misslungen",
    "failed.no_picture.detail": "Bitte versuchen Sie es noch einmal.",
    "time_out": "Das hat zu lange gedauert",
    "time_out.detail": "Keine Eile. Berühren Sie die Taste oder drücken Sie die Leertaste.",
    "camera_gone": "Die Kamera ist nicht bereit",
    "camera_gone.detail": "Es geht von selbst weiter, sobald sie wieder da ist. Dauert es länger, sagen Sie bitte dem Personal Bescheid.",
    "engine_gone": "Einen Moment, bitte",
    "engine_gone.detail": "Die Verbindung wird wiederhergestellt. Bleiben Sie ruhig stehen.",
    "camera_denied": "Die Kamera ist gesperrt",
    "camera_denied.detail": "Erlauben Sie dieser Seite im Browser die Kamera und versuchen Sie es noch einmal.",
    "camera_missing": "Keine Kamera gefunden",
    "camera_missing.detail": "Schließen Sie eine Kamera an. Es geht von selbst weiter, sobald sie da ist.",
    "start": "Starten",
  },
  fr: {
    "language": "Français",
    "idle": "Approchez-vous pour commencer",
    "idle.detail": "Placez-vous devant l’écran et regardez dans le cercle.",
    "searching": "Nous vous cherchons",
    "searching.detail": "Placez votre visage dans le cercle.",
    "tip.several_faces": "Une personne à la fois",
    "tip.several_faces.detail": "Une seule personne doit se tenir devant l’écran.",
    "tip.move_left": "Vers la gauche",
    "tip.move_right": "Vers la droite",
    "tip.move_up": "Plus haut",
    "tip.move_down": "Plus bas",
    "tip.come_closer": "Approchez-vous",
    "tip.come_closer.detail": "Votre visage doit remplir le cercle.",
    "tip.move_back": "Reculez un peu",
    "tip.move_back.detail": "Tout votre visage doit être dans le cercle.",
    "tip.too_dark": "Il faut plus de lumière",
    "tip.too_dark.detail": "Tournez votre visage vers la lumière.",
    "tip.too_bright": "Trop de lumière",
    "tip.too_bright.detail": "Sortez de la lumière vive.",
    "tip.look_left": "Tournez un peu à gauche",
    "tip.look_right": "Tournez un peu à droite",
    "tip.look_up": "Regardez un peu plus haut",
    "tip.look_down": "Regardez un peu plus bas",
    "tip.tilt_left": "Penchez la tête à gauche",
    "tip.tilt_right": "Penchez la tête à droite",
    "tip.open_eyes": "Ouvrez les yeux",
    "tip.blurred": "Ne bougez plus",
    "tip.blurred.detail": "L’image n’est pas encore nette.",
    "tip.hold_still": "Ne bougez plus",
    "tip.hold_still.detail": "Très bien. Restez ainsi.",
    "tip.look_straight": "Regardez droit devant",
    "tip.look_straight.detail": "Détendez-vous, les yeux ouverts.",
    "tip.blink": "Fermez brièvement les yeux",
    "tip.blink.detail": "Puis rouvrez-les.",
    "tip.turn_left": "Tournez la tête à gauche",
    "tip.turn_left.detail": "Puis regardez de nouveau devant vous.",
    "tip.turn_right": "Tournez la tête à droite",
    "tip.turn_right.detail": "Puis regardez de nouveau devant vous.",
    "tip.smile": "Souriez",
    "tip.open_mouth": "Ouvrez la bouche",
    "tip.uneven_light": "Éclairez tout le visage",
    "tip.uneven_light.detail": "Tournez-vous pour que la lumière éclaire tout le visage.",
    "tip.coloured_light": "Il faut une lumière blanche",
    "tip.coloured_light.detail": "La lumière est colorée.",
    "tip.close_mouth": "Fermez la bouche",
    "tip.done": "C’est fait",
    "success": "Voici votre photo",
    "success.detail": "Vous plaît-elle ?",
    "retake": "Recommencer",
    "accept": "Garder",
    "saved": "Merci",
    "saved.detail": "C’est terminé.",
    "again": "Réessayer",
    "failed.face_lost": "Nous ne vous voyons plus",
    "failed.face_lost.detail": "Restez dans le cercle jusqu’à la prise de la photo.",
    "failed.face_changed": "Quelqu’un d’autre est arrivé",
    "failed.face_changed.detail": "Avancez un par un, puis réessayez.",
    "failed.no_picture": "La photo n’a pas réussi",
    "failed.no_picture.detail": "Veuillez réessayer.",
    "time_out": "Le temps est écoulé",
    "time_out.detail": "Rien ne presse. Touchez le bouton ou appuyez sur Espace.",
    "camera_gone": "La caméra n’est pas prête",
    "camera_gone.detail": "Nous reprendrons dès son retour. Si cela dure, prévenez le personnel.",
    "engine_gone": "Un instant, s’il vous plaît",
    "engine_gone.detail": "Nous rétablissons la connexion. Vous pouvez rester là.",
    "camera_denied": "La caméra est bloquée",
    "camera_denied.detail": "Autorisez la caméra pour cette page dans le navigateur, puis réessayez.",
    "camera_missing": "Aucune caméra",
    "camera_missing.detail": "Branchez une caméra : nous reprendrons dès qu’elle sera là.",
    "start": "Commencer",
  },
  es: {
    "language": "Español",
    "idle": "Acérquese para empezar",
    "idle.detail": "Colóquese ante la pantalla y mire dentro del círculo.",
    "searching": "Le estamos buscando",
    "searching.detail": "Coloque la cara dentro del círculo.",
    "tip.several_faces": "De uno en uno, por favor",
    "tip.several_faces.detail": "Solo una persona debe estar ante la pantalla.",
    "tip.move_left": "Hacia la izquierda",
    "tip.move_right": "Hacia la derecha",
    "tip.move_up": "Más arriba",
    "tip.move_down": "Más abajo",
    "tip.come_closer": "Acérquese",
    "tip.come_closer.detail": "Su cara debe llenar el círculo.",
    "tip.move_back": "Aléjese un poco",
    "tip.move_back.detail": "Toda la cara debe estar dentro del círculo.",
    "tip.too_dark": "Hace falta más luz",
    "tip.too_dark.detail": "Gire la cara hacia la luz.",
    "tip.too_bright": "Demasiada luz",
    "tip.too_bright.detail": "Salga de la luz intensa.",
    "tip.look_left": "Gire un poco a la izquierda",
    "tip.look_right": "Gire un poco a la derecha",
    "tip.look_up": "Mire un poco hacia arriba",
    "tip.look_down": "Mire un poco hacia abajo",
    "tip.tilt_left": "Incline la cabeza a la izquierda",
    "tip.tilt_right": "Incline la cabeza a la derecha",
    "tip.open_eyes": "Abra los ojos",
    "tip.blurred": "No se mueva",
    "tip.blurred.detail": "La imagen aún no es nítida.",
    "tip.hold_still": "No se mueva",
    "tip.hold_still.detail": "Muy bien. Quédese así.",
    "tip.look_straight": "Mire al frente",
    "tip.look_straight.detail": "Relájese, con los ojos abiertos.",
    "tip.blink": "Cierre los ojos un instante",
    "tip.blink.detail": "Y ábralos de nuevo.",
    "tip.turn_left": "Gire la cabeza a la izquierda",
    "tip.turn_left.detail": "Después vuelva a mirar al frente.",
    "tip.turn_right": "Gire la cabeza a la derecha",
    "tip.turn_right.detail": "Después vuelva a mirar al frente.",
    "tip.smile": "Sonría",
    "tip.open_mouth": "Abra la boca",
    "tip.uneven_light": "Ilumine toda la cara",
    "tip.uneven_light.detail": "Gírese para que la luz le dé en toda la cara.",
    "tip.coloured_light": "Hace falta luz blanca",
    "tip.coloured_light.detail": "La luz tiene color.",
    "tip.close_mouth": "Cierre la boca",
    "tip.done": "Listo",
    "success": "Esta es su foto",
    "success.detail": "¿Le gusta?",
    "retake": "Repetir",
    "accept": "Usar esta",
    "saved": "Gracias",
    "saved.detail": "Ya está todo listo.",
    "again": "Intentar de nuevo",
    "failed.face_lost": "Hemos dejado de verle",
    "failed.face_lost.detail": "Quédese en el círculo hasta que se tome la foto.",
    "failed.face_changed": "Ha entrado otra persona",
    "failed.face_changed.detail": "Acérquense de uno en uno e inténtelo de nuevo.",
    "failed.no_picture": "La foto no ha salido bien",
    "failed.no_picture.detail": "Inténtelo de nuevo, por favor.",
    "time_out": "Se ha acabado el tiempo",
    "time_out.detail": "No hay prisa. Toque el botón o pulse la barra espaciadora.",
    "camera_gone": "La cámara no está lista",
    "camera_gone.detail": "Seguiremos en cuanto vuelva. Si tarda, avise al personal.",
    "engine_gone": "Un momento, por favor",
    "engine_gone.detail": "Estamos restableciendo la conexión. Puede quedarse donde está.",
    "camera_denied": "La cámara está bloqueada",
    "camera_denied.detail": "Permita la cámara para esta página en el navegador e inténtelo de nuevo.",
    "camera_missing": "No hay ninguna cámara",
    "camera_missing.detail": "Conecte una cámara: seguiremos en cuanto esté lista.",
    "start": "Empezar",
  },
  ar: {
    "language": "العربية",
    "direction": "right-to-left",
    "1": "١",
    "2": "٢",
    "3": "٣",
    "4": "٤",
    "5": "٥",
    "6": "٦",
    "7": "٧",
    "8": "٨",
    "9": "٩",
    "idle": "اقترب للبدء",
    "idle.detail": "قف أمام الشاشة وانظر إلى داخل الدائرة.",
    "searching": "نبحث عنك",
    "searching.detail": "ضع وجهك داخل الدائرة.",
    "tip.several_faces": "شخص واحد من فضلكم",
    "tip.several_faces.detail": "يجب أن يقف أمام الشاشة شخص واحد فقط.",
    "tip.move_left": "تحرك إلى اليسار",
    "tip.move_right": "تحرك إلى اليمين",
    "tip.move_up": "تحرك إلى الأعلى",
    "tip.move_down": "تحرك إلى الأسفل",
    "tip.come_closer": "اقترب",
    "tip.come_closer.detail": "يجب أن يملأ وجهك الدائرة.",
    "tip.move_back": "ابتعد قليلا",
    "tip.move_back.detail": "يجب أن يكون وجهك كله داخل الدائرة.",
    "tip.too_dark": "نحتاج إلى ضوء أكثر",
    "tip.too_dark.detail": "أدر وجهك نحو الضوء.",
    "tip.too_bright": "الضوء شديد",
    "tip.too_bright.detail": "ابتعد عن الضوء الساطع.",
    "tip.look_left": "أدر رأسك قليلا إلى اليسار",
    "tip.look_right": "أدر رأسك قليلا إلى اليمين",
    "tip.look_up": "انظر قليلا إلى الأعلى",
    "tip.look_down": "انظر قليلا إلى الأسفل",
    "tip.tilt_left": "أمل رأسك إلى اليسار",
    "tip.tilt_right": "أمل رأسك إلى اليمين",
    "tip.open_eyes": "افتح عينيك",
    "tip.blurred": "لا تتحرك",
    "tip.blurred.detail": "الصورة ليست واضحة بعد.",
    "tip.hold_still": "لا تتحرك",
    "tip.hold_still.detail": "ممتاز. ابق هكذا.",
    "tip.look_straight": "انظر إلى الأمام",
    "tip.look_straight.detail": "استرخ وعيناك مفتوحتان.",
    "tip.blink": "أغمض عينيك للحظة",
    "tip.blink.detail": "ثم افتحهما من جديد.",
    "tip.turn_left": "أدر رأسك إلى اليسار",
    "tip.turn_left.detail": "ثم انظر إلى الأمام من جديد.",
    "tip.turn_right": "أدر رأسك إلى اليمين",
    "tip.turn_right.detail": "ثم انظر إلى الأمام من جديد.",
    "tip.smile": "ابتسم",
    "tip.open_mouth": "افتح فمك",
    "tip.uneven_light": "أضئ وجهك بالتساوي",
    "tip.uneven_light.detail": "استدر بحيث يقع الضوء على وجهك كله.",
    "tip.coloured_light": "نحتاج إلى ضوء أبيض",
    "tip.coloured_light.detail": "الضوء ملوّن.",
    "tip.close_mouth": "أغلق فمك",
    "tip.done": "تم",
    "success": "هذه صورتك",
    "success.detail": "هل تعجبك؟",
    "retake": "إعادة التصوير",
    "accept": "استخدام هذه الصورة",
    "saved": "شكرا لك",
    "saved.detail": "تم كل شيء.",
    "again": "حاول مرة أخرى",
    "failed.face_lost": "لم نعد نراك",
    "failed.face_lost.detail": "ابق داخل الدائرة حتى تُلتقط الصورة.",
    "failed.face_changed": "دخل شخص آخر",
    "failed.face_changed.detail": "تقدموا واحدا تلو الآخر ثم حاول مرة أخرى.",
    "failed.no_picture": "لم تنجح الصورة",
    "failed.no_picture.detail": "حاول مرة أخرى من فضلك.",
    "time_out": "انتهى الوقت",
    "time_out.detail": "لا داعي للعجلة. المس الزر أو اضغط مفتاح المسافة.",
    "camera_gone": "الكاميرا غير جاهزة",
    "camera_gone.detail": "سنتابع تلقائيا فور عودتها. إذا طال الأمر فأخبر الموظفين من فضلك.",
    "engine_gone": "لحظة من فضلك",
    "engine_gone.detail": "نعيد الاتصال. يمكنك البقاء في مكانك.",
    "camera_denied": "الكاميرا محظورة",
    "camera_denied.detail": "اسمح لهذه الصفحة باستخدام الكاميرا في المتصفح ثم حاول مرة أخرى.",
    "camera_missing": "لا توجد كاميرا",
    "camera_missing.detail": "قم بتوصيل كاميرا. سنتابع تلقائيا فور توفرها.",
    "start": "ابدأ",
  },
  ja: {
    "language": "日本語",
    "idle": "もう少し近づいてく⁠だ⁠さ⁠い",
    "idle.detail": "画面の前に立ち、円の中を見てく⁠だ⁠さ⁠い。",
    "searching": "お顔を探してい⁠ま⁠す",
    "searching.detail": "お顔を円の中に入れてく⁠だ⁠さ⁠い。",
    "tip.several_faces": "お一人ずつお願いします",
    "tip.several_faces.detail": "画面の前にはお一人だけお立ちく⁠だ⁠さ⁠い。",
    "tip.move_left": "左へ動いてく⁠だ⁠さ⁠い",
    "tip.move_right": "右へ動いてく⁠だ⁠さ⁠い",
    "tip.move_up": "上へ動いてく⁠だ⁠さ⁠い",
    "tip.move_down": "下へ動いてく⁠だ⁠さ⁠い",
    "tip.come_closer": "近づいてく⁠だ⁠さ⁠い",
    "tip.come_closer.detail": "お顔が円いっぱいになるようにしてく⁠だ⁠さ⁠い。",
    "tip.move_back": "少し下がってく⁠だ⁠さ⁠い",
    "tip.move_back.detail": "お顔全体を円の中に入れてく⁠だ⁠さ⁠い。",
    "tip.too_dark": "暗すぎます",
    "tip.too_dark.detail": "お顔を明るい方へ向けてく⁠だ⁠さ⁠い。",
    "tip.too_bright": "明るすぎます",
    "tip.too_bright.detail": "強い光を避けてく⁠だ⁠さ⁠い。",
    "tip.look_left": "少し左を向いてく⁠だ⁠さ⁠い",
    "tip.look_right": "少し右を向いてく⁠だ⁠さ⁠い",
    "tip.look_up": "少し上を向いてく⁠だ⁠さ⁠い",
    "tip.look_down": "少し下を向いてく⁠だ⁠さ⁠い",
    "tip.tilt_left": "頭を左に傾けてく⁠だ⁠さ⁠い",
    "tip.tilt_right": "頭を右に傾けてく⁠だ⁠さ⁠い",
    "tip.open_eyes": "目を開けてく⁠だ⁠さ⁠い",
    "tip.blurred": "動かないでく⁠だ⁠さ⁠い",
    "tip.blurred.detail": "まだピントが合っていま⁠せ⁠ん。",
    "tip.hold_still": "動かないでく⁠だ⁠さ⁠い",
    "tip.hold_still.detail": "そのままお待ちく⁠だ⁠さ⁠い。",
    "tip.look_straight": "正面を見てく⁠だ⁠さ⁠い",
    "tip.look_straight.detail": "力を抜いて、目を開けてく⁠だ⁠さ⁠い。",
    "tip.blink": "一度まばたきしてく⁠だ⁠さ⁠い",
    "tip.blink.detail": "軽く目を閉じて、開けてく⁠だ⁠さ⁠い。",
    "tip.turn_left": "顔を左に向けてく⁠だ⁠さ⁠い",
    "tip.turn_left.detail": "その後、正面に戻してく⁠だ⁠さ⁠い。",
    "tip.turn_right": "顔を右に向けてく⁠だ⁠さ⁠い",
    "tip.turn_right.detail": "その後、正面に戻してく⁠だ⁠さ⁠い。",
    "tip.smile": "笑ってく⁠だ⁠さ⁠い",
    "tip.open_mouth": "口を開けてく⁠だ⁠さ⁠い",
    "tip.uneven_light": "顔全体に光を当ててください",
    "tip.uneven_light.detail": "光が顔全体に当たる向きに立ってください。",
    "tip.coloured_light": "白い光が必要です",
    "tip.coloured_light.detail": "光に色がついています。",
    "tip.close_mouth": "口を閉じてください",
    "tip.done": "完了",
    "success": "写真が撮れま⁠し⁠た",
    "success.detail": "この写真でよろしいですか？",
    "retake": "撮り直す",
    "accept": "これを使う",
    "saved": "ありがとうございま⁠し⁠た",
    "saved.detail": "完了しま⁠し⁠た。",
    "again": "もう一度",
    "failed.face_lost": "お顔が見えなくなりま⁠し⁠た",
    "failed.face_lost.detail": "撮影が終わるまで円の中にいてく⁠だ⁠さ⁠い。",
    "failed.face_changed": "別の方が入りま⁠し⁠た",
    "failed.face_changed.detail": "お一人ずつ、もう一度お試しく⁠だ⁠さ⁠い。",
    "failed.no_picture": "撮影できま⁠せ⁠んでした",
    "failed.no_picture.detail": "もう一度お試しく⁠だ⁠さ⁠い。",
    "time_out": "時間切れです",
    "time_out.detail": "ボタンに触れるかスペースキーを押すと、もう一度始めら⁠れ⁠ま⁠す。",
    "camera_gone": "カメラの準備ができていま⁠せ⁠ん",
    "camera_gone.detail": "戻り次第、自動で再開します。続く場合は係員にお知らせく⁠だ⁠さ⁠い。",
    "engine_gone": "少々お待ちく⁠だ⁠さ⁠い",
    "engine_gone.detail": "再接続してい⁠ま⁠す。そのままお待ちく⁠だ⁠さ⁠い。",
    "camera_denied": "カメラが許可されていません",
    "camera_denied.detail": "ブラウザーでこのページのカメラを許可してから、もう一度お試しください。",
    "camera_missing": "カメラが見つかりません",
    "camera_missing.detail": "カメラを接続してください。つながると自動的に続きます。",
    "start": "開始",
  },
};

/** Strokes in a square from -1 to 1, as Examples/kiosk/texts/symbols.txt defines them. */
const symbols = {
  "tip.prompt": "c 0 -.35 .36 a 0 .85 .7 200 340",
  "tip.no_face": "c -.15 -.15 .5 m .22 .22 l .7 .7",
  "tip.several_faces": "c -.3 -.3 .3 a -.3 .8 .6 205 335 c .5 -.35 .2 a .5 .6 .45 235 335",
  "tip.move_left": "m .7 0 l -.7 0 m -.2 -.5 l -.7 0 l -.2 .5",
  "tip.move_right": "m -.7 0 l .7 0 m .2 -.5 l .7 0 l .2 .5",
  "tip.move_up": "m 0 .7 l 0 -.7 m -.5 -.2 l 0 -.7 l .5 -.2",
  "tip.move_down": "m 0 -.7 l 0 .7 m -.5 .2 l 0 .7 l .5 .2",
  "tip.come_closer": "m .2 .2 l .7 .7 m .7 .3 l .7 .7 l .3 .7 m -.2 .2 l -.7 .7 m -.7 .3 l -.7 .7 l -.3 .7 m .2 -.2 l .7 -.7 m .7 -.3 l .7 -.7 l .3 -.7 m -.2 -.2 l -.7 -.7 m -.7 -.3 l -.7 -.7 l -.3 -.7",
  "tip.move_back": "m .2 .2 l .75 .75 m .2 .6 l .2 .2 l .6 .2 m -.2 .2 l -.75 .75 m -.2 .6 l -.2 .2 l -.6 .2 m .2 -.2 l .75 -.75 m .2 -.6 l .2 -.2 l .6 -.2 m -.2 -.2 l -.75 -.75 m -.2 -.6 l -.2 -.2 l -.6 -.2",
  "tip.too_dark": "a 0 -.2 .52 130 410 m -.33 .2 l -.22 .45 l .22 .45 l .33 .2 m -.16 .75 l .16 .75",
  "tip.too_bright": "c 0 0 .34 m 0 -.6 l 0 -.85 m 0 .6 l 0 .85 m -.6 0 l -.85 0 m .6 0 l .85 0 m .43 .43 l .6 .6 m -.43 .43 l -.6 .6 m .43 -.43 l .6 -.6 m -.43 -.43 l -.6 -.6",
  "tip.look_left": "m .7 0 l -.7 0 m -.2 -.5 l -.7 0 l -.2 .5",
  "tip.look_right": "m -.7 0 l .7 0 m .2 -.5 l .7 0 l .2 .5",
  "tip.look_up": "m 0 .7 l 0 -.7 m -.5 -.2 l 0 -.7 l .5 -.2",
  "tip.look_down": "m 0 -.7 l 0 .7 m -.5 .2 l 0 .7 l .5 .2",
  "tip.tilt_left": "a 0 .35 .7 200 340 m -.3 .25 l -.67 .13 l -.72 -.27",
  "tip.tilt_right": "a 0 .35 .7 200 340 m .3 .25 l .67 .13 l .72 -.27",
  "tip.open_eyes": "c 0 0 .8 c -.3 -.15 .17 c .3 -.15 .17 d -.3 -.15 .05 d .3 -.15 .05 m -.22 .38 l .22 .38",
  "tip.blurred": "c 0 0 .38 m -.8 -.4 l -.8 -.8 l -.4 -.8 m .8 -.4 l .8 -.8 l .4 -.8 m -.8 .4 l -.8 .8 l -.4 .8 m .8 .4 l .8 .8 l .4 .8",
  "tip.hold_still": "c 0 0 .38 m -.8 -.4 l -.8 -.8 l -.4 -.8 m .8 -.4 l .8 -.8 l .4 -.8 m -.8 .4 l -.8 .8 l -.4 .8 m .8 .4 l .8 .8 l .4 .8",
  "tip.look_straight": "c 0 0 .8 d -.28 -.2 .1 d .28 -.2 .1 m -.26 .34 l .26 .34",
  "tip.blink": "c 0 0 .8 a -.3 -.3 .2 30 150 a .3 -.3 .2 30 150 m -.24 .36 l .24 .36",
  "tip.turn_left": "m .7 0 l -.7 0 m -.2 -.5 l -.7 0 l -.2 .5",
  "tip.turn_right": "m -.7 0 l .7 0 m .2 -.5 l .7 0 l .2 .5",
  "tip.smile": "c 0 0 .8 d -.28 -.2 .1 d .28 -.2 .1 a 0 .05 .42 20 160",
  "tip.open_mouth": "c 0 0 .8 d -.28 -.2 .1 d .28 -.2 .1 c 0 .36 .2",
  "tip.uneven_light": "c 0 0 .65 m 0 -.65 l 0 .65 m .2 -.4 l .2 .4 m .4 -.2 l .4 .2",
  "tip.coloured_light": "c -.3 .22 .42 c .3 .22 .42 c 0 -.3 .42",
  "tip.close_mouth": "c 0 0 .8 d -.28 -.2 .1 d .28 -.2 .1 m -.3 .36 l .3 .36",
  "tip.done": "m -.55 .05 l -.15 .45 l .6 -.4",
  "idle": "c 0 -.35 .36 a 0 .85 .7 200 340",
  "searching": "c -.15 -.15 .5 m .22 .22 l .7 .7",
  "success": "m -.55 .05 l -.15 .45 l .6 -.4",
  "saved": "m -.55 .05 l -.15 .45 l .6 -.4",
  "failure": "m 0 -.65 l 0 .15 d 0 .58 .1",
  "time_out": "c 0 0 .75 m 0 -.42 l 0 0 l .32 .2",
  "camera_gone": "m -.75 -.3 l -.4 -.3 l -.25 -.55 l .25 -.55 l .4 -.3 l .75 -.3 l .75 .55 l -.75 .55 l -.75 -.3 c 0 .1 .26 m -.85 -.8 l .85 .85",
  "engine_gone": "a 0 0 .62 200 340 a 0 0 .62 20 160 m .66 -.56 l .58 -.2 l .22 -.28 m -.66 .56 l -.58 .2 l -.22 .28",
};

// ---- face-check/settings.js

// The attributes of <face-check>.

/** Those whose change begins a new attempt. */
const checkAttributes = ["actions", "shuffle", "circle", "src", "countdown", "timeout", "camera"];

const ACTION_NAMES = ["blink", "turn-left", "turn-right", "smile", "open-mouth"];

function numberOf(element, name, otherwise) {
  const value = Number.parseFloat(element.getAttribute(name) ?? "");
  return Number.isFinite(value) && value >= 0 ? value : otherwise;
}

/** What an element's attributes say; what cannot be meant is left out, and told to the developer. */
function settingsOf(element) {
  const actions = (element.getAttribute("actions") ?? "").split(/[\s,]+/).filter(Boolean).map((name) => name.replaceAll("_", "-"));
  const unknown = actions.filter((name) => !ACTION_NAMES.includes(name));
  if (unknown.length > 0) {
    console.warn(`<face-check>: there is no action ${unknown.join(", ")}; there are ${ACTION_NAMES.join(", ")}.`);
  }
  return {
    actions: actions.filter((name) => ACTION_NAMES.includes(name)).slice(0, 8), isShuffled: element.hasAttribute("shuffle"),
    circle: circleOf(element), countdown: numberOf(element, "countdown", 2), timeout: numberOf(element, "timeout", 30),
    camera: element.getAttribute("camera") || "user", confirms: element.hasAttribute("confirm"),
    repeat: numberOf(element, "repeat", undefined),
  };
}

function circleOf(element) {
  const circle = { x: 0.5, y: 0.47, radius: 0.39 };
  if (!element.hasAttribute("circle")) return circle;
  const numbers = element.getAttribute("circle").split(",").map(Number);
  const isCircle = numbers.length === 3 && numbers.every((number) => number > 0 && number <= 1);
  if (isCircle) return { x: numbers[0], y: numbers[1], radius: numbers[2] };
  console.warn('<face-check>: the attribute circle is three numbers from 0 to 1, as in "0.5,0.47,0.39".');
  return circle;
}

/** The language that is asked for, or the page's, or the browser's, else English. */
function languageOf(element) {
  const asked = [element.getAttribute("language"), element.closest("[lang]")?.lang, ...navigator.languages];
  const codes = asked.filter(Boolean).flatMap((code) => [code, code.split("-")[0].toLowerCase()]);
  return codes.find((code) => Object.hasOwn(texts, code)) ?? "en";
}

/** The options of the gateway's session. The engine sees the camera's picture itself, the person perhaps its mirror. */
function sessionOptions({ actions, isShuffled, circle, countdown, timeout }, isMirrored, more) {
  return {
    actions, shuffle: isShuffled, hold: countdown, timeout, "crop-size": 768,
    circle: { ...circle, x: isMirrored ? 1 - circle.x : circle.x }, ...more,
  };
}

// ---- face-check/ring.js

// The ring around the face, and symbols: strokes of SVG.

const SVG = "http://www.w3.org/2000/svg";

function makeSVG(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** A symbol's strokes (Examples/kiosk/texts/symbols.txt) as the data of an SVG path in a square from -1 to 1. */
function symbolPath(strokes) {
  const words = strokes.trim().split(/\s+/);
  const number = () => Number(words.shift());
  const at = (x, y, radius, degrees) => {
    const angle = (degrees * Math.PI) / 180;
    return `${(x + radius * Math.cos(angle)).toFixed(3)} ${(y + radius * Math.sin(angle)).toFixed(3)}`;
  };
  const circle = (x, y, radius) =>
    `M${at(x, y, radius, 0)}A${radius} ${radius} 0 1 1 ${at(x, y, radius, 180)}A${radius} ${radius} 0 1 1 ${at(x, y, radius, 360)}`;
  let path = "";
  while (words.length > 0) {
    const kind = words.shift();
    const [x, y] = [number(), number()];
    if (kind === "m" || kind === "l") {
      path += `${kind.toUpperCase()}${x} ${y}`;
      continue;
    }
    const radius = number();
    if (kind === "c") path += circle(x, y, radius);
    else if (kind === "d") path += circle(x, y, radius) + circle(x, y, radius / 2);
    else {
      const [from, to] = [number(), number()];
      path += `M${at(x, y, radius, from)}A${radius} ${radius} 0 ${to - from > 180 ? 1 : 0} 1 ${at(x, y, radius, to)}`;
    }
  }
  return path;
}

/** Parts of the ring for a scene: where each begins and ends, in turns from the top, and what it looks like. */
function ringParts(scene) {
  const whole = { from: 0, to: 1, look: "faint", width: 0.6 };
  switch (scene.screen) {
    case "start":
    case "idle":
      return [{ dashes: 40, part: 0.5, look: "breathing", width: 0.7 }];
    case "searching":
    case "engine_gone":
      return [whole, { from: 0, to: 0.22, look: "turning", width: 1 }];
    case "tip":
      return [{ dashes: 24, part: 0.7, look: "tone", width: 1 }];
    case "action":
      return Array.from({ length: scene.count }, (_, index) => {
        const gap = scene.count > 1 ? 0.012 : 0;
        return {
          from: index / scene.count + gap, to: (index + 1) / scene.count - gap, width: index < scene.done ? 1.5 : 1,
          look: index < scene.done ? "done" : index === scene.done ? "pulsing" : "faint" };
      });
    case "countdown":
      return [whole, { from: 0, to: scene.progress, look: "tone", width: 1.4 }];
    default:
      return [{ from: 0, to: 1, look: "tone", width: 0.8 }];
  }
}

/** Makes `group` show the parts around a circle; elements stay, so that their animations go on. */
function drawRing(group, parts, { x, y, radius }) {
  const stroke = radius * 0.034;
  while (group.childElementCount > parts.length) group.lastElementChild.remove();
  while (group.childElementCount < parts.length) group.append(makeSVG("circle", { pathLength: 1, fill: "none" }));
  parts.forEach((part, index) => {
    const length = part.dashes ? part.part / part.dashes : Math.max(0, part.to - part.from);
    const isWhole = !part.dashes && length >= 1;
    const attributes = {
      class: part.look, cx: x, cy: y, r: radius, "stroke-width": (stroke * part.width).toFixed(2),
      "stroke-dasharray": isWhole ? "none" : part.dashes ? `${length} ${1 / part.dashes - length}` : `${length} ${1 - length}`,
      "stroke-dashoffset": part.dashes ? length / 2 : -part.from,
      "stroke-linecap": part.dashes || isWhole || length === 0 ? "butt" : "round",
    };
    const circle = group.children[index];
    for (const [key, value] of Object.entries(attributes)) {
      if (circle.getAttribute(key) !== String(value)) circle.setAttribute(key, value);
    }
  });
}

// ---- face-check/styles.js

// The look of <face-check>. A page changes it by custom properties and parts: docs/page.md

/** Texts beside the preview. */
const wide = `
  .check { flex-direction: row; align-items: stretch; }
  .preview { flex: 0 0 60%; }
  :host([fill]) .preview { flex: 0 0 60%; }
  .panel { flex: 1; gap: 28px; }
  .title { font-size: clamp(1.75rem, 3.4cqi, 3rem); }
  .detail { font-size: clamp(1.1rem, 1.9cqi, 1.6rem); }
  .buttons { flex-direction: column-reverse; align-items: center; }
  button { flex: none; width: 100%; min-height: 60px; font-size: clamp(1.05rem, 1.8cqi, 1.4rem); }
`;

/** The colours are the kiosk's: they remain apart with any colour vision, 6:1 and more from the ground. */
const styleText = `
:host {
  display: block; container: check / inline-size; contain: content;
  --_ground: var(--face-check-ground, #0f1521);
  --_text: var(--face-check-text, #ffffff);
  --_soft: var(--face-check-soft, #c8d4e4);
  --_plate: var(--face-check-plate, #3e4e6a);
  --_calm: var(--face-check-calm, #46a0f5);
  --_attention: var(--face-check-attention, #ffc83c);
  --_good: var(--face-check-good, #50e196);
  --_bad: var(--face-check-bad, #f26e3c);
  --_dim: 0.68;
  color: var(--_text); background: var(--_ground);
  border-radius: var(--face-check-radius, 20px); overflow: hidden;
  font: var(--face-check-font, 400 1rem/1.4 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif);
}
:host([hidden]) { display: none; }
:host([fill]) { height: 100%; container: check-fill / size; }
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
.check { display: flex; flex-direction: column; }
:host([fill]) .check { height: 100%; }
.check[data-tone="calm"] { --_tone: var(--_calm); }
.check[data-tone="attention"] { --_tone: var(--_attention); }
.check[data-tone="good"] { --_tone: var(--_good); }
.check[data-tone="bad"] { --_tone: var(--_bad); }
.preview { position: relative; overflow: hidden; aspect-ratio: var(--face-check-aspect, 1); background: #080c14; }
:host([fill]) .preview { flex: 0 0 62%; aspect-ratio: auto; }
:host([fill]) .panel { flex: 1; min-height: 0; overflow: auto; justify-content: safe center; }
video { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
.mirrored video { transform: scaleX(-1); }
.covered video { visibility: hidden; }
svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.dim { fill: var(--_ground); fill-opacity: var(--_dim); fill-rule: evenodd; }
.covered .dim, .covered .mark { visibility: hidden; }
.covered { background: var(--_ground); }
.ring circle { stroke: var(--_tone); transform-box: fill-box; transform-origin: center; rotate: -90deg; }
.ring .faint { stroke: var(--_text); stroke-opacity: 0.28; }
.ring .breathing { stroke: var(--_text); stroke-opacity: 0.8; }
.ring .done { stroke: var(--_good); }
.mark { fill: none; stroke: var(--_text); stroke-opacity: 0.8; stroke-width: 2.5; stroke-dasharray: 0.075 0.175; stroke-dashoffset: 0.0375; }
.badge { fill: var(--_tone); }
.badge-symbol { fill: none; stroke: var(--_ground); stroke-width: 0.2; stroke-linecap: round; stroke-linejoin: round; }
.badge-number { fill: var(--_ground); font-weight: 700; text-anchor: middle; dominant-baseline: central; }
.large-symbol { fill: none; stroke: var(--_tone); stroke-width: 0.13; stroke-linecap: round; stroke-linejoin: round; }
.taken { position: absolute; object-fit: cover; border: solid #ffffff; border-width: max(4px, 1cqi); border-radius: 14px; translate: -50% -50%; box-shadow: 0 12px 50px rgb(0 0 0 / 0.5); }
.panel { display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 18px; padding: clamp(16px, 5cqi, 40px); text-align: center; min-height: 172px; }
.title { font-size: clamp(1.375rem, 5.4cqi, 2.25rem); font-weight: 700; line-height: 1.2; letter-spacing: -0.01em; text-wrap: balance; }
.detail { margin-top: 0.45em; color: var(--_soft); font-size: clamp(1rem, 3.2cqi, 1.2rem); text-wrap: balance; }
:lang(ar) .title { letter-spacing: 0; line-height: 1.4; }
.buttons { display: flex; flex-wrap: wrap; justify-content: center; gap: 12px; width: 100%; }
.buttons:empty { display: none; }
button { font: inherit; font-weight: 650; flex: 1 1 0; min-height: 52px; max-width: 24em; padding: 0.6em 0.8em; text-wrap: balance; border: 0; border-radius: 14px; background: var(--_plate); color: var(--_text); cursor: pointer; }
button.primary { background: var(--_text); color: var(--_ground); }
button:hover { filter: brightness(0.92); }
button:focus-visible { outline: 3px solid var(--_attention); outline-offset: 3px; }
@container check (min-width: 720px) { ${wide} }
@container check-fill (min-width: 720px) and (min-aspect-ratio: 1.1) { ${wide} }
@media (prefers-reduced-motion: no-preference) {
  .ring .turning { animation: turn 1.6s linear infinite; }
  .ring .breathing { animation: breathe 3.6s ease-in-out infinite; }
  .ring .pulsing { animation: pulse 1.2s ease-in-out infinite; }
  .mark { transition: cx 90ms linear, cy 90ms linear, r 90ms linear; }
}
@keyframes turn { from { rotate: -90deg; } to { rotate: 270deg; } }
@keyframes breathe { 50% { stroke-opacity: 0.35; } }
@keyframes pulse { 50% { stroke-opacity: 0.5; } }
@media (prefers-contrast: more) {
  :host { --_ground: var(--face-check-ground, #000000); --_soft: #ffffff; --_dim: 0.85; --_plate: #5f5f5f; }
}
@media (forced-colors: active) {
  button { border: 2px solid ButtonText; }
}
`;

// ---- face-check/view.js

// What <face-check> shows: preview, ring, badge, texts and buttons in a shadow tree.

/** On these the camera is covered; a large symbol is shown instead. */
const COVERED = ["failure", "time_out", "camera_gone", "camera_missing", "camera_denied", "engine_gone", "success", "saved", "start"];

let sheet;

function styleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(styleText);
  }
  return sheet;
}

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Draws scenes. Calls `onButton` with the key of a button's text, `onResize` when the preview has another size. */
class CheckView {
  video = html("video", { part: "video", "aria-hidden": "true", tabindex: "-1" });
  #svg = makeSVG("svg", { "aria-hidden": "true", part: "ring" });
  #dim = makeSVG("path", { class: "dim" });
  #mark = makeSVG("circle", { class: "mark", pathLength: 1, visibility: "hidden" });
  #ring = makeSVG("g", { class: "ring" });
  #badge = makeSVG("g");
  #badgeDisc = makeSVG("circle", { class: "badge" });
  #badgeSymbol = makeSVG("path", { class: "badge-symbol" });
  #badgeNumber = makeSVG("text", { class: "badge-number" });
  #large = makeSVG("path", { class: "large-symbol" });
  #taken = html("img", { class: "taken", part: "picture", hidden: "" });
  #preview = html("div", { class: "preview", part: "preview" }, this.video, this.#taken, this.#svg);
  #title = html("p", { class: "title", part: "title" });
  #detail = html("p", { class: "detail", part: "detail" });
  #buttons = html("div", { class: "buttons" });
  #check = html("div", { class: "check", part: "check", role: "group" }, this.#preview, html(
    "div", { class: "panel", part: "panel" },
    html("div", { role: "status", "aria-live": "polite", "aria-atomic": "true" }, this.#title, this.#detail), this.#buttons));
  #root;
  #onButton;
  #scene = null;
  #circle = { x: 0.5, y: 0.5, radius: 0.4 };
  #texts = {};
  #pictureURL = null;

  constructor(root, { onButton, onResize }) {
    this.#root = root;
    this.#onButton = onButton;
    root.adoptedStyleSheets = [styleSheet()];
    this.video.muted = this.video.playsInline = true;
    this.#badge.append(this.#badgeDisc, this.#badgeSymbol, this.#badgeNumber);
    this.#svg.append(this.#dim, this.#mark, this.#ring, this.#badge, this.#large);
    root.append(this.#check);
    new ResizeObserver(() => {
      if (this.#scene) this.#drawCircle();
      onResize();
    }).observe(this.#preview);
  }

  /** Width by height of the preview; undefined while it is not laid out. */
  get aspect() {
    const { clientWidth, clientHeight } = this.#preview;
    return clientWidth > 0 && clientHeight > 0 ? clientWidth / clientHeight : undefined;
  }

  /** In shares of the preview, as it is seen: of its width, its height, its shorter side. */
  set circle(circle) {
    this.#circle = circle;
  }

  setLanguage(code, texts) {
    this.#texts = texts;
    this.#check.lang = code;
    this.#check.dir = texts.direction === "right-to-left" ? "rtl" : "ltr";
    this.#scene = null;
  }

  set isMirrored(isMirrored) {
    this.#preview.classList.toggle("mirrored", isMirrored);
  }

  /** Shows a picture that was taken, a Blob; null for none. */
  set picture(blob) {
    if (this.#pictureURL) URL.revokeObjectURL(this.#pictureURL);
    this.#pictureURL = blob ? URL.createObjectURL(blob) : null;
    if (blob) this.#taken.src = this.#pictureURL;
    else this.#taken.removeAttribute("src");
    this.#taken.hidden = !blob;
  }

  text(key) {
    return this.#texts[key] ?? "";
  }

  /** Marks a face: a box in shares of the preview as it is seen; null for none. */
  mark(box) {
    this.#mark.setAttribute("visibility", box ? "inherit" : "hidden");
    if (!box) return;
    const { clientWidth: width, clientHeight: height } = this.#preview;
    this.#mark.setAttribute("cx", (box.x + box.width / 2) * width);
    this.#mark.setAttribute("cy", (box.y + box.height / 2) * height);
    this.#mark.setAttribute("r", Math.max(box.width * width, box.height * height) * 0.6);
  }

  show(scene) {
    const before = this.#scene;
    this.#scene = scene;
    this.#drawCircle();
    if (before && before.title === scene.title && before.screen === scene.screen) return;
    Object.assign(this.#check.dataset, { screen: scene.screen, tone: scene.tone });
    this.#preview.classList.toggle("covered", COVERED.includes(scene.screen));
    this.#title.textContent = this.text(scene.title) || this.text("failed.no_picture");
    this.#detail.textContent = this.text(scene.detail) || (this.text(scene.title) ? "" : this.text("failed.no_picture.detail"));
    this.#taken.alt = this.text("success");
    this.#check.setAttribute("aria-label", this.text("searching.detail"));
    this.#showButtons(scene.buttons);
  }

  #showButtons(keys) {
    const hadFocus = this.#root.activeElement !== null;
    this.#buttons.replaceChildren(...keys.map((key, index) => {
      const isLast = index === keys.length - 1;
      const button = html("button", { type: "button", part: isLast ? "button primary" : "button", "data-key": key });
      button.classList.toggle("primary", isLast);
      button.textContent = this.text(key);
      button.addEventListener("click", () => this.#onButton(key));
      return button;
    }));
    // Who pressed a button goes on with the one that comes in its place.
    if (hadFocus) this.#buttons.lastElementChild?.focus();
  }

  #drawCircle() {
    const { clientWidth: width, clientHeight: height } = this.#preview;
    if (!width || !height) return;
    const scene = this.#scene;
    const isLarge = COVERED.includes(scene.screen) && this.#taken.hidden;
    const circle = {
      x: this.#circle.x * width, y: this.#circle.y * height, radius: this.#circle.radius * Math.min(width, height) };
    const { x, y, radius } = circle;
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#dim.setAttribute(
      "d", `M0 0H${width}V${height}H0ZM${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`);
    const side = radius * 1.6;
    Object.assign(this.#taken.style, { left: `${x}px`, top: `${y}px`, width: `${side}px`, height: `${side}px` });
    const isTaken = !this.#taken.hidden;
    drawRing(this.#ring, isTaken ? [] : ringParts(scene), isLarge ? { ...circle, radius: radius * 0.62 } : circle);
    this.#large.setAttribute("visibility", isLarge ? "inherit" : "hidden");
    this.#badge.setAttribute("visibility", isLarge ? "hidden" : "inherit");
    if (isLarge) {
      this.#large.setAttribute("d", symbolPath(symbols[scene.symbol] ?? ""));
      this.#large.setAttribute("transform", `translate(${x} ${y}) scale(${radius * 0.62 * 0.5})`);
    } else {
      this.#drawBadge(scene, circle, isTaken ? side / 2 : radius);
    }
  }

  /** A plate with a symbol or the seconds that are left: at the ring's lower end, or on the side that an arrow points to. */
  #drawBadge(scene, { x, y, radius }, away) {
    const isAside = scene.arrow.x !== 0 || scene.arrow.y !== 0;
    const at = [x + scene.arrow.x * away, y + (isAside ? scene.arrow.y : 1) * away];
    const size = Math.max(20, radius * 0.17);
    this.#badgeDisc.setAttribute("r", size);
    this.#badgeDisc.setAttribute("cx", at[0]);
    this.#badgeDisc.setAttribute("cy", at[1]);
    this.#badgeSymbol.setAttribute("d", scene.symbol ? symbolPath(symbols[scene.symbol] ?? "") : "");
    this.#badgeSymbol.setAttribute("transform", `translate(${at}) scale(${size * 0.6})`);
    this.#badgeNumber.textContent = scene.symbol ? "" : this.text(String(scene.seconds)) || String(scene.seconds);
    this.#badgeNumber.setAttribute("x", at[0]);
    this.#badgeNumber.setAttribute("y", at[1]);
    this.#badgeNumber.setAttribute("font-size", size * 1.15);
  }
}

// ---- face-check/waker.js

// Waits that somebody can end.

/** The longest that a timer can run, in milliseconds: some 25 days. */
const FOREVER = 0x7fffffff;

/** Lets one wait at a time, until it is woken. */
class Waker {
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

// ---- face-check/element.js

// <face-check>: leads the person in front of the camera to a good picture of the face.

const CAMERA_INTERVAL = 2000; // milliseconds until a camera that is not there is tried again
const STALLED = 2000; // without a frame for so long, the camera counts as gone
const OTHER_ASPECT = 0.03; // by which a preview's shape has to change for a new attempt

class FaceCheck extends HTMLElement {
  static observedAttributes = [...checkAttributes, "language", "confirm", "repeat"];

  /** Further options of the check by the names of the flags of `face-engine check`, as in {"max-yaw": 10}; set before `start`. */
  options = {};

  #view;
  #status = newStatus();
  #told = { state: "stopped", tip: "" };
  #running = null;
  #attempt = null;
  #isMirrored = true;
  #aspect;
  #result = null;
  #waker = new Waker();
  #isChanged = false;

  /** Adds a language, or replaces one: `words` has the keys of Examples/kiosk/texts/en.txt. */
  static addLanguage(code, words) {
    texts[code] = words;
  }

  constructor() {
    super();
    this.#view = new CheckView(this.attachShadow({ mode: "open" }), {
      onButton: (key) => this.#press(key), onResize: () => this.#resized() });
  }

  /** One of stopped, starting, waiting, start, checking, finish, time_out, failed, camera_gone, engine_gone. */
  get state() {
    return this.#told.state;
  }

  /** Opens the camera and begins a check. */
  start() {
    if (this.#running) return this.retry();
    this.#running = new AbortController();
    this.#status = { ...newStatus(), isRunning: true };
    this.#tellState("starting");
    this.#run(this.#running.signal);
  }

  /** Ends the check and releases the camera. */
  stop() {
    if (!this.#running) return;
    this.#running.abort(new DOMException("the check was stopped", "AbortError"));
    this.#running = null;
    this.#forget();
    this.#status = newStatus();
    this.#tellState("stopped");
    this.#render();
  }

  /** Begins a new attempt, for the same person or the next one. */
  retry() {
    if (!this.#running) return this.start();
    this.#forget();
    this.#status = { ...newStatus(), isRunning: true, seenAt: this.#status.seenAt };
    this.#render();
    this.#attempt?.abort(new DOMException("another attempt begins", "AbortError"));
    this.#waker.wake();
  }

  connectedCallback() {
    document.addEventListener("keydown", this.#key);
    this.#render();
    if (this.hasAttribute("autostart")) this.start();
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.#key);
    this.stop();
  }

  attributeChangedCallback(name, before, after) {
    if (before === after || !this.isConnected) return;
    this.#render();
    if (!checkAttributes.includes(name) || this.#isChanged) return;
    this.#isChanged = true;
    queueMicrotask(() => this.#beginAnew()); // once, for several attributes
  }

  // ---- Running

  /** With other attributes. */
  #beginAnew() {
    this.#isChanged = false;
    if (!this.#running) return;
    this.stop();
    this.start();
  }

  /** Until it is stopped: opens the camera, does one attempt after the other. */
  async #run(signal) {
    while (!signal.aborted) {
      const camera = await this.#open(signal);
      if (!camera) return;
      try {
        while (!signal.aborted) await this.#attemptWith(camera, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof CameraError) this.#hinder("camera_gone", error);
        else await this.#failUntilRetried(error, signal);
      } finally {
        camera.close();
      }
    }
  }

  /** The camera, as soon as there is one; undefined when the check is stopped. */
  async #open(signal) {
    for (;;) {
      try {
        const camera = await Camera.open(this.#view.video, settingsOf(this).camera);
        if (signal.aborted) return void camera.close();
        this.#status.hindrance = null;
        this.#view.isMirrored = this.#isMirrored = camera.facesUser;
        return camera;
      } catch (error) {
        if (signal.aborted) return undefined;
        const screen = screenOfCamera(error);
        this.#hinder(screen, error);
        if (failureOf(screen).recovers) await this.#waker.waitForCamera(signal, CAMERA_INTERVAL);
        else await this.#waker.wait(signal); // who has denied it is not asked again and again
        if (signal.aborted) return undefined;
      }
    }
  }

  /** One attempt from waiting to its end; then waits for the next one to be asked for. */
  async #attemptWith(camera, signal) {
    this.#attempt = new AbortController();
    const either = AbortSignal.any([signal, this.#attempt.signal]);
    this.#aspect = this.#view.aspect;
    const settings = settingsOf(this);
    const gateway = new Gateway(this.getAttribute("src") ?? "");
    let frameAt = performance.now();
    try {
      await runFrames(gateway, {
        grab: async () => {
          const isNew = await camera.nextFrame(500);
          if (isNew || document.hidden) frameAt = performance.now();
          else if (!camera.isLive || performance.now() - frameAt > STALLED) {
            throw new CameraError("missing", "The camera delivers no frames.");
          }
          return isNew ? camera.grab({ aspect: this.#aspect }) : undefined;
        },
        open: (within) => gateway.openSession("check", sessionOptions(settings, this.#isMirrored, this.options), within),
        answered: (frame, reply, session) => this.#answered(reply.answer, session, either),
        lost: (error) => this.#hinder("engine_gone", error),
        back: () => this.#status.hindrance === "engine_gone" && (this.#status.hindrance = null),
      }, either);
    } catch (error) {
      if (this.#attempt.signal.aborted && !signal.aborted) return; // retried
      throw error;
    }
    const { repeat } = settings;
    await this.#waker.wait(signal, repeat === undefined ? undefined : repeat * 1000);
    if (!signal.aborted && repeat !== undefined) this.retry();
  }

  /** What cannot mend itself, such as options that the engine refuses. */
  async #failUntilRetried(error, signal) {
    this.#fail(error.code?.toLowerCase() ?? "internal", error.message);
    await this.#waker.wait(signal);
  }

  // ---- Answers

  /** Returns whether the attempt has ended. */
  async #answered(answer, session, signal) {
    const status = this.#status;
    const now = performance.now();
    if (answer.faces.length > 0) status.seenAt = now;
    status.hindrance = null;
    status.state = answer.state;
    status.tip = answer.tip ?? status.tip;
    status.progress = answer.progress ?? 0;
    status.actionsDone = answer.actionsDone ?? 0;
    status.actionCount = answer.actions ?? 0;
    const events = answer.events ?? [];
    const result = events.find(({ event }) => event === "result");
    const failure = events.find(({ event }) => event === "failed");
    this.#mark(answer);
    if (result) await this.#keepResult(result, session, signal);
    if (failure) this.#fail(failure.code, failure.message, answer.state);
    else this.#tellState(answer.state);
    this.#tellTip();
    this.#render();
    return Boolean(result || failure);
  }

  async #keepResult({ face, cropBox }, session, signal) {
    const [picture, crop] = await Promise.all([session.picture("picture", signal), session.picture("crop", signal)]);
    this.#result = { picture, crop, face, cropBox };
    this.#status.picture = crop;
    this.#view.picture = crop;
    if (!settingsOf(this).confirms) this.#accept();
  }

  #accept() {
    this.#status.isAccepted = true;
    this.#tell("result", this.#result);
    this.#render();
  }

  #mark({ faces, width, height }) {
    if (faces.length === 0) return this.#view.mark(null);
    const { box } = faces[0];
    const x = this.#isMirrored ? width - box.x - box.width : box.x;
    this.#view.mark({ x: x / width, y: box.y / height, width: box.width / width, height: box.height / height });
  }

  // ---- What went wrong

  #fail(code, message, state = "failed") {
    this.#status.failure = code;
    this.#tellState(state);
    this.#tell("failed", { code, message, recovers: false });
    this.#render();
  }

  /** The check cannot go on before something outside of it changes. */
  #hinder(screen, error) {
    const { seenAt } = this.#status;
    if (this.#status.hindrance !== screen) {
      this.#status = { ...newStatus(), isRunning: true, seenAt, hindrance: screen };
      this.#tellState(screen === "engine_gone" ? screen : "camera_gone");
      this.#tell("failed", { ...failureOf(screen), message: error.message });
    }
    this.#view.mark(null);
    this.#render();
  }

  // ---- Events, keys, drawing

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #tellState(state) {
    if (state === this.#told.state) return;
    this.#told.state = state;
    this.#tell("state", { state });
  }

  #tellTip() {
    const tip = tipInView(this.#status.tip, this.#isMirrored);
    if (tip === this.#told.tip) return;
    this.#told.tip = tip;
    const key = tip === "prompt" || tip === "no_face" ? "searching" : `tip.${tip}`;
    this.#tell("tip", { tip, text: this.#view.text(key), detail: this.#view.text(`${key}.detail`) });
  }

  #press(key) {
    if (key === "start") this.start();
    else if (key === "accept") this.#accept();
    else this.retry();
  }

  /** Space begins again where nothing else wants it, as the texts say. */
  #key = (event) => {
    const isFree = event.target === document.body || event.target === document.documentElement;
    if (event.key !== " " || !isFree || !this.#status.failure) return;
    event.preventDefault();
    this.retry();
  };

  #resized() {
    const aspect = this.#view.aspect;
    const isOther = this.#aspect && aspect && Math.abs(aspect / this.#aspect - 1) > OTHER_ASPECT;
    if (isOther && this.#running && !this.#status.picture && !this.#status.failure) this.retry();
  }

  #forget() {
    this.#result = null;
    this.#told.tip = "";
    this.#view.picture = null;
    this.#view.mark(null);
  }

  #render() {
    const { circle, countdown, confirms } = settingsOf(this);
    const language = languageOf(this);
    if (this.#language !== language) this.#view.setLanguage(language, texts[language]);
    this.#language = language;
    this.#view.circle = circle;
    this.#view.show(sceneOf(this.#status, { isMirrored: this.#isMirrored, countdown, confirms, now: performance.now() }));
  }

  #language;
}

customElements.define("face-check", FaceCheck);

export { FaceCheck };
