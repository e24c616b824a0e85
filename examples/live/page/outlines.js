// The outlines of states and counties on the map: arcs of borders, which neighbors share, and parts of regions, made of them.

const LATITUDE_MAX = 85, RADIANS = Math.PI / 180;

const mercator = (latitude) =>
  Math.asinh(Math.tan(Math.max(-LATITUDE_MAX, Math.min(LATITUDE_MAX, latitude)) * RADIANS)) / RADIANS;

export class Outlines {
  /** Reads the file: `examples/airspace/src/outlines.rs` has its format. */
  constructor(buffer) {
    const bytes = new Uint8Array(buffer), head = new DataView(buffer);
    const [scaleX, scaleY, left, bottom] = [0, 8, 16, 24].map((at) => head.getFloat64(at, true));
    let at = 32;
    const whole = () => {
      let number = 0, shift = 0, byte;
      do {
        byte = bytes[at++];
        number |= (byte & 0x7f) << shift;
        shift += 7;
      } while (byte & 0x80);
      return number;
    };
    const signed = () => {
      const number = whole();
      return number & 1 ? ~(number >> 1) : number >> 1;
    };
    const list = (read) => Array.from({ length: whole() }, (_, place) => read(place));
    let [x, y] = [0, 0];
    // Each as x, y, x, y, …
    this.arcs = list(() => Float64Array.from(list(() => {
      x += signed();
      y += signed();
      return [left + x * scaleX, mercator(bottom + y * scaleY)];
    }).flat()));
    this.bounds = this.arcs.map(boundsOf);
    // Of each part its region and its rings; of a ring twice the numbers of its arcs, and 1 more for an arc backwards.
    this.parts = list((region) => list(() => ({ region, rings: list(() => {
      let last = 0;
      return list(() => last += signed());
    }) }))).flat();
    this.labels = new Map();
  }

  /** Where the names of these regions belong: the middle of the largest part. */
  label(names) {
    const largest = new Map();
    this.parts.forEach(({ region, rings }, part) => {
      if (names.length <= region) return;
      const label = { part, name: names[region], ...middle(this.corners(rings[0])) };
      if (!(label.area < largest.get(region)?.area)) largest.set(region, label);
    });
    this.labels = new Map([...largest.values()].map((label) => [label.part, label]));
  }

  /** The corners of a ring. */
  corners(ring) {
    const corners = [];
    for (const number of ring) {
      const arc = this.arcs[number >> 1], count = arc.length / 2;
      for (let step = 0; step + 1 < count; step++) {
        const corner = number & 1 ? count - 1 - step : step;
        corners.push([arc[2 * corner], arc[2 * corner + 1]]);
      }
    }
    return corners;
  }
}

function boundsOf(arc) {
  const bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < arc.length; at++) {
    bounds[at % 2] = Math.min(bounds[at % 2], arc[at]);
    bounds[2 + at % 2] = Math.max(bounds[2 + at % 2], arc[at]);
  }
  return bounds;
}

/** The center of mass of a ring, its area, and how wide it is. */
function middle(corners) {
  let [area, x, y, low, high] = [0, 0, 0, Infinity, -Infinity];
  corners.forEach(([ax, ay], at) => {
    const [bx, by] = corners[(at + 1) % corners.length], cross = ax * by - bx * ay;
    area += cross;
    x += (ax + bx) * cross;
    y += (ay + by) * cross;
    [low, high] = [Math.min(low, ax), Math.max(high, ax)];
  });
  return { area: Math.abs(area), at: [x / (3 * area), y / (3 * area)], width: high - low };
}
