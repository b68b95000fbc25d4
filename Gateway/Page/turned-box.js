// The box of a face whose head is tilted: turned as the head is.

const LEVEL = 2; // degrees up to which a box stays upright, so that it does not tremble
const TILTED = 8; // degrees from which it is turned as far as the head
const MARGIN = 0.03; // around the mesh, as a share of its size
const RADIANS = Math.PI / 180;

/** How far a head is tilted, in degrees clockwise: of its pose, else of the line through its eyes. */
function tiltOf({ pose, points }) {
  if (pose) return pose.roll;
  if (!points?.leftEye || !points.rightEye) return 0;
  const [[leftX, leftY], [rightX, rightY]] = [points.leftEye, points.rightEye]; // its own left is the picture's right
  return Math.atan2(leftY - rightY, leftX - rightX) / RADIANS;
}

/**
 * The box that is drawn for a face: {x, y, width, height, turn}, its centre, its size and radians clockwise. The
 * engine's own box for an upright head. For a tilted one it encloses the mesh, where there is one; else it is of the
 * size that has the engine's box around it.
 */
export function turnedBox(face) {
  const { box } = face;
  const tilt = tiltOf(face);
  const share = Math.max(0, Math.min(1, (Math.abs(tilt) - LEVEL) / (TILTED - LEVEL)));
  const turned = share * share * (3 - 2 * share); // without a jump
  const centre = [box.x + box.width / 2, box.y + box.height / 2];
  const upright = { x: centre[0], y: centre[1], width: box.width, height: box.height, turn: 0 };
  if (turned === 0) return upright;
  const turn = tilt * RADIANS * turned;
  const mesh = face.regions?.allPoints;
  if (!mesh?.length) return { ...upright, ...sizeWithin(box, turn), turn };
  const around = extentOf(mesh, centre, turn);
  const edge = (own, meshes) => own + (meshes - own) * turned;
  const [left, right] = [edge(-box.width / 2, around.left), edge(box.width / 2, around.right)];
  const [top, bottom] = [edge(-box.height / 2, around.top), edge(box.height / 2, around.bottom)];
  const [x, y] = rotated([(left + right) / 2, (top + bottom) / 2], turn);
  return { x: centre[0] + x, y: centre[1] + y, width: right - left, height: bottom - top, turn };
}

/** The corners of a turned box as [x, y], clockwise from the upper left one of the upright face. */
export function cornersOf({ x, y, width, height, turn }) {
  return [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([right, down]) => {
    const [across, along] = rotated([(right * width) / 2, (down * height) / 2], turn);
    return [x + across, y + along];
  });
}

/** Whether a point [x, y] is in a turned box. */
export function isInBox({ x, y, width, height, turn }, [pointX, pointY]) {
  const [across, along] = rotated([pointX - x, pointY - y], -turn);
  return Math.abs(across) <= width / 2 && Math.abs(along) <= height / 2;
}

function rotated([x, y], angle) {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return [x * cos - y * sin, x * sin + y * cos];
}

/** From where to where points reach, seen from a centre along axes that are turned, with a margin. */
function extentOf(points, [centreX, centreY], turn) {
  const extent = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const [x, y] of points) {
    const [across, along] = rotated([x - centreX, y - centreY], -turn);
    extent.left = Math.min(extent.left, across);
    extent.right = Math.max(extent.right, across);
    extent.top = Math.min(extent.top, along);
    extent.bottom = Math.max(extent.bottom, along);
  }
  const [sideways, upright] = [MARGIN * (extent.right - extent.left), MARGIN * (extent.bottom - extent.top)];
  return {
    left: extent.left - sideways,
    right: extent.right + sideways,
    top: extent.top - upright,
    bottom: extent.bottom + upright,
  };
}

/** The size of a turned box that an upright one has around it. Between the two, its sides approach each other's
   length. */
function sizeWithin({ width, height }, turn) {
  const [sin, cos] = [Math.abs(Math.sin(turn)), Math.abs(Math.cos(turn))];
  const aspect = (width * cos * cos + height * sin * sin) / (height * cos * cos + width * sin * sin);
  const tall = (width + height) / ((sin + cos) * (1 + aspect));
  return { width: aspect * tall, height: tall };
}
