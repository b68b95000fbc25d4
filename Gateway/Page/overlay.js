// Draws what was found on a picture. Every layer is drawn twice, wide and dark, then in its colour: so it is seen on
// any picture.
import { contours, meshPoints, meshTrails } from "./mesh.js";
import { faceColour } from "./names.js";
import { FONT, drawPlates } from "./plates.js";
import { cornersOf, turnedBox } from "./turned-box.js";

const SHADE = "rgb(8 12 20 / 0.55)";
const AXES = [
  { name: "x", colour: "#ff6b5e", direction: [1, 0, 0] },
  { name: "y", colour: "#5fe08a", direction: [0, 1, 0] },
  { name: "z", colour: "#6ab0ff", direction: [0, 0, -1] },
];
const SMALL = 180; // CSS pixels of a picture that has no room for plates
/** Points of the mesh: the centres of the irises, each followed by the four of its rim. */
const IRISES = [meshPoints.rightPupil, meshPoints.leftPupil];

/**
 * Draws the faces.
 * @param {Viewport} viewport
 * @param {{width: number, height: number}} canvas Its size; a picture may fill a small part of it.
 * @param {Set<string>} layers Of boxes, mesh, contours, irises, axes, expressions, quality.
 * @param {number} chosen Index of the face that is emphasised, -1 for none.
 * @param {number} selected Index of the face whose expressions are shown while none is emphasised.
 */
export function drawFaces(context, viewport, canvas, faces, layers, chosen, selected) {
  const frames = faces.map((face) => cornersOf(turnedBox(face)).map((corner) => viewport.point(corner)));
  faces.forEach((face, index) => {
    context.save();
    context.globalAlpha = chosen < 0 || chosen === index ? 1 : 0.4;
    drawMarks(context, viewport, face, frames[index], layers, faceColour(face, index), chosen === index);
    context.restore();
  });
  // Plates last, so that no line crosses them.
  drawPlates(context, faces, frames.map(boundsOf), plateArea(viewport, canvas), layers, { chosen, selected });
}

/** Where plates may be: on the picture, unless it is too small for them. */
function plateArea({ left, top, width, height }, canvas) {
  if (width < SMALL || height < SMALL) return { left: 0, top: 0, right: canvas.width, bottom: canvas.height };
  return { left, top, right: left + width, bottom: top + height };
}

function boundsOf(corners) {
  const [across, down] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [x, y] = [Math.min(...across), Math.min(...down)];
  return { x, y, width: Math.max(...across) - x, height: Math.max(...down) - y };
}

function drawMarks(context, viewport, face, frame, layers, colour, isChosen) {
  const box = viewport.box(face.box);
  const unit = Math.max(0.6, Math.min(1.6, Math.min(box.width, box.height) / 180));
  const points = face.regions?.allPoints.map((point) => viewport.point(point));
  const region = (name) => face.regions[name].map((point) => viewport.point(point));
  if (points && layers.has("mesh")) {
    strokeAll(
      context,
      meshTrails.map((trail) => trail.map((point) => points[point])),
      0.7 * unit,
      "rgb(255 255 255 / 0.5)",
      false,
    );
  }
  if (points && layers.has("contours")) {
    const line = (contour) => contour.map((point) => points[point]);
    const brows = [
      contours.leftEyebrowTop,
      contours.leftEyebrowBottom,
      contours.rightEyebrowTop,
      contours.rightEyebrowBottom,
    ];
    strokeAll(
      context,
      [line(contours.face), region("outerLips"), region("innerLips"), region("leftEye"), region("rightEye")]
        .map(closed)
        .concat(brows.map(line)),
      1.8 * unit,
      colour,
    );
  }
  if (points && layers.has("irises")) {
    for (const centre of IRISES) drawIris(context, points[centre], points.slice(centre + 1, centre + 5), unit);
  }
  if (layers.has("boxes")) drawBox(context, frame, colour, (isChosen ? 3 : 2) * Math.min(1.2, unit));
  if (layers.has("axes") && face.pose) drawAxes(context, viewport, face, isChosen, unit);
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

/** A thin frame with strong, round corners. @param {[x, y][]} corners In their order around the frame. */
function drawBox(context, corners, colour, line) {
  const side = Math.min(lengthOf(corners[0], corners[1]), lengthOf(corners[1], corners[2]));
  const radius = Math.min(12, side / 6);
  const beside = (index, step) => {
    const [from, to] = [corners[index], corners[(index + step + 4) % 4]];
    const share = side / 5 / lengthOf(from, to);
    return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
  };
  context.beginPath();
  context.moveTo(...beside(0, 1));
  for (const index of [1, 2, 3, 0]) context.arcTo(...corners[index], ...corners[(index + 1) % 4], radius);
  context.closePath();
  stroke(context, line * 0.5, colour);
  context.beginPath();
  for (const index of [0, 1, 2, 3]) {
    const end = beside(index, 1);
    context.moveTo(...beside(index, -1));
    context.arcTo(...corners[index], ...end, radius);
    context.lineTo(...end);
  }
  stroke(context, line * 1.4, colour);
}

function lengthOf(from, to) {
  return Math.hypot(from[0] - to[0], from[1] - to[1]);
}

function drawIris(context, [x, y], rim, unit) {
  const radius = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) / 2;
  const [first, second, third, fourth] = rim;
  context.beginPath();
  context.ellipse(
    x,
    y,
    radius(first, third),
    radius(second, fourth),
    Math.atan2(first[1] - third[1], first[0] - third[0]),
    0,
    2 * Math.PI,
  );
  stroke(context, 1.6 * unit, "#ffffff");
  context.beginPath();
  context.arc(x, y, 1.4 * unit, 0, 2 * Math.PI);
  context.fillStyle = "#ffffff";
  context.fill();
}

/** The head's turn as a matrix: docs/coordinates.md, R = Rz(roll) · Ry(−yaw) · Rx(−pitch). */
export function headRotation({ yaw, pitch, roll }) {
  const [cy, sy] = angle(-yaw);
  const [cx, sx] = angle(-pitch);
  const [cz, sz] = angle(roll);
  const turned = [
    [cy, sy * sx, sy * cx],
    [0, cx, -sx],
    [-sy, cy * sx, cy * cx],
  ];
  const mix = (a, b, row, other) => row.map((value, index) => a * value + b * other[index]);
  return [mix(cz, -sz, turned[0], turned[1]), mix(sz, cz, turned[0], turned[1]), turned[2]];
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
    ...axis,
    place: rotation.map((row) => row.reduce((sum, value, index) => sum + value * axis.direction[index], 0)),
  }));
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
