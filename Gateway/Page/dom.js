// Elements without a framework.

export function byID(id) {
  return document.getElementById(id);
}

/** Makes an element. Attributes named `text` and `onclick` and the like are what they are called; others are set. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") element.textContent = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Scrolls the page so that an element is seen, if it is not. */
export function bringIntoView(element) {
  element.scrollIntoView({ block: "nearest" });
}

/** Has the browser save a Blob as a file. */
export function saveAs(blob, name) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000); // when it is surely read
}

/** Sets a text only if it changes, so that nothing is laid out or read out again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
