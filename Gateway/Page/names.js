// What things are called, and the colours of faces.

/** Colours that remain apart with any colour vision, after Okabe and Ito, light enough for dark letters on them. */
const facePalette = ["#56c7f5", "#ffc247", "#5fe0a5", "#ff9e80", "#c9b1ff", "#f4e76e"];

/** The colour of a face: of its id, so that it stays, or of its place in the list. */
export function faceColour(face, index) {
  return facePalette[((face.id ?? index + 1) - 1) % facePalette.length];
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
  const words = name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  const sided = words.replace(/ (left|right)$/, ", $1");
  return sided[0].toUpperCase() + sided.slice(1);
}

/** The expressions with the largest coefficients: [name, value] each. */
export function strongest(blendshapes, count) {
  return Object.entries(blendshapes).filter(([name]) => name !== "_neutral").sort((a, b) => b[1] - a[1]).slice(0, count);
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

/** What a face is called: a tracked one by its id. */
export function faceName(face, index) {
  return face.id === undefined ? `Face ${index + 1}` : `Face, id ${face.id}`;
}
