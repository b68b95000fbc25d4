// Which layers are drawn and how thorough the search is: switches that the browser remembers.
import { make } from "./dom.js";

const KEY = "face-engine.page";

/** Events: "draw", when other layers are shown; "search", when the picture must be searched again; "outputs", when a camera needs
 * other outputs. */
export class Settings extends EventTarget {
  #layers;
  #shown;
  #accuracy = "balanced";

  constructor(layers, chips, segments) {
    super();
    this.#layers = layers;
    const kept = this.#read();
    this.#shown = new Set(layers.filter(({ name, shown }) => kept.layers?.[name] ?? shown).map(({ name }) => name));
    for (const { name, title } of layers) chips.append(this.#chip(name, title));
    const radios = [...segments.querySelectorAll("input")];
    if (radios.some((radio) => radio.value === kept.accuracy)) this.#accuracy = kept.accuracy;
    for (const radio of radios) {
      radio.checked = radio.value === this.#accuracy;
      radio.addEventListener("change", () => {
        this.#accuracy = radio.value;
        this.#changed("search");
      });
    }
  }

  get shown() {
    return new Set(this.#shown);
  }

  /** Of a picture: all that there is, so that the JSON has it, too. */
  get pictureOptions() {
    return { accuracy: this.#accuracy, landmarks: "true", pose: "true", expressions: "true", quality: "true" };
  }

  /** Of a camera: what is shown. */
  get sessionOptions() {
    return { accuracy: this.#accuracy, landmarks: this.#needsLandmarks, pose: true, expressions: true, quality: true };
  }

  get #needsLandmarks() {
    return this.#layers.some(({ name, ofLandmarks }) => ofLandmarks && this.#shown.has(name));
  }

  #chip(name, title) {
    const input = make("input", { type: "checkbox", id: `layer-${name}`, onchange: () => {
      const before = this.#needsLandmarks;
      if (input.checked) this.#shown.add(name);
      else this.#shown.delete(name);
      this.#changed("draw");
      if (this.#needsLandmarks !== before) this.dispatchEvent(new Event("outputs"));
    } });
    input.checked = this.#shown.has(name);
    return make("label", {}, input, make("span", { text: title }));
  }

  #changed(event) {
    const layers = Object.fromEntries(this.#layers.map(({ name }) => [name, this.#shown.has(name)]));
    try {
      localStorage.setItem(KEY, JSON.stringify({ layers, accuracy: this.#accuracy }));
    } catch {
      // A browser that keeps nothing forgets them.
    }
    this.dispatchEvent(new Event(event));
  }

  #read() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
      return {};
    }
  }
}
