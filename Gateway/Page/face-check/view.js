// What <face-check> shows: preview, ring, badge, texts and buttons in a shadow tree.
import { drawRing, makeSVG, ringParts, symbolPath } from "./ring.js";
import { styleText } from "./styles.js";
import { symbols } from "./texts.js";

/** On these the camera is covered; a large symbol is shown instead. */
const COVERED = [
  "failure",
  "time_out",
  "camera_gone",
  "camera_missing",
  "camera_denied",
  "engine_gone",
  "success",
  "saved",
  "start",
  "starting",
];

let sheet;

function styleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(styleText);
  }
  return sheet;
}

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Draws scenes. Calls `onButton` with the key of a button's text, `onResize` when the preview has another size. */
export class CheckView {
  video = html("video", { "part": "video", "aria-hidden": "true", "tabindex": "-1" });
  #svg = makeSVG("svg", { "aria-hidden": "true", "part": "ring" });
  #dim = makeSVG("path", { class: "dim" });
  #mark = makeSVG("circle", { class: "mark", pathLength: 1, visibility: "hidden" });
  #ring = makeSVG("g", { class: "ring" });
  #badge = makeSVG("g");
  #badgeDisc = makeSVG("circle", { class: "badge" });
  #badgeSymbol = makeSVG("path", { class: "badge-symbol" });
  #badgeNumber = makeSVG("text", { class: "badge-number" });
  #large = makeSVG("path", { class: "large-symbol" });
  #taken = html("img", { class: "taken", part: "picture", hidden: "" });
  #preview = html("div", { class: "preview", part: "preview" }, this.video, this.#taken, this.#svg);
  #title = html("p", { class: "title", part: "title" });
  #detail = html("p", { class: "detail", part: "detail" });
  #buttons = html("div", { class: "buttons" });
  #check = html(
    "div",
    { class: "check", part: "check", role: "group" },
    this.#preview,
    html(
      "div",
      { class: "panel", part: "panel" },
      html("div", { "role": "status", "aria-live": "polite", "aria-atomic": "true" }, this.#title, this.#detail),
      this.#buttons,
    ),
  );
  #root;
  #onButton;
  #scene = null;
  #circle = { x: 0.5, y: 0.5, radius: 0.4 };
  #texts = {};
  #pictureURL = null;

