// Which layers are drawn, and how the engine searches: the browser remembers layers and accuracy.
import { make, setText } from "./dom.js";
import { percent } from "./names.js";

const KEY = "face-engine.page";

/** Events: "draw", when other layers are shown; "search", when the picture must be searched again; "outputs", when a
 * camera needs other outputs. */
export class Settings extends EventTarget {
  #layers;
  #shown;
  #accuracy = "balanced";
  /** The sliders, by the names of the engine's options. */
  #numbers = {};

  /** @param {Element} chips Gets a switch for each layer. @param {Element} search Has inputs of the accuracy, and
     sliders. */
  constructor(layers, chips, search) {
    super();
    this.#layers = layers;
    const kept = this.#read();
    this.#shown = new Set(layers.filter(({ name, shown }) => kept.layers?.[name] ?? shown).map(({ name }) => name));
    for (const { name, title } of layers) chips.append(this.#chip(name, title));
    const radios = [...search.querySelectorAll("[type=radio]")];
    if (radios.some((radio) => radio.value === kept.accuracy)) this.#accuracy = kept.accuracy;
    for (const radio of radios) {
      radio.checked = radio.value === this.#accuracy;
      radio.addEventListener("change", () => {
        this.#accuracy = radio.value;
        this.#changed("search");
      });
    }
    for (const slider of search.querySelectorAll("[type=range]")) {
      const show = () => {
        const text = this.#valueText(slider);
        setText(slider.parentElement.querySelector("b"), text);
        slider.setAttribute("aria-valuetext", text);
      };
      slider.addEventListener("input", show);
      slider.addEventListener("change", () => this.#changed("search"));
      this.#numbers[slider.name] = slider;
      slider.value = slider.defaultValue; // which a browser may have kept, and the label not
      show();
    }
  }

  /** The last step of a number of faces stands for all of them. */
  #valueText({ name, value, max }) {
    if (name === "min-confidence") return percent(Number(value));
    return value === max ? "All" : value;
  }

  get #search() {
    const { "min-confidence": least, "max-faces": most } = this.#numbers;
    return {
      "accuracy": this.#accuracy,
      "min-confidence": Number(least.value),
      "max-faces": most.value === most.max ? 0 : Number(most.value),
    };
  }

  get shown() {
    return new Set(this.#shown);
  }

  /** Of a picture: all that there is, so that the JSON has it, too. */
  get pictureOptions() {
    return { ...this.#search, landmarks: "true", pose: "true", expressions: "true", quality: "true" };
  }

  /** Of a camera: what is shown. */
  get sessionOptions() {
    return { ...this.#search, landmarks: this.#needsLandmarks, pose: true, expressions: true, quality: true };
  }

  get #needsLandmarks() {
    return this.#layers.some(({ name, ofLandmarks }) => ofLandmarks && this.#shown.has(name));
  }

  #chip(name, title) {
    const input = make("input", {
      type: "checkbox",
      id: `layer-${name}`,
      onchange: () => {
        const before = this.#needsLandmarks;
        if (input.checked) this.#shown.add(name);
        else this.#shown.delete(name);
        this.#changed("draw");
        if (this.#needsLandmarks !== before) this.dispatchEvent(new Event("outputs"));
      },
    });
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
