// Draws what was found on a picture. Every layer is drawn twice, wide and dark, then in its colour: so it is seen on any picture.
import { hairline, meshTrails } from "./mesh.js";
import { expressionName, facePalette } from "./names.js";

const SHADE = "rgb(8 12 20 / 0.55)";
const AXES = [
  { name: "x", colour: "#ff6b5e", direction: [1, 0, 0] }, { name: "y", colour: "#5fe08a", direction: [0, 1, 0] },
  { name: "z", colour: "#6ab0ff", direction: [0, 0, -1] },
];
/** Points of the mesh: the centres of the irises, each followed by the four of its rim. */
const IRISES = [468, 473];
const FONT = '600 12px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** The colour of a face: of its id, so that it stays, or of its place in the list. */
export function faceColour(face, index) {
  return facePalette[((face.id ?? index + 1) - 1) % facePalette.length];
}

/**
 * Draws the faces.
 * @param {Viewport} viewport
 * @param {Set<string>} layers Of boxes, mesh, contours, irises, axes, expressions, quality.
 * @param {number} chosen Index of the face that is emphasised, -1 for none.
 */
export function drawFaces(context, viewport, faces, layers, chosen) {
  faces.forEach((face, index) => {
    context.save();
    context.globalAlpha = chosen < 0 || chosen === index ? 1 : 0.4;
    drawMarks(context, viewport, face, layers, faceColour(face, index), chosen === index);
    context.restore();
  });
  // Plates last, so that no line crosses them.
  const taken = [];
  const order = faces.map((_, index) => index).sort((a, b) => (b === chosen) - (a === chosen));
  for (const index of order) {
    const face = faces[index];
    context.save();
    context.globalAlpha = chosen < 0 || chosen === index ? 1 : 0.6;
    const box = viewport.box(face.box);
    if (layers.has("boxes")) drawLabel(context, box, label(face, index), faceColour(face, index), taken);
    if (layers.has("expressions") && face.blendshapes && (chosen === index || faces.length === 1)) {
      drawExpressions(context, viewport, box, face.blendshapes);
    }
    context.restore();
  }
}

function drawMarks(context, viewport, face, layers, colour, isChosen) {
  const box = viewport.box(face.box);
  const unit = Math.max(0.6, Math.min(1.6, Math.min(box.width, box.height) / 180));
  const points = face.regions?.allPoints.map((point) => viewport.point(point));
  const region = (name) => face.regions[name].map((point) => viewport.point(point));
  if (points && layers.has("mesh")) {
    strokeAll(context, meshTrails.map((trail) => trail.map((point) => points[point])), 0.7 * unit, "rgb(255 255 255 / 0.5)", false);
  }
  if (points && layers.has("contours")) {
    const oval = [...region("faceContour"), ...hairline.map((point) => points[point])];
    const brows = ["leftEyebrow", "rightEyebrow"].map(region).flatMap((edge) => [edge.slice(0, 5), edge.slice(-5)]);
    strokeAll(context, [oval, region("outerLips"), region("innerLips"), region("leftEye"), region("rightEye")].map(closed)
      .concat(brows), 1.8 * unit, colour);
  }
  if (points && layers.has("irises")) {
    for (const centre of IRISES) drawIris(context, points[centre], points.slice(centre + 1, centre + 5), unit);
  }
  if (layers.has("boxes")) drawBox(context, box, colour, (isChosen ? 3 : 2) * Math.min(1.2, unit));
  if (layers.has("axes") && face.pose) drawAxes(context, viewport, face, isChosen, unit);
  if (layers.has("quality") && face.quality) drawQuality(context, box, face.quality.overall, unit);
}

function closed(line) {
  return [...line, line[0]];
}

function strokeAll(context, lines, width, colour, isShaded = true) {
  context.beginPath();
  for (const line of lines) line.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  stroke(context, width, colour, isShaded);
}

function stroke(context, width, colour, isShaded = true) {
  context.lineJoin = context.lineCap = "round";
  if (isShaded) {
    context.lineWidth = width + 1.6;
    context.strokeStyle = SHADE;
    context.stroke();
  }
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}

/** A thin frame with strong corners. */
function drawBox(context, { x, y, width, height }, colour, line) {
  const corner = Math.min(12, Math.min(width, height) / 6);
  context.beginPath();
  context.roundRect(x, y, width, height, corner);
  stroke(context, line * 0.5, colour);
  const arm = Math.min(width, height) / 5;
  context.beginPath();
  for (const [cornerX, cornerY, right, down] of [
    [x, y, 1, 1], [x + width, y, -1, 1], [x + width, y + height, -1, -1], [x, y + height, 1, -1]]) {
    context.moveTo(cornerX, cornerY + down * arm);
    context.arcTo(cornerX, cornerY, cornerX + right * arm, cornerY, corner);
    context.lineTo(cornerX + right * arm, cornerY);
  }
  stroke(context, line * 1.4, colour);
}

function drawIris(context, [x, y], rim, unit) {
  const radius = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) / 2;
  const [first, second, third, fourth] = rim;
  context.beginPath();
  context.ellipse(
    x, y, radius(first, third), radius(second, fourth), Math.atan2(first[1] - third[1], first[0] - third[0]), 0, 2 * Math.PI);
  stroke(context, 1.6 * unit, "#ffffff");
  context.beginPath();
  context.arc(x, y, 1.4 * unit, 0, 2 * Math.PI);
  context.fillStyle = "#ffffff";
  context.fill();
}

