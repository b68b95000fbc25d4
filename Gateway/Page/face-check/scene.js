// Decides what the guided check shows. Nothing here draws.
import { actionNames } from "./settings.js";

/** How long somebody who has left counts as seen, in milliseconds. */
const SEEN = 3000;

/** Milliseconds for which a tip stays: to notice it, and to read a letter. */
const READING = { notice: 1500, letter: 50 };

/** The names of their tips. */
const ACTIONS = actionNames.map((name) => name.replaceAll("-", "_"));

/** Tone, and keys of the buttons' texts, the more likely one last. */
const SCREENS = {
  start: { tone: "calm", buttons: ["start"], symbol: "idle" },
  starting: { tone: "calm", buttons: [], symbol: "engine_gone" },
  idle: { tone: "calm", buttons: [] },
  searching: { tone: "calm", buttons: [] },
  tip: { tone: "attention", buttons: [] },
  steady: { tone: "calm", buttons: [] },
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
export function screenOfCamera({ code }) {
  if (code === "denied" || code === "insecure") return "camera_denied";
  return code === "missing" ? "camera_missing" : "camera_gone";
}

/** The code of a hindrance in the event `failed`, and whether the check continues by itself when it has passed. */
export function failureOf(screen) {
  const codes = { engine_gone: "engine_lost", camera_gone: "camera_lost" };
  return { code: codes[screen] ?? screen, recovers: screen !== "camera_denied" };
}

/** The check before anything has happened. */
export function newStatus() {
  return {
    isRunning: false,
    isAnswered: false,
    hindrance: null,
    state: "waiting",
    tip: "prompt",
    progress: 0,
    actionsDone: 0,
    actionCount: 0,
    seenAt: -Infinity,
    readAt: -Infinity,
    failure: null,
    picture: null,
    isAccepted: false,
  };
}

/** The tip for a preview: the engine has seen the picture itself; a mirror exchanges left and right. */
export function tipInView(tip, isMirrored) {
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
    screen,
    tone,
    buttons,
    symbol,
    title,
    detail: `${title}.detail`,
    arrow: { x: 0, y: 0 },
    progress: 0,
    seconds: 0,
    done: 0,
    count: 0,
    ...more,
  };
}

/**
 * What to show.
 * @param {object} status As of `newStatus`; `hindrance` is the name of a screen: camera_denied, camera_missing,
 * camera_gone,
 *   engine_gone.
 * @param {{isMirrored: boolean, countdown: number, confirms: boolean, isTouched: boolean, now: number}} how
 * `isTouched`: the screen, by
 *   a person who may have no keys.
 */
export function sceneOf(status, { isMirrored, countdown, confirms, isTouched, now }) {
  if (status.picture) return confirms && !status.isAccepted ? show("success", "success") : show("saved", "saved");
  if (status.hindrance) return show(status.hindrance, status.hindrance);
  if (status.failure) {
    const isLate = status.failure === "time_out" || status.failure === "wait_time_out";
    if (!isLate) return show("failure", `failed.${status.failure}`);
    return show("time_out", "time_out", isTouched ? { detail: "failed.no_picture.detail" } : {}); // which names no key
  }
  if (!status.isRunning) return show("start", "ready");
  if (!status.isAnswered) return show("starting", "engine_gone", { detail: "" });
  return ofCheck(status, { isMirrored, countdown, now });
}

function screenOfTip(tip, progress) {
  if (ACTIONS.includes(tip)) return "action";
  if (tip === "hold_still" && progress > 0) return "countdown";
  return tip === "hold_still" || tip === "done" ? "steady" : "tip"; // which asks for nothing new
}

/**
 * Takes an answer's tip into a status. One that asks for something stays until it could be read, unless what follows
 * asks for nothing of that kind any more, so that tips do not alternate while two people move.
 * @param {(tip: string) => string} textOf What a tip says.
 */
export function takeTip(status, tip, textOf, now) {
  const isAdvice = (one) => screenOfTip(one, 0) === "tip";
  if (tip === status.tip || (isAdvice(tip) && isAdvice(status.tip) && now < status.readAt)) return;
  status.tip = tip;
  status.readAt = now + READING.notice + READING.letter * textOf(tip).length;
}

/** While the check waits for a person or looks at one. */
function ofCheck({ state, tip, progress, actionsDone, actionCount, seenAt }, { isMirrored, countdown, now }) {
  if (state === "waiting" && now - seenAt > SEEN) return show("idle", "idle");
  if (tip === "prompt" || tip === "no_face") return show("searching", "searching");
  const screen = screenOfTip(tip, progress);
  const shown = tipInView(tip, isMirrored);
  return show(screen, `tip.${shown}`, {
    symbol: screen === "countdown" ? null : `tip.${shown}`,
    arrow: arrowOf(shown, isMirrored),
    progress,
    seconds: Math.ceil(countdown * (1 - progress)),
    done: actionsDone,
    count: actionCount,
  });
}
