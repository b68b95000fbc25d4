// The engine's answer as JSON, to read, to copy and to save.
import { saveAs, setText } from "./dom.js";

const DONE_TIME = 1600;

export class JSONView {
  #element;
  #text;
  #answer = null;

  constructor(element, text, copy, save) {
    this.#element = element;
    this.#text = text;
    element.addEventListener("toggle", () => this.#render());
    copy.addEventListener("click", () => this.#copy(copy));
    save.addEventListener("click", () => {
      saveAs(new Blob([JSON.stringify(this.#answer)], { type: "application/json" }), "faces.json");
    });
  }

  show(answer) {
    this.#element.hidden = !answer;
    this.#answer = answer;
    this.#render();
  }

  /** Only while it is seen: a camera's answers come often. */
  #render() {
    if (this.#element.open && this.#answer) setText(this.#text, readable(this.#answer));
  }

  async #copy(button) {
    if (!this.#answer) return;
    const text = JSON.stringify(this.#answer);
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (!isCopied) {
      setText(this.#text, text);
      getSelection().selectAllChildren(this.#text);
    }
    button.textContent = isCopied ? "Copied" : "Selected: copy it";
    setTimeout(() => (button.textContent = "Copy"), DONE_TIME);
  }
}

/** JSON in lines, with long lists of points cut short: what is copied has all of them. */
export function readable(answer) {
  const short = (key, value) => {
    if (Array.isArray(value) && value.length > 4 && typeof value[0] !== "object") return `… ${value.length} numbers`;
    if (Array.isArray(value) && value.length > 0 && Array.isArray(value[0])) return `… ${value.length} points`;
    return typeof value === "number" ? Math.round(value * 1000) / 1000 : value;
  };
  return JSON.stringify(answer, short, 2).replace(/"(… \d+ (?:numbers|points))"/g, "[$1]");
}
