// The ring around the face, and symbols: strokes of SVG.

const SVG = "http://www.w3.org/2000/svg";

export function makeSVG(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** A symbol's strokes (`symbols` of texts.js) as the data of an SVG path in a square from -1 to 1. */
export function symbolPath(strokes) {
  const words = strokes.trim().split(/\s+/);
  const number = () => Number(words.shift());
  const at = (x, y, radius, degrees) => {
    const angle = (degrees * Math.PI) / 180;
    return `${(x + radius * Math.cos(angle)).toFixed(3)} ${(y + radius * Math.sin(angle)).toFixed(3)}`;
  };
  const circle = (x, y, radius) =>
    `M${at(x, y, radius, 0)}A${radius} ${radius} 0 1 1 ${at(x, y, radius, 180)}A${radius} ${radius} 0 1 1 ${at(x, y, radius, 360)}`;
  let path = "";
  while (words.length > 0) {
    const kind = words.shift();
    const [x, y] = [number(), number()];
    if (kind === "m" || kind === "l") {
      path += `${kind.toUpperCase()}${x} ${y}`;
      continue;
    }
    const radius = number();
    if (kind === "c") path += circle(x, y, radius);
    else if (kind === "d") path += circle(x, y, radius) + circle(x, y, radius / 2);
    else {
      const [from, to] = [number(), number()];
      path += `M${at(x, y, radius, from)}A${radius} ${radius} 0 ${to - from > 180 ? 1 : 0} 1 ${at(x, y, radius, to)}`;
    }
  }
  return path;
}

/** Parts of the ring for a scene: where each begins and ends, in turns from the top, and what it looks like. */
export function ringParts(scene) {
  const whole = { from: 0, to: 1, look: "faint", width: 0.6 };
  switch (scene.screen) {
    case "start":
    case "idle":
      return [{ dashes: 40, part: 0.5, look: "breathing", width: 0.7 }];
    case "searching":
    case "starting":
    case "engine_gone":
      return [whole, { from: 0, to: 0.22, look: "turning", width: 1 }];
    case "tip":
      return [{ dashes: 24, part: 0.7, look: "tone", width: 1 }];
    case "action":
      return Array.from({ length: scene.count }, (_, index) => {
        const gap = scene.count > 1 ? 0.012 : 0;
        return {
          from: index / scene.count + gap,
          to: (index + 1) / scene.count - gap,
          width: index < scene.done ? 1.5 : 1,
          look: index < scene.done ? "done" : index === scene.done ? "pulsing" : "faint",
        };
      });
    case "countdown":
      return [whole, { from: 0, to: scene.progress, look: "tone", width: 1.4 }];
    default:
      return [{ from: 0, to: 1, look: "tone", width: 0.8 }];
  }
}

/** Makes `group` show the parts around a circle; elements stay, so that their animations go on. */
export function drawRing(group, parts, { x, y, radius }) {
  const stroke = radius * 0.034;
  while (group.childElementCount > parts.length) group.lastElementChild.remove();
  while (group.childElementCount < parts.length) group.append(makeSVG("circle", { pathLength: 1, fill: "none" }));
  parts.forEach((part, index) => {
    const length = part.dashes ? part.part / part.dashes : Math.max(0, part.to - part.from);
    const isWhole = !part.dashes && length >= 1;
    const attributes = {
      "class": part.look,
      "cx": x,
      "cy": y,
      "r": radius,
      "stroke-width": (stroke * part.width).toFixed(2),
      "stroke-dasharray": isWhole
        ? "none"
        : part.dashes
          ? `${length} ${1 / part.dashes - length}`
          : `${length} ${1 - length}`,
      "stroke-dashoffset": part.dashes ? length / 2 : -part.from,
      "stroke-linecap": part.dashes || isWhole || length === 0 ? "butt" : "round",
    };
    const circle = group.children[index];
    for (const [key, value] of Object.entries(attributes)) {
      if (circle.getAttribute(key) !== String(value)) circle.setAttribute(key, value);
    }
  });
}
