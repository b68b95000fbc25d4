// Plates with words at the faces: none covers another one, nor a face that it does not name, nor is nearer to such a
// face.
import { expressionName, faceColour, faceName, faceNumber, outOf100, strongest } from "./names.js";

export const FONT = '600 12px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const DARK = "rgb(8 12 20 / 0.82)";
const GAP = 2; // CSS pixels between a box and its plate
const LARGE = { words: 3, number: 1.4 }; // a box so many times as wide and high as a plate has room for it within

/**
 * Draws the plates of faces: the names, then the qualities, then one face's expressions. Where not all have room for
 * words, all have numbers only. A face without room for its number has none until it is pointed at; if one has no room
 * for its quality, only the face whose numbers are shown has it.
 * @param {{x, y, width, height}[]} boxes Of the faces on the canvas.
 * @param {{left, top, right, bottom}} area Where plates may be.
 * @param {{chosen: number, selected: number}} looked As `drawFaces` has them.
 */
export function drawPlates(context, faces, boxes, area, layers, { chosen, selected }) {
  const looked = chosen < 0 ? selected : chosen;
  const room = { boxes, area, taken: [], looked, forced: faces.length === 1 ? 0 : chosen };
  context.save();
  context.font = FONT;
  context.textBaseline = "middle";
  const words = (textOf, margin, height) =>
    faces.map((face, index) => {
      const text = textOf(face, index);
      return text && { index, text, indent: margin / 2, width: context.measureText(text).width + margin, height };
    });
  const each = (found, draw) =>
    found.forEach((one) => {
      context.globalAlpha = chosen < 0 || chosen === one.index ? 1 : 0.6;
      draw(one);
    });
  if (layers.has("boxes")) {
    const forms = [words(faceName, 14, 20), words((...face) => String(faceNumber(...face)), 10, 20)];
    each(arrange(forms, placesOfName, room), (one) => drawName(context, one, faceColour(faces[one.index], one.index)));
  }
  if (layers.has("quality")) {
    const quality = ({ quality }) => quality && String(Math.round(quality.overall * 100));
    const forms = [
      words((face) => face.quality && `Quality ${outOf100(face.quality.overall)}`, 36, 24),
      words(quality, 14, 20),
    ];
    each(arrange(forms, placesOfQuality, room, true), (one) =>
      drawQuality(context, one, faces[one.index].quality.overall),
    );
  }
  if (layers.has("expressions") && faces[looked]?.blendshapes) {
    context.globalAlpha = 1;
    drawExpressions(context, faces[looked], looked, room);
  }
  context.restore();
}

// ---- Places

function placesOfName(box, { width, height }) {
  const [above, below, right] = [box.y - height - GAP, box.y + box.height + GAP, box.x + box.width - width];
  return [
    [box.x, above],
    [right, above],
    [box.x, below],
    [right, below],
    [box.x, box.y],
    [right, box.y],
    [box.x, box.y + box.height - height],
  ];
}

function placesOfQuality(box, { width, height }) {
  const [right, end] = [box.x + box.width - width, box.y + box.height];
  return [
    [right, end + GAP],
    [box.x, end + GAP],
    [right - GAP, end - height - GAP],
  ];
}

/**
 * The first of the forms for which each face has room, with a `place` each, which is taken then; of the last one those
 * that have room.
 * @param {({index, text, width, height} | undefined)[][]} forms Of the plates of all faces, the longest first.
 * @param {boolean} [isAllOrOne] If one has no room, only the face that is looked at has a plate.
 */
function arrange(forms, placesFor, room, isAllOrOne = false) {
  let found = [];
  for (const form of forms) {
    const taken = [...room.taken];
    const plates = form.filter(Boolean).sort((a, b) => (b.index === room.forced) - (a.index === room.forced));
    const share = form === forms.at(-1) ? LARGE.number : LARGE.words;
    found = plates.map((one) => ({ ...one, place: placeOf(one, placesFor, { ...room, taken }, share) }));
    if (found.every(({ place }) => place)) break;
  }
  if (isAllOrOne && !found.every(({ place }) => place)) {
    return arrange(
      forms.map((form) => form.filter((one) => one?.index === room.looked)),
      placesFor,
      room,
    );
  }
  found = found.filter(({ place }) => place);
  room.taken.push(...found.map(({ place }) => place));
  return found;
}

/**
 * Where a plate covers nothing and is not near another face; if need be, within the face's own box, if that is `share`
 * times as large. A face that is pointed at, or alone, always has a place.
 */
