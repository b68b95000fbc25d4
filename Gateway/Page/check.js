// A page around <face-check>: changes its attributes and lists its events.
import { byID, make, setText } from "./dom.js";

const MOST_EVENTS = 200;

const check = byID("check");
const images = new Map();

function described(name, detail) {
  if (name === "state") return detail.state;
  if (name === "tip") return `${detail.tip}: ${detail.text}`;
  if (name === "failed") return `${detail.code}: ${detail.message}`;
  return `picture ${kilobytes(detail.picture)}, crop ${kilobytes(detail.crop)}`;
}

function kilobytes(blob) {
  return `${Math.round(blob.size / 1000)} kB`;
}

function log(name, detail) {
  byID("no-events").hidden = true;
  const time = new Date().toLocaleTimeString("en-GB", { hour12: false });
  byID("log").prepend(make(
    "li", { "data-event": name, "data-code": detail.code ?? detail.state ?? detail.tip ?? "" }, make("time", { text: time }),
    make("b", { text: name }), make("span", { text: described(name, detail) })));
  while (byID("log").childElementCount > MOST_EVENTS) byID("log").lastElementChild.remove();
}

async function showPicture(id, blob) {
  if (images.has(id)) URL.revokeObjectURL(images.get(id));
  images.set(id, URL.createObjectURL(blob));
  byID(id).src = images.get(id);
  await byID(id).decode();
  setText(byID(`${id}-size`), `${id === "crop" ? "Crop" : "Picture"}, ${byID(id).naturalWidth} × ${byID(id).naturalHeight}`);
}

function showMarkup() {
  const named = ["actions", "language", "countdown"].filter((name) => check.getAttribute(name));
  const attributes = named.map((name) => `\n  ${name}="${check.getAttribute(name)}"`).join("");
  setText(byID("markup"), `<script type="module"\n  src="${location.origin}/face-check.js"></script>\n<face-check confirm${attributes}\n  src="${location.origin}"></face-check>`);
}

for (const name of ["state", "tip", "failed", "result"]) check.addEventListener(name, ({ detail }) => log(name, detail));
check.addEventListener("result", ({ detail }) => {
  byID("taken").hidden = false;
  showPicture("crop", detail.crop);
  showPicture("whole", detail.picture);
});

byID("start").addEventListener("click", () => check.start());
byID("retry").addEventListener("click", () => check.retry());
byID("stop").addEventListener("click", () => check.stop());
byID("actions").addEventListener("change", () => {
  const chosen = [...byID("actions").querySelectorAll("input:checked")].map((input) => input.value);
  if (chosen.length > 0) check.setAttribute("actions", chosen.join(","));
  else check.removeAttribute("actions");
  showMarkup();
});
for (const name of ["language", "countdown"]) {
  byID(name).addEventListener("change", () => {
    check.setAttribute(name, byID(name).value);
    showMarkup();
  });
}
byID("form").addEventListener("submit", (event) => event.preventDefault());
showMarkup();
