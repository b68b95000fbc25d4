// A page around <face-check>: changes its attributes, lists its events, and speaks its language.
import { keepCamera, keptCamera, listCameras, showCameras } from "./cameras.js";
import { checkTexts } from "./check-texts.js";
import { bringIntoView, byID, make, setText } from "./dom.js";
import { keep, readKept } from "./tab-storage.js";
import { TokenDialog } from "./token-dialog.js";

const MOST_EVENTS = 200;
const LANGUAGE = "face-engine.language";
const RIGHT_TO_LEFT = ["ar"];

const check = byID("check");
const images = new Map();
const tokens = new TokenDialog();
let texts = checkTexts.en;

// ---- The language

/** The first of the codes that the page speaks, else English. */
function languageOf(codes) {
  return (
    codes
      .filter(Boolean)
      .map((code) => code.split("-")[0].toLowerCase())
      .find((code) => Object.hasOwn(checkTexts, code)) ?? "en"
  );
}

/** Puts the page into a language. */
function showLanguage(code) {
  texts = checkTexts[code];
  document.documentElement.lang = code;
  document.documentElement.dir = RIGHT_TO_LEFT.includes(code) ? "rtl" : "ltr";
  document.title = `${texts.title} · FaceEngine`;
  for (const element of document.querySelectorAll("[data-text]")) setText(element, texts[element.dataset.text]);
  for (const element of document.querySelectorAll("[data-label]"))
    element.setAttribute("aria-label", texts[element.dataset.label]);
  for (const element of document.querySelectorAll("[data-alt]")) element.alt = texts[element.dataset.alt];
  [...byID("countdown").options].forEach((option, index) => setText(option, texts.seconds[index]));
  byID("language").value = code;
  tokens.texts = texts.token;
  showChoice();
}

// ---- The camera

async function showChoice() {
  const names = { front: texts.front, back: texts.back, other: (number) => `${texts.camera} ${number}` };
  const cameras = await listCameras(names);
  showCameras(byID("which"), byID("cameras"), cameras, check.getAttribute("camera") ?? byID("cameras").value);
}

// ---- Events

function described(name, detail) {
  if (name === "state") return detail.state;
  if (name === "tip") return `${detail.tip}: ${detail.text}`;
  if (name === "failed") return `${detail.code}: ${detail.message}`;
  return `picture ${kilobytes(detail.picture)}, crop ${kilobytes(detail.crop)}`;
}

function kilobytes(blob) {
  return `${Math.round(blob.size / 1000)} kB`;
}

/** Names and codes are the component's own in every language. */
function log(name, detail) {
  byID("no-events").hidden = true;
  const time = new Date().toLocaleTimeString("en-GB", { hour12: false });
  byID("log").prepend(
    make(
      "li",
      { "data-event": name, "data-code": detail.code ?? detail.state ?? detail.tip ?? "" },
      make("time", { text: time }),
      make("b", { text: name, lang: "en" }),
      make("span", { text: described(name, detail), dir: "auto", ...(name === "tip" ? {} : { lang: "en" }) }),
    ),
  );
  while (byID("log").childElementCount > MOST_EVENTS) byID("log").lastElementChild.remove();
}

// ---- The result

async function showPicture(id, blob) {
  images.set(id, URL.createObjectURL(blob));
  byID(id).src = images.get(id);
  await byID(id).decode();
  setText(byID(`${id}-size`), `${byID(id).naturalWidth} × ${byID(id).naturalHeight}`);
}

/** Takes the last person's pictures from the page. */
function forgetResult() {
  byID("taken").hidden = true;
  for (const [id, url] of images) {
    byID(id).removeAttribute("src");
    URL.revokeObjectURL(url);
  }
  images.clear();
}

/** Shows on the picture what the crop is. */
async function showResult({ picture, crop, cropBox }) {
  forgetResult();
  byID("taken").hidden = false;
  try {
    await Promise.all([showPicture("crop", crop), showPicture("whole", picture)]);
  } catch {
    return; // forgotten meanwhile
  }
  byID("crop-frame").setAttribute("viewBox", `0 0 ${byID("whole").naturalWidth} ${byID("whole").naturalHeight}`);
  for (const rect of byID("crop-frame").children) {
    for (const name of ["x", "y", "width", "height"]) rect.setAttribute(name, cropBox[name]);
  }
}

function showMarkup() {
  const named = ["actions", "language", "countdown"].filter((name) => check.getAttribute(name));
  const attributes = named.map((name) => `\n  ${name}="${check.getAttribute(name)}"`).join("");
  setText(
    byID("markup"),
    `<script type="module"\n  src="${location.origin}/face-check.js"></script>\n<face-check confirm${attributes}\n  src="${location.origin}"></face-check>`,
  );
}

/** Only what can be done is enabled; the focus stays on one of the buttons. */
function showButtons(state) {
  const isStopped = state === "stopped";
  const hadFocus = byID("form").querySelector(".sources").contains(document.activeElement);
  byID("start").disabled = !isStopped;
  byID("retry").disabled = byID("stop").disabled = isStopped;
  if (hadFocus && (isStopped || document.activeElement !== byID("retry")))
    byID(isStopped ? "start" : "stop").focus({ preventScroll: true }); // the check stays in view
}

/** Asks the user for the gateway's token, and continues with it. */
async function askToken() {
  const token = await tokens.ask(check.token !== "");
  check.token = token ?? "";
  if (token) check.retry();
}

// ---- What happens

for (const name of ["state", "tip", "failed", "result"])
  check.addEventListener(name, ({ detail }) => log(name, detail));
check.addEventListener("state", ({ detail }) => {
  showButtons(detail.state);
  showChoice(); // browsers tell of cameras once one is used
  if (detail.state !== "finish") forgetResult();
});
check.addEventListener("result", ({ detail }) => showResult(detail));
check.addEventListener("failed", ({ detail }) => {
  forgetResult();
  if (detail.code === "unauthenticated") askToken();
  if (detail.code !== "camera_missing" || !keptCamera()) return;
  keepCamera(undefined); // it is not there any more
  check.removeAttribute("camera");
});

for (const begin of ["start", "retry"]) {
  byID(begin).addEventListener("click", () => {
    bringIntoView(check);
    check[begin]();
  });
}
byID("stop").addEventListener("click", () => check.stop());
byID("actions").addEventListener("change", () => {
  const chosen = [...byID("actions").querySelectorAll("input:checked")].map((input) => input.value);
  if (chosen.length > 0) check.setAttribute("actions", chosen.join(","));
  else check.removeAttribute("actions");
  showMarkup();
});
byID("countdown").addEventListener("change", () => {
  check.setAttribute("countdown", byID("countdown").value);
  showMarkup();
});
byID("language").addEventListener("change", () => {
  keep(LANGUAGE, byID("language").value);
  check.setAttribute("language", byID("language").value);
});
byID("cameras").addEventListener("change", () => {
  keepCamera(byID("cameras").value);
  check.setAttribute("camera", byID("cameras").value);
});
byID("form").addEventListener("submit", (event) => event.preventDefault());
navigator.mediaDevices?.addEventListener("devicechange", () => showChoice());
new MutationObserver(() => {
  showLanguage(languageOf([check.getAttribute("language")]));
  showMarkup();
}).observe(check, { attributeFilter: ["language"] });

if (keptCamera()) check.setAttribute("camera", keptCamera());
if (tokens.kept) check.token = tokens.kept;
const language = languageOf([readKept(LANGUAGE), ...navigator.languages]);
showLanguage(language);
if (language !== "en") check.setAttribute("language", language);
showMarkup();
