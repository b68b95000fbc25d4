// The picture with its marks, and which of its faces is looked at.
import { make } from "./dom.js";
import { drawFaces } from "./overlay.js";
import { isInBox, turnedBox } from "./turned-box.js";
import { Viewport, fitCanvas } from "./viewport.js";

const MARKED = 1280; // pixels of a saved picture's long side up to which its lines are as on the screen

/** Shows a picture with its faces on a canvas. Events: "choose", with the index of a face that was pointed at or
   clicked. */
export class Stage extends EventTarget {
  #canvas;
  #context;
  #image = null;
  #isMirrored = false;
  #isLive = false;
  #answer = null;
  #layers = new Set();
  #chosen = -1;
  #selected = 0;
  #pointed = -1;
  #isDue = false;

  constructor(canvas) {
    super();
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    new ResizeObserver(() => this.#drawSoon()).observe(canvas);
    canvas.addEventListener("pointermove", (event) => this.#point(this.#faceAt(event)));
    canvas.addEventListener("pointerleave", () => this.#point(-1));
    canvas.addEventListener("click", (event) => {
      const index = this.#faceAt(event);
      if (index >= 0) this.dispatchEvent(new CustomEvent("choose", { detail: { index, isClick: true } }));
    });
  }

  /**
   * @param {ImageBitmap | null} image It is closed when another one comes. Without one, faces are drawn on an empty
   * picture.
   * @param {object | null} answer Of the engine; its width and height are the units of its coordinates.
   * @param {{isMirrored: boolean, isLive: boolean}} [how] As in a mirror; one of many frames.
   */
  show(image, answer, { isMirrored = false, isLive = false } = {}) {
    if (this.#image && this.#image !== image) this.#image.close();
    [this.#image, this.#answer, this.#isMirrored, this.#isLive] = [image, answer, isMirrored, isLive];
    if (this.isEmpty) this.#draw(); // at once, since a page that is left draws no more
    else this.#drawSoon();
  }

  /** Whether there is no picture. */
  get isEmpty() {
    return this.#image === null && this.#answer === null;
  }

  set layers(names) {
    this.#layers = names;
    this.#drawSoon();
  }

  /** The face that is emphasised; -1 for none. */
  set chosen(index) {
    this.#chosen = index;
    this.#drawSoon();
  }

  /** The face whose numbers are shown. */
  set selected(index) {
    this.#selected = index;
    this.#drawSoon();
  }

  /** Where a face is on `image`, in its own pixels, for a small picture of it. */
  faceSource(face) {
    if (!this.#image || !this.#answer) return null;
    const scale = this.#image.width / this.#answer.width;
    const side = Math.max(face.box.width, face.box.height) * 1.3 * scale;
    return {
      image: this.#image,
      side,
      x: (face.box.x + face.box.width / 2) * scale - side / 2,
      y: (face.box.y + face.box.height / 2) * scale - side / 2,
      isMirrored: this.#isMirrored,
    };
  }

  /** The picture as it is shown, with its marks, in its own size: a PNG file. */
  marked() {
    const { width, height } = this.#image ?? this.#answer;
    const pixel = Math.max(1, Math.max(width, height) / MARKED); // so that lines are as wide on a large picture
    const canvas = make("canvas", { width, height });
    const context = canvas.getContext("2d");
    context.scale(pixel, pixel);
    this.#drawOn(context, { width: width / pixel, height: height / pixel });
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }

  #point(index) {
    if (index === this.#pointed) return;
    this.#pointed = index;
    this.#canvas.classList.toggle("points", index >= 0);
    this.dispatchEvent(new CustomEvent("choose", { detail: { index, isClick: false } }));
  }

  /** The smallest face under the pointer. */
  #faceAt(event) {
    const viewport = this.#viewport(this.#canvas.getBoundingClientRect());
    if (!viewport) return -1;
    if (!this.#answer) return -1;
    const at = viewport.pointOf([event.offsetX, event.offsetY]);
    const areas = this.#answer.faces
      .map((face, index) => ({ index, ...turnedBox(face) }))
      .filter((box) => isInBox(box, at));
    areas.sort((a, b) => a.width * a.height - b.width * b.height);
    return areas[0]?.index ?? -1;
  }

  #viewport(area) {
    const picture = this.#answer ?? this.#image;
    return picture && area.width > 0 && area.height > 0 ? new Viewport(picture, area, this.#isMirrored) : null;
  }

  #drawEmpty(context, { width, height }) {
    context.fillStyle = getComputedStyle(this.#canvas).color;
    context.fillRect(0, 0, width, height);
  }

  #drawSoon() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw() {
    const area = fitCanvas(this.#canvas);
    this.#context.clearRect(0, 0, area.width, area.height);
    this.#drawOn(this.#context, area, this.#chosen);
  }

  /** Without `chosen` with square corners and no face emphasised. */
  #drawOn(context, area, chosen) {
    const viewport = this.#viewport(area);
    if (!viewport) return;
    context.save();
    context.beginPath();
    context.roundRect(viewport.left, viewport.top, viewport.width, viewport.height, chosen === undefined ? 0 : 10);
    context.clip();
    if (this.#image) viewport.draw(context, this.#image, this.#isLive);
    else this.#drawEmpty(context, area);
    context.restore();
    if (!this.#answer) return;
    drawFaces(context, viewport, area, this.#answer.faces, this.#layers, chosen ?? -1, this.#selected);
  }
}
