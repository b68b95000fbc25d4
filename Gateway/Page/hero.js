// The mesh that turns slowly while there is no picture.
import { heroPoints } from "./hero-points.js";
import { meshTrails } from "./mesh.js";
import { fitCanvas } from "./viewport.js";

const TURN = 0.42; // radians to either side
const PERIOD = 14000; // milliseconds from one side and back
const FRAME = 1000 / 30;

/** Draws on a canvas while it is seen; without moving where less motion is wished. */
export function runHero(canvas) {
  const context = canvas.getContext("2d");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let isSeen = false;
  let request = 0;
  let drawnAt = -Infinity;

  const draw = (time) => {
    const area = fitCanvas(canvas);
    const turn = still.matches ? 0.3 : TURN * Math.sin((2 * Math.PI * time) / PERIOD);
    drawMesh(context, area, turn, getComputedStyle(canvas).color);
  };
  const step = (time) => {
    request = isSeen && !still.matches ? requestAnimationFrame(step) : 0;
    if (time - drawnAt < FRAME) return;
    drawnAt = time;
    draw(time);
  };
  const begin = () => {
    draw(performance.now());
    if (isSeen && !request && !still.matches) request = requestAnimationFrame(step);
  };
  new IntersectionObserver(([entry]) => {
    isSeen = entry.isIntersecting;
    if (isSeen) begin();
  }).observe(canvas);
  new ResizeObserver(begin).observe(canvas);
  still.addEventListener("change", begin);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", begin);
}

/** Points are within -1 to 1; distant lines are fainter. */
function drawMesh(context, { width, height }, turn, colour) {
  context.clearRect(0, 0, width, height);
  const scale = Math.min(width, height) * 0.46;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const points = heroPoints.map(([x, y, z]) => ({
    x: width / 2 + scale * (x * cos + z * sin),
    y: height / 2 + scale * y,
    depth: z * cos - x * sin,
  }));
  context.strokeStyle = colour;
  context.lineWidth = 0.8;
  for (const [from, to, opacity] of [
    [-2, -0.15, 0.85],
    [-0.15, 0.15, 0.55],
    [0.15, 2, 0.25],
  ]) {
    context.beginPath();
    for (const trail of meshTrails) {
      for (let index = 1; index < trail.length; index++) {
        const [a, b] = [points[trail[index - 1]], points[trail[index]]];
        const depth = (a.depth + b.depth) / 2;
        if (depth < from || depth >= to) continue;
        context.moveTo(a.x, a.y);
        context.lineTo(b.x, b.y);
      }
    }
    context.globalAlpha = opacity;
    context.stroke();
  }
  context.globalAlpha = 1;
}