/** The head's turn as a matrix: docs/coordinates.md, R = Ry(−yaw) · Rx(−pitch) · Rz(roll). */
export function headRotation({ yaw, pitch, roll }) {
  const [cy, sy] = angle(-yaw);
  const [cx, sx] = angle(-pitch);
  const [cz, sz] = angle(roll);
  const tilted = [[cz, -sz, 0], [cx * sz, cx * cz, -sx], [sx * sz, sx * cz, cx]];
  const mix = (a, b, row, other) => row.map((value, index) => a * value + b * other[index]);
  return [mix(cy, sy, tilted[0], tilted[2]), tilted[1], mix(cy, -sy, tilted[2], tilted[0])];
}

function angle(degrees) {
  return [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
}

function drawAxes(context, viewport, face, isNamed, unit) {
  const rotation = headRotation(face.pose);
  const { box } = face;
  const [originX, originY] = face.points?.noseTip ?? [box.x + box.width / 2, box.y + box.height / 2];
  const length = (box.width + box.height) / 4;
  const ends = AXES.map((axis) => ({
    ...axis, place: rotation.map((row) => row.reduce((sum, value, index) => sum + value * axis.direction[index], 0)) }));
  ends.sort((a, b) => b.place[2] - a.place[2]);
  for (const { name, colour, place } of ends) {
    const start = viewport.point([originX, originY]);
    const end = viewport.point([originX + length * place[0], originY + length * place[1]]);
    strokeAll(context, [[start, end]], 2.6 * unit, colour);
    context.beginPath();
    context.arc(...end, 3 * unit, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    if (!isNamed) continue;
    context.font = FONT;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.strokeStyle = SHADE;
    const away = Math.hypot(end[0] - start[0], end[1] - start[1]) || 1;
    const at = [end[0] + ((end[0] - start[0]) / away) * 12, end[1] + ((end[1] - start[1]) / away) * 12];
    context.strokeText(name, ...at);
    context.fillText(name, ...at);
  }
}

/** A ring at the box's lower right corner that is as full as the quality is good, with the number in it. */
function drawQuality(context, box, value, unit) {
  const radius = Math.max(13, 17 * unit);
  const [x, y] = [box.x + box.width, box.y + box.height];
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = "rgb(8 12 20 / 0.82)";
  context.fill();
  context.beginPath();
  context.arc(x, y, radius - 2.5, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * value);
  context.lineWidth = 3;
  context.lineCap = "round";
  context.strokeStyle = "#ffffff";
  context.stroke();
  context.fillStyle = "#ffffff";
  context.font = FONT.replace("12px", `${Math.round(Math.max(10, radius * 0.68))}px`);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(String(Math.round(value * 100)), x, y + 0.5);
}

function label(face, index) {
  return `${face.id ?? index + 1}  ${Math.round(face.confidence * 100)}%`;
}

/** A plate above the box, or in it at the picture's edge, and beside others. */
function drawLabel(context, box, text, colour, taken) {
  context.font = FONT;
  const width = context.measureText(text).width + 14;
  const place = { x: Math.max(2, box.x), y: box.y - 26 > 2 ? box.y - 26 : Math.max(2, box.y) + 5, width, height: 20 };
  if (place.y > box.y) place.x += 6;
  const meets = (other) =>
    place.x < other.x + other.width && other.x < place.x + place.width && place.y < other.y + other.height &&
    other.y < place.y + place.height;
  for (let tries = 0; tries < 3; tries++) {
    const other = taken.find(meets);
    if (other) place.y = other.y - place.height - 3;
  }
  taken.push(place);
  context.beginPath();
  context.roundRect(place.x, place.y, place.width, place.height, 10);
  context.fillStyle = colour;
  context.fill();
  context.fillStyle = "#0b0f18";
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(text, place.x + 7, place.y + place.height / 2 + 0.5);
}

/** The strongest expressions beside the box, where there is room. */
function drawExpressions(context, viewport, box, blendshapes) {
  const rows = strongest(blendshapes, 6);
  const size = { width: 168, height: rows.length * 20 + 14 };
  const right = box.x + box.width + 24;
  const left = box.x - 24 - size.width;
  const end = viewport.left + viewport.width;
  const x = right + size.width < end ? right : left > viewport.left ? left : undefined;
  if (x === undefined) return;
  const y = Math.max(viewport.top + 8, Math.min(box.y, viewport.top + viewport.height - size.height - 8));
  context.beginPath();
  context.roundRect(x, y, size.width, size.height, 10);
  context.fillStyle = "rgb(8 12 20 / 0.72)";
  context.fill();
  context.font = FONT.replace("600 12px", "500 11px");
  context.textBaseline = "middle";
  context.textAlign = "left";
  rows.forEach(([name, value], index) => {
    const middle = y + 17 + index * 20;
    context.fillStyle = "#ffffff";
    context.fillText(expressionName(name), x + 10, middle - 3, size.width - 20);
    for (const [width, colour] of [[size.width - 20, "rgb(255 255 255 / 0.22)"], [(size.width - 20) * value, "#ffffff"]]) {
      context.beginPath();
      context.roundRect(x + 10, middle + 5, Math.max(0, width), 3, 1.5);
      context.fillStyle = colour;
      context.fill();
    }
  });
}

/** The expressions with the largest coefficients: [name, value] each. */
export function strongest(blendshapes, count) {
  return Object.entries(blendshapes).filter(([name]) => name !== "_neutral").sort((a, b) => b[1] - a[1]).slice(0, count);
}
