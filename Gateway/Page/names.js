// What things are called, and the colours of faces.

/** Light enough for dark letters on them; the first five, after Okabe and Ito, remain apart with any colour vision. */
export const facePalette = [
  "#56c7f5",
  "#ffc247",
  "#5fe0a5",
  "#ff9e80",
  "#c9b1ff",
  "#4d90ff",
  "#cdf52b",
  "#ff4a86",
  "#ffffff",
  "#6da41a",
  "#f25cff",
  "#b98a5c",
];

/** The number that a face has in the picture and in the list: a tracked one its id. */
export function faceNumber(face, index) {
  return face.id ?? index + 1;
}

/** The colour of a face: of its id, so that it stays, or of its place in the list. */
export function faceColour(face, index) {
  return facePalette[(faceNumber(face, index) - 1) % facePalette.length];
}

/** The layers of the drawing in their order, and whether they are shown at first. Some are drawn of landmarks. */
export const layers = [
  { name: "boxes", title: "Boxes", shown: true },
  { name: "mesh", title: "Mesh", shown: true, ofLandmarks: true },
  { name: "contours", title: "Contours", shown: true, ofLandmarks: true },
  { name: "irises", title: "Irises", shown: true, ofLandmarks: true },
  { name: "axes", title: "Head axes", shown: false },
  { name: "expressions", title: "Expressions", shown: false },
  { name: "quality", title: "Quality", shown: true },
];

/** An expression's name in words: "mouthSmileLeft" is "Mouth smile, left". */
export function expressionName(name) {
  const words = name.replace("_", "").replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  const sided = words.replace(/ (left|right)$/, ", $1");
  return sided[0].toUpperCase() + sided.slice(1);
}

/** The expressions with the largest coefficients: [name, value] each. */
export function strongest(blendshapes, count) {
  return Object.entries(blendshapes)
    .filter(([name]) => name !== "_neutral")
    .sort((a, b) => b[1] - a[1])
    .slice(0, count);
}

export function countOfFaces(count) {
  return count === 0 ? "No face found" : count === 1 ? "1 face found" : `${count} faces found`;
}

/** A quality, which is no share of anything: "93/100". */
export function outOf100(value) {
  return `${Math.round(value * 100)}/100`;
}

export function percent(value) {
  return `${Math.round(value * 100)}%`;
}

export function faceName(face, index) {
  return `Face ${faceNumber(face, index)}`;
}
