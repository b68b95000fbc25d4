// The page: pictures and the camera go to the engine, and what it finds is shown.
import { Camera, CameraError } from "./camera.js";
import { keepCamera, keptCamera, listCameras, showCameras } from "./cameras.js";
import { bringIntoView, byID, saveAs, setText } from "./dom.js";
import { failureText } from "./failures.js";
import { runFrames, delay } from "./frame-loop.js";
import { Gateway } from "./gateway.js";
import { runHero } from "./hero.js";
import { layers } from "./names.js";
import { Results } from "./results.js";
import { decodePicture, fileForEngine, inPixelsOf, inReadingOrder, isPicture } from "./picture-file.js";
import { Settings } from "./settings.js";
import { Stage } from "./stage.js";
import { showBusy, showEngine, showNotice, showTimes } from "./status.js";
import { TokenDialog } from "./token-dialog.js";

const READY_INTERVAL = { ready: 15000, lost: 2000 }; // milliseconds
const RATE_FRAMES = 20; // the rate is their mean
const READABLE = 250; // milliseconds between two changes of the camera's times
const CAMERA_NAMES = { front: "Front camera", back: "Back camera", other: (number) => `Camera ${number}` };

const gateway = new Gateway();
const stage = new Stage(byID("picture"));
const results = new Results(stage);
const settings = new Settings(layers, byID("layers"), byID("search"));
const tokens = new TokenDialog();

/** The picture that is shown, to be searched again with other settings. */
let file = null;
/** Whether that waits for the engine, to be sent once more. */
let isWaiting = false;
/** Of what runs now: a search, or the camera. */
let running = new AbortController();
let isCameraOn = false;
/** Ends the wait before the next request to the engine. */
let watch = new AbortController();

function begin() {
  running.abort(new DOMException("something else was begun", "AbortError"));
  running = new AbortController();
  isWaiting = false;
  showNotice();
  showBusy();
  return running.signal;
}

// ---- The engine

function showProblem(notice) {
  showNotice(notice, stage.isEmpty && byID("welcome").hidden);
}

/** @param {boolean} [continues] Whether the page makes the call again by itself. */
function showFailure(error, continues = false) {
  if (error.isLoss) showEngine("lost");
  const canRetry = !continues && file !== null && (error.isPassing || error.code === "UNAUTHENTICATED");
  showProblem({ ...failureText(error, continues), canRetry });
}

/** Asks whether the engine is there, and searches a picture that waited for it. */
async function watchEngine() {
  showEngine("asking");
  for (;;) {
    const isReady =
      document.hidden ||
      (await gateway.ready().then(
        () => true,
        () => false,
      ));
    if (!isCameraOn && !document.hidden) showEngine(isReady ? "ready" : "lost");
    if (isReady && isWaiting && file) showPicture(file, true);
    watch = new AbortController();
    await delay(isReady && !isWaiting ? READY_INTERVAL.ready : READY_INTERVAL.lost, watch.signal).catch(() => {});
  }
}

// ---- Pictures

function showStage(isCamera) {
  byID("welcome").hidden = true;
  byID("strip").hidden = false;
  byID("meters").classList.toggle("live", isCamera);
  if (!isCamera) byID("which").hidden = true;
}

/** Takes from the screen what was found, and the picture. */
function clear() {
  stage.show(null, null);
  results.show(null);
  showTimes();
  byID("unshown").hidden = true;
  setText(byID("rate"), "–");
}

/** @param {boolean} [isAgain] It was sent before, without an answer: it is not sent a third time before somebody asks
   for that. */
async function showPicture(picture, isAgain = false) {
  stopCamera();
  const signal = begin();
  file = picture;
  showBusy("Searching for faces");
  results.wait("Searching for faces");
  let image;
  try {
    image = await decodePicture(picture);
    signal.throwIfAborted();
    showStage(false);
    stage.show(image, null);
    showTimes();
    byID("unshown").hidden = true;
    const sent = await fileForEngine(picture, image);
    signal.throwIfAborted();
    const showSent = (bytes) => {
      if (!signal.aborted)
        showBusy(bytes < sent.size ? "Sending the picture" : "Searching for faces", bytes, sent.size);
    };
    showSent(0);
    const reply = await gateway.detect(sent, settings.pictureOptions, signal, showSent);
    signal.throwIfAborted();
    showAnswer(image, reply);
  } catch (error) {
    if (signal.aborted) return;
    results.wait("");
    isWaiting = error.code === "UNAVAILABLE" && !isAgain;
    showFailure(error, isWaiting);
    if (isWaiting) watch.abort(); // the requests are more frequent now
  } finally {
    if (!signal.aborted) showBusy();
  }
}

function showAnswer(image, reply) {
  const answer = inPixelsOf(image ?? reply.answer, { ...reply.answer, faces: inReadingOrder(reply.answer.faces) });
  stage.show(image, answer);
  byID("unshown").hidden = image !== null;
  results.show(answer);
  showTimes({ ...reply, answer }, reply.answer);
  showEngine("ready");
}

// ---- The camera

async function startCamera(which = keptCamera() ?? "user") {
  const signal = begin();
  setCameraButton(true);
  file = null;
  clear();
  showBusy("Starting the camera");
  results.wait("Starting the camera");
  let camera;
  try {
    camera = await openCamera(which);
    if (signal.aborted) return camera.close();
    signal.addEventListener("abort", () => camera.close(), { once: true });
    showStage(true);
    await showChoice(camera);
    await runFrames(gateway, cameraSteps(camera), signal);
  } catch (error) {
    if (signal.aborted) return;
    camera?.close();
    setCameraButton(false);
    clear();
    showBusy();
    if (error instanceof CameraError) {
      const help = error.code === "denied" ? " Allow it beside the address, then try again." : "";
      showProblem({ title: "No camera", text: error.message + help });
    } else {
      showFailure(error);
    }
  }
}

