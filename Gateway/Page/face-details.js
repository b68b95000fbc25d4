// The numbers of one face.
import { make, setText } from "./dom.js";
import { expressionName, outOf100, percent, strongest } from "./names.js";

const EXPRESSIONS = 8;
const QUALITIES = ["sharpness", "exposure", "size", "pose", "framing"];

/** Shows what was measured of a face. Rows stay where they are, so that numbers can be read while they change. */
export class FaceDetails {
  #root;
  #title = make("h3");
  #place = make("p", { class: "place" });
  #angles = {};
  #state = new Bars();
  #quality = new Bars();
  #expressions = new Bars();
  #all = new Bars();
  #allSummary = make("summary");
  #allPart = make("details", { class: "all", ontoggle: () => this.#showAll() }, this.#allSummary, this.#all.element);
  #blendshapes = {};
  #confidence = make("span", { class: "overall", id: "confidence" });
  #overall = make("span", { class: "overall", id: "overall" });
  #parts;

  constructor(root) {
    this.#root = root;
    const angles = make("dl", { class: "angles" });
    for (const name of ["yaw", "pitch", "roll"]) {
      const value = make("span");
      const needle = make("span", { class: "needle" });
      const dial = make("span", { "class": "dial", "aria-hidden": "true" }, needle);
      angles.append(
        make("div", {}, make("dt", { text: name[0].toUpperCase() + name.slice(1) }), make("dd", {}, value, dial)),
      );
      this.#angles[name] = { value, needle };
    }
    const part = (title, ...content) => make("section", {}, make("h4", { text: title }), ...content);
    const note = (text) => make("p", { class: "note", text });
    this.#parts = {
      confidence: part("Detection confidence", this.#confidence, note("How sure the engine is that this is a face.")),
      pose: part("Head pose", angles),
      state: part("Eyes and mouth", this.#state.element),
      quality: part(
        "Capture quality",
        this.#overall,
        note("How well the picture shows the face. One part at 0 makes the whole 0."),
        this.#quality.element,
      ),
      expressions: part("Expressions", this.#expressions.element, this.#allPart),
    };
    root.append(make("div", { class: "details-head" }, this.#title, this.#place), ...Object.values(this.#parts));
  }

  /** Keeps the numbers of a face that the picture does not show at the moment. */
  hold() {
    setText(this.#place, "Not in view");
  }

  /** @param {object | undefined} face Of the engine's answer; nothing is shown without. */
  show(face, name) {
    this.#root.hidden = !face;
    if (!face) return;
    setText(this.#title, name);
    const { x, y, width, height } = face.box;
    setText(this.#place, `${Math.round(width)} × ${Math.round(height)} px at ${Math.round(x)}, ${Math.round(y)}`);
    setText(this.#confidence, percent(face.confidence));
    this.#parts.pose.hidden = !face.pose;
    for (const [angle, { value, needle }] of Object.entries(this.#angles)) {
      if (!face.pose) continue;
      setText(value, `${face.pose[angle].toFixed(1).replace("-", "−")}°`);
      needle.style.rotate = `${Math.max(-90, Math.min(90, face.pose[angle]))}deg`;
    }
    const state = [
      ["Left eye open", face.eyesOpen?.left],
      ["Right eye open", face.eyesOpen?.right],
      ["Smile", face.smile],
      ["Mouth open", face.mouthOpen],
    ].filter(([, value]) => value !== undefined);
    this.#parts.state.hidden = state.length === 0;
    this.#state.show(state);
    this.#parts.quality.hidden = !face.quality;
    if (face.quality) {
      setText(this.#overall, outOf100(face.quality.overall));
      this.#quality.show(
        QUALITIES.map((quality) => [quality[0].toUpperCase() + quality.slice(1), face.quality[quality]]),
      );
    }
    this.#parts.expressions.hidden = !face.blendshapes;
    if (!face.blendshapes) return;
    this.#blendshapes = face.blendshapes;
    this.#expressions.show(
      strongest(face.blendshapes, EXPRESSIONS).map(([key, value]) => [expressionName(key), value]),
    );
    setText(this.#allSummary, `All ${Object.keys(face.blendshapes).length} expressions`);
    this.#showAll();
  }

  /** Only while they are seen, in the engine's order. */
  #showAll() {
    if (this.#allPart.open)
      this.#all.show(Object.entries(this.#blendshapes).map(([key, value]) => [expressionName(key), value]));
  }
}

/** Rows of a name, a bar and a number. */
class Bars {
  element = make("dl", { class: "bars" });
  #rows = [];

  show(values) {
    while (this.#rows.length > values.length) this.#rows.pop().row.remove();
    while (this.#rows.length < values.length) {
      const [name, fill, number] = [make("dt"), make("span", { class: "fill" }), make("span", { class: "number" })];
      const row = make(
        "div",
        {},
        name,
        make("dd", {}, make("span", { "class": "track", "aria-hidden": "true" }, fill), number),
      );
      this.element.append(row);
      this.#rows.push({ row, name, fill, number });
    }
    values.forEach(([title, value], index) => {
      const { name, fill, number } = this.#rows[index];
      setText(name, title);
      setText(number, percent(value));
      fill.style.scale = `${Math.max(0, Math.min(1, value))} 1`;
    });
  }
}
