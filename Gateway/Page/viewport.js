// Where a picture is on a canvas.

/** Places a picture of a size in the middle of an area, as large as it fits, and maps between the two. */
export class Viewport {
  /** Sizes as {width, height}: the area's in CSS pixels. @param {boolean} mirrored Left and right are exchanged, as in
     a mirror. */
  constructor(picture, area, mirrored = false) {
    this.picture = picture;
    this.mirrored = mirrored;
    this.scale = Math.min(area.width / picture.width, area.height / picture.height);
    this.width = picture.width * this.scale;
    this.height = picture.height * this.scale;
    this.left = (area.width - this.width) / 2;
    this.top = (area.height - this.height) / 2;
  }

  /** The place of a picture's point [x, y] on the canvas. */
  point([x, y]) {
    return [this.left + (this.mirrored ? this.picture.width - x : x) * this.scale, this.top + y * this.scale];
  }

  /** The picture's point at a place [x, y] of the canvas. */
  pointOf([x, y]) {
    const across = (x - this.left) / this.scale;
    return [this.mirrored ? this.picture.width - across : across, (y - this.top) / this.scale];
  }

  /** The place of a box on the canvas. */
  box({ x, y, width, height }) {
    const [left, top] = this.point([this.mirrored ? x + width : x, y]);
    return { x: left, y: top, width: width * this.scale, height: height * this.scale };
  }

  /**
   * Draws the picture, which may be larger or smaller than what was analysed.
   * @param {boolean} isFast For one of many frames, in half the time.
   */
  draw(context, image, isFast = false) {
    context.save();
    context.translate(this.mirrored ? this.left + this.width : this.left, this.top);
    context.scale(this.mirrored ? -1 : 1, 1);
    context.imageSmoothingQuality = isFast ? "low" : "high";
    context.drawImage(image, 0, 0, this.width, this.height);
    context.restore();
  }
}

/** Fits a canvas's pixels to its place on the screen. Returns that place's size in CSS pixels, and how many pixels each
   has. */
export function fitCanvas(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  const size = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  return { width, height };
}