  constructor(root, { onButton, onResize }) {
    this.#root = root;
    this.#onButton = onButton;
    root.adoptedStyleSheets = [styleSheet()];
    this.video.muted = this.video.playsInline = true;
    this.#badge.append(this.#badgeDisc, this.#badgeSymbol, this.#badgeNumber);
    this.#svg.append(this.#dim, this.#mark, this.#ring, this.#badge, this.#large);
    root.append(this.#check);
    new ResizeObserver(() => {
      if (this.#scene) this.#drawCircle();
      onResize();
    }).observe(this.#preview);
  }

  /** Width by height of the preview; undefined while it is not laid out. */
  get aspect() {
    const { clientWidth, clientHeight } = this.#preview;
    return clientWidth > 0 && clientHeight > 0 ? clientWidth / clientHeight : undefined;
  }

  /** In shares of the preview, as it is seen: of its width, its height, its shorter side. */
  set circle(circle) {
    this.#circle = circle;
  }

  setLanguage(code, texts) {
    this.#texts = texts;
    this.#check.lang = code;
    this.#check.dir = texts.direction === "right-to-left" ? "rtl" : "ltr";
    this.#scene = null;
  }

  set isMirrored(isMirrored) {
    this.#preview.classList.toggle("mirrored", isMirrored);
  }

  /** Shows a picture that was taken, a Blob; null for none. */
  set picture(blob) {
    if (this.#pictureURL) URL.revokeObjectURL(this.#pictureURL);
    this.#pictureURL = blob ? URL.createObjectURL(blob) : null;
    if (blob) this.#taken.src = this.#pictureURL;
    else this.#taken.removeAttribute("src");
    this.#taken.hidden = !blob;
  }

  text(key) {
    return this.#texts[key] ?? "";
  }

  /** Marks a face: a box in shares of the preview as it is seen; null for none. */
  mark(box) {
    this.#mark.setAttribute("visibility", box ? "inherit" : "hidden");
    if (!box) return;
    const { clientWidth: width, clientHeight: height } = this.#preview;
    this.#mark.setAttribute("cx", (box.x + box.width / 2) * width);
    this.#mark.setAttribute("cy", (box.y + box.height / 2) * height);
    this.#mark.setAttribute("r", Math.max(box.width * width, box.height * height) * 0.6);
  }

  show(scene) {
    const before = this.#scene;
    this.#scene = scene;
    this.#drawCircle();
    if (before && before.title === scene.title && before.screen === scene.screen) return;
    Object.assign(this.#check.dataset, { screen: scene.screen, tone: scene.tone });
    this.#preview.classList.toggle("covered", COVERED.includes(scene.screen));
    this.#title.textContent = this.text(scene.title) || this.text("failed.no_picture");
    this.#detail.textContent =
      this.text(scene.detail) || (this.text(scene.title) ? "" : this.text("failed.no_picture.detail"));
    this.#taken.alt = this.text("success");
    this.#check.setAttribute("aria-label", this.text("searching.detail"));
    this.#showButtons(scene.buttons);
  }

  #showButtons(keys) {
    const hadFocus = this.#root.activeElement !== null;
    this.#buttons.replaceChildren(
      ...keys.map((key, index) => {
        const isLast = index === keys.length - 1;
        const button = html("button", {
          "type": "button",
          "part": isLast ? "button primary" : "button",
          "data-key": key,
        });
        button.classList.toggle("primary", isLast);
        button.textContent = this.text(key);
        button.addEventListener("click", () => this.#onButton(key));
        return button;
      }),
    );
    // The focus moves from the pressed button to its successor.
    if (hadFocus) this.#buttons.lastElementChild?.focus();
  }

  #drawCircle() {
    const { clientWidth: width, clientHeight: height } = this.#preview;
    if (!width || !height) return;
    const scene = this.#scene;
    const isLarge = COVERED.includes(scene.screen) && this.#taken.hidden;
    const circle = {
      x: this.#circle.x * width,
      y: this.#circle.y * height,
      radius: this.#circle.radius * Math.min(width, height),
    };
    const { x, y, radius } = circle;
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#dim.setAttribute(
      "d",
      `M0 0H${width}V${height}H0ZM${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`,
    );
    const side = radius * 1.6;
    Object.assign(this.#taken.style, { left: `${x}px`, top: `${y}px`, width: `${side}px`, height: `${side}px` });
    const isTaken = !this.#taken.hidden;
    drawRing(this.#ring, isTaken ? [] : ringParts(scene), isLarge ? { ...circle, radius: radius * 0.62 } : circle);
    this.#large.setAttribute("visibility", isLarge ? "inherit" : "hidden");
    this.#badge.setAttribute("visibility", isLarge ? "hidden" : "inherit");
    if (isLarge) {
      this.#large.setAttribute("d", symbolPath(symbols[scene.symbol] ?? ""));
      this.#large.setAttribute("transform", `translate(${x} ${y}) scale(${radius * 0.62 * 0.5})`);
    } else {
      this.#drawBadge(scene, circle, isTaken ? side / 2 : radius);
    }
  }

  /** A plate with a symbol or the seconds that are left: at the ring's lower end, or on the side that an arrow points
     to. */
  #drawBadge(scene, { x, y, radius }, away) {
    const isAside = scene.arrow.x !== 0 || scene.arrow.y !== 0;
    const at = [x + scene.arrow.x * away, y + (isAside ? scene.arrow.y : 1) * away];
    const size = Math.max(20, radius * 0.17);
    this.#badgeDisc.setAttribute("r", size);
    this.#badgeDisc.setAttribute("cx", at[0]);
    this.#badgeDisc.setAttribute("cy", at[1]);
    this.#badgeSymbol.setAttribute("d", scene.symbol ? symbolPath(symbols[scene.symbol] ?? "") : "");
    this.#badgeSymbol.setAttribute("transform", `translate(${at}) scale(${size * 0.6})`);
    this.#badgeNumber.textContent = scene.symbol ? "" : this.text(String(scene.seconds)) || String(scene.seconds);
    this.#badgeNumber.setAttribute("x", at[0]);
    this.#badgeNumber.setAttribute("y", at[1]);
    this.#badgeNumber.setAttribute("font-size", size * 1.15);
  }
}
