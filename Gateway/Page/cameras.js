// Which cameras there are, and which one was chosen.
import { keep, readKept } from "./tab-storage.js";

const KEY = "face-engine.camera";
const FRONT = /\b(front|user|selfie)\b/i;
const BACK = /\b(back|rear|environment)\b/i;

/** The side of a phone that a camera is on: "front", "back", or undefined. */
function sideOf(device) {
  const [facing] = device.getCapabilities?.().facingMode ?? [];
  if (facing === "user" || (!facing && FRONT.test(device.label))) return "front";
  return facing === "environment" || (!facing && BACK.test(device.label)) ? "back" : undefined;
}

/**
 * The cameras as {id, name}. Browsers tell of them only while one is used, or once the page was allowed to.
 * @param {{front: string, back: string, other: (number) => string}} names What cameras are called: the only one on
 * either side of
 *   a phone, and one without a name.
 */
export async function listCameras(names) {
  const devices = ((await navigator.mediaDevices?.enumerateDevices()) ?? []).filter(
    ({ kind, deviceId }) => kind === "videoinput" && deviceId !== "",
  );
  const sides = devices.map(sideOf);
  return devices.map(({ deviceId, label }, index) => {
    const isOnly = sides[index] && sides.indexOf(sides[index]) === sides.lastIndexOf(sides[index]);
    return { id: deviceId, name: (isOnly && names[sides[index]]) || label || names.other(index + 1) };
  });
}

/** Fills a <select>, and shows `element` if there are several cameras. */
export function showCameras(element, select, cameras, current) {
  element.hidden = cameras.length < 2;
  select.replaceChildren(...cameras.map(({ id, name }) => new Option(name, id, false, id === current)));
}

/** The id of the camera that was chosen in this tab; undefined for none. */
export function keptCamera() {
  return readKept(KEY);
}

export function keepCamera(id) {
  keep(KEY, id);
}
