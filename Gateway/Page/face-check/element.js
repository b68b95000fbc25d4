// <face-check>: leads the person in front of the camera to a good picture of the face.
import { Camera, CameraError } from "../camera.js";
import { runFrames } from "../frame-loop.js";
import { Gateway, GatewayError } from "../gateway.js";
import { failureOf, newStatus, sceneOf, screenOfCamera, takeTip, tipInView } from "./scene.js";
import { checkAttributes, languageOf, sessionOptions, settingsOf } from "./settings.js";
import { texts } from "./texts.js";
import { CheckView } from "./view.js";
import { Waker } from "./waker.js";

const CAMERA_INTERVAL = 2000; // milliseconds until a camera that is not there is tried again
const STALLED = 2000; // without a frame for so long, the camera counts as gone
const NO_POINTER = matchMedia("(hover: none)");
const OTHER_ASPECT = 0.03; // by which a preview's shape has to change for a new attempt

export class FaceCheck extends HTMLElement {
  static observedAttributes = [...checkAttributes, "language", "confirm", "repeat"];

  /** Further options of the check by the names of the flags of `face-engine check`, as in {"max-yaw": 10}; set before
     `start`. */
  options = this.options ?? {}; // which a page may have set before this module came

  /**
   * Called before each session is begun, with what would be sent to POST /v1/sessions: {kind, options}. Resolves with
   * {token}, a token to begin it with, or with what the gateway has answered to that call of the page's own server:
   * {id, token, …}.
   * @type {((request: {kind: string, options: object}) => Promise<{token?: string, id?: string}>) | null}
   */
  credentials = this.credentials ?? null;

  #token;
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

  /** Adds a language, or replaces one: `words` has the keys of `texts.en`. Missing texts are English. */
  static addLanguage(code, words) {
    texts[code] = { ...texts.en, ...words };
  }

  constructor() {
    super();
    if (Object.hasOwn(this, "token")) {
      this.#token = this.token;
      delete this.token; // which hides the property
    }
    this.#view = new CheckView(this.attachShadow({ mode: "open" }), {
      onButton: (key) => this.#press(key),
      onResize: () => this.#resized(),
    });
  }

  /** One of stopped, starting, waiting, start, checking, finish, time_out, failed, camera_gone, engine_gone. */
  get state() {
    return this.#told.state;
  }

  /** The gateway's token, which is then in no attribute; else that of the attribute `token`; else "". */
  get token() {
    return this.#token ?? this.getAttribute("token") ?? "";
  }

  set token(token) {
    this.#token = token || undefined;
  }

  /** Opens the camera and begins a check. */
  start() {
    if (this.#running) return this.retry();
    this.#running = new AbortController();
    this.#status = { ...newStatus(), isRunning: true };
    this.#tellState("starting");
    this.#render();
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
    const { seenAt, isAnswered, picture, failure } = this.#status;
    if (picture || failure) this.#tellState("waiting"); // at once, so that a page forgets the last person too
    this.#status = { ...newStatus(), isRunning: true, isAnswered, seenAt };
    this.#render();
    this.#attempt?.abort(new DOMException("another attempt begins", "AbortError"));
    this.#waker.wake();
  }

  connectedCallback() {
    document.addEventListener("keydown", this.#key);
    window.addEventListener("pagehide", this.#leave);
    window.addEventListener("pageshow", this.#return);
    this.#render();
    if (this.hasAttribute("autostart")) this.start();
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.#key);
    window.removeEventListener("pagehide", this.#leave);
    window.removeEventListener("pageshow", this.#return);
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
        const camera = await Camera.open(this.#view.video, settingsOf(this).camera, this.getAttribute("src") ?? "");
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
      await runFrames(
        gateway,
        {
          grab: async () => {
            const isNew = await camera.nextFrame(500);
            if (isNew || document.hidden) frameAt = performance.now();
            else if (!camera.isLive || performance.now() - frameAt > STALLED) {
              throw new CameraError("missing", "The camera delivers no frames.");
            }
            return isNew ? camera.grab({ aspect: this.#aspect }) : undefined;
          },
          open: (within) =>
            this.#openSession(gateway, sessionOptions(settings, this.#isMirrored, this.options), within),
          answered: (frame, reply, session) => {
            frame.close();
            return this.#answered(reply.answer, session, either);
          },
          lost: (error) => this.#hinder("engine_gone", error),
          back: () => this.#status.hindrance === "engine_gone" && (this.#status.hindrance = null),
        },
        either,
      );
    } catch (error) {
      if (this.#attempt.signal.aborted && !signal.aborted) return; // retried
      throw error;
    }
    const { repeat } = settings;
    await this.#waker.wait(signal, repeat === undefined ? undefined : repeat * 1000);
    if (!signal.aborted && repeat !== undefined) this.retry();
  }

  /** A session of the component's own, or the one that the page's server has begun for it. */
  async #openSession(gateway, options, signal) {
    gateway.token = this.token;
    if (this.credentials) {
      const given = await this.#askCredentials({ kind: "check", options });
      const session = given.id === undefined ? undefined : gateway.session(given);
      if (signal.aborted) session?.close();
      signal.throwIfAborted();
      if (session) return session;
      gateway.token = given.token;
    }
    return gateway.openSession("check", options, signal);
  }

  async #askCredentials(request) {
    let given;
    try {
      given = await this.credentials(request);
    } catch (error) {
      throw new GatewayError("UNAUTHENTICATED", `credentials failed: ${error?.message ?? error}`);
    }
    const isText = (value) => typeof value === "string" && value !== "";
    if (isText(given?.id) || (isText(given?.token) && given.id === undefined)) return given;
    throw new GatewayError(
      "INVALID_ARGUMENT",
      'credentials gave neither {token: "…"} nor the answer of POST /v1/sessions; return one of them',
    );
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
    status.isAnswered = true;
    status.state = answer.state;
    if (answer.tip) takeTip(status, answer.tip, (tip) => Object.values(this.#textsOf(tip)).join(""), now);
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
    signal.throwIfAborted();
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
    this.#tell("tip", { tip, ...this.#textsOf(tip) });
  }

  #textsOf(tip) {
    const key = tip === "prompt" || tip === "no_face" ? "searching" : `tip.${tip}`;
    return { text: this.#view.text(key), detail: this.#view.text(`${key}.detail`) };
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

  /** A browser may keep a page that was left, as it is, and show it to the next person. */
  #leave = () => this.stop();

  #return = ({ persisted }) => {
    if (persisted && this.hasAttribute("autostart")) this.start();
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
    this.#view.show(
      sceneOf(this.#status, {
        isMirrored: this.#isMirrored,
        countdown,
        confirms,
        isTouched: NO_POINTER.matches,
        now: performance.now(),
      }),
    );
  }

  #language;
}

customElements.define("face-check", FaceCheck);