/** The camera, or, if the one that this tab keeps is not there any more, any. */
async function openCamera(which) {
  try {
    return await Camera.open(byID("video"), which);
  } catch (error) {
    if (error.code !== "missing" || which === "user") throw error;
    keepCamera(undefined);
    return Camera.open(byID("video"), "user");
  }
}

function cameraSteps(camera) {
  const times = [];
  let shownAt = 0;
  return {
    async grab() {
      const isNew = await camera.nextFrame();
      if (!isNew && !camera.isLive) throw new CameraError("missing", "The camera was disconnected.");
      return isNew ? camera.grab() : undefined;
    },
    open: (signal) => gateway.openSession("track", settings.sessionOptions, signal),
    answered(frame, reply) {
      reply.answer.faces.sort((a, b) => a.id - b.id); // the engine's order changes from frame to frame
      showBusy();
      stage.show(frame.image, reply.answer, { isMirrored: camera.facesUser, isLive: true });
      results.show(reply.answer, true);
      const now = performance.now();
      times.push(now);
      if (times.length > RATE_FRAMES) times.shift();
      if (now - shownAt < READABLE) return;
      shownAt = now;
      showTimes(reply);
      showEngine("ready");
      const rate = times.length < 2 ? 0 : (1000 * (times.length - 1)) / (times.at(-1) - times[0]);
      setText(byID("rate"), rate ? rate.toFixed(rate < 10 ? 1 : 0) : "–");
    },
    lost(error) {
      times.length = 0;
      clear();
      showBusy();
      showFailure(error, true);
    },
    back() {
      showNotice();
    },
  };
}

function setCameraButton(isOn) {
  isCameraOn = isOn;
  byID("camera").setAttribute("aria-pressed", String(isOn));
  setText(byID("camera-text"), isOn ? "Stop the camera" : "Use the camera");
}

function stopCamera() {
  if (!isCameraOn) return;
  begin();
  results.wait("");
  setCameraButton(false);
}

/** A browser may keep a page that was left, as it is: without what the camera has seen. */
function leave() {
  if (!isCameraOn) return;
  stopCamera();
  clear();
  byID("strip").hidden = true;
  byID("welcome").hidden = false;
}

async function showChoice(camera) {
  showCameras(byID("which"), byID("cameras"), await listCameras(CAMERA_NAMES), camera.deviceId);
}

// ---- What people do

function take(files) {
  const picture = [...files].find(isPicture);
  bringIntoView(byID("stage"));
  if (picture) return showPicture(picture);
  stopCamera();
  begin();
  file = null;
  clear();
  showProblem({ title: "That is not a picture", text: "Choose a picture file, such as JPEG, PNG or HEIC." });
}

async function takeSample(url) {
  const response = await fetch(url).catch(() => undefined);
  if (response?.ok) return take([new File([await response.blob()], url.split("/").at(-1), { type: "image/jpeg" })]);
  showProblem({ title: "No connection", text: "The sample picture did not arrive." });
}

/** On a phone the settings are folded, so that the results are in sight. */
function foldSettings() {
  const isPhone = matchMedia("(max-width: 599px), (orientation: landscape) and (max-height: 520px)");
  const fold = (isFolded) => {
    byID("settings").hidden = isFolded;
    byID("fold").setAttribute("aria-expanded", String(!isFolded));
  };
  byID("fold").addEventListener("click", () => fold(!byID("settings").hidden));
  isPhone.addEventListener("change", () => fold(isPhone.matches));
  fold(isPhone.matches);
}

function addHandlers() {
  byID("choose").addEventListener("click", () => byID("file").click());
  byID("file").addEventListener("change", () => {
    if (byID("file").files.length > 0) take(byID("file").files);
    byID("file").value = "";
  });
  byID("again").addEventListener("click", () => file && showPicture(file));
  for (const sample of byID("samples").children)
    sample.addEventListener("click", () => takeSample(sample.firstElementChild.src));
  byID("save-picture").addEventListener("click", async () => saveAs(await stage.marked(), "faces.png"));
  byID("camera").addEventListener("click", () => {
    if (isCameraOn) return stopCamera();
    bringIntoView(byID("stage"));
    startCamera();
  });
  byID("cameras").addEventListener("change", () => {
    keepCamera(byID("cameras").value);
    startCamera(byID("cameras").value);
  });
  navigator.mediaDevices?.addEventListener("devicechange", async () => {
    if (isCameraOn) showCameras(byID("which"), byID("cameras"), await listCameras(CAMERA_NAMES), byID("cameras").value);
  });
  window.addEventListener("pagehide", leave);
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
  const again = () => startCamera(byID("cameras").value || undefined);
  settings.addEventListener("outputs", () => isCameraOn && again());
  settings.addEventListener("search", () => {
    if (isCameraOn) again();
    else if (file) showPicture(file);
  });
}

setText(byID("curl"), `curl --data-binary @photo.jpg \\\n  '${location.origin}/v1/detect?landmarks=true&pose=true'`);
stage.layers = settings.shown;
gateway.token = tokens.kept;
gateway.askToken = tokens.ask;
runHero(byID("hero"));
foldSettings();
addHandlers();
watchEngine();
