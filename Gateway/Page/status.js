// What the page says around a picture: the engine's state, what is waited for, what has failed, sizes and times.
import { byID, setText } from "./dom.js";

/** @param {"ready" | "lost" | "asking"} state */
export function showEngine(state) {
  const texts = { ready: "Engine ready", lost: "Engine does not answer", asking: "Contacting the engine" };
  byID("engine").hidden = false;
  byID("engine").dataset.state = state;
  setText(byID("engine-text"), texts[state]);
}

/** Without a title nothing. @param {boolean} [isAlone] No picture is shown. `canRetry`: the button to try again is
   shown. */
export function showNotice({ title = "", text = "", canRetry = false } = {}, isAlone = false) {
  byID("notice").hidden = !title;
  byID("again").hidden = !canRetry;
  byID("notice").classList.toggle("alone", isAlone);
  setText(byID("notice-title"), title);
  setText(byID("notice-text"), text);
}

/** What is waited for, and how many of the bytes were sent; without a text nothing. */
export function showBusy(text = "", sent = 0, all = 0) {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  byID("busy").hidden = !text;
  byID("sent").hidden = sent >= all;
  if (sent < all) byID("sent").value = sent / all;
  const amount = sent < all ? `${megabytes(sent)} of ${megabytes(all)} MB` : "";
  setText(byID("busy-text"), text);
  setText(byID("busy-amount"), amount);
  if (text) byID("stage").setAttribute("aria-busy", "true");
  else byID("stage").removeAttribute("aria-busy");
}

function sizeText({ width, height }) {
  return `${width} × ${height}`;
}

/** Without a reply nothing. @param {object} [copy] The answer about the smaller copy that was sent. */
export function showTimes({ answer, engine, roundTrip } = {}, copy = answer) {
  const time = (value) => (value === undefined ? "–" : value < 10 ? value.toFixed(1) : String(Math.round(value)));
  byID("meters").classList.toggle("unknown", !answer);
  setText(byID("engine-time"), time(engine));
  setText(byID("round-trip"), time(roundTrip));
  setText(byID("size"), answer ? sizeText(answer) : "–");
  const isCopy = copy?.width !== answer?.width || copy?.height !== answer?.height;
  byID("copy-size").parentElement.parentElement.hidden = !isCopy;
  byID("json-note").hidden = !isCopy;
  if (!isCopy) return;
  setText(byID("copy-size"), sizeText(copy));
  setText(byID("json-note"), `In pixels of the file, ${sizeText(answer)}. A copy of ${sizeText(copy)} was searched.`);
}
