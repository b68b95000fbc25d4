// The attributes of <face-check>.
import { texts } from "./texts.js";

/** Those whose change begins a new attempt. */
export const checkAttributes = ["actions", "shuffle", "circle", "src", "countdown", "timeout", "camera"];

// generated: js-actions actionNames
export const actionNames = ["blink", "turn-left", "turn-right", "smile", "open-mouth", "nod", "shake"];
// end of generated

function numberOf(element, name, otherwise) {
  const value = Number.parseFloat(element.getAttribute(name) ?? "");
  return Number.isFinite(value) && value >= 0 ? value : otherwise;
}

/** The settings in an element's attributes. Leaves out impossible ones, and warns the developer. */
export function settingsOf(element) {
  const actions = (element.getAttribute("actions") ?? "")
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((name) => name.replaceAll("_", "-"));
  const unknown = actions.filter((name) => !actionNames.includes(name));
  if (unknown.length > 0) {
    console.warn(`<face-check>: there is no action ${unknown.join(", ")}; there are ${actionNames.join(", ")}.`);
  }
  return {
    actions: actions.filter((name) => actionNames.includes(name)).slice(0, 8),
    isShuffled: element.hasAttribute("shuffle"),
    circle: circleOf(element),
    countdown: numberOf(element, "countdown", 2),
    timeout: numberOf(element, "timeout", 30),
    camera: element.getAttribute("camera") || "user",
    confirms: element.hasAttribute("confirm"),
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

/** The element's language, or the page's, or the browser's, else English. */
export function languageOf(element) {
  const asked = [element.getAttribute("language"), element.closest("[lang]")?.lang, ...navigator.languages];
  const codes = asked.filter(Boolean).flatMap((code) => [code, code.split("-")[0].toLowerCase()]);
  return codes.find((code) => Object.hasOwn(texts, code)) ?? "en";
}

/** The options of the gateway's session. The engine sees the camera's picture itself, the person perhaps its mirror. */
export function sessionOptions({ actions, isShuffled, circle, countdown, timeout }, isMirrored, more) {
  return {
    actions,
    "shuffle": isShuffled,
    "hold": countdown,
    timeout,
    "crop-size": 768,
    "circle": { ...circle, x: isMirrored ? 1 - circle.x : circle.x },
    ...more,
  };
}
