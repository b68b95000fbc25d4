// Picture files as the browser and the engine want them.

const AS_THEY_ARE = ["image/jpeg", "image/png", "image/webp"]; // what every engine decodes
const MOST_BYTES = 4 << 20;
const LONG_SIDE = 2560;
/** Of kinds that not every browser has a type for. */
const NAMES = /\.(heic|heif|avif|tiff?)$/i;

export function isPicture({ type, name }) {
  return type.startsWith("image/") || (type === "" && NAMES.test(name));
}

/** Decodes a file, upright as its metadata says. Null if the browser cannot; the engine reads more kinds. */
export async function decodePicture(file) {
  return createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => null);
}

/**
 * What to send for a file: a smaller JPEG copy if the file is large or of a kind that an engine may not decode, else
 * the file itself.
 * @param {ImageBitmap | null} image As `decodePicture`; no copy can be made without.
 */
export async function fileForEngine(file, image) {
  if (!image || (AS_THEY_ARE.includes(file.type) && file.size <= MOST_BYTES)) return file;
  const scale = Math.min(1, LONG_SIDE / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  const context = canvas.getContext("2d", { alpha: false });
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.92));
}

/**
 * Faces row by row from the top, each row from the left. A row may be an arc: each of its faces is about as high as its
 * neighbour on the left, the more exactly the nearer that neighbour is.
 */
export function inReadingOrder(faces) {
  const middle = ({ box }) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const rows = [];
  for (const face of [...faces].sort((a, b) => middle(a).x - middle(b).x)) {
    const { x, y } = middle(face);
    const drops = rows.map((row) => {
      const left = middle(row.at(-1));
      const drop = Math.abs(y - left.y) / face.box.height;
      return drop < Math.max(0.3, Math.min(1.25, (0.8 * (x - left.x)) / face.box.height)) ? drop : Infinity;
    });
    const least = Math.min(...drops);
    if (least < Infinity) rows[drops.indexOf(least)].push(face);
    else rows.push([face]);
  }
  const height = (row) => row.reduce((sum, face) => sum + middle(face).y, 0) / row.length;
  return rows.sort((a, b) => height(a) - height(b)).flat();
}

/** An answer about a smaller copy of a picture, with its lengths in pixels of the picture. */
export function inPixelsOf({ width, height }, answer) {
  const [across, down] = [width / answer.width, height / answer.height];
  if (across === 1 && down === 1) return answer;
  const scaled = (value, scale) => Math.round(value * scale * 1000) / 1000;
  const point = ([x, y]) => [scaled(x, across), scaled(y, down)];
  const each = (members, change) =>
    members && Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));
  const face = ({ box, points, regions, depth, ...others }) => ({
    ...others,
    points: each(points, point),
    regions: each(regions, (list) => list.map(point)),
    depth: depth?.map((value) => scaled(value, across)),
    box: {
      x: scaled(box.x, across),
      y: scaled(box.y, down),
      width: scaled(box.width, across),
      height: scaled(box.height, down),
    },
  });
  return { ...answer, width, height, faces: answer.faces.map(face) };
}
