// The faces as a list of buttons, each with a small picture: the first ones, and all on demand.
import { make, setText } from "./dom.js";
import { faceColour, faceName, outOf100, percent } from "./names.js";

const SIDE = 44; // CSS pixels of a picture
const FIRST = 5; // faces that are listed before the others are asked for

/** Events: "choose" with {index, isClick}: -1 when no face is looked at any more. */
export class FaceList extends EventTarget {
  #list;
  #rows = [];
  #chosen = -1;
  #isLong = false;
  #others = make("button", {
    type: "button",
    class: "others",
    hidden: "",
    onclick: () => {
      this.#isLong = !this.#isLong;
      this.#fold();
    },
  });

  constructor(list) {
    super();
    this.#list = list;
    list.after(this.#others);
    list.addEventListener("keydown", (event) => this.#move(event));
  }

  /** @param {(face) => object | null} sourceOf As Stage.faceSource. */
  show(faces, sourceOf, chosen) {
    while (this.#rows.length > faces.length) this.#rows.pop().item.remove();
    while (this.#rows.length < faces.length) this.#rows.push(this.#row(this.#rows.length));
    faces.forEach((face, index) => {
      const row = this.#rows[index];
      row.item.style.setProperty("--face", faceColour(face, index));
      setText(row.name, faceName(face, index));
      setText(
        row.measures,
        [`Confidence ${percent(face.confidence)}`, face.quality && `Quality ${outOf100(face.quality.overall)}`]
          .filter(Boolean)
          .join(" · "),
      );
      row.button.setAttribute("aria-pressed", String(index === chosen));
      drawSmall(row.picture, sourceOf(face));
    });
    this.#chosen = chosen;
    if (faces.length === 0) this.#isLong = false;
    this.#fold();
  }

  /** Shows the first rows and the chosen one, or all. A single row takes no more room than the button would. */
  #fold() {
    const isFolding = this.#rows.length > FIRST + 1;
    this.#rows.forEach(({ item }, index) => {
      item.hidden = isFolding && !this.#isLong && index >= FIRST && index !== this.#chosen;
    });
    this.#others.hidden = !isFolding;
    this.#others.setAttribute("aria-expanded", String(this.#isLong));
    setText(
      this.#others,
      this.#isLong ? "Show fewer" : `Show ${this.#rows.filter(({ item }) => item.hidden).length} more`,
    );
  }

  #row(index) {
    const picture = make("canvas", { "class": "small", "aria-hidden": "true" });
    const name = make("span", { class: "face-name" });
    const measures = make("span", { class: "face-measures" });
    const choose = (isClick, at = index) =>
      this.dispatchEvent(new CustomEvent("choose", { detail: { index: at, isClick } }));
    const button = make(
      "button",
      {
        "type": "button",
        "class": "face",
        "aria-pressed": "false",
        "onclick": () => choose(true),
        "onfocus": () => choose(false),
        "onblur": () => choose(false, -1),
        "onpointerenter": () => choose(false),
        "onpointerleave": () => choose(false, -1),
      },
      picture,
      make("span", { class: "face-words" }, name, measures),
    );
    const item = make("li", {}, button);
    this.#list.append(item);
    return { item, button, picture, name, measures };
  }

  /** The arrows go from face to face, too. */
  #move(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const seen = this.#rows.filter(({ item }) => !item.hidden);
    const at = seen.findIndex((row) => row.button === document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    seen[(at + step + seen.length) % seen.length].button.focus();
  }
}

function drawSmall(canvas, source) {
  const pixels = Math.round(SIDE * Math.max(1, window.devicePixelRatio || 1));
  if (canvas.width !== pixels) canvas.width = canvas.height = pixels;
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, pixels, pixels);
  if (!source) return;
  context.save();
  if (source.isMirrored) context.transform(-1, 0, 0, 1, pixels, 0);
  context.imageSmoothingQuality = "high";
  context.drawImage(source.image, source.x, source.y, source.side, source.side, 0, 0, pixels, pixels);
  context.restore();
}
