// The map: where it looks, and how it is drawn. It asks the server for nothing.

const COLORS = { land: "#7ea2ff12", stone: "#7ea2ff", paper: "#dfe8ff", gold: "#ffe3a3", tree: "#2dd4bf", alarm: "#ff5470" };
const LETTERS = "11px system-ui, 'DejaVu Sans', sans-serif";
/** Letters take about a cell of this size, in pixels. */
const CELL = [34, 14];
const cell = (x, y) => `${Math.floor(x / CELL[0])},${Math.floor(y / CELL[1])}`;
/** Of fewer aircraft each is drawn with its direction, and moves smoothly from tick to tick. */
const SMOOTH_MAX = 3000;

export class Map2D {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.still = document.createElement("canvas");
    // The country, once it is loaded.
    this.outlines = null;
    this.airports = null;
    this.ranks = new Map();
    this.center = [-95, 40];
    this.scale = 16;
    this.resize();
  }

  resize() {
    this.ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    for (const canvas of [this.canvas, this.still]) {
      canvas.width = Math.max(1, Math.round(this.width * this.ratio));
      canvas.height = Math.max(1, Math.round(this.height * this.ratio));
    }
    this.isMoved = true;
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
  isSmooth(mirror) {
    return mirror.aircraft.count <= SMOOTH_MAX;
  }

  /** Draws all. `part` is how much of the time between two ticks has passed. */
  draw(mirror, marks, part) {
    if (this.isMoved || mirror.redraw) this.drawStill(mirror);
    this.isMoved = mirror.redraw = false;
    const context = this.context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.still, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (marks.cells) this.drawCells(mirror);
    if (mirror.crowds[0]) this.drawCrowd(mirror.crowds[0]);
    else if (this.isSmooth(mirror)) this.drawAircraft(mirror, part);
    else this.drawDots(mirror);
    this.drawZones(marks);
    this.drawSelected(mirror, marks, part);
  }

  drawStill(mirror) {
    const context = this.still.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const [, airports, , states] = mirror.standing;
    this.drawRegions(mirror.standing);
    const shown = this.drawAirports(airports);
    // Where there are letters already, none are written over them.
    const taken = new Set();
    this.drawNames(states, taken);
    this.drawCodes(shown, taken);
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
    const size = isFew ? 4 : Math.min(2, 0.8 + this.scale / 20);
    context.fillStyle = isFew ? COLORS.paper : "#dfe8ff80";
    const shown = [...airports.values()].map(([number, x, y]) => [number, ...this.toScreen([x, y])]);
    for (const [, x, y] of shown) context.fillRect(x - size / 2, y - size / 2, size, size);
    return shown;
  }

  /** The names of states that are wide enough for them. */
  drawNames(states, taken) {
    const context = this.still.getContext("2d");
    const ink = { fillStyle: "#8fb0ff", strokeStyle: "#0b1226", lineWidth: 3 };
    Object.assign(context, { font: `600 ${LETTERS}`, textAlign: "center", ...ink });
    for (const [number] of this.outlines ? states.values() : []) {
      const label = this.outlines.labels.get(number);
      if (!label) continue;
      const [x, y] = this.toScreen(label.at), width = context.measureText(label.name).width;
      if (label.width * this.scale < width + 8) continue;
      context.strokeText(label.name, x, y + 4);
      context.fillText(label.name, x, y + 4);
      for (let left = x - width / 2; left < x + width / 2 + CELL[0]; left += CELL[0]) taken.add(cell(left, y));
    }
    context.textAlign = "left";
  }

  /** The codes of airports, the busiest first, as far as there is room; of many only those of the busiest. */
  drawCodes(airports, taken) {
    const context = this.still.getContext("2d"), rank = ([number]) => this.ranks.get(number) ?? Infinity;
    const named = airports.length < 150 ? airports : airports.filter(([number]) => this.ranks.has(number));
    Object.assign(context, { font: LETTERS, fillStyle: COLORS.paper });
    for (const [number, x, y] of named.sort((a, b) => rank(a) - rank(b) || a[0] - b[0])) {
      const around = [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((down) => cell(x + right * CELL[0], y + down * CELL[1])));
      if (around.some((place) => taken.has(place))) continue;
      taken.add(cell(x, y));
      context.fillText(this.airports?.[number] ?? "", x + 5, y + 4);
    }
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

  drawCrowd({ columns, rows, counts, view: [left, bottom, right, top] }) {
    const { context } = this;
    const [width, height] = [(right - left) / columns * this.scale, (top - bottom) / rows * this.scale];
    const [x0, y0] = this.toScreen([left, bottom]);
    const most = counts.reduce((a, b) => Math.max(a, b), 1);
    context.fillStyle = COLORS.gold;
    for (let square = 0; square < counts.length; square++) {
      if (counts[square] === 0) continue;
      const column = square % columns, row = (square - column) / columns;
      context.globalAlpha = 0.08 + 0.92 * Math.log(1 + counts[square]) / Math.log(1 + most);
      context.fillRect(x0 + column * width, y0 - (row + 1) * height, width - 0.5, height - 0.5);
    }
    context.globalAlpha = 1;
  }

  drawDots({ aircraft, zone }) {
    const { context, scale } = this;
    const [x0, y0] = this.toScreen([0, 0]);
    const dot = (at, size) =>
      context.fillRect(x0 + aircraft.x[at] * scale - size / 2, y0 - aircraft.y[at] * scale - size / 2, size, size);
    context.fillStyle = COLORS.gold;
    for (let at = 0; at < aircraft.count; at++) dot(at, 2);
    context.fillStyle = COLORS.alarm;
    for (const id of zone.members.keys()) {
      const at = aircraft.find(id);
      if (at >= 0) dot(at, 3);
    }
  }

  drawAircraft({ aircraft, zone }, part) {
    const { context } = this, everyone = Array.from({ length: aircraft.count }, (_, at) => at);
    const isMember = (at) => zone.members.has(aircraft.ids[at]);
    const groups = zone.members.size === 0 ? [[COLORS.gold, everyone]]
      : [[COLORS.gold, everyone.filter((at) => !isMember(at))], [COLORS.alarm, everyone.filter(isMember)]];
    for (const [color, members] of groups) {
      context.fillStyle = color;
      this.triangles(aircraft, members, part);
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
      this.context.strokeStyle = COLORS.alarm;
      this.context.setLineDash(dash);
      this.outline(shape);
      this.context.stroke();
    }
    this.context.setLineDash([]);
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
