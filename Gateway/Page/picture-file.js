// Picture files as the browser and the engine want them.

const AS_THEY_ARE = ["image/jpeg", "image/png", "image/webp"]; // what every engine decodes
const MOST_BYTES = 4 << 20;
const LONG_SIDE = 2560;

/** Decodes a file, upright as its metadata says. Throws an Error with a sentence for people. */
export async function decodePicture(file) {
  try {
    return await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    throw new Error("The browser cannot show that file: try a JPEG, PNG or WebP picture.");
  }
}

/** The file itself, or a smaller JPEG of it where it is large, or of a kind that an engine may not decode. */
export async function fileForEngine(file, image) {
  if (AS_THEY_ARE.includes(file.type) && file.size <= MOST_BYTES) return file;
  const scale = Math.min(1, LONG_SIDE / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  const context = canvas.getContext("2d", { alpha: false });
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.92));
}
