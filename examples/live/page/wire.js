// Frames, read in place. After each tick the server and this page hold the same lists.

export const LAYERS = ["aircraft", "airports", "counties", "states"];
const LIST = 1, CROWD = 2, ZONE = 3, CELLS = 4, OFF = 5;
const FRESH = 1, CROWDED = 2, UNFINISHED = 4;

/** Points that move, in ascending order of their numbers: parallel lists, because the server sends places in this order. */
class Moving {
  constructor() {
    this.clear();
  }

  clear() {
    this.count = 0;
    this.reserve(1024);
  }

  reserve(count) {
    this.ids = new Uint32Array(count);
    this.numbers = new Uint32Array(count);
    this.routes = new Uint32Array(count);
    this.x = new Float32Array(count);
    this.y = new Float32Array(count);
    this.oldX = new Float32Array(count);
    this.oldY = new Float32Array(count);
    // The direction of the last moves.
    this.east = new Float32Array(count);
    this.north = new Float32Array(count);
    // Whether they are in the zone.
    this.lit = new Uint8Array(count);
  }

  /** Takes out those who have left, and puts those who have entered into their places. */
  change(left, entered) {
    const enteredCount = entered.length / 3;
    if (left.length + enteredCount === 0) return;
    const old = { ...this };
    this.count = old.count - left.length + enteredCount;
    this.reserve(Math.max(1024, this.count));
    let from = 0, gone = 0, come = 0;
    for (let to = 0; to < this.count; to++) {
      while (from < old.count && gone < left.length && old.ids[from] === left[gone]) { from++; gone++; }
      if (come < enteredCount && (from === old.count || entered[3 * come] < old.ids[from])) {
        this.ids[to] = entered[3 * come];
        this.numbers[to] = entered[3 * come + 1];
        this.routes[to] = entered[3 * come + 2];
        this.x[to] = this.y[to] = this.oldX[to] = this.oldY[to] = NaN;
        come++;
      } else {
        for (const list of ["ids", "numbers", "routes", "x", "y", "oldX", "oldY", "east", "north"]) this[list][to] = old[list][from];
        from++;
      }
    }
  }

  /** Takes the places of all, as steps within a box. */
  place(steps, [left, bottom, right, top]) {
    const width = (right - left) / 65535, height = (top - bottom) / 65535;
    for (let at = 0; at < this.count; at++) {
      const x = left + (steps[at] & 0xffff) * width, y = bottom + (steps[at] >>> 16) * height;
      const isNew = Number.isNaN(this.x[at]);
      this.oldX[at] = isNew ? x : this.x[at];
      this.oldY[at] = isNew ? y : this.y[at];
      this.east[at] = 0.8 * this.east[at] + x - this.oldX[at];
      this.north[at] = 0.8 * this.north[at] + y - this.oldY[at];
      this.x[at] = x;
      this.y[at] = y;
    }
  }

  /** Marks the members of the zone. */
  light(members) {
    this.lit.fill(0);
    for (const id of members.keys()) {
      const at = this.find(id);
      if (at >= 0) this.lit[at] = 1;
    }
  }

  /** Where one is in the lists, or -1. */
  find(id) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ids[middle] < id) low = middle + 1; else high = middle;
    }
    return low < this.count && this.ids[low] === id ? low : -1;
  }
}

/** All that the server has sent about this view. */
export class Mirror {
  constructor() {
    this.tick = 0;
    this.minute = 0;
    this.airborne = 0;
    this.view = [0, 0, 1, 1];
    this.aircraft = new Moving();
    // Objects that stand still, by their numbers on the wire: an airport as [number, x, y], a part of a region as [number].
    this.standing = [null, new Map(), new Map(), new Map()];
    this.crowds = [null, null, null, null];
    // Members by their numbers on the wire: the word of their airports, and which flight between them they are.
    this.zone = { number: 0, count: 0, members: new Map(), crowded: false, unfinished: false, came: 0, gone: 0, ticks: 1 };
    this.cells = new Float32Array(0);
    this.cellCounts = new Uint32Array(0);
    // Whether what stands still has changed since it was drawn.
    this.redraw = true;
  }

