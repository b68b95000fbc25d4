// Makes JPEG files of a camera's frames, beside the page's own thread.

const canvas = new OffscreenCanvas(1, 1);
const context = canvas.getContext("2d", { alpha: false });

/**
 * {frame, part, width, height, quality}: a VideoFrame or ImageBitmap, which is closed; {x, y, width, height}, the part
 * of it to take; the size in pixels; a number from 0 to 1. Answers with {file, image}: the JPEG file, and its picture
 * as an ImageBitmap; with null if that is not possible.
 */
onmessage = async ({ data }) => {
  try {
    const { file, image } = await encode(data);
    postMessage({ file, image }, [image]);
  } catch {
    postMessage(null);
  }
};

async function encode({ frame, part, width, height, quality }) {
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  context.drawImage(frame, part.x, part.y, part.width, part.height, 0, 0, width, height);
  frame.close();
  const encoding = canvas.convertToBlob({ type: "image/jpeg", quality });
  const image = canvas.transferToImageBitmap();
  return { file: await encoding, image };
}
