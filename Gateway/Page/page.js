// The page: pictures and the camera go to the engine, and what it finds is shown.
import { Camera, CameraError } from "./camera.js";
import { byID, make, setText } from "./dom.js";
import { runFrames, delay } from "./frame-loop.js";
import { Gateway } from "./gateway.js";
import { runHero } from "./hero.js";
import { layers } from "./names.js";
import { Results } from "./results.js";
import { decodePicture, fileForEngine } from "./picture-file.js";
import { Settings } from "./settings.js";
import { Stage } from "./stage.js";

const READY_INTERVAL = { ready: 15000, lost: 2000 }; // milliseconds
const RATE_FRAMES = 20; // of which the rate is the mean

const gateway = new Gateway();
const stage = new Stage(byID("picture"));
const results = new Results(stage);
const settings = new Settings(layers, byID("layers"), byID("accuracy"));

/** The picture that is shown, to be searched again with other settings. */
let file = null;
/** Of what runs now: a search, or the camera. */
let running = new AbortController();
let isCameraOn = false;

function begin() {
  running.abort(new DOMException("something else was begun", "AbortError"));
  running = new AbortController();
  return running.signal;
}

// ---- The engine's state, and sentences about what failed

function showEngine(state) {
  const texts = { ready: "Engine ready", lost: "Engine not reachable", asking: "Asking the engine" };
  byID("engine").dataset.state = state;
  setText(byID("engine-text"), texts[state]);
}

function showNotice(text) {
  byID("notice").hidden = !text;
  setText(byID("notice"), text);
}

function showFailure(error) {
  if (error.isLoss) showEngine("lost");
  showNotice(error.sentence ?? error.message);
}

async function watchEngine() {
  for (;;) {
    const isReady = document.hidden || await gateway.ready().then(() => true, () => false);
    if (!isCameraOn && !document.hidden) showEngine(isReady ? "ready" : "lost");
    await delay(isReady ? READY_INTERVAL.ready : READY_INTERVAL.lost, new AbortController().signal);
  }
}

// ---- Pictures

function showStage(isCamera) {
  byID("welcome").hidden = true;
  byID("meters").hidden = false;
  byID("meters").classList.toggle("live", isCamera);
}

function showTimes({ answer, engine, roundTrip }) {
  const time = (value) => (value === undefined ? "–" : value < 10 ? value.toFixed(1) : String(Math.round(value)));
  setText(byID("engine-time"), time(engine));
  setText(byID("round-trip"), time(roundTrip));
  setText(byID("size"), `${answer.width} × ${answer.height}`);
}

async function showPicture(picture) {
  await stopCamera();
  const signal = begin();
  file = picture;
  byID("stage").setAttribute("aria-busy", "true");
  showNotice("");
  try {
    const image = await decodePicture(picture);
    signal.throwIfAborted();
    showStage(false);
    stage.show(image, null);
    results.show(null);
    const reply = await gateway.detect(await fileForEngine(picture, image), settings.pictureOptions, signal);
    signal.throwIfAborted();
    stage.show(image, reply.answer);
    results.show(reply.answer);
    showTimes(reply);
    showEngine("ready");
  } catch (error) {
    if (!signal.aborted) showFailure(error);
  } finally {
    if (!signal.aborted) byID("stage").removeAttribute("aria-busy");
  }
}

// ---- The camera

async function startCamera(which) {
  const signal = begin();
  setCameraButton(true);
  showNotice("");
  let camera;
  try {
    camera = await Camera.open(byID("video"), which);
    if (signal.aborted) return camera.close();
    signal.addEventListener("abort", () => camera.close(), { once: true });
    file = null;
    showStage(true);
    results.show(null);
    await listCameras(camera.deviceId);
    await runFrames(gateway, cameraSteps(camera), signal);
  } catch (error) {
    if (signal.aborted) return;
    camera?.close();
    setCameraButton(false);
    const help = error instanceof CameraError && error.code === "denied" ? " Allow it beside the address, then try again." : "";
    if (error instanceof CameraError) showNotice(error.message + help);
    else showFailure(error);
  }
}

function cameraSteps(camera) {
  const times = [];
  return {
    async grab() {
      const isNew = await camera.nextFrame();
      if (!isNew && !camera.isLive) throw new CameraError("missing", "The camera is not there any more.");
      return isNew ? camera.grab() : undefined;
    },
    open: (signal) => gateway.openSession("track", settings.sessionOptions, signal),
    async answered(frame, reply) {
      stage.show(await createImageBitmap(frame), reply.answer, camera.facesUser);
      results.show(reply.answer, true);
      showTimes(reply);
      showEngine("ready");
      times.push(performance.now());
      if (times.length > RATE_FRAMES) times.shift();
      const rate = times.length < 2 ? 0 : (1000 * (times.length - 1)) / (times.at(-1) - times[0]);
      setText(byID("rate"), rate ? rate.toFixed(rate < 10 ? 1 : 0) : "–");
    },
    lost(error) {
      times.length = 0;
      showEngine("lost");
      showNotice(`${error.sentence} It goes on by itself as soon as the engine is back.`);
    },
    back() {
      showNotice("");
    },
  };
}

function setCameraButton(isOn) {
  isCameraOn = isOn;
  byID("camera").setAttribute("aria-pressed", String(isOn));
  setText(byID("camera-text"), isOn ? "Stop the camera" : "Use the camera");
}

async function stopCamera() {
  if (!isCameraOn) return;
  begin();
  setCameraButton(false);
}

/** A choice among several. Browsers tell their names only while one is used. */
async function listCameras(current) {
  const devices = (await navigator.mediaDevices.enumerateDevices()).filter((device) => device.kind === "videoinput");
  byID("which").hidden = devices.length < 2;
  byID("cameras").replaceChildren(...devices.map((device, index) =>
    make("option", { value: device.deviceId, text: device.label || `Camera ${index + 1}` })));
  byID("cameras").value = current;
}

// ---- What people do

function take(files) {
  const picture = [...files].find((one) => one.type.startsWith("image/"));
  if (picture) showPicture(picture);
  else showNotice("That is no picture: drop a JPEG, PNG or WebP file.");
}

function addHandlers() {
  byID("choose").addEventListener("click", () => byID("file").click());
  byID("file").addEventListener("change", () => {
    if (byID("file").files.length > 0) take(byID("file").files);
    byID("file").value = "";
  });
  byID("camera").addEventListener("click", () => (isCameraOn ? stopCamera() : startCamera("user")));
  byID("cameras").addEventListener("change", () => startCamera(byID("cameras").value));
  document.addEventListener("paste", (event) => {
    if (event.clipboardData.files.length > 0) take(event.clipboardData.files);
  });
  let depth = 0;
  const over = (change) => {
    depth = Math.max(0, depth + change);
    byID("drop").hidden = depth === 0;
  };
  document.addEventListener("dragenter", () => over(1));
  document.addEventListener("dragleave", () => over(-1));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    over(-depth);
    if (event.dataTransfer.files.length > 0) take(event.dataTransfer.files);
  });
  settings.addEventListener("draw", () => (stage.layers = settings.shown));
  const again = () => startCamera(byID("cameras").value || "user");
  settings.addEventListener("outputs", () => isCameraOn && again());
  settings.addEventListener("search", () => {
    if (isCameraOn) again();
    else if (file) showPicture(file);
  });
}

setText(byID("curl"), `curl --data-binary @photo.jpg \\\n  '${location.origin}/v1/detect?landmarks=true&pose=true'`);
stage.layers = settings.shown;
runHero(byID("hero"));
addHandlers();
watchEngine();