  /** Follows a frame. */
  follow(buffer) {
    const words = new Uint32Array(buffer), floats = new Float32Array(buffer), head = new DataView(buffer);
    this.tick = words[0];
    this.minute = floats[1];
    this.airborne = words[2];
    this.view = Array.from(floats.subarray(4, 8));
    let at = 8;
    for (let section = 0; section < words[3]; section++) {
      const kind = head.getUint8(4 * at), layer = head.getUint8(4 * at + 1), flags = head.getUint16(4 * at + 2, true);
      const end = at + 2 + words[at + 1] / 4;
      this.section(kind, layer, flags, words.subarray(at + 2, end), floats.subarray(at + 2, end));
      at = end;
    }
    this.aircraft.light(this.zone.members);
  }

  section(kind, layer, flags, words, floats) {
    if (kind === LIST && layer === 0) this.listMoving(flags, words);
    else if (kind === LIST) this.listStanding(layer, flags, words, floats);
    else if (kind === CROWD) this.crowd(layer, words, floats);
    else if (kind === ZONE) this.followZone(flags, words);
    else if (kind === CELLS) [this.cells, this.cellCounts] = [floats.slice(1), words.slice(1)];
    else if (kind === OFF) this.off(layer);
  }

  listMoving(flags, words) {
    this.crowds[0] = null;
    if (flags & FRESH) this.aircraft.clear();
    const [left, entered, places] = words;
    const enter = 3 + left, place = enter + 3 * entered;
    this.aircraft.change(words.subarray(3, enter), words.subarray(enter, place));
    this.aircraft.place(words.subarray(place, place + places), this.view);
  }

  listStanding(layer, flags, words, floats) {
    const objects = this.standing[layer];
    this.crowds[layer] = null;
    this.redraw = true;
    if (flags & FRESH) objects.clear();
    const [left, entered] = words;
    for (let at = 3; at < 3 + left; at++) objects.delete(words[at]);
    const size = layer === 1 ? 4 : 2;
    for (let at = 3 + left; at < 3 + left + size * entered; at += size) {
      objects.set(words[at], [words[at + 1], ...floats.subarray(at + 2, at + size)]);
    }
  }

  crowd(layer, words, floats) {
    const before = this.crowds[layer], [count, , length, gone] = words, side = floats[1];
    const [left, bottom, right, top] = this.view, width = (right - left) / 65535, height = (top - bottom) / 65535;
    const known = new Map(before?.side === side ? before.clusters.map((cluster) => [cluster.number, cluster]) : []);
    const clusters = Array.from({ length }, (_, cluster) => {
      const [number, parent, count, mean] = words.subarray(4 + 4 * cluster), at = [left + (mean & 0xffff) * width, bottom + (mean >>> 16) * height];
      // Of another size they come out of those that were there.
      const from = known.get(number) ?? known.get(parent) ?? (before?.clusters.length > 0 && before.side !== side ? nearest(before.clusters, at) : null);
      return { number, count, at, from: from?.at };
    });
    const now = new Map(clusters.map((cluster) => [cluster.number, cluster])), merged = [];
    for (let at = 4 + 4 * length; at < 4 + 4 * length + 2 * gone; at += 2) {
      const [old, into] = [known.get(words[at]), now.get(words[at + 1])];
      if (old && into) merged.push({ count: old.count, from: old.at, at: into.at });
    }
    this.off(layer);
    this.crowds[layer] = { count, side, clusters, merged, since: performance.now() };
  }

  followZone(flags, words) {
    const [number, count, left, entered, ticks] = words;
    const zone = this.zone;
    if (flags & (FRESH | CROWDED)) zone.members.clear();
    const enter = 5 + left;
    for (let at = 5; at < enter; at++) zone.members.delete(words[at]);
    for (let at = enter; at < enter + 4 * entered; at += 4) zone.members.set(words[at], [words[at + 2], words[at + 3]]);
    const [crowded, unfinished] = [CROWDED, UNFINISHED].map((flag) => (flags & flag) !== 0);
    Object.assign(zone, { number, count, crowded, unfinished, ticks });
    // Of a list that begins anew nobody has entered.
    if (flags === 0) Object.assign(zone, { came: zone.came + entered, gone: zone.gone + left });
  }

  off(layer) {
    this.crowds[layer] = null;
    if (layer === 0) return this.aircraft.clear();
    this.redraw = true;
    this.standing[layer].clear();
  }
}

function nearest(clusters, [x, y]) {
  const far = ({ at }) => (at[0] - x) ** 2 + (at[1] - y) ** 2;
  return clusters.reduce((best, cluster) => (far(cluster) < far(best) ? cluster : best));
}
