// Asks for the gateway's token, and remembers it for the tab.
import { make, setText } from "./dom.js";
import { isToken } from "./gateway.js";
import { keep, readKept } from "./tab-storage.js";

const KEY = "face-engine.token";

/** What the dialog says, by its parts. */
export const englishTokenTexts = {
  title: "This gateway needs a token",
  text: "Its administrator can give you one. The token is kept until you close this tab.",
  label: "Token",
  wrong: "The gateway did not accept that token.",
  form: "A token has letters, digits and signs, without spaces.",
  use: "Use it",
  cancel: "Cancel",
};

/** A dialog that is shown while a token is wanted. Let `ask` be the gateway's `askToken`. */
export class TokenDialog {
  /** As `englishTokenTexts`; set them before `ask`. */
  texts = englishTokenTexts;

  #title = make("h2", { id: "token-title" });
  #text = make("p", { id: "token-text" });
  #label = make("span");
  #input = make("input", {
    "type": "password",
    "id": "token",
    "autocomplete": "off",
    "autocapitalize": "off",
    "spellcheck": "false",
    "dir": "ltr",
    "required": "",
    "aria-describedby": "token-text token-wrong",
  });
  #wrong = make("p", { id: "token-wrong", class: "token-wrong", role: "alert" });
  #use = make("button", { type: "submit", class: "primary" });
  #cancel = make("button", { type: "button", onclick: () => this.#end(undefined) });
  #dialog = make(
    "dialog",
    { "class": "token-dialog", "aria-labelledby": "token-title" },
    make(
      "form",
      { novalidate: "", onsubmit: (event) => this.#submit(event) },
      this.#title,
      this.#text,
      make("label", {}, this.#label, this.#input),
      this.#wrong,
      make("div", { class: "sources" }, this.#cancel, this.#use),
    ),
  );
  #settle = () => {};

  constructor() {
    this.#dialog.addEventListener("close", () => this.#settle(undefined)); // also by Escape
    document.body.append(this.#dialog);
  }

  /** The token that this tab has; "" for none. */
  get kept() {
    return readKept(KEY) ?? "";
  }

  /** Resolves with a token, which is kept; with undefined when it is cancelled. @param {boolean} wasRefused The one
     before. */
  ask = (wasRefused) => {
    this.#settle(undefined); // who asked before
    keep(KEY, undefined);
    const { title, text, label, wrong, use, cancel } = this.texts;
    setText(this.#title, title);
    setText(this.#text, text);
    setText(this.#label, label);
    setText(this.#use, use);
    setText(this.#cancel, cancel);
    this.#input.value = "";
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#mark(wasRefused ? wrong : "");
    this.#input.focus();
    return new Promise((resolve) => (this.#settle = resolve));
  };

  #mark(sentence) {
    setText(this.#wrong, sentence);
    this.#input.setAttribute("aria-invalid", String(sentence !== ""));
  }

  #submit(event) {
    event.preventDefault();
    const token = this.#input.value.trim();
    if (!isToken(token)) {
      this.#mark(this.texts.form);
      this.#input.focus();
      return;
    }
    this.#end(token);
  }

  #end(token) {
    if (token !== undefined) keep(KEY, token);
    this.#input.value = "";
    this.#settle(token);
    this.#dialog.close();
  }
}
