// The map: where it looks, and how it is drawn. It asks the server for nothing.

import { Room, boxOf, settle, shrink } from "/labels.js";
import { Trails } from "/trails.js";

const COLORS = { land: "#7ea2ff12", stone: "#7ea2ff", paper: "#dfe8ff", gold: "#ffe3a3", tree: "#2dd4bf", alarm: "#ff5470" };
const LETTERS = "11px system-ui, 'DejaVu Sans', sans-serif";
/** Half of the height of a line of them, in pixels, and the room around what is written. */
const LINE = 7, GAP = 4;
/** The radius of the largest circle, in pixels, and in sides of cells at most. */
const CIRCLE = 26, SHARE = 0.3;
/** Of each this many square pixels of the map an airport has its code, though it be none of the busiest. */
const AREA = 10_000;
/** Fewer aircraft are drawn as arrows. */
const ARROWS_MAX = 2000;
/** On the first view so many pixels are as long as the square to be shown. */
const OPENING = 1000;
/** Milliseconds in which clusters are split. */
const SPLIT = 300;
const short = (count) => (count < 1000 ? String(count) : count < 9950 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`);

export class Map2D {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.still = document.createElement("canvas");
    this.labels = document.createElement("canvas");
    this.trails = new Trails();
    // The country, once it is loaded.
    this.outlines = null;
    this.airports = null;
    this.ranks = new Map();
    // As they are on the screen.
    [this.names, this.circles, this.codes] = [[], [], []];
    // By the numbers of airports, how many aircraft are around.
    this.around = [];
    this.center = [-95, 40];
    this.scale = 16;
    this.resize();
  }

  resize() {
    this.ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    for (const canvas of [this.canvas, this.still, this.labels]) {
      canvas.width = Math.max(1, Math.round(this.width * this.ratio));
      canvas.height = Math.max(1, Math.round(this.height * this.ratio));
    }
    this.trails.resize(this.width, this.height);
    this.isMoved = true;
  }

  /** Shows about as many aircraft a pixel on each screen, in the middle of a square. */
  open([left, bottom, right, top]) {
    this.show([left, bottom, right, top]);
    this.scale = Math.max(OPENING, Math.sqrt(this.width * this.height)) / (right - left);
  }

  /** Shows a box of the map. */
  show([left, bottom, right, top]) {
    this.center = [(left + right) / 2, (bottom + top) / 2];
    this.scale = Math.min(this.width / (right - left), this.height / (top - bottom));
    this.isMoved = true;
  }

  toScreen([x, y]) {
    return [(x - this.center[0]) * this.scale + this.width / 2, (this.center[1] - y) * this.scale + this.height / 2];
  }

  toMap([x, y]) {
    return [(x - this.width / 2) / this.scale + this.center[0], this.center[1] - (y - this.height / 2) / this.scale];
  }

  /** The part of the map on the screen, and a margin so that panning uncovers nothing bare. */
  box(margin = 0.08) {
    const [x, y] = [(0.5 + margin) * this.width / this.scale, (0.5 + margin) * this.height / this.scale];
    const clamp = (number) => Math.max(-990, Math.min(990, number));
    return [this.center[0] - x, this.center[1] - y, this.center[0] + x, this.center[1] + y].map(clamp);
  }

  pan(dx, dy) {
    this.center = [this.center[0] - dx / this.scale, this.center[1] + dy / this.scale];
    this.keep();
  }

  zoom(factor, at = [this.width / 2, this.height / 2]) {
    const before = this.toMap(at);
    this.scale = Math.max(1.5, Math.min(20000, this.scale * factor));
    const after = this.toMap(at);
    this.center = [this.center[0] + before[0] - after[0], this.center[1] + before[1] - after[1]];
    this.keep();
  }

  /** Follows two fingers: what was below each stays below it, as far as a map that does not turn can. */
  pinch(before, after) {
    const middle = ([a, b]) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    const apart = ([a, b]) => Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1]));
    const [from, to] = [middle(before), middle(after)];
    this.pan(to[0] - from[0], to[1] - from[1]);
    this.zoom(apart(after) / apart(before), to);
  }

  keep() {
    this.center = this.center.map((number) => Math.max(-180, Math.min(180, number)));
    this.isMoved = true;
  }

  /** Whether there is something to draw between ticks. */
  isSmooth({ crowds, aircraft }) {
    if (!this.trails.areShown) return false;
    return crowds[0] ? performance.now() - crowds[0].since < SPLIT : aircraft.count > 0;
  }

  /** Draws all. `part` is how much of the time between two ticks has passed. */
  draw(mirror, marks, part) {
    if (this.isMoved || mirror.redraw) this.drawStill(mirror);
    if (this.isMoved || mirror.redraw || this.isCounted || this.crowd !== mirror.crowds[0]) this.drawLabels(mirror);
    this.isMoved = mirror.redraw = this.isCounted = false;
    this.crowd = mirror.crowds[0];
    if (!this.trails.areShown) part = 1;
    const context = this.context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.still, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (marks.cells) this.drawCells(mirror);
    if (mirror.crowds[0]) this.drawCircles(mirror.crowds[0]);
    else if (mirror.aircraft.count > 0) this.drawAircraft(mirror, part);
    this.drawZones(marks);
    context.drawImage(this.labels, 0, 0, this.width, this.height);
    this.drawSelected(mirror, marks, part);
  }

  drawStill(mirror) {
    const context = this.still.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.drawRegions(mirror.standing);
    this.drawAirports(mirror.standing[1]);
  }

  /** Above all that moves. */
  drawLabels(mirror) {
    const context = this.labels.getContext("2d"), [, airports, , states] = mirror.standing;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    Object.assign(context, { font: `600 ${LETTERS}`, textAlign: "center", fillStyle: "#8fb0ff", strokeStyle: "#0b1226", lineWidth: 3 });
    this.circles = this.circlesOf(mirror.crowds[0]);
    shrink(this.circles);
    this.names = settle(this.namesOf(states), this.circles);
    for (const { name, x, y } of this.names) this.write(context, name, x, y);
    const cards = Array.from(document.querySelectorAll(".card, nav"), (card) => card.getBoundingClientRect());
    const taken = [...cards.map(({ left, top, right, bottom }) => [left, top, right, bottom]), ...this.names.map(({ box }) => box), ...this.circles.map(boxOf)];
    this.drawCodes([...airports.values()].map(([number, x, y]) => [number, ...this.toScreen([x, y])]), new Room(taken));
  }

  write(context, text, x, y) {
    context.strokeText(text, x, y + 4);
    context.fillText(text, x, y + 4);
  }

  /** A circle for each cluster, by area as large as its count, but not smaller than that is written; the larger ones above the others. */
  circlesOf(crowd) {
    const { clusters, side } = crowd ?? { clusters: [], side: 0 }, context = this.labels.getContext("2d");
    const largest = Math.min(CIRCLE, SHARE * side * this.scale), most = clusters.reduce((most, { count }) => Math.max(most, count), 1);
    return clusters.map((cluster) => {
      const [x, y] = this.toScreen(cluster.at), share = Math.sqrt(cluster.count / most), label = short(cluster.count);
      return { cluster, label, share, x, y, radius: Math.max(context.measureText(label).width / 2 + GAP, largest * share) };
    }).sort((a, b) => a.radius - b.radius);
  }

  /** The names of states that are wide enough for them. */
  namesOf(states) {
    const context = this.labels.getContext("2d"), names = [];
    for (const [number] of this.outlines ? states.values() : []) {
      const label = this.outlines.labels.get(number);
      if (!label) continue;
      const [x, y] = this.toScreen(label.at), width = context.measureText(label.name).width, half = width / 2 + GAP;
      if (label.width * this.scale >= width + 2 * GAP) names.push({ name: label.name, x, y, box: [x - half, y - LINE, x + half, y + LINE] });
    }
    return names;
  }

  drawRegions([, , counties, states]) {
    if (!this.outlines) return;
    const context = this.still.getContext("2d"), drawn = new Uint8Array(this.outlines.arcs.length);
    const parts = (objects) => [...objects.values()].map(([number]) => this.outlines.parts[number]);
    context.lineJoin = "round";
    context.fillStyle = COLORS.land;
    context.beginPath();
    for (const { rings } of parts(states)) rings.forEach((ring) => this.ring(context, ring));
    context.fill("evenodd");
    // A border of states is one of counties too, but drawn once.
    for (const [objects, color, width] of [[states, "#7ea2ffa0", 1.2], [counties, "#7ea2ff48", 0.8]]) {
      Object.assign(context, { strokeStyle: color, lineWidth: width });
      context.beginPath();
      for (const { rings } of parts(objects)) {
        for (const number of rings.flat()) {
          if (!drawn[number >> 1]) this.border(context, number >> 1);
          drawn[number >> 1] = 1;
        }
      }
      context.stroke();
    }
  }

  ring(context, ring) {
    let from = 0;
    for (const number of ring) from = this.arc(context, number, from);
    context.closePath();
  }

  border(context, number) {
    const [left, bottom, right, top] = this.outlines.bounds[number];
    const [[x0, y0], [x1, y1]] = [this.toScreen([left, top]), this.toScreen([right, bottom])];
    if (0 < x1 && x0 < this.width && 0 < y1 && y0 < this.height) this.arc(context, 2 * number, 0);
  }

  /** Adds an arc to the path: as a line of its own if it is the first, without corners that would be one spot. */
  arc(context, number, before) {
    const arc = this.outlines.arcs[number >> 1], count = arc.length / 2, { scale } = this;
    const [x0, y0] = this.toScreen([0, 0]);
    let [lastX, lastY] = [NaN, NaN];
    for (let step = 0; step < count; step++) {
      const at = 2 * (number & 1 ? count - 1 - step : step), x = x0 + arc[at] * scale, y = y0 - arc[at + 1] * scale;
      if (0 < step && step + 1 < count && Math.abs(x - lastX) < 1.5 && Math.abs(y - lastY) < 1.5) continue;
      if (before + step === 0) context.moveTo(x, y); else context.lineTo(x, y);
      [lastX, lastY] = [x, y];
    }
    return before + count;
  }

  drawAirports(airports) {
    const context = this.still.getContext("2d"), isFew = airports.size < 400;
    const size = isFew ? 3 : Math.min(2, 0.8 + this.scale / 20);
    context.fillStyle = "#dfe8ff80";
    for (const [, ...place] of airports.values()) {
      const [x, y] = this.toScreen(place);
      context.fillRect(x - size / 2, y - size / 2, size, size);
    }
  }

  /**
   * The codes of airports, the busiest first, as far as there is room; where there are many only those of the busiest. The first one with
   * room for it says whose number it is; where none has, there are no numbers.
   */
  drawCodes(airports, room) {
    const context = this.labels.getContext("2d"), rank = ([number]) => this.ranks.get(number) ?? Infinity;
    const isInside = ([, x, y]) => 0 < x && x < this.width && LINE < y && y < this.height - LINE, inside = airports.filter(isInside);
    const named = inside.length * AREA < this.width * this.height ? inside : inside.filter(([number]) => this.ranks.has(number));
    Object.assign(context, { font: LETTERS, textAlign: "left", fillStyle: COLORS.paper });
    this.codes = [];
    const put = ([number, x, y], rest) => {
      const label = `${this.airports?.[number] ?? ""}${rest}`, right = x + 5 + context.measureText(label).width + 2 * GAP;
      const hasRoom = right < this.width && room.take([x - GAP, y - LINE - GAP, right, y + LINE + GAP]);
      if (!hasRoom) return false;
      this.codes.push(label);
      this.write(context, label, x + 5, y);
      return true;
    };
    const first = named.sort((a, b) => rank(a) - rank(b) || a[0] - b[0]), around = ([number]) => this.around[number];
    const isSaid = first.some((airport) => 0 < around(airport) && put(airport, `: ${around(airport)} aircraft within 50 km`));
    for (const airport of first) put(airport, isSaid && 0 < around(airport) ? ` ${around(airport)}` : "");
  }

  drawCells(mirror) {
    const { context, scale } = this, cells = mirror.cells;
    context.strokeStyle = "#2dd4bf70";
    context.beginPath();
    for (let at = 0; at + 4 < cells.length; at += 5) {
      const [x, y] = this.toScreen([cells[at], cells[at + 3]]);
      context.rect(x, y, (cells[at + 2] - cells[at]) * scale, (cells[at + 3] - cells[at + 1]) * scale);
    }
    context.stroke();
  }

  /** The circles with their counts, brighter where there are more: on their way from where they were, or from those that they come out of. */
  drawCircles({ since, merged, side }) {
    const { context, circles } = this, part = this.trails.areShown ? Math.min(1, (performance.now() - since) / SPLIT) : 1;
    Object.assign(context, { font: `600 ${LETTERS}`, textAlign: "center" });
    const leaving = part < 1 ? this.circlesOf({ clusters: merged, side }).map((circle) => ({ ...circle, share: 0 })) : [];
    for (const { cluster: { from, at }, label, share, radius, ...place } of [...leaving, ...circles]) {
      const [[x0, y0], [x1, y1]] = [this.toScreen(from ?? at), this.toScreen(at)];
      const [x, y] = [place.x + (x0 - x1) * (1 - part), place.y + (y0 - y1) * (1 - part)];
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      Object.assign(context, { fillStyle: `rgb(255 227 163 / ${0.12 + 0.5 * share})`, strokeStyle: "#ffe3a3b0", lineWidth: 1 });
      context.fill();
      context.stroke();
      Object.assign(context, { fillStyle: COLORS.gold, strokeStyle: "#0b1226c0", lineWidth: 3 });
      this.write(context, label, x, y);
    }
    Object.assign(context, { textAlign: "left", lineWidth: 1 });
  }

  drawAircraft({ aircraft }, part) {
    const { context } = this, areArrows = aircraft.count <= ARROWS_MAX;
    context.drawImage(this.trails.draw(aircraft, this, part, !areArrows), 0, 0, this.width, this.height);
    if (!areArrows) return;
    const everyone = Array.from({ length: aircraft.count }, (_, at) => at);
    for (const [lit, color] of [COLORS.gold, COLORS.alarm].entries()) {
      context.fillStyle = color;
      this.triangles(aircraft, everyone.filter((at) => aircraft.lit[at] === lit), part);
    }
  }

  triangles(aircraft, members, part) {
    const { context } = this, size = aircraft.count < 600 ? 6 : this.scale < 10 ? 2.5 : 4;
    context.beginPath();
    for (const at of members) {
      const [x, y] = this.toScreen(this.between(aircraft, at, part));
      const length = Math.hypot(aircraft.east[at], aircraft.north[at]);
      const [ux, uy] = length === 0 ? [0, -1] : [aircraft.east[at] / length, -aircraft.north[at] / length];
      context.moveTo(x + ux * size, y + uy * size);
      context.lineTo(x - ux * size - uy * size * 0.6, y - uy * size + ux * size * 0.6);
      context.lineTo(x - ux * size + uy * size * 0.6, y - uy * size - ux * size * 0.6);
    }
    context.fill();
  }

  between(aircraft, at, part) {
    return [
      aircraft.oldX[at] + (aircraft.x[at] - aircraft.oldX[at]) * part,
      aircraft.oldY[at] + (aircraft.y[at] - aircraft.oldY[at]) * part,
    ];
  }

  drawZones({ zone, draft }) {
    for (const [shape, dash] of [[zone, []], [draft, [5, 4]]]) {
      if (!shape) continue;
      Object.assign(this.context, { strokeStyle: COLORS.alarm, fillStyle: "#ff547014", lineWidth: 1.5 });
      this.context.setLineDash(dash);
      this.outline(shape);
      this.context.fill();
      this.context.stroke();
    }
    this.context.setLineDash([]);
    this.context.lineWidth = 1;
  }

  outline(shape) {
    const { context } = this;
    context.beginPath();
    if (shape.rect) {
      const [left, bottom, right, top] = shape.rect;
      const [x, y] = this.toScreen([left, top]);
      context.rect(x, y, (right - left) * this.scale, (top - bottom) * this.scale);
    } else if (shape.circle) {
      const [x, y] = this.toScreen(shape.circle.center);
      context.arc(x, y, shape.circle.radius * this.scale, 0, 2 * Math.PI);
    } else {
      for (const corner of shape.polygon) context.lineTo(...this.toScreen(corner));
      context.closePath();
    }
  }

  drawSelected(mirror, { selected }, part) {
    if (!selected) return;
    const { context } = this;
    const at = mirror.aircraft.find(selected.id);
    const place = at < 0 ? selected.place : this.between(mirror.aircraft, at, part);
    const [x, y] = this.toScreen(place);
    context.strokeStyle = COLORS.paper;
    context.beginPath();
    context.arc(x, y, 10, 0, 2 * Math.PI);
    if (selected.airport) {
      context.moveTo(x, y);
      context.lineTo(...this.toScreen(selected.airport.place));
    }
    context.stroke();
    context.strokeStyle = COLORS.tree;
    context.beginPath();
    for (const neighbor of selected.neighbors) {
      const near = mirror.aircraft.find(neighbor.id);
      context.moveTo(x, y);
      context.lineTo(...this.toScreen(near < 0 ? neighbor.place : this.between(mirror.aircraft, near, part)));
    }
    context.stroke();
  }
}