function placeOf({ index, width, height }, placesFor, { boxes, area, taken, forced }, share) {
  const box = boxes[index];
  const size = { width, height };
  const others = boxes.filter((_, other) => other !== index);
  const places = placesIn(area, size, placesFor(box, size));
  const isLarge = box.width > share * width && box.height > share * height;
  const within = places.filter((place) => overlap(box, place) > 0.99 * width * height);
  let found = freest(places, [box, ...others.map(withRoom), ...taken]);
  if (found.covered > 0 && (isLarge || index === forced))
    found = freest(within.length > 0 ? within : places, [...others, ...taken]);
  const { place, covered } = found;
  if (covered > 0 && index !== forced) return undefined;
  taken.push(place);
  return place;
}

/** Places [x, y] as {x, y, width, height}, moved into the area. */
function placesIn(area, { width, height }, places) {
  const within = (value, from, to) => Math.max(from + 4, Math.min(value, to - 4));
  return places.map(([x, y]) => ({
    x: within(x, area.left, area.right - width),
    y: within(y, area.top, area.bottom - height),
    width,
    height,
  }));
}

/** A box with the room around it in which a plate would be taken for its own. */
function withRoom({ x, y, width, height }) {
  return { x: x - 3 * GAP, y: y - 3 * GAP, width: width + 6 * GAP, height: height + 6 * GAP };
}

/** The first of the places that covers least. */
function freest(places, obstacles) {
  const all = places.map((place) => ({
    place,
    covered: obstacles.reduce((sum, other) => sum + overlap(other, place), 0),
  }));
  return all.reduce((best, one) => (one.covered < best.covered ? one : best));
}

/** The area that two boxes share. */
function overlap(a, b) {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}

// ---- Drawing

function drawName(context, { text, indent, place }, colour) {
  plate(context, place, 10, colour);
  write(context, text, place, indent, "#0b0f18");
}

/** Words have a ring that is as full as the quality is good. */
function drawQuality(context, { text, place }, value) {
  plate(context, place, 12, DARK);
  const isRinged = place.height > 20;
  write(context, text, place, isRinged ? 27 : 7, "#ffffff");
  for (const [share, colour] of isRinged
    ? [
        [1, "rgb(255 255 255 / 0.28)"],
        [value, "#ffffff"],
      ]
    : []) {
    context.beginPath();
    context.arc(place.x + 14, place.y + 12, 6, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
    context.lineWidth = 3;
    context.lineCap = "butt";
    context.strokeStyle = colour;
    context.stroke();
  }
}

/** The strongest expressions beside the face; on a small screen fewer of them, where they cover least of it. */
function drawExpressions(context, { blendshapes }, index, { boxes, area, taken }) {
  const box = boxes[index];
  const isNarrow = area.right - area.left < 480 || area.bottom - area.top < 300;
  const rows = strongest(blendshapes, isNarrow ? 4 : 6);
  const size = { width: isNarrow ? 140 : 168, height: rows.length * 20 + 14 };
  const [left, right] = [box.x - 24 - size.width, box.x + box.width + 24];
  const [edge, end] = [area.left + 8, area.right - size.width - 8];
  const [top, bottom] = [area.top + 8, area.bottom - size.height - 8];
  const places = [
    [right, box.y],
    [left, box.y],
    [end, box.y],
    [edge, box.y],
    [end, bottom],
    [edge, bottom],
    [end, top],
    [edge, top],
  ];
  const { x, y } = freest(placesIn(area, size, places), [...boxes, ...taken]).place;
  plate(context, { x, y, ...size }, 10, "rgb(8 12 20 / 0.72)");
  context.font = FONT.replace("600 12px", "500 11px");
  rows.forEach(([name, value], index) => {
    const middle = y + 17 + index * 20;
    context.fillStyle = "#ffffff";
    context.fillText(expressionName(name), x + 10, middle - 3, size.width - 20);
    for (const [width, colour] of [
      [size.width - 20, "rgb(255 255 255 / 0.22)"],
      [(size.width - 20) * value, "#ffffff"],
    ]) {
      plate(context, { x: x + 10, y: middle + 5, width: Math.max(0, width), height: 3 }, 1.5, colour);
    }
  });
}

function plate(context, { x, y, width, height }, radius, colour) {
  context.beginPath();
  context.roundRect(x, y, width, height, radius);
  context.fillStyle = colour;
  context.fill();
}

function write(context, text, place, indent, colour) {
  context.textAlign = "left";
  context.fillStyle = colour;
  context.fillText(text, place.x + indent, place.y + place.height / 2 + 0.5);
}
