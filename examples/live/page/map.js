// The map: where it looks, and how it is drawn. It asks the server for nothing.

const COLORS = { stone: "#7ea2ff", paper: "#dfe8ff", gold: "#ffe3a3", tree: "#2dd4bf", alarm: "#ff5470" };
/** Of fewer aircraft each is drawn with its direction, and moves smoothly from tick to tick. */
const SMOOTH_MAX = 3000;

export class Map2D {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.still = document.createElement("canvas");
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
    for (const [layer, color] of [[2, "#7ea2ff38"], [3, "#7ea2ffa0"]]) {
      context.strokeStyle = color;
      context.beginPath();
      for (const [, left, bottom, right, top] of mirror.standing[layer].values()) {
        const [x, y] = this.toScreen([left, top]);
        context.rect(x, y, (right - left) * this.scale, (top - bottom) * this.scale);
      }
      context.stroke();
    }
    const airports = mirror.standing[1], size = airports.size < 400 ? 4 : 2;
    context.fillStyle = airports.size < 400 ? COLORS.paper : "#dfe8ff80";
    context.font = "11px sans-serif";
    for (const [number, x, y] of airports.values()) {
      const [atX, atY] = this.toScreen([x, y]);
      context.fillRect(atX - size / 2, atY - size / 2, size, size);
      if (airports.size < 150) context.fillText(this.airports?.[number] ?? "", atX + 5, atY + 4);
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
    const { context } = this, size = aircraft.count < 600 ? 6 : 4;
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
