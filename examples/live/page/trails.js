// Aircraft as light, each with a trail behind it: pixels set by this code, since a canvas takes ten times as long for so many lines.

/** Pixels at most: sharper screens show each as several of theirs. */
const PIXELS_MAX = 1_600_000, SHARPNESS_MAX = 2;
/** How many ticks of its way a trail is long, and how many pixels of the page at most. */
const TICKS = 16, LENGTH_MAX = 40;
/** Of `east` and `north`: the part of them that is one tick. */
const TICK = 0.2;
/** Blue, green and red, and how much light a pixel of the trail begins with. */
const GOLD = 0xa3e3ff, ALARM = 0x7054ff, TRAIL = 130;

export class Trails {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.context = this.canvas.getContext("2d");
    this.areShown = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  resize(width, height) {
    this.sharp = Math.min(SHARPNESS_MAX, window.devicePixelRatio || 1, Math.sqrt(PIXELS_MAX / (width * height || 1)));
    this.canvas.width = Math.max(1, Math.round(width * this.sharp));
    this.canvas.height = Math.max(1, Math.round(height * this.sharp));
    this.image = this.context.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  /** Draws all, a part of a tick after their last place but one. `heads`: also the aircraft themselves. */
  draw(aircraft, { center, scale, width, height }, part, heads) {
    const { pixels, sharp } = this, columns = this.canvas.width, rows = this.canvas.height;
    const { x, y, oldX, oldY, east, north, lit, count } = aircraft;
    const unit = scale * sharp, x0 = (width / 2 - center[0] * scale) * sharp, y0 = (height / 2 + center[1] * scale) * sharp;
    const longest = LENGTH_MAX * sharp, margin = longest + 2;
    pixels.fill(0);
    for (let at = 0; at < count; at++) {
      const px = x0 + (oldX[at] + (x[at] - oldX[at]) * part) * unit, py = y0 - (oldY[at] + (y[at] - oldY[at]) * part) * unit;
      if (!(-margin < px && px < columns + margin && -margin < py && py < rows + margin)) continue;
      const color = lit[at] ? ALARM : GOLD;
      const speed = Math.hypot(east[at], north[at]), steps = Math.min(longest, speed * TICK * TICKS * unit) | 0;
      if (this.areShown && steps > 1) {
        const right = -east[at] / speed, down = north[at] / speed, fade = TRAIL / steps;
        for (let step = 1; step < steps; step++) {
          const column = (px + right * step) | 0, row = (py + down * step) | 0;
          if (column < 0 || columns <= column || row < 0 || rows <= row) continue;
          const place = row * columns + column, light = Math.min(255, (pixels[place] >>> 24) + fade * (steps - step));
          pixels[place] = light << 24 | color;
        }
      }
      const column = px | 0, row = py | 0, size = sharp < 1.5 ? 2 : 3;
      if (!heads || px < 0 || py < 0 || columns < column + size || rows < row + size) continue;
      for (let across = 0; across < size; across++) {
        for (let along = 0; along < size; along++) pixels[(row + along) * columns + column + across] = 0xff000000 | color;
      }
    }
    this.context.putImageData(this.image, 0, 0);
    return this.canvas;
  }
}
